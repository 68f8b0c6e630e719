"""OLMo: the LLaMA block with norms that have no parameters; from OLMo 2 on with the norms behind the parts instead.

EXAONE 4 is the block of OLMo 3 with the queries and keys of each head normed alone.

Source: Groeneveld et al. 2024, "OLMo", table 1 and section 2.1; OLMo team 2024, "2 OLMo 2 Furious", table 1 and
section 2; OLMo team 2025, "Olmo 3", section 3.2; LG AI Research 2025, "EXAONE 4.0", table 1 and section 2.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import global_every
from symcount.layers import attention, decoder, decoder_heads, gated, norm, per_head, residual, windowed, words
from symcount.layers.attention import all_heads
from symcount.masks import Mask
from symcount.network import pointwise, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

CAUSAL = Mask(causal=True)


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh parameters: the norms have none."""
    y = pointwise(x, kind="layer_norm", name="attention_norm")
    x = residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                           position="rotary", mask=CAUSAL))
    return residual(x, within("mlp", gated, pointwise(x, kind="layer_norm", name="mlp_norm"), h=z.h))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    x = within("layers", block, x, z=z, runs=z.L)
    return pointwise(x, kind="layer_norm", name="norm"), word


def behind(x: Tensor, z: Any, mask: Mask, normed: Callable[[Tensor, str], Tensor], *, bias: bool) -> Tensor:
    """Norms behind the parts: 2dk·heads + 2dk·kv + 3dh + 2d parameters, and those of the normed queries and keys."""
    y = within("attention", attention, x, z=z, kv=z.kv, k=z.k, t=z.t, bias=bias, position="rotary", mask=mask,
               normed=normed)
    x = residual(x, norm(y, "attention_norm", shift=False))
    return residual(x, norm(within("mlp", gated, x, h=z.h), "mlp_norm", shift=False))


def block2(x: Tensor, z: Any, mask: Mask = CAUSAL) -> Tensor:
    """2dk·heads + 2dk·kv + (heads + kv)k + 3dh + 2d parameters."""
    return behind(x, z, mask, all_heads, bias=z.attention_bias)


def exaone(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """2dk·heads + 2dk·kv + 2k + 3dh + 2d parameters.

    The 32B turns queries and keys only in the layers with a window, the 1.2B in all; normed, neither can be merged.
    """
    return behind(x, z, mask, per_head, bias=False)


KEYS = {
    **decoder_keys(V=50304, d=4096, h=11008, L=32, heads=32),
    "attention_bias": ("attention_bias", False),
}
HEADS = "ForCausalLM ForSequenceClassification"
NAMES = {
    **DECODER_NAMES,
    "layers.attention_norm": "layers.{i}.post_attention_layernorm",
    "layers.mlp_norm": "layers.{i}.post_feedforward_layernorm",
}
ALL_HEADS = {
    **NAMES,
    "layers.attention.query_norm.weight": ("layers.{i}.self_attn.q_norm.weight", "heads*k"),
    "layers.attention.key_norm.weight": ("layers.{i}.self_attn.k_norm.weight", "kv*k"),
}

ARCHITECTURES = (Architecture(
    "olmo",
    classes=decoder_heads("Olmo", body, HEADS),
    follows={"kv": "heads", "k": "d/heads"},
    keys=KEYS,
    ignored={**ROTARY, "clip_qkv": "bounds queries, keys and values element by element"},
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "olmo-1b": measured("OlmoForCausalLM", 1_176_764_416, V=50304, d=2048, h=8192, L=16, heads=16, tied=True),
        "olmo-7b": measured("OlmoForCausalLM", 6_888_095_744, V=50304, d=4096, h=11008, L=32, heads=32),
    },
), Architecture(
    "olmo2",
    classes=decoder_heads("Olmo2", decoder(block2), HEADS),
    follows={"kv": "heads", "k": "d/heads"},
    keys=KEYS,
    ignored=ROTARY,
    stored=ALL_HEADS,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "olmo-2-1b": measured("Olmo2ForCausalLM", 1_484_916_736, V=100352, d=2048, h=8192, L=16, heads=16),
        "olmo-2-7b": measured("Olmo2ForCausalLM", 7_298_617_344, V=100352, d=4096, h=11008, L=32, heads=32),
        "olmo-2-13b": measured("Olmo2ForCausalLM", 13_716_198_400, V=100352, d=5120, h=13824, L=40, heads=40),
        "olmo-2-32b": measured("Olmo2ForCausalLM", 32_234_279_936, V=100352, d=5120, h=27648, L=64, heads=40, kv=8,
                               k=128),
    },
), Architecture(
    "olmo3",
    classes=decoder_heads("Olmo3", windowed(block2), HEADS),
    sizes="window L_global",
    follows={"kv": "heads", "k": "d/heads", "L_global": "floor(L/4)"},
    keys=KEYS,
    reads={"sliding_window": 4096, "layer_types": None},
    settle=global_every(4),
    ignored=ROTARY,
    stored=ALL_HEADS,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "olmo-3-7b": measured("Olmo3ForCausalLM", 7_298_011_136, V=100278, d=4096, h=11008, L=32, L_global=8, heads=32,
                              window=4096),
        "olmo-3-32b": measured("Olmo3ForCausalLM", 32_233_522_176, V=100278, d=5120, h=27648, L=64, L_global=16,
                               heads=40, kv=8, k=128, window=4096),
    },
), Architecture(
    "exaone4",
    classes=decoder_heads("Exaone4", windowed(exaone)),
    sizes="window L_global",
    follows={"k": "d/heads", "L_global": "floor(L/4)"},
    keys=decoder_keys(V=102400, d=4096, h=16384, L=32, heads=32, kv=32),
    reads={"sliding_window": 4096, "sliding_window_pattern": 4, "layer_types": None},
    settle=global_every(4),
    ignored=ROTARY,
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "Exaone4ForQuestionAnswering": "transformer"},
    published={
        "exaone-4.0-1.2b": measured("Exaone4ForCausalLM", 1_279_391_488, V=102400, d=2048, h=4096, L=30, L_global=30,
                                    heads=32, kv=8, k=64, window=None, tied=True),
        "exaone-4.0-32b": measured("Exaone4ForCausalLM", 32_003_216_384, V=102400, d=5120, h=27392, L=64, L_global=16,
                                   heads=40, kv=8, k=128, window=4096),
    },
))
