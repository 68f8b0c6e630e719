"""ZAYA1: attention over convolved queries and keys, whose values come half from the token before; a deep router.

Source: Figliolia et al. 2025, "Compressed convolutional attention", section 3; Zyphra 2025, "Training foundation models
on a full-stack AMD platform", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import layer_kinds, number
from symcount.layers import embed, linear, norm
from symcount.layers.experts import gated_experts
from symcount.layers.state_space import zeros
from symcount.masks import Mask
from symcount.network import (
    cached,
    concat,
    contract,
    cut,
    merge,
    pointwise,
    rename,
    split,
    tensor,
    top,
    weight,
    window,
    within,
)
from symcount.sizes import per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def shifted(x: Tensor, name: str) -> Tensor:
    """(x + bias)·scale, each of one number a channel: 2d parameters."""
    d = x.axes["d"]
    x = pointwise(x, weight(f"{name}_bias", kinds="bias", d=d), kind="bias", name=f"{name}_bias")
    return pointwise(x, weight(f"{name}_scale", d=d), kind="multiply", name=f"{name}_scale")


def joined(x: Tensor, y: Tensor) -> Tensor:
    """x + y, each shifted and scaled: 4d parameters."""
    return pointwise(shifted(y, "added"), shifted(x, "stream"), kind="add", name="residual")


def attended(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """x and attention of its norm: 5d parameters more than the attention."""
    y = within("attention", attend, norm(x, "attention_norm", shift=False), z=z, mask=mask)
    return within("attention.residual", joined, x, y)


def attend(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """Scores of normed queries and keys, the latter scaled for each key head: kv + d·k·heads parameters more."""
    query, key, value = projected(x, z)
    query, key = (pointwise(one, kind="normalise") for one in (query, key))
    key = pointwise(key, weight("key_scale", kinds="norm", g=z.kv), kind="multiply", name="key_scaled")
    query, key = (pointwise(one, kind="partial_rotary") for one in (query, key))
    key, value = cached(key, "key", s=("t", z.t)), cached(value, "value", s=("t", z.t))
    scores = pointwise(contract(query, key, to="b g q s t", name="scores", mask=mask), kind="attention_scale")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g q k", name="mix", mask=mask)
    return linear(mixed, "output", over="g q k", bias=z.attention_bias, d=z.d)


def projected(x: Tensor, z: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Queries and keys, convolved twice and added to themselves; values, half of them of the token before.

    Parameters: d·k(heads + 2kv) for the maps, k(heads + kv)(w + 1) for the convolution of each channel, and
    k(heads + kv)(k·w_1 + 1) for that of each head.
    """
    bias, q, half = z.attention_bias, per(z.heads, z.kv), per(z.kv * z.k, 2)
    query, key = linear(x, "query", bias=bias, g=z.kv, q=q, k=z.k), linear(x, "key", bias=bias, g=z.kv, k=z.k)
    rows = concat(merge(query, n="g q"), rename(key, g="n"), axis="n")
    before = z.w - 1 + z.w_1 - 1
    rows = concat(zeros(rows, "s", before), cached(rows, "rows", s=before), axis="s")
    mixed_query, mixed_key = cut(convolved(rows, w=z.w, w_1=z.w_1), "n", z.heads, z.kv)
    both = pointwise(pointwise(query, key, kind="add", name="both"), kind="attention_scale", name="half")
    query = pointwise(split(mixed_query, "n", g=z.kv, q=q), both, kind="add", name="query_sum")
    key = pointwise(rename(mixed_key, n="g"), pointwise(both, kind="mean", to="b s g k"), kind="add", name="key_sum")
    now = linear(x, "value_now", bias=bias, c=half)
    delayed = linear(concat(zeros(x, "s", 1), x, axis="s"), "value_before", bias=bias, c=half)
    delayed, _ = cut(cached(delayed, "value_before", s=1), "s", z.s, 1)
    return query, key, split(concat(now, delayed, axis="c"), "c", g=z.kv, k=z.k)


def convolved(x: Tensor, *, w: Size, w_1: Size) -> Tensor:
    """Each channel over w tokens, then each head of k channels over w_1."""
    n, k = x.axes["n"], x.axes["k"]
    kernel = weight("each.weight", kinds="weight kernel", out="n k", n=n, k=k, w=w)
    x = contract(window(x, s=("w", w)), kernel, to="b s n k", name="each")
    x = rename(pointwise(x, weight("each.bias", kinds="bias", n=n, k=k), kind="bias", name="each"), k="k'")
    kernel = weight("together.weight", kinds="weight kernel", out="n k", w=w_1, **{"k'": k}, n=n, k=k)
    y = contract(window(x, s=("w", w_1)), kernel, to="b s n k", name="together")
    return pointwise(y, weight("together.bias", kinds="bias", n=n, k=k), kind="bias", name="together")


