"""Hidden units may change places: f(XW₁ + 1b₁)W₂ = f(X(W₁P) + 1(b₁P))(PᵀW₂) for a permutation P, elementwise f.

Source: Hecht-Nielsen 1990, "On the algebraic structure of feedforward network weight spaces".
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, ones
from symcount.identity import Identity, Neighbour

X = matrix("X", "n", "d", "data")
W1, b1, W2 = matrix("W1", "d", "h"), matrix("b1", 1, "h"), matrix("W2", "h", "m")
P, Q = matrix("P", "h", "h", "permutation"), matrix("Q", "h", "h", "orthogonal")
LEFT = apply("gelu", X * W1 + ones("n") * b1) * W2

IDENTITY = Identity(
    "hidden units may change places",
    LEFT, apply("gelu", X * (W1 * P) + ones("n") * (b1 * P)) * (P.T * W2),
    meaning={"X": "input, one token a row", "W1": "weight into the hidden layer", "b1": "bias of the hidden layer",
             "W2": "weight out of the hidden layer", "P": "the permutation of its units"},
    conditions=("any elementwise f in place of gelu",),
    reason="f does the same to each number, wherever it stands, and PPᵀ = I",
    source="Hecht-Nielsen 1990, weight spaces",
    neighbours=(
        Neighbour("the weight after is not permuted", LEFT,
                  apply("gelu", X * (W1 * P) + ones("n") * (b1 * P)) * W2),
        Neighbour("the bias is not permuted", LEFT, apply("gelu", X * (W1 * P) + ones("n") * b1) * (P.T * W2)),
        Neighbour("any orthogonal matrix will do as well", LEFT,
                  apply("gelu", X * (W1 * Q) + ones("n") * (b1 * Q)) * (Q.T * W2)),
    ),
)
