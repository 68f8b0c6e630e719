"""Gemma: the LLaMA block with wide heads; from Gemma 2 on a norm on each side of a block, and layers with a window.

Source: Gemma team 2024, "Gemma", table 1 and section 2; "Gemma 2", table 1 and section 2; Gemma team 2025, "Gemma 3",
table 1 and section 2; Sinha et al. 2025, "VaultGemma", table 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, UNBIASED_MLP, decoder_keys
from symcount.hub.settling import global_every
from symcount.layers import attention, decoder, decoder_heads, gated, norm, per_head, residual, windowed
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published

CAUSAL = Mask(causal=True)


def attend(x: Tensor, z: Any, mask: Mask | None, normed: Callable[[Tensor, str], Tensor] | None = None) -> Tensor:
    """2dk·heads + 2dk·kv parameters."""
    return within("attention", attention, norm(x, "attention_norm", shift=False), z=z, kv=z.kv, k=z.k, t=z.t,
                  bias=z.attention_bias, position="rotary", mask=mask, normed=normed)


def feed(x: Tensor, z: Any) -> Tensor:
    """3dh parameters."""
    return within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, kind="gelu_pytorch_tanh")


def block(x: Tensor, z: Any, mask: Mask | None = CAUSAL) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 2d parameters."""
    x = residual(x, attend(x, z, mask))
    return residual(x, feed(x, z))


def sandwich(x: Tensor, z: Any, mask: Mask | None, normed: Callable[[Tensor, str], Tensor] | None = None) -> Tensor:
    """The same with a norm behind each part too: 2dk·heads + 2dk·kv + 3dh + 4d parameters."""
    x = residual(x, norm(attend(x, z, mask, normed), "attention_out_norm", shift=False))
    return residual(x, norm(feed(x, z), "mlp_out_norm", shift=False))


def sandwich3(x: Tensor, z: Any, mask: Mask | None) -> Tensor:
    """The same with normed queries and keys: 2dk·heads + 2dk·kv + 3dh + 4d + 2k parameters."""
    return sandwich(x, z, None if z.bidirectional else mask, per_head)


def settle3(config: dict[str, Any]) -> dict[str, Any]:
    """The layers without a window, and whether a token attends to those after it."""
    both = config["use_bidirectional_attention"]
    if both is not None and not isinstance(both, bool):
        raise ConfigError(f"use_bidirectional_attention = {both!r}: true or false is needed")
    return {**global_every(6)(config), "bidirectional": bool(both)}


HEADS = "ForCausalLM ForSequenceClassification ForTokenClassification"
KEYS = {
    **decoder_keys(V=256000, d=2304, h=9216, L=26, heads=8, kv=4, k=256, tied=True),
    "attention_bias": ("attention_bias", False),
}
LOCAL = {"sliding_window": 4096, "layer_types": None}
NO_WEIGHTS = {
    **ROTARY,
    "query_pre_attn_scalar": "a constant",
    "final_logit_softcapping": "a constant",
    "attn_logit_softcapping": "a constant",
    "rope_local_base_freq": "rotation has no weights and is elementwise",
    "cache_implementation": "how keys and values are kept, not how many there are",
    "_sliding_window_pattern": "layer_types says it",
}
ONE_WAY = {
    **UNBIASED_MLP,
    "use_bidirectional_attention": ((None, False), "attention to later tokens is not written for this family"),
}
NORMS = {
    **DECODER_NAMES,
    "layers.attention_out_norm": "layers.{i}.post_attention_layernorm",
    "layers.mlp_norm": "layers.{i}.pre_feedforward_layernorm",
    "layers.mlp_out_norm": "layers.{i}.post_feedforward_layernorm",
}


def _gemma(count: int, **sizes: int) -> Published:
    return measured("GemmaForCausalLM", count, V=256000, k=256, **sizes)


def _gemma2(count: int, **sizes: int) -> Published:
    return measured("Gemma2ForCausalLM", count, V=256000, window=4096, **sizes)


def _gemma3(count: int, **sizes: int) -> Published:
    return measured("Gemma3ForCausalLM", count, **sizes)


