"""From the tokens of a tower for images to vectors that stand for words: neighbours as one token, then maps."""

from __future__ import annotations

from symcount.layers.dense import linear
from symcount.layers.feed_forward import activation
from symcount.network import idle, merge, pointwise, select, split, tensor
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size


def side_by_side(x: Tensor, n: Size) -> Tensor:
    """Each n tokens as one that is n times as wide; n must divide how many there are: no parameters.

    Source: Shi et al. 2016, "Real-time single image and video super-resolution", section 2.2 (its inverse).
    """
    return merge(split(x, "s", s=None, m=n), d="m d")


def fitted(x: Tensor, d: Size, *, fits: bool) -> Tensor:
    """x, as wide as the map that reads it; where its width is another, no image can run: there must be none."""
    if fits:
        return x
    return idle(tensor("unfit", **{**x.axes, "b": exactly(x.axes["b"], 0), "d": d}), x)


def two_maps(x: Tensor, *, h: Size, d: Size, bias: bool = True, kind: str = "gelu") -> Tensor:
    """down(f(up(x))) from the width of x to d: parameters (x's d)·h + hd, h + d more with biases."""
    return linear(activation(linear(x, "up", bias=bias, h=h), kind), "down", over="h", bias=bias, d=d)


def halves(x: Tensor, *, m: Size, d: Size) -> Tensor:
    """down(up₁(x) · SiLU(up₂(x))), whose first map has both halves: (x's d)·m + m + md/2 + d parameters.

    Source: Shazeer 2020, "GLU variants improve transformer", equation 6.
    """
    y = split(linear(x, "up", m=m), "m", two=2, h=None)
    y = pointwise(select(y, "two"), pointwise(select(y, "two", 1), kind="silu"), kind="multiply", name="product")
    return linear(y, "down", over="h", d=d)
