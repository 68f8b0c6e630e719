"""BiT: a ResNet whose blocks begin with a norm, over groups of channels, and whose kernels are standardised.

Source: Kolesnikov et al. 2020, "Big Transfer (BiT): general visual representation learning", section 3 and appendix;
He et al. 2016, "Identity mappings in deep residual networks", figure 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import BACKBONE, stages
from symcount.layers import activation, linear, norm, residual
from symcount.layers.convolution import conv2d, pool
from symcount.layers.vision import image
from symcount.network import pointwise, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

WIDENING = 4


def normed(x: Tensor, name: str) -> Tensor:
    """A norm over groups of channels, and relu: 2c parameters."""
    return activation(norm(x, name, over="c", kind="group_norm"), "relu", "relu")


def bottleneck(x: Tensor, m: Size, *, stride: int = 1, shortcut: bool = False) -> Tensor:
    """c_in·m + 13m² + 2c_in + 4m parameters; with a shortcut 4c_in·m more."""
    y = normed(x, "norm1")
    x = conv2d(y, "downsample", w=1, c=WIDENING * m, stride=stride, bias=False) if shortcut else x
    y = normed(conv2d(y, "conv1", w=1, c=m, bias=False), "norm2")
    y = normed(conv2d(y, "conv2", w=3, c=m, stride=stride, pad=1, bias=False), "norm3")
    return residual(conv2d(y, "conv3", w=1, c=WIDENING * m, bias=False), x)


def body(z: Any) -> Tensor:
    """The last stage with a norm, from images of side × side with c channels."""
    x = within("embeddings", lambda x: conv2d(x, "convolution", w=7, c=z.e, stride=2, pad=3, bias=False), image(z))
    pad = 1 if z.same == z.dynamic else 0 if z.same else 2  # two keys pad, each for itself: both, or neither of them
    x = pool(x, "pool", w=3, stride=2, pad=pad)
    for i, (m, L) in enumerate(zip(z.m, z.L, strict=True)):
        x = within(f"stages.{i}.first", bottleneck, x, m=m, stride=2 if i else 1, shortcut=True)
        x = within(f"stages.{i}.blocks", bottleneck, x, m=m, runs=L - 1)
    return normed(x, "norm")


def classification(z: Any) -> Tensor:
    """C scores of the mean over the image: 4m·C + C parameters for the last m."""
    return linear(pointwise(body(z), kind="mean", to="b c"), "classifier", over="c", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Widths inside the bottlenecks, and depths; whether all sides are padded to be a multiple of the stride."""
    widths, depths = stages(config, "hidden_sizes", "depths")
    padding, groups, e = config["global_padding"], config["num_groups"], config["embedding_size"]
    if padding is not None and (not isinstance(padding, str) or padding.lower() != "same"):
        raise ConfigError(f"global_padding = {padding!r}: null or \"same\" is needed")
    if odd := [width for width in widths if width % 32]:  # a quarter is rounded to a multiple of 8
        raise ConfigError(f"hidden_sizes: {odd[0]} is no multiple of 32")
    if len(widths) > 4:
        raise ConfigError(f"hidden_sizes has {len(widths)} stages: a fifth would keep the side, which is not written")
    if type(groups) is not int or groups < 1 or any(width % groups for width in (e, *(n // 4 for n in widths))):
        raise ConfigError(f"num_groups = {groups!r} does not divide the channels of every norm")
    return {"m": tuple(width // WIDENING for width in widths), "L": depths, "same": padding is not None}


def _bit(count: int, L: int) -> Published:
    return measured("BitForImageClassification", count, c=3, side=224, e=64, m=(64, 128, 256, 512), L=(3, 4, L, 3),
                    C=1000)


_LAYERS = {"norm1": "norm1", "downsample": "downsample.conv", "conv1": "conv1", "norm2": "norm2", "conv2": "conv2",
           "norm3": "norm3", "conv3": "conv3"}

ARCHITECTURES = (Architecture(
    "bit",
    classes={"BitModel": body, "BitForImageClassification": classification},
    sizes="side m L",
    keys={
        "num_channels": ("c", 3),
        "embedding_size": ("e", 64),
        "embedding_dynamic_padding": ("dynamic", False),
        "num_labels": ("C", 2),
    },
    reads={"hidden_sizes": [256, 512, 1024, 2048], "depths": [3, 4, 6, 3], "num_groups": 32, "global_padding": None},
    settle=settle,
    flags={"same": False},
    only={
        "layer_type": (("preactivation",), "the block of the backbone of a hybrid ViT is not written"),
        "width_factor": ((1,), "the last norm would have another width than its input"),
        "output_stride": ((32,), "dilated kernels are not written"),
    },
    ignored={**BACKBONE, "drop_path_rate": "dropout has no weights"},
    stored={
        "embeddings.convolution": "embedder.convolution",
        **{f"stages.{block}.{ours}": f"encoder.stages.{{i}}.layers.{{i}}.{theirs}" for block in ("first", "blocks")
           for ours, theirs in _LAYERS.items()},
        "norm": "norm",
    },
    stored_heads={"classifier": "classifier.{i}"},
    base="bit",
    published={
        "bit-50": _bit(25_549_352, 6),
        "bit-m-r101x1": _bit(44_541_480, 23),
    },
),)
