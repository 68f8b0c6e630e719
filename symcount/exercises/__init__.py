"""Kinds of exercises, one file each, found by the file's name; none is imported before it is asked for.

A file has a docstring, whose first line is what its kind is called, and one function, `exercise(level, draw)`: an
exercise of level 1, 2 or 3, whose numbers come from nothing but `draw`.
"""

from __future__ import annotations

from symcount.entries import entries, entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def kinds() -> list[str]:
    """The names of all kinds.

    >>> "parameters" in kinds()
    True
    """
    return entries("exercises")


def load(name: str) -> ModuleType:
    """The module of a kind; ModelError for another name."""
    return entry("exercises", name, "no kind of exercise")


def called(name: str) -> str:
    """What a kind is called: the first line of its file.

    >>> called("parameters")
    'parameters of a stack of dense layers'
    """
    return (load(name).__doc__ or "").strip().partition("\n")[0].removesuffix(".")
