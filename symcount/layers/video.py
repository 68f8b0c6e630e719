"""Videos as tokens: boxes of some frames and a square of pixels, or the patches of each frame."""

from __future__ import annotations

from symcount.network import contract, merge, pointwise, tensor, weight, window
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def video(z: Any) -> Tensor:
    """The input: b videos of as many frames, each of side × side pixels with c channels."""
    return tensor("video", b=z.b, f=z.frames, i=z.side, j=z.side, c=z.c)


def tubelets(x: Tensor, name: str, *, tube: Size, patch: Size, d: Size) -> Tensor:
    """Each box of `tube` frames and a square of side `patch` as one vector: c·d·tube·patch² + d parameters.

    A video has s = floor(frames/tube)·floor(side/patch)² of them. Multiply-adds: the weights times b·s.

    Source: Arnab et al. 2021, "ViViT: a video vision transformer", section 3.2.
    """
    boxes = window(x, stride=tube, f=("z", tube))
    boxes = window(window(boxes, stride=patch, i=("y", patch)), stride=patch, j=("x", patch))
    kernel = weight(f"{name}.weight", kinds="weight kernel", out="d", z=tube, y=patch, x=patch, c=x.axes["c"], d=d)
    y = contract(boxes, kernel, to="b f i j d", name=name)
    y = pointwise(y, weight(f"{name}.bias", kinds="bias kernel", d=d), kind="bias", name=name)
    return merge(y, s="f i j")
