"""Linear attention by the gated delta rule: a state of keys and values that forgets, and corrects what it holds.

A token writes the difference between its value and what the state already answers to its key. What is multiplied as
matrices is in a scope `scan`, and is that of the reference implementation in PyTorch, over whole chunks of 64 tokens.
The triangular systems within a chunk are solved row by row, which is no product of matrices and counted as none.

Source: Yang et al. 2024, "Gated delta networks: improving Mamba2 with delta rule", section 3; the chunks: Yang et al.
2024, "Parallelizing linear transformers with the delta rule over sequence length", section 3; a decay for each channel:
Kimi Team 2025, "Kimi Linear", section 3.
"""

from __future__ import annotations

from symcount.layers.dense import linear, norm
from symcount.layers.feed_forward import activation
from symcount.layers.state_space import causal_convolution, zeros
from symcount.network import (
    cached,
    concat,
    contract,
    cut,
    idle,
    merge,
    pointwise,
    rename,
    repeat,
    select,
    split,
    weight,
    within,
)
from symcount.sizes import ceil, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size

CHUNK = 64  # tokens of a chunk, which no configuration changes


def gated_delta(x: Tensor, *, heads: Size, kv: Size, k: Size, v: Size, w: Size, gate: str = "silu") -> Tensor:
    """Queries, keys and values convolved over w tokens, then the gated delta rule, normed by head and gated.

    kv heads have queries and keys of width k, and `heads` have values of width v; each of these forgets at a rate of
    its own, and writes as much as a sigmoid says. `gate` is the function of the gate.
    Parameters: d(2k·kv + 3v·heads + 2heads) for the maps in and out, w(2k·kv + v·heads) for the convolutions, 2heads
    for decay and bias of the step in time, v for the norm.

    Source: Yang et al. 2024, "Gated delta networks", section 3.4 and figure 1.
    """
    q = per(heads, kv)
    query, key = (repeat(convolved(x, name, w=w, g=kv, k=k), q=q) for name in ("query", "key"))
    value = convolved(x, "value", w=w, g=kv, q=q, v=v)
    rate = pointwise(linear(x, "rate", bias=False, g=kv, q=q), kind="sigmoid", name="rate_act")
    time = pointwise(linear(x, "time", bias=False, g=kv, q=q), weight("time_bias", kinds="bias", g=kv, q=q),
                     kind="bias", name="time_bias")
    decay = split(weight("decay", heads=heads), "heads", g=kv, q=q)
    decay = pointwise(pointwise(time, kind="softplus"), decay, kind="decay")
    y = within("scan", chunked_delta, query, key, value, rate, decay)
    return gated_output(y, linear(x, "gate", bias=False, g=kv, q=q, v=v), gate, d=x.axes["d"])


def kimi_delta(x: Tensor, *, heads: Size, k: Size, w: Size, low: bool, bounded: bool = False) -> Tensor:
    """The same with one number of heads and one width k, and a decay for each channel of the keys.

    Parameters: 4dk·heads + d·heads for the maps in and out, 3wk·heads for the convolutions, (k + 1)heads for decay and
    bias of the step in time, k for the norm; for step in time and gate 2dk·heads, or where they are `low`, of rank k,
    2k(d + k·heads). `bounded`: the decay is a sigmoid, and not the power of a softplus.

    Source: Kimi Team 2025, "Kimi Linear: an expressive, efficient attention architecture", section 3.
    """
    def mapped(name: str, **out: Size) -> Tensor:
        if not low:
            return linear(x, name, bias=False, **out)
        return linear(linear(x, f"{name}_down", bias=False, r=k), f"{name}_up", over="r", bias=False, **out)

    query, key = (convolved(x, name, w=w, g=heads, k=k) for name in ("query", "key"))
    value = convolved(x, "value", w=w, g=heads, v=k)
    time = pointwise(mapped("time", g=heads, k=k), weight("time_bias", kinds="bias", g=heads, k=k), kind="bias",
                     name="time_bias")
    decay = weight("decay", g=heads)
    decay = (pointwise(pointwise(time, decay, kind="decay"), kind="sigmoid", name="decay_act") if bounded else
             pointwise(pointwise(time, kind="softplus"), decay, kind="decay"))
    rate = pointwise(linear(x, "rate", bias=False, g=heads), kind="sigmoid", name="rate_act")
    y = within("scan", chunked_kimi, query, key, value, rate, decay)
    return gated_output(y, mapped("gate", g=heads, v=k), "sigmoid", d=x.axes["d"])


def convolved(x: Tensor, name: str, *, w: Size, **out: Size) -> Tensor:
    """A map, each of whose channels is convolved over w tokens: (d + w)·out parameters."""
    y = linear(x, name, bias=False, **out)
    y = causal_convolution(y, f"{name}_convolution", over=" ".join(out), w=w, bias=False)
    return activation(y, "silu", f"{name}_act")


