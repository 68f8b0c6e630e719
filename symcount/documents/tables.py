"""Tables of pipes, as GitHub reads them and as people draw them in plain text: a passage for every row."""

from __future__ import annotations

import re
from itertools import pairwise

from symcount.documents.inline import inline
from symcount.documents.passages import Passage
from symcount.documents.stretches import directive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from symcount.documents.stretches import Part, Span

_PIPE = re.compile(r"(?<!\\)\|")
_DELIMITERS = re.compile(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+\Z")
_DRAWN = re.compile(r"[ \t]*+(?=[^\n]*[-=])(?=[^\n]*[|+])[ \t|:+=-]++\Z")  # |---|---, +---+---+


class Tables:
    """The tables of a document, numbered from 1 in their order.

    A row with fewer cells than the header has empty ones in their place, up to `left` of them in all: a short text
    must not become a large one.
    """

    __slots__ = ("left", "number", "source")

    def __init__(self, source: str) -> None:
        self.source, self.number, self.left = source, 0, 0x10000

    def rows(self, spans: Sequence[Span]) -> list[Part]:
        """The rows of a table that stand in these spans, the header first, without the lines that only rule."""
        self.number += 1
        columns = width(self.source, spans[0])
        return [self.row(span, columns, number) for number, span in enumerate(spans)]

    def row(self, span: Span, columns: int, number: int) -> Part:
        """The passage of a row, none if nothing stands in it, and the directives in its cells."""
        source, (start, end) = self.source, span
        edges = [start - 1, *(found.start() for found in _PIPE.finditer(source, start, end)), end]
        inner = [(a + 1, b) for a, b in pairwise(edges)]
        if not source[slice(*inner[0])].strip():
            inner.pop(0)
        if inner and not source[slice(*inner[-1])].strip():
            inner.pop()
        inner = inner[:columns]
        if not inner:
            return [], []
        start = done = inner[0][0]
        parts, math, cells, directives = [], [], [], []
        for a, b in inner:
            text, found, comments = inline(source[a:b])
            parts += [" " * (a - done), text]
            done = b
            math += [(a - start + i, a - start + j) for i, j in found]
            first = a - start + (len(text) - len(text.lstrip()) if text.strip() else 0)
            cells.append((first, first + len(text.strip())))
            directives += [directive(source, a + i, a + j, a + at, said) for i, j, at, said in comments]
        whole = "".join(parts)
        missing = min(columns - len(cells), self.left)
        self.left -= missing
        cells += [(len(whole), len(whole))] * missing
        passage = Passage("row", start, whole, tuple(math), tuple(cells), (self.number, number))
        return [passage] if whole.strip() else [], directives


def width(source: str, span: Span) -> int:
    """How many cells a row has.

    >>> width("| a | b |", (0, 9)), width("a | b", (0, 5)), width("| | b |", (0, 7))
    (2, 2, 2)
    """
    parts = _PIPE.split(source[slice(*span)].strip())
    return len(parts) - (not parts[0]) - (len(parts) > 1 and not parts[-1])


def header(source: str, spans: Sequence[Span]) -> int:
    r"""Which of the lines is the header of a table: the one above the line of delimiters; -1 if there is none.

    >>> header("text\na | b\n--|--", [(0, 4), (5, 10), (11, 16)])
    1
    """
    for at, (above, below) in enumerate(pairwise(spans)):
        if "|" in source[slice(*above)] and _DELIMITERS.match(source, *below) \
                and width(source, above) == width(source, below):
            return at
    return -1


def drawn(source: str, span: Span) -> bool:
    """Whether a line only draws the lines of a table: `+----+----+`."""
    return bool(_DRAWN.match(source, *span))


def enclosed(source: str, span: Span) -> bool:
    """Whether a line begins and ends with a pipe."""
    text = source[slice(*span)].strip()
    return len(text) > 2 and text[0] == text[-1] == "|"
