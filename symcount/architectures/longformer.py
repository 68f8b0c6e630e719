"""Longformer: RoBERTa for long texts, whose tokens attend to a window, and when a text is classified to its first.

Source: Beltagy et al. 2020, "Longformer", sections 3 and 5; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_NAMES, ENCODER_ONLY, ROBERTA_HEAD_NAMES, encoder_keys
from symcount.hub.settling import same_window
from symcount.layers import mlp, norm, residual
from symcount.layers.encoder import dense_first, encoder_heads, typed
from symcount.layers.windowed_attention import windowed
from symcount.network import concat, cut, tensor, within
from symcount.sizes import ceil
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def block(x: Tensor, z: Any, *, n: Size, first: bool) -> Tensor:
    """7d² + 2dh + 12d + h parameters."""
    x = norm(residual(x, within("attention", windowed, x, z=z, n=n, first=first)), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h)), "mlp_norm")


def run(z: Any, *, first: bool = False) -> tuple[Tensor, Tensor]:
    """Embeddings and L blocks on a text that is filled up so that the window divides it; and the word table."""
    read = (tensor(name, b=z.b, s=z.s) for name in ("ids", "types"))
    x, word = within("embeddings", typed, *read, z=z)
    windows = ceil(z.s, z.window)
    more = windows * z.window - z.s
    x = concat(x, tensor("padding", **{**x.axes, "s": more}), axis="s")
    x = within("layers", block, x, z=z, n=2 * windows, first=first, runs=z.L)
    return cut(x, "s", z.s, more)[0], word


def classification(z: Any) -> Tensor:
    """Scores of the first token, which sees the whole text: d² + d + dC + C parameters."""
    return dense_first(run(z, first=True)[0], z)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The window, which is the same in all layers."""
    return same_window(config, "num_hidden_layers")


def _longformer(count: int, **sizes: int) -> Published:
    return measured("LongformerModel", count, V=50265, P=4098, types=1, window=512, **sizes)


_SELF = "encoder.layer.{i}.attention.self."

ARCHITECTURES = (Architecture(
    "longformer",
    classes={
        **encoder_heads("Longformer", run, "ForMaskedLM ForTokenClassification"),
        "LongformerForSequenceClassification": classification,
    },
    sizes="window",
    acts={"hidden_act": ("gelu", "mlp")},
    keys=encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12, decoder=False),
    reads={"attention_window": 512},
    settle=settle,
    ignored={
        "onnx_export": "another way of cutting the same chunks",
        "attention_mode": "a note of the original release, read by nothing",
        "ignore_attention_mask": "a note of the original release, read by nothing",
    },
    only={"position_embedding_type": ENCODER_ONLY["position_embedding_type"]},
    stored={
        **BERT_NAMES,
        **{f"layers.attention.first_{name}": f"{_SELF}{name}_global" for name in ("query", "key", "value")},
    },
    stored_heads=ROBERTA_HEAD_NAMES,
    base="longformer",
    published={
        "longformer-base-4096": _longformer(148_659_456, d=768, h=3072, L=12, heads=12),
        "longformer-large-4096": _longformer(434_600_960, d=1024, h=4096, L=24, heads=16),
    },
),)
