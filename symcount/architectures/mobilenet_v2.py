"""MobileNetV2: stages of inverted residuals, which widen, convolve each channel alone and narrow again.

Source: Sandler et al. 2018, "MobileNetV2: inverted residuals and linear bottlenecks", tables 1 and 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.layers import activation, linear, residual
from symcount.layers.convolution import convolution
from symcount.layers.vision import image
from symcount.network import pointwise, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

WIDTHS, DEPTHS, STRIDES = (16, 24, 32, 64, 96, 160, 320), (1, 2, 3, 4, 3, 3, 1), (1, 2, 2, 2, 1, 2, 1)
WIDENING = 6


def layer(x: Tensor, name: str, *, w: int = 1, c: Size, stride: int = 1, alone: bool = False) -> Tensor:
    """A convolution, its norm and relu6: w²·c_in·c + 2c parameters; each channel `alone`: w²·c + 2c."""
    return activation(convolution(x, name, w=w, c=c, stride=stride, groups=c if alone else None), "relu6", "relu6")


def inverted(x: Tensor, m: Size, *, stride: int = 1, kept: bool = True) -> Tensor:
    """c_in to 6c_in channels and to m, between them 3 × 3 kernels: 6c_in² + 6c_in·m + 78c_in + 2m parameters."""
    wide = WIDENING * x.axes["c"]
    y = layer(layer(x, "expand", c=wide), "depthwise", w=3, c=wide, stride=stride, alone=True)
    y = convolution(y, "reduce", w=1, c=m)
    return residual(x, y) if kept else y


def stem(x: Tensor, z: Any) -> Tensor:
    """The first kernels at half the side, and a narrow layer: 9c·e + e·m_0 + 13e + 2m_0 parameters; e² + 2e more."""
    x = layer(x, "first", w=3, c=z.e, stride=2)
    x = x if z.first_expands else layer(x, "expand", c=z.e)
    return convolution(layer(x, "depthwise", w=3, c=z.e, alone=True), "reduce", w=1, c=z.m[0])


def body(z: Any) -> Tensor:
    """The last map, of width d, from images of side × side with c channels."""
    x = within("stem", stem, image(z), z=z)
    for i, (m, L, stride) in enumerate(zip(z.m, DEPTHS, STRIDES, strict=True)):
        if i == 0:  # the stem made it
            continue
        x = within(f"stages.{i}.first", inverted, x, m=m, stride=stride, kept=False)
        x = within(f"stages.{i}.blocks", inverted, x, m=m, runs=L - 1)
    return layer(x, "last", c=z.d)


def classification(z: Any) -> Tensor:
    """C scores of the mean over the image: dC + C parameters."""
    return linear(pointwise(body(z), kind="mean", to="b c"), "classifier", over="c", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """All widths, which depth_multiplier scales, each rounded to a multiple of depth_divisible_by."""
    by, step, least = (config[key] for key in ("depth_multiplier", "depth_divisible_by", "min_depth"))
    if isinstance(by, bool) or not isinstance(by, (int, float)) or not 0 < by < 1000:
        raise ConfigError(f"depth_multiplier = {by!r}: a number above 0 is needed")
    for key in ("depth_divisible_by", "min_depth"):
        if type(config[key]) is not int or config[key] < 1:
            raise ConfigError(f"{key} = {config[key]!r}: a whole number of at least 1 is needed")

    def rounded(width: int) -> int:
        new = max(least, (2 * width + step) // (2 * step) * step)
        return new + step if 10 * new < 9 * width else new

    m = tuple(rounded(round(width * by)) for width in WIDTHS)
    if odd := [width for width in m if rounded(WIDENING * width) != WIDENING * width]:
        raise ConfigError(f"depth_divisible_by = {step}: {odd[0]} channels are not widened to just {WIDENING} times "
                          "as many, which is not written")
    fine = config["finegrained_output"] and by < 1
    return {"m": m, "e": rounded(round(32 * by)), "d": 1280 if fine else rounded(round(1280 * by))}


def _mobilenet(count: int, *, m: tuple[int, ...], e: int, d: int, side: int) -> Published:
    return measured("MobileNetV2ForImageClassification", count, c=3, side=side, C=1001, m=m, e=e, d=d,
                    first_expands=True)


_PARTS = {"convolution": "convolution", "norm": "normalization"}
_STEM = {"first": "first_conv", "expand": "expand_1x1", "depthwise": "conv_3x3", "reduce": "reduce_1x1"}

ARCHITECTURES = (Architecture(
    "mobilenet_v2",
    classes={"MobileNetV2Model": body, "MobileNetV2ForImageClassification": classification},
    sizes="m e d",
    keys={
        "image_size": ("side", 224),
        "num_channels": ("c", 3),
        "first_layer_is_expansion": ("first_expands", True),
        "num_labels": ("C", 2),
    },
    reads={"depth_multiplier": 1, "depth_divisible_by": 8, "min_depth": 8, "finegrained_output": True},
    settle=settle,
    only={
        "expand_ratio": ((6, 6.0), "the widening of every release"),
        "output_stride": ((32,), "dilated kernels are not written"),
    },
    ignored={
        "tf_padding": "where zeros are added; no side changes",
        "classifier_dropout_prob": "dropout has no weights",
        "semantic_loss_ignore_index": "read by semantic segmentation only, which is not written",
    },
    stored={
        **{f"stem.{ours}.{part}": f"conv_stem.{theirs}.{their_part}"
           for ours, theirs in _STEM.items() for part, their_part in _PARTS.items()},
        **{f"stages.{block}.{ours}.{part}": f"layer.{{i}}.{theirs}.{their_part}" for block in ("first", "blocks")
           for ours, theirs in _STEM.items() if ours != "first" for part, their_part in _PARTS.items()},
        **{f"last.{part}": f"conv_1x1.{their_part}" for part, their_part in _PARTS.items()},
    },
    stored_heads={"classifier": "classifier"},
    base="mobilenet_v2",
    published={
        "mobilenet-v2-1.0-224": _mobilenet(3_506_153, m=(16, 24, 32, 64, 96, 160, 320), e=32, d=1280, side=224),
        "mobilenet-v2-1.4-224": _mobilenet(6_110_569, m=(24, 32, 48, 88, 136, 224, 448), e=48, d=1792, side=224),
        "mobilenet-v2-0.75-160": _mobilenet(2_637_705, m=(16, 24, 24, 48, 72, 120, 240), e=24, d=1280, side=160),
        "mobilenet-v2-0.35-96": _mobilenet(1_678_409, m=(8, 8, 16, 24, 32, 56, 112), e=16, d=1280, side=96),
    },
),)
