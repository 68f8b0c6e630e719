"""2N + 4·L·heads·k·t: one more token, after t − 1 others that a cache remembers.

Source: Pope et al. 2022, "Efficiently scaling transformer inference", section 2, from memory (2N); attention as in
Chowdhery et al. 2022, "PaLM", appendix B.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.which import ALL, MATMUL
from symcount.readers.work import flops

LAW = Law(
    "one more token costs 2N + 4·L·heads·k·t FLOPs, N being the weights that products are taken with",
    network="llama:",
    changes={"s": 1, "t": "t"},
    what="one more token",
    left=lambda one: flops(one, "matmul", "decode"),
    right="b*(2N + 4*L*heads*k*t)",
    names={"N": MATMUL, "k": "d/heads"},
    conditions=("keys and values of the tokens before are remembered",),
    reason="the token enters each product with a weight once, and meets t tokens in two products of k numbers a head",
    source="Pope et al. 2022, Efficiently scaling transformer inference, section 2, from memory",
    at=("llama-7b", {"s": 1, "t": 2048}),
    neighbours=(
        Neighbour("N is all parameters", names={"N": ALL}),
        Neighbour("attention costs nothing", right="2*b*N"),
        Neighbour("a mask hides half of the tokens before", right="b*(2N + 2*L*heads*k*t)"),
        Neighbour("all tokens are read again", right="b*t*(2N + 4*L*heads*k*t)"),
    ),
)
