"""The claims of a document, in its order: of each passage its relations, of each table its rows and totals."""

from __future__ import annotations

from itertools import groupby

from symcount.claims.related import of_passage
from symcount.claims.tables import table_claims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.page import Claim, Page, Read


def claims(page: Page) -> Iterator[tuple[Read, list[Claim]]]:
    """Each passage with its claims, in order; what the caller finds wrong in one is known in the next."""
    for table, reads in groupby(page.reads, lambda read: read.passage.table and read.passage.table[0]):
        if table is None:
            for read in reads:
                yield read, list(of_passage(read, page))
        else:
            yield from table_claims(list(reads), page)
