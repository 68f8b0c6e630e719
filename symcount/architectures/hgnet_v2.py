"""HGNet V2: blocks that join what each of their layers made, with cheaper layers in the last two stages.

Source: the network and the shapes that Baidu published as PPHGNetV2; Zhao et al. 2024, "DETRs beat YOLOs on real-time
object detection", section 4, which builds on it. transformers leaves out its last map before the classes.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import BACKBONE, stages
from symcount.layers import activation, linear, residual
from symcount.layers.convolution import batchnorm, conv2d, edged, pool
from symcount.layers.vision import image, mean_of_image
from symcount.network import concat, pointwise, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

HALVED, LIGHT, KERNELS = (False, True, True, True), (False, False, True, True), (3, 3, 5, 5)


def layer(x: Tensor, name: str, *, w: int, c: Size, stride: int = 1, alone: bool = False, act: bool = True,
          affine: bool = False) -> Tensor:
    """A kernel, its norm and relu: w²·c_in·c + 2c parameters, w²·c + 2c `alone`; for one scale and one shift 2 more."""
    def made(x: Tensor) -> Tensor:
        y = conv2d(x, "convolution", w=w, c=c, stride=stride, pad=(w - 1) // 2, groups=c if alone else None, bias=False)
        y = batchnorm(y, "norm")
        y = activation(y, "relu", "relu") if act else y
        if not (affine and act):
            return y
        y = pointwise(y, weight("affine.scale"), kind="multiply", name="scaled")
        return pointwise(y, weight("affine.bias", kinds="bias"), kind="bias", name="shifted")
    return within(name, made, x)


def stem(x: Tensor, z: Any) -> Tensor:
    """A quarter of the side: two ways from e channels to e, side by side, and two layers to m_0 channels."""
    x = edged(layer(x, "first", w=3, c=z.e, stride=2, affine=z.affine))
    y = edged(layer(x, "second", w=2, c=z.e // 2, affine=z.affine))
    y = layer(y, "third", w=2, c=z.e, affine=z.affine)
    x = concat(pool(x, "pool", w=2, stride=1), y, axis="c")
    x = layer(x, "fourth", w=3, c=z.e, stride=2, affine=z.affine)
    return layer(x, "fifth", w=1, c=z.m[0], affine=z.affine)


def block(x: Tensor, z: Any, d: Size, m: Size, *, layers: int, w: int, light: bool, kept: bool = False) -> Tensor:
    """Layers of width d one after another, then all that they made, and what came in, to m/2 and m channels.

    `light`: each is a map between channels and then a kernel for each alone.
    """
    made, y = x, x
    for i in range(layers):
        if light:
            y = layer(y, f"layers.{i}.mix", w=1, c=d, act=False)
            y = layer(y, f"layers.{i}.alone", w=w, c=d, alone=True, affine=z.affine)
        else:
            y = layer(y, f"layers.{i}", w=w, c=d, affine=z.affine)
        made = concat(made, y, axis="c")
    y = layer(layer(made, "squeeze", w=1, c=m // 2, affine=z.affine), "excite", w=1, c=m, affine=z.affine)
    return residual(y, x) if kept else y


def classification(z: Any) -> Tensor:
    """C scores of the mean over the last stage: C·m + C parameters for the last width m."""
    x = within("embeddings", stem, image(z), z=z)
    for i, (d, m, L, layers) in enumerate(zip(z.d, z.m[1:], z.L, z.layers.split(), strict=True)):
        like: dict[str, Any] = {"z": z, "d": d, "m": m, "layers": int(layers), "w": KERNELS[i], "light": LIGHT[i]}
        c = x.axes["c"]
        x = layer(x, f"stages.{i}.downsample", w=3, c=c, stride=2, alone=True, act=False) if HALVED[i] else x
        x = within(f"stages.{i}.first", block, x, **like)
        x = within(f"stages.{i}.blocks", block, x, **like, kept=True, runs=L - 1)
    return linear(mean_of_image(x), "scores", over="c", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Widths, depths and layers of the stages, each of which takes what the one before it made."""
    before, d, m, L, layers = stages(config, *(f"stage_{key}" for key in (
        "in_channels", "mid_channels", "out_channels", "num_blocks", "numb_of_layers")))
    (first,), (last,) = stages(config, "stem_channels"), stages(config, "hidden_sizes")
    if len(m) != len(KERNELS):
        raise ConfigError(f"stage_out_channels has {len(m)} stages: four are written")
    if len(first) != 3 or first[0] != config["num_channels"]:
        raise ConfigError("stem_channels: three numbers are needed, and the first is num_channels")
    if before != (first[2], *m[:-1]) or last[-1] != m[-1]:
        raise ConfigError("stage_in_channels, hidden_sizes: each stage takes as many channels as come to it")
    if max(layers) > MOST_LAYERS:
        raise ConfigError(f"stage_numb_of_layers: at most {MOST_LAYERS} are written")
    return {"e": first[1], "m": (first[2], *m), "d": d, "L": L, "layers": " ".join(map(str, layers))}


