"""Kimi Linear and Ling 3: layers of the delta rule with one decay a channel, latent attention in a few, and experts.

Source: Kimi Team 2025, "Kimi Linear: an expressive, efficient attention architecture", sections 3 and 4; Ling 3: the
implementation in transformers 5.23.0. The products of the scan (its part `scan`) are those of the implementation in
PyTorch, over whole chunks.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import (
    DECODER_NAMES,
    HEAD_NAMES,
    LATENT_IGNORED,
    LATENT_NAMES,
    ROTARY,
    ROUTED,
    decoder_keys,
    expert_names,
    kimi_names,
    latent_keys,
)
from symcount.hub.settling import first_dense, layer_kinds, listed_dense, number, query_rank
from symcount.layers import decoder_heads, gated, norm, words
from symcount.layers.delta import kimi_delta
from symcount.layers.experts import balanced_experts
from symcount.layers.hybrid import steps
from symcount.layers.latent import latent_attention
from symcount.masks import Mask
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def hybrid(z: Any, *, low: bool, bounded: bool = False, **attending: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    x = steps("layers.linear.attention", kimi_delta, x, heads=z.heads_lin, k=z.k_lin, w=z.w, low=low, bounded=bounded,
              runs=rest(z.L, z.L_attn))
    x = steps("layers.full.attention", latent_attention, x, z=z, t=z.t, form=z.mla, bias=z.attention_bias,
              mask=Mask(causal=True), runs=z.L_attn, **attending)
    x = steps("layers.dense.mlp", gated, x, h=z.h, runs=z.L_dense)
    x = steps("layers.sparse.mlp", balanced_experts, x, z=z, runs=rest(z.L, z.L_dense))
    return norm(x, "norm", shift=False), word


def kimi(z: Any) -> tuple[Tensor, Tensor]:
    """Attention without positions; step in time and gate of the delta rule have the rank of a head."""
    return hybrid(z, low=True, position=None)


def ling(z: Any) -> tuple[Tensor, Tensor]:
    """Attention with a gate for each head; step in time and gate of the delta rule have no rank."""
    return hybrid(z, low=False, bounded=z.bounded, gate="g")


def dense_layers(config: dict[str, Any]) -> dict[str, int]:
    """How many layers have no experts: as listed, or the first ones."""
    return listed_dense(config) or first_dense(config)


def settle_kimi(config: dict[str, Any]) -> dict[str, Any]:
    """Kinds of layers, and the sizes of the delta rule, which the checkpoint has in a table of its own."""
    L, told = number(config, "num_hidden_layers"), config["linear_attn_config"]
    if not isinstance(told, dict):
        raise ConfigError(f"linear_attn_config = {told!r}: a table is needed")
    if unknown := told.keys() - {*_TOLD, *_LISTS}:
        raise ConfigError(f"linear_attn_config: unknown key {min(unknown)!r}; known: {', '.join((*_TOLD, *_LISTS))}")
    found: dict[str, Any] = layer_kinds(config, {"full_attention": "L_attn", "linear_attention": None})
    if not found and told.keys() >= {*_LISTS}:
        listed = [told[key] for key in _LISTS]
        if not all(isinstance(one, list) for one in listed) or sorted(
                i for one in listed for i in one) != list(range(1, L + 1)):
            raise ConfigError(f"linear_attn_config: each of the layers 1 to {L} is to stand in one of "
                              + " and ".join(_LISTS))
        found = {"L_attn": len(listed[0])}
    sizes = {size: number({**config, key: told.get(theirs, config[key])}, key)
             for theirs, (key, size) in _TOLD.items()}
    return {**(found or {"L_attn": (L - 1) // 4}), **dense_layers(config), **query_rank(config), **sizes}


_TOLD = {"head_dim": ("linear_head_dim", "k_lin"), "num_heads": ("linear_num_heads", "heads_lin"),
         "short_conv_kernel_size": ("linear_conv_kernel_dim", "w")}
_LISTS = ("full_attn_layers", "kda_layers")


def settle_ling(config: dict[str, Any]) -> dict[str, Any]:
    """Kinds of layers, and the sizes of the delta rule: as told, or those of attention."""
    L = number(config, "num_hidden_layers")
    sizes = {size: number(config, key if config[key] is not None else other)
             for size, key, other in (("k_lin", "linear_head_dim", "head_dim"),
                                      ("w", "linear_conv_kernel_dim", "short_conv_kernel_size"))}
    found = layer_kinds(config, {"full_attention": "L_attn", "linear_attention": None})
    return {**(found or {"L_attn": L // number(config, "layer_group_size")}), **dense_layers(config), **sizes}


def _keys(*, h_e: int, E: int, K: int, **sizes: Any) -> dict[str, tuple[str, Any]]:
    return {
        **{key: told for key, told in decoder_keys(**sizes).items()
           if key not in ("num_key_value_heads", "head_dim", "tie_word_embeddings")},
        **latent_keys(r_kv=512, nope=128, rope=64, v=128),
        "moe_intermediate_size": ("h_e", h_e),
        "num_local_experts": ("E", E),
        "num_experts_per_tok": ("K", K),
        "n_shared_experts": ("E_s", 1),
        "attention_bias": ("attention_bias", False),
    }


_ALIASES = {"num_experts": "num_local_experts", "num_experts_per_token": "num_experts_per_tok",
            "num_shared_experts": "n_shared_experts", "num_mtp_layers": "num_nextn_predict_layers"}
_FLAGS = {"query_rank": False, "mla": "expanded", "tied": False}
_IGNORED = {
    **ROTARY,
    **LATENT_IGNORED,
    **ROUTED,
    "model_max_length": "rotary positions have no table",
    "tie_word_embeddings": "read by nothing: the words are never tied",
    **dict.fromkeys(("moe_renormalize", "num_expert_group"), "how experts are scored and chosen, not how many"),
}
_NAMES = {
    **DECODER_NAMES,
    **LATENT_NAMES,
    **expert_names(),
    **kimi_names("layers.linear.attention"),
    "layers.attention.norm": "layers.{i}.input_layernorm",
    "layers.attention.gate": "layers.{i}.self_attn.g_proj",
    "layers.mlp.norm": "layers.{i}.post_attention_layernorm",
}
_WIDTHS = {"heads": 32, "r_kv": 512, "nope": 128, "rope": 64, "v": 128, "E_s": 1, "k_lin": 128, "w": 4}

ARCHITECTURES = (Architecture(
    "kimi_linear",
    classes=decoder_heads("KimiLinear", kimi, "ForCausalLM"),
    sizes="L_attn L_dense r_q heads_lin k_lin w",
    follows={"L_attn": "floor(L/4)"},
    flags=_FLAGS,
    keys=_keys(V=163840, d=2304, h=9216, L=27, heads=32, h_e=1024, E=256, K=8),
    reads={
        "q_lora_rank": None,
        "layer_types": None,
        "mlp_layer_types": None,
        "first_k_dense_replace": 1,
        "linear_attn_config": {},
        "linear_head_dim": 128,
        "linear_num_heads": 32,
        "linear_conv_kernel_dim": 4,
    },
    settle=settle_kimi,
    aliases=_ALIASES,
    ignored=_IGNORED,
    stored={**_NAMES, "layers.linear.attention.decay": ("layers.{i}.self_attn.forget_gate.A_log", "1 1 heads_lin 1")},
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "kimi-linear-48b-a3b": measured("KimiLinearForCausalLM", 49_122_675_072, V=163840, d=2304, h=9216, L=27,
                                        L_attn=7, L_dense=1, h_e=1024, E=256, K=8, heads_lin=32, **_WIDTHS),
    },
), Architecture(
    "bailing_hybrid",
    classes=decoder_heads("BailingHybrid", ling, "ForCausalLM"),
    sizes="L_attn L_dense k_lin w",
    follows={"L_attn": "floor(L/6)", "heads_lin": "heads"},
    flags=_FLAGS,
    keys={
        **_keys(V=157184, d=2560, h=6144, L=42, heads=32, h_e=768, E=512, K=8),
        "linear_num_heads": ("heads_lin", None),
        "kda_safe_gate": ("bounded", True),
    },
    reads={
        "layer_types": None,
        "layer_group_size": 6,
        "mlp_layer_types": None,
        "first_k_dense_replace": 2,
        "head_dim": 128,
        "linear_head_dim": None,
        "short_conv_kernel_size": 4,
        "linear_conv_kernel_dim": None,
    },
    settle=settle_ling,
    aliases=_ALIASES,
    ignored={**_IGNORED, "kda_lower_bound": "a constant", "mtp_loss_scaling_factor": "weighs a loss"},
    stored=_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "ling-3.0-flash": measured("BailingHybridForCausalLM", 124_414_191_072, V=157184, d=2560, h=6144, L=42,
                                   L_attn=7, L_dense=2, h_e=768, E=512, K=8, **_WIDTHS),
    },
))
