"""One convolution over images: a square kernel of side w, c channels to m.

Source: LeCun et al. 1998, "Gradient-based learning applied to document recognition"; the counts are those of
torch.nn.Conv2d.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.layers.convolution import conv2d
from symcount.network import tensor
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def convolution(z: Any) -> Tensor:
    """w²·cm + m parameters, times (side − w + 1)² multiply-adds for each image."""
    return conv2d(tensor(b=z.b, i=z.side, j=z.side, c=z.c), "layer", w=z.w, c=z.m, bias=z.bias)


ARCHITECTURES = (
    Architecture("conv2d", classes={"conv2d": convolution}, sizes="side c m w", flags={"bias": True}),
)
