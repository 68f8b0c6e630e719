"""Layers of unlike kinds, as the residual steps that they are made of.

A layer is two steps, a mixer and a feed-forward block. Steps of one kind stand together, as often as a model has them:
the order of the steps changes no count.
"""

from __future__ import annotations

from symcount.layers.dense import norm
from symcount.layers.transformer import residual
from symcount.network import within
from symcount.sizes import rest
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


def named_step(x: Tensor, name: str, part: Callable[..., Tensor], **sizes: Any) -> Tensor:
    """The same, of a part and its norm that have names, as where a layer is two steps: d more than the part."""
    return residual(x, within(name, part, norm(x, f"{name}_norm", shift=False), **sizes))


def alternating(x: Tensor, z: Any, *, local: dict[str, Any], full: dict[str, Any], dense: dict[str, Any],
                sparse: dict[str, Any]) -> Tensor:
    """Attention to a window or, in L_global layers, to all tokens; experts, or in L_dense layers one MLP.

    Each is told as what `named_step` takes: {"part": …, **sizes}. How they alternate changes no count.
    """
    x = within("layers.local", named_step, x, name="attention", runs=rest(z.L, z.L_global), **local)
    x = within("layers.global", named_step, x, name="attention", runs=z.L_global, **full)
    if z.dense:
        x = within("layers.dense", named_step, x, name="mlp", runs=z.L_dense, **dense)
    return within("layers.moe", named_step, x, name="mlp", runs=rest(z.L, z.L_dense) if z.dense else z.L, **sparse)


def steps(path: str, part: Callable[..., Tensor], x: Tensor, *, runs: Size, **sizes: Any) -> Tensor:
    """Steps of one kind, one after another."""
    return within(path, step, x, part=part, runs=runs, **sizes)
