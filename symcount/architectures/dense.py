"""One dense layer, d inputs to m outputs: y = xW + b.

Source: any textbook; the counts are those of torch.nn.Linear.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.layers import linear
from symcount.network import tensor
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def dense(z: Any) -> Tensor:
    """dm + m parameters, b·dm multiply-adds."""
    return linear(tensor(b=z.b, d=z.d), "layer", bias=z.bias, m=z.m)


ARCHITECTURES = (Architecture("dense", classes={"dense": dense}, sizes="d m", flags={"bias": True}),)
