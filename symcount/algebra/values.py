"""What a term is for given matrices: exact, modulo a prime, or in floats.

A matrix is a list of rows. `modulus` computes in the field of that many numbers; `real` takes functions at their
true values in floats, where exact values are fractions and functions stand in the unit that `functions` names.
"""

from __future__ import annotations

from fractions import Fraction

from symcount.algebra.scalars import Entry, Named
from symcount.algebra.terms import (
    Apply,
    Eye,
    Inverse,
    Letter,
    Ones,
    Over,
    Product,
    Scaled,
    Shift,
    Side,
    Stack,
    Sum,
    Term,
    Transpose,
)
from symcount.errors import ProofError
from symcount.polynomials import Call, lift
from symcount.sizes import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size

    Matrix = list[list[Any]]


_LARGE = 1e6  # of floats: a difference of 1e-3 between larger ones might be rounding


class NotRationalError(ProofError):
    """A function has no rational value here, or a matrix no inverse: other numbers must be tried."""


class Point:
    """Values for the letters of terms: `matrices` by name (and index), `sizes` by letter, `numbers` by name."""

    __slots__ = ("counts", "matrices", "modulus", "numbers", "real", "sizes")

    def __init__(self, sizes: dict[str, int], matrices: dict[Any, Matrix], numbers: dict[str, Any] | None = None, *,
                 counts: dict[str, int] | None = None, modulus: int | None = None, real: bool = False) -> None:
        self.sizes, self.matrices, self.numbers = sizes, matrices, numbers or {}
        self.counts, self.modulus, self.real = counts or {}, modulus, real

    def of(self, term: Term, at: dict[str, int] | None = None) -> Matrix:
        """The matrix that a term is here; `at` says where its indices stand.

        Raises NotRationalError where a function has no rational value, or a matrix no inverse.
        """
        at = at or {}
        if isinstance(term, Letter):
            found = self.matrices[(term.name, *(at[index] for index in term.over)) if term.over else term.name]
            return [[float(x) for x in row] for row in found] if self.real else found
        if isinstance(term, Sum):
            return self.added([self.of(part, at) for part in term.parts])
        if isinstance(term, Product):
            result = self.of(term.parts[0], at)
            for part in term.parts[1:]:
                result = self.multiplied(result, self.of(part, at))
            return result
        if isinstance(term, Scaled):
            amount = self.number(term.number, at)
            return [[self.field(amount * x) for x in row] for row in self.of(term.parts[0], at)]
        if isinstance(term, Transpose):
            return [list(column) for column in zip(*self.of(term.parts[0], at), strict=True)]
        if isinstance(term, Inverse):
            return self.inverted(self.of(term.parts[0], at))
        if isinstance(term, Apply):
            return [self.applied(term.function, row) for row in self.of(term.parts[0], at)]
        if isinstance(term, Side):
            blocks = [self.of(part, at) for part in term.parts]
            return [[x for row in rows for x in row] for rows in zip(*blocks, strict=True)]
        if isinstance(term, Stack):
            return [row for part in term.parts for row in self.of(part, at)]
        if isinstance(term, Over):
            return self.added([self.of(term.parts[0], {**at, **dict(zip(term.indices, place, strict=True))})
                               for place in self.places(term.indices)])
        rows, columns = value(term.rows, self.sizes), value(term.columns, self.sizes)
        if isinstance(term, Shift):
            return [[int(j == i + term.at) for j in range(columns)] for i in range(rows)]
        one = isinstance(term, Ones)
        return [[int(one or (i == j and isinstance(term, Eye))) for j in range(columns)] for i in range(rows)]

    def places(self, indices: tuple[str, ...]) -> list[tuple[int, ...]]:
        """All values of some indices."""
        found: list[tuple[int, ...]] = [()]
        for index in indices:
            found = [(*place, i) for place in found for i in range(self.counts.get(index, 2))]
        return found

    def number(self, size: Size, at: dict[str, int]) -> Any:
        """The number that a scalar is here."""
        result: Any = 0
        for powers, coefficient in lift(size).terms.values():
            amount = self.divided(coefficient.numerator, coefficient.denominator)
            for atom, power in powers:
                if isinstance(atom, Entry):
                    base = self.of(atom.term, at)[0][0]
                elif isinstance(atom, Call):
                    raise NotRationalError(f"{atom} in a number")
                else:
                    base = self.numbers[atom.name] if isinstance(atom, Named) else self.sizes[atom]
                for _ in range(abs(power)):
                    amount = self.field(amount * base if power > 0 else self.divided(amount, base))
            result = result + amount
        return self.field(result)

    def number_of(self, x: Any) -> Any:
        """An int or a fraction as a number of the field."""
        if self.modulus is None:
            return x
        return x % self.modulus if isinstance(x, int) else self.divided(x.numerator, x.denominator)

    def field(self, x: Any) -> Any:
        """x as a number of the field; a float that is large might hide what is lost by cancelling."""
        if self.real and abs(x) > _LARGE:
            raise NotRationalError(f"a float of {x:.0e} is not compared")
        return x if self.modulus is None else x % self.modulus

    def divided(self, a: Any, b: Any) -> Any:
        """a/b; NotRationalError for b = 0."""
        if self.modulus is not None:
            b %= self.modulus
        if b == 0:
            raise NotRationalError("division by zero")
        if self.modulus is not None:
            return a * pow(b, -1, self.modulus) % self.modulus
        return a / b if self.real else Fraction(a) / b

    def added(self, matrices: list[Matrix]) -> Matrix:
        """The sum of matrices."""
        return [[self.field(sum(entries)) for entries in zip(*rows, strict=True)]
                for rows in zip(*matrices, strict=True)]

    def multiplied(self, a: Matrix, b: Matrix) -> Matrix:
        """The product of two matrices."""
        columns = list(zip(*b, strict=True))
        return [[self.field(sum(x * y for x, y in zip(row, column, strict=True))) for column in columns] for row in a]

    def inverted(self, a: Matrix) -> Matrix:
        """The inverse, by elimination; NotRationalError for a singular matrix."""
        n = len(a)
        rows = [list(row) + [int(i == j) for j in range(n)] for i, row in enumerate(a)]
        for i in range(n):
            pivot = next((k for k in range(i, n) if rows[k][i] != 0), None)
            if pivot is None:
                raise NotRationalError("a singular matrix has no inverse")
            rows[i], rows[pivot] = rows[pivot], rows[i]
            rows[i] = [self.divided(x, rows[i][i]) for x in rows[i]]
            for k in range(n):
                if k != i and rows[k][i] != 0:
                    factor = rows[k][i]
                    rows[k] = [self.field(x - factor * y) for x, y in zip(rows[k], rows[i], strict=True)]
        return [row[n:] for row in rows]

    def applied(self, function: Any, row: list[Any]) -> list[Any]:
        """A function of a row."""
        if self.real:
            return list(function.real([float(x) for x in row]))
        if self.modulus is not None:
            raise NotRationalError(f"{function.name} has no value modulo a prime")
        found = function.exact([Fraction(x) for x in row])
        if found is None:
            raise NotRationalError(f"{function.name} of {', '.join(map(str, row))} is not rational")
        return list(found)
