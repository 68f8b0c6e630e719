"""Bamba: Mamba-2 mixers, attention in a few layers, a gated MLP in all.

Source: IBM, Princeton, CMU and UIUC 2024, "Bamba: inference-efficient hybrid Mamba2 model", table of the architecture.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import (
    DECODER_NAMES,
    HEAD_NAMES,
    ROTARY,
    TIME_STEP,
    decoder_keys,
    listed,
    mamba2_names,
    measured,
    number,
)
from symcount.layers import attention, decoder_heads, embed, gated, norm
from symcount.layers.hybrid import steps
from symcount.layers.state_space import mamba2
from symcount.masks import Mask
from symcount.network import tensor
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.V, d=z.d)
    x = steps("layers.mixer", mamba2, x, inner=z.inner, heads=z.ssm_heads, groups=z.groups, state=z.state, w=z.w,
              chunk=z.chunk, bias=z.bias, conv_bias=z.conv_bias, runs=rest(z.L, z.L_attn))
    x = steps("layers.attention", attention, x, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias, position="rotary",
              mask=Mask(causal=True), runs=z.L_attn)
    x = steps("layers.mlp", gated, x, h=z.h, bias=z.mlp_bias, runs=z.L)
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have attention, and the inner width, which is that of all heads."""
    d, expand, heads = (number(config, key) for key in ("hidden_size", "mamba_expand", "mamba_n_heads"))
    inner, width = expand * d, config["mamba_d_head"]
    if width != "auto" and number(config, "mamba_d_head") * heads != inner:
        raise ConfigError(f"mamba_n_heads · mamba_d_head = {heads * width:,} is not mamba_expand · hidden_size = "
                          f"{inner:,}")
    L = number(config, "num_hidden_layers")
    return {"L_attn": 0 if config["attn_layer_indices"] is None else listed(config, "attn_layer_indices", L),
            "inner": None if expand == 2 else inner}


ARCHITECTURES = (Architecture(
    "bamba",
    classes=decoder_heads("Bamba", body, "ForCausalLM"),
    sizes="L_attn inner",
    follows={"kv": "heads", "k": "d/heads", "inner": "2d"},
    keys={
        **decoder_keys(V=128000, d=4096, h=14336, L=32, heads=32, kv=8),
        "mamba_n_heads": ("ssm_heads", 128),
        "mamba_n_groups": ("groups", 1),
        "mamba_d_state": ("state", 256),
        "mamba_d_conv": ("w", 4),
        "mamba_chunk_size": ("chunk", 256),
        "mamba_conv_bias": ("conv_bias", True),
        "mamba_proj_bias": ("bias", False),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
    },
    reads={"mamba_expand": 2, "mamba_d_head": "auto", "attn_layer_indices": None},
    settle=settle,
    ignored={
        **ROTARY,
        **TIME_STEP,
        "attn_rotary_emb": "rotation has no weights and is elementwise",
        "num_logits_to_keep": "logits are counted at every position",
        "z_loss_coefficient": "weighs a loss",
    },
    stored={
        **DECODER_NAMES,
        **mamba2_names("mamba"),
        "layers.mixer.norm": "layers.{i}.input_layernorm",
        "layers.attention.norm": "layers.{i}.input_layernorm",
        "layers.mlp.norm": "layers.{i}.pre_ff_layernorm",
        "layers.mlp.gate": "layers.{i}.feed_forward.gate_proj",
        "layers.mlp.up": "layers.{i}.feed_forward.up_proj",
        "layers.mlp.down": "layers.{i}.feed_forward.down_proj",
        "norm": "final_layernorm",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "bamba-9b": measured("BambaForCausalLM", 9_780_235_392, V=128256, d=4096, h=14336, L=32, heads=32, kv=8, k=128,
                             L_attn=3, inner=8192, ssm_heads=128, groups=1, state=128, w=4, chunk=256),
    },
),)
