"""2N + 2Lds: a forward pass as table 1 adds it up, N without embeddings.

Source: Kaplan et al. 2020, "Scaling laws for neural language models", equation 2.2 and table 1.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.which import LAYERS, MATMUL, NO_TABLES
from symcount.readers.work import flops

LAW = Law(
    "what Kaplan's table 1 counts is 2N + 2Lds FLOPs a token, N being the weights of the layers",
    network="gpt2:",
    what="forward pass, as table 1 has it",
    left=lambda one: flops(one, "kaplan"),
    right="b*s*(2N + 2*L*d*s)",
    names={"N": LAYERS},
    conditions=("all heads together are as wide as the model",),
    reason="of attention's two products of 2Lds each, the table has one row",
    source="Kaplan et al. 2020, Scaling laws for neural language models, equation 2.2 and table 1",
    at=("gpt2", {"s": 1024}),
    neighbours=(
        Neighbour("the sum is all that the layers cost", left=lambda one: flops(one).without("logits")),
        Neighbour("the sum is all that a forward pass costs", left=flops),
        Neighbour("N has the weights that make the logits", names={"N": MATMUL}),
        Neighbour("N is all parameters but embeddings, with biases and norms", names={"N": NO_TABLES}),
    ),
)
