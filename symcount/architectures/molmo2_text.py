"""The text model of Molmo 2: the block of Qwen3 or, with the norms behind its parts, that of OLMo 2.

Its table of words has rows for what Molmo adds to the vocabulary.

Source: Ai2 2025, "Molmo 2"; Yang et al. 2025, "Qwen3 technical report", section 2; OLMo team 2024, "2 OLMo 2
Furious", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import number
from symcount.layers import attention, decoder, gated, norm, per_head, residual
from symcount.layers.attention import all_heads
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def together(x: Tensor, name: str) -> Tensor:
    """A norm over all heads of a token, which is stored in another shape than that of each head."""
    return all_heads(x, f"{name}_of_all")


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 2d parameters, and 2k for norms of each head or (heads + kv)k of all of them."""
    y = x if z.norm_after else norm(x, "attention_norm", shift=False)
    y = within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, position="rotary", mask=Mask(causal=True),
               bias="query key value" if z.attention_bias else False,
               normed=per_head if z.norm_each_head else together)
    x = residual(x, norm(y, "attention_norm", shift=False) if z.norm_after else y)
    y = within("mlp", gated, x if z.norm_after else norm(x, "mlp_norm", shift=False), h=z.h)
    return residual(x, norm(y, "mlp_norm", shift=False) if z.norm_after else y)


def settle(config: Mapping[str, Any]) -> dict[str, Any]:
    """All rows of the table of words, and whether each head is normed alone."""
    kind = config["qk_norm_type"]
    if kind not in ("qwen3", "olmo"):
        raise ConfigError(f"qk_norm_type = {kind!r}: qwen3 or olmo is needed; the norms of another kind never run")
    return {"V": number(config, "vocab_size") + number(config, "additional_vocab_size", least=0),
            "norm_each_head": kind == "qwen3"}


KEYS = decoder_keys(V=151936, d=4096, h=12288, L=36, heads=32, kv=8, k=128)

ARCHITECTURES = (Architecture(
    "molmo2_text",
    classes={"Molmo2TextModel": lambda z: decoder(block)(z)[0]},
    sizes="V",
    follows={"kv": "heads"},
    flags={"norm_each_head": True},
    keys={
        **{key: entry for key, entry in KEYS.items() if key != "vocab_size"},
        "attention_bias": ("attention_bias", False),
        "norm_after": ("norm_after", False),
    },
    reads={"vocab_size": 151936, "additional_vocab_size": 128, "qk_norm_type": "qwen3"},
    settle=settle,
    aliases={"qkv_bias": "attention_bias"},
    ignored={
        **ROTARY,
        "rope_scaling_layers": "rotation has no weights and is elementwise",
        "use_qk_norm": "queries and keys always have norms here",
        "residual_dropout": "dropout has no weights",
        "embedding_dropout": "dropout has no weights",
    },
    stored={
        **DECODER_NAMES,
        "layers.attention.query_norm_of_all.weight": ("layers.{i}.self_attn.q_norm.weight", "heads*k"),
        "layers.attention.key_norm_of_all.weight": ("layers.{i}.self_attn.k_norm.weight", "kv*k"),
    },
    published={
        "molmo2-4b-text": measured("Molmo2TextModel", 4_022_795_776, V=152064, d=2560, h=9728, L=36, heads=32, kv=8,
                                   k=128),
        "molmo2-8b-text": measured("Molmo2TextModel", 7_568_929_792, V=152064, d=4096, h=12288, L=36, heads=32, kv=8,
                                   k=128),
    },
),)
