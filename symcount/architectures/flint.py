"""Flint: norms of queries and keys, attention sinks, windows, and experts beside a shared one after the first layers.

Source: the implementation in transformers 5.23.0.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import dense_layers
from symcount.layers import attention, decoder_heads, gated, norm, per_head, residual
from symcount.layers.experts import sparse_decoder, with_shared
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attend(x: Tensor, z: Any) -> Tensor:
    """x + attention of its norm: 2dk·heads + 2dk·kv + 2k + heads + d parameters."""
    y = norm(x, "attention_norm", shift=False)
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                              position="rotary", normed=per_head, sinks=True, mask=Mask(causal=True)))


def dense(x: Tensor, z: Any) -> Tensor:
    """With one MLP: 3dh + d parameters more."""
    x = attend(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


def sparse(x: Tensor, z: Any) -> Tensor:
    """With experts and a shared one: 3Ed·h_e + dE + 3d·h_s + d parameters more, a token meets K/E of the first."""
    x = attend(x, z)
    return residual(x, within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e, h_s=z.h_s,
                              scores="sigmoid"))


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are dense: the first two where nothing is listed."""
    listed = config["mlp_only_layers"]
    return dense_layers({**config, "mlp_only_layers": [0, 1] if listed is None else listed})


ARCHITECTURES = (Architecture(
    "flint",
    classes=decoder_heads("Flint", sparse_decoder(dense, sparse), "ForCausalLM"),
    follows={"kv": "heads"},
    flags={"dense": True},
    sizes="L_dense",
    keys={
        **decoder_keys(V=150144, d=2048, h=6144, L=49, heads=32, kv=4, k=128),
        "moe_intermediate_size": ("h_e", 512),
        "shared_expert_intermediate_size": ("h_s", 1024),
        "num_experts": ("E", 256),
        "num_experts_per_tok": ("K", 6),
        "attention_bias": ("attention_bias", False),
    },
    reads={"decoder_sparse_step": 1, "mlp_only_layers": None},
    settle=settle,
    ignored={**ROTARY, **ROUTED, "layer_types": MASKED, "sliding_window": MASKED},
    hides={"layer_types": ()},
    stored={
        **DECODER_NAMES,
        **expert_names(),
        "layers.attention.sinks": "layers.{i}.self_attn.sinks",
        "layers.mlp.shared.gate": "layers.{i}.mlp.shared_expert.gate_proj",
        "layers.mlp.shared.up": "layers.{i}.mlp.shared_expert.up_proj",
        "layers.mlp.shared.down": "layers.{i}.mlp.shared_expert.down_proj",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "recursivesi-flint": measured("FlintForCausalLM", 39_785_287_456, V=150144, d=2048, h=6144, L=49, dense=True,
                                      L_dense=2, heads=32, kv=4, k=128, h_e=512, h_s=1024, E=256, K=6),
    },
),)
