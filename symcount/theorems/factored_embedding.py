"""A factored embedding is one table of rank at most e: (OE₁)E₂ = O(E₁E₂).

The two factors are stored in place of the table, which saves parameters where e(V + d) < Vd.

Source: Lan et al. 2020, "ALBERT: A lite BERT for self-supervised learning of language representations" (factorized
embedding parameterization).
"""

from __future__ import annotations

from symcount.algebra import apply, matrix
from symcount.identity import Identity, Neighbour

O = matrix("O", "n", "V", "data", "selection", "stochastic")
E1, E2 = matrix("E1", "V", "e"), matrix("E2", "e", "d")
RIGHT = O * (E1 * E2)

IDENTITY = Identity(
    "a factored embedding is one table of rank at most e",
    O * E1 * E2, RIGHT,
    meaning={"O": "tokens, one-hot, one a row", "E1": "embedding of width e", "E2": "projection to the model's width"},
    conditions=("nothing stands between table and projection",),
    reason="looking up a row is a product with a one-hot row",
    source="Lan et al. 2020, ALBERT",
    neighbours=(
        Neighbour("a ReLU stands between", apply("relu", O * E1) * E2, RIGHT),
        Neighbour("a LayerNorm stands between", apply("layer_norm", O * E1) * E2, RIGHT),
    ),
)
