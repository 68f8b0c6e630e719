"""Granite with windows: the LLaMA block with one sink a head, global attention in every fourth layer.

Source: the implementation in transformers 5.23.0; the sinks: Xiao et al. 2023, "Efficient streaming language models
with attention sinks".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import windows
from symcount.layers import decoder_heads, rotary_block, windowed
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.masks import Mask


def block(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """2dk·heads + 2dk·kv + heads + 3dh + 2d parameters."""
    return rotary_block(x, z, mask, bias=z.attention_bias, mlp_bias=z.mlp_bias, sinks=True)


def every_fourth(config: dict[str, Any]) -> dict[str, Any]:
    """Layers 0, 4, 8, … are global, unless layer_types says otherwise."""
    return windows(config, -(-config["num_hidden_layers"] // 4))


ARCHITECTURES = (Architecture(
    "granite_swa",
    classes=decoder_heads("GraniteSWA", windowed(block), "ForCausalLM"),
    sizes="window L_global",
    follows={"kv": "heads", "k": "d/heads", "L_global": "ceil(L/4)"},
    keys={
        **decoder_keys(V=100352, d=2560, h=8192, L=24, heads=20, kv=4, tied=True),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
    },
    reads={"sliding_window": 128, "layer_types": None},
    settle=every_fourth,
    ignored={
        **ROTARY,
        "layer_rope_theta": "rotation has no weights and is elementwise",
        **dict.fromkeys(("embedding_multiplier", "logits_scaling", "residual_multiplier", "attention_multiplier"),
                        "a constant"),
    },
    stored={**DECODER_NAMES, "layers.attention.sinks": "layers.{i}.self_attn.sinks"},
    stored_heads=HEAD_NAMES,
    base="model",
),)
