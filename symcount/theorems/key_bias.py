"""The key bias is redundant: softmax(Q(K + 1b)ᵀ) = softmax(QKᵀ).

Source: Namazifar et al. 2023, "Role of bias terms in dot-product attention"; Cordonnier et al. 2020, "Multi-head
attention: collaborate instead of concatenate".
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, ones, stack
from symcount.identity import Identity, Neighbour

Q, K, b = matrix("Q", "s", "k", "data"), matrix("K", "t", "k", "data"), matrix("b", 1, "k")
RIGHT = apply("softmax", Q * K.T)
K1, K2 = matrix("K_1", 1, "k", "data"), matrix("K_2", 1, "k", "data")
R1, R2 = matrix("R_1", "k", "k", "orthogonal", "data"), matrix("R_2", "k", "k", "orthogonal", "data")

IDENTITY = Identity(
    "the key bias is redundant: it adds the same number to all scores of a query",
    apply("softmax", Q * (K + ones("t") * b).T), RIGHT,
    meaning={"Q": "queries, one a row, scaled by 1/√k", "K": "keys without their bias, one a row", "b": "key bias"},
    conditions=("a softmax over the keys", "no rotation or norm between the bias and the scores"),
    reason="a softmax does not see what is the same along a row",
    source="Namazifar et al. 2023, Role of bias terms in dot-product attention",
    neighbours=(
        Neighbour("the query bias is left out", apply("softmax", (Q + ones("s") * b) * K.T), RIGHT),
        Neighbour("keys are turned by matrices that differ by position, as with a rotary embedding",
                  apply("softmax", Q * stack((K1 + b) * R1, (K2 + b) * R2).T),
                  apply("softmax", Q * stack(K1 * R1, K2 * R2).T)),
        Neighbour("a sigmoid stands where the softmax stands",
                  apply("sigmoid", Q * (K + ones("t") * b).T), apply("sigmoid", Q * K.T)),
    ),
)
