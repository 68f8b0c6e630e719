"""Qwen3-VL and Qwen3.5: images of any size; a larger square of patches stands for one word.

In Qwen3-VL what the tower holds after some of its layers is added to the first layers of the text too.

Source: Bai et al. 2025, "Qwen3-VL technical report", section 2; Wang et al. 2024, "Qwen2-VL", section 2.1; DeepStack:
Meng et al. 2024.
"""

from __future__ import annotations

from itertools import pairwise

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.multimodal import Part, seeing
from symcount.hub.settling import number
from symcount.layers.rotary_vision import patch_merger, rotary_vision_block, squares
from symcount.network import pointwise, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embedded(z: Any) -> Tensor:
    """Squares, and a table of P positions, stretched over the image: c·d·tube·patch² + d + Pd parameters."""
    x = squares(z)
    return pointwise(x, weight("position", kinds="embedding", P=z.P, d=z.d), kind="resize", name="position",
                     to="b s d")


def tower(z: Any) -> tuple[Tensor, ...]:
    """The merged squares after all layers, then those after each stage of layers but the last.

    Parameters: those of the embeddings; 4d² + 2dh + 9d + h a layer; merge⁴·d² + merge²(de + d) + e + 2d for what
    merges, and of each stage but the last merge⁴·d² + merge²(de + 3d) + e more.
    """
    x, deep = within("embeddings", embedded, z=z), []
    *stages, last = z.L if isinstance(z.L, tuple) else (z.L,)
    for i, runs in enumerate(stages):
        x = within(f"layers.{i}", rotary_vision_block, x, z=z, runs=runs)
        deep.append(within(f"deepstack.{i}", patch_merger, x, z=z, last=True))
    x = within(f"layers.{len(stages)}", rotary_vision_block, x, z=z, runs=last)
    return within("merger", patch_merger, x, z=z, last=False), *deep


def stages(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers there are up to each one that is read, and after the last of them."""
    depth, read = number(config, "depth"), config["deepstack_visual_indexes"]
    if not isinstance(read, list) or any(type(i) is not int for i in read) or read != sorted(set(read)) or (
            read and not 0 <= read[0] <= read[-1] < depth):
        raise ConfigError(f"deepstack_visual_indexes = {read!r}: numbers of layers, from 0 to {depth - 1}, are needed, "
                          "each once and in their order")
    ends = [0, *(i + 1 for i in read), depth]
    return {"L": tuple(after - before for before, after in pairwise(ends))}


KEYS: dict[str, tuple[str, Any]] = {
    "hidden_size": ("d", 1152),
    "intermediate_size": ("h", 4304),
    "num_heads": ("heads", 16),
    "in_channels": ("c", 3),
    "patch_size": ("patch", 16),
    "spatial_merge_size": ("merge", 2),
    "temporal_patch_size": ("tube", 2),
    "out_hidden_size": ("e", 3584),
    "num_position_embeddings": ("P", 2304),
}
STORED: dict[Any, Any] = {
    "embeddings.patch.weight": ("patch_embed.proj.weight", "d c tube patch patch"),
    "embeddings.patch.bias": "patch_embed.proj.bias",
    "embeddings.position": "pos_embed.weight",
    "layers.attention_norm": "blocks.{i}.norm1",
    ("layers.attention.query", "layers.attention.key", "layers.attention.value"): "blocks.{i}.attn.qkv",
    "layers.attention.output": "blocks.{i}.attn.proj",
    "layers.mlp_norm": "blocks.{i}.norm2",
    "layers.mlp.up": "blocks.{i}.mlp.linear_fc1",
    "layers.mlp.down": "blocks.{i}.mlp.linear_fc2",
    "merger.norm": "merger.norm",
    "merger.up": "merger.linear_fc1",
    "merger.down": "merger.linear_fc2",
    "deepstack.norm": "deepstack_merger_list.{i}.norm",
    "deepstack.up": "deepstack_merger_list.{i}.linear_fc1",
    "deepstack.down": "deepstack_merger_list.{i}.linear_fc2",
}


WORDS = dict.fromkeys(("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id"),
                      "the number of a word")


def _tower(name: str, prefix: str, keys: dict[str, tuple[str, Any]], **told: Any) -> Architecture:
    return Architecture(
        f"{name}_vision",
        classes={f"{prefix}VisionModel": tower},
        keys={**KEYS, **keys},
        sizes="side L",
        aliases={"num_attention_heads": "num_heads", "num_hidden_layers": "depth"},
        acts={"hidden_act": ("gelu_pytorch_tanh", "layers")},
        stored=STORED,
        **told,
    )


def _whole(prefix: str, text: str, file: str, image: Architecture, published: dict[str, Published]) -> Architecture:
    name = image.name.removesuffix("_vision")
    return seeing(
        name, family,
        Part({text: file}, "language_model"),
        Part({image.name: image, name: image}, "visual", equal={"e": "d"}),
        classes={f"{prefix}Model": False, f"{prefix}ForConditionalGeneration": True},
        ties={"tie_word_embeddings": False},
        stored={},
        ignored=WORDS,
        unwritten="where in the text the tokens of stages are added",
        published=published,
    )


def _deep(name: str, prefix: str) -> Architecture:
    return _tower(name, prefix, {}, reads={"depth": 27, "deepstack_visual_indexes": [8, 16, 24]}, settle=stages)


def _flat(name: str, prefix: str) -> Architecture:
    return _tower(name, prefix, {"depth": ("L", 27)}, ignored={"deepstack_visual_indexes": "read by nothing"})


_IMAGES = {"c": 3, "d_img": 1152, "h_img": 4304, "heads_img": 16, "P_img": 2304, "merge": 2, "tube": 2, "patch": 16}
_STAGES = {**_IMAGES, "L_img": (9, 8, 8, 2)}


def _qwen3(count: int, **sizes: int) -> Published:
    return measured("Qwen3VLForConditionalGeneration", count, V=151936, **sizes, kv=8, k=128, **_STAGES)


_DENSE, _MOE = _deep("qwen3_vl", "Qwen3VL"), _deep("qwen3_vl_moe", "Qwen3VLMoe")
_DENSE_5, _MOE_5 = _flat("qwen3_5", "Qwen3_5"), _flat("qwen3_5_moe", "Qwen3_5Moe")
ARCHITECTURES = (
    _whole("Qwen3VL", "qwen3_vl_text", "qwen3", _DENSE, {
        "qwen3-vl-8b": _qwen3(8_767_123_696, d=4096, h=12288, L=36, heads=32),
    }),
    _whole("Qwen3VLMoe", "qwen3_vl_moe_text", "qwen3_moe", _MOE, {}),
    _whole("Qwen3_5", "qwen3_5_text", "qwen3_next", _DENSE_5, {}),
    _whole("Qwen3_5Moe", "qwen3_5_moe_text", "qwen3_next", _MOE_5, {}),
    _DENSE, _MOE, _DENSE_5, _MOE_5,
)
