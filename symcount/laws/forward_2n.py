"""2N: a forward pass costs 2 FLOPs a token for each weight that products are taken with.

Source: Kaplan et al. 2020, "Scaling laws for neural language models", section 2.1.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.which import ALL, MATMUL
from symcount.readers.work import flops

LAW = Law(
    "products with weights cost 2N FLOPs a token, N being the weights that products are taken with",
    network="llama:",
    what="products with weights",
    left=lambda one: flops(one).without("activation"),
    right="2*b*s*N",
    names={"N": MATMUL},
    conditions=("each product is taken once for every token: no layer is shared, and no pooler reads one token",),
    reason="a weight enters one multiply-add for every token, and that is two FLOPs",
    source="Kaplan et al. 2020, Scaling laws for neural language models, section 2.1",
    at=("llama-7b", {"s": 2048}),
    neighbours=(
        Neighbour("N is all parameters, so a table that is only looked up counts too", names={"N": ALL}),
        Neighbour("N is all parameters, and the sum is said to be all of a forward pass",
                  left=flops, names={"N": ALL}),
        Neighbour("the same for an encoder, which has no logits", left=flops, names={"N": ALL},
                  at=("bert-base-uncased", {"s": 128})),
        Neighbour("a pooler reads every token", at=("bert-base-uncased", {"s": 128})),
        Neighbour("a multiply-add is one FLOP", right="b*s*N"),
    ),
)
