"""ConvNeXT: stages of depthwise convolutions and MLPs, each at half the side of the one before; its version 2; DINOv3.

Source: Liu et al. 2022, "A ConvNet for the 2020s", section 2.6 and appendix A.4; Woo et al. 2023, "ConvNeXt V2",
section 3 and table 13; Siméoni et al. 2025, "DINOv3", section 5.2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import BACKBONE, stages
from symcount.layers import activation, linear, norm, residual
from symcount.layers.convolution import conv2d
from symcount.layers.vision import image, scaled
from symcount.network import concat, merge, pointwise, rename, repeat, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches of the image, and a norm: cd·patch² + 3d parameters."""
    return norm(rename(conv2d(x, "patch", w=z.patch, c=z.d[0], stride=z.patch), c="d"), "norm")


def stem(x: Tensor, z: Any) -> Tensor:
    """The same, with patches of 4 × 4: 16cd + 3d parameters."""
    return norm(rename(conv2d(x, "convolution", w=4, c=z.d[0], stride=4), c="d"), "norm")


def halved(x: Tensor, d: Size) -> Tensor:
    """A norm, then half the side and another width: 4d_in·d + 2d_in + d parameters."""
    return rename(conv2d(rename(norm(x, "norm"), d="c"), "convolution", w=2, c=d, stride=2), c="d")


def depthwise(x: Tensor) -> Tensor:
    """Each channel with its own 7 × 7 kernel, and a norm: 52d parameters."""
    d = x.axes["d"]
    return norm(rename(conv2d(rename(x, d="c"), "depthwise", w=7, c=d, pad=3, groups=d), c="d"), "norm")


def widened(x: Tensor) -> Tensor:
    """A depthwise kernel, and an MLP four times as wide: 8d² + 57d parameters."""
    d = x.axes["d"]
    y = activation(linear(depthwise(x), "mlp.up", h=4 * d), "gelu", "gelu")
    return linear(y, "mlp.down", over="h", d=d)


def block(x: Tensor, z: Any) -> Tensor:
    """8d² + 57d parameters; a gain for each channel d more."""
    y = widened(x)
    return residual(x, scaled(y, "scale") if z.scaled else y)


def gained_block(x: Tensor) -> Tensor:
    """8d² + 58d parameters."""
    return residual(x, scaled(widened(x), "scale"))


def normalised_block(x: Tensor, **_: Any) -> Tensor:
    """8d² + 65d parameters: the channels compete, how strong each is over the image."""
    d = x.axes["d"]
    y = activation(linear(depthwise(x), "mlp.up", h=4 * d), "gelu", "gelu")
    y = pointwise(y, weight("response.weight", h=4 * d), kind="response_norm", name="response")
    y = pointwise(y, weight("response.bias", h=4 * d), kind="bias", name="response")
    return residual(x, linear(y, "mlp.down", over="h", d=d))


def classes(prefix: str, block: Callable[..., Tensor]) -> dict[str, Callable[[Any], Any]]:
    """The mean over the image, with a norm; and C scores of it: dC + C parameters."""
    def body(z: Any) -> tuple[Tensor, Tensor]:
        x = within("embeddings", embedded, image(z), z=z)
        for i, (d, L) in enumerate(zip(z.d, z.L, strict=True)):
            x = x if i == 0 else within(f"stages.{i}.downsample", halved, x, d=d)
            x = within(f"stages.{i}.blocks", block, x, z=z, runs=L)
        return x, norm(pointwise(x, kind="mean", to="b d"), "norm")
    return {f"{prefix}Model": body,
            f"{prefix}ForImageClassification": lambda z: linear(body(z)[1], "classifier", C=z.C)}


