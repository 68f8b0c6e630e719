"""Markdown that the generated pages are put together from."""

from __future__ import annotations

import re

ROWS = 24  # of a display: more run off a printed page
_BEFORE, _AFTER = "$$\n\\begin{aligned}\n", "\n\\end{aligned}\n$$"
_SPECIAL = str.maketrans({sign: "\\" + sign for sign in "\\*_[]<$|"})


def escaped(words: str) -> str:
    """Words in which no sign has a meaning of its own, but for backticks; lines joined."""
    pieces = re.split(r"(`[^`]+`)", " ".join(words.split()))
    return "".join(piece if i % 2 else piece.translate(_SPECIAL) for i, piece in enumerate(pieces))


def code(name: str) -> str:
    """A name as code, also within a table."""
    return f"`{name}`".replace("|", "\\|")


def tabulated(head: str, align: str, rows: list[tuple[str, ...]]) -> list[str]:
    """The lines of a table, an empty one behind it; `align` is l or r for each column, `head` their names."""
    names = [name.strip() for name in head.split("|")]
    rule = ["--:" if side == "r" else "---" for side in align]
    return [*("| " + " | ".join(row) + " |" for row in (names, rule, *rows)), ""]


def as_one(displays: list[str]) -> str:
    """Displays one below the other, their signs aligned: as few displays as hold no more rows than fit on a page."""
    found: list[list[str]] = [[]]
    for display in displays:
        rows = display.removeprefix(_BEFORE).removesuffix(_AFTER).split(" \\\\\n")
        if found[-1] and len(found[-1]) + len(rows) > ROWS:
            found.append([])
        found[-1] += rows
    return "\n\n".join(_BEFORE + " \\\\\n".join(rows) + _AFTER for rows in found)
