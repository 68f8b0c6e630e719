"""low-rank adapters.

Beside a frozen matrix of n × m stand two trained ones of n × r and r × m.
Source: Hu et al. 2021, "LoRA", section 4.1.
"""

from __future__ import annotations

from fractions import Fraction

from symcount.answers import Percent
from symcount.counting import derive
from symcount.derivation import Solving
from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import amounts, counted, gated_width, largest, percentage
from symcount.forms import Number, Quotient
from symcount.naming import model
from symcount.readers.parameters import parameters
from symcount.solving import solve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.drawing import Draw

_HINTS = ("An adapter beside a matrix of n × m has `r*(n + m)` parameters.",
          "Only adapters are trained. Which matrices have one, and what are their sides?")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 adapts queries and values, level 2 all four of grouped heads, level 3 asks for a share or a rank."""
    k, kv = draw.one((64, 128)), draw.one((2, 4, 8))
    heads = kv * draw.one((2, 4))
    d, runs, rank = k * heads, draw.between(9, 60), 4 * draw.between(1, 24)
    sizes = {"V": 1000 * draw.between(16, 130), "d": d, "h": gated_width(d, draw), "L": runs, "heads": heads}
    if level == 1:
        made = model("llama", **sizes, lora=f"{rank}@query+value")
        asks = (paragraph("A decoder has {L=} layers of width {d=} with {heads} heads of width `d`/`heads`. "
                          "Low-rank adapters of rank {r=} are put beside the query and the value matrices of all "
                          "layers; all else is frozen.", **sizes, r=rank),
                "How many parameters are trained?")
        right = runs * 4 * d * rank
        return counted(asks, parameters(made).by("trainable")["trainable"], _HINTS, [
            (right // runs, "that is one layer"),
            (right // 2, "two matrices of a layer have an adapter, of two matrices each"),
            (2 * runs * d * d, "those are the frozen matrices"),
            (2 * right, "only two of the four matrices have adapters"),
            (right * heads, "all heads together have d numbers")])
    sizes["kv"] = kv
    if level == 2:
        made = model("llama", **sizes, lora=f"{rank}@query+key+value+output")
        asks = (paragraph("A decoder has {L=} layers of width {d=} with {heads} query heads and {kv=} key-value heads "
                          "of width `d`/`heads`. Low-rank adapters of rank {r=} are put beside all four matrices of "
                          "attention in every layer; all else is frozen.", **sizes, r=rank),
                "How many parameters are trained?")
        right = runs * rank * (6 * d + 2 * kv * k)
        return counted(asks, parameters(made).by("trainable")["trainable"], (
            *_HINTS, "Queries and outputs are d × d; keys and values are d × kv·k."), [
                (8 * runs * rank * d, "matrices of keys and values are smaller here"),
                (right // runs, "that is one layer"),
                (runs * rank * (4 * d + 2 * kv * k), "each adapter has two matrices: one is as high as its matrix, "
                                                     "one as wide"),
                (runs * rank * (4 * d + 4 * kv * k), "keys and values read d numbers")])
    if draw.below(2):
        made = model("llama", **sizes, lora=f"{rank}@query+value")
        parts = parameters(made).by("trainable")["trainable"]
        attention = parameters(made).where("layers.attention")
        share = Percent(Fraction(int(parts.total), int(attention.total)))
        asks = (paragraph("Each of {L=} layers of width {d=} has attention with {heads} query heads and {kv=} "
                          "key-value heads of width `d`/`heads` and no biases. Adapters of rank {r=} stand beside "
                          "query and value; the four matrices themselves are frozen.", **sizes, r=rank),
                "Of all parameters of attention, adapters included, which share is trained, "
                "in percent with two decimals?")

        def steps() -> list[object]:
            return [("trained:",), *derive(parts).steps, ("all of attention:",), *derive(attention).steps,
                    Solving((("share", "=", Quotient(Number(int(parts.total)), Number(int(attention.total)))),)),
                    percentage(share)]

        part, frozen = int(parts.total), int(attention.total) - int(parts.total)
        return Exercise(asks, share, steps, (*_HINTS, "The number of layers cancels."), (
            (Percent(Fraction(part, frozen)), "the adapters are a part of the whole, too"),
            (Percent(Fraction(4 * d * rank, 4 * d * rank + 2 * d * d + 2 * d * kv * k)),
             "values lead to kv heads only")))
    budget = runs * draw.between(41, 900) * 1000
    found = solve(f"L*r*(3*d + m) <= {budget}", "r", L=runs, d=d, m=kv * k)
    answer = largest(found)
    asks = (paragraph("Each of {L=} layers of width {d=} has attention with {heads} query heads and {kv=} key-value "
                      f"heads of width `d`/`heads`. Adapters stand beside query and value, and no more than {budget:,} "
                      "parameters are to be trained.", **sizes),
            "How large may their rank be at most?")

    return Exercise(asks, answer, lambda: [
        paragraph("All values together have {m=} numbers: `d`/`heads` in each key-value head.", m=kv * k),
        *found.derivation().steps, (f"Rounded down, that is {answer.number:,}.",)], (
            *_HINTS, "Each unit of rank costs the same: how much, in all layers?"), amounts([
                (budget // (runs * 4 * d), "values lead to kv heads only: that matrix is smaller"),
                (answer.number + 1, "one more is too many"),
                (budget // (3 * d + kv * k), "there are many layers")], answer))
