"""What a proof may use of functions, of rows that sum to 1, and of blocks: rules like those of `rules`.

Source: Vaswani et al. 2017, section 3.2 (softmax over keys); Golub and Van Loan 2013, section 1.3 (block matrices).
"""

from __future__ import annotations

from itertools import pairwise

from symcount.algebra.making import ones
from symcount.algebra.terms import (
    Apply,
    Inverse,
    Ones,
    Product,
    Scaled,
    Side,
    Stack,
    Sum,
    Term,
    Transpose,
    agree,
    factors,
    has,
    product,
    scaled,
    summands,
    total,
    upright,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def block(term: Term) -> Term:
    """[A B][U; V] = AU + BV; X[A B] = [XA XB]; [U; V]X = [UX; VX]; c[A B] = [cA cB]."""
    if isinstance(term, Product):
        return _block_product(term)
    if isinstance(term, (Side, Stack)) and any(type(part) is type(term) for part in term.parts):
        return term.rebuilt(tuple(inner for part in term.parts
                                  for inner in (part.parts if type(part) is type(term) else (part,))))
    if isinstance(term, Scaled) and isinstance(term.parts[0], (Side, Stack)):
        return term.parts[0].rebuilt(tuple(scaled(term.number, part) for part in term.parts[0].parts))
    if isinstance(term, Sum):
        first = term.parts[0]
        if isinstance(first, (Side, Stack)) and all(_alike(first, part) for part in term.parts[1:]):
            return first.rebuilt(tuple(total([part.parts[i] for part in term.parts]) for i in range(len(first.parts))))
    if isinstance(term, Apply) and "elementwise" in term.function.laws and isinstance(term.parts[0], (Side, Stack)):
        return term.parts[0].rebuilt(tuple(Apply(term.function.name, part) for part in term.parts[0].parts))
    return term


def _block_product(term: Term) -> Term:
    for i, (a, b) in enumerate(pairwise(term.parts)):
        before, after = list(term.parts[:i]), list(term.parts[i + 2:])
        if isinstance(a, Side) and isinstance(b, Stack) and len(a.parts) == len(b.parts) and all(
                agree(u.columns, v.rows) for u, v in zip(a.parts, b.parts, strict=True)):
            sums = [product([*factors(u), *factors(v)]) for u, v in zip(a.parts, b.parts, strict=True)]
            return product([*before, total(sums), *after])
        if isinstance(b, Side) and not (i + 2 < len(term.parts) and isinstance(term.parts[i + 2], Stack)):
            return product([*before, Side(tuple(product([*factors(a), *factors(v)]) for v in b.parts)), *after])
        if isinstance(a, Stack) and not (i and isinstance(term.parts[i - 1], Side)):
            return product([*before, Stack(tuple(product([*factors(u), *factors(b)]) for u in a.parts)), *after])
    return term


def _alike(a: Term, b: Term) -> bool:
    return type(a) is type(b) and len(a.parts) == len(b.parts) and all(
        agree(u.rows, v.rows) and agree(u.columns, v.columns) for u, v in zip(a.parts, b.parts, strict=True))


def stochastic(term: Term) -> Term:
    """A 1 = 1 where each row of A sums to 1, as after a softmax."""
    if isinstance(term, Product):
        for i, (a, b) in enumerate(pairwise(term.parts)):
            if isinstance(b, Ones) and (has(a, "stochastic") or _permutes(a) or (
                    isinstance(a, Apply) and "stochastic" in a.function.laws)):
                return product([*term.parts[:i], ones(a.rows), *term.parts[i + 2:]])
    return term


def permute(term: Term) -> Term:
    """f(XP) = f(X)P and f(PX) = P f(X) for a permutation P: f does the same to each number, or to each row."""
    if not isinstance(term, Apply):
        return term
    laws, name = term.function.laws, term.function.name
    if laws & {"elementwise", "symmetric"}:
        rest, last = _common(term.parts[0], -1, _permutes)
        if last is not None and rest is not None:
            return product([Apply(name, rest), last])
    if laws & {"elementwise", "rowwise"}:
        rest, first = _common(term.parts[0], 0, lambda part: _permutes(part) or isinstance(part, Ones))
        if first is not None and rest is not None:
            return product([first, Apply(name, rest)])
    return term


def rotate(term: Term) -> Term:
    """f(XQ) = f(X)Q for an orthogonal Q, where f looks at lengths of rows alone."""
    if not isinstance(term, Apply) or "isotropic" not in term.function.laws:
        return term
    rest, last = _common(term.parts[0], -1, lambda part: has(upright(part), "orthogonal"))
    return product([Apply(term.function.name, rest), last]) if last is not None and rest is not None else term


def elementwise(term: Term) -> Term:
    """f(X)ᵀ = f(Xᵀ) where f does the same to each number."""
    if isinstance(term, Transpose) and isinstance(term.parts[0], Apply) and (
            "elementwise" in term.parts[0].function.laws):
        return Apply(term.parts[0].function.name, Transpose(term.parts[0].parts[0]))
    return term


def homogeneous(term: Term) -> Term:
    """f(XD) = f(X)D for a diagonal D of positive numbers, where f(cx) = c f(x) for every c > 0."""
    if not isinstance(term, Apply) or "homogeneous" not in term.function.laws:
        return term
    rest, last = _common(term.parts[0], -1, _positive)
    if last is not None and rest is not None:
        return product([Apply(term.function.name, rest), last])
    rest, first = _common(term.parts[0], 0, _positive)
    return product([first, Apply(term.function.name, rest)]) if first is not None and rest is not None else term


def shifted(term: Term) -> Term:
    """softmax(X + c1ᵀ) = softmax(X): what is the same along a row does not change it."""
    if not isinstance(term, Apply) or "shift" not in term.function.laws:
        return term
    parts = summands(term.parts[0])
    kept = [part for part in parts if not _constant_rows(part)]
    return Apply(term.function.name, total(kept)) if kept and len(kept) < len(parts) else term


def _common(term: Term, end: int, wanted: Callable[[Term], bool]) -> tuple[Term | None, Term | None]:
    """The factor at one end that all summands share, if it is of the wanted kind, and what is left."""
    ends = []
    rests = []
    for part in summands(term):
        amount, bare = (part.number, part.parts[0]) if isinstance(part, Scaled) else (1, part)
        if not isinstance(bare, Product):
            return None, None
        ends.append(bare.parts[end])
        rests.append(scaled(amount, product(list(bare.parts[1:] if end == 0 else bare.parts[:-1]))))
    if wanted(ends[0]) and all(other == ends[0] for other in ends):
        return total(rests), ends[0]
    return None, None


def _constant_rows(term: Term) -> bool:
    bare = term.parts[0] if isinstance(term, Scaled) else term
    last = bare.parts[-1] if isinstance(bare, Product) else bare
    return isinstance(last, Transpose) and isinstance(last.parts[0], Ones)


def _permutes(term: Term) -> bool:
    return has(upright(term), "permutation")


def _positive(term: Term) -> bool:
    bare = term.parts[0] if isinstance(term, Inverse) else term
    return has(bare, "positive")
