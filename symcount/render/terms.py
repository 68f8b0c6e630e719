"""Terms over matrices as boxes: what is typeset of a proof. What is typed of it, `matrices` writes."""

from __future__ import annotations

import re

from symcount.algebra.scalars import Entry
from symcount.algebra.terms import (
    Apply,
    Eye,
    Inverse,
    Letter,
    Ones,
    Over,
    Product,
    Scaled,
    Shift,
    Side,
    Stack,
    Sum,
    Term,
    Transpose,
)
from symcount.derivation import Figure
from symcount.forms import written
from symcount.polynomials import Polynomial, lift
from symcount.render import boxes, exact
from symcount.render.boxes import (
    BESIDE,
    MINUS,
    NOTHING,
    PLUS,
    Amount,
    Call,
    Fraction,
    Grid,
    Line,
    Lowered,
    Name,
    Raised,
    Sign,
    Strong,
    Tight,
    Words,
    bracketed,
)
from symcount.render.matrices import NAME
from symcount.render.matrices import text as in_text
from symcount.symbols import GREEK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.render.boxes import Box

_LOW = re.compile(r"[A-Za-z]|[0-9]+|[^A-Za-z0-9]")  # of a subscript: k, -, 1
_TRANSPOSED, _ONE = Sign("⊤"), Amount("1")


def piece(shown: Any) -> Box:
    """A term, a matrix of numbers, a number or a form as a box; words as words."""
    if isinstance(shown, str):
        return Words(shown)
    if isinstance(shown, Term):
        return _box(shown)
    if isinstance(shown, Figure):
        return figure(shown)
    return number(shown) if isinstance(shown, Polynomial) else boxes.form(shown)


def figure(shown: Figure) -> Box:
    """A matrix of numbers; a number alone without brackets."""
    rows = tuple(tuple(map(_amount, row)) for row in shown.rows)
    return rows[0][0] if len(rows) == len(rows[0]) == 1 else Grid(rows)


def broken(shown: Any) -> list[Box]:
    """A sum over matrices on as many lines as it needs; anything else on one."""
    if not isinstance(shown, Sum) or len(in_text(shown)) <= BESIDE:
        return [piece(shown)]
    lines: list[list[Box]] = [[]]
    length = 0
    for part in shown.parts:
        negative, bare = _apart(_box(part))
        wide = len(in_text(part)) + 3
        if length and length + wide > BESIDE:
            lines.append([NOTHING])
            length = 0
        lines[-1] += [MINUS if negative else PLUS, bare] if lines[0] else [_box(part)]
        length += wide
    return [Line(tuple(line)) for line in lines]


def number(size: Any) -> Box:
    """A number of named numbers, sizes and 1 × 1 matrices."""
    terms = lift(size).terms
    if len(terms) != 1 or all(isinstance(atom, str) for powers, _ in terms.values() for atom, _ in powers):
        return boxes.form(written(size))
    (powers, coefficient), = terms.values()
    above = [_power(atom, power) for atom, power in powers if power > 0]
    below = [_power(atom, -power) for atom, power in powers if power < 0]
    if coefficient.numerator != 1 or not above:
        above.insert(0, boxes.amount(coefficient.numerator))
    if coefficient.denominator != 1:
        below.insert(0, Amount(exact(coefficient.denominator)))
    return Fraction(_beside(above), _beside(below)) if below else _beside(above)


def name(spelled: str) -> Box:
    """A letter's name, its subscript lowered.

    >>> name("W_Q"), name("gamma")
    (Lowered(base=Name(text='W', upright=False), low=Name(text='Q', upright=False)), Name(text='γ', upright=False))
    """
    found = NAME.match(spelled)
    if not found:
        return Words(spelled)
    base, low = found[1], found[2] or found[3] or found[4]
    known = GREEK.get(base, base)
    shown = Name(known, upright=len(known) > 1)
    if low is None:
        return shown
    return Lowered(shown, Name(low, upright=True) if len(low) > 1 and low.isalpha() else _low(low))


def _low(low: str) -> Box:
    parts = tuple(Amount(part) if part.isdigit() else Name(part) if part.isalpha() else
                  MINUS if part == "-" else Sign(part) for part in _LOW.findall(low))
    return parts[0] if len(parts) == 1 else Tight(parts)


