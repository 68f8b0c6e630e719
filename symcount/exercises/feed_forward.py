"""feed-forward blocks, with a gate and without one.

Source: Vaswani et al. 2017, section 3.3; Shazeer 2020, "GLU variants improve transformer", equation 6.
"""

from __future__ import annotations

from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import counted, difference, times
from symcount.layers.feed_forward import gated, mlp
from symcount.naming import model
from symcount.network import tensor, within
from symcount.readers.parameters import parameters
from symcount.sizes import up
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.drawing import Draw


def _plain(z: Any) -> Tensor:
    """2dh + h + d parameters."""
    return within("mlp", mlp, tensor(b=z.b, s=z.s, d=z.d), h=z.h)


def _gated(z: Any) -> Tensor:
    """3dh parameters."""
    return within("mlp", gated, tensor(b=z.b, s=z.s, d=z.d), h=z.h)


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 is a plain block, level 2 gated ones whose width is rounded, level 3 compares the two."""
    d, runs = draw.between(9, 128) * 32, draw.between(5, 48)
    if level == 1:
        h = draw.between(17, 90) * 32
        asks = (paragraph("A feed-forward block leads rows of width {d=} through one hidden layer of {h=} units and "
                          "back to their width, with biases.", d=d, h=h), "How many parameters does it have?")
        return counted(asks, parameters(model(_plain, d=d, h=h)), (
            "There are two dense layers: one up, one down.", "The first has h biases; how many has the second?"), [
                (2 * d * h, "the biases are forgotten"), (d * h + h, "the way back is a layer, too"),
                (2 * d * h + 2 * h, "the layer down has d biases"),
                (2 * d * h + h, "the biases of the way down are forgotten")])
    d += 32 * (d % 96 == 0)  # so that rounding matters
    multiple = draw.one((64, 128, 256))
    rounded = up(8 * d, 3 * multiple) // 3
    if level == 2:
        asks = (paragraph("Each of {L=} layers of width {d=} has a gated feed-forward block without biases. "
                          f"Its hidden width is `8d/3`, rounded up to a multiple of {multiple}.", L=runs, d=d),
                "How many parameters do the blocks of all layers have?")
        one = parameters(model(_gated, d=d, h=f"up(8d/3, {multiple})"))
        return _told(d, multiple, times(asks, one, runs, (
            "First find the hidden width, a whole multiple.",
            "A gate is a third matrix beside the way up and the way down."), [
                (3 * d * rounded, "that is one layer"), (2 * d * rounded * runs, "the gate is a matrix, too"),
                (8 * d * d * runs, "the width is rounded up before it is used"),
                (3 * d * (rounded - multiple) * runs, "the width is rounded up, not down")]))
    asks = (paragraph("A layer of width {d=} may have a plain feed-forward block of hidden width `4d` with biases, "
                      "or a gated one without biases whose hidden width is `8d/3`, rounded up to a multiple of "
                      f"{multiple}.", d=d),
            "How far apart are their counts of parameters?")
    counts = [(name, parameters(model(kind, d=d, h=h))) for name, kind, h in (
        ("plain", _plain, "4d"), ("gated", _gated, f"up(8d/3, {multiple})"))]
    counts.sort(key=lambda one: -int(one[1].total))
    return _told(d, multiple, difference(asks, counts[0], counts[1], (
        "Without rounding and biases both would have `8d^2` parameters.",
        "Count each by itself: two matrices and their biases, or three matrices of the rounded width."), [
            (abs(3 * d * rounded - 8 * d * d), "the plain block has biases"),
            (abs(3 * d * rounded - 8 * d * d - 4 * d), "the way down has d biases"),
            (abs(3 * d * rounded - 8 * d * d - 8 * d), "the way down has d biases, not 4d")]))


def _told(d: int, multiple: int, one: Exercise) -> Exercise:
    """The exercise, its solution with the width that is rounded."""
    below = 8 * d // (3 * multiple) * multiple
    return one._replace(steps=lambda: [
        (f"8 · {d:,}/3 is between {below:,} and {below + multiple:,}, two multiples of {multiple}: "
         f"the hidden width of the gated block is {below + multiple:,}.",), *one.steps()])
