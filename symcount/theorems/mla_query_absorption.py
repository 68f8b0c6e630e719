"""Latent attention scores its latents without making keys: (XW_Q)(CW_UK)ᵀ = X(W_Q W_UKᵀ)Cᵀ.

Source: DeepSeek-AI 2024, "DeepSeek-V2", sections 2.1.2 and 2.1.3 (multi-head latent attention).
"""

from __future__ import annotations

from symcount.algebra import matrix
from symcount.identity import Identity, Neighbour

X, C = matrix("X", "s", "d", "data"), matrix("C", "t", "r_kv", "data")
Q, UK = matrix("W_Q", "d", "nope"), matrix("W_UK", "r_kv", "nope")
LEFT, RIGHT = (X * Q) * (C * UK).T, X * (Q * UK.T) * C.T
x, c = matrix("x", 1, "d", "data"), matrix("c", 1, "r_kv", "data")
R1, R2 = matrix("R_1", "nope", "nope", "orthogonal", "data"), matrix("R_2", "nope", "nope", "orthogonal", "data")

IDENTITY = Identity(
    "the key up-projection of latent attention is absorbed into the query weight",
    LEFT, RIGHT,
    meaning={"X": "input, one token a row", "C": "latents in the cache, one token a row",
             "W_Q": "query weight of one head", "W_UK": "key up-projection of one head"},
    conditions=("the part of the head without rotation", "no norm between the up-projection and the scores"),
    reason="the scores depend on the two weights through their product only",
    source="DeepSeek-AI 2024, DeepSeek-V2, sections 2.1.2 and 2.1.3",
    neighbours=(
        Neighbour("query and key are turned by matrices that differ by position, as with a rotary embedding",
                  (x * Q * R1) * (c * UK * R2).T, x * (Q * UK.T) * c.T),
        Neighbour("the up-projection is absorbed twice, into the cache as well",
                  LEFT, (X * (Q * UK.T)) * (C * (UK * UK.T)).T),
    ),
)
