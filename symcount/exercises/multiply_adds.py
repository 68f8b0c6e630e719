"""multiply-adds of a stack of dense layers on a batch.

A product of an m × n and an n × p matrix takes m·n·p multiply-adds; a bias takes none.
"""

from __future__ import annotations

from itertools import pairwise

from symcount.answers import Amount
from symcount.derivation import Equation
from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import HIDDEN, amounts, counted
from symcount.forms import Number, Product, Sum
from symcount.naming import model
from symcount.readers.work import multiply_adds
from symcount.solving import solve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.drawing import Draw


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 has one hidden layer, level 2 three, level 3 goes back from the work to a width."""
    if level == 3:
        return _backwards(draw)
    batch = draw.one((8, 12, 16, 24, 32, 48, 64, 96, 128))
    widths = (draw.between(11, 99) * 10, *draw.some(1 if level == 1 else 3, HIDDEN), draw.between(5, 40))
    through = " → ".join(map(str, widths))
    asks = (f"Dense layers of widths {through}, all with biases, run forward on a batch of {batch} rows.",
            "How many multiply-adds do the matrix products take?")
    weights = sum(a * b for a, b in pairwise(widths))
    return counted(asks, multiply_adds(model("mlp", n=widths), b=batch), (
        "X is batch × n and W is n × m; each entry of XW is a sum of n products, and there are batch · m entries.",
        "Every weight meets every row once. Biases are added, and multiply nothing."),
        [(weights, "that is for one row: how many has the batch?"),
         (batch * (weights + sum(widths[1:])), "biases take no multiply-adds, only additions"),
         (2 * batch * weights, "those are FLOPs: a multiply-add is one multiplication and one addition, counted once"),
         (batch * weights + sum(widths[1:]), "biases take no multiply-adds, and one row is not the batch")])


def _backwards(draw: Draw) -> Exercise:
    """How wide the hidden layer is, from the work that a batch took."""
    batch, into, out = draw.one((8, 16, 24, 32, 48, 64)), draw.between(11, 99) * 10, draw.between(5, 40)
    hidden = draw.between(9, 64) * 8 + draw.one((1, 3, 5, 7))
    work = batch * hidden * (into + out)
    asks = (f"A network with {into} inputs, one hidden layer and {out} outputs ran forward on a batch of {batch} rows. "
            f"Its matrix products took {work:,} multiply-adds.", "How many units does the hidden layer have?")
    answer = Amount(hidden, "units")

    def steps() -> list[object]:
        solved = solve(f"b*h*(d + m) = {work}", "h", b=batch, d=into, m=out)
        total = Sum(((1, Product((Number(batch), Number(into), Number(hidden)))),
                     (1, Product((Number(batch), Number(hidden), Number(out))))))
        return [paragraph("A batch of {b=} rows, {d=} inputs, `h` hidden units and {m=} outputs:",
                          b=batch, d=into, m=out),
                *solved.derivation().steps, Equation("by layers", [total, Number(work)], of=work)]

    return Exercise(asks, answer, steps, (
        "Write the work of both layers with a letter for the hidden width.",
        "Both products have the hidden width as one of their sizes, so it stands before a bracket: what is in it?"),
        amounts([(work // (into + out), "divide by the rows of the batch, too"),
                 (work // (batch * into), "both layers have the hidden width as a side"),
                 (work // (2 * batch * (into + out)), "no factor of 2: these are multiply-adds, not FLOPs")], answer))
