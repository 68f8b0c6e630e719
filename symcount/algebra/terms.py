"""Terms over matrices of symbolic sizes: every shape is checked when a term is made.

    Letter Eye Ones Zero Shift      a matrix by name; I; a column of ones; 0; rows u to u + n of what it multiplies
    Sum Product Scaled              + in any order, * as grouped by its author, a number times a matrix
    Transpose Inverse Apply         .T, .I, a function that is known only by its laws (`functions`)
    Side Stack Over                 [A B], [U; V], a sum over indices that letters carry (heads)

Two terms are equal when their keys are; a sum has one key whatever the order of its terms. `X*W1*W2` is one
product of three factors, and `X*(W1*W2)` keeps its brackets.
"""

from __future__ import annotations

from symcount.algebra.scalars import Entry, atoms, named
from symcount.errors import ShapeError
from symcount.functions import function
from symcount.polynomials import added, canonical, lift
from symcount.sizes import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from symcount.polynomials import Size

# What a letter may be declared as, and what that says of it besides. A stochastic matrix has rows that sum to 1; a
# selection has entries 0 and 1: it picks, copies or repeats; data are inputs, and not stored.
PROPERTIES = {
    "invertible": (), "orthogonal": ("invertible",), "permutation": ("orthogonal", "invertible", "selection"),
    "symmetric": (), "diagonal": ("symmetric",), "positive": ("diagonal", "symmetric", "invertible"),
    "idempotent": (), "stochastic": (), "selection": (), "data": (),
}
_NOT_SQUARE = ("stochastic", "selection", "data")
_ONE = canonical(1)


class Term:
    """A matrix expression with `rows` and `columns`; equal to another when their keys are."""

    __slots__ = ("columns", "key", "parts", "rows")

    def __init__(self, key: str, rows: Size, columns: Size, parts: tuple[Term, ...] = ()) -> None:
        self.key, self.rows, self.columns, self.parts = key, rows, columns, parts

    def rebuilt(self, parts: tuple[Term, ...]) -> Term:
        """The same kind of term of other parts; a kind that is made of more says how."""
        return type(self)(parts)  # type: ignore[call-arg, arg-type]  # a term without parts is never asked

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Term) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __add__(self, other: Term) -> Term:
        return total([self, other]) if isinstance(other, Term) else NotImplemented

    def __sub__(self, other: Term) -> Term:
        return total([self, *(-part for part in summands(other))]) if isinstance(other, Term) else NotImplemented

    def __neg__(self) -> Term:
        return scaled(-1, self)

    def __mul__(self, other: Term) -> Term:
        if not isinstance(other, Term):
            return NotImplemented
        return product([*(self.parts if isinstance(self, Product) else (self,)), other])

    def __rmul__(self, number: Any) -> Term:
        known = not isinstance(number, bool) and lift(number) is not NotImplemented
        return scaled(number, self) if known else NotImplemented

    @property
    def T(self) -> Term:
        """The transpose."""
        return Transpose(self)

    @property
    def I(self) -> Term:  # noqa: E743 - as it is written: A.I
        """The inverse, of what is declared to have one."""
        return Inverse(self)

    @property
    def shape(self) -> str:
        """Rows × columns, as messages say it."""
        return f"{self.rows} × {self.columns}"

    def __str__(self) -> str:
        from symcount.render import matrices  # a front door: renderers stand above terms

        return matrices.plain(self)

    def __repr__(self) -> str:
        return f"{self}: {self.shape}"


class Letter(Term):
    """A matrix by name, with what is declared of it; `over` are indices that it carries (a head)."""

    __slots__ = ("name", "over", "properties")

    def __init__(self, name: str, rows: Size, columns: Size, properties: tuple[str, ...] = (),
                 over: tuple[str, ...] = ()) -> None:
        self.name, self.over = name, over
        named(name)
        _indices(name, over)
        for word in properties:
            if word not in PROPERTIES:
                raise ShapeError(f"{name}: '{word}' is no property of a matrix; known: {', '.join(PROPERTIES)}")
            if word not in _NOT_SQUARE and not same(rows, columns):
                raise ShapeError(f"{name} is {rows} × {columns}: only a square matrix can be {word}")
        self.properties = frozenset(properties).union(*(PROPERTIES[word] for word in properties))
        said = "".join(f" {word}" for word in sorted(self.properties)) + "".join(f"@{index}" for index in over)
        super().__init__(f"{name}[{canonical(rows)};{canonical(columns)}{said}]", rows, columns)


class Eye(Term):
    """The identity matrix."""

    __slots__ = ()

    def __init__(self, n: Size) -> None:
        super().__init__(f"#I[{canonical(n)}]", n, n)


