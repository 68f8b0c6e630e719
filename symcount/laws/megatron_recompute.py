"""96bsLd²(1 + s/6d + V/16Ld): a training step in which each layer is run forward again.

Source: Narayanan et al. 2021, "Efficient large-scale language model training on GPU clusters using Megatron-LM",
equation 3 and appendix.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.work import flops

LAW = Law(
    "a training step of GPT costs 96bsLd²(1 + s/6d + V/16Ld) FLOPs where each layer is run forward again: four times "
    "the layers, but three times the logits",
    network="gpt2:",
    changes={"h": "4d"},
    what="training step with recomputation",
    left=lambda one: flops(one, "megatron", "recompute"),
    right="96*b*s*L*d^2*(1 + s/(6*d) + V/(16*L*d))",
    conditions=("two matrices of d × 4d make the MLP", "all s² pairs of tokens are counted",
                "the logits are not computed again"),
    reason="layers are run forward twice and, twice the same, backward, 4·24bsLd²; logits once and twice, 3·2bsdV, "
           "which is 96bsLd² · V/16Ld",
    source="Narayanan et al. 2021, Efficient large-scale language model training on GPU clusters using Megatron-LM, "
           "equation 3 and appendix",
    at=("gpt2:d=12288,L=96,heads=96,V=51200,P=2048", {"s": 2048, "b": 1536}),
    neighbours=(
        Neighbour("the logits are run four times too", right="96*b*s*L*d^2*(1 + s/(6*d) + V/(12*L*d))"),
        Neighbour("V/16Ld goes with 72 as well", right="72*b*s*L*d^2*(1 + s/(6*d) + V/(16*L*d))"),
        Neighbour("nothing is computed twice", left=lambda one: flops(one, "megatron", "train")),
        Neighbour("the same of gated layers", at=("llama-7b", {"s": 2048})),
    ),
)
