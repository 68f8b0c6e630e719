"""Evaluation: the same forward pass on actual numbers, exact or floating, with every intermediate kept."""

from __future__ import annotations

from itertools import pairwise

from symcount import network
from symcount.errors import ModelError, ShapeError, SizeError, missing, nearest
from symcount.readers import RELABEL, account, bounds
from symcount.readers.running import UNNAMED, Pass, Step, as_array, fitting, shown, sizes_of
from symcount.scopes import repeats
from symcount.sizes import check, letters, same, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from symcount.tensors import Tensor


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
        raise missing("evaluate needs NumPy", "evaluate") from None
    net, sizes, title, _, parts = account(subject)
    if parts:
        raise ModelError(f"{title}: a part does not run by itself; evaluate the whole model and read run[path]")
    ops = network.walk(net)
    _known("function", functions or {}, {op.details["kind"] for op in ops if op.verb == "pointwise"})
    given, values = _inputs(np, ops, inputs, {n: size for n, size in sizes.items() if n != "b" or n in subject.given})
    for condition in bounds(net):
        check(condition, values)
    _in_order(ops, values, title)
    network.weights(net)  # refuses two of one path
    now = Pass(np, ops, values, given | _weights(np, ops, values, weights or {}), functions or {})
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
        rows = [(x.at, x.what, _text(x.value.tolist()) if x.value.size <= 24 else shown(zip(
            x.axes, x.value.shape, strict=True))) for x in self.steps if x.what not in (*RELABEL, "weight")]
        one, two = (max((len(row[i]) for row in rows), default=0) for i in range(2))
        return "\n".join([f"{self.title}: {'exact' if self.exact else 'floats'}",
                          *(f"  {at:{one}}  {what:{two}}  {text}" for at, what, text in rows)])


def _text(rows: Any) -> str:
    if isinstance(rows, list):
        return f"[{', '.join(map(_text, rows))}]"
    return f"{rows:.6g}" if isinstance(rows, float) else str(rows)


def _in_order(ops: list[Tensor], values: Mapping[str, int], title: str) -> None:
    """Refuse layers of several kinds: a network counts each kind, and does not say how they alternate."""
    kinds: dict[str, dict[str, Any]] = {}
    for op in ops:
        for outer, inner in pairwise(repeats(op.scope)):
            if outer[0].rpartition(".")[2] == "layers" and not same(inner[1], 1) and value(inner[1], values):
                kinds.setdefault(outer[0], {})[inner[0]] = inner[1]
    for found in kinds.values():
        if len(found) > 1:
            raise ModelError(f"{title}: how {' and '.join(found)} alternate is not part of the network, which counts "
                             "them kind by kind; it cannot be evaluated")


def _known(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in (names := {*known}):
            raise ModelError(f"the network has no {what} '{name}'; {nearest(name, names)}")


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
        found[op] = as_array(np, op.name, given[op.name])
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
    return {op: fitting(op.name, x, sizes_of(op, values)) for op, x in found.items()}, values


def _weights(np: Any, ops: list[Tensor], values: Mapping[str, int], given: Any) -> dict[str, Any]:
    """{path: array} of weights, and of rows that are remembered, in front an axis for each repetition."""
    needed: dict[str, Any] = {}
    states = [op.path for op in ops if op.verb == "cached" and op.details["kept"] is not None]
    for op in ops:
        axes, scope = dict(sizes_of(op, values)), op.scope.home if op.scope and op.verb == "weight" else op.scope
        if op.verb == "cached":  # the rows beside those that it is given
            axes[op.details["into"]] -= value(op.inputs[0].axes[op.details["axis"]], values)
            if states and axes[op.details["into"]]:
                raise ModelError(f"{op.path}: rows of earlier tokens cannot be given, as the state {states[0]} that "
                                 "they left cannot: evaluate all t tokens at once")
        if op.verb == "weight" or (op.verb == "cached" and axes[op.details["into"]]):
            needed[op.path] = [(name, value(n, values)) for name, n in repeats(scope) if not same(n, 1)], axes.items()
    _known("weight", () if callable(given) else given, needed)
    return {path: _every(np, path, runs, [*runs, *sizes], given) for path, (runs, sizes) in needed.items()
            if all(n for _, n in runs)}


def _every(np: Any, path: str, runs: list[tuple[str, int]], sizes: list[tuple[str, int]], given: Any) -> Any:
    counts = [n for _, n in runs]
    if callable(given):
        flat = as_array(np, path, [given(path, run) for run in np.ndindex(*counts)])
        return fitting(path, flat.reshape(*counts, *flat.shape[1:]), sizes)
    if path not in given:
        raise ModelError(f"the weight '{path}' is missing: an array {shown(sizes)}")
    return fitting(path, as_array(np, path, given[path]), sizes)
