"""LLaMA: pre-norm decoder with RMSNorm, rotary positions, a gated MLP and (from LLaMA 2) grouped heads.

Source: Touvron et al. 2023, "LLaMA", table 2 and section 2.2; Touvron et al. 2023, "Llama 2", section 2.2;
Grattafiori et al. 2024, "The Llama 3 herd of models", table 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys, measured
from symcount.layers import attention, decoder, decoder_heads, gated, norm, residual
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 3dh + 2d parameters when kv = heads and k = d/heads."""
    y = norm(x, "attention_norm", shift=False)
    x = residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                           position="rotary", mask=Mask(causal=True)))
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, bias=z.mlp_bias))


def _llama(count: int, **sizes: int) -> Published:
    return measured("LlamaForCausalLM", count, **sizes)


ARCHITECTURES = (Architecture(
    "llama",
    classes=decoder_heads("Llama", decoder(block)),
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=32000, d=4096, h=11008, L=32, heads=32),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
    },
    ignored={**ROTARY, "max_sequence_length": "rotary positions have no table"},
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "LlamaForQuestionAnswering": "transformer"},
    published={
        "llama-7b": _llama(6_738_415_616, V=32000, d=4096, h=11008, L=32, heads=32),
        "llama-13b": _llama(13_015_864_320, V=32000, d=5120, h=13824, L=40, heads=40),
        "llama-30b": _llama(32_528_943_616, V=32000, d=6656, h=17920, L=60, heads=52),
        "llama-65b": _llama(65_285_660_672, V=32000, d=8192, h=22016, L=80, heads=64),
        "llama-2-7b": _llama(6_738_415_616, V=32000, d=4096, h=11008, L=32, heads=32),
        "llama-2-13b": _llama(13_015_864_320, V=32000, d=5120, h=13824, L=40, heads=40),
        "llama-2-70b": _llama(68_976_648_192, V=32000, d=8192, h=28672, L=80, heads=64, kv=8),
        "llama-3-8b": _llama(8_030_261_248, V=128256, d=4096, h=14336, L=32, heads=32, kv=8),
        "llama-3-70b": _llama(70_553_706_496, V=128256, d=8192, h=28672, L=80, heads=64, kv=8),
    },
),)
