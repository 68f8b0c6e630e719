"""A.X K1: DeepSeek-V3 with a norm behind its experts; A.X K2: an indexer, and gates in attention and behind norms.

Source: SKT 2026, "A.X K1"; the configurations and the implementations in transformers.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
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
from symcount.hub.settling import listed_dense, number
from symcount.layers import decoder_heads, gated, linear, norm, residual
from symcount.layers.experts import balanced_experts, dense_then_experts
from symcount.layers.latent import indexer, latent_attention, latent_step
from symcount.masks import Mask
from symcount.network import concat, cut, pointwise, rename, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def dense(x: Tensor, z: Any) -> Tensor:
    """Latent attention, and 3dh + 2d parameters."""
    x = latent_step(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


def moe(x: Tensor, z: Any) -> Tensor:
    """Latent attention, and experts with a norm on each side: 3d parameters more than both."""
    x = latent_step(x, z)
    y = within("mlp", balanced_experts, norm(x, "mlp_norm", shift=False), z=z)
    return residual(x, norm(y, "mlp_out_norm", shift=False))


def gated_norm(x: Tensor, z: Any) -> Tensor:
    """A norm, of which a map of low rank lets some through: 2dr + d parameters."""
    y = norm(x, "norm", shift=False)
    share = pointwise(linear(y, "down", bias=False, r=z.r), kind="silu", name="act")
    share = pointwise(linear(share, "up", over="r", bias=False, d=z.d), kind="sigmoid")
    return pointwise(y, share, kind="multiply", name="gated")


def attend2(x: Tensor, z: Any) -> Tensor:
    """x and gated latent attention to tokens that an indexer chooses.

    Queries and gates come from rows of width r_q with and without their norm: 2r_q·heads·(nope + rope + v) parameters.
    """
    def asked(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        low = linear(x, "query_down", bias=z.attention_bias, r=z.r_q)
        normed = norm(low, "query_norm", over="r", shift=False)
        both = linear(concat(normed, low, axis="r"), "query_gate", over="r", bias=False, g=z.heads,
                      k=z.nope + z.rope + z.v)
        query, gate = cut(both, "k", z.nope + z.rope, z.v)
        return query, normed, rename(gate, k="v")

    y = within("attention_norm", gated_norm, x, z=z)
    return residual(x, within("attention", latent_attention, y, z=z, t=z.t, form=z.mla, bias=z.attention_bias,
                              mask=Mask(causal=True), index=partial(indexer, z=z, t=z.t), asked=asked))


def dense2(x: Tensor, z: Any) -> Tensor:
    """Gated latent attention, and 3dh + d parameters."""
    x = attend2(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


def moe2(x: Tensor, z: Any) -> Tensor:
    """Gated latent attention, and experts behind a gated norm: 2dr + d parameters more."""
    x = attend2(x, z)
    return residual(x, within("mlp", balanced_experts, within("mlp_norm", gated_norm, x, z=z), z=z))


def settle(config: dict[str, Any]) -> dict[str, int]:
    """How many layers have one MLP: as a list says, or those before the first with experts, and between them."""
    L = config["num_hidden_layers"]
    found = listed_dense(config)
    first, every = number(config, "first_k_dense_replace", least=0), number(config, "moe_layer_freq")
    return found or {"L_dense": L - len(range(-(-first // every) * every, L, every))}


KEYS = {
    "n_shared_experts": ("E_s", 1),
    "num_experts_per_tok": ("K", 8),
    "attention_bias": ("attention_bias", False),
}
READS = {"mlp_layer_types": None, "first_k_dense_replace": 1, "moe_layer_freq": 1}
IGNORED = {**ROTARY, **LATENT_IGNORED, **ROUTED}
STORED = {**DECODER_NAMES, **LATENT_NAMES, **expert_names()}
HEADS = "ForCausalLM ForSequenceClassification ForTokenClassification"


ARCHITECTURES = (Architecture(
    "axk1",
    classes=decoder_heads("AXK1", dense_then_experts(dense, moe), HEADS),
    sizes="L_dense",
    flags={"query_rank": True, "mla": "expanded"},
    keys={
        **latent_decoder_keys(V=163840, d=7168, h=18432, L=61, heads=64),
        **latent_keys(r_kv=512, nope=128, rope=64, v=128),
        **KEYS,
        "q_lora_rank": ("r_q", 1536),
        "moe_intermediate_size": ("h_e", 2048),
        "n_routed_experts": ("E", 192),
    },
    reads=READS,
    settle=settle,
    aliases={"num_local_experts": "n_routed_experts"},
    ignored=IGNORED,
    stored={**STORED, "layers.mlp_out_norm": "layers.{i}.mlp.post_mlp_layernorm"},
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "a.x-k1": measured("AXK1ForCausalLM", 518_983_052_288, V=163840, d=7168, h=18432, h_e=2048, L=61, L_dense=1,
                           heads=64, r_q=1536, r_kv=512, nope=128, rope=64, v=128, E=192, K=8, E_s=1),
    },
), Architecture(
    "axk2",
    classes=decoder_heads("AXK2", dense_then_experts(dense2, moe2), HEADS),
    sizes="L_dense",
    flags={"mla": "expanded"},
    keys={
        **latent_decoder_keys(V=163840, d=2048, h=5120, L=48, heads=32),
        **latent_keys(r_kv=128, nope=64, rope=32, v=64),
        **KEYS,
        "q_lora_rank": ("r_q", 384),
        "moe_intermediate_size": ("h_e", 512),
        "n_routed_experts": ("E", 128),
        "index_n_heads": ("heads_i", 16),
        "index_head_dim": ("k_i", 128),
        "gated_norm_rank": ("r", 16),
    },
    reads=READS,
    settle=settle,
    aliases={"num_local_experts": "n_routed_experts"},
    ignored={**IGNORED, "index_topk": MASKED, "layer_types": "how keys and values are cached"},
    stored={
        **STORED,
        "layers.attention_norm.norm": "layers.{i}.input_layernorm.norm",
        "layers.attention_norm.down": "layers.{i}.input_layernorm.mlp.fc1",
        "layers.attention_norm.up": "layers.{i}.input_layernorm.mlp.fc2",
        "layers.mlp_norm.norm": "layers.{i}.post_attention_layernorm.norm",
        "layers.mlp_norm.down": "layers.{i}.post_attention_layernorm.mlp.fc1",
        "layers.mlp_norm.up": "layers.{i}.post_attention_layernorm.mlp.fc2",
        "layers.attention.query_gate": "layers.{i}.self_attn.q_gate_proj",
        **INDEXER_NAMES,
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "a.x-k2-light": measured("AXK2ForCausalLM", 20_314_494_976, V=163840, d=2048, h=5120, h_e=512, L=48, L_dense=1,
                                 heads=32, r_q=384, r_kv=128, nope=64, rope=32, v=64, E=128, K=8, E_s=1, heads_i=16,
                                 k_i=128, r=16),
    },
))
