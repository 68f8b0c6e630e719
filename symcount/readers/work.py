"""Work: multiply-adds of every contraction, and FLOPs under a named convention."""

from __future__ import annotations

from symcount.conventions import Convention, convention
from symcount.errors import ModelError
from symcount.ledger import Ledger, Term
from symcount.masks import pairs
from symcount.network import walk
from symcount.readers import account, bounds, learned, repeats
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def multiply_adds(subject: Any, convention: str | Convention = "matmul", **sizes: Any) -> Ledger:
    """The multiply-adds of one forward pass: for every contraction the product of all its axes.

    >>> from symcount.layers import linear
    >>> from symcount.network import tensor
    >>> multiply_adds(linear(tensor(b=64, d=784), "layer", h=128))
    <6,422,528 multiply-adds>
    """
    return _read(subject, "multiply-add", convention, sizes)


def flops(subject: Any, convention: str | Convention = "matmul", phase: str = "forward", **sizes: Any) -> Ledger:
    """The FLOPs of one forward pass; the convention says how many a multiply-add is, and which count.

    >>> from symcount.layers import linear
    >>> from symcount.network import tensor
    >>> flops(linear(tensor(b=64, d=784), "layer", h=128))
    <12,845,056 FLOPs>

    Raises ModelError for an unknown convention or phase.
    """
    known_phase(phase)
    return _read(subject, "FLOP", convention, sizes)


def known_phase(phase: str) -> None:
    """Raise ModelError for a phase that there is not."""
    if phase != "forward":
        raise ModelError(f"unknown phase '{phase}'; known: forward")


def _read(subject: Any, unit: str, name: str | Convention, sizes: dict[str, Any]) -> Ledger:
    rule = convention(name)
    net, values, title, notes, parts = account(subject, **sizes)
    scale = (rule.flops,) if unit == "FLOP" else ()
    terms = [Term(x.path, scale + _factors(x, rule), repeats(x.scope), _kinds(x))
             for x in walk(net) if x.verb == "contract"]
    says = f"{rule.flops} FLOPs a multiply-add, {rule.says}" if unit == "FLOP" else rule.says
    ledger = Ledger(unit, terms, values, title, (f"{rule.name}: {says}", *notes), bounds(net))
    for part in parts:
        ledger = ledger.where(part)
    return ledger


def _factors(x: Tensor, rule: Convention) -> tuple[Size, ...]:
    axes: dict[str, Size] = dict(x.details["all"])
    mask = x.details["mask"]
    if mask is None or rule.full or not {"s", "t"} <= axes.keys():
        return tuple(axes.values())
    s, t = axes.pop("s"), axes.pop("t")
    return (*axes.values(), pairs(mask, s, t))


def _kinds(x: Tensor) -> tuple[str, ...]:
    """A product with a weight, or of two activations (scores)."""
    return ("weight",) if any(learned(operand) for operand in x.inputs) else ("activation",)
