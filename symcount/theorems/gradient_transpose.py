"""The two conventions of a weight's gradient are each other's transpose: (GᵀX)ᵀ = XᵀG.

For Y = XW the gradient of a loss in W is XᵀG, where G is its gradient in Y; a library that stores Wᵀ keeps GᵀX.

Source: Rumelhart et al. 1986, "Learning representations by back-propagating errors"; Horn and Johnson 2013, "Matrix
Analysis" (transposes).
"""

from __future__ import annotations

from symcount.algebra import matrix
from symcount.identity import Identity, Neighbour

X, G = matrix("X", "n", "d", "data"), matrix("G", "n", "m", "data")
SQUARE = matrix("G", "n", "d", "data")

IDENTITY = Identity(
    "the two conventions of a weight's gradient are each other's transpose",
    (G.T * X).T, X.T * G,
    meaning={"X": "input of the layer, one token a row", "G": "gradient of the loss in the layer's output"},
    reason="a transpose reverses a product",
    source="Rumelhart et al. 1986, back-propagation",
    neighbours=(Neighbour("for a square weight the two are the same", SQUARE.T * X, X.T * SQUARE),),
)
