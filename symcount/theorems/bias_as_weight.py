"""A bias is one more row of the weight, for an input that is always 1: XW + 1b = [X, 1][W; b].

Source: Bishop 2006, "Pattern recognition and machine learning", section 5.1.
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, ones, side, stack
from symcount.identity import Identity, Neighbour

X = matrix("X", "n", "d", "data")
W, b = matrix("W", "d", "m"), matrix("b", 1, "m")
V, c = matrix("V", "m", "r"), matrix("c", 1, "r")
LEFT, RIGHT = X * W + ones("n") * b, side(X, ones("n")) * stack(W, b)

IDENTITY = Identity(
    "a bias is one more row of the weight, for an input that is always 1",
    LEFT, RIGHT,
    meaning={"X": "input, one token a row", "W": "weight", "b": "bias"},
    reason="blocks multiply like entries; so d inputs and m outputs with a bias store (d + 1)m numbers",
    source="Bishop 2006, Pattern recognition and machine learning, section 5.1",
    neighbours=(
        Neighbour("the added column is not all ones, as where padding is set to zero",
                  LEFT, side(X, matrix("e", "n", 1, "data")) * stack(W, b)),
        Neighbour("the 1 beside the first input serves the second layer too",
                  LEFT * V + ones("n") * c, side(X, ones("n")) * (stack(W, b) * V)),
        Neighbour("the 1 passes through an activation with the input",
                  apply("sigmoid", side(X, ones("n"))) * stack(W, b), apply("sigmoid", X) * W + ones("n") * b),
    ),
)
