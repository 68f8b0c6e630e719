"""PoolFormer: the blocks of a transformer, with a mean over 3 × 3 places where others have attention.

Source: Yu et al. 2022, "MetaFormer is actually what you need for vision", section 3 and table 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import stages
from symcount.hub.settling import ratio
from symcount.layers import linear, mlp, norm, residual
from symcount.layers.convolution import conv2d, pool
from symcount.layers.vision import image, scaled
from symcount.network import pointwise, rename, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

PATCHES, STRIDES, PADDING, POOLED = (7, 3, 3, 3), (4, 2, 2, 2), (2, 1, 1, 1), 3


def patched(x: Tensor, stage: int, d: Size) -> Tensor:
    """Patches that overlap: w²·d_in·d + d parameters."""
    x = rename(x, d="c")
    return rename(conv2d(x, "patch", w=PATCHES[stage], c=d, stride=STRIDES[stage], pad=PADDING[stage]), c="d")


def one_group(x: Tensor, name: str) -> Tensor:
    """A norm over all channels and places of an image, with a gain and a shift for each channel: 2d parameters."""
    return norm(x, name, kind="group_norm")


def block(x: Tensor, z: Any, h: Size) -> Tensor:
    """2dh + 5d + h parameters; with gains 2d more."""
    y = one_group(x, "pool_norm")
    around = rename(pool(rename(y, d="c"), "pool", w=POOLED, stride=1, pad=POOLED // 2, kind="mean"), c="d")
    y = pointwise(around, y, kind="subtract", name="difference")
    x = residual(x, scaled(y, "pool_scale") if z.scaled else y)
    y = within("mlp", mlp, one_group(x, "mlp_norm"), h=h)
    return residual(x, scaled(y, "mlp_scale") if z.scaled else y)


def body(z: Any) -> Tensor:
    """The tokens of the last stage, from images of side × side with c channels."""
    x = rename(image(z), c="d")
    for i, (d, h, L) in enumerate(zip(z.d, z.h, z.L, strict=True)):
        x = within(f"stages.{i}.embeddings", patched, x, stage=i, d=d)
        x = within(f"stages.{i}.blocks", block, x, z=z, h=h, runs=L)
    return x


def classification(z: Any) -> Tensor:
    """C scores of the mean over the image, with a norm before: C·d + C + 2d parameters for the last width d."""
    return linear(pointwise(one_group(body(z), "classifier.norm"), kind="mean", to="b d"), "classifier", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Widths and depths of the stages, and the widths of their MLPs."""
    widths, depths = stages(config, "hidden_sizes", "depths")
    if len(widths) != len(PATCHES):
        raise ConfigError(f"hidden_sizes has {len(widths)} stages: four are written")
    times = ratio(config, "mlp_ratio")
    return {"d": widths, "L": depths, "h": tuple(int(d * times) for d in widths)}


def _poolformer(count: int, d: tuple[int, ...], L: tuple[int, ...]) -> Published:
    return measured("PoolFormerForImageClassification", count, c=3, side=224, C=1000, d=d, L=L,
                    h=tuple(4 * n for n in d), scaled=True)


_EVERY = "as in every release"
_BLOCK = "encoder.block.{i}.{i}"

ARCHITECTURES = (Architecture(
    "poolformer",
    classes={"PoolFormerModel": body, "PoolFormerForImageClassification": classification},
    sizes="side d h L",
    keys={"num_channels": ("c", 3), "use_layer_scale": ("scaled", True), "num_labels": ("C", 2)},
    reads={"hidden_sizes": [64, 128, 320, 512], "depths": [2, 2, 6, 2], "mlp_ratio": 4.0},
    settle=settle,
    only={
        "num_encoder_blocks": ((4,), _EVERY),
        "patch_sizes": (([*PATCHES],), _EVERY),
        "strides": (([*STRIDES],), _EVERY),
        "padding": (([*PADDING],), _EVERY),
        "pool_size": ((POOLED,), _EVERY),
    },
    ignored={
        **dict.fromkeys(("patch_size", "stride"), "read by nothing; each stage has its own"),
        "layer_scale_init_value": "how weights start, not how many there are",
    },
    stored={
        "stages.embeddings.patch": "encoder.patch_embeddings.{i}.projection",
        "stages.blocks.pool_norm": f"{_BLOCK}.before_norm",
        "stages.blocks.pool_scale": f"{_BLOCK}.layer_scale_1",
        "stages.blocks.mlp_norm": f"{_BLOCK}.after_norm",
        "stages.blocks.mlp.up": (f"{_BLOCK}.output.conv1", "* 1 1"),
        "stages.blocks.mlp.down": (f"{_BLOCK}.output.conv2", "* 1 1"),
        "stages.blocks.mlp_scale": f"{_BLOCK}.layer_scale_2",
    },
    stored_heads={"classifier.norm": "norm", "classifier": "classifier"},
    base="poolformer",
    published={
        "poolformer-s12": _poolformer(11_915_176, (64, 128, 320, 512), (2, 2, 6, 2)),
        "poolformer-s24": _poolformer(21_388_968, (64, 128, 320, 512), (4, 4, 12, 4)),
        "poolformer-m36": _poolformer(56_172_520, (96, 192, 384, 768), (6, 6, 18, 6)),
    },
),)
