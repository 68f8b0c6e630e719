"""72bsLd²(1 + 2s/9d + V/12Ld): a training step in which attention's products alone are computed again.

Source: Korthikanti et al. 2022, "Reducing activation recomputation in large transformer models", appendix A,
equation 8, which has s/3d; an author corrects it to 2s/9d in NVIDIA/Megatron-LM issue 523.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.work import flops

LAW = Law(
    "a training step of GPT costs 72bsLd²(1 + 2s/9d + V/12Ld) FLOPs where scores and mix are computed again",
    network="gpt2:",
    changes={"h": "4d"},
    what="training step with selective recomputation",
    left=lambda one: flops(one, "megatron", "selective"),
    right="72*b*s*L*d^2*(1 + 2*s/(9*d) + V/(12*L*d))",
    conditions=("two matrices of d × 4d make the MLP", "all s² pairs of tokens are counted"),
    reason="scores and mix, 4bs²d a layer, are run four times, and 16bs²d is 72bsd² · 2s/9d",
    source="Korthikanti et al. 2022, Reducing activation recomputation in large transformer models, appendix A, as "
           "corrected in NVIDIA/Megatron-LM issue 523",
    at=("gpt2:d=12288,L=96,heads=96,V=51200,P=2048", {"s": 2048, "b": 64}),
    neighbours=(
        Neighbour("s/3d, as equation 8 of the paper has it", right="72*b*s*L*d^2*(1 + s/(3*d) + V/(12*L*d))"),
        Neighbour("computing scores again costs nothing", right="72*b*s*L*d^2*(1 + s/(6*d) + V/(12*L*d))"),
    ),
)
