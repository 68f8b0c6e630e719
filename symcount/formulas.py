"""Formula text to sizes: `L(4d^2 + 3dh + 2d)`, `up(8d/3, 256)`, `2x`; every error names its column.

    sum     = ["-"] product {("+" | "-") product}
    product = power {["*"] power | "/" power}          a number or a bracket may stand before a factor: 4d, 2(d + h)
    power   = atom ["^" integer]                       also ** and the superscripts ² ³
    atom    = number | name | name "(" sum {"," sum} ")" | "(" sum ")"

A run of one-letter symbols without a name of its own is a product (`dh` is d·h). `a/bc` is refused:
readers disagree whether c stands above or below the line. Text is only read, never run.
"""

from __future__ import annotations

import re
from itertools import pairwise

from symcount.errors import SizeError
from symcount.polynomials import letter, lift, quotient
from symcount.sizes import RULES, per
from symcount.symbols import TABLE, hint, known, row
from symcount.tokens import Tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from symcount.polynomials import Size

NAME = r"[A-Za-z][A-Za-z0-9_]*"
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SAME = {"**": "^", "·": "*", "×": "*", "−": "-"}
# Bounds for texts from strangers: brackets, digits and bits of a number, letters of a run
_DEEPEST, _DIGITS, _BITS, _RUN = 40, 40, 4_096, 5
FUNCTIONS = ("up", "ceil", "floor", "min")


def tokens(name: str = NAME) -> re.Pattern[str]:
    """The pattern of one piece of a formula (number, name, power or sign), where names look like `name`."""
    return re.compile(rf"\s*(?:(?P<number>[0-9]+(?:_[0-9]{{3}})*(?:\.[0-9]+)?(?:[eE][0-9]+)?)|(?P<name>{name})"
                      r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?P<sign>\*\*|[-+*/^(),·×−]))")


_TOKENS = tokens()


def read(text: str, names: Callable[[str], Size | None] | None = None, made_of: re.Pattern[str] = _TOKENS) -> Size:
    """The size that a formula says; `names` gives each name its size (letters unless told otherwise).

    >>> read("L(4d^2 + 3dh + 2d)")
    4*L*d^2 + 3*L*d*h + 2*L*d
    >>> read("up(8d/3, 256)", {"d": 4096}.get)
    11008
    >>> read("4d + width")
    Traceback (most recent call last):
    symcount.errors.FormulaError: '4d + width', column 6: unknown symbol 'width'; ...

    Raises FormulaError with the column (from 1) of what cannot be read.
    """
    return _Reader(text, names or as_letter, made_of).whole()


def as_letter(name: str) -> Size | None:
    """The letter of this name, None where the table has none."""
    return letter(name) if known(name) else None


