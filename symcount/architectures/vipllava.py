"""ViP-LLaVA: what a CLIP tower holds after several of its layers, side by side, is mapped among the words.

Source: Cai et al. 2024, "ViP-LLaVA", section 3.2.
"""

from __future__ import annotations

from symcount.architectures import family
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.multimodal import Part, seeing
from symcount.layers import norm
from symcount.layers.projectors import two_maps
from symcount.network import cut, idle, merge, repeat, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def projector(x: Tensor, z: Any) -> Tensor:
    """L_read layers side by side, a norm, two maps: n·d + d² + 2n + 2d parameters, where n is L_read·d_img.

    What the last of them holds stands for all: their counts are the same.
    """
    return two_maps(norm(merge(repeat(x, n=z.L_read), d="n d"), "norm"), h=z.d, d=z.d)


def project(x: Tensor, *unread: Tensor, z: Any) -> Tensor:
    """The tokens of the patches, without that of the image."""
    x = idle(cut(x, "s", 1, x.axes["s"] - 1)[1], *unread)
    return within("projector", projector, x, z=z)


def layers(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are read, of which the last must be the one before the last of the tower."""
    told, L = config["vision_feature_layer"], config["vision_config.num_hidden_layers"]
    read = told if isinstance(told, list) else [told]
    if not read or any(type(i) is not int or not -L - 1 <= i <= L for i in read):
        raise ConfigError(f"vision_feature_layer = {told!r}: numbers of layers, from {-L - 1} to {L}, are needed")
    if max(i % (L + 1) for i in read) != L - 1:
        raise ConfigError(f"vision_feature_layer = {told!r}: that the last layer read is not the one before the last "
                          "is not written")
    return {"L_read": len(read)}


def _vip(count: int, **sizes: Any) -> Published:
    return measured("VipLlavaForConditionalGeneration", count, **sizes, d_img=1024, h_img=4096, L_img=24,
                    heads_img=16, c=3, side=336, patch=14, e_img=768, L_read=5)


ARCHITECTURES = (seeing(
    "vipllava", family,
    Part({"llama": "llama", "mistral": "mistral"}, "language_model"),
    Part({"clip_vision_model": "clip"}, "vision_tower", {
        "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
        "patch_size": 14, "image_size": 336, "projection_dim": 768}, early=True),
    project=project,
    classes={"VipLlavaModel": False, "VipLlavaForConditionalGeneration": True},
    ties={"tie_word_embeddings": False},
    reads={"vision_feature_layer": [-2, -5, -8, -11, 6]},
    aliases={"vision_feature_layers": "vision_feature_layer"},
    settle=layers,
    sizes="L_read",
    acts={"projector_hidden_act": ("gelu", "projector")},
    unwritten="what is read after the earlier layers",
    stored={
        "projector.norm": "multi_modal_projector.projector_layernorm",
        "projector.up": "multi_modal_projector.linear_1",
        "projector.down": "multi_modal_projector.linear_2",
    },
    ignored={
        "image_token_index": "the number of a word",
        "image_token_id": "the number of a word",
        "image_seq_length": "how many words an image takes",
        "projector_layernorm_eps": "a constant",
        "vision_feature_select_strategy": "read by nothing",
        "vision_config.vocab_size": "of no tower",
    },
    published={
        "vip-llava-7b": _vip(7_080_214_528, V=32064, d=4096, h=11008, L=32, heads=32, kv=32, k=128),
        "vip-llava-13b": _vip(13_372_476_416, V=32064, d=5120, h=13824, L=40, heads=40, kv=40, k=128),
    },
),)
