"""Parameters: every weight once for each repetition of the scope it was made in; buffers never."""

from __future__ import annotations

from math import prod

from symcount.errors import ModelError, ShapeError
from symcount.ledger import Ledger, Term
from symcount.network import walk, weights
from symcount.readers import RELABEL, account, bounds, origin
from symcount.scopes import repeats
from symcount.sizes import letters, per, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.polynomials import Condition, Size
    from symcount.readers import Network
    from symcount.tensors import Tensor


def parameters(subject: Any) -> Ledger:
    """The parameters of a model, or of a network of tensors, as a ledger.

    A tied weight counts once, a shared scope's weights once, buffers not at all.

    >>> from symcount.layers import linear
    >>> from symcount.network import tensor
    >>> parameters(linear(tensor(b=1, d=784), "layer", h=128))
    <100,480 parameters>
    """
    return _read(subject)


def active_parameters(subject: Any) -> Ledger:
    """The parameters that one token meets: of tables behind `top`, only the K chosen rows of E."""
    return _read(subject, active=True)


def buffers(subject: Any) -> Ledger:
    """The numbers that a checkpoint holds beside the parameters: running statistics, corrections of routers.

    >>> from symcount import model, parameters
    >>> buffers(model("deepseek-v3"))
    <deepseek-v3 (DeepseekV3ForCausalLM), buffers: 14,848 elements>

    Raises ModelError for an architecture whose buffers are not written.
    """
    architecture = getattr(subject, "architecture", None)
    if architecture is not None and architecture.buffers:
        raise ModelError(f"{subject.name}: its buffers are not written: {architecture.buffers}")
    net, values, title, notes, parts = account(subject)
    terms = [Term(path, tuple(x.axes.values()), repeats(x.scope.home if x.scope else None), x.details["kinds"])
             for path, (x, *_) in weights(net).items() if x.details["stored"] == "buffer"]
    return Ledger("element", terms, values, f"{title}, buffers" if title else title,
                  ("numbers that are stored and are no parameters", *notes), _held(net, values)).where(*parts)


def _read(subject: Any, *, active: bool = False) -> Ledger:
    net, values, title, notes, parts = account(subject)
    terms = [term for _, term in each(net, chosen_rows(net) if active else {})]
    once = "tied and shared weights once, no buffers" + (", of the experts only the chosen" if active else "")
    return Ledger("parameter", terms, values, f"{title}, active" if active and title else title, (once, *notes),
                  _held(net, values)).where(*parts)


def _held(net: Network, values: Mapping[str, int]) -> tuple[Condition, ...]:
    """What must hold for the network to exist, of sizes that have a value.

    What is stored asks for no s: what is said of sizes without a value is left to the count of work.
    """
    return tuple(c for c in bounds(net) if all(name in values for side in (c.left, c.right) for name in letters(side)))


def each(net: Network, met: Mapping[str, tuple[Size, ...]] | None = None) -> list[tuple[Tensor, Term]]:
    """Every weight that is a parameter, with its term; of those in `met`, the rows that a token meets."""
    made = weights(net)
    adapted = any("adapter" in x.details["kinds"] for x, *_ in made.values())  # then all other weights are frozen
    found = []
    for path, (x, *_) in made.items():
        stored, kinds = x.details["stored"], x.details["kinds"]
        if stored == "buffer":
            continue
        kinds += ("frozen",) if stored == "frozen" or (adapted and "adapter" not in kinds) else ()
        factors = (met or {}).get(path) or tuple(x.axes.values())
        found.append((x, Term(path, factors, repeats(x.scope.home if x.scope else None), kinds)))
    return found


def chosen_rows(net: Network) -> dict[str, tuple[Size, ...]]:
    """{path of a table: what a token meets of it} for tables of which only chosen rows are used.

    The table may be renamed or merged before its rows are looked up, but not taken apart.
    """
    found: dict[str, tuple[Size, ...]] = {}
    elsewhere = set()
    for user in walk(net):
        for operand in user.inputs if user.verb not in RELABEL else ():
            x = origin(operand)
            if x.verb != "weight":
                continue
            ids = origin(user.inputs[0]) if user.verb == "lookup" and operand is user.inputs[1] else None
            if ids is None or ids.verb != "top":
                elsewhere.add(x.path)
                continue
            if not same(prod(operand.axes.values()), prod(x.axes.values())):
                raise ShapeError(f"{x.path}: rows of a part of it, {operand}, cannot be counted as chosen")
            rows, best = ids.axes[ids.details["into"]], prod(ids.axes.values())
            kept = prod(user.inputs[0].axes.values())  # of the best three, perhaps only the first
            rows = rows if same(kept, best) else per(rows * kept, best)
            met = tuple({**operand.axes, user.details["indexed"]: rows}.values())
            if not same(prod(met), prod(found.setdefault(x.path, met))):
                raise ShapeError(f"{x.path}: one use chooses {prod(found[x.path])} of it, another {prod(met)}")
    return {path: met for path, met in found.items() if path not in elsewhere}