def gated_output(y: Tensor, gate: Tensor, kind: str, *, d: Size) -> Tensor:
    """The heads, each normed by one RMSNorm over its width v and gated, and the map out: v + d·v·heads parameters."""
    y = norm(y, "gated_norm", over="v", shift=False)
    y = pointwise(y, pointwise(gate, kind=kind, name="gate_act"), kind="multiply", name="gated")
    return linear(y, "output", over=" ".join(axis for axis in gate.axes if axis in ("g", "q", "v")), bias=False, d=d)


def chunked_delta(query: Tensor, key: Tensor, value: Tensor, rate: Tensor, decay: Tensor) -> Tensor:
    """The delta rule in n = ceil(s, c) chunks of c = 64 tokens, the last filled up, with one decay a head.

    Multiply-adds: b·n·c·heads(c(2k + v) + 3k·v). Where a width is 1, PyTorch multiplies element by element, and would
    be counted as less.
    """
    s = value.axes["s"]
    query, key, value, rate, decay = map(chunks, (*units(query, key), value, rate, decay))
    value, written = (pointwise(one, rate, kind="multiply", name="written") for one in (value, key))
    to = " ".join([*(axis for axis in value.axes if axis not in ("i", "v")), "i", "j"])
    system, scores = (pointwise(contract(one, rename(key, i="j"), to=to, name=name), decay, kind="decay")
                      for one, name in ((written, "system"), (query, "scores")))
    value = pointwise(value, system, kind="solve", to=" ".join(value.axes))
    reads = pointwise(pointwise(written, decay, kind="decay"), system, kind="solve", to=" ".join(written.axes))
    return from_chunk_to_chunk(query, key, value, reads, scores, decay, s=s)


def chunked_kimi(query: Tensor, key: Tensor, value: Tensor, rate: Tensor, decay: Tensor) -> Tensor:
    """The same with one decay a channel, where scores are no product of matrices.

    Multiply-adds: b·n·c·heads(c(k + 2v) + 3k·v).
    """
    s = value.axes["s"]
    query, key, value, rate, decay = map(chunks, (*units(query, key), value, rate, decay))
    value, written = (pointwise(one, rate, kind="multiply", name="written") for one in (value, key))
    system, scores = (pointwise(one, rename(key, i="j"), decay, rename(decay, i="j"), kind="decayed_product",
                                to="b n g i j", name=name) for one, name in ((written, "system"), (query, "scores")))
    inverse = pointwise(system, kind="solve")
    written = pointwise(written, decay, kind="decay")
    value, reads = (contract(inverse, rename(one, i="j"), to=" ".join(one.axes), name=name)
                    for one, name in ((value, "values"), (written, "reads")))
    return from_chunk_to_chunk(query, key, value, reads, scores, decay, s=s)


def units(query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """Queries and keys of length 1, the former over √k."""
    query, key = (pointwise(one, kind="normalise") for one in (query, key))
    return pointwise(query, kind="attention_scale"), key


def chunks(x: Tensor) -> Tensor:
    """The rows of x, filled up with zeros, as n chunks of i = 64."""
    s, n = x.axes["s"], ceil(x.axes["s"], CHUNK)
    return split(concat(x, zeros(x, "s", n * CHUNK - s), axis="s"), "s", n=n, i=CHUNK)


def from_chunk_to_chunk(query: Tensor, key: Tensor, value: Tensor, reads: Tensor, scores: Tensor, decay: Tensor, *,
                        s: Size) -> Tensor:
    """What each chunk reads of the state before it, and adds to it: the first s rows of all.

    Multiply-adds: b·n·c·heads(c·v + 3k·v). The last state, k·v numbers a head, is remembered.
    """
    query, key = (pointwise(one, decay, kind="decay") for one in (query, key))
    decay = pointwise(decay, kind="sum", to=" ".join(axis for axis in decay.axes if axis != "i"))
    to = " ".join([*(axis for axis in value.axes if axis not in ("n", "i", "v")), "k", "v"])
    state = pointwise(*(select(select(one, "n"), "i") for one in (key, value)), kind="zeros", to=to, name="state")
    y, state, *_ = within("chunks", next_chunk, value, state, query, key, reads, scores, decay, over="n")
    n = y.axes["n"]
    y = merge(y, s="n i")
    return cut(idle(y, cached(state, "state", k=key.axes["k"])), "s", s, n * CHUNK - s)[0]


def next_chunk(value: Tensor, state: Tensor, query: Tensor, key: Tensor, reads: Tensor, scores: Tensor,
               decay: Tensor) -> tuple[Tensor, ...]:
    """What leaves a chunk and the state after it; the rest as it was given, as a loop needs it."""
    to = " ".join(value.axes)
    new = pointwise(value, contract(reads, state, to=to, name="held"), kind="subtract", name="new")
    before = contract(query, state, to=to, name="before")
    y = pointwise(before, contract(scores, rename(new, i="j"), to=to, name="inside"), kind="add", name="sum")
    added = contract(key, new, to=" ".join(state.axes), name="added")
    state = pointwise(pointwise(state, decay, kind="decay"), added, kind="add", name="state")
    return y, state, query, key, reads, scores, decay