def fed(x: Tensor, *before: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """x and an expert of its norm; what the router made of x goes to the router of the next layer."""
    y, state = within("mlp", sparse, norm(x, "mlp_norm", shift=False), *before, z=z)
    return within("mlp.residual", joined, x, y), state


def sparse(x: Tensor, *before: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """One of E experts, or none, chosen by a router: 3Ed·h_e parameters and those of the router."""
    chances, state = within("router", routed, x, *before, z=z)
    chosen = top(cut(chances, "E", z.E, 1)[0], E=("e", 1))
    y = within("experts", gated_experts, x, chosen, E=z.E, h=z.h_e)
    return pointwise(y, chosen, kind="mix", name="weighted_sum", to="b s d"), state


def routed(x: Tensor, *before: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """The chances of E experts and of none, from rows that sum up what earlier routers saw.

    Parameters: dr + 2r² + r(E + 1) + 4r, r more with rows before.
    """
    state = linear(x, "down", r=z.r)
    for earlier in before:
        row = pointwise(earlier, weight("before_scale", r=z.r), kind="multiply", name="before")
        state = pointwise(state, row, kind="add", name="state")
    y = norm(state, "norm", over="r", shift=False)
    for name in ("first", "second"):
        y = pointwise(linear(y, name, over="r", r=z.r), kind="gelu")
    chances = pointwise(linear(y, "scores", over="r", bias=False, E=z.E + 1), kind="softmax", name="routing")
    balance = weight("balance", kinds="bias", stored="buffer", E=z.E + 1)
    return pointwise(chances, balance, kind="bias", name="balance"), state


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.V, d=z.d)
    x = shifted(x, "input")
    x = within("layers.local", attended, x, z=z, mask=Mask(causal=True, window=z.window), runs=rest(z.L, z.L_global))
    x = within("layers.global", attended, x, z=z, mask=Mask(causal=True), runs=z.L_global)
    x, state = within("layers.first", fed, x, z=z)
    x, _ = within("layers.later", fed, x, state, z=z, runs=rest(z.L, 1))
    return norm(x, "norm", shift=False), word


def words(z: Any) -> Tensor:
    """Scores of words, perhaps with biases."""
    x, table = body(z)
    return linear(x, "head", bias=z.head_bias, w=table if z.tied else None, V=z.V)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers see all tokens, and the window of the others."""
    L = number(config, "num_hidden_layers")
    found = layer_kinds(config, {"hybrid": "L_global", "hybrid_sliding": None}) or {"L_global": L}
    return {**found, "window": number(config, "sliding_window") if found["L_global"] < L else None}


ARCHITECTURES = (Architecture(
    "zaya",
    gradients="the row of zeros before a text runs through a map without a gradient of its own",
    classes={"ZayaModel": lambda z: body(z)[0], "ZayaForCausalLM": words},
    sizes="L_global window",
    follows={"L_global": "L"},
    keys={
        **{key: told for key, told in decoder_keys(V=262272, d=2048, h=1, L=40, heads=8, kv=2, k=128, tied=True).items()
           if key not in ("intermediate_size", "num_labels")},
        "moe_intermediate_size": ("h_e", 2048),
        "num_experts": ("E", 16),
        "router_hidden_size": ("r", 256),
        "cca_time0": ("w", 2),
        "cca_time1": ("w_1", 2),
        "attention_bias": ("attention_bias", False),
        "lm_head_bias": ("head_bias", False),
    },
    reads={"layer_types": None, "sliding_window": None},
    settle=settle,
    ignored={**ROTARY, **ROUTED},
    only={"num_experts_per_tok": ((1,), "transformers chooses one")},
    stored={
        **DECODER_NAMES,
        **expert_names(h="h_e"),
        **{f"layers.attention.{ours}": f"layers.{{i}}.self_attn.qkv_proj.{theirs}" for ours, theirs in (
            ("query", "q_proj"), ("key", "k_proj"), ("value_now", "v_proj_current"), ("value_before", "v_proj_delayed"),
            ("each.bias", "conv_qk_depthwise.bias"), ("together.bias", "conv_qk_grouped.bias"))},
        "layers.attention.each.weight": ("layers.{i}.self_attn.qkv_proj.conv_qk_depthwise.weight", "k*(heads+kv) 1 w"),
        "layers.attention.together.weight":
            ("layers.{i}.self_attn.qkv_proj.conv_qk_grouped.weight", "k*(heads+kv) k w_1"),
        "layers.attention.key_scale": "layers.{i}.self_attn.qk_norm.temp",
        **{f"{ours}_{leaf}": f"{theirs}_{leaf}" for leaf in ("scale", "bias") for ours, theirs in (
            ("input", "input_hidden_states"),
            ("layers.attention.residual.added", "layers.{i}.post_attention_residual_scale.hidden_states"),
            ("layers.attention.residual.stream", "layers.{i}.post_attention_residual_scale.residual"),
            ("layers.mlp.residual.added", "layers.{i}.post_mlp_residual_scale.hidden_states"),
            ("layers.mlp.residual.stream", "layers.{i}.post_mlp_residual_scale.residual"))},
        **{f"layers.mlp.router.{ours}": f"layers.{{i}}.mlp.gate.{theirs}" for ours, theirs in (
            ("down", "down_proj"), ("before_scale", "router_states_scale"), ("norm", "router_mlp.norm"),
            ("first", "router_mlp.fc1"), ("second", "router_mlp.fc2"), ("scores", "router_mlp.out_proj"))},
    },
    stored_heads={"head": "lm_head"},
    base="model",
    published={
        "zaya1-8b": measured("ZayaForCausalLM", 8_840_488_784, V=262272, d=2048, L=40, heads=8, kv=2, k=128, h_e=2048,
                             E=16, r=256, w=2, w_1=2, window=None),
    },
),)
