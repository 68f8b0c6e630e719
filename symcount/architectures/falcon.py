"""Falcon: few key-value heads, and attention and MLP side by side, in four variants.

    7B          one key-value head, attention and MLP read one norm
    40B, 180B   eight key-value heads, a norm for each of the two
    11B         eight key-value heads, one norm
    RW          as many as query heads, one after the other, biases, and slopes (ALiBi) in place of rotation

Source: Almazrouei et al. 2023, "The Falcon series of open language models", section 4 and table 13;
Penedo et al. 2023, "The RefinedWeb dataset for Falcon LLM", section 4.1 (RW); Malartic et al. 2024, "Falcon2-11B".
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import ROTARY
from symcount.layers import attention, decoder, decoder_heads, mlp, norm, residual
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """2d² + 2dk·kv + 2dh parameters, 2d for each norm, and 2d + 2k·kv + h with biases."""
    beside = z.parallel and z.two_norms
    y = norm(x, "attention_norm" if beside else "norm")
    attended = residual(x, within("attention", attention, y, z=z, kv=z.kv, t=z.t, bias=z.bias,
                                  position=None if z.alibi else "rotary", mask=Mask(causal=True)))
    if beside:
        y = norm(x, "mlp_norm")
    if not z.parallel:
        y = norm(attended, "second_norm")
    return residual(attended, within("mlp", mlp, y, h=z.h, bias=z.bias))


_SWITCHES = ("new_decoder_architecture", "multi_query", "parallel_attn")


def _settle(config: dict[str, Any]) -> dict[str, Any]:
    """The key-value heads, and how attention and MLP are put together."""
    for key in _SWITCHES:
        if not isinstance(config[key], bool):
            raise ConfigError(f"{key}: true or false is needed")
    new, multi_query, parallel = (config[key] for key in _SWITCHES)
    heads, kv, norms = config["num_attention_heads"], config["num_kv_heads"], config["num_ln_in_parallel_attn"]
    for other, key in (("n_head", "num_attention_heads"), ("n_layer", "num_hidden_layers")):
        if config[other] is not None and config[other] != config[key]:
            raise ConfigError(f"{other} = {config[other]!r} is not {key} = {config[key]!r}, which transformers reads")
    if type(kv) not in (int, type(None)):
        raise ConfigError(f"num_kv_heads = {kv!r}: a whole number is needed")
    if new and norms is None:
        norms = 2
    if new and not parallel:
        raise ConfigError("parallel_attn = false is not supported with new_decoder_architecture = true: "
                          "transformers cannot run it")
    if type(norms) not in (int, type(None)) or (new and norms not in (1, 2)) or (not new and parallel and norms == 2):
        raise ConfigError(f"num_ln_in_parallel_attn = {norms!r} is not supported: transformers cannot run it; "
                          "supported: 1, and 2 with new_decoder_architecture = true")
    if not new and not multi_query and kv not in (None, heads):
        raise ConfigError(f"num_kv_heads = {kv!r}: all {heads} heads have keys of their own without multi_query")
    return {"kv": (heads if kv is None else kv) if new else 1 if multi_query else heads,
            "parallel": parallel, "two_norms": norms == 2}


def _falcon(count: int, **sizes: Any) -> Published:
    return measured("FalconForCausalLM", count, **sizes)


ARCHITECTURES = (Architecture(
    "falcon",
    classes=decoder_heads("Falcon", decoder(block, shift=True)),
    sizes="kv",
    flags={"parallel": True, "two_norms": False},
    follows={"h": "4d", "kv": "1"},
    acts={"activation": ("", "")},
    keys={
        "vocab_size": ("V", 65024),
        "hidden_size": ("d", 4544),
        "ffn_hidden_size": ("h", None),
        "num_hidden_layers": ("L", 32),
        "num_attention_heads": ("heads", 71),
        "bias": ("bias", False),
        "alibi": ("alibi", False),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    },
    reads={
        "new_decoder_architecture": False,
        "multi_query": True,
        "parallel_attn": True,
        "num_kv_heads": None,
        "num_ln_in_parallel_attn": None,
        "n_head": None,
        "n_layer": None,
    },
    settle=_settle,
    aliases={"n_embed": "hidden_size"},
    ignored={
        **ROTARY,
        "apply_residual_connection_post_layernorm": "read by nothing",
    },
    stored={
        "embeddings": "word_embeddings",
        ("layers.attention.query", "layers.attention.key", "layers.attention.value"):
            "h.{i}.self_attention.query_key_value",
        "layers.norm": "h.{i}.input_layernorm",
        "layers.second_norm": "h.{i}.post_attention_layernorm",
        "layers.attention_norm": "h.{i}.ln_attn",
        "layers.mlp_norm": "h.{i}.ln_mlp",
        "layers.attention.output": "h.{i}.self_attention.dense",
        "layers.mlp.up": "h.{i}.mlp.dense_h_to_4h",
        "layers.mlp.down": "h.{i}.mlp.dense_4h_to_h",
        "norm": "ln_f",
    },
    stored_heads={"head": "lm_head", "classifier": "score", "answers": "qa_outputs",
                  "FalconForTokenClassification": {"classifier": "classifier"}},
    base="transformer",
    published={
        "falcon-7b": _falcon(6_921_720_704, V=65024, d=4544, L=32, heads=71, kv=1),
        "falcon-11b": _falcon(11_102_822_400, V=65024, d=4096, h=16384, L=60, heads=32, kv=8, tied=False),
        "falcon-40b": _falcon(41_303_293_952, V=65024, d=8192, L=60, heads=128, kv=8, two_norms=True),
        "falcon-180b": _falcon(178_557_088_768, V=65024, d=14848, L=80, heads=232, kv=8, two_norms=True),
        "falcon-rw-1b": _falcon(1_311_625_216, V=50304, d=2048, L=24, heads=32, kv=32, parallel=False, bias=True,
                                alibi=True),
        "falcon-rw-7b": _falcon(7_516_020_736, V=65024, d=4096, L=36, heads=64, kv=64, parallel=False, bias=True,
                                alibi=True),
    },
),)
