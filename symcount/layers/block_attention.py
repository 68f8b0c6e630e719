"""Attention in blocks: a token meets those of its block and of its neighbours, and perhaps a few that all meet.

The s rows of a sequence become n blocks of i rows, the last of them filled up; keys of a block have the axis j.
Source: Beltagy et al. 2020, "Longformer", section 3; Guo et al. 2022, "LongT5", section 3; Phang et al. 2022,
"Investigating efficiently extending transformers for long input summarization", section 3.
"""

from __future__ import annotations

from symcount.network import concat, contract, cut, merge, pointwise, rename, split, tensor
from symcount.sizes import ceil
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size


def padded(x: Tensor, axis: str, before: Size, after: Size) -> Tensor:
    """x with rows of nothing before and after it."""
    around = [tensor("padding", **{**x.axes, axis: rows}) for rows in (before, after)]
    return concat(around[0], x, around[1], axis=axis)


def filled(x: Tensor, w: Size) -> Tensor:
    """x, filled up at its end so that w divides its rows."""
    s = x.axes["s"]
    return concat(x, tensor("padding", **{**x.axes, "s": ceil(s, w) * w - s}), axis="s")


def in_blocks(x: Tensor, w: Size) -> Tensor:
    """The rows of x, filled up, as n blocks of i = w."""
    return split(filled(x, w), "s", n=ceil(x.axes["s"], w), i=w)


def out_of_blocks(x: Tensor, s: Size) -> Tensor:
    """The first s rows of what was in blocks."""
    x = merge(x, s="n i")
    return cut(x, "s", s, x.axes["s"] - s)[0]


def keys_around(x: Tensor) -> Tensor:
    """The rows of each block and of the two beside it: j = 3w."""
    n = x.axes["n"]
    x = padded(rename(x, i="j"), "n", 1, 1)
    left, middle, right = cut(x, "n", n, 2)[0], cut(x, "n", 1, n, 1)[1], cut(x, "n", 2, n)[1]
    return concat(left, middle, right, axis="j")


def attend(query: Tensor, keys: list[Tensor], values: list[Tensor], biases: list[Tensor] | None = None) -> Tensor:
    """What blocks of queries mix from several sets of rows, under one softmax.

    Multiply-adds: rows of queries times rows of keys times 2k·heads. Keys and values have the axis j, and n where each
    block has its own.
    """
    scores = []
    for number, key in enumerate(keys):
        part = pointwise(contract(query, key, to="b n g i j", name=f"scores_{number}"), kind="attention_scale")
        scores.append(pointwise(part, biases[number], kind="add", name="relative") if biases else part)
    weights = pointwise(concat(*scores, axis="j") if len(scores) > 1 else scores[0], kind="softmax")
    parts = cut(weights, "j", *(key.axes["j"] for key in keys))
    mixed = [contract(part, value, to="b n i g k", name=f"mix_{number}")
             for number, (part, value) in enumerate(zip(parts, values, strict=True))]
    total = mixed[0]
    for more in mixed[1:]:
        total = pointwise(total, more, kind="add", name="sum")
    return total
