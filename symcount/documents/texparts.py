"""What is open while LaTeX is read: a formula, a table."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.documents.stretches import Span


class Formula:
    """A formula that is open: where its delimiter and its content begin, what closes it, what is open within it."""

    __slots__ = ("begin", "closer", "depth", "environment", "nested", "start")

    def __init__(self, start: int, begin: int, closer: str) -> None:
        self.start, self.begin, self.closer = start, begin, closer
        self.environment = closer[0].isalpha()
        self.depth = self.nested = 0


class Table:
    """A table that is open: its number, the depth of its groups, where its row and its cell begin, its cells so far."""

    __slots__ = ("cell", "cells", "depth", "inner", "number", "row", "rows", "spanned")

    def __init__(self, number: int, depth: int, at: int) -> None:
        self.number, self.depth, self.row, self.cell = number, depth, at, at
        self.cells: list[Span] = []
        self.inner = self.rows = self.spanned = 0

    def splits(self, depth: int) -> bool:
        """Whether a sign of this depth parts cells or rows of this table, not of one within a cell."""
        return depth == self.depth and not self.inner

    def span(self, argument: str) -> None:
        """A cell that spans several columns has empty cells behind it."""
        found = re.match(r"\{([0-9]{1,2})\}", argument)
        self.spanned = int(found[1]) - 1 if found and int(found[1]) else 0

    def cell_ends(self, end: int, following: int) -> None:
        """Ends the cell, and begins the one that follows."""
        self.cells += [(self.cell, end), *[(end, end)] * self.spanned]
        self.cell, self.spanned = following, 0
