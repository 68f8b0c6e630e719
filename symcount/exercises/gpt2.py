"""parameters of a decoder like GPT-2, with its head tied or not.

Source: Radford et al. 2019, "Language models are unsupervised multitask learners", section 2.3.
"""

from __future__ import annotations

from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import WIDTHS, counted, difference, head_count
from symcount.naming import model
from symcount.readers.parameters import parameters
from symcount.sizes import up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.drawing import Draw

_TOLD = ("A decoder like GPT-2 has tables for {V=} words and {P=} positions, width {d=} and {L=} layers. "
         "A layer has attention (query, key, value and output), a feed-forward block through `4d` and a LayerNorm "
         "before each of the two; all matrices have biases. One more LayerNorm stands at the end.")
_HINTS = ("A layer has `12d^2` weights; then come its biases and two norms of `2d`.",
          "Biases of a layer: `4d` for attention, `4d + d` for the feed-forward block.")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 is tied, level 2 not, level 3 asks what a longer context and a padded vocabulary add."""
    d = draw.one(WIDTHS)
    sizes = {"V": draw.between(8_000, 99_000), "P": draw.one((256, 512, 768, 1024, 2048)), "d": d,
             "L": draw.between(4, 48), "heads": head_count(d)}
    told = paragraph(_TOLD, **sizes)
    words, places, runs = sizes["V"], sizes["P"], sizes["L"]
    right = runs * (12 * d * d + 13 * d) + (words + places + 2) * d
    slips = [
        (right - runs * 13 * d - 2 * d, "biases and norms are forgotten"),
        (right - 2 * d, "one more norm stands at the end"), (right - places * d, "positions have a table here"),
        (right - runs * 4 * d, "the norms of the layers are forgotten"),
        (right - runs * 9 * d, "the biases of the layers are forgotten")]
    if level == 1:
        asks = (told, "The head is the table of words again. How many parameters does the decoder have?")
        return counted(asks, parameters(model("gpt2", **sizes)), (*_HINTS, "What is tied counts once."), [
            (right + words * d, "the head is the table again, and counts once"), *slips])
    if level == 2:
        asks = (told, "Its head is not tied: it has a matrix of its own, without a bias. How many parameters does the "
                      "decoder have?")
        return counted(asks, parameters(model("gpt2", **sizes, tied=False)), (
            *_HINTS, "The head is as large as the table of words."), [
            (right, "the head has a matrix of its own"), (right + words * d + words, "the head has no bias"),
            *((number + words * d, says) for number, says in slips)])
    multiple = draw.one((64, 128))
    padded = up(words, multiple)
    longer = places * draw.one((2, 3, 4))
    asks = (told, f"The head is the table of words again. The context is lengthened to {longer:,} positions, "
                  f"and the table of words is filled up to the next multiple of {multiple}. "
                  "How many parameters are added?")
    one, two = (parameters(model("gpt2", **each)) for each in (sizes, {**sizes, "V": padded, "P": longer}))
    return difference(asks, ("after", two), ("before", one), (
        "Nothing in the layers changes: only tables have rows for words and positions.",
        "How many rows are added to each of the two tables?"), [
            ((longer - places) * d, "the table of words grows, too"),
            ((padded - words) * d, "the table of positions grows, too"),
            ((2 * (padded - words) + longer - places) * d, "the head is the table again, and counts once"),
            ((longer + padded - words) * d, "some of the positions were there before")])
