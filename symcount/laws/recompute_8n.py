"""8N: training with full recomputation costs 8 FLOPs a token for each weight of the layers.

Source: Narayanan et al. 2021, "Efficient large-scale language model training on GPU clusters using Megatron-LM",
equation 4, in which training T tokens takes 8TP FLOPs.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.which import ALL, LAYERS, MATMUL
from symcount.readers.work import flops

LAW = Law(
    "with full recomputation products with the layers' weights cost 8N FLOPs a token, N being these weights",
    network="llama:",
    what="products with the layers' weights",
    left=lambda one: flops(one, "matmul", "recompute").without("activation", "logits"),
    right="8*b*s*N",
    names={"N": LAYERS},
    conditions=("each layer is run forward again from its input, and the logits are not", "all weights are trained"),
    reason="a weight enters a multiply-add forward, again when its layer is run again, and two backward",
    source="Narayanan et al. 2021, Efficient large-scale language model training on GPU clusters using Megatron-LM, "
           "equation 4",
    at=("llama-7b", {"s": 2048}),
    neighbours=(
        Neighbour("the logits are computed again too", names={"N": MATMUL},
                  left=lambda one: flops(one, "matmul", "recompute").without("activation")),
        Neighbour("N is all parameters, and the sum is said to be all of a training step", names={"N": ALL},
                  left=lambda one: flops(one, "matmul", "recompute")),
        Neighbour("nothing is computed twice",
                  left=lambda one: flops(one, "matmul", "train").without("activation", "logits")),
    ),
)
