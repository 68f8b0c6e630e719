"""Swin: stages of attention within windows of an image, each stage after the first at half the side and twice as wide.

Source: Liu et al. 2021, "Swin transformer: hierarchical vision transformer using shifted windows", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import BACKBONE, measured, stages
from symcount.layers import attention, linear, mlp, norm, residual
from symcount.layers.towers import Tower
from symcount.layers.vision import image
from symcount.network import contract, lookup, merge, pointwise, split, tensor, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def tiles(x: Tensor, w: Size) -> Tensor:
    """Squares of w × w, which must fill the image: each has the axes y and y'."""
    return split(split(x, "i", i=None, y=w), "j", j=None, **{"y'": w})


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches and a norm: cd·patch² + 3d parameters; for absolute positions d·(side/patch)² more."""
    sides = {"y": z.patch, "y'": z.patch}
    kernel = weight("patch.weight", kinds="weight kernel", out="d", **sides, c=z.c, d=z.d)
    x = contract(tiles(x, z.patch), kernel, to="b i j d", name="patch")
    x = norm(pointwise(x, weight("patch.bias", kinds="bias kernel", d=z.d), kind="bias", name="patch"), "norm")
    if not z.absolute:
        return x
    table = split(weight("position", kinds="embedding", s=x.axes["i"] * x.axes["j"], d=z.d), "s", i=x.axes["i"], j=None)
    return pointwise(x, table, kind="add", name="position")


def windowed(x: Tensor, w: Size, heads: Size, *, bias: bool) -> Tensor:
    """Attention within windows of w × w tokens: 4d² + 4d + (2w - 1)²·heads parameters, 3d less without the `bias`.

    Every other layer cuts the windows half a window further, at the same cost. Multiply-adds for n tokens: the
    weights times b·n, and 2b·n·d·w² for scores and mix.
    """
    b, i, j = (x.axes[axis] for axis in "bij")
    y = merge(merge(tiles(x, w), b="b i j"), s="y y'")
    table = weight("relative", buckets=(2 * w - 1) * (2 * w - 1), g=heads)
    relative = lookup(tensor("distances", s=w * w, t=w * w), table, "relative")
    y = attention(y, Tower(x.axes["d"], None, None, heads, None), t=w * w, bias=bias or "output", relative=relative)
    y = split(split(y, "b", b=b, i=per(i, w), j=None), "s", y=w, **{"y'": w})
    return split(merge(y, s="i y j y'"), "s", i=i, j=j)


def block(x: Tensor, z: Any, heads: Size) -> Tensor:
    """12d² + 13d + (2w - 1)²·heads parameters; 3d less without qkv_bias."""
    y = within("attention", windowed, norm(x, "attention_norm"), w=z.w, heads=heads, bias=z.qkv_bias)
    x = residual(x, y)
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=4 * x.axes["d"]))


def merged(x: Tensor) -> Tensor:
    """Each 2 × 2 tokens as one of twice the width: 8d² + 8d parameters."""
    d = x.axes["d"]
    return linear(norm(merge(tiles(x, 2), d="y y' d"), "norm"), "reduction", bias=False, d=2 * d)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The tokens of the last stage with a norm, and their mean."""
    x = within("embeddings", embedded, image(z), z=z)
    for i, (L, heads) in enumerate(zip(z.L, z.heads, strict=True)):
        x = x if i == 0 else within(f"stages.{i - 1}.downsample", merged, x)
        x = within(f"stages.{i}.blocks", block, x, z=z, heads=heads, runs=L)
    x = norm(x, "norm")
    return x, pointwise(x, kind="mean", to="b d")


