"""DeepSeek-V3.2: DeepSeek-V3 with an indexer that chooses the tokens a layer attends to; GLM-5 shares it among layers.

Source: DeepSeek-AI 2025, "DeepSeek-V3.2", section 2.1; GLM-5 Team 2026, "GLM-5".
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import (
    DECODER_NAMES,
    HEAD_NAMES,
    INDEXER_NAMES,
    LATENT_IGNORED,
    LATENT_NAMES,
    ROTARY,
    ROUTED,
    expert_names,
    latent_decoder_keys,
    latent_keys,
)
from symcount.hub.settling import first_dense, layer_kinds, listed_dense, number
from symcount.layers import decoder_heads, gated, norm, residual, words
from symcount.layers.experts import balanced_experts, dense_then_experts
from symcount.layers.latent import indexer, latent_step
from symcount.network import within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.architecture import Published


def attend(x: Tensor, z: Any, *, indexed: bool = True) -> Tensor:
    """x + attention(norm(x)), over tokens that an indexer chooses, here or in a layer before."""
    return latent_step(x, z, index=partial(indexer, z=z, t=z.t) if indexed else None)


def dense(x: Tensor, z: Any) -> Tensor:
    """Indexed latent attention, and 3dh + 2d parameters."""
    x = attend(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


def moe(x: Tensor, z: Any, *, indexed: bool = True) -> Tensor:
    """Latent attention, and 3Ed·h_e + dE + 3d·E_s·h_e + 2d parameters, of which a token meets K/E of the experts'."""
    x = attend(x, z, indexed=indexed)
    return residual(x, within("mlp", balanced_experts, norm(x, "mlp_norm", shift=False), z=z))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """L_dense layers without experts, then those with experts, of which L − L_index have no indexer of their own."""
    x, word = words(z)
    x = within("layers.dense", dense, x, z=z, runs=z.L_dense)
    x = within("layers.moe", moe, x, z=z, runs=rest(z.L_index, z.L_dense))
    x = within("layers.reusing", moe, x, z=z, indexed=False, runs=rest(z.L, z.L_index))
    return norm(x, "norm", shift=False), word


def _settle(config: Mapping[str, Any]) -> dict[str, int]:
    return listed_dense(config) or first_dense(config)


def _settle_glm(config: Mapping[str, Any]) -> dict[str, int]:
    found, own = _settle(config), _own_indexer(config)
    if own[:1] == [False]:
        raise ConfigError("indexer_types: the first layer has no layer before it whose tokens it could share")
    kinds = config["mlp_layer_types"] or ["dense"] * found["L_dense"]
    if any(kind == "dense" and not index for kind, index in zip(kinds, own, strict=False)):
        raise ConfigError("indexer_types: a dense layer without an indexer of its own is not supported")
    return {**found, "L_index": sum(own)}


def _own_indexer(config: Mapping[str, Any]) -> list[bool]:
    """Whether a layer has an indexer of its own: from a list, else from a pattern, else every so many layers."""
    L, listed, pattern = config["num_hidden_layers"], config["indexer_types"], config["index_topk_pattern"]
    if L > MOST_LAYERS:
        raise ConfigError(f"num_hidden_layers = {L}: at most {MOST_LAYERS:,} are looked at one by one")
    if listed is None and isinstance(pattern, str):
        listed = [{"F": "full", "S": "shared"}.get(sign, sign) for sign in pattern]
    elif listed is None:
        listed = pattern
    if listed is not None:
        layer_kinds({**config, "indexer_types": listed}, {"full": None, "shared": None}, key="indexer_types")
        return [kind == "full" for kind in listed]
    every, offset = (number(config, key, least=0) for key in ("index_topk_freq", "index_skip_topk_offset"))
    every = max(every, 1)
    return [max(i - offset + 1, 0) % every == 0 for i in range(L)]


