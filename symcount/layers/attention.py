"""Attention over named heads: `g` key-value groups, `q` query heads in each, head width `k`."""

from __future__ import annotations

from symcount.layers.dense import linear
from symcount.network import cached, contract, pointwise
from symcount.sizes import multiple, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.masks import Mask
    from symcount.polynomials import Size


def attention(x: Tensor, z: Any, *, t: Size, kv: Size | None = None, k: Size | None = None, bias: bool = True,
              output_bias: bool | None = None, position: str | None = None, mask: Mask | None = None) -> Tensor:
    """output(softmax(query(x) · key(x)ᵀ / √k) · value(x)), with z.heads query heads and kv (or z.heads) others.

    Parameters: 2dk·heads + 2dk·kv (4d² when k = d/heads and kv = heads), and (heads + 2kv)k + d with biases.
    Multiply-adds for s tokens that attend to t: the weights times b·s, and 2b·s·t·k·heads for scores and mix.
    `output_bias` is for the families whose output map differs from the other three; `position="rotary"` turns
    queries and keys by their positions.

    Source: Vaswani et al. 2017, section 3.2; grouped heads: Ainslie et al. 2023, "GQA".
    """
    kv = z.heads if kv is None else kv
    k = per(x.axes["d"], z.heads) if k is None else k
    k = multiple(k, 2) if position == "rotary" else k  # pairs of numbers are turned: Su et al. 2021, "RoFormer"
    query = linear(x, "query", bias=bias, g=kv, q=per(z.heads, kv), k=k)
    key = linear(x, "key", bias=bias, g=kv, k=k)
    if position is not None:
        query, key = pointwise(query, kind=position), pointwise(key, kind=position)
    key = cached(key, "key", s=("t", t))
    value = cached(linear(x, "value", bias=bias, g=kv, k=k), "value", s=("t", t))
    scores = contract(query, key, to="b g q s t", name="scores", mask=mask)
    weights = pointwise(pointwise(scores, kind="attention_scale"), kind="softmax")
    mixed = contract(weights, value, to="b s g q k", name="mix", mask=mask)
    return linear(mixed, "output", over="g q k", bias=bias if output_bias is None else output_bias, d=x.axes["d"])
