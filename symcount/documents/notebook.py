"""Notebooks (.ipynb) read cell by cell: a document for every cell and for every output that is a text."""

from __future__ import annotations

import re

from symcount.documents import markdown, plain
from symcount.documents.passages import Document
from symcount.documents.stretches import lines, normal, verbatim
from symcount.errors import SymcountError, clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from symcount.documents.stretches import Part

_COLOURS = re.compile(r"\x1b\[[0-9;]{0,40}[A-Za-z]")


def read(source: str, path: str) -> list[Document]:
    """The documents of a notebook, named `path:cell 3` and `path:cell 3 output`, cells counted from 1.

    Offsets are those in the cell. Further outputs of a cell are `output 2` and so on; of an output that comes in
    several forms the most readable is taken: Markdown, LaTeX, then plain text. Raw cells, pictures and HTML are left.

    Raises SymcountError with the place of what makes it no notebook.
    """
    found = []
    for number, cell in enumerate(_cells(source, path), 1):
        where = f"{path}:cell {number}"
        if not isinstance(cell, dict):
            raise SymcountError(f"{where}: a cell is a JSON object, not {_kind(cell)}")
        kind = cell.get("cell_type")
        text = _text(cell.get("source", cell.get("input", "")), where, "source")
        if kind == "markdown":
            found.append(_document(where, text, markdown.read(text, where)))
        elif kind == "code":
            found.append(_document(where, text, verbatim("code", text, list(lines(text)))))
            outputs = cell.get("outputs", [])
            if not isinstance(outputs, list):
                raise SymcountError(f"{where}: outputs are a JSON array, not {_kind(outputs)}")
            found += list(_outputs(outputs, where))
    return found


def _cells(source: str, path: str) -> list[Any]:
    import json

    try:
        whole = json.loads(source)
    except json.JSONDecodeError as error:
        raise SymcountError(f"{path}:{error.lineno}:{error.colno}: a notebook is JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:  # ValueError: a number of more digits than Python reads
        raise SymcountError(f"{path}: cannot be read as JSON: {str(error).partition(';')[0]}") from None
    if not isinstance(whole, dict):
        raise SymcountError(f"{path}: a notebook is a JSON object, not {_kind(whole)}")
    sheets = whole.get("worksheets")  # as notebooks were before version 4
    if "cells" not in whole and isinstance(sheets, list) and sheets and isinstance(sheets[0], dict):
        whole = sheets[0]
    cells = whole.get("cells")
    if not isinstance(cells, list):
        raise SymcountError(f"{path}: a notebook has an array 'cells'; here it is {_kind(cells)}")
    return cells


def _outputs(outputs: list[Any], where: str) -> Iterator[Document]:
    number = 0
    for output in outputs:
        if not isinstance(output, dict):
            raise SymcountError(f"{where}: an output is a JSON object, not {_kind(output)}")
        data = output.get("data", output)
        data = data if isinstance(data, dict) else {}
        form = next((form for form in ("text/markdown", "text/latex", "text/plain", "text") if form in data), None)
        if form is None:
            continue
        number += 1
        place = f"{where} output" + (f" {number}" if number > 1 else "")
        text = _COLOURS.sub(lambda found: " " * len(found[0]), _text(data[form], place, form))
        passages, directives = (markdown.read(text, place) if form == "text/markdown" else
                                plain.read(text) if form == "text/latex" else
                                verbatim("output", text, list(lines(text))))
        yield _document(place, text, ([one._replace(kind="output") for one in passages], directives))


def _document(path: str, text: str, part: Part) -> Document:
    return Document(path, text, *part)


def _text(found: object, where: str, what: str) -> str:
    """A text, which notebooks may part into lines."""
    if isinstance(found, list) and all(isinstance(line, str) for line in found):
        return normal("".join(found))
    if not isinstance(found, str):
        raise SymcountError(f"{where}: {clipped(what)} is a text or an array of texts, not {_kind(found)}")
    return normal(found)


def _kind(found: object) -> str:
    """What a value is called in JSON.

    >>> _kind(None), _kind([])
    ('null', 'an array')
    """
    return {dict: "an object", list: "an array", str: "a text", bool: "true or false",
            type(None): "null"}.get(type(found), "a number")
