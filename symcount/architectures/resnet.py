"""ResNet: stages of residual blocks, each stage after the first at half the side.

Source: He et al. 2016, "Deep residual learning for image recognition", table 1 and section 3.3; the stride of a
bottleneck is on its 3 × 3 convolution, as in torchvision and transformers ("v1.5").
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import stages
from symcount.layers import activation, linear, residual
from symcount.layers.convolution import convolution, pool
from symcount.network import pointwise, tensor, within
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def bottleneck(x: Tensor, m: Size, *, stride: int = 1, shortcut: bool = False, early: bool = False) -> Tensor:
    """c_in·m + 9m² + 4m² + 12m parameters; with a shortcut 4c_in·m + 8m more. `early`: the first kernel strides."""
    first, second = (stride, 1) if early else (1, stride)
    y = pointwise(convolution(x, "conv1", w=1, c=m, stride=first), kind="relu")
    y = pointwise(convolution(y, "conv2", w=3, c=m, stride=second), kind="relu")
    y = convolution(y, "conv3", w=1, c=4 * m)
    x = convolution(x, "shortcut", w=1, c=4 * m, stride=stride) if shortcut else x
    return activation(residual(y, x), "relu", "relu")


def basic(x: Tensor, m: Size, *, stride: int = 1, shortcut: bool = False) -> Tensor:
    """9c_in·m + 9m² + 4m parameters; with a shortcut c_in·m + 2m more."""
    y = pointwise(convolution(x, "conv1", w=3, c=m, stride=stride), kind="relu")
    y = convolution(y, "conv2", w=3, c=m)
    x = convolution(x, "shortcut", w=1, c=m, stride=stride) if shortcut else x
    return activation(residual(y, x), "relu", "relu")


def stage(x: Tensor, z: Any, m: Size, L: Size, *, stride: int, shortcut: bool) -> Tensor:
    """L blocks, of which the first changes the channels, and the side if the stride is 2."""
    block = partial(bottleneck, early=z.downsample_first) if z.bottleneck else basic
    x = within("first", block, x, m=m, stride=stride, shortcut=shortcut)
    return within("blocks", block, x, m=m, runs=L - 1)


def body(z: Any) -> Tensor:
    """The last stage, from images of side × side with c channels."""
    x = tensor(b=z.b, i=z.side, j=z.side, c=z.c)
    first = z.downsample_in_first_stage or z.first_shortcut
    e = z.e if first else exactly(z.e, 4 * z.m[0] if z.bottleneck else z.m[0])
    x = activation(convolution(x, "embeddings", w=7, c=e, stride=2), "relu", "relu")
    x = pool(x, "pool", w=3, stride=2, pad=1)
    for i, (m, L) in enumerate(zip(z.m, z.L, strict=True)):
        stride = 2 if i > 0 or z.downsample_in_first_stage else 1
        x = within(f"stages.{i}", stage, x, z=z, m=m, L=L, stride=stride, shortcut=i > 0 or first)
    return x


def classification(z: Any) -> Tensor:
    """Scores of C classes, from the mean over the image."""
    return linear(pointwise(body(z), kind="mean", to="b c"), "classifier", over="c", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Widths and depths of the stages; a first shortcut where the channels change."""
    kind = config["layer_type"]
    if kind not in ("basic", "bottleneck"):
        raise ConfigError(f"layer_type = {kind!r}: basic or bottleneck is needed")
    widths, depths = stages(config, "hidden_sizes", "depths")
    widening = 4 if kind == "bottleneck" else 1
    if odd := [n for n in widths if n % widening]:
        raise ConfigError(f"hidden_sizes: {odd[0]} is no multiple of 4, the widening of a bottleneck")
    return {"m": tuple(n // widening for n in widths), "L": depths, "bottleneck": kind == "bottleneck",
            "first_shortcut": config["embedding_size"] != widths[0]}


def _resnet(count: int, L: tuple[int, ...], *, bottleneck: bool) -> Published:
    return measured("ResNetForImageClassification", count, c=3, e=64, m=(64, 128, 256, 512), L=L, C=1000, side=224,
                    bottleneck=bottleneck, first_shortcut=bottleneck)


_PARTS = {"convolution": "convolution", "norm": "normalization"}
_LAYERS = {"conv1": "layer.{i}", "conv2": "layer.{i}", "conv3": "layer.{i}", "shortcut": "shortcut"}

ARCHITECTURES = (Architecture(
    "resnet",
    classes={"ResNetModel": body, "ResNetForImageClassification": classification},
    sizes="side m L",
    keys={
        "num_channels": ("c", 3),
        "embedding_size": ("e", 64),
        "downsample_in_first_stage": ("downsample_in_first_stage", False),
        "downsample_in_bottleneck": ("downsample_first", False),
        "num_labels": ("C", 2),
    },
    reads={"hidden_sizes": [256, 512, 1024, 2048], "depths": [3, 4, 6, 3], "layer_type": "bottleneck"},
    settle=settle,
    flags={"bottleneck": True, "first_shortcut": True},
    stored={
        **{f"embeddings.{ours}": f"embedder.embedder.{theirs}" for ours, theirs in _PARTS.items()},
        **{f"stages.{block}.{layer}.{part}": f"encoder.stages.{{i}}.layers.{{i}}.{their_layer}.{their_part}"
           for block in ("first", "blocks") for layer, their_layer in _LAYERS.items()
           for part, their_part in _PARTS.items()},
    },
    stored_heads={"classifier": "classifier.{i}"},
    base="resnet",
    ignored=dict.fromkeys(("stage_names", "out_features", "out_indices"), "chooses what is returned"),
    published={
        "resnet-18": _resnet(11_689_512, (2, 2, 2, 2), bottleneck=False),
        "resnet-34": _resnet(21_797_672, (3, 4, 6, 3), bottleneck=False),
        "resnet-50": _resnet(25_557_032, (3, 4, 6, 3), bottleneck=True),
        "resnet-101": _resnet(44_549_160, (3, 4, 23, 3), bottleneck=True),
        "resnet-152": _resnet(60_192_808, (3, 8, 36, 3), bottleneck=True),
    },
),)
