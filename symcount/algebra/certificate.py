"""Certificates: a statement as a file that Coq checks by itself, for matrices of any sizes over any commutative ring.

    coq              left = right as they stand; what is declared of a letter becomes a hypothesis, and nothing else
    coq_collapse     a stack of affine layers is one, from a theorem for every depth
    coq_closed_form  two sizes are equal, over the integers, or over the rationals where something is divided

Coq trusts nothing of ours: it is given the statement and hints, and refuses what does not follow. The user's names
stand behind a prefix: n_ sizes, m_ matrices, v_ diagonals, p_ permutations, a_ numbers, f_ functions. The lemmas
that certificates share are in `certificate.v`. What cannot be written out in full is refused, never weakened.
"""

from __future__ import annotations

import os
import re

from symcount.algebra import rules
from symcount.algebra.kernel import RULES, Equation, Proof, everywhere
from symcount.algebra.search import find
from symcount.algebra.terms import (
    Apply,
    Entry,
    Eye,
    Inverse,
    Letter,
    Named,
    Ones,
    Product,
    Scaled,
    Shift,
    Side,
    Stack,
    Sum,
    Term,
    Transpose,
    Zero,
    factors,
    has,
    letters,
    product,
    replaced,
    scaled,
    summands,
    total,
)
from symcount.errors import ProofError, clipped
from symcount.polynomials import Bracket, canonical, letter, lift

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from symcount.algebra.kernel import Step
    from symcount.polynomials import Size

# How Coq sees what is declared of a letter: as a hypothesis about its matrix
_DECLARED = {
    "invertible": "{0} \\in unitmx", "orthogonal": "{0} *m ({0})^T = eye R {1} /\\ ({0})^T *m {0} = eye R {1}",
    "symmetric": "({0})^T = {0}", "idempotent": "{0} *m {0} = {0}", "stochastic": "{0} *m ones R {2} = ones R {1}",
}
# What follows from another declaration, or from how the letter is written, is proved and not assumed
_FOLLOWS = {"permutation": ("orthogonal", "invertible"), "orthogonal": ("invertible",), "diagonal": ("symmetric",),
            "positive": ("diagonal", "symmetric", "invertible")}
_LAWS = {
    "homogeneous": "forall c x : R, 0 < c -> {0} (c * x) = c * {0} x",
    "symmetric": "forall k (x : 'rV[R]_k) (s : 'S_k), {0} k (x *m permutation R s) = {0} k x *m permutation R s",
    "isotropic": "forall k (x : 'rV[R]_k) (Q : 'M_(k, k)), Q *m Q^T = eye R k -> {0} k (x *m Q) = {0} k x *m Q",
    "shift": "forall k (x : 'rV[R]_k) (a : R), {0} k (x + a *: (ones R k)^T) = {0} k x",
    "stochastic": "forall k (x : 'rV[R]_k), (0 < k)%N -> {0} k x *m ones R k = eye R 1",
}
# Why two neighbours in a product are what they are
_PAIRS = {"cancel": "cancels", "idempotent": "assumption", "commute": "exact: diag_diag", "count": "",
          "stochastic": "", "shift": "apply: window_window; lia", "constant": "apply: window_ones; lia"}
_RINGS = ("comRingType", "comUnitRingType", "realFieldType")


def coq(left: Term, right: Term, name: str, proof: Proof | None = None) -> str:
    """A file in which Coq proves left = right, with our proof or, without one, one that is searched for, as hints.

    >>> from symcount.algebra import matrix
    >>> x, v, w = matrix("X", "n", "d"), matrix("W", "d", "r"), matrix("W2", "r", "m")
    >>> print(coq(x * v * w, x * (v * w), "grouping")[-258:])
    Theorem certified_grouping (R : comRingType)
      (n_d n_m n_n n_r : nat)
      (m_X : 'M[R]_(n_n, n_d)) (m_W : 'M[R]_(n_d, n_r)) (m_W2 : 'M[R]_(n_r, n_m)) :
      m_X *m m_W *m m_W2 = m_X *m (m_W *m m_W2) :> 'M[R]_(n_n, n_m).
    ...

    Raises ProofError for what cannot be exported, and where no proof is found.
    """
    return library("certificate") + theorem(left, right, name, proof)


def coq_collapse(layers: int) -> str:
    """A file in which Coq proves that so many affine layers, of any widths, are one.

    Raises ProofError for less than one layer.
    """
    return library("certificate") + library("collapse") + collapsed(layers)


def coq_closed_form(left: Size, right: Size, name: str) -> str:
    """A file in which Coq proves that two sizes are equal as polynomials; what is rounded is any number, if the same.

    >>> from symcount.polynomials import letter
    >>> d = letter("d")
    >>> print(coq_closed_form(d * (d + 1), d * d + d, "square"))
    Require Import ZArith.
    Open Scope Z_scope.
    <BLANKLINE>
    Theorem certified_square (n_d : Z) : n_d * n_d + n_d = n_d * n_d + n_d.
    Proof. ring. Qed.
    Print Assumptions certified_square.
    <BLANKLINE>

    Raises ProofError for a size that is no polynomial.
    """
    return _closed_form(left, right, name, alone=True)


