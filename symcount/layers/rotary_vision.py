"""ViTs with rotary positions, for images of any size: patches as tokens, those of a larger square one in the end.

Source: Wang et al. 2024, "Qwen2-VL", section 2.1.
"""

from __future__ import annotations

from symcount.layers.attention import attention
from symcount.layers.dense import linear, norm
from symcount.layers.feed_forward import gated, mlp
from symcount.layers.projectors import side_by_side, two_maps
from symcount.layers.transformer import residual
from symcount.layers.vision import attended, image
from symcount.network import merge, repeat, split, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def squares(z: Any, *, bias: bool = True, frames: bool = True) -> Tensor:
    """Each square of side `patch` as a vector: c·d·tube·patch² parameters (`frames`, else once), + d with a bias.

    An image is seen `tube` times, as so many equal frames of a video, or once; larger squares, of merge × merge of
    these, must fill it. Multiply-adds: the weights times the squares, images·side²/patch².
    """
    x = repeat(image(z), f=z.tube) if frames else image(z)
    for axis, inner in (("i", "row"), ("j", "column")):
        x = split(x, axis, **{axis: None, inner: z.merge * z.patch})  # larger squares, which stand together
        x = split(x, inner, **{f"m_{inner}": z.merge, inner: z.patch})
    return linear(merge(x, s="i j m_row m_column"), "patch", over="c f row column" if frames else "c row column",
                  bias=bias, d=z.d)


def rotary_vision_block(x: Tensor, z: Any) -> Tensor:
    """The block of a ViT, its queries and keys turned by row and column: 4d² + 2dh + 9d + h parameters."""
    x = residual(x, attended(x, z, position="rotary"))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h))


def gated_vision_block(x: Tensor, z: Any, *, h: Size, kv: Size | None = None, bias: bool | str = True,
                 mlp_bias: bool = True) -> Tensor:
    """The same with RMSNorms and a gated MLP: 4d² + 3dh + 6d + 2h + d parameters.

    Without biases 4d + 2h + d less. `kv`: how many heads of keys and values there are, where not as many.
    """
    y = norm(x, "attention_norm", shift=False)
    x = residual(x, within("attention", attention, y, z=z, kv=kv, t=x.axes["s"], bias=bias,
                           position="rotary"))
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=h, bias=mlp_bias))


def in_windows(x: Tensor, n: Size, f: Callable[[Tensor], Tensor]) -> Tensor:
    """f of each n tokens, which are of one window, as of an image of its own; n must divide how many there are.

    Source: Bai et al. 2025, "Qwen2.5-VL technical report", section 2.1.1.
    """
    windows = per(x.axes["s"], n)
    y = f(merge(split(x, "s", w=windows, s=n), b="b w"))
    return merge(split(y, "b", b=x.axes["b"], w=windows), s="w s")


def patch_merger(x: Tensor, z: Any, *, last: bool, shift: bool = True) -> Tensor:
    """The squares of a larger one as one vector of width e: merge⁴·d² + merge²(de + d) + e + 2d parameters.

    The norm is of each square before, or, where it comes `last`, of all of them side by side: merge²·2d parameters.
    Without a `shift` it has half of them.
    """
    n = z.merge * z.merge
    x = norm(side_by_side(x, n), "norm", shift=shift) if last else side_by_side(norm(x, "norm", shift=shift), n)
    return two_maps(x, h=x.axes["d"], d=z.e)
