"""An account of counted terms in one unit: a tree by path that still knows how each number came about."""

from __future__ import annotations

from symcount.errors import FormulaError, ModelError, ShapeError, SizeError, UnitError, nearest
from symcount.polynomials import added, quotient
from symcount.scopes import matches
from symcount.sizes import check, conditions, is_one, letters, ratio, to_sympy, vanishes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from symcount.polynomials import Condition, Size

UNITS = {"parameter": "parameters", "multiply-add": "multiply-adds", "FLOP": "FLOPs", "element": "elements",
         "byte": "bytes"}
KINDS = ("weight", "bias", "norm", "embedding", "adapter", "activation", "dropout", "frozen")


class Term:
    """One counted thing: its path, its factors as written, the scopes (path, runs) it repeats in, its kinds.

    >>> Term("layers.up.weight", (3, 4), (("layers", 2),), ("weight",)).size
    24
    """

    __slots__ = ("factors", "kinds", "path", "scopes", "size")

    def __init__(self, path: str, factors: tuple[Size, ...], scopes: tuple[tuple[str, Size], ...] = (),
                 kinds: tuple[str, ...] = ()) -> None:
        self.path, self.factors, self.scopes, self.kinds = path, factors, scopes, kinds
        size: Size = 1
        for factor in (*(runs for _, runs in scopes), *factors):
            if not is_one(factor):
                size = factor if is_one(size) else size * factor
        self.size = size  # the product of all factors and repetitions

    def under(self, name: str) -> Term:
        """The same thing as a part of what has this name."""
        scopes = ((name, 1), *((f"{name}.{path}", runs) for path, runs in self.scopes))
        return Term(f"{name}.{self.path}", self.factors, scopes, self.kinds)

    def once(self, path: str) -> Term:
        """The same thing in one run of the scope at `path`."""
        return Term(self.path, self.factors, tuple(scope for scope in self.scopes if scope[0] != path), self.kinds)

    def __repr__(self) -> str:
        return f"<{self.path}: {self.size}>"


