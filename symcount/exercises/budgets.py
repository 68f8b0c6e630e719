"""sizes for a budget of parameters.

What is asked for is the largest whole number with which a network has no more than so many parameters.
"""

from __future__ import annotations

from math import isqrt

from symcount.counting import derive
from symcount.errors import ProofError
from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import amounts, gated_width, largest
from symcount.naming import model
from symcount.readers.parameters import parameters
from symcount.sizes import up
from symcount.solving import solve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.drawing import Draw


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 asks for a hidden width, level 2 for a depth, level 3 for a width on which a square depends."""
    if level == 1:
        into, out, budget = draw.between(11, 99) * 10, draw.between(5, 40), draw.between(20, 900) * 1000
        found = solve(f"d*h + h + h*m + m <= {budget}", "h", d=into, m=out)
        answer = largest(found, "units")
        asks: tuple[Any, ...] = (
            f"A network has {into} inputs, one hidden layer and {out} outputs; both layers have biases. "
            f"It may have no more than {budget:,} parameters.", "How many hidden units can it have at most?")
        return Exercise(asks, answer, lambda: [
            paragraph("With {d=} inputs, `h` hidden units and {m=} outputs:", d=into, m=out),
            *found.derivation().steps, (f"Rounded down, that is {answer.number:,}.",)], (
            "What does one more hidden unit cost? It has a weight for each input, one for each output, and a bias.",
            "The biases of the outputs are there in any case."), amounts([
                (budget // (into + out), "there are biases"), (answer.number + 1, "one more is too many: round down"),
                (budget // into, "a hidden unit leads to the outputs, too"),
                ((budget - out) // (into + 1), "a hidden unit leads to the outputs, too")], answer))
    if level == 2:
        k = draw.one((64, 96, 128))
        heads = draw.between(6, 24)
        d = k * heads
        sizes = {"V": 1000 * draw.between(16, 130), "d": d, "h": gated_width(d, draw), "heads": heads}
        words, layer = sizes["V"], 4 * d * d + 3 * d * sizes["h"] + 2 * d
        budget = up(2 * words * d + layer * draw.between(7, 60) + draw.below(layer), 10**7)
        found = solve(f"params <= {budget}", "L", model("llama", **sizes))
        answer = largest(found, "layers")
        asks = (paragraph("A decoder like LLaMA has {V=} words, width {d=}, {heads} heads of width `d`/`heads`, "
                          "a gated block of {h=}, a head that is not tied to its table, "
                          "an RMSNorm before attention and block and one at the end, and no biases. "
                          f"It may have no more than {budget:,} parameters.", **sizes),
                "How many layers can it have at most?")
        return Exercise(asks, answer, lambda: list(found.derivation().steps), (
            "What does it have without any layers? Take that away first.",
            "How much is one layer? Divide what is left by it, and round down."), amounts([
                (budget // layer, "table and head take their part of the budget"),
                (answer.number + 1, "one more is too many: round down"),
                ((budget - words * d) // layer, "both the table and the head take their part of the budget"),
                ((budget - 2 * words * d) // (layer - d * sizes["h"]), "the gate is a matrix, too")], answer))
    runs, words = draw.between(6, 40), 1000 * draw.between(16, 99)
    places, step = draw.one((512, 1024, 2048)), draw.one((32, 64, 128))
    low = draw.between(400, 3000)
    budget = (runs * (12 * low * low + 13 * low) + (words + places + 2) * low) // 10**6 * 10**6
    square, line = 12 * runs, 13 * runs + words + places + 2
    found = solve(f"{square}*d^2 + {line}*d <= {budget}", f"d={step}*1..")
    answer = largest(found)
    d = answer.number
    asks = (paragraph("A decoder like GPT-2 with {L=}, {V=} and {P=} has `12d^2 + 13d` parameters in each layer, "
                      "tables for words and positions, a norm of `2d` at the end, and no head of its own. "
                      f"Its width `d` is to be a multiple of {step}, "
                      f"and it may have no more than {budget:,} parameters.",
                      L=runs, V=words, P=places), "How wide can it be at most?")

    def steps() -> list[object]:
        made = parameters(model("gpt2", V=words, P=places, L=runs, d=d, heads=4))
        if int(made.total) != found.found[0].left:
            raise ProofError(f"a width of {d:,} takes {made.total} parameters, not {found.found[0].left}")
        return [paragraph(f"In powers of d: the square stands 12 · {runs} times, "
                          f"and d itself 13 · {runs} + {words:,} + {places:,} + 2 times."), *found.derivation().steps,
                (f"The largest multiple of {step} below is {d:,}:",), derive(made).steps[-1]]

    return Exercise(asks, answer, steps, (
        "Collect the powers of d: it is a quadratic inequality.",
        "Solve a·d² + c·d = budget for d, and take the next multiple below."), amounts([
            (d + step, "that is too many parameters: take the multiple below"),
            (_widest(square, 13 * runs + 2, budget) // step * step, "the tables take their part of the budget"),
            (_widest(square, line, budget), f"it is to be a multiple of {step}")], answer))


def _widest(square: int, line: int, budget: int) -> int:
    """The largest whole d with square·d² + line·d within the budget."""
    return (isqrt(line * line + 4 * square * budget) - line) // (2 * square)
