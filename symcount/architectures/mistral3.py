"""Mistral 3 with images: the tokens of a Pixtral tower, four of them as one, stand among the words of a Mistral.

Source: Agrawal et al. 2024, "Pixtral 12B", section 2.2; Mistral AI 2025, "Mistral Small 3.1".
"""

from __future__ import annotations

from symcount.architectures import family
from symcount.hub import measured
from symcount.hub.multimodal import Part, seeing
from symcount.layers import linear, norm
from symcount.layers.projectors import side_by_side, two_maps
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def projector(x: Tensor, z: Any) -> Tensor:
    """A norm, merge² tokens as one of the old width, two maps: merge²·d_img² + d_img + d·d_img + d² parameters.

    With biases 2d more.
    """
    x = side_by_side(norm(x, "norm", shift=False), z.merge * z.merge)
    return two_maps(linear(x, "merge", bias=False, d=z.d_img), h=z.d, d=z.d, bias=z.projector_bias)


def project(seen: tuple[Tensor, ...], z: Any) -> tuple[Tensor]:
    """The tokens of larger squares, in the width of the text."""
    return within("projector", projector, seen[0], z=z),


def _mistral3(count: int, **sizes: Any) -> Published:
    return measured("Mistral3ForConditionalGeneration", count, **sizes, d_img=1024, h_img=4096, L_img=24, heads_img=16,
                    c=3, side=1540, patch=14, merge=2)


ARCHITECTURES = (seeing(
    "mistral3", family,
    Part({"mistral": "mistral", "ministral3": "mistral"}, "language_model", {
        "hidden_size": 5120, "intermediate_size": 32768, "num_hidden_layers": 40, "num_attention_heads": 32,
        "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 131072, "sliding_window": None}),
    Part({"pixtral": "pixtral"}, "vision_tower", {"patch_size": 14, "image_size": 1540}),
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
),)