class _Reader(Tokens):
    __slots__ = ("depth", "names")

    def __init__(self, text: str, names: Callable[[str], Size | None], made_of: re.Pattern[str]) -> None:
        super().__init__(text, "formula", made_of, _SAME)
        self.names, self.depth = names, 0
        self.tokens = [one for kind, token, start in self.tokens for one in (
            [(kind, symbol, start + i) for i, symbol in enumerate(token)]
            if kind == "name" and self.is_product(token) else [(kind, token, start)])]

    def is_product(self, token: str) -> bool:
        """Whether a name that nobody gave is a run of one-letter symbols: dh is d·h."""
        return (1 < len(token) <= _RUN and len(set(token)) == len(token) and token not in FUNCTIONS
                and self.names(token) is None and all(self.names(symbol) is not None for symbol in token)
                and not any(a + b in TABLE for a, b in pairwise(token)))  # dkv: d·kv or d·k·v?

    def whole(self) -> Size:
        try:
            result = self.sum()
        except SizeError as error:  # a polynomial too long, a rounding by nothing
            raise self.error(str(error)) from None
        self.end()
        return result

    def sum(self) -> Size:
        self.depth += 1
        if self.depth > _DEEPEST + 1:
            raise self.error(f"brackets nested deeper than {_DEEPEST}")
        sign = self.take("-", "+")
        result = self.product()
        result = -result if sign == "-" else result
        while sign := self.take("+", "-"):
            right = self.product()
            result = result + right if sign == "+" else result - right
        self.depth -= 1
        return result

    def product(self) -> Size:
        result, below = self.power(), False
        while True:
            kind, token, position = self.tokens[self.at]
            if self.take("*"):
                result, below = result * self.power(), False
                if isinstance(result, int) and result.bit_length() > _BITS:
                    raise self.error("this product is too large a number", position)
            elif self.take("/"):
                try:
                    result, below = self.divide(result, self.power()), True
                except SizeError as error:
                    raise self.error(str(error), position) from None
            elif kind == "number":
                raise self.error("a number stands before what it multiplies, and has no blanks within; write *")
            elif kind == "name" or token == "(":
                if below:
                    raise self.error("does this factor stand above or below the line? write a/(b*c) or a/b*c")
                result = result * self.power()
            else:
                return result

    def divide(self, a: Size, b: Size) -> Size:
        # Within a formula a fraction may still vanish (8d/3 inside up), so ints are not refused here.
        if isinstance(b, int) and b and not (isinstance(a, int) and a % b == 0) and lift(a) is not NotImplemented:
            return lift(a) * quotient(1, b)
        return per(a, b)

    def power(self) -> Size:
        position = self.tokens[self.at][2]
        base = self.atom()
        kind, token, _ = self.tokens[self.at]
        if kind == "raised":
            self.at += 1
            return self.raised(base, token.translate(_RAISED), position)
        if self.take("^"):
            kind, token, _ = self.tokens[self.at]
            if kind != "number":
                raise self.error("a power is an integer")
            self.at += 1
            return self.raised(base, token, position)
        return base

    def raised(self, base: Size, power: str, position: int) -> Size:
        if not power.isdigit() or len(power) > 2 or int(power) > 64:
            raise self.error(f"a power is an integer from 0 to 64, not {power[:20]}", position)
        if lift(base) is not NotImplemented:
            bits = max((abs(c.numerator).bit_length() for _, c in lift(base).terms.values()), default=0)
            if int(power) * bits > _BITS:
                raise self.error("this power is too large a number", position)
        return base ** int(power)

    def atom(self) -> Size:
        kind, token, position = self.tokens[self.at]
        if self.take("("):
            inner = self.sum()
            self.expect(")")
            return inner
        if kind == "number":
            self.at += 1
            return self.number(token, position)
        if kind != "name":
            raise self.error(f"expected a number, a symbol or '(', found '{token}'" if token
                             else "the formula ends where a number or a symbol is expected")
        self.at += 1
        if token in FUNCTIONS and self.tokens[self.at][1] == "(":
            return self.function(token, position)
        return self.name(token, position)

    def number(self, token: str, position: int) -> Size:
        digits, _, exponent = token.replace("_", "").lower().partition("e")
        whole, _, decimals = digits.partition(".")
        exponent = exponent or "0"
        if len(exponent) > 2 or len(whole) + len(decimals) + int(exponent) > _DIGITS:
            raise self.error(f"a number of more than {_DIGITS} digits", position)
        if len(whole) > 1 and whole[0] == "0":
            raise self.error(f"'{whole}' begins with 0: a number has no commas or blanks within", position)
        if self.text[position + len(token):position + len(token) + 2].lower() in ("e+", "e-"):
            raise self.error("an exponent, or the letter e and a sign? put blanks around the sign, or write the number "
                             "out", position)
        power = int(exponent) - len(decimals)
        scaled = int(whole + decimals)
        return scaled * 10**power if power >= 0 else lift(1) * quotient(scaled, 10**-power)

    def name(self, token: str, position: int) -> Size:
        size = self.names(token)
        if size is not None:
            return size
        if known(token):
            raise self.error(f"'{token}' ({row(token).meaning}) has no value here", position)
        raise self.error(f"unknown symbol '{token}'; {hint(token)}", position)

    def function(self, token: str, position: int) -> Size:
        self.expect("(")
        args = [self.sum()]
        while self.take(","):
            args.append(self.sum())
        self.expect(")")
        wanted = {"up": (2,), "min": (2,), "ceil": (1, 2), "floor": (1, 2)}[token]
        if len(args) not in wanted:
            raise self.error(f"{token} takes {' or '.join(map(str, wanted))} arguments, not {len(args)}", position)
        try:
            return RULES[token](args[0], args[1] if len(args) == 2 else 1)
        except SizeError as error:
            raise self.error(str(error), position) from None
