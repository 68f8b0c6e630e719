"""Recurrent cells: one step of a sequence after another, with the same weights."""

from __future__ import annotations

from symcount.layers.dense import linear
from symcount.network import cached, idle, pointwise, select, tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size


def lstm(x: Tensor, name: str, *, m: Size, biases: str | None = "one") -> Tensor:
    """Long short-term memory over the axis s, d inputs to m outputs: 4dm + 4m² parameters, + 4m for each bias vector.

    Keras and the textbooks have `biases="one"` vector; PyTorch and cuDNN "two", one beside each matrix.
    Multiply-adds: b·s·(4dm + 4m²). Remembered: 2bm, the state and what it is made from.

    Source: Hochreiter and Schmidhuber 1997; with a forget gate: Gers et al. 2000, "Learning to forget".
    """
    state, memory = (tensor(each, b=x.axes["b"], m=m) for each in ("state", "memory"))
    y, _, memory = within(name, _lstm_step, x, state, memory, over="s", shared=True, m=m, biases=biases)
    return idle(cached(y, f"{name}.state", s=1), cached(memory, f"{name}.memory", m=m))


def gru(x: Tensor, name: str, *, m: Size, biases: str | None = "one") -> Tensor:
    """A gated recurrent unit over the axis s, d inputs to m outputs: 3dm + 3m² parameters, + 3m for each bias vector.

    `biases`: "one" vector as in the paper, or "two" as in PyTorch, cuDNN and the default of Keras.
    Multiply-adds: b·s·(3dm + 3m²). Remembered: the state, bm.

    Source: Cho et al. 2014, "Learning phrase representations using RNN encoder-decoder", section 2.3.
    """
    state = tensor("state", b=x.axes["b"], m=m)
    y, _ = within(name, _gru_step, x, state, over="s", shared=True, m=m, biases=biases)
    return cached(y, f"{name}.state", s=1)


def _gates(x: Tensor, state: Tensor, n: int, m: Size, biases: str | None) -> tuple[list[Tensor], list[Tensor]]:
    """n gates of the input, and n of the state, each with a bias if it is to have one."""
    one = linear(x, "input", bias=biases is not None, gates=n, m=m)
    two = linear(state, "recurrent", over="m", bias=biases == "two", gates=n, m=m)
    return [select(one, "gates", i) for i in range(n)], [select(two, "gates", i) for i in range(n)]


def _lstm_step(x: Tensor, state: Tensor, memory: Tensor, *, m: Size, biases: str | None) -> tuple[Tensor, ...]:
    ones, twos = _gates(x, state, 4, m, biases)
    enter, forget, leave, new = (pointwise(pointwise(one, two, kind="add"), kind=kind) for one, two, kind in
                                 zip(ones, twos, ("sigmoid", "sigmoid", "sigmoid", "tanh"), strict=True))
    memory = pointwise(pointwise(forget, memory, kind="multiply"), pointwise(enter, new, kind="multiply"), kind="add")
    state = pointwise(leave, pointwise(memory, kind="tanh"), kind="multiply")
    return state, state, memory


def _gru_step(x: Tensor, state: Tensor, *, m: Size, biases: str | None) -> tuple[Tensor, ...]:
    (reset_x, update_x, new_x), (reset_h, update_h, new_h) = _gates(x, state, 3, m, biases)
    reset, update = (pointwise(pointwise(one, two, kind="add"), kind="sigmoid")
                     for one, two in ((reset_x, reset_h), (update_x, update_h)))
    new = pointwise(pointwise(new_x, pointwise(reset, new_h, kind="multiply"), kind="add"), kind="tanh")
    state = pointwise(new, pointwise(update, pointwise(state, new, kind="subtract"), kind="multiply"), kind="add")
    return state, state
