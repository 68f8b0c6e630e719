"""Beam: gated attention with windows, norms on both sides of each part, and experts, none shared.

Source: the implementation in transformers 5.23.0.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import listed_dense, some_dense
from symcount.layers import attention, decoder_heads, gated, norm, per_head, residual
from symcount.layers.experts import mixture, sparse_decoder
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attend(x: Tensor, z: Any) -> Tensor:
    """x + attention between two norms: 3dk·heads + 2dk·kv + 2k + heads + 2d parameters."""
    y = within("attention", attention, norm(x, "attention_norm", shift=False), z=z, kv=z.kv, k=z.k, t=z.t,
               bias=z.attention_bias, position="rotary", normed=per_head, gate="g q k", gate_shift=True,
               mask=Mask(causal=True))
    return residual(x, norm(y, "attention_out_norm", shift=False))


def dense(x: Tensor, z: Any) -> Tensor:
    """With one MLP: 3dh + 2d parameters more."""
    x = attend(x, z)
    return residual(x, norm(within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h), "mlp_out_norm", shift=False))


def sparse(x: Tensor, z: Any) -> Tensor:
    """With experts: 3Ed·h_e + dE + 2d parameters more, of which a token meets K/E of the first."""
    x = attend(x, z)
    y = within("mlp", mixture, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e, corrected="buffer",
               scores="sigmoid")
    return residual(x, norm(y, "mlp_out_norm", shift=False))


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are dense: as listed, or else the first three."""
    found = listed_dense(config)
    return some_dense(found.get("L_dense", min(3, config["num_hidden_layers"])))


ARCHITECTURES = (Architecture(
    "beam",
    unwritten="the weights of the sums, the scale of queries without positions, and the soft cap of logits",
    classes=decoder_heads("Beam", sparse_decoder(dense, sparse), "ForCausalLM"),
    follows={"kv": "heads"},
    flags={"dense": True},
    sizes="L_dense",
    keys={
        **decoder_keys(V=151936, d=5120, h=20480, L=52, heads=48, kv=8, k=128),
        "moe_intermediate_size": ("h_e", 2560),
        "num_experts": ("E", 256),
        "num_experts_per_tok": ("K", 8),
        "attention_bias": ("attention_bias", False),
    },
    reads={"mlp_layer_types": None},
    settle=settle,
    ignored={
        **ROTARY,
        **ROUTED,
        "final_logit_softcapping": "a constant",
        "layer_types": MASKED,
        "sliding_window": MASKED,
    },
    hides={"layer_types": ()},
    stored={
        **DECODER_NAMES,
        **expert_names(),
        "layers.attention.gate": "layers.{i}.self_attn.gate_proj",
        "layers.attention.gate_shift": ("layers.{i}.self_attn.gate_bias", "heads"),
        "layers.attention_out_norm": "layers.{i}.post_attention_layernorm",
        "layers.mlp_norm": "layers.{i}.pre_feedforward_layernorm",
        "layers.mlp_out_norm": "layers.{i}.post_feedforward_layernorm",
        "layers.mlp.router.correction": "layers.{i}.mlp.gate.e_score_correction_bias",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "beam-1.0-501b-a23b": measured("BeamForCausalLM", 501_267_599_808, V=151936, d=5120, h=20480, L=52, dense=True,
                                       L_dense=3, heads=48, kv=8, k=128, h_e=2560, E=256, K=8),
    },
),)
