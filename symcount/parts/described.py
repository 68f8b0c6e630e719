"""Whether the one count that a sentence says of a layer, or of a network by its widths, is its own."""

from __future__ import annotations

from fractions import Fraction

from symcount.errors import SymcountError
from symcount.parts.judging import UNKNOWN, Judgement
from symcount.readers.parameters import parameters
from symcount.readers.quantities import read
from symcount.sizes import letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NEAR = Fraction(1, 50)  # what "about" leaves open
# By the word for it: {what multiply-adds are multiplied by: the convention that this is}
_WORK = {"multiply-add": {1: ""}, "multiplication": {1: ""}, "flop": {2: "", 1: "as multiply-adds"},
         "operation": {2: "", 1: "as multiply-adds: one operation for a product and its sum"}}


def described(model: Any, figure: Any) -> Judgement:
    """Whether a layer has so many parameters, or needs so many multiply-adds, with biases or without.

    "wrong" needs a count that is certain: of FLOPs and operations there are too many, so that others are "unknown".

    >>> from collections import namedtuple
    >>> from symcount import model
    >>> from symcount.claims.units import unit
    >>> figure = namedtuple("figure", "value exact unit holds counts")
    >>> described(model("mlp:256-256-10"), figure(655_360, True, unit("weights"), lambda count: count == 655_360,
    ...                                          "parameter"))
    Judgement(verdict='wrong', expected=68096, says='mlp:256-256-10 has 68,096 weights')
    """
    ways = _parameters(model, figure) if figure.counts == "parameter" else _work(model, figure)
    for count, says in ways.items():
        if figure.holds(Fraction(count)):
            return Judgement("convention" if says else "right", count, says)
    if not ways or figure.counts in ("flop", "operation"):
        return UNKNOWN
    count = next(iter(ways))
    says = f"{model.title} {'has' if figure.counts == 'parameter' else 'needs'} {count:,} {_called(figure)}"
    near = not figure.exact and abs(figure.value - count) <= count * _NEAR
    return Judgement("note" if near else "wrong", count, says)


def _called(figure: Any) -> str:
    """What the text calls what it counts."""
    shown = str(figure.unit.shown)
    return shown if shown.endswith("s") and not shown[0].isupper() else f"{figure.counts}s"


def _parameters(model: Any, figure: Any) -> dict[int, str]:
    """{count: what is unusual about it}, the usual one first: weights are what is multiplied, and may be all."""
    ledger = parameters(model)
    whole, bare = int(ledger.total), int(ledger.without("bias").total)
    if model.architecture.name == "batchnorm":
        return {whole: "counting what is trained; the means and variances are as many again"}
    if figure.unit.shown.lower().startswith("weight") and model.architecture.name == "mlp":
        return {bare: "", whole: "with biases"}
    ways = {whole: "", bare: "without biases"}
    if model.architecture.name in ("lstm", "gru"):
        two = int(parameters(model.replace(biases="two")).total)
        ways[two] = "with two bias vectors a gate, as PyTorch has them"
    return ways


def _work(model: Any, figure: Any) -> dict[int, str]:
    try:
        macs = read(model, "macs").total
    except SymcountError:
        return {}
    return {} if letters(macs) else {int(macs) * times: says for times, says in _WORK[figure.counts].items()}
