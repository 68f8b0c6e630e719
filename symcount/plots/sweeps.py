"""A sweep as a cloud of points, with its front."""

from __future__ import annotations

from symcount.errors import ModelError
from symcount.plots import words
from symcount.plots.page import COLOURS, beside, page, styled, wrapped
from symcount.readers.quantities import QUANTITIES, called
from symcount.symbols import known, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from matplotlib.figure import Figure

_SENSES = {"left and lower": (1, 1), "left and higher": (1, -1), "right and lower": (-1, 1),
           "right and higher": (-1, -1)}  # where the better points lie: the signs with which less is better
_MANY = 5_000  # points: a picture of lines keeps more as dots of a grid
_LABELLED = 6


def frontier(points: Any, front: Any, x: str, y: str) -> Figure:
    """A sweep as a cloud, and through it the front of those points that no other point beats in both quantities.

    `points` and `front` hold the variables x and y: mappings of arrays, or xarray Datasets as a sweep makes them, whose
    attributes say unit, conventions and model; a point that is False in `buildable` is left out. Points of the front
    are labelled with their sizes: the coordinates of a Dataset, the letters among the keys of a mapping (there kv is
    the quantity).

    >>> cloud = {"params": [1, 2, 3], "flops": [4, 2, 9], "d": [8, 16, 24]}
    >>> best = {"params": [1, 2], "flops": [4, 2], "d": [8, 16]}
    >>> [int(x) for x in frontier(cloud, best, "params", "flops").axes[0].lines[0].get_xdata()]
    [1, 2]

    Raises ModelError where a variable is missing, no point is there, a number is not above zero, or a point of the
    front is beaten or is none of the points.
    """
    with styled():
        import numpy

        said = [words.said([(name, _notes(points[name])) for name in (x, y) if name in points])]
        cloud, best = _pairs(points, x, y), _pairs(front, x, y)
        order = numpy.lexsort((best[1], best[0]))
        best = best[:, order]
        if not numpy.isin(best[0] + 1j * best[1], cloud[0] + 1j * cloud[1]).all():
            raise ModelError(f"a point of the front of {x} and {y} is none of the points")
        senses = [sense for sense, signs in _SENSES.items() if _unbeaten(cloud, best, signs)]
        if not senses:
            raise ModelError(f"this is no front of {x} and {y}: whichever way they are better, another point beats one "
                             "of it")
        sizes = {name: _flat(front[name])[order] for name in _variables(front)
                 if name not in (x, y) and _is_size(front, name) and _flat(front[name]).size == order.size}
        said.append(f"front: {len(order):,} points" + (
            f", no other lies further {senses[0]}" if len(senses) == 1 else ""))
        if left_out := numpy.asarray(points["buildable"]).size - len(cloud[0]) if "buildable" in points else 0:
            said.append(f"points left out that cannot be built: {left_out:,}")
        y_name, x_name = (_quantity(points, name).partition(",")[0] for name in (y, x))
        of = getattr(points, "attrs", {}).get("model", f"{len(cloud[0]):,} points")
        title = f"{y_name[0].upper()}{y_name[1:]} over {x_name} of {of}, with the front"
        return _drawn(cloud, best, (_quantity(points, x), _quantity(points, y)), sizes,
                      (title, "; ".join(filter(None, said))))


