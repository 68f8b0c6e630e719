"""wrong-total: the total of a table is not the sum of the rows above it.

What it does
    Adds up the rows above a row called total, leaving out those that a subtotal has taken in, and compares. It is an
    error where the difference can be explained: a row left out, counted twice, a digit exchanged. Where it cannot, it
    is a note: the rows may be a choice of many.

Why it matters
    A total is what readers quote.

Bad
    | part | parameters |
    | --- | --- |
    | embedding | 23,440,896 |
    | positions | 393,216 |
    | token types | 1,536 |
    | total | 23,834,112 |

Good
    | part | parameters |
    | --- | --- |
    | embedding | 23,440,896 |
    | positions | 393,216 |
    | token types | 1,536 |
    | total | 23,835,648 |

Source
    The last row of a Markdown table is the commonest sum without a plus sign.
"""

from __future__ import annotations

from symcount.claims.agreement import agreement
from symcount.claims.slips import shown, slip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.page import Claim, Page
    from symcount.diagnostics import Diagnostic

CODE = "SC105"
_LONG = 10**6  # of so many digits figures are seldom rounded


def judge(claim: Claim, page: Page) -> Iterator[Diagnostic]:
    """The finding about one total, if it is not the sum of its rows: an error where the reason can be told."""
    found = agreement(claim, page)
    if claim.kind != "total" or found.verdict != "differs":
        return
    why = slip(claim.node, claim.printed, page.printed, page.named)
    parts = len(claim.node.parts)
    rounded = claim.printed.value < _LONG and abs(found.local - claim.printed.value) <= parts  # in thousands, perhaps
    if not why or "other sign" in why or rounded:  # a table may total what it does not list
        yield page.report(CODE, "note", claim.printed, f"the rows above add up to {shown(found.local)}, and nothing "
                                                       f"shows how {shown(claim.printed.value)} comes about")
        return
    yield page.report(CODE, "error", claim.printed,
                      f"the rows above add up to {shown(found.local)}, not {shown(claim.printed.value)}: the printed "
                      f"total {why}", expected=found.true, todo=f"write {shown(found.true)}",
                      fix=page.rewritten(claim.printed, found.true))
