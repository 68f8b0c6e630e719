"""LFM2 and LFM3: gated convolutions over a few tokens, attention with norms of queries and keys in a few layers.

LFM3 gates its heads, norms what each part adds, and has a window in some of the layers with attention.

Source: Liquid AI 2025, "LFM2 technical report", section 2; LFM2-8B-A1B has experts in all but its first layers; LFM3:
the implementation in transformers 5.23.0.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import layer_kinds, listed, number
from symcount.layers import attention, decoder_heads, gated, linear, norm, per_head, words
from symcount.layers.experts import mixture
from symcount.layers.hybrid import steps
from symcount.layers.state_space import causal_convolution
from symcount.masks import Mask
from symcount.network import pointwise
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def short_convolution(x: Tensor, *, w: Size, bias: bool) -> Tensor:
    """A causal convolution between two gates: 4d² + dw parameters, 5d more with biases."""
    d = x.axes["d"]
    enter, leave, y = (linear(x, name, bias=bias, d=d) for name in ("enter", "leave", "input"))
    y = pointwise(y, enter, kind="multiply", name="entered")
    y = causal_convolution(y, "convolution", over="d", w=w, bias=bias)
    return linear(pointwise(y, leave, kind="multiply", name="left"), "output", bias=bias, d=d)


def mixers(z: Any) -> tuple[Tensor, Tensor]:
    """Hidden states after the mixers, and the word table."""
    x, word = words(z)
    x = steps("layers.mixer", short_convolution, x, w=z.w, bias=z.conv_bias, runs=rest(z.L, z.L_attn))
    x = steps("layers.attention", attention, x, z=z, kv=z.kv, k=z.k, t=z.t, bias=False, normed=per_head,
              position="rotary", mask=Mask(causal=True), runs=z.L_attn)
    return x, word


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = mixers(z)
    return norm(steps("layers.mlp", gated, x, h=z.h, runs=z.L), "norm", shift=False), word


def sparse_body(z: Any) -> tuple[Tensor, Tensor]:
    """The same with experts behind the first layers."""
    x, word = mixers(z)
    x = steps("layers.mlp", gated, x, h=z.h, runs=z.L_dense)
    x = steps("layers.moe", mixture, x, E=z.E, K=z.K, h=z.h_e, corrected=z.correction, scores="sigmoid",
              runs=rest(z.L, z.L_dense))
    return norm(x, "norm", shift=False), word


def gated_body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    x = steps("layers.mixer", short_convolution, x, behind=z.sandwich, w=z.w, bias=z.conv_bias,
              runs=rest(z.L, z.L_attn))
    for kind, window, runs in (("local", z.window, rest(z.L_attn, z.L_global)), ("global", None, z.L_global)):
        x = steps(f"layers.{kind}.attention", attention, x, behind=z.sandwich, z=z, kv=z.kv, k=z.k, t=z.t,
                  bias=z.attention_bias, normed=per_head, position="rotary", gate="g q" if z.head_gate else "",
                  mask=Mask(causal=True, window=window), runs=runs)
    return norm(steps("layers.mlp", gated, x, behind=z.sandwich, h=z.h, runs=z.L), "norm", shift=False), word


def settle_gated(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have attention, and how many of these see all tokens; the others' window."""
    L = number(config, "num_hidden_layers")
    found = layer_kinds(config, {"full_attention": "L_global", "sliding_attention": "L_attn", "conv": None}) or {
        "L_global": (L + 1) // 4, "L_attn": (L - 1) // 4}
    local, total = found["L_attn"], found["L_attn"] + found["L_global"]
    return {**found, "L_attn": total, "window": number(config, "sliding_window") if local else None}


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have attention, the width of the MLP, rounded up, and whether the words are tied."""
    L = number(config, "num_hidden_layers")
    found = layer_kinds(config, {"full_attention": "L_attn", "conv": None})
    if not found:
        found["L_attn"] = L if config["full_attn_idxs"] is None else listed(config, "full_attn_idxs", L)
    h = number(config, "intermediate_size" if config["block_ff_dim"] is None else "block_ff_dim")
    adjusted, factor = config["block_auto_adjust_ff_dim"], config["block_ffn_dim_multiplier"]
    if not isinstance(adjusted, bool):
        raise ConfigError(f"block_auto_adjust_ff_dim = {adjusted!r}: true or false is needed")
    if adjusted:
        h = 2 * h // 3
        if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0 < factor < _MOST:
            raise ConfigError(f"block_ffn_dim_multiplier = {factor!r}: a number above 0 is needed")
        step = number(config, "block_multiple_of")
        h = -(-int(factor * h) // step) * step  # in floating point, as the model itself does
    return {**found, "h": h, **tied(config)}


_MOST = 1_000


def tied(config: dict[str, Any]) -> dict[str, Any]:
    """Whether the words are tied; the older key decides."""
    found = config["tie_word_embeddings" if config["tie_embedding"] is None else "tie_embedding"]
    if not isinstance(found, bool):
        raise ConfigError(f"tie_embedding = {found!r}: true or false is needed")
    return {"tied": found}


def settle_sparse(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have attention, how many no experts, how the router's correction is stored."""
    dense, bias = config["num_dense_layers"], config["use_expert_bias"]
    if isinstance(dense, bool) or not isinstance(dense, int) or dense < 0 or not isinstance(bias, bool):
        raise ConfigError(f"num_dense_layers = {dense!r}, use_expert_bias = {bias!r}: a whole number, and true or "
                          "false, are needed")
    found = layer_kinds(config, {"full_attention": "L_attn", "conv": None})
    if not found:
        raise ConfigError("layer_types is missing: which layers have attention?")
    return {**found, "L_dense": min(dense, number(config, "num_hidden_layers")),
            "correction": "buffer" if bias else None, **tied(config)}


_NOTE = "a note of the original release, read by nothing"
_IGNORED = {
    **ROTARY,
    **dict.fromkeys(("block_dim", "block_mlp_init_scale", "block_norm_eps", "block_out_init_scale", "block_use_swiglu",
                     "block_use_xavier_init", "conv_dim", "conv_dim_out", "conv_use_xavier_init", "num_heads",
                     "use_pos_enc"), _NOTE),
}
_STORED = {
    **DECODER_NAMES,
    "layers.mixer.norm": "layers.{i}.operator_norm",
    ("layers.mixer.enter", "layers.mixer.leave", "layers.mixer.input"): "layers.{i}.conv.in_proj",
    "layers.mixer.convolution.weight": ("layers.{i}.conv.conv.weight", "d 1 w"),
    "layers.mixer.convolution.bias": "layers.{i}.conv.conv.bias",
    "layers.mixer.output": "layers.{i}.conv.out_proj",
    "layers.attention.norm": "layers.{i}.operator_norm",
    "layers.attention.output": "layers.{i}.self_attn.out_proj",
    "layers.attention.query_norm": "layers.{i}.self_attn.q_layernorm",
    "layers.attention.key_norm": "layers.{i}.self_attn.k_layernorm",
    "layers.mlp.norm": "layers.{i}.ffn_norm",
    "layers.mlp.gate": "layers.{i}.feed_forward.w1",
    "layers.mlp.up": "layers.{i}.feed_forward.w3",
    "layers.mlp.down": "layers.{i}.feed_forward.w2",
    "norm": "embedding_norm",
}
_KEYS = {"conv_L_cache": ("w", 3), "conv_bias": ("conv_bias", False)}


def _lfm2(count: int, **sizes: int) -> Published:
    return measured("Lfm2ForCausalLM", count, V=65536, kv=8, k=64, w=3, **sizes)


ARCHITECTURES = (
    Architecture(
        "lfm2",
        classes=decoder_heads("Lfm2", body, "ForCausalLM"),
        sizes="L_attn",
        follows={"kv": "heads", "k": "d/heads"},
        acts={},
        keys={**decoder_keys(V=65536, d=2560, h=12288, L=32, heads=32, kv=8, tied=True), **_KEYS},
        reads={
            "layer_types": None,
            "full_attn_idxs": None,
            "block_ff_dim": None,
            "block_auto_adjust_ff_dim": True,
            "block_ffn_dim_multiplier": 1,
            "block_multiple_of": 256,
            "tie_embedding": None,
        },
        settle=settle,
        ignored=_IGNORED,
        stored=_STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "lfm2-350m": _lfm2(354_483_968, d=1024, h=4608, L=16, heads=16, L_attn=6),
            "lfm2-700m": _lfm2(742_489_344, d=1536, h=6912, L=16, heads=24, L_attn=6),
            "lfm2-1.2b": _lfm2(1_170_340_608, d=2048, h=8192, L=16, heads=32, L_attn=6),
            "lfm2-2.6b": _lfm2(2_569_272_320, d=2048, h=10752, L=30, heads=32, L_attn=8),
        },
    ),
    Architecture(
        "lfm2_moe",
        classes=decoder_heads("Lfm2Moe", sparse_body, "ForCausalLM"),
        sizes="L_attn L_dense",
        follows={"kv": "heads", "k": "d/heads"},
        flags={"correction": "buffer"},
        acts={},
        keys={
            **decoder_keys(V=65536, d=2048, h=7168, L=32, heads=32, kv=8, tied=True),
            **_KEYS,
            "moe_intermediate_size": ("h_e", 1792),
            "num_experts": ("E", 32),
            "num_experts_per_tok": ("K", 4),
        },
        reads={"layer_types": None, "num_dense_layers": 2, "use_expert_bias": True, "tie_embedding": None},
        settle=settle_sparse,
        ignored={
            **_IGNORED,
            "output_router_logits": "chooses what is returned",
            "routed_scaling_factor": "a constant",
            "norm_topk_prob": "scales the weights of what was chosen",
        },
        stored={
            **_STORED,
            "layers.moe.norm": "layers.{i}.ffn_norm",
            "layers.moe.router": "layers.{i}.feed_forward.gate",
            ("layers.moe.experts.gate.weight", "layers.moe.experts.up.weight"):
                ("layers.{i}.feed_forward.experts.gate_up_proj", "E 2h_e d"),
            "layers.moe.experts.down.weight": ("layers.{i}.feed_forward.experts.down_proj", "E d h_e"),
        },
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "lfm2-8b-a1b": measured("Lfm2MoeForCausalLM", 8_339_929_856, V=65536, d=2048, h=7168, h_e=1792, L=24,
                                    heads=32, kv=8, k=64, E=32, K=4, L_attn=6, L_dense=2, w=3),
        },
    ),
    Architecture(
        "lfm3",
        classes=decoder_heads("Lfm3", gated_body, "ForCausalLM"),
        sizes="L_attn L_global window",
        acts={},
        keys={
            **decoder_keys(V=128000, d=2048, h=7680, L=24, heads=16, kv=4, k=128, tied=True),
            "conv_L_cache": ("w", 7),
            "conv_bias": ("conv_bias", False),
            "attention_bias": ("attention_bias", False),
            "use_sandwich_norm": ("sandwich", True),
            "use_attention_gate": ("head_gate", True),
        },
        reads={"layer_types": None, "sliding_window": 256},
        settle=settle_gated,
        ignored=_IGNORED,
        stored={
            **_STORED,
            "layers.attention.gate": "layers.{i}.self_attn.g_proj",
            "layers.attention.output": "layers.{i}.self_attn.o_proj",
            "layers.attention.query_norm": "layers.{i}.self_attn.q_norm",
            "layers.attention.key_norm": "layers.{i}.self_attn.k_norm",
            "layers.mixer.post_norm": "layers.{i}.post_operator_norm",
            "layers.attention.post_norm": "layers.{i}.post_operator_norm",
            "layers.mlp.post_norm": "layers.{i}.post_ffn_norm",
        },
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "lfm3-1.7b": measured("Lfm3ForCausalLM", 1_728_801_536, V=128000, d=2048, h=7680, L=24, heads=16, kv=4,
                                  k=128, w=7, L_attn=11, L_global=6, window=256),
        },
    ),
)
