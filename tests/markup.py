"""Markdown that the generated pages are put together from."""

from __future__ import annotations

import re

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
