"""Expressions over printed figures: read from tokens as they stand, evaluated exactly and within bounds.

    sum     = ["-"] product {("+" | "-") product}
    product = power {["*"] power | "/" power}      a bracket or a symbol may follow without a sign
    power   = atom ["^" power]
    atom    = figure | symbol | "(" sum ")" | frac "(" sum ")" "(" sum ")"

A node keeps the author's structure: what a slip left out can be found. Nothing is simplified.
"""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction

from symcount.claims.lexing import is_unit
from symcount.claims.units import PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from symcount.claims.figures import Figure
    from symcount.claims.lexing import Token
    from symcount.claims.units import Unit

_DEEPEST, _LONGEST, _BITS = 40, 2_000, 4_096

Node = namedtuple("Node", "kind parts start end")
"""kind "figure" (a Figure), "name" (its text), "sum", "product", "quotient", "power", "minus"; parts are nodes."""


class UnreadableError(Exception):
    """That these tokens are no expression, or one whose value is beyond what we evaluate."""


class Reader:
    """Reads an expression from tokens, from a position on, as far as it goes."""

    __slots__ = ("at", "depth", "last", "tokens")

    def __init__(self, tokens: Sequence[Token], at: int, last: int) -> None:
        self.tokens, self.at, self.last, self.depth = tokens, at, min(last, at + _LONGEST), 0

    def peek(self, *signs: str) -> bool:
        """Whether the next token is one of these signs."""
        return self.at < self.last and self.tokens[self.at].kind == "op" and self.tokens[self.at].text in signs

    def sum(self) -> Node:
        """A sum; raises UnreadableError where none stands."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UnreadableError(f"brackets deeper than {_DEEPEST}")
        start = self.tokens[self.at].start if self.at < self.last else 0
        negative = self.peek("-")
        self.at += negative or self.peek("+")
        first = self.product()
        parts = [Node("minus", (first,), start, first.end) if negative else first]
        while self.peek("+", "-") and not self.hyphen():
            sign = self.tokens[self.at]
            if sign.text == "-" and sign.tight and not sign.math and self.tokens[self.at - 1].text == ")" and (
                    self.at + 1 < self.last and self.tokens[self.at + 1].tight):
                raise UnreadableError("a difference, or an exponent that was raised")
            self.at += 1
            part = self.product()
            if _range(parts[-1], sign, part):
                raise UnreadableError("a range, as in 0-255")
            parts.append(part if sign.text == "+" else Node("minus", (part,), sign.start, part.end))
        self.depth -= 1
        return parts[0] if len(parts) == 1 else Node("sum", tuple(parts), parts[0].start, parts[-1].end)

    def hyphen(self) -> bool:
        """Whether the sign here joins two words: 96-dimensional."""
        return (self.tokens[self.at].text == "-" and self.at + 1 < len(self.tokens)
                and self.tokens[self.at + 1].kind == "word" and self.tokens[self.at + 1].tight)

    def product(self) -> Node:
        """A product or quotient, from left to right."""
        factors = [self.power()]
        below = False
        while True:
            if self.peek("*"):
                self.at, below = self.at + 1, False
                factors.append(self.power())
            elif self.peek("/") and not (self.at + 1 < self.last and self.tokens[self.at + 1].kind == "word"):
                self.at, below = self.at + 1, True
                top, bottom = _joined(factors), self.power()
                factors = [Node("quotient", (top, bottom), top.start, bottom.end)]
            elif self.at < self.last and (self.adjoins() or self.tokens[self.at].kind in ("name", "frac")):
                if below:
                    raise UnreadableError("a factor after a quotient stands above or below the line")
                factors.append(self.power())
            else:
                break
        return _joined(factors)

    def adjoins(self) -> bool:
        """Whether a bracket here multiplies what stands before it: in prose (a remark) does not."""
        token = self.tokens[self.at]
        following = self.tokens[self.at + 1].kind if self.at + 1 < self.last else ""
        return self.peek("(") and (token.tight or token.math) and following not in ("word", "odd")

    def power(self) -> Node:
        """An atom, perhaps raised; powers group from the right."""
        base = self.atom()
        self.labels()
        if not self.peek("^"):
            return base
        exponent = self.raised()
        return Node("power", (base, exponent), base.start, exponent.end)

    def raised(self) -> Node:
        """An exponent behind its sign ^, which may have a sign of its own."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UnreadableError(f"powers deeper than {_DEEPEST}")
        self.at += 1
        start = self.tokens[self.at].start if self.at < self.last else 0
        negative = self.peek("-")
        self.at += negative
        part = self.power()
        self.depth -= 1
        return Node("minus", (part,), start, part.end) if negative else part

    def atom(self) -> Node:
        """A figure, a symbol, a fraction or a bracket."""
        if self.at >= self.last:
            raise UnreadableError("an expression ends where a number is expected")
        token = self.tokens[self.at]
        if token.kind == "frac":
            self.at += 1
            top, bottom = self.bracket(), self.bracket()
            return Node("quotient", (top, bottom), token.start, bottom.end)
        if self.peek("("):
            return self.bracket()
        if token.kind not in ("figure", "name"):
            raise UnreadableError(f"'{token.text[:20]}' is no number")
        self.at += 1
        return Node(token.kind, token.figure or token.text, token.start, token.end)

    def bracket(self) -> Node:
        """A sum in brackets."""
        if not self.peek("("):
            raise UnreadableError("a bracket is expected")
        start = self.tokens[self.at].start
        self.at += 1
        inner = self.sum()
        if not self.peek(")"):
            raise UnreadableError("a bracket is not closed")
        end = self.tokens[self.at].end
        self.at += 1
        return inner._replace(start=start, end=end) if inner.kind not in ("figure", "name") else Node(
            "sum", (inner,), start, end)

    def labels(self) -> None:
        """Past the unit of a figure, and a label in brackets: 1,769,472 (Attention)."""
        while self.at < self.last and self.tokens[self.at].kind == "word" and is_unit(self.tokens, self.at):
            self.at += 1
        end = qualified(self.tokens, self.at, self.last)
        self.at = end or self.at
        end = label_end(self.tokens, self.at, self.last)
        if end:
            self.at = end


