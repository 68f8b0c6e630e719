"""Making terms: matrices by name, constants, blocks, functions and named numbers, with sizes as texts or letters."""

from __future__ import annotations

from symcount.algebra.scalars import Named
from symcount.algebra.terms import Apply, Eye, Letter, Ones, Side, Stack, Term, Zero, agree
from symcount.errors import ShapeError
from symcount.formulas import read
from symcount.polynomials import Polynomial, lift, opaque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def matrix(name: str, rows: Any, columns: Any, *properties: str, over: tuple[str, ...] = ()) -> Letter:
    """A matrix by name: sizes are ints, letters, or texts such as "heads*k"; see PROPERTIES for what may be declared.

    >>> matrix("W1", "d", "r")
    W1: d × r
    >>> matrix("X", "n", "d") * matrix("W2", "r", "m")
    Traceback (most recent call last):
    symcount.errors.ShapeError: X is n × d and W2 is r × m: they cannot be multiplied, for d is not r
    """
    return Letter(name, _size(rows), _size(columns), properties, over)


def ones(n: Any) -> Term:
    """A column of n ones; of one is the number 1."""
    n = _size(n)
    return Eye(1) if agree(n, 1) else Ones(n)


def eye(n: Any) -> Term:
    """The identity matrix of n rows."""
    return Eye(_size(n))


def zero(rows: Any, columns: Any) -> Term:
    """The matrix of zeros."""
    return Zero(_size(rows), _size(columns))


def apply(name: str, part: Term) -> Term:
    """A function of `functions.FUNCTIONS`, of a matrix."""
    return Apply(name, part)


def side(*parts: Term) -> Term:
    """[A B …]."""
    return parts[0] if len(parts) == 1 else Side(parts)


def stack(*parts: Term) -> Term:
    """[U; V; …]."""
    return parts[0] if len(parts) == 1 else Stack(parts)


def number(name: str) -> Polynomial:
    """A number by name, for `number("alpha") * (A * B)`."""
    return opaque(Named(name))


def _size(size: Any) -> Size:
    if isinstance(size, str):
        size = read(size)
    if isinstance(size, bool) or lift(size) is NotImplemented or not any(
            coefficient > 0 for _, coefficient in lift(size).terms.values()):
        raise ShapeError(f"a matrix has no size {size!r}: a size is a positive int, or in letters")
    return size
