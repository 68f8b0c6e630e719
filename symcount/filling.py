"""Columns of sizes to columns of counts, block by block: conditions first, then values, never a wrapped number.

Before a step runs in 64 bits, the numbers that it can come to are bounded exactly from the block's own columns; where
one could be beyond 64 bits, the block is computed with Python's ints.
"""

from __future__ import annotations

from collections import namedtuple
from itertools import product

from symcount.compiling import RESULT, interval, run
from symcount.errors import SizeError
from symcount.given import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from symcount.compiling import Check

UNBUILDABLE = -1  # stands where there is no count
BLOCK = 32_768  # points that are computed together: columns, results and what is between them stay in the cache
_WIDEST = 2**63 - 1
_MOST_EXACT = 2**20  # points with numbers beyond 64 bits, of which each takes some 40 bytes and a microsecond a step

# axes: {letter: along which axis it lies}; lows: {letter: its least value}; programs: {name: (top, bottom or None)};
# checks: what decides whether a point can be built, each point being refused for the first that fails
Plan = namedtuple("Plan", "axes lows programs checks")
# results: {name: array}; buildable: an array, or None where it was not asked for; reasons: {words: [points, the first]}
Filled = namedtuple("Filled", "results buildable reasons")


def fill(np: Any, plan: Plan, columns: Mapping[str, Any], names: Iterable[str], *, marking: bool, total: int,
         growing: bool, along: Callable[[Any], Iterable[Any]] = iter) -> Filled:
    """The values of the named programs at every point of the grid that the columns span.

    marking   points that cannot be built get -1, and buildable says which; else values are left out once one was found
    total     points of the whole sweep, of which these may be a part
    growing   results may become Python's ints where 64 bits do not hold them
    along     wraps the blocks, to show how far it is

    Raises SizeError for a value that is no whole number, and where numbers beyond 64 bits are too many or unwanted.
    """
    shape = shape_of(plan.axes, columns)
    results = {name: np.empty(shape, np.int64) for name in names}
    buildable = np.ones(shape, bool) if marking else None
    reasons: dict[str, list[Any]] = {}
    work = _Work(np, plan, total)
    for at in along([*blocks(shape, BLOCK)]):
        bad = work.enter({name: columns[name][at[axis]] for name, axis in plan.axes.items()}, reasons, results)
        if buildable is None and reasons:
            continue  # they will be refused: what is left to do is to count
        if buildable is not None and bad is not None:
            buildable[at] = ~bad
        for name, made in [*results.items()]:
            out = made[at]
            value = work.value(name, out, bad)
            if name in work.wide and made.dtype != object and (beyond := np.abs(value) > _WIDEST).any():
                if not growing:
                    raise SizeError(f"{name} is beyond 64 bits at {work.point(beyond)}; such numbers are exact in a "
                                    "sweep without chunks")
                results[name] = made.astype(object)
            if value is not out:
                results[name][at] = value
    return Filled(results, buildable, reasons)


def shape_of(axes: Mapping[str, int], columns: Mapping[str, Any]) -> tuple[int, ...]:
    """How many values there are along each axis."""
    return tuple(len(columns[next(name for name, axis in axes.items() if axis == i)])
                 for i in range(max(axes.values()) + 1))


def tiles(shape: tuple[int, ...], points: int) -> tuple[int, ...]:
    """How long blocks of so many points are along each axis, so that they are whole runs of points in order.

    >>> tiles((4, 10, 10), 50)
    (1, 5, 10)
    """
    found: list[int] = []
    for n in reversed(shape):
        found.append(max(1, min(n, points)))
        points //= found[-1]
    return tuple(reversed(found))


def blocks(shape: tuple[int, ...], points: int) -> Iterator[tuple[slice, ...]]:
    """Slices that cut a grid into blocks of at most so many points."""
    steps = tiles(shape, points)
    for start in product(*(range(0, n, step) for n, step in zip(shape, steps, strict=True))):
        yield tuple(slice(i, min(i + step, n)) for i, step, n in zip(start, steps, shape, strict=True))


