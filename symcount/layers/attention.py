"""Attention over named heads: `g` key-value groups, `q` query heads in each, head width `k`."""

from __future__ import annotations

from symcount.layers.dense import dropped, drops, linear, norm
from symcount.network import cached, contract, pointwise, rename, weight
from symcount.sizes import multiple, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.masks import Mask
    from symcount.polynomials import Size


def attention(x: Tensor, z: Any, *, t: Size, kv: Size | None = None, k: Size | None = None, v: Size | None = None,
              heads: Size | None = None, bias: bool | str = True, position: str | None = None,
              mask: Mask | None = None, memory: Tensor | None = None,
              normed: Callable[[Tensor, str], Tensor] | None = None, relative: Tensor | None = None,
              sinks: bool = False, gate: str = "", gate_kind: str = "sigmoid", gate_shift: bool = False,
              dropout: bool | str = False) -> Tensor:
    """output(softmax(query(x) · key(x)ᵀ / √k) · value(x)), with heads (or z.heads) query heads and kv (or all) others.

    Parameters: 2dk·heads + 2dk·kv (4d² when k = d/heads and kv = heads), and (heads + 2kv)k + d with biases.
    Multiply-adds for s tokens that attend to t: the weights times b·s, and 2b·s·t·k·heads for scores and mix.

    bias      all four maps, none, or the names of those that have one: "query key value", perhaps "gate"
    position  "rotary" turns queries and keys by their positions, "partial_rotary" some of the numbers in each head
    memory    keys and values come from these rows instead of x (axis s); then t is not read
    normed    normed(query, "query_norm") before the scores, likewise for keys: `per_head`
    v         the width of a value, where it is not k
    relative  a table over (g, …) that is added to the scores: buckets of distances
    sinks     one more score a head, which takes part in the softmax and mixes nothing in: heads parameters
    gate      what is mixed is multiplied by the sigmoid, or another kind, of a map of x: of "g q" (d·heads parameters)
              or "g q k"; gate_shift: one number a head is added to the map, heads parameters
    dropout   whether training drops out some weights of the softmax and some of the result, or which: "softmax output"

    Source: Vaswani et al. 2017, section 3.2; grouped heads: Ainslie et al. 2023, "GQA".
    """
    heads = z.heads if heads is None else heads
    kv = heads if kv is None else kv
    k = per(x.axes["d"], heads) if k is None else k
    k = multiple(k, 2) if position == "rotary" else k  # pairs of numbers are turned: Su et al. 2021, "RoFormer"
    biased = bias.split() if isinstance(bias, str) else ["query", "key", "value", "output"] if bias else []
    rows = x if memory is None else rename(memory, s="t")
    joins = {"s": ("t", t)} if memory is None else {"t": ("t", rows.axes["t"])}
    query = linear(x, "query", bias="query" in biased, g=kv, q=per(heads, kv), k=k)
    key = linear(rows, "key", bias="key" in biased, g=kv, k=k)
    if normed is not None:
        query, key = normed(query, "query_norm"), normed(key, "key_norm")
    if position is not None:
        query, key = pointwise(query, kind=position), pointwise(key, kind=position)
    key = cached(key, "key", **joins)
    value = cached(linear(rows, "value", bias="value" in biased, g=kv, k=k if v is None else v), "value", **joins)
    scores = contract(query, key, to="b g q s t", name="scores", mask=mask)
    scores = pointwise(scores, kind="attention_scale")
    if relative is not None:
        scores = pointwise(scores, relative, kind="add", name="relative")
    sink = (weight("sinks", kinds="bias", g=kv, q=per(heads, kv)),) if sinks else ()
    weights = pointwise(scores, *sink, kind="softmax")
    weights = dropped(weights, "softmax_dropout") if drops("softmax", dropout=dropout) else weights
    mixed = contract(weights, value, to="b s g q k", name="mix", mask=mask)
    if gate:
        opened = linear(x, "gate", bias="gate" in biased, **{axis: query.axes[axis] for axis in gate.split()})
        if gate_shift:
            opened = pointwise(opened, weight("gate_shift", kinds="bias", g=kv, q=per(heads, kv)), kind="bias")
        mixed = pointwise(mixed, pointwise(opened, kind=gate_kind), kind="multiply", name="gated")
    y = linear(mixed, "output", over="g q k", bias="output" in biased, d=x.axes["d"])
    return dropped(y, "output_dropout") if drops("output", dropout=dropout) else y


def per_head(x: Tensor, name: str) -> Tensor:
    """An RMSNorm over the width of a head, the same for all heads: k parameters."""
    return norm(x, name, over="k", shift=False)


def all_heads(x: Tensor, name: str) -> Tensor:
    """An RMSNorm over all heads of a token together: heads·k parameters for queries, kv·k for keys."""
    return norm(x, name, over=" ".join(axis for axis in x.axes if axis in ("g", "q", "k")), shift=False)


def each_head(x: Tensor, name: str) -> Tensor:
    """A LayerNorm over the width of a head, with a gain for each: heads·k parameters for queries, kv·k for keys."""
    gain = weight(f"{name}.weight", kinds="norm", **{axis: x.axes[axis] for axis in x.axes if axis in ("g", "q", "k")})
    return pointwise(pointwise(x, kind="layer_norm", name=name), gain, kind="multiply", name=name)
