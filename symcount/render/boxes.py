"""Mathematics as boxes: what a line is made of, and where it breaks, before any format says how it is written.

    Amount Name Sign Words Line Tight Lowered Raised Fraction Radical Fence Call Grid Lines Strong

Forms become boxes here, terms over matrices in `terms`; LaTeX, MathML and Typst each print boxes, and decide nothing.
"""

from __future__ import annotations

import re
from collections import namedtuple
from itertools import groupby

from symcount.derivation import Rounded
from symcount.forms import Number, Power, Product, Quotient, Root, Sum, Symbol
from symcount.render import exact, text
from symcount.symbols import TABLE
from symcount.symbols import row as symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from symcount.forms import Form

    Box = Any  # one of the following

Amount = namedtuple("Amount", "text")  # a number as it is read: 100,480, 64.24 %
Name = namedtuple("Name", "text upright", defaults=(False,))  # a letter, in italics unless it is upright
Sign = namedtuple("Sign", "text")  # + − · × = ( ) …; what stands between two factors, perhaps nothing but room
Words = namedtuple("Words", "text")
Line = namedtuple("Line", "parts")  # side by side, signs with room around them
Tight = namedtuple("Tight", "parts")  # side by side without room: a sign before a number
Lowered = namedtuple("Lowered", "base low")
Raised = namedtuple("Raised", "base high")
Fraction = namedtuple("Fraction", "top bottom")
Radical = namedtuple("Radical", "body degree")
Fence = namedtuple("Fence", "left body right")  # brackets that are as tall as what they hold
Call = namedtuple("Call", "name args")  # relu(x), up(a, b)
Grid = namedtuple("Grid", "rows")  # a matrix, in square brackets
Lines = namedtuple("Lines", "lines centred")  # one below another; those that are not centred are indented but the first
Strong = namedtuple("Strong", "body")

MINUS, PLUS, TIMES, ROOM, NOTHING = map(Sign, ("−", "+", "×", "\u2009", ""))
# Characters that fit beside a name, in a cell of a table (of one that is as wide as a page), and on a line of a proof
LINE, CELL, WIDE, BESIDE = 58, 26, 44, 64
_TALL = (Fraction, Grid, Lines)
_LATEX = re.compile(r"([A-Za-z])(?:_\{\\mathrm\{([^{}]+)\}\})?")
_FIGURE = re.compile(r"[+−]?[\d,.]+( %)?")  # a number as it is rounded


def form(shown: Form) -> Box:
    """A form as a box.

    >>> form(Power(Number(4096), 2))
    Raised(base=Amount(text='4,096'), high=Amount(text='2'))
    """
    kind = type(shown)
    if kind is Number:
        return amount(shown.number)
    if kind is Symbol:
        return letter(shown.name)
    if kind is Power:
        return Raised(factor(shown.base), Amount(str(shown.exponent)))
    if kind is Sum:
        return added((sign, form(term)) for sign, term in shown.terms)
    if kind is Quotient:
        return Fraction(form(shown.top), form(shown.bottom))
    if kind is Product:
        return _product(shown)
    if kind is Root:
        return Radical(form(shown.body), shown.degree)
    a, b = shown.args
    if shown.name in ("min", "up"):  # up: rounded up to a multiple, a rule people know by its two numbers
        return Call(shown.name, (_inline(a), _inline(b)))
    left, right = "⌊⌋" if shown.name == "floor" else "⌈⌉"
    return Fence(left, Fraction(form(a), form(b)), right)


def amount(number: Any) -> Box:
    """An exact number; a fraction on one line."""
    shown = exact(abs(number))
    return Amount(shown) if number >= 0 else Tight((MINUS, Amount(shown)))


def letter(name: str) -> Box:
    r"""A symbol of the table, as its LaTeX says: `n_{\mathrm{heads}}` is n with heads below.

    >>> letter("heads")
    Lowered(base=Name(text='n', upright=False), low=Name(text='heads', upright=True))
    """
    base, index = (name, "") if name in TABLE else name.rsplit("_", 1)
    found = _LATEX.fullmatch(symbol(base).latex)
    if not found:
        return Words(name)
    below: list[Box] = [*([Name(found[2], upright=True)] if found[2] else []), *([Amount(index)] if index else [])]
    if not below:
        return Name(found[1])
    return Lowered(Name(found[1]), Tight((below[0], Sign(","), below[1])) if below[1:] else below[0])


def added(terms: Iterable[tuple[int, Box]]) -> Box:
    """A sum of (sign, box) terms: the signs stand between, a leading plus is not written."""
    parts: list[Box] = []
    for sign, term in terms:
        if parts:
            parts += [PLUS if sign > 0 else MINUS, term]
        else:
            parts.append(term if sign > 0 else Tight((MINUS, term)))
    return parts[0] if len(parts) == 1 else Line(tuple(parts))


def bracketed(inner: Box) -> Box:
    """A box in round brackets."""
    return Fence("(", inner, ")")


