"""Tensors with named axes, the closed set of verbs that make them, and the walk over what was made.

A network is an ordinary function on tensors. Each verb checks its axes at once and returns a new `Tensor`
that remembers how it was made; nothing is counted here. Sizes are numbers of any ring (`sizes`).

    contract lookup pointwise                 multiply and sum; rows of a table; element by element
    rename merge split concat cut             relabel axes; product of axes and back; sum of axes and back
    select keep top window repeat             one position; first n; K of E; slide a kernel; broadcast
    cached within idle                        rows are remembered; a named scope; what nothing reads

A weight belongs to the scope it was made in: it is counted once for every repetition of that scope, and its
path is that scope and its name. `Shared()` moves the place of making to where the mark was made.
"""

from __future__ import annotations

from symcount.errors import ShapeError, SizeError
from symcount.polynomials import Condition
from symcount.scopes import Scope, Shared, here, named, one_place
from symcount.sizes import bounded, conditions, is_one, noted, per, same
from symcount.tensors import (
    Tensor,
    advice,
    chosen,
    equal,
    fresh,
    in_order,
    is_size,
    is_tensor,
    joined,
    listed,
    need,
    quoted,
    single,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.masks import Mask
    from symcount.polynomials import Size


def tensor(name: str = "x", **axes: Size) -> Tensor:
    """An input of the network.

    >>> tensor(b=1, s=3, d=4)
    x[b=1 s=3 d=4]
    """
    return Tensor("input", name, (), axes)


def weight(name: str, *, kinds: str = "weight", stored: str = "parameter", out: str = "", **axes: Size) -> Tensor:
    """A learned tensor, made here, in-axes before out-axes.

    `kinds` says what it is, the main kind first ("weight", "bias", "norm", "norm bias", "embedding");
    `stored` is "parameter", "frozen" (not trained) or "buffer" (never counted); `out` names the out-axes of a map.
    """
    named("weight", name)
    if stored not in ("parameter", "frozen", "buffer"):
        raise ShapeError(f"weight {name}: stored={stored!r}; known: parameter, frozen, buffer")
    return Tensor("weight", name, (), axes, kinds=tuple(kinds.split()), stored=stored, out=tuple(out.split()))


def contract(*xs: Tensor, to: str, name: str, mask: Mask | None = None) -> Tensor:
    """Multiply, and sum over every axis that is absent from `to`: the one verb that is work.

    Multiply-adds: the product of all axes. `mask` says which (s, t) pairs matter.

    >>> contract(tensor(s=2, d=3), weight("w", d=3, h=4), to="s h", name="up")
    up[s=2 h=4]
    >>> contract(tensor(s=2, d=3), weight("w", d=5, h=4), to="s h", name="up")
    Traceback (most recent call last):
    symcount.errors.ShapeError: up: axis 'd' is 3 in x[s=2 d=3] and 5 in w[d=5 h=4]
    """
    axes = joined(name, xs)
    out = chosen(name, axes, to, xs)
    for axis in axes:
        if axis not in out and sum(axis in x.axes for x in xs) == 1:
            raise ShapeError(f"{name}: axis '{axis}' is summed, but only one operand has it: {listed(xs)}")
    if mask is not None and not {"s", "t"} <= axes.keys():
        raise ShapeError(f"{name}: a mask needs the axes 's' and 't': {listed(xs)}")
    return Tensor("contract", name, xs, out, all=axes, mask=mask)


def lookup(ids: Tensor, table: Tensor, name: str) -> Tensor:
    """Rows of a table, whose first axis is indexed: no work. Rows chosen by `top` leave the rest inactive.

    >>> lookup(tensor("ids", s=2), weight("word", V=10, d=3), "embeddings")
    embeddings[s=2 d=3]
    """
    for x in (ids, table):
        is_tensor(x, name)
    if not table.axes:
        raise ShapeError(f"{name}: {table} has no axis whose rows could be looked up")
    indexed, *rest = table.axes
    kept = {axis: table.axes[axis] for axis in rest}
    if twice := set(kept) & set(ids.axes):
        raise ShapeError(f"{name}: axis {quoted(twice)} is in {ids} and in {table}")
    return Tensor("lookup", name, (ids, table), {**ids.axes, **kept}, indexed=indexed)


def pointwise(*xs: Tensor, kind: str, name: str | None = None, to: str | None = None) -> Tensor:
    """Element by element: the axes are those of the first operand, or `to`; other operands broadcast.

    >>> pointwise(tensor(s=2, d=3), weight("bias", d=3), kind="bias")
    bias[s=2 d=3]
    """
    name = kind if name is None else name
    axes = joined(name, xs)
    out = dict(xs[0].axes) if to is None else chosen(name, axes, to, xs)
    if to is None and (extra := set(axes) - set(out)):
        raise ShapeError(f"{name}: {xs[0]} has no axis {quoted(extra)}; say to=... for the axes of the result")
    return Tensor("pointwise", name, xs, out, kind=kind)


def rename(x: Tensor, **names: str) -> Tensor:
    """Relabel axes; no size changes: `rename(x, s="t")`."""
    is_tensor(x, "rename")
    for axis in names:
        need(x, axis, "rename")
    out = [names.get(axis, axis) for axis in x.axes]
    if len(set(out)) < len(out):
        raise ShapeError(f"rename: {x} would have an axis twice: {' '.join(out)}")
    return Tensor("rename", x.name, (x,), dict(zip(out, x.axes.values(), strict=True)), names=names)


def repeat(x: Tensor, **axes: Size) -> Tensor:
    """Broadcast to further axes, put first."""
    is_tensor(x, "repeat")
    if twice := set(axes) & set(x.axes):
        raise ShapeError(f"repeat: {x} already has axis {quoted(twice)}")
    return Tensor("repeat", x.name, (x,), {**axes, **x.axes})


def merge(x: Tensor, **axes: str) -> Tensor:
    """Several axes as one, their product: `merge(x, c="g k")`."""
    new, parts = single("merge", axes)
    names = parts.split()
    for axis in names:
        need(x, axis, "merge")
    if not names or len(set(names)) < len(names):
        raise ShapeError(f"merge: axes to merge, each once, are needed, not '{parts}'")
    fresh(x, "merge", new, tuple(names))
    size: Size = 1
    for axis in names:
        size = x.axes[axis] * size if is_one(size) else size * x.axes[axis]
    out = {(new if axis == names[0] else axis): (size if axis == names[0] else x.axes[axis])
           for axis in x.axes if axis not in names[1:]}
    return Tensor("merge", x.name, (x,), out, parts=tuple(names), into=new)


def split(x: Tensor, axis: str, **parts: Size | None) -> Tensor:
    """One axis as several whose product it is; one part may be None, found by exact division.

    >>> split(tensor(s=2, c=12), "c", g=3, k=None)
    x[s=2 g=3 k=4]
    """
    size = need(x, axis, "split")
    known: Size = 1
    for part in parts.values():
        known = known if part is None else part * known
    open_parts = [name for name, part in parts.items() if part is None]
    if len(open_parts) > 1:
        raise ShapeError(f"split {x}: only one part may be left open, not {quoted(open_parts)}")
    if not open_parts and not same(known, size):
        raise ShapeError(f"split: axis '{axis}' of {x} is {size}, and its parts make {known}{advice(size, known)}")
    for part_name in parts:
        fresh(x, "split", part_name, (axis,))
    try:
        found = {name: per(size, known) if part is None else part for name, part in parts.items()}
    except SizeError as error:
        raise SizeError(f"split: axis '{axis}' of {x}: {error}") from None
    out: dict[str, Size] = {}
    for old, old_size in x.axes.items():
        out.update(found if old == axis else {old: old_size})
    return Tensor("split", x.name, (x,), out, axis=axis, parts=tuple(found))


def concat(*xs: Tensor, axis: str) -> Tensor:
    """Join along one axis: its sizes add, all others agree."""
    joined("concat", xs, but=axis)
    for x in xs:
        need(x, axis, "concat")
        if set(x.axes) != set(xs[0].axes):
            raise ShapeError(f"concat along '{axis}': {xs[0]} and {x} have different axes")
    size: Size = 0
    for x in xs:
        size = x.axes[axis] + size if isinstance(size, int) and size == 0 else size + x.axes[axis]
    return Tensor("concat", xs[0].name, xs, {**xs[0].axes, axis: size}, axis=axis)


def cut(x: Tensor, axis: str, *sizes: Size) -> tuple[Tensor, ...]:
    """The inverse of `concat`: consecutive parts, whose sizes must add up to the axis.

    >>> cut(tensor(s=2, c=5), "c", 2, 3)
    (x[s=2 c=2], x[s=2 c=3])
    """
    size = need(x, axis, "cut")
    total: Size = 0
    starts = []
    for part in sizes:
        starts.append(total)
        total = part + total if isinstance(total, int) and total == 0 else total + part
    if not same(total, size):
        raise ShapeError(f"cut: axis '{axis}' of {x} is {size}, and the parts add up to {total}{advice(size, total)}")
    return tuple(Tensor("cut", x.name, (x,), {**x.axes, axis: part}, axis=axis, start=start)
                 for part, start in zip(sizes, starts, strict=True))


def select(x: Tensor, axis: str, at: int = 0) -> Tensor:
    """One position of an axis, which goes."""
    size = need(x, axis, "select")
    if at < 0 or (isinstance(size, int) and at >= size):
        raise ShapeError(f"select: there is no position {at} on axis '{axis}' of {x}")
    return Tensor("select", x.name, (x,), {a: n for a, n in x.axes.items() if a != axis}, axis=axis, at=at)


def keep(x: Tensor, **sizes: Size) -> Tensor:
    """The first n positions of an axis: `keep(x, s=n)`; more than there are is a SizeError."""
    is_tensor(x, "keep")
    out = dict(x.axes)
    for axis, n in sizes.items():
        limit = need(x, axis, "keep")
        try:
            out[axis] = bounded(n, limit)
        except SizeError:
            raise SizeError(f"{x.path or 'keep'}: the first {n:,} of axis '{axis}' are wanted, "
                            f"but there are only {limit:,}") from None
    return Tensor("keep", x.name, (x,), out)


def top(x: Tensor, **axes: tuple[str, Size]) -> Tensor:
    """The K best of an axis, renamed: `top(scores, E=("e", K))`."""
    axis, (new, n) = single("top", axes)
    limit = need(x, axis, "top")
    fresh(x, "top", new, (axis,))
    try:
        rows = bounded(n, limit)
    except SizeError:
        raise SizeError(f"top: {n:,} of axis '{axis}' are wanted, but {x} has only {limit:,}") from None
    out = {(new if a == axis else a): (rows if a == axis else size) for a, size in x.axes.items()}
    return Tensor("top", x.name, (x,), out, axis=axis, into=new)


def window(x: Tensor, *, stride: Size = 1, pad: Size = 0, **axes: tuple[str, Size]) -> Tensor:
    """Slide a kernel: `window(x, i=("u", k))` makes axis i (i + 2·pad − k)//stride + 1 long, with a new axis u."""
    axis, (kernel, n) = single("window", axes)
    size = need(x, axis, "window")
    if isinstance(stride, int) and stride < 1:
        raise ShapeError(f"window: a stride of {stride} does not move")
    moved = (size + 2 * pad - n) // stride + 1
    if isinstance(moved, int) and moved < 1:
        raise ShapeError(f"window: axis '{axis}' of {x} is shorter than the kernel {n}")
    moved = moved if isinstance(moved, int) else noted(moved, Condition(n, "at most", size + 2 * pad))
    fresh(x, "window", kernel)
    return Tensor("window", x.name, (x,), {**x.axes, axis: moved, kernel: n}, axis=axis, kernel=kernel,
                  stride=stride, pad=pad)


def cached(x: Tensor, name: str, **axes: tuple[str, Size] | Size) -> Tensor:
    """What is kept for the next token: exactly this is a KV cache.

    `cached(k, "key", s=("t", t))`: the new rows join the remembered ones, s → t. `cached(x, "state", s=n)`: the last n
    positions of an axis replace what was remembered, and x goes on as it is.
    """
    axis, told = single("cached", axes)
    if not isinstance(told, tuple):
        need(x, axis, "cached")
        kept = Tensor("state", name, (), {**x.axes, axis: told}).axes  # refuses what is no size
        return Tensor("cached", name, (x,), x.axes, axis=axis, into=axis, kept=kept, remembered=False)
    new, n = told
    try:
        rows = bounded(need(x, axis, "cached"), n)
    except SizeError as error:
        raise SizeError(f"cached {name}: axis '{axis}' of {x}: {error}") from None
    n = noted(n, *conditions(rows))  # that the rows fit is known of t, which stays, and not of s, which goes
    fresh(x, f"cached {name}", new, (axis,))
    return Tensor("cached", name, (x,), {(new if a == axis else a): (n if a == axis else size)
                                         for a, size in x.axes.items()}, axis=axis, into=new, kept=None,
                  remembered=new == axis and same(rows, n))


def idle(x: Tensor, *others: Tensor) -> Tensor:
    """x, beside which stands what nothing reads: weights that are stored and do not run, or what runs all the same."""
    for one in (x, *others):
        is_tensor(one, "idle")
    return Tensor("idle", x.name, (x, *others), x.axes)


def within(path: str, f: Callable[..., Any], *xs: Tensor, runs: Size = 1, over: str | None = None,
           shared: bool | Shared | None = None, **kw: Any) -> Any:
    """f(*xs) in a named scope, repeated `runs` times, or once for every step `over` an axis.

    Repeated, it returns as many tensors of the shapes it was given, which feed the next run. Over an axis, an
    input that has the axis shows the body one step, and the output in its place gets the axis back; an input
    without it is a state, handed from step to step. Weights are made anew in each run unless `shared`.
    """
    named("within", path)
    if not is_size(runs):
        raise SizeError(f"{path}: runs={runs!r}: a size is a whole number or in letters")
    for x in xs:
        is_tensor(x, path)
    sequences = [over is not None and over in x.axes for x in xs]
    if over is not None:
        if not is_one(runs):
            raise ShapeError(f"{path}: it runs over axis '{over}', so runs={runs} says it twice")
        if not any(sequences):
            raise ShapeError(f"{path}: no input has the axis '{over}' to run over: {listed(xs)}")
        runs = next(x.axes[over] for x, has in zip(xs, sequences, strict=True) if has)
        joined(path, [x for x, has in zip(xs, sequences, strict=True) if has], only=over)
    scope = here.get()
    *before, last = path.split(".")
    for part in before:
        scope = Scope(scope, part)
    scope = Scope(scope, last, runs, Shared(scope) if shared is True else shared or None)
    token = here.set(scope)
    try:
        inner = tuple(Tensor("enter", x.name, (x,), {a: n for a, n in x.axes.items() if a != over}) for x in xs)
        result = f(*inner, **kw)
    finally:
        here.reset(token)
    outputs = result if isinstance(result, tuple) else (result,)
    if looped := over is not None or not is_one(runs):
        _same_shapes(path, inner, outputs, sequences)
    left = []
    for i, y in enumerate(outputs):
        if not isinstance(y, Tensor):
            raise ShapeError(f"{path}: the body returned {type(y).__name__}, not a Tensor; did it forget to return?")
        back = {over: runs} if over is not None and i < len(xs) and sequences[i] else {}
        if over is not None and over in y.axes:
            raise ShapeError(f"{path} runs over axis '{over}', which its body cannot return: {y}")
        axes = in_order(y.axes, back, xs[i].axes if i < len(xs) else {})
        left.append(Tensor("leave", y.name, (y,), axes, loop=(inner[i],) if looped else ()))  # of no run: what came in
        if looped and not sequences[i]:
            inner[i].details["loop"] = (y,)  # in a later run, what the one before it returned
    return tuple(left) if isinstance(result, tuple) else left[0]


def walk(net: Tensor | tuple[Tensor, ...], *, step: bool = False) -> list[Tensor]:
    """Everything that a result was made from, in the order of making, each once.

    What a body captured from outside, or returned for its next run only, is found too. `step`, as when one more token
    is decoded: not behind rows that are all remembered (a `cached` that gains none) or placed among earlier words.
    """
    todo = list(net) if isinstance(net, tuple) else [net]
    for x in todo:
        if not isinstance(x, Tensor):
            raise ShapeError(f"a network is a Tensor or a tuple of them, not {type(x).__name__}")
    found: dict[int, Tensor] = {}
    while todo:
        x = todo.pop()
        if x.serial in found:
            continue
        found[x.serial] = x
        if not (step and x.verb == "cached" and x.details["remembered"]):
            placed = step and x.details.get("kind") == "place"
            todo.extend(x.inputs[:1] if placed else (*x.inputs, *x.details.get("loop", ())))
    return [found[serial] for serial in sorted(found)]


def weights(net: Tensor | tuple[Tensor, ...]) -> dict[str, list[Tensor]]:
    """Every weight by path, in the order of making; uses of a shared scope make one path several times.

    Raises ShapeError for two weights at one path, or one shared path with unequal sizes.
    """
    found: dict[str, list[Tensor]] = {}
    for x in walk(net):
        if x.verb == "weight":
            found.setdefault(x.path, []).append(x)
    for path, made in found.items():
        for other in made[1:]:
            if not one_place(made[0].scope, other.scope):
                raise ShapeError(f"two weights are named '{path}': name them apart, or pass one to both uses")
            if not _alike(made[0], other):
                raise ShapeError(f"the shared weight '{path}' is {_described(made[0])} in one use and "
                                 f"{_described(other)} in another")
    return found


def _alike(x: Tensor, y: Tensor) -> bool:
    """Whether two uses make the same weight: its axes, what it is, and how often it is made."""
    one, two = ([scope.runs for scope in w.scope.home.chain()] if w.scope else [] for w in (x, y))
    return equal(x, y) and x.details == y.details and len(one) == len(two) and all(map(same, one, two))


def _described(x: Tensor) -> str:
    runs = [scope.runs for scope in (x.scope.home.chain() if x.scope else ()) if not is_one(scope.runs)]
    return " ".join([str(x), x.details["stored"], *x.details["kinds"], *(f"× {n}" for n in runs)])


def _same_shapes(path: str, inner: tuple[Tensor, ...], outputs: tuple[Any, ...], sequences: list[bool]) -> None:
    if len(outputs) != len(inner):
        raise ShapeError(f"{path} is repeated and must return what it is given, "
                         f"{len(inner)} tensors; it returned {len(outputs)}")
    for x, y, free in zip(inner, outputs, sequences, strict=True):
        if isinstance(y, Tensor) and not free and not equal(x, y):
            raise ShapeError(f"{path} is repeated and must return the shape it is given: {x} came in, {y} came out")
