"""The rules of a proof: each a small function from a term to an equal term, tried at every place of a line.

A rule answers the term itself where it has nothing to say. `kernel.RULES` gives each a name and the reason that a
printed proof shows, forwards and backwards. A step applies one rule wherever it applies, so that replaying it is
computing it: nothing is searched. The laws of functions and of blocks are in `laws`.

Source: the ring axioms; Horn and Johnson 2013, "Matrix Analysis", section 0.2 (transpose, inverse).
"""

from __future__ import annotations

from itertools import pairwise

from symcount.algebra.making import ones
from symcount.algebra.scalars import Entry, atoms
from symcount.algebra.terms import (
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
    Zero,
    agree,
    factors,
    has,
    product,
    scaled,
    total,
)
from symcount.polynomials import lift, opaque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from symcount.polynomials import Size


# What a product is not made of when it is flat
_COMPOUND = (Product, Sum, Scaled, Side, Stack, Over)


def associate(term: Term) -> Term:
    """A(BC) = ABC."""
    if isinstance(term, Product) and any(isinstance(part, Product) for part in term.parts):
        return product([factor for part in term.parts for factor in factors(part)])
    return term


def distribute(term: Term) -> Term:
    """A(B + C) = AB + AC; c(A + B) = cA + cB."""
    if isinstance(term, Product):
        for i, part in enumerate(term.parts):
            if isinstance(part, Sum):
                before, after = list(term.parts[:i]), list(term.parts[i + 1:])
                return total([product([*before, *factors(one), *after]) for one in part.parts])
    if isinstance(term, Scaled) and isinstance(term.parts[0], Sum):
        return total([scaled(term.number, part) for part in term.parts[0].parts])
    return term


def over(term: Term) -> Term:
    """A Σᵢ Bᵢ = Σᵢ A Bᵢ; Σᵢ (Aᵢ + Bᵢ) = Σᵢ Aᵢ + Σᵢ Bᵢ."""
    if isinstance(term, Over):
        inner = term.parts[0]
        if isinstance(inner, Sum):
            return total([Over(term.indices, part) for part in inner.parts])
        if isinstance(inner, Over) and not set(term.indices) & set(inner.indices):
            return Over((*term.indices, *inner.indices), inner.parts[0])
        if isinstance(inner, Scaled) and not _inside(inner.number) & set(term.indices):
            return scaled(inner.number, Over(term.indices, inner.parts[0]))
    if isinstance(term, Product):
        for i, part in enumerate(term.parts):
            others = [*term.parts[:i], *term.parts[i + 1:]]
            if isinstance(part, Over) and not indices(*others) & set(part.indices):
                return Over(part.indices, product([*term.parts[:i], *factors(part.parts[0]), *term.parts[i + 1:]]))
    return term


def transpose(term: Term) -> Term:
    """(AB)ᵀ = BᵀAᵀ; (A + B)ᵀ = Aᵀ + Bᵀ; (Aᵀ)ᵀ = A; a diagonal or symmetric matrix is its own transpose."""
    if not isinstance(term, Transpose):
        return term
    inner = term.parts[0]
    if isinstance(inner, Transpose):
        return inner.parts[0]
    if isinstance(inner, Inverse) and isinstance(inner.parts[0], Transpose):
        return Inverse(inner.parts[0].parts[0])
    if isinstance(inner, Product):
        return product([Transpose(part) for part in reversed(inner.parts)])
    if isinstance(inner, (Sum, Scaled, Over)):
        return inner.rebuilt(tuple(Transpose(part) for part in inner.parts))
    if isinstance(inner, Side):
        return Stack(tuple(Transpose(part) for part in inner.parts))
    if isinstance(inner, Stack):
        return Side(tuple(Transpose(part) for part in inner.parts))
    if isinstance(inner, Eye) or has(inner, "symmetric"):
        return inner
    if isinstance(inner, Zero):
        return Zero(inner.columns, inner.rows)
    return inner if isinstance(inner, Inverse) and has(inner.parts[0], "symmetric") else term


def inverse(term: Term) -> Term:
    """(AB)⁻¹ = B⁻¹A⁻¹; (A⁻¹)⁻¹ = A; (Aᵀ)⁻¹ = (A⁻¹)ᵀ; an orthogonal matrix has its transpose as inverse."""
    if not isinstance(term, Inverse):
        return term
    inner = term.parts[0]
    if isinstance(inner, Inverse):
        return inner.parts[0]
    if isinstance(inner, Product):
        return product([Inverse(part) for part in reversed(inner.parts)])
    if isinstance(inner, Transpose):
        return Transpose(Inverse(inner.parts[0]))
    if isinstance(inner, Eye):
        return inner
    return Transpose(inner) if has(inner, "orthogonal") else term


def cancel(term: Term) -> Term:
    """A A⁻¹ = I, A⁻¹ A = I; QᵀQ = I and QQᵀ = I for an orthogonal Q."""
    return _adjacent(term, lambda a, b: Eye(a.rows) if _inverses(a, b) else None)


def identity(term: Term) -> Term:
    """I A = A."""
    if isinstance(term, Product) and any(isinstance(part, Eye) for part in term.parts):
        kept = [part for part in term.parts if not isinstance(part, Eye)]
        return product(kept) if kept else Eye(term.rows)
    return term


def zero(term: Term) -> Term:
    """0 A = 0; A + 0 = A."""
    nothing = Zero(term.rows, term.columns)
    if isinstance(term, Product) and any(isinstance(part, Zero) for part in term.parts):
        return nothing
    if isinstance(term, Sum) and any(isinstance(part, Zero) for part in term.parts):
        kept = [part for part in term.parts if not isinstance(part, Zero)]
        return total(kept) if kept else nothing
    empty = isinstance(term, Scaled) and (isinstance(term.parts[0], Zero) or not lift(term.number).terms)
    return nothing if empty else term


