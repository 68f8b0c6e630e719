"""LFM2-VL: the tokens of a SigLIP 2 tower of any size, four of them as one, stand among the words of an LFM2.

Source: Liquid AI 2025, "LFM2-VL: efficient vision-language models"; the tower: Tschannen et al. 2025, "SigLIP 2".
"""

from __future__ import annotations

from symcount.architectures import family
from symcount.hub import measured
from symcount.hub.multimodal import Part, seeing
from symcount.layers import norm
from symcount.layers.projectors import side_by_side, two_maps
from symcount.network import idle, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def projector(x: Tensor, z: Any) -> Tensor:
    """merge² tokens as one, and two maps: nm + md parameters, where n is merge²·d_img.

    With biases m + d more, with a norm 2n.
    """
    x = side_by_side(x, z.merge * z.merge)
    return two_maps(norm(x, "norm") if z.normed else x, h=z.m_img, d=z.d, bias=z.projector_bias)


def project(x: Tensor, *unread: Tensor, z: Any) -> Tensor:
    """The tokens of the patches; what SigLIP pools itself runs, and is not read."""
    return within("projector", projector, idle(x, *unread), z=z)


def tied(config: dict[str, Any]) -> dict[str, Any]:
    """An older key for tied words wins."""
    rest = {key: entry for key, entry in config.items() if key != "tie_embedding"}
    return {**rest, "tie_word_embeddings": config["tie_embedding"]} if "tie_embedding" in config else rest


def _lfm2(count: int, **sizes: Any) -> Published:
    return measured("Lfm2VlForConditionalGeneration", count, V=65536, L=16, L_attn=6, kv=8, k=64, w=3, **sizes, c=3,
                    patch=16, P_img=256, merge=2, m_img=2560, head_img=False)


_PROCESSOR = ("do_image_splitting", "encoder_patch_size", "max_image_tokens", "max_num_patches", "max_pixels_tolerance",
              "max_tiles", "min_image_tokens", "min_tiles", "tile_size", "use_image_special_tokens", "use_thumbnail")
ARCHITECTURES = (seeing(
    "lfm2_vl", family,
    Part({"lfm2": "lfm2"}, "language_model"),
    Part({"siglip2_vision_model": "siglip"}, "vision_tower"),
    project=project,
    classes={"Lfm2VlModel": False, "Lfm2VlForConditionalGeneration": True},
    ties={"tie_word_embeddings": True},
    rewritten=tied,
    keys={
        "downsample_factor": ("merge", 2),
        "projector_hidden_size": ("m_img", 2560),
        "projector_bias": ("projector_bias", True),
        "projector_use_layernorm": ("normed", True),
    },
    acts={"projector_hidden_act": ("gelu", "projector")},
    stored={
        "projector.norm": "multi_modal_projector.layer_norm",
        "projector.up": "multi_modal_projector.linear_1",
        "projector.down": "multi_modal_projector.linear_2",
    },
    ignored={
        "image_token_id": "the number of a word",
        "image_token_index": "the number of a word",
        **dict.fromkeys(_PROCESSOR, "how a processor cuts images"),
    },
    published={
        "lfm2-vl-450m": _lfm2(450_822_656, d=1024, h=4608, heads=16, d_img=768, h_img=3072, L_img=12, heads_img=12),
        "lfm2-vl-1.6b": _lfm2(1_584_804_000, d=2048, h=8192, heads=32, d_img=1152, h_img=4304, L_img=26, heads_img=16),
    },
),)
