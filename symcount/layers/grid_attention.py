"""Attention over a grid of patches, whose scores know how many rows and columns apart two patches are.

Source: Li et al. 2022, "Exploring plain vision transformer backbones for object detection", section 3 (windows in most
layers); Li et al. 2022, "MViTv2", section 4.1 (rows and columns apart); Kirillov et al. 2023, "Segment anything".
"""

from __future__ import annotations

from symcount.layers.dense import linear
from symcount.network import concat, contract, cut, lookup, merge, pointwise, rename, split, tensor, weight
from symcount.sizes import ceil, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from symcount.polynomials import Size


def grid_attention(x: Tensor, *, heads: Size, bias: bool = True, relative: bool = True) -> Tensor:
    """Every patch of a grid attends to every other: 4d² + d parameters, 3d more with the `bias` of q, k and v.

    With a `relative` table for rows and one for columns, of an n × n grid, (4n - 2)d/heads more. Multiply-adds: the
    weights of the maps times b·n², 2b·n⁴·d for scores and mix, and 2b·n³·d for the tables.
    """
    d = x.axes["d"]
    width = {"g": heads, "k": per(d, heads)}
    query, key, value = (linear(x, name, bias=bias, **width) for name in ("query", "key", "value"))
    scores = contract(query, rename(key, i="u", j="v"), to="b g i j u v", name="scores")
    scores = pointwise(scores, kind="attention_scale")
    if relative:
        rows = contract(query, apart(query, "rows", "i", "u"), to="b g i j u", name="row_scores")
        columns = contract(query, apart(query, "columns", "j", "v"), to="b g i j v", name="column_scores")
        scores = pointwise(scores, rows, columns, kind="add", name="relative")
    weights = pointwise(scores, kind="softmax")
    mixed = contract(weights, rename(value, i="u", j="v"), to="b i j g k", name="mix")
    return linear(mixed, "output", over="g k", d=d)


def apart(x: Tensor, name: str, axis: str, other: str) -> Tensor:
    """For each two of n rows the vector of how far apart they are: (2n - 1)k parameters."""
    n = x.axes[axis]
    table = weight(name, kinds="embedding", distance=2 * n - 1, k=x.axes["k"])
    return lookup(tensor(f"{name}_apart", **{axis: n, other: n}), table, name)


def in_grid_windows(x: Tensor, w: Size, f: Callable[[Tensor], Tensor]) -> Tensor:
    """f of each window of w × w patches, as of an image of its own; a grid that they do not fill is padded."""
    b, sides = x.axes["b"], {axis: x.axes[axis] for axis in ("i", "j")}
    for axis, n in sides.items():
        nothing = tensor(f"padding_{axis}", **{**x.axes, axis: ceil(n, w) * w - n})
        x = split(concat(x, nothing, axis=axis), axis, **{f"n_{axis}": ceil(n, w), axis: w})
    x = split(f(merge(x, b="b n_i n_j")), "b", b=b, **{f"n_{axis}": ceil(n, w) for axis, n in sides.items()})
    for axis, n in sides.items():
        x = cut(merge(x, **{axis: f"n_{axis} {axis}"}), axis, n, ceil(n, w) * w - n)[0]
    return x
