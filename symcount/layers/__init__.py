"""Layers: ordinary functions over the verbs. No reader knows them; a new one is one more function.

Where a layer has weights of its own, it takes the tensor first, then the name that its weights and its work carry.
What most networks need is imported here; the rest from its own file (`symcount.layers.experts`), so that a count does
not pay for it.
"""

from symcount.layers.attention import attention, per_head
from symcount.layers.dense import dropped, embed, linear, norm, positions, words
from symcount.layers.feed_forward import activation, gated, mlp
from symcount.layers.transformer import (
    decoder,
    decoder_heads,
    post_norm,
    pre_norm,
    residual,
    rotary_block,
    spans,
    windowed,
)

__all__ = ["activation", "attention", "decoder", "decoder_heads", "dropped", "embed", "gated", "linear", "mlp", "norm",
           "per_head", "positions", "post_norm", "pre_norm", "residual", "rotary_block", "spans", "windowed",
           "words"]
