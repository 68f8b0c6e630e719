"""LLaVA-NeXT and LLaVA-OneVision: an image is seen whole and as tiles, each of which is an image of the tower here.

How many tiles there are is for its shape to say; which of their tokens stand for words as well.
Source: Liu et al. 2024, "LLaVA-NeXT: improved reasoning, OCR, and world knowledge"; Li et al. 2024, "LLaVA-OneVision",
section 3.
"""

from __future__ import annotations

from symcount.architectures import family
from symcount.hub import measured
from symcount.hub.multimodal import Part, seeing
from symcount.layers.projectors import two_maps
from symcount.network import cut, idle, keep, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def mapped(x: Tensor, *unread: Tensor, z: Any) -> Tensor:
    """Two maps: d_img·d + d² parameters, 2d more with biases. At least one token of a tile stands for a word."""
    return keep(two_maps(idle(x, *unread), h=z.d, d=z.d, bias=z.projector_bias), s=1)


def project_next(x: Tensor, *unread: Tensor, z: Any) -> Tensor:
    """The tokens of the patches, without that of the image, and d parameters for a new line, set between rows."""
    return project_onevision(cut(x, "s", 1, x.axes["s"] - 1)[1], *unread, z=z)


def project_onevision(*seen: Tensor, z: Any) -> Tensor:
    """The same of all tokens: SigLIP has none for the image."""
    return idle(within("projector", mapped, *seen, z=z), weight("newline", d=z.d))


_KEYS = {"multimodal_projector_bias": ("projector_bias", True)}
_ACTS = {"projector_hidden_act": ("gelu", "projector")}
_STORED = {
    "newline": "image_newline",
    "projector.up": "multi_modal_projector.linear_1",
    "projector.down": "multi_modal_projector.linear_2",
}
_IGNORED = {
    **dict.fromkeys(("image_token_index", "image_token_id", "video_token_index", "video_token_id"),
                    "the number of a word"),
    "image_seq_length": "how many words an image takes",
    "image_grid_pinpoints": "into which tiles an image may be cut",
    "vision_aspect_ratio": "into how many tiles an image may be cut",
    "use_image_newline_parameter": "read by nothing",
    "vision_config.vocab_size": "of no tower",
}
_UNWRITTEN = "how the tokens of tiles are cut to the shape of an image"


def _next(count: int, **sizes: Any) -> Published:
    return measured("LlavaNextForConditionalGeneration", count, **sizes, d_img=1024, h_img=4096, L_img=24,
                    heads_img=16, c=3, side=336, patch=14, e_img=768)


def _onevision(count: int, **sizes: Any) -> Published:
    return measured("LlavaOnevisionForConditionalGeneration", count, **sizes, d_img=1152, h_img=4304, L_img=26,
                    heads_img=16, c=3, side=384, patch=14, head_img=False)


ARCHITECTURES = (seeing(
    "llava_next", family,
    Part({"llama": "llama", "mistral": "mistral", "qwen2": "qwen2"}, "language_model"),
    Part({"clip_vision_model": "clip"}, "vision_tower", {
        "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
        "patch_size": 14, "image_size": 336, "projection_dim": 768}, early=True),
    project=project_next,
    classes={"LlavaNextModel": False, "LlavaNextForConditionalGeneration": True},
    ties={"tie_word_embeddings": False},
    keys=_KEYS,
    acts=_ACTS,
    only={
        "vision_feature_layer": ((-2,), "what is read after another layer is not written"),
        "vision_feature_select_strategy": (("default",), "with the token of the image there is no square"),
    },
    stored=_STORED,
    ignored=_IGNORED,
    unwritten=_UNWRITTEN,
    published={
        "llava-v1.6-mistral-7b": _next(7_566_747_648, V=32064, d=4096, h=14336, L=32, heads=32, kv=8, k=128,
                                       window=None),
        "llava-v1.6-vicuna-7b": _next(7_063_431_168, V=32064, d=4096, h=11008, L=32, heads=32, kv=32, k=128),
        "llava-v1.6-vicuna-13b": _next(13_351_499_776, V=32064, d=5120, h=13824, L=40, heads=40, kv=40, k=128),
        "llava-v1.6-34b": _next(34_752_083_968, V=64064, d=7168, h=20480, L=60, heads=56, kv=8, k=128),
    },
), seeing(
    "llava_onevision", family,
    Part({"qwen2": "qwen2", "qwen3": "qwen3", "llama": "llama"}, "language_model"),
    Part({"siglip_vision_model": "siglip"}, "vision_tower", {
        "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 26, "num_attention_heads": 16,
        "patch_size": 14, "image_size": 384, "vision_use_head": False}),
    project=project_onevision,
    classes={"LlavaOnevisionModel": False, "LlavaOnevisionForConditionalGeneration": True},
    ties={"tie_word_embeddings": False, "text_config.tie_word_embeddings": False},
    keys=_KEYS,
    acts=_ACTS,
    only={
        "vision_feature_layer": ((-1,), "what is read after another layer is not written"),
        "vision_feature_select_strategy": (("full",), "without one token there is no square"),
    },
    stored=_STORED,
    ignored=_IGNORED,
    unwritten=_UNWRITTEN,
    published={
        "llava-onevision-0.5b": _onevision(893_675_552, V=152000, d=896, h=4864, L=24, heads=14, kv=2, k=64, tied=True),
        "llava-onevision-7b": _onevision(8_030_807_584, V=152128, d=3584, h=18944, L=28, heads=28, kv=4, k=128),
        "llava-onevision-72b": _onevision(73_181_570_592, V=152128, d=8192, h=29568, L=80, heads=64, kv=8, k=128),
    },
))
