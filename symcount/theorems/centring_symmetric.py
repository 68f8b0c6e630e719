"""Centring is its own transpose: Cᵀ = C for C = I − 11ᵀ/d, which takes from each row its mean.

Source: Horn and Johnson 2013, "Matrix Analysis" (projections); Ashkboos et al. 2024, "SliceGPT" (LayerNorm as
centring, then RMSNorm).
"""

from __future__ import annotations

from symcount.algebra import eye, matrix, ones
from symcount.identity import Identity, Neighbour
from symcount.polynomials import letter, lift
from symcount.sizes import per

CENTRE = eye("d") - per(lift(1), letter("d")) * (ones("d") * ones("d").T)
p = matrix("p", "d", 1)
WEIGHTED = eye("d") - ones("d") * p.T

IDENTITY = Identity(
    "centring is its own transpose",
    CENTRE.T, CENTRE,
    meaning={},
    reason="11ᵀ is symmetric; so rows and columns are centred by the same matrix",
    source="the centring matrix of every statistics text; used for LayerNorm by Ashkboos et al. 2024, SliceGPT",
    neighbours=(Neighbour("a mean with unequal weights p is as symmetric", WEIGHTED.T, WEIGHTED),),
)
