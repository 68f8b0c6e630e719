"""What layers are given beside the rows they work on: numbers of their own for each token, keys and values of another.

Source: Google DeepMind 2025, "Gemma 3n": per-layer embeddings, and keys and values of one layer for several; the latter
is of Brandon et al. 2024, "Reducing transformer key-value cache size with cross-layer attention", section 3.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.layers.attention import per_head
from symcount.layers.dense import embed, linear, norm
from symcount.layers.feed_forward import activation
from symcount.network import cached, contract, cut, pointwise, select, split, within
from symcount.sizes import multiple, per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from symcount.masks import Mask
    from symcount.polynomials import Size

# Layers of one kind: how many, and how many of them are reusing keys and values of the last that makes its own (None:
# it is known that there are none); more is what a block is told
Kind = namedtuple("Kind", "name layers reusing more")


def layer_rows(x: Tensor, *ids: Tensor, L: Size, e: Size, V: Size | None = None) -> Tensor:
    """For each token e numbers for each of L layers, from its embedding and, with ids, from a table of their own.

    Parameters: dLe + e, and VLe for the table.
    """
    rows = norm(split(linear(x, "project", bias=False, c=L * e), "c", layer=L, e=e), "norm", over="e", shift=False)
    for one in ids:
        told, _ = embed(one, "embeddings", V=V, c=L * e)
        rows = pointwise(split(told, "c", layer=L, e=e), rows, kind="add", name="sum")
    return rows


def let_in(x: Tensor, row: Tensor) -> Tensor:
    """What a layer makes of its numbers: norm(project(f(gate(x)) · row)): 2de + d parameters."""
    y = activation(linear(x, "gate", bias=False, e=row.axes["e"]), "gelu_pytorch_tanh")
    y = pointwise(y, row, kind="multiply", name="product")
    return norm(linear(y, "project", over="e", bias=False, d=x.axes["d"]), "norm", shift=False)


def reusable(x: Tensor, z: Any, *, t: Size, kv: Size, k: Size, bias: bool, mask: Mask | None,
             made: tuple[Tensor, Tensor] | None, value: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """Attention with unscaled scores, and the keys and values that it made, or was given as `made`.

    Queries, keys and values are normed over a head, values without a gain; `value=False`: they are the unturned keys.
    Parameters: 2dk·heads + k, and for keys and values of its own 2dk·kv + k, or dk·kv + k without a map for values.
    """
    width = {"g": kv, "k": multiple(k, 2)}
    query = pointwise(per_head(linear(x, "query", bias=bias, **width, q=per(z.heads, kv)), "query_norm"), kind="rotary")
    if made is None:
        row = linear(x, "key", bias=bias, **width)
        key = cached(pointwise(per_head(row, "key_norm"), kind="rotary"), "key", s=("t", t))
        row = linear(x, "value", bias=bias, **width) if value else row
        made = key, cached(pointwise(row, kind="rms_norm", name="value_norm"), "value", s=("t", t))
    scores = contract(query, made[0], to="b g q s t", name="scores", mask=mask)
    mixed = contract(pointwise(scores, kind="softmax"), made[1], to="b s g q k", name="mix", mask=mask)
    return linear(mixed, "output", over="g q k", bias=bias, d=x.axes["d"]), *made


def stack(x: Tensor, rows: Tensor | None, block: Callable[..., tuple[Tensor, Tensor, Tensor]],
          kinds: Sequence[Kind]) -> Tensor:
    """Layers of several kinds, first those with keys and values of their own: block(x, row, made=…, **more).

    A block returns x, keys and values. `rows` has the numbers of all layers, if there are any: `layer_rows`.
    """
    parts: list[tuple[str, Size, Kind]] = []
    for kind in kinds:
        parts += ([("", kind.layers, kind)] if kind.reusing is None else
                  [("", rest(rest(kind.layers, kind.reusing), 1), kind), ("last_", 1, kind)])
    parts += [("reusing_", kind.reusing, kind) for kind in kinds if kind.reusing is not None]
    given = [None] * len(parts) if rows is None else cut(rows, "layer", *(runs for _, runs, _ in parts))
    made: dict[str, tuple[Tensor, Tensor]] = {}
    for (prefix, runs, kind), own in zip(parts, given, strict=True):
        path = f"layers.{prefix}{kind.name}"
        if prefix == "last_":
            one = () if own is None else (select(own, "layer"),)
            x, *found = within(path, lambda x, row=None, more=kind.more: block(x, row, made=None, **more), x, *one)
            made[kind.name] = found[0], found[1]
        else:
            x = _run(path, block, x, own, runs=runs, made=made.get(kind.name), **kind.more)
    return x


def _run(path: str, block: Callable[..., tuple[Tensor, Tensor, Tensor]], x: Tensor, rows: Tensor | None, *, runs: Size,
         **more: Any) -> Tensor:
    """Layers of one kind, one after another."""
    if rows is None:
        alone: Tensor = within(path, lambda x: block(x, None, **more)[0], x, runs=runs)
        return alone
    found: tuple[Tensor, Tensor] = within(path, lambda x, row: (block(x, row, **more)[0], row), x, rows, over="layer")
    return found[0]
