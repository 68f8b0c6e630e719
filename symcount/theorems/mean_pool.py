"""Pooling the mean may come before a linear layer: (1/n)1ᵀ(XW + 1b) = ((1/n)1ᵀX)W + b.

Source: the mean is a linear map of the rows; Lin et al. 2014, "Network in network" (global average pooling).
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, ones
from symcount.identity import Identity, Neighbour
from symcount.polynomials import letter, lift
from symcount.sizes import per

X = matrix("X", "n", "d", "data")
W, b = matrix("W", "d", "m"), matrix("b", 1, "m")
SHARE, SUM = per(lift(1), letter("n")), ones("n").T

IDENTITY = Identity(
    "mean pooling may come before a linear layer",
    SHARE * (SUM * (X * W + ones("n") * b)), SHARE * (SUM * X) * W + b,
    meaning={"X": "input, one token a row", "W": "weight", "b": "bias"},
    conditions=("the mean, with equal shares; no mask that leaves some rows out",
                "nothing between the layer and the pooling"),
    reason="the mean is linear, and the mean of n equal biases is that bias",
    source="Lin et al. 2014, Network in network (average pooling)",
    neighbours=(
        Neighbour("the sum does as well", SUM * (X * W + ones("n") * b), SUM * X * W + b),
        Neighbour("a ReLU stands between", SHARE * (SUM * apply("relu", X * W)), apply("relu", SHARE * (SUM * X) * W)),
    ),
)