def classification(z: Any) -> Tensor:
    """C scores of the mean: C·d + C parameters for its width d."""
    return linear(body(z)[1], "classifier", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Depths and heads of the stages; patches, windows and halves must fill the image, as padding is not written."""
    depths, heads = stages(config, "depths", "num_heads")
    side, patch, w = (config[key] for key in ("image_size", "patch_size", "window_size"))
    if min(side, patch, w) < 1 or side % patch:
        raise ConfigError(f"image_size = {side} is no multiple of patch_size = {patch}: padding is not written")
    n = side // patch
    for i in range(len(depths)):
        if n % w or not n:
            raise ConfigError(f"stage {i + 1} has {n} × {n} patches, which windows of {w} × {w} do not fill: "
                              "padding is not written")
        if i < len(depths) - 1 and n % 2:
            raise ConfigError(f"stage {i + 1} has {n} × {n} patches, which cannot be halved: padding is not written")
        n //= 2
    return {"L": depths, "heads": heads}


def _swin(count: int, d: int, L: int, heads: int, side: int = 224, w: int = 7) -> Published:
    return measured("SwinForImageClassification", count, c=3, side=side, patch=4, d=d, L=(2, 2, L, 2), w=w, C=1000,
                    heads=(heads, 2 * heads, 4 * heads, 8 * heads), qkv_bias=True, absolute=False)


_BLOCK = "encoder.layers.{i}.blocks.{i}"

ARCHITECTURES = (Architecture(
    "swin",
    classes={"SwinModel": body, "SwinForImageClassification": classification},
    sizes="L heads",
    keys={
        "image_size": ("side", 224),
        "patch_size": ("patch", 4),
        "num_channels": ("c", 3),
        "embed_dim": ("d", 96),
        "window_size": ("w", 7),
        "qkv_bias": ("qkv_bias", True),
        "use_absolute_embeddings": ("absolute", False),
        "num_labels": ("C", 2),
    },
    reads={"depths": [2, 2, 6, 2], "num_heads": [3, 6, 12, 24]},
    settle=settle,
    aliases={"num_attention_heads": "num_heads"},
    only={"mlp_ratio": ((4, 4.0), "the MLP is four times as wide as the tokens")},
    ignored={
        **BACKBONE,
        "drop_path_rate": "dropout has no weights",
        "encoder_stride": "read by masked image modelling only, which is not written",
        "hidden_size": "computed from embed_dim and depths",
        "num_layers": "computed from depths",
        "num_hidden_layers": "computed from depths",
        "path_norm": "a note of the original release, read by nothing",
    },
    stored={
        "embeddings.patch": "embeddings.patch_embeddings.projection",
        "embeddings.norm": "embeddings.norm",
        "embeddings.position": ("embeddings.position_embeddings", "1 *"),
        "stages.blocks.attention_norm": f"{_BLOCK}.layernorm_before",
        **{f"stages.blocks.attention.{name}": f"{_BLOCK}.attention.{name[0]}_proj"
           for name in ("query", "key", "value", "output")},
        "stages.blocks.attention.relative":
            f"{_BLOCK}.attention.relative_position_bias.relative_position_bias_table",
        "stages.blocks.mlp_norm": f"{_BLOCK}.layernorm_after",
        "stages.blocks.mlp.up": f"{_BLOCK}.mlp.fc1",
        "stages.blocks.mlp.down": f"{_BLOCK}.mlp.fc2",
        "stages.downsample.norm": "encoder.layers.{i}.downsample.norm",
        "stages.downsample.reduction": "encoder.layers.{i}.downsample.reduction",
        "norm": "layernorm",
    },
    stored_heads={"classifier": "classifier"},
    base="swin",
    published={
        "swin-tiny-patch4-window7-224": _swin(28_288_354, 96, 6, 3),
        "swin-small-patch4-window7-224": _swin(49_606_258, 96, 18, 3),
        "swin-base-patch4-window7-224": _swin(87_768_224, 128, 18, 4),
        "swin-base-patch4-window12-384": _swin(87_903_584, 128, 18, 4, side=384, w=12),
        "swin-large-patch4-window7-224": _swin(196_532_476, 192, 18, 6),
    },
),)
