"""Latent attention mixes its latents without making values: A(CW_UV)W_O = AC(W_UV W_O).

Source: DeepSeek-AI 2024, "DeepSeek-V2", section 2.1.2 (multi-head latent attention).
"""

from __future__ import annotations

from symcount.algebra import apply, matrix
from symcount.identity import Identity, Neighbour

A, C = matrix("A", "s", "t", "data"), matrix("C", "t", "r_kv", "data")
UV, O = matrix("W_UV", "r_kv", "v"), matrix("W_O", "v", "d")
LEFT, RIGHT = A * (C * UV) * O, (A * C) * (UV * O)
A2, UV2, O2 = matrix("A_2", "s", "t", "data"), matrix("W_UV2", "r_kv", "v"), matrix("W_O2", "v", "d")

IDENTITY = Identity(
    "the value up-projection of latent attention is absorbed into the output weight",
    LEFT, RIGHT,
    meaning={"A": "attention weights of one head", "C": "latents in the cache, one token a row",
             "W_UV": "value up-projection of one head", "W_O": "the output weight's rows for this head"},
    conditions=("no norm or activation between values and output weight",),
    reason="attention mixes rows and the weights mix columns, so the product is associative",
    source="DeepSeek-AI 2024, DeepSeek-V2, section 2.1.2",
    neighbours=(
        Neighbour("the values are normed", A * apply("rms_norm", C * UV) * O, RIGHT),
        Neighbour("two heads share one absorbed weight",
                  A * (C * UV) * O + A2 * (C * UV2) * O2, (A + A2) * C * (UV * O + UV2 * O2)),
    ),
)
