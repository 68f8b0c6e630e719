"""Numbers that stand before a matrix: by name, or a 1 × 1 matrix; atoms of the polynomials that sizes are made of."""

from __future__ import annotations

import re

from symcount.errors import ShapeError, clipped
from symcount.polynomials import Atom, lift

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.algebra.terms import Term
    from symcount.polynomials import Size

_NAME = re.compile(r"[A-Za-zα-ω][\w .,{}-]*")  # of a letter or a number: none of the signs that keys are made with


class Named(Atom):
    """A number by name, as the α of LoRA; two are equal when their names are, and no size is."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        named(name)
        super().__init__(f"number {name}")
        self.name = name

    def __repr__(self) -> str:
        return self.name


class Entry(Atom):
    """A 1 × 1 matrix as a number: it commutes, and is its own transpose."""

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        super().__init__(f"<{term.key}>")
        self.term = term


def atoms(number: Size) -> list[tuple[Any, int]]:
    """(atom, power) of every factor of a number: sizes by letter, `Named`, `Entry`."""
    return [factor for powers, _ in lift(number).terms.values() for factor in powers]


def named(name: str) -> None:
    """Raise ShapeError for what is no name of a letter or a number."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ShapeError(f"{clipped(repr(name))} is no name: letters, digits and '_' are, a letter first")
