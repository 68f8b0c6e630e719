"""unit-prefix: 2^10 taken for 10^3, or 10^3 for 2^10.

What it does
    Finds figures that are off by a power of 1,024/1,000. GB printed for GiB is a convention that many tools follow, and
    is named as one; GiB printed for GB is an error, for GiB means nothing else.

Why it matters
    A gigabyte and a gibibyte differ by 7.4 %, a terabyte and a tebibyte by 10 %.

Bad
    10,737,418,240 bytes = 10.7 GiB

Good
    10,737,418,240 bytes = 10.7 GB = 10.0 GiB

Source
    IEC 80000-13 for Ki, Mi, Gi; the SI for k, M, G.
"""

from __future__ import annotations

from symcount.claims.agreement import agreement, prefix
from symcount.claims.slips import amount, shown, written
from symcount.claims.units import POWERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.page import Claim, Page
    from symcount.diagnostics import Diagnostic

CODE = "SC104"


def judge(claim: Claim, page: Page) -> Iterator[Diagnostic]:
    """The finding about one claim whose figure is off by a power of 1,024/1,000."""
    found = agreement(claim, page)
    if found.verdict != "prefix":
        return
    printed = claim.printed
    if prefix(printed, found.local) is None and found.scale == 1:  # the expression has the unit: 64 KB = 65,536 bytes
        yield page.report(CODE, "convention", printed,
                          f"right where the units of {written(claim.node)} are powers of 1,024; else it is "
                          f"{shown(printed.within(found.local))}", expected=printed.within(found.true))
        return
    if found.scale != 1 and printed.mark[0] not in POWERS:
        return
    right, local = printed.within(found.true), printed.within(found.local)
    if found.scale != 1:  # divided by a power of 1,024
        ratio = 1024 ** POWERS[printed.mark[0]] / found.scale
        right, local = found.true * ratio, found.local * ratio
    text = amount(printed, printed.within(printed.value))
    binary = "i" in printed.mark
    if binary or (found.scale == 1 and (prefix(printed, found.local) or 0) < 1):
        other = printed.mark.replace("i", "") if binary else printed.mark[0] + "i" + printed.mark[1:]
        yield page.report(CODE, "error", printed,
                          f"{written(claim.node)} is {amount(printed, local)}; {text} would be right in {other}",
                          expected=right, todo=f"write {amount(printed, right)}, or {other}",
                          fix=page.rewritten(printed, right))
    else:
        other = printed.mark[0] + "i" + printed.mark[1:]
        yield page.report(CODE, "convention", printed,
                          f"{text} is right with {printed.mark} read as {other}; {written(claim.node)} is "
                          f"{amount(printed, local)}", expected=right, todo=f"write {other}")
