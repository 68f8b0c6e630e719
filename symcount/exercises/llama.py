"""parameters and bytes of a decoder like LLaMA.

Source: Touvron et al. 2023, "LLaMA", table 2 and section 2.2; Touvron et al. 2023, "Llama 2", section 2.2.
"""

from __future__ import annotations

from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import counted, gated_width
from symcount.naming import model
from symcount.readers.memory import memory
from symcount.readers.parameters import parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.drawing import Draw

_HINTS = ("A layer has the four matrices of attention, the three of the gated block, and two norms of d weights.",
          "Outside of the layers there are the table, the head (unless it is the table again), and one more norm.")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 has as many keys as queries, level 2 grouped ones and a tied head, level 3 asks for bytes."""
    k, kv = draw.one((64, 96, 128)), draw.one((2, 4, 5, 6, 8))
    heads = kv * draw.one((2, 3, 4))
    d = k * heads
    sizes = {"V": 1000 * draw.between(16, 130), "d": d, "h": gated_width(d, draw),
             "L": draw.between(8, 60), "heads": heads}
    if level > 1:
        sizes["kv"] = kv
    tied = level == 2 or (level == 3 and draw.below(2) == 0)
    grouped = " and {kv=} key-value heads" if level > 1 else ""
    told = [paragraph("A decoder like LLaMA has {V=} words, width {d=} and {L=} layers. "
                      "Each has attention with {heads} heads of width `d`/`heads`" + grouped
                      + ", a gated feed-forward block of width {h=} and, before each of these, an RMSNorm. "
                        "One more norm stands before the head. There are no biases and no tables of positions.",
                      **sizes),
            "The head is " + ("the table of the words again: they are tied." if tied else
                              "a matrix of its own, not tied to the table of the words.")]
    made = model("llama", **sizes, tied=tied)
    count = parameters(made)
    words, runs, h = sizes["V"], sizes["L"], sizes["h"]
    full = 2 * d * d + 2 * d * k * sizes.get("kv", heads)
    right = int(count.total)
    slips = [
        (right - (2 * runs + 1) * d, "the norms are forgotten"), (right - d, "one more norm stands before the head"),
        (right - runs * d * h, "the gate is a matrix, too: the block has three"),
        (right + (words * d if tied else -words * d),
         "the tied head is the table again, and counts once" if tied else "the head has a matrix of its own"),
        (right + runs * (4 * d * d - full), "keys and values have fewer heads than queries"),
        (right - runs * d * k * sizes.get("kv", heads), "keys and values have a matrix each"),
        (right + (2 * runs + 1) * d, "an RMSNorm has a scale, and no shift")]
    if level < 3:
        return counted((*told, "How many parameters does it have?"), count, _HINTS, slips)
    asks = (*told, "Every parameter is stored in 16 bits. How many bytes do the weights take?")
    return counted(asks, memory(made), (*_HINTS, "16 bits are 2 bytes."), [
        (right, "those are the parameters: each takes 2 bytes"), (16 * right, "those are bits: a byte has 8"),
        *((2 * number, says) for number, says in slips)])
