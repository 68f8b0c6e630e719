"""Sets of whole numbers, as arithmetic progressions that do not overlap."""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction
from itertools import pairwise
from math import gcd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Run(namedtuple("Run", "first last step")):
    """The numbers first, first + step, …, last; without end where `last` is None."""

    __slots__ = ()

    def after(self, number: int) -> int | None:
        """The least member above a number."""
        if number < self.first:
            return int(self.first)
        found = number + self.step - (number - self.first) % self.step
        return None if self.last is not None and found > self.last else int(found)

    def before(self, number: int) -> int | None:
        """The greatest member below a number."""
        if number <= self.first:
            return None
        found = number - 1 - (number - 1 - self.first) % self.step
        return int(found if self.last is None else min(found, self.last))

    def many(self) -> int | None:
        """How many there are, None without end."""
        return None if self.last is None else int((self.last - self.first) // self.step + 1)


def first(runs: Sequence[Run]) -> int | None:
    """The least member of a set.

    >>> first([Run(6, 12, 3), Run(4, None, 9)])
    4
    """
    return min((run.first for run in runs), default=None)


def last(runs: Sequence[Run]) -> int | None:
    """The greatest member of a set that has an end, else None.

    >>> last([Run(6, 12, 3), Run(4, 10, 6)]), last([Run(4, None, 9)])
    (12, None)
    """
    return None if not runs or any(run.last is None for run in runs) else max(run.last for run in runs)


def after(runs: Sequence[Run], number: int) -> int | None:
    """The least member above a number; None above the last.

    >>> after([Run(6, 12, 3), Run(4, 10, 6)], 9)
    10
    """
    return min((found for run in runs if (found := run.after(number)) is not None), default=None)


def before(runs: Sequence[Run], number: int) -> int | None:
    """The greatest member below a number; None below the first.

    >>> before([Run(6, 12, 3), Run(4, 10, 6)], 9)
    6
    """
    return max((found for run in runs if (found := run.before(number)) is not None), default=None)


def many(runs: Sequence[Run]) -> int | None:
    """How many members a set has, None without end.

    >>> many([Run(6, 12, 3), Run(4, 10, 6)])
    5
    """
    counts = [run.many() for run in runs]
    return None if None in counts else sum(number for number in counts if number is not None)


def members(runs: Sequence[Run], low: int = 0) -> Iterator[int]:
    """The members from `low` on, in order.

    >>> list(members([Run(6, 12, 3), Run(4, 10, 6)], 5))
    [6, 9, 10, 12]
    """
    number = after(runs, low - 1)
    while number is not None:
        yield number
        number = after(runs, number)


def stride(runs: Sequence[Run]) -> int | None:
    """The step from each member of a set to the next; None where it is not always the same, or there are but two.

    >>> stride([Run(2, 8, 6), Run(5, None, 6), Run(14, None, 6)]), stride([Run(1, None, 2), Run(2, None, 3)])
    (3, None)
    """
    if (many(runs) or 3) < 3:
        return None if many(runs) == 2 else 1
    if all(run.first == run.last for run in runs):
        numbers = sorted(run.first for run in runs)
        steps = {b - a for a, b in pairwise(numbers)}
        return steps.pop() if len(steps) == 1 else None
    step = gcd(*(run.step for run in runs), *(run.first - runs[0].first for run in runs))
    classes = {(run.step, run.first % run.step) for run in runs}
    return step if sum(Fraction(step, every) for every, _ in classes) == 1 else None


def turns(low: Sequence[Run], high: Sequence[Run], most: int) -> list[tuple[int, int]]:
    """(one, next): where a set, taken together from `low` and `high`, goes over from one of the two to the other.

    The first `most` of them: there may be turns without end.

    >>> turns([Run(1, 9, 2)], [Run(10, None, 2)], 5)
    [(9, 10)]
    >>> turns([Run(2, 8, 6)], [Run(1, None, 2)], 9)
    [(1, 2), (2, 3), (7, 8), (8, 9)]
    """
    starts = [(number, i) for i, number in enumerate((first(low), first(high))) if number is not None]
    if len(starts) < 2:
        return []
    number, i = min(starts)
    here, there = (high, low) if i else (low, high)
    found: list[tuple[int, int]] = []
    while len(found) < most and (across := after(there, number)) is not None:
        found.append((before(here, across) or number, across))
        number, here, there = across, there, here
    return found
