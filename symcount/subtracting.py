"""The difference of two counts as one formula: letters that agree stay letters, those that do not show their numbers.

    12(4d² + 2dh) and 6(4d² + 2dh)  ->  −(12 − 6)(4d² + 2dh)

What both counts multiply a changed number by is written once. There are two ways to find it: in the counts as their
author groups them, and in the sums multiplied out; the shorter formula is taken.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.counting import grouped
from symcount.errors import UnitError
from symcount.forms import Number, Product, Quotient, Sum, flat, monomial, numbers, product, size, total, written
from symcount.polynomials import Bracket, added, canonical, inverse, lift, single
from symcount.render import text
from symcount.sizes import from_sympy, is_one, letters_of, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.forms import Form
    from symcount.ledger import Ledger
    from symcount.polynomials import Size

# A summand of a difference: its sign, the changed numbers as (sign, form) terms, and what they are multiplied by
_Summand = namedtuple("_Summand", "sign numbers rest")
# What one and the other multiply a product of changed letters by
_Group = namedtuple("_Group", "moved one other")


def difference(one: Ledger, other: Ledger, changed: Mapping[str, tuple[int, int]]) -> tuple[Form, Size]:
    """The other count less the one, as a formula and as a size in the letters that did not change.

    `changed` has the letters whose values differ, with both. Raises UnitError where the formula would not be the size.

    >>> from symcount.naming import model
    >>> from symcount.readers.parameters import parameters
    >>> from symcount.render import text
    >>> twelve, six = (parameters(model("bert-base-uncased", L=n)).where("layers.mlp") for n in (12, 6))
    >>> text.form(difference(twelve, six, {"L": (12, 6)})[0])
    '−(12 − 6)(2dh + h + d)'
    """
    gap = added([_with(_ours(other.size), changed, 1), -1 * _with(_ours(one.size), changed, 0)])
    sides = _ours(grouped(one)), _ours(grouped(other))
    groups = _groups(sides, changed)
    form = _written(_summands(groups, changed))
    if _torn(groups):
        out = _groups((size(written(sides[0])), size(written(sides[1]))), changed)
        form = min(form, _written(_summands(out, changed), apart=True), key=lambda way: len(text.form(way)))
    if not same(size(form), gap):
        raise UnitError(f"{text.form(form)} is not the difference of {one.subject} and {other.subject}")
    return form, gap


def _ours(amount: Size) -> Size:
    return from_sympy(amount) if lift(amount) is NotImplemented else amount


def _with(amount: Size, changed: Mapping[str, tuple[int, int]], side: int) -> Size:
    """A size with the numbers of one side for the letters that changed, and without its conditions."""
    return size(numbers(written(amount), _side(changed, side))) if changed else amount


def _side(changed: Mapping[str, tuple[int, int]], side: int) -> dict[str, int]:
    return {name: both[side] for name, both in changed.items()}


def _groups(sides: tuple[Size, Size], changed: Mapping[str, tuple[int, int]]) -> list[_Group]:
    """Both counts by the product of changed letters that each part of them is multiplied by."""
    found: dict[str, tuple[dict[Any, int], tuple[list[Size], list[Size]]]] = {}
    for side, amount in enumerate(sides):
        for powers, coefficient in lift(amount).terms.values():
            moved = {atom: power for atom, power in powers if _letters(atom) & changed.keys()}
            kept = single(((atom, power) for atom, power in powers if atom not in moved), coefficient)
            found.setdefault(canonical(single(moved.items())), (moved, ([], [])))[1][side].append(kept)
    return [_Group(moved, added(before), added(after)) for moved, (before, after) in found.values()]


def _torn(groups: list[_Group]) -> bool:
    """Whether a bracket of the one stands beside what the other has instead, with which it has something in common."""
    return any(isinstance(atom, Bracket) for group in groups for atom in group.moved) or any(
        not same(group.one, group.other) and lift(group.one).terms and lift(group.other).terms
        and (_brackets(group.one) or _brackets(group.other)) for group in groups)


def _brackets(amount: Size) -> bool:
    return any(isinstance(atom, Bracket) for powers, _ in lift(amount).terms.values() for atom, _ in powers)


def _summands(groups: list[_Group], changed: Mapping[str, tuple[int, int]]) -> list[_Summand]:
    found = []
    for moved, before, after in groups:
        if not moved:
            found.append(_summand([], after - before))
            continue
        was, now = (numbers(monomial(1, moved), _side(changed, side)) for side in (0, 1))
        if not same(before, after) or isinstance(was, Sum):
            found += [_summand([(1, now)], after), _summand([(1, was)], -1 * before)]
        elif _falls(was, now):
            found.append(_summand([(1, was), (-1, now)], -1 * after))
        else:
            found.append(_summand([(1, now), (-1, was)], after))
    return [one for one in found if lift(one.rest).terms]


def _letters(atom: Any) -> set[str]:
    if isinstance(atom, Bracket):
        return {name for powers, _ in lift(atom.body).terms.values() for inner, _ in powers for name in _letters(inner)}
    return {*letters_of(atom)}


def _falls(was: Form, now: Form) -> bool:
    """Whether a changed number is less than it was; a formula is neither more nor less."""
    step = lift(size(now) - size(was)).terms
    return [*step] == [frozenset()] and step[frozenset()][1] < 0


def _summand(changed: list[tuple[int, Form]], rest: Size) -> _Summand:
    """With a rest that begins with a plus."""
    first = next((coefficient for _, coefficient in lift(rest).terms.values()), 0)
    return _Summand(-1, changed, -1 * rest) if first < 0 else _Summand(1, changed, rest)


def _written(summands: list[_Summand], *, apart: bool = False) -> Form:
    """The sum of the summands; `apart`, the letters that all of it is multiplied by stand before it."""
    shared = _shared(summands) if apart else {}
    if shared:
        under = inverse(single(shared.items()))
        summands = [one._replace(rest=one.rest * under) for one in summands]
    terms = sorted((term for one in summands for term in _terms(one)), key=lambda term: -term[0])
    if not shared:
        return total(terms)
    sign, front = 1, _factors(monomial(1, shared))
    if len(terms) == 1:
        sign, only = terms[0]
        return total([(sign, Product((*front, *_factors(only))))])
    return Product((*front, Sum(tuple(terms))))


def _shared(summands: list[_Summand]) -> dict[Any, int]:
    """What divides every term of a difference of several terms, but for brackets and roundings."""
    terms = [dict(powers) for one in summands for powers, _ in lift(one.rest).terms.values()]
    if len(terms) < 2:
        return {}
    least = {atom: min(powers.get(atom, 0) for powers in terms) for atom in terms[0] if isinstance(atom, str)}
    return {atom: power for atom, power in least.items() if power > 0}


def _terms(one: _Summand) -> list[tuple[int, Form]]:
    """A summand as terms of a sum."""
    rest = written(one.rest)
    if not one.numbers or is_one(one.rest):
        inner = one.numbers or [(1, rest)]
        return flat([(one.sign * sign, form) for sign, form in inner])
    changed = [Sum(tuple(one.numbers))] if len(one.numbers) > 1 else _factors(one.numbers[0][1])
    factors = _factors(rest.top if isinstance(rest, Quotient) else rest)
    after = [factor for factor in factors if isinstance(factor, Sum)]
    before = [factor for factor in factors if not isinstance(factor, Sum) and factor != Number(1)]
    if not any(isinstance(factor, Sum) for factor in changed):  # 4·768²h, but 4h(1,536² − 768²)
        first = 1 if before and isinstance(before[0], Number) else 0
        before[first:first] = changed
    else:
        after = [*changed, *after]
    shown = product([*before, *after])
    return [(one.sign, Quotient(shown, rest.bottom) if isinstance(rest, Quotient) else shown)]


def _factors(form: Form) -> list[Form]:
    return list(form.factors) if isinstance(form, Product) else [form]
