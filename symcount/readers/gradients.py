"""What a backward pass goes through: all that a trained weight has part in."""

from __future__ import annotations

from symcount.readers.distinct import nowhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from symcount.scopes import Scope
    from symcount.tensors import Tensor


def with_gradient(ops: list[Tensor], first: Container[Scope | None] = (),
                  before: Container[Tensor] = ()) -> set[Tensor]:
    """All that a trained weight has part in, perhaps in an earlier run of the same part.

    In the `first` run of some scopes there is no earlier run; in their second, it had gradients of what is in `before`.
    """
    users: dict[Tensor, list[Tensor]] = {}
    made = [x for x in ops if x.verb == "weight" and x.details["stored"] == "parameter"]
    adapters = [x for x in made if "adapter" in x.details["kinds"]]  # with them, all other weights are frozen
    for x in ops:
        for operand in _sources(x, first, before):
            users.setdefault(operand, []).append(x)
    found, todo = set(adapters or made), [*(adapters or made)]
    while todo:
        for user in users.get(todo.pop(), ()):
            if user not in found:
                found.add(user)
                todo.append(user)
    return found & _read(ops)


def _read(ops: list[Tensor]) -> set[Tensor]:
    """All that a result depends on: not what runs beside it and is not read (`idle`), nor what zeros are shaped as."""
    if not any(x.verb == "idle" or x.details.get("kind") == "zeros" for x in ops):
        return set(ops)
    inside = {operand for x in ops for operand in (*x.inputs, *x.details.get("loop", ()))}
    found = {x for x in ops if x not in inside}  # the results
    todo = list(found)
    while todo:
        x = todo.pop()
        for operand in _operands(x):
            if operand not in found:
                found.add(operand)
                todo.append(operand)
    return found


def _operands(x: Tensor) -> tuple[Tensor, ...]:
    """What an operation, or an earlier run of it, depends on."""
    if x.verb == "idle":
        return x.inputs[:1]
    return () if x.details.get("kind") == "zeros" else (*x.inputs, *x.details.get("loop", ()))


def handed(ops: list[Tensor]) -> dict[Scope | None, list[Tensor]]:
    """{repeated scope: what it is given, and returns for its next run}."""
    found: dict[Scope | None, list[Tensor]] = {}
    for x in ops:
        if x.verb == "enter" and "loop" in x.details:
            found.setdefault(x.scope, []).append(x)
    return found


def _sources(x: Tensor, first: Container[Scope | None], before: Container[Tensor]) -> tuple[Tensor, ...]:
    """What x may have a gradient by: of a look-up the table; of what is given to a loop, what the last run returned."""
    if x.verb == "lookup":
        return x.inputs[1:]
    if x.details.get("kind") == "zeros":  # which are the same whatever they were made like
        return ()
    earlier = x.details.get("loop", ())
    if x.verb == "enter":
        return (*x.inputs, *(one for one in earlier if x.scope not in first or one in before))
    return tuple(one.inputs[0] for one in earlier) if earlier and nowhere(earlier[0].scope) else x.inputs
