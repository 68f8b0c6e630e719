"""Conformer blocks: attention and a convolution over few frames, between two halves of an MLP.

Source: Gulati et al. 2020, "Conformer: convolution-augmented transformer for speech recognition", section 2 and figure
1; positions as sines: Dai et al. 2019, "Transformer-XL", section 3.3; as distances of keys: Shaw et al. 2018,
"Self-attention with relative position representations", equation 4.
"""

from __future__ import annotations

from symcount.layers.block_attention import padded
from symcount.layers.convolution import batchnorm, conv1d, glu_conv1d, grouped_conv1d
from symcount.layers.dense import linear, norm
from symcount.layers.feed_forward import activation, mlp
from symcount.layers.transformer import residual
from symcount.network import contract, lookup, merge, pointwise, rename, split, tensor, weight, within
from symcount.sizes import multiple, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def distances(x: Tensor, **each: Size) -> Tensor:
    """Sines of the 2s - 1 distances that s frames have, as wide as they are; the input of one map in each layer.

    `each`: with b once for each sound, though they are the same.
    """
    return tensor("distances", **each, p=2 * x.axes["s"] - 1, d=x.axes["d"])


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


def convolved(x: Tensor, *, w: Size, pad: str = "odd", bias: bool = False) -> Tensor:
    """A map whose halves open each other, a kernel of w frames for each channel, a norm, a map.

    Parameters: 3d² + dw + 2d, 4d more with biases. Multiply-adds: the weights times b·s.

    pad    "odd": a frame sees as many before it as behind it; "any": one more behind it where w is even
           "before": it sees those before it, and the norm is a LayerNorm
    """
    d = x.axes["d"]
    y, inside = glu_conv1d(x, "first", w=1, bias=bias), per(w - 1, 2) if pad == "odd" else 0
    if pad != "odd":
        y = padded(y, "s", *((w - 1, 0) if pad == "before" else ((w - 1) // 2, w - 1 - (w - 1) // 2)))
    y = grouped_conv1d(y, "depthwise", w=w, groups=d, pad=inside, bias=bias)
    y = norm(y, "norm") if pad == "before" else rename(batchnorm(rename(y, d="c"), "norm"), c="d")
    return conv1d(activation(y, "silu"), "second", w=1, over="d", bias=bias, d=d)


def conformer_block(x: Tensor, *, h: Size, attend: Callable[[Tensor], Tensor], convolve: Callable[[Tensor], Tensor],
                    bias: bool = True, shift: bool = True,
                    shorten: Callable[[Tensor], Tensor] | None = None) -> Tensor:
    """4dh + 12d + 2h parameters beside those of what attends and convolves; the two MLPs count half each.

    Without `bias` 2d + 2h fewer, without the `shift` of norms 5d. `shorten`: what is done to the rows that the
    convolution is added to, where it leaves fewer.
    """
    def half(x: Tensor, name: str) -> Tensor:
        y = norm(x, f"{name}_norm", shift=shift, kind="layer_norm")
        return residual(x, within(f"{name}.mlp", mlp, y, h=h, bias=bias, kind="silu"))

    x = half(x, "first")
    x = residual(x, within("attention", attend, norm(x, "attention_norm", shift=shift, kind="layer_norm")))
    y = within("conv", convolve, norm(x, "conv_norm", shift=shift, kind="layer_norm"))
    x = residual(shorten(x) if shorten else x, y)
    return norm(half(x, "last"), "norm", shift=shift, kind="layer_norm")
