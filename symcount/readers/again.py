"""What a backward pass makes again instead of keeping it: attention between scores and values, or whole layers."""

from __future__ import annotations

from symcount.errors import ModelError
from symcount.readers import VIEWS
from symcount.readers.distinct import loops, owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.scopes import Scope
    from symcount.tensors import Tensor

NORMS = ("batch_norm", "group_norm", "layer_norm", "normalise", "response_norm", "rms", "rms_norm")


def is_weight(x: Tensor) -> bool:
    """Whether x is a weight, a part of one, or the rows of one that `top` chose; words that were looked up are none."""
    x = owner(x)
    return x.verb == "weight" or (x.verb == "lookup" and owner(x.inputs[0]).verb == "top" and is_weight(x.inputs[1]))


def attention(ops: list[Tensor]) -> tuple[set[Tensor], dict[Tensor, tuple[str, ...]]]:
    """All operations from the products that give scores to those with values, and {softmax: the axes it sums over}.

    Scores are products of two activations that come to a softmax; what that gives is a factor of such a product again.
    """
    users: dict[Tensor, list[Tensor]] = {}
    scores: set[Tensor] = set()
    for x in ops:
        for operand in x.inputs:
            users.setdefault(operand, []).append(x)
        if _product(x) or (_passes(x) and any(operand in scores for operand in x.inputs)):
            scores.add(x)
    found: set[Tensor] = set()
    over: dict[Tensor, tuple[str, ...]] = {}
    for x in ops:
        if x.details.get("kind") != "softmax" or not any(operand in scores for operand in x.inputs):
            continue
        seen, mixes, todo = {x}, [], [x]
        while todo:
            for user in users.get(todo.pop(), ()):
                if _product(user):
                    mixes.append(user)
                elif _passes(user) and user not in seen:
                    seen.add(user)
                    todo.append(user)
        if mixes:
            found |= {x, *mixes, *_behind(x, scores), *(way for mix in mixes for way in _behind(mix, seen))}
            over[x] = tuple(axis for axis in x.axes if axis not in mixes[0].axes)
    return found, over


def _behind(x: Tensor, among: set[Tensor]) -> set[Tensor]:
    """What x was made from, as far as it is among these."""
    found: set[Tensor] = set()
    todo = [x]
    while todo:
        new = {operand for operand in todo.pop().inputs if operand in among and operand not in found}
        found |= new
        todo += new
    return found


def _product(x: Tensor) -> bool:
    return x.verb == "contract" and not any(is_weight(operand) for operand in x.inputs)


def _passes(x: Tensor) -> bool:
    """Whether scores stay scores: through all but maps, norms, another softmax, and the bounds of a scope."""
    kind = x.details.get("kind")
    return (x.verb in VIEWS and x.verb not in ("enter", "leave")) or x.verb == "concat" or (
        x.verb == "pointwise" and kind != "softmax" and kind not in NORMS)


def layers(ops: list[Tensor], title: str) -> set[Tensor]:
    """All operations of repeated parts; what runs step by step along an axis is none.

    Raises ModelError where there are none.
    """
    steps = {x.scope for x in ops if x.verb == "enter" and len(x.axes) < len(x.inputs[0].axes)}
    found = set()
    for x in ops:
        around: list[Scope] = [scope for scope in loops(x.scope) if scope not in steps]
        if around and not (x.verb == "enter" and x.scope is around[0]):  # what comes in is not made there
            found.add(x)
    if not found:
        raise ModelError(f"{title or 'the network'}: keep = full: no part of it is repeated, so none could run again")
    return found
