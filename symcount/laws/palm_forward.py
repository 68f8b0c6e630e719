"""2N + 4·L·heads·k·s: a forward pass, attention's products with all pairs of tokens.

Source: a third of Chowdhery et al. 2022, "PaLM", appendix B, from memory, and as nanoGPT restates it.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.which import ALL, MATMUL
from symcount.readers.work import flops

LAW = Law(
    "a forward pass costs 2N + 4·L·heads·k·s FLOPs a token, N being the weights that products are taken with",
    network="llama:",
    what="forward pass",
    left=flops,
    right="b*s*(2N + 4*L*heads*k*s)",
    names={"N": MATMUL, "k": "d/heads"},
    conditions=("all s·t pairs of tokens are counted, those too that a mask hides",),
    reason="beside its weights, each layer takes two products of k numbers for every pair of tokens and every head",
    source="Chowdhery et al. 2022, PaLM: scaling language modeling with pathways, appendix B, from memory",
    at=("llama-7b", {"s": 2048}),
    neighbours=(
        Neighbour("N is all parameters", names={"N": ALL}),
        Neighbour("attention takes one product", right="b*s*(2N + 2*L*heads*k*s)"),
        Neighbour("attention counts only the pairs that a causal mask leaves",
                  left=lambda one: flops(one, "causal")),
        Neighbour("grouped heads make fewer scores", right="b*s*(2N + 4*L*kv*k*s)", at=("llama-3-8b", {"s": 2048})),
    ),
)
