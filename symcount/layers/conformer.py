"""Conformer blocks: attention and a convolution over few frames, between two halves of an MLP.

Source: Gulati et al. 2020, "Conformer: convolution-augmented transformer for speech recognition", section 2 and figure
1; positions as sines: Dai et al. 2019, "Transformer-XL", section 3.3; as distances of keys: Shaw et al. 2018,
"Self-attention with relative position representations", equation 4.
"""

from __future__ import annotations

from symcount.layers.convolution import batchnorm, conv1d
from symcount.layers.dense import linear, norm
from symcount.layers.feed_forward import activation, mlp
from symcount.layers.speech import grouped, halved
from symcount.layers.transformer import residual
from symcount.network import concat, contract, lookup, merge, pointwise, rename, split, tensor, weight, within
from symcount.sizes import multiple, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def distances(x: Tensor) -> Tensor:
    """Sines of the 2s - 1 distances that s frames have, as wide as they are; the input of one map in each layer."""
    return tensor("distances", p=2 * x.axes["s"] - 1, d=x.axes["d"])


def turned(x: Tensor, heads: Size) -> Tensor:
    """x, the pairs of numbers of each head turned by the position."""
    return merge(pointwise(split(x, "d", g=heads, k=multiple(per(x.axes["d"], heads), 2)), kind="rotary"), d="g k")


def sliding(query: Tensor, t: Size, P: Size) -> Tensor:
    """The product of each query with a vector for its distance to each of t keys, of which there are P: P·k parameters.

    Multiply-adds: b·heads·k·s·t.
    """
    table = weight("embeddings.distance.weight", kinds="embedding", P=P, k=query.axes["k"])
    rows = lookup(tensor("offsets", s=query.axes["s"], t=t), table, "embeddings.distance")
    return contract(query, rows, to="b g s t", name="distances")


def conformer_attention(x: Tensor, z: Any, far: Tensor | None = None, *, bias: bool = True) -> Tensor:
    """Attention of all frames: 4d² + 4d parameters, 4d fewer without biases.

    z.positions    "relative": d² + 2d parameters more, b·s·(2s - 1)·d multiply-adds, for the sines `far`
                   "relative_key": P·k more, b·s²·d
                   "rotary": queries and keys are of turned rows; None: none
    """
    heads = {"g": z.heads, "k": per(x.axes["d"], z.heads)}
    rows = turned(x, z.heads) if z.positions == "rotary" else x
    query, key, value = (linear(y, name, bias=bias, **heads)
                         for y, name in ((rows, "query"), (rows, "key"), (x, "value")))
    key, value = rename(key, s="t"), rename(value, s="t")
    added = None
    if far is not None:
        away = linear(far, "distance", bias=False, **heads)
        near, there = (weight(f"{name}_bias", kinds="bias", **heads) for name in ("content", "distance"))
        added = contract(pointwise(query, there, kind="bias"), away, to="b g s p", name="distances")
        query = pointwise(query, near, kind="bias")
    elif z.positions == "relative_key":
        added = sliding(query, key.axes["t"], z.P)
    scores = pointwise(contract(query, key, to="b g s t", name="scores"), kind="attention_scale")
    if added is not None:
        scores = pointwise(scores, added, kind="gather", to="b g s t")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g k", name="mix")
    return linear(mixed, "output", over="g k", bias=bias, d=x.axes["d"])


def convolved(x: Tensor, *, w: Size, causal: bool = False, bias: bool = False) -> Tensor:
    """A map whose halves open each other, a kernel of w frames for each channel, a norm, a map.

    Parameters: 3d² + dw + 2d, 4d more with biases. `causal`: a frame sees those before it, and the norm is a LayerNorm.
    """
    d = x.axes["d"]
    y = halved(x, "first", w=1, bias=bias)
    if causal:
        y = concat(tensor("padding", **{**y.axes, "s": w - 1}), y, axis="s")
        y = norm(grouped(y, "depthwise", w=w, groups=d, bias=bias), "norm")
    else:
        y = grouped(y, "depthwise", w=w, groups=d, pad=per(w - 1, 2), bias=bias)
        y = rename(batchnorm(rename(y, d="c"), "norm"), c="d")
    return conv1d(activation(y, "silu"), "second", w=1, over="d", bias=bias, d=d)


def conformer_block(x: Tensor, z: Any, far: Tensor | None = None, *, causal: bool = False, bias: bool = True,
                    conv_bias: bool = False) -> Tensor:
    """7d² + 4dh + 18d + d·w_depth + 2h parameters, beside those of positions; the two MLPs count half each.

    Without `bias` 6d + 2h fewer, with `conv_bias` 4d more.
    """
    def half(x: Tensor, name: str) -> Tensor:
        return residual(x, within(f"{name}.mlp", mlp, norm(x, f"{name}_norm"), h=z.h, bias=bias, kind="silu"))

    x = half(x, "first")
    y = within("attention", conformer_attention, norm(x, "attention_norm"), z=z, far=far, bias=bias)
    x = residual(x, y)
    y = within("conv", convolved, norm(x, "conv_norm"), w=z.w_depth, causal=causal, bias=conv_bias)
    return norm(half(residual(x, y), "last"), "norm")
