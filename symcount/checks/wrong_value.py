"""wrong-value: the figure printed is not the value of the expression printed for it.

What it does
    Evaluates every expression of figures exactly and compares it with the figure that the text gives for it, to the
    digits printed. Says, where it can be recomputed, what the author did.

Why it matters
    Everything that is computed from the figure is wrong too, and a reader cannot tell which of the two is meant.

Bad
    30,522 x 768 = 23,408,256

Good
    30,522 x 768 = 23,440,896

Source
    The commonest fault in counts that people print: a term or factor lost between the expression and its value.
"""

from __future__ import annotations

from symcount.claims.agreement import agreement
from symcount.claims.slips import PEN, amount, slip, written
from symcount.claims.units import PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.page import Claim, Page
    from symcount.diagnostics import Diagnostic

CODE = "SC101"
_LONG = 5  # digits that tell a slip of the pen from another sum
# Words above a column whose figures are computed
_COUNTS = {*PARAMETERS, "weights", "count", "entries", "total", "bytes", "flops", "macs",
           "elements"}


def judge(claim: Claim, page: Page) -> Iterator[Diagnostic]:
    """The finding about one claim, if its figure is not the value of its expression."""
    found = agreement(claim, page)
    if found.verdict != "differs" or claim.kind == "total":
        return
    local, right = found.printed.within(found.local), found.printed.within(found.true)
    why = slip(claim.node, found.printed, page.printed, page.named)
    counted = _COUNTS & {word.lower() for word in claim.column.split()}
    if claim.kind == "row" and not why and not counted:
        return  # columns may agree by chance: the width of a model and its heads
    digits = len(str(right.numerator).rstrip("0"))
    if claim.kind == "across" and not (counted and why in PEN.values() and digits >= _LONG):
        return  # a bias, a third factor: other rows need not follow the first ones
    yield page.report(CODE, "error", claim.printed,
                      f"{written(claim.node)} is {amount(claim.printed, local)}, not "
                      f"{amount(claim.printed, claim.printed.within(claim.printed.value))}"
                      + (f": the printed value {why}" if why else ""),
                      expected=right, todo=page.advice(claim.printed, right), fix=page.rewritten(claim.printed, right))
