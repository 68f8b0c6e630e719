"""Gain and shift of a LayerNorm go into the linear layer after it: (N(X)D + 1β)W + 1b = N(X)(DW) + 1(βW + b).

Source: Ba et al. 2016, "Layer normalization" (gain and shift); Ashkboos et al. 2024, "SliceGPT: Compress large language
models by deleting rows and columns" (both go into the next layer).
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, ones
from symcount.identity import Identity, Neighbour

X = matrix("X", "n", "d", "data")
D, beta = matrix("D", "d", "d", "diagonal"), matrix("beta", 1, "d")
W, b = matrix("W", "d", "m"), matrix("b", 1, "m")
NORM = apply("layer_norm", X)
LEFT = (NORM * D + ones("n") * beta) * W + ones("n") * b

IDENTITY = Identity(
    "gain and shift of a LayerNorm go into the linear layer after it",
    LEFT, NORM * (D * W) + ones("n") * (beta * W + b),
    meaning={"X": "residual stream, one token a row", "D": "gain γ of the norm, on a diagonal",
             "beta": "shift of the norm", "W": "weight of the layer", "b": "bias of the layer"},
    conditions=("the output of the norm is read by linear layers alone, and gain and shift go into each of them",
                "a layer without a bias gets one"),
    reason="once a row is centred and scaled, gain and shift are one more linear layer",
    source="Ba et al. 2016, LayerNorm; Ashkboos et al. 2024, SliceGPT",
    neighbours=(
        Neighbour("the shift is forgotten", LEFT, NORM * (D * W) + ones("n") * b),
        Neighbour("the gain scales the shift as well", LEFT, NORM * (D * W) + ones("n") * (beta * D * W + b)),
        Neighbour("the gain goes into the layer before the norm", NORM * D * W, apply("layer_norm", X * D) * W),
    ),
)
