"""Sweeps: counts of many configurations at once, on a grid of sizes or on a list of them, as an xarray Dataset.

The closed form is read once, with the swept sizes left as letters, and computed over columns of whole numbers. Labels
stand at the edges: between them are raw columns, in chunks, on one machine or, with Dask, on many.
"""

from __future__ import annotations

from math import prod

from symcount.building import following, needs
from symcount.compiling import Check, Program, fixed, horner, program, sides, within
from symcount.counting import formula, plain
from symcount.errors import ModelError, SizeError, clipped, missing
from symcount.filling import UNBUILDABLE, Filled, Plan, certain, fill, shape_of, tiles
from symcount.forms import Function, Number, Product, Sum, Symbol
from symcount.given import LARGEST, WIDTHS
from symcount.ledger import UNITS
from symcount.render import text
from symcount.sizes import RELATIONS, is_one, letters, value
from symcount.symbols import known, row
from symcount.workers import watched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any

    from symcount.architecture import Model
    from symcount.forms import Form
    from symcount.ledger import Ledger
    from symcount.polynomials import Condition, Size

    Needed = tuple[str, Form, Form, str]  # relation, left, right, and what is the matter where it does not hold

_MOST_POINTS, _MOST_LAZY = 10**8, 10**12  # of a sweep in memory, and of one in chunks
_MOST_CHUNKS, _MOST_AXES = 100_000, 16
_WORDS = ("refuse", "mark")


def sweep(model: Any, of: Any = "params", *, convention: str | None = None, phase: str | None = None,
          unbuildable: str = "refuse", chunk: Any = None, **sizes: Any) -> Any:
    """Quantities of a model at every point of a grid of sizes, or of a list of configurations: an xarray Dataset.

    sizes        d=[512, 1024], a range or an array of whole numbers: an axis of the grid, in the order given;
                 d=("model", array): sizes that share the axis "model" are a list of configurations;
                 such an array may be one of Dask, which stays where it is if `chunk` is given;
                 d=512, h="4d": a change, as in `Model.replace`
    of           "params,flops,kv" or a list: quantities as on the command line, each with @PATH; a variable each. One
                 that has the name of a swept size has its unit beside it: kv_bytes
    unbuildable  "refuse": SizeError where a point is no model (heads must divide d), with how many there are and why;
                 "mark": such a point has -1, and is False in the variable `buildable`
    chunk        points of a chunk of Dask, for the variables to be computed later, by whatever scheduler there is; or,
                 where it is several numbers, the size of that name, along the last axis

    >>> found = sweep("gpt2", d=[768, 1536], L=range(12, 36, 12))
    >>> found.params.values.tolist()
    [[124439808, 209494272], [418748928, 758727168]]
    >>> found.params.unit, found.params.closed_form
    ('parameters', 'L(12d² + 13d) + Vd + Pd + 2d')

    Values are 64-bit ints; where these do not hold them, up to 1,048,576 points have Python's ints (with Dask they are
    refused), more are refused. A value that is no whole number (half a byte) is refused. -1 is named in the attribute
    `unbuildable`, not in `_FillValue`, of which xarray makes floats. With Dask, points are refused when they are
    computed, and counted by chunk.

    Raises SizeError for what no size can be, ModelError for an unknown name, SymcountError without the extra `sweep`.
    """
    np, xarray = _libraries()
    if unbuildable not in _WORDS:
        raise ModelError(f"unbuildable = '{clipped(str(unbuildable))}'; known: {', '.join(_WORDS)}")
    if _several(chunk):
        sizes, chunk = {**sizes, "chunk": chunk}, None
    free, swept, dims = _split(model, sizes)
    axes = {name: list(dict.fromkeys(dims.values())).index(dim) for name, dim in dims.items()}
    total = prod(shape_of(axes, swept))
    _limited(total, chunk)
    ledgers = _ledgers(free, of, convention, phase, axes)
    plan = _plan(free, ledgers, axes)
    columns = {name: values if chunk is not None and _later(name, values) else _column(np, name, values)
               for name, values in swept.items()}
    marking = unbuildable == "mark"
    coordinates = {name: (dims[name], columns[name]) for name in columns}
    along = tuple(dict.fromkeys(dims.values()))
    if chunk is None:
        filled = fill(np, plan, columns, ledgers, marking=marking, total=total, growing=True, along=watched)
        if filled.reasons and not marking:
            raise SizeError(_refusal(filled, total))
    else:
        filled = _lazy(np, plan, columns, [*ledgers], marking=marking, total=total, chunk=chunk)
    variables = {name: (along, filled.results[name], _said(ledger, axes, marking=marking))
                 for name, (ledger, _) in ledgers.items()}
    if filled.buildable is not None:
        variables["buildable"] = (along, filled.buildable, {"reasons": "; ".join(
            f"{says}: {count:,} points" for says, (count, _) in filled.reasons.items())})
    return xarray.Dataset(variables, coordinates, {"model": free.title, "skipped": _skipped(filled, total, chunk)})


