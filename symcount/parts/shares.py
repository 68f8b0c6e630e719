"""Which share of a model's parameters the part has that some words name."""

from __future__ import annotations

from fractions import Fraction

from symcount.parts.amounts import counts
from symcount.parts.judging import selected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Model


def shares(label: str, model: Model) -> tuple[list[Fraction], list[Fraction]]:
    """(of all parameters, of those that are no embeddings) in each reading of the words, biases counted or not.

    Nothing where a word is not understood, or a size is open.

    >>> from symcount import model
    >>> whole, rest = shares("the MLPs", model("gpt2"))
    >>> [round(float(100 * one), 1) for one in (*whole, *rest)]
    [45.5, 45.5, 66.6, 66.7]
    """
    own = counts(model)
    if any(a.number is None for a in own.parameters):
        return [], []
    found: tuple[list[Fraction], list[Fraction]] = [], []
    for part in selected(label, own):
        for left in ((), ("bias", "norm")):
            for at, without in enumerate((left, (*left, "embedding"))):
                whole = _sum(own.parameters, without)
                found[at].extend([Fraction(_sum(part, left)) / whole] if whole else [])
    return found


def _sum(amounts: Any, without: tuple[str, ...]) -> Any:
    return sum(a.number for a in amounts if not set(without) & set(a.kinds))
