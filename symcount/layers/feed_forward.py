"""Feed-forward blocks: two matrices, or three with a gate."""

from __future__ import annotations

from symcount.layers.dense import dropped, linear
from symcount.network import pointwise
from symcount.scopes import acts, matches
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size


def activation(x: Tensor, kind: str, name: str = "act") -> Tensor:
    """f(x), where f is of this kind unless the configuration asks for another one; no parameters.

    A function that no configuration changes is a plain `pointwise`.
    """
    for path, other in acts.get():
        kind = other if not path or any(matches(x.path, one) for one in path.split()) else kind
    return x if kind == "linear" else pointwise(x, kind=kind, name=name)


def mlp(x: Tensor, *, h: Size, bias: bool = True, kind: str = "gelu", dropout: bool = False) -> Tensor:
    """down(f(up(x))): 2dh parameters, + h + d with biases. `dropout`: training drops out some of the result.

    Source: Vaswani et al. 2017, section 3.3.
    """
    y = activation(linear(x, "up", h=h, bias=bias), kind)
    y = linear(y, "down", over="h", bias=bias, d=x.axes["d"])
    return dropped(y) if dropout else y


def gated(x: Tensor, *, h: Size, bias: bool = False, kind: str = "silu", dropout: bool = False) -> Tensor:
    """down(f(gate(x)) · up(x)): 3dh parameters, + 2h + d with biases. `dropout`: training drops out some products.

    Source: Shazeer 2020, "GLU variants improve transformer", equation 6.
    """
    y = activation(linear(x, "gate", h=h, bias=bias), kind)
    y = pointwise(y, linear(x, "up", h=h, bias=bias), kind="multiply", name="product")
    y = dropped(y) if dropout else y
    return linear(y, "down", over="h", bias=bias, d=x.axes["d"])
