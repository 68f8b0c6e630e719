"""Centring twice is centring once: CC = C for C = I − 11ᵀ/d, which takes from each row its mean.

Source: Horn and Johnson 2013, "Matrix Analysis" (projections); Ashkboos et al. 2024, "SliceGPT" (LayerNorm as
centring, then RMSNorm).
"""

from __future__ import annotations

from symcount.algebra import eye, ones
from symcount.identity import Identity, Neighbour
from symcount.polynomials import letter, lift
from symcount.sizes import per

CENTRE = eye("d") - per(lift(1), letter("d")) * (ones("d") * ones("d").T)
SUMS = eye("d") - ones("d") * ones("d").T

IDENTITY = Identity(
    "centring a row twice is centring it once",
    CENTRE * CENTRE, CENTRE,
    meaning={},
    reason="a centred row has mean 0, and 1ᵀ1 = d cancels one 1/d",
    source="the centring matrix of every statistics text; used for LayerNorm by Ashkboos et al. 2024, SliceGPT",
    neighbours=(
        Neighbour("1/d is forgotten", SUMS * SUMS, SUMS),
        Neighbour("centring twice undoes it", CENTRE * CENTRE, eye("d")),
    ),
)
