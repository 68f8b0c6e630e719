"""Attention to a window on either side, computed in chunks, and perhaps to a first token that sees all and all see.

Source: Beltagy et al. 2020, "Longformer", section 3.1; transformers computes a window in chunks of its own width.
"""

from __future__ import annotations

from symcount.layers.dense import linear
from symcount.network import concat, contract, cut, idle, merge, pointwise, rename, select, split, tensor, weight
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def windowed(x: Tensor, z: Any, *, n: Size, first: bool = False) -> Tensor:
    """Attention to window/2 tokens on either side: 7d² + 7d parameters, of which 3d² + 3d run only with a `first`.

    With w = window/2, the n blocks of w queries meet in pairs: (n - 1)(2w)² scores a head; each mixes 3w values. The
    first token is scored by all rows, and asks all of them with maps of its own.
    """
    w, d = per(z.window, 2), x.axes["d"]
    width = {"g": z.heads, "k": per(d, z.heads)}
    query, key, value = (linear(x, name, **width) for name in ("query", "key", "value"))
    blocks = [rename(paired(split(y, "s", n=n, i=w)), n="c") for y in (query, key)]
    scores = contract(blocks[0], rename(blocks[1], i="j"), to="b c g i j", name="scores")
    around = beside(split(value, "s", n=n, i=w))
    band = tensor("band", b=z.b, n=n, g=z.heads, i=w, j=around.axes["j"])
    scores = rename(scores, i="two", j="pair")  # the scores of a window, as a band of each block and its neighbours
    weights = pointwise(pointwise(band, scores, kind="band", to="b n g i j"), kind="softmax")
    mixed = merge(contract(weights, around, to="b n i g k", name="mix"), s="n i")
    if not first:
        unused = [weight(f"first_{name}.{leaf}", out="g k" if leaf == "weight" else "", kinds=leaf,
                         **({"d": d} if leaf == "weight" else {}), **width)
                  for name in ("query", "key", "value") for leaf in ("weight", "bias")]
        return linear(idle(mixed, *unused), "output", over="g k", d=d)
    scored = contract(query, select(key, "s"), to="b s g", name="first_scores")
    told = contract(pointwise(scored, kind="softmax"), select(value, "s"), to="b s g k", name="first_mix")
    asking = linear(select(x, "s"), "first_query", **width)
    asked, given = (linear(x, f"first_{name}", **width) for name in ("key", "value"))
    row = pointwise(contract(asking, asked, to="b g s", name="asked_scores"), kind="softmax")
    answer = contract(row, given, to="b g k", name="asked_mix")
    mixed = pointwise(mixed, told, answer, kind="add", name="sum")
    return linear(mixed, "output", over="g k", d=d)


def paired(x: Tensor) -> Tensor:
    """Each block and the next as one of 2w rows."""
    n = x.axes["n"]
    return concat(cut(x, "n", n - 1, 1)[0], cut(x, "n", 1, n - 1)[1], axis="i")


def beside(x: Tensor) -> Tensor:
    """The rows of each block and of the two beside it: j = 3w; beyond the text there is nothing."""
    x = rename(x, i="j")
    nothing = tensor("padding", **{**x.axes, "n": 1})
    before, after = (cut(x, "n", *sizes) for sizes in ((x.axes["n"] - 1, 1), (1, x.axes["n"] - 1)))
    return concat(concat(nothing, before[0], axis="n"), x, concat(after[1], nothing, axis="n"), axis="j")
