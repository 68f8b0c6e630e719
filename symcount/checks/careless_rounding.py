"""careless-rounding: the digits printed are not those that the value rounds to.

What it does
    Notes a figure that is cut off instead of rounded, that is off in its last digit, or that only operands with more
    digits than are printed could give. It is a note: the reader is told, the exit status is not changed.

Why it matters
    Further figures computed from it drift, and a reader who computes it again gets another.

Bad
    1,000 / 7 = 142.8

Good
    1,000 / 7 = 142.9

Source
    A printed figure is true if the exact value rounds to it; "about" allows 2 %.
"""

from __future__ import annotations

from symcount.claims.agreement import agreement
from symcount.claims.slips import amount, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.page import Claim, Page
    from symcount.diagnostics import Diagnostic

CODE = "SC103"


def judge(claim: Claim, page: Page) -> Iterator[Diagnostic]:
    """The note about one claim whose figure is near to, but does not round from, the value of its expression."""
    found = agreement(claim, page)
    if found.verdict not in ("rounded", "implied"):
        return
    right = found.printed.within(found.true)
    printed = amount(claim.printed, claim.printed.within(claim.printed.value))
    why = (f"; {printed} needs operands with more digits than are printed" if found.verdict == "implied"
           else f", which does not round to {printed}")
    yield page.report(CODE, "note", claim.printed, f"{written(claim.node)} is {amount(claim.printed, right)}{why}",
                      expected=right)