def tall(box: Box) -> bool:
    """Whether brackets around a box must grow."""
    if isinstance(box, _TALL):
        return True
    return isinstance(box, tuple) and any(map(tall, box))


def height(box: Any) -> int:
    """How many lines a box takes: a fraction two, a matrix its rows."""
    kind = type(box)
    if kind is Fraction:
        return height(box.top) + height(box.bottom)
    if kind is Lines:
        return sum(map(height, box.lines))
    if kind is Grid:
        return sum(max(map(height, row)) for row in box.rows)
    return max(map(height, box), default=1) if isinstance(box, tuple) else 1


def cell(shown: Any) -> Any:
    """What a table shows of a cell: words as text, numbers and short forms as boxes."""
    if isinstance(shown, Rounded):
        return Amount(shown.text) if _FIGURE.fullmatch(shown.text) else shown.text
    if shown is None or isinstance(shown, str):
        return shown or ""
    return amount(shown) if text.is_number(shown) else short(shown)


def short(shown: Form, widest: int = CELL) -> Box:
    """A form that fits in a cell, on several lines if need be."""
    lines = broken(shown, widest)
    return lines[0] if len(lines) == 1 else Lines(tuple(lines), centred=False)


def broken(shown: Form, widest: int = LINE) -> list[Box]:
    """A sum, a product that ends in one, or the top of a fraction on as many lines as it needs; else one line."""
    if len(text.form(shown)) <= widest or type(shown) not in (Sum, Product, Quotient):
        return [form(shown)]
    if type(shown) is Quotient:
        lines = broken(shown.top, widest * 3 // 4)
        return [Fraction(lines[0] if len(lines) == 1 else Lines(tuple(lines), centred=True), form(shown.bottom))]
    if type(shown) is Product:
        *front, last = shown.factors
        if not front or type(last) is not Sum:
            return [form(shown)]
        before = Product(tuple(front))  # of one sum too, which keeps its brackets
        first, *more = broken(last, widest - len(text.form(before)))
        times = (TIMES,) if text.between(front[-1], last) == "×" else ()
        lines = [Line((*parts_of(form(before)), *times, Tight((Sign("("), first)))), *more]
        return [*lines[:-1], Tight((lines[-1], Sign(")")))]
    return _sum_on_lines(shown, widest)


def _sum_on_lines(shown: Sum, widest: int) -> list[Box]:
    lines: list[list[Box]] = [[]]
    length = 0
    for i, (sign, term) in enumerate(shown.terms):
        first, *more = broken(term, widest)
        wide = len(text.form(term))
        if length and length + wide > widest:
            lines.append([])
            length = 0
        if i:
            lines[-1] += [PLUS if sign > 0 else MINUS, first]
        else:
            lines[-1].append(first if sign > 0 else Tight((MINUS, first)))
        lines += [[line] for line in more]
        length = widest if more else length + wide + 3
    return [continued(line) for line in lines if line]


def continued(parts: list[Box]) -> Box:
    """A line that may begin with a sign, which stands between as it would within a line."""
    if parts[0] in (PLUS, MINUS):
        return Tight((NOTHING, Line(tuple(parts))))
    return parts[0] if len(parts) == 1 else Line(tuple(parts))


def factor(shown: Form) -> Box:
    """A form as a factor: sums and products in brackets."""
    return bracketed(form(shown)) if type(shown) in (Sum, Product) else form(shown)


def parts_of(box: Box) -> tuple[Box, ...]:
    """The boxes that a box has side by side."""
    return box.parts if isinstance(box, Line) else (box,)


def breaks(box: Box) -> list[tuple[str, Box]]:
    """A formula in a sentence as (sign, box) that may stand on lines of their own: it breaks before = > + −."""
    found: list[tuple[str, list[Box]]] = [("", [])]
    for part in parts_of(box):
        if isinstance(part, Sign) and part.text in ("=", ">", "+", "−") and found[-1][1]:
            found.append((part.text, []))
        else:
            found[-1][1].append(part)
    return [(sign, line[0] if len(line) == 1 else Line(tuple(line))) for sign, line in found]


def runs(parts: Iterable[Box]) -> list[tuple[Box, ...]]:
    """The words of a line and what stands between them, apart."""
    return [tuple(run) for _, run in groupby(parts, lambda part: isinstance(part, Words))]


def _inline(shown: Form) -> Box:
    """A form without a stacked fraction, for an argument."""
    if type(shown) is not Quotient:
        return form(shown)
    top = factor(shown.top) if type(shown.top) is Sum else form(shown.top)
    return Tight((top, Sign("/"), factor(shown.bottom)))


def _product(shown: Product) -> Box:
    """What stands between two factors as in text, but room beside long names, and nothing that keeps letters apart."""
    first, *others = shown.factors
    parts = [factor(first)]
    for before, one in zip(shown.factors, others, strict=False):
        sign = text.between(before, one)
        if sign and text.numeric(one):
            parts.append(Sign(sign))
        elif text.long(before) or text.long(one):
            parts.append(ROOM)
        parts.append(factor(one))
    return parts[0] if len(parts) == 1 else Line(tuple(parts))
