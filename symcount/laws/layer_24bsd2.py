"""24bsd²(1 + s/6d): one layer of a transformer, forward.

Source: Narayanan et al. 2021, "Efficient large-scale language model training on GPU clusters using Megatron-LM",
appendix; 24bsd² + 4bs²d there.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.work import flops

LAW = Law(
    "a layer with an MLP of two matrices as wide as 4d costs 24bsd²(1 + s/6d) FLOPs forward",
    network="transformer:",
    changes={"h": "4d"},
    what="layer",
    single=True,
    left=flops,
    right="24*b*s*d^2*(1 + s/(6*d))",
    conditions=("the network is one layer",
                "keys and values have as many heads as queries, and all together are as wide as the model",
                "all s² pairs of tokens are counted, those too that a mask hides"),
    reason="four maps of d × d and two of d × 4d are 12d² multiply-adds a token, scores and mix s·d each",
    source="Narayanan et al. 2021, Efficient large-scale language model training on GPU clusters using Megatron-LM, "
           "appendix",
    at=("transformer:d=12288,h=4d,heads=96", {"s": 2048}),
    neighbours=(
        Neighbour("attention takes one product", right="24*b*s*d^2*(1 + s/(12*d))"),
        Neighbour("scores cost nothing", right="24*b*s*d^2"),
        Neighbour("three matrices of the MLP, of h = 11,008, are as much as two of 4d",
                  left=lambda one: flops(one).where("layers"), right="24*b*s*d^2*L*(1 + s/(6*d))",
                  at=("llama-7b", {"s": 2048})),
        Neighbour("grouped heads change nothing",
                  left=lambda one: flops(one).where("layers.attention"), right="8*b*s*d^2*L*(1 + s/(2*d))",
                  at=("llama-3-8b", {"s": 2048})),
    ),
)
