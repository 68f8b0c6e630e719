"""Muse Glimmer, the text model: gated attention and a gated MLP with norms around each; other norms have no weights.

Source: the configuration and the implementation in transformers; gated attention: Qiu et al. 2025, "Gated attention for
large language models", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import MASKED
from symcount.hub.decoders import DECODER_NAMES, ROTARY, decoder_keys
from symcount.layers import attention, decoder_heads, gated, norm, residual, words
from symcount.masks import Mask
from symcount.network import pointwise, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def plain_norm(x: Tensor, name: str) -> Tensor:
    """An RMSNorm without a gain: no parameters."""
    return pointwise(x, kind="rms_norm", name=name)


def block(x: Tensor, z: Any) -> Tensor:
    """3dk·heads + 2dk·kv + 3dh + 4d parameters."""
    y = within("attention", attention, norm(x, "attention_norm", shift=False), z=z, kv=z.kv, k=z.k, t=z.t,
               bias=z.attention_bias, position="rotary", normed=plain_norm, gate="g q k", mask=Mask(causal=True))
    x = residual(x, norm(y, "attention_out_norm", shift=False))
    y = within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h)
    return residual(x, norm(y, "mlp_out_norm", shift=False))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table, whose rows are normed."""
    x, word = words(z)
    x = within("layers", block, plain_norm(x, "embeddings_norm"), z=z, runs=z.L)
    return norm(x, "norm", shift=False), word


ARCHITECTURES = (Architecture(
    "muse_glimmer_text",
    classes=decoder_heads("MuseGlimmerText", body, ""),
    follows={"kv": "heads", "k": "d/heads"},
    acts={"hidden_activation": ("", "")},
    keys={
        **decoder_keys(V=202048, d=6656, h=19968, L=52, heads=32, kv=2, k=128),
        "attention_bias": ("attention_bias", False),
    },
    ignored={
        **ROTARY,
        "layer_types": MASKED,
        "sliding_window": MASKED,
        "layer_rope_theta": "rotation has no weights and is elementwise",
        "final_logit_softcapping": "a constant",
        "qk_scale_factor": "a constant",
        "output_multiplier": "a constant",
        "post_norm_eps": "a constant",
    },
    hides={"layer_types": ()},
    stored={
        **DECODER_NAMES,
        "layers.attention.gate": "layers.{i}.self_attn.gate_proj",
        "layers.attention_out_norm": "layers.{i}.post_attention_layernorm",
        "layers.mlp_norm": "layers.{i}.pre_feedforward_layernorm",
        "layers.mlp_out_norm": "layers.{i}.post_feedforward_layernorm",
    },
),)
