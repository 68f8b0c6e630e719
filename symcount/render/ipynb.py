"""A notebook (nbformat 4.5): cells whose code gives the answers when it is run, with the answers in them."""

from __future__ import annotations

from symcount.render import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def document(code: list[tuple[str, Any]], title: str, imports: list[str]) -> str:
    """The notebook of some answers: `code` has the source of each cell and what it gives."""
    import json

    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "title", "metadata": {}, "source": _lines(f"# {markdown.escaped(title)}")},
        _code("imports", "\n".join(imports), [])]
    for i, (source, given) in enumerate(code, start=1):
        shown = given._repr_mimebundle_()
        output = {"data": {mime: _lines(text) for mime, text in shown.items()}, "execution_count": i + 1,
                  "metadata": {}, "output_type": "execute_result"}
        cells.append(_code(f"answer-{i}", source, [output]))
    told = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"}}
    for i, cell in enumerate(cells[1:], start=1):
        cell["execution_count"] = i
    return json.dumps({"cells": cells, "metadata": told, "nbformat": 4, "nbformat_minor": 5}, indent=1,
                      ensure_ascii=False) + "\n"


def _code(name: str, source: str, outputs: list[dict[str, Any]]) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "id": name, "metadata": {}, "outputs": outputs,
            "source": _lines(source)}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
