"""Parameters: every weight once for each repetition of the scope it was made in; buffers never."""

from __future__ import annotations

from symcount.ledger import Ledger, Term
from symcount.network import Tensor, walk, weights
from symcount.readers import account, bounds, repeats
from symcount.sizes import letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parameters(subject: Any) -> Ledger:
    """The parameters of a model, or of a network of tensors, as a ledger.

    A tied weight counts once, a shared scope's weights once, buffers not at all.

    >>> from symcount.layers import linear
    >>> from symcount.network import tensor
    >>> parameters(linear(tensor(b=1, d=784), "layer", h=128))
    <100,480 parameters>
    """
    return _read(subject, {})


def active_parameters(subject: Any) -> Ledger:
    """The parameters that one token meets: of tables behind `top`, only the K chosen rows of E."""
    net = account(subject)[0]
    users: dict[int, list[Tensor]] = {}
    for x in walk(net):
        for operand in x.inputs:
            users.setdefault(operand.serial, []).append(x)
    chosen = {}
    for made in weights(net).values():
        uses = [user for x in made for user in users.get(x.serial, [])]
        if uses and all(_by_choice(user) for user in uses):
            axis = uses[0].details["indexed"]
            size = next(x for x in walk(uses[0].inputs[0]) if x.verb == "top")
            chosen[made[0].path] = (axis, size.axes[size.details["into"]])
    return _read(subject, chosen, active=True)


def _read(subject: Any, chosen: dict[str, tuple[str, Any]], *, active: bool = False) -> Ledger:
    net, values, title, notes, parts = account(subject)
    made = weights(net)
    adapted = any("adapter" in x.details["kinds"] for x, *_ in made.values())  # then all other weights are frozen
    terms = []
    for path, (x, *_) in made.items():
        stored, kinds = x.details["stored"], x.details["kinds"]
        if stored == "buffer":
            continue
        kinds += ("frozen",) if stored == "frozen" or (adapted and "adapter" not in kinds) else ()
        axis, rows = chosen.get(path, ("", 0))
        factors = tuple(rows if name == axis else size for name, size in x.axes.items())
        terms.append(Term(path, factors, repeats(x.scope.home if x.scope else None), kinds))
    once = "tied and shared weights once, no buffers" + (", of the experts only the chosen" if active else "")
    # A count of weights asks for no s: what is said of sizes without a value is left to the count of work.
    held = tuple(c for c in bounds(net) if all(name in values for side in (c.left, c.right) for name in letters(side)))
    ledger = Ledger("parameter", terms, values, title, (once, *notes), held)
    for part in parts:
        ledger = ledger.where(part)
    return ledger


def _by_choice(user: Tensor) -> bool:
    """Whether a look-up takes the rows that `top` chose, seen through relabelling only."""
    if user.verb != "lookup":
        return False
    ids = user.inputs[0]
    while ids.verb in ("rename", "merge", "split", "enter", "leave"):
        ids = ids.inputs[0]
    return ids.verb == "top"
