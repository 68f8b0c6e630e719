"""StableLM: the LLaMA block with LayerNorm; StableLM 2 12B puts its two parts side by side and norms each head.

Source: Bellagente et al. 2024, "Stable LM 2 1.6B", table 2 and section 2.2; the configuration of StableLM 2 12B.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.layers import attention, decoder, decoder_heads, gated, norm, residual
from symcount.layers.attention import each_head
from symcount.masks import Mask
from symcount.network import within
from symcount.sizes import multiple
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def block(x: Tensor, z: Any) -> Tensor:
    """2d² + 2dk·kv + 3dh + 4d parameters; side by side 2d less, with normed queries and keys d + k·kv more."""
    y, k = norm(x, "attention_norm"), multiple(z.k, 8)  # of a quarter of each head, pairs are turned
    x = residual(x, within("attention", attention, y, z=z, kv=z.kv, k=k, t=z.t,
                           bias="query key value" if z.bias else False, position="rotary", mask=Mask(causal=True),
                           normed=each_head if z.qk_norm else None))
    return residual(x, within("mlp", gated, y if z.parallel else norm(x, "mlp_norm"), h=z.h))


KEYS = {key: told for key, told in decoder_keys(V=50304, d=2560, h=6912, L=32, heads=32, kv=32, k=80).items()
        if key != "head_dim"}


def _stablelm(count: int, **sizes: Any) -> Published:
    return measured("StableLmForCausalLM", count, **sizes)


ARCHITECTURES = (Architecture(
    "stablelm",
    classes=decoder_heads("StableLm", decoder(block, shift=True),
                          "ForCausalLM ForSequenceClassification ForTokenClassification"),
    sizes="k",
    follows={"k": "d/heads"},
    keys={
        **KEYS,
        "use_qkv_bias": ("bias", False),
        "qk_layernorm": ("qk_norm", False),
        "use_parallel_residual": ("parallel", False),
    },
    ignored={
        **ROTARY,
        "rope_pct": "rotation has no weights and is elementwise",
        "rotary_scaling_factor": "rotation has no weights and is elementwise",
    },
    stored={
        **DECODER_NAMES,
        "layers.attention.query_norm.weight": ("layers.{i}.self_attn.q_layernorm.norms.{i}.weight", "k"),
        "layers.attention.key_norm.weight": ("layers.{i}.self_attn.k_layernorm.norms.{i}.weight", "k"),
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "stablelm-3b-4e1t": _stablelm(2_795_443_200, V=50304, d=2560, h=6912, L=32, heads=32, kv=32, k=80),
        "stablelm-2-1_6b": _stablelm(1_644_515_328, V=100352, d=2048, h=5632, L=24, heads=32, kv=32, k=64,
                                     bias=True),
        "stablelm-2-12b": _stablelm(12_143_185_920, V=100352, d=5120, h=13824, L=40, heads=32, kv=8, k=160,
                                    qk_norm=True, parallel=True),
    },
),)