class Ones(Term):
    """A column of n ones."""

    __slots__ = ()

    def __init__(self, n: Size) -> None:
        super().__init__(f"#1[{canonical(n)}]", n, 1)


class Zero(Term):
    """The matrix of zeros."""

    __slots__ = ()

    def __init__(self, rows: Size, columns: Size) -> None:
        super().__init__(f"#0[{canonical(rows)};{canonical(columns)}]", rows, columns)


class Shift(Term):
    """Rows u, u + 1, … of what it multiplies, as many as are asked for: what a kernel's tap u sees."""

    __slots__ = ("at",)

    def __init__(self, at: int, rows: Size, columns: Size) -> None:
        left = columns - rows - at
        if at < 0 or not isinstance(left, int) or left < 0:
            raise ShapeError(f"rows {at} to {at} + {rows} are not all among {columns} rows")
        self.at = at
        super().__init__(f"#S{at}[{canonical(rows)};{canonical(columns)}]", rows, columns)


class Sum(Term):
    """Terms of one shape, added; its key does not depend on their order."""

    __slots__ = ()

    def __init__(self, parts: tuple[Term, ...]) -> None:
        first = parts[0]
        for other in parts[1:]:
            if not (agree(first.rows, other.rows) and agree(first.columns, other.columns)):
                raise ShapeError(f"{first} is {first.shape} and {other} is {other.shape}: they cannot be added")
        super().__init__("(" + "+".join(sorted(part.key for part in parts)) + ")", first.rows, first.columns, parts)

    def rebuilt(self, parts: tuple[Term, ...]) -> Term:
        """Of other parts."""
        return total(list(parts))


class Product(Term):
    """Factors, multiplied; one that is a product itself keeps its brackets."""

    __slots__ = ()

    def __init__(self, parts: tuple[Term, ...]) -> None:
        before = parts[0]
        for after in parts[1:]:
            if not agree(before.columns, after.rows):
                raise ShapeError(f"{before} is {before.shape} and {after} is {after.shape}: "
                                 f"they cannot be multiplied, for {before.columns} is not {after.rows}")
            before = after
        super().__init__("(" + "*".join([part.key for part in parts]) + ")", parts[0].rows, before.columns, parts)


class Scaled(Term):
    """A number (a polynomial in sizes, named numbers and 1 × 1 matrices) times a matrix."""

    __slots__ = ("number",)

    def __init__(self, number: Size, part: Term) -> None:
        self.number = number
        super().__init__(f"({{{canonical(number)}}}{part.key})", part.rows, part.columns, (part,))

    def rebuilt(self, parts: tuple[Term, ...]) -> Term:
        """Of other parts."""
        return scaled(self.number, parts[0])


class Transpose(Term):
    """Rows as columns."""

    __slots__ = ()

    def __init__(self, part: Term) -> None:
        super().__init__(part.key + "'", part.columns, part.rows, (part,))

    def rebuilt(self, parts: tuple[Term, ...]) -> Term:
        """Of other parts."""
        return Transpose(parts[0])


class Inverse(Term):
    """The inverse, of what is declared invertible: there is no other."""

    __slots__ = ()

    def __init__(self, part: Term) -> None:
        if not invertible(part):
            raise ShapeError(f"{part} is not declared invertible, so it need not have an inverse")
        super().__init__(part.key + "^-1", part.columns, part.rows, (part,))

    def rebuilt(self, parts: tuple[Term, ...]) -> Term:
        """Of other parts."""
        return Inverse(parts[0])


class Apply(Term):
    """A function of a matrix, of the same shape; a proof knows nothing of it but its laws."""

    __slots__ = ("function",)

    def __init__(self, name: str, part: Term) -> None:
        self.function = function(name)
        super().__init__(f"{name}<{part.key}>", part.rows, part.columns, (part,))

    def rebuilt(self, parts: tuple[Term, ...]) -> Term:
        """Of other parts."""
        return Apply(self.function.name, parts[0])


class Side(Term):
    """Blocks side by side: [A B]."""

    __slots__ = ()

    def __init__(self, parts: tuple[Term, ...]) -> None:
        columns = _joined(parts, "rows", "columns", " ")
        super().__init__("[" + " ".join([part.key for part in parts]) + "]", parts[0].rows, columns, parts)


class Stack(Term):
    """Blocks one above the other: [U; V]."""

    __slots__ = ()

    def __init__(self, parts: tuple[Term, ...]) -> None:
        rows = _joined(parts, "columns", "rows", "; ")
        super().__init__("[" + ";".join([part.key for part in parts]) + "]", rows, parts[0].columns, parts)


