"""DBRX: experts in every layer, LayerNorm without a shift, queries, keys and values stored as one map.

Source: Databricks 2024, "Introducing DBRX"; the shapes are those of its configuration.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import HEAD_NAMES, ROTARY, ROUTED
from symcount.layers import attention, decoder_heads, norm, residual, words
from symcount.layers.experts import mixture
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def scale(x: Tensor, name: str) -> Tensor:
    """A LayerNorm without a shift: d parameters."""
    return norm(x, name, shift=False, kind="layer_norm")


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3Edh + dE + 2d parameters, of which a token meets K/E of the experts'."""
    x = residual(x, within("attention", attention, scale(x, "attention_norm"), z=z, kv=z.kv, k=z.k, t=z.t, bias=False,
                           position="rotary", mask=Mask(causal=True)))
    return residual(x, within("mlp", mixture, scale(x, "mlp_norm"), E=z.E, K=z.K, h=z.h))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    return scale(within("layers", block, x, z=z, runs=z.L), "norm"), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The activation, which stands in a table of its own: {"name": "silu"}."""
    told = config["ffn_config.ffn_act_fn"] or {}
    return {"acts": {"": told.get("name", "silu") if isinstance(told, dict) else told}}


ARCHITECTURES = (Architecture(
    "dbrx",
    classes=decoder_heads("Dbrx", body, "ForCausalLM"),
    follows={"k": "d/heads"},
    flags={"tied": False},
    acts={},
    keys={
        "vocab_size": ("V", 32000),
        "d_model": ("d", 2048),
        "n_layers": ("L", 24),
        "n_heads": ("heads", 16),
        "attn_config.kv_n_heads": ("kv", 1),
        "ffn_config.ffn_hidden_size": ("h", 3584),
        "ffn_config.moe_num_experts": ("E", 4),
        "ffn_config.moe_top_k": ("K", 1),
    },
    reads={"ffn_config.ffn_act_fn": None},
    settle=settle,
    aliases={
        "num_hidden_layers": "n_layers",
        "num_attention_heads": "n_heads",
        "max_position_embeddings": "max_seq_len",
    },
    ignored={
        **ROTARY,
        **ROUTED,
        "max_seq_len": "rotary positions have no table",
        "emb_pdrop": "dropout has no weights",
        "num_key_value_heads": "attn_config has the number that is read",
        "attn_config.attn_pdrop": "dropout has no weights",
        "attn_config.clip_qkv": "a constant",
        "attn_config.model_type": "a note about the file",
        "ffn_config.model_type": "a note about the file",
        "ffn_config.hidden_size": "the width of the model is read instead",
        "ffn_config.moe_jitter_eps": "noise while training",
        "ffn_config.moe_loss_weight": "weighs a loss",
        "ffn_config.moe_normalize_expert_weights": "scales the scores of the experts",
    },
    only={
        "attn_config": ((None,), "a table is needed"),
        "ffn_config": ((None,), "a table is needed"),
        "tie_word_embeddings": ((False,), "the family has no tied form"),
    },
    stored={
        "embeddings": "wte",
        "layers.attention_norm": "blocks.{i}.norm_attn_norm.norm_1",
        ("layers.attention.query.weight", "layers.attention.key.weight", "layers.attention.value.weight"):
            "blocks.{i}.norm_attn_norm.attn.Wqkv.weight",
        "layers.attention.output": "blocks.{i}.norm_attn_norm.attn.out_proj",
        "layers.mlp_norm": "blocks.{i}.norm_attn_norm.norm_2",
        "layers.mlp.router": "blocks.{i}.ffn.router.layer",
        "layers.mlp.experts.gate.weight": ("blocks.{i}.ffn.experts.mlp.w1", "E*h d"),
        "layers.mlp.experts.up.weight": ("blocks.{i}.ffn.experts.mlp.v1", "E*h d"),
        "layers.mlp.experts.down.weight": ("blocks.{i}.ffn.experts.mlp.w2", "E*h d"),
        "norm": "norm_f",
    },
    stored_heads=HEAD_NAMES,
    base="transformer",
    published={
        "dbrx": measured("DbrxForCausalLM", 131_596_523_520, V=100352, d=6144, h=10752, L=40, heads=48, kv=8, k=128,
                         E=16, K=4),
    },
),)
