"""2d²(1 + kv/heads): what grouped heads leave of attention's 4d².

Source: Ainslie et al. 2023, "GQA", section 2.2, from memory.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.parameters import parameters

LAW = Law(
    "with grouped heads the attention of L layers has 2Ld²(1 + kv/heads) parameters",
    network="llama:",
    changes={"k": "d/heads"},
    what="attention",
    left=lambda one: parameters(one).where("attention"),
    right="2*L*d^2*(1 + kv/heads)",
    conditions=("no map has a bias", "all query heads together are as wide as the model"),
    reason="queries and output have d² each, keys and values d · kv · d/heads",
    source="Ainslie et al. 2023, GQA: training generalized multi-query transformer models, section 2.2, from memory",
    at=("llama-2-70b", {}),
    neighbours=(
        Neighbour("grouped heads change nothing", right="4*L*d^2"),
        Neighbour("queries are grouped too", right="4*L*d^2*kv/heads"),
        Neighbour("all heads together are always as wide as the model", at=("gemma-2-2b", {})),
    ),
)