def _drawn(cloud: Any, best: Any, names: tuple[str, str], sizes: dict[str, Any], said: tuple[str, str]) -> Figure:
    import numpy

    axes = page(7.6, 4.8, *said, left=0.95, right=0.35, above=0.4)
    axes.set(xscale="log", yscale="log")
    axes.set_xlabel(names[0], parse_math=False)
    axes.set_ylabel(names[1], parse_math=False)
    axes.scatter(*cloud, s=14, color="#9A9A9A", alpha=0.6, linewidths=0, rasterized=len(cloud[0]) > _MANY,
                 label="points")
    axes.plot(*best, "o-", color=COLOURS[2], markersize=5, linewidth=1.6, label="front")
    axes.margins(0.15)  # room for labels
    axes.grid(visible=True, color="#E6E6E6", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=8)  # outside: nothing to hide
    if sizes:
        few = cloud[:, ::max(1, len(cloud[0]) // 2_000)]
        beside(axes, _labels(best, sizes), numpy.concatenate([few, *[best] * 4], axis=1).T)  # the front is hidden last
    figure: Figure = axes.figure
    return figure


def _labels(best: Any, sizes: dict[str, Any]) -> list[tuple[float, float, str]]:
    """Some points of the front, evenly taken, with their sizes: several values where several lie in one place."""
    places: dict[tuple[float, float], list[int]] = {}
    for i, place in enumerate(zip(*best.tolist(), strict=True)):
        places.setdefault(place, []).append(i)
    every = list(places)
    found = []
    for i in sorted({round(k * (len(every) - 1) / (_LABELLED - 1)) for k in range(_LABELLED)}):
        said = [f"{name} = {' or '.join(dict.fromkeys(f'{own[at]:,}' for at in places[every[i]]))}"
                for name, own in sizes.items()]
        found.append((*every[i], "\n".join(wrapped(", ".join(said), 2.6, 8))))
    return found


def _pairs(points: Any, x: str, y: str) -> Any:
    """Two rows of numbers, x and y."""
    import numpy

    for name in (x, y):
        if name not in points:
            raise ModelError(f"the points have no '{name}'; known: {', '.join(map(str, _variables(points)))}")
    a, b = points[x], points[y]
    if hasattr(a, "broadcast_like"):  # of xarray: the dimensions have names
        a = a.broadcast_like(b)
        b = b.broadcast_like(a).transpose(*a.dims)
    one, two = _flat(a), _flat(b)
    if "buildable" in points:
        there = points["buildable"]
        there = _flat(there.broadcast_like(a).transpose(*a.dims) if hasattr(there, "dims") else there).astype(bool)
        one, two = one[there], two[there]
    if len(one) != len(two) or not len(one):
        raise ModelError(f"{x} has {len(one):,} values and {y} has {len(two):,}: a point takes one of each")
    pairs = numpy.array([one, two], float)
    if not (numpy.isfinite(pairs) & (pairs > 0)).all():
        raise ModelError(f"{x} and {y} must be numbers above zero: the axes are logarithmic")
    return pairs


def _flat(values: Any) -> Any:
    import numpy

    return numpy.asarray(values).ravel()


def _variables(points: Any) -> list[str]:
    return [*getattr(points, "coords", ()), *points]


def _unbeaten(cloud: Any, best: Any, signs: tuple[int, int]) -> bool:
    """Whether no point has a better x and y, of which one is truly better, than a point of the front."""
    import numpy

    (px, py), (fx, fy) = (array * numpy.array([signs]).T for array in (cloud, best))
    order = numpy.lexsort((-fy, fx))
    fx, worst = fx[order], numpy.maximum.accumulate(fy[order][::-1])[::-1]
    first = numpy.searchsorted(fx, px, "left")  # from here on the points of the front have no better x
    after = numpy.searchsorted(fx, px, "right")
    bound = numpy.append(worst, -numpy.inf)
    return not ((bound[first] > py) | (bound[after] >= py)).any()


def _quantity(points: Any, name: str) -> str:
    """Quantity and unit: what the variable says of itself, else what the name is known to mean."""
    if _is_size(points, name):
        return f"{name}, {row(name).meaning}"
    unit = getattr(points[name], "attrs", {}).get("unit", "")
    bare = name.removesuffix(f"_{unit}")
    module = QUANTITIES[bare.partition("@")[0]][0] if bare.partition("@")[0] in QUANTITIES else ""
    unit = unit or ("bytes" if module in ("memory", "traffic") else "")
    said = called(bare)
    return said if not unit or said.endswith(unit) else f"{said}, {unit}"


def _is_size(points: Any, name: Any) -> bool:
    """Whether a name is a size; kv is the key-value heads among coordinates, and a quantity elsewhere."""
    if hasattr(points, "coords"):
        return name in points.coords and known(str(name))
    return known(name) and name not in QUANTITIES


def _notes(variable: Any) -> list[str]:
    notes = getattr(variable, "attrs", {}).get("notes", "")
    return notes.split("; ") if notes else []
