"""carried-value: right for the figures printed in it, one of which is wrong.

What it does
    Follows each wrong figure to the sums and products that are computed from it, and computes them anew. They are
    reported as carried, with the lines of the errors they come from, never as errors of their own.

Why it matters
    One slip spoils every total below it; who mends the slip must know which figures to mend with it.

Bad
    4,096 x 30,522 = 125,018,212
    125,018,212 x 2 = 250,036,424

Good
    4,096 x 30,522 = 125,018,112
    125,018,112 x 2 = 250,036,224

Source
    Of the documents with faults that this program was tried on, most print more carried figures than slips.
"""

from __future__ import annotations

from symcount.claims.agreement import agreement
from symcount.claims.echoes import echoes
from symcount.claims.slips import amount, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.page import Claim, Page, Read
    from symcount.diagnostics import Diagnostic

CODE = "SC102"


def judge(claim: Claim, page: Page) -> Iterator[Diagnostic]:
    """The finding about one claim, if it holds for operands of which one is wrong."""
    found = agreement(claim, page)
    if found.verdict != "carried":
        return
    right = found.printed.within(found.true)
    yield page.report(CODE, "carried", claim.printed,
                      f"{written(claim.node)} carries the error of {_lines(page.roots(claim.node))}: it should be "
                      f"{amount(claim.printed, right)}", expected=right,
                      todo=f"mend what it comes from first, then {page.advice(claim.printed, right)}",
                      fix=page.rewritten(claim.printed, right),
                      also=[page.report(CODE, "carried", figure, "", fix=page.rewritten(
                          figure, figure.within(page.true(figure)))) for figure in page.operands(claim.node)])


def overhear(read: Read, page: Page) -> Iterator[Diagnostic]:
    """The figures of a passage that repeat or use a wrong one without printing how."""
    for figure, true, lines, says in echoes(read, page):
        right = figure.within(true)
        page.correct(CODE, figure, true, lines)
        page.judged(figure)
        page.results.append(figure)
        yield page.report(CODE, "carried", figure,
                          f"{amount(figure, figure.within(figure.value))} carries the error of {_lines(lines)}: "
                          f"{says}; it should be {amount(figure, right)}", expected=right,
                          todo=f"mend what it comes from first, then {page.advice(figure, right)}",
                          fix=page.rewritten(figure, right))


def _lines(lines: tuple[int, ...]) -> str:
    return f"line{'s' * (len(lines) > 1)} {' and '.join(map(str, lines))}"
