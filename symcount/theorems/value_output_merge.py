"""Value and output weights act as one matrix, of rank v at most: A(XV)O = AX(VO), for any A.

Source: Elhage et al. 2021, "A mathematical framework for transformer circuits" (the output-value circuit).
"""

from __future__ import annotations

from symcount.algebra import apply, matrix
from symcount.identity import Identity, Neighbour

A, X = matrix("A", "s", "t", "data"), matrix("X", "t", "d", "data")
V, O = matrix("V", "d", "v"), matrix("O", "v", "d")
S = matrix("S", "s", "t", "data")
LEFT, RIGHT = A * (X * V) * O, A * X * (V * O)

IDENTITY = Identity(
    "value and output weights act as one d × d matrix, whose rank is at most the value width v",
    LEFT, RIGHT,
    meaning={"A": "attention weights, whatever they are", "X": "input, one token a row",
             "V": "value weight of one head", "O": "the output weight's rows for this head"},
    conditions=("no value bias, and no norm or activation between values and output weight",),
    reason="attention mixes rows and the weights mix columns, so the product is associative; nothing crosses the "
           "softmax, for A stays where it is",
    source="Elhage et al. 2021, A mathematical framework for transformer circuits",
    neighbours=(
        Neighbour("the values cross the softmax", apply("softmax", S) * (X * V) * O, apply("softmax", S * X) * (V * O)),
        Neighbour("the output is normed before its weight", apply("rms_norm", A * (X * V)) * O, RIGHT),
        Neighbour("the weights are merged in the other order",
                  A * (X * matrix("V", "d", "d")) * matrix("O", "d", "d"),
                  A * X * (matrix("O", "d", "d") * matrix("V", "d", "d"))),
    ),
)
