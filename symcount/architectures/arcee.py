"""Arcee and the text model of Cosmos 3 Edge: the LLaMA block, but the MLP has two matrices and the activation relu².

Source: Arcee AI 2025, "Deep dive: AFM-4.5B"; So et al. 2021, "Primer", section 4 (relu²).
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.layers import attention, decoder, decoder_heads, mlp, norm, residual
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 2dh + 2d parameters."""
    y = norm(x, "attention_norm", shift=False)
    x = residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                           position="rotary", mask=Mask(causal=True)))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm", shift=False), h=z.h, bias=z.mlp_bias, kind="relu2"))


ARCHITECTURES = (Architecture(
    "arcee",
    classes=decoder_heads("Arcee", decoder(block)),
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=32000, d=2560, h=18432, L=32, heads=32),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
    },
    ignored=ROTARY,
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "ArceeForQuestionAnswering": "transformer"},
), Architecture(
    "cosmos3_edge_text",
    classes={"Cosmos3EdgeTextModel": lambda z: decoder(block)(z)[0]},
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=131072, d=2048, h=9216, L=28, heads=16, kv=8, k=128),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
    },
    ignored=ROTARY,
    stored={**DECODER_NAMES, "layers.mlp.up": "layers.{i}.mlp.fc1", "layers.mlp.down": "layers.{i}.mlp.fc2"},
    published={
        "cosmos3-edge-text": measured("Cosmos3EdgeTextModel", 1_677_838_336, V=131072, d=2048, h=9216, L=28, heads=16,
                                      kv=8, k=128),
    },
),)
