"""The tensors of a checkpoint: how transformers names, fuses and shapes what our network makes."""

from __future__ import annotations

from collections import namedtuple
from math import prod

from symcount.errors import ModelError
from symcount.formulas import read
from symcount.network import weights
from symcount.readers import repeats
from symcount.sizes import value

TYPE_CHECKING = False
if TYPE_CHECKING:

    from symcount.architecture import Model, Names
    from symcount.tensors import Tensor

# name: with {i} for the number of a layer; shape: of one of them; count: how many there are; paths: ours
Stored = namedtuple("Stored", "name shape count paths")


def checkpoint(model: Model) -> list[Stored]:
    """The parameters as the checkpoint of the model names them, tied ones once, in the order of our network.

    A linear map is stored [out, in]; several of ours may be one of theirs (query, key and value), one after another
    along the first dimension. The shapes are those of `named_parameters()` in PyTorch.

    >>> from symcount import model
    >>> checkpoint(model("llama-7b"))[1][:3]
    ('model.layers.{i}.input_layernorm.weight', (4096,), 32)

    Raises ModelError for a part whose name is not known.
    """
    found: dict[tuple[str, tuple[int, ...]], Stored] = {}
    table = _table(model)
    made = {path: x for path, (x, *_) in weights(model.network(model.number)).items()
            if x.details["stored"] != "buffer"}
    layers = _layers(model)
    groups: dict[tuple[str, str, int], list[str]] = {}  # only what is made in one layer is stored as one
    told: dict[str, str | None] = {}
    for path, x in made.items():
        count = value(prod((runs for _, runs in repeats(x.scope.home if x.scope else None)), start=1), {})
        name, form = _named(model, path, table)
        told[name] = form
        if count:
            groups.setdefault((name, layers[path], count), []).append(path)
    for (name, _, runs), paths in groups.items():
        shape, count = _shape([made[path] for path in paths]), runs
        if (said := told[name]) is not None:
            elements = prod(shape) * runs
            shape = tuple(value(read(side, model.number), {}) for side in said.split())
            if elements % prod(shape):
                raise ModelError(f"{model.name}: {name} has {elements:,} numbers, which is no multiple of {shape}")
            count = elements // prod(shape)
        old = found.get((name, shape))
        found[name, shape] = Stored(name, shape, count + (old.count if old else 0),
                                    tuple(dict.fromkeys((*(old.paths if old else ()), *paths))))
    return list(found.values())


def _layers(model: Model) -> dict[str, str]:
    """The repeated part of the network that each weight is in; over letters, for which one layer is a number too."""
    found = {}
    for path, (x, *_) in weights(model.network()).items():
        around = repeats(x.scope.home if x.scope else None)
        found[path] = next((part for part, runs in reversed(around) if not isinstance(runs, int)), "")
    return found


def _table(model: Model) -> dict[str, tuple[str, str | None]]:
    """{our path: (theirs, its dimensions or None)} of the model's class."""
    architecture = model.architecture
    first = next(iter(architecture.classes))
    base = architecture.base if isinstance(architecture.base, str) else architecture.base.get(
        model.cls, architecture.base.get("", ""))
    base = "" if model.cls == first else base
    heads = {**architecture.stored_heads, **(architecture.stored_heads.get(model.cls) or {})}
    return {**_paths(architecture.stored, base + "." if base else ""), **_paths(heads, "")}


def _paths(names: Names, base: str) -> dict[str, tuple[str, str | None]]:
    found = {}
    for ours, theirs in names.items():
        if isinstance(theirs, dict):  # the names of one class
            continue
        name, shape = theirs if isinstance(theirs, tuple) else (theirs, None)
        found.update(dict.fromkeys(ours if isinstance(ours, tuple) else (ours,), (base + name, shape)))
    return found


def _named(model: Model, path: str, table: dict[str, tuple[str, str | None]]) -> tuple[str, str | None]:
    """Their name of one of our weights. An entry for `layers.mlp` serves `layers.dense.mlp` too."""
    parts = path.split(".")
    for found in (path, ".".join([parts[0], *parts[2:]])):
        if found in table:
            return table[found]
        module, _, leaf = found.rpartition(".")
        if module in table:
            name, shape = table[module]
            return f"{name}.{leaf}", shape if leaf == "weight" else None
    raise ModelError(f"{model.title}: it is not known how a checkpoint names {path}")


def _shape(made: list[Tensor]) -> tuple[int, ...]:
    """The dimensions of one of ours, or of several one after another: of a linear map the outputs first, as one."""
    shapes = []
    for x in made:
        out, kinds = x.details["out"], x.details["kinds"]
        sizes = {axis: value(size, {}) for axis, size in x.axes.items()}
        if not out:
            shapes.append((prod(sizes.values()),) if "bias" in kinds else tuple(sizes.values()))
            continue
        inner = [sizes[axis] for axis in sizes if axis not in out]
        shapes.append((prod(sizes[axis] for axis in out), *(inner if "kernel" in kinds else [prod(inner)])))
    first, *_ = shapes
    return (sum(shape[0] for shape in shapes), *first[1:])
