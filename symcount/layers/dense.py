"""Linear maps, look-up tables and norms."""

from __future__ import annotations

from symcount.network import contract, cut, keep, lookup, merge, pointwise, rename, split, tensor, weight
from symcount.scopes import adapters, matches
from symcount.sizes import bounded, per
from symcount.tensors import Tensor, need

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.polynomials import Size


def linear(x: Tensor, name: str, *, over: str = "d", bias: bool = True, w: Tensor | None = None,
           **out: Size) -> Tensor:
    """y = xW + b over the axes `over`, which go, to the axes `out`, which come.

    Parameters: in·out (+ out with a bias); multiply-adds: (all other axes of x)·in·out.
    `w` is a weight made elsewhere (tied): nothing is made but the bias. An axis that is both in and out
    is primed on the way in, so that d → d is an ordinary weight.

    >>> from symcount.network import tensor
    >>> linear(tensor(b=1, s=3, d=4), "up", h=8)
    up[b=1 s=3 h=8]
    """
    summed = over.split()
    for axis in summed:
        need(x, axis, name)
    primed = {axis: axis + "'" for axis in summed if axis in out and w is None}
    x = rename(x, **primed) if primed else x
    summed = [primed.get(axis, axis) for axis in summed]
    if w is None:
        w = weight(f"{name}.weight", out=" ".join(out), **{axis: x.axes[axis] for axis in summed}, **out)
    to = " ".join([*(axis for axis in x.axes if axis not in summed), *out])
    y = adapted(contract(x, w, to=to, name=name), x, name, summed, out)
    return pointwise(y, weight(f"{name}.bias", kinds="bias", **out), kind="bias", name=name) if bias else y


def grouped_linear(x: Tensor, name: str, groups: Size, *, over: str = "d", **out: Size) -> Tensor:
    """Each group of the numbers goes to its own part of the result: in·out/groups + out parameters."""
    (axis, size), = out.items()
    parts = rename(split(x, over, groups=groups, p=None), p="p'")
    w = weight(f"{name}.weight", out="groups p", **{"p'": parts.axes["p'"]}, groups=groups, p=per(size, groups))
    y = merge(contract(parts, w, to="b s groups p", name=name), **{axis: "groups p"})
    return pointwise(y, weight(f"{name}.bias", kinds="bias", **out), kind="bias", name=name)


def adapted(y: Tensor, x: Tensor, name: str, summed: list[str], out: Mapping[str, Size]) -> Tensor:
    """y + (xA)B where the model asks for an adapter on this map: r(in + out) parameters, else y.

    Source: Hu et al. 2021, "LoRA", section 4.1.
    """
    names, r = adapters.get()
    if not any(matches(y.path, wanted) for wanted in names):
        return y
    down = weight(f"{name}.lora_A", kinds="adapter", out="rank", **{axis: x.axes[axis] for axis in summed}, rank=r)
    up = weight(f"{name}.lora_B", kinds="adapter", out=" ".join(out), rank=r, **out)
    kept = " ".join(axis for axis in x.axes if axis not in summed)
    low = contract(contract(x, down, to=f"{kept} rank", name=f"{name}.lora_A"), up, to=" ".join(y.axes),
                   name=f"{name}.lora_B")
    return pointwise(y, low, kind="add", name=f"{name}.lora")


def norm(x: Tensor, name: str, *, over: str = "d", shift: bool = True,
         kind: str | None = None) -> Tensor:
    """Normalise over the axes `over`, then scale, and shift unless `shift=False`: in parameters 2·d, or d.

    LayerNorm (Ba et al. 2016) has a shift, RMSNorm (Zhang and Sennrich 2019) has none; for one that is neither
    (LayerNorm without a shift), say kind="layer_norm".
    """
    kind = kind or ("layer_norm" if shift else "rms_norm")
    axes = {axis: need(x, axis, name) for axis in over.split()}
    y = pointwise(x, weight(f"{name}.weight", kinds="norm", **axes), kind=kind, name=name)
    return pointwise(y, weight(f"{name}.bias", kinds="norm bias", **axes), kind="bias", name=name) if shift else y


def plain_rms_norm(x: Tensor, name: str) -> Tensor:
    """An RMSNorm without a gain: no parameters."""
    return pointwise(x, kind="rms_norm", name=name)


def dropped(x: Tensor, name: str = "dropout") -> Tensor:
    """x, of which training puts some numbers at 0: no parameters, no work; training keeps which ones.

    Source: Srivastava et al. 2014, "Dropout", section 4.
    """
    return pointwise(x, kind="dropout", name=name)


def drops(part: str, *, dropout: bool | str) -> bool:
    """Whether training drops out at this part: everywhere, nowhere, or where it is named.

    >>> drops("mlp", dropout="softmax mlp"), drops("output", dropout="softmax mlp"), drops("output", dropout=True)
    (True, False, True)
    """
    return dropout if isinstance(dropout, bool) else part in dropout.split()


def embed(ids: Tensor, name: str, **axes: Size) -> tuple[Tensor, Tensor]:
    """Rows of a table with these axes, the indexed one first, and the table itself, to be tied.

    Parameters: V·d; work: none.
    """
    table = weight(f"{name}.weight", kinds="embedding", **axes)
    return lookup(ids, table, name), table


def words(z: Any) -> tuple[Tensor, Tensor]:
    """b texts of s words, each as a row of the word table, and the table: Vd parameters.

    In a model that sees, `z.among` stand in the rows of some words: vectors of patches, (b' s' d).
    """
    x, table = embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.V, d=z.d)
    for one in z.among:
        x = pointwise(x, one, kind="place", to="b s d")
    return x, table


def positions(x: Tensor, name: str, *, P: Size, t: Size, skip: int = 0, stored: str = "parameter") -> Tensor:
    """Add one learned vector to each of x's s positions, the last of t: P·d parameters; t beyond P is a SizeError.

    `skip` rows more stand before the first position, (P + skip)d; stored="frozen": sinusoids that a checkpoint holds.
    """
    table = weight(f"{name}.weight", kinds="embedding", stored=stored, P=P + skip if skip else P, d=x.axes["d"])
    if skip:
        _, table = cut(table, "P", skip, P)
    s = bounded(x.axes["s"], t)
    _, last = cut(keep(table, P=t), "P", t - s, s)
    return pointwise(x, rename(last, P="s"), kind="add", name=name)
