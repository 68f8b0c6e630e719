"""What an author did whose printed value is not the value of the printed expression.

Each guess is recomputed exactly; only what gives the printed figure to its last digit is said.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from symcount.claims.expressions import Node, UnreadableError, value
from symcount.digits import differing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from symcount.claims.figures import Figure

_MOST = 12  # of a sum so many terms are looked at, of a product so many factors
_WIDE = 39  # digits of a whole number that is printed in full
PEN = {"one digit": "differs in one digit", "two digits exchanged": "has two digits exchanged"}
_BINDS = {"sum": 0, "minus": 1, "product": 2, "quotient": 2, "power": 3}


def shown(number: Fraction) -> str:
    """A number for a message: exact where it has few digits, else rounded to six.

    >>> shown(Fraction(2359296)), shown(Fraction(1, 3)), shown(Fraction(87737856, 10**6))
    ('2,359,296', '0.333333', '87.737856')
    >>> shown(Fraction(7 * 10**9)), shown(Fraction(42 * 10**21))
    ('7 × 10^9', '4.2 × 10^22')
    """
    if number < 0:
        return f"−{shown(-number)}"
    digits = str(int(number))
    if len(digits) > _WIDE:
        return f"{digits[0]}.{digits[1:4]} × 10^{len(digits) - 1}"
    if number.denominator == 1:
        mantissa = digits.rstrip("0")
        if number < 10**9 or len(digits) - len(mantissa) < 6:
            return f"{int(number):,}"
        return f"{mantissa[0]}{'.' if mantissa[1:] else ''}{mantissa[1:]} × 10^{len(digits) - 1}"
    if number < Fraction(1, 1000) and (number * 10**6).denominator != 1:
        return f"{float(number):.4g}"
    places = 6 if (number * 10**6).denominator == 1 else max(2, 6 - len(digits.lstrip("0")))
    whole, below = divmod(round(number * 10**places), 10**places)
    decimals = f"{below:0{places}d}"
    return f"{whole:,}." + (decimals.rstrip("0") if places == 6 and (number * 10**6).denominator == 1 else decimals)


def amount(figure: Figure, number: Fraction) -> str:
    """A number in the unit of a figure, with what that is printed with: "13.5 GB"."""
    return f"{shown(number)} {figure.mark}".strip()


def written(node: Node, outside: int = 0) -> str:
    """An expression in plain text, with × and · signs of ours.

    >>> from symcount.claims.chains import relations
    >>> from symcount.claims.lexing import tokens
    >>> from symcount.documents.passages import Passage
    >>> written(relations(tokens(Passage("text", 0, "3 x (8 + 2^2) = 36")))[0].left.node)
    '3 × (8 + 2^2)'
    """
    if node.kind == "figure":
        return amount(node.parts, node.parts.within(node.parts.value))
    if node.kind == "name":
        return str(node.parts)
    binds = _BINDS[node.kind]
    if node.kind == "sum":
        text = written(node.parts[0], binds)
        for part in node.parts[1:]:
            text += f" − {written(part.parts[0], 1)}" if part.kind == "minus" else f" + {written(part, 1)}"
    elif node.kind == "minus":
        text = f"−{written(node.parts[0], 2)}"
    elif node.kind == "power":
        text = f"{written(node.parts[0], 4)}^{written(node.parts[1], 4)}"
    else:
        sign = " × " if node.kind == "product" else " / "
        text = sign.join(written(part, binds + (node.kind == "quotient" and i > 0))
                         for i, part in enumerate(node.parts))
    return f"({text})" if binds < outside and not (node.kind == "sum" and len(node.parts) == 1) else text


def slip(node: Node, printed: Figure, of: Callable[[Figure], Fraction],
         name: Callable[[str], Fraction | None]) -> str:
    """A sentence about how the printed figure may have come about; "" where nothing recomputes to it."""
    def worth(one: Node) -> Fraction:
        return value(one, of, name)

    try:
        right = worth(node)
        for says, wrong in _guesses(node, worth):
            if printed.holds(wrong) and not printed.holds(right):
                return says
        return _digits(printed, right)
    except UnreadableError:
        return ""


def _guesses(node: Node, worth: Callable[[Node], Fraction]) -> Iterator[tuple[str, Fraction]]:
    """(what the author may have done, what it gives), the likeliest first."""
    while node.kind == "sum" and len(node.parts) == 1:
        node = node.parts[0]
    if node.kind == "sum":
        yield from _terms(node, worth)
    if node.kind in ("product", "quotient"):
        yield from _factors(node, worth)
    right = worth(node)
    for times, says in ((2, "is twice that"), (Fraction(1, 2), "is half of that")):
        yield says, right * times
    parts = node.parts if node.kind in ("sum", "product") else ()
    for part in parts[:_MOST]:
        if node.kind == "product" and part.kind in ("figure", "name"):
            yield f"is {shown(worth(part))} too large: {written(node)} + {written(part)}", right + worth(part)
    yield from _inside(node, worth)


def _terms(node: Node, worth: Callable[[Node], Fraction]) -> Iterator[tuple[str, Fraction]]:
    parts = node.parts[:_MOST] if len(node.parts) <= _MOST else ()
    values = [worth(part) for part in parts]
    total = sum(values, Fraction(0))
    for size in range(1, min(3, len(parts))):
        for left in combinations(range(len(parts)), size):
            missing = " and ".join(_signed(parts[i], values[i]) for i in left)
            if len(parts) - size == 1:
                kept = next(i for i in range(len(parts)) if i not in left)
                says = f"is that of {written(parts[kept])} alone; {missing} was not added"
            else:
                says = f"leaves out {missing}"
            yield says, total - sum(values[i] for i in left)
    for part, worth_of in zip(parts, values, strict=True):
        yield f"counts {written(part)} twice", total + worth_of
        yield f"has {written(part)} with the other sign", total - 2 * worth_of
    if len(parts) > 1:
        product = Fraction(1)
        for one in values:
            product *= one
        yield "multiplies where the expression adds", product


def _signed(part: Node, worth_of: Fraction) -> str:
    text = written(part, 1)
    return f"+ {shown(worth_of)}" + (f" (= {text})" if part.kind != "figure" else "") if worth_of >= 0 else text


def _factors(node: Node, worth: Callable[[Node], Fraction]) -> Iterator[tuple[str, Fraction]]:
    right = worth(node)
    if node.kind == "quotient":
        top, bottom = worth(node.parts[0]), worth(node.parts[1])
        yield f"multiplies by {written(node.parts[1])} where the expression divides", top * bottom
        yield f"is {written(node.parts[0])}, not divided by {written(node.parts[1], 3)}", top
        return
    parts = node.parts[:_MOST]
    values = [worth(part) for part in parts]
    for part, one in zip(parts, values, strict=True):
        if one not in (0, 1):
            yield f"leaves out the factor {written(part, 3)}", right / one
            yield f"has the factor {written(part, 3)} twice", right * one
    yield "adds where the expression multiplies", sum(values, Fraction(0))
    for i, part in enumerate(parts):
        if part.kind == "power":
            yield (f"takes {written(part.parts[0])} for {written(part)}",
                   right / values[i] * worth(part.parts[0]) if values[i] else right)


def _inside(node: Node, worth: Callable[[Node], Fraction]) -> Iterator[tuple[str, Fraction]]:
    """One sum within a product, one of whose terms is left out: (32·25 + 1)·64 as 32·25·64."""
    if node.kind != "product":
        return
    right = worth(node)
    for part in node.parts[:_MOST]:
        inner = part
        while inner.kind == "sum" and len(inner.parts) == 1:
            inner = inner.parts[0]
        if inner.kind != "sum" or len(inner.parts) > _MOST or not worth(inner):
            continue
        for left in inner.parts:
            rest = worth(inner) - worth(left)
            yield f"leaves out {_signed(left, worth(left))} in the bracket", right / worth(inner) * rest


def _digits(printed: Figure, right: Fraction) -> str:
    """What happened to the digits: a power of ten, two exchanged, one other."""
    for power in (3, 6, 9, 12, -3, -6, -9, -12, 1, 2, -1, -2):
        if printed.holds(right * Fraction(10) ** power):
            return f"is {10 ** abs(power):,} times too {'large' if power > 0 else 'small'}"
    if right.denominator != 1 or not printed.exact:
        return ""
    return PEN.get(differing(right.numerator, printed.value.numerator), "")