def _libraries() -> tuple[Any, Any]:
    try:
        import numpy
        import xarray
    except ImportError:
        raise missing("a sweep needs NumPy and xarray", "sweep") from None
    return numpy, xarray


def _several(given: Any) -> bool:
    """Whether this is several numbers, along an axis of their own or of a name."""
    if _paired(given):
        return _several(given[1])
    return isinstance(given, (range, list, tuple)) or (hasattr(given, "__array__") and getattr(given, "ndim", 1) > 0
                                                       and not hasattr(given, "free_symbols"))


def _paired(given: Any) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str)


def _split(subject: Any, sizes: Mapping[str, Any]) -> tuple[Model, dict[str, Any], dict[str, str]]:
    """The model with the swept sizes left as letters, {size: its values}, {size: the dimension along which it lies}."""
    from symcount.naming import model as named

    base = named(subject)
    lists = {WIDTHS, *base.architecture.stages}  # sizes that are several numbers
    values, dims = {}, {}
    for name, given in sizes.items():
        if name in lists or not _several(given):
            continue
        if not known(name):
            raise ModelError(f"{name} is no size that could be swept; say one value of it")
        dims[name], values[name] = given if _paired(given) else (name, given)
        if getattr(values[name], "ndim", 1) != 1 or not len(values[name]):
            raise SizeError(f"{name}: a list of at least one whole number is needed")
    if not values:
        raise SizeError("nothing is swept; give a size several values, as in d=[512, 1024]")
    if len(set(dims.values())) > _MOST_AXES:
        raise SizeError(f"a grid of {len(set(dims.values()))} sizes; {_MOST_AXES} at most")
    for name, dim in dims.items():
        other = next(one for one in dims if dims[one] == dim)
        if len(values[name]) != len(values[other]):
            raise SizeError(f"{other} and {name} share {dim}, and have {len(values[other]):,} and "
                            f"{len(values[name]):,} values")
    others = {name: size for name, size in sizes.items() if name not in values}
    return base.freed(*values).replace(**others), values, dims


def _limited(total: int, chunk: Any) -> None:
    """Raise SizeError for more points than there may be."""
    if chunk is None:
        if total > _MOST_POINTS:
            raise SizeError(f"{total:,} points; {_MOST_POINTS:,} at most at once, so say chunk=1_000_000 to have them "
                            "computed in chunks, by Dask")
        return
    if isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1:
        raise SizeError(f"chunk = {chunk!r}: the points of a chunk are a whole number of at least 1")
    if total > _MOST_LAZY:
        raise SizeError(f"{total:,} points; {_MOST_LAZY:,} at most")


def _column(np: Any, name: str, values: Any) -> Any:
    """The values of a size as an array of ints."""
    needed = f"{name}: {row(name).meaning} takes whole numbers"
    if not hasattr(values, "__array__"):
        if not isinstance(values, range):
            values = list(values)
            wrong = next((x for x in values if isinstance(x, (bool, np.bool_)) or not hasattr(x, "__index__")), None)
            if wrong is not None:
                raise SizeError(f"{needed}, not {clipped(repr(wrong))}")
        try:
            return np.asarray(values, np.int64)
        except OverflowError:
            raise SizeError(f"{needed} up to {LARGEST:,}") from None
    found = np.asarray(values)
    if found.dtype == object:
        return _column(np, name, found.tolist())
    if found.dtype.kind not in "iu":
        raise SizeError(f"{needed}, not an array of {found.dtype}; say .astype(int) if they are whole")
    if found.dtype == np.uint64 and found.max() > LARGEST:
        raise SizeError(f"{needed} up to {LARGEST:,}")
    return found


