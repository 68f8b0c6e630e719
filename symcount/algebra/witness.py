"""Counterexamples: the smallest matrices for which two sides differ, and checks at random points.

A witness respects what is declared of every letter, and is exact where the functions in it have rational values.
Sizes grow from 1, and among the matrices of a size the simplest come first. Finding none proves nothing.
"""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction
from heapq import heappop, heappush
from itertools import chain

from symcount.algebra.sampling import cost, dice, numbers_of, parts_of, random_point, shapes, simple, sizes_of
from symcount.algebra.terms import Apply, Term, letters
from symcount.algebra.values import NotRationalError, Point
from symcount.errors import ProofError, clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from symcount.algebra.values import Matrix

PRIME = 2**61 - 1
_MOST_TRIES, _MOST_OF_A_SIZE = 12_000, 1_500  # points in all, and of one set of sizes: a witness worth showing is small
_LARGEST = 3
_TOLERANCE = 1e-3  # floats of a few small numbers err by 1e-12, the small constant of a norm by 1e-5
_TRIED = ([1], [1, -1])  # rows at which a function that has rational values has one
_SHOWN = 64  # entries of a matrix that are made simpler one by one
_RANDOM = 300  # points of mixed numbers, after the simple ones

# sizes and matrices by name; left and right as matrices; exact: fractions, or floats; units: of functions' arguments
Witness = namedtuple("Witness", "sizes matrices numbers left right exact units")


def counterexample(left: Term, right: Term) -> Witness | None:
    """The simplest witness that two terms differ, or None where none was found.

    >>> from symcount.algebra import apply, matrix
    >>> x, v, w = matrix("X", "n", "d"), matrix("W1", "d", "r"), matrix("W2", "r", "m")
    >>> found = counterexample(apply("relu", x * v) * w, x * (v * w))
    >>> found.matrices, found.left, found.right
    ({'X': [[1]], 'W1': [[-1]], 'W2': [[1]]}, [[0]], [[-1]])
    """
    used = _functions(left, right)
    units = " and ".join(sorted({one.unit for one in used if one.unit}))
    rational = all(any(one.exact(row) for row in _TRIED) for one in used)
    always = all(one.exact([Fraction(1, 3), Fraction(-7, 2)]) for one in used)  # then floats would say nothing new
    for real in (False,) if always else (False, True) if rational else (True,):
        for point in chain(_bounded(_points(left, right, real=real)), _bounded(_mixed(left, right, real=real))):
            if (sides := _differ(point, left, right)) is None:
                continue
            if units and not real and not _truly(left, right, point):
                continue
            ours, theirs = sides
            matrices = {name: _whole(rows) for name, rows in point.matrices.items()}
            return Witness(point.sizes, matrices, point.numbers, _whole(ours), _whole(theirs), not real,
                           "" if real else units)
    return None


def _bounded(points: Iterator[Point]) -> Iterator[Point]:
    """As many points as may be tried; one with many entries counts as several."""
    left = _MOST_TRIES
    for point in points:
        yield point
        left -= 1 + sum(len(rows) * len(rows[0]) for rows in point.matrices.values()) // 32
        if left < 0:
            return


def _differ(point: Point, left: Term, right: Term) -> tuple[Matrix, Matrix] | None:
    """Both sides at a point where they differ; None where they do not, or have no value."""
    try:
        ours, theirs = point.of(left), point.of(right)
    except (NotRationalError, OverflowError):
        return None
    return (ours, theirs) if (_apart(ours, theirs) if point.real else ours != theirs) else None


def _mixed(left: Term, right: Term, *, real: bool) -> Iterator[Point]:
    """Random points at which the sides differ, made simpler: entries that need not be there are 0."""
    rng = dice(1)
    for _ in range(_RANDOM):
        point = random_point((left, right), rng)
        if point is None:
            continue
        point.real = real
        if _differ(point, left, right) is None:
            yield point  # it counts
            continue
        for name, one in letters(left, right).items():
            rows = point.matrices.get(name, []) if not one.properties - {"data"} else []
            for i, row in enumerate(rows if len(rows) * len(rows[:1] and rows[0]) <= _SHOWN else []):
                for j, entry in enumerate(row):
                    row[j] = 0
                    if _differ(point, left, right) is None:
                        point.matrices[name][i][j] = entry
        yield point


