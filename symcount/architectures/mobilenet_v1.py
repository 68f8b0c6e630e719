"""MobileNet: each kernel is split into one for each channel alone, and a map between the channels of one place.

Source: Howard et al. 2017, "MobileNets: efficient convolutional neural networks for mobile vision applications",
section 3 and table 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.layers import activation, linear
from symcount.layers.convolution import convolution
from symcount.layers.vision import image, mean_of_image
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

DEPTHS, STRIDES = (1, 2, 2, 6, 2), (1, 2, 2, 2, 2)  # of the stages; a stage is what is of one width


def layer(x: Tensor, name: str, *, w: int = 1, c: Size, stride: int = 1, alone: bool = False) -> Tensor:
    """A convolution, its norm and relu6: w²·c_in·c + 2c parameters; each channel `alone`: w²·c + 2c."""
    return activation(convolution(x, name, w=w, c=c, stride=stride, groups=c if alone else None), "relu6", "relu6")


def separable(x: Tensor, m: Size, *, stride: int = 1) -> Tensor:
    """A 3 × 3 kernel for each channel, then a map to m channels: c_in·m + 11c_in + 2m parameters."""
    x = layer(x, "depthwise", w=3, c=x.axes["c"], stride=stride, alone=True)
    return layer(x, "pointwise", c=m)


def body(z: Any) -> Tensor:
    """The last stage, from images of side × side with c channels."""
    x = layer(image(z), "stem", w=3, c=z.e, stride=2)
    for i, (m, L, stride) in enumerate(zip(z.m, DEPTHS, STRIDES, strict=True)):
        x = within(f"stages.{i}.first", separable, x, m=m, stride=stride)
        x = within(f"stages.{i}.blocks", separable, x, m=m, runs=L - 1)
    return x


def classification(z: Any) -> Tensor:
    """C scores of the mean over the image: C·m + C parameters for the last width m."""
    return linear(mean_of_image(body(z)), "classifier", over="c", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """All widths, which depth_multiplier scales, and min_depth bounds."""
    by, least = config["depth_multiplier"], config["min_depth"]
    if isinstance(by, bool) or not isinstance(by, (int, float)) or not 0 < by < 1000:
        raise ConfigError(f"depth_multiplier = {by!r}: a number above 0 is needed")
    if type(least) is not int or least < 1:
        raise ConfigError(f"min_depth = {least!r}: a whole number of at least 1 is needed")
    e, *m = (max(int(32 * 2**i * by), least) for i in range(len(DEPTHS) + 1))
    return {"e": e, "m": tuple(m)}


def _mobilenet(count: int, e: int, side: int, C: int = 1001) -> Published:
    return measured("MobileNetV1ForImageClassification", count, c=3, side=side, C=C, e=e,
                    m=tuple(e * 2**i for i in range(1, len(DEPTHS) + 1)))


_PARTS = {"convolution": "convolution", "norm": "normalization"}

ARCHITECTURES = (Architecture(
    "mobilenet_v1",
    classes={
        "MobileNetV1Model": lambda z: (x := body(z), mean_of_image(x)),
        "MobileNetV1ForImageClassification": classification,
    },
    sizes="m e",
    keys={"image_size": ("side", 224), "num_channels": ("c", 3), "num_labels": ("C", 2)},
    reads={"depth_multiplier": 1.0, "min_depth": 8},
    settle=settle,
    acts={"hidden_act": ("relu6", "")},
    ignored={
        "tf_padding": "where zeros are added; no side changes",
        "classifier_dropout_prob": "dropout has no weights",
    },
    stored={
        **{f"stem.{ours}": f"conv_stem.{theirs}" for ours, theirs in _PARTS.items()},
        **{f"stages.{block}.{layer}.{part}": f"layer.{{i}}.{their_part}" for block in ("first", "blocks")
           for layer in ("depthwise", "pointwise") for part, their_part in _PARTS.items()},
    },
    stored_heads={"classifier": "classifier"},
    base="mobilenet_v1",
    published={
        "mobilenet-v1-1.0-224": _mobilenet(4_233_001, 32, 224),
        "mobilenet-v1-0.75-192": _mobilenet(2_586_329, 24, 192),
    },
),)
