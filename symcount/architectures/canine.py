"""CANINE: an encoder of characters, which attend within blocks, become fewer, all meet, and become as many again.

Source: Clark et al. 2022, "CANINE", section 3; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_NOTES, encoder_keys
from symcount.hub.settling import number
from symcount.layers import activation, attention, dropped, embed, linear, mlp, norm, positions, residual, spans
from symcount.layers.block_attention import padded
from symcount.layers.convolution import conv1d
from symcount.layers.encoder import pool
from symcount.network import concat, contract, cut, idle, merge, pointwise, rename, repeat, split, tensor, within
from symcount.sizes import floor, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def embeddings(ids: Tensor, types: Tensor, z: Any) -> Tensor:
    """Rows of several tables for each character, side by side, positions and segments: (V_0 + P + types)d + 2d.

    All tables are of V_0 rows, as many as there are hashes of a character.
    """
    shards = [embed(ids, f"hash_{i}", V=V, d=per(z.d, len(z.V)))[0] for i, V in enumerate(z.V)]
    x = positions(concat(*shards, axis="d"), "position", P=z.P, t=z.s)
    return dropped(norm(residual(x, embed(types, "type", types=z.types, d=z.d)[0]), "norm"))


def mixed(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """What n blocks of i rows mix, each from its own rows: 2d multiply-adds for each pair of them."""
    scores = contract(query, rename(key, i="j"), to="b n g i j", name="scores")
    weights = dropped(pointwise(pointwise(scores, kind="attention_scale"), kind="softmax"), "softmax_dropout")
    return merge(contract(weights, rename(value, i="j"), to="b n i g k", name="mix"), s="n i")


def blocks(x: Tensor, z: Any) -> Tensor:
    """4d² + 4d parameters. Multiply-adds of n whole blocks and one of r rows: 2(n·chunk² + r²)d for each text."""
    s, whole = x.axes["s"], floor(x.axes["s"], z.chunk) * z.chunk
    query, key, value = (linear(x, name, g=z.heads, k=per(z.d, z.heads)) for name in ("query", "key", "value"))

    parts = [cut(rows, "s", whole, s - whole) for rows in (query, key, value)]
    first = within("whole", mixed, *(split(rows, "s", n=floor(s, z.chunk), i=z.chunk) for rows, _ in parts))
    last = within("rest", mixed, *(split(rows, "s", n=1, i=None) for _, rows in parts))
    return dropped(linear(concat(first, last, axis="s"), "output", over="g k", d=z.d), "output_dropout")


def near(x: Tensor, z: Any) -> Tensor:
    """A block as any other, but for the rows that it sees: 4d² + 2dh + 9d + h parameters."""
    x = norm(residual(x, within("attention", blocks, x, z=z)), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


def fewer(x: Tensor, z: Any) -> Tensor:
    """One row for each w characters, the first of them that of the first character: wd² + 3d parameters."""
    y = activation(conv1d(x, "conv", w=z.w, over="d", stride=z.w, d=z.d), "gelu")
    first, _ = cut(x, "s", 1, x.axes["s"] - 1)
    return norm(concat(first, cut(y, "s", y.axes["s"] - 1, 1)[0], axis="s"), "norm")


def more(x: Tensor, y: Tensor, z: Any) -> Tensor:
    """Characters beside their rows, each of which stands w times: 2d²·w_2 + 3d parameters."""
    rows = y.axes["s"]

    def stretched(y: Tensor, times: Size) -> Tensor:
        return merge(repeat(y, times=times), s="s times")
    others, last = cut(y, "s", 1, rows - 1)[1], cut(y, "s", rows - 1, 1)[1]
    again = concat(stretched(others, z.w), stretched(last, x.axes["s"] - (rows - 1) * z.w), axis="s")
    before = floor(z.w_2 - 1, 2)
    wide = padded(concat(x, again, axis="d"), "s", before, z.w_2 - 1 - before)
    return dropped(norm(activation(conv1d(wide, "conv", w=z.w_2, over="d", d=z.d), "gelu"), "norm"))


def all_meet(x: Tensor, z: Any) -> Tensor:
    """A block of BERT over as many rows as there are: 4d² + 2dh + 9d + h parameters."""
    y = within("attention", attention, x, z=z, t=x.axes["s"], dropout=True)
    x = norm(residual(x, y), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """What becomes of the characters, and of the rows that are fewer."""
    ids, types = (tensor(name, b=z.b, s=z.s) for name in ("ids", "types"))
    x = within("near", near, within("embeddings", embeddings, ids, types, z=z), z=z)
    y = within("layers", all_meet, within("fewer", fewer, x, z=z), z=z, runs=z.L)
    return within("last", all_meet, within("more", more, x, y, z=z), z=z), y


def headed(of_rows: Callable[[Tensor, Any], Tensor] | None = None,
           of_characters: Callable[[Tensor, Any], Tensor] | None = None) -> Callable[[Any], Any]:
    """A head on the pooled first row, or on the characters; whatever none reads runs all the same."""
    def forward(z: Any) -> Any:
        x, y = body(z)
        pooled = pool(y, z)
        if of_characters:
            return idle(of_characters(x, z), pooled)
        return idle(of_rows(pooled, z), x) if of_rows else (x, pooled)
    return forward


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Tables of as many rows as there are buckets, one for each hash; positions have a table as long."""
    rows, hashes = number(config, "num_hash_buckets"), number(config, "num_hash_functions")
    if hashes > MOST:
        raise ConfigError(f"num_hash_functions = {hashes}: there are {MOST} hashes")
    return {"V": (rows,) * hashes, "P": rows}


