"""Annotations of GitHub: one workflow command a finding.

Source: docs.github.com, "Workflow commands for GitHub Actions", sections on notice, warning and error messages.
"""

from __future__ import annotations

from unicodedata import category

from symcount.render.findings import parted, region, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from symcount.diagnostics import Diagnostic

_COMMANDS = {"error": "error", "carried": "warning"}  # anything else is a notice


def findings(diagnostics: Sequence[Diagnostic]) -> str:
    """A command for each finding; one in a cell of a notebook is put to the beginning of its file.

    >>> from symcount.diagnostics import Diagnostic
    >>> print(findings([Diagnostic("a.md", 7, 7, 8, "SC101", "error", "50 % is no 5")]))
    ::error title=SC101,file=a.md,line=7,col=7,endColumn=8::50 %25 is no 5
    """
    return "\n".join(map(_command, diagnostics))


def _command(one: Diagnostic) -> str:
    line, column, end = region(one)
    told = {"title": one.code or one.severity, "file": parted(one.path)[0], "line": line, "col": column,
            "endColumn": end}
    properties = ",".join(f"{name}={_encoded(str(value), '%:,')}" for name, value in told.items())
    return f"::{_COMMANDS.get(one.severity, 'notice')} {properties}::{_encoded(said(one), '%')}"


def _encoded(text: str, signs: str) -> str:
    """These signs and control characters as %XX: a command ends with its line."""
    return "".join(sign if (sign.isprintable() or category(sign) == "Zs") and sign not in signs else
                   "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "surrogatepass")) for sign in text)
