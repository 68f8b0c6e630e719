"""Centring takes away what is the same along a row: C1 = 0 for C = I − 11ᵀ/d.

Source: Horn and Johnson 2013, "Matrix Analysis" (projections); Ashkboos et al. 2024, "SliceGPT" (LayerNorm as
centring, then RMSNorm).
"""

from __future__ import annotations

from symcount.algebra import eye, matrix, ones, zero
from symcount.identity import Identity, Neighbour
from symcount.polynomials import letter, lift
from symcount.sizes import per

CENTRE = eye("d") - per(lift(1), letter("d")) * (ones("d") * ones("d").T)
u = matrix("u", "d", 1)

IDENTITY = Identity(
    "centring takes away what is the same along a row",
    CENTRE * ones("d"), zero("d", 1),
    meaning={},
    reason="the mean of equal numbers is that number",
    source="the centring matrix of every statistics text; used for LayerNorm by Ashkboos et al. 2024, SliceGPT",
    neighbours=(
        Neighbour("1/d is forgotten", (eye("d") - ones("d") * ones("d").T) * ones("d"), zero("d", 1)),
        Neighbour("centring takes away any column", CENTRE * u, zero("d", 1)),
    ),
)
