"""Whether an expression counts a part with the sizes of another published model of the same architecture."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from symcount.architectures import names
from symcount.naming import model as named
from symcount.parts.amounts import counts
from symcount.parts.judging import UNKNOWN, Judgement, certain, judge, sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from symcount.architecture import Model

_TELLING = 1_000  # a smaller operand may be anything


def elsewhere(label: str, value: Any, operands: Iterable[Any], model: Model, manner: Any) -> Judgement:
    """"wrong" where a label names one part, and the number computed for it is that of a model with other sizes.

    One of the operands must be no size of this model, and a size of that one.

    >>> from collections import namedtuple
    >>> from symcount import model
    >>> manner = namedtuple("Manner", "biases norms tied gated flop_per_mac bias_vectors bytes_per_value")(*[None] * 7)
    >>> print(elsewhere("MLP per layer", 3 * 4096 * 11008, [3, 4096, 11008], model("llama-3.1-8b"), manner).says)
    that is what llama-7b has; 11,008 is no size of llama-3.1-8b
    """
    own = counts(model)
    strange = {n for n in operands if n >= _TELLING and n == int(n)} - {*sizes(own)}
    if not strange or not certain(label, "parameter", own, manner):
        return UNKNOWN
    for name, other in _alike(model.architecture.name):
        if strange <= {*other.values.values()}:
            found = judge(label, "parameter", Fraction(value), Fraction(1), other, manner)
            if found.verdict in ("right", "convention"):
                told = ", ".join(filter(None, (f"that is what {name} has", found.says)))
                return Judgement("wrong", None, f"{told}; {_listed(strange)} no size of {model.name}")
    return UNKNOWN


def _listed(strange: set[Any]) -> str:
    told = [f"{int(n):,}" for n in sorted(strange)]
    return f"{' and '.join(told)} {'is' if len(told) == 1 else 'are'}"


@lru_cache(maxsize=2)
def _alike(architecture: str) -> list[tuple[str, Model]]:
    return [(name, named(name)) for name, (kind, *_) in names().items() if kind == architecture]
