"""A depthwise separable convolution: a kernel for each channel, then 1 × 1 across channels.

Source: Howard et al. 2017, "MobileNets", section 3.1; the counts are those of two torch.nn.Conv2d.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.layers.convolution import conv2d
from symcount.network import tensor
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def separable(z: Any) -> Tensor:
    """w²·c + cm parameters, + c + m with biases: 1/m + 1/w² of a full convolution."""
    x = tensor(b=z.b, i=z.side, j=z.side, c=z.c)
    x = conv2d(x, "depthwise", w=z.w, c=z.c, groups=z.c, bias=z.bias)
    return conv2d(x, "pointwise", w=1, c=z.m, bias=z.bias)


ARCHITECTURES = (
    Architecture("depthwise_separable", classes={"depthwise_separable": separable}, sizes="side c m w",
                 flags={"bias": True}),
)
