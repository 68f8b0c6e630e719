"""LeNet-5: two convolutions and three dense layers, for digits.

Source: LeCun et al. 1998, "Gradient-based learning applied to document recognition", section II.B, in the form that
courses and frameworks use: all maps of the second convolution see all of the first, pooling has no weights, the last
layer is dense; 61,706 parameters.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.layers import linear
from symcount.layers.convolution import conv2d, pool
from symcount.network import pointwise, tensor
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def lenet5(z: Any) -> Tensor:
    """Scores of C digits, from images of side × side with c channels."""
    x = tensor(b=z.b, i=z.side, j=z.side, c=z.c)
    for n, (channels, pad) in enumerate(((6, 2), (16, 0)), start=1):
        x = pointwise(conv2d(x, f"conv{n}", w=5, c=channels, pad=pad), kind="tanh")
        x = pool(x, f"pool{n}", w=2, kind="mean")
    for n, width in enumerate((120, 84), start=1):
        axes = "i j c" if n == 1 else "d"
        x = pointwise(linear(x, f"dense{n}", over=axes, d=width), kind="tanh")
    return linear(x, "classifier", C=z.C)


ARCHITECTURES = (
    Architecture("lenet5", classes={"lenet5": lenet5}, sizes="side c C", published={
        "lenet-5": Published("lenet5", {"side": 28, "c": 1, "C": 10}, 61_706,
                             "156 + 2,416 + 48,120 + 10,164 + 850, the sum that every course prints"),
    }),
)
