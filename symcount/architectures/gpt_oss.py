"""GPT-OSS: experts with biases, attention sinks, and a window in every other layer; and the encoder made from it.

Source: OpenAI 2025, "gpt-oss-120b & gpt-oss-20b model card", section 2 and table 1; OpenAI 2026, "Privacy filter".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys
from symcount.hub.settling import layer_kinds
from symcount.layers import attention, decoder, decoder_heads, norm, residual, words
from symcount.layers.experts import mixture
from symcount.masks import Mask
from symcount.network import within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def block(x: Tensor, z: Any, mask: Mask | None = None) -> Tensor:
    """2dk·heads + 2dk·kv + 3Edh + dE + E(2h + d) + heads + E + 2d parameters, and (heads + 2kv)k + d with biases."""
    y = norm(x, "attention_norm", shift=False)
    x = residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                           position="rotary", sinks=True, mask=mask))
    return residual(x, within("mlp", mixture, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h, bias=True,
                              router_bias=True, kind="swiglu"))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    local = Mask(causal=True, window=z.window)
    x = within("layers.local", block, x, z=z, mask=local, runs=rest(z.L, z.L_global))
    x = within("layers.global", block, x, z=z, mask=Mask(causal=True), runs=z.L_global)
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have no window; and that the older name of K says the same."""
    older, K = config["experts_per_token"], config["num_experts_per_tok"]
    if older is not None and older != K:
        raise ConfigError(f"experts_per_token = {older!r} and num_experts_per_tok = {K}: one size with two values")
    return layer_kinds(config, {"full_attention": "L_global", "sliding_attention": None})


def _oss(count: int, **sizes: int) -> Published:
    return measured("GptOssForCausalLM", count, V=201088, d=2880, h=2880, heads=64, kv=8, k=64, K=4, window=128,
                    attention_bias=True, **sizes)


NAMES = {
    **DECODER_NAMES,
    "layers.mlp.router": "layers.{i}.mlp.router",
    "layers.attention.sinks": "layers.{i}.self_attn.sinks",
    ("layers.mlp.experts.gate.weight", "layers.mlp.experts.up.weight"):
        ("layers.{i}.mlp.experts.gate_up_proj", "E d 2h"),
    ("layers.mlp.experts.gate.bias", "layers.mlp.experts.up.bias"):
        ("layers.{i}.mlp.experts.gate_up_proj_bias", "E 2h"),
    "layers.mlp.experts.down.weight": ("layers.{i}.mlp.experts.down_proj", "E h d"),
    "layers.mlp.experts.down.bias": ("layers.{i}.mlp.experts.down_proj_bias", "E d"),
}
CONSTANTS = {"swiglu_alpha": "a constant", "swiglu_limit": "a constant"}

ARCHITECTURES = (Architecture(
    "gpt_oss",
    classes=decoder_heads("GptOss", body, "ForCausalLM ForSequenceClassification ForTokenClassification"),
    follows={"kv": "heads", "k": "d/heads", "L_global": "floor(L, 2)"},
    acts={},
    keys={
        **decoder_keys(V=201088, d=2880, h=2880, L=36, heads=64, kv=8, k=64),
        "num_local_experts": ("E", 128),
        "num_experts_per_tok": ("K", 4),
        "sliding_window": ("window", 128),
        "attention_bias": ("attention_bias", True),
    },
    reads={"layer_types": None, "experts_per_token": None},
    settle=settle,
    aliases={"num_experts": "num_local_experts"},
    ignored={
        **ROTARY,
        **ROUTED,
        "initial_context_length": "rotary positions have no table",
        **CONSTANTS,
    },
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "gpt-oss-20b": _oss(20_914_757_184, L=24, L_global=12, E=32),
        "gpt-oss-120b": _oss(116_829_156_672, L=36, L_global=18, E=128),
    },
), Architecture(
    "openai_privacy_filter",
    classes=decoder_heads("OpenAIPrivacyFilter", decoder(block), "ForTokenClassification"),
    follows={"kv": "heads", "k": "d/heads"},
    acts={},
    keys={
        **decoder_keys(V=200064, d=640, h=640, L=8, heads=14, kv=2, k=64),
        "num_labels": ("C", 33),
        "num_local_experts": ("E", 128),
        "num_experts_per_tok": ("K", 4),
        "attention_bias": ("attention_bias", True),
    },
    aliases={"num_experts": "num_local_experts"},
    ignored={**ROTARY, **ROUTED, **CONSTANTS, "sliding_window": MASKED},
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
))
