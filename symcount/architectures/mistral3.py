"""Mistral 3 and LightOnOCR: the tokens of a Pixtral tower, four of them as one, stand among the words.

Source: Agrawal et al. 2024, "Pixtral 12B", section 2.2; Mistral AI 2025, "Mistral Small 3.1"; LightOn 2025,
"LightOnOCR-1B".
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


def project(x: Tensor, z: Any) -> Tensor:
    """The tokens of larger squares, in the width of the text."""
    return within("projector", projector, x, z=z)


def rewritten(config: dict[str, Any]) -> dict[str, Any]:
    """A table that says no activation has that of Pixtral; one that is absent has another."""
    told = config.get("vision_config")
    return {**config, "vision_config": {"hidden_act": "gelu", **told}} if isinstance(told, dict) else config


def _mistral3(count: int, **sizes: Any) -> Published:
    return measured("Mistral3ForConditionalGeneration", count, **sizes, d_img=1024, h_img=4096, L_img=24, heads_img=16,
                    c=3, patch=14, merge=2)


def _names(theirs: str) -> dict[str, str]:
    return {"projector.norm": f"{theirs}.norm", "projector.merge": f"{theirs}.patch_merger.merging_layer",
            "projector.up": f"{theirs}.linear_1", "projector.down": f"{theirs}.linear_2"}


ARCHITECTURES = (seeing(
    "mistral3", family,
    Part({"mistral": "mistral", "ministral3": "mistral"}, "language_model", {
        "hidden_size": 5120, "intermediate_size": 32768, "num_hidden_layers": 40, "num_attention_heads": 32,
        "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 131072, "sliding_window": None}),
    Part({"pixtral": "pixtral"}, "vision_tower", {"patch_size": 14}),
    project=project,
    classes={"Mistral3Model": False, "Mistral3ForConditionalGeneration": True},
    ties={"tie_word_embeddings": True},
    keys={"multimodal_projector_bias": ("projector_bias", False), "spatial_merge_size": ("merge", 2)},
    acts={"projector_hidden_act": ("gelu", "projector")},
    only={"vision_feature_layer": ((-1,), "what is read after another layer is not written")},
    stored=_names("multi_modal_projector"),
    ignored={
        "image_token_index": "the number of a word",
        "image_token_id": "the number of a word",
        "vision_config.vocab_size": "of no tower",
    },
    published={
        "mistral-small-3.1-24b": _mistral3(24_011_361_280, V=131072, d=5120, h=32768, L=40, heads=32, kv=8, k=128,
                                           window=None, tied=False),
    },
), seeing(
    "lighton_ocr", family,
    Part({"qwen3": "qwen3", "qwen2": "qwen2", "mistral": "mistral"}, "language_model", {
        "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16,
        "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "sliding_window": None}),
    Part({"pixtral": "pixtral"}, "vision_encoder", {"patch_size": 14}),
    project=project,
    classes={"LightOnOcrModel": False, "LightOnOcrForConditionalGeneration": True},
    ties={"tie_word_embeddings": True},
    keys={"spatial_merge_size": ("merge", 2)},
    acts={"vision_config.hidden_act": ("silu", "image")},
    rewritten=rewritten,
    flags={"projector_bias": False},
    stored=_names("vision_projection"),
    ignored={
        "image_token_id": "the number of a word",
        "multimodal_projector_bias": "the projector has no biases in any case",
        "projector_hidden_act": "it is GELU in any case",
        "vision_feature_layer": "what the last layer gives is read in any case",
    },
    published={
        "lightonocr-1b": measured("LightOnOcrForConditionalGeneration", 1_005_647_872, V=151936, d=1024, h=3072, L=28,
                                  heads=16, kv=8, k=128, d_img=1024, h_img=4096, L_img=24, heads_img=16, c=3,
                                  patch=14, merge=2, tied=True),
    },
))
