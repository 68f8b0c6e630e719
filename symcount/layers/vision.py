"""Encoders of images: square patches as tokens, learned tokens before them, pre-norm blocks."""

from __future__ import annotations

from symcount.layers.attention import attention
from symcount.layers.convolution import conv2d
from symcount.layers.dense import linear, norm
from symcount.layers.feed_forward import activation, mlp
from symcount.layers.transformer import residual
from symcount.network import concat, cut, idle, merge, pointwise, rename, repeat, select, tensor, weight, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def image(z: Any) -> Tensor:
    """The input: b images of side × side pixels with c channels."""
    return tensor("image", b=z.b, i=z.side, j=z.side, c=z.c)


def patches(x: Tensor, name: str, *, patch: Size, d: Size, bias: bool = True) -> Tensor:
    """Each square of side `patch` as one vector: c·d·patch² parameters, + d with a bias.

    An image has s = floor(side/patch)² of them: what is left at its edge is not seen. Multiply-adds: the weights
    times b·s.

    Source: Dosovitskiy et al. 2021, "An image is worth 16x16 words", section 3.1.
    """
    return rename(merge(conv2d(x, name, w=patch, c=d, stride=patch, bias=bias), s="i j"), c="d")


def token(x: Tensor, name: str, *, n: Size = 1) -> Tensor:
    """n learned tokens before those of x: n·d parameters."""
    learned = weight(name, kinds="embedding", s=n, d=x.axes["d"])
    return concat(repeat(learned, b=x.axes["b"]), x, axis="s")


def mask_token(x: Tensor, name: str) -> Tensor:
    """What stands for a hidden patch in pre-training, else stored and not run: d parameters."""
    return idle(x, weight(name, kinds="embedding", s=1, d=x.axes["d"]))


def placed(x: Tensor, name: str, *, stored: str = "parameter") -> Tensor:
    """Add one learned vector to each token: d·s parameters, so that a model is of images of one size."""
    return pointwise(x, weight(name, kinds="embedding", stored=stored, s=x.axes["s"], d=x.axes["d"]), kind="add",
                     name=name)


def scaled(x: Tensor, name: str) -> Tensor:
    """A learned gain for each channel of what a block adds: d parameters.

    Source: Touvron et al. 2021, "Going deeper with image transformers", section 2.
    """
    return pointwise(x, weight(name, d=x.axes["d"]), kind="multiply", name=name)


def attended(x: Tensor, z: Any, *, bias: bool | str = True, **attending: Any) -> Tensor:
    """A norm, then attention of all tokens of an image: 4d² + 6d parameters, 3d less without the `bias` of q, k, v."""
    return within("attention", attention, norm(x, "attention_norm"), z=z, t=x.axes["s"], bias=bias or "output",
                  **attending)


def vision_block(x: Tensor, z: Any, *, bias: bool = True) -> Tensor:
    """Attention, then the two-matrix MLP, a norm before each, inside the residual.

    Parameters: 4d² + 2dh + 9d + h, 3d less without the `bias` of query, key and value.
    Source: Dosovitskiy et al. 2021, "An image is worth 16x16 words", equations 2 and 3.
    """
    x = residual(x, attended(x, z, bias=bias))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h))


def vision_layers(x: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """L blocks, one after another: what the last gives, and what is read, which may be what the last is given."""
    if not z.early:
        x = within("layers", vision_block, x, z=z, runs=z.L)
        return x, x
    x = within("layers.first", vision_block, x, z=z, runs=rest(z.L, 1))
    return within("layers.last", vision_block, x, z=z), x


def mean(x: Tensor, last: Size | None = None) -> Tensor:
    """The mean over all tokens, or over the last of them: the patches, without the tokens before them."""
    x = x if last is None else cut(x, "s", x.axes["s"] - last, last)[1]
    return pointwise(x, kind="mean", to="b d")


def mean_of_image(x: Tensor) -> Tensor:
    """The mean of each channel over rows and columns."""
    return pointwise(x, kind="mean", to="b c")


def first_pooled(x: Tensor, z: Any) -> Tensor:
    """tanh of a dense layer of width e on the first token: de + e parameters."""
    return activation(linear(select(x, "s"), "pooler", e=z.e), "tanh", "tanh")


def image_classes(prefix: str, body: Callable[[Any], Tensor],
                  pooler: Callable[[Tensor, Any], Tensor] | None = first_pooled) -> dict[str, Callable[[Any], Any]]:
    """The model, with a pooler unless None, and C scores of its first token: dC + C parameters without the pooler."""
    def model(z: Any) -> Any:
        x = body(z)
        return x if pooler is None else (x, pooler(x, z))

    def classification(z: Any) -> Tensor:
        return linear(select(body(z), "s"), "classifier", C=z.C)
    return {f"{prefix}Model": model, f"{prefix}ForImageClassification": classification}
