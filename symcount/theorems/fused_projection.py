"""Projections of one input are one projection: [XV₁, XV₂] = X[V₁, V₂], as of queries, keys and values.

Source: Golub and Van Loan 2013, "Matrix computations", section 1.3; Radford et al. 2019 (GPT-2's code: `c_attn`).
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, side
from symcount.identity import Identity, Neighbour

X, Y = matrix("X", "n", "d", "data"), matrix("Y", "n", "d", "data")
V1, V2 = matrix("V_1", "d", "m_1"), matrix("V_2", "d", "m_2")
LEFT, RIGHT = side(X * V1, X * V2), X * side(V1, V2)

IDENTITY = Identity(
    "two projections of one input are one projection, with as many parameters; so are any number",
    LEFT, RIGHT,
    meaning={"X": "input, one token a row", "V_1": "first weight, as of queries", "V_2": "second weight, as of keys"},
    conditions=("all projections read the same input; their widths may differ",),
    reason="a product's columns are the input times the weight's columns",
    source="Golub and Van Loan 2013, Matrix computations, section 1.3; Radford et al. 2019, GPT-2",
    neighbours=(
        Neighbour("the projections read different inputs, as in cross-attention", side(X * V1, Y * V2), RIGHT),
        Neighbour("a softmax of each is one softmax of the row",
                  side(apply("softmax", X * V1), apply("softmax", X * V2)), apply("softmax", RIGHT)),
        Neighbour("the weights are swapped", side(X * matrix("V_1", "d", "m"), X * matrix("V_2", "d", "m")),
                  X * side(matrix("V_2", "d", "m"), matrix("V_1", "d", "m"))),
    ),
)