def confirm(left: Term, right: Term, meant: Mapping[str, Term] | None = None, *, points: int = 3) -> None:
    """Compare two terms at random points: over the field of 2⁶¹ − 1 numbers, or exactly where functions stand.

    `meant` are letters that stand for terms, each after those that it uses.
    Raises ProofError where the sides differ, which means that a rule is wrong, and where no point could be tried.
    """
    meant = meant or {}
    terms = (*meant.values(), left, right)
    rng, used, done = dice(0), _functions(*terms), 0
    for tries in range(100 * points):
        if done == points:
            return
        largest = 3 + tries // 10  # as large as the shapes ask: a window of five needs five rows
        point = random_point(terms, rng, None if used else PRIME, but=meant, largest=largest)
        if point is None:
            continue
        try:
            equal = _meant(point, meant).of(left) == point.of(right)
        except NotRationalError:
            point.real = True
            try:
                equal = not _apart(_meant(point, meant).of(left), point.of(right))
            except (NotRationalError, OverflowError):
                continue
        done += 1
        if not equal:
            raise ProofError(f"{left} = {right} fails at {point.sizes}, {point.matrices}")
    raise ProofError(f"{clipped(str(left))} = {clipped(str(right))} could not be compared at any point: "
                     "no small sizes fit its shapes, or its numbers are too large for floats")


def _meant(point: Point, meant: Mapping[str, Term]) -> Point:
    """The point, at which each letter that stands for a term has its value."""
    for name, term in meant.items():
        point.matrices[name] = point.of(term)
    return point


def _points(left: Term, right: Term, *, real: bool) -> Iterator[Point]:
    """Points in order of sizes, then of simplicity."""
    terms = (left, right)
    names, numbers = sizes_of(*terms), numbers_of(*terms)
    for sizes in _growing(len(names)):
        given = dict(zip(names, sizes, strict=True))
        found = shapes(terms, given)
        if found is None:
            continue
        spots: list[Any] = []
        lists: list[list[Any]] = []
        for name, one in letters(*terms).items():
            places = Point({}, {}).places(one.over)
            for place in places:
                spots.append((name, *place) if one.over else name)
                lists.append(simple(one.properties, *found[name]))
        lists += [[1, 2, -1] for _ in numbers]
        for combination in _by_cost(lists):
            matrices = dict(zip(spots, combination[:len(spots)], strict=True))
            yield Point(given, matrices, dict(zip(numbers, combination[len(spots):], strict=True)), real=real)


def _growing(n: int) -> Iterator[tuple[int, ...]]:
    """Sizes from 1 to 3 for n letters, by their sum: few are ever asked for."""
    def with_sum(more: int, n: int) -> Iterator[tuple[int, ...]]:
        if n == 0:
            yield from [()] if more == 0 else []
            return
        for first in range(min(more, _LARGEST - 1) + 1):
            if more - first <= (n - 1) * (_LARGEST - 1):
                yield from ((first + 1, *rest) for rest in with_sum(more - first, n - 1))

    for more in range(n * (_LARGEST - 1) + 1):
        yield from with_sum(more, n)


def _by_cost(lists: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Combinations of one from each list, the cheapest first; at most so many of one set of sizes."""
    if not all(lists):
        return
    start = (0,) * len(lists)
    heap, seen = [(sum(_cost(one[0]) for one in lists), start)], {start}
    for _ in range(_MOST_OF_A_SIZE):
        if not heap:
            return
        _, place = heappop(heap)
        chosen = tuple(one[i] for one, i in zip(lists, place, strict=True))
        yield chosen
        for k, i in enumerate(place):
            after = (*place[:k], i + 1, *place[k + 1:])
            if i + 1 < len(lists[k]) and after not in seen:
                seen.add(after)
                heappush(heap, (sum(_cost(one[j]) for one, j in zip(lists, after, strict=True)), after))


def _whole(rows: Matrix) -> Matrix:
    """Fractions that are whole as ints."""
    return [[int(x) if not isinstance(x, float) and x.denominator == 1 else x for x in row] for row in rows]


def _cost(one: Any) -> int:
    return cost(one) if isinstance(one, list) else (1, 2, -1).index(one)


def _functions(*terms: Term) -> set[Any]:
    return {part.function for part in parts_of(*terms) if isinstance(part, Apply)}


def _apart(a: Matrix, b: Matrix) -> bool:
    return any(abs(x - y) > _TOLERANCE * (1 + abs(x)) for one, two in zip(a, b, strict=True)
               for x, y in zip(one, two, strict=True))


def _truly(left: Term, right: Term, point: Point) -> bool:
    """Whether the sides differ also for the functions as they are, and not only in the unit of the exact ones."""
    real = Point(point.sizes, point.matrices, point.numbers, counts=point.counts, real=True)
    return _apart(real.of(left), real.of(right))
