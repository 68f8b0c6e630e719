"""Qwen3: the LLaMA block with a norm over the width of each query and key head.

The text models of Qwen3-VL and Hunyuan-VL and the dense Hunyuan have the same block.

Source: Yang et al. 2025, "Qwen3 technical report", table 1 and section 2; Hunyuan: the implementation in
transformers 5.23.0.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, UNBIASED_MLP, decoder_keys
from symcount.hub.settling import QWEN_WINDOWS, first_global
from symcount.layers import decoder, decoder_heads, per_head, rotary_block, windowed
from symcount.masks import Mask
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def block(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """2dk·heads + 2dk·kv + 2k + 3dh + 2d parameters."""
    return rotary_block(x, z, mask, bias=z.attention_bias, normed=per_head)


def global_block(x: Tensor, z: Any) -> Tensor:
    """The same, where no layer has a window."""
    return block(x, z, Mask(causal=True))


def _qwen(count: int, *, tied: bool = False, **sizes: int) -> Published:
    return measured("Qwen3ForCausalLM", count, tied=tied, V=151936, kv=8, k=128, **sizes)


HUNYUAN_NAMES = {
    **DECODER_NAMES,
    "layers.attention.query_norm": "layers.{i}.self_attn.query_layernorm",
    "layers.attention.key_norm": "layers.{i}.self_attn.key_layernorm",
}

ARCHITECTURES = (Architecture(
    "qwen3",
    classes=decoder_heads("Qwen3", windowed(block)),
    sizes="window",
    follows={"kv": "heads", "L_global": "L"},
    keys={
        **decoder_keys(V=151936, d=4096, h=22016, L=32, heads=32, kv=32, k=128),
        "attention_bias": ("attention_bias", False),
    },
    reads=QWEN_WINDOWS,
    settle=first_global,
    ignored=ROTARY,
    only=UNBIASED_MLP,
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "Qwen3ForQuestionAnswering": "transformer"},
    published={
        "qwen3-0.6b": _qwen(596_049_920, tied=True, d=1024, h=3072, L=28, heads=16),
        "qwen3-1.7b": _qwen(1_720_574_976, tied=True, d=2048, h=6144, L=28, heads=16),
        "qwen3-4b": _qwen(4_022_468_096, tied=True, d=2560, h=9728, L=36, heads=32),
        "qwen3-8b": _qwen(8_190_735_360, d=4096, h=12288, L=36, heads=32),
        "qwen3-14b": _qwen(14_768_307_200, d=5120, h=17408, L=40, heads=40),
        "qwen3-32b": _qwen(32_762_123_264, d=5120, h=25600, L=64, heads=64),
    },
), Architecture(
    "hunyuan_v1_dense",
    classes=decoder_heads("HunYuanDenseV1", decoder(global_block), "ForCausalLM ForSequenceClassification"),
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=290943, d=4096, h=11008, L=32, heads=32),
        "attention_bias": ("attention_bias", False),
    },
    ignored={**ROTARY, "eod_token_id": "chooses how text is generated"},
    stored=HUNYUAN_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
), Architecture(
    "qwen3_vl_text",
    classes={"Qwen3VLTextModel": lambda z: decoder(global_block)(z)[0]},
    follows={"kv": "heads"},
    keys={
        **decoder_keys(V=151936, d=4096, h=22016, L=32, heads=32, kv=32, k=128),
        "attention_bias": ("attention_bias", False),
    },
    ignored=ROTARY,
    stored=DECODER_NAMES,
), Architecture(
    "hunyuan_vl_text",
    classes={"HunYuanVLTextModel": lambda z: decoder(global_block)(z)[0]},
    follows={"kv": "heads"},
    keys={
        **decoder_keys(V=290943, d=4096, h=11008, L=32, heads=32, tied=True),
        "attention_bias": ("attention_bias", False),
    },
    aliases={"attention_head_dim": "head_dim", "org_vocab_size": "vocab_size"},
    ignored={
        **ROTARY,
        "eod_token_id": "chooses how text is generated",
        "pad_id": "chooses how text is generated",
    },
    stored=HUNYUAN_NAMES,
    published={
        "hunyuan-ocr-text": measured("HunYuanVLTextModel", 539_010_048, V=120818, d=1024, h=3584, L=24, heads=16, kv=8,
                                     k=128),
    },
),)
