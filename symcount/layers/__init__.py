"""Layers: ordinary functions over the verbs. No reader knows them; a new one is one more function.

Every layer takes the tensor first, then the name that its weights and its work carry, and returns a tensor.
"""

from symcount.layers.attention import attention
from symcount.layers.dense import embed, linear, norm, positions
from symcount.layers.feed_forward import gated, mlp
from symcount.layers.transformer import classify, first, post_norm, pre_norm, residual, spans

__all__ = ["attention", "classify", "embed", "first", "gated", "linear", "mlp", "norm", "positions", "post_norm",
           "pre_norm", "residual", "spans"]
