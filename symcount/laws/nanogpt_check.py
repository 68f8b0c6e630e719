"""6N + 12Lds with N without positions: nanoGPT's estimate, and what it has too much.

Source: nanoGPT, model.py, `get_num_params` and `estimate_mfu`; transformer_sizing.ipynb, `palm_flops`.
"""

from __future__ import annotations

from symcount.laws import Law, Neighbour
from symcount.readers.which import ALL, NO_TABLES, PLACELESS
from symcount.readers.work import flops

LAW = Law(
    "a training step of GPT-2 costs 6N + 12Lds FLOPs a token, N being all parameters but positions, less 6 for each of "
    "its 13Ld + 2d biases and norm weights",
    network="gpt2:",
    changes={"h": "4d"},
    what="training step",
    left=lambda one: flops(one, "matmul", "train"),
    right="b*s*(6*(N - 13*L*d - 2*d) + 12*L*d*s)",
    names={"N": PLACELESS},
    conditions=("the table of words makes the logits too", "every map and every norm has a bias"),
    reason="the table of words counts once and makes the logits, but biases and norms, 9d and 4d a layer and 2d at the "
           "end, enter no product",
    source="nanoGPT, model.py, get_num_params and estimate_mfu",
    at=("gpt2", {"s": 1024}),
    neighbours=(
        Neighbour("biases and norms count as products, as in estimate_mfu", right="b*s*(6N + 12*L*d*s)"),
        Neighbour("so do positions, as in the notebook", right="b*s*(6N + 12*L*d*s)", names={"N": ALL}),
        Neighbour("no table counts, though that of words makes the logits", right="b*s*(6N + 12*L*d*s)",
                  names={"N": NO_TABLES}),
    ),
)
