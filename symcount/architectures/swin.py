"""Swin: stages of attention within windows of an image, each stage after the first at half the side and twice as wide.

The encoder of Donut is one without a last norm.

Source: Liu et al. 2021, "Swin transformer: hierarchical vision transformer using shifted windows", section 3;
Kim et al. 2022, "OCR-free document understanding transformer", section 3.2.
"""

from __future__ import annotations

from collections import namedtuple
from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import BACKBONE, stages
from symcount.layers import attention, linear, mlp, norm, residual
from symcount.layers.convolution import edged
from symcount.layers.vision import image
from symcount.network import contract, cut, lookup, merge, pointwise, split, tensor, weight, within
from symcount.sizes import ceil, least, per, up
from symcount.tensors import Tensor

Heads = namedtuple("Heads", "heads")  # all that attention reads of the sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def tiles(x: Tensor, w: Size, *, padded: bool = False) -> Tensor:
    """Squares of w × w, each with the axes y and y': they must fill the image, unless it is `padded` with nothing."""
    x = edged(x, **{axis: up(x.axes[axis], w) - x.axes[axis] for axis in "ij"}) if padded else x
    return split(split(x, "i", i=None, y=w), "j", j=None, **{"y'": w})


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches and a norm: cd·patch² + 3d parameters."""
    sides = {"y": z.patch, "y'": z.patch}
    kernel = weight("patch.weight", kinds="weight kernel", out="d", **sides, c=z.c, d=z.d)
    x = contract(tiles(x, z.patch, padded=z.padded), kernel, to="b i j d", name="patch")
    return norm(pointwise(x, weight("patch.bias", kinds="bias kernel", d=z.d), kind="bias", name="patch"), "norm")


def placed(x: Tensor, z: Any) -> Tensor:
    """The same; for absolute positions d·(side/patch)² parameters more."""
    x = embedded(x, z)
    if not z.absolute:
        return x
    table = split(weight("position", kinds="embedding", s=x.axes["i"] * x.axes["j"], d=z.d), "s", i=x.axes["i"], j=None)
    return pointwise(x, table, kind="add", name="position")


def relative(x: Tensor, table: Tensor, *, kept: bool = False) -> Tensor:
    """What the table says of each two tokens in a window; a checkpoint that has `kept` it holds which row that is."""
    two = {"s": x.axes["s"], "t": x.axes["s"]}
    rows = weight("distances", stored="buffer", **two) if kept else tensor("distances", **two)
    return lookup(rows, table, "relative")


def windowed(x: Tensor, w: Size, heads: Size, *, bias: bool, padded: bool, kept: bool = False) -> Tensor:
    """Attention within windows of w × w tokens: 4d² + 4d + (2w - 1)²·heads parameters, 3d less without the `bias`.

    Every other layer cuts the windows half a window further, at the same cost. Multiply-adds for n tokens: the
    weights times b·n, and 2b·n·d·w² for scores and mix.
    """
    def attended(y: Tensor) -> Tensor:
        table = weight("relative", buckets=(2 * w - 1) * (2 * w - 1), g=heads)
        return attention(y, Heads(heads), t=w * w, bias=bias or "output",
                         relative=relative(y, table, kept=kept))
    return in_windows(x, w, attended, padded=padded)


def in_windows(x: Tensor, w: Size, f: Callable[[Tensor], Tensor], *, padded: bool) -> Tensor:
    """f of the tokens in each window, as texts of a batch."""
    b, i, j = (x.axes[axis] for axis in "bij")
    y = f(merge(merge(tiles(x, w, padded=padded), b="b i j"), s="y y'"))
    if padded:
        rows, columns = up(i, w), up(j, w)
        y = split(split(y, "b", b=b, i=per(rows, w), j=per(columns, w)), "s", y=w, **{"y'": w})
        y = split(merge(y, s="i y j y'"), "s", i=rows, j=columns)
        return cut(cut(y, "i", i, rows - i)[0], "j", j, columns - j)[0]
    y = split(split(y, "b", b=b, i=per(i, w), j=None), "s", y=w, **{"y'": w})
    return split(merge(y, s="i y j y'"), "s", i=i, j=j)


def block(x: Tensor, z: Any, heads: Size, *, kept: bool = False, **_: Any) -> Tensor:
    """12d² + 13d + (2w - 1)²·heads parameters; 3d less without qkv_bias."""
    y = within("attention", windowed, norm(x, "attention_norm"), w=z.w, heads=heads, bias=z.qkv_bias,
               padded=z.padded, kept=kept)
    x = residual(x, y)
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=4 * x.axes["d"]))


def merged(x: Tensor, *, padded: bool) -> Tensor:
    """Each 2 × 2 tokens as one of twice the width: 8d² + 8d parameters."""
    d = x.axes["d"]
    return linear(norm(merge(tiles(x, 2, padded=padded), d="y y' d"), "norm"), "reduction", bias=False, d=2 * d)


def cosine_windowed(x: Tensor, scale: Tensor, w: Size, heads: Size, *, bias: bool, padded: bool) -> Tensor:
    """The same with scores that are cosines, and a small MLP that tells what each distance adds.

    Parameters: 4d² + 3d + 512·heads + 1536, 2d less without the `bias`. Multiply-adds beside those of `windowed`:
    512(2w - 1)²(heads + 2), once for all images.
    """
    def cosine(y: Tensor, name: str) -> Tensor:
        y = pointwise(y, kind="normalise")
        return pointwise(y, scale, kind="multiply", name="scale") if name == "query_norm" else y

    def attended(y: Tensor) -> Tensor:
        ways = tensor("ways", i=2 * w - 1, j=2 * w - 1, xy=2)
        hidden = pointwise(linear(ways, "distance.up", over="xy", h=512), kind="relu")
        table = merge(linear(hidden, "distance.down", over="h", bias=False, g=heads), buckets="i j")
        return attention(y, Heads(heads), t=w * w, bias="query value output" if bias else "output", normed=cosine,
                         relative=pointwise(relative(y, table), kind="sigmoid"))
    return in_windows(x, w, attended, padded=padded)


def cosine_block(x: Tensor, z: Any, heads: Size, stage: int) -> Tensor:
    """Norms behind what each block adds: 12d² + 12d + 513·heads + 1536 parameters; 2d less without qkv_bias."""
    scale = weight("logit_scale", g=heads)
    n = z.side // z.patch // 2**stage if z.padded else x.axes["i"]  # a window never has a row that was padded
    y = within("attention", cosine_windowed, x, scale, w=least(z.w, n), heads=heads, bias=z.qkv_bias, padded=z.padded)
    x = residual(x, norm(y, "attention_norm"))
    return residual(x, norm(within("mlp", mlp, x, h=4 * x.axes["d"]), "mlp_norm"))


def merged_norm(x: Tensor, *, padded: bool) -> Tensor:
    """Each 2 × 2 tokens as one of twice the width, then a norm: 8d² + 4d parameters."""
    d = x.axes["d"]
    return norm(linear(merge(tiles(x, 2, padded=padded), d="y y' d"), "reduction", bias=False, d=2 * d), "norm")


def classes(prefix: str, embeddings: Callable[..., Tensor], block: Callable[..., Tensor],
            merged: Callable[..., Tensor], *, last: bool = True) -> dict[str, Any]:
    """The tokens of the last stage, and their mean; C scores of it: C·d + C parameters for its width.

    2d parameters more for a `last` norm.
    """
    def body(z: Any) -> tuple[Tensor, Tensor]:
        x = within("embeddings", embeddings, image(z), z=z)
        for i, (L, heads) in enumerate(zip(z.L, z.heads, strict=True)):
            x = x if i == 0 else within(f"stages.{i - 1}.downsample", merged, x, padded=z.padded)
            x = within(f"stages.{i}.blocks", block, x, z=z, heads=heads, stage=i, runs=L)
        x = norm(x, "norm") if last else x
        return x, pointwise(x, kind="mean", to="b d")
    return {f"{prefix}Model": body,
            f"{prefix}ForImageClassification": lambda z: linear(body(z)[1], "classifier", C=z.C)}


def settle(config: dict[str, Any], *, smaller: bool = False) -> dict[str, Any]:
    """Depths and heads of the stages, and whether patches, windows or halves leave a part of the image to be padded.

    `smaller`: a window may be as small as the image.
    """
    depths, heads = stages(config, "depths", "num_heads")
    side, patch, w = (config[key] for key in ("image_size", "patch_size", "window_size"))
    if min(side, patch, w) < 1:
        raise ConfigError("image_size, patch_size and window_size: whole numbers of at least 1 are needed")
    padded = side % patch > 0
    if padded and config.get("use_absolute_embeddings"):
        raise ConfigError(f"image_size = {side} is no multiple of patch_size = {patch}: transformers makes no "
                          "positions for the patches at its edge")
    n, known = ceil(side, patch), side // patch  # and the side as transformers reckons windows, without padding
    for i in range(len(depths)):
        if min(known, n if smaller else n // w) < 1:
            raise ConfigError(f"stage {i + 1} has {n} × {n} patches: windows of {w} × {w} do not run there")
        halved = i < len(depths) - 1
        padded = padded or n % (min(known, w) if smaller else w) > 0 or (halved and n % 2 > 0)
        n, known = ceil(n, 2), known // 2
    return {"L": depths, "heads": heads, "padded": padded}


def _swin(count: int, d: int, L: int, heads: int, side: int = 224, w: int = 7, *, version: str = "",
          **flags: bool) -> Published:
    return measured(f"Swin{version}ForImageClassification", count, c=3, side=side, patch=4, d=d, L=(2, 2, L, 2), w=w,
                    C=1000, heads=(heads, 2 * heads, 4 * heads, 8 * heads), qkv_bias=True, **flags)


_v1, _v2 = partial(_swin, absolute=False), partial(_swin, version="v2")
_KEYS: dict[str, tuple[str, Any]] = {
    "image_size": ("side", 224),
    "patch_size": ("patch", 4),
    "num_channels": ("c", 3),
    "embed_dim": ("d", 96),
    "window_size": ("w", 7),
    "qkv_bias": ("qkv_bias", True),
    "num_labels": ("C", 2),
}
_READS = {"depths": [2, 2, 6, 2], "num_heads": [3, 6, 12, 24]}
_ONLY: dict[str, tuple[tuple[Any, ...], str]] = {
    "mlp_ratio": ((4, 4.0), "the MLP is four times as wide as the tokens"),
}
_IGNORED = {
    **BACKBONE,
    "drop_path_rate": "dropout has no weights",
    "encoder_stride": "read by masked image modelling only, which is not written",
    "hidden_size": "computed from embed_dim and depths",
    "num_layers": "computed from depths",
    "num_hidden_layers": "computed from depths",
    "path_norm": "a note of the original release, read by nothing",
}
_BLOCK = "encoder.layers.{i}.blocks.{i}"
_NAMES: dict[Any, Any] = {
    "embeddings.patch": "embeddings.patch_embeddings.projection",
    "embeddings.norm": "embeddings.norm",
    "stages.blocks.attention_norm": f"{_BLOCK}.layernorm_before",
    "stages.blocks.mlp_norm": f"{_BLOCK}.layernorm_after",
    "stages.downsample.norm": "encoder.layers.{i}.downsample.norm",
    "stages.downsample.reduction": "encoder.layers.{i}.downsample.reduction",
    "norm": "layernorm",
}

ARCHITECTURES = (Architecture(
    "swin",
    classes=classes("Swin", placed, block, merged),
    sizes="L heads",
    keys={**_KEYS, "use_absolute_embeddings": ("absolute", False)},
    reads=_READS,
    settle=settle,
    flags={"padded": False},
    aliases={"num_attention_heads": "num_heads"},
    only=_ONLY,
    ignored=_IGNORED,
    stored={
        **_NAMES,
        "embeddings.position": ("embeddings.position_embeddings", "1 *"),
        **{f"stages.blocks.attention.{name}": f"{_BLOCK}.attention.{name[0]}_proj"
           for name in ("query", "key", "value", "output")},
        "stages.blocks.attention.relative":
            f"{_BLOCK}.attention.relative_position_bias.relative_position_bias_table",
        "stages.blocks.mlp.up": f"{_BLOCK}.mlp.fc1",
        "stages.blocks.mlp.down": f"{_BLOCK}.mlp.fc2",
    },
    stored_heads={"classifier": "classifier"},
    base="swin",
    published={
        "swin-tiny-patch4-window7-224": _v1(28_288_354, 96, 6, 3),
        "swin-small-patch4-window7-224": _v1(49_606_258, 96, 18, 3),
        "swin-base-patch4-window7-224": _v1(87_768_224, 128, 18, 4),
        "swin-base-patch4-window12-384": _v1(87_903_584, 128, 18, 4, side=384, w=12),
        "swin-large-patch4-window7-224": _v1(196_532_476, 192, 18, 6),
    },
), Architecture(
    "donut-swin",
    classes=classes("DonutSwin", embedded, partial(block, kept=True), merged, last=False),
    sizes="L heads",
    keys=_KEYS,
    reads=_READS,
    settle=settle,
    flags={"padded": False},
    aliases={"num_attention_heads": "num_heads"},
    only={**_ONLY, "use_absolute_embeddings": ((False,), "transformers makes one position more than there are")},
    ignored=_IGNORED,
    stored={
        **_NAMES,
        **{f"stages.blocks.attention.{name}": f"{_BLOCK}.attention.self.{name}" for name in ("query", "key", "value")},
        "stages.blocks.attention.relative": f"{_BLOCK}.attention.self.relative_position_bias_table",
        "stages.blocks.attention.distances": f"{_BLOCK}.attention.self.relative_position_index",
        "stages.blocks.attention.output": f"{_BLOCK}.attention.output.dense",
        "stages.blocks.mlp.up": f"{_BLOCK}.intermediate.dense",
        "stages.blocks.mlp.down": f"{_BLOCK}.output.dense",
    },
    stored_heads={"classifier": "classifier"},
    base="donut",
    published={
        "donut-base-encoder": measured("DonutSwinModel", 74_180_728, c=3, side=2560, patch=4, d=128,
                                       L=(2, 2, 14, 2), w=10, heads=(4, 8, 16, 32), qkv_bias=True),
    },
), Architecture(
    "swinv2",
    classes=classes("Swinv2", embedded, cosine_block, merged_norm),
    sizes="L heads",
    keys=_KEYS,
    reads=_READS,
    settle=partial(settle, smaller=True),
    flags={"padded": False},
    aliases={"num_attention_heads": "num_heads"},
    only={**_ONLY, "use_absolute_embeddings": ((False,), "transformers makes one position more than there are")},
    ignored={**_IGNORED, "pretrained_window_sizes": "how distances are scaled"},
    stored={
        **_NAMES,
        "stages.blocks.logit_scale": (f"{_BLOCK}.attention.self.logit_scale", "* 1 1"),
        **{f"stages.blocks.attention.{name}": f"{_BLOCK}.attention.self.{name}" for name in ("query", "key", "value")},
        **{f"stages.blocks.attention.distance.{name}": f"{_BLOCK}.attention.self.continuous_position_bias_mlp.{{i}}"
           for name in ("up", "down")},
        "stages.blocks.attention.output": f"{_BLOCK}.attention.output.dense",
        "stages.blocks.mlp.up": f"{_BLOCK}.intermediate.dense",
        "stages.blocks.mlp.down": f"{_BLOCK}.output.dense",
    },
    stored_heads={"classifier": "classifier"},
    base="swinv2",
    published={
        "swinv2-tiny-patch4-window8-256": _v2(28_347_154, 96, 6, 3, side=256, w=8),
        "swinv2-tiny-patch4-window16-256": _v2(28_347_154, 96, 6, 3, side=256, w=16),
        "swinv2-small-patch4-window8-256": _v2(49_728_418, 96, 18, 3, side=256, w=8),
        "swinv2-base-patch4-window8-256": _v2(87_918_816, 128, 18, 4, side=256, w=8),
    },
))
