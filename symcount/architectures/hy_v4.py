"""Hunyuan 4: latent attention to chosen tokens, with gates and sinks; several residual streams that do not mix.

Source: Tencent Hunyuan 2026, "Hy4"; the configuration and the implementation in transformers; the streams: Zhu et al.
2024, "Hyper-connections", section 2.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED
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
from symcount.hub.settling import layer_kinds, listed_dense, some_dense
from symcount.layers import decoder_heads, gated, norm, words
from symcount.layers.experts import balanced_experts
from symcount.layers.latent import indexer, latent_attention
from symcount.layers.streams import coefficients
from symcount.masks import Mask
from symcount.network import cut, pointwise, rename, repeat, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def around(x: Tensor, name: str, part: Callable[..., Tensor], **sizes: Any) -> Tensor:
    """A part of the norm of one row collapsed from the streams, spread over them: 2n²d + 2n + 2 + d parameters more."""
    row, spread = within(f"{name}.streams", collapse, x)
    y = within(name, part, norm(row, f"{name}_norm", shift=False), **sizes)
    return pointwise(x, y, spread, kind="add", name="residual")


def collapse(x: Tensor) -> tuple[Tensor, Tensor]:
    """One row for all n streams, and how a row is spread over them: 2n(nd + 1) + 2 parameters."""
    n = x.axes["n"]
    gather, spread = (rename(pointwise(part, kind="sigmoid"), o="n")
                      for part in cut(coefficients(x, 2 * n, 2), "o", n, n))
    return pointwise(x, gather, kind="mix", name="collapsed", to="b s d"), spread


def last(x: Tensor) -> Tensor:
    """One row for all n streams, after the last layer: n(nd + 1) + 1 parameters."""
    gather = rename(pointwise(coefficients(x, x.axes["n"], 1), kind="sigmoid"), o="n")
    return pointwise(x, gather, kind="mix", name="collapsed", to="b s d")


def attention(x: Tensor, z: Any, *, indexed: bool) -> Tensor:
    """Latent attention whose mix a gate of d·v·heads parameters opens, with sinks: heads parameters more."""
    return latent_attention(x, z, t=z.t, form=z.mla, bias=z.attention_bias, mask=Mask(causal=True), gate="g v",
                            index=partial(indexer, z=z, t=z.t) if indexed else None, sinks=True)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """L_index layers choose tokens and the others take those of the last that did; one MLP, or experts."""
    x, word = words(z)
    x = repeat(x, n=z.streams)
    attends: dict[str, Any] = {"name": "attention", "part": attention, "z": z}
    x = within("layers.choosing", around, x, indexed=True, runs=z.L_index, **attends)
    x = within("layers.reusing", around, x, indexed=False, runs=rest(z.L, z.L_index), **attends)
    if z.dense:
        x = within("layers.dense", around, x, name="mlp", part=gated, h=z.h, runs=z.L_dense)
    x = within("layers.moe", around, x, name="mlp", part=balanced_experts, z=z,
               runs=rest(z.L, z.L_dense) if z.dense else z.L)
    return norm(within("streams", last, x), "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are dense, and how many choose tokens: the first, and each fourth from the second on."""
    L = config["num_hidden_layers"]
    dense = listed_dense(config) or {"L_dense": min(1, L)}
    found = layer_kinds(config, {"full": "L_index", "shared": None}, "indexer_types") or {
        "L_index": min(1, L) + len(range(1, L, 4))}
    if config["indexer_types"] and config["indexer_types"][0] != "full":
        raise ConfigError("indexer_types: the first layer has no layer before it whose tokens it could share")
    return {**some_dense(dense["L_dense"]), **found}


ARCHITECTURES = (Architecture(
    "hy_v4",
    classes=decoder_heads("HYV4", body, "ForCausalLM"),
    sizes="L_dense L_index",
    flags={"query_rank": True, "dense": True, "mla": "expanded"},
    keys={
        **latent_decoder_keys(V=120832, d=2816, h=6912, L=34, heads=32),
        **latent_keys(r_kv=512, nope=192, rope=64, v=256),
        "q_lora_rank": ("r_q", 1536),
        "moe_intermediate_size": ("h_e", 768),
        "n_routed_experts": ("E", 256),
        "num_experts_per_tok": ("K", 8),
        "n_shared_experts": ("E_s", 1),
        "index_n_heads": ("heads_i", 16),
        "index_head_dim": ("k_i", 128),
        "hc_mult": ("streams", 4),
        "attention_bias": ("attention_bias", False),
    },
    reads={"mlp_layer_types": None, "indexer_types": None},
    acts={"hidden_act": ("silu", "layers.dense shared")},  # routed experts have SiLU in any case
    settle=settle,
    aliases={"num_local_experts": "n_routed_experts"},
    ignored={
        **ROTARY,
        **LATENT_IGNORED,
        **ROUTED,
        "index_topk": MASKED,
        "layer_types": "how keys and values are cached",
        "learnable_sink_init": "how weights start, not how many there are",
        **dict.fromkeys(("hc_magnitude", "hc_eps", "swiglu_limit"), "a constant"),
    },
    stored={
        **DECODER_NAMES,
        **LATENT_NAMES,
        **expert_names(),
        "layers.attention.gate": "layers.{i}.self_attn.gate_proj",
        "layers.attention.sinks": "layers.{i}.self_attn.sinks",
        **INDEXER_NAMES,
        **{f"layers.{part}.streams.{ours}": f"layers.{{i}}.{theirs}.{name}"
           for part, theirs in (("attention", "attn_hc"), ("mlp", "ffn_hc"))
           for ours, name in (("fn.weight", "fn"), ("base", "base"), ("scale", "scale"))},
        "streams.fn.weight": "hc_head.hc_fn",
        "streams.base": "hc_head.hc_base",
        "streams.scale": "hc_head.hc_scale",
    },
    stored_heads=HEAD_NAMES,
    base="model",
),)
