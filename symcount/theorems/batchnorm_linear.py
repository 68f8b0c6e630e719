"""BatchNorm at inference goes into the layer before it: ((XW + 1b) − 1μ)S + 1β = X(WS) + 1((b − μ)S + β).

S is the diagonal matrix of γ/√(σ² + ε). A convolution is the same layer, with an unfolded patch in each row of X.

Source: Ioffe and Szegedy 2015, "Batch normalization" (inference is linear); Jacob et al. 2018, "Quantization and
training of neural networks for efficient integer-arithmetic-only inference" (batch normalization folding).
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, ones
from symcount.identity import Identity, Neighbour

X = matrix("X", "n", "d", "data")
W, b = matrix("W", "d", "m"), matrix("b", 1, "m")
mu, S, beta = matrix("mu", 1, "m"), matrix("S", "m", "m", "diagonal"), matrix("beta", 1, "m")
LAYER = X * W + ones("n") * b
LEFT = (LAYER - ones("n") * mu) * S + ones("n") * beta
FOLDED = X * (W * S) + ones("n") * ((b - mu) * S + beta)

IDENTITY = Identity(
    "BatchNorm at inference goes into the linear layer before it",
    LEFT, FOLDED,
    meaning={"X": "input, one example or one patch a row", "W": "weight", "b": "bias", "mu": "running mean",
             "S": "gain over deviation, γ/√(σ² + ε), on a diagonal", "beta": "shift of the norm"},
    conditions=("inference: mean and variance are stored, and not taken from the batch",
                "nothing stands between the layer and the norm"),
    reason="with its mean and variance stored, the norm is a linear layer itself",
    source="Ioffe and Szegedy 2015, BatchNorm; Jacob et al. 2018, quantization",
    neighbours=(
        Neighbour("the mean is not scaled", LEFT, X * (W * S) + ones("n") * (b * S - mu + beta)),
        Neighbour("the bias is not scaled", LEFT, X * (W * S) + ones("n") * (b - mu * S + beta)),
        Neighbour("a ReLU stands between", (apply("relu", LAYER) - ones("n") * mu) * S + ones("n") * beta,
                  apply("relu", FOLDED)),
    ),
)
