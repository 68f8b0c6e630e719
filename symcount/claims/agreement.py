"""Whether a printed figure agrees with the expression it is printed for, and if not, how it differs."""

from __future__ import annotations

from collections import namedtuple
from contextlib import suppress
from fractions import Fraction
from functools import partial
from math import ceil, floor

from symcount.claims.chains import LINKS
from symcount.claims.expressions import UnreadableError, ends, figures, value
from symcount.claims.page import worth
from symcount.claims.units import PLAIN, POWERS, TABLE, WORK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.claims.expressions import Node
    from symcount.claims.figures import Figure
    from symcount.claims.page import Claim, Page
    from symcount.claims.units import Unit

Agreement = namedtuple("Agreement", "verdict local true printed scale", defaults=(None, Fraction(1)))
"""What comparing came to.

verdict   "holds", "carried" (it holds for operands that are themselves wrong), "implied" (operands that round to those
          printed would give it), "rounded" (off by no more than a careless rounding), "prefix" (2^10 taken for 10^3 or
          the other way round), "mixed" (FLOPs printed for as many multiply-adds), "differs", "unread"
local     the value of the expression as printed
true      its value with every operand as it should be
printed   the figure that was compared, where a scale was understood: 2 × (8.03 − 0.53) ≈ 15.0 GFLOPs
scale     what was understood
"""

_BILLION = Fraction(10**9)
_VAGUE = Fraction(1, 4)  # operands that leave so much open explain nothing
_LEAST = 100  # smaller results that differ are not judged: few miss them, and many texts compute modulo or in letters
# Words of texts that compute in other ways, where 200 + 100 may be 44.
_OTHERWISE = {"mod", "modulo", "binary", "octal", "hexadecimal", "hex", "xor", "boolean", "gf", "semiring", "congruent",
              "residue", "overflow", "wraps", "wrap", "wraparound", "ordinal", "nim", "tropical", "saturating", "apl",
              "clock"}
_WRAPPING = {"bits", "bit", "byte", "uint8", "int8", "eight-bit", "8-bit"}  # there sums may be less by 256
_EACH = {"per", "each", "every", "a", "an"}
# What may follow a figure without changing it; another word may be a unit, or a scale, that we do not know.
KNOWN = {*LINKS, "of", "more", "the", "from", "to", "times", "altogether", "total", "overall", "again", "exactly",
         "too", "numbers", *TABLE}


def agreement(claim: Claim, page: Page) -> Agreement:
    """Compare the figure of a claim with its expression; while a claim is judged, once."""
    if page.compared[0] is not claim:
        page.compared = claim, _agreement(claim, page)
    return page.compared[1]


def _agreement(claim: Claim, page: Page) -> Agreement:
    found = worth(claim.node, page)
    printed = claim.printed
    if found is None or not _comparable(claim.node, printed.unit) or _rate(claim):
        return Agreement("unread", None, None)
    local, true = found
    if printed.mark == "B" and printed.scale == 1 and any(
            one.mark == "B" and one.scale > 1 for one in figures(claim.node)):
        printed = printed._replace(value=printed.value * _BILLION, place=printed.place * _BILLION, exact=False,
                                   scale=_BILLION, unit=None)  # 7B x 2 = 14 B
    if printed.counts in WORK and (other := _work(claim.node)) and other != printed.counts:
        times = 2 if other == "multiply-add" else Fraction(1, 2)
        if (printed.rounded() if claim.sign == "≈" else printed).holds(local):
            return Agreement("mixed", local, true * times, printed)
        local, true = local * times, true * times
    scale = Fraction(1)
    divided = claim.node.kind == "quotient"
    if printed.scale != 1 and (divided or not _scaled(claim.node)) and _nearer(_plain(printed), printed, local):
        printed, scale = _plain(printed), printed.scale  # the scale is said once, at the end, or divided by
        if _binary(claim.node) and printed.holds(local) and "i" not in printed.mark:
            return Agreement("prefix", local, true, printed, scale)
    hedged = claim.sign == "≈"
    figure = printed.rounded() if hedged else printed
    if figure.holds(local):
        return Agreement("holds" if true == local or figure.holds(true) else "carried", local, true, printed, scale)
    if true != local and figure.holds(true):
        return Agreement("holds", local, true, printed, scale)
    small = max(abs(printed.value), abs(local)) < _LEAST and printed.scale == 1 and not _scaled(claim.node)
    if printed.counts == "byte" and claim.node.kind == "sum" and len(claim.node.parts) > 2:
        small = False  # what a parameter takes in training: 2 + 2 + 4 + 4 + 4 bytes
    verdict = _difference(claim, figure, local, page)
    if verdict == "differs" and _in_binary(claim.node, figure, page):
        verdict = "prefix"
    if verdict == "differs" and (small or _other_arithmetic(claim, figure, local, page)):
        verdict = "unread"
    if verdict == "prefix" and true != local and "i" not in printed.mark:
        verdict = "carried"  # under the convention that the author follows
    return Agreement(verdict, local, true, printed, scale)


