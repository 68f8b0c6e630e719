"""Budgets: which sizes a model may have so that a relation between its counts holds.

A relation is written over letters, as the counts are. In one letter it is solved in closed form where there is one, and
over the whole numbers that can be built: all of them, exactly (`wholes`). Of several unknowns all but the last are
tried. Every solution that is shown is built and counted anew.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import inf, prod

from symcount.architecture import spelled
from symcount.choices import Steps, choices, each
from symcount.counting import conventions
from symcount.errors import ModelError, ProofError, SizeError
from symcount.given import whole
from symcount.polynomials import Atom, Call, Condition, Polynomial, bare, letter, lift, opaque
from symcount.readers import bounds
from symcount.readers.quantities import fitting, read
from symcount.relations import quantities
from symcount.relations import relation as related
from symcount.roots import solved
from symcount.runs import Run, after, first, last, many, members, turns
from symcount.sizes import letters, substitute
from symcount.solutions import Found, Solution
from symcount.symbols import row
from symcount.wholes import between, holding, holds, polynomial, rounds, signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from symcount.ledger import Ledger
    from symcount.polynomials import Size
    from symcount.relations import Relation

_OUTSIDE = ("N", "D")  # letters that are no sizes of a model
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
    asked = _Asked(relation, choices(unknowns), model, convention, phase, sizes)
    return asked.one() if len(asked.names) == 1 else asked.several()


def crossover(one: str, other: str, size: str, model: Any, *, convention: str | None = None, phase: str | None = None,
              **sizes: Any) -> Solution:
    """Where, as a size grows, one count passes another: the closed form, and from which whole number on.

    >>> from symcount.naming import model
    >>> found = crossover("flops@scores + flops@mix", "flops@mlp", "s", model("llama-7b"))
    >>> found.closed_form, found.sizes, found.says[-1]
    (3*h/2, {'s': 16512}, 'flops@scores + flops@mix is more for every s from 16,513 on')

    Raises what `solve` raises.
    """
    asked = _Asked(f"{one} = {other}", choices(size), model, convention, phase, sizes)
    if len(asked.names) != 1:
        raise ModelError(f"one size is to grow, not {', '.join(asked.names) or 'none'}")
    found = asked.one()
    if not asked.open:
        found.says = (*(said for said in found.says if not found.found), asked.passed())
    return found


class _Asked:
    """A relation with its unknowns, over letters, and how a solution of it is built."""

    def __init__(self, text: str, wanted: dict[str, Any], model: Any, convention: str | None, phase: str | None,
                 sizes: dict[str, Any]) -> None:
        self.wanted, self.names, self.model = wanted, tuple(wanted), model
        for name in self.names:
            if name in sizes:
                raise ModelError(f"{name} is both set and solved for")
        self.options = fitting(quantities(text), convention, phase)
        outside = {name: size for name, size in sizes.items() if model is None or name in _OUTSIDE}
        self.sizes = {name: size for name, size in sizes.items() if name not in outside}
        free = None if model is None else self.build({name: name for name in self.names})
        own = None if model is None else self._reader(lambda: model.replace(**self.sizes) if self.sizes else model)
        known, tied = _given(outside)
        found = related(text, self._reader(lambda: free), own)
        self.relation = found._replace(left=substitute(found.left, tied), right=substitute(found.right, tied)
                                       ) if outside else found
        # sizes that were told to follow an unknown: rows show them too
        self.tied = [name for name, told in (free.given.items() if free is not None else ())
                     if isinstance(told, Polynomial) and {*letters(told)} & {*self.names} and name not in self.names]
        self.values = {name: number for name, number in {**(free.values if free is not None else {}), **known}.items()
                       if name not in self.names}
        ledgers = list(self.relation.ledgers.values())
        below = [one for side in ("left", "right") for one in self.relation.measured(side, below=True)]
        built = () if free is None else bounds(free.network())
        self.conditions = (*_about(self.names, ledgers, built), *(Condition(0, "less", one.size) for one in below))
        self.gaps = _gaps(self.relation)
        self.gap = self.relation.gap()
        self.subject = "" if free is None else f"{free.title.replace(free.name, spelled(model.name, self.sizes), 1)}: "
        self.open = [name for name in letters(self.gap) if name not in self.values and name not in self.names]
        for name in self.names:
            if name not in letters(self.gap):
                raise ModelError(f"{self.subject}{self.relation.text} does not depend on {name}, so it says nothing "
                                 f"of {name}")
        self.notes = tuple(dict.fromkeys(note for ledger in ledgers for note in conventions(ledger)
                                         if not note.startswith(("no number", *(f"{name} = 1" for name in self.names)))
                                         ))

    def _reader(self, made: Callable[[], Any]) -> Callable[[str], Ledger]:
        """A function from the name of a quantity to its ledger of the model that is made."""
        def ledger(name: str) -> Ledger:
            model = made()
            if model is None:
                raise ModelError(f"'{name}' is a quantity of a model, and no model is named; name one, or write "
                                 "letters, as in \"12*L*d^2 = 7e9\"")
            return read(model, name, **self.options[name])
        return ledger

    def build(self, sizes: Mapping[str, Any]) -> Any:
        """The model with these sizes, and those that were set; None where there is none."""
        changes = {**self.sizes, **{name: number for name, number in sizes.items() if name not in _OUTSIDE}}
        return self.model.replace(**changes) if changes and self.model is not None else self.model

    def counted(self, sizes: Mapping[str, int], built: Any = None) -> dict[str, Ledger]:
        """The quantities of the relation, counted of the model with these sizes."""
        built = built or self.build(sizes)
        return {name: self._reader(lambda: built)(name) for name in self.relation.ledgers}

    def found(self, sizes: Mapping[str, int]) -> Found:
        """What both sides are at these sizes: by the formula, and counted anew."""
        values = {**self.values, **sizes}
        left, right = (self.relation.side(which, values) for which in ("left", "right"))
        built = self.build(sizes)
        counts = {name: ledger.total for name, ledger in self.counted(sizes, built).items()}
        if (left, right) != tuple(self.relation.side(which, values, counts) for which in ("left", "right")):
            raise ProofError(f"{self.subject}{self.relation.text}: at {dict(sizes)} the formula and the count disagree")
        return Found(dict(sizes), {name: built.values[name] for name in self.tied}, left, right,
                     all(holds(c, values) for c in self.gaps))

    def off(self, sizes: Mapping[str, int]) -> Any:
        """How far the two sides are from one another at these sizes, by the formula."""
        left, right = (self.relation.side(which, {**self.values, **sizes}) for which in ("left", "right"))
        return abs(left - right)

    def where(self, name: str, more: Iterable[Condition] = (), others: Mapping[str, int] | None = None) -> list[Run]:
        """The numbers of one unknown that can be built and for which more holds, the others having these values."""
        values = {**self.values, **(others or {})}
        told = [_put(c, name, values) for c in (*self.conditions, *more)]
        # Of a condition on sizes that have no value nothing is known; the notes say that it must hold.
        known = [c for c in told if not {*letters(c.left), *letters(c.right)} - {name}]
        return holding(known, name, self.wanted[name])

    def one(self) -> Solution:
        """Of one unknown: the closed form, and the whole numbers on both sides of where the relation turns."""
        name, = self.names
        closed = () if rounds(self.gap) else tuple(solved(self.gap, name, self.values))
        if self.open:
            verb = f"{' and '.join(self.open)} {'has' if len(self.open) == 1 else 'have'} no value"
            if not closed:
                raise SizeError(f"{self.subject}{verb}, and no closed form gives {name}; say {self.open[0]}=…")
            return self._solution((), closed, None, (f"no number, for {verb}",))
        root = closed[0].number(self.values)[0] if closed else self._root(name)
        low, high = (self.where(name, [c]) for c in _sides(self.relation, self.gap))
        if self.relation.sign == "=":
            exact = self.where(name, self.gaps)
            if exact:
                rows = [self.found({name: number}) for number in self._listed(exact, 0)]
                return self._solution(tuple(rows), closed, root, _counted(exact, name))
        solving = low if self.relation.sign == "<=" else high if self.relation.sign == ">=" else []
        turned = turns(low, high, _MOST_TURNS + 1)
        rows = [self.found({name: number}) for pair in turned[:_MOST_TURNS] for number in pair]
        if not turned:
            ends = [number for number in (first([*low, *high]), last([*low, *high])) if number is not None]
            rows = [self.found({name: number}) for number in dict.fromkeys(ends)]
        if not (low or high):
            said: tuple[str, ...] = (f"no {name} can be built",)
        elif self.relation.sign == "=":
            less = "less" if low else "more"
            said = () if turned else (f"never: {self.relation.before} is always {less}",)
            said = said or (f"no whole {name} that can be built meets it exactly",)
        else:
            said = (_stretches(name, solving, [*low, *high], turned),)
        return self._solution(tuple(rows), closed, root, said,
                              meets=bool(turned) and self.relation.sign == "=" and not self.relation.tolerance)

    def passed(self) -> str:
        """For which numbers of one unknown the left side is more."""
        name, = self.names
        low, high = (self.where(name, [c]) for c in (Condition(self.gap, "at most", 0), Condition(0, "less", self.gap)))
        said = _stretches(name, high, [*low, *high], turns(low, high, _MOST_TURNS + 1))
        return said.replace("it holds", f"{self.relation.before} is more", 1)

    def several(self) -> Solution:
        """Of several unknowns: for each choice of all but the last, what the last may be; of an equation, all."""
        if self.open:
            raise SizeError(f"{self.subject}{' and '.join(self.open)} {'has' if len(self.open) == 1 else 'have'} no "
                            f"value; say {self.open[0]}=…")
        name = self.names[-1] if self.relation.sign != "=" else max(reversed(self.names), key=self._reach)
        outer = [one for one in self.names if one != name]
        lists = [each(one, self._bounded(one)) for one in outer]
        tries = prod(map(len, lists))
        if tries > _MOST_COMBINED:
            raise SizeError(f"{tries:,} combinations of {', '.join(outer)} are too many to try; at most "
                            f"{_MOST_COMBINED:,} are: say fewer, as in {outer[0]}=128*1..64")
        rows: list[Found] = []
        nearest: list[tuple[Any, dict[str, int]]] = []
        for numbers in product(*lists):
            others = dict(zip(outer, numbers, strict=True))
            found = self.where(name, self.gaps, others)
            if self.relation.sign == "=":
                rows += [self.found(self._sizes(others, name, number)) for number in self._listed(found, len(rows))]
                if not rows:
                    low, high = (self.where(name, [c], others) for c in _sides(self.relation, self.gap))
                    nearest += [(self.off(sizes), sizes) for pair in turns(low, high, _NEAREST)
                                for sizes in (self._sizes(others, name, number) for number in pair)]
            else:
                edge = last(found) if self.relation.sign == "<=" else first(found)
                if found and edge is None:
                    raise SizeError(f"{self.subject}{self.relation.text}: {name} has no end at "
                                    f"{', '.join(f'{one} = {number:,}' for one, number in others.items())}")
                rows += [self.found({**others, name: edge})] if edge is not None else []
        rows.sort(key=lambda one: tuple(one.sizes.values()))
        said = {"=": f"{len(rows):,} combinations", "<=": f"for each {', '.join(outer)} the largest {name}",
                ">=": f"for each {', '.join(outer)} the smallest {name}"}[self.relation.sign]
        if not rows:
            nearest.sort(key=lambda one: one[0])
            return self._solution(tuple(self.found(sizes) for _, sizes in nearest[:_NEAREST]), (), None,
                                  ("no combination; the nearest",) if nearest else ("no combination",))
        return self._solution(tuple(rows), (), None, (said,))

    def _sizes(self, others: Mapping[str, int], name: str, number: int) -> dict[str, int]:
        return {one: number if one == name else others[one] for one in self.names}

    def _reach(self, name: str) -> float:
        """How many choices an unknown has: of an equation, that with the most need not be tried."""
        try:
            among = self._bounded(name)
        except SizeError:
            return inf
        return (among.count() or 0) if isinstance(among, Steps) else len(among)

    def _bounded(self, name: str) -> Any:
        """The choices for an unknown that is tried: those without end stop where the relation cannot hold any more."""
        among = self.wanted[name]
        if not isinstance(among, Steps) or among.last is not None:
            return among
        if self.relation.sign == ">=" or not _rises(self.gap, {*self.names}):
            raise SizeError(f"{self.subject}{self.relation.text}: {name} has no end here; say where, as in "
                            f"{name}=128*1..64")
        least = {other: those[0] if isinstance(those, tuple) else those.first for other, those in self.wanted.items()
                 if other != name}
        above = self.relation.gap(1 + self.relation.tolerance)
        runs = holding([_put(Condition(above, "at most", 0), name, {**self.values, **least})], name, among)
        end = last(runs)
        if not runs:
            return ()
        if end is None:
            raise SizeError(f"{self.subject}{self.relation.text}: {name} has no end here; say where, as in "
                            f"{name}=128*1..64")
        return Steps(among.first, end, among.step)

    def _root(self, name: str) -> Fraction | None:
        """Where both sides are equal, if that is one place, and the formula a polynomial."""
        gap = _put(Condition(self.gap, "is", 0), name, self.values).left
        if rounds(gap):
            return None
        runs = signs(polynomial(gap, name))
        if len(runs) != 2 or 0 in (runs[0][2], runs[1][2]):
            return None
        return between(gap, name, runs[1][0] - 1)

    def _listed(self, runs: Sequence[Run], already: int) -> Iterator[int]:
        """The members of a set; SizeError where they are too many to list."""
        listed = many(runs)
        if listed is None or already + listed > _MOST_FOUND:
            raise SizeError(f"{self.subject}{self.relation.text}: more than {_MOST_FOUND:,} solutions; ask for fewer, "
                            f"as in {self.names[0]}=128*1..64")
        return members(runs)

    def _solution(self, found: tuple[Found, ...], closed: Any, root: Any, says: tuple[str, ...], *,
                  meets: bool = False) -> Solution:
        reached = meets or self.open or any(one.holds for one in found)
        return Solution(self.subject, self.relation, self.names, found=found, closed=closed, root=root, says=says,
                        reached=bool(reached), notes=self.notes, values=self.values, counted=self.counted)


def _given(sizes: Mapping[str, Any]) -> tuple[dict[str, int], Callable[[str], Size]]:
    """Of sizes that no model has: the numbers, and what letters stand for that follow others."""
    from symcount.formulas import read as formula

    told = {row(name).name: formula(size) if isinstance(size, str) else size for name, size in sizes.items()}
    known = {name: whole(name, size) for name, size in told.items() if not lift(size).terms.keys() - {frozenset()}}
    return known, lambda name: bare(told[name]) if name in told and name not in known else letter(name)


def _about(names: Sequence[str], ledgers: Iterable[Ledger], more: Iterable[Condition]) -> tuple[Condition, ...]:
    """What must hold of the unknowns so that a network can be built: conditions, and sizes not less than nothing."""
    told = [*more]
    for ledger in ledgers:
        told += ledger.conditions
        told += (Condition(0, "at most", size) for term in ledger.terms
                 for size in (*(runs for _, runs in term.scopes), *term.factors)
                 if any(c < 0 for _, c in lift(size).terms.values()))
    found = {str(c): Condition(bare(c.left), c.relation, bare(c.right)) for c in told
             if set(names) & {*letters(c.left), *letters(c.right)}}
    return tuple(found.values())


def _gaps(asked: Relation) -> tuple[Condition, ...]:
    """The relation as conditions on the gap between its sides."""
    if asked.sign == "<=":
        return (Condition(asked.gap(), "at most", 0),)
    if asked.sign == ">=":
        return (Condition(0, "at most", asked.gap()),)
    if not asked.tolerance:
        return (Condition(asked.gap(), "is", 0),)
    return (Condition(asked.gap(1 + asked.tolerance), "at most", 0),
            Condition(0, "at most", asked.gap(1 - asked.tolerance)))


def _sides(asked: Relation, gap: Size) -> tuple[Condition, Condition]:
    """Where the left side is below the right one, and above it; where they are equal, it is with what holds."""
    return (Condition(gap, "at most" if asked.sign == "<=" else "less", 0),
            Condition(0, "at most" if asked.sign == ">=" else "less", gap))


def _put(c: Condition, name: str, values: Mapping[str, int]) -> Condition:
    """A condition with numbers for all letters but one; what divides by 0 cannot hold."""
    def size(one: str) -> Size:
        return values[one] if one in values and one != name else letter(one)

    try:
        return Condition(substitute(bare(c.left), size), c.relation, substitute(bare(c.right), size))
    except SizeError:
        return Condition(1, "is", 0)


def _rises(size: Size, names: set[str]) -> bool:
    """Whether a size is seen to grow, or to stay, as any of these letters grows."""
    for powers, c in lift(size).terms.values():
        moved = [(atom, power) for atom, power in powers
                 if names & {*(letters(opaque(atom)) if isinstance(atom, Atom) else [atom])}]
        if moved and (c < 0 or any(power < 0 or (isinstance(atom, Call) and not (
                _rises(atom.args[0], names) and (_rises(atom.args[1], names) if atom.name == "min"
                                                 else not names & {*letters(atom.args[1])})))
                                   for atom, power in moved)):
            return False
    return True


def _counted(runs: Sequence[Run], name: str) -> tuple[str, ...]:
    listed = many(runs)
    return () if listed == 1 else (f"{listed:,} {name}" if listed is not None else f"every {name} that can be built",)


def _stretches(name: str, solving: Sequence[Run], both: Sequence[Run], turned: Sequence[tuple[int, int]]) -> str:
    """For which numbers it holds, in words."""
    if not solving:
        return f"it holds for no {name}"
    if len(turned) > _MOST_TURNS:
        listed = many(solving)
        return (f"it holds for {'endlessly many' if listed is None else f'{listed:,}'} {name}, from "
                f"{first(solving):,} on, with gaps: more than {_MOST_TURNS} turns from one side to the other")
    if not turned:
        end = last(both)
        return f"it holds for every {name}" + ("" if end is None else f" from {first(both):,} to {end:,}")
    starts = [first(both), *(b for _, b in turned)]
    ends = [*(a for a, _ in turned), last(both)]
    inside = [(a, b) for a, b in zip(starts, ends, strict=True) if a is not None and after(solving, a - 1) == a]
    said = [f"from {a:,} on" if b is None else f"from {a:,} to {b:,}" if a != b else f"{a:,}" for a, b in inside]
    if len(inside) == 1 and inside[0][0] == inside[0][1]:
        return f"it holds for {name} = {said[0]} alone"
    return f"it holds for every {name} {' and '.join(said)}"
