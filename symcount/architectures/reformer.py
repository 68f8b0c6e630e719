"""Reformer: attention within chunks of a text, in its order or in that of hashes, in layers that can be run backwards.

A text longer than the shortest chunk is filled up to chunks of all kinds; a chunk that it fits into sees it as it is.
Source: Kitaev et al. 2020, "Reformer: the efficient transformer", sections 2 and 3; axial positions: Ho et al. 2019,
"Axial attention in multidimensional transformers"; the heads are those of transformers.
"""

from __future__ import annotations

from collections import namedtuple
from math import lcm

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.settling import number
from symcount.layers import dropped, embed, linear, mlp, norm, positions, residual, spans
from symcount.layers.block_attention import in_blocks, out_of_blocks
from symcount.layers.encoder import dense_first
from symcount.network import concat, contract, cut, idle, pointwise, rename, repeat, tensor, weight, within
from symcount.sizes import ceil, least, per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

# chunk: its tokens; window: those that a chunk of several sees; hashes: rounds, None where the order is of the text
Kind = namedtuple("Kind", "chunk window hashes")


def several(s: Size, chunk: Size) -> Size:
    """1 where a text has more tokens than a chunk, else 0."""
    return least(ceil(s, chunk), 2) - 1


def full(z: Any) -> Size:
    """The tokens of a text that is filled up, unless it is no longer than the shortest chunk."""
    return z.s + several(z.s, z.chunk) * (ceil(z.s, z.fill) * z.fill - z.s)


def attention(x: Tensor, z: Any, kind: Kind) -> Tensor:
    """4dk·heads parameters, 3dk·heads where a token is hashed by its query, which then is its key too.

    Multiply-adds a head: 2k a token for each that it sees, its chunk or a window of several; in every round of hashing
    anew, and for the hash itself, as a random map to half as many numbers as there are buckets, k·bins/2.
    """
    s, chunked = x.axes["s"], several(x.axes["s"], kind.chunk)
    length = least(s, kind.chunk)
    seen = length + chunked * (kind.window - kind.chunk)
    query = linear(x, "query", bias=False, g=z.heads, k=z.k)
    key = query if kind.hashes is not None else linear(x, "key", bias=False, g=z.heads, k=z.k)
    value = linear(x, "value", bias=False, g=z.heads, k=z.k)
    rounds: Size = 1
    if kind.hashes is not None:
        turns = tensor("turns", g=z.heads, k=z.k, rounds=chunked * kind.hashes, half=per(z.bins, 2))
        order = pointwise(contract(query, turns, to="b g s rounds half", name="hash"), kind="max", to="b g s")
        query, key, value = (pointwise(y, order, kind="gather", name="sorted") for y in (query, key, value))
        rounds = 1 + chunked * (kind.hashes - 1)
    query, key, value = (in_blocks(repeat(y, r=rounds), length) for y in (query, key, value))
    index = tensor("rows", n=key.axes["n"], j=seen)
    key, value = (pointwise(y, index, kind="gather", name="around", to="b r n j g k") for y in (key, value))
    scores = contract(query, key, to="b r n g i j", name="scores")
    weights = dropped(pointwise(pointwise(scores, kind="attention_scale"), kind="softmax"), "softmax_dropout")
    mixed = out_of_blocks(contract(weights, value, to="b r n i g k", name="mix"), s)
    mixed = pointwise(mixed, kind="mix", name="rounds", to="b s g k")
    return dropped(linear(mixed, "output", over="g k", bias=False, d=z.d), "output_dropout")


def block(x: Tensor, y: Tensor, z: Any, kind: Kind) -> tuple[Tensor, Tensor]:
    """Attention to one half of the rows is added to the other, and an MLP of that to the first: 2dh + 5d + h more."""
    x = residual(x, within("attention", attention, norm(y, "attention_norm"), z=z, kind=kind))
    return x, residual(y, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, kind="relu", dropout=True))


