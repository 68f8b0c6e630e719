"""72bsLd²(1 + s/6d + V/12Ld): a training step in which nothing is computed twice.

Source: Korthikanti et al. 2022, "Reducing activation recomputation in large transformer models", appendix A,
equation 7.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.work import flops

LAW = Law(
    "a training step of GPT costs 72bsLd²(1 + s/6d + V/12Ld) FLOPs where nothing is computed twice",
    network="gpt2:",
    changes={"h": "4d"},
    what="training step",
    left=lambda one: flops(one, "megatron", "train"),
    right="72*b*s*L*d^2*(1 + s/(6*d) + V/(12*L*d))",
    conditions=("two matrices of d × 4d make the MLP", "all s² pairs of tokens are counted"),
    reason="layers and logits are run three times: once forward, and twice the same backward",
    source="Korthikanti et al. 2022, Reducing activation recomputation in large transformer models, appendix A, "
           "equation 7",
    at=("gpt2:d=12288,L=96,heads=96,V=51200,P=2048", {"s": 2048, "b": 1536}),
    neighbours=(
        Neighbour("V/16Ld, which is right for 96, as Megatron-LM's pull request 995 proposed",
                  right="72*b*s*L*d^2*(1 + s/(6*d) + V/(16*L*d))"),
        Neighbour("layers are run four times", right="96*b*s*L*d^2*(1 + s/(6*d) + V/(16*L*d))"),
        Neighbour("the same of gated layers", at=("llama-7b", {"s": 2048})),
    ),
)
