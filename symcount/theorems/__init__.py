"""Identities, one file each, found by their file's name; none is imported before it is asked for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.identity import Identity


def identities() -> list[str]:
    """The names of all identities.

    >>> "layer_collapse" in identities()
    True
    """
    import os

    return sorted(file[:-3] for file in os.listdir(os.path.dirname(__file__))
                  if file.endswith(".py") and not file.startswith("_"))


def load(name: str) -> Identity:
    """The identity of this name; ModelError for another."""
    from importlib import import_module

    from symcount.errors import ModelError, clipped, nearest

    if name not in identities():
        raise ModelError(f"no identity '{clipped(name)}'; {nearest(name, identities())}")
    found: Identity = import_module(f"symcount.theorems.{name}").IDENTITY
    return found
