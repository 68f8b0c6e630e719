"""EXAONE-MoE: experts beside shared ones after the first layers, and norms of queries and keys.

Source: LG AI Research 2025, "EXAONE 4.0", section 2.1, for the block; the experts are those of its configuration.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import listed_dense, some_dense
from symcount.layers import attention, decoder_heads, gated, norm, per_head, residual
from symcount.layers.experts import balanced_experts, sparse_decoder
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attend(x: Tensor, z: Any) -> Tensor:
    """x + attention of its norm: 2dk·heads + 2dk·kv + 2k + d parameters."""
    y = norm(x, "attention_norm", shift=False)
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=False, position="rotary",
                              normed=per_head, mask=Mask(causal=True)))


def dense(x: Tensor, z: Any) -> Tensor:
    """With one MLP: 3dh + d parameters more."""
    x = attend(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


def sparse(x: Tensor, z: Any) -> Tensor:
    """With experts and E_s shared ones: 3Ed·h_e + 3d·E_s·h_e + dE + d parameters more."""
    x = attend(x, z)
    return residual(x, within("mlp", balanced_experts, norm(x, "mlp_norm", shift=False), z=z))


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are dense: as listed, or else the first ones."""
    first = config["first_k_dense_replace"]
    if isinstance(first, bool) or not isinstance(first, int):
        raise ConfigError(f"first_k_dense_replace = {first!r}: a whole number is needed")
    found = listed_dense(config)
    return some_dense(found.get("L_dense", min(max(first, 0), config["num_hidden_layers"])))


ARCHITECTURES = (Architecture(
    "exaone_moe",
    classes=decoder_heads("ExaoneMoe", sparse_decoder(dense, sparse), "ForCausalLM"),
    follows={"kv": "heads", "k": "d/heads"},
    flags={"dense": True},
    sizes="L_dense",
    keys={
        **decoder_keys(V=102400, d=4096, h=16384, L=32, heads=32, kv=32),
        "moe_intermediate_size": ("h_e", 1024),
        "num_experts": ("E", 64),
        "num_experts_per_tok": ("K", 8),
        "num_shared_experts": ("E_s", 1),
    },
    reads={"mlp_layer_types": None, "first_k_dense_replace": 1},
    settle=settle,
    ignored={
        **ROTARY,
        **ROUTED,
        "layer_types": MASKED,
        "sliding_window": MASKED,
        "sliding_window_pattern": MASKED,
    },
    hides={"layer_types": ()},
    stored={**DECODER_NAMES, **expert_names()},
    stored_heads=HEAD_NAMES,
    base="model",
),)
