"""EfficientNet: inverted residuals with gates for channels, scaled in depth, width and side together.

Source: Tan and Le 2019, "EfficientNet: rethinking model scaling for convolutional neural networks", section 3 and
table 1; the block: Sandler et al. 2018, "MobileNetV2", section 3; the gate: Hu et al. 2018, "Squeeze-and-excitation
networks", section 3.
"""

from __future__ import annotations

from functools import partial
from math import ceil

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import stages
from symcount.layers import activation, linear, residual
from symcount.layers.convolution import batchnorm, conv2d, convolution, edged
from symcount.layers.vision import image, mean_of_image
from symcount.network import pointwise, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

KERNELS, STRIDES, WIDENINGS = (3, 3, 5, 3, 5, 5, 3), (1, 2, 2, 2, 1, 2, 1), (1, 6, 6, 6, 6, 6, 6)


def cut_short(x: Tensor, name: str, *, w: int, c: Size, groups: Size | None = None) -> Tensor:
    """A convolution at half the side, rounded down, and its norm: as `convolution`, with one row of zeros less."""
    def normed(x: Tensor) -> Tensor:
        y = conv2d(edged(x), "convolution", w=w, c=c, stride=2, pad=w // 2 - 1, groups=groups, bias=False)
        return batchnorm(y, "norm")
    return within(name, normed, x)


def gated(x: Tensor, r: Size) -> Tensor:
    """Each channel times a gate, which sees the mean of all over the image: 2c·r + r + c parameters."""
    c = x.axes["c"]
    y = activation(linear(mean_of_image(x), "squeeze", over="c", r=r), "silu", "silu")
    gate = pointwise(linear(y, "excite", over="r", c=c), kind="sigmoid")
    return pointwise(x, gate, kind="multiply", name="gate")


def block(x: Tensor, m: Size, r: Size, *, w: int, widening: int, stride: int = 1, short: bool = False,
          kept: bool = False) -> Tensor:
    """c_in to e = c_in·widening channels, w × w kernels, a gate, m channels.

    Parameters: c_in·e + 2e where there is a widening, w²·e + 2e, 2e·r + e + r, e·m + 2m.
    `short`: half the side is rounded down; `kept`: what came in is added.
    """
    e = x.axes["c"] * widening
    y = x if widening == 1 else activation(convolution(x, "expand", w=1, c=e), "silu", "silu")
    y = (cut_short(y, "depthwise", w=w, c=e, groups=e) if short else
         convolution(y, "depthwise", w=w, c=e, stride=stride, groups=e))
    y = within("gate", gated, activation(y, "silu", "silu"), r=r)
    y = convolution(y, "reduce", w=1, c=m)
    return residual(y, x) if kept else y


def body(z: Any) -> Tensor:
    """The last map, of width d, from images of side × side with c channels."""
    x = activation(cut_short(image(z), "embeddings", w=3, c=z.e), "silu", "silu")
    for i, (m, L, stride) in enumerate(zip(z.m, z.L, STRIDES, strict=True)):
        each = partial(block, w=KERNELS[i], widening=WIDENINGS[i])
        short = stride == 2 and str(i) not in z.whole.split()
        x = within(f"stages.{i}.first", each, x, m=m, r=z.r[i], stride=stride, short=short)
        x = within(f"stages.{i}.blocks", each, x, m=m, r=z.r[i + 1], kept=True, runs=L - 1)
    return activation(convolution(x, "last", w=1, c=z.d), "silu", "silu")


def classification(z: Any) -> Tensor:
    """C scores of the mean over the image: dC + C parameters."""
    return linear(mean_of_image(body(z)), "classifier", over="c", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """All widths and depths, which two coefficients scale; ranks of the gates; where half a side is rounded up."""
    wider, deeper, ratio = (config[key] for key in ("width_coefficient", "depth_coefficient",
                                                    "squeeze_expansion_ratio"))
    for key in ("width_coefficient", "depth_coefficient", "squeeze_expansion_ratio"):
        if isinstance(config[key], bool) or not isinstance(config[key], (int, float)) or not 0 < config[key] < 1000:
            raise ConfigError(f"{key} = {config[key]!r}: a number above 0 is needed")
    step = config["depth_divisor"]
    if type(step) is not int or step < 1:
        raise ConfigError(f"depth_divisor = {step!r}: a whole number of at least 1 is needed")

    def rounded(width: int) -> int:
        scaled = width * wider
        new = max(step, int(scaled + step / 2) // step * step)
        return int(new + step if new < 0.9 * scaled else new)
    before, after, repeats = stages(config, "in_channels", "out_channels", "num_block_repeats")
    if len(before) != len(STRIDES):
        raise ConfigError(f"in_channels has {len(before)} stages: seven are written")
    e, m, L = rounded(32), tuple(map(rounded, after)), tuple(ceil(deeper * n) for n in repeats)
    for i, (met, made) in enumerate(zip(map(rounded, before), (e, *m), strict=False)):
        if met != made:
            raise ConfigError(f"in_channels: stage {i + 1} takes {met} channels, and {made} come to it")
    if config["hidden_dim"] != rounded(1280):
        raise ConfigError(f"hidden_dim = {config['hidden_dim']!r}, and the last map has {rounded(1280)} channels")
    listed, firsts = config["depthwise_padding"], [sum(L[:i]) for i in range(len(L))]
    if not isinstance(listed, list) or any(type(n) is not int for n in listed):
        raise ConfigError("depthwise_padding: a list of the numbers of blocks is needed")
    return {"e": e, "m": m, "L": L, "d": rounded(1280), "r": tuple(max(1, int(n * ratio)) for n in (e, *m)),
            "whole": " ".join(str(i) for i, first in enumerate(firsts) if first in listed)}


def _efficientnet(count: int, *, side: int, e: int, m: tuple[int, ...], L: tuple[int, ...], d: int,
                  whole: str = "") -> Published:
    return measured("EfficientNetForImageClassification", count, c=3, side=side, C=1000, e=e, m=m, L=L, d=d,
                    r=tuple(n // 4 for n in (e, *m)), whole=whole)


_NARROW = (16, 24, 40, 80, 112, 192, 320)
_EVERY = "as in every release"
_BLOCK = "encoder.blocks.{i}"
_NAMES = {
    "expand": ("expansion.expand_conv", "expansion.expand_bn"),
    "depthwise": ("depthwise_conv.depthwise_conv", "depthwise_conv.depthwise_norm"),
    "reduce": ("projection.project_conv", "projection.project_bn"),
}

ARCHITECTURES = (Architecture(
    "efficientnet",
    classes={
        "EfficientNetModel": lambda z: (x := body(z), mean_of_image(x)),
        "EfficientNetForImageClassification": classification,
    },
    sizes="e m L d r",
    keys={"image_size": ("side", 600), "num_channels": ("c", 3), "num_labels": ("C", 2)},
    reads={
        "width_coefficient": 2.0,
        "depth_coefficient": 3.1,
        "depth_divisor": 8,
        "in_channels": [32, 16, 24, 40, 80, 112, 192],
        "out_channels": [16, 24, 40, 80, 112, 192, 320],
        "num_block_repeats": [1, 2, 2, 3, 3, 4, 1],
        "depthwise_padding": [],
        "squeeze_expansion_ratio": 0.25,
        "hidden_dim": 2560,
    },
    settle=settle,
    flags={"whole": ""},
    acts={"hidden_act": ("silu", "")},
    only={
        "kernel_sizes": (([*KERNELS],), _EVERY),
        "strides": (([*STRIDES],), _EVERY),
        "expand_ratios": (([*WIDENINGS],), _EVERY),
        "pooling_type": (("mean",), _EVERY),
    },
    ignored={
        **dict.fromkeys(("batch_norm_eps", "batch_norm_momentum"), "a constant"),
        **dict.fromkeys(("dropout_rate", "drop_connect_rate"), "dropout has no weights"),
        "num_hidden_layers": "computed from num_block_repeats",
    },
    stored={
        "embeddings.convolution": "embeddings.convolution",
        "embeddings.norm": "embeddings.batchnorm",
        **{f"stages.{block}.{ours}.{part}": f"{_BLOCK}.{theirs}" for block in ("first", "blocks")
           for ours, both in _NAMES.items() for part, theirs in zip(("convolution", "norm"), both, strict=True)},
        **{f"stages.{block}.gate.{ours}": (f"{_BLOCK}.squeeze_excite.{theirs}", "* 1 1")
           for block in ("first", "blocks") for ours, theirs in (("squeeze", "reduce"), ("excite", "expand"))},
        "last.convolution": "encoder.top_conv",
        "last.norm": "encoder.top_bn",
    },
    stored_heads={"classifier": "classifier"},
    base="efficientnet",
    published={
        "efficientnet-b0": _efficientnet(5_288_548, side=224, e=32, m=_NARROW, L=(1, 2, 2, 3, 3, 4, 1), d=1280),
        "efficientnet-b1": _efficientnet(7_794_184, side=240, e=32, m=_NARROW, L=(2, 3, 3, 4, 4, 5, 2), d=1280,
                                         whole="5"),
        "efficientnet-b7": _efficientnet(66_347_960, side=600, e=64, m=(32, 48, 80, 160, 224, 384, 640),
                                         L=(4, 7, 7, 10, 10, 13, 4), d=2560, whole="3"),
    },
),)
