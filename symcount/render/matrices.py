"""Terms over matrices as text, as LaTeX, and as plain text, as a statement is typed.

One writer with three notations: a name's subscript, a transpose, blocks and functions look different in each.
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
from symcount.render import latex as forms_latex
from symcount.render import text as forms_text
from symcount.symbols import GREEK, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LOWER = "₀₁₂₃₄₅₆₇₈₉₊₋ⱼₖₘₙₚᵣₜ"
_LOWERED = str.maketrans("0123456789+-jkmnprt", _LOWER)
_NAME = re.compile(r"([A-Za-z]+?)(?:_\{(.+)\}|_([A-Za-z0-9,]+)|([0-9]+))?$")

# times: what stands between two factors; minus: its sign
Notation = namedtuple("Notation", "times minus")
PLAIN, TEXT, LATEX = Notation("*", "-"), Notation("", "−"), Notation(" ", "-")


def plain(term: Term) -> str:
    """A term as a statement is typed: `(X*W1 + 1*b1)*W2`."""
    return _write(term, PLAIN)


def text(term: Term) -> str:
    """A term as text: `(XW₁ + 1b₁)W₂`."""
    return _write(term, TEXT)


def latex(term: Any) -> str:
    r"""A term, a matrix of numbers or a form as LaTeX mathematics: `(X W_{1} + \mathbf{1} b_{1}) W_{2}`."""
    return piece(term, LATEX)


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
    if notation is LATEX:
        return forms_latex.form(shown)
    return forms_text.form(shown) if notation is TEXT else forms_text.plain(shown)


def figure(shown: Figure, notation: Notation = TEXT) -> str:
    """A matrix of numbers: a number alone, a row in round brackets, rows in square ones.

    >>> figure(Figure([[-2, 3]])), figure(Figure([[1], [0]]))
    ('(−2, 3)', '[1; 0]')
    """
    rows = [[_amount(x, notation) for x in row] for row in shown.rows]
    if len(rows) == len(rows[0]) == 1:
        return rows[0][0]
    if notation is LATEX:
        return r"\begin{bmatrix} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \end{bmatrix}"
    if len(rows) == 1:
        return f"({', '.join(rows[0])})"
    return "[" + "; ".join(", ".join(row) for row in rows) + "]"


def _amount(x: Any, notation: Notation) -> str:
    if isinstance(x, float):
        shown = f"{x:.4g}"
    elif notation is LATEX and x.denominator != 1:
        shown = rf"\frac{{{abs(x.numerator)}}}{{{x.denominator}}}"
        return shown if x > 0 else "-" + shown
    else:
        shown = exact(x)
    return shown.replace("-", notation.minus)


def name(spelled: str, notation: Notation) -> str:
    r"""A letter's name, its subscript lowered.

    >>> name("W1", TEXT), name("W_{k-1}", TEXT), name("W_Q", LATEX), name("gamma", LATEX)
    ('W₁', 'Wₖ₋₁', 'W_{Q}', '\\gamma')
    """
    found = _NAME.match(spelled)
    if notation is PLAIN or not found:
        return spelled
    base, low = found[1], found[2] or found[3] or found[4]
    if notation is TEXT:
        base = GREEK.get(base, base)
        if low is None:
            return base
        lowered = low.translate(_LOWERED)
        return base + (lowered if not re.search(r"[A-Za-z0-9]", lowered) else f"_{low}")
    base = f"\\{base}" if base in GREEK else base if len(base) == 1 else rf"\mathrm{{{base}}}"
    if low is None:
        return base
    low = rf"\mathrm{{{low}}}" if len(low) > 1 and low.isalpha() else low
    return f"{base}_{{{low}}}"


def number(size: Any, notation: Notation) -> str:
    """A number of named numbers, sizes and 1 × 1 matrices."""
    terms = lift(size).terms
    if len(terms) != 1 or all(isinstance(atom, str) for powers, _ in terms.values() for atom, _ in powers):
        if notation is LATEX:
            return forms_latex.form(written(size))
        return forms_text.form(written(size)) if notation is TEXT else str(size)
    (powers, coefficient), = terms.values()
    above = [_power(atom, power, notation) for atom, power in powers if power > 0]
    below = [_power(atom, -power, notation) for atom, power in powers if power < 0]
    above = [str(coefficient.numerator), *above] if coefficient.numerator != 1 or not above else above
    below = [str(coefficient.denominator), *below] if coefficient.denominator != 1 else below
    times = notation.times
    if not below:
        return times.join(above)
    if notation is LATEX:
        return rf"\frac{{{' '.join(above)}}}{{{' '.join(below)}}}"
    under = times.join(below)
    return f"{times.join(above)}/{under if len(below) == 1 else f'({under})'}"


def _power(atom: Any, power: int, notation: Notation) -> str:
    base = _write(atom.term, notation) if isinstance(atom, Entry) else name(str(atom), notation)
    if isinstance(atom, Entry):
        base = _bracketed(base, notation)
    elif isinstance(atom, str) and notation is LATEX:
        base = row(atom).latex
    return base if power == 1 else base + (f"^{{{power}}}" if notation is LATEX else f"^{power}")


def _write(term: Term, notation: Notation) -> str:
    if isinstance(term, Letter):
        shown = name(term.name, notation)
        return shown + ("" if not term.over else f"_{{{''.join(term.over)}}}")
    if isinstance(term, Eye):
        return "I"
    if isinstance(term, Ones):
        return r"\mathbf{1}" if notation is LATEX else "1"
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
        of = term.function.name
        shown = r"\operatorname{" + of.replace("_", r"\_") + "}" if notation is LATEX else of
        return shown + _bracketed(_write(term.parts[0], notation), notation)
    if isinstance(term, (Side, Stack)):
        return _blocks(term, notation)
    if isinstance(term, Over):
        listed = ",".join(term.indices)
        sign = rf"\sum_{{{listed}}} " if notation is LATEX else f"Σ_{{{listed}}} " if notation is TEXT else "sum "
        inner = _write(term.parts[0], notation)
        return sign + (_bracketed(inner, notation) if isinstance(term.parts[0], Sum) else inner)
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
        return f"{_bracketed(number(term.number, notation), notation)}{notation.times}{shown}"
    (_, coefficient), = terms.values()
    sign = notation.minus if coefficient < 0 else ""
    amount = number(lift(term.number) * -1 if coefficient < 0 else term.number, notation)
    if amount == "1":
        return sign + shown
    if "/" in amount and notation is not LATEX:
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
    return _bracketed(shown, notation) if isinstance(term, (Sum, Product, Scaled, Over)) else shown


def _bracketed(shown: str, notation: Notation) -> str:
    """In brackets, which grow in LaTeX around what is tall."""
    tall = notation is LATEX and (r"\frac" in shown or r"\begin" in shown)
    return rf"\left({shown}\right)" if tall else f"({shown})"


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
    if notation is TEXT:
        return base + ("⁻ᵀ" if both else "ᵀ" if isinstance(term, Transpose) else "⁻¹")
    base = base if not isinstance(inner, (Transpose, Inverse)) or both else f"{{{base}}}"
    return base + ("^{-\\top}" if both else "^{\\top}" if isinstance(term, Transpose) else "^{-1}")


def _blocks(term: Term, notation: Notation) -> str:
    parts = [_write(part, notation) for part in term.parts]
    beside = isinstance(term, Side)
    if notation is LATEX:
        return r"\begin{bmatrix} " + (" & " if beside else r" \\ ").join(parts) + r" \end{bmatrix}"
    return f"[{(', ' if beside else '; ').join(parts)}]"
