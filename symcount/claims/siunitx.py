r"""Numbers and quantities as the LaTeX package siunitx sets them: `\num{23440896}`, `\qty{13.5}{\giga\byte}`.

Source: the manual of siunitx, sections on numbers, units and quantities. A comma is a decimal sign there, so a number
with one is not read.
"""

from __future__ import annotations

import re

from symcount.claims.figures import figure
from symcount.claims.units import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.claims.figures import Figure

_QUANTITY = re.compile(r"\\(?:num\{([0-9. e+-]{1,40})\}|(?:qty|SI)\{([0-9. e+-]{1,40})\}\{([A-Za-z\\%/]{1,40})\})")
_MACRO = re.compile(r"\\([a-z]+)")
_MACROS = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E", "kibi": "Ki", "mebi": "Mi",
           "gibi": "Gi", "tebi": "Ti", "pebi": "Pi", "byte": "B", "bit": "bit", "second": "s", "percent": "%",
           "milli": "m", "micro": "µ", "nano": "n", "per": "/"}


def quantity(text: str, at: int, offset: int) -> tuple[Figure, int] | None:
    r"""The figure that a command of siunitx sets, and where the command ends; None where none is read.

    >>> found, end = quantity(r"\qty{13.5}{\giga\byte} of memory", 0, 0)
    >>> int(found.value), found.unit.kind, end
    (13500000000, 'byte', 22)
    """
    found = _QUANTITY.match(text, at)
    if found is None:
        return None
    number = 1 if found[1] else 2
    unit = _MACRO.sub(lambda macro: _MACROS.get(macro[1], "?"), found[3] or "")
    if unit and unit not in TABLE and unit != "B":
        return None

    def word(place: int) -> tuple[str, int]:
        return (unit, found.end() - 1) if place == found.end(number) else ("", place)

    one = figure(text, found.start(number), word, offset)
    whole = one is not None and one.end - offset in (found.end(number), found.end() - 1)
    return (one, found.end()) if one is not None and whole else None
