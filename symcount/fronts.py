"""Pareto fronts: the points of a sweep that no other equals in all that is asked for and betters in something."""

from __future__ import annotations

from symcount.errors import ModelError, SizeError, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def frontier(dataset: Any, least: Any = "kv", most: Any = "params") -> Any:
    """The points with as little as can be of `least` for as much as there is of `most`: a Dataset along `point`.

    Either is the name of a variable, or several. Points with equal numbers are all kept; points that cannot be built
    take no part. They are in the order of the first of `least`, sizes are coordinates. For two variables the time is
    that of sorting, n log n; for more it grows with the length of the front.

    >>> import xarray
    >>> table = xarray.Dataset({"kv": ("m", [3, 1, 2]), "params": ("m", [9, 5, 4])}, {"d": ("m", [64, 32, 16])})
    >>> frontier(table).d.values.tolist()
    [32, 64]

    Raises ModelError for a name that is no variable, SizeError for numbers that are none (NaN).
    """
    import numpy as np

    asked = [*_names(least), *_names(most)]
    known = [str(name) for name in dataset.data_vars if name != "buildable"]
    for name in asked:
        if name not in known:
            raise ModelError(f"the sweep has no variable '{name}'; {nearest(str(name), known)}")
    if not asked or len(set(asked)) < len(asked):
        raise ModelError(f"least = {least!r}, most = {most!r}: a front is of one variable or several, each once")
    shape = tuple(dataset.sizes.values())
    there = np.arange(int(np.prod(shape)))
    if "buildable" in dataset:
        there = np.flatnonzero(_flat(np, dataset, "buildable"))
    ranks: list[Any] = []
    for name in asked:
        numbers = _flat(np, dataset, name)[there]
        if numbers.dtype.kind == "f" and np.isnan(numbers).any():
            raise SizeError(f"{name} is no number (NaN) at {int(np.isnan(numbers).sum()):,} points")
        _, rank = np.unique(numbers, return_inverse=True)  # so Python's ints are compared once, and most is -least
        ranks.append(rank if len(ranks) < len(_names(least)) else -rank)
    at = np.unravel_index(there[_front(np, ranks)], shape)
    import xarray

    return dataset.isel({dim: xarray.DataArray(i, dims="point") for dim, i in zip(dataset.sizes, at, strict=True)})


def _names(given: Any) -> list[Any]:
    return [given] if isinstance(given, str) else list(given)


def _flat(np: Any, dataset: Any, name: str) -> Any:
    """All values of a variable, in the order of the points."""
    import xarray

    whole = dataset[name].broadcast_like(xarray.DataArray(np.zeros(tuple(dataset.sizes.values()), bool),
                                                          dims=tuple(dataset.sizes)))
    return np.asarray(whole.transpose(*dataset.sizes).values).ravel()


def _front(np: Any, ranks: list[Any]) -> Any:
    """Which rows no other row comes before, in order; of two columns those that go below all before them."""
    order = np.lexsort(ranks[::-1])
    rows = np.stack([rank[order] for rank in ranks], 1)
    if not len(rows):
        return order
    new = np.r_[True, (rows[1:] != rows[:-1]).any(1)]  # equal rows are kept or left out together
    apart = rows[new]
    if apart.shape[1] == 1:
        kept = np.arange(len(apart)) == 0
    elif apart.shape[1] == 2:
        lowest = np.minimum.accumulate(apart[:, 1])
        kept = np.r_[True, apart[1:, 1] < lowest[:-1]]
    else:
        kept = _undominated(np, apart)
    return order[kept[np.cumsum(new) - 1]]


def _undominated(np: Any, rows: Any) -> Any:
    """Which of these sorted, distinct rows no other is at most in every column: a later row never is."""
    left = np.arange(len(rows))
    kept = np.zeros(len(rows), bool)
    while len(left):
        kept[left[0]] = True
        rest = left[1:]
        left = rest[(rows[rest] < rows[left[0]]).any(1)]
    return kept
