"""Figures in prose that repeat a wrong figure, rounded perhaps, or multiply or divide it: they carry its error.

Only what is wrong is followed, and only figures that tell enough: two digits with a scale, or many digits.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.claims.stating import hedged
from symcount.claims.units import comparable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.figures import Figure
    from symcount.claims.page import Page, Read

_ENDS = (".", "\n\n", "?", "!", ";")
_NEAR = 4  # passages back in which a figure may be multiplied without being printed again

Echo = namedtuple("Echo", "figure true lines says")
"""A figure that carries an error, what it should be, the lines of the errors, and how it comes from a wrong figure."""


def echoes(read: Read, page: Page) -> Iterator[Echo]:
    """The figures of a passage, in no relation, that repeat or use a wrong figure."""
    if not page.corrections():
        return
    computed = {figure.start for one in read.relations for side in (one.left, one.right) for figure in side.written()}
    for at, token in enumerate(read.tokens):
        if token.figure is None or page.covered(token.figure) or token.start in computed:
            continue
        figure = token.figure.rounded() if hedged(read, at) else token.figure
        if not _tells(figure):
            continue
        found = _restated(figure, page) or _computed(figure, at, read, page)
        if found:
            yield found


def _tells(figure: Figure) -> bool:
    """Whether a figure has digits enough to be told from others."""
    digits = figure.value / figure.place if figure.place else 0
    return digits >= 10 and (figure.scale != 1 or abs(figure.value) >= 1000 or (figure.unit is not None and (
        figure.unit.kind == "times")))


def _restated(figure: Figure, page: Page) -> Echo | None:
    for number, found in page.corrections():
        if figure.holds(number) and not figure.holds(found.value):
            return Echo(figure, found.value, found.lines, "it repeats a figure that carries the error")
    return None


def _sentence(at: int, read: Read) -> tuple[int, int]:
    """The tokens of the sentence around a token, as first and last."""
    ends = [i for i, token in enumerate(read.tokens) if token.kind == "stop" and token.text in _ENDS]
    return max((i + 1 for i in ends if i < at), default=0), min((i for i in ends if i > at), default=len(read.tokens))


def _computed(figure: Figure, at: int, read: Read, page: Page) -> Echo | None:
    """A product of a wrong figure and another of the sentence, or how often one is in the other."""
    first, last = _sentence(at, read)
    sentence = [token.figure for token in read.tokens[first:last]
                if token.figure and token.figure.start != figure.start]
    ratio = figure.unit is not None and figure.unit.kind == "times"
    before = page.reads[max(0, read.number - _NEAR):read.number]
    near = [token.figure for tokens in (*(one.tokens for one in before), read.tokens[:first]) for token in tokens
            if token.figure]
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
