"""A forward pass under way: each verb on arrays, each scope as often as it runs.

An array has the axes of its tensor. Repeated scopes hand their results to the next run; a scope over an axis shows
its body one step at a time.
"""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction
from itertools import groupby
from math import isqrt, prod, sqrt
from numbers import Rational, Real

from symcount.errors import ModelError, ShapeError, SizeError, SymcountError, clipped
from symcount.functions import FUNCTIONS
from symcount.masks import pairs
from symcount.readers import RELABEL
from symcount.sizes import same, value

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


def as_array(np: Any, where: str, given: Any) -> Any:
    """What was given as an array: of ints and Fractions as they are, or of floats."""
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


def fitting(where: str, array: Any, sizes: list[tuple[str, int]]) -> Any:
    """The array, if it has these sizes; else ShapeError."""
    if array.shape != tuple(n for _, n in sizes):
        raise ShapeError(f"{where}: an array {shown(sizes)} is needed, not one of shape {array.shape}")
    return array


def sizes_of(op: Tensor, values: Mapping[str, int]) -> list[tuple[str, int]]:
    """(axis, size) of a tensor, as numbers."""
    return [(axis, value(n, values)) for axis, n in op.axes.items()]


def shown(sizes: Iterable[tuple[str, int]]) -> str:
    """Axes and sizes as messages say them."""
    return f"[{' '.join(f'{axis}={n}' for axis, n in sizes)}]"


def turned(array: Any, have: Iterable[str], axes: Iterable[str]) -> Any:
    """The array, its axes in this order, with an axis of 1 for each that it has not."""
    have, axes = list(have), list(axes)
    turned = array.transpose([have.index(axis) for axis in axes if axis in have])
    return turned[(..., *(slice(None) if axis in have else None for axis in axes))]


def place(op: Tensor) -> int:
    """Which axis of its operand a verb works along."""
    return [*op.inputs[0].axes].index(op.details["axis"])


class Pass:
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
        return turned((self.made if made is None else made)[x], x.axes, axes)

    def shape(self, op: Tensor) -> list[int]:
        """The sizes of a tensor."""
        return [n for _, n in sizes_of(op, self.values)]

    def stored(self, op: Tensor) -> Any:
        """What was given for a weight, or for remembered rows, in this run."""
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
        """Several axes as one."""
        first, *others = op.details["parts"]
        order = [axis for one in op.inputs[0].axes if one not in others
                 for axis in ((first, *others) if one == first else (one,))]
        return self.like(op.inputs[0], order).reshape(self.shape(op))

    def select(self, op: Tensor, x: Any) -> Any:
        """One position of an axis."""
        if op.details["at"] >= (n := x.shape[place(op)]):
            raise SizeError(f"{op.path}: there is no position {op.details['at']} among the {n} of {op.inputs[0]}")
        return x.take(op.details["at"], place(op))

    def window(self, op: Tensor, x: Any) -> Any:
        """A kernel slid along an axis."""
        pad, stride = (value(op.details[name], self.values) for name in ("pad", "stride"))
        wide = self.np.pad(x, [(pad, pad) if i == place(op) else (0, 0) for i in range(x.ndim)])
        slid = self.np.lib.stride_tricks.sliding_window_view(wide, self.shape(op)[-1], place(op))
        return slid[(*[slice(None)] * place(op), slice(None, None, stride))]

    def lookup(self, op: Tensor, ids: Any, table: Any) -> Any:
        """Rows of a table."""
        for i in ids.flat:
            if not (0 <= i < len(table) and i == int(i)):
                raise SizeError(f"{op.path}: {i} is no row of {op.inputs[1]}, which are 0 to {len(table) - 1:,}")
        return table[ids.astype(int)]

    def contract(self, op: Tensor, *xs: Any) -> Any:
        """Multiply and sum; a pair that does not count is left out of a sum, and has the score -infinity."""
        np, pair, counts = self.np, ["s", "t"], self.counts(op)
        terms = [(x, list(one.axes)) for x, one in zip(xs, op.inputs, strict=True)]
        if counts is not None:
            terms = [(np.where(turned(counts, pair, axes), x, 0) if {*pair} <= {*axes} else x, axes)
                     for x, axes in terms] + [(counts.astype(int), pair)]
        if any((x == MASKED).any() for x, _ in terms):
            raise SymcountError(f"{op.path}: -infinity, the score of a pair that does not count, would be multiplied; "
                                "give this product the mask as well, or a softmax before it")
        number = {axis: i for i, axis in enumerate(op.details["all"])}
        flat = [part for x, axes in terms for part in (x, [number[axis] for axis in axes])]
        made = np.einsum(*flat, [number[axis] for axis in op.axes], optimize=not self.exact)
        masked = counts is not None and {*pair} <= {*op.axes}
        return np.where(turned(counts, pair, op.axes), made, MASKED) if masked else made

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
            made = fitting(where, as_array(self.np, where, plug(*xs)), sizes_of(op, self.values))
            if self.exact and made.dtype != object:
                raise SymcountError(f"{where} gave floats in an exact run; give floats to it all, or Fractions here")
            return made
        made = (self.rooted(op, *xs) if kind == "attention_scale" else
                self.combined(op, *KINDS[kind]) if kind in KINDS else
                self.applied(op, FUNCTIONS[kind]) if kind in FUNCTIONS else None)
        if made is None:
            raise ModelError(f"{op.path}: '{kind}' of {', '.join(map(str, op.inputs))} to '{' '.join(op.axes)}' has no "
                             f"meaning here; give it one: functions={{'{kind}': f}} with f(*arrays)")
        return made

    def rooted(self, op: Tensor, x: Any) -> Any:
        """Scores divided by the root of the head width, which is what their contraction summed over."""
        scores = op.inputs[0]
        if scores.verb != "contract":
            raise ModelError(f"{op.path}: {scores} is no contraction, so there is no width to divide by the root of")
        width = prod(value(n, self.values) for axis, n in scores.details["all"].items() if axis not in scores.axes)
        if self.exact and isqrt(width) ** 2 != width:
            raise SymcountError(f"{op.path}: the root of the head width {width} is not rational; give floats, or "
                                "functions={'attention_scale': f}")
        return self.whole(x * Fraction(1, isqrt(width))) if self.exact else x / sqrt(width)

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
        return prod([turned(made, order, op.axes), *(self.like(w, op.axes) for w in scale)])

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
    "input": lambda now, op: now.given[op], "weight": Pass.stored,
    "contract": Pass.contract, "lookup": Pass.lookup, "pointwise": Pass.pointwise,
    "rename": lambda _now, _op, x: x, "idle": lambda _now, _op, x, *_: x,
    "merge": Pass.merge, "split": lambda now, op, x: x.reshape(now.shape(op)),
    "concat": lambda now, op, *_: now.np.concatenate([now.like(x, op.axes) for x in op.inputs], place(op)),
    "cut": lambda now, op, x: x.take(
        value(op.details["start"], now.values) + now.np.arange(now.shape(op)[place(op)]), place(op)),
    "keep": lambda now, op, x: x[tuple(map(slice, now.shape(op)))],
    "repeat": lambda now, op, x: now.np.broadcast_to(x, now.shape(op)),
    "select": Pass.select, "window": Pass.window,
    "top": lambda now, op, x: (-x).argsort(place(op), kind="stable")[tuple(map(slice, now.shape(op)))],  # best first
    "cached": lambda now, op, x: (
        x if [*x.shape] == now.shape(op) else now.np.concatenate([now.stored(op), x], place(op))),
    "enter": Pass.enter, "leave": Pass.leave,
}
