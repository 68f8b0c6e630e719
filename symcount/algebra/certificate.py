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

from symcount.algebra.coq_script import Certificate
from symcount.algebra.coq_terms import Names
from symcount.algebra.kernel import Proof
from symcount.algebra.search import find
from symcount.algebra.terms import replaced
from symcount.errors import ProofError
from symcount.polynomials import Bracket, lift

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.algebra.terms import Term
    from symcount.polynomials import Size


def coq(left: Term, right: Term, name: str, proof: Proof | None = None) -> str:
    """A file in which Coq proves left = right, with our proof or, without one, one that is searched for, as hints.

    >>> from symcount.algebra import matrix
    >>> x, v, w = matrix("X", "n", "d"), matrix("W", "d", "r"), matrix("W2", "r", "m")
    >>> print(coq(x * v * w, x * (v * w), "grouping").partition("Theorem certified_")[2])
    grouping (R : comRingType)
      (n_n n_m n_d n_r : nat)
      (m_X : 'M[R]_(n_n, n_d)) (m_W : 'M[R]_(n_d, n_r)) (m_W2 : 'M[R]_(n_r, n_m)) :
      m_X *m m_W *m m_W2 = m_X *m (m_W *m m_W2) :> 'M[R]_(n_n, n_m).
    Proof.
    algebra ltac:(idtac) ltac:(ring).
    Qed.
    Print Assumptions certified_grouping.
    <BLANKLINE>

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
    sides, meant = stated(proof), {one.key: term for one, term in proof.definitions.values()}
    left, right = _unfolded(left, meant), _unfolded(right, meant)
    if sides != (left, right):
        raise ProofError(f"{name}: the proof is about {sides[0]} = {sides[1]}, not about {left} = {right}")
    return Certificate(name, left, right, proof).written()


def stated(proof: Proof) -> tuple[Term, Term]:
    """Both sides of what a proof proves, its definitions written out."""
    meant = {one.key: term for one, term in proof.definitions.values()}
    return _unfolded(proof.lemmas[-1].left, meant), _unfolded(proof.lemmas[-1].right, meant)


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


def _closed_form(left: Size, right: Size, name: str, *, alone: bool) -> str:
    writer = _Numbers()
    said = writer.write(left), writer.write(right)
    title = "certified_" + re.sub(r"[^A-Za-z0-9_]", "_", name)
    ring = "Q" if writer.divided else "Z"
    names = " ".join(writer.names.values())
    binders = f" ({names} : {ring})" if names else ""
    binders += "".join(f" (nonzero_{one} : ~ {one} == 0)" for one in writer.divided if not one.isdigit())
    needed = "QArith Field" if writer.divided else "ZArith"
    start = f"Require Import {needed}.\nOpen Scope {ring}_scope.\n" if alone else ""
    field = "field; repeat split; first [assumption | discriminate]"
    equal, tactic = ("==", field) if writer.divided else ("=", "ring")
    return (f"{start}\nTheorem {title}{binders} : {said[0]} {equal} {said[1]}.\nProof. {tactic}. Qed.\n"
            f"Print Assumptions {title}.\n")


class _Numbers(Names):
    """Sizes as Coq writes numbers; `divided` says by what."""

    __slots__ = ("divided",)

    def __init__(self) -> None:
        super().__init__()
        self.divided: dict[str, None] = {}

    def write(self, size: Size) -> str:
        if lift(size) is NotImplemented:
            raise ProofError(f"{size} is no polynomial of ours, so it cannot be exported")
        shown = ""
        for powers, amount in lift(size).terms.values():
            whole = [str(abs(amount.numerator))] if abs(amount.numerator) != 1 or not powers else []
            below = [str(amount.denominator)] if amount.denominator != 1 else []
            for atom, power in powers:
                base = f"({self.write(atom.body)})" if isinstance(atom, Bracket) else self.name("n", str(atom))
                if isinstance(atom, Bracket) and power < 0:
                    raise ProofError(f"{size} divides by a sum, so it cannot be exported")
                (whole if power > 0 else below).extend([base] * abs(power))
            self.divided |= dict.fromkeys(below)
            one = " * ".join(whole or ["1"]) + "".join(f" / {base}" for base in below)
            shown += (" - " if amount < 0 else " + " if shown else "") + one
        return shown.strip() or "0"


def _unfolded(term: Term, meant: dict[str, Term]) -> Term:
    while (after := replaced(term, meant)) != term:
        term = after
    return term
