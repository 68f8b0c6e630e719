"""MathML: one `<math>` for each cell, since browsers do not align the rows of a table within one."""

from __future__ import annotations

from html import escape

from symcount.render.boxes import (
    MINUS,
    ROOM,
    Amount,
    Call,
    Fence,
    Fraction,
    Line,
    Lines,
    Lowered,
    Name,
    Radical,
    Raised,
    Sign,
    Strong,
    Tight,
    Words,
    tall,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from symcount.render.boxes import Box

_BRACKETS = "()[]⌈⌉⌊⌋"
_APPLIED = "<mo>\u2061</mo>"  # a function before its argument


def math(box: Box) -> str:
    """A box as an element of its own.

    >>> math(Amount("100,480"))
    '<math displaystyle="true"><mn>100,480</mn></math>'
    """
    return f'<math displaystyle="true">{_parts(box)}</math>'


def sign(text: str) -> str:
    """A sign between two formulas of a sentence, which has blanks around it."""
    return f'<math><mo lspace="0" rspace="0">{escape(text)}</mo></math>'


def _parts(box: Box) -> str:
    """What stands within an element that is a row itself."""
    return "".join(map(_box, box.parts)) if isinstance(box, Line) else _box(box)


def _box(box: Box) -> str:
    kind = type(box)
    if kind is Amount:
        return _number(box.text)
    if kind is Name:
        upright = ' mathvariant="normal"' if box.upright and len(box.text) == 1 else ""
        return f"<mi{upright}>{escape(box.text)}</mi>"
    if kind is Sign:
        return _sign(box)
    if kind is Words:
        return f"<mtext>{_spaced(box.text)}</mtext>"
    if kind is Line:
        return f"<mrow>{''.join(map(_box, box.parts))}</mrow>"
    if kind is Tight:
        return f"<mrow>{_tight(box)}</mrow>"
    if kind is Strong:
        return f'<mrow class="strong">{_box(box.body)}</mrow>'
    if kind in (Lowered, Raised):
        return _scripts(box)
    return _tall(box)


def _tight(box: Tight) -> str:
    """Parts without room: a sign at the beginning is that of a number."""
    first, *rest = box.parts
    before = f'<mo form="prefix">{MINUS.text}</mo>' if first == MINUS else _box(first)
    return before + "".join(f'<mo lspace="0" rspace="0">{escape(part.text)}</mo>' if isinstance(part, Sign)
                            and part.text not in _BRACKETS else _box(part) for part in rest)


def _number(text: str) -> str:
    """A number as one token; its sign and what follows it apart."""
    sign, digits = (text[0], text[1:]) if text[:1] in ("+", "−") else ("", text)
    digits, _, unit = digits.partition(" ")
    return ((f'<mo form="prefix">{sign}</mo>' if sign else "") + f"<mn>{escape(digits)}</mn>"
            + (f"<mtext>\u202f{escape(unit)}</mtext>" if unit else ""))


def _sign(box: Sign) -> str:
    if box == ROOM:
        return '<mspace width="0.17em"/>'
    if not box.text:
        return ""
    if box.text in _BRACKETS:
        return f'<mo stretchy="false">{escape(box.text)}</mo>'
    if box.text == "Σ":
        return '<mo movablelimits="false">∑</mo>'
    between = ' form="infix"' if box.text in "+−=>≤≥≈" else ""  # also where it begins a line that continues
    return f"<mo{between}>{escape(box.text)}</mo>"


def _scripts(box: Box) -> str:
    if isinstance(box, Raised) and isinstance(box.base, Lowered):
        return f"<msubsup>{_box(box.base.base)}{_box(box.base.low)}{_box(box.high)}</msubsup>"
    if isinstance(box, Raised):
        return f"<msup>{_box(box.base)}{_box(box.high)}</msup>"
    tag = "munder" if isinstance(box.base, Sign) else "msub"
    return f"<{tag}>{_box(box.base)}{_box(box.low)}</{tag}>"


def _tall(box: Box) -> str:
    kind = type(box)
    if kind is Fraction:
        return f"<mfrac>{_box(box.top)}{_box(box.bottom)}</mfrac>"
    if kind is Radical:
        inner = _box(box.body)
        return f"<msqrt>{inner}</msqrt>" if box.degree == 2 else f"<mroot>{inner}<mn>{box.degree}</mn></mroot>"
    if kind is Call:
        inner = "<mo>,</mo>".join(map(_box, box.args))
        return f"<mi>{escape(box.name)}</mi>{_APPLIED}{_fenced('(', inner, ')', grows=tall(box.args))}"
    if kind is Fence:
        return _fenced(box.left, _parts(box.body), box.right, grows=tall(box.body))
    if kind is Lines:
        return _rows([(line,) for line in box.lines], "centred" if box.centred else "stacked")
    return f"<mrow><mo>[</mo>{_rows(box.rows, 'matrix')}<mo>]</mo></mrow>"


def _fenced(left: str, inner: str, right: str, *, grows: bool) -> str:
    """Brackets of the height of what they hold; around what is not tall they are those of the line."""
    stretchy = "" if grows else ' stretchy="false"'
    return f"<mrow><mo{stretchy}>{left}</mo>{inner}<mo{stretchy}>{right}</mo></mrow>"


def _rows(rows: Iterable[Sequence[Box]], name: str) -> str:
    shown = "".join("<mtr>" + "".join(f"<mtd>{_box(one)}</mtd>" for one in row) + "</mtr>" for row in rows)
    return f'<mtable class="{name}">{shown}</mtable>'


def _spaced(words: str) -> str:
    """Words whose blanks at both ends are kept."""
    bare = words.strip(" ")
    if not bare:
        return "\u00a0" if words else ""
    return ("\u00a0" if words[0] == " " else "") + escape(bare) + ("\u00a0" if words[-1] == " " else "")
