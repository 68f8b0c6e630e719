"""A relation that was asked for, over letters, and how a model is built from the sizes that solve it."""

from __future__ import annotations

from symcount.building import needs
from symcount.choices import Steps
from symcount.counting import in_words, plain, run
from symcount.errors import ModelError, ProofError, SizeError
from symcount.given import whole
from symcount.polynomials import Condition, Polynomial, bare, canonical, letter, lift
from symcount.readers.quantities import fitting, read
from symcount.relations import over_letters, quantities, relation
from symcount.render import exact
from symcount.runs import Run
from symcount.sizes import fraction, letters, per
from symcount.solutions import Found, Solution
from symcount.substitution import substitute
from symcount.symbols import row
from symcount.wholes import holding, holds, rounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from symcount.ledger import Ledger
    from symcount.polynomials import Size
    from symcount.relations import Relation

_OUTSIDE = ("N", "D")  # letters that are no sizes of a model
_MOST_NEEDS = 4  # of what must hold, so many are said


class Asked:
    """A relation and its unknowns, of a model or of letters alone.

    names, wanted   the unknowns, and the choices for each
    relation, gap   the relation, and its left side less its right one over letters
    values          the numbers of all other letters; `open` are those that have none
    conditions      what must hold so that the model can be built; `gaps` what must hold so that the relation does
    subject, notes  whose relation it is, and what was counted
    """

    def __init__(self, text: str, wanted: dict[str, Any], model: Any, convention: str | None, phase: str | None,
                 sizes: dict[str, Any]) -> None:
        self.wanted, self.names, self.model = wanted, tuple(wanted), model
        for name in self.names:
            if name in sizes:
                raise ModelError(f"{name} is both set and solved for")
        self.options = fitting(quantities(text), convention, phase)
        outside = {name: size for name, size in sizes.items() if model is None or name in _OUTSIDE}
        self.sizes = {name: size for name, size in sizes.items() if name not in outside}
        free = own = None
        if model is not None:
            free = model.freed(*(name for name in self.names if name not in _OUTSIDE))
            free = free.replace(**self.sizes) if self.sizes else free
            own = self._reader(lambda: model.replace(**self.sizes) if self.sizes else model)
        known, tied = _given(outside)
        found = relation(text, self._reader(lambda: free), own)
        self.relation = found._replace(left=substitute(found.left, tied), right=substitute(found.right, tied)
                                       ) if outside else found
        self.subject = "" if free is None else f"{free.title}: "
        # sizes that were told to follow an unknown: rows show them too
        self.ties = {name: told for name, told in (free.given.items() if free is not None else ())
                     if isinstance(told, Polynomial) and {*letters(told)} & {*self.names} and name not in self.names}
        known |= {} if free is None else free.values
        self.values = {name: number for name, number in known.items() if name not in self.names}
        self.gap, self.gaps = self.relation.gap(), _gaps(self.relation)
        self.open = [name for name in letters(self.gap) if name not in self.values and name not in self.names]
        self.conditions = () if free is None else self._conditions(free)
        ledgers = self.relation.ledgers.values()
        self.notes = (*dict.fromkeys(note for ledger in ledgers for note in (*ledger.notes, *run(ledger))),
                      *self._built_when())
        for name in self.names:
            if name not in letters(self.gap):
                raise ModelError(self.subject + self._unmoved(name))

    def _conditions(self, free: Any) -> tuple[Condition, ...]:
        """What must hold of the unknowns so that the model can be built, and nothing is divided by 0."""
        inside = [name for name in self.names if name not in _OUTSIDE]
        counts = [read(free.whole(), name.partition("@")[0], **self.options[name]) for name in self.relation.ledgers]
        below = [one for side in ("left", "right") for one in self.relation.measured(side, below=True)]
        return (*(need.condition for need in needs(free, counts, inside)),
                *(Condition(0, "less", one.size) for one in below))

    def _built_when(self) -> list[str]:
        """The conditions that say most of which numbers can be built, as a note."""
        told = {(c.relation, canonical(c.left), canonical(c.right)): c for c in self.conditions
                if c.relation in ("divides", "at most") and not (
                    isinstance(c.left, int) and (c.left < 2 or c.relation == "at most")) and not self._idle(c)}
        said = sorted(map(in_words, told.values()), key=len)
        return [f"built when {' and '.join(said[:_MOST_NEEDS])}" + (" and more" if len(said) > _MOST_NEEDS else "")] * (
            bool(said))

    def _idle(self, c: Condition) -> bool:
        """Whether a condition holds for every number of the only unknown."""
        if len(self.names) > 1:
            return False
        name, = self.names
        known = put(c, name, self.values)
        try:
            if c.relation == "divides" and isinstance(per(known.right, known.left), int):
                return True
            return ({*letters(known.left), *letters(known.right)} <= {name}
                    and holding([known], name, Steps(1)) == [Run(1, None, 1)])
        except SizeError:
            return False

    def _unmoved(self, name: str) -> str:
        """Why nothing can be solved for an unknown on which the gap does not depend."""
        if name not in (*self.relation.letters("left"), *self.relation.letters("right")):
            return f"{self.relation.text} does not depend on {name}, so it says nothing of {name}"
        if self.open:
            return f"the sides of {self.relation.text} differ by {plain(self.gap)}, whatever {name} is"
        gap = exact(fraction(self.gap, self.values)).replace("-", "−")
        return (f"the sides of {self.relation.text} differ by {gap}, whatever {name} is, so it holds for "
                f"{'every' if all(holds(c, self.values) for c in self.gaps) else 'no'} {name}")

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

    def counted(self, sizes: Mapping[str, int]) -> dict[str, Ledger]:
        """The quantities of the relation, counted of the model with these sizes."""
        return self._ledgers(self.build(sizes))

    def _ledgers(self, built: Any) -> dict[str, Ledger]:
        return {name: read(built, name, **self.options[name]) for name in self.relation.ledgers}

    def found(self, sizes: Mapping[str, int]) -> Found:
        """What both sides are at these sizes: by the formula, and counted anew."""
        values = {**self.values, **sizes}
        left, right = (self.relation.side(which, values) for which in ("left", "right"))
        built = self.build(sizes)
        counts = {name: ledger.total for name, ledger in self._ledgers(built).items()}
        if (left, right) != tuple(self.relation.side(which, values, counts) for which in ("left", "right")):
            raise ProofError(f"{self.subject}{self.relation.text}: at {dict(sizes)} the formula and the count disagree")
        return Found(dict(sizes), {name: built.values[name] for name in self.ties}, left, right,
                     all(holds(c, values) for c in self.gaps))

    def distance(self, sizes: Mapping[str, int]) -> Any:
        """How far the two sides are from one another at these sizes, by the formula."""
        left, right = (self.relation.side(which, {**self.values, **sizes}) for which in ("left", "right"))
        return abs(left - right)

    def where(self, name: str, more: Iterable[Condition], others: Mapping[str, int] | None = None) -> list[Run]:
        """The numbers of one unknown that can be built and for which more holds, the others having these values."""
        values = {**self.values, **(others or {})}
        told = [put(c, name, values) for c in (*self.conditions, *more)]
        # Of a condition on sizes that have no value nothing is known; the notes say that it must hold.
        known = [c for c in told if not {*letters(c.left), *letters(c.right)} - {name}]
        return holding(known, name, self.wanted[name])

    def height(self, name: str, root: Any) -> Any:
        """What both sides are at a root that need not be whole; None where they round."""
        if root is None or self.relation.measured("left", below=True):
            return None
        side, at = bare(over_letters(self.relation.left)), {**self.values, name: root}
        if rounds(side) or not set(letters(side)) <= at.keys():
            return None
        found = lift(substitute(side, at.__getitem__)).terms
        return found[frozenset()][1] if found else 0

    def answer(self, found: Iterable[Found], says: Iterable[str], *, closed: Any = (), root: Any = None,
               meets: bool = False) -> Solution:
        """What solves the relation; `meets` where both sides are equal between two numbers that can be built."""
        rows = tuple(found)
        height = self.height(self.names[0], root) if len(self.names) == 1 and not self.open else None
        return Solution(self.subject, self.relation, self.names, found=rows, closed=tuple(closed), root=root,
                        height=height, says=tuple(says), notes=self.notes, ties=self.ties, values=self.values,
                        counted=self.counted, reached=meets or bool(self.open) or any(one.holds for one in rows))


def _given(sizes: Mapping[str, Any]) -> tuple[dict[str, int], Callable[[str], Size]]:
    """Of sizes that no model has: the numbers, and what letters stand for that follow others."""
    from symcount.formulas import read as formula

    told = {row(name).name: formula(size) if isinstance(size, str) else size for name, size in sizes.items()}
    known = {name: whole(name, size) for name, size in told.items() if not lift(size).terms.keys() - {frozenset()}}
    return known, lambda name: bare(told[name]) if name in told and name not in known else letter(name)


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


def put(c: Condition, name: str, values: Mapping[str, int]) -> Condition:
    """A condition with numbers for all letters but one; what divides by 0 cannot hold."""
    def size(one: str) -> Size:
        return values[one] if one in values and one != name else letter(one)

    try:
        return Condition(substitute(bare(c.left), size), c.relation, substitute(bare(c.right), size))
    except SizeError:
        return Condition(1, "is", 0)