def _later(name: str, values: Any) -> bool:
    """Whether these are numbers that Dask has, which need not be here."""
    if hasattr(values, "__dask_graph__") and values.dtype.kind not in "iu":
        raise SizeError(f"{name}: {row(name).meaning} takes whole numbers, not an array of {values.dtype}")
    return hasattr(values, "__dask_graph__")


def _ledgers(free: Model, of: Any, convention: str | None, phase: str | None,
             swept: Iterable[str]) -> dict[str, tuple[Ledger, Ledger]]:
    """{variable: the ledger of a quantity, and the one of the whole model that has all conditions}."""
    from symcount.readers.quantities import fitting, read

    quantities = [name.strip() for name in of.split(",")] if isinstance(of, str) else list(of)
    if len(set(quantities)) < len(quantities) or not quantities:
        raise ModelError(f"of = {of!r}: one quantity or several, each once")
    found = {}
    for quantity, options in fitting(quantities, convention, phase).items():
        ledger = read(free, quantity, **options)
        part = bool(free.parts) or "@" in quantity
        full = read(free.whole(), quantity.partition("@")[0], **options) if part else ledger
        missing = [name for name in ledger.open if name not in swept]
        if missing:
            raise SizeError(f"{free.title}, {quantity}: {missing[0]} has no value; sweep it, or say {missing[0]}=…")
        found[f"{quantity}_{ledger.unit.lower()}s" if quantity in swept else quantity] = ledger, full
    return found


def _plan(free: Model, ledgers: Mapping[str, tuple[Ledger, Ledger]], axes: dict[str, int]) -> Plan:
    """What is computed for each variable, and what must hold at every point."""
    lows = {name: row(name).least for name in axes}
    programs: dict[str, tuple[Program, Program | None]] = {}
    for name, (ledger, _) in ledgers.items():
        top, bottom = fixed(ledger.size, _fixed(ledger, axes))
        below = None if is_one(bottom) else program(horner(bottom), axes, lows)
        programs[name] = program(horner(top), axes, lows), below
    fulls = [full for _, full in ledgers.values()]
    values = {name: number for full in fulls for name, number in _fixed(full, axes).items()}
    checks: dict[Any, Check] = {}
    everywhere = lows, dict.fromkeys(axes, LARGEST), dict.fromkeys(axes, 1)
    for relation, left, right, says in _needed(free, fulls, values, axes):
        names = tuple(name for name in axes if name in {*_names(left), *_names(right)})
        check = Check(relation, program(left, axes, lows), program(right, axes, lows), says, names)
        if (relation, left, right) in checks or certain(check, *everywhere):
            continue
        if not names:
            raise SizeError(f"{free.title}: {says}")
        checks[relation, left, right] = check
    return Plan(axes, lows, programs, tuple(checks.values()))


def _fixed(ledger: Ledger, swept: Iterable[str]) -> dict[str, int]:
    return {name: number for name, number in ledger.values.items() if name not in swept}


def _names(form: Form) -> Iterator[str]:
    """The letters of a form."""
    if isinstance(form, Symbol):
        yield form.name
    elif isinstance(form, Sum):
        for _, part in form.terms:
            yield from _names(part)
    elif not isinstance(form, Number):
        for part in form.factors if isinstance(form, Product) else form.args if isinstance(form, Function) else form:
            yield from _names(part)


def _needed(free: Model, fulls: Iterable[Ledger], values: dict[str, int], swept: Collection[str]) -> Iterator[Needed]:
    """What must hold at every point, with what is the matter where it does not."""
    for c, follows in needs(free, fulls, swept):
        says = _fails(c, values) if follows is None else (
            f"{follows[0]} = {plain(follows[1])} is not a whole number of at least {row(follows[0]).least}")
        for side in (c.left, c.right):
            yield from ((*needed, f"{plain(side)} divides by zero") for needed in within(side, values))
        yield (*sides(c, values), says)
    for name, size in following(free, swept):
        if {*values, *swept}.issuperset(letters(size)):
            top, bottom = (horner(part) for part in fixed(size, values))
            yield "at most", top, Product((Number(LARGEST), bottom)), f"{name} = {plain(size)} is more than {LARGEST:,}"


