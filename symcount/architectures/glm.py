"""GLM-4: the LLaMA block with biases on queries, keys and values; from GLM-4-0414 on a norm on each side of a part.

The text models of GLM-4.1V and GLM-Image are that of GLM-4-0414.

Source: GLM team 2024, "ChatGLM", section 2; the norms behind the parts: the configuration of GLM-4-32B-0414.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import as_wide
from symcount.layers import attention, decoder, decoder_heads, gated, norm, residual
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def attend(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv parameters, (heads + 2kv)k more with biases."""
    return within("attention", attention, norm(x, "attention_norm", shift=False), z=z, kv=z.kv, k=z.k, t=z.t,
                  bias="query key value" if z.attention_bias else False, position="rotary", mask=Mask(causal=True))


def feed(x: Tensor, z: Any) -> Tensor:
    """3dh parameters."""
    return within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h)


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + (heads + 2kv)k + 3dh + 2d parameters."""
    x = residual(x, attend(x, z))
    return residual(x, feed(x, z))


def sandwich(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + (heads + 2kv)k + 3dh + 4d parameters."""
    x = residual(x, norm(attend(x, z), "attention_out_norm", shift=False))
    return residual(x, norm(feed(x, z), "mlp_out_norm", shift=False))


HEADS = "ForCausalLM ForSequenceClassification ForTokenClassification"
KEYS = {
    **decoder_keys(V=151552, d=4096, h=13696, L=40, heads=32, kv=2, k=128),
    "attention_bias": ("attention_bias", True),
}
NAMES = {
    **DECODER_NAMES,
    ("layers.mlp.gate.weight", "layers.mlp.up.weight"): "layers.{i}.mlp.gate_up_proj.weight",
    "layers.attention_out_norm": "layers.{i}.post_self_attn_layernorm",
    "layers.mlp_out_norm": "layers.{i}.post_mlp_layernorm",
}


def _glm(cls: str, count: int, **sizes: Any) -> Published:
    return measured(cls, count, V=151552, kv=2, k=128, **sizes)


ARCHITECTURES = (Architecture(
    "glm",
    classes=decoder_heads("Glm", decoder(block), HEADS),
    keys=KEYS,
    ignored=ROTARY,
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "glm-4-9b-hf": _glm("GlmForCausalLM", 9_399_951_360, d=4096, h=13696, L=40, heads=32),
    },
), Architecture(
    "glm4v_text",
    classes=decoder_heads("Glm4vText", decoder(sandwich), ""),
    flags={"attention_bias": True},
    follows={"kv": "heads", "k": "d/heads"},
    keys=decoder_keys(V=151552, d=4096, h=13696, L=40, heads=32, kv=2),
    settle=as_wide,
    ignored={**ROTARY, "attention_bias": "queries, keys and values have biases in any case"},
    stored=NAMES,
    published={
        "glm-4.1v-9b-text": measured("Glm4vTextModel", 8_779_522_048, V=151552, d=4096, h=13696, L=40, heads=32, kv=2),
    },
), Architecture(
    "glm_ocr_text",
    classes=decoder_heads("GlmOcrText", decoder(sandwich), ""),
    flags={"attention_bias": False},
    follows={"kv": "heads", "k": "d/heads"},
    keys=decoder_keys(V=59392, d=1024, h=4096, L=16, heads=16, kv=8),
    ignored={**ROTARY, "attention_bias": "nothing has a bias in any case"},
    stored=NAMES,
    published={
        "glm-ocr-text": measured("GlmOcrTextModel", 312_542_208, V=59392, d=1024, h=4096, L=16, heads=16, kv=8, k=64),
    },
), Architecture(
    "glm4",
    classes=decoder_heads("Glm4", decoder(sandwich), HEADS),
    keys=KEYS,
    ignored=ROTARY,
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "glm-4-9b-0414": _glm("Glm4ForCausalLM", 9_400_279_040, d=4096, h=13696, L=40, heads=32, attention_bias=True),
        "glm-4-0414-32b": _glm("Glm4ForCausalLM", 32_566_081_536, d=6144, h=23040, L=61, heads=48,
                               attention_bias=False),
    },
), Architecture(
    "glm_image_text",
    classes={"GlmImageTextModel": lambda z: decoder(sandwich)(z)[0]},
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=168064, d=4096, h=13696, L=40, heads=32, kv=2),
        "attention_bias": ("attention_bias", True),
    },
    ignored={**ROTARY, "vision_vocab_size": "the head of what is drawn, which stands outside of the text model"},
    stored=NAMES,
    published={
        "glm-image-text": measured("GlmImageTextModel", 8_847_155_200, V=168064, d=4096, h=13696, L=40, heads=32, kv=2,
                                   k=128, attention_bias=True),
    },
))
