"""Two affine layers with nothing between are one: (XM + 1c)W + 1b = X(MW) + 1(cW + b).

Source: Goodfellow, Bengio and Courville 2016, "Deep Learning", section 6.1.
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, ones
from symcount.identity import Identity, Neighbour

X = matrix("X", "n", "d", "data")
M, c = matrix("M", "d", "r"), matrix("c", 1, "r")
W, b = matrix("W", "r", "m"), matrix("b", 1, "m")
LEFT = (X * M + ones("n") * c) * W + ones("n") * b
SQUARE, LATE = matrix("W", "r", "r"), matrix("b", 1, "r")  # as wide as the first layer, so that biases can be added

IDENTITY = Identity(
    "two affine layers with nothing between are one affine layer",
    LEFT, X * (M * W) + ones("n") * (c * W + b),
    meaning={"X": "input, one token a row", "M": "weight of the first layer", "c": "bias of the first layer",
             "W": "weight of the second layer", "b": "bias of the second layer"},
    conditions=("no activation, norm or dropout between the two layers",),
    reason="the second weight distributes over the first layer's sum; by induction, any number of layers is one",
    source="Goodfellow, Bengio and Courville 2016, Deep Learning, section 6.1",
    neighbours=(
        Neighbour("an activation stands between",
                  apply("relu", X * M + ones("n") * c) * W + ones("n") * b, X * (M * W) + ones("n") * (c * W + b)),
        Neighbour("the biases are added, without the weight between them",
                  (X * M + ones("n") * c) * SQUARE + ones("n") * LATE, X * (M * SQUARE) + ones("n") * (c + LATE)),
        Neighbour("the first bias is forgotten", LEFT, X * (M * W) + ones("n") * b),
    ),
)
