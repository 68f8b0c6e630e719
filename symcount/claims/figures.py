r"""Figures as people print them: `40{,}000`, `4.7M`, `6.61 billion`, `1.1e8`, `13.5 GB`, `10⁹`, `40 %`.

A figure is true if the exact value rounds to the digits printed: trailing zeros of an integer before a scale or after a
word such as "about" carry no information (110M has two digits), zeros after a decimal point do.
"""

from __future__ import annotations

import re
from collections import namedtuple
from fractions import Fraction
from functools import lru_cache

from symcount.claims.units import BYTES, SCALES, TABLE, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ONE = Fraction(1)
_whole = lru_cache(maxsize=4096)(Fraction)  # the same figures come again and again, and a fraction is slow to make
_LONGEST = 60  # digits of a number that is evaluated
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
# One separator throughout; a blank separates only where two groups follow, for "12 100" is mostly two numbers.
_GROUPED = re.compile(r"[0-9]{1,3}(?:(?:,[0-9]{3})+|(?:\{,\}[0-9]{3})+|(?:\\[,;:! ][0-9]{3})+|(?:_[0-9]{3})+"
                      r"|(?:['’][0-9]{3})+|(?:[\u00a0\u2009\u202f][0-9]{3})+| [0-9]{3}(?: [0-9]{3})+)(?![0-9])"
                      r"(?:\.[0-9]+)?")
_PLAIN = re.compile(r"[0-9]+(?:_[0-9]{3})*(?:\.[0-9]+)?|\.[0-9]+")
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]{1,3})(?![0-9A-Za-z.])")
_POWER = re.compile(r"[0-9](?:\.([0-9]{1,9}))?([eE]\+?)[0-9]{1,3}")
# What may follow the digits of a number at once; anything else there makes it no number that we read.
_FOREIGN = re.compile(r"[,.:_'’][0-9]|\{,\}[0-9]|[0-9]")


class Figure(namedtuple("Figure", "start end value place exact scale unit mark")):
    """A number as it was printed.

    start, end  the span of digits, scale and unit prefix: what would be replaced
    value       in plain units: 13.5 GB is 13.5 · 10^9
    place       what a one in the last significant digit is worth
    exact       whether it is no rounding where others are computed from it: an integer without a scale, 7e9
    scale       what the digits are multiplied by: 10^6 in 4.7M, 10^9 in 13.5 GB, 1/100 in 40 %
    unit        the Unit, None where none is printed
    mark        the scale and the unit as printed: "M", "GB"
    """

    __slots__ = ()

    @property
    def counts(self) -> str:
        """The kind of its unit, "" where none is printed."""
        return self.unit.kind if self.unit else ""

    @property
    def low(self) -> Fraction:
        """The least value that rounds to it."""
        return self.value if self.exact else self.value - self.place / 2

    @property
    def high(self) -> Fraction:
        """The largest value that rounds to it; of K, which may mean 1,024, more."""
        if self.mark in ("K", "k"):
            return (self.value + self.place / 2) * 1024 / 1000
        return self.value if self.exact else self.value + self.place / 2

    def holds(self, value: Fraction) -> bool:
        """Whether a value rounds to the digits printed, of K also with 1,024."""
        if self.exact and self.place == 1 and value.denominator == 1:
            return value == self.value
        return min(self.low, self.value - self.place / 2) <= value <= max(self.high, self.value + self.place / 2)

    def within(self, value: Fraction) -> Fraction:
        """A plain value in the unit that is printed."""
        return value / self.scale

    def rounded(self) -> Figure:
        """The same figure where its trailing zeros carry no information: after "about"."""
        place = self.place
        while self.exact and place < self.value and self.value % (place * 10) == 0:
            place *= 10
        return self._replace(place=place, exact=False)