class Over(Term):
    """The sum of a term over indices that its letters carry, as over the heads of attention."""

    __slots__ = ("indices",)

    def __init__(self, indices: tuple[str, ...], part: Term) -> None:
        self.indices = indices
        _indices("sum", indices)
        super().__init__(f"(sum<{','.join(sorted(indices))}>{part.key})", part.rows, part.columns, (part,))

    def rebuilt(self, parts: tuple[Term, ...]) -> Term:
        """Of other parts."""
        return Over(self.indices, parts[0])


def product(factors: list[Term]) -> Term:
    """A product, or its only factor."""
    return factors[0] if len(factors) == 1 else Product(tuple(factors))


def total(terms: list[Term]) -> Term:
    """A sum, or its only term; a sum within it loses its brackets."""
    return terms[0] if len(terms) == 1 else Sum(tuple([one for term in terms for one in summands(term)]))


def scaled(amount: Any, part: Term) -> Term:
    """A number times a term; 1 times it is itself."""
    if isinstance(part, Scaled):
        amount, part = amount * part.number, part.parts[0]
    return part if canonical(amount) == _ONE else Scaled(amount, part)


def summands(term: Term) -> tuple[Term, ...]:
    """The terms of a sum, or the only one."""
    return term.parts if isinstance(term, Sum) else (term,)


def factors(term: Term) -> tuple[Term, ...]:
    """The factors of a product, or the only one."""
    return term.parts if isinstance(term, Product) else (term,)


def mapped(term: Term, f: Callable[[Term], Term]) -> Term:
    """f of every part from the inside out; f is asked again as long as it changes what it is given."""
    while True:
        if term.parts:
            parts = tuple([mapped(part, f) for part in term.parts])
            if any(new is not old for new, old in zip(parts, term.parts, strict=True)):
                term = term.rebuilt(parts)
        new = f(term)
        if new is term:
            return term
        term = new


def replaced(term: Term, letters: dict[str, Term]) -> Term:
    """The term with whole sub-terms replaced, found by key."""
    if term.key in letters:
        return letters[term.key]
    if not term.parts:
        return term
    parts = tuple([replaced(part, letters) for part in term.parts])
    return term if all(new is old for new, old in zip(parts, term.parts, strict=True)) else term.rebuilt(parts)


def letters(*terms: Term) -> dict[str, Letter]:
    """The letters of terms by name, in order; ShapeError for one name with two meanings."""
    found: dict[str, Letter] = {}
    for term in terms:
        for part in _leaves(term):
            if isinstance(part, Letter) and found.setdefault(part.name, part) != part:
                raise ShapeError(f"'{part.name}' is {found[part.name].shape} in one place and {part.shape} in another")
    return found


def has(term: Term, word: str) -> bool:
    """Whether a letter is declared so."""
    return isinstance(term, Letter) and word in term.properties


def upright(term: Any) -> Any:
    """A term, or what it is the transpose of."""
    return term.parts[0] if isinstance(term, Transpose) else term


def invertible(term: Term) -> bool:
    """Whether a term surely has an inverse."""
    if isinstance(term, Product):
        return all(invertible(part) for part in term.parts)
    if isinstance(term, (Transpose, Inverse)):
        return invertible(term.parts[0])
    return isinstance(term, Eye) or has(term, "invertible")


def agree(a: Size, b: Size) -> bool:
    """Whether two sizes are equal, as polynomials."""
    return a is b or same(a, b)


def _indices(name: str, indices: tuple[str, ...]) -> None:
    """Raise ShapeError for what are no indices, names perhaps with a prime (c' are channels going in), each once."""
    if len(set(indices)) < len(indices) or not all(
            isinstance(one, str) and one.rstrip("'").isidentifier() for one in indices):
        raise ShapeError(f"{name}: {indices!r} are no indices: names, each once")


def _joined(parts: tuple[Term, ...], across: str, along: str, between: str) -> Size:
    """The size of blocks together; ShapeError where they differ across."""
    for other in parts[1:]:
        if not agree(getattr(parts[0], across), getattr(other, across)):
            raise ShapeError(f"[{parts[0]}{between}{other}]: {parts[0].shape} and {other.shape} differ in {across}")
    return added(getattr(part, along) for part in parts)


def _leaves(term: Term) -> Iterable[Term]:
    for atom, _ in atoms(term.number) if isinstance(term, Scaled) else ():
        if isinstance(atom, Entry):
            yield from _leaves(atom.term)
    if not term.parts:
        yield term
    for part in term.parts:
        yield from _leaves(part)