def _rate(claim: Claim) -> bool:
    """Whether a figure may be for each of the units that its expression divides by: 1,000 / 3 h = 333 per hour."""
    return claim.follows.lower() in _EACH and claim.node.kind == "quotient" and any(
        figure.unit and figure.counts not in PLAIN for figure in figures(claim.node.parts[1]))


def _other_arithmetic(claim: Claim, figure: Figure, local: Fraction, page: Page) -> bool:
    """Whether the text may well compute in another way than we read it."""
    said = page.words(claim.passage)
    if _OTHERWISE & said or (_WRAPPING & said and (local - figure.value) % 256 == 0):
        return True
    written = list(figures(claim.node))
    letters_ = any(len(one.mark) == 1 and one.unit is None for one in written)  # 2k + 1 = 7: k may be a symbol
    percent = {bool(one.counts == "percent") for one in written} == {True, False}
    unknown = claim.follows.lower() not in KNOWN and not Fraction(1, 2) <= abs(local / figure.value or 1) <= 2 if (
        figure.value) else bool(claim.follows)
    return ((letters_ and not figure.mark and figure.unit is None) or unknown
            or (percent and claim.node.kind == "sum"))


def _in_binary(node: Node, figure: Figure, page: Page) -> bool:
    """Whether an expression whose KB, MB and so on are powers of 1,024, or mixed (1.44 MB), gives the figure."""
    if not any(_power(one) for one in figures(node)):
        return False
    for thousands in range(2):
        with suppress(UnreadableError):
            if figure.holds(value(node, partial(_binary_worth, thousands=thousands), page.named)):
                return True
    return False


def _power(figure: Figure) -> int:
    """The power of 1,000, or of 1,024, in the prefix of a figure in bytes; 0 for Ki and for what has none."""
    decimal = figure.counts == "byte" and "i" not in figure.mark
    return POWERS.get(figure.mark[:1], 0) if decimal else 0


def _binary_worth(figure: Figure, thousands: int) -> Fraction:
    """The value of a figure whose prefix means powers of 1,024, but for so many thousands."""
    power = _power(figure)
    decimal = min(thousands, power - 1)
    return figure.value / figure.scale * 1000**decimal * 1024 ** (power - decimal) if power else figure.value


def _difference(claim: Claim, figure: Figure, local: Fraction, page: Page) -> str:
    """How a figure differs from the value of its expression."""
    try:
        low, high = ends(claim.node, page.named)
    except UnreadableError:
        low = high = local
    vague = not local or (high - low) / abs(local) > _VAGUE
    if (low, high) != (local, local) and not vague and low <= figure.high and figure.low <= high:
        return "implied"
    if prefix(figure, local):
        return "prefix"
    if _careless(figure, local, claim.sign):
        return "rounded"
    return "differs"


def _careless(figure: Figure, local: Fraction, sign: str) -> bool:
    """Whether a figure is a truncation, or off in its last digit, or within 2 % after "about"."""
    off = abs(figure.value - local)
    if local.denominator == 1 and figure.exact:
        return False
    if sign == "≈" and off <= abs(local) / 50:
        return True
    if figure.exact and figure.value in (floor(local), ceil(local)):
        return True  # 10 TB / 3 TB = 4 disks
    three = abs(figure.value) >= 100 * figure.place
    cut = figure.value >= 0 and figure.value <= local < figure.value + figure.place
    return cut or (three and off < 2 * figure.place)


