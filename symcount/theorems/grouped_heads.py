"""Grouped-query attention is multi-head attention whose key weights are tied: Q(XW_K R)ᵀ = Q(X(W_K R))ᵀ.

R repeats the k columns of each group for all heads of the group: I ⊗ 1ᵀ ⊗ I. Row i of Q is the query of head i, in
block i, with zeros elsewhere; so row i of either side holds the scores of head i. The same R repeats the values.

Source: Shazeer 2019, "Fast transformer decoding" (one group); Ainslie et al. 2023, "GQA".
"""

from __future__ import annotations

from symcount.algebra import matrix, side
from symcount.algebra.kernel import Lemma, Proof, Step
from symcount.algebra.terms import scaled
from symcount.identity import Identity, Neighbour
from symcount.polynomials import lift
from symcount.sizes import per

Q, X = matrix("Q", "heads", "heads*k", "data"), matrix("X", "t", "d", "data")
K, R = matrix("W_K", "d", "kv*k"), matrix("R", "kv*k", "heads*k", "selection")
LEFT, RIGHT = Q * (X * K * R).T, Q * (X * (K * R)).T
q, K1, K2 = matrix("Q", "s", "k", "data"), matrix("K_1", "t", "k", "data"), matrix("K_2", "t", "k", "data")
W1, W2 = matrix("W_1", "d", "k"), matrix("W_2", "d", "k")
FOUR = matrix("Q", "s", "4*k", "data")


def proof() -> Proof:
    """One step, which a normal form would reach through the transposes."""
    return Proof((Lemma("grouped_heads", LEFT, RIGHT, [Step("associate", backwards=True, term=RIGHT)]),))


IDENTITY = Identity(
    "grouped-query attention is multi-head attention with the key weight W_K R, whose blocks repeat in a group",
    LEFT, RIGHT,
    meaning={"Q": "queries of one token: head i in row i, block i", "X": "input, one token a row",
             "W_K": "key weight of all groups", "R": "fixed: repeats each group's block for its heads"},
    conditions=("kv divides heads", "R is fixed and not trained, else its copies would come apart"),
    reason="repeating keys is a product with a fixed matrix, which may be done to the weight; the converse needs a "
           "weight whose blocks are equal in each group",
    source="Shazeer 2019, Fast transformer decoding; Ainslie et al. 2023, GQA",
    neighbours=(
        Neighbour("any multi-head attention is a grouped one, with the mean of the group's key weights",
                  q * (X * W1).T, q * (X * scaled(per(lift(1), lift(2)), W1 + W2)).T),
        Neighbour("the groups are tiled, and not each repeated: [K₁, K₂, K₁, K₂] for [K₁, K₁, K₂, K₂]",
                  FOUR * side(K1, K1, K2, K2).T, FOUR * side(K1, K2, K1, K2).T),
        Neighbour("the queries of a group are added, as its keys are shared",
                  side(q * K1.T, matrix("P", "s", "k", "data") * K1.T),
                  side((q + matrix("P", "s", "k", "data")) * K1.T, (q + matrix("P", "s", "k", "data")) * K1.T)),
    ),
    proof=proof,
)
