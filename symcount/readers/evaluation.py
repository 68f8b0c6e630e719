"""Evaluation: the same forward pass on actual numbers, exact or floating, with every intermediate kept."""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction
from itertools import groupby
from math import prod
from numbers import Rational, Real

from symcount import network
from symcount.errors import ModelError, ShapeError, SizeError, SymcountError, clipped, nearest
from symcount.functions import FUNCTIONS
from symcount.masks import pairs
from symcount.readers import RELABEL, account, bounds, repeats
from symcount.sizes import check, letters, same, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from symcount.functions import Function
    from symcount.tensors import Tensor

# path: where; what: the verb, or the kind of a `pointwise`; at: the path with the numbers of repetitions
Step = namedtuple("Step", "path what value axes at")
UNNAMED = (*RELABEL, "select", "concat", "top", "window", "idle")  # these bear the name of their operand
MASKED = float("-inf")  # the score of a pair that does not count, among fractions too
# kind: how operands are combined, and what becomes of axes that `to` leaves out
KINDS: dict[str, tuple[Callable[..., Any], str]] = {
    "bias": (sum, ""), "add": (sum, ""), "multiply": (prod, ""), "dropout": (sum, ""),
    "sum": (sum, "sum"), "weighted sum": (prod, "sum"), "mean": (sum, "mean")}


def evaluate(subject: Any, /, *, weights: Mapping[str, Any] | Callable[[str, tuple[int, ...]], Any] | None = None,
             functions: Mapping[str, Callable[..., Any]] | None = None, **inputs: Any) -> Run:
    """The forward pass of a model, or of the tensors that one returned, run on numbers.

    `inputs` are arrays by the name of the input; sizes that nothing else tells, as b and s, are read off them.
    `weights` are arrays by path, in-axes before out-axes, behind one more axis for each repeated scope that makes them
    anew; or a function of path and run, (2,) being the third. Rows that a `cached` remembers are given likewise.
    `functions` are meanings of kinds of `pointwise` that have none here, or another: {"rotary": f}, f of arrays.
    If all numbers are ints and Fractions, the run is exact; if one is a float, all are. Dropout does nothing.

    >>> from symcount import evaluate, model
    >>> run = evaluate(model("mlp:2-2-1"), x=[[0, 2]], weights={"layer1.weight": [[1, 2], [-1, 1]],
    ...     "layer1.bias": [0, 1], "layer2.weight": [[2], [1]], "layer2.bias": [-1]})
    >>> print(run)
    mlp:2-2-1: exact
      x            input     [[0, 2]]
      layer1       contract  [[-2, 2]]
      layer1       bias      [[-2, 3]]
      activation1  relu      [[0, 3]]
      layer2       contract  [[3]]
      layer2       bias      [[2]]
    >>> run["layer1"].tolist(), run["layer1", "contract"].tolist(), run.result.tolist()
    ([[-2, 3]], [[-2, 2]], [[2]])

    Raises SizeError for a size without a value, ShapeError for an array of another shape, ModelError for what is
    missing, unknown or without meaning, SymcountError for what is not rational in an exact run, and without NumPy.
    """
    try:
        import numpy as np
    except ImportError:
        raise SymcountError("evaluate needs NumPy: pip install 'symcount[evaluate]'") from None
    net, sizes, title, _, parts = account(subject)
    if parts:
        raise ModelError(f"{title}: a part does not run by itself; evaluate the whole model and read run[path]")
    ops = network.walk(net)
    _known("function", functions or {}, {op.details["kind"] for op in ops if op.verb == "pointwise"})
    given, values = _inputs(np, ops, inputs, {n: size for n, size in sizes.items() if n != "b" or n in subject.given})
    for condition in bounds(net):
        check(condition, values)
    network.weights(net)  # refuses two of one path
    now = _Pass(np, ops, values, given | _weights(np, ops, values, weights or {}), functions or {})
    now.run(ops, 0)
    result = tuple(now.made[x] for x in net) if isinstance(net, tuple) else now.made[net]
    return Run(title or "network", now.steps, result, exact=now.exact)


