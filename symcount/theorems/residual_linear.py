"""A residual connection around an affine layer is one affine layer: X + (XW + 1b) = X(I + W) + 1b.

Source: Hardt and Ma 2017, "Identity matters in deep learning"; Ding et al. 2021, "RepVGG" (the identity branch).
"""

from __future__ import annotations

from symcount.algebra import apply, eye, matrix, ones
from symcount.identity import Identity, Neighbour

X = matrix("X", "n", "d", "data")
W, b = matrix("W", "d", "d"), matrix("b", 1, "d")
LEFT, RIGHT = X + (X * W + ones("n") * b), X * (eye("d") + W) + ones("n") * b

IDENTITY = Identity(
    "a residual connection around an affine layer is one affine layer",
    LEFT, RIGHT,
    meaning={"X": "input, one token a row", "W": "weight of the branch", "b": "bias of the branch"},
    conditions=("no activation or norm in the branch", "the branch is as wide at its end as at its start"),
    reason="the connection is the layer whose weight is the identity",
    source="Hardt and Ma 2017, Identity matters in deep learning; Ding et al. 2021, RepVGG",
    neighbours=(
        Neighbour("an activation ends the branch", X + apply("relu", X * W + ones("n") * b), RIGHT),
        Neighbour("an activation follows the sum, and is taken of the branch alone",
                  apply("relu", LEFT), X + apply("relu", X * W + ones("n") * b)),
        Neighbour("the connection is forgotten", LEFT, X * W + ones("n") * b),
    ),
)