def pyramid(z: Any) -> Tensor:
    """The mean over the image and then its tokens, with one norm: 2d parameters for the last width d.

    All widths as in ConvNeXT, every block with a gain.
    """
    x = within("stages.0.downsample", stem, image(z), z=z)
    for i, L in enumerate(z.L):
        x = x if i == 0 else within(f"stages.{i}.downsample", halved, x, d=z.d[i])
        x = within(f"stages.{i}.blocks", gained_block, x, runs=L)
    tokens = merge(x, s="i j")
    return norm(concat(repeat(pointwise(x, kind="mean", to="b d"), s=1), tokens, axis="s"), "norm")


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Widths and depths of the stages, of which there are as many as num_stages says."""
    widths, depths = stages(config, "hidden_sizes", "depths")
    if config["num_stages"] != len(widths):
        raise ConfigError(f"num_stages = {config['num_stages']!r}, and hidden_sizes has {len(widths)}")
    return {"d": widths, "L": depths}


def third(config: dict[str, Any]) -> dict[str, Any]:
    """Widths and depths of the stages, null where they are those of the class."""
    given = {key: _READS[key] if config[key] is None else config[key] for key in ("hidden_sizes", "depths")}
    widths, depths = stages(given, "hidden_sizes", "depths")
    return {"d": widths, "L": depths}


def gained(config: dict[str, Any]) -> dict[str, Any]:
    """The same, and whether blocks have gains: where they start at more than nothing."""
    start = config["layer_scale_init_value"]
    if isinstance(start, bool) or not isinstance(start, (int, float)):
        raise ConfigError(f"layer_scale_init_value = {start!r}: a number is needed")
    return {**settle(config), "scaled": start > 0}


def _convnext(count: int, d: int, L: int, version: str = "", **flags: bool) -> Published:
    return measured(f"ConvNext{version}ForImageClassification", count, c=3, side=224, patch=4, C=1000,
                    d=(d, 2 * d, 4 * d, 8 * d), L=(3, 3, L, 3) if L > 8 else (2, 2, L, 2), **flags)


def _pyramid(count: int, d: int, L: int) -> Published:
    return measured("DINOv3ConvNextModel", count, c=3, side=224, d=(d, 2 * d, 4 * d, 8 * d), L=(3, 3, L, 3))


_READS = {"num_stages": 4, "hidden_sizes": [96, 192, 384, 768], "depths": [3, 3, 9, 3]}
_KEYS = {
    "image_size": ("side", 224),
    "patch_size": ("patch", 4),
    "num_channels": ("c", 3),
    "num_labels": ("C", 2),
}
_IGNORED = {**BACKBONE, "drop_path_rate": "dropout has no weights"}
_BLOCK = "encoder.stages.{i}.layers.{i}"
_NAMES: dict[Any, Any] = {
    "embeddings.patch": "embeddings.patch_embeddings",
    "embeddings.norm": "embeddings.layernorm",
    "stages.downsample.norm": "encoder.stages.{i}.downsampling_layer.{i}",
    "stages.downsample.convolution": "encoder.stages.{i}.downsampling_layer.{i}",
    "stages.blocks.depthwise": f"{_BLOCK}.dwconv",
    "stages.blocks.norm": f"{_BLOCK}.layernorm",
    "stages.blocks.mlp.up": f"{_BLOCK}.pwconv1",
    "stages.blocks.mlp.down": f"{_BLOCK}.pwconv2",
    "norm": "layernorm",
}

ARCHITECTURES = (Architecture(
    "convnext",
    classes=classes("ConvNext", block),
    sizes="d L",
    keys=_KEYS,
    reads={**_READS, "layer_scale_init_value": 1e-6},
    settle=gained,
    flags={"scaled": True},
    ignored=_IGNORED,
    stored={**_NAMES, "stages.blocks.scale": f"{_BLOCK}.layer_scale_parameter"},
    stored_heads={"classifier": "classifier"},
    base="convnext",
    published={
        "convnext-tiny": _convnext(28_589_128, 96, 9, scaled=True),
        "convnext-small": _convnext(50_223_688, 96, 27, scaled=True),
        "convnext-base": _convnext(88_591_464, 128, 27, scaled=True),
        "convnext-large": _convnext(197_767_336, 192, 27, scaled=True),
        "convnext-xlarge": _convnext(350_196_968, 256, 27, scaled=True),
    },
), Architecture(
    "convnextv2",
    classes=classes("ConvNextV2", normalised_block),
    sizes="d L",
    keys=_KEYS,
    reads=_READS,
    settle=settle,
    ignored=_IGNORED,
    stored={
        **_NAMES,
        "stages.blocks.response.weight": (f"{_BLOCK}.grn.weight", "1 1 1 *"),
        "stages.blocks.response.bias": (f"{_BLOCK}.grn.bias", "1 1 1 *"),
    },
    stored_heads={"classifier": "classifier"},
    base="convnextv2",
    published={
        "convnextv2-atto": _convnext(3_708_400, 40, 6, "V2"),
        "convnextv2-femto": _convnext(5_233_240, 48, 6, "V2"),
        "convnextv2-pico": _convnext(9_066_280, 64, 6, "V2"),
        "convnextv2-nano": _convnext(15_623_800, 80, 8, "V2"),
        "convnextv2-tiny": _convnext(28_635_496, 96, 9, "V2"),
        "convnextv2-base": _convnext(88_717_800, 128, 27, "V2"),
        "convnextv2-large": _convnext(197_956_840, 192, 27, "V2"),
        "convnextv2-huge": _convnext(660_289_640, 352, 27, "V2"),
    },
), Architecture(
    "dinov3_convnext",
    classes={"DINOv3ConvNextModel": pyramid},
    sizes="d L",
    keys={"image_size": ("side", 224), "num_channels": ("c", 3)},
    reads={"hidden_sizes": None, "depths": None},
    settle=third,
    ignored={**_IGNORED, "layer_scale_init_value": "how weights start; there is always a gain",
             "num_labels": "no class classifies", "num_stages": "computed from hidden_sizes"},
    stored={
        "stages.downsample.norm": "model.stages.{i}.downsample_layers.{i}",
        "stages.downsample.convolution": "model.stages.{i}.downsample_layers.{i}",
        **{f"stages.blocks.{ours}": f"model.stages.{{i}}.layers.{{i}}.{theirs}" for ours, theirs in {
            "depthwise": "depthwise_conv",
            "norm": "layer_norm",
            "mlp.up": "pointwise_conv1",
            "mlp.down": "pointwise_conv2",
            "scale": "gamma",
        }.items()},
        "norm": "layer_norm",
    },
    published={
        "dinov3-convnext-tiny": _pyramid(27_820_128, 96, 9),
        "dinov3-convnext-base": _pyramid(87_566_464, 128, 27),
        "dinov3-convnext-large": _pyramid(196_230_336, 192, 27),
    },
))
