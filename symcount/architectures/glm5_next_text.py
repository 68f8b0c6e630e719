"""The text model of GLM-5.3: the delta rule with one decay a channel, latent attention without positions, streams.

Attention is to tokens that an indexer chooses by pools; some layers take the choice of the layer before.
Source: the implementation in transformers 5.23.0; the delta rule: Kimi Team 2025, "Kimi Linear", section 3; streams:
Xie et al. 2026, "mHC: manifold-constrained hyper-connections".
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub.decoders import (
    DECODER_NAMES,
    LATENT_IGNORED,
    LATENT_NAMES,
    ROTARY,
    ROUTED,
    decoder_keys,
    expert_names,
    kimi_names,
    latent_keys,
)
from symcount.hub.settling import layer_kinds, listed_dense, number
from symcount.layers import decoder_heads, gated, linear, norm, words
from symcount.layers.delta import kimi_delta
from symcount.layers.experts import balanced_experts
from symcount.layers.latent import latent_attention
from symcount.layers.streams import around
from symcount.masks import Mask
from symcount.network import cached, concat, contract, cut, keep, pointwise, repeat, split, tensor, weight, within
from symcount.sizes import floor, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def delta(x: Tensor, z: Any) -> Tensor:
    """The delta rule; step in time and gate have the rank of a head."""
    return kimi_delta(x, heads=z.heads_lin, k=z.k_lin, w=z.w, low=True, bounded=z.bounded)


def attend(x: Tensor, z: Any, *, indexed: bool) -> Tensor:
    """Latent attention to tokens that this layer or one before it chose; all scores are computed all the same."""
    return latent_attention(x, z, t=z.t, form=z.mla, bias=z.attention_bias, mask=Mask(causal=True), position=None,
                            index=partial(pools, z=z) if indexed else None)


def pools(x: Tensor, low: Tensor, z: Any) -> Tensor:
    """How much each pool of c tokens matters to each of s: see `layers.latent.indexer`.

    Parameters: r_q·k_i·heads_i + 2dk_i + d·heads_i + c·k_i + 2k_i; multiply-adds: the maps times b·s, and
    b·s·floor(t/c)·heads_i·(k_i + 1).
    """
    query = linear(low, "query", over="r", bias=False, g=z.heads_i, k=z.k_i)
    key, gate = (linear(x, name, bias=False, k=z.k_i) for name in ("key", "pool"))
    key = norm(key, "key_norm", over="k")
    valid = tensor("valid", b=z.b, s=z.s, k=1)
    rows = cached(concat(key, gate, valid, axis="k"), "rows", s=("t", z.t))
    rows = cached(rows, "pooled", t=z.t)  # no product shows that later tokens need them: these are of pools
    n = floor(z.t, z.chunk)
    key, gate, _ = cut(split(keep(rows, t=n * z.chunk), "t", n=n, c=z.chunk), "k", z.k_i, z.k_i, 1)
    gate = pointwise(gate, weight("pool.place", kinds="embedding", c=z.chunk, k=z.k_i), kind="add", name="place")
    key = pointwise(pointwise(gate, kind="softmax"), key, kind="mix", to="b n k")
    scores = pointwise(contract(query, key, to="b s g n", name="scores"), kind="relu")
    share = linear(x, "share", bias=False, g=z.heads_i)
    scores = contract(share, scores, to="b s n", name="index")
    return pointwise(tensor("visible", b=z.b, s=z.s, t=z.t), scores, kind="pick", to="b s t", name="chosen")


def feed(x: Tensor, z: Any) -> Tensor:
    """3dh parameters."""
    return gated(x, h=z.h)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    x = repeat(x, n=z.streams)
    x = within("layers.linear", spread, x, z=z, name="attention", part=delta, runs=rest(z.L, z.L_attn))
    x = within("layers.indexed", spread, x, z=z, name="attention", part=attend, indexed=True, runs=z.L_index)
    x = within("layers.following", spread, x, z=z, name="attention", part=attend, indexed=False,
               runs=rest(z.L_attn, z.L_index))
    x = within("layers.dense", spread, x, z=z, name="mlp", part=feed, runs=z.L_dense)
    x = within("layers.sparse", spread, x, z=z, name="mlp", part=balanced_experts, runs=rest(z.L, z.L_dense))
    return norm(pointwise(x, kind="mean", to="b s d"), "norm", shift=False), word


def spread(x: Tensor, z: Any, name: str, part: Any, **how: bool) -> Tensor:
    """A part within the streams."""
    return around(x, z, name, part, **how)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Kinds of layers, which of them have an indexer, and the sizes of the delta rule."""
    L = number(config, "num_hidden_layers")
    layer_kinds(config, dict.fromkeys(("linear_attention", "indexed_attention", "full_attention")))  # refuses others
    kinds = config["layer_types"] or ["linear_attention" if i % 4 != 3 else "indexed_attention" for i in range(L)]
    modes = indexers(config, L)
    attends = [i for i, kind in enumerate(kinds) if kind != "linear_attention"]
    dense = listed_dense(config) or {"L_dense": min(3, L)}
    told = {} if config["linear_attn_config"] is None else config["linear_attn_config"]
    if not isinstance(told, dict):
        raise ConfigError(f"linear_attn_config = {told!r}: a table is needed")
    bound = told.get("gate_lower_bound", config["linear_lower_bound"])
    safe = config["linear_attn_config"] is not None and told.get("safe_gate", True)
    sizes = {size: number({**config, key: told.get(theirs, config[key])}, key) for theirs, key, size in (
        ("head_dim", "linear_head_dim", "k_lin"), ("num_heads", "linear_num_heads", "heads_lin"),
        ("short_conv_kernel_size", "linear_conv_kernel_dim", "w"))}
    return {**dense, **sizes, "L_attn": len(attends), "L_index": sum(modes[i] == "full" for i in attends),
            "bounded": bound is not None or bool(safe)}


