"""What a term stores and what it costs to run: entries of its weights, multiply-adds of its products.

A part without data is computed once, before anything runs, and stored as one matrix: that is what fusing means.
Letters declared "data" are inputs. A diagonal matrix stores its diagonal; a selection (a permutation, a look-up), a
window, ones and other constants store nothing. Multiply-adds are those of the matrix products that are left, in the
order of the brackets, each product once; nothing is multiplied by a diagonal matrix, a selection or a constant.
"""

from __future__ import annotations

from symcount.algebra.terms import (
    Apply,
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
    has,
    upright,
)
from symcount.polynomials import added

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size


def entries(term: Term) -> Size:
    """The numbers that are stored for a term, each weight once.

    >>> from symcount.algebra import matrix
    >>> x, v, w = matrix("X", "n", "d", "data"), matrix("W1", "d", "r"), matrix("W2", "r", "m")
    >>> entries(x * v * w), entries(x * (v * w))
    (d*r + r*m, d*m)
    """
    found: dict[str, Size] = {}
    todo = [term]
    while todo:
        part = todo.pop(0)
        if _stored(part):
            found[upright(part).key] = _size(upright(part))
        else:
            todo = [*part.parts, *todo]
    return added(found.values())


def multiply_adds(term: Term) -> Size:
    """The multiply-adds of running a term: rows × inner × columns for each product with data, in its order.

    >>> from symcount.algebra import matrix
    >>> x, v, w = matrix("X", "n", "d", "data"), matrix("W1", "d", "r"), matrix("W2", "r", "m")
    >>> multiply_adds(x * v * w), multiply_adds(x * (v * w))
    (n*d*r + n*r*m, n*d*m)
    """
    found: dict[str, Size] = {}
    _count(term, found)
    return added(found.values())


def _count(term: Term, found: dict[str, Size]) -> None:
    """The products of a term, those inside first, by what they multiply."""
    for part in () if _stored(term) else term.parts:
        _count(part, found)
    for i in range(1, len(term.parts)) if isinstance(term, Product) and not _stored(term) else ():
        left, right = term.parts[:i], term.parts[i]
        if not (_cheap(right) or all(map(_cheap, left)) or (all(map(_stored, left)) and _stored(right))):
            key = "*".join(one.key for one in (*left, right))
            found[key] = term.rows * left[-1].columns * right.columns


def fused(term: Term) -> list[Term]:
    """The parts of a term that are computed before anything runs, and stored."""
    if _stored(term):
        return [term]
    return [one for part in term.parts for one in fused(part)]


def _stored(term: Term) -> bool:
    """Whether a part is made of weights alone, and is more than a constant, or a row that is repeated."""
    return not _uses_data(term) and _weighty(term) and not _repeats(term)


def _repeats(term: Term) -> bool:
    """Whether a part is a stored row on every row, 1 b, or a sum with one: as large as the data."""
    if isinstance(term, Product):
        return isinstance(term.parts[0], Ones) and any(map(_weighty, term.parts))
    return isinstance(term, (Scaled, Sum)) and any(map(_repeats, term.parts))


def _uses_data(term: Term) -> bool:
    return has(term, "data") or isinstance(term, Apply) or any(map(_uses_data, term.parts))


def _weighty(term: Term) -> bool:
    return isinstance(term, Letter) or any(map(_weighty, term.parts))


def _size(term: Term) -> Size:
    if _selects(term):
        return 0
    return term.rows if _diagonal(term) else term.rows * term.columns


def _diagonal(term: Term) -> bool:
    if isinstance(term, (Product, Sum, Inverse, Scaled, Transpose)):
        return all(map(_diagonal, term.parts))
    return has(term, "diagonal") or isinstance(term, Eye)


def _selects(term: Term) -> bool:
    """Whether a part picks, copies or repeats, as a product of permutations does."""
    if isinstance(term, (Product, Inverse, Transpose)):
        return all(map(_selects, term.parts))
    return has(term, "selection")


def _cheap(term: Term) -> bool:
    """Whether multiplying by it contracts nothing: one number for each, a choice, or a constant."""
    bare = upright(term)
    if isinstance(bare, (Side, Stack)):
        return all(map(_cheap, bare.parts))
    return _selects(bare) or _diagonal(bare) or not (_weighty(bare) or _uses_data(bare))
