"""Models with a tower for text and a tower for images, whose outputs are compared."""

from __future__ import annotations

from collections import namedtuple

from symcount.layers.dense import embed, linear, norm, positions
from symcount.layers.transformer import pre_norm
from symcount.layers.vision import patches, placed, token, vision_block
from symcount.network import contract, pointwise, rename, select, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.masks import Mask

Tower = namedtuple("Tower", "d h L heads patch")


def image_part(z: Any) -> Tower:
    """The sizes of the tower for images under the letters of a model that is one alone."""
    return Tower(z.d_img, z.h_img, z.L_img, z.heads_img, z.patch)


def ids(z: Any) -> Tensor:
    """The input of the tower for text."""
    return tensor("ids", b=z.b, s=z.s)


def words(x: Tensor, z: Any) -> Tensor:
    """Words and positions: Vd + Pd parameters."""
    return positions(embed(x, "word", V=z.V, d=z.d)[0], "position", P=z.P, t=z.t)


def text_tower(x: Tensor, z: Any, mask: Mask | None = None) -> tuple[Tensor, Tensor]:
    """Words, L pre-norm blocks, a norm; the tokens, and the last of them: (V + P)d + L(4d² + 2dh + 9d + h) + 2d."""
    x = within("layers", pre_norm, within("embeddings", words, x, z=z), z=z, mask=mask, dropout=False,
               runs=z.L)
    x = norm(x, "norm")
    return x, pointwise(x, kind="last", name="last", to="b d")


def marked_patches(x: Tensor, z: Any) -> Tensor:
    """Patches without a bias, a token for the image, positions and a norm: cd·patch² + d + d·s + 2d parameters."""
    return norm(placed(token(patches(x, "patch", patch=z.patch, d=z.d, bias=False), "cls"), "position"), "norm")


def cls_tower(x: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """A ViT, whose last norm is of the token for the image alone; its tokens, and that token."""
    x = within("layers", vision_block, within("embeddings", marked_patches, x, z=z), z=z, runs=z.L)
    return x, norm(select(x, "s"), "norm")


def projected(x: Tensor, name: str, z: Any) -> Tensor:
    """What stands for a text or an image, to width e: de parameters."""
    return linear(x, name, bias=False, e=z.e)


def compared(text: Tensor, image: Tensor, *, bias: bool) -> Tensor:
    """How alike each text and each image are, times a learned number, + another with a bias: 1 or 2 parameters.

    Multiply-adds for b texts and b images of width e: b²·e.
    Source: Radford et al. 2021, "Learning transferable visual models from natural language supervision", figure 3.
    """
    scores = contract(pointwise(text, kind="normalise"), pointwise(rename(image, b="b'"), kind="normalise"), to="b b'",
                      name="similarity")
    scores = pointwise(scores, weight("logit_scale"), kind="multiply", name="scale")
    return pointwise(scores, weight("logit_bias", kinds="bias"), kind="bias", name="shift") if bias else scores