class Ledger:
    """Terms in one unit. `.total` is exact; `.closed_form` is SymPy; `.where`, `.by`, `.without` select.

    >>> ledger = Ledger("parameter", [Term("up.weight", (3, 4), (), ("weight",)), Term("up.bias", (4,), (), ("bias",))])
    >>> ledger.total, ledger.without("bias").total, list(ledger.by(1))
    (16, 12, ['up'])

    `values` gives letters their numbers, `subject` names what is counted, `notes` the conventions, `bounds` what
    must hold for the network beside what its terms say (s at most P), `convention` by which named rule it was counted.
    Raises ShapeError for two terms of one path, SizeError where a condition fails for the values.
    """

    __slots__ = ("bounds", "convention", "notes", "subject", "terms", "unit", "values")

    def __init__(self, unit: str, terms: Iterable[Term], values: Mapping[str, int] | None = None, subject: str = "",
                 notes: tuple[str, ...] = (), bounds: tuple[Condition, ...] = (), *, convention: str = "") -> None:
        self.unit, self.terms, self.convention = unit, tuple(terms), convention
        self.values, self.subject, self.notes, self.bounds = dict(values or {}), subject, notes, bounds
        if unit not in UNITS:
            raise UnitError(f"unknown unit '{unit}'; {nearest(unit, list(UNITS))}")
        paths = [term.path for term in self.terms]
        if len(set(paths)) < len(paths):
            twice = next(path for i, path in enumerate(paths) if path in paths[:i])
            raise ShapeError(f"two terms have the path '{twice}': name the two uses apart")
        self._check()

    def of(self, terms: Iterable[Term]) -> Ledger:
        """Some of these terms, of which everything was checked."""
        part: Ledger = object.__new__(Ledger)
        part.unit, part.terms, part.values = self.unit, tuple(terms), self.values
        part.subject, part.notes, part.bounds, part.convention = self.subject, self.notes, self.bounds, self.convention
        return part

    def _named(self) -> str:
        return f"{self.subject}: " if self.subject else ""

    def _check(self) -> None:
        for condition in self.conditions:
            if all(name in self.values for side in (condition.left, condition.right) for name in letters(side)):
                try:
                    check(condition, self.values)
                except SizeError as error:
                    raise SizeError(f"{self._named()}{error}") from None
        for term in self.terms:  # two sizes less than nothing would make a count that looks right
            for size in (*(runs for _, runs in term.scopes), *term.factors):
                if all(name in self.values for name in letters(size)) and ratio(size, self.values)[0] < 0:
                    raise SizeError(f"{self._named()}{term.path}: the size {size} is less than nothing")

    @property
    def size(self) -> Size:
        """The sum of all terms, in the numbers that the network was run over."""
        return added(term.size for term in self.terms)

    @property
    def letters(self) -> list[str]:
        """The letters of the terms, in order; what cancels within a term (heads · d/heads) is none of them."""
        return list(dict.fromkeys(name for term in self.terms for name in letters(term.size)))

    @property
    def open(self) -> list[str]:
        """The letters that have no value: with one of them the total is a formula."""
        found: dict[str, None] = {}
        for term in self.terms:
            absent = [name for name in letters(term.size) if name not in self.values]
            if absent and not self._vanishes(term):
                found.update(dict.fromkeys(absent))
        return list(found)

    def _vanishes(self, term: Term) -> bool:
        """Whether a term is nothing whatever its other letters may be: there are no images, or no layers of a kind."""
        return any(vanishes(size, self.values) for size in (*(runs for _, runs in term.scopes), *term.factors))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What must hold for the formula: exact divisions, and sizes within bounds."""
        sizes = (size for term in self.terms for size in (*(runs for _, runs in term.scopes), *term.factors))
        return tuple({str(c): c for c in (*(c for size in sizes for c in conditions(size)), *self.bounds)}.values())

    @property
    def total(self) -> Any:
        """The exact number (an int, or a Fraction) when every size is known, else the SymPy formula.

        Raises SizeError when a term is negative.
        """
        if self.open:
            return self.closed_form
        top, bottom = 0, 1
        for term in self.terms:
            try:
                a, b = ratio(term.size, self.values)
            except FormulaError:  # of a letter without a value, as none is open
                a, b = 0, 1
            if a < 0:
                raise SizeError(f"{self._named()}{term.path} would count {a:,} {UNITS[self.unit]}")
            top, bottom = top * b + a * bottom, bottom * b
        return quotient(top, bottom)

    @property
    def closed_form(self) -> Any:
        """The SymPy expression of the sum, in `symcount.symbols`."""
        import sympy

        return sympy.Add(*(to_sympy(term.size) for term in self.terms))

    def where(self, *paths: str) -> Ledger:
        """The terms under all of these paths: the parts of each stand one after another somewhere in the term's path.

        Raises ModelError, with the nearest path, where none is left.
        """
        part = self
        for path in paths:
            found = [term for term in part.terms if matches(term.path, path)]
            if not found:
                raise ModelError(f"{self.subject or 'the ledger'} has no part '{path}'; {nearest(path, part.paths())}")
            part = self.of(found)
        return part

    def without(self, *names: str) -> Ledger:
        """Leave out kinds ("bias", "norm") and paths ("pooler"). An unknown name is refused."""
        kinds = {*KINDS, *(kind for term in self.terms for kind in term.kinds)}
        known = {*kinds, *self.paths()}
        for name in names:
            if name not in known and not any(matches(term.path, name) for term in self.terms):
                raise ModelError(f"{self.subject or 'the ledger'} has no kind or part '{name}'; {nearest(name, known)}")
        kept = [t for t in self.terms
                if not any(name in t.kinds if name in kinds else matches(t.path, name) for name in names)]
        left = self.of(kept)
        left.notes = (*self.notes, "without " + ", ".join(names))
        return left

    def by(self, depth: int | str | Mapping[str, str]) -> dict[str, Ledger]:
        """Parts by depth of path (1, 2, …), by "kind", by "trainable", or by the names that a mapping gives paths."""
        terms = self.terms
        if not isinstance(depth, (int, str)):  # what is not there has no name
            terms = tuple(term for term in terms if not self._vanishes(term))
            key = [depth[term.path] for term in terms]
        elif depth == "kind":
            key = [term.kinds[0] if term.kinds else "" for term in self.terms]
        elif depth == "trainable":
            key = ["frozen" if "frozen" in term.kinds else "trainable" for term in self.terms]
        elif isinstance(depth, int) and depth > 0:
            key = [".".join(term.path.split(".")[:depth]) for term in self.terms]
        else:
            raise ModelError(f"cannot group by {depth!r}: a depth from 1, kind, trainable, or names of paths "
                             "(--by name, or a mapping)")
        groups: dict[str, list[Term]] = {}
        for name, term in zip(key, terms, strict=True):
            groups.setdefault(name, []).append(term)
        return {name: self.of(terms) for name, terms in groups.items()}

    def paths(self) -> list[str]:
        """Every path and every part of one that holds terms, in order."""
        found: dict[str, None] = {}
        for term in self.terms:
            parts = term.path.split(".")
            found.update((".".join(parts[:i]), None) for i in range(1, len(parts) + 1))
        return list(found)

    def __add__(self, other: Ledger) -> Ledger:
        if not isinstance(other, Ledger):
            return NotImplemented
        if self.unit != other.unit:
            raise UnitError(f"cannot add {UNITS[self.unit]} and {UNITS[other.unit]}: two units")
        if self.convention != other.convention:
            raise UnitError(f"cannot add {UNITS[self.unit]} of two conventions, {self.convention or 'none'} and "
                            f"{other.convention or 'none'}")
        for name in self.values.keys() & other.values.keys():
            if self.values[name] != other.values[name]:
                raise UnitError(f"cannot add accounts in which {name} is {self.values[name]:,} "
                                f"and {other.values[name]:,}")
        for one, two in ((self, other), (other, self)):
            if borrowed := [name for name in one.open if name in two.values]:
                raise UnitError(f"cannot add accounts of which one leaves {borrowed[0]} open and one has it as "
                                f"{two.values[borrowed[0]]:,}")
        return Ledger(self.unit, self.terms + other.terms, {**self.values, **other.values}, self.subject,
                      tuple(dict.fromkeys(self.notes + other.notes)), self.bounds + other.bounds,
                      convention=self.convention)

    def __repr__(self) -> str:
        total = self.total
        whole = self.open or total.denominator == 1
        amount = (str(total) if self.open else f"{total:,}") if whole else f"{total.numerator:,}/{total.denominator:,}"
        return f"<{self.subject + ': ' if self.subject else ''}{amount} {UNITS[self.unit]}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from symcount.counting import table  # a front door: tables and renderers stand above ledgers
        from symcount.render import bundle

        return bundle(table(self), include, exclude)
