"""Columns of sizes to columns of counts, block by block: conditions first, then values, never a wrapped number.

Before a step runs in 64 bits, the numbers that it can come to are bounded exactly from the block's own columns; where
one could be beyond 64 bits, the block is computed with Python's ints.
"""

from __future__ import annotations

from collections import namedtuple
from itertools import product

from symcount.compiling import RESULT, interval, program, run, step
from symcount.errors import SizeError
from symcount.given import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from symcount.compiling import Check

    _Reasons = dict[str, list[Any]]  # {what is the matter: [so many points, the first of them]}

UNBUILDABLE = -1  # stands where there is no count
BLOCK = 131_072  # points that are computed together, large enough for Python not to matter, in a few MiB
_WIDEST = 2**63 - 1
_MOST_EXACT = 2**20  # points with numbers beyond 64 bits, of which each takes some 40 bytes and a microsecond a step

# axes: {letter: along which axis it lies}; lows: {letter: its least value}; programs: {name: (top, bottom or None)};
# checks: what decides whether a point can be built, each point being refused for the first that fails
Plan = namedtuple("Plan", "axes lows programs checks")
# of a column: no value is less than low, or more than high, and all are multiples of step, a power of two
_Fact = namedtuple("_Fact", "low high step")
# checks: (check, whether beyond 64 bits) each; wide: the programs that may come to numbers beyond 64 bits
_Judged = namedtuple("_Judged", "checks programs wide")
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
    todo = [*blocks(shape, BLOCK)]
    while True:
        reasons: _Reasons = {}
        work = _Work(np, plan, total)
        try:
            for at in along(todo):
                bad = work.enter({name: columns[name][at[axis]] for name, axis in plan.axes.items()}, reasons, results)
                if buildable is None and reasons:
                    continue  # they are refused: what is left to do is to count
                if buildable is not None and bad is not None:
                    buildable[at] = ~bad
                for name, whole in results.items():
                    out = whole[at]
                    value = work.value(name, out, bad)
                    if value is not out:
                        out[...] = value
        except _BeyondError as beyond:
            if not growing:
                raise SizeError(f"{beyond}; such numbers are exact in a sweep without chunks") from None
            results[beyond.name] = np.empty(shape, object)
        else:
            return Filled(results, buildable, reasons)


class _BeyondError(Exception):
    """A result is beyond 64 bits, and its column has no room for it."""

    def __init__(self, name: str, point: str) -> None:
        super().__init__(f"{name} is beyond 64 bits at {point}")
        self.name = name


def shape_of(axes: Mapping[str, int], columns: Mapping[str, Any]) -> tuple[int, ...]:
    """How many values there are along each axis.

    >>> shape_of({"d": 0, "L": 1, "heads": 0}, {"d": [512, 768], "L": [6, 12, 24], "heads": [8, 12]})
    (2, 3)
    """
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
    lengths = tiles(shape, points)
    for start in product(*(range(0, n, length) for n, length in zip(shape, lengths, strict=True))):
        yield tuple(slice(i, min(i + length, n)) for i, length, n in zip(start, lengths, shape, strict=True))


