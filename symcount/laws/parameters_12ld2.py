"""12Ld²: the weights of the layers of GPT.

Source: Kaplan et al. 2020, "Scaling laws for neural language models", section 2.1, equation 2.1.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.parameters import parameters
from symcount.readers.which import LAYERS

LAW = Law(
    "the layers of GPT have 12Ld² weights that products are taken with",
    network="gpt2:",
    changes={"h": "4d"},
    what="weights of the layers",
    left=LAYERS.count,
    right="12*L*d^2",
    conditions=("two matrices of d × 4d make the MLP",
                "keys and values have as many heads as queries, and all together are as wide as the model"),
    reason="four maps of d × d and two of d × 4d",
    source="Kaplan et al. 2020, Scaling laws for neural language models, equation 2.1",
    at=("gpt2", {}),
    neighbours=(
        Neighbour("these are all parameters", left=parameters),
        Neighbour("these are all parameters of the layers", left=lambda one: parameters(one).where("layers")),
        Neighbour("three matrices of the MLP, of h = 11,008, are as much as two of 4d", at=("llama-7b", {})),
        Neighbour("grouped heads change nothing", at=("llama-3-8b", {})),
    ),
)
