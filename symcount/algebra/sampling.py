"""Matrices to try: random ones of a declared kind for checks, and small ones in order of simplicity for witnesses.

And what of terms must be known for that: their parts, sizes, shapes and named numbers.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import islice, permutations, product
from random import Random

from symcount.algebra.scalars import Entry, Named, atoms
from symcount.algebra.terms import Letter, Scaled, Term, letters
from symcount.algebra.values import NotRationalError, Point
from symcount.errors import SymcountError
from symcount.sizes import letters as names_of
from symcount.sizes import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any

    from symcount.algebra.values import Matrix

# The entries of a witness, the simplest first
SMALL = (0, 1, -1, 2)
MOST_ENTRIES = 256  # of a matrix that is tried
_EXHAUSTIVE = 256  # so many matrices of one letter are listed; of a larger one, a sample


def sizes_of(*terms: Term) -> list[str]:
    """The size letters of terms, in alphabetical order."""
    found: dict[str, None] = {}
    for part in parts_of(*terms):
        for size in (part.rows, part.columns, part.number) if isinstance(part, Scaled) else (part.rows, part.columns):
            if not isinstance(size, int):
                found.update(dict.fromkeys(name for name in names_of(size) if isinstance(name, str)))
    return sorted(found)


def parts_of(*terms: Term) -> Iterator[Term]:
    """All parts of terms, and of numbers in them, equal ones once."""
    seen, todo = set(), list(reversed(terms))
    while todo:
        part = todo.pop()
        if part.key not in seen:
            seen.add(part.key)
            todo.extend((*part.parts, *entries_of(part)))
            yield part


def entries_of(term: Term) -> list[Term]:
    """The 1 × 1 matrices in the number that a term is scaled by."""
    return [atom.term for atom, _ in atoms(term.number) if isinstance(atom, Entry)] if isinstance(term, Scaled) else []


def has_entries(*terms: Term) -> bool:
    """Whether a number in terms is made of 1 × 1 matrices."""
    return any(entries_of(part) for part in parts_of(*terms))


def numbers_of(*terms: Term) -> list[str]:
    """The named numbers of terms, and those in the 1 × 1 matrices that are numbers."""
    found: dict[str, None] = {}
    for part in parts_of(*terms):
        for atom, _ in atoms(part.number) if isinstance(part, Scaled) else ():
            if isinstance(atom, Named):
                found[atom.name] = None
    return list(found)


def shapes(terms: tuple[Term, ...], sizes: dict[str, int]) -> dict[str, tuple[int, int]] | None:
    """The shape of every letter for these sizes; None where a part has no whole positive size, or too many entries."""
    found: dict[str, tuple[int, int]] = {}
    known: dict[int, int] = {}  # one size is many matrices'
    for part in parts_of(*terms):
        for size in (part.rows, part.columns):
            if id(size) not in known:
                try:
                    known[id(size)] = value(size, sizes)
                except SymcountError:
                    return None
            if known[id(size)] < 1:
                return None
        if known[id(part.rows)] * known[id(part.columns)] > MOST_ENTRIES:
            return None
        if isinstance(part, Letter):
            found[part.name] = known[id(part.rows)], known[id(part.columns)]
    return found


def fits(*terms: Term) -> bool:
    """Whether some small sizes fit all shapes of terms, so that they can be tried."""
    return any(shapes(terms, dict.fromkeys(sizes_of(*terms), size)) is not None for size in (1, 2, 3, 8))


def random_point(terms: tuple[Term, ...], rng: Random, modulus: int | None = None, *,
                 but: Collection[str] = (), largest: int = 3) -> Point | None:
    """Random sizes up to `largest` and random matrices of the declared kinds; None where the sizes do not fit.

    Letters in `but` are left out: they stand for terms.
    """
    sizes = {name: rng.randint(1, largest) for name in sizes_of(*terms)}
    found = shapes(terms, sizes)
    if found is None:
        return None
    point = Point(sizes, {}, {name: rng.randint(1, 9) for name in numbers_of(*terms)}, modulus=modulus)
    for name, one in letters(*terms).items():
        if name in but:
            continue
        for place in point.places(one.over):
            made = _random(one, *found[name], rng, point)
            if made is None:
                return None
            point.matrices[(name, *place) if one.over else name] = [[point.number_of(x) for x in row] for row in made]
    return point


def _random(one: Letter, rows: int, columns: int, rng: Random, point: Point) -> Matrix | None:
    """A random matrix that is all that its letter is declared to be; None where none was found."""
    for _ in range(8):
        made = _drawn(one.properties, rows, columns, rng, point)
        if _is(one.properties, made, point.modulus):
            return made
    few = simple(one.properties, rows, columns)
    return rng.choice(few) if few else None


def _drawn(kinds: frozenset[str], rows: int, columns: int, rng: Random, point: Point) -> Matrix:
    """A random matrix of one of the declared kinds."""
    top = point.modulus or 4
    free = [[rng.randrange(top) if point.modulus else rng.randint(-2, 2) for _ in range(columns)] for _ in range(rows)]
    if "permutation" in kinds:
        places = rng.sample(range(rows), rows)
        return [[int(places[i] == j) for j in range(rows)] for i in range(rows)]
    if "diagonal" in kinds:
        low = 1 if "positive" in kinds else -2
        return [[rng.randint(low, 3) if i == j else 0 for j in range(rows)] for i in range(rows)]
    if "stochastic" in kinds and "selection" in kinds:
        chosen = [rng.randrange(columns) for _ in range(rows)]
        return [[int(j == at) for j in range(columns)] for at in chosen]
    if "stochastic" in kinds:
        return [[*row[:-1], point.field(1 - sum(row[:-1]))] for row in free]
    if "selection" in kinds:
        return [[rng.randint(0, 1) for _ in row] for row in free]
    if "symmetric" in kinds:
        return [[free[min(i, j)][max(i, j)] for j in range(rows)] for i in range(rows)]
    return _square(kinds, free, rng, point) if kinds & {"orthogonal", "invertible", "idempotent"} else free


def _square(kinds: frozenset[str], free: Matrix, rng: Random, point: Point) -> Matrix:
    """An invertible matrix G; or G⁻¹DG, which is idempotent for a D of 0 and 1; or, by Cayley, an orthogonal one."""
    n = len(free)
    while True:
        if "orthogonal" in kinds:
            skew = [[0 if i == j else point.field(free[i][j] if i < j else -free[j][i]) for j in range(n)]
                    for i in range(n)]
            unit = [[int(i == j) for j in range(n)] for i in range(n)]
            minus = [[point.field(-x) for x in row] for row in skew]
            less, more = point.added([unit, minus]), point.added([unit, skew])
        try:
            if "orthogonal" in kinds:
                return point.multiplied(less, point.inverted(more))
            inverse = point.inverted(free)
        except NotRationalError:
            free = [[rng.randint(-3, 3) for _ in row] for row in free]
            continue
        if "idempotent" not in kinds:
            return free
        chosen = [[int(i == j) * rng.randint(0, 1) for j in range(n)] for i in range(n)]
        return point.multiplied(point.multiplied(inverse, chosen), free)


def dice(seed: int) -> Random:
    """Random numbers that are the same in every run: what was tried can be tried again."""
    return Random(seed)  # noqa: S311 - chance that is repeated guards no secret


@lru_cache(maxsize=256)
def simple(kinds: frozenset[str], rows: int, columns: int) -> list[Matrix]:
    """Small matrices that are all that a letter is declared to be, the simplest first; they are not to be changed."""
    small = SMALL[:2] if "selection" in kinds else SMALL
    if "permutation" in kinds:
        found: Iterable[Matrix] = ([[int(p[i] == j) for j in range(rows)] for i in range(rows)]
                                   for p in permutations(range(rows)))
    elif "diagonal" in kinds:
        entries = (1, 2) if "positive" in kinds else SMALL
        found = ([[row[i] if i == j else 0 for j in range(rows)] for i in range(rows)]
                 for row in product(entries, repeat=rows))
    elif "stochastic" in kinds:
        chosen = [[int(i == j) for j in range(columns)] for i in range(columns)]
        equal = [[Fraction(1, columns)] * columns]
        some: list[list[Any]] = [*chosen, *([] if "selection" in kinds else equal)]
        found = ([list(row) for row in picked] for picked in product(some, repeat=rows))
    elif len(small) ** (rows * columns) <= _EXHAUSTIVE:
        found = (_rows(entries, columns) for entries in product(small, repeat=rows * columns))
    else:
        found = _sample(rows, columns, small, dice(0))
    kept = [a for a in islice(found, 4 * _EXHAUSTIVE) if _is(kinds, a)]
    return sorted(kept, key=cost)[:_EXHAUSTIVE]


def cost(a: Matrix) -> int:
    """How far from simple a matrix is: 0 costs nothing, 1 less than −1, and 2 more."""
    return sum({0: 0, 1: 1, -1: 2, 2: 3}.get(x, 3) for row in a for x in row)


def _rows(entries: Any, columns: int) -> Matrix:
    return [list(entries[i:i + columns]) for i in range(0, len(entries), columns)]


def _sample(rows: int, columns: int, small: tuple[int, ...], rng: Random) -> Iterator[Matrix]:
    """The unit matrix, zero, and sparse ones."""
    yield [[0] * columns for _ in range(rows)]
    yield [[int(i == j) for j in range(columns)] for i in range(rows)]
    for i in range(rows):
        for j in range(columns):
            for x in small[1:]:
                yield [[x if (i, j) == (k, m) else 0 for m in range(columns)] for k in range(rows)]
    while True:
        yield [[rng.choice(small) if rng.random() < 0.5 else 0 for _ in range(columns)] for _ in range(rows)]


def _is(kinds: frozenset[str], a: Matrix, modulus: int | None = None) -> bool:
    """Whether a matrix is all that its letter is declared to be; a positive number modulo a prime is any but 0."""
    field = Point({}, {}, modulus=modulus)
    n = len(a)
    unit = [[int(i == j) for j in range(n)] for i in range(n)]
    turned = [list(column) for column in zip(*a, strict=True)]
    off = [x for i, row in enumerate(a) for j, x in enumerate(row) if i != j]
    holds = {
        "symmetric": lambda: a == turned,
        "diagonal": lambda: not any(off),
        "positive": lambda: all(a[i][i] > 0 for i in range(n)),
        "idempotent": lambda: field.multiplied(a, a) == a,
        "orthogonal": lambda: field.multiplied(a, turned) == unit,
        "selection": lambda: all(x in (0, 1) for row in a for x in row),
        "stochastic": lambda: all(field.field(sum(row)) == 1 for row in a),
        "invertible": lambda: _has_inverse(field, a),
    }
    return all(holds[word]() for word in kinds if word in holds)


def _has_inverse(field: Point, a: Matrix) -> bool:
    try:
        field.inverted(a)
    except NotRationalError:
        return False
    return True
