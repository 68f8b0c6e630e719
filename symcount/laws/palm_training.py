"""6N + 12·L·heads·k·s: a training step as model FLOPs utilisation has it.

Source: Chowdhery et al. 2022, "PaLM", appendix B, from memory, and as nanoGPT restates it.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.which import ALL, LAYERS, MATMUL
from symcount.readers.work import flops

LAW = Law(
    "a training step costs 6N + 12·L·heads·k·s FLOPs a token, N being the weights that products are taken with",
    network="llama:",
    what="training step",
    left=lambda one: flops(one, "matmul", "train"),
    right="b*s*(6N + 12*L*heads*k*s)",
    names={"N": MATMUL, "k": "d/heads"},
    conditions=("all s·t pairs of tokens are counted, those too that a mask hides", "all weights are trained",
                "nothing is computed twice"),
    reason="the backward pass takes two products of the same size for each of the forward pass",
    source="Chowdhery et al. 2022, PaLM: scaling language modeling with pathways, appendix B, from memory",
    at=("llama-7b", {"s": 2048}),
    neighbours=(
        Neighbour("N is all parameters, so a table that is only looked up counts too", names={"N": ALL}),
        Neighbour("N is the weights of the layers, without those that make the logits", names={"N": LAYERS}),
        Neighbour("attention takes one product", right="b*s*(6N + 6*L*heads*k*s)"),
        Neighbour("all heads together are as wide as the model", right="b*s*(6N + 12*L*d*s)",
                  at=("gemma-2-2b", {"s": 2048})),
        Neighbour("layers are run forward again for the backward pass",
                  left=lambda one: flops(one, "matmul", "recompute")),
    ),
)
