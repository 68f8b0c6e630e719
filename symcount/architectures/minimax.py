"""MiniMax-01: linear attention in most layers and ordinary attention in the others, and experts in all.

Source: MiniMax 2025, "MiniMax-01", section 2 and table 2; the linear attention in chunks: Qin et al. 2024,
"Lightning attention-2", algorithm 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import layer_kinds, one_window
from symcount.layers import activation, attention, decoder_heads, linear, norm, residual, words
from symcount.layers.experts import mixture
from symcount.masks import Mask
from symcount.network import (
    cached,
    concat,
    contract,
    cut,
    idle,
    merge,
    pointwise,
    rename,
    split,
    weight,
    within,
)
from symcount.sizes import floor, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def inside(query: Tensor, key: Tensor, value: Tensor, name: str) -> Tensor:
    """Each token of a chunk over the tokens of the same chunk, without softmax."""
    key, value = rename(key, s="t"), rename(value, s="t")
    others = " ".join(axis for axis in query.axes if axis not in ("s", "k"))
    scores = contract(query, key, to=f"{others} s t", name=f"{name}_scores")
    return contract(pointwise(scores, kind="decay"), value, to=f"{others} s v", name=f"{name}_mix")


def scan(query: Tensor, key: Tensor, value: Tensor, z: Any) -> Tensor:
    """Linear attention in chunks, the last of which may be shorter: no parameters.

    Multiply-adds: 2k·heads for each pair of tokens of one chunk, and 2k²·heads a token for the state that is handed
    from chunk to chunk.
    """
    rates = [weight(f"{name}_decay", stored="buffer", g=z.heads, **axes) for name, axes in (
        ("rate", {}), ("query", {"i": z.chunk}), ("key", {"i": z.chunk}), ("chunk", {"i": z.chunk, "j": z.chunk}))]
    state = idle(pointwise(contract(key, value, to="b g k v", name="state"), kind="decay"), *rates)
    before = contract(query, cached(state, "state", k=z.k), to="b s g v", name="readout")
    n = floor(z.s, z.chunk)
    parts = [cut(x, "s", n * z.chunk, z.s - n * z.chunk) for x in (query, key, value)]
    q, k, v = (split(full, "s", n=n, s=z.chunk) for full, _ in parts)
    chunks = merge(inside(q, k, v, "chunk"), s="n s")
    q, k, v = (last for _, last in parts)
    return pointwise(before, concat(chunks, inside(q, k, v, "last"), axis="s"), kind="add", name="sum")


def lightning(x: Tensor, z: Any) -> Tensor:
    """Linear attention, normed over all heads and gated: 5dk·heads + k·heads parameters."""
    query = activation(linear(x, "query", bias=False, g=z.heads, k=z.k), "silu", "silu")
    key = activation(linear(x, "key", bias=False, g=z.heads, k=z.k), "silu", "silu")
    value = activation(linear(x, "value", bias=False, g=z.heads, v=z.k), "silu", "silu")
    y = norm(scan(query, key, value, z), "norm", over="g v", shift=False)
    gate = pointwise(linear(x, "gate", bias=False, g=z.heads, v=z.k), kind="sigmoid")
    return linear(pointwise(y, gate, kind="multiply", name="gated"), "output", over="g v", bias=False, d=z.d)


def feed(x: Tensor, z: Any) -> Tensor:
    """x + experts of its norm: 3Edh + dE + d parameters, of which a token meets K/E of the first."""
    return residual(x, within("mlp", mixture, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h))


def linear_block(x: Tensor, z: Any) -> Tensor:
    """5dk·heads + k·heads + 3Edh + dE + 2d parameters."""
    return feed(residual(x, within("attention", lightning, norm(x, "attention_norm", shift=False), z=z)), z)


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3Edh + dE + 2d parameters."""
    y = norm(x, "attention_norm", shift=False)
    y = within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=False, position="rotary",
               mask=Mask(causal=True, window=z.window))
    return feed(residual(x, y), z)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    x = within("layers.linear", linear_block, x, z=z, runs=rest(z.L, z.L_attn))
    x = within("layers.full", block, x, z=z, runs=z.L_attn)
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have ordinary attention: as listed, or else every other one, from the first; and their window."""
    found = layer_kinds(config, {"full_attention": "L_attn", "linear_attention": None}) or {
        "L_attn": (config["num_hidden_layers"] + 1) // 2}
    return {**found, **one_window(config)}


ARCHITECTURES = (Architecture(
    "minimax",
    classes=decoder_heads("MiniMax", body),
    follows={"kv": "heads", "k": "d/heads"},
    sizes="L_attn window",
    keys={
        **decoder_keys(V=32000, d=4096, h=14336, L=32, heads=32, kv=8),
        "num_local_experts": ("E", 8),
        "num_experts_per_tok": ("K", 2),
        "block_size": ("chunk", 256),
    },
    reads={"layer_types": None, "sliding_window": None},
    settle=settle,
    aliases={"num_experts": "num_local_experts"},
    ignored={
        **ROTARY,
        **ROUTED,
        **dict.fromkeys(("full_attn_alpha_factor", "full_attn_beta_factor", "linear_attn_alpha_factor",
                         "linear_attn_beta_factor", "mlp_alpha_factor", "mlp_beta_factor"), "a constant"),
    },
    gradients="what the chunks before the first and behind the last say has no gradient",
    stored={
        **DECODER_NAMES,
        **expert_names(h="h"),
        ("layers.linear.attention.query.weight", "layers.linear.attention.key.weight",
         "layers.linear.attention.value.weight"): "layers.{i}.self_attn.qkv_proj.weight",
        "layers.linear.attention.norm.weight": ("layers.{i}.self_attn.norm.weight", "k*heads"),
        "layers.linear.attention.gate": "layers.{i}.self_attn.output_gate",
        "layers.linear.attention.output": "layers.{i}.self_attn.out_proj",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "minimax-text-01": measured("MiniMaxForCausalLM", 456_089_655_296, V=200064, d=6144, h=9216, L=80, L_attn=10,
                                    heads=64, kv=8, k=128, E=32, K=2, chunk=256, window=None),
    },
),)
