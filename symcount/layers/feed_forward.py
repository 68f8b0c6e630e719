"""Feed-forward blocks: two matrices, or three with a gate."""

from __future__ import annotations

from symcount.layers.dense import dropped, linear
from symcount.network import pointwise
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size


def mlp(x: Tensor, *, h: Size, bias: bool = True, kind: str = "gelu", dropout: bool = False) -> Tensor:
    """down(f(up(x))): 2dh parameters, + h + d with biases. `dropout`: training drops out some of the result.

    Source: Vaswani et al. 2017, section 3.3.
    """
    y = pointwise(linear(x, "up", h=h, bias=bias), kind=kind, name="act")
    y = linear(y, "down", over="h", bias=bias, d=x.axes["d"])
    return dropped(y) if dropout else y


def gated(x: Tensor, *, h: Size, bias: bool = False, kind: str = "silu") -> Tensor:
    """down(f(gate(x)) · up(x)): 3dh parameters, + 2h + d with biases.

    Source: Shazeer 2020, "GLU variants improve transformer", equation 6.
    """
    y = pointwise(linear(x, "gate", h=h, bias=bias), kind=kind, name="act")
    y = pointwise(y, linear(x, "up", h=h, bias=bias), kind="multiply", name="product")
    return linear(y, "down", over="h", bias=bias, d=x.axes["d"])
