"""Which tensors of a network are one in memory, and how often each is made.

What relabels a tensor or takes a part of it makes no new one, and a part keeps the whole alive. A repeated scope is
given, in its first run, what came in, and in each later run what the run before it returned: n runs know n + 1 values
of it, of which the last comes out.
"""

from __future__ import annotations

from itertools import product

from symcount.errors import ModelError
from symcount.readers import VIEWS
from symcount.scopes import repeats
from symcount.sizes import bounded, conditions, is_one, noted, rest, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from symcount.polynomials import Condition, Size
    from symcount.scopes import Scope
    from symcount.tensors import Tensor

    Runs = tuple[tuple[str, Size], ...]


def owner(x: Tensor, inside: Scope | None = None) -> Tensor:
    """The tensor in whose memory x is; `inside` a repeated scope, what it is given is of no other.

    >>> from symcount.network import cut, rename, tensor
    >>> owner(cut(rename(tensor(s=2, d=3), d="c"), "c", 1, 2)[0])
    x[s=2 d=3]
    """
    while not (x.verb == "enter" and inside and x.scope is inside and x.details.get("loop")):
        if x.verb == "cached":  # where nothing was remembered, the rows are the rows
            if not same(x.axes[x.details["into"]], x.inputs[0].axes[x.details["axis"]]):
                return x
        elif x.verb not in VIEWS:
            return x
        elif x.verb in ("enter", "leave") and x.details.get("loop") and not _steps(x):
            entered, returned = _ends(x)
            if not nowhere(entered.scope) and owner(returned, entered.scope) is not entered:
                return x
            x = entered  # handed on as it came, or in no run
        x = x.inputs[0]
    return x


def loops(scope: Scope | None) -> tuple[Scope, ...]:
    """The scopes around that run more than once, or as often as a letter says."""
    return tuple(one for one in (scope.chain() if scope else ()) if not is_one(one.runs))


def nowhere(scope: Scope | None) -> bool:
    """Whether a scope around never runs."""
    return any(isinstance(one.runs, int) and one.runs == 0 for one in loops(scope))


def runs_at_least(n: int, scopes: Iterable[Scope]) -> tuple[Condition, ...]:
    """That these scopes run so often; of one that never does, nothing is counted."""
    return tuple(condition for one in scopes if not nowhere(one) for condition in conditions(bounded(n, one.runs)))


def but_first(scopes: Runs) -> Runs:
    """The same without the first run of the innermost scope that repeats."""
    last = max(i for i, (_, runs) in enumerate(scopes) if not is_one(runs))
    return tuple((path, rest(runs, 1) if i == last else runs) for i, (path, runs) in enumerate(scopes))


def distinct(kept: Iterable[Tensor], late: Container[Tensor] = ()) -> tuple[dict[Tensor, list[Runs]],
                                                                           tuple[Condition, ...]]:
    """{owner: the scopes that it repeats in}, perhaps in several terms, for owners that are kept, each value once.

    `late`: those that the first run of a loop does not keep. What must hold for the count is returned with it.
    """
    wanted = [*dict.fromkeys(kept)]
    asked, askers = _asked(wanted, late, set())
    plain = {x for x in wanted if x.verb == "enter" and x not in late and _plain(x, askers)}
    asked, askers = _asked(wanted, late, plain)
    found: dict[Tensor, list[Runs]] = {}
    held: list[Condition] = []
    for x, patterns in sorted(asked.items(), key=lambda pair: pair[0].serial):
        if x in late and askers[x] != {None}:
            held += runs_at_least(2, loops(x.scope)[-1:])
        for asker in askers[x]:  # perhaps a loop within others that x is outside of: if they run
            around = loops(asker.scope)[:-1] if asker else ()
            held += runs_at_least(1, (one for one in around if one not in loops(x.scope)))
        if x.verb in ("enter", "leave"):
            entered, _ = _ends(x)
            if entered not in plain:
                held += () if _zero(entered, asked, askers) else runs_at_least(1, loops(entered.scope)[-1:])
                continue
        found[x] = [tuple(one) for one in _counts(patterns, [*repeats(x.scope)])]
    return found, tuple(held)


