"""Whether a model has so many parameters without the parts that some words name."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from itertools import product

from symcount.parts.amounts import exact, heads
from symcount.parts.judging import UNKNOWN, Judgement, selected
from symcount.parts.readings import Reading, Sums, choices, total
from symcount.parts.slips import one_digit, slips

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from symcount.parts.amounts import Amount, Counts

_ITEMS = re.compile(r"\s*(?:,|\band\b|\bor\b|\bnor\b)\s*")
_MOST_WAYS, _LONGEST = 16, 300  # readings, and characters of what is left out


def without(names: Sequence[str], left: str, value: Any, place: Any) -> Judgement:
    """Whether one of the published models that may be meant has so many parameters without what the words `left` name.

    Each thing that is left out must be understood. Where its words may name more than one part, any of them is right,
    and a number is wrong only if a known slip explains it from one of them alone.

    >>> without(["gpt2"], "biases", 124_337_664, 1)
    Judgement(verdict='right', expected=124337664, says='')
    >>> print(without(["llama-7b"], "norms, embedding and output matrix", 5_033_164_800, 1).says)
    mlp.gate, 1,442,840,576, is missing (as large: mlp.up, mlp.down): 6,476,005,376
    """
    value, place = Fraction(value), Fraction(place)
    ways = [way for name in names for way in _ways(name, left)] if len(left) <= _LONGEST else []
    for says, kept, _ in ways:
        if abs(total(kept) - value) <= place / 2:
            return Judgement("convention" if says else "right", total(kept), says)
    for says, kept, own in ways:
        reading = Reading("", "", tuple(kept), "")
        sums = Sums(reading, choices(reading, own.parameters, own))
        for picked in sums.between(value - place / 2, value + place / 2):
            told = [says, *sums.names(picked, (0,) * len(picked))]
            return Judgement("convention", exact(Fraction(sums.at(picked))), ", ".join(filter(None, told)))
    if len(names) != 1:
        return UNKNOWN
    return _wrong(names[0], left, [(kept, own) for says, kept, own in ways if not says], value, place)


def _wrong(name: str, left: str, ways: Sequence[tuple[list[tuple[Amount, Any]], Counts]], value: Fraction,
           place: Fraction) -> Judgement:
    """That a number is wrong, where a known slip explains it and what should stand there is certain."""
    found: dict[Any, str] = {}
    for kept, own in ways:
        right, whole = total(kept), total((a, a.number) for a in own.parameters)
        if abs(whole - value) <= place / 2 and place < whole - right:
            found.setdefault(right, f"that is what {name} has with {left}")
        elif place == 1:
            told = [slip.says.replace("{part}", f"{abs(slip.change):,}") for slip in slips(kept)
                    if right + slip.change == value] + list(one_digit(right, value))
            if told:
                found.setdefault(right, told[0].replace("{right}", f"{right:,}"))
    if len(set(found.values())) != 1:
        return UNKNOWN
    (right, says), *others = found.items()
    return Judgement("wrong", None if others else right, says)


@lru_cache(maxsize=32)
def _ways(name: str, left: str) -> list[tuple[str, list[tuple[Amount, Any]], Counts]]:
    """(how it is unusual, what is kept, the counts) for each reading of the words, with each of the model's heads."""
    ways = []
    for says, own in heads(name):
        items = [(a, a.number) for a in own.parameters if a.number is not None]
        each = [selected(item, own) for item in _ITEMS.split(left) if item]
        if any(not one for one in each) or len(items) < len(own.parameters):
            continue
        for gone in list(product(*each))[:_MOST_WAYS]:
            paths = {a.path for part in gone for a in part}
            ways.append((says, [item for item in items if item[0].path not in paths], own))
    return ways
