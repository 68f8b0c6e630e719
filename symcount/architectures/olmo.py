"""OLMo: the LLaMA block with norms that have no parameters; from OLMo 2 on with the norms behind the parts instead.

EXAONE 4 is the block of OLMo 3 with the queries and keys of each head normed alone. OLMo Hybrid has three layers of
the gated delta rule, their norms before the parts, to one of OLMo 3.

Source: Groeneveld et al. 2024, "OLMo", table 1 and section 2.1; OLMo team 2024, "2 OLMo 2 Furious", table 1 and
section 2; OLMo team 2025, "Olmo 3", section 3.2; LG AI Research 2025, "EXAONE 4.0", table 1 and section 2.1; OLMo
Hybrid: the implementation in transformers 5.23.0, and Yang et al. 2024, "Gated delta networks", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import CONVOLVED, DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import global_every, layer_kinds, number
from symcount.layers import attention, decoder, decoder_heads, gated, norm, per_head, residual, windowed, words
from symcount.layers.attention import all_heads
from symcount.layers.delta import gated_delta
from symcount.masks import Mask
from symcount.network import pointwise, within
from symcount.sizes import rest
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


def behind(x: Tensor, z: Any, mask: Mask, normed: Callable[[Tensor, str], Tensor], *, bias: bool,
           position: str | None = "rotary") -> Tensor:
    """Norms behind the parts: 2dk·heads + 2dk·kv + 3dh + 2d parameters, and those of the normed queries and keys."""
    y = within("attention", attention, x, z=z, kv=z.kv, k=z.k, t=z.t, bias=bias, position=position, mask=mask,
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


def delta_block(x: Tensor, z: Any) -> Tensor:
    """Norms before the parts: 3dh + 2d parameters, and those of the mixer."""
    y = within("mixer", gated_delta, norm(x, "mixer_norm", shift=False), heads=z.heads_lin, kv=z.kv_lin, k=z.k_lin,
               v=z.v_lin, w=z.w)
    x = residual(x, y)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


def hybrid_body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    x = within("layers.linear", delta_block, x, z=z, runs=rest(z.L, z.L_global))
    x = within("layers.full", behind, x, z=z, mask=CAUSAL, normed=all_heads, bias=z.attention_bias,
               position="rotary" if z.rotary else None, runs=z.L_global)
    return norm(x, "norm", shift=False), word


def settle_hybrid(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers attend to all tokens, at least one of each kind; and whether they turn queries and keys."""
    L, turned = number(config, "num_hidden_layers"), config["rope_parameters"] or {}
    found = layer_kinds(config, {"full_attention": "L_global", "linear_attention": None}) or {
        "L_global": max(L // 4, 1)}
    if found["L_global"] in (0, L):
        raise ConfigError("layer_types: at least one layer of each kind is needed")
    if not isinstance(turned, dict):
        raise ConfigError(f"rope_parameters = {turned!r}: a table is needed")
    return {**found, "rotary": turned.get("rope_theta", config["rope_theta"]) is not None}


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
), Architecture(
    "olmo_hybrid",
    classes=decoder_heads("OlmoHybrid", hybrid_body, "ForCausalLM"),
    sizes="L_global",
    follows={"kv": "heads", "k": "d/heads", "L_global": "floor(L/4)", "heads_lin": "heads", "kv_lin": "heads",
             "k_lin": "floor(3d, 4kv_lin)", "v_lin": "2k_lin"},
    flags={"rotary": True},
    keys={
        **decoder_keys(V=100352, d=3840, h=11008, L=32, heads=30),
        "attention_bias": ("attention_bias", False),
        "linear_num_value_heads": ("heads_lin", None),
        "linear_num_key_heads": ("kv_lin", None),
        "linear_key_head_dim": ("k_lin", None),
        "linear_value_head_dim": ("v_lin", None),
        "linear_conv_kernel_dim": ("w", 4),
    },
    reads={"layer_types": None, "rope_parameters": None, "rope_theta": 10000},
    settle=settle_hybrid,
    ignored={
        **ROTARY,
        "linear_allow_neg_eigval": "a constant",
        **dict.fromkeys(("linear_a_log_min", "linear_a_log_max", "linear_dt_min", "linear_dt_max",
                         "linear_dt_init_floor"), "how weights start, not how many there are"),
    },
    stored={
        **ALL_HEADS,
        **{f"layers.mixer.{ours}": f"layers.{{i}}.linear_attn.{theirs}" for ours, theirs in (
            ("query", "q_proj"), ("key", "k_proj"), ("value", "v_proj"), ("gate", "g_proj"), ("rate", "b_proj"),
            ("time", "a_proj"), ("time_bias", "dt_bias"), ("decay", "A_log"), ("gated_norm", "o_norm"),
            ("output", "o_proj"))},
        CONVOLVED: ("layers.{i}.linear_attn.conv1d.weight", "2*k_lin*kv_lin+v_lin*heads_lin 1 w"),
        "layers.linear.mixer_norm": "layers.{i}.input_layernorm",
        "layers.linear.mlp_norm": "layers.{i}.post_attention_layernorm",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "olmo-hybrid-7b": measured("OlmoHybridForCausalLM", 7_430_870_688, V=100352, d=3840, h=11008, L=32, L_global=8,
                                   heads=30, k_lin=96, w=4, rotary=False),
    },
))