class _Work:
    """What blocks share: the plan, buffers, and what was found out about numbers of so many bits."""

    def __init__(self, np: Any, plan: Plan, total: int) -> None:
        self.np, self.plan, self.total = np, plan, total
        self.columns: dict[str, Any] = {}
        self.shape: tuple[int, ...] = ()
        self.buffers: dict[str, dict[str, Any]] = {}
        self.known: dict[tuple[int, ...], tuple[list[tuple[Check, bool]], set[str]]] = {}
        self.wide: set[str] = set()

    def enter(self, flat: dict[str, Any], reasons: dict[str, list[Any]], names: Iterable[str]) -> Any:
        """Begin a block: where it cannot be built, None where it can everywhere; the reasons are added up."""
        np, axes = self.np, self.plan.axes
        shape = shape_of(axes, flat)
        if shape != self.shape:
            self.shape, self.buffers = shape, {}
        bad, key = None, []
        self.columns = {}
        for name, raw in flat.items():
            column = np.asarray(raw, np.int64)
            self.columns[name] = column.reshape([-1 if i == axes[name] else 1 for i in range(len(shape))])
        for name, column in self.columns.items():
            low, high, least = int(np.minimum.reduce(column, None)), _ored(np, column), self.plan.lows[name]
            if low < least or high > LARGEST:
                bad = self.blame((column < least) | (column > LARGEST), bad, reasons, (name,),
                                 f"{name} is no whole number from {least:,} to {LARGEST:,}")
                self.columns[name] = np.clip(column, least, LARGEST)
                high = _ored(np, self.columns[name])
            key.append(high.bit_length())
        checks, self.wide = self.bounded(tuple(key), names)
        for check, wide in checks:
            fails = _fails(np, check, self.ints() if wide else self.columns)
            if fails.any():
                bad = self.blame(fails, bad, reasons, check.letters, check.says)
        return bad

    def blame(self, fails: Any, bad: Any, reasons: dict[str, list[Any]], letters: tuple[str, ...], says: str) -> Any:
        """All points that cannot be built; those that could until now are counted for this reason."""
        newly = fails if bad is None else fails & ~bad
        if newly.any():
            times = self.np.prod(self.shape, dtype=object) // newly.size
            counted = reasons.setdefault(says, [0, self.point(newly, letters)])
            counted[0] += int(newly.sum()) * times
        return fails if bad is None else fails | bad

    def point(self, where: Any, letters: Iterable[str] | None = None) -> str:
        """The sizes at the first point of these, as messages say them."""
        at = self.np.unravel_index(where.argmax(), where.shape)
        axes = self.plan.axes
        return ", ".join(f"{name} = {int(self.columns[name].flat[at[axes[name]]]):,}" for name in letters or axes)

    def ints(self) -> dict[str, Any]:
        """The columns as Python's ints, of which there may not be too many."""
        if self.total > _MOST_EXACT:
            raise SizeError(f"these sizes make numbers beyond 64 bits, which are exact for {_MOST_EXACT:,} points at "
                            f"most, and there are {self.total:,}; sweep fewer, or smaller sizes")
        return {name: column.astype(object) for name, column in self.columns.items()}

    def bounded(self, bits: tuple[int, ...], names: Iterable[str]) -> tuple[list[tuple[Check, bool]], set[str]]:
        """The checks that sizes of so many bits may fail, and whether beyond 64 bits; the programs that may be so."""
        if bits not in self.known:
            highs = {name: max(2**n - 1, self.plan.lows[name]) for name, n in zip(self.columns, bits, strict=True)}
            found = self.judged(highs, names)
            if not (found[1] or any(wide for _, wide in found[0])):
                self.known[bits] = found
                return found
            # of these columns alone, not of all with so many bits
            return self.judged({name: int(column.max()) for name, column in self.columns.items()}, names)
        return self.known[bits]

    def judged(self, highs: Mapping[str, int], names: Iterable[str]) -> tuple[list[tuple[Check, bool]], set[str]]:
        """The same for letters up to these values."""
        lows = self.plan.lows
        checks = [(check, _wide((check.left, check.right), lows, highs))
                  for check in self.plan.checks if not holds(check, lows, highs)]
        return checks, {name for name in names if _wide(self.plan.programs[name], lows, highs)}

    def value(self, name: str, out: Any, bad: Any) -> Any:
        """The values of a program in this block: `out`, written to, or another array."""
        np, (top, bottom) = self.np, self.plan.programs[name]
        wide = name in self.wide
        columns = self.ints() if wide else self.columns
        made = dict(columns) if wide else self.buffers.setdefault(name, {})
        made.update(columns)
        made[RESULT] = out if bottom is None and not wide and out.dtype != object else None
        found = run(np, top, made)
        if bottom is not None:
            found = self.divided(name, found, run(np, bottom, dict(columns)), bad)
        if found is out and bad is not None:
            np.copyto(out, UNBUILDABLE, where=bad)
        elif found is not out:
            found = np.asarray(found, object if wide else None)
            found = found if bad is None else np.where(bad, UNBUILDABLE, found)
            found = found.reshape(found.shape or (1,) * len(self.shape))
        return found

    def divided(self, name: str, top: Any, bottom: Any, bad: Any) -> Any:
        """The exact quotient; where a point cannot be built, any number."""
        bottom = bottom + (bottom == 0)
        found = top // bottom
        wrong = self.np.asarray(found * bottom != top)
        wrong = wrong if bad is None else wrong & ~bad
        if wrong.any():
            raise SizeError(f"{name} is no whole number at {self.point(wrong)}, and a sweep has whole numbers alone: "
                            "one fraction would make fractions of a whole column")
        return found


def _ored(np: Any, column: Any) -> int:
    """A number that has every bit of a column: no value is larger, and it is negative where one is."""
    found = int(np.bitwise_or.reduce(column, None))
    return found if found >= 0 else int(column.max()) if column.max() > 0 else 0


def _wide(programs: Iterable[Any], lows: Mapping[str, int], highs: Mapping[str, int]) -> bool:
    """Whether a step of these could come to a number beyond 64 bits."""
    widest: list[int] = []
    for one in programs:
        if one is not None:
            interval(one.form, lows, highs, widest)
    return max(widest, default=0) > _WIDEST


def holds(check: Check, lows: Mapping[str, int], highs: Mapping[str, int]) -> bool:
    """Whether a check holds by construction, for all letters within these bounds."""
    (a, b), (c, d) = (interval(side.form, lows, highs) for side in (check.left, check.right))
    if check.relation == "divides":
        known = c % a == 0 if a == b != 0 and c == d else c == d == 0
        return a == b == 1 or (known and not a <= 0 <= b)
    return b <= c if check.relation == "at most" else a == b == c == d


def _fails(np: Any, check: Check, columns: dict[str, Any]) -> Any:
    """Where a check does not hold."""
    left, right = (run(np, side, dict(columns)) for side in (check.left, check.right))
    if check.relation == "at most":
        return np.asarray(left > right)
    if check.relation == "is":
        return np.asarray(left != right)
    if isinstance(left, int) and left > 0 and left & (left - 1) == 0:
        return np.asarray(right & (left - 1) != 0)
    zero = left == 0
    left = left + zero
    return np.asarray(zero | (right // left * left != right))

