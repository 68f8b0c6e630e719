"""What tables claim: a cell that computes another, columns that are sums or products of others, totals of rows."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import namedtuple
from itertools import combinations

from symcount.claims.agreement import agreement
from symcount.claims.chains import relations
from symcount.claims.expressions import Node, Reader, UnreadableError, figures
from symcount.claims.page import Claim, Read
from symcount.claims.related import of_passage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from symcount.claims.figures import Figure
    from symcount.claims.lexing import Token
    from symcount.claims.page import Page

# Labels of rows that are no summands of the total below, or are taken off it, or count more than once
_OUTSIDE = {"which", "thereof", "incl", "including", "included", "running", "buffer", "buffers", "tied", "shared",
            "expenses", "costs", "cost", "discount", "refund", "refunds", "less", "minus", "deduction", "deductions",
            "spent", "paid", "optional", "not", "without", "untrained", "frozen", "statistics", "per", "each", "both",
            "twice", "double", "two", "three", "four", "five", "six", "seven", "eight", "ten", "twelve"}
_WEIGHTS = {"qty", "quantity", "count", "number", "units", "pieces", "copies", "times", "repeat", "repeats", "layers",
            "n", "×", "x", "how", "each", "per", "price"}  # above a column of how often each row counts
_SUBORDINATE = "….–—-•↳└├+·>="  # before the label of a row that another row holds already
# What indents the label behind it in Markdown or TeX, where blanks do not; no longer than so many signs
_INDENT = re.compile(r"(?:&(?:nbsp|ensp|emsp|#160|#xA0);|\\(?:q?quad|enspace|hspace\*?\{[^{}]*\})|"
                     r"[\u00a0\u2002\u2003\u3000])(?:\\text\w*\{|[\s*_`${])*\Z", re.IGNORECASE)
_INDENTED = 60
_TOTAL = {"total", "sum", "totals", "overall", "altogether", "gesamt", "summe", "subtotal"}
_TELLING = 10_000  # smaller figures are often sums of others by chance
_COLUMNS, _SAMPLED = 20, 200  # so many columns are looked at, and so many rows to tell which computes which
_WIDE, _SHOWING, _LEAST = 9, 40, 100  # columns and rows that show sums and products across, and the least result
_MOST = 60  # rows of a table that are searched for what adds up

Row = namedtuple("Row", "read label cells reads")
"""A row: its passage, the words of its first cell, of each cell the expression that is all of it, or what its relations
come to, or None; and the cells as passages of their own."""


def table_claims(reads: Sequence[Read], page: Page) -> Iterator[tuple[Read, list[Claim]]]:
    """Each row of a table with its claims."""
    rows = [_row(read) for read in reads]
    body = [row for row in rows if row.read.passage.table[1] > 0]
    columns = min(_COLUMNS, max((len(row.cells) for row in rows), default=0))
    pairs, across = _pairs(body, columns, page), _across(body, columns)
    sums = _Sums(rows, page.document.source)
    for row in rows:
        inside = row.read.passage.table[1] > 0
        found = [claim._replace(label=row.label) for cell in row.reads for claim in of_passage(cell, page)]
        found += [Claim("row", row.cells[i], row.cells[j].parts, "=", row.read.passage, row.label,
                        column=page.column(row.read, row.cells[j].parts))
                  for i, j in pairs if inside and _computes(row, i, j)]
        found += [Claim("across", _joined(kind, row, operands), row.cells[j].parts, "=", row.read.passage, row.label,
                        column=page.column(row.read, row.cells[j].parts))
                  for kind, operands, j in across
                  if inside and len(row.cells) > j and all(_number(row.cells[i]) for i in (*operands, j))]
        computed = {claim.printed.start for claim in found}
        for column in range(1, columns) if inside else ():
            if len(row.cells) > column and row.cells[column] is not None and row.cells[column].start not in computed:
                found += sums.total(row, column)
        sums.take(row)
        for cell in row.cells[1:]:
            if cell is not None and cell.kind == "figure":
                page.label(row.label, cell.parts)
        yield row.read, found


def _row(read: Read) -> Row:
    cells, reads, first = [], [], ""
    starts = [token.start - read.passage.start for token in read.tokens]
    for number, (start, end) in enumerate(read.passage.cells):
        inside = read.tokens[bisect_left(starts, start):bisect_left(starts, end)]
        if not number:
            first = " ".join(token.text for token in inside if token.kind in ("word", "name", "op"))
        reads.append(Read(read.number, read.passage, inside, relations(inside)))
        cells.append(reads[-1].relations[-1].right.node if reads[-1].relations else _whole(inside))
    return Row(read, first, cells, reads)


def _whole(inside: Sequence[Token]) -> Node | None:
    """The expression that is all of a cell."""
    if not any(token.kind in ("figure", "name") for token in inside):
        return None
    reader = Reader(inside, 0, len(inside))
    try:
        node = reader.sum()
        reader.labels()
    except UnreadableError:
        return None
    return node if reader.at == len(inside) else None


def _computes(row: Row, i: int, j: int) -> bool:
    """Whether one cell of a row is an expression and another one figure."""
    return (len(row.cells) > max(i, j) and row.cells[i] is not None and row.cells[j] is not None
            and row.cells[i].kind not in ("figure", "name", "minus") and row.cells[j].kind == "figure"
            and row.cells[j].parts.value != 0)


def _pairs(body: Sequence[Row], columns: int, page: Page) -> list[tuple[int, int]]:
    """The columns of which one computes the other: in most rows that have both, and in two at least."""
    found = []
    for i in range(columns):
        for j in range(columns):
            rows = [row for row in body[:_SAMPLED] if i != j and _computes(row, i, j)]
            holding = sum(agreement(Claim("row", row.cells[i], row.cells[j].parts, "=", row.read.passage), page).verdict
                          in ("holds", "carried") for row in rows)
            if holding >= 2 and 2 * holding > len(rows):
                found.append((i, j))
    return found


def _across(body: Sequence[Row], columns: int) -> list[tuple[str, tuple[int, ...], int]]:
    """("sum" or "product", the columns that it joins, that of the result) where most rows show it, and two at least.

    A sum is of all columns from one on to the result, a product of two; both stand left of it.
    """
    found = []
    numbers = [[_number(cell) for cell in row.cells] for row in body[:_SHOWING]]
    for j in range(2, min(columns, _WIDE)):
        joined = [("sum", tuple(range(i, j))) for i in range(j - 1)]
        joined += [("product", pair) for pair in combinations(range(j), 2)]
        found += [(kind, operands, j) for kind, operands in joined if _shown(kind, operands, j, numbers)][:1]
    return found


def _number(cell: Node | None) -> int:
    """The exact whole number that a cell is, 0 where it is none."""
    whole = cell is not None and cell.kind == "figure" and cell.parts.exact and cell.parts.value.denominator == 1
    return cell.parts.value.numerator if cell and whole else 0


def _shown(kind: str, operands: tuple[int, ...], j: int, numbers: Sequence[Sequence[int]]) -> bool:
    """Whether most rows show that these columns come to that one, and two at least, in numbers of some size."""
    holding = failing = 0
    for row in numbers:
        if len(row) <= j or not row[j] or not all(row[i] for i in operands):
            continue
        told = [row[i] for i in operands]
        holds = row[j] >= _LEAST and min(told) > 1 and (sum(told) if kind == "sum" else told[0] * told[1]) == row[j]
        holding, failing = holding + holds, failing + (not holds)
        if failing > holding + 1:
            return False
    return holding >= 2 and holding > failing


def _joined(kind: str, row: Row, columns: Sequence[int]) -> Node:
    """The cells of these columns as one expression."""
    parts = tuple(row.cells[i] for i in columns)
    return Node(kind, parts, parts[0].start, parts[-1].end)


class _Sums:
    """The figures of each column that no total above has added up: all, and those that nothing else has taken in.

    plain   whether every row seems to count once, so that a total that is no sum may be called wrong
    """

    __slots__ = ("_all", "_open", "_small", "plain")

    def __init__(self, rows: Sequence[Row], source: str) -> None:
        self._all: dict[int, list[Figure]] = {}
        self._open: dict[int, list[Figure]] = {}
        self._small = len(rows) <= _MOST
        said = {word.lower().strip(".:(),") for row in rows[:_MOST] for word in row.label.split()}
        heads = {token.text.lower() for row in rows[:1] if row.read.passage.table[1] == 0 for token in row.read.tokens}
        self.plain = not (_OUTSIDE & said or _WEIGHTS & heads or any(_subordinate(row, source) for row in rows[:_MOST]))

    def total(self, row: Row, column: int) -> list[Claim]:
        """That a figure is the sum of figures above it: of all that are open, or of those directly above."""
        cell = row.cells[column]
        if cell.kind != "figure" or not cell.parts.exact or not self._small:
            return []
        above = self._open.get(column, [])
        named = bool(_TOTAL & {word.lower().strip(":") for word in row.label.split()})
        for figures_ in (above, self._all.get(column, [])) if named or cell.parts.value >= _TELLING else ():
            if start := _adding(figures_, cell.parts.value):
                part = figures_[-start:]
                self._open[column] = [one for one in above if one not in part]
                self._all[column] = [one for one in self._all[column] if one not in part]
                return [_total(part, cell.parts, row)]
        if named and len(above) > 1 and all(figure.exact for figure in above) and self.plain:
            self._open[column], self._all[column] = [], []
            return [_total(above, cell.parts, row)]
        return []

    def take(self, row: Row) -> None:
        """Take the figures of a row in; one that is computed from others above takes their place."""
        if not self._small:
            return
        written = [*(cell for cell in row.cells if cell is not None and cell.kind in ("product", "sum")),
                   *(one.left.node for read in row.reads for one in read.relations if one.left.node)]
        operands = {figure.value for node in written for figure in figures(node)}
        for column, cell in enumerate(row.cells):
            if cell is None or cell.kind != "figure":
                continue
            if operands:
                self._open[column] = [one for one in self._open.get(column, ())
                                      if one.value < _TELLING or one.value not in operands]
            for figures_ in (self._open, self._all):
                figures_.setdefault(column, []).append(cell.parts)


def _adding(above: Sequence[Figure], result: Fraction) -> int:
    """How many of the last figures, two at least, add up to this; 0 if none do."""
    added = result
    for many, figure in enumerate(reversed(above), start=1):
        added -= figure.value
        if not added and many > 1:
            return many
        if added < 0:  # no figure is below 0
            break
    return 0


def _subordinate(row: Row, source: str) -> bool:
    """Whether a row is marked as a part of one above: by a sign before its label, or by its indent."""
    passage = row.read.passage
    start, end = passage.cells[0] if passage.cells else (0, 0)
    label = passage.start + start
    return passage.text[start:end].strip()[:1] in {*_SUBORDINATE} or bool(
        _INDENT.search(source[max(0, label - _INDENTED):label]))


def _total(part: Sequence[Figure], printed: Figure, row: Row) -> Claim:
    node = Node("sum", tuple(Node("figure", figure, figure.start, figure.end) for figure in part), part[0].start,
                part[-1].end)
    return Claim("total", node, printed, "=", row.read.passage, row.label)