def _amount(x: Any) -> Box:
    if isinstance(x, float):
        shown = f"{abs(x):.4g}"
    elif x.denominator != 1:
        top = Fraction(Amount(str(abs(x.numerator))), Amount(str(x.denominator)))
        return top if x > 0 else Tight((MINUS, top))
    else:
        shown = exact(abs(x))
    return Amount(shown.replace("-", "−")) if x >= 0 else Tight((MINUS, Amount(shown.replace("-", "−"))))


def _power(atom: Any, power: int) -> Box:
    base = bracketed(_box(atom.term)) if isinstance(atom, Entry) else (
        boxes.letter(atom) if isinstance(atom, str) else name(str(atom)))
    return base if power == 1 else Raised(base, Amount(str(power)))


def _beside(parts: list[Box]) -> Box:
    return parts[0] if len(parts) == 1 else Line(tuple(parts))


def _box(term: Term) -> Box:
    if isinstance(term, Letter):
        shown = name(term.name)
        return Lowered(shown, _beside_tight("".join(term.over))) if term.over else shown
    if isinstance(term, Eye):
        return Name("I")
    if isinstance(term, Ones):
        return Strong(_ONE)
    if isinstance(term, Shift):
        return name(f"S{term.at}")
    if isinstance(term, Sum):
        return _sum(term)
    if isinstance(term, Scaled):
        return _scaled(term)
    if isinstance(term, Product):
        return Line(tuple(map(_factor, term.parts)))
    if isinstance(term, (Transpose, Inverse)):
        return _raised(term)
    if isinstance(term, Apply):
        return Call(term.function.name, (_box(term.parts[0]),))
    if isinstance(term, (Side, Stack)):
        parts = tuple(map(_box, term.parts))
        return Grid((parts,) if isinstance(term, Side) else tuple((part,) for part in parts))
    if isinstance(term, Over):
        inner = _box(term.parts[0])
        sign = Lowered(Sign("Σ"), _beside_tight(",".join(term.indices)))
        return Line((sign, bracketed(inner) if isinstance(term.parts[0], Sum) else inner))
    return Amount("0")


def _beside_tight(low: str) -> Box:
    return _low(low) if low else NOTHING


def _sum(term: Sum) -> Box:
    parts: list[Box] = []
    for part in term.parts:
        negative, bare = _apart(_box(part))
        parts += [MINUS if negative else PLUS, bare] if parts else [_box(part)]
    return _beside(parts)


def _apart(box: Box) -> tuple[bool, Box]:
    """Whether a box begins with a minus, and what follows it."""
    if isinstance(box, Tight) and box.parts[0] == MINUS:
        return True, box.parts[1] if len(box.parts) == 2 else Tight(box.parts[1:])
    if isinstance(box, Line):
        negative, bare = _apart(box.parts[0])
        return negative, Line((bare, *box.parts[1:]))
    return False, box


def _scaled(term: Scaled) -> Box:
    terms = lift(term.number).terms
    inner = term.parts[0]
    shown = _box(inner) if isinstance(inner, Product) else _factor(inner)
    if len(terms) != 1:
        return Line((bracketed(number(term.number)), *boxes.parts_of(shown)))
    (_, coefficient), = terms.values()
    amount = number(lift(term.number) * -1 if coefficient < 0 else term.number)
    first, *rest = boxes.parts_of(shown) if amount == _ONE else (*boxes.parts_of(amount), *boxes.parts_of(shown))
    return _beside([Tight((MINUS, first)) if coefficient < 0 else first, *rest])


def _factor(term: Term) -> Box:
    shown = _box(term)
    return bracketed(shown) if isinstance(term, (Sum, Product, Scaled, Over)) else shown


def _raised(term: Term) -> Box:
    inner = term.parts[0]
    both = isinstance(term, Transpose) and isinstance(inner, Inverse)
    base = _factor(inner.parts[0] if both else inner)
    if both:
        return Raised(base, Tight((MINUS, _TRANSPOSED)))
    return Raised(base, _TRANSPOSED if isinstance(term, Transpose) else Tight((MINUS, _ONE)))