def _asked(wanted: Iterable[Tensor], late: Container[Tensor], plain: Container[Tensor]) -> tuple[
        dict[Tensor, set[str]], dict[Tensor, set[Tensor | None]]]:
    """{owner: in which runs}, and {owner: for whom}: for an operation (None), or for what a loop is given or gives.

    A run of each scope around is its first, F, its last, Z, or one between, M. What a loop is given came from outside
    in F; in M and Z it is what F and M returned; what it gives, Z returned. `plain` loops stand for themselves.
    """
    asked: dict[Tensor, set[str]] = {}
    askers: dict[Tensor, set[Tensor | None]] = {}
    todo: list[tuple[Tensor, set[str], Tensor | None]] = [
        (x, {p for p in _all(len(loops(x.scope))) if x not in late or p[-1] != "F"}, None) for x in wanted]
    while todo:
        x, patterns, asker = todo.pop()
        askers.setdefault(x, set()).add(asker)
        new = patterns - asked.setdefault(x, set())
        asked[x] |= new
        if x.verb not in ("enter", "leave") or not new:
            continue
        entered, returned = _ends(x)
        made, first, around = _made(entered, returned), owner(entered.inputs[0]), loops(entered.scope)
        if entered in plain:
            continue
        if x is entered:
            outside = {p[:-1] for p in new if p[-1] == "F"}
            earlier = {p[:-1] + c for p in new if p[-1] != "F" for c in "FM"}
            if first.verb != "weight" and outside:
                todo.append((first, _fitted(outside, around[:-1], first), x))
            if earlier:
                todo.append((made, _fitted(earlier, around, made), x))
        else:
            todo.append((made, _fitted({p + "Z" for p in new}, around, made), x))
    return asked, askers


def _plain(entered: Tensor, askers: dict[Tensor, set[Tensor | None]]) -> bool:
    """Whether only this loop keeps what comes in, and nothing what it makes of it: then n runs keep n values."""
    made, first = owner(_ends(entered)[1]), owner(entered.inputs[0])
    if first.verb in ("enter", "weight") or loops(first.scope) != loops(entered.scope)[:-1]:
        return False
    if askers[first] != {entered} or any(x is None or _ends(x)[0] is not entered for x in askers.get(made, ())):
        return False
    if first.verb != "leave":
        return True
    others = askers.get(owner(_ends(first)[1]), set()) - {first}  # of the loop before, whose last value comes in here
    return not any(x is None or x.verb == "leave" for x in others)


def _zero(entered: Tensor, asked: dict[Tensor, set[str]], askers: dict[Tensor, set[Tensor | None]]) -> bool:
    """Whether the count is right also if the loop does not run, and what comes out is what came in."""
    made, first = owner(_ends(entered)[1]), owner(entered.inputs[0])
    last, patterns = len(loops(entered.scope)) - 1, asked.get(made, set())
    full = all(p[:last] + c + p[last + 1:] in patterns for p in patterns for c in "FMZ")
    leaves = any(x is not None and x.verb == "leave" and _ends(x)[0] is entered for x in askers.get(made, ()))
    return full and (first in asked if leaves else askers.get(first) != {entered})


def _counts(patterns: set[str], scopes: list[tuple[str, Size]], at: int = 0) -> list[list[tuple[str, Size]]]:
    """The scopes with the number of runs that these patterns are, as few terms as may be."""
    at = next((i for i in range(at, len(scopes)) if not is_one(scopes[i][1])), len(scopes))
    if at == len(scopes):
        return [scopes]
    by: dict[str, set[str]] = {c: {p[1:] for p in patterns if p[0] == c} for c in "FMZ"}
    groups: dict[frozenset[str], str] = {}
    for c, inner in by.items():
        if inner:
            groups[frozenset(inner)] = groups.get(frozenset(inner), "") + c
    path, runs = scopes[at]
    found = []
    for more, classes in groups.items():
        times = (runs if classes == "FMZ" else rest(runs, 1) if classes in ("FM", "MZ") else
                 rest(runs, 2) if classes == "M" else noted(2, *conditions(bounded(2, runs))) if classes == "FZ" else 1)
        found += _counts({*more}, [*scopes[:at], (path, times), *scopes[at + 1:]], at + 1)
    return found


def _fitted(patterns: set[str], scopes: tuple[Scope, ...], x: Tensor) -> set[str]:
    """Patterns of runs of these scopes as patterns of those around x: made further out, or step by step."""
    own = loops(x.scope)
    shared = 0
    while shared < min(len(scopes), len(own)) and scopes[shared] is own[shared]:
        shared += 1
    return {p[:shared] + more for p in patterns for more in _all(len(own) - shared)}


def _all(depth: int) -> list[str]:
    """All patterns of so many scopes."""
    return ["".join(p) for p in product("FMZ", repeat=depth)]


def _made(entered: Tensor, returned: Tensor) -> Tensor:
    """What each run makes in the place of what it is given.

    Raises ModelError where a run hands on what came in elsewhere.
    """
    made = owner(returned, entered.scope)
    around = loops(entered.scope)
    if (made.verb == "enter" and made.scope is entered.scope) or loops(made.scope)[:len(around)] != around:
        raise ModelError(f"{entered.path}: it is repeated, and returns {made}, which it did not make: what is kept of "
                         "that is not counted")
    return owner(returned)


def _steps(x: Tensor) -> bool:
    """Whether x puts together what each step along an axis returned."""
    return x.verb == "leave" and len(x.axes) > len(x.inputs[0].axes)


def _ends(x: Tensor) -> tuple[Tensor, Tensor]:
    """What a repeated scope is given in the place of x, and what it returns there."""
    other, = x.details["loop"]
    return (x, other) if x.verb == "enter" else (other, x.inputs[0])