def _fails(c: Condition, values: Mapping[str, int]) -> str:
    """A condition that does not hold, in words."""
    if c.relation == "divides" and isinstance(c.left, int) and c.left == 1:
        return f"{plain(c.right)} is no whole number"
    if c.relation == "at most" and isinstance(c.left, int) and not c.left:
        return f"{plain(c.right)} is less than nothing"
    _, verb = RELATIONS[c.relation]
    return f"{_named(c.left, values)} {verb} {_named(c.right, values)}"


def _named(size: Size, values: Mapping[str, int]) -> str:
    """A size as messages say it, with its number where it has one everywhere."""
    if isinstance(size, int):
        return f"{size:,}"
    has = all(name in values for name in letters(size))
    return f"{plain(size)} = {value(size, values):,}" if has else plain(size)


def _said(ledger: Ledger, swept: Iterable[str], *, marking: bool) -> dict[str, Any]:
    """What an answer says of itself: unit, convention, formula, and the sizes that were not swept."""
    others = [f"{name} = {number:,}" for name, number in _fixed(ledger, swept).items() if name in ledger.letters]
    found = {"unit": UNITS[ledger.unit], "convention": ledger.convention, "closed_form": text.form(formula(ledger)),
             "notes": "; ".join((*ledger.notes, *others))}
    return {**found, "unbuildable": UNBUILDABLE} if marking else found


def _listed(filled: Filled) -> str:
    return ", ".join(f"{says} ({count:,} point{'' if count == 1 else 's'}; the first: {first})"
                     for says, (count, first) in filled.reasons.items())


def _refusal(filled: Filled, total: int) -> str:
    count = sum(count for count, _ in filled.reasons.values())
    return (f"{count:,} of {total:,} points cannot be built: {_listed(filled)}; say unbuildable='mark' to have them "
            "marked")


def _skipped(filled: Filled, total: int, chunk: Any) -> str:
    """What a dataset says of points that have no value."""
    if chunk is not None:
        return "known when it is computed" if filled.buildable is not None else "nothing"
    count = sum(count for count, _ in filled.reasons.values())
    return f"{count:,} of {total:,} points cannot be built: {_listed(filled)}" if count else "nothing"


def _lazy(np: Any, plan: Plan, columns: Mapping[str, Any], names: list[str], *, marking: bool, total: int,
          chunk: int) -> Filled:
    """The same, of which Dask computes one chunk at a time."""
    try:
        import dask.array
    except ImportError:
        raise missing("chunks are computed by Dask", "sweep") from None
    shape = shape_of(plan.axes, columns)
    steps = tiles(shape, chunk)
    if prod(-(-n // step) for n, step in zip(shape, steps, strict=True)) > _MOST_CHUNKS:
        raise SizeError(f"{total:,} points in chunks of {chunk:,} are more than {_MOST_CHUNKS:,} chunks; say a larger "
                        "chunk")
    parts = [part for name, column in columns.items()
             for part in (_chunked(np, name, column, steps[plan.axes[name]]), (plan.axes[name],))]

    def later(wanted: str, dtype: Any) -> Any:
        return dask.array.blockwise(chunk_of, tuple(range(len(shape))), *parts, plan=plan, wanted=wanted,
                                    marking=marking, total=total, dtype=dtype, meta=np.empty((0,) * len(shape), dtype))

    return Filled({name: later(name, np.int64) for name in names}, later("", bool) if marking else None, {})


def _chunked(np: Any, name: str, column: Any, step: int) -> Any:
    """A column as an array of Dask; where it is sent to other machines, in as few bytes as it needs."""
    import dask.array

    if _later(name, column):
        return column.rechunk(step)
    if dask.config.get("scheduler", None) == "dask.distributed" and column.min() >= 0:
        column = column.astype(np.min_scalar_type(column.max()))
    return dask.array.from_array(column, chunks=step, name=False)


def chunk_of(*columns: Any, plan: Plan, wanted: str, marking: bool, total: int) -> Any:
    """One chunk of a variable, or with no name which of its points can be built; what a worker of Dask runs."""
    import numpy as np

    by_name = dict(zip(plan.axes, columns, strict=True))
    filled = fill(np, plan, by_name, [wanted] if wanted else [], marking=marking, total=total, growing=False)
    if filled.reasons and not marking:
        raise SizeError("in one chunk " + _refusal(filled, prod(shape_of(plan.axes, by_name))))
    return filled.results[wanted] if wanted else filled.buildable
