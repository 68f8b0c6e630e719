"""Two rank-one layers are one, scaled by the number between them: X(uvᵀ)(wzᵀ) = X(u(wᵀv))zᵀ.

Source: Horn and Johnson 2013, "Matrix Analysis" (rank-one matrices).
"""

from __future__ import annotations

from symcount.algebra import matrix
from symcount.identity import Identity, Neighbour

X = matrix("X", "n", "d", "data")
u, v, w, z = matrix("u", "d", 1), matrix("v", "k", 1), matrix("w", "k", 1), matrix("z", "m", 1)
LEFT = X * (u * v.T) * (w * z.T)

IDENTITY = Identity(
    "two rank-one layers are one, scaled by the number between them",
    LEFT, X * (u * (w.T * v)) * z.T,
    meaning={"X": "input, one token a row", "u": "first layer, what it reads", "v": "first layer, what it writes",
             "w": "second layer, what it reads", "z": "second layer, what it writes"},
    reason="a 1 × 1 matrix is a number: it commutes, and is its own transpose, vᵀw = wᵀv",
    source="Horn and Johnson 2013, Matrix Analysis",
    neighbours=(
        Neighbour("an outer product is its own transpose as well", v * w.T, w * v.T),
        Neighbour("the number between them is forgotten", LEFT, X * u * z.T),
    ),
)
