"""HyperCLOVA X: the LLaMA block with one more norm after attention and after the MLP, inside the residual.

Source: NAVER Cloud 2025, "HyperCLOVA X THINK technical report", section 2 (peri-layer normalisation).
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.layers import attention, decoder, decoder_heads, gated, norm, residual
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 4d parameters."""
    y = norm(x, "attention_norm", shift=False)
    y = within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias, position="rotary",
               mask=Mask(causal=True))
    x = residual(x, norm(y, "attention_post_norm", shift=False) if z.post_norm else y)
    y = within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, bias=z.mlp_bias)
    return residual(x, norm(y, "mlp_post_norm", shift=False) if z.post_norm else y)


ARCHITECTURES = (Architecture(
    "hyperclovax",
    classes=decoder_heads("HyperCLOVAX", decoder(block), "ForCausalLM"),
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=32000, d=4096, h=11008, L=32, heads=32),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
        "use_post_norm": ("post_norm", True),
    },
    ignored={
        **ROTARY,
        **dict.fromkeys(("embedding_multiplier", "logits_scaling", "residual_multiplier", "attention_multiplier"),
                        "a constant"),
    },
    stored={
        **DECODER_NAMES,
        "layers.attention_post_norm": "layers.{i}.post_norm1",
        "layers.mlp_post_norm": "layers.{i}.post_norm2",
    },
    stored_heads=HEAD_NAMES,
    base="model",
),)
