"""Models with a tower for text and a tower for images, whose outputs are compared."""

from __future__ import annotations

from symcount.layers.dense import embed, linear, norm, positions
from symcount.layers.transformer import pre_norm
from symcount.layers.vision import patches, placed, token, vision_layers
from symcount.network import contract, pointwise, rename, select, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.masks import Mask


class Tower:
    """The sizes of one part of a model: each letter of a model that is this part alone, as `letters` call it here.

    among  vectors that stand for words of the tower for text
    early  whether what is read of a tower for images is what its last layer is given
    """

    __slots__ = ("_letters", "_z", "among", "early")

    def __init__(self, z: Any, letters: Mapping[str, str], *, among: tuple[Tensor, ...] = (),
                 early: bool = False) -> None:
        self._z, self._letters, self.among, self.early = z, letters, among, early

    def __getattr__(self, name: str) -> Any:
        return getattr(self._z, self._letters.get(name, name))


IMAGE_LETTERS = {letter: f"{letter}_img" for letter in ("d", "h", "L", "heads", "P")}


def image_part(z: Any) -> Tower:
    """The sizes of the tower for images under the letters of a model that is one alone."""
    return Tower(z, IMAGE_LETTERS)


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
    x, read = vision_layers(within("embeddings", marked_patches, x, z=z), z)
    return read, norm(select(x, "s"), "norm")


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
