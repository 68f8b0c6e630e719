"""2N of a mixture of experts: N counts the experts that a token meets, and the router.

Source: Jiang et al. 2024, "Mixtral of experts", section 2.1, from memory (active parameters).
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.which import ACTIVE, ALL, MATMUL
from symcount.readers.work import flops

LAW = Law(
    "in a mixture of experts products with weights cost 2N FLOPs a token, N counting of E experts the K chosen",
    network="mixtral:",
    what="products with weights",
    left=lambda one: flops(one).without("activation"),
    right="2*b*s*N",
    names={"N": MATMUL},
    conditions=("no token is dropped, and no expert is filled up to a capacity",),
    reason="a token is multiplied with the weights of K experts, whichever these are",
    source="Jiang et al. 2024, Mixtral of experts, section 2.1, from memory",
    at=("mixtral-8x7b", {"s": 2048}),
    neighbours=(
        Neighbour("N is all parameters", names={"N": ALL}),
        Neighbour("N is all that a token meets, with the table of which it looks up one row", names={"N": ACTIVE}),
        Neighbour("attention costs nothing", left=flops),
    ),
)
