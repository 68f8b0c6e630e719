"""Qwen2-VL, Qwen2.5-VL and EXAONE 4.5: images of any size; a larger square of patches stands for one word.

From Qwen2.5-VL on most layers of the tower attend within windows, which must fill the image here.

Source: Wang et al. 2024, "Qwen2-VL", section 2.1; Bai et al. 2025, "Qwen2.5-VL technical report", section 2.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.hub import measured
from symcount.hub.multimodal import Part, nested, seeing
from symcount.hub.settling import listed, number
from symcount.layers.rotary_vision import gated_vision_block, in_windows, patch_merger, rotary_vision_block, squares
from symcount.network import within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def tower(z: Any) -> Tensor:
    """Squares without a bias, L blocks, and what merges: c·d·tube·patch² + L(4d² + 2dh + 9d + h) parameters beside it.

    What merges has merge⁴·d² + merge²(de + d) + e + 2d.
    """
    x = within("layers", rotary_vision_block, within("embeddings", squares, z=z, bias=False), z=z, runs=z.L)
    return within("merger.mlp", patch_merger, x, z=z, last=False)


def block(x: Tensor, z: Any, kv: Size | None = None) -> Tensor:
    """4d² + 3dh + 7d + 2h parameters, with fewer heads of keys and values 2(d + 1)(d - k·kv) less."""
    return gated_vision_block(x, z, h=z.h, kv=kv)


def windowed(x: Tensor, z: Any, kv: Size | None) -> Tensor:
    """The same, of each window of w × w patches."""
    return in_windows(x, z.w * z.w, lambda y: block(y, z, kv))


def tower_2_5(z: Any, kv: Size | None = None) -> Tensor:
    """The same with windows in all layers but L_global: L(4d² + 3dh + 7d + 2h) parameters, and d less to merge."""
    x = within("embeddings", squares, z=z, bias=False)
    x = within("layers.local", windowed, x, z=z, kv=kv, runs=rest(z.L, z.L_global))
    x = within("layers.global", block, x, z=z, kv=kv, runs=z.L_global)
    return within("merger.mlp", patch_merger, x, z=z, last=False, shift=False)


def wide(config: dict[str, Any]) -> dict[str, Any]:
    """The width of the MLP, which is said as a multiple."""
    return {"h": number(config, "embed_dim") * number(config, "mlp_ratio")}


def windows(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have no windows, and how many patches a side a window has: a multiple of what is merged."""
    patch, merge = number(config, "patch_size"), number(config, "spatial_merge_size")
    return {"L_global": listed(config, "fullatt_block_indexes", number(config, "depth")),
            "w": number(config, "window_size") // merge // patch * merge}


KEYS: dict[str, tuple[str, Any]] = {
    "depth": ("L", 32),
    "num_heads": ("heads", 16),
    "in_channels": ("c", 3),
    "patch_size": ("patch", 14),
    "spatial_merge_size": ("merge", 2),
    "temporal_patch_size": ("tube", 2),
}
STORED: dict[Any, Any] = {
    "embeddings.patch.weight": ("patch_embed.proj.weight", "d c tube patch patch"),
    "layers.attention_norm": "blocks.{i}.norm1",
    **{tuple(f"layers.attention.{one}.{leaf}" for one in ("query", "key", "value")): f"blocks.{{i}}.attn.qkv.{leaf}"
       for leaf in ("weight", "bias")},
    "layers.attention.output": "blocks.{i}.attn.proj",
    "layers.mlp_norm": "blocks.{i}.norm2",
    "merger.mlp.norm": "merger.ln_q",
    "merger.mlp.up": "merger.mlp.0",
    "merger.mlp.down": "merger.mlp.2",
}
UNREAD = dict.fromkeys(("in_chans", "spatial_patch_size"), "read by nothing: it is in_channels, patch_size")
ALIASES = {"num_attention_heads": "num_heads", "num_hidden_layers": "depth"}
WORDS = dict.fromkeys(("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id",
                       "vision_token_id"), "the number of a word")
_VISION = Architecture(
    "qwen2_vl_vision",
    classes={"Qwen2VisionTransformerPretrainedModel": tower},
    keys={**KEYS, "embed_dim": ("d", 1280), "hidden_size": ("e", 3584)},
    reads={"mlp_ratio": 4},
    settle=wide,
    sizes="side h",
    aliases=ALIASES,
    acts={"hidden_act": ("quick_gelu", "layers")},
    ignored=UNREAD,
    stored={**STORED, "layers.mlp.up": "blocks.{i}.mlp.fc1", "layers.mlp.down": "blocks.{i}.mlp.fc2"},
)


def _vision_2_5(name: str, cls: str, keys: dict[str, tuple[str, Any]],
                forward: Callable[[Any], Tensor]) -> Architecture:
    return Architecture(
        f"{name}_vision",
        classes={cls: forward},
        keys={**KEYS, "hidden_size": ("d", 3584), "intermediate_size": ("h", 3420), "out_hidden_size": ("e", 3584),
              **keys},
        reads={"window_size": 112, "fullatt_block_indexes": [7, 15, 23, 31]},
        settle=windows,
        sizes="side L_global w",
        aliases=ALIASES,
        acts={"hidden_act": ("silu", "layers")},
        ignored={**UNREAD, "tokens_per_second": "where in time the frames of a video are"},
        stored={
            **STORED,
            "layers.mlp.gate": "blocks.{i}.mlp.gate_proj",
            "layers.mlp.up": "blocks.{i}.mlp.up_proj",
            "layers.mlp.down": "blocks.{i}.mlp.down_proj",
        },
    )


_VISION_2_5 = _vision_2_5("qwen2_5_vl", "Qwen2_5_VisionTransformerPretrainedModel", {}, tower_2_5)
_EXAONE = _vision_2_5("exaone4_5", "Exaone4_5_VisionModel", {"num_key_value_heads": ("kv", 8)},
                      lambda z: tower_2_5(z, z.kv))


def renamed(config: dict[str, Any]) -> dict[str, Any]:
    """The model of text of EXAONE 4.5 under the name that transformers has for it now."""
    text = config.get("text_config")
    if not isinstance(text, dict) or text.get("model_type") != "exaone4_5_text":
        return config
    return {**config, "text_config": {**text, "model_type": "exaone4"}}


def _whole(prefix: str, image: Architecture, published: dict[str, Published]) -> Architecture:
    name = image.name.removesuffix("_vision")
    text = next(one for one in family("qwen2") if one.name == f"{name}_text")
    return seeing(
        name, family,
        Part({text.name: text, name: text}, "language_model"),
        Part({image.name: image, name: image}, "visual", equal={"e": "d"}),
        classes={f"{prefix}Model": False, f"{prefix}ForConditionalGeneration": True},
        ties={"tie_word_embeddings": False, "text_config.tie_word_embeddings": False},
        rewritten=nested(text),
        stored={},
        ignored=WORDS,
        published=published,
    )


_TOWER = {"c": 3, "d_img": 1280, "L_img": 32, "heads_img": 16, "patch": 14, "merge": 2, "tube": 2}


def _qwen2(count: int, **sizes: Any) -> Published:
    return measured("Qwen2VLForConditionalGeneration", count, **sizes, **_TOWER, h_img=5120)


def _qwen2_5(count: int, *, h_img: int = 3420, **sizes: Any) -> Published:
    return measured("Qwen2_5_VLForConditionalGeneration", count, **sizes, **_TOWER, h_img=h_img, L_global_img=4,
                    w_img=8)


ARCHITECTURES = (
    _whole("Qwen2VL", _VISION, {
        "qwen2-vl-2b": _qwen2(2_208_985_600, V=151936, d=1536, h=8960, L=28, heads=12, kv=2, k=128, tied=True),
        "qwen2-vl-7b": _qwen2(8_291_375_616, V=152064, d=3584, h=18944, L=28, heads=28, kv=4, k=128),
        "qwen2-vl-72b": _qwen2(73_405_560_320, V=152064, d=8192, h=29568, L=80, heads=64, kv=8, k=128),
    }),
    _whole("Qwen2_5_VL", _VISION_2_5, {
        "qwen2.5-vl-3b": _qwen2_5(3_754_622_976, V=151936, d=2048, h=11008, L=36, heads=16, kv=2, k=128, tied=True),
        "qwen2.5-vl-7b": _qwen2_5(8_292_166_656, V=152064, d=3584, h=18944, L=28, heads=28, kv=4, k=128),
        "qwen2.5-vl-32b": _qwen2_5(33_452_718_336, V=152064, d=5120, h=27648, L=64, heads=40, kv=8, k=128, h_img=3456),
        "qwen2.5-vl-72b": _qwen2_5(73_410_777_344, V=152064, d=8192, h=29568, L=80, heads=64, kv=8, k=128, h_img=3456),
    }),
    seeing(
        "exaone4_5", family,
        Part({"exaone4": "olmo"}, "language_model"),
        Part({"exaone4_5_vision": _EXAONE}, "visual", equal={"e": "d"}),
        classes={"Exaone4_5_Model": False, "Exaone4_5_ForConditionalGeneration": True},
        ties={"tie_word_embeddings": False},
        rewritten=renamed,
        stored={},
        ignored=WORDS,
    ),
    _VISION, _VISION_2_5, _EXAONE,
)
