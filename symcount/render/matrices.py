"""Terms over matrices as text, and as plain text, as a statement is typed; `terms` has what is typeset.

One writer with two notations: a name's subscript, a transpose and a product look different in each.
"""

from __future__ import annotations

import re
from collections import namedtuple

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
from symcount.render import exact
from symcount.render import text as forms_text
from symcount.symbols import GREEK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LOWER = "₀₁₂₃₄₅₆₇₈₉₊₋ⱼₖₘₙₚᵣₜ"
_LOWERED = str.maketrans("0123456789+-jkmnprt", _LOWER)
NAME = re.compile(r"([A-Za-z]+?)(?:_\{(.+)\}|_([A-Za-z0-9,]+)|([0-9]+))?$")

# times: what stands between two factors; minus: its sign
Notation = namedtuple("Notation", "times minus")
PLAIN, TEXT = Notation("*", "-"), Notation("", "−")


def plain(term: Term) -> str:
    """A term as a statement is typed: `(X*W1 + 1*b1)*W2`."""
    return _write(term, PLAIN)


def text(term: Term) -> str:
    """A term as text: `(XW₁ + 1b₁)W₂`."""
    return _write(term, TEXT)


def piece(shown: Any, notation: Notation = TEXT) -> str:
    """A term, a matrix of numbers or a form, as mathematics; words as they stand."""
    if isinstance(shown, str):
        return shown
    if isinstance(shown, Term):
        return _write(shown, notation)
    if isinstance(shown, Figure):
        return figure(shown, notation)
    if isinstance(shown, Polynomial):
        return number(shown, notation)
    return forms_text.form(shown) if notation is TEXT else forms_text.plain(shown)


def figure(shown: Figure, notation: Notation = TEXT) -> str:
    """A matrix of numbers: a number alone, a row in round brackets, rows in square ones.

    >>> figure(Figure([[-2, 3]])), figure(Figure([[1], [0]]))
    ('(−2, 3)', '[1; 0]')
    """
    rows = [[_amount(x, notation) for x in row] for row in shown.rows]
    if len(rows) == len(rows[0]) == 1:
        return rows[0][0]
    if len(rows) == 1:
        return f"({', '.join(rows[0])})"
    return "[" + "; ".join(", ".join(row) for row in rows) + "]"


def _amount(x: Any, notation: Notation) -> str:
    shown = f"{x:.4g}" if isinstance(x, float) else exact(x)
    return shown.replace("-", notation.minus)


def name(spelled: str, notation: Notation) -> str:
    """A letter's name, its subscript lowered.

    >>> name("W1", TEXT), name("W_{k-1}", TEXT), name("W_Q", TEXT), name("gamma", PLAIN)
    ('W₁', 'Wₖ₋₁', 'W_Q', 'gamma')
    """
    found = NAME.match(spelled)
    if notation is PLAIN or not found:
        return spelled
    base, low = found[1], found[2] or found[3] or found[4]
    base = GREEK.get(base, base)
    if low is None:
        return base
    lowered = low.translate(_LOWERED)
    return base + (lowered if not re.search(r"[A-Za-z0-9]", lowered) else f"_{low}")


def number(size: Any, notation: Notation) -> str:
    """A number of named numbers, sizes and 1 × 1 matrices."""
    terms = lift(size).terms
    if len(terms) != 1 or all(isinstance(atom, str) for powers, _ in terms.values() for atom, _ in powers):
        return forms_text.form(written(size)) if notation is TEXT else str(size)
    (powers, coefficient), = terms.values()
    above = [_power(atom, power, notation) for atom, power in powers if power > 0]
    below = [_power(atom, -power, notation) for atom, power in powers if power < 0]
    above = [str(coefficient.numerator), *above] if coefficient.numerator != 1 or not above else above
    below = [str(coefficient.denominator), *below] if coefficient.denominator != 1 else below
    times = notation.times
    if not below:
        return times.join(above)
    under = times.join(below)
    return f"{times.join(above)}/{under if len(below) == 1 else f'({under})'}"


def _power(atom: Any, power: int, notation: Notation) -> str:
    base = _write(atom.term, notation) if isinstance(atom, Entry) else name(str(atom), notation)
    if isinstance(atom, Entry):
        base = _bracketed(base)
    return base if power == 1 else f"{base}^{power}"