def library(name: str) -> str:
    """A file of this folder that certificates begin with."""
    with open(os.path.join(os.path.dirname(__file__), f"{name}.v"), encoding="utf-8") as file:
        return file.read()


def theorem(left: Term, right: Term, name: str, proof: Proof | None = None) -> str:
    """The theorem of `coq` without the library before it, so that one file may hold several."""
    if proof is None:
        found = find(name, left, right)
        if found is None:
            raise ProofError(f"{name}: no proof of {left} = {right} was found, so there is nothing to certify")
        proof = Proof((found,))
    if proof.induction is not None or any(lemma.given for lemma in proof.lemmas):
        raise ProofError(f"{name}: an induction is no statement about matrices of one network: certify it for a number "
                         "of layers (coq_collapse has a theorem for every number)")
    meant = {one.key: term for one, term in proof.definitions.values()}
    sides = tuple(_unfolded(side, meant) for side in (proof.lemmas[-1].left, proof.lemmas[-1].right))
    left, right = _unfolded(left, meant), _unfolded(right, meant)
    if sides != (left, right):
        raise ProofError(f"{name}: the proof is about {sides[0]} = {sides[1]}, not about {left} = {right}")
    return _Certificate(name, left, right, proof).written()


def collapsed(layers: int) -> str:
    """The theorem of `coq_collapse` without the libraries before it."""
    if layers < 1:
        raise ProofError(f"a stack has at least one layer, not {layers}")
    sizes = " ".join(f"n_n_{k}" for k in range(layers + 1))
    binders = "\n  ".join(f"(m_W_{k} : 'M[R]_(n_n_{k - 1}, n_n_{k})) (m_b_{k} : 'M[R]_(1, n_n_{k}))"
                          for k in range(1, layers + 1))
    run, weight, bias, net = "m_X *m m_W_1 + ones R n_b *m m_b_1", "m_W_1", "m_b_1", "First m_W_1 m_b_1"
    for k in range(2, layers + 1):
        run, weight = f"({run}) *m m_W_{k} + ones R n_b *m m_b_{k}", f"{weight} *m m_W_{k}"
        bias, net = f"({bias}) *m m_W_{k} + m_b_{k}", f"Then ({net}) m_W_{k} m_b_{k}"
    name = f"certified_layer_collapse_{layers}"
    return (f"\nTheorem {name} (R : comRingType) (n_b {sizes} : nat)\n  (m_X : 'M[R]_(n_b, n_n_0))\n  {binders} :\n"
            f"  {run}\n  = m_X *m ({weight}) + ones R n_b *m ({bias}).\n"
            f"Proof. exact: (collapse m_X ({net})). Qed.\nPrint Assumptions {name}.\n")


class _Names:
    """Names of the user as Coq may read them: behind a prefix, and no two alike."""

    __slots__ = ("names",)

    def __init__(self) -> None:
        self.names: dict[tuple[str, str], str] = {}

    def name(self, kind: str, spelled: str) -> str:
        if (kind, spelled) not in self.names:
            made = f"{kind}_" + re.sub(r"[^A-Za-z0-9_]", "_", spelled)
            while made in self.names.values():
                made += "_"
            self.names[kind, spelled] = made
        return self.names[kind, spelled]

    def of(self, kind: str) -> list[str]:
        return [made for (one, _), made in self.names.items() if one == kind]


