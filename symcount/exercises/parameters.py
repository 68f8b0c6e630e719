"""parameters of a stack of dense layers.

A layer from n to m has n·m weights and m biases, however large the batch is.
"""

from __future__ import annotations

from itertools import pairwise

from symcount.exercise import Exercise
from symcount.exercises._counted import HIDDEN, counted, difference
from symcount.naming import model
from symcount.readers.parameters import parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.drawing import Draw

_HINTS = ("A layer from n to m has a matrix of `n*m` weights and, if it has biases, m of them.",
          "Count each layer by itself and add; the width that comes out of a layer goes into the next.")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 has one hidden layer, level 2 three on an image, level 3 compares two networks."""
    if level == 1:
        widths = (draw.between(11, 99) * 10, draw.one(HIDDEN), draw.between(5, 40))
        asks = (f"A network has {widths[0]:,} inputs, one hidden layer of {widths[1]} units and {widths[2]} outputs; "
                f"both layers have biases. It is trained on batches of {draw.one((16, 32, 48))} examples.",
                "How many parameters does it have?")
    elif level == 2:
        side, colours = draw.between(12, 48), draw.one((1, 3))
        hidden = sorted(draw.some(3, HIDDEN), reverse=True)
        widths = (side * side * colours, *hidden, draw.between(5, 40))
        asks = (f"An image of {side} × {side} pixels{' with 3 colours each' if colours == 3 else ' in grey'} is "
                f"flattened to a row and goes through hidden layers of {hidden[0]}, {hidden[1]} and {hidden[2]} units "
                f"to {widths[-1]} outputs. Every layer has biases.", "How many parameters does the network have?")
    else:
        return _wider(draw)
    ledger = parameters(model("mlp", n=widths))
    weights = sum(a * b for a, b in pairwise(widths))
    return counted(asks, ledger, _HINTS, [
        (weights, "the biases are forgotten"),
        (weights + sum(widths), "the inputs have no biases: only what comes out of a layer has"),
        (weights + sum(widths[1:-1]), "the biases of the outputs are forgotten"),
        (weights - widths[-2] * widths[-1] + sum(widths[1:-1]), "the last layer is forgotten"),
        (weights + len(widths) - 1, "a layer has a bias for each of its outputs, not one in all"),
    ])


def _wider(draw: Draw) -> Exercise:
    """By how much a network grows when one of its hidden layers does."""
    widths = [draw.between(11, 99) * 10, *draw.some(3, HIDDEN), draw.between(5, 40)]
    at = draw.between(1, 3)
    wider = [*widths[:at], widths[at] * 2, *widths[at + 1:]]
    asks = (f"A network has {widths[0]} inputs, hidden layers of {widths[1]}, {widths[2]} and {widths[3]} units and "
            f"{widths[4]} outputs, all with biases. {('The first', 'The second', 'The third')[at - 1]} hidden layer is "
            "made twice as wide, the others stay.", "How many parameters are added?")
    one, two = (parameters(model("mlp", n=tuple(each))) for each in (widths, wider))
    before, added, after = widths[at - 1], widths[at], widths[at + 1]
    return difference(asks, ("wider", two), ("before", one), (
        "Which matrices have a side that grows? There are two of them.",
        "The matrix into the layer gets more columns, the matrix out of it more rows, and the layer has more biases."),
        [(before * added + added, "the matrix that leads out of the layer grows, too"),
         (added * (before + after), "the new units have biases, too"),
         (before * added, "the matrix that leads out of the layer grows, and there are new biases"),
         (int(two.total), "that is the whole of the wider network: what is added to it?")])
