"""State-space mixers: a causal convolution over a few tokens, then a recurrence over all, in time linear in both.

The recurrence itself is elementwise; what it multiplies as matrices is in a scope `scan`, and is that of the reference
implementation in PyTorch.
"""

from __future__ import annotations

from symcount.layers.dense import linear, norm
from symcount.layers.feed_forward import activation
from symcount.network import (
    cached,
    concat,
    contract,
    cut,
    merge,
    pointwise,
    rename,
    repeat,
    select,
    split,
    weight,
    window,
    within,
)
from symcount.sizes import ceil, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from symcount.polynomials import Size


def causal_convolution(x: Tensor, name: str, *, over: str, w: Size, bias: bool) -> Tensor:
    """Each channel, of the axes `over`, convolved with a kernel of its own over w tokens: w parameters a channel, + 1.

    Multiply-adds: b·(s + w - 1)·w a channel, as the padding on both sides is convolved too. The last w tokens, those
    that a token is made from, are remembered.
    """
    s, channels = x.axes["s"], {axis: x.axes[axis] for axis in over.split()}
    kernel = weight(f"{name}.weight", kinds="weight kernel", out=over, **channels, w=w)
    rows = window(cached(x, name, s=w), s=("w", w), pad=w - 1)
    y, _ = cut(contract(rows, kernel, to=" ".join(x.axes), name=name), "s", s, w - 1)
    return pointwise(y, weight(f"{name}.bias", kinds="bias", **channels), kind="bias", name=name) if bias else y


def mamba(x: Tensor, *, inner: Size, state: Size, r_dt: Size, w: Size, bias: bool, conv_bias: bool,
          normed: Callable[[Tensor, str], Tensor] | None = None) -> Tensor:
    """A selective state space: its steps in time, and what enters and leaves its state, depend on the token.

    Parameters: 3d·inner for the maps in and out, w·inner for the convolution, 2inner(r_dt + state) for what is
    selected, inner(state + 3) for decay, skip and biases. `normed(y, name)` norms what is selected: the step in time,
    what enters and what leaves.

    Source: Gu and Dao 2023, "Mamba", section 3.4 and algorithm 2.
    """
    y = linear(x, "input", bias=bias, inner=inner)
    gate = pointwise(linear(x, "gate", bias=bias, inner=inner), kind="silu", name="gate_act")
    y = activation(causal_convolution(y, "convolution", over="inner", w=w, bias=conv_bias), "silu")
    time = linear(y, "time_down", over="inner", bias=False, r_dt=r_dt)
    enter = linear(y, "enter", over="inner", bias=False, state=state)
    leave = linear(y, "leave", over="inner", bias=False, state=state)
    if normed:
        time, enter, leave = normed(time, "time_norm"), normed(enter, "enter_norm"), normed(leave, "leave_norm")
    time = pointwise(linear(time, "time_up", over="r_dt", inner=inner), kind="softplus")
    decay = weight("decay", inner=inner, state=state)
    skip = weight("skip", inner=inner)
    y = pointwise(within("scan", selective_scan, y, time, enter, leave, decay), y, skip, kind="skip")
    return linear(pointwise(y, gate, kind="multiply", name="gated"), "output", over="inner", bias=bias, d=x.axes["d"])


def selective_scan(y: Tensor, time: Tensor, enter: Tensor, leave: Tensor, decay: Tensor) -> Tensor:
    """State after state, elementwise, and what leaves each: b·s·inner·state multiply-adds; the last is remembered."""
    states = pointwise(y, time, enter, decay, kind="scan", to=" ".join([*y.axes, "state"]))
    return contract(cached(states, "state", s=1), leave, to=" ".join(y.axes), name="leave")


