"""Recurrent layers, d inputs to m outputs: LSTM and GRU.

Source: Hochreiter and Schmidhuber 1997, "Long short-term memory"; Cho et al. 2014, "Learning phrase representations
using RNN encoder-decoder". With `biases=one` the counts are those of keras.layers.LSTM, with `biases=two` those of
torch.nn.LSTM and torch.nn.GRU.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.layers.recurrent import gru, lstm
from symcount.network import tensor
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def long_memory(z: Any) -> Tensor:
    """4dm + 4m² + 4m parameters, 4m more with two bias vectors."""
    return lstm(tensor(b=z.b, s=z.s, d=z.d), "layer", m=z.m, biases=z.biases)


def gated_unit(z: Any) -> Tensor:
    """3dm + 3m² + 3m parameters, 3m more with two bias vectors."""
    return gru(tensor(b=z.b, s=z.s, d=z.d), "layer", m=z.m, biases=z.biases)


ARCHITECTURES = (
    Architecture("lstm", classes={"lstm": long_memory}, sizes="d m", flags={"biases": "one"}),
    Architecture("gru", classes={"gru": gated_unit}, sizes="d m", flags={"biases": "one"}),
)
