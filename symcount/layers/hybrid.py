"""Layers of unlike kinds, as the residual steps that they are made of.

A layer is two steps, a mixer and a feed-forward block. Steps of one kind stand together, as often as a model has them:
the order of the steps changes no count.
"""

from __future__ import annotations

from symcount.layers.dense import norm
from symcount.layers.transformer import residual
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def step(x: Tensor, part: Callable[..., Tensor], *, behind: bool = False, **sizes: Any) -> Tensor:
    """x and the part of its RMSNorm: d more parameters than the part, 2d with another one `behind` it."""
    y = part(norm(x, "norm", shift=False), **sizes)
    return residual(x, norm(y, "post_norm", shift=False) if behind else y)


def steps(path: str, part: Callable[..., Tensor], x: Tensor, *, runs: Size, **sizes: Any) -> Tensor:
    """Steps of one kind, one after another."""
    return within(path, step, x, part=part, runs=runs, **sizes)
