"""Beside an output bias the value bias is redundant: A(XV + 1b)O + 1c = A(XV)O + 1(bO + c), for the rows of A sum to 1.

Source: Vaswani et al. 2017, section 3.2.1 (softmax); Namazifar et al. 2023, "Role of bias terms in dot-product
attention".
"""

from __future__ import annotations

from symcount.algebra import matrix, ones
from symcount.identity import Identity, Neighbour

A, X = matrix("A", "s", "t", "stochastic", "data"), matrix("X", "t", "d", "data")
V, b = matrix("V", "d", "v"), matrix("b", 1, "v")
O, c = matrix("O", "v", "d"), matrix("c", 1, "d")
LEFT, RIGHT = A * (X * V + ones("t") * b) * O + ones("s") * c, A * (X * V) * O + ones("s") * (b * O + c)
FREE = matrix("A", "s", "t", "data")

IDENTITY = Identity(
    "beside an output bias the value bias is redundant: both add one row to every output",
    LEFT, RIGHT,
    meaning={"A": "attention weights, after a softmax", "X": "input, one token a row", "V": "value weight",
             "b": "value bias", "O": "output weight", "c": "output bias"},
    conditions=("each row of A sums to 1: a softmax, with no dropout after it", "the output has a bias"),
    reason="an average of rows that all have b added has b added",
    source="Vaswani et al. 2017, section 3.2.1; Namazifar et al. 2023, Role of bias terms in dot-product attention",
    neighbours=(
        Neighbour("the rows of A do not sum to 1, as without a softmax",
                  FREE * (X * V + ones("t") * b) * O + ones("s") * c, FREE * (X * V) * O + ones("s") * (b * O + c)),
        Neighbour("the value bias is left out, and not moved to the output bias",
                  LEFT, A * (X * V) * O + ones("s") * c),
    ),
)
