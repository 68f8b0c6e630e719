"""Pixtral: the encoder of images of Pixtral 12B, whose patches are all one text, turned by row and column.

Source: Agrawal et al. 2024, "Pixtral 12B", section 2.2. transformers scores the patches of all images of a batch with
one another, and masks those of other images.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.settling import as_wide
from symcount.layers import norm
from symcount.layers.rotary_vision import gated_vision_block
from symcount.layers.vision import image, patches
from symcount.network import merge, repeat, select, split, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def tower(z: Any) -> Tensor:
    """Patches, a norm, L blocks without biases over all images: c·d·patch² + d + L(4d² + 3dh + 2d) parameters."""
    x = norm(patches(image(z), "patch", patch=z.patch, d=z.d, bias=False), "norm", shift=False)
    row = repeat(merge(x, s="b s"), b=1)
    row = within("layers", gated_vision_block, row, z=z, h=z.h, bias=False, mlp_bias=False, runs=z.L)
    return split(select(row, "b"), "s", b=z.b, s=x.axes["s"])


ARCHITECTURES = (Architecture(
    "pixtral",
    classes={"PixtralVisionModel": tower},
    sizes="side",
    keys={
        "hidden_size": ("d", 1024),
        "intermediate_size": ("h", 4096),
        "num_hidden_layers": ("L", 24),
        "num_attention_heads": ("heads", 16),
        "num_channels": ("c", 3),
        "patch_size": ("patch", 16),
    },
    reads={"head_dim": None},
    settle=as_wide,
    acts={"hidden_act": ("gelu", "layers")},
    ignored={
        "image_size": "positions turn queries and keys, and have no table",
    },
    stored={
        "patch": "patch_conv",
        "norm": "ln_pre",
        "layers.attention_norm": "transformer.layers.{i}.attention_norm",
        "layers.attention.query": "transformer.layers.{i}.attention.q_proj",
        "layers.attention.key": "transformer.layers.{i}.attention.k_proj",
        "layers.attention.value": "transformer.layers.{i}.attention.v_proj",
        "layers.attention.output": "transformer.layers.{i}.attention.o_proj",
        "layers.mlp_norm": "transformer.layers.{i}.ffn_norm",
        "layers.mlp.gate": "transformer.layers.{i}.feed_forward.gate_proj",
        "layers.mlp.up": "transformer.layers.{i}.feed_forward.up_proj",
        "layers.mlp.down": "transformer.layers.{i}.feed_forward.down_proj",
    },
    published={
        "pixtral-vision-400m": measured("PixtralVisionModel", 403_489_792, c=3, patch=16, d=1024, h=4096,
                                        L=24, heads=16),
    },
),)
