"""Llama 4 with images: squares of tokens of a ViT become one, go through an adapter and a map, and stand among words.

The class defaults of the tower do not fit each other (768 · 2² is not 5632, 4096 is not 7680): such a model is counted,
and no image can run through it.
Source: Meta 2025, "The Llama 4 herd"; joining squares: Chen et al. 2024, "InternVL 1.5", section 3.2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import vision_keys
from symcount.hub.multimodal import Part, seeing
from symcount.hub.settling import number, one_over
from symcount.layers import linear, norm
from symcount.layers.projectors import fitted, side_by_side
from symcount.layers.rotary_vision import rotary_vision_block
from symcount.layers.vision import image, patches, placed
from symcount.network import concat, cut, pointwise, rename, repeat, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embedded(z: Any) -> Tensor:
    """Patches without a bias, a token after them, positions and a norm: cd·patch² + d + d·s + 2d parameters."""
    x = patches(image(z), "patch", patch=z.patch, d=z.d, bias=False)
    last = repeat(weight("cls", kinds="embedding", s=1, d=z.d), b=z.b)
    return norm(placed(concat(x, last, axis="s"), "position"), "norm")


def adapter(x: Tensor, z: Any) -> Tensor:
    """merge² tokens as one, then two maps, the GELU after each: hm + m² parameters, where h is merge²·d."""
    x = fitted(side_by_side(x, z.merge * z.merge), z.h, fits=z.adapter_fits)
    y = pointwise(linear(x, "up", bias=False, m=z.m), kind="gelu")
    return pointwise(linear(y, "down", over="m", bias=False, m=z.m), kind="gelu", name="act_out")


def tower(z: Any) -> Tensor:
    """L blocks, a norm, and the adapter, which does not read the token of the image."""
    x = within("layers", rotary_vision_block, within("embeddings", embedded, z=z), z=z, runs=z.L)
    x = norm(x, "norm")
    x = cut(x, "s", x.axes["s"] - 1, 1)[0]
    return within("adapter.mlp", adapter, x, z=z)


def project(x: Tensor, z: Any) -> Tensor:
    """What the tower gives, said to be e_img wide, in the width of the text: d·e_img parameters."""
    x = fitted(rename(x, m="d"), z.e_img, fits=z.projector_fits_img)
    return linear(x, "projector", bias=False, d=z.d)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many tokens a side become one, and whether the widths of the adapter and of what follows fit."""
    merge = one_over(config, "pixel_shuffle_ratio")
    inner, out = config["projector_input_dim"], config["projector_output_dim"]
    if inner != out:
        raise ConfigError(f"projector_input_dim = {inner!r} and projector_output_dim = {out!r}: the second map of the "
                          "adapter reads what the first gives, so they must be equal")
    return {"merge": merge, "m": number(config, "projector_input_dim"),
            "adapter_fits": config["hidden_size"] * merge**2 == config["intermediate_size"],
            "projector_fits": config["vision_output_dim"] == out}


WORDS = dict.fromkeys(("image_token_index", "image_token_id", "boi_token_index", "boi_token_id", "eoi_token_index",
                       "eoi_token_id"), "the number of a word")
_KEYS = {key: told for key, told in vision_keys(side=448, patch=14, d=768, h=5632, L=34, heads=16).items()
         if key != "num_labels"}
_IMAGE = Architecture(
    "llama4_vision_model",
    classes={"Llama4VisionModel": tower},
    keys={**_KEYS, "vision_output_dim": ("e", 7680)},
    reads={"pixel_shuffle_ratio": 0.5, "projector_input_dim": 4096, "projector_output_dim": 4096},
    settle=settle,
    sizes="merge m",
    flags={"adapter_fits": True, "projector_fits": True},
    acts={},
    ignored={
        "hidden_act": "it is GELU in any case",
        "multi_modal_projector_bias": "the map has no bias in any case",
        "vision_feature_select_strategy": "read by nothing",
        "vision_feature_layer": "read by nothing",
        "projector_dropout": "dropout has no weights",
    },
    stored={
        "embeddings.patch": ("patch_embedding.linear", "d c*patch*patch"),
        "embeddings.cls": ("class_embedding", "d"),
        "embeddings.position": "positional_embedding_vlm",
        "embeddings.norm": "layernorm_pre",
        "layers.attention_norm": "model.layers.{i}.input_layernorm",
        "layers.attention.query": "model.layers.{i}.self_attn.q_proj",
        "layers.attention.key": "model.layers.{i}.self_attn.k_proj",
        "layers.attention.value": "model.layers.{i}.self_attn.v_proj",
        "layers.attention.output": "model.layers.{i}.self_attn.o_proj",
        "layers.mlp_norm": "model.layers.{i}.post_attention_layernorm",
        "layers.mlp.up": "model.layers.{i}.mlp.fc1",
        "layers.mlp.down": "model.layers.{i}.mlp.fc2",
        "norm": "layernorm_post",
        "adapter.mlp.up": "vision_adapter.mlp.fc1",
        "adapter.mlp.down": "vision_adapter.mlp.fc2",
    },
)


def _llama4(count: int, **sizes: Any) -> Published:
    return measured("Llama4ForConditionalGeneration", count, V=202048, d=5120, h=16384, h_e=8192, L=48, heads=40, kv=8,
                    k=128, K=1, d_img=1408, h_img=5632, L_img=34, heads_img=16, m_img=4096, e_img=4096, merge=2, c=3,
                    side=336, patch=14, **sizes)


ARCHITECTURES = (seeing(
    "llama4", family,
    Part({"llama4_text": "llama4_text"}, "language_model.model"),
    Part({"llama4_vision_model": _IMAGE}, "vision_model"),
    project=project,
    classes={"Llama4ForConditionalGeneration": True},
    ties={"text_config.tie_word_embeddings": False},
    base="",
    stored={"projector": "multi_modal_projector.linear_1"},
    stored_heads={"head": "language_model.lm_head"},
    ignored={
        **WORDS,
        "tie_word_embeddings": "the text says whether words are tied",
        "text_config.for_llm_compressor": "read by nothing",
    },
    published={
        "llama-4-scout": _llama4(108_641_793_536, E=16),
        "llama-4-maverick": _llama4(401_583_781_376, E=128, dense=True, L_dense=24),
    },
), _IMAGE)