MOST_LAYERS = 10_000
STORED = {
    **DECODER_NAMES,
    **LATENT_NAMES,
    **expert_names(),
    **INDEXER_NAMES,
}
IGNORED = {
    **ROTARY,
    **LATENT_IGNORED,
    **ROUTED,
    "mlp_bias": "transformers builds no biases there",
    "layer_types": "how keys and values are cached",
    "index_topk": MASKED,
    "indexer_rope_interleave": "which numbers of a head are turned together",
}


def _keys(*, h_e: int, r_q: int, heads_i: int, **sizes: Any) -> dict[str, tuple[str, Any]]:
    """The keys of both but those of latent attention; num_key_value_heads and head_dim give no size here."""
    return {
        **latent_decoder_keys(**sizes),
        "moe_intermediate_size": ("h_e", h_e),
        "q_lora_rank": ("r_q", r_q),
        "n_routed_experts": ("E", 256),
        "num_experts_per_tok": ("K", 8),
        "n_shared_experts": ("E_s", 1),
        "index_n_heads": ("heads_i", heads_i),
        "index_head_dim": ("k_i", 128),
        "attention_bias": ("attention_bias", False),
    }


EVERY_LAYER: dict[str, tuple[tuple[Any, ...], str]] = {
    "moe_layer_freq": ((1,), "transformers puts experts into every layer after the dense ones"),
}


def _glm(count: int, *, L_index: int) -> Published:
    return measured("GlmMoeDsaForCausalLM", count, V=154880, d=6144, h=12288, h_e=2048, L=78, L_dense=3,
                    L_index=L_index, heads=64, r_q=2048, r_kv=512, nope=192, rope=64, v=256, E=256, K=8, E_s=1,
                    heads_i=32, k_i=128)


ARCHITECTURES = (
    Architecture(
        "deepseek_v32",
        classes=decoder_heads("DeepseekV32", dense_then_experts(dense, moe), "ForCausalLM"),
        sizes="L_dense",
        flags={"query_rank": True, "mla": "expanded"},
        keys={
            **_keys(V=129280, d=7168, h=18432, h_e=2048, L=61, heads=128, r_q=1536, heads_i=64),
            **latent_keys(r_kv=512, nope=128, rope=64, v=128),
        },
        reads={"mlp_layer_types": None, "first_k_dense_replace": 3},
        settle=_settle,
        aliases={"num_local_experts": "n_routed_experts", "num_experts": "n_routed_experts"},
        ignored=IGNORED,
        only=EVERY_LAYER,
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "deepseek-v3.2": measured("DeepseekV32ForCausalLM", 671_877_929_216, V=129280, d=7168, h=18432, h_e=2048,
                                      L=61, L_dense=3, heads=128, r_q=1536, r_kv=512, nope=128, rope=64, v=128,
                                      E=256, K=8, E_s=1, heads_i=64, k_i=128),
        },
    ),
    Architecture(
        "glm_moe_dsa",
        classes=decoder_heads("GlmMoeDsa", body, "ForCausalLM"),
        sizes="L_dense L_index",
        flags={"query_rank": True, "mla": "expanded"},
        keys={
            **_keys(V=154880, d=6144, h=12288, h_e=2048, L=78, heads=64, r_q=2048, heads_i=32),
            **latent_keys(r_kv=512, nope=192, rope=64, v=256),
        },
        reads={"mlp_layer_types": None, "first_k_dense_replace": 3, "indexer_types": None, "index_topk_pattern": None,
               "index_topk_freq": 1, "index_skip_topk_offset": 2},
        settle=_settle_glm,
        aliases={"num_local_experts": "n_routed_experts", "num_experts": "n_routed_experts"},
        ignored={**IGNORED, "index_share_for_mtp_iteration": ROUTED["num_nextn_predict_layers"]},
        only=EVERY_LAYER,
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "glm-5": _glm(743_911_199_232, L_index=78),
            "glm-5.2": _glm(743_377_000_704, L_index=21),
        },
    ),
)