def scalars(term: Term) -> Term:
    """A(cB) = c(AB)."""
    if isinstance(term, Product) and any(isinstance(part, Scaled) for part in term.parts):
        amount: Size = 1
        bare = []
        for part in term.parts:
            amount = amount * part.number if isinstance(part, Scaled) else amount
            bare += [part.parts[0]] if isinstance(part, Scaled) else [part]
        return scaled(amount, product([factor for part in bare for factor in factors(part)]))
    return term


def collect(term: Term) -> Term:
    """cA + dA = (c + d)A."""
    if not isinstance(term, Sum):
        return term
    found: dict[str, tuple[Size, Term]] = {}
    for part in term.parts:
        amount, bare = (part.number, part.parts[0]) if isinstance(part, Scaled) else (1, part)
        found[bare.key] = (amount + found[bare.key][0] if bare.key in found else amount, bare)
    if len(found) == len(term.parts):
        return term
    kept = [scaled(amount, bare) for amount, bare in found.values() if lift(amount).terms]
    return total(kept) if kept else Zero(term.rows, term.columns)


def count(term: Term) -> Term:
    """1ᵀ1 = n."""
    if not isinstance(term, Product):
        return term
    for i, (a, b) in enumerate(pairwise(term.parts)):
        if isinstance(a, Transpose) and isinstance(a.parts[0], Ones) and a.parts[0] == b:
            rest = [*term.parts[:i], *term.parts[i + 2:]]
            return scaled(b.rows, product(rest) if rest else Eye(1))
    return term


def commute(term: Term) -> Term:
    """DE = ED for diagonal matrices."""
    return _adjacent(term, lambda a, b: (b, a) if has(a, "diagonal") and has(b, "diagonal") and b.key < a.key else None)


def idempotent(term: Term) -> Term:
    """EE = E for an idempotent E."""
    return _adjacent(term, lambda a, b: a if a == b and has(a, "idempotent") else None)


def shift(term: Term) -> Term:
    """Rows v, v + 1, … of rows u, u + 1, … are rows u + v, u + v + 1, … of the whole."""
    return _adjacent(term, lambda a, b: Shift(a.at + b.at, a.rows, b.columns)
                     if isinstance(a, Shift) and isinstance(b, Shift) else None)


def constant(term: Term) -> Term:
    """Equal rows stay equal where a window picks some of them: S1 = 1."""
    return _adjacent(term, lambda a, b: ones(a.rows) if isinstance(a, Shift) and isinstance(b, Ones) else None)


def one(term: Term) -> Term:
    """A 1 × 1 matrix is a number: it commutes, and is its own transpose."""
    if isinstance(term, Transpose) and agree(term.rows, 1) and agree(term.columns, 1):
        return term.parts[0]
    if not isinstance(term, Product) or any(isinstance(part, _COMPOUND) for part in term.parts):
        return term  # brackets first
    edges = [i for i in range(len(term.parts)) if agree(term.parts[i].rows, 1)]
    edges += [len(term.parts)] if agree(term.columns, 1) else []
    if len(edges) < 2:
        return term
    if edges == [0, len(term.parts)]:
        turned = _turned(term)
        return turned if turned.key < term.key else term
    amount: Size = 1
    for i, j in pairwise(edges):
        amount = amount * opaque(Entry(_canonical(product(list(term.parts[i:j])))))
    rest = [*term.parts[:edges[0]], *term.parts[edges[-1]:]]
    return scaled(amount, product(rest) if rest else Eye(1))


def indices(*terms: Term) -> set[str]:
    """The indices that the letters of terms carry, and that no sum over them binds."""
    found = {index for term in terms if isinstance(term, Letter) for index in term.over}
    for term in terms:
        found |= indices(*term.parts) - set(term.indices if isinstance(term, Over) else ())
        found |= _inside(term.number) if isinstance(term, Scaled) else set()
    return found


def _inside(number: Size) -> set[str]:
    """The indices of the 1 × 1 matrices that a number is made of."""
    return {index for atom, _ in atoms(number) if isinstance(atom, Entry) for index in indices(atom.term)}


def _adjacent(term: Term, rule: Callable[[Term, Term], Term | tuple[Term, ...] | None]) -> Term:
    """A product in which neighbours that the rule knows become one, or change places, in one pass."""
    if not isinstance(term, Product):
        return term
    done: list[Term] = []
    changed = False
    for part in term.parts:
        done.append(part)
        at = len(done) - 1
        while at and (found := rule(done[at - 1], done[at])) is not None:
            done[at - 1:at + 1] = found if isinstance(found, tuple) else (found,)
            at, changed = at - 1, True
    return product(done) if changed else term


def _inverses(a: Term, b: Term) -> bool:
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Inverse) and x.parts[0] == y:
            return True
        if isinstance(x, Transpose):
            bare = x.parts[0]
            if bare == y and has(y, "orthogonal"):
                return True
            if isinstance(bare, Inverse) and isinstance(y, Transpose) and bare.parts[0] == y.parts[0]:
                return True
    return False


def _turned(term: Term) -> Term:
    """The transpose of a product of letters, pushed in."""
    return product([_flat(Transpose(part)) for part in reversed(factors(term))])


def _flat(term: Term) -> Term:
    after = inverse(transpose(term))
    return after if after is term else _flat(after)


def _canonical(term: Term) -> Term:
    turned = _turned(term)
    return turned if turned.key < term.key else term