def _hgnet(count: int, *, e: int, m: tuple[int, ...], d: tuple[int, ...], L: tuple[int, ...], layers: str,
           affine: bool = False) -> Published:
    return measured("HGNetV2ForImageClassification", count, c=3, side=224, C=1000, e=e, m=m, d=d, L=L, layers=layers,
                    affine=affine)


MOST_LAYERS = 10  # whose names are known
_EVERY = "as in every release"
_STEM = {"first": "stem1", "second": "stem2a", "third": "stem2b", "fourth": "stem3", "fifth": "stem4"}
_BLOCK = "encoder.stages.{i}.blocks.{i}"


def _stored(ours: str, theirs: str) -> dict[str, Any]:
    return {f"{ours}.convolution": f"{theirs}.convolution", f"{ours}.norm": f"{theirs}.normalization",
            f"{ours}.affine.scale": (f"{theirs}.lab.scale", "1 *"), f"{ours}.affine.bias": f"{theirs}.lab.bias"}


def _names() -> dict[Any, Any]:
    found = _stored("stages.downsample", "encoder.stages.{i}.downsample")
    for ours, theirs in _STEM.items():
        found |= _stored(f"embeddings.{ours}", f"embedder.{theirs}")
    for one in ("first", "blocks"):
        for i in range(MOST_LAYERS):
            for ours, theirs in (("", ""), (".mix", ".conv1"), (".alone", ".conv2")):
                found |= _stored(f"stages.{one}.layers.{i}{ours}", f"{_BLOCK}.layers.{i}{theirs}")
        found |= _stored(f"stages.{one}.squeeze", f"{_BLOCK}.aggregation.0")
        found |= _stored(f"stages.{one}.excite", f"{_BLOCK}.aggregation.1")
    return found | {"scores": "fc"}


ARCHITECTURES = (Architecture(
    "hgnet_v2",
    classes={"HGNetV2ForImageClassification": classification},
    sizes="side e m d L",
    keys={
        "num_channels": ("c", 3),
        "use_learnable_affine_block": ("affine", False),
        "num_labels": ("C", 2),
    },
    reads={
        "stem_channels": [3, 32, 48],
        "hidden_sizes": [256, 512, 1024, 2048],
        "stage_in_channels": [48, 128, 512, 1024],
        "stage_mid_channels": [48, 96, 192, 384],
        "stage_out_channels": [128, 512, 1024, 2048],
        "stage_num_blocks": [1, 1, 3, 1],
        "stage_numb_of_layers": [6, 6, 6, 6],
    },
    settle=settle,
    flags={"layers": "6 6 6 6"},
    acts={"hidden_act": ("relu", "embeddings")},
    only={
        "stem_strides": (([2, 1, 1, 2, 1],), _EVERY),
        "stage_downsample": (([*HALVED],), _EVERY),
        "stage_downsample_strides": (([2, 2, 2, 2],), _EVERY),
        "stage_light_block": (([*LIGHT],), _EVERY),
        "stage_kernel_size": (([*KERNELS],), _EVERY),
    },
    ignored={**BACKBONE, **dict.fromkeys(("depths", "embedding_size"), "read by nothing but names of stages")},
    stored=_names(),
    published={
        "hgnet-v2-l": _hgnet(15_602_376, e=32, m=(48, 128, 512, 1024, 2048), d=(48, 96, 192, 384), L=(1, 1, 3, 1),
                             layers="6 6 6 6"),
        "hgnet-v2-b0": _hgnet(2_875_396, e=16, m=(16, 64, 256, 512, 1024), d=(16, 32, 64, 128), L=(1, 1, 2, 1),
                              layers="3 3 3 3", affine=True),
    },
),)
