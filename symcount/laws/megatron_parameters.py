"""12Ld²(1 + 13/12d + (V + P)/12Ld) + 2d: all parameters of GPT.

Source: Narayanan et al. 2021, "Efficient large-scale language model training on GPU clusters using Megatron-LM",
equation 2, which leaves out the last norm.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.parameters import parameters

LAW = Law(
    "GPT has 12Ld²(1 + 13/12d + (V + P)/12Ld) + 2d parameters",
    network="gpt2:",
    changes={"h": "4d"},
    what="parameters",
    left=parameters,
    right="12*L*d^2*(1 + 13/(12*d) + (V + P)/(12*L*d)) + 2*d",
    conditions=("every map and every norm has a bias", "the table of words makes the logits too"),
    reason="beside 12d² weights a layer has 9d biases and two norms of 2d; tables have V + P rows, the last norm 2d",
    source="Narayanan et al. 2021, Efficient large-scale language model training on GPU clusters using Megatron-LM, "
           "equation 2, with the last norm",
    at=("gpt2", {}),
    neighbours=(
        Neighbour("there is no last norm, as in the paper",
                  right="12*L*d^2*(1 + 13/(12*d) + (V + P)/(12*L*d))"),
        Neighbour("a table of its own makes the logits", right="12*L*d^2*(1 + 13/(12*d) + (2*V + P)/(12*L*d)) + 2*d"),
        Neighbour("maps have no biases", right="12*L*d^2*(1 + 4/(12*d) + (V + P)/(12*L*d)) + 2*d"),
        Neighbour("positions are not counted", right="12*L*d^2*(1 + 13/(12*d) + V/(12*L*d)) + 2*d"),
    ),
)
