"""A centred residual stream stays centred where each writer is centred: ZC = Z for Z = XC + Y(WC), C = I − 11ᵀ/d.

XC is any centred stream, and Y(WC) what one layer of centred weights writes to it; what comes out is centred again, so
one writer may follow the other. A LayerNorm that reads a centred stream has nothing left to centre: it is an RMSNorm.

Source: Ashkboos et al. 2024, "SliceGPT: Compress large language models by deleting rows and columns" (LayerNorm
becomes RMSNorm).
"""

from __future__ import annotations

from symcount.algebra import eye, matrix, ones
from symcount.algebra.kernel import Lemma, Proof, Step
from symcount.algebra.search import proved
from symcount.identity import Identity, Neighbour
from symcount.polynomials import letter, lift
from symcount.sizes import per

X, Y = matrix("X", "n", "d", "data"), matrix("Y", "n", "h", "data")
W, D = matrix("W", "h", "d"), matrix("D", "d", "d", "diagonal")
CENTRE = eye("d") - per(lift(1), letter("d")) * (ones("d") * ones("d").T)
LEFT = (X * CENTRE + Y * (W * CENTRE)) * CENTRE
C = matrix("C", "d", "d")  # stands for CENTRE


def proof() -> Proof:
    """First that centring twice is centring once, then the stream."""
    multiplied = proved("centring twice", CENTRE * CENTRE, CENTRE)
    twice = Lemma("centring twice", C * C, C, [
        Step("definition", "C", term=CENTRE * CENTRE), *multiplied.steps,
        Step("definition", "C", backwards=True, term=C)])
    stream = Lemma("the stream", (X * C + Y * (W * C)) * C, X * C + Y * (W * C), [
        Step("distribute", term=X * C * C + Y * (W * C) * C),
        Step("associate", term=X * C * C + Y * W * C * C),
        Step("associate", backwards=True, term=X * (C * C) + Y * W * (C * C)),
        Step("equation", "centring twice", term=X * C + Y * W * C),
        Step("associate", backwards=True, term=X * C + Y * (W * C))])
    return Proof((twice, stream), {"C": (C, CENTRE)})


IDENTITY = Identity(
    "a centred residual stream stays centred where each writer is centred",
    LEFT, X * CENTRE + Y * (W * CENTRE), proof=proof,
    meaning={"X": "residual stream, one token a row", "Y": "what the layer makes of it, before its last weight",
             "W": "last weight of the layer, which writes to the stream"},
    conditions=("each writer is centred: the embeddings, and the last weight and bias of each layer",),
    reason="centring is linear, and centring twice is centring once; so a LayerNorm that reads it is an RMSNorm",
    source="Ashkboos et al. 2024, SliceGPT",
    neighbours=(
        Neighbour("the writer is not centred", (X * CENTRE + Y * W) * CENTRE, X * CENTRE + Y * W),
        Neighbour("the stream was never centred", (X + Y * (W * CENTRE)) * CENTRE, X + Y * (W * CENTRE)),
        Neighbour("a gain D keeps a stream centred", X * CENTRE * D * CENTRE, X * CENTRE * D),
    ),
)
