"""A forward pass as appendix F of Chinchilla's paper adds it up.

Source: Hoffmann et al. 2022, "Training compute-optimal large language models", appendix F.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.work import flops

LAYER = "L*(8*b*s*d^2 + 4*b*s^2*d + 3*b*heads*s^2 + 4*b*s*d*h)"

LAW = Law(
    "what Chinchilla's appendix F counts is 2bsVd + L(8bsd² + 4bs²d + 3b·heads·s² + 4bsdh) + 2bsdV FLOPs",
    network="gpt2:",
    what="forward pass, as appendix F has it",
    left=lambda one: flops(one, "chinchilla"),
    right=f"2*b*s*V*d + {LAYER} + 2*b*s*d*V",
    conditions=("all heads together are as wide as the model", "two matrices make the MLP"),
    reason="a look-up of words is counted as a product of one-hot rows with the table, and a softmax as 3 FLOPs an "
           "element",
    source="Hoffmann et al. 2022, Training compute-optimal large language models, appendix F",
    at=("gpt2:d=8192,L=80,heads=64,V=32000,P=2048", {"s": 2048}),
    neighbours=(
        Neighbour("a look-up costs nothing", right=f"{LAYER} + 2*b*s*d*V"),
        Neighbour("a softmax costs nothing", left=flops),
        Neighbour("attention counts only the pairs that a causal mask leaves",
                  left=lambda one: flops(one, "causal")),
    ),
)
