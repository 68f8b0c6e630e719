"""A rotated basis leaves a layer unchanged: (XR)(RᵀW) = XW, so XR + f((XR)(RᵀW₁))(W₂R) = (X + f(XW₁)W₂)R.

Source: Ashkboos et al. 2024, "SliceGPT: Compress large language models by deleting rows and columns", and "QuaRot:
Outlier-free 4-bit inference in rotated LLMs" (computational invariance).
"""

from __future__ import annotations

from symcount.algebra import apply, matrix
from symcount.algebra.kernel import Lemma, Proof, Step
from symcount.algebra.search import proved
from symcount.identity import Identity, Neighbour

X, R = matrix("X", "n", "d", "data"), matrix("R", "d", "d", "orthogonal")
W1, W2 = matrix("W_1", "d", "h"), matrix("W_2", "h", "d")
LEFT = X * R + apply("relu", (X * R) * (R.T * W1)) * (W2 * R)
RIGHT = (X + apply("relu", X * W1) * W2) * R
G = matrix("G", "d", "d", "invertible")


def proof() -> Proof:
    """First that the rotation cancels, then the layer."""
    first = proved("rotation cancels", (X * R) * (R.T * W1), X * W1)
    line = X * R + apply("relu", X * W1) * (W2 * R)
    steps = [Step("equation", first.name, term=line), *proved("rotation", line, RIGHT).steps]
    return Proof((first, Lemma("rotation", LEFT, RIGHT, steps)))


IDENTITY = Identity(
    "a layer of rotated weights takes the rotated input to the rotated output",
    LEFT, RIGHT,
    meaning={"X": "residual stream, one token a row", "R": "rotation of the residual stream, d × d",
             "W_1": "weight that reads the residual stream", "W_2": "weight that writes to it"},
    conditions=("what reads the stream is RᵀW; weights and biases that write to it are WR and bR",
                "a norm that reads the stream is an RMSNorm without gain, or has its gain in the next weight"),
    reason="what a layer reads is XR times RᵀW, and RRᵀ = I; any activation, or attention, may stand for the relu",
    source="Ashkboos et al. 2024, SliceGPT; Ashkboos et al. 2024, QuaRot",
    neighbours=(
        Neighbour("the matrix is invertible, but not orthogonal, and its transpose is used",
                  (X * G) * (G.T * W1), X * W1),
        Neighbour("the activation is taken in the rotated basis", apply("relu", X * R), apply("relu", X) * R),
        Neighbour("what is written to the stream is not rotated",
                  X * R + apply("relu", (X * R) * (R.T * W1)) * W2, RIGHT),
        Neighbour("a LayerNorm reads the stream: it does not commute with a rotation",
                  apply("layer_norm", X * R), apply("layer_norm", X) * R),
    ),
    proof=proof,
)
