"""Laguna: experts beside a shared one after the first layer, and attention whose mix a gate opens head by head.

Source: Poolside 2026, "Laguna"; the shapes are those of its configuration.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import listed_dense, some_dense
from symcount.layers import attention, decoder_heads, gated, norm, per_head, residual
from symcount.layers.experts import sparse_decoder, with_shared
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attend(x: Tensor, z: Any) -> Tensor:
    """x + attention of its norm: 2dk·heads + 2dk·kv + d·heads + 2k + d parameters, or a gate of dk·heads."""
    y = norm(x, "attention_norm", shift=False)
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                              position="rotary", normed=per_head, gate="g q" if z.gate_per_head else "g q k",
                              gate_kind="softplus", mask=Mask(causal=True)))


def dense(x: Tensor, z: Any) -> Tensor:
    """With one MLP: 3dh + d parameters more."""
    x = attend(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


def sparse(x: Tensor, z: Any) -> Tensor:
    """With experts and a shared one: 3Ed·h_e + 3d·h_s + dE + E + d parameters more."""
    x = attend(x, z)
    return residual(x, within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e,
                              h_s=z.h_s, corrected="frozen", scores="sigmoid"))


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are dense, how many heads each layer has, and what the gate opens."""
    L, listed, gating = config["num_hidden_layers"], config["num_attention_heads_per_layer"], config["gating"]
    heads = config["num_attention_heads"]
    if listed is not None:
        if not isinstance(listed, list) or len(listed) != L or any(type(n) is not int for n in listed):
            raise ConfigError(f"num_attention_heads_per_layer: a list of {L} whole numbers is needed")
        if len(set(listed)) > 1:
            raise ConfigError("num_attention_heads_per_layer: layers with unlike heads are not written for this family")
        heads = listed[0] if listed else heads
    if gating not in (True, False, "per-head", "per-element"):
        raise ConfigError(f"gating = {gating!r}; supported: true, false, per-head, per-element")
    found = listed_dense(config)
    return {**some_dense(found.get("L_dense", min(1, L))), "heads": heads,
            "gate_per_head": gating is True or gating == "per-head"}  # false gates each number, as per-element does


ARCHITECTURES = (Architecture(
    "laguna",
    classes=decoder_heads("Laguna", sparse_decoder(dense, sparse), "ForCausalLM"),
    follows={"kv": "heads", "k": "d/heads"},
    flags={"dense": True, "gate_per_head": True},
    sizes="L_dense",
    keys={
        **decoder_keys(V=100352, d=2048, h=8192, L=40, heads=48, kv=8, k=128),
        "moe_intermediate_size": ("h_e", 512),
        "shared_expert_intermediate_size": ("h_s", 512),
        "num_experts": ("E", 256),
        "num_experts_per_tok": ("K", 8),
        "attention_bias": ("attention_bias", False),
    },
    reads={"mlp_layer_types": None, "num_attention_heads_per_layer": None, "gating": True},
    settle=settle,
    ignored={
        **ROTARY,
        **ROUTED,
        "layer_types": MASKED,
        "sliding_window": MASKED,
        "moe_routed_scaling_factor": "a constant",
        "moe_router_logit_softcapping": "a constant",
    },
    only={"moe_apply_router_weight_on_input": ((False,), "transformers has no other form")},
    hides={"layer_types": ("null", "absent")},
    stored={
        **DECODER_NAMES,
        **expert_names(),
        "layers.attention.gate": "layers.{i}.self_attn.g_proj",
        "layers.mlp.router.correction": "layers.{i}.mlp.gate.e_score_correction_bias",
    },
    stored_heads=HEAD_NAMES,
    base="model",
),)
