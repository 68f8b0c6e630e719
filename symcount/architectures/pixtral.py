"""Pixtral: the encoder of images of Pixtral 12B, whose patches are all one text, turned by row and column.

Source: Agrawal et al. 2024, "Pixtral 12B", section 2.2. transformers scores the patches of all images of a batch with
one another, and masks those of other images.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.images import vision_keys
from symcount.hub.settling import as_wide
from symcount.layers import attention, gated, norm, residual
from symcount.layers.vision import image, patches
from symcount.network import merge, rename, select, split, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 3dh + 2d parameters: no biases."""
    y = norm(x, "attention_norm", shift=False)
    x = residual(x, within("attention", attention, y, z=z, t=x.axes["s"], bias=False, position="rotary"))
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, kind="gelu"))


def body(z: Any) -> Tensor:
    """Patches with a norm, those of b images in a row, and L blocks: cd·patch² + d parameters beside the blocks."""
    x = split(patches(image(z), "patch", patch=z.patch, d=z.d, bias=False), "b", b=1, images=z.b)
    row = within("layers", block, norm(merge(x, s="images s"), "norm", shift=False), z=z, runs=z.L)
    return rename(split(select(row, "b"), "s", images=z.b, s=x.axes["s"]), images="b")


def shared(config: dict[str, Any]) -> dict[str, Any]:
    """Nothing; but heads share the width of the model."""
    as_wide(config)
    return {}


ARCHITECTURES = (Architecture(
    "pixtral",
    classes={"PixtralVisionModel": body},
    acts={"hidden_act": ("gelu", "layers")},
    keys={key: told for key, told in vision_keys(side=1024, patch=16, d=1024, h=4096, L=24, heads=16).items()
          if key != "num_labels"},
    reads={"head_dim": None},
    settle=shared,
    stored={
        "patch": "patch_conv",
        "norm": "ln_pre",
        **{f"layers.{ours}": f"transformer.layers.{{i}}.{theirs}" for ours, theirs in {
            "attention_norm": "attention_norm",
            **{f"attention.{name}": f"attention.{name[0]}_proj" for name in ("query", "key", "value", "output")},
            "mlp_norm": "ffn_norm",
            **{f"mlp.{name}": f"feed_forward.{name}_proj" for name in ("gate", "up", "down")},
        }.items()},
    },
    published={
        "pixtral-vision-400m": measured("PixtralVisionModel", 403_489_792, c=3, side=1024, patch=16, d=1024, h=4096,
                                        L=24, heads=16),
    },
),)