class Run:
    """What a forward pass made of its numbers; printed, a trace of what was computed.

    `result` is an array, or a tuple of them where the network returns one; `exact` says whether of fractions; `steps`
    are all (path, what, value, axes, at) in the order of making. `run[path]` is the last array of this name, and
    `run[path, what]` the last that this verb or kind made there: run["up"] = xW + b, run["up", "contract"] = xW.
    Of a repeated part that is the last run, layers.mlp.up; a number asks for any, layers.0.mlp.up.
    """

    def __init__(self, title: str, steps: list[Step], result: Any, *, exact: bool) -> None:
        self.title, self.steps, self.result, self.exact = title, steps, result, exact

    def __getitem__(self, key: str | tuple[str, str]) -> Any:
        path, what = (key, "") if isinstance(key, str) else key
        there = [step for step in self.steps if path in (step.path, step.at)]
        found = [step for step in there if step.what == what or (not what and step.what not in UNNAMED)]
        if not found:
            known = {x.what for x in there} or {x.path for x in self.steps}
            raise ModelError(f"run[{key!r}]: nothing was made there; {nearest(what if there else path, known)}")
        return found[-1].value

    def __repr__(self) -> str:
        rows = [(x.at, x.what, _text(x.value.tolist()) if x.value.size <= 24 else _shown(zip(
            x.axes, x.value.shape, strict=True))) for x in self.steps if x.what not in (*RELABEL, "weight")]
        one, two = (max((len(row[i]) for row in rows), default=0) for i in range(2))
        return "\n".join([f"{self.title}: {'exact' if self.exact else 'floats'}",
                          *(f"  {at:{one}}  {what:{two}}  {text}" for at, what, text in rows)])


def _text(rows: Any) -> str:
    if isinstance(rows, list):
        return f"[{', '.join(map(_text, rows))}]"
    return f"{rows:.6g}" if isinstance(rows, float) else str(rows)


def _array(np: Any, where: str, given: Any) -> Any:
    try:
        found = np.asarray(given) if hasattr(given, "__array__") else np.array(given, dtype=object)
    except ValueError:
        raise ShapeError(f"{where}: the rows are of unequal length") from None
    if found.dtype.kind == "f":
        return found.astype(float)
    for x in (found := found.astype(object)).flat:
        if not isinstance(x, Real):
            raise ShapeError(f"{where}: {clipped(repr(x))} is no int, Fraction or float, in rows of equal length")
    return found if all(isinstance(x, Rational) for x in found.flat) else found.astype(float)


def _fitting(where: str, array: Any, sizes: list[tuple[str, int]]) -> Any:
    if array.shape != tuple(n for _, n in sizes):
        raise ShapeError(f"{where}: an array {_shown(sizes)} is needed, not one of shape {array.shape}")
    return array


