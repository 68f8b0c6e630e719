"""Query and key weights act as one matrix, of rank k at most: (XW_Q)(XW_K)ᵀ = X(W_Q W_Kᵀ)Xᵀ.

Source: Elhage et al. 2021, "A mathematical framework for transformer circuits" (the query-key circuit); Su et al. 2021,
"RoFormer" (rotary position embedding).
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, ones
from symcount.identity import Identity, Neighbour

X = matrix("X", "n", "d", "data")
Q, K = matrix("W_Q", "d", "k"), matrix("W_K", "d", "k")
LEFT, RIGHT = (X * Q) * (X * K).T, X * (Q * K.T) * X.T
x, y = matrix("x", 1, "d", "data"), matrix("y", 1, "d", "data")
R1, R2 = matrix("R_1", "k", "k", "orthogonal", "data"), matrix("R_2", "k", "k", "orthogonal", "data")

IDENTITY = Identity(
    "query and key weights act as one d × d matrix, whose rank is at most the head width k",
    LEFT, RIGHT,
    meaning={"X": "input, one token a row", "W_Q": "query weight of one head", "W_K": "key weight of one head"},
    conditions=("no rotation, norm or bias between the weights and the scores",),
    reason="the scores depend on the two weights through their product only, and k is an inner size of that product",
    source="Elhage et al. 2021, A mathematical framework for transformer circuits",
    neighbours=(
        Neighbour("query and key are turned by matrices that differ by position, as with a rotary embedding",
                  (x * Q * R1) * (y * K * R2).T, x * (Q * K.T) * y.T),
        Neighbour("queries and keys are normed",
                  apply("rms_norm", X * Q) * apply("rms_norm", X * K).T, RIGHT),
        Neighbour("a query bias is forgotten", (X * Q + ones("n") * matrix("b", 1, "k")) * (X * K).T, RIGHT),
        Neighbour("queries and keys are exchanged", LEFT, X * (K * Q.T) * X.T),
    ),
)
