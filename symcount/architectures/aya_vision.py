"""Aya Vision and Command A Vision: SigLIP's tokens, four as one, go through a gated map among the words of a Cohere2.

An image is cut into squares of one size, each of which is an image here.

Source: Dash et al. 2025, "Aya Vision", section 3; Cohere 2025, "Command A Vision".
"""

from __future__ import annotations

from symcount.architectures import family
from symcount.hub import measured
from symcount.hub.images import fills
from symcount.hub.multimodal import Part, seeing
from symcount.layers import norm
from symcount.layers.projectors import fitted, halves, side_by_side
from symcount.network import idle, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def projector(x: Tensor, z: Any) -> Tensor:
    """merge² tokens as one, and a gated map: nm + m + md/2 + d parameters, where n is merge²·d_img.

    A norm before it has 2n more.
    """
    n = z.merge * z.merge
    x = side_by_side(x, n) if z.joins else fitted(x, n * z.d_img, fits=False)
    return halves(norm(x, "norm") if z.normed else x, m=z.m_img, d=z.d)


def project(x: Tensor, *unread: Tensor, z: Any) -> Tensor:
    """The tokens of the patches; what SigLIP pools itself runs, and is not read."""
    return within("projector", projector, idle(x, *unread), z=z)


def joining(config: dict[str, Any]) -> dict[str, Any]:
    """Whether the patches a side are a multiple of those that become one."""
    return {"joins": fills(config, "downsample_factor")}


_WORD = {"image_token_index": "the number of a word", "image_token_id": "the number of a word"}
_STORED = {"projector.up": "multi_modal_projector.linear_1", "projector.down": "multi_modal_projector.linear_2"}


def _cohere(cls: str, count: int, **sizes: Any) -> Published:
    return measured(f"{cls}ForConditionalGeneration", count, **sizes, d_img=1152, h_img=4304, L_img=27, heads_img=16,
                    c=3, head_img=False, merge=2)


ARCHITECTURES = (seeing(
    "aya_vision", family,
    Part({"cohere2": "cohere", "cohere": "cohere"}, "language_model"),
    Part({"siglip_vision_model": "siglip"}, "vision_tower", {
        "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 26, "num_attention_heads": 14,
        "patch_size": 14, "image_size": 384, "vision_use_head": False}),
    project=project,
    classes={"AyaVisionModel": False, "AyaVisionForConditionalGeneration": True},
    ties={"tie_word_embeddings": True},
    keys={"downsample_factor": ("merge", 2), "alignment_intermediate_size": ("m_img", None)},
    follows={"m_img": "d"},
    settle=joining,
    flags={"joins": True, "normed": True},
    only={
        "vision_feature_layer": ((-1,), "what is read after another layer is not written"),
        "vision_feature_select_strategy": (("full",), "without one token there is no square"),
    },
    stored={**_STORED, "projector.norm": "multi_modal_projector.layernorm"},
    ignored={**_WORD, "adapter_layer_norm_eps": "a constant", "max_splits_per_img": "into how many an image is cut"},
    published={
        "aya-vision-8b": _cohere("AyaVision", 8_686_376_176, V=256000, d=4096, h=14336, L=32, L_global=8, heads=32,
                                 kv=8, k=128, window=4096, side=364, patch=14, m_img=36864),
        "aya-vision-32b": _cohere("AyaVision", 33_030_321_392, V=256000, d=8192, h=24576, L=40, L_global=10, heads=64,
                                  kv=8, k=128, window=4096, side=364, patch=14, m_img=36864),
    },
), seeing(
    "cohere2_vision", family,
    Part({"cohere2": "cohere", "cohere": "cohere"}, "language_model"),
    Part({"siglip_vision_model": "siglip"}, "vision_tower", {
        "hidden_size": 1152, "intermediate_size": 3072, "num_hidden_layers": 27, "num_attention_heads": 12,
        "image_size": 512}),
    project=project,
    classes={"Cohere2VisionModel": False, "Cohere2VisionForConditionalGeneration": True},
    ties={"tie_word_embeddings": True},
    keys={"downsample_factor": ("merge", 2), "alignment_intermediate_size": ("m_img", 36864)},
    settle=joining,
    flags={"joins": True, "normed": False},
    stored=_STORED,
    ignored=_WORD,
    published={
        "command-a-vision": _cohere("Cohere2Vision", 111_867_525_360, V=256000, d=12288, h=36864, L=64, L_global=16,
                                    heads=96, kv=8, k=128, window=4096, side=512, patch=16, m_img=36864),
    },
))
