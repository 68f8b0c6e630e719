"""wrong-formula: a formula is not the model's own.

What it does
    Reads sentences of the form FORMULA is QUANTITY of MODEL ("`12*L*d^2` is the number of parameters of gpt2"), and
    compares the formula as a polynomial with the one read from the model's forward pass. Where they differ it says
    which parts of the count are left out, counted twice or by half. What only leaves out what many authors leave out
    is named as a convention. So is what the sentence leaves open: how many bytes a number has, and which parameters N
    counts. Behind the model may stand "with h = 4d", "without its last norm", "in bf16", "with full recomputation",
    "with LoRA of rank r on query and value" and the like.

Why it matters
    A formula is used for other sizes, where nobody sees the error.

Bad
    `L*(4*d^2 + 2*d*h + 2*d) + 2*V*d + d` is parameters of llama-7b.

Good
    `L*(4*d^2 + 3*d*h + 2*d) + 2*V*d + d` is parameters of llama-7b.

Source
    The forward pass of each architecture; the conventions by the papers that state them.
"""

from __future__ import annotations

from symcount.claims.page import Span
from symcount.errors import SymcountError
from symcount.sentences import said
from symcount.shortfalls import judge as explained

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from symcount.claims.page import Page, Read
    from symcount.diagnostics import Diagnostic

CODE = "SC202"
_MOST = 100  # formulas of one document: each may take a tenth of a second
_SEVERITY = {"wrong": "error", "convention": "convention"}


def overhear(read: Read, page: Page) -> Iterator[Diagnostic]:
    """The findings about the formulas that a passage says to be a quantity of a model: wrong for every model meant."""
    if page.formulas > _MOST:
        return
    about = page.setting.at(read.passage.start)
    for one in said(read, {**about.symbols, **page.symbols}):
        page.formulas += 1
        if page.formulas > _MOST:
            page.cover(Span(one.start, one.until))
            yield page.report("", "skipped", Span(one.start, one.end),
                              f"not judged: this and what follows, after {_MOST} formulas of models")
            return
        found = [_judged(one, model) for model in one.models]
        if not found or any(judgement is None or judgement.verdict == "unknown" for judgement in found):
            continue
        page.judged(Span(one.start, one.until))
        best = min(found, key=lambda judgement: ("right", "convention", "wrong").index(judgement.verdict))
        if best.verdict in _SEVERITY:
            yield page.report(CODE, _SEVERITY[best.verdict], Span(one.start, one.end), f"the formula {best.says}")


def _judged(one: Any, model: Any) -> Any:
    """The judgement on a formula of a model, None where the quantity is none of this model."""
    try:
        return explained(one.formula, model, one.quantity.name, share=one.quantity.share, kind=one.quantity.kind,
                         phase=one.quantity.phase, convention=one.proviso.convention,
                         without=one.proviso.without, which=one.proviso.which or ())
    except SymcountError:
        return None
