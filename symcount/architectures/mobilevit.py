"""MobileViT: inverted residuals, then stages whose attention is between the same places of all patches; version 2.

The attention of version 2 is linear in the number of patches: one score weighs each, and one context serves all.
Source: Mehta and Rastegari 2022, "MobileViT: light-weight, general-purpose, and mobile-friendly vision transformer",
sections 3.1 and A; Mehta and Rastegari 2022, "Separable self-attention for mobile vision transformers", section 3.3.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import stages
from symcount.layers import activation, linear, mlp, norm, residual
from symcount.layers.convolution import conv2d, convolution, edged
from symcount.layers.vision import image, mean_of_image, vision_block
from symcount.network import concat, merge, pointwise, rename, split, window, within
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


Stage = namedtuple("Stage", "h heads")  # of one stage, what a block reads


def layer(x: Tensor, name: str, *, w: int = 1, c: Size, stride: int = 1, alone: bool = False) -> Tensor:
    """A convolution, its norm and silu: w²·c_in·c + 2c parameters; each channel `alone`: w²·c + 2c."""
    return activation(convolution(x, name, w=w, c=c, stride=stride, groups=c if alone else None), "silu", "silu")


def inverted(x: Tensor, m: Size, e: Size, *, stride: int = 1, kept: bool = True) -> Tensor:
    """c_in to e channels and to m, between them 3 × 3 kernels: c_in·e + e·m + 13e + 2m parameters."""
    y = layer(layer(x, "expand", c=e), "depthwise", w=3, c=e, stride=stride, alone=True)
    y = convolution(y, "reduce", w=1, c=m)
    return residual(x, y) if kept else y


def between_patches(x: Tensor, z: Any, h: Size, L: Size) -> Tensor:
    """L blocks of a ViT in which each place of a patch meets the same place of all patches, which fill the image.

    Parameters: L(4d² + 2dh + 9d + h) + 2d.
    """
    b, i, j = (x.axes[axis] for axis in "bij")
    y = split(split(rename(x, c="d"), "i", i=None, y=z.patch), "j", j=None, **{"y'": z.patch})
    n = y.axes["j"]
    y = merge(merge(y, b="b y y'"), s="i j")
    y = within("layers", vision_block, y, z=Stage(h, z.heads), bias=z.qkv_bias, runs=L)
    y = split(split(norm(y, "norm"), "b", b=b, y=z.patch, **{"y'": z.patch}), "s", i=None, j=n)
    return rename(split(merge(y, s="i y j y'"), "s", i=i, j=j), d="c")


def mixed(x: Tensor, z: Any, m: Size, e: Size, sizes: tuple[Size, ...]) -> Tensor:
    """Half the side, then what a small square shows beside what all patches show.

    Parameters: those of `inverted` and `between_patches`, 9m² + 2m, md for the way in, md + 2m for the way out, and
    18m² + 2m to join them.
    """
    x = within("downsample", inverted, x, m=m, e=e, stride=2, kept=False)
    y = conv2d(layer(x, "local", w=3, c=m), "widen", w=1, c=sizes[0], bias=False)
    y = layer(between_patches(y, z, *sizes[1:]), "project", c=m)
    return layer(concat(x, y, axis="c"), "fusion", w=3, c=m)


def separable(x: Tensor) -> Tensor:
    """One score for each patch weighs its key, and the sum is a factor of every value: 3d² + 3d + 1 + d parameters."""
    score = pointwise(linear(x, "query", one=1), kind="softmax")
    context = pointwise(linear(x, "key", k=x.axes["d"]), score, kind="mix", to="b y k", name="context")
    value = pointwise(linear(x, "value", k=x.axes["d"]), kind="relu", name="value")
    return linear(pointwise(value, context, kind="multiply", name="product"), "output", over="k", d=x.axes["d"])


def separable_block(x: Tensor, h: Size) -> Tensor:
    """3d² + 2dh + 9d + h + 1 parameters; norms are over an image."""
    x = residual(x, within("attention", separable, norm(x, "attention_norm", kind="group_norm")))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm", kind="group_norm"), h=h))


def separable_mixed(x: Tensor, z: Any, m: Size, e: Size, sizes: tuple[Size, ...]) -> Tensor:
    """Half the side, then each channel's small squares, then L `separable_block`; what no patch covers is nothing.

    Parameters: those of `inverted`, 11m for the squares, md for the way in, those of the blocks, 2d for a norm, and
    md + 2m for the way out.
    """
    d, h, L = sizes
    x = within("downsample", inverted, x, m=m, e=e, stride=2, kept=False)
    x = conv2d(layer(x, "local", w=3, c=m, alone=True), "widen", w=1, c=d, bias=False)
    i, j = x.axes["i"], x.axes["j"]
    y = window(window(rename(x, c="d"), stride=z.patch, i=("y", z.patch)), stride=z.patch, j=("y'", z.patch))
    rows, columns = y.axes["i"], y.axes["j"]
    y = merge(merge(y, y="y y'"), s="i j")
    y = norm(within("layers", separable_block, y, h=h, runs=L), "norm", kind="group_norm")
    y = split(split(rename(y, d="c", y="place"), "place", y=z.patch, **{"y'": z.patch}), "s", i=rows, j=columns)
    y = merge(merge(y, i="i y"), j="j y'")
    return convolution(edged(y, i=i - y.axes["i"], j=j - y.axes["j"]), "project", w=1, c=m)


def body(z: Any, mixed: Callable[..., Tensor], inverts: int) -> Tensor:
    """The last stage, from images of side × side with c channels."""
    x = layer(image(z), "stem", w=3, c=z.m[0], stride=2)
    m = exactly(z.m[1], z.m[0]) if z.first_kept else z.m[1]
    x = within("stages.0.first", inverted, x, m=m, e=z.e[0], kept=z.first_kept)
    x = within("stages.1.first", inverted, x, m=z.m[2], e=z.e[1], stride=2, kept=False)
    x = within("stages.1.blocks", inverted, x, m=z.m[2], e=z.e[2], runs=inverts - 1)
    for i, sizes in enumerate(zip(z.d, z.h, z.L, strict=True), start=2):
        x = within(f"stages.{i}", mixed, x, z=z, m=z.m[i + 1], e=z.e[i], sizes=sizes)
    return x


def first(z: Any) -> tuple[Tensor, Tensor]:
    """MobileViT with a last layer of m_6 channels, and their means."""
    x = layer(body(z, mixed, 3), "last", c=z.m[6])
    return x, mean_of_image(x)


def second(z: Any) -> tuple[Tensor, Tensor]:
    """MobileViTV2, and the means of its channels."""
    x = body(z, separable_mixed, 2)
    return x, mean_of_image(x)


def classes(prefix: str, model: Callable[[Any], tuple[Tensor, Tensor]]) -> dict[str, Callable[[Any], Any]]:
    """The model; and C scores of its means: C·m + C parameters for the last width m."""
    return {f"{prefix}Model": model,
            f"{prefix}ForImageClassification": lambda z: linear(model(z)[1], "classifier", over="c", C=z.C)}


def rounded(value: float, step: int = 8, least: int | None = None) -> int:
    """The nearest multiple of `step`, but not below nine tenths."""
    new = max(least or step, int(value + step / 2) // step * step)
    return int(new + step if new < 0.9 * value else new)


def _ratio(config: dict[str, Any], key: str) -> Any:
    by = config[key]
    if isinstance(by, bool) or not isinstance(by, (int, float)) or not 0 < by < 1000:
        raise ConfigError(f"{key} = {by!r}: a number above 0 is needed")
    return by


def _expanded(config: dict[str, Any], m: Iterable[int]) -> dict[str, Any]:
    """The widths within inverted residuals, and whether the first keeps what came in: it has as many channels."""
    m, by = tuple(m), _ratio(config, "expand_ratio")
    return {"m": m, "e": tuple(rounded(round(n * by)) for n in m[:5]), "first_kept": m[0] == m[1]}


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Widths of the stages and of their blocks."""
    (m,), (d,) = stages(config, "neck_hidden_sizes"), stages(config, "hidden_sizes")
    if (len(m), len(d)) != (7, 3):
        raise ConfigError("neck_hidden_sizes and hidden_sizes: seven and three numbers are needed")
    ratio = _ratio(config, "mlp_ratio")
    return {**_expanded(config, m), "d": d, "h": tuple(int(n * ratio) for n in d), "L": (2, 4, 3)}


