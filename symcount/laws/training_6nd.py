"""6ND: training on D tokens costs 6 FLOPs a token for each weight that products are taken with.

Source: Kaplan et al. 2020, "Scaling laws for neural language models", section 2.1.
"""

from __future__ import annotations

from symcount.conventions import Convention
from symcount.laws import Law, Neighbour
from symcount.polynomials import quotient
from symcount.readers.which import ALL, MATMUL
from symcount.readers.work import flops

HALVED = Convention("halved", pairs=quotient(1, 2), says="half of the scores", source="a rule of thumb")

LAW = Law(
    "products with weights cost 6N FLOPs a token in training, N being the weights that products are taken with",
    network="llama:",
    what="products with weights in training",
    left=lambda one: flops(one, "matmul", "train").without("activation"),
    right="6N*D",
    names={"N": MATMUL, "D": "b*s"},
    conditions=("each product is taken once for every token: no layer is shared, and no pooler reads one token",
                "all weights are trained"),
    reason="a weight enters one multiply-add a token forward, and two backward: one for the gradient of its input, one "
           "for its own",
    source="Kaplan et al. 2020, Scaling laws for neural language models, section 2.1",
    at=("llama-7b", {"s": 2048, "b": 488_281_250}),  # 10¹² tokens
    neighbours=(
        Neighbour("N is all parameters, and the sum is said to be all of training",
                  left=lambda one: flops(one, "matmul", "train"), names={"N": ALL}),
        Neighbour("the same against the pairs that a causal mask leaves",
                  left=lambda one: flops(one, "causal", "train"), names={"N": ALL}),
        Neighbour("the same against half of the scores",
                  left=lambda one: flops(one, HALVED, "train"), names={"N": ALL}),
        Neighbour("experts that are not chosen count too", names={"N": ALL}, at=("mixtral-8x7b", {"s": 2048})),
        Neighbour("a layer that is shared counts once", at=("albert-base-v2", {"s": 128})),
        Neighbour("weights that are frozen under an adapter count as if they were trained",
                  at=("llama-7b:lora=8@query+value", {"s": 2048})),
    ),
)
