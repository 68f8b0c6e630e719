"""The gain of an RMSNorm goes into the linear layer after it: N(X)DW + 1b = N(X)(DW) + 1b, with D = diag(γ).

Source: Zhang and Sennrich 2019, "Root mean square layer normalization" (the gain); Ashkboos et al. 2024, "SliceGPT:
Compress large language models by deleting rows and columns" (the gain goes into the next matrix).
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, ones
from symcount.identity import Identity, Neighbour

X = matrix("X", "n", "d", "data")
D, W, b = matrix("D", "d", "d", "diagonal"), matrix("W", "d", "m"), matrix("b", 1, "m")
NORM = apply("rms_norm", X)
LEFT = NORM * D * W + ones("n") * b

IDENTITY = Identity(
    "the gain of an RMSNorm goes into the linear layer after it",
    LEFT, NORM * (D * W) + ones("n") * b,
    meaning={"X": "residual stream, one token a row", "D": "gain γ of the norm, on a diagonal",
             "W": "weight of the layer", "b": "bias of the layer"},
    conditions=("the output of the norm is read by linear layers alone, and the gain goes into each of them",),
    reason="once the norm is taken, its gain is one more linear map",
    source="Zhang and Sennrich 2019, RMSNorm; Ashkboos et al. 2024, SliceGPT",
    neighbours=(
        Neighbour("the gain goes into the layer before the norm", LEFT,
                  apply("rms_norm", X * D) * W + ones("n") * b),
        Neighbour("the gain is forgotten", LEFT, NORM * W + ones("n") * b),
    ),
)
