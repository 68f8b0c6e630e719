"""Qwen3-Next and Qwen3.5: three layers of the gated delta rule to one of gated attention, an MLP or experts in all.

Source: Qwen Team 2025, "Qwen3-Next: towards ultimate training and inference efficiency", section "hybrid architecture";
the delta rule: Yang et al. 2024, "Gated delta networks", section 3. Gates of attention: Qiu et al. 2025, "Gated
attention for large language models", section 2.2. The products of the scan (its part `scan`) are those of the
implementation in PyTorch, over whole chunks.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, delta_names, expert_names
from symcount.hub.settling import dense_layers, layer_kinds, number
from symcount.layers import attention, decoder_heads, gated, norm, per_head, words
from symcount.layers.delta import gated_delta
from symcount.layers.experts import with_shared
from symcount.layers.hybrid import steps
from symcount.masks import Mask
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published


def mixers(z: Any) -> tuple[Tensor, Tensor]:
    """Hidden states after the mixers, and the word table."""
    x, word = words(z)
    x = steps("layers.mixer", gated_delta, x, heads=z.heads_lin, kv=z.kv_lin, k=z.k_lin, v=z.v_lin, w=z.w,
              runs=rest(z.L, z.L_attn))
    x = steps("layers.attention", attention, x, z=z, kv=z.kv, k=z.k, t=z.t, normed=per_head,
              bias="query key value output gate" if z.attention_bias else False, position="partial_rotary",
              gate="g q k", mask=Mask(causal=True), runs=z.L_attn)
    return x, word


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = mixers(z)
    return norm(steps("layers.mlp", gated, x, h=z.h, runs=z.L), "norm", shift=False), word


def sparse_body(z: Any) -> tuple[Tensor, Tensor]:
    """The same with experts, one of them shared and weighed by a score of its own, in all but L_dense layers."""
    x, word = mixers(z)
    x = steps("layers.dense.mlp", gated, x, h=z.h, runs=z.L_dense) if z.dense else x
    x = steps("layers.sparse.mlp", with_shared, x, E=z.E, K=z.K, h=z.h_e, h_s=z.h_s, scored=True,
              runs=rest(z.L, z.L_dense) if z.dense else z.L)
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have attention: as listed, or else each whose number full_attention_interval divides."""
    L = number(config, "num_hidden_layers")
    found = layer_kinds(config, {"full_attention": "L_attn", "linear_attention": None})
    return found or {"L_attn": L // number(config, "full_attention_interval")}


def settle_sparse(config: dict[str, Any]) -> dict[str, Any]:
    """The same, and how many layers have experts; num_experts = 0 is without any."""
    E, found = config["num_experts"], settle(config)
    if E == 0 and not isinstance(E, bool):
        return {**found, "dense": True, "L_dense": config["num_hidden_layers"], "E": 1, "K": 1}
    return {**found, **dense_layers(config), "E": number(config, "num_experts")}


def _keys(**sizes: Any) -> dict[str, tuple[str, Any]]:
    return {
        **decoder_keys(**sizes),
        "attention_bias": ("attention_bias", False),
        "linear_num_value_heads": ("heads_lin", 32),
        "linear_num_key_heads": ("kv_lin", 16),
        "linear_key_head_dim": ("k_lin", 128),
        "linear_value_head_dim": ("v_lin", 128),
        "linear_conv_kernel_dim": ("w", 4),
    }


def _classes(prefix: str, body: Callable[[Any], tuple[Tensor, Tensor]], heads: str) -> dict[str, Any]:
    """Those of a text model, whose name has no Text in it where words are predicted."""
    words = f"{prefix}ForCausalLM"
    return {**decoder_heads(f"{prefix}Text", body, heads), words: decoder_heads(prefix, body, "ForCausalLM")[words]}


_WIDTHS = {"k": 256, "kv_lin": 16, "k_lin": 128, "v_lin": 128, "w": 4}


def _dense(count: int, **sizes: int) -> Published:
    return measured("Qwen3_5ForCausalLM", count, V=248320, kv=4, **_WIDTHS, **sizes)


def _sparse(count: int, **sizes: int) -> Published:
    return measured("Qwen3_5MoeForCausalLM", count, V=248320, kv=2, **_WIDTHS, **sizes)


_FOLLOWS = {"L_attn": "floor(L/4)"}
_READS = {"layer_types": None, "full_attention_interval": 4}
_IGNORED = {
    **ROTARY,
    "mamba_ssm_dtype": "how numbers are stored; counts are of numbers",
    "mtp_num_hidden_layers": "layers that predict further words are stored beside the model",
    "mtp_use_dedicated_embeddings": "of layers that are stored beside the model",
}
_ONLY = {"attn_output_gate": ((True,), "the attention of this family is always gated")}
_NAMES = {
    **DECODER_NAMES,
    "layers.mixer.norm": "layers.{i}.input_layernorm",
    "layers.attention.norm": "layers.{i}.input_layernorm",
    ("layers.attention.query", "layers.attention.gate"): "layers.{i}.self_attn.q_proj",
    "layers.mlp.norm": "layers.{i}.post_attention_layernorm",
}
_EXPERTS = {
    **expert_names(),
    "layers.mlp.shared.router": "layers.{i}.mlp.shared_expert_gate",
    "layers.mlp.shared.gate": "layers.{i}.mlp.shared_expert.gate_proj",
    "layers.mlp.shared.up": "layers.{i}.mlp.shared_expert.up_proj",
    "layers.mlp.shared.down": "layers.{i}.mlp.shared_expert.down_proj",
}
_EXPERT_KEYS = {"moe_intermediate_size": ("h_e", 512), "shared_expert_intermediate_size": ("h_s", 512)}

ARCHITECTURES = (Architecture(
    "qwen3_next",
    classes=decoder_heads("Qwen3Next", sparse_body),
    sizes="L_attn L_dense E",
    follows=_FOLLOWS,
    flags={"dense": False},
    keys={
        **_keys(V=151936, d=2048, h=5632, L=48, heads=16, kv=2, k=256),
        **_EXPERT_KEYS,
        "num_experts_per_tok": ("K", 10),
    },
    reads={**_READS, "decoder_sparse_step": 1, "mlp_only_layers": None, "num_experts": 512},
    settle=settle_sparse,
    ignored={**_IGNORED, **ROUTED},
    stored={**_NAMES, **delta_names(joined=True), **_EXPERTS},
    stored_heads=HEAD_NAMES,
    base={"": "model", "Qwen3NextForQuestionAnswering": "transformer"},
    published={
        "qwen3-next-80b-a3b": measured("Qwen3NextForCausalLM", 79_674_391_296, V=151936, d=2048, h=5632, L=48,
                                       L_attn=12, heads=16, kv=2, heads_lin=32, **_WIDTHS, E=512, K=10, h_e=512,
                                       h_s=512),
    },
), Architecture(
    "qwen3_5_text",
    classes=_classes("Qwen3_5", body, "ForSequenceClassification"),
    sizes="L_attn",
    follows=_FOLLOWS,
    keys=_keys(V=248320, d=4096, h=12288, L=32, heads=16, kv=4, k=256),
    reads=_READS,
    settle=settle,
    ignored={**_IGNORED, "mlp_only_layers": "read by nothing: every layer has an MLP"},
    only=_ONLY,
    stored={**_NAMES, **delta_names()},
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "qwen3.5-9b-text": _dense(8_953_803_264, d=4096, h=12288, L=32, L_attn=8, heads=16, heads_lin=32),
        "qwen3.5-27b-text": _dense(26_895_998_464, d=5120, h=17408, L=64, L_attn=16, heads=24, heads_lin=48),
    },
), Architecture(
    "qwen3_5_moe_text",
    classes=_classes("Qwen3_5Moe", sparse_body, ""),
    sizes="L_attn",
    follows=_FOLLOWS,
    flags={"dense": False},
    keys={
        **{key: told for key, told in _keys(V=248320, d=2048, h=1, L=40, heads=16, kv=2, k=256).items()
           if key != "intermediate_size"},
        **_EXPERT_KEYS,
        "num_experts": ("E", 256),
        "num_experts_per_tok": ("K", 8),
    },
    reads=_READS,
    settle=settle,
    ignored={
        **_IGNORED,
        **ROUTED,
        **dict.fromkeys(("intermediate_size", "mlp_only_layers"), "read by nothing: every layer has experts"),
    },
    only=_ONLY,
    stored={**_NAMES, **delta_names(), **_EXPERTS},
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "qwen3.5-35b-a3b-text": _sparse(34_660_610_688, d=2048, L=40, L_attn=10, heads=16, heads_lin=32, h_e=512,
                                        h_s=512, E=256, K=8),
        "qwen3.5-122b-a10b-text": _sparse(122_111_526_912, d=3072, L=48, L_attn=12, heads=32, heads_lin=64, h_e=1024,
                                          h_s=1024, E=256, K=8),
        "qwen3.5-397b-a17b-text": _sparse(396_346_350_336, d=4096, L=60, L_attn=15, heads=32, heads_lin=64, h_e=1024,
                                          h_s=1024, E=512, K=10),
    },
))