class _Writer(_Names):
    """Terms as Coq writes them, and what must be assumed for them to mean what they mean."""

    __slots__ = ("differences", "assumed", "ring", "sizes", "units")

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[str, str] = {}  # one text for each size, so that equal sizes are the same type
        self.differences: dict[str, str] = {}
        self.units: dict[str, str] = {}  # what is divided by, and the name of its hypothesis
        self.assumed: dict[str, str] = {}
        self.ring = 0

    def size(self, size: Size) -> str:
        """A natural number; a difference is a new letter, and a hypothesis what it is the difference of."""
        key = canonical(size)
        if key not in self.sizes:
            signs: tuple[list[str], list[str]] = ([], [])
            for powers, amount in lift(size).terms.values():
                if not isinstance(amount, int) or any(not isinstance(x, str) or p < 0 for x, p in powers):
                    raise ProofError(f"the size {size} is no sum of products of letters, so it cannot be exported")
                names = [self.name("n", atom) for atom, power in powers for _ in range(power)]
                number = [] if abs(amount) == 1 and names else [str(abs(amount))]
                signs[amount < 0].append(" * ".join(number + names))
            shown = " + ".join(signs[0])
            if signs[1]:
                made = self.name("n", str(size))
                self.assumed[f"size_{made}"] = f"({made} + {' + '.join(signs[1])} = {shown})%N"
                self.differences[made] = (f"{made}%:R = ({shown})%N%:R - ({' + '.join(signs[1])})%N%:R :> R "
                                          f"by rewrite -size_{made} natrD addrK")
                shown = made
            self.sizes[key] = shown if re.fullmatch(r"\w+", shown) else f"({shown})%N"
        return self.sizes[key]

    def cut(self, term: Term) -> None:
        """Blocks add up in the order in which they stand: that sum is how Coq must see the size."""
        for part in _nodes(term):
            if isinstance(part, (Side, Stack)):
                widths = [one.columns if isinstance(part, Side) else one.rows for one in part.parts]
                whole, shown = widths[-1], self.size(widths[-1])
                for width in reversed(widths[:-1]):
                    whole, shown = width + whole, f"({self.size(width)} + {shown})%N"
                    if self.sizes.setdefault(canonical(whole), shown) != shown:
                        raise ProofError(f"the size {whole} is cut into blocks in two ways, so it cannot be exported")

    def number(self, size: Size) -> str:
        """An element of the ring."""
        shown = ""
        for powers, amount in lift(size).terms.values():
            above = [] if abs(amount.numerator) == 1 and powers else [f"{abs(amount.numerator)}%:R"]
            if amount.denominator != 1:
                above.append(self.inverted(f"{amount.denominator}%:R"))
            for atom, power in powers:
                if isinstance(atom, str):
                    base = f"{self.size(letter(atom))}%:R"
                elif isinstance(atom, Named):
                    base = self.name("a", atom.key)
                elif isinstance(atom, Entry) and power > 0:
                    base = f"(entry ({self.write(atom.term)}))"
                else:
                    raise ProofError(f"the number {size} cannot be exported: {atom} is no polynomial in letters")
                one = base if power > 0 else self.inverted(base)
                above.append(one if abs(power) == 1 else f"{one} ^+ {abs(power)}")
            shown += (" - " if amount < 0 else " + " if shown else "") + " * ".join(above)
        return shown.strip() or "0"

    def inverted(self, base: str) -> str:
        self.ring = max(self.ring, 1)
        self.units.setdefault(base, f"unit_{len(self.units) + 1}")
        return f"{base}^-1"

    def letter(self, one: Letter) -> str:
        if one.over:
            raise ProofError(f"{one.name} carries the index {one.over[0]}: a sum over an index cannot be exported")
        kinds = one.properties & {"permutation", "diagonal"}
        if len(kinds) == 2:
            raise ProofError(f"{one.name}: a diagonal permutation is the identity; declare it as one of the two")
        if kinds == {"permutation"}:
            return f"(permutation R {self.name('p', one.name)})"
        return f"(diag_mx {self.name('v', one.name)})" if kinds else self.name("m", one.name)

    def factor(self, term: Term) -> str:
        shown = self.write(term)
        return f"({shown})" if isinstance(term, (Sum, Product, Scaled)) else shown

    def write(self, term: Term) -> str:
        rows, columns, parts = self.size(term.rows), self.size(term.columns), term.parts
        if isinstance(term, Letter):
            return self.letter(term)
        if isinstance(term, Sum):
            shown = " + ".join(self.write(part) for part in parts)
            return shown.replace(" + - ", " - ")
        if isinstance(term, Product):
            return " *m ".join(map(self.factor, parts))
        if isinstance(term, Scaled):
            minus = canonical(term.number) == canonical(-1)
            return ("- " if minus else f"({self.number(term.number)}) *: ") + self.factor(parts[0])
        if isinstance(term, Transpose):
            return f"{self.factor(parts[0])}^T"
        if isinstance(term, Inverse):
            self.ring = max(self.ring, 1)
            return f"(invmx {self.factor(parts[0])})"
        if isinstance(term, Apply):
            return f"({self.function(term)} {self.factor(parts[0])})"
        if isinstance(term, (Side, Stack)):
            shown = self.factor(parts[-1])
            for part in reversed(parts[:-1]):
                shown = f"({'row_mx' if isinstance(term, Side) else 'col_mx'} {self.factor(part)} {shown})"
            return shown
        if isinstance(term, Shift):
            return f"(window R {term.at} {rows} {columns})"
        shown = {Eye: f"(eye R {rows})", Ones: f"(ones R {rows})", Zero: f"(zeros R {rows} {columns})"}.get(type(term))
        if shown is None:
            raise ProofError(f"{clipped(str(term))}: a sum over an index cannot be exported")
        return shown

    def function(self, term: Apply) -> str:
        each = "elementwise" in term.function.laws
        if not each and "rowwise" not in term.function.laws:
            raise ProofError(f"{term.function.name} is a function neither of each number nor of each row")
        return ("map_mx " if each else "rows ") + self.name("f", term.function.name)

    def equation(self, left: Term, right: Term) -> str:
        return f"{self.write(left)} = {self.write(right)} :> 'M[R]_({self.size(left.rows)}, {self.size(left.columns)})"

    def law(self, function: Any, law: str) -> str:
        """The hypothesis that a function obeys a law; a proof that does not use it does not assume it."""
        shown = self.name("f", function.name)
        self.assumed[f"{law}_{shown}"] = _LAWS[law].format(shown)
        self.ring = max(self.ring, 2 if law == "homogeneous" else 0)
        return f"{law}_{shown}"