def settle_second(config: dict[str, Any]) -> dict[str, Any]:
    """The same, all widths times width_multiplier."""
    d, L = stages(config, "base_attn_unit_dims", "n_attn_blocks")
    if len(d) != 3:
        raise ConfigError("base_attn_unit_dims and n_attn_blocks: three numbers are needed")
    by, more = _ratio(config, "width_multiplier"), config["ffn_multiplier"]
    if type(more) is not int or more < 1:
        raise ConfigError(f"ffn_multiplier = {more!r}: a whole number of at least 1 is needed")
    m = (rounded(max(16, min(64, 32 * by)), least=16), rounded(64 * by, 16), *(rounded(n * by) for n in (128, 256, 384,
                                                                                                        512)))
    d = tuple(rounded(n * by) for n in d)
    return {**_expanded(config, m), "d": d, "h": tuple(more * n // 16 * 16 for n in d), "L": L}


def _first(count: int, m: tuple[int, ...], d: tuple[int, ...], e: tuple[int, ...], **kept: bool) -> Published:
    return measured("MobileViTForImageClassification", count, c=3, side=256, patch=2, C=1000, heads=4, m=m, d=d, e=e,
                    h=tuple(2 * n for n in d), L=(2, 4, 3), qkv_bias=True, **{"first_kept": False, **kept})


_PARTS = {"convolution": "convolution", "norm": "normalization"}
_INVERTED = {"expand": "expand_1x1", "depthwise": "conv_3x3", "reduce": "reduce_1x1"}
_LAYER = "encoder.layer.{i}.transformer.layer.{i}"
_EVERY = "as in every release"
_KEYS: dict[str, tuple[str, Any]] = {
    "image_size": ("side", 256),
    "num_channels": ("c", 3),
    "patch_size": ("patch", 2),
    "num_labels": ("C", 2),
}
_ONLY: dict[str, tuple[tuple[Any, ...], str]] = {
    "output_stride": ((32,), "dilated kernels are not written"),
    "conv_kernel_size": ((3,), _EVERY),
}
_IGNORED = {
    "classifier_dropout_prob": "dropout has no weights",
    **dict.fromkeys(("aspp_out_channels", "atrous_rates", "aspp_dropout_prob", "semantic_loss_ignore_index"),
                    "read by semantic segmentation only, which is not written"),
}


def _names(layers: dict[Any, Any]) -> dict[Any, Any]:
    return {
        **{f"{ours}.{part}": f"{theirs}.{name}" for ours, theirs in {
            "stem": "conv_stem",
            "last": "conv_1x1_exp",
            **{f"stages.{block}.{one}": f"encoder.layer.{{i}}.layer.{{i}}.{name}" for block in ("first", "blocks")
               for one, name in _INVERTED.items()},
            **{f"stages.downsample.{one}": f"encoder.layer.{{i}}.downsampling_layer.{name}"
               for one, name in _INVERTED.items()},
            "stages.local": "encoder.layer.{i}.conv_kxk",
            "stages.project": "encoder.layer.{i}.conv_projection",
            "stages.fusion": "encoder.layer.{i}.fusion",
        }.items() for part, name in _PARTS.items()},
        "stages.widen": "encoder.layer.{i}.conv_1x1.convolution",
        "stages.norm": "encoder.layer.{i}.layernorm",
        "stages.layers.attention_norm": f"{_LAYER}.layernorm_before",
        "stages.layers.mlp_norm": f"{_LAYER}.layernorm_after",
        **layers,
    }


ARCHITECTURES = (Architecture(
    "mobilevit",
    classes=classes("MobileViT", first),
    sizes="m e d h L",
    keys={**_KEYS, "num_attention_heads": ("heads", 4), "qkv_bias": ("qkv_bias", True)},
    reads={"hidden_sizes": [144, 192, 240], "neck_hidden_sizes": [16, 32, 64, 96, 128, 160, 640], "mlp_ratio": 2.0,
           "expand_ratio": 4.0},
    settle=settle,
    flags={"first_kept": False},
    acts={"hidden_act": ("silu", "")},
    only=_ONLY,
    ignored=_IGNORED,
    stored=_names({
        **{f"stages.layers.attention.{name}": f"{_LAYER}.attention.attention.{name}"
           for name in ("query", "key", "value")},
        "stages.layers.attention.output": f"{_LAYER}.attention.output.dense",
        "stages.layers.mlp.up": f"{_LAYER}.intermediate.dense",
        "stages.layers.mlp.down": f"{_LAYER}.output.dense",
    }),
    stored_heads={"classifier": "classifier"},
    base="mobilevit",
    published={
        "mobilevit-small": _first(5_578_632, (16, 32, 64, 96, 128, 160, 640), (144, 192, 240),
                                  (64, 128, 256, 384, 512)),
        "mobilevit-x-small": _first(2_317_848, (16, 32, 48, 64, 80, 96, 384), (96, 120, 144), (64, 128, 192, 256, 320)),
        "mobilevit-xx-small": _first(1_272_024, (16, 16, 24, 48, 64, 80, 320), (64, 80, 96), (32, 32, 48, 96, 128),
                                     first_kept=True),
    },
), Architecture(
    "mobilevitv2",
    classes=classes("MobileViTV2", second),
    sizes="m e d h L",
    keys=_KEYS,
    reads={"base_attn_unit_dims": [128, 192, 256], "n_attn_blocks": [2, 4, 3], "width_multiplier": 1.0,
           "ffn_multiplier": 2, "expand_ratio": 2.0},
    settle=settle_second,
    flags={"first_kept": False},
    acts={"hidden_act": ("silu", "")},
    only=_ONLY,
    ignored={**_IGNORED, **dict.fromkeys(("attn_dropout", "ffn_dropout"), "dropout has no weights")},
    stored=_names({
        ("stages.layers.attention.query", "stages.layers.attention.key", "stages.layers.attention.value"):
            (f"{_LAYER}.attention.qkv_proj.convolution", "* 1 1"),
        "stages.layers.attention.output": (f"{_LAYER}.attention.out_proj.convolution", "* 1 1"),
        "stages.layers.mlp.up": (f"{_LAYER}.ffn.conv1.convolution", "* 1 1"),
        "stages.layers.mlp.down": (f"{_LAYER}.ffn.conv2.convolution", "* 1 1"),
    }),
    stored_heads={"classifier": "classifier"},
    base="mobilevitv2",
    published={
        "mobilevitv2-1.0": measured("MobileViTV2ForImageClassification", 4_901_841, c=3, side=256, patch=2, C=1000,
                                    m=(32, 64, 128, 256, 384, 512), e=(64, 128, 256, 512, 768), d=(128, 192, 256),
                                    h=(256, 384, 512), L=(2, 4, 3), first_kept=False),
    },
))
