"""The tensors of a checkpoint: how transformers names, fuses and shapes what our network makes."""

from __future__ import annotations

from collections import namedtuple
from math import prod

from symcount.errors import ModelError
from symcount.formulas import read
from symcount.network import weights
from symcount.scopes import repeats
from symcount.sizes import letters, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Model, Names
    from symcount.polynomials import Size
    from symcount.tensors import Tensor

    # {our path: (theirs, its dimensions or None, all that are stored as one with it)}
    Table = dict[str, tuple[str, str | None, tuple[str, ...]]]

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
    for x in made.values():
        if unknown := [name for size in (*x.axes.values(), *_runs(x)) for name in letters(size)]:
            raise ModelError(f"{model.name}: tensors of a checkpoint have shapes in numbers, and {unknown[0]} has none")
    groups: dict[Any, tuple[str, str | None, list[str]]] = {}
    for path in made:
        name, form, group = _named(model, path, table)
        groups.setdefault(group, (name, form, []))[2].append(path)
    for name, form, paths in groups.values():
        runs = {value(prod(_runs(made[path]), start=1), {}) for path in paths}
        if len(runs) > 1:
            raise ModelError(f"{model.name}: {name} fuses weights that are not made equally often")
        shape, count = _shape([made[path] for path in paths]), runs.pop()
        if form is not None:
            elements = count * sum(value(prod(made[path].axes.values(), start=1), {}) for path in paths)
            shape = tuple(n for side in form.split()
                          for n in (shape if side == "*" else (value(read(side, model.number), {}),)))
            if elements % prod(shape):
                raise ModelError(f"{model.name}: {name} has {elements:,} numbers, which is no multiple of {shape}")
            count = elements // prod(shape)
        if not count:
            continue
        old = found.get((name, shape))
        found[name, shape] = Stored(name, shape, count + (old.count if old else 0),
                                    tuple(dict.fromkeys((*(old.paths if old else ()), *paths))))
    return list(found.values())


def labels(model: Model) -> dict[str, str]:
    """{our path: the stored tensor it is in}: `model.layers.{i}.mlp.up_proj.weight [11008, 4096] × 32`."""
    return {path: f"{one.name} {list(one.shape)}" + (f" × {one.count}" if one.count > 1 else "")
            for one in checkpoint(model) for path in one.paths}


def _runs(x: Tensor) -> list[Size]:
    """How often a weight is made anew, scope by scope."""
    return [runs for _, runs in repeats(x.scope.home if x.scope else None)]


def _table(model: Model) -> Table:
    """The names of the model's class."""
    architecture = model.architecture
    first = next(iter(architecture.classes))
    base = architecture.base if isinstance(architecture.base, str) else architecture.base.get(
        model.cls, architecture.base.get("", ""))
    base = "" if model.cls == first else base
    heads = {**architecture.stored_heads, **(architecture.stored_heads.get(model.cls) or {})}
    return {**_paths(architecture.stored, base + "." if base else ""), **_paths(heads, "")}


def _paths(names: Names, base: str) -> Table:
    found: Table = {}
    for ours, theirs in names.items():
        if isinstance(theirs, dict):  # the names of one class
            continue
        name, shape = theirs if isinstance(theirs, tuple) else (theirs, None)
        fused = ours if isinstance(ours, tuple) else ()
        found.update(dict.fromkeys(fused or (ours,), (base + name, shape, fused)))
    return found


def _named(model: Model, path: str, table: Table) -> tuple[str, str | None, Any]:
    """Their name of one of our weights, its dimensions, and what all weights of one tensor share.

    An entry for `layers.mlp` serves `layers.dense.mlp` too, and one for `text.layers.mlp` `text.layers.dense.mlp`.
    """
    if ".lora_" in path:  # as the library peft names them
        map_, _, side = path.partition(".lora_")
        return f"{_named(model, f'{map_}.weight', table)[0].removesuffix('weight')}lora_{side}.weight", None, path
    parts = path.split(".")
    for found, kind in ((path, parts[:0]), *((".".join([*parts[:i], *parts[i + 1:]]), parts[i:i + 1]) for i in (1, 2))):
        module, _, leaf = found.rpartition(".")
        for known, more in ((found, ""), (module, f".{leaf}")):
            if known in table:
                name, shape, fused = table[known]
                return name + more, shape if more in ("", ".weight") else None, (fused, more, *kind) if fused else path
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
        *places, last = [sizes[axis] for axis in sizes if axis not in out]
        inner = [last, *places] if "kernel" in kinds else [prod(places, start=last)]  # a kernel: channels first
        shapes.append((prod(sizes[axis] for axis in out), *inner))
    first, *others = shapes
    return (sum(shape[0] for shape in shapes), *first[1:]) if others else first  # a scalar has no dimension
