"""What a document is read into: passages, whose characters stand where they stand in the source.

A passage keeps the length of its source: markup is blanked, so an offset is an offset everywhere.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Passage(namedtuple("Passage", "kind start text math cells table", defaults=((), (), None))):
    """A stretch of a document that is read together.

    kind    "text" a paragraph, "heading", "item" one of a list, "row" of a table, "code" and "output" of a program
    start   where it begins in the source
    text    what is read, as long as its source; what only marks up is blanked, line ends are kept
    math    the spans (start, end) in `text` that are TeX mathematics
    cells   of a row, the spans of its cells in `text`, one for each column
    table   of a row, (number of the table, number of the row), the header being row 0
    """

    __slots__ = ()


class Directive(namedtuple("Directive", "offset says alone")):
    """A comment to this program: where what it says begins, what it says, and whether it has a line for itself.

    `<!-- symcount: model=gpt2 -->` says "model=gpt2".
    """

    __slots__ = ()


class Document:
    """A text that is checked: a file, or one cell of a notebook.

    path        how it is named in reports
    source      all of it, as it was written
    passages    in order of their start, none overlapping
    directives  in order
    """

    __slots__ = ("_line", "_lines", "directives", "passages", "path", "source")

    def __init__(self, path: str, source: str, passages: Sequence[Passage],
                 directives: Sequence[Directive] = ()) -> None:
        self.path, self.source = path, source
        self.passages, self.directives = tuple(passages), tuple(directives)
        self._line: dict[int, str] = {}  # one string for all that is said of a line
        self._lines = [0, *(found.end() for found in re.finditer("\n", source))]

    def place(self, offset: int) -> tuple[int, int]:
        r"""Line and column of an offset, both counted from 1, in code points.

        >>> Document("a", "one\ntwo", ()).place(5)
        (2, 2)
        """
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def line(self, number: int) -> str:
        """A line of the source, counted from 1, without its end."""
        if number not in self._line:
            ends = self._lines[number] - 1 if number < len(self._lines) else len(self.source)
            self._line[number] = self.source[self._lines[number - 1]:ends].rstrip("\r")
        return self._line[number]
