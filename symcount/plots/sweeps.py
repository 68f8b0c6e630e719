"""A sweep as a cloud of points, with its front."""

from __future__ import annotations

from symcount.errors import ModelError
from symcount.plots.page import COLOURS, beside, page, styled
from symcount.symbols import known, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from matplotlib.figure import Figure

_SENSES = {"left and lower": (1, 1), "left and higher": (1, -1), "right and lower": (-1, 1),
           "right and higher": (-1, -1)}  # where the better points lie: the signs with which less is better
_QUANTITIES = {"params": "parameters", "active": "active parameters", "macs": "multiply-adds", "flops": "FLOPs",
               "memory": "memory, bytes", "kv": "keys and values, bytes", "activations": "activations, bytes",
               "traffic": "traffic, bytes"}
_MANY = 5_000  # points: a picture of lines keeps more as dots of a grid
_LABELLED = 6


def frontier(points: Any, front: Any, x: str, y: str) -> Figure:
    """A sweep as a cloud, and through it the front of those points that no other point beats in both quantities.

    `points` and `front` hold the variables x and y: mappings of arrays, or xarray Datasets, whose attributes
    `long_name` and `units` name the axes. What else the front holds under the letter of a size labels its points.

    >>> cloud = {"params": [1, 2, 3], "flops": [4, 2, 9], "d": [8, 16, 24]}
    >>> best = {"params": [1, 2], "flops": [4, 2], "d": [8, 16]}
    >>> [int(x) for x in frontier(cloud, best, "params", "flops").axes[0].lines[0].get_xdata()]
    [1, 2]

    Raises ModelError where a variable is missing, no point is there, a number is not above zero, or a point of the
    front is beaten or is none of the points.
    """
    with styled():
        import numpy

        cloud, best = _pairs(points, x, y), _pairs(front, x, y)
        order = numpy.lexsort((best[1], best[0]))
        best = best[:, order]
        if {*zip(*best.tolist(), strict=True)} - {*zip(*cloud.tolist(), strict=True)}:
            raise ModelError(f"a point of the front of {x} and {y} is none of the points")
        senses = [sense for sense, signs in _SENSES.items() if _unbeaten(cloud, best, signs)]
        if not senses:
            raise ModelError(f"this is no front of {x} and {y}: whichever way they are better, another point beats one "
                             "of it")
        sizes = {name: _flat(front[name])[order] for name in _variables(front) if name not in (x, y) and known(name)}
        names = _axis(points, x), _axis(points, y)
        said = f"front: {len(order):,} points"
        if len(senses) == 1:
            said += f"; no other lies further {senses[0]}"
        return _drawn(cloud, best, names, sizes, said)


def _drawn(cloud: Any, best: Any, names: tuple[str, str], sizes: dict[str, Any], said: str) -> Figure:
    import numpy

    y, x = (name.partition(",")[0] for name in reversed(names))
    title = f"{y[0].upper()}{y[1:]} over {x} of {len(cloud[0]):,} points, with their front"
    axes = page(7.6, 4.8, title, said, left=0.95, right=0.35)
    axes.set(xscale="log", yscale="log", xlabel=names[0], ylabel=names[1])
    axes.scatter(*cloud, s=14, color="#9A9A9A", alpha=0.6, linewidths=0, rasterized=len(cloud[0]) > _MANY,
                 label="points")
    axes.plot(*best, "o-", color=COLOURS[2], markersize=5, linewidth=1.6, label="front")
    axes.margins(0.15)  # room for labels
    axes.grid(visible=True, color="#E6E6E6", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(loc="best", frameon=True, fontsize=8)
    if sizes:
        count = len(best[0])
        chosen = sorted({round(i * (count - 1) / max(1, _LABELLED - 1)) for i in range(_LABELLED)})
        few = cloud[:, ::max(1, len(cloud[0]) // 2_000)]
        beside(axes, [(float(best[0][i]), float(best[1][i]),
                       ", ".join(f"{name} = {int(own[i]):,}" for name, own in sizes.items())) for i in chosen],
               numpy.concatenate([few, *[best] * 4], axis=1).T)  # the front is hidden last
    figure: Figure = axes.figure
    return figure


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


def _axis(points: Any, name: str) -> str:
    """Quantity and unit: what the variable says of itself, else what the name is known to mean."""
    about = getattr(points[name], "attrs", {})
    if "units" in about:
        called = about.get("long_name", name)
        return str(called) if called == about["units"] else f"{called}, {about['units']}"
    return f"{name}, {row(name).meaning}" if known(name) else _QUANTITIES.get(name, name)
