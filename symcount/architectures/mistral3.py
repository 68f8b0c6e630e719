"""Mistral 3 with images: the tokens of a Pixtral tower, four of them as one, stand among the words of a Mistral.

All patches of all images are one row of tokens of the tower, of which eager attention computes every pair.

Source: Agrawal et al. 2024, "Pixtral 12B", section 2.2; Mistral AI 2025, "Mistral Small 3.1".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.hub import measured
from symcount.hub.multimodal import Part, seeing
from symcount.hub.settling import as_wide
from symcount.layers import linear, norm
from symcount.layers.projectors import side_by_side, two_maps
from symcount.layers.squares import turned_gated
from symcount.layers.vision import image, patches
from symcount.network import merge, repeat, select, split, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def tower(z: Any) -> Tensor:
    """Patches, a norm, L blocks without biases over all images: c·d·patch² + d + L(4d² + 3dh + 2d) parameters."""
    x = norm(patches(image(z), "patch", patch=z.patch, d=z.d, bias=False), "norm", shift=False)
    row = repeat(merge(x, s="b s"), b=1)
    row = within("layers", turned_gated, row, z=z, h=z.h, bias=False, mlp_bias=False, runs=z.L)
    return split(select(row, "b"), "s", b=z.b, s=x.axes["s"])


def projector(x: Tensor, z: Any) -> Tensor:
    """A norm, merge² tokens as one of the old width, two maps: merge²·d_img² + d_img + d·d_img + d² parameters.

    With biases 2d more.
    """
    x = side_by_side(norm(x, "norm", shift=False), z.merge * z.merge)
    return two_maps(linear(x, "merge", bias=False, d=z.d_img), h=z.d, d=z.d, bias=z.projector_bias)


def project(seen: tuple[Tensor, ...], z: Any) -> tuple[Tensor]:
    """The tokens of larger squares, in the width of the text."""
    return within("projector", projector, seen[0], z=z),


def shared(config: dict[str, Any]) -> dict[str, Any]:
    """Nothing; but heads share the width, and positions do not turn others."""
    as_wide(config)
    return {}


_PIXTRAL = Architecture(
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
    settle=shared,
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
)


def _mistral3(count: int, **sizes: Any) -> Published:
    return measured("Mistral3ForConditionalGeneration", count, **sizes, d_img=1024, h_img=4096, L_img=24, heads_img=16,
                    c=3, patch=14, merge=2)


ARCHITECTURES = (seeing(
    "mistral3", family,
    Part({"mistral": "mistral", "ministral3": "mistral"}, "language_model", {
        "hidden_size": 5120, "intermediate_size": 32768, "num_hidden_layers": 40, "num_attention_heads": 32,
        "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 131072, "sliding_window": None}),
    Part({"pixtral": _PIXTRAL}, "vision_tower", {"patch_size": 14}),
    project=project,
    classes={"Mistral3Model": False, "Mistral3ForConditionalGeneration": True},
    ties={"tie_word_embeddings": True},
    keys={"multimodal_projector_bias": ("projector_bias", False), "spatial_merge_size": ("merge", 2)},
    acts={"projector_hidden_act": ("gelu", "projector")},
    only={"vision_feature_layer": ((-1,), "what is read after another layer is not written")},
    stored={
        "projector.norm": "multi_modal_projector.norm",
        "projector.merge": "multi_modal_projector.patch_merger.merging_layer",
        "projector.up": "multi_modal_projector.linear_1",
        "projector.down": "multi_modal_projector.linear_2",
    },
    ignored={
        "image_token_index": "the number of a word",
        "image_token_id": "the number of a word",
        "vision_config.vocab_size": "of no tower",
    },
    published={
        "mistral-small-3.1-24b": _mistral3(24_011_361_280, V=131072, d=5120, h=32768, L=40, heads=32, kv=8, k=128,
                                           window=None, tied=False),
    },
), _PIXTRAL)
