"""parameters of an encoder like BERT.

Source: Devlin et al. 2018, "BERT", section 3.
"""

from __future__ import annotations

from fractions import Fraction

from symcount.answers import Percent
from symcount.counting import derive
from symcount.derivation import Solving
from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import WIDTHS, counted, percentage
from symcount.forms import Number, Quotient, Sum
from symcount.naming import model
from symcount.readers.parameters import parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.drawing import Draw

_TABLES = ("An encoder like BERT of width {d=} has tables for {V=} words, for {P=} positions and for {types=} token "
           "types, and {L=} layers. Each layer has self-attention with {heads} heads and a feed-forward block that "
           "leads to {h=} and back.")
_HINTS = ("The tables have `V + P + types` rows of d numbers.",
          "A layer has four `d` × `d` matrices for attention and two `d` × `h` matrices for the feed-forward block.")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 counts matrices only, level 2 everything, level 3 compares a student with half of the layers."""
    d = draw.one(WIDTHS)
    runs = 2 * draw.between(3, 15)
    sizes = {"V": 250 * draw.between(40, 260), "P": draw.one((256, 384, 512, 1024)), "types": 2, "L": runs, "d": d,
             "h": d * draw.one((2, 3, 4, 5)), "heads": d // draw.one((32, 64, 128))}
    told = paragraph(_TABLES, **sizes)
    whole = parameters(model("bert", **sizes))
    d, h, words = sizes["d"], sizes["h"], sizes["V"]
    tables = (words + sizes["P"] + 2) * d
    bare = tables + runs * (4 * d * d + 2 * d * h)
    if level == 1:
        asks: tuple[Any, ...] = (told, "How many parameters does it have, if biases, norms and the pooler are left "
                                       "out?")
        return counted(asks, whole.without("bias", "norm", "pooler"), _HINTS, [
            (bare - 2 * d, "there is a table of token types, too"),
            (bare - sizes["P"] * d, "there is a table of positions, too"),
            (bare - runs * d * d, "attention has four matrices: the output is one of them"),
            (bare - runs * d * h, "the feed-forward block leads up and down: two matrices"),
            (tables + 4 * d * d + 2 * d * h, "that counts one layer only"),
            (bare - tables, "the tables are forgotten")])
    if level == 2:
        asks = (told, "Every matrix of a layer has a bias. A LayerNorm, which has a scale and a shift, "
                      "stands after the tables, after each attention and after each feed-forward block. "
                      "At the end a pooler of `d` × `d` with a bias reads the first position.",
                "How many parameters does the encoder have?")
        right = int(whole.total)
        return counted(asks, whole, (
            *_HINTS, "Biases of a layer: `4d` for attention, `h + d` for the feed-forward block. Norms: `2d` each."), [
                (bare + d * d, "biases and norms are forgotten"), (bare, "biases, norms and the pooler are forgotten"),
                (right - d * d - d, "the pooler is forgotten"),
                (right - 2 * d, "one more norm stands after the tables"),
                (right - (2 * runs + 1) * 2 * d, "the norms are forgotten"),
                (right - (2 * runs + 1) * d, "a LayerNorm has a scale and a shift"),
                (right - runs * (5 * d + h), "the biases are forgotten")])
    student = parameters(model("bert", **{**sizes, "L": runs // 2}))
    small, large = int(student.total), int(whole.total)
    asks = (told, f"With all biases, norms and its pooler it has {large:,} parameters. "
                  "A student has half of the layers and is alike in everything else.",
            "By what percentage is it smaller? Give two decimals.")
    answer = Percent(Fraction(large - small, large))

    def steps() -> list[object]:
        form = Quotient(Sum(((1, Number(large)), (-1, Number(small)))), Number(large))
        return [(f"The student, with {runs // 2} layers:",), *derive(student).steps,
                Solving((("smaller by", "=", form),)), percentage(answer)]

    return Exercise(asks, answer, steps, (
        "It is not half: the tables and the pooler stay.",
        "Count the student, or half of the layers; divide what is gone by the whole teacher."), (
            (Percent(Fraction(large - small, small)), "divide by the teacher, not by the student"),
            (Percent(Fraction(1, 2)), "tables and pooler stay as they are"),
            (Percent(Fraction(runs // 2 * (4 * d * d + 2 * d * h), large)), "layers have biases and norms, too")))
