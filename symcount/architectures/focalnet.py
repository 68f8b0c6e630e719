"""FocalNet: stages of tokens that are changed by what kernels of growing sides see around them, in place of attention.

Source: Yang et al. 2022, "Focal modulation networks", section 3 and table 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import BACKBONE, stages
from symcount.layers import linear, mlp, norm, residual
from symcount.layers.convolution import conv2d, edged
from symcount.layers.vision import image, scaled
from symcount.network import pointwise, rename, select, within
from symcount.sizes import up
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


MOST_LEVELS = 10  # whose names are known


def patched(x: Tensor, d: Size, step: Size, kernel: tuple[int, int, int] | None) -> Tensor:
    """Squares of `step`, or what a kernel of (side, stride, padding) sees, each to width d: w²·d_in·d + d parameters.

    The image is filled up with nothing to a multiple of `step` before.
    """
    x = edged(x, **{axis: up(x.axes[axis], step) - x.axes[axis] for axis in "ij"})
    x = rename(x, d="c")
    w, stride, pad = kernel or (step, step, 0)
    return rename(conv2d(x, "patch", w=w, c=d, stride=stride, pad=pad), c="d")


def modulated(x: Tensor, z: Any, kernels: list[int]) -> Tensor:
    """Each token times what is around it, at some distances and in the whole image, each with a gate.

    Parameters for n kernels: 4d² + 4d + (d + 1)(n + 1) for the maps, d·w² for each kernel of side w; a norm 2d more.
    """
    d = x.axes["d"]
    query, around = linear(x, "query", q=d), rename(linear(x, "context", c=d), c="c")
    gates, met = linear(x, "gates", level=len(kernels) + 1), None
    for level, w in enumerate(kernels):
        around = pointwise(conv2d(around, f"kernels.{level}", w=w, c=d, pad=w // 2, groups=d, bias=False), kind="gelu")
        part = pointwise(around, select(gates, "level", level), kind="multiply", name=f"gated_{level}")
        met = part if met is None else pointwise(met, part, kind="add", name=f"sum_{level}")
    whole = pointwise(pointwise(around, kind="mean", to="b c"), kind="gelu", name="whole")
    last = pointwise(select(gates, "level", len(kernels)), whole, kind="multiply", name="gated", to="b i j c")
    met = last if met is None else pointwise(met, last, kind="add", name="sum")
    y = pointwise(query, linear(met, "around", over="c", q=d), kind="multiply", name="product")
    y = rename(y, q="d")
    return linear(norm(y, "norm") if z.norm_inside else y, "outward", d=d)


def block(x: Tensor, z: Any, kernels: list[int]) -> Tensor:
    """`modulated`, then an MLP: 8d² + 9d parameters beside it; with gains 2d more. Norms come before, or behind."""
    d = x.axes["d"]
    y = within("modulation", modulated, x if z.norm_behind else norm(x, "modulation_norm"), z=z, kernels=kernels)
    y = norm(y, "modulation_norm") if z.norm_behind else y
    x = residual(x, scaled(y, "modulation_scale") if z.scaled else y)
    y = within("mlp", mlp, x if z.norm_behind else norm(x, "mlp_norm"), h=4 * d)
    y = norm(y, "mlp_norm") if z.norm_behind else y
    return residual(x, scaled(y, "mlp_scale") if z.scaled else y)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The tokens of the last stage with a norm, and their mean."""
    x = within("embeddings", patched, rename(image(z), c="d"), d=z.d, step=z.patch,
               kernel=(7, 4, 2) if z.overlapping else None)
    x = norm(x, "embeddings.norm")
    for i, (L, kernels) in enumerate(zip(z.L, z.kernels.split(), strict=True)):
        if i:
            x = within(f"stages.{i - 1}.downsample", patched, x, d=2 * x.axes["d"], step=2,
                       kernel=(3, 2, 1) if z.overlapping else None)
            x = norm(x, f"stages.{i - 1}.downsample.norm")
        x = within(f"stages.{i}.blocks", block, x, z=z, kernels=[int(w) for w in kernels.split("-")], runs=L)
    x = norm(x, "norm")
    return x, pointwise(x, kind="mean", to="b d")


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Depths of the stages, and the sides of the kernels in each: from its window on, two more a level."""
    L, levels, windows = stages(config, "depths", "focal_levels", "focal_windows")
    if even := [w for w in windows if w % 2 == 0]:
        raise ConfigError(f"focal_windows: a kernel of {even[0]} × {even[0]} does not keep the side of an image")
    if max(levels) > MOST_LEVELS:
        raise ConfigError(f"focal_levels = {list(levels)}: at most {MOST_LEVELS} are written")
    sides = ("-".join(str(w + 2 * k) for k in range(n)) for n, w in zip(levels, windows, strict=True))
    return {"L": L, "kernels": " ".join(sides)}


def _focalnet(count: int, d: int, L: tuple[int, ...], kernels: str, *, large: bool = False) -> Published:
    return measured("FocalNetForImageClassification", count, c=3, side=224, patch=4, C=1000, d=d, L=L,
                    kernels=" ".join([kernels] * 4), overlapping=large, scaled=large, norm_behind=large,
                    norm_inside=False)


_BLOCK = "encoder.stages.{i}.layers.{i}"

ARCHITECTURES = (Architecture(
    "focalnet",
    classes={
        "FocalNetModel": body,
        "FocalNetForImageClassification": lambda z: linear(body(z)[1], "classifier", C=z.C),
    },
    sizes="L",
    keys={
        "image_size": ("side", 224),
        "patch_size": ("patch", 4),
        "num_channels": ("c", 3),
        "embed_dim": ("d", 96),
        "use_conv_embed": ("overlapping", False),
        "use_layerscale": ("scaled", False),
        "use_post_layernorm": ("norm_behind", False),
        "use_post_layernorm_in_modulation": ("norm_inside", False),
        "num_labels": ("C", 2),
    },
    reads={"depths": [2, 2, 6, 2], "focal_levels": [2, 2, 2, 2], "focal_windows": [3, 3, 3, 3]},
    settle=settle,
    flags={"kernels": "3-5 3-5 3-5 3-5"},
    acts={"hidden_act": ("gelu", "mlp")},
    only={
        "mlp_ratio": ((4, 4.0), "the MLP is four times as wide as the tokens"),
        "normalize_modulator": ((False,), "a division by the number of kernels is not written"),
    },
    ignored={
        **BACKBONE,
        "hidden_sizes": "read by nothing; embed_dim is doubled in each stage",
        "layerscale_value": "how weights start, not how many there are",
        "encoder_stride": "read by masked image modelling only, which is not written",
    },
    stored={
        "embeddings.patch": "embeddings.patch_embeddings.projection",
        "embeddings.norm": "embeddings.norm",
        "stages.downsample.patch": "encoder.stages.{i}.downsample.projection",
        "stages.downsample.norm": "encoder.stages.{i}.downsample.norm",
        **{f"stages.blocks.{ours}": f"{_BLOCK}.{theirs}" for ours, theirs in {
            "modulation_norm": "norm1",
            "modulation.norm": "modulation.layernorm",
            "modulation.outward": "modulation.projection_out",
            "modulation_scale": "gamma_1",
            "mlp_norm": "norm2",
            "mlp.up": "mlp.fc1",
            "mlp.down": "mlp.fc2",
            "mlp_scale": "gamma_2",
            **{f"modulation.kernels.{level}": f"modulation.focal_layers.{level}.0" for level in range(MOST_LEVELS)},
        }.items()},
        tuple(f"stages.blocks.modulation.{name}" for name in ("query", "context", "gates")):
            f"{_BLOCK}.modulation.projection_in",
        "stages.blocks.modulation.around": (f"{_BLOCK}.modulation.projection_context", "* 1 1"),
        "norm": "layernorm",
    },
    stored_heads={"classifier": "classifier"},
    base="focalnet",
    published={
        "focalnet-tiny": _focalnet(28_427_116, 96, (2, 2, 6, 2), "3-5"),
        "focalnet-tiny-lrf": _focalnet(28_647_928, 96, (2, 2, 6, 2), "3-5-7"),
        "focalnet-base": _focalnet(88_148_144, 128, (2, 2, 18, 2), "3-5"),
    },
),)