def embeddings(ids: Tensor, z: Any) -> Tensor:
    """Vd parameters, and Pd for positions, or those of two short tables beside each other: P_1·e_1 + P_2·e_2."""
    x = dropped(embed(ids, "word", V=z.V, d=z.d)[0])
    if not z.axial:
        return positions(x, "position", P=z.P, t=ids.axes["s"])
    tables = (weight(f"position_{i}", kinds="embedding", P=P, e=e) for i, P, e in ((1, z.P_1, z.e_1),
                                                                                    (2, z.P_2, z.e_2)))
    return pointwise(x, *(rename(table, P=f"P_{i}", e=f"e_{i}") for i, table in enumerate(tables)), kind="add",
                     name="position", to="b s d")


def body(z: Any) -> Tensor:
    """The last hidden states, of both halves: 4d parameters for a norm beside the layers."""
    s = full(z)
    x = within("embeddings", embeddings, tensor("ids", b=z.b, s=s), z=z)
    local, hashed = Kind(z.chunk_1, z.window_1, None), Kind(z.chunk_2, z.window_2, z.hashes)
    x, y = within("layers.local", block, x, x, z=z, kind=local, runs=rest(z.L, z.L_global))
    x, y = within("layers.hashed", block, x, y, z=z, kind=hashed, runs=z.L_global)
    return dropped(cut(norm(concat(x, y, axis="d"), "norm"), "s", z.s, s - z.s)[0])


def words(x: Tensor, z: Any) -> Tensor:
    """Logits over the vocabulary: 2dV parameters, and V that never run."""
    return idle(linear(x, "decoder", bias=False, V=z.V), weight("bias", kinds="bias", V=z.V))