def figure(text: str, at: int, word: Callable[[int], tuple[str, int]], offset: int) -> Figure | None:
    """The figure that begins at a position of a text, None where what stands there is no number that we read.

    `word` gives, for a position, the word that begins after it, past blanks and markup, and where that word ends;
    `offset` is where the text begins in the document.
    """
    found = _GROUPED.match(text, at) or _PLAIN.match(text, at)
    if found is None:
        return None
    digits, end = found[0], found.end()
    if not digits.isdigit():
        digits = re.sub(r"[^0-9.]", "", digits)
    if len(digits) > _LONGEST or (len(digits) > 1 and digits[0] == "0" and digits[1] != "."):
        return None
    raised = _EXPONENT.match(text, end)
    power = 0
    if raised:
        power, end = int(raised[1]), raised.end()
        if abs(power) > _LONGEST:
            return None
    elif _FOREIGN.match(text, end):
        return None
    scale, unit, mark, last = _after(text, end, digits, word)
    whole, _, decimals = digits.partition(".")
    if not decimals and not raised and scale == 1:  # most figures: fractions are slow
        return Figure(offset + at, offset + last, _whole(int(whole)), _ONE, exact=True, scale=scale, unit=unit,
                      mark=mark)
    place = Fraction(10) ** (power - len(decimals))
    value = Fraction(int(whole + decimals or "0")) * place
    exact = not decimals and scale == 1
    if not decimals and (raised or not exact):
        zeros = len(whole) - len(whole.rstrip("0")) if value else 0
        place *= 10 ** min(zeros, len(whole) - 1)
    return Figure(offset + at, offset + last, value * scale, place * scale, exact, scale, unit, mark)


def _after(text: str, end: int, digits: str,
           word: Callable[[int], tuple[str, int]]) -> tuple[Fraction, Unit | None, str, int]:
    """(what multiplies the digits, the unit, both as printed, where they end) after the digits of a number."""
    scale, mark, last, unit = _ONE, "", end, None
    said, until = word(end)
    glued = text[end:end + 1] == said[:1] != ""
    if said in SCALES and (glued or len(said) > 1 or said in "MBT"):
        following, _ = word(until)
        counted = TABLE.get(following, BYTES).kind in ("parameter", "token") or "." in digits
        if said == "B" and not glued and not counted:
            return scale, BYTES, "B", until  # 2 B are bytes, 70B and 70 B parameters are billions
        if said == "B" and len(digits) > 3 and "." not in digits:
            return scale, BYTES, "B", until  # 8192B: nobody prints thousands of billions so
        scale, mark, last = Fraction(SCALES[said]), said, until
        said, until = word(until)
    if said in TABLE and not (len(said) == 1 and said.isalpha() and (glued or text[end:end + 1] != " ")):  # 3h/2
        unit = TABLE[said]
        if unit.factor != 1:
            scale, mark, last = scale * unit.factor, (mark + " " + said).strip(), until
    return scale, unit, mark, last


def restyled(text: str, number: Fraction) -> str | None:
    """A figure's text with another number in its place, separated and rounded as it was; None where that is not sure.

    >>> restyled("1{,}769{,}472", Fraction(2359296)), restyled("51.3M", Fraction(51237888, 10**6))
    ('2{,}359{,}296', '51.2M')
    >>> restyled("8.4e22", Fraction(42 * 10**21))
    '4.2e22'
    """
    if power := _POWER.fullmatch(text):
        return _powered(number, len(power[1] or ""), power[2])
    found = _GROUPED.match(text) or _PLAIN.match(text)
    rest = text[found.end():] if found else ""
    if found is None or number < 0 or any(sign.isdigit() for sign in rest):
        return None
    whole, _, decimals = found[0].partition(".")
    separator = re.split(r"[0-9]+", whole)[1] if len(re.split(r"[0-9]+", whole)) > 2 else ""  # "" "," ""
    rounded = round(number, len(decimals))
    if not decimals and rounded != number:
        return None
    digits = f"{int(rounded):,}".replace(",", separator)
    below = f".{int((rounded - int(rounded)) * 10 ** len(decimals)):0{len(decimals)}d}" if decimals else ""
    return digits + below + rest


def _powered(number: Fraction, decimals: int, mark: str) -> str | None:
    """A number as 8.4e22 is written, with so many decimals; None where that is not sure."""
    power = len(str(int(number))) - 1
    scaled = number * Fraction(10) ** (decimals - power)
    digits = str(round(scaled))
    if number < 1 or len(digits) != decimals + 1 or (not decimals and scaled.denominator != 1):
        return None
    return f"{digits[0]}{'.' if decimals else ''}{digits[1:]}{mark}{power}"
