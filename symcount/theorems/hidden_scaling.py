"""ReLU units may be rescaled: relu(XW₁ + 1b₁)W₂ = relu(X(W₁D) + 1(b₁D))(D⁻¹W₂) for a diagonal D of positive numbers.

Source: Neyshabur et al. 2015, "Path-SGD: Path-normalized optimization in deep neural networks" (rescaling invariance).
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, ones
from symcount.identity import Identity, Neighbour

X = matrix("X", "n", "d", "data")
W1, b1, W2 = matrix("W1", "d", "h"), matrix("b1", 1, "h"), matrix("W2", "h", "m")
D, E = matrix("D", "h", "h", "positive"), matrix("E", "h", "h", "diagonal", "invertible")
HIDDEN, SCALED = X * W1 + ones("n") * b1, X * (W1 * D) + ones("n") * (b1 * D)
LEFT = apply("relu", HIDDEN) * W2

IDENTITY = Identity(
    "ReLU units may be rescaled by positive numbers",
    LEFT, apply("relu", SCALED) * (D.I * W2),
    meaning={"X": "input, one token a row", "W1": "weight into the hidden layer", "b1": "bias of the hidden layer",
             "W2": "weight out of the hidden layer", "D": "the scale of each unit, on a diagonal"},
    conditions=("relu, or another f with f(cx) = c f(x) for each c > 0",),
    reason="relu(cx) = c relu(x) for c > 0",
    source="Neyshabur et al. 2015, Path-SGD",
    neighbours=(
        Neighbour("a scale E may be negative", LEFT,
                  apply("relu", X * (W1 * E) + ones("n") * (b1 * E)) * (E.I * W2)),
        Neighbour("GELU does as well", apply("gelu", HIDDEN) * W2, apply("gelu", SCALED) * (D.I * W2)),
        Neighbour("SiLU does as well", apply("silu", HIDDEN) * W2, apply("silu", SCALED) * (D.I * W2)),
        Neighbour("the bias is not scaled", LEFT, apply("relu", X * (W1 * D) + ones("n") * b1) * (D.I * W2)),
    ),
)