def predicted(z: Any) -> Tensor:
    """The words at every position."""
    return within("head", words, body(z), z=z)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Which layers hash, the chunks of both kinds, positions, and the buckets of a hash."""
    listed: Any = config["attn_layers"]
    found: dict[str, int] = {}
    if not isinstance(listed, list) or not listed or any(kind not in ("local", "lsh") for kind in listed):
        raise ConfigError("attn_layers: a list of 'local' and 'lsh', one a layer, is needed")
    used = []
    for i, kind in ((1, "local"), (2, "lsh")):
        chunk = number(config, f"{kind}_attn_chunk_length")
        sides = sum(number(config, f"{kind}_num_chunks_{side}", least=0) for side in ("before", "after"))
        found |= {f"chunk_{i}": chunk, f"window_{i}": chunk * (1 + sides)}
        used += [chunk] if kind in listed else []
    return {**found, **_axes(config), "L": len(listed), "L_global": listed.count("lsh"), "chunk": min(used),
            "fill": lcm(*used), "bins": _bins(config)}


def _axes(config: dict[str, Any]) -> dict[str, int]:
    if config["axial_pos_embds"] is not True:
        return {}
    found = []
    for key in ("axial_pos_shape", "axial_pos_embds_dim"):
        told = config[key]
        if not isinstance(told, list) or len(told) != 2 or any(type(n) is not int or n < 1 for n in told):
            raise ConfigError(f"{key}: a list of two positive whole numbers is needed")
        found.append(told)
    if sum(found[1]) != config["hidden_size"]:
        raise ConfigError("axial_pos_embds_dim: the two widths must add up to hidden_size")
    return {f"{letter}_{i + 1}": told[i] for letter, told in zip("Pe", found, strict=True) for i in (0, 1)}


def _bins(config: dict[str, Any]) -> int | None:
    told = config["num_buckets"]
    factors = told if isinstance(told, list) else [told]
    if told is None:
        return None
    if not factors or any(type(n) is not int or n < 2 or n % 2 for n in factors):
        raise ConfigError(f"num_buckets = {told!r}: an even number, or a list of them, is needed")
    return sum(factors)


def _reformer(count: int, **sizes: int) -> Published:
    return measured("ReformerModelWithLMHead", count, **sizes)


ARCHITECTURES = (Architecture(
    "reformer",
    classes={
        "ReformerModel": body,
        "ReformerModelWithLMHead": predicted,
        "ReformerForMaskedLM": predicted,
        "ReformerForSequenceClassification": lambda z: dense_first(body(z), z),
        "ReformerForQuestionAnswering": lambda z: spans(body(z), "answers", z.C),
    },
    sizes="L L_global chunk chunk_1 chunk_2 window_1 window_2 fill bins P_1 P_2 e_1 e_2",
    # A model whose buckets are not told takes them from the first text that it reads: 4 where that has two chunks
    acts={"hidden_act": ("relu", "mlp")},
    keys={
        "vocab_size": ("V", 320),
        "hidden_size": ("d", 256),
        "attention_head_size": ("k", 64),
        "feed_forward_size": ("h", 512),
        "num_attention_heads": ("heads", 12),
        "max_position_embeddings": ("P", 4096),
        "axial_pos_embds": ("axial", True),
        "num_hashes": ("hashes", 1),
        "num_labels": ("C", 2),
    },
    reads={
        "attn_layers": ["local", "lsh"] * 3,
        "axial_pos_shape": [64, 64],
        "axial_pos_embds_dim": [64, 192],
        **{f"{kind}_{key}": default for kind in ("local", "lsh") for key, default in (
            ("attn_chunk_length", 64), ("num_chunks_before", 1), ("num_chunks_after", 0))},
        "num_buckets": None,
    },
    settle=settle,
    aliases={"head_dim": "attention_head_size"},
    ignored={
        "num_hidden_layers": "as many as attn_layers has",
        "tie_word_embeddings": "this family ties nothing",
        "is_decoder": "which scores are masked; all are computed",
        "axial_norm_std": "how weights start, not how many there are",
        "chunk_size_lm_head": "the same products in slices",
        "hash_seed": "which random numbers hash",
        **dict.fromkeys(("local_attention_probs_dropout_prob", "lsh_attention_probs_dropout_prob"),
                        "dropout has no weights"),
    },
    hides={"is_decoder": ()},
    unwritten="what its layers compute anew as they run backwards",
    stored={
        "embeddings.word": "embeddings.word_embeddings",
        "embeddings.position": "embeddings.position_embeddings.embedding",
        "embeddings.position_1": ("embeddings.position_embeddings.weights.{i}", "P_1 1 e_1"),
        "embeddings.position_2": ("embeddings.position_embeddings.weights.{i}", "1 P_2 e_2"),
        "layers.attention_norm": "encoder.layers.{i}.attention.layer_norm",
        "layers.attention.query": "encoder.layers.{i}.attention.self_attention.query",
        "layers.attention.key": "encoder.layers.{i}.attention.self_attention.key",
        "layers.attention.value": "encoder.layers.{i}.attention.self_attention.value",
        "layers.hashed.attention.query": "encoder.layers.{i}.attention.self_attention.query_key",
        "layers.attention.output": "encoder.layers.{i}.attention.output.dense",
        "layers.mlp_norm": "encoder.layers.{i}.feed_forward.layer_norm",
        "layers.mlp.up": "encoder.layers.{i}.feed_forward.dense.dense",
        "layers.mlp.down": "encoder.layers.{i}.feed_forward.output.dense",
        "norm": "encoder.layer_norm",
    },
    stored_heads={
        "head.decoder": "lm_head.decoder",
        "head.bias": "lm_head.bias",
        "classifier.dense": "classifier.dense",
        "classifier.output": "classifier.out_proj",
        "answers": "qa_outputs",
    },
    base="reformer",
    published={
        "reformer-crime-and-punishment": _reformer(2_748_224, V=320, d=256, h=512, k=64, heads=2, L=6, L_global=3,
                                                   P_1=512, P_2=1024, e_1=64, e_2=192, hashes=1, bins=192, chunk=64,
                                                   chunk_1=64, chunk_2=64, window_1=128, window_2=128, fill=64),
        "reformer-enwik8": _reformer(149_182_722, V=258, d=1024, h=4096, k=128, heads=8, L=12, L_global=3, P_1=128,
                                     P_2=512, e_1=256, e_2=768, hashes=4, bins=512, chunk=128, chunk_1=128,
                                     chunk_2=256, window_1=256, window_2=512, fill=256),
    },
),)
