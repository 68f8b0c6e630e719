"""The claims of a document, in its order: of each passage its relations, of each table its rows and totals."""

from __future__ import annotations

from symcount.claims.related import of_passage
from symcount.claims.tables import table_claims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.page import Claim, Page, Read


def claims(page: Page) -> Iterator[tuple[Read, list[Claim]]]:
    """Each passage with its claims, in order; what the caller finds wrong in one is known in the next."""
    seen: set[int] = set()
    for read in page.reads:
        table = read.passage.table[0] if read.passage.table else None
        if table is None:
            yield read, list(of_passage(read, page))
        elif table not in seen:
            seen.add(table)
            rows = [one for one in page.reads if one.passage.table and one.passage.table[0] == table]
            yield from table_claims(rows, page)
