"""DeepSeek-V4: several residual streams, one key a token that is its value too, and keys of whole chunks of tokens.

Source: DeepSeek-AI 2026, "DeepSeek-V4", section 2; Xie et al. 2026, "mHC: manifold-constrained hyper-connections".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, expert_names
from symcount.layers import decoder_heads, linear, norm, words
from symcount.layers.experts import with_shared
from symcount.layers.latent import latent_query
from symcount.layers.streams import around, coefficients
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
    repeat,
    split,
    weight,
    within,
)
from symcount.sizes import least, per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.polynomials import Size


def collapse_last(x: Tensor, z: Any) -> Tensor:
    """One row for all streams, after the last layer: n(nd + 1) + 1 parameters."""
    gather = rename(pointwise(coefficients(x, z.streams, 1), kind="sigmoid"), o="n")
    return pointwise(x, gather, kind="mix", name="collapsed", to="b s d")


def compressed_attention(x: Tensor, z: Any, *, chunk: Size | None = None, series: int = 1,
                         indexed: bool = False) -> Tensor:
    """Attention to the tokens of a window and, where `chunk` is given, to one entry for each chunk of tokens.

    Parameters: d·r_q + r_q·k·heads + r_q for queries, dk + k for what is key and value of all heads, heads for sinks,
    r_o·k·heads + groups·r_o·d to leave; all scores of the window are computed.
    """
    query, low = latent_query(x, z, k=z.k)
    query = pointwise(pointwise(query, kind="rms_norm", name="query_scaled"), kind="rotary")
    key = pointwise(norm(linear(x, "key", bias=False, k=z.k), "key_norm", over="k", shift=False), kind="rotary")
    key, mask = cached(key, "key", s=("t", z.t)), Mask(causal=True, window=z.window)
    scores = contract(query, key, to="b g s t", name="scores", mask=mask)
    if chunk is not None:
        entry, index = within("compressor", compressor, x, low, z=z, chunk=chunk, series=series, indexed=indexed)
        more = contract(query, entry, to="b g s w", name="chunk_scores")
        if indexed:
            more = pointwise(more, pointwise(index, kind="pick"), kind="add", name="chosen")
        scores = concat(scores, rename(more, w="t"), axis="t")
    sinks = weight("sinks", kinds="bias", g=z.heads)
    weights = pointwise(pointwise(scores, kind="attention_scale"), sinks, kind="softmax")
    if chunk is None:
        mixed = contract(weights, key, to="b s g k", name="mix", mask=mask)
    else:
        near, far = cut(weights, "t", z.t, z.t // chunk)
        mixed = pointwise(contract(near, key, to="b s g k", name="mix", mask=mask),
                          contract(rename(far, t="w"), entry, to="b s g k", name="chunk_mix"), kind="add", name="sum")
    heads = merge(pointwise(mixed, kind="rotary"), c="g k")
    width = per(z.heads * z.k, z.groups)
    down = weight("output_down.weight", out="o r", o=z.groups, c=width, r=z.r_o)
    low = contract(split(heads, "c", o=z.groups, c=width), down, to="b s o r", name="output_down")
    return linear(low, "output_up", over="o r", bias=False, d=z.d)


def compressor(x: Tensor, low: Tensor, z: Any, *, chunk: Size, series: int, indexed: bool) -> tuple[Tensor, Tensor]:
    """An entry for each whole chunk of tokens, and how much each matters to each token, where that is asked for."""
    entry = entries(x, z, k=z.k, chunk=chunk, series=series)
    return entry, within("indexer", indexer, x, low, z=z, chunk=chunk, series=series) if indexed else entry


def entries(x: Tensor, z: Any, *, k: Size, chunk: Size, series: int) -> Tensor:
    """The tokens of each whole chunk, weighted and summed; with two series those of the chunk before join.

    Parameters: (2d + chunk)·k for each series, and k. Remembered: the entries, the tokens of the chunk that is not yet
    whole, and the first series of the chunk before.
    """
    count, s, whole = x.axes["s"] // chunk, x.axes["s"], z.t // chunk

    def chunks(name: str) -> Tensor:
        part = cached(linear(x, name, bias=False, k=series * k), name, s=z.t - chunk * whole)
        part = split(cut(part, "s", chunk * count, s - chunk * count)[0], "s", w=count, j=chunk)
        if series == 1:
            return part
        return idle(part, cached(cut(part, "k", k, k)[0], f"{name}_before", w=least(1, whole)))

    key, gate = chunks("key"), chunks("gate")
    position = weight("position", kinds="embedding", j=chunk, k=series * k)
    shares = pointwise(pointwise(gate, position, kind="add", name="positions"), kind="softmax")
    summed = pointwise(key, shares, kind="mix", name="summed", to="b w k")
    if series == 2:
        summed = pointwise(*cut(summed, "k", k, k), kind="add", name="overlap")
    summed = pointwise(norm(summed, "key_norm", over="k", shift=False), kind="rotary")
    return cached(summed, "entry", w=("w", whole))


def indexer(x: Tensor, low: Tensor, z: Any, *, chunk: Size, series: int) -> Tensor:
    """How much each chunk matters to each token: r_q·heads_i·k_i + d·heads_i parameters, and those of its entries."""
    query = pointwise(linear(low, "query", over="r", bias=False, g=z.heads_i, k=z.k_i), kind="rotary")
    entry = entries(x, z, k=z.k_i, chunk=chunk, series=series)
    scores = pointwise(contract(query, entry, to="b g s w", name="scores"), kind="relu")
    share = linear(x, "share", bias=False, g=z.heads_i)
    return pointwise(scores, share, kind="mix", name="index", to="b s w")


def feed_forward(x: Tensor, z: Any) -> Tensor:
    """3Ed·h_e + dE + 3d·h_e parameters, of which a token meets K/E of the experts'."""
    return with_shared(x, E=z.E, K=z.K, h=z.h_e, h_s=z.h_e, shared_bias=z.mlp_bias, corrected="buffer",
                       scores=z.scores)


