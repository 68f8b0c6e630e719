"""Figures in prose that repeat a wrong figure, rounded perhaps, or multiply or divide it: they carry its error.

Only what is wrong is followed, and only figures that tell enough: two digits with a scale, or many digits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import namedtuple
from fractions import Fraction
from itertools import combinations

from symcount.claims.related import as_printed
from symcount.claims.units import comparable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from symcount.claims.figures import Figure
    from symcount.claims.page import Page, Read

_TELLING, _RESULTS = 10_000, 12  # the least total, and of so many results
_WIDE = 60  # tokens around a figure
_NEAR = 4  # passages back in which a figure may be multiplied without being printed again

Echo = namedtuple("Echo", "figure true lines says")
"""A figure that carries an error, what it should be, the lines of the errors, and how it comes from a wrong figure."""


def echoes(read: Read, page: Page) -> Iterator[Echo]:
    """The figures of a passage, in no relation, that repeat or use a wrong figure."""
    if not page.wrong():
        return
    stops = [i for i, token in enumerate(read.tokens) if token.ends]
    computed = read.computed()
    for at, token in enumerate(read.tokens):
        if token.figure is None or page.covered(token.figure) or token.start in computed:
            continue
        figure = as_printed(read, at)
        if not _tells(figure):
            continue
        found = _restated(figure, page) or _added(figure, page) or _computed(figure, at, stops, read, page)
        if found:
            yield found


def _tells(figure: Figure) -> bool:
    """Whether a figure has digits enough to be told from others."""
    digits = figure.value / figure.place if figure.place else 0
    return digits >= 10 and (figure.scale != 1 or abs(figure.value) >= 1000 or (figure.unit is not None and (
        figure.counts == "times")))


def _restated(figure: Figure, page: Page) -> Echo | None:
    for number, found in page.corrections():
        if figure.holds(number) and not figure.holds(found.value):
            return Echo(figure, found.value, found.lines, "it repeats a figure that carries the error")
    return None


def _added(figure: Figure, page: Page) -> Echo | None:
    """The sum of results that follow each other, or of two, printed without a plus sign: a total under a list."""
    last = page.results[-_RESULTS:] if figure.exact and figure.value >= _TELLING else []
    runs = [last[first:stop] for first in range(len(last)) for stop in range(first + 2, len(last) + 1)]
    for parts in (*runs, *combinations(last, 2)):
        true = sum((page.true(one) for one in parts), Fraction(0))
        if true != figure.value == sum(one.value for one in parts):
            lines = {line for one in parts if (found := page.correction(one)) for line in found.lines}
            return Echo(figure, true, tuple(sorted(lines)), "it adds up figures of which one is wrong")
    return None


def _computed(figure: Figure, at: int, stops: Sequence[int], read: Read, page: Page) -> Echo | None:
    """A product of a wrong figure and another of the sentence, or how often one is in the other."""
    index = bisect_left(stops, at)
    first = max(stops[index - 1] + 1 if index else 0, at - _WIDE)
    last = min(stops[index] if index < len(stops) else len(read.tokens), at + _WIDE)
    sentence = [token.figure for token in read.tokens[first:last]
                if token.figure and token.figure.start != figure.start]
    ratio = figure.counts == "times"
    before = page.reads[max(0, read.number - _NEAR):read.number]
    said = (*(one.tokens[-_WIDE:] for one in before), read.tokens[max(0, first - _WIDE):first])
    near = [token.figure for tokens in said for token in tokens if token.figure]
    three = figure.value >= 100 * figure.place
    for wrong in (*sentence, *reversed(near)):
        found = page.correction(wrong)
        if found is None or not (three or ratio or wrong in sentence):
            continue
        for other in sentence:
            if other == wrong or not other.value:
                continue
            pairs = ((wrong.value / other.value, found.value / other.value) if ratio else
                     (wrong.value * other.value, found.value * other.value))
            if figure.holds(pairs[0]) and not figure.holds(pairs[1]) and (ratio or comparable(wrong.unit, figure.unit)):
                return Echo(figure, pairs[1], found.lines, "it is computed from a figure that carries the error")
    return None
