"""Queries may be changed by G if keys are changed by G⁻ᵀ: (X(W_Q G))(X(W_K G⁻ᵀ))ᵀ = (XW_Q)(XW_K)ᵀ.

Source: van Nierop 2024, "Transformer models are gauge invariant".
"""

from __future__ import annotations

from symcount.algebra import matrix
from symcount.identity import Identity, Neighbour

X = matrix("X", "n", "d", "data")
Q, K, G = matrix("W_Q", "d", "k"), matrix("W_K", "d", "k"), matrix("G", "k", "k", "invertible")
LEFT, RIGHT = (X * (Q * G)) * (X * (K * G.I.T)).T, (X * Q) * (X * K).T
q, p = matrix("q", 1, "k", "data"), matrix("p", 1, "k", "data")
R = matrix("R", "k", "k", "orthogonal", "data")  # as between the positions of one query and one key

IDENTITY = Identity(
    "query and key weights are determined up to an invertible k × k matrix: W_Q G and W_K G⁻ᵀ give the same scores",
    LEFT, RIGHT,
    meaning={"X": "input, one token a row", "W_Q": "query weight of one head", "W_K": "key weight of one head",
             "G": "any invertible matrix"},
    conditions=("no rotation, norm or bias between the weights and the scores",),
    reason="G and its inverse meet between the two weights; so k² of the 2dk numbers of a head are of no effect",
    source="van Nierop 2024, Transformer models are gauge invariant",
    neighbours=(
        Neighbour("both are changed by G, which is right for an orthogonal G only",
                  (X * (Q * G)) * (X * (K * G)).T, RIGHT),
        Neighbour("the inverse is not transposed", (X * (Q * G)) * (X * (K * G.I)).T, RIGHT),
        Neighbour("the query is turned against the key after G, as with a rotary embedding",
                  (q * G * R) * (p * G.I.T).T, (q * R) * p.T),
    ),
)
