"""RegNet: stages of residual blocks with grouped kernels, each at half the side; Y has a gate for each channel.

Source: Radosavovic et al. 2020, "Designing network design spaces", section 4 and figure 4; the gate: Hu et al. 2018,
"Squeeze-and-excitation networks", section 3.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import BACKBONE, stages
from symcount.layers import activation, linear, residual
from symcount.layers.convolution import convolution
from symcount.layers.vision import image
from symcount.network import pointwise, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def gated(x: Tensor, r: Size) -> Tensor:
    """Each channel times a gate, which sees the mean of all over the image: 2c·r + r + c parameters."""
    c = x.axes["c"]
    y = pointwise(linear(pointwise(x, kind="mean", to="b c"), "squeeze", over="c", r=r), kind="relu")
    gate = pointwise(linear(y, "excite", over="r", c=c), kind="sigmoid")
    return pointwise(x, gate, kind="multiply", name="gate")


def block(x: Tensor, m: Size, *, group: Size, gate: bool, stride: int = 1, shortcut: bool = False) -> Tensor:
    """c_in·m + 9m·group + m² + 6m parameters; a gate c_in·m/2 + c_in/4 + m more, a shortcut c_in·m + 2m more."""
    y = activation(convolution(x, "conv1", w=1, c=m), "relu", "relu")
    y = activation(convolution(y, "conv2", w=3, c=m, stride=stride, groups=per(m, group)), "relu", "relu")
    y = within("attention", gated, y, r=per(x.axes["c"], 4)) if gate else y
    y = convolution(y, "conv3", w=1, c=m)
    x = convolution(x, "shortcut", w=1, c=m, stride=stride) if shortcut else x
    return activation(residual(y, x), "relu", "relu")


def body(z: Any) -> Tensor:
    """The last stage, from images of side × side with c channels."""
    x = activation(convolution(image(z), "embeddings", w=3, c=z.e, stride=2), "relu", "relu")
    each = partial(block, group=z.group, gate=z.gated)
    for i, (m, L) in enumerate(zip(z.m, z.L, strict=True)):
        x = within(f"stages.{i}.first", each, x, m=m, stride=2, shortcut=True)
        x = within(f"stages.{i}.blocks", each, x, m=m, runs=L - 1)
    return x


def classification(z: Any) -> Tensor:
    """C scores of the mean over the image: C·m + C parameters for the last width m."""
    return linear(pointwise(body(z), kind="mean", to="b c"), "classifier", over="c", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Widths and depths of the stages, groups that divide them, and whether channels have gates."""
    widths, depths = stages(config, "hidden_sizes", "depths")
    kind, group = config["layer_type"], config["groups_width"]
    if kind not in ("x", "y"):
        raise ConfigError(f"layer_type = {kind!r}: x or y is needed")
    if type(group) is not int or group < 1 or any(width % group for width in widths):
        raise ConfigError(f"groups_width = {group!r} does not divide every width of hidden_sizes")
    if kind == "y" and (odd := [width for width in (config["embedding_size"], *widths) if width % 4]):
        raise ConfigError(f"hidden_sizes: a gate needs a quarter of {odd[0]} channels")
    return {"m": widths, "L": depths, "group": group, "gated": kind == "y"}


def _regnet(count: int, m: tuple[int, ...], L: tuple[int, ...], group: int, *, gated: bool) -> Published:
    return measured("RegNetForImageClassification", count, c=3, side=224, e=32, m=m, L=L, group=group, C=1000,
                    gated=gated)


_x, _y = partial(_regnet, gated=False), partial(_regnet, gated=True)
_PARTS = {"convolution": "convolution", "norm": "normalization"}
_LAYERS = {"conv1": "layer.{i}", "conv2": "layer.{i}", "conv3": "layer.{i}", "shortcut": "shortcut"}
_LAYER = "encoder.stages.{i}.layers.{i}"

ARCHITECTURES = (Architecture(
    "regnet",
    classes={"RegNetModel": body, "RegNetForImageClassification": classification},
    sizes="side m L group",
    keys={"num_channels": ("c", 3), "embedding_size": ("e", 32), "num_labels": ("C", 2)},
    reads={"hidden_sizes": [128, 192, 512, 1088], "depths": [2, 6, 12, 2], "groups_width": 64, "layer_type": "y"},
    settle=settle,
    flags={"gated": True},
    only={"downsample_in_first_stage": ((True,), "as in every release")},
    ignored=BACKBONE,
    stored={
        **{f"embeddings.{ours}": f"embedder.embedder.{theirs}" for ours, theirs in _PARTS.items()},
        **{f"stages.{block}.{layer}.{part}": f"{_LAYER}.{their_layer}.{their_part}"
           for block in ("first", "blocks") for layer, their_layer in _LAYERS.items()
           for part, their_part in _PARTS.items()},
        **{f"stages.{block}.attention.{linear}": (f"{_LAYER}.layer.{{i}}.attention.{{i}}", "* 1 1")
           for block in ("first", "blocks") for linear in ("squeeze", "excite")},
    },
    stored_heads={"classifier": "classifier.{i}"},
    base="regnet",
    published={
        "regnet-x-002": _x(2_684_792, (24, 56, 152, 368), (1, 1, 4, 7), 8),
        "regnet-x-004": _x(5_157_512, (32, 64, 160, 384), (1, 2, 7, 12), 16),
        "regnet-x-032": _x(15_296_552, (96, 192, 432, 1008), (2, 6, 15, 2), 48),
        "regnet-x-160": _x(54_278_536, (256, 512, 896, 2048), (2, 6, 13, 1), 128),
        "regnet-y-002": _y(3_162_996, (24, 56, 152, 368), (1, 1, 4, 7), 8),
        "regnet-y-004": _y(4_344_144, (48, 104, 208, 440), (1, 3, 6, 6), 8),
        "regnet-y-006": _y(6_055_160, (48, 112, 256, 608), (1, 3, 7, 4), 16),
        "regnet-y-008": _y(6_263_168, (64, 128, 320, 768), (1, 3, 8, 2), 16),
        "regnet-y-016": _y(11_202_430, (48, 120, 336, 888), (2, 6, 17, 2), 24),
        "regnet-y-032": _y(19_436_338, (72, 216, 576, 1512), (2, 5, 13, 1), 24),
        "regnet-y-040": _y(20_646_656, (128, 192, 512, 1088), (2, 6, 12, 2), 64),
        "regnet-y-080": _y(39_180_068, (168, 448, 896, 2016), (2, 4, 10, 1), 56),
        "regnet-y-160": _y(83_590_140, (224, 448, 1232, 3024), (2, 4, 11, 1), 112),
        "regnet-y-320": _y(145_046_770, (232, 696, 1392, 3712), (2, 5, 12, 1), 232),
    },
),)