def _write(term: Term, notation: Notation) -> str:
    if isinstance(term, Letter):
        shown = name(term.name, notation)
        return shown + ("" if not term.over else f"_{{{''.join(term.over)}}}")
    if isinstance(term, Eye):
        return "I"
    if isinstance(term, Ones):
        return "1"
    if isinstance(term, Shift):
        return name(f"S{term.at}", notation)
    if isinstance(term, Sum):
        return _sum(term, notation)
    if isinstance(term, Scaled):
        return _scaled(term, notation)
    if isinstance(term, Product):
        return _product(term, notation)
    if isinstance(term, (Transpose, Inverse)):
        return _raised(term, notation)
    if isinstance(term, Apply):
        return str(term.function.name) + _bracketed(_write(term.parts[0], notation))
    if isinstance(term, (Side, Stack)):
        return _blocks(term, notation)
    if isinstance(term, Over):
        listed = ",".join(term.indices)
        sign = f"Σ_{{{listed}}} " if notation is TEXT else "sum "
        inner = _write(term.parts[0], notation)
        return sign + (_bracketed(inner) if isinstance(term.parts[0], Sum) else inner)
    return "0"


def _sum(term: Term, notation: Notation) -> str:
    shown = ""
    for part in term.parts:
        written_part = _write(part, notation)
        negative = written_part.startswith(notation.minus)
        bare = written_part[len(notation.minus):] if negative else written_part
        if not shown:
            shown = written_part
        else:
            shown += f" {notation.minus if negative else '+'} {bare}"
    return shown


def _scaled(term: Scaled, notation: Notation) -> str:
    terms = lift(term.number).terms
    inner = term.parts[0]
    shown = _factor(inner, notation) if not isinstance(inner, Product) else _write(inner, notation)
    if len(terms) != 1:
        return f"{_bracketed(number(term.number, notation))}{notation.times}{shown}"
    (_, coefficient), = terms.values()
    sign = notation.minus if coefficient < 0 else ""
    amount = number(lift(term.number) * -1 if coefficient < 0 else term.number, notation)
    if amount == "1":
        return sign + shown
    if "/" in amount:
        amount = amount if notation is PLAIN else f"({amount})"
    return f"{sign}{amount}{notation.times or ('·' if shown[0].isdigit() and amount[-1].isdigit() else '')}{shown}"


def _product(term: Product, notation: Notation) -> str:
    shown = ""
    for i, part in enumerate(term.parts):
        factor = _factor(part, notation)
        if not shown:
            shown = factor
            continue
        before = term.parts[i - 1]
        apart = notation is TEXT and (_long(part) or _long(before) or isinstance(part, (Apply, Side, Stack))
                                       or factor[0].isdigit())
        shown += ("·" if apart else notation.times) + factor
    return shown


def _factor(term: Term, notation: Notation) -> str:
    shown = _write(term, notation)
    return _bracketed(shown) if isinstance(term, (Sum, Product, Scaled, Over)) else shown


def _bracketed(shown: str) -> str:
    return f"({shown})"


def _long(term: Term) -> bool:
    """Whether a factor is a name of several letters, or has an index that cannot be lowered: it needs room."""
    while isinstance(term, (Transpose, Inverse)):
        term = term.parts[0]
    if not isinstance(term, Letter):
        return False
    shown = name(term.name, TEXT)
    return len(shown.rstrip(_LOWER)) > 1 or bool(term.over)


def _raised(term: Term, notation: Notation) -> str:
    inner = term.parts[0]
    both = isinstance(term, Transpose) and isinstance(inner, Inverse)
    base = _factor(inner.parts[0] if both else inner, notation)
    if notation is PLAIN:
        return base + ("^-1.T" if both else ".T" if isinstance(term, Transpose) else "^-1")
    return base + ("⁻ᵀ" if both else "ᵀ" if isinstance(term, Transpose) else "⁻¹")


def _blocks(term: Term, notation: Notation) -> str:
    parts = [_write(part, notation) for part in term.parts]
    return f"[{(', ' if isinstance(term, Side) else '; ').join(parts)}]"
