"""Residual streams: several rows of width d for each token, collapsed to one for each part and spread over them again.

Source: Xie et al. 2026, "mHC: manifold-constrained hyper-connections"; Zhu et al. 2024, "Hyper-connections", section 2.
"""

from __future__ import annotations

from symcount.layers.dense import linear, norm
from symcount.network import contract, cut, merge, pointwise, rename, split, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def around(x: Tensor, z: Any, name: str, f: Callable[..., Tensor], **kw: Any) -> Tensor:
    """f of one row collapsed from the streams, spread over them again, which meanwhile mix among themselves."""
    row, spread, mixing = within(f"{name}.streams", collapse, x, z=z)
    y = within(name, f, norm(row, f"{name}_norm", shift=False), z=z, **kw)
    mixed = rename(contract(mixing, x, to="b s i d", name=f"{name}.mixing"), i="n")
    return pointwise(mixed, y, spread, kind="add", name="residual")


def collapse(x: Tensor, z: Any) -> tuple[Tensor, Tensor, Tensor]:
    """One row for all streams, how a row is spread over them, and how they mix: n(n + 2)(nd + 1) + 3 parameters."""
    n = z.streams
    found = coefficients(x, (n + 2) * n, 3)
    gather, spread, mixing = cut(found, "o", n, n, n * n)
    gather, spread = (rename(pointwise(part, kind="sigmoid"), o="n") for part in (gather, spread))
    row = pointwise(x, gather, kind="mix", name="collapsed", to="b s d")
    return row, spread, pointwise(split(mixing, "o", n=n, i=n), kind="softmax", name="balanced")


def coefficients(x: Tensor, count: Size, scales: int) -> Tensor:
    """scale · W(normed streams) + base: `count` numbers for each token."""
    flat = pointwise(merge(x, c="n d"), kind="rms_norm", name="normed")
    y = linear(flat, "fn", over="c", bias=False, o=count)
    base = weight("base", kinds="bias", o=count)
    scale = weight("scale", kinds="bias", i=scales)
    return pointwise(y, scale, base, kind="affine", name="coefficients", to="b s o")
