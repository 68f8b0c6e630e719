"""Kimi K2.5: DeepSeek-V3 as the model of text, and a ViT for images of any size, whose neighbouring tokens become one.

Source: Kimi Team 2026, "Kimi K2.5", section 4; Kimi Team 2025, "Kimi-VL technical report", section 2.1 (the tower).
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.multimodal import Part, seeing
from symcount.hub.settling import number
from symcount.layers import norm
from symcount.layers.projectors import side_by_side, two_maps
from symcount.layers.rotary_vision import rotary_vision_block, squares
from symcount.network import pointwise, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embedded(z: Any) -> Tensor:
    """Squares, and a table of P × P positions, resized to the image: c·d·patch² + d + P²d parameters."""
    table = weight("position", kinds="embedding", P=z.P, Q=z.P, d=z.d)
    return pointwise(squares(z, frames=False), table, kind="resize", name="position", to="b s d")


def tower(z: Any) -> Tensor:
    """L blocks with positions that turn, and a norm: L(4d² + 2dh + 9d + h) + 2d parameters beside the embeddings."""
    x = within("layers", rotary_vision_block, within("embeddings", embedded, z=z), z=z, runs=z.L)
    return norm(x, "norm")


def projector(x: Tensor, z: Any) -> Tensor:
    """A norm, merge² tokens as one, and two maps: n² + nd + n + d + 2·d_img parameters, where n is merge²·d_img."""
    x = side_by_side(norm(x, "norm"), z.merge * z.merge)
    return two_maps(x, h=x.axes["d"], d=z.d)


def project(x: Tensor, z: Any) -> Tensor:
    """The tokens of the tower, those of a larger square as one, in the width of the text."""
    return within("projector", projector, x, z=z)


def square(config: dict[str, Any]) -> dict[str, Any]:
    """The side of the table of positions, and of what becomes one token."""
    kernel = config["merge_kernel_size"]
    if not isinstance(kernel, list) or len(kernel) != 2 or kernel[0] != kernel[1] or type(kernel[0]) is not int:
        raise ConfigError(f"merge_kernel_size = {kernel!r}: two equal whole numbers are needed")
    side, other = number(config, "pos_emb_height"), number(config, "pos_emb_width")
    if side != other:
        raise ConfigError(f"pos_emb_height = {side} and pos_emb_width = {other}: transformers reads the table as a "
                          "square")
    return {"P": side, "merge": kernel[0]}


def same_width(config: dict[str, Any]) -> dict[str, Any]:
    """Nothing; but the norm before the projector must be of the width of the tower."""
    told, d = config["projection_hidden_size"], config["vision_config.hidden_size"]
    if told != d:
        raise ConfigError(f"projection_hidden_size = {told!r} must be vision_config.hidden_size = {d!r}: it is the "
                          "width of a norm of what the tower gives")
    return {}


def as_deepseek(config: dict[str, Any]) -> dict[str, Any]:
    """The model of text under the name that transformers has for it."""
    text = config.get("text_config")
    renamed = isinstance(text, dict) and text.get("model_type") == "kimi_k2"
    return {**config, "text_config": {**text, "model_type": "deepseek_v3"}} if renamed and text else config


_TOWER = Architecture(
    "kimi_k25_vision",
    classes={"Kimi_K25VisionModel": tower},
    sizes="side c P merge",
    follows={"c": "3"},
    keys={
        "hidden_size": ("d", 1152),
        "intermediate_size": ("h", 4304),
        "num_hidden_layers": ("L", 27),
        "num_attention_heads": ("heads", 16),
        "patch_size": ("patch", 14),
    },
    reads={"pos_emb_height": 64, "pos_emb_width": 64, "merge_kernel_size": [2, 2]},
    settle=square,
    same={  # as the first files called them, which transformers does not read
        "vt_hidden_size": "hidden_size",
        "mm_hidden_size": "hidden_size",
        "vt_intermediate_size": "intermediate_size",
        "vt_num_hidden_layers": "num_hidden_layers",
        "vt_num_attention_heads": "num_attention_heads",
        "init_pos_emb_height": "pos_emb_height",
        "init_pos_emb_width": "pos_emb_width",
    },
    acts={"hidden_act": ("gelu_pytorch_tanh", "layers")},
    only={
        "merge_type": (("sd2_tpool",), "another way to merge tokens"),
        "mm_projector_type": (("patchmerger",), "another projector"),
        "pos_emb_type": (("divided_fixed",), "other positions"),
        "video_attn_type": (("spatial_temporal",), "other attention"),
        "projector_hidden_act": (("gelu",), "transformers has GELU in any case"),
    },
    ignored={
        "pos_emb_time": "sinusoids of the frames of a video, which are computed",
        "init_pos_emb_time": "sinusoids of the frames of a video, which are computed",
        "projector_ln_eps": "a constant",
    },
    stored={
        "embeddings.patch.weight": ("patch_embed.proj.weight", "d c patch patch"),
        "embeddings.patch.bias": "patch_embed.proj.bias",
        "embeddings.position": "patch_embed.pos_emb.position_embeddings",
        "layers.attention_norm": "layers.{i}.norm1",
        "layers.attention.query": "layers.{i}.attn.q_proj",
        "layers.attention.key": "layers.{i}.attn.k_proj",
        "layers.attention.value": "layers.{i}.attn.v_proj",
        "layers.attention.output": "layers.{i}.attn.proj",
        "layers.mlp_norm": "layers.{i}.norm2",
        "layers.mlp.up": "layers.{i}.mlp.fc1",
        "layers.mlp.down": "layers.{i}.mlp.fc2",
        "norm": "final_layernorm",
    },
)
ARCHITECTURES = (seeing(
    "kimi_k25", family,
    Part({"deepseek_v3": "deepseek_v3"}, "language_model"),
    Part({"kimi_k25_vision": _TOWER}, "vision_tower"),
    project=project,
    classes={"Kimi_K25Model": False, "Kimi_K25ForConditionalGeneration": True},
    ties={"tie_word_embeddings": True},
    rewritten=as_deepseek,
    reads={"projection_hidden_size": 1152},
    settle=same_width,
    same={"vision_config.text_hidden_size": "text_config.hidden_size"},
    stored={
        "projector.norm": "mm_projector.pre_norm",
        "projector.up": "mm_projector.in_proj",
        "projector.down": "mm_projector.out_proj",
    },
    ignored={
        **dict.fromkeys(("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id",
                         "media_placeholder_token_id"), "the number of a word"),
        "video_placeholder": "the text that stands for a video",
        "use_unified_vision_chunk": "how a processor cuts videos",
        "ignore_index": "which labels a loss leaves out",
        "projection_layer_norm_eps": "a constant",
    },
    published={
        "kimi-k2.5": measured(
            "Kimi_K25ForConditionalGeneration", 1_026_879_353_328, V=163840, d=7168, h=18432, h_e=2048, L=61, L_dense=1,
            heads=64, r_q=1536, nope=128, rope=64, v=128, r_kv=512, E=384, K=8, E_s=1, d_img=1152, h_img=4304,
            L_img=27, heads_img=16, patch=14, P_img=64, merge=2, tied=False),
    },
), _TOWER)
