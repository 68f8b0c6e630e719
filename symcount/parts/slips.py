"""The slips that turn the right sum of some amounts into a printed one: each is a change of terms that the ledger has.

Source: what 191 claims and ten documents got wrong; the commonest are a bias of the width that goes in, a matrix
left out, one bias for all gates, query heads for key-value heads, multiply-adds for FLOPs.
"""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction
from math import prod

from symcount.digits import differing
from symcount.parts.amounts import exact, stem
from symcount.parts.readings import total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from symcount.parts.amounts import Amount

    Items = Sequence[tuple[Amount, Any]]

# change: what the slip adds to the sum; says: what is wrong, with {right} for the right sum and {part} for the change
# common: whether so much is missing, or too much, may as well be another part's whole
Slip = namedtuple("Slip", "change says common", defaults=(False,))
_FORGOTTEN = ("output", "gate", "position", "head", "input.weight")  # what is left out more often than what is as large
_TWICE = {"embedding", "norm"}
_MOST = Fraction(2, 3)  # of a sum may be forgotten; where more is gone, something else was counted

NOT_DOUBLED = "these are multiply-adds; with 2 FLOPs each they are {right}"
_PEN = {"one digit": "a digit is another in {right}",
        "two digits exchanged": "two digits changed places in {right}"}
_DIGITS = 6  # that a number must have, for one of them to be a slip of the pen


def slips(items: Items) -> Iterator[Slip]:
    """The slips of a count of parameters or of multiply-adds, the cheapest first."""
    yield from _biases(items)
    yield from _tokens(items)
    yield from _parts(items)
    yield from _layers(items)
    yield from _widths(items)


def halves(items: Items) -> Iterator[Slip]:
    """Multiply-adds that were not doubled: all of them, or those of one part; in multiply-adds."""
    whole = total(items)
    yield Slip(exact(Fraction(-whole) / 2), NOT_DOUBLED, common=True)
    for path, part in _groups(items).items():
        yield Slip(exact(Fraction(-part) / 2), f"{path} is counted in multiply-adds; with 2 FLOPs each it is {{right}}",
                   common=True)


def _biases(items: Items) -> Iterator[Slip]:
    """A bias as wide as what goes in, and one bias for all gates."""
    weights = {stem(a.path): (a, n) for a, n in items if a.path.endswith(".weight") and "weight" in a.kinds}
    for bias, n in items:
        weight, m = weights.get(stem(bias.path), (None, 0))
        runs = _runs(bias, n)
        if weight is None or "bias" not in bias.kinds or "kernel" in bias.kinds or not runs or m % n:
            continue
        gates = next((f for f in bias.factors if f in (3, 4) and f in weight.factors), 0)
        name, comes, goes = _short(stem(bias.path)), exact(Fraction(m) / n), exact(Fraction(n) / runs)
        if gates:
            one = exact(Fraction(goes) / gates)
            yield Slip(exact(Fraction(-n) * (gates - 1) / gates),
                       f"each of the {gates} gates has a bias of its own, {gates} × {one:,} = {goes:,} numbers, "
                       f"not {one:,}: {{right}}")
            yield Slip(exact(Fraction(-(m + n)) / gates), f"one of the {gates} gates is missing: {{right}}")
        elif comes != goes:
            alone = len(items) == 2 and runs == 1
            worked = f"{comes:,} × {goes:,} + {goes:,} = " if alone else ""
            yield Slip(exact((Fraction(comes) - goes) * runs),
                       f"{name} maps {comes:,} to {goes:,}, so its bias has {goes:,} entries, not {comes:,}: "
                       f"{worked}{{right}}")


def _runs(amount: Amount, n: Any) -> Any:
    """How often it was counted; 0 where its size is not known."""
    size = prod(factor or 0 for factor in amount.factors)
    return exact(Fraction(n) / size) if size else 0


def _tokens(items: Items) -> Iterator[Slip]:
    """A table of positions without the row of the class token; a token is no patch."""
    for a, n in items:
        if "embedding" in a.kinds and stem(a.path).endswith(".position") and len(a.factors) == 2:
            rows, width = a.factors
            side = round(float(rows - 1) ** 0.5) if rows < 10**6 else 0
            if side * side == rows - 1 and n == rows * width:
                more = f" = {n:,}: {{right}}" if len(items) > 1 else " = {right}"
                yield Slip(-width, f"the class token has a position too, {rows:,} × {width:,}{more}")


