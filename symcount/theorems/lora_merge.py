"""A low-rank adapter merges into the weight it stands beside: XW + (α/r)(XA)B = X(W + (α/r)AB).

Source: Hu et al. 2021, "LoRA: Low-rank adaptation of large language models", section 4.1.
"""

from __future__ import annotations

from symcount.algebra import apply, matrix
from symcount.algebra.making import number
from symcount.identity import Identity, Neighbour
from symcount.polynomials import letter, lift
from symcount.sizes import per

X = matrix("X", "n", "d", "data")
W, A, B = matrix("W", "d", "m"), matrix("A", "d", "r"), matrix("B", "r", "m")
A2, B2 = matrix("A_2", "d", "r"), matrix("B_2", "r", "m")
SCALE = number("alpha") * per(lift(1), letter("r"))
LEFT, RIGHT = X * W + SCALE * (X * A * B), X * (W + SCALE * (A * B))

IDENTITY = Identity(
    "a low-rank adapter merges into the weight beside it",
    LEFT, RIGHT,
    meaning={"X": "input, one token a row", "W": "frozen weight", "A": "adapter, down to rank r", "B": "adapter, up",
             "alpha": "scale of the adapter"},
    conditions=("no dropout before the adapter, as at inference",),
    reason="the adapter is linear in the same input as the weight",
    source="Hu et al. 2021, LoRA, section 4.1",
    neighbours=(
        Neighbour("the scale α/r is forgotten", LEFT, X * (W + A * B)),
        Neighbour("an activation stands in the adapter",
                  X * W + SCALE * (apply("relu", X * A) * B), RIGHT),
        Neighbour("the adapter reads another input than the weight, as after dropout",
                  X * W + SCALE * (matrix("Y", "n", "d", "data") * A * B), RIGHT),
        Neighbour("two adapters are merged by adding their factors",
                  LEFT + SCALE * (X * A2 * B2), X * (W + SCALE * ((A + A2) * (B + B2)))),
    ),
)
