"""A multilayer perceptron of any widths: mlp:784-128-10.

Source: Rumelhart, Hinton and Williams 1986; the counts are those of torch.nn.Linear layers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.layers import linear
from symcount.network import pointwise, tensor
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def mlp(z: Any) -> Tensor:
    """The sum over layers of n_in·n_out + n_out parameters; `activation=none` leaves the layers linear."""
    width, *widths = z.n
    x = tensor(b=z.b, n_0=width)
    for i, out in enumerate(widths, start=1):
        x = linear(x, f"layer{i}", over=f"n_{i - 1}", bias=z.bias, **{f"n_{i}": out})
        if i < len(widths) and z.activation is not None:
            x = pointwise(x, kind=z.activation, name=f"activation{i}")
    return x


ARCHITECTURES = (
    Architecture("mlp", classes={"mlp": mlp}, sizes="n", flags={"bias": True, "activation": "relu"}),
)
