"""Centring goes into the linear layer before it: (XW + 1b)C = X(WC) + 1(bC) for C = I − 11ᵀ/d.

Source: Ashkboos et al. 2024, "SliceGPT: Compress large language models by deleting rows and columns" (LayerNorm
becomes RMSNorm).
"""

from __future__ import annotations

from symcount.algebra import eye, matrix, ones
from symcount.identity import Identity, Neighbour
from symcount.polynomials import letter, lift
from symcount.sizes import per

X = matrix("X", "n", "h", "data")
W, b = matrix("W", "h", "d"), matrix("b", 1, "d")
CENTRE = eye("d") - per(lift(1), letter("d")) * (ones("d") * ones("d").T)
BEFORE = eye("h") - per(lift(1), letter("h")) * (ones("h") * ones("h").T)
LEFT = (X * W + ones("n") * b) * CENTRE

IDENTITY = Identity(
    "centring goes into the linear layer before it",
    LEFT, X * (W * CENTRE) + ones("n") * (b * CENTRE),
    meaning={"X": "input of the layer, one token a row", "W": "weight of the layer", "b": "bias of the layer"},
    conditions=("nothing stands between the layer and the centring",),
    reason="taking from each row its mean is a linear map of the row",
    source="Ashkboos et al. 2024, SliceGPT",
    neighbours=(
        Neighbour("the bias is not centred", LEFT, X * (W * CENTRE) + ones("n") * b),
        Neighbour("the input is centred instead", X * W * CENTRE, X * (BEFORE * W)),
    ),
)
