"""Qwen4-Exp: the gated delta rule and experts between several residual streams, which gates collapse and spread again.

Some layers have attention to tokens that an indexer chooses, and some look up hashes of the last words. The cache of
transformers holds, beside what is counted, three positions of each token.

Source: the implementation in transformers 5.23.0; the delta rule: Yang et al. 2024, "Gated delta networks", section 3;
streams: Zhu et al. 2024, "Hyper-connections", section 2.
"""

from __future__ import annotations

from math import isqrt

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, delta_names, expert_names
from symcount.hub.settling import layer_kinds, number
from symcount.layers import attention, decoder_heads, embed, linear, per_head
from symcount.layers.delta import gated_delta
from symcount.layers.experts import with_shared
from symcount.layers.state_space import zeros
from symcount.masks import Mask, pairs
from symcount.network import (
    cached,
    concat,
    contract,
    keep,
    lookup,
    pointwise,
    repeat,
    split,
    tensor,
    weight,
    window,
    within,
)
from symcount.sizes import floor, per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def stream_norm(x: Tensor, z: Any, name: str) -> Tensor:
    """An RMSNorm of each stream, with gains of its own: n·d parameters."""
    gain = weight(f"{name}.weight", kinds="norm", n=z.streams, d=z.d)
    return pointwise(pointwise(x, kind="rms_norm", name=name), gain, kind="multiply", name=name)


