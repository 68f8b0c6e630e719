"""mixtures of experts: what they hold and what a token meets.

Source: Jiang et al. 2024, "Mixtral of experts", section 2.1.
"""

from __future__ import annotations

from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import counted, difference
from symcount.naming import model
from symcount.readers.parameters import active_parameters, parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.drawing import Draw

_HINTS = ("An expert is a gated block: three matrices of `d` × `h`.",
          "The router is a matrix of `d` × `E`: it scores every expert, for every token.")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 counts the mixtures, level 2 what a token meets of the model, level 3 what it does not meet."""
    k, kv = draw.one((64, 128)), draw.one((2, 4, 8))
    heads = kv * draw.one((2, 4))
    experts = draw.one((4, 6, 8, 10, 12, 16, 24))
    sizes = {"V": 1000 * draw.between(16, 130), "d": k * heads, "h": 64 * draw.between(9, 60), "L": draw.between(6, 40),
             "heads": heads, "k": k, "kv": kv, "E": experts, "K": draw.between(2, min(4, experts - 1))}
    made = model("mixtral", **sizes)
    d, h, runs, chosen = sizes["d"], sizes["h"], sizes["L"], sizes["K"]
    told = paragraph("Each of {L=} layers of width {d=} has a mixture of {E=} experts, gated blocks of width {h=}. "
                     "A router, one matrix, chooses {K=} of them for each token. "
                     "Neither experts nor routers have biases.", **sizes)
    mixtures = runs * (3 * experts * d * h + d * experts)
    if level == 1:
        asks: tuple[Any, ...] = (told, "How many parameters do the mixtures of all layers have, with their routers?")
        return counted(asks, parameters(made).where("layers.mlp"), _HINTS, [
            (runs * 3 * experts * d * h, "the routers have parameters, too"),
            (mixtures // runs, "that is one layer"),
            (runs * (3 * chosen * d * h + d * experts), "that is what one token meets: all experts are stored"),
            (runs * (2 * experts * d * h + d * experts), "an expert has a gate: three matrices")])
    rest = paragraph("The rest is as in LLaMA: {V=} words in a table and a head of its own, "
                     "attention with {heads} heads of width {k=} and {kv=} key-value heads, "
                     "an RMSNorm before attention and mixture, and one at the end; no biases.", **sizes)
    if level == 2:
        active = active_parameters(made)
        right = int(active.total)
        asks = (told, rest, "How many parameters are active for a token, its row of the table counted as the whole "
                            "table?")
        return counted(asks, active, (*_HINTS, "Of the experts a token meets K, of all else everything."), [
            (int(parameters(made).total), "those are all: a token meets only some experts"),
            (right - runs * d * experts, "the routers are met by every token"),
            (right - runs * d * (experts - chosen), "a router scores all experts, not only the chosen"),
            (right - runs * 3 * d * h * (chosen - 1), "more than one expert is chosen"),
            (right - (2 * runs + 1) * d, "the norms are forgotten")])
    asks = (told, rest, "How many of its parameters does a token not meet, its row of the table counted as the whole "
                        "table?")
    return difference(asks, ("all", parameters(made)), ("active", active_parameters(made)), (
        *_HINTS, "What a token does not meet are the experts that were not chosen: "
                 "nothing else in the model differs."), [
            (3 * d * h * (experts - chosen), "that is one layer"),
            (runs * 3 * d * h * chosen, "those are the experts that it does meet"),
            (runs * (experts - chosen) * (3 * d * h + d), "the router is met whole: it scores all experts"),
            (runs * 2 * d * h * (experts - chosen), "an expert has a gate: three matrices")])
