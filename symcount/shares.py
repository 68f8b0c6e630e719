"""Shares and differences that sentences say of models: "the MLPs hold half of the parameters", "40 % smaller than".

Only sentences in which nothing else stands between their parts are read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import namedtuple
from fractions import Fraction

from symcount.claims.chains import HEDGES
from symcount.claims.related import as_printed
from symcount.claims.units import PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from symcount.claims.page import Read
    from symcount.mentions import Heard, Mention

Share = namedtuple("Share", "label bound share low high names start end")
"""The share of all parameters that a part has, by its words.

bound   "more" or "less" where the share is one, "" where it is the share itself; low, high  between which it is true
names   the published names that its sentence gives; start, end  where the share stands in the document
"""

Difference = namedtuple("Difference", "names others ratio low high counted start end")
"""That one model has a share more or less than another, or so many times as much.

ratio     what is printed, of counts: one over the other; low, high  between which it is true
counted   whether the sentence says that parameters are compared
"""

_SHARES = ("%", "percent", "half", "third", "quarter", "fifth", "times", "x ", "×")
_OF = (*PARAMETERS, "weights")
_HEDGE = rf"(?:(?:{'|'.join(map(re.escape, sorted(HEDGES)))}) ?)?"
_WORDS = {"half": Fraction(1, 2), "one half": Fraction(1, 2), "a third": Fraction(1, 3), "one third": Fraction(1, 3),
          "two thirds": Fraction(2, 3), "a quarter": Fraction(1, 4), "one quarter": Fraction(1, 4),
          "three quarters": Fraction(3, 4), "a fifth": Fraction(1, 5), "one fifth": Fraction(1, 5)}
_NUMBER = r"([0-9]{1,3}(?:\.[0-9]{1,3})?)"
_HOLDS = re.compile(
    r"\b(?:holds?|makes? up|accounts? for|contains?|takes? up|ha(?:s|ve)|are|is) "
    r"(?:(more than|over|less than|under|at least|at most) )?" + _HEDGE +
    rf"(?:({'|'.join(word.replace(' ', '[ -]') for word in _WORDS)})|{_NUMBER} ?(?:%|percent)) "
    r"of (?:all |the |its |all the |all its )?(?:model's |total )?(?:parameters|weights|params)\b"
    r"(?! (?:of|in|that|which))")
_MORE, _LESS = {"more than", "over", "at least"}, {"less than", "under", "at most"}
_VAGUE = Fraction(1, 20)  # of a share in words
_THAN = re.compile(
    r"(?: \([^()]{1,30}\))? (?:is|has|are|have) " + _HEDGE + _NUMBER + r" ?(%|percent|times|x|×) "
    r"(smaller|larger|bigger|(?:fewer|less|more) (?:parameters|weights)) than (?:the |original |its teacher ){0,2}")
_PERCENT = ("%", "percent")
_UP = ("larger", "bigger", "more")


def likely(read: Read) -> bool:
    """Whether a passage may state one: a cheap look before a dear one."""
    text = read.passage.text
    return read.passage.kind in ("text", "item") and any(word in text for word in _SHARES) and (
        " than " in text or any(f" {word}" in text for word in _OF))


def held(read: Read, heard: Heard) -> Iterator[Share]:
    """The shares of all parameters that sentences give to a part."""
    text, base = read.passage.text, read.passage.start
    for one in _HOLDS.finditer(text):
        start, end = heard.bounds(one.start())
        inside = [mention for mention in heard.mentions if start <= mention.start < end]
        if len(inside) > 1:
            continue
        label = text[start:one.start()]
        for mention in inside[:1]:
            if mention.start < one.start():
                label = text[start:mention.start] + text[mention.end:one.start()]
        at = 2 if one[2] else 3
        share = _WORDS[one[2].replace("-", " ")] if one[2] else None
        low, middle, high = (share - _VAGUE, share, share + _VAGUE) if share else _printed(read, base + one.start(at))
        bound = "more" if one[1] in _MORE else "less" if one[1] in _LESS else ""
        if middle is not None:
            yield Share(label.strip(" ,"), bound, middle, low, high, inside[0].names if inside else (),
                        base + one.start(at), base + one.end(at))


def differences(read: Read, found: Sequence[Mention]) -> Iterator[Difference]:
    """How much smaller or larger sentences say that one model is than another."""
    text, base = read.passage.text, read.passage.start
    by_start = {mention.start: mention for mention in found}
    for mention in found if len(found) > 1 and " than " in text else ():
        one = _THAN.match(text, mention.end)
        other = by_start.get(one.end()) if one else None
        if one is None or other is None:
            continue
        _, unit, what = one.groups()
        ratio = _larger if what.startswith(_UP) else _smaller
        ends = [end for each in _printed(read, base + one.start(1)) if each is not None
                and (end := ratio(each, unit)) is not None]
        if len(ends) == 3:
            yield Difference(mention.names, other.names, ends[1], min(ends), max(ends), " " in what,
                             base + one.start(1), base + one.end(1))


def _printed(read: Read, place: int) -> tuple[Any, Any, Any]:
    """The least value, the value and the largest of the figure at a place; None where no figure is read there."""
    at = bisect_left(read.tokens, place, key=lambda token: token.start)
    if at == len(read.tokens) or read.tokens[at].start != place or read.tokens[at].figure is None:
        return None, None, None
    figure = as_printed(read, at)
    return figure.value - figure.place / 2, figure.value, figure.value + figure.place / 2


def _larger(value: Fraction, unit: str) -> Fraction | None:
    """One count over the other, where it is so many percent, or times, larger; None for what cannot be."""
    return 1 + value if unit in _PERCENT else value if value > 0 else None


def _smaller(value: Fraction, unit: str) -> Fraction | None:
    if unit in _PERCENT:
        return 1 - value if value < 1 else None
    return 1 / value if value > 0 else None