def mamba2(x: Tensor, *, inner: Size, heads: Size, groups: Size, state: Size, w: Size, chunk: Size, bias: bool,
           conv_bias: bool, normed: bool = True, output_bias: bool | None = None) -> Tensor:
    """A state space in heads with one decay each; what enters and leaves the states is shared by the heads of a group.

    Parameters: d(3inner + 2groups·state + heads) for the maps in and out, (w + 1)(inner + 2groups·state) for the
    convolution with a bias, 3heads for decay, skip and bias of the step in time, inner for the norm. `output_bias` is
    that of the map out, where it differs.

    Source: Dao and Gu 2024, "Transformers are SSMs", sections 6 and 7.
    """
    gate = pointwise(linear(x, "gate", bias=bias, inner=inner), kind="silu", name="gate_act")
    q = per(heads, groups)

    def convolved(name: str, **out: Size) -> Tensor:
        y = linear(x, name, bias=bias, **out)
        y = causal_convolution(y, f"{name}_convolution", over=" ".join(out), w=w, bias=conv_bias)
        return activation(y, "silu", f"{name}_act")

    y = split(convolved("input", inner=inner), "inner", g=groups, q=q, k=None)
    enter = repeat(convolved("enter", g=groups, state=state), q=q)
    leave = repeat(convolved("leave", g=groups, state=state), q=q)
    time = pointwise(linear(x, "time", bias=bias, heads=heads), weight("time_bias", kinds="bias", heads=heads),
                     kind="bias", name="time_bias")
    time, decay, skip = (split(one, "heads", g=groups, q=q) for one in (
        pointwise(time, kind="softplus"), weight("decay", heads=heads), weight("skip", heads=heads)))
    y = pointwise(within("scan", chunked_scan, y, time, enter, leave, decay, chunk=chunk), y, skip, kind="skip")
    y = pointwise(merge(y, inner="g q k"), gate, kind="multiply", name="gated")
    y = norm(y, "gated_norm", over="inner", shift=False) if normed else y
    return linear(y, "output", over="inner", bias=bias if output_bias is None else output_bias, d=x.axes["d"])


def chunked_scan(y: Tensor, time: Tensor, enter: Tensor, leave: Tensor, decay: Tensor, *, chunk: Size) -> Tensor:
    """The same states by matrices: scores within each of n chunks, the last filled up, and one state from each to all.

    Multiply-adds: b·n·chunk·heads(chunk(state + k) + 2k·state) + b(n + 1)²·heads·k·state for n = ceil(s, chunk).
    Where chunk or state is 1, PyTorch multiplies element by element, and would be counted as less.
    """
    s = y.axes["s"]
    n = ceil(s, chunk)

    def chunks(x: Tensor) -> Tensor:
        return split(concat(x, zeros(x, "s", n * chunk - s), axis="s"), "s", n=n, l=chunk)

    y = chunks(pointwise(y, time, kind="multiply", name="step"))
    decay = chunks(pointwise(time, decay, kind="decay"))
    enter, leave = chunks(enter), chunks(leave)
    scores = contract(leave, rename(enter, l="i"), to="b n l i g q", name="scores")
    scores = pointwise(scores, decay, kind="decay")
    inside = contract(scores, rename(y, l="i"), to="b n l g q k", name="inside")
    states = contract(pointwise(enter, decay, kind="decay"), y, to="b n g q state k", name="states")
    states = concat(zeros(states, "n", 1), states, axis="n")  # nothing comes before the first chunk
    decay = pointwise(decay, kind="sum", to="b n g q", name="decay_sum")
    decay = concat(zeros(decay, "n", 1), decay, axis="n")
    between = pointwise(decay, rename(decay, n="j"), kind="decay", to="b n j g q", name="between")
    states = contract(between, rename(states, n="j"), to="b n g q state k", name="carry")
    states, _ = cut(cached(states, "state", n=1), "n", n, 1)  # the one after the last chunk is remembered
    outside = contract(leave, states, to="b n l g q k", name="leave")
    y = pointwise(inside, outside, kind="add", name="sum")
    return cut(merge(y, s="n l"), "s", s, n * chunk - s)[0]


def zeros(x: Tensor, axis: str, n: Size) -> Tensor:
    """n rows of zeros along an axis of x."""
    return pointwise(repeat(select(x, axis), **{axis: n}), kind="zeros")