ARCHITECTURES = (Architecture(
    "gemma",
    classes=decoder_heads("Gemma", decoder(block), HEADS),
    keys={
        **decoder_keys(V=256000, d=3072, h=24576, L=28, heads=16, kv=16, k=256, tied=True),
        "attention_bias": ("attention_bias", False),
    },
    ignored=ROTARY,
    only=ONE_WAY,
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "gemma-2b": _gemma(2_506_172_416, d=2048, h=16384, L=18, heads=8, kv=1),
        "gemma-7b": _gemma(8_537_680_896, d=3072, h=24576, L=28, heads=16, kv=16),
    },
), Architecture(
    "gemma2",
    unwritten="the soft cap of scores and logits",
    classes=decoder_heads("Gemma2", windowed(sandwich), HEADS),
    sizes="window L_global",
    follows={"L_global": "floor(L/2)"},
    acts={"hidden_activation": ("", "")},
    keys=KEYS,
    reads=LOCAL,
    settle=global_every(2),
    same={"sliding_window_size": "sliding_window"},
    ignored=NO_WEIGHTS,
    only=ONE_WAY,
    stored=NORMS,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "gemma-2-2b": _gemma2(2_614_341_888, d=2304, h=9216, L=26, L_global=13, heads=8, kv=4, k=256),
        "gemma-2-9b": _gemma2(9_241_705_984, d=3584, h=14336, L=42, L_global=21, heads=16, kv=8, k=256),
        "gemma-2-27b": _gemma2(27_227_128_320, d=4608, h=36864, L=46, L_global=23, heads=32, kv=16, k=128),
    },
), Architecture(
    "gemma3_text",
    classes={
        **decoder_heads("Gemma3Text", windowed(sandwich3), "ForSequenceClassification"),
        "Gemma3ForCausalLM": decoder_heads("Gemma3", windowed(sandwich3))["Gemma3ForCausalLM"],
    },
    sizes="window L_global",
    flags={"bidirectional": False},
    follows={"L_global": "floor(L/6)"},
    acts={"hidden_activation": ("", "")},
    keys={**KEYS, "vocab_size": ("V", 262208)},
    reads={**LOCAL, "sliding_window_pattern": 6, "use_bidirectional_attention": False},
    settle=settle3,
    ignored=NO_WEIGHTS,
    stored=NORMS,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "gemma-3-270m": _gemma3(268_098_176, V=262144, d=640, h=2048, L=18, L_global=3, heads=4, kv=1, k=256,
                                window=512),
        "gemma-3-1b": _gemma3(999_885_952, V=262144, d=1152, h=6912, L=26, L_global=4, heads=4, kv=1, k=256,
                              window=512),
        "gemma-3-4b-text": _gemma3(3_880_263_168, V=262208, d=2560, h=10240, L=34, L_global=5, heads=8, kv=4, k=256,
                                   window=1024),
        "gemma-3-12b-text": _gemma3(11_766_034_176, V=262208, d=3840, h=15360, L=48, L_global=8, heads=16, kv=8,
                                    k=256, window=1024),
        "gemma-3-27b-text": _gemma3(27_009_346_304, V=262208, d=5376, h=21504, L=62, L_global=10, heads=32, kv=16,
                                    k=128, window=1024),
        "embeddinggemma-300m": measured("Gemma3TextModel", 302_863_104, V=262144, d=768, h=1152, L=24, L_global=4,
                                        heads=3, kv=1, k=256, bidirectional=True),
    },
), Architecture(
    "vaultgemma",
    unwritten="the soft cap of scores and logits",
    classes=decoder_heads("VaultGemma", windowed(block), "ForCausalLM"),
    sizes="window L_global",
    follows={"L_global": "floor(L/2)"},
    acts={"hidden_activation": ("", "")},
    keys=KEYS,
    reads=LOCAL,
    settle=global_every(2),
    ignored=NO_WEIGHTS,
    stored={**DECODER_NAMES, "layers.mlp_norm": "layers.{i}.pre_feedforward_layernorm"},
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "vaultgemma-1b": measured("VaultGemmaForCausalLM", 1_038_741_120, V=256000, d=1152, h=6912, L=26, L_global=13,
                                  heads=4, kv=4, k=256, window=512),
    },
))