def indexers(config: dict[str, Any], L: int) -> list[str]:
    """Whether each layer would choose for itself ("full") or take what one before it chose ("shared")."""
    told = config["indexer_types"]
    told = config["index_topk_pattern"] if told is None else told
    if isinstance(told, str):
        told = [{"F": "full", "S": "shared"}.get(letter, letter) for letter in told]
    if told is None:
        step, first = (number(config, key, least=0) for key in ("index_topk_freq", "index_skip_topk_offset"))
        step = max(step, 1)
        return ["full" if max(i - first + 1, 0) % step == 0 else "shared" for i in range(L)]
    if not isinstance(told, list) or len(told) != L or any(one not in ("full", "shared") for one in told):
        raise ConfigError(f"indexer_types: full or shared is needed for each of the {L} layers")
    return told


ARCHITECTURES = (Architecture(
    "glm5_next_text",
    classes=decoder_heads("Glm5NextText", body, ""),
    sizes="L_attn L_index L_dense heads_lin k_lin w",
    flags={"query_rank": True, "mla": "expanded", "bounded": True},
    acts={"hidden_act": ("", "mlp.gate shared.gate query_convolution key_convolution value_convolution")},
    follows={"rope": "0"},
    keys={
        **{key: told for key, told in decoder_keys(V=154880, d=4096, h=12288, L=45, heads=64).items()
           if key not in ("num_key_value_heads", "head_dim", "num_labels", "tie_word_embeddings")},
        **{key: told for key, told in latent_keys(r_kv=512, nope=256, rope=0, v=256).items()
           if key != "qk_rope_head_dim"},
        "q_lora_rank": ("r_q", 1536),
        "moe_intermediate_size": ("h_e", 2048),
        "n_routed_experts": ("E", 288),
        "num_experts_per_tok": ("K", 8),
        "n_shared_experts": ("E_s", 1),
        "attention_bias": ("attention_bias", False),
        "hc_mult": ("streams", 4),
        "index_n_heads": ("heads_i", 32),
        "index_head_dim": ("k_i", 128),
        "index_kpool": ("chunk", 16),
    },
    reads={
        "layer_types": None,
        "mlp_layer_types": None,
        "indexer_types": None,
        "index_topk_pattern": None,
        "index_topk_freq": 1,
        "index_skip_topk_offset": 2,
        "linear_attn_config": None,
        "linear_head_dim": 128,
        "linear_num_heads": 64,
        "linear_conv_kernel_dim": 4,
        "linear_lower_bound": -5.0,
    },
    settle=settle,
    aliases={"num_local_experts": "n_routed_experts"},
    ignored={
        **ROTARY,
        **LATENT_IGNORED,
        **ROUTED,
        "tie_word_embeddings": "the model has no head",
        "swiglu_limit": "a constant",
        "hc_eps": "a constant",
        "hc_sinkhorn_iters": "how often streams are balanced, element by element",
        "index_topk": "how many scores count; all are computed",
        "index_kpool_always_select_tail": "how many scores count; all are computed",
    },
    only={"qk_rope_head_dim": ((0,), "attention has no positions here")},
    unwritten="the choice of pools and the balance of streams, step by step",
    stored={
        **DECODER_NAMES,
        **LATENT_NAMES,
        **expert_names(),
        **kimi_names("layers.linear.attention"),
        **{f"layers.attention.indexer.{ours}": f"layers.{{i}}.self_attn.indexer.{theirs}" for ours, theirs in (
            ("query", "wq_b"), ("key", "wk"), ("key_norm", "k_norm"), ("share", "weights_proj"),
            ("pool.weight", "index_kpool_compress_gate"), ("pool.place", "index_kpool_compress_ape"))},
        **{f"layers.{part}.streams.{ours}": f"layers.{{i}}.{theirs}.{name}"
           for part, theirs in (("attention", "attn_hc"), ("mlp", "ffn_hc"))
           for ours, name in (("fn.weight", "fn"), ("base", "base"), ("scale", "scale"))},
    },
),)