def prefix(figure: Figure, local: Fraction) -> Fraction | None:
    """The power of 1,024/1,000 by which a figure is off, None where it is off by none."""
    power = POWERS.get(figure.mark[:1], 0)
    if figure.unit is None and power < POWERS["G"]:
        return None  # 263k is no count of Ki
    if figure.scale == 1 or figure.value == 0 or figure.counts not in ("", "byte", "flop"):
        return None
    for ratio in (Fraction(1024, 1000) ** power, Fraction(1000, 1024) ** power) if power else ():
        if figure.holds(local / ratio):
            return ratio
    return None


def in_binary(figure: Figure, number: Fraction) -> str:
    """What makes a figure right for a number where its prefix means a power of 1,024: "with GB of powers of 1,024"."""
    fits = not figure.holds(number) and (prefix(figure, number) or 0) > 1 and "i" not in figure.mark
    return f"with {figure.mark} of powers of 1,024" if fits else ""


def _work(node: Node) -> str:
    """FLOPs or multiply-adds, if an expression is in one of them."""
    found = {figure.counts for figure in figures(node) if figure.counts in WORK}
    return found.pop() if len(found) == 1 else ""


def _plain(figure: Figure) -> Figure:
    return figure._replace(value=figure.value / figure.scale, place=figure.place / figure.scale, scale=Fraction(1))


def _nearer(one: Figure, other: Figure, number: Fraction) -> bool:
    """Whether a number is nearer to one figure than to another, as a ratio."""
    def off(figure: Figure) -> Fraction:
        ratio = abs(figure.value / number)
        return max(ratio, 1 / ratio)

    return bool(number and one.value and other.value) and off(one) < off(other)


def _binary(node: Node) -> bool:
    """Whether an expression ends with a division by a power of 1,024."""
    if node.kind != "quotient":
        return False
    try:
        below = value(node.parts[1], lambda figure: figure.value, lambda _: None)
    except UnreadableError:
        return False
    return below in [1024**power for power in range(1, 6)]


def _scaled(node: Node) -> bool:
    """Whether any figure of an expression has a scale of its own, or one of its size."""
    return any(figure.scale != 1 or figure.value >= 10**6 for figure in figures(node))


# What is left of units when counts are plain numbers
_DIMENSIONS = {"byte": {"byte": 1}, "bit": {"bit": 1}, "second": {"second": 1},
               "flop/second": {"second": -1}, "byte/second": {"byte": 1, "second": -1}}


def _comparable(node: Node, unit: Unit | None) -> bool:
    """Whether an expression's value can be what a figure in a unit says: bytes are no seconds."""
    found = _dimensions(node)
    if found is None or not found:
        return found is not None
    return min(found.values()) > 0 if unit is None else found == _of_unit(unit)


def _of_unit(unit: Unit | None) -> dict[str, int]:
    if unit is None or unit.kind in PLAIN or unit.kind == "percent":
        return {}
    return _DIMENSIONS.get(unit.kind, {unit.kind: 1})


def _dimensions(node: Node) -> dict[str, int] | None:
    """The dimensions of an expression, None where a sum has several."""
    if node.kind == "figure":
        return _of_unit(node.parts.unit)
    if node.kind == "name":
        return {}
    parts = [_dimensions(part) for part in node.parts]
    if None in parts:
        return None
    if node.kind in ("sum", "minus"):
        kinds = [part for part in parts if part]
        return None if any(part != kinds[0] for part in kinds) else kinds[0] if kinds else {}
    if node.kind == "power":
        return parts[0] or {}
    found: dict[str, int] = {}
    for number, part in enumerate(parts):
        for kind, times in (part or {}).items():
            found[kind] = found.get(kind, 0) + (-times if node.kind == "quotient" and number else times)
    return {kind: times for kind, times in found.items() if times}
