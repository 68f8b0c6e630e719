"""Sweeps as files: CSV, JSON, NetCDF and Zarr, each written whole or not at all."""

from __future__ import annotations

from symcount.errors import ModelError, SizeError, clipped, missing
from symcount.files import whole
from symcount.filling import blocks
from symcount.workers import watched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_ROWS = 100_000  # points that are turned into rows together


def write(dataset: Any, path: Any) -> None:
    """Write a sweep to a file, as its suffix says: .csv, .json, .nc (NetCDF) or .zarr.

    .csv   a row for each point that can be built: its sizes, then its values
    .json  {"model", "skipped", "variables": {name: {"unit", …}}, "points": [{size or name: value}]}, these points alone
    .nc, .zarr   the Dataset as it is, for `xarray.open_dataset` and `xarray.open_zarr`

    A file that is there is replaced, once the new one is whole; a folder of Zarr is not. Variables in chunks of Dask
    are computed chunk by chunk.

    Raises ModelError for another suffix and for a place that cannot be written, SizeError for numbers that the format
    cannot hold, SymcountError, with the extra that brings it, for a library that is missing.
    """
    import os

    target = os.path.realpath(os.fspath(path))
    suffix = os.path.splitext(target)[1].lower()
    if suffix not in FORMATS:
        raise ModelError(f"{clipped(str(path))}: a sweep is written as {', '.join(FORMATS)}")
    if suffix == ".zarr" and os.path.exists(target):
        raise ModelError(f"{clipped(str(path))} is there already, and a folder is not replaced; name another")
    try:
        with whole(target) as kept:
            FORMATS[suffix](dataset, kept)
    except (OSError, UnicodeError) as error:
        raise ModelError(f"cannot write {clipped(target, 200)}: {getattr(error, 'strerror', None) or error}") from None


def _csv(dataset: Any, path: str) -> None:
    import csv

    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns(dataset))
        for rows in points(dataset):
            out.writerows(rows)


def _json(dataset: Any, path: str) -> None:
    import json

    names = columns(dataset)
    told = {name: {key: value for key, value in dataset[name].attrs.items() if key != "unbuildable"}
            for name in dataset.data_vars if name != "buildable"}
    head = json.dumps({**dataset.attrs, "variables": told}, ensure_ascii=False)
    with open(path, "w", encoding="utf-8") as file:
        file.write(head[:-1] + ', "points": [')
        between = "\n"
        for rows in points(dataset):
            for row in rows:
                file.write(between + json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False))
                between = ",\n"
        file.write("\n]}\n")


def columns(dataset: Any) -> list[str]:
    """The columns of a table: sizes, then variables."""
    return [*map(str, dataset.coords), *(str(name) for name in dataset.data_vars if name != "buildable")]


def points(dataset: Any) -> Iterator[list[tuple[Any, ...]]]:
    """The points that can be built as rows of Python's numbers, so many at a time."""
    import xarray

    shape = tuple(dataset.sizes.values())
    for at in watched([*blocks(shape, _ROWS)]):
        part = dataset.isel(dict(zip(dataset.sizes, at, strict=True))).compute()
        there = part["buildable"].values.ravel() if "buildable" in part else slice(None)
        grids = xarray.broadcast(*(part[name] for name in columns(dataset)))
        lists = [one.transpose(*dataset.sizes).values.ravel()[there].tolist() for one in grids]
        yield [*zip(*lists, strict=True)]


def _netcdf(dataset: Any, path: str) -> None:
    _held_by(dataset, "NetCDF", "netCDF4").to_netcdf(path, engine="netcdf4")


def _zarr(dataset: Any, path: str) -> None:
    _held_by(dataset, "Zarr", "zarr").to_zarr(path, consolidated=False)


def _held_by(dataset: Any, what: str, library: str) -> Any:
    """The dataset, if there is the library that writes such files, and its numbers can be in them."""
    from importlib.util import find_spec

    if find_spec(library) is None:
        raise missing(f"{what} is written by {library}", "sweep")
    wide = [str(name) for name in dataset.data_vars if dataset[name].dtype == object]
    if wide:
        raise SizeError(f"{' and '.join(wide)} has numbers beyond 64 bits, which {what} cannot hold; .csv and .json do")
    return dataset


FORMATS = {".csv": _csv, ".json": _json, ".nc": _netcdf, ".zarr": _zarr}
