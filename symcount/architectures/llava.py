"""LLaVA: the tokens of a CLIP tower, each mapped into the width of a language model, stand among its words.

The tokens of the layer before the last are read; the last layer runs all the same in transformers, and is counted.
Source: Liu et al. 2023, "Visual instruction tuning", section 4.1; Liu et al. 2023, "Improved baselines with visual
instruction tuning", section 3.3 (the projector of two layers).
"""

from __future__ import annotations

from symcount.architectures import family
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.multimodal import Part, seeing
from symcount.layers.projectors import two_maps
from symcount.network import cut, idle, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def projector(x: Tensor, z: Any) -> Tensor:
    """Two linear maps: d_img·d + d² parameters, 2d more with biases."""
    return two_maps(x, h=z.d, d=z.d, bias=z.projector_bias)


def project(x: Tensor, *unread: Tensor, z: Any) -> Tensor:
    """The tokens of the patches, without that of the image if CLIP made one, in the width of the text."""
    x = cut(x, "s", 1, x.axes["s"] - 1)[1] if z.patches_alone else x
    return within("projector", projector, idle(x, *unread), z=z)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Whether the token of the image itself is left out."""
    strategy = config["vision_feature_select_strategy"]
    if strategy not in ("default", "full"):
        raise ConfigError(f"vision_feature_select_strategy = {strategy!r}: \"default\" or \"full\" is needed")
    return {"patches_alone": strategy == "default"}


def _llava(count: int, **sizes: Any) -> Any:
    return measured("LlavaForConditionalGeneration", count, d_img=1024, h_img=4096, L_img=24, heads_img=16, c=3,
                    side=336, patch=14, e_img=768, **sizes)


_TEXTS = {"llama": "llama", "mistral": "mistral", "qwen2": "qwen2", "qwen3": "qwen3", "phi3": "phi3"}
ARCHITECTURES = (seeing(
    "llava", family,
    Part(_TEXTS, "language_model"),
    Part({"clip_vision_model": "clip", "siglip_vision_model": "siglip"}, "vision_tower", {
        "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
        "patch_size": 14, "image_size": 336, "projection_dim": 768},
         early=True),
    project=project,
    classes={"LlavaModel": False, "LlavaForConditionalGeneration": True},
    ties={"tie_word_embeddings": False, "text_config.tie_word_embeddings": False},
    keys={"multimodal_projector_bias": ("projector_bias", True)},
    acts={"projector_hidden_act": ("gelu", "projector")},
    reads={"vision_feature_select_strategy": "default"},
    only={"vision_feature_layer": ((-2,), "what is read after another layer is not written")},
    settle=settle,
    flags={"patches_alone": True},
    stored={"projector.up": "multi_modal_projector.linear_1", "projector.down": "multi_modal_projector.linear_2"},
    ignored={"image_token_index": "the number of a word", "image_seq_length": "how many words an image takes",
             "image_token_id": "the number of a word", "vision_config.vocab_size": "a tower for images has no words"},
    published={
        "llava-1.5-7b": _llava(7_063_427_072, V=32064, d=4096, h=11008, L=32, heads=32, kv=32, k=128),
    },
),)
