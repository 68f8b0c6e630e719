"""Gemma 3 with images: the tokens of a SigLIP tower are pooled to so many an image, and mapped among the words.

Source: Gemma team 2025, "Gemma 3", section 2.1.
"""

from __future__ import annotations

from symcount.architectures import family
from symcount.hub import measured
from symcount.hub.multimodal import Part, seeing
from symcount.hub.settling import number
from symcount.layers import linear, norm
from symcount.layers.projectors import fitted
from symcount.network import idle, pointwise, split, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def projector(x: Tensor, z: Any) -> Tensor:
    """The mean of merge × merge tokens, a norm and a map: d_img·d + d_img parameters."""
    if z.pools:
        x = pointwise(split(x, "s", s=None, m=z.merge * z.merge), kind="mean", to="b s d")
    x = norm(fitted(x, x.axes["d"], fits=z.pools), "norm", shift=False)
    return linear(x, "input", bias=False, d=z.d)


def project(x: Tensor, *unread: Tensor, z: Any) -> Tensor:
    """The tokens of the patches; what SigLIP pools itself runs, and is not read."""
    return within("projector", projector, idle(x, *unread), z=z)


def pooling(config: dict[str, Any]) -> dict[str, Any]:
    """How many patches a side become one token, as many as an image has room for; none where there are too few."""
    patches = number(config, "vision_config.image_size") // number(config, "vision_config.patch_size")
    merge = patches // int(number(config, "mm_tokens_per_image") ** 0.5)
    pools = merge > 0 and patches % merge == 0
    return {"pools": pools, "merge": merge if pools else None}


def _gemma3(count: int, **sizes: Any) -> Published:
    return measured("Gemma3ForConditionalGeneration", count, V=262208, **sizes, window=1024, d_img=1152, h_img=4304,
                    L_img=27, heads_img=16, c=3, patch=14, side=896, merge=4, head_img=False)


ARCHITECTURES = (seeing(
    "gemma3", family,
    Part({"gemma3_text": "gemma"}, "language_model"),
    Part({"siglip_vision_model": "siglip"}, "vision_tower"),
    project=project,
    classes={"Gemma3Model": False, "Gemma3ForConditionalGeneration": True},
    ties={"tie_word_embeddings": True},
    reads={"mm_tokens_per_image": 256},
    sizes="merge",
    settle=pooling,
    flags={"pools": True},
    unmasked="the words of an image see each other both ways",
    stored={
        "projector.norm": "multi_modal_projector.mm_soft_emb_norm",
        "projector.input.weight": ("multi_modal_projector.mm_input_projection_weight", "d_img d"),
    },
    ignored=dict.fromkeys(("image_token_index", "boi_token_index", "eoi_token_index", "image_token_id", "boi_token_id",
                           "eoi_token_id"), "the number of a word"),
    published={
        "gemma-3-4b": _gemma3(4_300_079_472, d=2560, h=10240, L=34, L_global=5, heads=8, kv=4, k=256),
        "gemma-3-12b": _gemma3(12_187_325_040, d=3840, h=15360, L=48, L_global=8, heads=16, kv=8, k=256),
        "gemma-3-27b": _gemma3(27_432_406_640, d=5376, h=21504, L=62, L_global=10, heads=32, kv=16, k=128),
    },
),)
