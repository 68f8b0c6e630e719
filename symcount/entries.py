"""Packages in which each file is one entry, found by the file's name and imported when it is asked for."""

from __future__ import annotations

from symcount.errors import ModelError, clipped, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def entries(package: str) -> list[str]:
    """The names of the entries of a package; a file whose name starts with "_" is none.

    >>> "adam" in entries("storage")
    True
    """
    from os import listdir
    from os.path import dirname, join

    return sorted(file[:-3] for file in listdir(join(dirname(__file__), package))
                  if file.endswith(".py") and file[0] != "_")


def entry(package: str, name: str, unknown: str) -> ModuleType:
    """The module of an entry. Raises ModelError, which begins with what is `unknown`, for another name."""
    from importlib import import_module

    if name not in (known := entries(package)):
        raise ModelError(f"{unknown} '{clipped(str(name))}'; {nearest(str(name), known)}")
    return import_module(f"symcount.{package}.{name}")
