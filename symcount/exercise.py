"""An exercise: what it asks, its answer, how one comes to it, hints, and what wrong answers come from."""

from __future__ import annotations

import re
from collections import namedtuple

from symcount.algebra.making import matrix
from symcount.derivation import Figure
from symcount.forms import Number, Symbol, written
from symcount.formulas import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# asks     paragraphs: words, tuples of pieces as `paragraph` makes them, or Quoted
# answer   one of `answers`
# steps    a function to the steps of the worked solution, each checked when it is made; not every reader wants them
# hints    paragraphs, of which each tells more than the one before, and none the answer
# slips    (wrong answer, what it comes from): what --check says of it
Exercise = namedtuple("Exercise", "asks answer steps hints slips", defaults=((),))

_GAP = re.compile(r"\{([A-Za-z_0-9]+)(=?)\}")


def paragraph(template: str, **values: Any) -> tuple[Any, ...]:
    """A paragraph: `{d=}` becomes the letter, an equal sign and its value, `{d}` the value alone.

    A value is a whole number, a matrix as rows, a form or a term. What stands between backquotes is a formula.

    >>> paragraph("Of width {d=}, `2h` of it.", d=768)
    ('Of width ', Symbol(name='d'), ' = ', Number(number=768), ', ', Product(...), ' of it.')
    """
    pieces: list[Any] = []
    at = 0
    for gap in _GAP.finditer(template):
        value = values[gap[1]]
        if isinstance(value, int):
            shown: Any = Number(value)
        else:
            shown = Figure(value) if isinstance(value, list) else value
        named: list[Any] = []
        if gap[2]:
            named = [matrix(gap[1], len(value), len(value[0])) if isinstance(value, list) else Symbol(gap[1]), " = "]
        pieces += [template[at:gap.start()], *named, shown]
        at = gap.end()
    return tuple(part for piece in (*pieces, template[at:]) for part in _formulas(piece) if part != "")


def _formulas(piece: Any) -> list[Any]:
    """A piece of words with its formulas as forms."""
    if not isinstance(piece, str):
        return [piece]
    return [written(read(part)) if i % 2 else part for i, part in enumerate(piece.split("`"))]
