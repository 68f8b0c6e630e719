"""Towers for images of any size: squares of pixels as tokens, of which those of a larger square become one in the end.

Source: Wang et al. 2024, "Qwen2-VL", section 2.1.
"""

from __future__ import annotations

from symcount.layers.dense import linear, norm
from symcount.layers.feed_forward import activation, mlp
from symcount.layers.transformer import residual
from symcount.layers.vision import attended, image
from symcount.network import merge, repeat, split, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def squares(z: Any, *, bias: bool = True, frames: bool = True) -> Tensor:
    """Each square of side `patch` as a vector: c·d·tube·patch² parameters (`frames`, else once), + d with a bias.

    An image is seen `tube` times, as so many equal frames of a video, or once; larger squares, of merge × merge of these, must
    fill it. Multiply-adds: the weights times the squares, images·side²/patch².
    """
    x = repeat(image(z), f=z.tube) if frames else image(z)
    for axis, inner in (("i", "row"), ("j", "column")):
        x = split(x, axis, **{axis: None, inner: z.merge * z.patch})  # larger squares, which stand together
        x = split(x, inner, **{f"m_{inner}": z.merge, inner: z.patch})
    return linear(merge(x, s="i j m_row m_column"), "patch", over="c f row column" if frames else "c row column",
                  bias=bias, d=z.d)


def turned_block(x: Tensor, z: Any) -> Tensor:
    """The block of a ViT, its queries and keys turned by row and column: 4d² + 2dh + 9d + h parameters."""
    x = residual(x, attended(x, z, position="rotary"))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h))


def merged(x: Tensor, z: Any, *, last: bool) -> Tensor:
    """The squares of a larger one as one vector of width e: merge⁴·d² + merge²(de + d) + e + 2d parameters.

    The norm is of each square before, or, where it comes `last`, of all of them side by side: merge²·2d parameters.
    """
    def beside(x: Tensor) -> Tensor:
        return merge(split(x, "s", s=None, m=z.merge * z.merge), d="m d")

    x = norm(beside(x), "norm") if last else beside(norm(x, "norm"))
    x = activation(linear(x, "up", h=x.axes["d"]), "gelu", "gelu")
    return linear(x, "down", over="h", d=z.e)