def _range(first: Node, sign: Token, last: Node) -> bool:
    """Whether two figures, the smaller first, are joined by a hyphen without blanks."""
    return (sign.text == "-" and sign.tight and not sign.math and first.kind == last.kind == "figure"
            and first.parts.value < last.parts.value and last.start == sign.end)


def _joined(factors: list[Node]) -> Node:
    return factors[0] if len(factors) == 1 else Node("product", tuple(factors), factors[0].start, factors[-1].end)


_QUALIFIERS = {"kv", "query", "key", "value", "key-value", "attention", "hidden", "output", "input", "each", "dims",
               "dim", "heads", "head", "layers", "bytes", "tokens", "blocks"}


def qualified(tokens: Sequence[Token], at: int, last: int) -> int:
    """Where a noun of several words ends that counts the figure before it, and a sign follows: 8 KV heads * 128."""
    end = at
    while end < last and end < at + 3 and tokens[end].kind == "word" and tokens[end].text.lower() in _QUALIFIERS:
        end += 1
    counts = (at and tokens[at - 1].figure is not None) or (at > 1 and is_unit(tokens, at - 1))
    return end if end > at and counts and end < last and tokens[end].text in ("*", "+") else 0


def label_end(tokens: Sequence[Token], at: int, last: int) -> int:
    """Where a bracket with nothing but words in it ends, that begins at a position; 0 if none does."""
    if not (at < last and tokens[at].text == "(" and tokens[at].kind == "op"):
        return 0
    end = at + 1
    while end < last and tokens[end].kind == "word":
        end += 1
    return end + 1 if end > at + 1 and end < last and tokens[end].text == ")" else 0


def value(node: Node, figure: Callable[[Figure], Fraction], name: Callable[[str], Fraction | None]) -> Fraction:
    """The exact value of an expression whose figures and names have these values.

    Raises UnreadableError for a name without a value, a division by 0, a power that is no integer, and anything beyond
    the bounds: what a text says is never evaluated without one.
    """
    if node.kind == "figure":
        return figure(node.parts)
    if node.kind == "name":
        found = name(node.parts)
        if found is None:
            raise UnreadableError(f"'{node.parts[:20]}' has no value")
        return found
    found = _joined_value(node.kind, [value(part, figure, name) for part in node.parts])
    if found.numerator.bit_length() + found.denominator.bit_length() > _BITS:
        raise UnreadableError("a value of too many digits")
    return found


