"""Qwen2-MoE: the Qwen2 block with small experts and one shared expert, which a score of its own weighs.

Source: Yang et al. 2024, "Qwen2 technical report", section 2.2.2 and table 1; Qwen Team 2024, "Qwen1.5-MoE".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import dense_layers
from symcount.layers import attention, decoder_heads, gated, norm, residual
from symcount.layers.experts import sparse_decoder, with_shared
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def attend(x: Tensor, z: Any) -> Tensor:
    """x + attention of its norm: 2dk·heads + 2dk·kv + d parameters, and (heads + 2kv)k with biases."""
    y = norm(x, "attention_norm", shift=False)
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, position="rotary",
                              bias="query key value" if z.qkv_bias else False, mask=Mask(causal=True)))


def dense(x: Tensor, z: Any) -> Tensor:
    """With one MLP: 3dh + d parameters more."""
    x = attend(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


def sparse(x: Tensor, z: Any) -> Tensor:
    """With experts: 3Ed·h_e + dE + 3d·h_s + 2d parameters more, of which a token meets K/E of the first."""
    x = attend(x, z)
    return residual(x, within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e,
                              h_s=z.h_s, scored=True))


def _qwen(count: int, **sizes: int) -> Published:
    return measured("Qwen2MoeForCausalLM", count, V=151936, k=128, qkv_bias=True, **sizes)


ARCHITECTURES = (Architecture(
    "qwen2_moe",
    classes=decoder_heads("Qwen2Moe", sparse_decoder(dense, sparse)),
    follows={"kv": "heads", "k": "d/heads"},
    flags={"dense": False},
    sizes="L_dense",
    keys={
        **decoder_keys(V=151936, d=2048, h=5632, L=24, heads=16, kv=16),
        "moe_intermediate_size": ("h_e", 1408),
        "shared_expert_intermediate_size": ("h_s", 5632),
        "num_experts": ("E", 60),
        "num_experts_per_tok": ("K", 4),
        "qkv_bias": ("qkv_bias", True),
    },
    reads={"decoder_sparse_step": 1, "mlp_only_layers": None},
    settle=dense_layers,
    ignored={
        **ROTARY,
        **ROUTED,
        "use_sliding_window": MASKED,
        "sliding_window": MASKED,
        "max_window_layers": MASKED,
        "layer_types": MASKED,
    },
    hides={"use_sliding_window": ("false", "absent")},
    stored={
        **DECODER_NAMES,
        **expert_names(),
        "layers.mlp.shared.router": "layers.{i}.mlp.shared_expert_gate",
        "layers.mlp.shared.gate": "layers.{i}.mlp.shared_expert.gate_proj",
        "layers.mlp.shared.up": "layers.{i}.mlp.shared_expert.up_proj",
        "layers.mlp.shared.down": "layers.{i}.mlp.shared_expert.down_proj",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "qwen1.5-moe-a2.7b": _qwen(14_315_784_192, d=2048, h=5632, L=24, heads=16, kv=16, h_e=1408, h_s=5632, E=60,
                                   K=4),
        "qwen2-57b-a14b": _qwen(57_408_658_944, d=3584, h=18944, L=28, heads=28, kv=4, h_e=2560, h_s=20480, E=64, K=8),
    },
),)
