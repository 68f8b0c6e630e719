"""Certain fixes put into a document, and what that changes.

A fix replaces what is marked in one line. In a notebook that line stands in the JSON of a cell; nothing else of the
file is touched, so what wrote the notebook wrote all the rest.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from symcount.diagnostics import Diagnostic

    Edit = tuple[int, int, str]

_CELL = re.compile(r"\.ipynb:cell (\d{1,9})", re.IGNORECASE)
_NEAR = 40  # characters around what is marked that must be those that were read
_AROUND = 3  # lines around a difference
_BLANKS = re.compile(r"[ \t\r\n]*")
_RETURN = re.compile(r"\r(?!\n)")  # alone it ends a line, as documents are read
_SIGN = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]")

# What lines are counted in: its text, in which every line ends with "\n", where each line starts in it, and where each
# character stands in the file, None where the text is the file
_Source = namedtuple("_Source", "text lines places")


def applied(text: str, diagnostics: Sequence[Diagnostic]) -> tuple[str, int]:
    """The file with every certain fix put in, and how many: of errors, then of carried lines whose roots are mended.

    Of a carried line the operands that are printed again are mended too. Of two fixes that overlap the first is put in.
    A carried line is left when an error SC1… before it is. A fix is not put in where the file does not say what was
    read, and in a notebook only in Markdown cells.

    >>> from symcount.diagnostics import Diagnostic
    >>> applied("2*3 = 5", [Diagnostic("a.md", 1, 7, 8, "SC101", "error", "it is 6", 6, "", "6", "2*3 = 5")])
    ('2*3 = 6', 1)
    """
    found = sorted(diagnostics, key=_order)
    if not any(one.fix for one in found):
        return text, 0
    sources = _sources(text, {_cell(one) for one in found})
    edits: list[Edit] = []
    mended = [one.severity == "error" and _put(edits, _edit(text, sources[_cell(one)], one)) for one in found]
    for one, done in zip(found, mended, strict=True):
        if one.severity == "error" and one.code.startswith("SC1") and not done:
            break
        if one.severity == "carried":
            parts = [_edit(text, sources[_cell(one)], part) for part in (one, *one.also)]
            if None not in parts:
                for part in parts:
                    _put(edits, part)
    pieces, end = [], 0
    for start, stop, fix in edits:
        pieces += [text[end:start], fix]
        end = stop
    return "".join([*pieces, text[end:]]), len(edits)


def difference(text: str, mended: str, path: str) -> str:
    r"""A unified diff of a text and of what it was mended to, which has as many lines; "" where they are equal.

    Line by line: what looks for lines that moved takes more than linear time, and none did.

    >>> print(difference("a\nb\n", "a\nc\n", "x.md"))
    --- x.md
    +++ x.md
    @@ -1,2 +1,2 @@
     a
    -b
    +c
    """
    before, after = _lines(text), _lines(mended)
    changed = [i for i, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    hunks: list[list[int]] = []
    for i in changed:
        first, stop = max(0, i - _AROUND), min(len(before), i + _AROUND + 1)
        if hunks and first <= hunks[-1][1]:
            hunks[-1][1] = stop
        else:
            hunks.append([first, stop])
    rows = [f"--- {path}", f"+++ {path}"] if hunks else []
    for first, stop in hunks:
        rows.append(f"@@ -{first + 1},{stop - first} +{first + 1},{stop - first} @@")
        taken: list[str] = []
        for i in range(first, stop):
            if before[i] != after[i]:
                rows.append(f"-{before[i]}")
                taken.append(f"+{after[i]}")
                continue
            rows += [*taken, f" {before[i]}"]
            taken = []
        rows += taken
    return "\n".join(rows)


def _lines(text: str) -> list[str]:
    """The lines of a text; a last one that does not end is told with it, as a diff tells it."""
    *lines, last = text.split("\n")
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


def _cell(one: Diagnostic) -> int:
    """The number of the cell that is spoken of, 0 where the whole file is, -1 for what a cell printed."""
    found = _CELL.search(one.path)
    return 0 if not found else int(found[1]) if found.end() == len(one.path) else -1


def _order(one: Diagnostic) -> tuple[int, int, int]:
    found = _CELL.search(one.path)
    return int(found[1]) if found else 0, one.line, one.column


def _put(edits: list[Edit], edit: Edit | None) -> bool:
    """Put an edit among the others, which are in order; whether it is there now."""
    if edit is None:
        return False
    at = bisect_left(edits, edit)
    if at < len(edits) and edits[at] == edit:
        return True
    if (at and edits[at - 1][1] > edit[0]) or (at < len(edits) and edits[at][0] < edit[1]):
        return False
    edits.insert(at, edit)
    return True


def _edit(text: str, source: _Source | None, one: Diagnostic) -> Edit | None:
    """Where in the file a fix goes, and as what; None for no fix, and where the line is not what was read."""
    if not one.fix or source is None or not one.source or not 1 <= one.line <= len(source.lines):
        return None
    begin = source.lines[one.line - 1]
    end = source.lines[one.line] - 1 if one.line < len(source.lines) else len(source.text)
    first, last = one.column - 1, one.end_column - 1
    low, high = max(0, first - _NEAR), last + _NEAR
    same = one.source[low:high] == source.text[begin + low:min(begin + high, end)].rstrip("\r")
    if not 0 <= first < last <= len(one.source) <= end - begin or not same or "\n" in one.fix or "\r" in one.fix:
        return None
    start, stop = begin + first, begin + last
    if source.places is None:
        return start, stop, one.fix
    return _escaped(text, source, start, stop, one.fix)


def _escaped(text: str, source: _Source, start: int, stop: int, fix: str) -> Edit | None:
    """An edit of a string of JSON; None where what is marked does not stand in one string."""
    import json

    sign = _SIGN.match(text, source.places[stop - 1])
    at, to = source.places[start], sign.end() if sign else 0
    try:
        if json.loads(f'"{text[at:to]}"') != source.text[start:stop]:
            return None
    except ValueError:
        return None
    return at, to, json.dumps(fix, ensure_ascii=text.isascii())[1:-1]


def _sources(text: str, cells: set[int]) -> dict[int, _Source | None]:
    """What each number of `_cell` counts its lines in; None for what is not Markdown, or cannot be read."""
    found: dict[int, _Source | None] = dict.fromkeys(cells)
    if 0 in found:
        found[0] = _source(text, None)
    if cells - {0}:
        try:
            found |= dict(_markdown(text, cells))
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):  # no notebook: it is left
            return found
    return found


def _source(text: str, places: list[int] | None) -> _Source:
    ended = _RETURN.sub("\n", text)
    return _Source(ended, [0, *(i + 1 for i, sign in enumerate(ended) if sign == "\n")], places)


def _markdown(text: str, cells: set[int]) -> Iterator[tuple[int, _Source]]:
    """Those of these cells that are Markdown, counted from 1, with where their characters stand in the JSON."""
    import json

    top = {key: start for key, start, _ in _inside(text, _blank(text, 0))}
    for number, start, end in _inside(text, top["cells"]):
        cell = json.loads(text[start:end]) if number + 1 in cells else {}
        if cell.get("cell_type") != "markdown":
            continue
        inside = {key: (at, to) for key, at, to in _inside(text, start)}
        at, to = inside["source"]
        strings = [(at, to)] if text[at] == '"' else [(first, last) for _, first, last in _inside(text, at)]
        said = "".join(cell["source"])
        places = [sign.start() for first, last in strings for sign in _SIGN.finditer(text, first + 1, last - 1)]
        if len(places) == len(said):
            yield number + 1, _source(said, places)


def _inside(text: str, at: int) -> Iterator[tuple[Any, int, int]]:
    """The values of the object or list that begins here: key or number from 0, start and end of the value."""
    import json

    decode = json.JSONDecoder().raw_decode
    named, number = text[at] == "{", 0
    at = _blank(text, at + 1)
    while text[at] not in "}]":
        key: Any = number
        if named:
            key, at = decode(text, at)
            at = _blank(text, _blank(text, at) + 1)
        _, end = decode(text, at)
        yield key, at, end
        number += 1
        at = _blank(text, end)
        at = _blank(text, at + 1) if text[at] == "," else at


def _blank(text: str, at: int) -> int:
    """Where the blanks of JSON that stand here end."""
    found = _BLANKS.match(text, at)
    return found.end() if found else at
