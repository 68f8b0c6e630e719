"""Budgets: which sizes a model may have so that a relation between its counts holds.

A relation is written over letters, as the counts are. In one letter it is solved in closed form where there is one, and
over the whole numbers that can be built: all of them, exactly (`wholes`). Of several unknowns all but the last are
tried. Every solution that is shown is built and counted anew.
"""

from __future__ import annotations

from itertools import product
from math import inf, prod

from symcount.asking import Asked, put
from symcount.choices import Steps, choices, each
from symcount.counting import no_value
from symcount.errors import ModelError, SizeError
from symcount.polynomials import Call, Condition, lift
from symcount.render import significant
from symcount.roots import solved
from symcount.runs import Run, after, first, last, many, members, stride, turns
from symcount.sizes import letters, letters_of
from symcount.solutions import Found, Solution
from symcount.wholes import between, holding, polynomial, rounds, signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction
    from typing import Any

    from symcount.polynomials import Size

_MOST_FOUND = 1_000  # solutions that are listed: each is built and counted
_MOST_COMBINED = 2_000  # choices of all unknowns but one, for each of which that one is solved
_MOST_TURNS = 10
_NEAREST = 10  # of several unknowns, where none is exact


def solve(relation: str, unknowns: Any, model: Any = None, *, convention: str | None = None, phase: str | None = None,
          **sizes: Any) -> Solution:
    """The sizes at which a relation such as "params <= 350e6" holds for a model.

    `unknowns` are letters, with the choices for each if there are any: "L", "d=128*1..,L", {"d": range(64, 999, 64)}.
    Other sizes are as in the model, or as `sizes` changes them; quantities are counted under `convention` and in
    `phase`. Without a model the letters of the relation are free, or have the values that `sizes` gives.

    >>> from symcount.naming import model
    >>> found = solve("params <= 350e6", "L", model("gpt2", d=1024, heads=16))
    >>> found.sizes, found.found[0].left
    ({'L': 23}, 342226944)
    >>> solve("12*L*d^2 + V*d = N", "d").closed_form
    (-V + sqrt(48*L*N + V**2))/(24*L)

    Raises FormulaError for a relation that cannot be read, UnitError for one between two units, ModelError for an
    unknown on which nothing depends, SizeError where a size has no value or too much would have to be tried.
    """
    asked = Asked(relation, choices(unknowns), model, convention, phase, sizes)
    return _one(asked) if len(asked.names) == 1 else _several(asked)


def crossover(one: str, other: str, size: str, model: Any, *, convention: str | None = None, phase: str | None = None,
              **sizes: Any) -> Solution:
    """Where, as a size grows, one count passes another: the closed form, and from which whole number on.

    >>> from symcount.naming import model
    >>> found = crossover("flops@scores + flops@mix", "flops@mlp", "s", model("llama-7b"))
    >>> found.closed_form, found.sizes, found.says[-1]
    (3*h/2, {'s': 16512}, 'flops@scores + flops@mix is more for every s from 16,513 on')

    Raises what `solve` raises.
    """
    asked = Asked(f"{one} = {other}", choices(size), model, convention, phase, sizes)
    if len(asked.names) != 1:
        raise ModelError(f"one size is to grow, not {', '.join(asked.names) or 'none'}")
    found = _one(asked)
    if not asked.open:
        found.says = (*(said for said in found.says if not found.found), _passed(asked))
    return found


def _one(asked: Asked) -> Solution:
    """Of one unknown: the closed form, and the whole numbers on both sides of where the relation turns."""
    name, = asked.names
    closed = () if rounds(asked.gap) else tuple(solved(asked.gap, name, asked.values))
    if asked.open:
        if not closed:
            raise SizeError(f"{asked.subject}{no_value(asked.open)}, and no closed form gives {name}; say "
                            f"{asked.open[0]}=…")
        return asked.answer((), [f"no number, for {no_value(asked.open)}"], closed=closed)
    root = closed[0].number(asked.values)[0] if closed else _root(asked, name)
    low, high = (asked.where(name, [c]) for c in _sides(asked))
    if asked.relation.sign == "=":
        exact = asked.where(name, asked.gaps)
        if exact:
            listed = many(exact)
            said = [] if listed == 1 else [f"{listed:,} {name}" if listed else f"every {name} that can be built"]
            return asked.answer((asked.found({name: number}) for number in _listed(asked, exact, 0)), said,
                                closed=closed, root=root)
    turned = turns(low, high, _MOST_TURNS + 1)
    numbers = [number for pair in turned[:_MOST_TURNS] for number in pair] if turned else [
        number for number in (first([*low, *high]), last([*low, *high])) if number is not None]
    rows = [asked.found({name: number}) for number in dict.fromkeys(numbers)]
    meets = bool(turned) and asked.relation.sign == "=" and not asked.relation.tolerance
    return asked.answer(rows, [_said(asked, name, low, high, turned)], closed=closed, root=root, meets=meets)


