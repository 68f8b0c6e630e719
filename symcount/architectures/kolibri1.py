"""Kolibri: norms on both sides of each part and of queries and keys, experts beside a shared one, and windows.

Source: the implementation in transformers 5.23.0.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import global_every
from symcount.layers import attention, decoder_heads, norm, per_head, residual, windowed
from symcount.layers.experts import with_shared
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.masks import Mask


def block(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """2dk·heads + 2dk·kv + 2k + 3Ed·h_e + dE + 3d·h_s + 4d parameters; positions turn where there is a window."""
    y = norm(x, "attention_norm", shift=False)
    y = within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=False, normed=per_head, mask=mask,
               position=None if mask.window is None else "rotary")
    x = residual(x, norm(y, "attention_out_norm", shift=False))
    y = within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e, h_s=z.h_s,
               corrected="buffer", scores="sigmoid")
    return residual(x, norm(y, "mlp_out_norm", shift=False))


KEYS = decoder_keys(V=128000, d=2560, h=512, L=50, heads=48, kv=4, k=128)

ARCHITECTURES = (Architecture(
    "kolibri1",
    classes=decoder_heads("Kolibri1", windowed(block), "ForCausalLM"),
    sizes="window L_global",
    follows={"L_global": "floor(L/5)"},
    keys={
        **{key: entry for key, entry in KEYS.items() if key != "intermediate_size"},
        "moe_intermediate_size": ("h_e", 512),
        "shared_expert_intermediate_size": ("h_s", 512),
        "num_experts": ("E", 384),
        "num_experts_per_tok": ("K", 6),
    },
    reads={"sliding_window": 513, "layer_types": None},
    settle=global_every(5),
    aliases={"num_local_experts": "num_experts"},
    ignored={**ROTARY, **ROUTED, "intermediate_size": "every layer has experts"},
    stored={
        **DECODER_NAMES,
        **expert_names(),
        "layers.attention_out_norm": "layers.{i}.post_self_attn_layernorm",
        "layers.mlp_out_norm": "layers.{i}.post_mlp_layernorm",
        "layers.mlp.router.correction": "layers.{i}.mlp.gate.e_score_correction_bias",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "kolibri-1": measured("Kolibri1ForCausalLM", 78_103_055_360, V=128000, d=2560, L=50, L_global=10, heads=48,
                              kv=4, k=128, h_e=512, h_s=512, E=384, K=6, window=513),
    },
),)
