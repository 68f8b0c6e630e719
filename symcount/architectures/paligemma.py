"""PaliGemma: each token of a SigLIP tower, mapped, stands before the words of a Gemma, which see it both ways.

Source: Beyer et al. 2024, "PaliGemma", section 3.1; Steiner et al. 2024, "PaliGemma 2", section 3.
"""

from __future__ import annotations

from symcount.architectures import family
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.multimodal import Part, seeing
from symcount.layers import linear
from symcount.network import idle
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def project(x: Tensor, *unread: Tensor, z: Any) -> Tensor:
    """One map of each token: d_img·d + d parameters. What SigLIP pools itself runs, and is not read."""
    return linear(idle(x, *unread), "projector", d=z.d)


def one_width(config: dict[str, Any]) -> dict[str, Any]:
    """Nothing; but the tokens must be mapped to the width of the text."""
    told, d = config["projection_dim"], config["text_config.hidden_size"]
    if told != d:
        raise ConfigError(f"projection_dim = {told!r} must be text_config.hidden_size = {d!r}: what the tower gives "
                          "stands among the words")
    return {}


_UNMASKED = "words see those after them, up to where the answer begins"


def _paligemma(count: int, *, side: int = 224) -> Published:
    return measured("PaliGemmaForConditionalGeneration", count, V=257216, d=2048, h=16384, L=18, heads=8, kv=1, k=256,
                    d_img=1152, h_img=4304, L_img=27, heads_img=16, c=3, patch=14, side=side, head_img=False)


ARCHITECTURES = (seeing(
    "paligemma", family,
    Part({"gemma": "gemma", "gemma2": "gemma"}, "language_model", {
        "hidden_size": 2048, "intermediate_size": 16384, "num_hidden_layers": 18, "num_attention_heads": 8,
        "num_key_value_heads": 1, "vocab_size": 257152}),
    Part({"siglip_vision_model": "siglip"}, "vision_tower", {
        "hidden_size": 1152, "intermediate_size": 4096, "num_hidden_layers": 27, "num_attention_heads": 16,
        "patch_size": 14, "image_size": 224, "vision_use_head": False}),
    project=project,
    classes={"PaliGemmaModel": False, "PaliGemmaForConditionalGeneration": True},
    ties={"tie_word_embeddings": True},
    reads={"projection_dim": 2048},
    settle=one_width,
    unmasked=_UNMASKED,
    stored={"projector": "multi_modal_projector.linear"},
    ignored={
        "image_token_index": "the number of a word",
        "image_token_id": "the number of a word",
        "ignore_index": "which labels a loss leaves out",
        "hidden_size": "read by nothing",
        "vocab_size": "read by nothing",
        "_vocab_size": "read by nothing",
        "text_config.num_image_tokens": "read by nothing",
        "vision_config.projection_dim": "projection_dim says it",
        "vision_config.num_image_tokens": "read by nothing",
        "vision_config.projector_hidden_act": "read by nothing",
        "vision_config.vocab_size": "read by nothing",
    },
    only={"text_config.use_bidirectional_attention": ((None, True, False), _UNMASKED)},
    published={
        "paligemma-3b-224": _paligemma(2_923_466_480),
        "paligemma-3b-448": _paligemma(2_924_351_216, side=448),
        "paligemma-3b-896": _paligemma(2_927_890_160, side=896),
    },
),)
