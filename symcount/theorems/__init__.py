"""Identities, one file each, found by their file's name; none is imported before it is asked for."""

from __future__ import annotations

from symcount.entries import entries, entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.identity import Identity


def identities() -> list[str]:
    """The names of all identities.

    >>> "layer_collapse" in identities()
    True
    """
    return entries("theorems")


def load(name: str) -> Identity:
    """The identity of this name; ModelError for another."""
    found: Identity = entry("theorems", name, "no identity").IDENTITY
    return found