def _said(asked: Asked, name: str, low: list[Run], high: list[Run], turned: Sequence[tuple[int, int]]) -> str:
    """For which numbers it holds; of an equation that holds for none, how near it comes."""
    relation = asked.relation
    if not (low or high):
        return f"no {name} can be built"
    if relation.sign != "=":
        return f"it holds {_stretches(name, low if relation.sign == '<=' else high, [*low, *high], turned)}"
    if not turned:
        return f"never: {relation.before} is always {'less' if low else 'more'}"
    built = "" if asked.model is None else " that can be built"
    near = f"is within {significant(100 * relation.tolerance)} %" if relation.tolerance else "meets it exactly"
    return f"no whole {name}{built} {near}"


def _passed(asked: Asked) -> str:
    """For which numbers of one unknown the left side is more."""
    name, = asked.names
    low, high = (asked.where(name, [c]) for c in (Condition(asked.gap, "at most", 0), Condition(0, "less", asked.gap)))
    said = _stretches(name, high, [*low, *high], turns(low, high, _MOST_TURNS + 1))
    return f"{asked.relation.before} is more {said}"


def _several(asked: Asked) -> Solution:
    """Of several unknowns: for each choice of all but the last, what the last may be; of an equation, all."""
    if asked.open:
        raise SizeError(f"{asked.subject}{no_value(asked.open)}; say {asked.open[0]}=…")
    relation = asked.relation
    name = asked.names[-1] if relation.sign != "=" else max(reversed(asked.names), key=lambda one: _reach(asked, one))
    outer = [one for one in asked.names if one != name]
    lists = [each(one, _bounded(asked, one)) for one in outer]
    tries = prod(map(len, lists))
    if tries > _MOST_COMBINED:
        raise SizeError(f"{tries:,} combinations of {', '.join(outer)} are too many to try; at most "
                        f"{_MOST_COMBINED:,} are: say fewer, as in {outer[0]}=128*1..64")
    rows: list[Found] = []
    nearest: list[tuple[Any, dict[str, int]]] = []
    for numbers in product(*lists):
        others = dict(zip(outer, numbers, strict=True))
        found = asked.where(name, asked.gaps, others)
        if relation.sign == "=":
            rows += [asked.found(_sizes(asked, others, name, number)) for number in _listed(asked, found, len(rows))]
            if not rows:
                low, high = (asked.where(name, [c], others) for c in _sides(asked))
                nearest += [(asked.distance(sizes), sizes) for pair in turns(low, high, _NEAREST)
                            for sizes in (_sizes(asked, others, name, number) for number in pair)]
        else:
            edge = last(found) if relation.sign == "<=" else first(found)
            if found and edge is None:
                raise SizeError(f"{asked.subject}{relation.text}: {name} has no end at "
                                f"{', '.join(f'{one} = {number:,}' for one, number in others.items())}")
            rows += [asked.found({**others, name: edge})] if edge is not None else []
    if rows:
        rows.sort(key=lambda one: tuple(one.sizes.values()))
        return asked.answer(rows, [{"=": f"{len(rows):,} combinations",
                                    "<=": f"for each {', '.join(outer)} the largest {name}",
                                    ">=": f"for each {', '.join(outer)} the smallest {name}"}[relation.sign]])
    nearest.sort(key=lambda one: one[0])
    return asked.answer([asked.found(sizes) for _, sizes in nearest[:_NEAREST]],
                        ["no combination; the nearest" if nearest else "no combination"],
                        meets=bool(nearest) and not relation.tolerance)