MOST = 16  # primes that a hash is made with


def _layer(ours: str, theirs: str) -> dict[Any, Any]:
    return {path.replace("layers", ours, 1): name.replace("encoder", theirs, 1)
            for path, name in BERT_NAMES.items() if path.startswith("layers.")}


ARCHITECTURES = (Architecture(
    "canine",
    classes={
        "CanineModel": headed(),
        "CanineForSequenceClassification": headed(of_rows=lambda x, z: linear(x, "classifier", C=z.C)),
        "CanineForMultipleChoice": headed(of_rows=lambda x, _: linear(x, "classifier", score=1)),
        "CanineForTokenClassification": headed(of_characters=lambda x, z: linear(x, "classifier", C=z.C)),
        "CanineForQuestionAnswering": headed(of_characters=lambda x, z: spans(x, "answers", z.C)),
    },
    sizes="V P",
    keys={
        **{key: told for key, told in encoder_keys(V=1, P=1, types=16, d=768, h=3072, L=12, heads=12,
                                                   decoder=False).items()
           if key not in ("vocab_size", "max_position_embeddings", "tie_word_embeddings")},
        "local_transformer_stride": ("chunk", 128),
        "downsampling_rate": ("w", 4),
        "upsampling_kernel_size": ("w_2", 4),
    },
    reads={"num_hash_functions": 8, "num_hash_buckets": 16384},
    settle=settle,
    ignored={
        **ENCODER_NOTES,
        "tie_word_embeddings": "no words are predicted",
        "max_position_embeddings": "the table of positions has num_hash_buckets rows",
    },
    stored={
        **{f"embeddings.hash_{i}": f"char_embeddings.HashBucketCodepointEmbedder_{i}" for i in range(MOST)},
        "embeddings.position": "char_embeddings.char_position_embeddings",
        "embeddings.type": "char_embeddings.token_type_embeddings",
        "embeddings.norm": "char_embeddings.LayerNorm",
        **_layer("near", "initial_char_encoder"),
        "fewer.conv": "chars_to_molecules.conv",
        "fewer.norm": "chars_to_molecules.LayerNorm",
        **_layer("layers", "encoder"),
        "more.conv": "projection.conv",
        "more.norm": "projection.LayerNorm",
        **_layer("last", "final_char_encoder"),
        "pooler": "pooler.dense",
    },
    stored_heads=BERT_HEAD_NAMES,
    base="canine",
    published={
        "canine-s": measured("CanineModel", 132_082_944, V=(16384,) * 8, P=16384, types=16, d=768, h=3072, L=12,
                             heads=12, chunk=128, w=4, w_2=4),
    },
),)