def _groups(items: Items) -> dict[str, Any]:
    """{path: its sum} of every part within, the outer ones first, without the whole and what is a part's only part."""
    found: dict[str, Any] = {}
    for a, n in items:
        path = a.path
        while path:
            found[path] = found.get(path, 0) + n
            path = path.rpartition(".")[0]
    whole = total(items)
    inwards = sorted(found.items(), key=lambda one: one[0].count("."))
    return {path.removeprefix("layers."): exact(part) for path, part in inwards
            if part not in (0, whole) and found.get(path.rpartition(".")[0]) != part}


def _parts(items: Items) -> Iterator[Slip]:
    """A part that was forgotten, or a table or a norm taken twice; of parts of one size the likeliest comes first."""
    whole = total(items)
    alike: dict[Any, list[str]] = {}
    for path, part in sorted(_groups(items).items(), key=lambda one: not one[0].endswith(_FORGOTTEN)):
        if part <= whole * _MOST:
            alike.setdefault(part, []).append(path)
    for part, (path, *others) in alike.items():
        also = f" (as large: {', '.join(others)})" if others else ""
        yield Slip(-part, f"{path}, {{part}}, is missing{also}: {{right}}", common=True)
    for path, part in _groups([(a, n) for a, n in items if _TWICE & set(a.kinds)]).items():
        yield Slip(part, f"{path}, {{part}}, is counted twice: {{right}}", common=True)


def one_digit(right: Any, value: Fraction) -> Iterator[str]:
    """A number in which one digit is another, or two neighbours changed places."""
    if value.denominator == right.denominator == 1 and len(str(right).rstrip("0")) >= _DIGITS and (
            how := differing(int(right), int(value))):
        yield _PEN[how]


def _layers(items: Items) -> Iterator[Slip]:
    """A layer too few or too many."""
    for scope, runs in dict.fromkeys(scope for a, _ in items for scope in a.scopes):
        part = total((a, n) for a, n in items if (scope, runs) in a.scopes)
        if runs and runs > 2 and part and all(n == a.number for a, n in items):
            one = exact(Fraction(part) / runs)
            yield Slip(-one, f"one of {runs:,} {scope} is missing: {{right}}")
            yield Slip(one, f"there are {runs:,} {scope}, not {runs + 1:,}: {{right}}")


def _widths(items: Items) -> Iterator[Slip]:
    """One matrix with the other width of the two that it joins: h for d."""
    weights = [(a, n) for a, n in items if "weight" in a.kinds and a.path.endswith(".weight")]
    if len(weights) != 1:
        return
    weight, n = weights[0]
    wide = [f for f in weight.factors if f > 4]
    if len(wide) == 2 and wide[0] != wide[1]:
        for right, wrong in (wide, wide[::-1]):
            yield Slip(exact(Fraction(n) * (wrong - right) / right),
                       f"{_short(weight.path)} is {wide[0]:,} × {wide[1]:,}, not {wrong:,} × {wrong:,}: {{right}}",
                       common=True)


def _short(path: str) -> str:
    """A path as a sentence names it: without what every path begins with and ends in."""
    return path.removeprefix("layers.").removesuffix(".weight")


def subtotals(items: Items) -> set[Any]:
    """The sums of the parts within, with and without biases and norms, in all layers and in one."""
    found: set[Any] = set()
    plain = [(a, n) for a, n in items if not {"bias", "norm"} & set(a.kinds)]
    for kept in (items, plain, [(a, n) for a, n in items if "bias" not in a.kinds]):
        found |= set(_groups(kept).values())
        for scope, runs in dict.fromkeys(scope for a, _ in kept for scope in a.scopes):
            part = [(a, n) for a, n in kept if (scope, runs) in a.scopes]
            if runs:
                found |= {exact(Fraction(n) / runs) for n in (total(part), *_groups(part).values())}
    return found
