"""What tables claim: a row whose one cell computes another, and totals of the rows above."""

from __future__ import annotations

from bisect import bisect_left
from collections import namedtuple

from symcount.claims.agreement import agreement
from symcount.claims.chains import relations
from symcount.claims.expressions import Node, Reader, Unreadable
from symcount.claims.page import Claim, Read
from symcount.claims.related import of_passage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from symcount.claims.figures import Figure
    from symcount.claims.lexing import Token
    from symcount.claims.page import Page

# Labels of rows that are no summands of the total below, or are taken off it
_OUTSIDE = {"which", "thereof", "incl", "including", "included", "running", "buffer", "buffers", "tied", "shared",
            "expenses", "costs", "cost", "discount", "refund", "refunds", "less", "minus", "deduction", "deductions",
            "spent", "paid"}
_TOTAL = {"total", "sum", "totals", "overall", "altogether", "gesamt", "summe", "subtotal"}
_TELLING = 10_000  # smaller figures are often sums of others by chance
_COLUMNS, _SAMPLED = 20, 200  # so many columns are looked at, and so many rows to tell which computes which
_MOST = 60  # rows of a table that are searched for what adds up

Row = namedtuple("Row", "read label cells reads")
"""A row: its passage, the words of its first cell, of each cell the expression that is all of it, or what its relations
come to, or None; and the cells as passages of their own."""


def table_claims(reads: Sequence[Read], page: Page) -> Iterator[tuple[Read, list[Claim]]]:
    """Each row of a table with its claims."""
    rows = [_row(read) for read in reads]
    body = [row for row in rows if row.read.passage.table[1] > 0]
    columns = min(_COLUMNS, max((len(row.cells) for row in rows), default=0))
    pairs = _pairs(body, columns, page)
    sums = _Sums(body)
    for row in rows:
        inside = row.read.passage.table[1] > 0
        found = [claim._replace(label=row.label) for cell in row.reads for claim in of_passage(cell, page)]
        found += [Claim("row", row.cells[i], row.cells[j].parts, "=", row.read.passage, row.label,
                        column=page.column(row.read, row.cells[j].parts))
                  for i, j in pairs if inside and _computes(row, i, j)]
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
    except Unreadable:
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


class _Sums:
    """The figures of each column that no sum above has taken in yet."""

    __slots__ = ("_open", "outside")

    def __init__(self, body: Sequence[Row]) -> None:
        self._open: dict[int, list[Figure]] = {} if len(body) <= _MOST else {-1: []}
        said = {word.lower().strip(".:") for row in body[:_MOST] for word in row.label.split()}
        self.outside = bool(_OUTSIDE & said)

    def total(self, row: Row, column: int) -> list[Claim]:
        """That a figure is the sum of figures above it: of all that are open, or of those directly above."""
        cell = row.cells[column]
        if cell.kind != "figure" or not cell.parts.exact or -1 in self._open:
            return []
        above = self._open.get(column, [])
        named = bool(_TOTAL & {word.lower().strip(":") for word in row.label.split()})
        for start in range(len(above) - 1) if named or cell.parts.value >= _TELLING else ():
            part = above[start:]
            if sum(figure.value for figure in part) == cell.parts.value:
                self._open[column] = above[:start]
                return [_total(part, cell.parts, row)]
        if named and len(above) > 1 and all(figure.exact for figure in above) and not self.outside:
            self._open[column] = []
            return [_total(above, cell.parts, row)]
        return []

    def take(self, row: Row) -> None:
        """Take the figures of a row in; one that is computed from another above takes its place."""
        operands = {part.parts.value for cell in row.cells if cell is not None and cell.kind == "product"
                    for part in cell.parts if part.kind == "figure"}
        for column, cell in enumerate(row.cells):
            if cell is None or cell.kind != "figure":
                continue
            above = self._open.setdefault(column, [])
            if above and above[-1].value in operands:
                above.pop()
            above.append(cell.parts)


def _total(part: Sequence[Figure], printed: Figure, row: Row) -> Claim:
    node = Node("sum", tuple(Node("figure", figure, figure.start, figure.end) for figure in part), part[0].start,
                part[-1].end)
    return Claim("total", node, printed, "=", row.read.passage, row.label)
