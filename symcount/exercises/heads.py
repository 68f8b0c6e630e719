"""parameters of attention, and what its heads have to do with them.

Query, key and value lead from d to heads·k numbers, the output leads back: with k = d/heads that is 4d².
"""

from __future__ import annotations

from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import counted, difference, times
from symcount.naming import model
from symcount.readers.parameters import parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.drawing import Draw

_HINTS = ("There are four matrices: query, key, value and output.",
          "All heads together read d numbers and write heads · k of them; the heads only divide these up.")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 is one block, level 2 many with a head width of their own, level 3 more heads of the same width."""
    k, heads = draw.one((32, 48, 64, 80, 96, 128)), draw.between(3, 32)
    if level == 1:
        d = k * heads
        asks = (paragraph("Self-attention works on rows of width {d=} with {heads} heads, each of width `d`/`heads`. "
                          "Query, key, value and output are dense layers with biases.", d=d, heads=heads),
                "How many parameters does it have?")
        return counted(asks, parameters(model("attention", d=d, heads=heads)), _HINTS, [
            (4 * d * d, "the biases are forgotten"),
            (4 * d * d * heads + 4 * d, "the heads share out the width: they do not multiply it"),
            (heads * (4 * d * d + 4 * d), "the heads share out the width: they do not multiply it"),
            (3 * d * d + 3 * d, "the output is a dense layer, too"),
            (4 * d * k + 4 * d, "that is one head of the matrices"),
            (4 * d * d + d, "each of the four layers has biases")])
    d = draw.between(5, 30) * 64
    runs = draw.between(5, 40)
    if level == 2:
        d = d + 32 if d == k * heads else d
        one = parameters(model("attention", d=d, heads=heads, k=k, bias=False))
        asks = (paragraph("A transformer of {L=} layers works on rows of width {d=}. Its attention has {heads} heads "
                          "of width {k=}, which is not `d`/`heads`, and no biases.", L=runs, d=d, heads=heads, k=k),
                "How many parameters does the attention of all layers have?")
        return times(asks, one, runs, (*_HINTS, "Here heads · k is not d, so no matrix is square."), [
            (runs * 4 * d * d, "the matrices are not square here: heads · k is not d"),
            (4 * d * k * heads, "that is one layer"),
            (runs * 3 * d * k * heads, "the output is a matrix, too"),
            (runs * (3 * d * k * heads + d * d), "the output leads from heads · k numbers to d")])
    more = heads + draw.between(2, 12)
    few, many = (parameters(model("attention", d=d, heads=n, k=k)) for n in (heads, more))
    asks = (paragraph("Attention on rows of width {d=} has biases and {heads} heads of width {k=}.",
                      d=d, heads=heads, k=k),
            f"It is given {more} heads of the same width {k}. How many parameters are added?")
    each = (more - heads) * k
    return difference(asks, (f"{more} heads", many), (f"{heads} heads", few), (
        "When the width of a head stays, more heads do cost: the rows between become longer.",
        "A head has three matrices of `d` × `k` with k biases each, and k rows of the output matrix."), [
            (4 * d * each, "query, key and value of the new heads have biases"),
            (4 * d * each + 4 * each, "the output has d biases however many heads there are"),
            (3 * d * each + 3 * each, "the output matrix has more rows, too"),
            (4 * d * k + 3 * k, "that is for one head more")])
