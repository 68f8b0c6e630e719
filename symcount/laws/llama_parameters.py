"""L(4d² + 3dh + 2d) + 2Vd + d: all parameters of LLaMA.

Source: Touvron et al. 2023, "LLaMA", section 2.2 (the layers) and table 2 (the sizes).
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.parameters import parameters

LAW = Law(
    "LLaMA has L(4d² + 3dh + 2d) + 2Vd + d parameters",
    network="llama:",
    changes={"kv": "heads", "k": "d/heads"},
    what="parameters",
    left=parameters,
    right="L*(4*d^2 + 3*d*h + 2*d) + 2*V*d + d",
    conditions=("no map has a bias, and a norm has no shift", "a table of its own makes the logits",
                "keys and values have as many heads as queries, and all together are as wide as the model"),
    reason="a layer has four maps of d × d, three of d × h and two norms; words are looked up in one table of V rows, "
           "and another makes the logits",
    source="Touvron et al. 2023, LLaMA: open and efficient foundation language models, section 2.2",
    at=("llama-7b", {}),
    neighbours=(
        Neighbour("two matrices make the MLP", right="L*(4*d^2 + 2*d*h + 2*d) + 2*V*d + d"),
        Neighbour("the table of words makes the logits too", right="L*(4*d^2 + 3*d*h + 2*d) + V*d + d"),
        Neighbour("norms have a shift", right="L*(4*d^2 + 3*d*h + 4*d) + 2*V*d + 2*d"),
        Neighbour("grouped heads change nothing", at=("llama-3-8b", {})),
    ),
)