class _Work:
    """What blocks share: the plan, buffers, and what was found out about sizes of so many bits."""

    def __init__(self, np: Any, plan: Plan, total: int) -> None:
        self.np, self.plan, self.total = np, plan, total
        self.shape: tuple[int, ...] = ()
        self.columns: dict[str, Any] = {}  # and those in 32 bits that have room in them, as d:32
        self.buffers: dict[str, dict[str, Any]] = {}
        self.narrow: dict[str, Any] = {}
        self.known: dict[tuple[_Fact, ...], _Judged] = {}
        self.judged = _Judged((), {}, set())

    def enter(self, flat: dict[str, Any], reasons: _Reasons, names: Iterable[str]) -> Any:
        """Begin a block: where it cannot be built, None where it can everywhere; the reasons are added up."""
        np, axes = self.np, self.plan.axes
        shape = shape_of(axes, flat)
        if shape != self.shape:
            self.shape, self.buffers = shape, {}
        bad, facts = None, []
        self.columns = {}
        for name, raw in flat.items():
            along = [-1 if i == axes[name] else 1 for i in range(len(shape))]
            self.columns[name] = column = np.asarray(raw, np.int64).reshape(along)
            least, fact = self.plan.lows[name], self.fact(name)
            if fact.low < least or fact.high > LARGEST:
                bad = self.blame((column < least) | (column > LARGEST), bad, reasons, (name,),
                                 f"{name} is no whole number from {least:,} to {LARGEST:,}")
                self.columns[name] = np.clip(column, least, LARGEST)
                fact = self.fact(name)
            facts.append(fact)
        judged = self.known.get(tuple(facts)) or self.judge(tuple(facts), names)
        if judged is not self.judged:
            self.judged, self.buffers = judged, {}
        for check, wide in judged.checks:
            fails = _fails(np, check, self.ints() if wide else self.columns)
            if fails.any():
                bad = self.blame(fails, bad, reasons, check.letters, check.says)
        return bad

    def fact(self, name: str) -> _Fact:
        """What is known of a column, so roughly that most blocks are alike; where it has room, a copy in 32 bits."""
        np, column = self.np, self.columns[name]
        bits = int(np.bitwise_or.reduce(column, None))  # no number is larger, and some number is negative if it is
        small = 0 <= bits < 2**31
        if small:
            kept = self.narrow.get(name)
            if kept is None or kept.shape != column.shape:
                kept = self.narrow[name] = np.empty(column.shape, np.int32)
            np.copyto(kept, column, casting="unsafe")
            self.columns[f"{name}:32"] = column = kept
        if bits < 0:
            return _Fact(int(column.min()), 2 ** max(int(column.max()), 0).bit_length() - 1, 1)
        high, divisor = 2 ** bits.bit_length() - 1, bits & -bits
        low = int(np.minimum.reduce(column, None)) if self.plan.lows[name] > 0 else 0
        return _Fact(2 ** (low.bit_length() - 1) if low else 0, high, divisor)

    def blame(self, fails: Any, bad: Any, reasons: _Reasons, letters: tuple[str, ...], says: str) -> Any:
        """All points that cannot be built; those that could until now are counted for this reason."""
        newly = fails if bad is None else fails & ~bad
        if newly.any():
            times = self.np.prod(self.shape, dtype=object) // newly.size
            counted = reasons.setdefault(says, [0, self.point(newly, letters)])
            counted[0] += int(newly.sum()) * times
        return fails if bad is None else fails | bad

    def point(self, where: Any, letters: Iterable[str] | None = None) -> str:
        """The sizes at the first point of these, as messages say them."""
        where = where.reshape(where.shape or (1,) * len(self.shape))
        at = self.np.unravel_index(where.argmax(), where.shape)
        axes = self.plan.axes
        return ", ".join(f"{name} = {int(self.columns[name].flat[at[axes[name]]]):,}" for name in letters or axes)

    def ints(self) -> dict[str, Any]:
        """The columns as Python's ints, of which there may not be too many."""
        if self.total > _MOST_EXACT:
            raise SizeError(f"these sizes make numbers beyond 64 bits, which are exact for {_MOST_EXACT:,} points at "
                            f"most, and there are {self.total:,}; sweep fewer, or smaller sizes")
        return {name: self.columns[name].astype(object) for name in self.plan.axes}

    def judge(self, facts: tuple[_Fact, ...], names: Iterable[str]) -> _Judged:
        """What is to be done where columns are such."""
        known = dict(zip(self.plan.axes, facts, strict=True))
        found = self.judged_by(known, names)
        if found.wide or any(wide for _, wide in found.checks):  # then it is worth while to know the columns exactly
            return self.judged_by({name: one._replace(high=int(self.columns[name].max()))
                                   for name, one in known.items()}, names)
        self.known[facts] = found
        return found

    def judged_by(self, facts: Mapping[str, _Fact], names: Iterable[str]) -> _Judged:
        """The checks that may fail, and the steps of programs, for sizes of which this is known."""
        lows, highs, steps = ({name: one[i] for name, one in facts.items()} for i in range(3))
        checks = [(check, _wide((check.left, check.right), lows, highs))
                  for check in self.plan.checks if not certain(check, lows, highs, steps)]
        wide = {name for name in names if _wide(self.plan.programs[name], lows, highs)}
        programs = {name: self.plan.programs[name] for name in names}
        programs.update((name, (program(top.form, self.plan.axes, lows, highs), None))
                        for name, (top, bottom) in programs.items() if bottom is None and name not in wide)
        return _Judged(checks, programs, wide)

    def value(self, name: str, out: Any, bad: Any) -> Any:
        """The values of a program in this block: `out`, written to, or another array."""
        np, (top, bottom) = self.np, self.judged.programs[name]
        wide = name in self.judged.wide
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
        if wide and out.dtype != object and (beyond := np.abs(found) > _WIDEST).any():
            raise _BeyondError(name, self.point(np.asarray(beyond)))
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


def _wide(programs: Iterable[Any], lows: Mapping[str, int], highs: Mapping[str, int]) -> bool:
    """Whether a step of these could come to a number beyond 64 bits."""
    widest: list[int] = []
    for one in programs:
        if one is not None:
            interval(one.form, lows, highs, widest)
    return max(widest, default=0) > _WIDEST


def certain(check: Check, lows: Mapping[str, int], highs: Mapping[str, int], steps: Mapping[str, int]) -> bool:
    """Whether a check is seen to hold for all letters within these bounds that are multiples of these steps."""
    (a, b), (c, d) = (interval(side.form, lows, highs) for side in (check.left, check.right))
    if check.relation != "divides":
        return b <= c if check.relation == "at most" else a == b == c == d
    if a == b != 0:
        return c % a == 0 if c == d else step(check.right.form, steps) % a == 0
    return c == d == 0 and not a <= 0 <= b


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

