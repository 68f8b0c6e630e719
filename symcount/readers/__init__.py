"""Readers: functions from a network to a ledger. A reader names no layer; a new one is one more file."""

from __future__ import annotations

from symcount.errors import ModelError
from symcount.network import walk
from symcount.sizes import conditions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Any

    from symcount.polynomials import Condition
    from symcount.tensors import Tensor

    Network = Tensor | tuple[Tensor, ...]


# The verbs that change neither the numbers of a tensor nor whose they are
RELABEL = ("rename", "merge", "split", "cut", "keep", "repeat", "enter", "leave")
VIEWS = (*RELABEL, "select", "window", "idle")  # and those that make no new numbers


# Sizes of a run that few quantities read: given to another, they would change nothing
_READ_BY = {"new": "flops and macs in the phase generate", "tp": "memory, kv and activations", "pp": "memory and kv",
            "dp": "memory"}


def account(subject: Any, reads: Container[str] = (), **sizes: Any) -> tuple[
        Network, dict[str, int], str, tuple[str, ...], tuple[str, ...]]:
    """Network, values, name, conventions and chosen part of a Model, or of the tensors that a forward pass returned.

    Raises ModelError for a size of the run that was given and changes nothing, but for those that the caller `reads`.
    """
    if hasattr(subject, "network"):
        model = subject.replace(**sizes) if sizes else subject
        for size, readers in _READ_BY.items():
            if size in model.given and size not in reads:
                raise ModelError(f"{size} changes nothing of this count; it is read by {readers}")
        return model.network(), model.values, model.title, model.conventions, model.parts
    if isinstance(subject, str):
        raise ModelError(f"{subject!r} is a text; a count is of a model: model({subject!r})")
    if sizes:
        raise TypeError("sizes are given to a model; a network of tensors already has them")
    return subject, {}, "", (), ()


def written(subject: Any, what: str) -> None:
    """Raise ModelError for a model whose network leaves out elementwise operations that `what` would have to count."""
    left = getattr(getattr(subject, "architecture", None), "unwritten", "")
    if left:
        raise ModelError(f"{subject.title}: {left} is not written in its network, so {what} cannot be counted")


def trained(subject: Any, what: str) -> None:
    """Raise ModelError for a model some of whose operations run without a gradient, which its network does not say."""
    if why := getattr(getattr(subject, "architecture", None), "gradients", ""):
        raise ModelError(f"{subject.title}: {why}, so {what} cannot be counted")


def origin(x: Tensor) -> Tensor:
    """Where a tensor came from, seen through what only relabels it or takes a part."""
    while x.verb in RELABEL:
        x = x.inputs[0]
    return x


def learned(x: Tensor) -> bool:
    """Whether it is a weight, also one that was brought to a length, or rows of one: of words too."""
    x = origin(x)
    return x.verb == "weight" or (x.verb == "lookup" and learned(x.inputs[1])) or x.details.get("kind") == "weight_norm"


def chosen(x: Tensor) -> bool:
    """Whether it is rows of a weight that `top` chose, as of experts: a product reads them where they are."""
    return x.verb == "lookup" and origin(x.inputs[0]).verb == "top" and learned(x.inputs[1])


def bounds(net: Network, *, step: bool = False) -> tuple[Condition, ...]:
    """What must hold for a network, or a decoding `step` of it, to exist: exact divisions, and sizes within others."""
    found = walk(net, step=step)
    return tuple({str(c): c for x in found for size in x.axes.values() for c in conditions(size)}.values())
