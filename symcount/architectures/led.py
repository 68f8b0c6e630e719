"""LED: BART with a longer encoder, whose tokens attend to a window; the maps of global tokens are stored beside it.

Source: Beltagy et al. 2020, "Longformer", sections 3 and 7; transformers computes a window in chunks of its own width,
and no token is global unless it is told so.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.hub import measured
from symcount.hub.encoders import (
    SEQ2SEQ_ALIASES,
    SEQ2SEQ_FOLLOWS,
    SEQ2SEQ_HEAD_NAMES,
    SEQ2SEQ_IGNORED,
    SEQ2SEQ_ONLY,
    norms_at,
    seq2seq_keys,
    seq2seq_names,
)
from symcount.hub.settling import same_window
from symcount.layers import mlp, norm, positions
from symcount.layers.block_attention import filled
from symcount.layers.encoder_decoder import after, decoder_block, seq2seq_heads, shared_words
from symcount.layers.windowed_attention import windowed
from symcount.network import cut, within
from symcount.sizes import ceil
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def embeddings(x: Tensor, *, P: Any, t: Any) -> Tensor:
    """Pd + 2d parameters."""
    return norm(positions(x, "position", P=P, t=t), "norm")


def block(x: Tensor, z: Any, n: Size) -> Tensor:
    """7d² + 2dh + 12d + h parameters."""
    return after(after(x, "attention", windowed, z=z, n=n), "mlp", mlp, h=z.h)


def encode(x: Tensor, z: Any) -> Tensor:
    """The text is filled up so that the window divides it: Pd + 2d + L(7d² + 2dh + 12d + h) parameters."""
    s, x = x.axes["s"], filled(x, z.window)
    x = within("embeddings", embeddings, x, P=z.P, t=x.axes["s"])
    x = within("layers", block, x, z=z, n=2 * ceil(s, z.window), runs=z.L)
    return cut(x, "s", s, x.axes["s"] - s)[0]


def decode(x: Tensor, z: Any, memory: Tensor | None) -> Tensor:
    """P_dec·d + 2d + L_dec(8d² + 2d·h_dec + 15d + h_dec) parameters."""
    x = within("embeddings", embeddings, x, P=z.P_dec, t=z.t)
    return within("layers", decoder_block, x, z=z, place=after, memory=memory, runs=z.L_dec)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The window, which is the same in all layers."""
    return same_window(config, "encoder_layers")


def _led(count: int, **sizes: int) -> Published:
    return measured("LEDForConditionalGeneration", count, V=50265, P=16384, P_dec=1024, window=1024, **sizes)


_LONGFORMER = "encoder.layers.{i}.self_attn.longformer_self_attn"
_GLOBAL = {f"encoder.layers.attention.{ours}": f"{_LONGFORMER}.{theirs}" for name in ("query", "key", "value")
           for ours, theirs in ((name, name), (f"first_{name}", f"{name}_global"))}

ARCHITECTURES = (Architecture(
    "led",
    classes=seq2seq_heads("LED", shared_words(encode, decode), None, "ForConditionalGeneration ForQuestionAnswering"),
    follows=SEQ2SEQ_FOLLOWS,
    sizes="window",
    acts={"activation_function": ("", "")},
    keys={
        **seq2seq_keys(V=50265, d=1024, h=4096, L=12, heads=16),
        "max_encoder_position_embeddings": ("P", 16384),
        "max_decoder_position_embeddings": ("P_dec", 1024),
    },
    reads={"attention_window": 512},
    settle=settle,
    aliases=SEQ2SEQ_ALIASES,
    ignored={**SEQ2SEQ_IGNORED, "attention_probs_dropout_prob": "dropout has no weights"},
    only={**SEQ2SEQ_ONLY, **norms_at(before=False, embedding=True, computed=False)},
    stored={**seq2seq_names(), **_GLOBAL, "encoder.layers.attention.output": "encoder.layers.{i}.self_attn.output"},
    stored_heads=SEQ2SEQ_HEAD_NAMES,
    base="led",
    published={
        "led-base-16384": _led(161_844_480, d=768, h=3072, L=6, heads=12),
        "led-large-16384": _led(459_801_600, d=1024, h=4096, L=12, heads=16),
    },
),)
