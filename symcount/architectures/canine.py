"""CANINE: an encoder of characters, whose deep layers see one row for every few of them.

Source: Clark et al. 2022, "CANINE", section 3 and figure 1; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, encoder_keys
from symcount.hub.settling import number
from symcount.layers import activation, attention, dropped, embed, linear, mlp, norm, positions, residual, spans
from symcount.layers.block_attention import attend, padded
from symcount.layers.convolution import conv1d
from symcount.layers.encoder import pool
from symcount.network import concat, cut, merge, rename, repeat, select, split, tensor, within
from symcount.sizes import floor, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def embeddings(ids: Tensor, types: Tensor, z: Any) -> Tensor:
    """(2bins + types)d + 2d parameters: each of several hashes of a character gives a share of its vector."""
    x, _ = embed(ids, "word", bins=z.bins, d=z.d)
    x = positions(x, "position", P=z.bins, t=x.axes["s"])
    return dropped(norm(residual(x, embed(types, "type", types=z.types, d=z.d)[0]), "norm"))


def local(x: Tensor, z: Any) -> Tensor:
    """Attention of the tokens of a chunk to each other, the last of which may be shorter: 4d² + 4d parameters.

    Multiply-adds a head: 2k a token for every token of its chunk.
    """
    maps = [linear(x, name, g=z.heads, k=per(z.d, z.heads)) for name in ("query", "key", "value")]
    s = x.axes["s"]
    n = floor(s, z.chunk)
    full, last = zip(*(cut(y, "s", n * z.chunk, s - n * z.chunk) for y in maps), strict=True)
    mixed = []
    for name, rows, many, i in (("full", full, n, z.chunk), ("last", last, 1, s - n * z.chunk)):
        query, key, value = (split(y, "s", n=many, i=i) for y in rows)
        y = within(name, attended, query, rename(key, i="j"), rename(value, i="j"))
        mixed.append(merge(y, s="n i"))
    return dropped(linear(concat(*mixed, axis="s"), "output", over="g k", d=z.d), "output_dropout")


def attended(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """What the rows of each block mix from the rows of the same block."""
    return attend(query, [key], [value])


def overall(x: Tensor, z: Any) -> Tensor:
    """Attention of all rows to all: 4d² + 4d parameters."""
    return attention(x, z, t=x.axes["s"], dropout=True)


def block(x: Tensor, z: Any, attending: Callable[..., Tensor]) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    x = norm(residual(x, within("attention", attending, x, z=z)), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last rows of all characters, and those of the deep layers, of which there is one for w_1 characters.

    Parameters beside the L + 2 blocks: (w_1 + 2w_2)d² + 2d for the two convolutions, and 4d for their norms.
    """
    read = (tensor(name, b=z.b, s=z.s) for name in ("ids", "types"))
    chars = within("first.layers", block, within("embeddings", embeddings, *read, z=z), z=z, attending=local)
    few = activation(conv1d(chars, "conv.down", w=z.w_1, over="d", stride=z.w_1, d=z.d), "gelu", "down_act")
    m = few.axes["s"]
    few = concat(cut(chars, "s", 1, z.s - 1)[0], cut(few, "s", m - 1, 1)[0], axis="s")  # the first stands for the text
    few = within("layers", block, norm(few, "down_norm"), z=z, attending=overall, runs=z.L)
    inner, last = cut(few, "s", 1, m - 1)[1], select(cut(few, "s", m - 1, 1)[1], "s")
    many = concat(merge(repeat(inner, r=z.w_1), s="s r"), repeat(last, s=z.s - m * z.w_1 + z.w_1), axis="s")
    both = padded(concat(chars, many, axis="d"), "s", 0, z.w_2 - 1)
    x = activation(conv1d(both, "conv.up", w=z.w_2, over="d", d=z.d), "gelu", "up_act")
    return within("last.layers", block, dropped(norm(x, "up_norm"), "up_dropout"), z=z, attending=overall), few


def _head(head: Callable[[Tensor, Tensor, Any], Any]) -> Callable[[Any], Any]:
    """A class on the rows of all characters and the pooled first of the deep ones: both run, whichever it reads."""
    def forward(z: Any) -> Any:
        x, few = body(z)
        return head(x, pool(few, z), z)
    return forward


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Nothing; ConfigError for hashes that do not share the width, or that there are no primes for."""
    hashes, d = number(config, "num_hash_functions"), number(config, "hidden_size")
    if hashes > _PRIMES or d % hashes:
        raise ConfigError(f"num_hash_functions = {hashes}: at most {_PRIMES}, which divide hidden_size, are needed")
    return {}


_PRIMES = 16  # that transformers has for hashing
_NAMES = {path: name for path, name in BERT_NAMES.items() if path.startswith("layers.")}

ARCHITECTURES = (Architecture(
    "canine",
    classes={
        "CanineModel": _head(lambda x, pooled, _: (x, pooled)),
        "CanineForSequenceClassification": _head(lambda x, pooled, z: (linear(pooled, "classifier", C=z.C), x)),
        "CanineForMultipleChoice": _head(lambda x, pooled, _: (linear(pooled, "classifier", score=1), x)),
        "CanineForTokenClassification": _head(lambda x, pooled, z: (linear(x, "classifier", C=z.C), pooled)),
        "CanineForQuestionAnswering": _head(lambda x, pooled, z: (spans(x, "answers", z.C), pooled)),
    },
    keys={
        **{key: told for key, told in encoder_keys(V=1, P=1, types=16, d=768, h=3072, L=12, heads=12,
                                                   decoder=False).items()
           if key not in ("vocab_size", "max_position_embeddings", "tie_word_embeddings")},
        "downsampling_rate": ("w_1", 4),
        "upsampling_kernel_size": ("w_2", 4),
        "num_hash_buckets": ("bins", 16384),
        "num_hash_functions": ("hashes", 8),
        "local_transformer_stride": ("chunk", 128),
    },
    settle=settle,
    ignored={
        "max_position_embeddings": "the table of positions has a row for each bucket",
        "tie_word_embeddings": "no class predicts words",
    },
    stored={
        "embeddings.word.weight": ("char_embeddings.HashBucketCodepointEmbedder_{i}.weight", "bins d/hashes"),
        "embeddings.position": "char_embeddings.char_position_embeddings",
        "embeddings.type": "char_embeddings.token_type_embeddings",
        "embeddings.norm": "char_embeddings.LayerNorm",
        **_NAMES,
        **{f"first.{path}": f"initial_char_{name}" for path, name in _NAMES.items()},
        **{f"last.{path}": f"final_char_{name}" for path, name in _NAMES.items()},
        "conv.down": "chars_to_molecules.conv",
        "down_norm": "chars_to_molecules.LayerNorm",
        "conv.up": "projection.conv",
        "up_norm": "projection.LayerNorm",
        "pooler": "pooler.dense",
    },
    stored_heads=BERT_HEAD_NAMES,
    base="canine",
    published={
        "canine-s": measured("CanineModel", 132_082_944, types=16, d=768, h=3072, L=12, heads=12, w_1=4, w_2=4,
                             bins=16384, hashes=8, chunk=128),
    },
),)
