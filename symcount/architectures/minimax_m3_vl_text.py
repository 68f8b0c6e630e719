"""The text model of MiniMax-M3: attention to blocks that an indexer chooses, normed queries and keys, experts.

Source: the implementation in transformers 5.23.0.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import layer_kinds, listed_dense, number
from symcount.layers import attention, decoder_heads, gated, linear, norm, per_head, words
from symcount.layers.experts import mixture
from symcount.layers.hybrid import steps
from symcount.masks import Mask
from symcount.network import cached, contract, pointwise, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CAUSAL = Mask(causal=True)


def attend(x: Tensor, z: Any, *, indexed: bool = False) -> Tensor:
    """2dk·heads + 2dk·kv + 2k parameters, and those of an indexer; all scores are computed all the same."""
    chosen = within("indexer", index, x, z=z) if indexed else None
    return attention(x, z, kv=z.kv, k=z.k, t=z.t, bias=False, position="partial_rotary", normed=per_head, mask=CAUSAL,
                     relative=chosen)


def index(x: Tensor, z: Any) -> Tensor:
    """Which tokens count: those of the blocks with the highest scores.

    Parameters: d·k_i(heads_i + 1) + 2k_i; multiply-adds: the maps times b·s, and b·s·t·heads_i·k_i.
    """
    query = per_head(linear(x, "query", bias=False, g=z.heads_i, k=z.k_i), "query_norm")
    key = per_head(linear(x, "key", bias=False, k=z.k_i), "key_norm")
    query, key = pointwise(query, kind="partial_rotary"), pointwise(key, kind="partial_rotary")
    scores = contract(query, cached(key, "key", s=("t", z.t)), to="b g s t", name="scores", mask=CAUSAL)
    return pointwise(scores, kind="pick", to="b s t", name="chosen")


def experts(x: Tensor, z: Any) -> Tensor:
    """3Ed·h_e + dE + 3d·h_s parameters, of which a token meets K/E of the first."""
    y = mixture(x, E=z.E, K=z.K, h=z.h_e, kind="swiglu", scores="sigmoid", corrected="buffer")
    return pointwise(y, within("shared", gated, x, h=z.h_s, kind="swiglu"), kind="add", name="shared_sum")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    x = steps("layers.full.attention", attend, x, z=z, runs=rest(z.L, z.L_index))
    x = steps("layers.indexed.attention", attend, x, z=z, indexed=True, runs=z.L_index)
    x = steps("layers.dense.mlp", gated, x, h=z.h, kind="swiglu", runs=z.L_dense)
    x = steps("layers.sparse.mlp", experts, x, z=z, runs=rest(z.L, z.L_dense))
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have an indexer, and how many no experts: as listed, or else none."""
    told = config["sparse_attention_config"] or {}
    if not isinstance(told, dict):
        raise ConfigError(f"sparse_attention_config = {told!r}: a table is needed")
    kinds = {"minimax_m3_sparse": "L_index", "full_attention": None}
    found = layer_kinds(config, kinds) or {"L_index": marked(config, told.get("sparse_attention_freq"))}
    dense = listed_dense(config)
    if not dense:
        freq, L = config["moe_layer_freq"], number(config, "num_hidden_layers")
        dense = {"L_dense": 0 if freq is None else L - marked(config, freq)}
    return {**found, **dense, **{size: number({**config, key: told.get(theirs, config[key])}, key)
                                 for size, key, theirs in _INDEXER}}


def marked(config: dict[str, Any], listed: Any) -> int:
    """How many layers a list with one number a layer marks; none where there is no list."""
    L = number(config, "num_hidden_layers")
    if listed is not None and (not isinstance(listed, list) or len(listed) != L or any(
            one not in (0, 1) for one in listed)):
        raise ConfigError(f"sparse_attention_freq, moe_layer_freq: a list with 0 or 1 for each of the {L} layers is "
                          "needed")
    return sum(listed or ())


_INDEXER = (("heads_i", "index_n_heads", "sparse_num_index_heads"), ("k_i", "index_head_dim", "sparse_index_dim"))
_TEXT = decoder_heads("MiniMaxM3VLText", body, "")
_WORDS = "MiniMaxM3VLForCausalLM"

ARCHITECTURES = (Architecture(
    "minimax_m3_vl_text",
    classes={**_TEXT, _WORDS: decoder_heads("MiniMaxM3VL", body, "ForCausalLM")[_WORDS]},
    sizes="L_index L_dense heads_i k_i",
    acts={},
    keys={
        **{key: told for key, told in decoder_keys(V=200064, d=6144, h=1, L=60, heads=64, kv=4, k=128).items()
           if key not in ("intermediate_size", "num_labels")},
        "dense_intermediate_size": ("h", 12288),
        "intermediate_size": ("h_e", 3072),
        "shared_intermediate_size": ("h_s", 3072),
        "num_local_experts": ("E", 128),
        "num_experts_per_tok": ("K", 4),
    },
    reads={
        "layer_types": None,
        "mlp_layer_types": None,
        "moe_layer_freq": None,
        "sparse_attention_config": None,
        "index_n_heads": 4,
        "index_head_dim": 128,
    },
    settle=settle,
    aliases={"num_experts": "num_local_experts"},
    ignored={
        **ROTARY,
        **ROUTED,
        "rotary_dim": "rotation has no weights and is elementwise",
        "swiglu_alpha": "a constant",
        "swiglu_limit": "a constant",
        **dict.fromkeys(("index_block_size", "index_topk_blocks", "index_local_blocks"),
                        "how many scores count; all are computed"),
    },
    unwritten="the choice of blocks, which each group of heads makes for itself",
    stored={
        **DECODER_NAMES,
        **expert_names(h="h_e"),
        "layers.attention.norm": "layers.{i}.input_layernorm",
        **{f"layers.attention.indexer.{ours}": f"layers.{{i}}.self_attn.indexer.{theirs}" for ours, theirs in (
            ("query", "q_proj"), ("key", "k_proj"), ("query_norm", "q_norm"), ("key_norm", "k_norm"))},
        "layers.mlp.norm": "layers.{i}.post_attention_layernorm",
        ("layers.mlp.gate", "layers.mlp.up"): "layers.{i}.mlp.gate_up_proj",
        ("layers.mlp.shared.gate", "layers.mlp.shared.up"): "layers.{i}.mlp.shared_experts.gate_up_proj",
    },
    stored_heads=HEAD_NAMES,
    base="model",
),)