def block(x: Tensor, z: Any, **kw: Any) -> Tensor:
    """Attention, then experts, each within the streams."""
    return around(around(x, z, "attention", compressed_attention, **kw), z, "mlp", feed_forward)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """Layers by their attention: with heavily compressed chunks, with chunks that an indexer chooses, with neither."""
    x, word = words(z)
    x = repeat(x, n=z.streams)
    x = within("layers.hca", block, x, z=z, runs=z.L_hca, chunk=z.chunk_h)
    x = within("layers.csa", block, x, z=z, runs=z.L_csa, chunk=z.chunk, series=2, indexed=True)
    x = within("layers.local", block, x, z=z, runs=rest(rest(z.L, z.L_hca), z.L_csa))
    return norm(within("streams", collapse_last, x, z=z), "norm", shift=False), word


_KINDS = {0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}


def _settle(config: Mapping[str, Any]) -> dict[str, Any]:
    rates = {"chunk": "compressed_sparse_attention", "chunk_h": "heavily_compressed_attention"}
    old = {"chunk": config["compress_rate_csa"], "chunk_h": config["compress_rate_hca"]}
    found: dict[str, Any] = {"scores": _scores(config["scoring_func"])}
    found |= {size: config[f"compress_rates.{kind}"] if old[size] is None else old[size]
              for size, kind in rates.items()}
    L, listed, ratios = config["num_hidden_layers"], config["layer_types"], config["compress_ratios"]
    if listed is None and ratios is None:
        sparse = max(L - 2, 0) // 2
        return {**found, "L_csa": sparse, "L_hca": L - sparse}
    kinds = ratios if listed is None else listed
    if not isinstance(kinds, list) or len(kinds) < L:
        raise ConfigError(f"layer_types: a list with one kind for each of the {L} layers is needed")
    if listed is None:
        kinds = [_KINDS.get(ratio, ratio) if isinstance(ratio, int) else ratio for ratio in kinds]
    for kind in kinds[:L]:
        if not isinstance(kind, str) or kind not in _KINDS.values():
            raise ConfigError(f"layer_types: unknown kind {kind!r}; known: {', '.join(_KINDS.values())}")
    return {**found, "L_csa": kinds[:L].count(_KINDS[4]), "L_hca": kinds[:L].count(_KINDS[128])}


def _scores(told: Any) -> str:
    return told if told in ("sqrtsoftplus", "sigmoid", "softmax") else f"scoring_func = {told!r}"


