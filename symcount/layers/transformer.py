"""Blocks that several families share, and the heads that transformers puts on a body."""

from __future__ import annotations

from symcount.layers.attention import attention
from symcount.layers.dense import linear, norm
from symcount.layers.feed_forward import mlp
from symcount.network import pointwise, select, within
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.masks import Mask
    from symcount.polynomials import Size


def residual(x: Tensor, y: Tensor, name: str = "residual") -> Tensor:
    """x + y."""
    return pointwise(x, y, kind="add", name=name)


def post_norm(x: Tensor, z: Any, mask: Mask | None = None) -> Tensor:
    """Attention, then the two-matrix MLP, a norm after each sum.

    Parameters at k = d/heads: 4d² + 2dh + 9d + h.
    Source: Vaswani et al. 2017, section 3.1.
    """
    x = norm(residual(x, within("attention", attention, x, z=z, t=z.t, mask=mask)), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h)), "mlp_norm")


def pre_norm(x: Tensor, z: Any, mask: Mask | None = None) -> Tensor:
    """Attention, then the two-matrix MLP, a norm before each, inside the residual.

    Parameters at k = d/heads: 4d² + 2dh + 9d + h.
    Source: Radford et al. 2019, section 2.3.
    """
    x = residual(x, within("attention", attention, norm(x, "attention_norm"), z=z, t=z.t, mask=mask))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h))


def classify(x: Tensor, name: str, z: Any, *, bias: bool = True) -> Tensor:
    """C classes for each vector of x: dC parameters, + C with a bias."""
    return linear(x, name, bias=bias, C=z.C)


def spans(x: Tensor, name: str, ends: Size = 2) -> Tensor:
    """Where an answer starts and where it ends, for every position: 2d + 2 parameters.

    `ends` is the number of labels where the class reads it, and must be 2.
    """
    return linear(x, name, ends=exactly(ends, 2))


def first(x: Tensor) -> Tensor:
    """The first position."""
    return select(x, "s")
