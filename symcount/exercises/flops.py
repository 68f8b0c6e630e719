"""floating-point operations of a forward pass.

A multiply-add is two operations. Source: Hoffmann et al. 2022, appendix F, for what is counted of attention.
"""

from __future__ import annotations

from itertools import pairwise

from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import HIDDEN, counted, gated_width
from symcount.naming import model
from symcount.readers.work import flops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.drawing import Draw


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 is a stack of dense layers, level 2 the scores of attention, level 3 a decoder like LLaMA."""
    if level == 1:
        batch = draw.one((8, 12, 16, 24, 32, 48, 64, 96))
        widths = (draw.between(11, 99) * 10, *draw.some(2, HIDDEN), draw.between(5, 40))
        weights = sum(a * b for a, b in pairwise(widths))
        asks: tuple[Any, ...] = (f"Dense layers of widths {' → '.join(map(str, widths))} with biases run forward on a "
                                 f"batch of {batch} rows.",
                "How many floating-point operations do the matrix products take, a multiply-add being two?")
        return counted(asks, flops(model("mlp", n=widths), b=batch), (
            "Each weight meets each row once, in one multiply-add.",
            "Two operations a multiply-add; biases are left out."), [
                (batch * weights, "those are multiply-adds: each is two operations"),
                (2 * weights, "that is one row"),
                (2 * batch * (weights + sum(widths[1:])), "only the matrix products are asked for"),
                (batch * (2 * weights + sum(widths[1:])), "only the matrix products are asked for")])
    k, kv = draw.one((64, 128)), draw.one((2, 4, 8))
    heads = kv * draw.one((2, 4))
    d, runs, tokens = k * heads, draw.between(5, 40), draw.between(3, 40) * 64
    sizes = {"V": 1000 * draw.between(16, 130), "d": d, "h": gated_width(d, draw), "L": runs,
             "heads": heads, "kv": kv}
    made = model("llama", **sizes)
    if level == 2:
        asks = (paragraph("A decoder of {L=} layers and width {d=} has {heads} heads of width `d`/`heads` in each. "
                          "It reads {s=} tokens at once; every token is scored against every token, "
                          "itself and later ones too.", **sizes, s=tokens),
                "How many floating-point operations do the products of queries with keys take, "
                "and those of the weights of attention with the values, in all layers together? A multiply-add is two.")
        both = flops(made, s=tokens)
        scores = both.where("layers.attention.scores") + both.where("layers.attention.mix")
        right = 4 * runs * tokens * tokens * d
        return counted(asks, scores, (
            "For one head QKᵀ is an s × k matrix times a k × s one, and what comes out meets the s × k values.",
            "All heads together have d numbers a token. There are two products of the same size."), [
                (right // 2, "there are two products, and two operations a multiply-add"),
                (right // 4, "there are two products, and two operations a multiply-add"),
                (right * heads, "all heads together have d numbers: do not multiply by heads once more"),
                (right // runs, "that is one layer"), (right // heads, "that is one head"),
                (right // tokens, "every token is scored against all tokens")])
    asks = (paragraph("A decoder like LLaMA has {V=} words, {L=} layers of width {d=}, {heads} query heads and {kv=} "
                      "key-value heads of width `d`/`heads`, and a gated block of {h=}. It reads {s=} tokens at once, "
                      "every token is scored against every token, itself and later ones too, "
                      "and the head gives a score for every word at every token.", **sizes, s=tokens),
            "How many floating-point operations do its matrix products take, a multiply-add being two?")
    ledger = flops(made, s=tokens)
    right = int(ledger.total)
    scores = 4 * runs * tokens * tokens * d
    return counted(asks, ledger, (
        "Every weight but those of the table meets every token once: that is two operations a weight and token.",
        "Beside the weights there are the two products of attention in which tokens meet tokens.",
        "The table of words takes no products: its rows are looked up. The head takes them."), [
            (right - scores, "tokens meet tokens in attention, too"), (right // 2, "a multiply-add is two operations"),
            (right + 2 * tokens * sizes["V"] * d, "rows of the table are looked up, not multiplied"),
            (right - 2 * tokens * sizes["V"] * d, "the head is a product, too"),
            (right - scores // 2, "there are two products in which tokens meet tokens"),
            (right - 2 * tokens * runs * d * sizes["h"], "the gate is a matrix, too")])