def _product(parts: Sequence[Fraction]) -> Fraction:
    result = parts[0]
    for part in parts[1:]:
        result *= part
        if result.numerator.bit_length() + result.denominator.bit_length() > _BITS:
            raise UnreadableError("a product of too many digits")
    return result


def _joined_value(kind: str, parts: list[Fraction]) -> Fraction:
    if kind == "sum":
        return sum(parts, Fraction(0))
    if kind == "minus":
        return -parts[0]
    if kind == "product":
        return _product(parts)
    if kind == "quotient":
        if not parts[1]:
            raise UnreadableError("a division by 0")
        return parts[0] / parts[1]
    return _raised(*parts)


def _raised(base: Fraction, exponent: Fraction) -> Fraction:
    size = base.numerator.bit_length() + base.denominator.bit_length()
    if exponent.denominator != 1 or abs(exponent) * max(size, 1) > _BITS or (not base and exponent <= 0):
        raise UnreadableError("a power that is not evaluated")
    return base ** int(exponent)


def ends(node: Node, name: Callable[[str], Fraction | None]) -> tuple[Fraction, Fraction]:
    """The least and the largest value that an expression can have, when each figure stands for all that round to it."""
    if node.kind == "figure":
        return node.parts.low, node.parts.high
    if node.kind == "name":
        found = value(node, lambda _: Fraction(0), name)
        return found, found
    if node.kind == "power":
        base, exponent = ends(node.parts[0], name), value(node.parts[1], lambda f: f.value, name)
        if base[0] <= 0 < exponent:
            return min(base[0], 0 * base[0]), _raised(base[1], exponent)
        one, other = _raised(base[0], exponent), _raised(base[1], exponent)
        return min(one, other), max(one, other)
    parts = [ends(part, name) for part in node.parts]
    if node.kind == "sum":
        return sum((low for low, _ in parts), Fraction(0)), sum((high for _, high in parts), Fraction(0))
    if node.kind == "minus":
        return -parts[0][1], -parts[0][0]
    result = parts[0]
    for low, high in parts[1:]:
        if node.kind == "quotient" and low <= 0 <= high:
            raise UnreadableError("a division by what may be 0")
        corners = [a / b if node.kind == "quotient" else a * b for a in result for b in (low, high)]
        result = min(corners), max(corners)
    return result


_BINARY = [1024**power for power in range(1, 6)]  # by which bytes are divided to be printed in KB, and not of bytes


def measured(node: Node, unit: Unit | None) -> Node:
    """A quotient in the unit that is printed once, behind its last figure: of 6 / 1.5e9 s = 4 ns all is in seconds.

    Only where no other figure has a unit, and the value is printed in the same, or in another of its kind if this one
    has no prefix: 2048 / 1024 KB = 2 MB is meant otherwise.
    """
    if node.kind != "quotient" or unit is None or unit.kind in PLAIN or unit.kind == "percent":
        return node
    top, bottom = node.parts
    figure = bottom.parts
    own = figure.unit if bottom.kind == "figure" else None
    if own is None or own.kind != unit.kind or own.factor not in (1, unit.factor) or any(
            one.unit for one in figures(top)) or figure.value / own.factor in _BINARY:
        return node
    factor = own.factor ** 2  # above the line, where it stood below
    bare = figure._replace(value=figure.value / factor, place=figure.place / factor, scale=figure.scale / factor,
                           unit=None)
    return node._replace(parts=(top, bottom._replace(parts=bare)))


def figures(node: Node) -> Iterator[Figure]:
    """The figures of an expression, in order."""
    return _leaves(node, "figure")


def names(node: Node) -> Iterator[str]:
    """The names of an expression, in order."""
    return _leaves(node, "name")


def _leaves(node: Node, kind: str) -> Iterator[Any]:
    if node.kind == kind:
        yield node.parts
    elif node.kind not in ("figure", "name"):
        for part in node.parts:
            yield from _leaves(part, kind)
