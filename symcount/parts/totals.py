"""Whether "MODEL has N parameters" is so: N beside the published count, with and without heads and tables."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from symcount.architectures import names
from symcount.mentions import USUAL
from symcount.parts.amounts import exact, heads
from symcount.parts.judging import UNKNOWN, Judgement
from symcount.parts.readings import Reading, Sums, choices, total
from symcount.parts.slips import one_digit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_NEAR = Fraction(1, 20)  # a label such as 345M is a name, as much as a count
_NEARER = Fraction(1, 1000)  # another program's count of the same network
_CLOSE = Fraction(1, 100)  # and in three digits, of which the paper's authors may have counted a part otherwise
_DIGITS = 3
_WHOLE = (10**6, 10**9)  # a label is in whole millions or billions; 8.1B is a count
_SCALES = {"m": 10**6, "b": 10**9}


def known_total(named: Sequence[str], value: Any, place: Any) -> Judgement:
    """Whether one of the published models that a text may mean has so many parameters.

    `named` are published names, several where the text names a family. "right" where the count rounds to the printed
    digits, "convention" where it does with another head, without embeddings and so on; "wrong" where one model alone is
    meant and nothing fits. It is a "note" where the number is a label: in whole millions or billions, of at most three
    digits, and within 1 %, or within 5 % if it ends in a nought (340M); or where a name of the model carries it, its
    own (Gemma 7B), or within 5 % a usual one (GPT-2 345M). Mixtral 8x7B is not called 45B, so that is a count.

    >>> known_total(["gpt2"], 117_000_000, 1_000_000)
    Judgement(verdict='wrong', expected=124439808, says='gpt2 has 124,439,808 parameters, 6.4 % more than is printed')
    >>> known_total(["bert-base-uncased"], 110_000_000, 10_000_000).verdict
    'right'

    A name that is not published makes it "unknown".
    """
    found, value, place = names(), Fraction(value), Fraction(place)
    if not named or value <= 0 or any(name not in found for name in named):
        return UNKNOWN
    published: dict[int, str] = {}
    for name in named:
        published.setdefault(found[name][2], name)
    low, high = value - place / 2, value + place / 2
    for count in published:
        if low <= count <= high:
            return Judgement("right", count, "")
    for name in published.values():
        for count, says in _others(name, low, high):
            return Judgement("convention", count, f"for {name} {says}")
    if len(published) != 1:
        return UNKNOWN
    (count, name), = published.items()
    for slip in one_digit(count, value) if place == 1 else ():
        return Judgement("wrong", count, slip.replace("{right}", f"{count:,}, what {name} has"))
    says = f"{name} has {count:,} parameters, {_percent(count - value, value)} than is printed"
    near = abs(count - value) <= _leeway(name, value, place) * count or 0 <= count - value < place
    return Judgement("note" if near or value in _labels(name) else "wrong", count, says)


def _leeway(name: str, value: Fraction, place: Fraction) -> Fraction:
    """By how much of the count a number may be off and still be the model's, in other hands, or its name."""
    usual = {label for one, meant in USUAL.items() if name in meant.split() for label in _labels(one)}
    if value in usual:
        return _NEAR
    whole = _WHOLE[value >= _WHOLE[1]]
    if place < whole or value >= place * 10**_DIGITS:
        return _NEARER
    return _NEAR if place > whole or value % (10 * place) == 0 else _CLOSE


def _labels(name: str) -> set[Fraction]:
    """The numbers of parameters that a name carries.

    >>> _labels("gpt2-1.5b"), _labels("mixtral-8x7b")
    ({Fraction(1500000000, 1)}, set())
    """
    return {Fraction(part[:-1]) * _SCALES[part[-1]] for part in name.replace("_", ".").split("-")
            if part[-1:] in _SCALES and part[:-1].replace(".", "", 1).isdecimal()}


def _others(name: str, low: Fraction, high: Fraction) -> Iterator[tuple[int, str]]:
    """The count that authors mean beside the published one, the nearest to it: (count, how it is counted)."""
    told = []
    for head, sums, active in _counted(name):
        usual = (0,) * len(sums.choices)
        for picked in sums.between(low, high):
            names = [*head, *sums.names(picked, usual)]
            told.append((len(names), sums.at(picked), names))
        if low <= active <= high and active != sums.whole:
            told.append((1 + len(head), active, [*head, "of the experts only the chosen"]))
    told = [one for one in told if not any("gate" in name for name in one[2])]  # a model has its gates, or has none
    for _, count, names in sorted(told, key=lambda one: one[0])[:1]:
        yield exact(Fraction(count)), ", ".join(names)


@lru_cache(maxsize=16)
def _counted(name: str) -> tuple[tuple[list[str], Sums, Any], ...]:
    """Of a published model with each of its heads: what the head is called, the sums, the active parameters."""
    found = []
    for says, own in heads(name):
        reading = Reading("", "", tuple((a, a.number) for a in own.parameters if a.number is not None), "")
        active = total((a, a.number) for a in own.active if a.number is not None)
        found.append(([says] if says else [], Sums(reading, choices(reading, own.parameters, own)), active))
    return tuple(found)


def known_active(named: Sequence[str], value: Any, place: Any) -> Judgement:
    """Whether one of the published models that may be meant has so many active parameters, with its tables or without.

    Cut off at the last digit it is a note: what is active is printed in whole billions.

    >>> known_active(["mixtral-8x7b"], 12_900_000_000, 10**8)
    Judgement(verdict='right', expected=12879925248, says='')
    """
    value, place = Fraction(value), Fraction(place)
    counts = {name: [a for a in heads(name)[0][1].active if a.number is not None] for name in named}
    for says, left in (("", ()), ("without embeddings", ("embedding",)), ("without embeddings and head", (
            "embedding", "head"))):
        for amounts in counts.values():
            count = total((a, a.number) for a in amounts if not {*a.kinds, a.path.partition(".")[0]} & {*left})
            if abs(count - value) <= place / 2:
                return Judgement("convention" if says else "right", count, says)
    if len(counts) > 1:
        return UNKNOWN
    (name, amounts), = counts.items()
    count = total((a, a.number) for a in amounts)
    verdict = "note" if 0 <= count - value < place else "wrong"
    return Judgement(verdict, count, f"of {name} {count:,} parameters are active for a token")


def _percent(gap: Fraction, of: Fraction) -> str:
    tenths = round(abs(gap) * 1000 / of)
    amount = f"{tenths // 10}.{tenths % 10} %" if tenths else f"{exact(abs(gap)):,}"
    return f"{amount} {'more' if gap > 0 else 'less'}"
