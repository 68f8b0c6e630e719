"""mixed-operations: FLOPs are printed for as many multiply-adds, or multiply-adds for as many FLOPs.

What it does
    Finds figures in FLOPs that equal a figure in multiply-adds. It is a convention of its own (one FLOP for one
    multiply-add), and an error where the text says that a multiply-add is two FLOPs.

Why it matters
    The two differ by a factor of 2, and a reader who compares two texts cannot see it.

Bad
    We count 2 FLOPs per multiply-add. The layer costs 4.1 GMACs = 4.1 GFLOPs.

Good
    We count 2 FLOPs per multiply-add. The layer costs 4.1 GMACs = 8.2 GFLOPs.

Source
    Papers on language models count 2 FLOPs for a multiply-add, most papers and tools for vision one.
"""

from __future__ import annotations

from symcount.claims.agreement import agreement
from symcount.claims.slips import amount
from symcount.settings import unplaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.page import Claim, Page
    from symcount.diagnostics import Diagnostic

CODE = "SC203"


def judge(claim: Claim, page: Page) -> Iterator[Diagnostic]:
    """The finding about one claim that sets FLOPs and multiply-adds equal."""
    found = agreement(claim, page)
    if found.verdict != "mixed":
        return
    printed, right = claim.printed, claim.printed.within(found.true)
    told = unplaced(page.setting.at(claim.printed.start).manner).flop_per_mac == 2
    says = f"{amount(printed, printed.within(printed.value))} counts one FLOP for a multiply-add"
    if told:
        yield page.report(CODE, "error", printed, f"{says}, where the text says 2: {amount(printed, right)}",
                          expected=right, todo=page.advice(printed, right),
                          fix=page.rewritten(printed, right))
    else:
        yield page.report(CODE, "convention", printed, f"{says}; with two it is {amount(printed, right)}",
                          expected=right, todo="say which of the two is counted")
