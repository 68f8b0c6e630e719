"""h = 8d/3: the width at which a gated MLP has as many weights as two matrices of 4d.

Source: Shazeer 2020, "GLU variants improve transformer", section 3, from memory; Touvron et al. 2023, "LLaMA",
section 2.2.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.parameters import parameters

LAW = Law(
    "a gated MLP of width 8d/3 has 8d² parameters a layer, as two matrices of d × 4d have",
    network="llama:",
    changes={"h": "8d/3"},
    what="MLPs",
    left=lambda one: parameters(one).where("layers.mlp"),
    right="8*L*d^2",
    conditions=("no map has a bias",),
    reason="three matrices of d × 8d/3",
    source="Shazeer 2020, GLU variants improve transformer, section 3, from memory",
    at=("llama-7b:d=4098,h=8d/3,heads=1", {}),
    neighbours=(
        Neighbour("rounding up to 11,008, a multiple of 256, changes nothing", at=("llama-7b", {})),
        Neighbour("a gated MLP of width 4d has as many", at=("llama-7b:h=4d", {})),
    ),
)
