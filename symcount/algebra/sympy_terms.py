"""Terms as SymPy's matrix expressions, and back: the one file of `algebra` that needs SymPy.

SymPy is asked for no verdict: it accepts products of shapes that merely might fit. What comes in is checked anew.
"""

from __future__ import annotations

from symcount.algebra.making import eye, ones, side, stack
from symcount.algebra.scalars import Named
from symcount.algebra.terms import (
    Eye,
    Inverse,
    Letter,
    Ones,
    Product,
    Scaled,
    Side,
    Stack,
    Sum,
    Term,
    Transpose,
    Zero,
    product,
    scaled,
    total,
)
from symcount.errors import FormulaError
from symcount.polynomials import lift, made, opaque, quotient
from symcount.sizes import from_sympy as size_from
from symcount.sizes import to_sympy as size_to
from symcount.symbols import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def to_sympy(term: Term) -> Any:
    """The matrix expression of a term: MatrixSymbol, Identity, OneMatrix, ZeroMatrix, sums, products, BlockMatrix.

    >>> from symcount.algebra import matrix
    >>> to_sympy(matrix("X", "n", "d") * (matrix("W1", "d", "r") * matrix("W2", "r", "m")))
    X*(W1*W2)

    Raises FormulaError for what SymPy has no words for: a function of a matrix, a sum over heads, a window.
    """
    import sympy

    if isinstance(term, Letter) and not term.over:
        return sympy.MatrixSymbol(term.name, size_to(term.rows), size_to(term.columns))
    if isinstance(term, Eye):
        return sympy.Identity(size_to(term.rows))
    if isinstance(term, Ones):
        return sympy.OneMatrix(size_to(term.rows), 1)
    if isinstance(term, Zero):
        return sympy.ZeroMatrix(size_to(term.rows), size_to(term.columns))
    parts = [to_sympy(part) for part in term.parts]
    if isinstance(term, Sum):
        return sympy.MatAdd(*parts)
    if isinstance(term, Product):
        return sympy.MatMul(*parts)
    if isinstance(term, Scaled):
        return _number(term.number) * parts[0]
    if isinstance(term, (Transpose, Inverse)):
        return sympy.Transpose(parts[0]) if isinstance(term, Transpose) else sympy.Inverse(parts[0])
    if isinstance(term, (Side, Stack)):
        return sympy.BlockMatrix([parts] if isinstance(term, Side) else [[part] for part in parts])
    raise FormulaError(f"SymPy has no matrix expression for {term}")


def from_sympy(expression: Any, declared: dict[str, tuple[str, ...]] | None = None) -> Term:
    """The term of a matrix expression; `declared` says of letters by name what is known of them.

    Raises ShapeError for shapes that do not fit, also where SymPy takes them, FormulaError for what is no term.
    """
    import sympy

    declared = declared or {}
    if isinstance(expression, sympy.MatrixSymbol):
        rows, columns = map(size_from, expression.shape)
        return Letter(expression.name, rows, columns, declared.get(expression.name, ()))
    if isinstance(expression, sympy.Identity):
        return eye(size_from(expression.rows))
    if isinstance(expression, sympy.ZeroMatrix):
        return Zero(size_from(expression.rows), size_from(expression.cols))
    if isinstance(expression, sympy.OneMatrix):
        return product([ones(size_from(expression.rows)), Transpose(ones(size_from(expression.cols)))])
    if isinstance(expression, sympy.MatAdd):
        return total([from_sympy(part, declared) for part in expression.args])
    if isinstance(expression, sympy.MatMul):
        amount, matrices = expression.as_coeff_matrices()
        return scaled(_size(amount), product([from_sympy(part, declared) for part in matrices]))
    if isinstance(expression, sympy.MatPow) and expression.exp.is_Integer and 0 < expression.exp <= 64:
        return product([from_sympy(expression.base, declared)] * int(expression.exp))
    if isinstance(expression, sympy.BlockMatrix):
        rows_of, columns_of = expression.blockshape
        return stack(*(side(*(from_sympy(expression.blocks[i, j], declared) for j in range(columns_of)))
                       for i in range(rows_of)))
    if isinstance(expression, (sympy.Transpose, sympy.Inverse)):
        inner = from_sympy(expression.arg, declared)
        return Transpose(inner) if isinstance(expression, sympy.Transpose) else Inverse(inner)
    raise FormulaError(f"{expression} is no term: sums, products, blocks, transposes and inverses of MatrixSymbols are")


def _number(amount: Size) -> Any:
    """A number as SymPy's: a named one is a symbol of that name."""
    import sympy

    found = sympy.Integer(0)
    for powers, coefficient in lift(amount).terms.values():
        one = sympy.Rational(coefficient.numerator, coefficient.denominator)
        for atom, power in powers:
            if isinstance(atom, Named):
                one *= sympy.Symbol(atom.name) ** power
            elif isinstance(atom, str):
                one *= size_to(made({frozenset(((atom, 1),)): (((atom, 1),), 1)})) ** power
            else:
                raise FormulaError(f"SymPy has no word for the number {atom}")
        found += one
    return found


def _size(amount: Any) -> Size:
    """A coefficient: sizes of the table as sizes, any other symbol as a named number."""
    if amount.is_Rational:
        return lift(1) * quotient(int(amount.p), int(amount.q))
    if amount.is_Symbol:
        return size_from(amount) if known(amount.name) else opaque(Named(amount.name))
    if amount.is_Mul:
        found: Size = 1
        for part in amount.args:
            found = found * _size(part)
        return found
    if amount.is_Pow and amount.exp.is_Integer and abs(amount.exp) <= 64:
        base = lift(_size(amount.base))
        if len(base.terms) == 1:
            (powers, coefficient), = base.terms.values()
            power = int(amount.exp)
            raised = tuple((atom, p * power) for atom, p in powers)
            return made({frozenset(raised): (raised, coefficient ** power if power > 0 else quotient(
                1, coefficient ** -power))})
    raise FormulaError(f"{amount} is no number of a term: rationals, symbols, products and powers of them are")