def collapse(x: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """One row for all n streams, gated and averaged, and the normed streams: 2r·n·d + n·d parameters."""
    y = stream_norm(x, z, "norm")
    low = pointwise(linear(y, "down", over="n d", bias=False, r=z.r), kind="silu")
    gate = pointwise(linear(low, "up", over="r", bias=False, n=z.streams, d=z.d), kind="sigmoid")
    return pointwise(pointwise(gate, y, kind="multiply", name="gated"), kind="mean", to="b s d"), y


def spread(x: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """The same, and how much each stream gets of what is made of it: n²d parameters more."""
    row, y = collapse(x, z)
    return row, pointwise(linear(y, "inject", over="n d", bias=False, n=z.streams), kind="sigmoid", name="inject_act")


def around(x: Tensor, z: Any, name: str, part: Callable[..., Tensor], at: str, **sizes: Any) -> Tensor:
    """A part of one row collapsed from the streams, added to each of them as it is told."""
    row, told = within(f"{name}.streams", spread, x, z=z)
    y = within(at, part, row, **sizes)
    return pointwise(x, pointwise(told, y, kind="multiply", name="spread", to="b s n d"), kind="add", name="residual")


def indexed(x: Tensor, z: Any) -> Tensor:
    """Gated attention, whose tokens are chosen by blocks: 3dk·heads + 2dk·kv + 2k parameters and those of the indexer.

    All scores are computed; those of tokens that are not chosen count as nothing.
    """
    return attention(x, z, kv=z.kv, k=z.k, t=z.t, bias="query key value output gate" if z.attention_bias else False,
                     normed=per_head, position="partial_rotary", gate="g q k", mask=Mask(causal=True),
                     relative=within("indexer", index, x, z=z))


def index(x: Tensor, z: Any) -> Tensor:
    """Which tokens count: each query scores the means of the blocks of `chunk` tokens that are complete before it.

    Parameters: d·k_i(heads_i + 1) + 2k_i. Multiply-adds: the maps times b·s, and b·heads_i·k_i for each of the pairs.
    """
    query = per_head(linear(x, "query", bias=False, g=z.heads_i, k=z.k_i), "query_norm")
    query = pointwise(query, kind="partial_rotary")
    key = cached(linear(x, "key", bias=False, k=z.k_i), "rows", s=("t", z.t))
    key = cached(key, "key", t=z.t)  # no product shows that later tokens need them: these are of means
    blocks = split(keep(key, t=floor(z.t, z.chunk) * z.chunk), "t", n=None, c=z.chunk)
    key = pointwise(per_head(pointwise(blocks, kind="mean", to="b n k"), "key_norm"), kind="partial_rotary")
    seen = tensor("pairs", p=complete(z.t, z.chunk) - complete(z.t - z.s, z.chunk))
    query, key = (pointwise(one, seen, kind="pick", to=to) for one, to in ((query, "b p g k"), (key, "b p k")))
    scores = pointwise(contract(query, key, to="b p g", name="scores"), kind="relu")
    scores = pointwise(pointwise(scores, kind="sum", to="b p"), kind="attention_scale")
    return pointwise(tensor("visible", b=z.b, s=z.s, t=z.t), scores, kind="pick", to="b s t", name="chosen")


def complete(n: Size, chunk: Size) -> Size:
    """How many complete blocks the first n tokens see, all together: the sum of floor(i/chunk) for i = 1 … n."""
    m = floor(n, chunk)
    return chunk * (pairs(Mask(causal=True), m, m) - m) + m * (n - chunk * m + 1)


def ngrams(x: Tensor, ids: Tensor, z: Any, rows: Size) -> Tensor:
    """x, and in each stream what hashes of the last words give: e·rows/groups + 2ned parameters more than its norms."""
    hashed = pointwise(cached(ids, "ids", s=z.ngram - 1), *(weight(name, stored="buffer", **axes) for name, axes in (
        ("multipliers", {"o": z.ngram}), ("sizes", {"g": z.groups}), ("offsets", {"g": z.groups}))), kind="pick",
        to="b s g", name="hashes")
    found = lookup(hashed, weight("embeddings.weight", kinds="embedding", rows=rows, e=per(z.e, z.groups)),
                   "embeddings")
    key = stream_norm(linear(found, "key", over="g e", bias=False, n=z.streams, d=z.d), z, "key_norm")
    score = pointwise(pointwise(key, stream_norm(x, z, "query_norm"), kind="multiply"), kind="sum", to="b s n")
    gate = pointwise(pointwise(score, kind="attention_scale"), kind="sigmoid")
    value = linear(found, "value", over="g e", bias=False, d=z.d)
    value = pointwise(gate, value, kind="multiply", name="gated", to="b s n d")
    y = stream_norm(value, z, "convolution_norm")
    y = cached(y, "convolution", s=(z.w_1 - 1) * z.ngram)
    y = concat(zeros(y, "s", z.w_1 - 1), y, axis="s")  # the taps are z.ngram tokens apart, and no more of them
    kernel = weight("convolution.weight", kinds="weight kernel", out="n d", n=z.streams, d=z.d, w=z.w_1)
    y = pointwise(contract(window(y, s=("w", z.w_1)), kernel, to="b s n d", name="convolution"), kind="silu")
    return pointwise(x, pointwise(value, y, kind="add", name="sum"), kind="add", name="residual")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    ids = tensor("ids", b=z.b, s=z.s)
    x, word = embed(ids, "embeddings", V=z.V, d=z.d)
    x = repeat(x, n=z.streams)
    for i, rows in enumerate(z.rows if z.hashed else ()):
        x = within(f"layers.{i}.ngrams", ngrams, x, ids, z=z, rows=rows)
    x = within("layers.linear", around, x, z=z, name="attention", part=gated_delta, at="mixer", heads=z.heads_lin,
               kv=z.kv_lin, k=z.k_lin, v=z.v_lin, w=z.w, gate=z.gate, runs=rest(z.L, z.L_index) if z.indexed else z.L)
    if z.indexed:
        x = within("layers.indexed", around, x, z=z, name="attention", part=lambda row: indexed(row, z), at="attention",
                   runs=z.L_index)
    x = within("layers.sparse", around, x, z=z, name="mlp", part=with_shared, at="mlp", E=z.E, K=z.K, h=z.h_e,
               h_s=z.h_s, scored=True, runs=z.L)
    return within("streams", collapse, x, z=z)[0], word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have an indexer, the tables of n-grams, and the function of the gate."""
    L, act = number(config, "num_hidden_layers"), config["hidden_act"]
    gate = config["output_gate_type"] or act
    if gate not in ("sigmoid", "silu"):
        raise ConfigError(f"output_gate_type = {gate!r}: sigmoid or silu is needed")
    kinds = {"full_attention": "L_index", "indexed_attention": "L_index", "linear_attention": None}
    found: dict[str, Any] = layer_kinds(config, kinds) or {"L_index": L // number(config, "full_attention_interval")}
    if found["L_index"]:
        found |= {size: number(config, key) for size, key in _INDEXER.items()}
        if config["indexer_kv_heads"] != 1:
            raise ConfigError(f"indexer_kv_heads = {config['indexer_kv_heads']!r}: the indexer has one key")
    return {**found, "indexed": found["L_index"] > 0, "gate": gate, "acts": {"": act}, **hashes(config, L)}


def hashes(config: dict[str, Any], L: int) -> dict[str, Any]:
    """The rows of the table of n-grams of each layer that has one: its primes after a base, together, filled up."""
    listed = config["ple_layer_ids"] or []
    if not isinstance(listed, list) or any(type(i) is not int or not 0 < i <= L for i in listed):
        raise ConfigError("ple_layer_ids: a list of the numbers of layers, from 1, is needed")
    if not listed:
        return {"hashed": False}
    ngram, base, step = number(config, "ngram_size", least=2), number(config, _BASE), number(config, _STEP)
    groups = (ngram - 1) * number(config, "heads_per_ngram")
    tables = len(set(listed))
    if base > _LARGEST or groups * tables > _MOST:
        raise ConfigError(f"{_BASE} = {base:,}: primes up to {_LARGEST:,}, and {_MOST:,} of them, are looked for")
    primes = first_primes(base, groups * tables)
    rows = tuple(-(-sum(primes[i * groups:(i + 1) * groups]) // step) * step for i in range(tables))
    e = "hidden_size" if config["ple_embed_dim"] is None else "ple_embed_dim"
    return {"hashed": True, "rows": rows, "ngram": ngram, "groups": groups, "e": number(config, e),
            "w_1": number(config, "ple_conv_kernel_size")}


def first_primes(base: int, count: int) -> list[int]:
    """The first primes from `base` on."""
    found: list[int] = []
    n = max(base, 2)
    while len(found) < count:
        if all(n % i for i in range(2, isqrt(n) + 1)):
            found.append(n)
        n += 1
    return found


_BASE, _STEP, _LARGEST, _MOST = "ngram_vocab_size_base", "make_ngram_vocab_size_divisible_by", 10**8, 1_000
_INDEXER = {"heads_i": "indexer_n_heads", "k_i": "indexer_head_dim", "chunk": "indexer_compress_ratio"}
_STREAMS = {"norm": "hc_norm", "down": "input_mix_weight_down", "up": "input_mix_weight_up",
            "inject": "block_inject_weight"}


def _streams(ours: str, theirs: str) -> dict[str, Any]:
    """The names of what collapses and spreads streams."""
    found: dict[str, Any] = {f"{ours}.{one}": f"{theirs}.{other}" for one, other in _STREAMS.items()}
    return {**found, f"{ours}.norm.weight": (f"{theirs}.hc_norm.weight", "d*streams")}


_TEXT = decoder_heads("Qwen4ExpText", body, "")
ARCHITECTURES = (Architecture(
    "qwen4_exp_text",
    classes={**_TEXT, "Qwen4ExpForCausalLM": decoder_heads("Qwen4Exp", body, "ForCausalLM")["Qwen4ExpForCausalLM"]},
    sizes="L_index heads_i k_i chunk ngram groups e w_1",
    follows={"L_index": "floor(L/4)", "e": "d"},
    flags={"gate": "silu", "indexed": True, "hashed": False},
    acts={},
    keys={
        "vocab_size": ("V", 248320),
        "hidden_size": ("d", 2048),
        "num_hidden_layers": ("L", 40),
        "num_attention_heads": ("heads", 16),
        "num_key_value_heads": ("kv", 2),
        "head_dim": ("k", 256),
        "attention_bias": ("attention_bias", False),
        "linear_num_value_heads": ("heads_lin", 32),
        "linear_num_key_heads": ("kv_lin", 16),
        "linear_key_head_dim": ("k_lin", 128),
        "linear_value_head_dim": ("v_lin", 128),
        "linear_conv_kernel_dim": ("w", 4),
        "moe_intermediate_size": ("h_e", 512),
        "shared_expert_intermediate_size": ("h_s", 512),
        "num_experts": ("E", 512),
        "num_experts_per_tok": ("K", 10),
        "hc_count": ("streams", 4),
        "hc_lowrank": ("r", 320),
        "tie_word_embeddings": ("tied", False),
    },
    reads={
        "layer_types": None,
        "full_attention_interval": 4,
        "hidden_act": "silu",
        "output_gate_type": None,
        **dict.fromkeys((*_INDEXER.values(), "indexer_kv_heads")),
        "ple_layer_ids": None,
        "ple_embed_dim": None,
        "ple_conv_kernel_size": 4,
        "ngram_size": 3,
        "heads_per_ngram": 8,
        _BASE: 20_000_000,
        _STEP: 128,
    },
    settle=settle,
    ignored={
        **ROTARY,
        **ROUTED,
        "indexer_budget": "how many scores of tokens count; all are computed",
        **dict.fromkeys(("seed", "split_ngram_parts", "number_of_conv_states"), "of hashes, and how they are stored"),
        **dict.fromkeys(("intermediate_size", "mlp_only_layers"), "read by nothing: every layer has experts"),
        "mamba_ssm_dtype": "how numbers are stored; counts are of numbers",
    },
    unwritten="the choice of tokens, query by query, and the roots in the gates of n-grams",
    stored={
        **DECODER_NAMES,
        **delta_names(),
        ("layers.attention.query", "layers.attention.gate"): "layers.{i}.self_attn.q_proj",
        ("layers.attention.indexer.query", "layers.attention.indexer.key"):
            "layers.{i}.self_attn.indexer.index_qk_proj",
        "layers.attention.indexer.query_norm": "layers.{i}.self_attn.indexer.q_layernorm",
        "layers.attention.indexer.key_norm": "layers.{i}.self_attn.indexer.k_layernorm",
        "layers.ngrams.embeddings": "layers.{i}.ple.ple_embedding.ngram_embedding",
        "layers.ngrams.key": "layers.{i}.ple.key_proj",
        "layers.ngrams.value": "layers.{i}.ple.value_proj",
        "layers.ngrams.convolution.weight": ("layers.{i}.ple.conv1d.weight", "d*streams 1 w_1"),
        **{f"layers.ngrams.{ours}_norm.weight": (f"layers.{{i}}.ple.norm_{theirs}.weight", "d*streams")
           for ours, theirs in (("key", "key"), ("query", "query"), ("convolution", "conv"))},
        **expert_names(),
        "layers.mlp.shared.router": "layers.{i}.mlp.shared_expert_gate",
        "layers.mlp.shared.gate": "layers.{i}.mlp.shared_expert.gate_proj",
        "layers.mlp.shared.up": "layers.{i}.mlp.shared_expert.up_proj",
        "layers.mlp.shared.down": "layers.{i}.mlp.shared_expert.down_proj",
        **_streams("layers.attention.streams", "layers.{i}.attn_hyper_connection"),
        **_streams("layers.mlp.streams", "layers.{i}.mlp_hyper_connection"),
        **_streams("streams", "hyper_connection_mixer"),
    },
    stored_heads=HEAD_NAMES,
    base="model",
),)