def _sizes(asked: Asked, others: Mapping[str, int], name: str, number: int) -> dict[str, int]:
    """The sizes of a solution, in the order in which they were asked for."""
    return {one: number if one == name else others[one] for one in asked.names}


def _reach(asked: Asked, name: str) -> float:
    """How many choices an unknown has: of an equation, that with the most need not be tried."""
    try:
        among = _bounded(asked, name)
    except SizeError:
        return inf
    return (among.many() or 0) if isinstance(among, Steps) else len(among)


def _bounded(asked: Asked, name: str) -> Any:
    """The choices for an unknown that is tried: those without end stop where the relation cannot hold any more."""
    among, relation = asked.wanted[name], asked.relation
    if not isinstance(among, Steps) or among.last is not None:
        return among
    endless = SizeError(f"{asked.subject}{relation.text}: {name} has no end here; say where, as in {name}=128*1..64")
    if relation.sign == ">=" or not _rises(asked.gap, {*asked.names}):
        raise endless
    least = {other: those[0] if isinstance(those, tuple) else those.first for other, those in asked.wanted.items()
             if other != name}
    above = Condition(relation.gap(1 + relation.tolerance), "at most", 0)
    runs = holding([put(above, name, {**asked.values, **least})], name, among)
    end = last(runs)
    if not runs:
        return ()
    if end is None:
        raise endless
    return Steps(among.first, end, among.step)


def _sides(asked: Asked) -> tuple[Condition, Condition]:
    """Where the left side is below the right one, and above it; where they are equal, it is with what holds."""
    sign = asked.relation.sign
    return (Condition(asked.gap, "at most" if sign == "<=" else "less", 0),
            Condition(0, "at most" if sign == ">=" else "less", asked.gap))


def _rises(size: Size, names: set[str]) -> bool:
    """Whether a size is seen to grow, or to stay, as any of these letters grows."""
    for powers, c in lift(size).terms.values():
        moved = [(atom, power) for atom, power in powers
                 if names & {*letters_of(atom)}]
        if moved and (c < 0 or any(power < 0 or (isinstance(atom, Call) and not (
                _rises(atom.args[0], names) and (_rises(atom.args[1], names) if atom.name == "min"
                                                 else not names & {*letters(atom.args[1])})))
                                   for atom, power in moved)):
            return False
    return True


def _root(asked: Asked, name: str) -> Fraction | None:
    """Where both sides are equal, if that is one place, and the formula a polynomial."""
    gap = put(Condition(asked.gap, "is", 0), name, asked.values).left
    if rounds(gap):
        return None
    runs = signs(polynomial(gap, name))
    if len(runs) != 2 or 0 in (runs[0][2], runs[1][2]):
        return None
    return between(gap, name, runs[1][0] - 1)


def _listed(asked: Asked, runs: Sequence[Run], already: int) -> Iterator[int]:
    """The members of a set; SizeError where they are too many to list."""
    listed = many(runs)
    if listed is None or already + listed > _MOST_FOUND:
        raise SizeError(f"{asked.subject}{asked.relation.text}: more than {_MOST_FOUND:,} solutions; ask for fewer, "
                        f"as in {asked.names[0]}=128*1..64")
    return members(runs)


def _stretches(name: str, solving: Sequence[Run], both: Sequence[Run], turned: Sequence[tuple[int, int]]) -> str:
    """For which numbers, in words."""
    if not solving:
        return f"for no {name}"
    if len(turned) > _MOST_TURNS:
        listed = many(solving)
        return (f"for {'endlessly many' if listed is None else f'{listed:,}'} {name}, from {first(solving):,} on, with "
                f"gaps: more than {_MOST_TURNS} turns from one side to the other")
    starts = [first(both), *(b for _, b in turned)]
    ends = [*(a for a, _ in turned), last(both)]
    inside = [(a, b) for a, b in zip(starts, ends, strict=True) if a is not None and after(solving, a - 1) == a]
    said = [f"from {a:,} on" if b is None else f"from {a:,} to {b:,}" if a != b else f"{a:,}" for a, b in inside]
    if len(inside) == 1 and inside[0][0] == inside[0][1]:
        return f"for {name} = {said[0]} alone"
    step = stride(both)
    return f"for every {name} {' and '.join(said)}" + (
        " that can be built" if step is None else f" in steps of {step:,}" if step > 1 else "")
