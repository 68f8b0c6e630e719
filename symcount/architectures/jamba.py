"""Jamba: Mamba mixers, attention without positions in every eighth layer, experts in every second.

Source: Lieber et al. 2024, "Jamba", sections 2 and 3.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, TIME_STEP, decoder_keys, mamba_names
from symcount.hub.settling import every, number
from symcount.layers import attention, decoder_heads, gated, norm, words
from symcount.layers.experts import mixture
from symcount.layers.hybrid import steps
from symcount.layers.state_space import mamba
from symcount.masks import Mask
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    x = steps("layers.mixer", mamba, x, inner=z.inner, state=z.state, r_dt=z.r_dt, w=z.w, bias=z.bias,
              conv_bias=z.conv_bias, normed=selection_norm, runs=rest(z.L, z.L_attn))
    x = steps("layers.attention", attention, x, z=z, kv=z.kv, k=z.k, t=z.t, bias=False, mask=Mask(causal=True),
              runs=z.L_attn)
    x = steps("layers.mlp", gated, x, h=z.h, runs=rest(z.L, z.L_moe))
    x = steps("layers.moe", mixture, x, E=z.E, K=z.K, h=z.h, runs=z.L_moe)
    return norm(x, "norm", shift=False), word


def selection_norm(y: Tensor, name: str) -> Tensor:
    """An RMSNorm over what was selected, the last axis."""
    return norm(y, name, over=list(y.axes)[-1], shift=False)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have attention, how many have experts, and the sizes of a mixer."""
    d, L, E = (number(config, key) for key in ("hidden_size", "num_hidden_layers", "num_experts"))
    expand, rank = number(config, "mamba_expand"), config["mamba_dt_rank"]
    experts = every(config, "expert_layer_period", "expert_layer_offset", L)
    found = {
        "L_attn": every(config, "attn_layer_period", "attn_layer_offset", L),
        "L_moe": experts if E > 1 else 0,
        "inner": None if expand == 2 else expand * d,
        "r_dt": None if rank == "auto" else number(config, "mamba_dt_rank"),
    }
    return found if E > 1 else {**found, "K": 1}  # one expert is an MLP, of which none are chosen


def _jamba(count: int, **sizes: int) -> Published:
    return measured("JambaForCausalLM", count, V=65536, kv=8, k=128, E=16, K=2, state=16, w=4, **sizes)


ARCHITECTURES = (Architecture(
    "jamba",
    classes=decoder_heads("Jamba", body, "ForCausalLM ForSequenceClassification"),
    sizes="L_attn L_moe inner r_dt",
    follows={"kv": "heads", "k": "d/heads", "inner": "2d", "r_dt": "ceil(d, 16)"},
    keys={
        **decoder_keys(V=65536, d=4096, h=14336, L=32, heads=32, kv=8),
        "num_experts": ("E", 16),
        "num_experts_per_tok": ("K", 2),
        "mamba_d_state": ("state", 16),
        "mamba_d_conv": ("w", 4),
        "mamba_conv_bias": ("conv_bias", True),
        "mamba_proj_bias": ("bias", False),
    },
    reads={
        "mamba_expand": 2,
        "mamba_dt_rank": "auto",
        "attn_layer_period": 8,
        "attn_layer_offset": 4,
        "expert_layer_period": 2,
        "expert_layer_offset": 1,
    },
    settle=settle,
    aliases={"num_local_experts": "num_experts"},
    ignored={
        **TIME_STEP,
        "max_position_embeddings": "there are no positions",
        "output_router_logits": "chooses what is returned",
        "router_aux_loss_coef": "weighs a loss",
        "num_logits_to_keep": "logits are counted at every position",
        "sliding_window": "read by nothing",
        "calc_logits_for_entire_prompt": "logits are counted at every position",
        "mamba_inner_layernorms": "read by nothing: the norms are always there",
    },
    stored={
        **DECODER_NAMES,
        **mamba_names("mamba"),
        "layers.mixer.time_norm": "layers.{i}.mamba.dt_layernorm",
        "layers.mixer.enter_norm": "layers.{i}.mamba.b_layernorm",
        "layers.mixer.leave_norm": "layers.{i}.mamba.c_layernorm",
        "layers.mixer.norm": "layers.{i}.input_layernorm",
        "layers.attention.norm": "layers.{i}.input_layernorm",
        "layers.mlp.norm": "layers.{i}.pre_ff_layernorm",
        "layers.moe.norm": "layers.{i}.pre_ff_layernorm",
        "layers.mlp.gate": "layers.{i}.feed_forward.gate_proj",
        "layers.mlp.up": "layers.{i}.feed_forward.up_proj",
        "layers.mlp.down": "layers.{i}.feed_forward.down_proj",
        "layers.moe.router": "layers.{i}.feed_forward.router",
        ("layers.moe.experts.gate.weight", "layers.moe.experts.up.weight"):
            ("layers.{i}.feed_forward.experts.gate_up_proj", "E 2h d"),
        "layers.moe.experts.down.weight": ("layers.{i}.feed_forward.experts.down_proj", "E d h"),
        "norm": "final_layernorm",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "jamba-v0.1": _jamba(51_570_323_328, d=4096, h=14336, L=32, heads=32, L_attn=4, L_moe=16, inner=8192,
                             r_dt=256),
        "jamba-1.5-large": _jamba(398_555_145_696, d=8192, h=24576, L=72, heads=64, L_attn=9, L_moe=36, inner=16384,
                                  r_dt=512),
    },
),)
