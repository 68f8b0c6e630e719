"""Idefics3 and SmolVLM: the tokens of a SigLIP tower, several of them as one, mapped among the words of a LLaMA.

An image is cut into squares of one size, each of which is an image here.

Source: Laurençon et al. 2024, "Building and better understanding vision-language models", section 3.1; Marafioti et
al. 2025, "SmolVLM", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.hub import measured
from symcount.hub.images import IMAGE_NAMES, fills, vision_keys
from symcount.hub.multimodal import Part, seeing
from symcount.layers import linear, norm
from symcount.layers.projectors import fitted, side_by_side
from symcount.layers.vision import image, patches, placed, vision_block
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embedded(z: Any) -> Tensor:
    """Patches and positions: c·d·patch² + d + d·s parameters."""
    return placed(patches(image(z), "patch", patch=z.patch, d=z.d), "position")


def tower(z: Any) -> Tensor:
    """L blocks of a ViT, and a norm: L(4d² + 2dh + 9d + h) + 2d parameters beside the embeddings."""
    return norm(within("layers", vision_block, within("embeddings", embedded, z=z), z=z, runs=z.L), "norm")


def project(x: Tensor, z: Any) -> Tensor:
    """merge² tokens as one, where they fill the image, and a map: merge²·d_img·d parameters."""
    n = z.merge * z.merge
    x = side_by_side(x, n) if z.joins else fitted(x, n * z.d_img, fits=False)
    return within("projector", linear, x, name="mlp", bias=False, d=z.d)


def joining(config: dict[str, Any]) -> dict[str, Any]:
    """Whether the patches a side are a multiple of those that become one; by the class defaults they are not."""
    return {"joins": fills(config, "scale_factor")}


_KEYS = {key: told for key, told in vision_keys(side=224, patch=32, d=1152, h=3072, L=12, heads=16).items()
         if key != "num_labels"}
_UNREAD = {
    **dict.fromkeys(("image_token_id", "_pad_token_id"), "the number of a word"),
    "image_seq_len": "how many words an image takes",
    **dict.fromkeys(("vocab_size", "text_config.perceiver_config", "text_config.pixel_shuffle_factor",
                     "text_config.qk_layer_norms", "text_config.use_resampler", "vision_config.max_image_size",
                     "vision_config.size", "vision_config.use_base_siglip"), "read by nothing"),
    "text_config.neftune_noise_alpha": "noise while training",
}


def _vision(prefix: str) -> Architecture:
    return Architecture(
        f"{prefix.lower()}_vision",
        classes={f"{prefix}VisionTransformer": tower},
        keys=_KEYS,
        acts={"hidden_act": ("gelu_pytorch_tanh", "layers")},
        stored=IMAGE_NAMES,
    )


def _seeing(prefix: str, count: int, *, d_img: int = 1152, side: int = 384, patch: int = 14, **sizes: Any) -> Published:
    small = {"h_img": 3072, "L_img": 12, "heads_img": 12}
    tower = small if d_img == 768 else {"h_img": 4304, "L_img": 27, "heads_img": 16}
    return measured(f"{prefix}ForConditionalGeneration", count, **sizes, d_img=d_img, **tower, c=3, side=side,
                    patch=patch)


def _whole(prefix: str, image: Architecture, published: dict[str, Published]) -> Architecture:
    return seeing(
        prefix.lower(), family,
        Part({"llama": "llama", "mistral": "mistral", "qwen2": "qwen2", "smollm3": "smollm3"}, "text_model"),
        Part({image.name: image, prefix.lower(): image}, "vision_model"),
        project=project,
        classes={f"{prefix}Model": False, f"{prefix}ForConditionalGeneration": True},
        ties={"tie_word_embeddings": False},
        keys={"scale_factor": ("merge", 2)},
        settle=joining,
        flags={"joins": True},
        stored={"projector.mlp": "connector.modality_projection.proj"},
        ignored=_UNREAD,
        published=published,
    )


_IDEFICS3, _SMOLVLM = _vision("Idefics3"), _vision("SmolVLM")
ARCHITECTURES = (
    _whole("Idefics3", _IDEFICS3, {
        "idefics3-8b-llama3": _seeing("Idefics3", 8_462_086_384, V=128259, d=4096, h=14336, L=32, heads=32, kv=8, k=128,
                                      side=364, merge=2),
        "smolvlm-instruct": _seeing("Idefics3", 2_246_272_880, V=49155, d=2048, h=8192, L=24, heads=32, kv=32, k=64,
                                    merge=3),
    }),
    _whole("SmolVLM", _SMOLVLM, {
        "smolvlm2-2.2b": _seeing("SmolVLM", 2_246_784_880, V=49280, d=2048, h=8192, L=24, heads=32, kv=32, k=64,
                                 merge=3),
        "smolvlm2-500m": _seeing("SmolVLM", 507_482_304, V=49280, d=960, h=2560, L=32, heads=15, kv=5, k=64, d_img=768,
                                 side=512, patch=16, merge=4),
        "smolvlm2-256m": _seeing("SmolVLM", 256_484_928, V=49280, d=576, h=1536, L=30, heads=9, kv=3, k=64, d_img=768,
                                 side=512, patch=16, merge=4),
    }),
    _IDEFICS3, _SMOLVLM,
)
