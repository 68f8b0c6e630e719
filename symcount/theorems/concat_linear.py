"""A linear layer of a concatenation is the sum of one layer for each block: [A, B][U; V] = AU + BV.

Source: Golub and Van Loan 2013, "Matrix computations", section 1.3.
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, side, stack
from symcount.identity import Identity, Neighbour

A, B = matrix("A", "n", "d_1", "data"), matrix("B", "n", "d_2", "data")
U, V = matrix("U", "d_1", "m"), matrix("V", "d_2", "m")
LEFT, RIGHT = side(A, B) * stack(U, V), A * U + B * V
EVEN_A, EVEN_B = matrix("A", "n", "d", "data"), matrix("B", "n", "d", "data")
EVEN_U, EVEN_V = matrix("U", "d", "m"), matrix("V", "d", "m")

IDENTITY = Identity(
    "a linear layer of a concatenation is the sum of one linear layer for each block",
    LEFT, RIGHT,
    meaning={"A": "first block of the input", "B": "second block of the input",
             "U": "the weight's rows for the first block", "V": "the weight's rows for the second block"},
    reason="blocks of any widths multiply like entries, and a block may be a concatenation again",
    source="Golub and Van Loan 2013, Matrix computations, section 1.3",
    neighbours=(
        Neighbour("the blocks of the weight are in another order than those of the input",
                  side(EVEN_A, EVEN_B) * stack(EVEN_U, EVEN_V), EVEN_A * EVEN_V + EVEN_B * EVEN_U),
        Neighbour("blocks are added where they should be concatenated",
                  side(EVEN_A, EVEN_B) * stack(EVEN_U, EVEN_V), (EVEN_A + EVEN_B) * (EVEN_U + EVEN_V)),
        Neighbour("a softmax sees the whole row, and is taken of each block",
                  apply("softmax", side(A, B)) * stack(U, V), apply("softmax", A) * U + apply("softmax", B) * V),
        Neighbour("an activation of the sum is the sum of the blocks' activations",
                  apply("relu", LEFT), apply("relu", A * U) + apply("relu", B * V)),
    ),
)
