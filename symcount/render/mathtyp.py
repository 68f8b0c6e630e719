"""Boxes as Typst writes mathematics: words and numbers in quotes, each sign as itself."""

from __future__ import annotations

from symcount.render.boxes import (
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
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.render.boxes import Box

# What Typst would read as more than a sign stands behind a backslash
_SIGNS = {ROOM.text: "thin", "·": "⋅", "Σ": "∑", "": '""', **{sign: f"\\{sign}" for sign in "()[]/,;&#$_^\"\\:"}}


def math(box: Box) -> str:
    r"""A box as mathematics.

    >>> math(Amount("100,480"))
    '$display("100,480")$'
    """
    return f"$display({_box(box)})$"


def quoted(words: str) -> str:
    r"""Words as a string literal.

    >>> quoted('a "b" \\ #c')
    '"a \\"b\\" \\\\ #c"'
    """
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(sign if sign.isprintable() else f"\\u{{{ord(sign):x}}}" for sign in escaped) + '"'


def _box(box: Box) -> str:
    kind = type(box)
    if kind is Amount or kind is Words:
        return quoted(box.text)
    if kind is Name:
        return f"upright({quoted(box.text)})" if box.upright else box.text
    if kind is Sign:
        return _SIGNS.get(box.text, box.text)
    if kind is Line:
        return _joined([_box(part) for part in box.parts])
    if kind is Tight:
        return _tight(box)
    if kind is Strong and isinstance(box.body, Amount):  # bold(…) would print other signs than digits: 𝟕
        return f'text(font: "New Computer Modern", weight: "bold", {quoted(box.body.text)})'
    if kind is Strong:
        return f"bold({_box(box.body)})"
    if kind is Lowered:
        return f"attach({_limits(box)}, b: {_box(box.low)})" if isinstance(box.base, Sign) else _attached(box)
    if kind is Raised:
        return _attached(box)
    return _tall(box)


def _joined(parts: list[str]) -> str:
    """Parts side by side: a blank only where two would be read as one, since beside text it would be room."""
    shown = ""
    for part in parts:
        both = shown[-1:].isalnum() and part[:1].isalnum()
        shown += (" " if both else "") + part
    return shown


def _tight(box: Tight) -> str:
    """Parts without room, a sign between two of them too."""
    first, *rest = box.parts
    return _joined([_box(first), *(f'class("normal", {_box(part)})' if isinstance(part, Sign) and part.text in "+−·/"
                                   else _box(part) for part in rest)])


def _limits(box: Lowered) -> str:
    return f"limits({_box(box.base)})"


def _attached(box: Box) -> str:
    """An index and an exponent of one letter stand above each other."""
    if isinstance(box, Raised) and isinstance(box.base, Lowered):
        return f"attach({_box(box.base.base)}, b: {_box(box.base.low)}, t: {_box(box.high)})"
    if isinstance(box, Raised):
        return f"attach({_box(box.base)}, t: {_box(box.high)})"
    return f"attach({_box(box.base)}, b: {_box(box.low)})"


def _tall(box: Box) -> str:
    kind = type(box)
    if kind is Fraction:
        return f"frac({_box(box.top)}, {_box(box.bottom)})"
    if kind is Radical:
        inner = _box(box.body)
        return f"sqrt({inner})" if box.degree == 2 else f"root({box.degree}, {inner})"
    if kind is Call:
        return f"op({quoted(box.name)})(" + ", ".join(map(_box, box.args)) + ")"
    if kind is Fence:
        return f"lr({box.left}{_box(box.body)}{box.right})"
    if kind is Lines:
        return f"mat(delim: #none, align: #{'center' if box.centred else 'left'}, " + "; ".join(
            f"inline({_box(line)})" for line in box.lines) + ")"
    rows = "; ".join(", ".join(map(_box, row)) for row in box.rows)
    return f'mat(delim: "[", {rows})'
