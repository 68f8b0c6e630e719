"""grouped heads: fewer keys and values than queries.

Source: Ainslie et al. 2023, "GQA", section 2.
"""

from __future__ import annotations

from symcount.answers import Amount
from symcount.counting import derive
from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import amounts, counted, difference, repeated
from symcount.naming import model
from symcount.readers.parameters import parameters
from symcount.solving import solve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.drawing import Draw

_HINTS = ("Query and output are as large as ever; key and value lead from d to kv · k numbers.",
          "The width k of a head is `d`/`heads`, whatever kv is.")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 counts one block, level 2 what grouping saves, level 3 finds how many groups there are."""
    kv = draw.one((2, 3, 4, 5, 6, 7, 8))
    heads = kv * draw.one((2, 3, 4, 5, 6))
    k = draw.one((32, 64, 80, 96, 128))
    d, runs = heads * k, draw.between(11, 48)
    grouped = model("attention", d=d, heads=heads, kv=kv, bias=False)
    right = parameters(grouped).total
    if level == 1:
        asks = (paragraph("Attention on rows of width {d=} has {heads} query heads and {kv=} key-value heads; "
                          "a head has width `d`/`heads`. There are no biases.", d=d, heads=heads, kv=kv),
                "How many parameters does it have?")
        return counted(asks, parameters(grouped), _HINTS, [
            (4 * d * d, "keys and values have fewer heads than queries"),
            (2 * d * d + d * kv * k, "both keys and values are grouped, and each has a matrix"),
            (d * d + 3 * d * kv * k, "the output reads all query heads: its matrix is not grouped"),
            (2 * d * d + 2 * d * kv, "a head has `d`/`heads` numbers, not one")])
    if level == 2:
        full = model("attention", d=d, heads=heads, bias=False)
        asks = (paragraph("Each of {L=} layers of a transformer of width {d=} has attention with {heads} heads and "
                          "without biases. Its keys and values are grouped into {kv=} heads.",
                          L=runs, d=d, heads=heads, kv=kv),
                "How many parameters does this save over all layers?")
        made = difference(asks, ("all heads", parameters(full)), ("grouped", parameters(grouped)), (
            *_HINTS, "Only two of the four matrices become smaller: what is left of each is kv/heads of it."))
        saved = made.answer.number
        answer = Amount(runs * saved, "parameters")
        return made._replace(answer=answer, steps=lambda: [*made.steps(), repeated(runs, saved)], slips=amounts([
            (saved, "that is one layer"), (runs * right, "that is what is left, not what is saved"),
            (runs * saved // 2, "both keys and values are grouped"),
            (runs * 2 * (d * d - d * kv), "a head has `d`/`heads` numbers, not one")], answer))
    asks = (paragraph("Attention on rows of width {d=} with {heads} query heads of width `d`/`heads` and without "
                      f"biases has {right:,} parameters.", d=d, heads=heads),
            "How many key-value heads does it have?")
    answer = Amount(kv, "heads")

    def steps() -> list[object]:
        solved = solve(f"params = {right}", "kv", model("attention", d=d, heads=heads, bias=False))
        return [*solved.derivation().steps, *derive(parameters(grouped)).steps]

    return Exercise(asks, answer, steps, (
        *_HINTS, "Take query and output away from the count: what is left is two matrices with as many columns as "
                 "there are numbers in all key-value heads."),
        amounts([((right - 2 * d * d) // (d * k), "there are two matrices of that size: keys and values"),
                 (kv * k, "that is how many numbers they have: divide by the width of a head"),
                 (heads // kv, "that is how many query heads share one")], answer))