def _known(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in (names := {*known}):
            raise ModelError(f"the network has no {what} '{name}'; {nearest(name, names)}")


def _sizes(op: Tensor, values: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(axis, value(n, values)) for axis, n in op.axes.items()]


def _shown(sizes: Iterable[tuple[str, int]]) -> str:
    return f"[{' '.join(f'{axis}={n}' for axis, n in sizes)}]"


def _inputs(np: Any, ops: list[Tensor], given: Mapping[str, Any], told: dict[str, int]) -> tuple[Any, dict[str, int]]:
    """{input: array}, and the value of every letter: what the model tells, else the shapes do, else b = 1."""
    entries, values = [op for op in ops if op.verb == "input"], dict(told)
    found: dict[Any, Any] = {}
    _known("input", given, [op.name for op in entries])
    for op in entries:
        axes = f"an array of the axes {' '.join(op.axes)}"
        if op.name in {x.name for x in found}:
            raise ShapeError(f"two inputs are named '{op.name}': name them apart")
        if op.name not in given:
            raise ModelError(f"the input '{op.name}' is missing: {op.name}=…, {axes}")
        found[op] = _array(np, op.name, given[op.name])
        if found[op].ndim != len(op.axes):
            raise ShapeError(f"{op.name}: {axes} is needed, not one of shape {found[op].shape}")
        for size, n in zip(op.axes.values(), found[op].shape, strict=True):
            if letters(size) == [str(size)]:
                values.setdefault(str(size), n)
    values.setdefault("b", 1)  # as a model has it of itself, which gives way to an input
    for op in ops:
        for size in (*op.axes.values(), *(runs for _, runs in repeats(op.scope))):
            if missing := [name for name in letters(size) if name not in values]:
                raise SizeError(f"{op.path}: no number is known for '{missing[0]}'; give the model one, {missing[0]}=…")
    return {op: _fitting(op.name, x, _sizes(op, values)) for op, x in found.items()}, values


def _weights(np: Any, ops: list[Tensor], values: Mapping[str, int], given: Any) -> dict[str, Any]:
    """{path: array} of weights, and of rows that are remembered, in front an axis for each repetition."""
    needed: dict[str, Any] = {}
    for op in ops:
        axes, scope = dict(_sizes(op, values)), op.scope.home if op.scope and op.verb == "weight" else op.scope
        if op.verb == "cached":  # the rows beside those that it is given
            axes[op.details["into"]] -= value(op.inputs[0].axes[op.details["axis"]], values)
        if op.verb == "weight" or (op.verb == "cached" and axes[op.details["into"]]):
            needed[op.path] = [(name, value(n, values)) for name, n in repeats(scope) if not same(n, 1)], axes.items()
    _known("weight", () if callable(given) else given, needed)
    return {path: _every(np, path, runs, [*runs, *sizes], given) for path, (runs, sizes) in needed.items()
            if all(n for _, n in runs)}


def _every(np: Any, path: str, runs: list[tuple[str, int]], sizes: list[tuple[str, int]], given: Any) -> Any:
    counts = [n for _, n in runs]
    if callable(given):
        flat = _array(np, path, [given(path, run) for run in np.ndindex(*counts)])
        return _fitting(path, flat.reshape(*counts, *flat.shape[1:]), sizes)
    if path not in given:
        raise ModelError(f"the weight '{path}' is missing: an array {_shown(sizes)}")
    return _fitting(path, _array(np, path, given[path]), sizes)


def _turned(array: Any, have: Iterable[str], axes: Iterable[str]) -> Any:
    """The array, its axes in this order, with an axis of 1 for each that it has not."""
    have, axes = list(have), list(axes)
    turned = array.transpose([have.index(axis) for axis in axes if axis in have])
    return turned[(..., *(slice(None) if axis in have else None for axis in axes))]


def _place(op: Tensor) -> int:
    return [*op.inputs[0].axes].index(op.details["axis"])


class _Pass:
    """A forward pass under way: what was made, and in which run each scope is."""

    def __init__(self, np: Any, ops: list[Tensor], values: Mapping[str, int], given: Mapping[Any, Any],
                 functions: Mapping[str, Callable[..., Any]]) -> None:
        self.np, self.values, self.given, self.functions = np, values, given, functions
        self.exact = all(array.dtype == object for array in given.values())
        self.dtype = object if self.exact else float
        self.whole = np.frompyfunc(lambda x: int(x) if getattr(x, "denominator", 0) == 1 else x, 1, 1)
        self.loops = {x.scope for op in ops if op.verb == "leave" for x in op.details["loop"]}
        self.made: dict[Tensor, Any] = {}
        self.steps: list[Step] = []
        self.at: dict[Any, int] = {}
        self.past: dict[Any, list[dict[Tensor, Any]]] = {}  # what was made when each run of a scope ended

    def run(self, ops: list[Tensor], depth: int) -> None:
        """What is made in one scope, in the order of making, and every run of each scope in it."""
        for scopes, group in groupby(ops, lambda op: (op.scope.chain() if op.scope else ())[depth:depth + 1]):
            inside = list(group)
            for scope in scopes:
                self.past[scope] = []
                for i in range(value(scope.runs, self.values)):
                    self.at[scope] = i
                    self.run(inside, depth + 1)
                    self.past[scope] += [dict(self.made)] if scope in self.loops else []
                self.at.pop(scope, None)
            for op in () if scopes else inside:
                made = VERBS[op.verb](self, op, *(self.made.get(x) for x in op.inputs))
                self.made[op] = self.np.asarray(self.whole(made) if self.exact else made, self.dtype)
                at = ".".join([*(name if i is None else f"{name}.{i}" for name, i in self.around(op)), op.name])
                self.steps.append(Step(op.path, op.details.get("kind", op.verb), self.made[op], tuple(op.axes), at))

    def around(self, op: Tensor) -> list[tuple[str, int | None]]:
        """The scopes around, of a weight those that it is made in: name, and the run where there are several."""
        found: list[tuple[str, int | None]] = []
        scope = op.scope
        while scope:
            mark = scope.mark if op.verb == "weight" else None
            several = not mark and not same(scope.runs, 1)
            if several and scope not in self.at:
                raise ShapeError(f"{op.path}: its mark is of '{scope.name}', whose runs are over; make it outside")
            found.append((scope.name, self.at[scope] if several else None))
            scope = mark.scope if mark else scope.parent
        return found[::-1]

    def like(self, x: Tensor, axes: Iterable[str], made: Mapping[Tensor, Any] | None = None) -> Any:
        """The array of x, now or when a run had ended, its axes in this order."""
        return _turned((self.made if made is None else made)[x], x.axes, axes)

    def shape(self, op: Tensor) -> list[int]:
        return [n for _, n in _sizes(op, self.values)]

    def stored(self, op: Tensor) -> Any:
        return self.given[op.path][tuple(i for _, i in self.around(op) if i is not None)]

    def enter(self, op: Tensor, x: Any) -> Any:
        """What came in, or its step of the axis run over; in a later run, what the one before it returned."""
        if "loop" in op.details and self.past[op.scope]:
            return self.like(op.details["loop"][0], op.axes, self.past[op.scope][-1])
        return x[tuple(slice(None) if axis in op.axes else self.at[op.scope] for axis in op.inputs[0].axes)]

    def leave(self, op: Tensor, _: Any) -> Any:
        """What the last run returned, of none what came in; along an axis run over, what each did."""
        y, = op.inputs
        if not op.details["loop"]:
            return self.like(y, op.axes)
        entered, = op.details["loop"]
        over = [i for i, axis in enumerate(op.axes) if axis not in y.axes]
        rows = [self.like(y, [a for a in op.axes if a in y.axes], made) for made in self.past[entered.scope]]
        if over:
            return self.np.stack(rows, over[0]) if rows else self.np.zeros(self.shape(op))
        return rows[-1] if rows else self.like(entered.inputs[0], op.axes)

    def merge(self, op: Tensor, _: Any) -> Any:
        first, *others = op.details["parts"]
        order = [axis for one in op.inputs[0].axes if one not in others
                 for axis in ((first, *others) if one == first else (one,))]
        return self.like(op.inputs[0], order).reshape(self.shape(op))

    def select(self, op: Tensor, x: Any) -> Any:
        if op.details["at"] >= (n := x.shape[_place(op)]):
            raise SizeError(f"{op.path}: there is no position {op.details['at']} among the {n} of {op.inputs[0]}")
        return x.take(op.details["at"], _place(op))

    def window(self, op: Tensor, x: Any) -> Any:
        pad, stride = (value(op.details[name], self.values) for name in ("pad", "stride"))
        wide = self.np.pad(x, [(pad, pad) if i == _place(op) else (0, 0) for i in range(x.ndim)])
        slid = self.np.lib.stride_tricks.sliding_window_view(wide, self.shape(op)[-1], _place(op))
        return slid[(*[slice(None)] * _place(op), slice(None, None, stride))]

    def lookup(self, op: Tensor, ids: Any, table: Any) -> Any:
        for i in ids.flat:
            if not (0 <= i < len(table) and i == int(i)):
                raise SizeError(f"{op.path}: {i} is no row of {op.inputs[1]}, which are 0 to {len(table) - 1:,}")
        return table[ids.astype(int)]

    def contract(self, op: Tensor, *xs: Any) -> Any:
        """Multiply and sum; a pair that does not count is left out of a sum, and has the score -infinity."""
        np, pair, counts = self.np, ["s", "t"], self.counts(op)
        terms = [(x, list(one.axes)) for x, one in zip(xs, op.inputs, strict=True)]
        if counts is not None:
            terms = [(np.where(_turned(counts, pair, axes), x, 0) if {*pair} <= {*axes} else x, axes)
                     for x, axes in terms] + [(counts.astype(int), pair)]
        if any((x == MASKED).any() for x, _ in terms):
            raise SymcountError(f"{op.path}: -infinity, the score of a pair that does not count, would be multiplied; "
                                "give this product the mask as well, or a softmax before it")
        number = {axis: i for i, axis in enumerate(op.details["all"])}
        flat = [part for x, axes in terms for part in (x, [number[axis] for axis in axes])]
        made = np.einsum(*flat, [number[axis] for axis in op.axes], optimize=not self.exact)
        masked = counts is not None and {*pair} <= {*op.axes}
        return np.where(_turned(counts, pair, op.axes), made, MASKED) if masked else made

    def counts(self, op: Tensor) -> Any:
        """Which (s, t) count, the queries being the last s of the t; None where all do."""
        if not (mask := op.details["mask"]) or mask == (False, None):
            return None
        s, t = (value(op.details["all"][axis], self.values) for axis in "st")
        window = t if mask.window is None else value(mask.window, self.values)
        pairs(mask._replace(window=window), s, t)  # refuses a mask that has no meaning
        behind = self.np.arange(s)[:, None] + (t - s) - self.np.arange(t)
        return (behind >= 0) & (behind < window)

    def pointwise(self, op: Tensor, *xs: Any) -> Any:
        """The caller's function of the operands, or what the kind means here."""
        kind, plug = op.details["kind"], self.functions.get(op.details["kind"])
        if plug:
            where = f"{op.path}: functions['{kind}']"
            made = _fitting(where, _array(self.np, where, plug(*xs)), _sizes(op, self.values))
            if self.exact and made.dtype != object:
                raise SymcountError(f"{where} gave floats in an exact run; give floats to it all, or Fractions here")
            return made
        made = (self.combined(op, *KINDS[kind]) if kind in KINDS else
                self.applied(op, FUNCTIONS[kind]) if kind in FUNCTIONS else None)
        if made is None:
            raise ModelError(f"{op.path}: '{kind}' of {', '.join(map(str, op.inputs))} to '{' '.join(op.axes)}' has no "
                             f"meaning here; give it one: functions={{'{kind}': f}} with f(*arrays)")
        return made

    def combined(self, op: Tensor, how: Callable[..., Any], dropping: str) -> Any:
        """A sum or a product of the operands, then of what `to` leaves out a sum or the mean."""
        gone = [*dict.fromkeys(axis for x in op.inputs for axis in x.axes if axis not in op.axes)]
        if (gone and not dropping) or (len(op.inputs) > 1 and op.details["kind"] in ("mean", "dropout")):
            return None
        made = self.np.asarray(how([self.like(x, [*gone, *op.axes]) for x in op.inputs]), self.dtype)
        total = made.sum(tuple(range(len(gone))))
        return total * Fraction(1, prod(made.shape[:len(gone)])) if dropping == "mean" else total

    def applied(self, op: Tensor, f: Function) -> Any:
        """A function of each number, of each row, or (a norm) over the axes of its weight, which then multiplies."""
        x, *scale = op.inputs
        if len(scale) > ("rowwise" in f.laws and "stochastic" not in f.laws) or {*op.axes} != {*x.axes}:
            return None
        over = [] if "elementwise" in f.laws else [*scale[0].axes] if scale else [*x.axes][-1:]
        order = [*(axis for axis in x.axes if axis not in over), *over]
        array = self.like(x, order)
        rows = array.reshape(-1, prod(array.shape[len(order) - len(over):])).tolist()
        made = self.np.array([self.row(op, f, row) for row in rows], self.dtype).reshape(array.shape)
        return prod([_turned(made, order, op.axes), *(self.like(w, op.axes) for w in scale)])

    def row(self, op: Tensor, f: Function, row: list[Any]) -> list[Any]:
        """The function of one row; in a softmax, a pair that does not count takes no part and gets 0."""
        places = [i for i, x in enumerate(row) if x != MASKED or "stochastic" not in f.laws]
        kept = [row[i] for i in places]
        if self.exact and f.unit:  # a power of e is rational at 0 only, where the unit of `exact` does not matter
            kept = [x - kept[0] for x in kept] if "shift" in f.laws else kept
        lost = not kept or (self.exact and f.unit and any(kept))
        made = None if lost else f.exact(kept) if self.exact else f.real(kept)
        if made is None:
            raise SymcountError(f"{op.path}: {f.name} of ({clipped(', '.join(map(str, row)))}) has no "
                                f"{'exact value: give floats' if self.exact else 'value: mask less'}, "
                                f"or functions={{'{f.name}': f}}")
        found = dict(zip(places, made, strict=True))
        return [found.get(i, 0) for i in range(len(row))]


VERBS: dict[str, Callable[..., Any]] = {
    "input": lambda now, op: now.given[op], "weight": _Pass.stored,
    "contract": _Pass.contract, "lookup": _Pass.lookup, "pointwise": _Pass.pointwise,
    "rename": lambda _now, _op, x: x, "idle": lambda _now, _op, x, *_: x,
    "merge": _Pass.merge, "split": lambda now, op, x: x.reshape(now.shape(op)),
    "concat": lambda now, op, *_: now.np.concatenate([now.like(x, op.axes) for x in op.inputs], _place(op)),
    "cut": lambda now, op, x: x.take(
        value(op.details["start"], now.values) + now.np.arange(now.shape(op)[_place(op)]), _place(op)),
    "keep": lambda now, op, x: x[tuple(map(slice, now.shape(op)))],
    "repeat": lambda now, op, x: now.np.broadcast_to(x, now.shape(op)),
    "select": _Pass.select, "window": _Pass.window,
    "top": lambda now, op, x: (-x).argsort(_place(op), kind="stable")[tuple(map(slice, now.shape(op)))],  # best first
    "cached": lambda now, op, x: (
        x if [*x.shape] == now.shape(op) else now.np.concatenate([now.stored(op), x], _place(op))),
    "enter": _Pass.enter, "leave": _Pass.leave,
}
