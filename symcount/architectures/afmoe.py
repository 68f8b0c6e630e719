"""AFMoE (Trinity): experts beside shared ones after the first layers, gated attention, norms around each block.

Source: Arcee AI 2025, "The Trinity manifesto"; the shapes are those of its configuration.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import some_dense
from symcount.layers import attention, decoder_heads, gated, norm, per_head, residual
from symcount.layers.experts import sparse_decoder, with_shared
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attend(x: Tensor, z: Any) -> Tensor:
    """x + attention between two norms: 3dk·heads + 2dk·kv + 2k + 2d parameters."""
    y = within("attention", attention, norm(x, "attention_norm", shift=False), z=z, kv=z.kv, k=z.k, t=z.t,
               bias=z.attention_bias, position="rotary", normed=per_head, gate="g q k", mask=Mask(causal=True))
    return residual(x, norm(y, "attention_out_norm", shift=False))


def dense(x: Tensor, z: Any) -> Tensor:
    """With one MLP: 3dh + 2d parameters more."""
    x = attend(x, z)
    y = within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h)
    return residual(x, norm(y, "mlp_out_norm", shift=False))


def sparse(x: Tensor, z: Any) -> Tensor:
    """With experts and E_s shared ones: 3Ed·h_e + 3d·E_s·h_e + dE + E + 2d parameters more."""
    x = attend(x, z)
    y = within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e, h_s=z.E_s * z.h_e,
               corrected="frozen", scores="sigmoid")
    return residual(x, norm(y, "mlp_out_norm", shift=False))


def first_layers(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are dense: the first ones."""
    first = config["num_dense_layers"]
    if isinstance(first, bool) or not isinstance(first, int):
        raise ConfigError(f"num_dense_layers = {first!r}: a whole number is needed")
    return some_dense(min(max(first, 0), config["num_hidden_layers"]))


ARCHITECTURES = (Architecture(
    "afmoe",
    classes=decoder_heads("Afmoe", sparse_decoder(dense, sparse), "ForCausalLM"),
    follows={"kv": "heads", "k": "d/heads"},
    flags={"dense": True},
    sizes="L_dense",
    keys={
        **decoder_keys(V=200192, d=2048, h=6144, L=32, heads=16, k=128),
        "moe_intermediate_size": ("h_e", 1408),
        "num_experts": ("E", 64),
        "num_experts_per_tok": ("K", 6),
        "num_shared_experts": ("E_s", 2),
        "attention_bias": ("attention_bias", False),
    },
    reads={"num_dense_layers": 1},
    settle=first_layers,
    ignored={
        **ROTARY,
        **ROUTED,
        "route_scale": "a constant",
        "mup_enabled": "a constant",
        "global_attn_every_n_layers": MASKED,
        "layer_types": MASKED,
        "sliding_window": MASKED,
    },
    hides={"layer_types": ()},
    stored={
        **DECODER_NAMES,
        **expert_names(router="router.gate"),
        "layers.attention.gate": "layers.{i}.self_attn.gate_proj",
        "layers.attention_out_norm": "layers.{i}.post_attention_layernorm",
        "layers.mlp_norm": "layers.{i}.pre_mlp_layernorm",
        "layers.mlp_out_norm": "layers.{i}.post_mlp_layernorm",
        "layers.mlp.router.correction": "layers.{i}.mlp.expert_bias",
    },
    stored_heads=HEAD_NAMES,
    base="model",
),)
