"""GLM-4.1V and GLM-4.5V: images of any size, whose larger squares a convolution joins, among the words of a GLM-4.

Source: GLM-V Team 2025, "GLM-4.1V-Thinking and GLM-4.5V", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.hub import measured
from symcount.hub.multimodal import Part, seeing
from symcount.hub.settling import number
from symcount.layers import gated, linear, norm
from symcount.layers.rotary_vision import gated_vision_block, squares
from symcount.network import pointwise, split, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embedded(z: Any) -> Tensor:
    """Squares, a norm, and a table of P positions, resized to the image: c·d·tube·patch² + 2d + Pd parameters."""
    x = norm(squares(z), "norm", shift=False)
    return pointwise(x, weight("position", kinds="embedding", P=z.P, d=z.d), kind="resize", name="position", to="b s d")


def merger(x: Tensor, z: Any) -> Tensor:
    """A map, a LayerNorm, and a gated MLP: e² + 2e + 3eh parameters."""
    y = pointwise(norm(linear(x, "proj", bias=False, d=z.e), "norm"), kind="gelu")
    return within("mlp", gated, y, h=z.h)


def tower(z: Any) -> Tensor:
    """L blocks whose MLPs are e wide, a norm, the larger squares as one, and what merges.

    Parameters beside the embeddings and what merges: L(4d² + 3de + 2d) + d + merge²·de + e.
    """
    x = within("embeddings", embedded, z=z)
    x = within("layers", gated_vision_block, x, z=z, h=z.e, bias="query key value" if z.attention_bias else False,
               mlp_bias=False, runs=z.L)
    x = split(norm(x, "norm", shift=False), "s", s=None, m=z.merge * z.merge)
    x = linear(x, "conv", over="m d", d=z.e)
    return within("merger", merger, x, z=z)


def positions(config: dict[str, Any]) -> dict[str, Any]:
    """How many positions the table has: those of an image of image_size."""
    return {"P": (number(config, "image_size") // number(config, "patch_size")) ** 2}


def _vision(name: str, cls: str) -> Architecture:
    return Architecture(
        f"{name}_vision",
        classes={cls: tower},
        sizes="side P",
        keys={
            "depth": ("L", 24),
            "hidden_size": ("d", 1536),
            "num_heads": ("heads", 12),
            "in_channels": ("c", 3),
            "patch_size": ("patch", 14),
            "spatial_merge_size": ("merge", 2),
            "temporal_patch_size": ("tube", 2),
            "out_hidden_size": ("e", 4096),
            "intermediate_size": ("h", 13696),
            "attention_bias": ("attention_bias", False),
        },
        reads={"image_size": 336},
        settle=positions,
        aliases={"num_attention_heads": "num_heads", "num_hidden_layers": "depth"},
        acts={"hidden_act": ("silu", "layers merger.mlp")},
        stored={
            "embeddings.patch.weight": ("patch_embed.proj.weight", "d c tube patch patch"),
            "embeddings.patch.bias": "patch_embed.proj.bias",
            "embeddings.norm": "post_conv_layernorm",
            "embeddings.position": "embeddings.position_embedding.weight",
            "layers.attention_norm": "blocks.{i}.norm1",
            **{tuple(f"layers.attention.{one}.{leaf}" for one in ("query", "key", "value")):
               f"blocks.{{i}}.attn.qkv.{leaf}" for leaf in ("weight", "bias")},
            "layers.attention.output": "blocks.{i}.attn.proj",
            "layers.mlp_norm": "blocks.{i}.norm2",
            "layers.mlp.gate": "blocks.{i}.mlp.gate_proj",
            "layers.mlp.up": "blocks.{i}.mlp.up_proj",
            "layers.mlp.down": "blocks.{i}.mlp.down_proj",
            "norm": "post_layernorm",
            "conv.weight": ("downsample.weight", "e d merge merge"),
            "conv.bias": "downsample.bias",
            "merger.proj": "merger.proj",
            "merger.norm": "merger.post_projection_norm",
            "merger.mlp.gate": "merger.gate_proj",
            "merger.mlp.up": "merger.up_proj",
            "merger.mlp.down": "merger.down_proj",
        },
    )


def _whole(name: str, prefix: str, texts: dict[str, str], images: dict[str, Architecture],
           published: dict[str, Published], *older: str) -> Architecture:
    return seeing(
        name, family,
        Part(texts, "language_model"),
        Part(images, "visual", equal={"e": "d"}),
        classes={f"{prefix}Model": False, f"{prefix}ForConditionalGeneration": True},
        ties=dict.fromkeys(("tie_word_embeddings", *older), False),
        stored={},
        ignored=dict.fromkeys(("image_token_id", "video_token_id", "image_start_token_id", "image_end_token_id",
                               "video_start_token_id", "video_end_token_id"), "the number of a word"),
        published=published,
    )


_IMAGE, _IMAGE_MOE = _vision("glm4v", "Glm4vVisionModel"), _vision("glm4v_moe", "Glm4vMoeVisionModel")
_TOWER = {"d_img": 1536, "L_img": 24, "heads_img": 12, "P_img": 576, "c": 3, "patch": 14, "merge": 2,
          "tube": 2}
ARCHITECTURES = (
    _whole("glm4v", "Glm4v", {"glm4v_text": "glm"}, {"glm4v_vision": _IMAGE, "glm4v": _IMAGE}, {
        "glm-4.1v-9b": measured("Glm4vForConditionalGeneration", 10_292_777_472, V=151552, d=4096, h=13696, L=40,
                                heads=32, kv=2, **_TOWER, h_img=13696),
    }, "text_config.tie_word_embeddings"),
    _whole("glm4v_moe", "Glm4vMoe", {"glm4v_moe_text": "dots1"}, {"glm4v_moe_vision": _IMAGE_MOE}, {
        "glm-4.5v": measured("Glm4vMoeForConditionalGeneration", 107_710_927_360, V=151552, d=4096, h=10944, h_e=1408,
                             L=46, L_dense=1, heads=96, kv=8, k=128, E=128, K=8, E_s=1, attention_bias=True, **_TOWER,
                             h_img=10944),
    }, "text_config.tie_word_embeddings"),
    _whole("glm46v", "Glm46V", {"glm4v_text": "glm", "glm4v_moe_text": "dots1"},
           {"glm4v_vision": _IMAGE, "glm4v_moe_vision": _IMAGE_MOE}, {}),
    _IMAGE, _IMAGE_MOE,
)
