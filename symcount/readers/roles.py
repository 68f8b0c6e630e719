"""What each operation of a network is to those who count work: attention, logits, experts, softmax, gates.

Read off the network alone: a product that a softmax is taken of is attention, one whose result is ranked is a router.
"""

from __future__ import annotations

from symcount.kinds import activates
from symcount.network import walk, weights
from symcount.readers import RELABEL, chosen, learned, origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from symcount.masks import Mask
    from symcount.readers import Network
    from symcount.tensors import Tensor


def products(net: Network, *, step: bool = False) -> list[tuple[Tensor, tuple[str, ...]]]:
    """Every contraction with what it is.

    First "weight" or "activation": whether an operand is learned. Then one of
    "attention" (scores, and what mixes values by them), "router", "experts", "logits", "kernel" (a convolution),
    "linear", "state" (other products of activations). Then "scores" or "mix" of the two products of attention, "biased"
    where a bias is added to a linear map, and "conv1d" where a checkpoint stores its weight [in, out], as Conv1D of
    transformers does.

    >>> from symcount.layers import linear
    >>> from symcount.network import tensor
    >>> [kinds for _, kinds in products(linear(tensor(s=2, d=3), "up", h=4))]
    [('weight', 'linear', 'biased')]
    """
    ops = walk(net, step=step)
    scored = {y.serial for x in ops if _is(x, "softmax") for y in _elementwise(x.inputs[0]) if y.verb == "contract"}
    ranked = {y.serial for x in ops if x.verb == "top" if (y := behind(x.inputs[0]))}
    biased = {x.inputs[0].serial for x in ops if operation(x) in ("bias", "conv1d bias")}
    found = []
    for x in ops:
        if x.verb == "contract":
            first = "weight" if any(map(learned, x.inputs)) else "activation"
            role = ("router" if x.serial in ranked else _of_weights(x) if first == "weight" else
                    "attention" if x.serial in scored or any(map(_weighed, x.inputs)) else "state")
            more = [("scores" if x.serial in scored else "mix")] if role == "attention" else []
            more += ["biased"] * (x.serial in biased) + ["conv1d"] * any(map(_turned, x.inputs))
            found.append((x, (first, role, *more)))
    return found


def operation(x: Tensor) -> str:
    """The name by which an elementwise operation, or a look-up, has a rate; "" for another verb.

    The kind of a `pointwise`, but: "norm bias" is the shift of a norm, "kernel bias" the bias of a convolution, "conv1d
    bias" that of a map stored [in, out], "shift" one of no product; "gate" is a product with an activation function,
    "routing" the softmax of a router, "position" the sum with a table of positions. A `lookup` in a table of words is
    "embedding", in another "lookup".
    """
    if x.verb == "lookup":
        table = origin(x.inputs[1])
        return "embedding" if table.verb == "weight" and "V" in table.axes else "lookup"
    if x.verb != "pointwise":
        return ""
    kind: str = x.details["kind"]
    others = [origin(y) for y in x.inputs[1:]]
    if kind == "bias":
        return _bias(origin(x.inputs[0]), {one for y in others if y.verb == "weight" for one in y.details["kinds"]})
    if kind == "softmax" and "E" in x.axes:
        return "routing"
    if kind == "multiply" and any(origin(y).verb == "pointwise" and activates(origin(y).details["kind"])
                                  for y in x.inputs):
        return "gate"
    if kind == "add" and any(y.verb == "weight" and "embedding" in y.details["kinds"] for y in others):
        return "position"
    return kind


def _bias(y: Tensor, kinds: set[str]) -> str:
    """What a bias of these kinds, which is added to y, is called."""
    if "norm" in kinds:
        return "norm bias"
    if y.verb != "contract":
        return "shift"
    return "conv1d bias" if "conv1d" in kinds else "kernel bias" if _of_weights(y) == "kernel" else "bias"


def behind(x: Tensor) -> Tensor | None:
    """The product that a tensor was made from element by element; None where there is none."""
    while x.verb in RELABEL or x.verb in ("pointwise", "select"):
        x = x.inputs[0]
    return x if x.verb == "contract" else None


def mask_of(x: Tensor) -> Mask | None:
    """Which (s, t) pairs of an operation count: what the product behind it says."""
    product = x if x.verb == "contract" else behind(x)
    mask: Mask | None = product.details["mask"] if product else None
    return mask


def turn(net: Network, stored: Mapping[Any, Any]) -> None:
    """Mark the weights and biases of linear maps that a checkpoint stores [in, out]: theirs has two dimensions told.

    transformers calls such a map Conv1D. A tool that counts modules by their class, or functions of torch by their
    name, does not take it for a linear layer.
    """
    turned = {path for ours, told in stored.items() if isinstance(told, tuple) and len(told[1].split()) == 2
              for path in (ours if isinstance(ours, tuple) else (ours,))}
    for path, made in weights(net).items() if turned else ():
        if path.rpartition(".")[0] in turned:
            for x in made:
                x.details["kinds"] = (*x.details["kinds"], "conv1d")


def _of_weights(x: Tensor) -> str:
    for operand in map(origin, x.inputs):
        y = origin(operand.inputs[0]) if operand.details.get("kind") == "weight_norm" else operand
        if chosen(y):
            return "experts"
        if y.verb == "weight" and "V" in x.axes and "V" in y.axes:
            return "logits"
        if y.verb == "weight" and "kernel" in y.details["kinds"]:
            return "kernel"
    return "linear"


def _turned(x: Tensor) -> bool:
    y = origin(x)
    return y.verb == "weight" and "conv1d" in y.details["kinds"]


def _weighed(x: Tensor) -> bool:
    """Whether a softmax leads to it, element by element."""
    return any(_is(y, "softmax") for y in _elementwise(x))


def _elementwise(x: Tensor) -> Iterator[Tensor]:
    todo, met = [x], set()
    while todo:
        y = todo.pop()
        if y.serial not in met:
            met.add(y.serial)
            yield y
            if y.verb in RELABEL or y.verb in ("pointwise", "concat", "select"):
                todo += y.inputs


def _is(x: Tensor, kind: str) -> bool:
    return x.verb == "pointwise" and x.details["kind"] == kind
