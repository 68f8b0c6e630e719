"""InternVL and Qianfan-OCR: the tokens of a ViT whose blocks have learned gains, several as one, among the words.

Source: Chen et al. 2024, "InternVL 1.5", section 3.2; Zhu et al. 2025, "InternVL3", section 2.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import vision_keys, vit_names
from symcount.hub.multimodal import Part, seeing
from symcount.hub.settling import one_over
from symcount.layers import attention, mlp, norm, residual
from symcount.layers.attention import all_heads
from symcount.layers.projectors import side_by_side, two_maps
from symcount.layers.vision import image, mask_token, patches, placed, scaled, token
from symcount.network import cut, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embedded(z: Any) -> Tensor:
    """Patches and a token for the image: c·d·patch² + 2d parameters; d·s more with positions, d with a mask token."""
    x = patches(image(z), "patch", patch=z.patch, d=z.d)
    x = token(mask_token(x, "mask") if z.masks else x, "cls")
    return placed(x, "position") if z.positions else x


def block(x: Tensor, z: Any) -> Tensor:
    """The block of a ViT with a gain for all that is added: 4d² + 2dh + 8d + h parameters.

    With biases of queries, keys and values 3d more, with norms of queries and keys 2d; with RMSNorms 2d less.
    """
    y = within("attention", attention, norm(x, "attention_norm", shift=z.shifts), z=z, t=x.axes["s"],
               bias=z.attention_bias or "output", normed=all_heads if z.qk_norm else None)
    x = residual(x, scaled(y, "attention_scale"))
    y = within("mlp", mlp, norm(x, "mlp_norm", shift=z.shifts), h=z.h)
    return residual(x, scaled(y, "mlp_scale"))


def tower(z: Any) -> Tensor:
    """L blocks, and 2d parameters for a norm where the class does not take the mean."""
    x = within("layers", block, within("embeddings", embedded, z=z), z=z, runs=z.L)
    return x if z.mean else norm(x, "norm")


def projector(x: Tensor, z: Any) -> Tensor:
    """merge² tokens as one, a norm, two maps: n·d + d² + 2n + 2d parameters, where n is merge²·d_img."""
    return two_maps(norm(side_by_side(x, z.merge * z.merge), "norm"), h=z.d, d=z.d)


def project(x: Tensor, z: Any) -> Tensor:
    """The tokens of the patches, without that of the image."""
    x = cut(x, "s", 1, x.axes["s"] - 1)[1]
    return within("projector", projector, x, z=z)


def squares(config: dict[str, Any]) -> dict[str, Any]:
    """The sides of images and patches, which may be said twice, and which norm there is."""
    found: dict[str, Any] = {}
    for key, size in (("image_size", "side"), ("patch_size", "patch")):
        told = config[key]
        sides = told if isinstance(told, list) else [told, told]
        if len(sides) != 2 or sides[0] != sides[1] or type(sides[0]) is not int or sides[0] < 1:
            raise ConfigError(f"{key} = {told!r}: a positive whole number, or the same one twice, is needed")
        found[size] = sides[0]
    if config["norm_type"] not in ("layer_norm", "rms_norm"):
        raise ConfigError(f"norm_type = {config['norm_type']!r}: \"layer_norm\" or \"rms_norm\" is needed")
    return {**found, "shifts": config["norm_type"] == "layer_norm"}


def downsampled(config: dict[str, Any]) -> dict[str, Any]:
    """How many tokens a side become one."""
    return {"merge": one_over(config, "downsample_ratio")}


_KEYS = {key: told for key, told in vision_keys(side=448, patch=14, d=1024, h=4096, L=24, heads=16).items()
         if key not in ("image_size", "patch_size", "num_labels")}


def _vision(prefix: str, name: str, layer: str, *, bias: bool) -> Architecture:
    names = vit_names(layer, "layernorm_before", "layernorm_after")
    return Architecture(
        f"{name}_vision",
        classes={f"{prefix}VisionModel": tower},
        sizes="side patch",
        keys={
            **_KEYS,
            "attention_bias": ("attention_bias", bias),
            "use_qk_norm": ("qk_norm", False),
            "use_mask_token": ("masks", False),
            "use_absolute_position_embeddings": ("positions", True),
            "use_mean_pooling": ("mean", True),
        },
        reads={"image_size": [448, 448], "patch_size": [14, 14], "norm_type": "layer_norm"},
        settle=squares,
        flags={"shifts": True},
        acts={"hidden_act": ("gelu", "layers")},
        ignored={
            "projection_dropout": "dropout has no weights",
            "layer_scale_init_value": "how weights start, not how many there are",
        },
        stored={
            **{ours: theirs for ours, theirs in names.items() if ours != "pooler"},
            "embeddings.mask": ("embeddings.mask_token", "1 *"),
            "layers.attention.output": f"{layer}.attention.projection_layer",
            "layers.attention.query_norm": (f"{layer}.attention.q_norm", "d"),
            "layers.attention.key_norm": (f"{layer}.attention.k_norm", "d"),
            "layers.attention_scale": f"{layer}.lambda_1",
            "layers.mlp_scale": f"{layer}.lambda_2",
        },
    )




_300M = {"d_img": 1024, "h_img": 4096, "L_img": 24, "heads_img": 16, "attention_bias_img": True}
_6B = {"d_img": 3200, "h_img": 12800, "L_img": 45, "heads_img": 25, "qk_norm_img": True, "shifts_img": False}


def _internvl(count: int, **sizes: Any) -> Published:
    return measured("InternVLForConditionalGeneration", count, V=151674, **sizes, c=3, side=448, patch=14, merge=2,
                    tied=False)


def _whole(prefix: str, image: Architecture, texts: dict[str, str], published: dict[str, Published], *,
           tied: bool) -> Architecture:
    return seeing(
        image.name.removesuffix("_vision"), family,
        Part(texts, "language_model"),
        Part({image.name: image}, "vision_tower"),
        project=project,
        classes={f"{prefix}Model": False, f"{prefix}ForConditionalGeneration": True},
        ties={"tie_word_embeddings": tied},
        reads={"downsample_ratio": 0.5},
        settle=downsampled,
        sizes="merge",
        acts={"projector_hidden_act": ("gelu", "projector")},
        only={
            "vision_feature_layer": ((-1,), "what is read after another layer is not written"),
            "vision_feature_select_strategy": (("default",), "with the token of the image there is no square"),
        },
        stored={
            "projector.norm": "multi_modal_projector.layer_norm",
            "projector.up": "multi_modal_projector.linear_1",
            "projector.down": "multi_modal_projector.linear_2",
        },
        ignored={"image_token_id": "the number of a word", "image_seq_length": "how many words an image takes"},
        published=published,
    )


_TEXTS = {"qwen2": "qwen2", "qwen3": "qwen3", "qwen3_moe": "qwen3_moe", "llama": "llama", "mistral": "mistral",
          "phi3": "phi3", "gpt_oss": "gpt_oss"}
_VISION = _vision("InternVL", "internvl", "encoder.layer.{i}", bias=False)
_QIANFAN = _vision("QianfanOCR", "qianfan_ocr", "layers.{i}", bias=True)
ARCHITECTURES = (
    _whole("InternVL", _VISION, _TEXTS, {
        "internvl3-1b": _internvl(938_193_024, d=896, h=4864, L=24, heads=14, kv=2, k=64, **_300M),
        "internvl3-2b": _internvl(2_088_957_440, d=1536, h=8960, L=28, heads=12, kv=2, k=128, **_300M),
        "internvl3-8b": _internvl(7_944_373_760, d=3584, h=18944, L=28, heads=28, kv=4, k=128, **_300M),
        "internvl3-14b": _internvl(15_117_256_704, d=5120, h=13824, L=48, heads=40, kv=8, k=128, **_300M),
        "internvl3-38b": _internvl(38_388_164_992, d=5120, h=27648, L=64, heads=40, kv=8, k=128, **_6B),
        "internvl3-78b": _internvl(78_408_318_336, d=8192, h=29568, L=80, heads=64, kv=8, k=128, **_6B),
    }, tied=True),
    _whole("QianfanOCR", _QIANFAN, {"qwen3": "qwen3", "qwen2": "qwen2"}, {}, tied=False),
    _VISION, _QIANFAN,
)