_ATTENTION = "layers.{i}.self_attn"
_COMPRESSOR = f"{_ATTENTION}.compressor"
STORED = {
    **DECODER_NAMES,
    **expert_names(),
    "layers.attention.query_down": f"{_ATTENTION}.q_a_proj",
    "layers.attention.query_norm": f"{_ATTENTION}.q_a_norm",
    "layers.attention.query_up": f"{_ATTENTION}.q_b_proj",
    "layers.attention.key": f"{_ATTENTION}.kv_proj",
    "layers.attention.key_norm": f"{_ATTENTION}.kv_norm",
    "layers.attention.sinks": f"{_ATTENTION}.sinks",
    "layers.attention.output_down": f"{_ATTENTION}.o_a_proj",
    "layers.attention.output_up": f"{_ATTENTION}.o_b_proj",
    "layers.attention.compressor.key": f"{_COMPRESSOR}.kv_proj",
    "layers.attention.compressor.gate": f"{_COMPRESSOR}.gate_proj",
    "layers.attention.compressor.position": f"{_COMPRESSOR}.position_bias",
    "layers.attention.compressor.key_norm": f"{_COMPRESSOR}.kv_norm",
    "layers.attention.compressor.indexer.key": f"{_COMPRESSOR}.indexer.kv_proj",
    "layers.attention.compressor.indexer.gate": f"{_COMPRESSOR}.indexer.gate_proj",
    "layers.attention.compressor.indexer.position": f"{_COMPRESSOR}.indexer.position_bias",
    "layers.attention.compressor.indexer.key_norm": f"{_COMPRESSOR}.indexer.kv_norm",
    "layers.attention.compressor.indexer.query": f"{_COMPRESSOR}.indexer.q_b_proj",
    "layers.attention.compressor.indexer.share": f"{_COMPRESSOR}.indexer.scorer.weights_proj",
    **{f"layers.{part}.streams.{ours}": f"layers.{{i}}.{theirs}.{name}"
       for part, theirs in (("attention", "attn_hc"), ("mlp", "ffn_hc"))
       for ours, name in (("fn.weight", "fn"), ("base", "base"), ("scale", "scale"))},
    "streams.fn.weight": "hc_head.hc_fn",
    "streams.base": "hc_head.hc_base",
    "streams.scale": "hc_head.hc_scale",
}

ARCHITECTURES = (Architecture(
    "deepseek_v4",
    gradients="what a compressor makes of chunks has gradients in part",
    buffers="tables that send tokens to experts by a hash",
    classes=decoder_heads("DeepseekV4", body, "ForCausalLM"),
    sizes="L_csa L_hca chunk chunk_h",
    flags={"scores": "sqrtsoftplus"},
    keys={
        "vocab_size": ("V", 129280),
        "hidden_size": ("d", 4096),
        "moe_intermediate_size": ("h_e", 2048),
        "num_hidden_layers": ("L", 43),
        "num_attention_heads": ("heads", 64),
        "head_dim": ("k", 512),
        "q_lora_rank": ("r_q", 1024),
        "num_experts_per_tok": ("K", 6),
        "n_routed_experts": ("E", 256),
        "hc_mult": ("streams", 4),
        "sliding_window": ("window", 128),
        "o_groups": ("groups", 8),
        "o_lora_rank": ("r_o", 1024),
        "index_n_heads": ("heads_i", 64),
        "index_head_dim": ("k_i", 128),
        "tie_word_embeddings": ("tied", False),
        "num_labels": ("C", 2),
        "mlp_bias": ("mlp_bias", False),
    },
    reads={"layer_types": None, "compress_ratios": None, "compress_rate_csa": None, "compress_rate_hca": None,
           "compress_rates.compressed_sparse_attention": 4, "compress_rates.heavily_compressed_attention": 128,
           "scoring_func": "sqrtsoftplus"},
    settle=_settle,
    aliases={"num_local_experts": "n_routed_experts", "intermediate_size": "moe_intermediate_size"},
    ignored={
        **ROTARY,
        **ROUTED,
        **dict.fromkeys(("qk_rope_head_dim", "compress_rope_theta"), "rotation has no weights and is elementwise"),
        **dict.fromkeys(("hc_sinkhorn_iters", "hc_eps", "swiglu_limit", "router_jitter_noise"),
                        "a setting of what is elementwise"),
        **dict.fromkeys(("mlp_layer_types", "num_hash_layers"), "layers that choose by a table of buffers weigh alike"),
        "num_key_value_heads": "one key, which is the value too, serves all heads",
        "n_shared_experts": "transformers builds one",
        "attention_bias": "transformers builds no biases there",
        "expert_dtype": "how numbers are stored; counts are of numbers",
        "index_topk": MASKED,
    },
    stored=STORED,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "deepseek-v4-pro": measured("DeepseekV4ForCausalLM", 1_572_997_179_491, V=129280, d=7168, h_e=3072, L=61,
                                    L_csa=30, L_hca=31, chunk=4, chunk_h=128, heads=128, k=512, window=128, r_q=1536,
                                    r_o=1024, groups=16, heads_i=64, k_i=128, streams=4, E=384, K=6),
    },
),)
