"""SARIF, which code hosts and editors read.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", sections 3.14, 3.27, 3.30, 3.49.
"""

from __future__ import annotations

from symcount import __version__
from symcount.render.findings import parted, region, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from symcount.diagnostics import Diagnostic

_LEVELS = {"error": "error", "carried": "warning", "convention": "note", "note": "note"}


def findings(diagnostics: Sequence[Diagnostic], rules: Iterable[tuple[str, str, str]]) -> dict[str, Any]:
    """A log of one run; `rules` are code, name and first line of the checks, of which those that found something stand.

    What was skipped is open: nothing is known to be wrong there. A finding in a cell of a notebook is put to the
    beginning of its file.
    """
    found = {one.code for one in diagnostics}
    told = [{"id": code, "name": name, "shortDescription": {"text": says}} for code, name, says in rules
            if code in found]
    places = {rule["id"]: place for place, rule in enumerate(told)}
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "symcount", "version": __version__, "rules": told}},
        "columnKind": "unicodeCodePoints", "results": [_result(one, places) for one in diagnostics]}]}


def _result(one: Diagnostic, places: dict[Any, int]) -> dict[str, Any]:
    line, column, end = region(one)
    kind = {"level": _LEVELS[one.severity]} if one.severity in _LEVELS else {"kind": "open", "level": "none"}
    rule = {"ruleId": one.code} if one.code else {}
    index = {"ruleIndex": places[one.code]} if one.code in places else {}
    return {**rule, **index, **kind, "message": {"text": said(one)}, "locations": [{"physicalLocation": {
        "artifactLocation": {"uri": _uri(parted(one.path)[0])},
        "region": {"startLine": line, "startColumn": column, "endColumn": end}}}]}


def _uri(path: str) -> str:
    """A path as a reference: relative to where the run was started, or of this machine.

    >>> _uri("my notes/a:b.md")
    'my%20notes/a%3Ab.md'
    """
    import os
    from urllib.parse import quote

    encoded = quote(os.fsencode(path.replace(os.sep, "/")))
    return f"file://{encoded}" if os.path.isabs(path) else encoded
