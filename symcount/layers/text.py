"""Parts of encoders of text that some families share: maps in groups, narrow word vectors, what is stored and idle."""

from __future__ import annotations

from symcount.layers.dense import dropped, linear
from symcount.layers.encoder import typed
from symcount.network import contract, idle, merge, pointwise, rename, split, weight
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def grouped(x: Tensor, name: str, groups: Size, *, over: str = "d", **out: Size) -> Tensor:
    """Each group of the numbers goes to its own part of the result: in·out/groups + out parameters."""
    (axis, size), = out.items()
    parts = rename(split(x, over, groups=groups, p=None), p="p'")
    w = weight(f"{name}.weight", out="groups p", **{"p'": parts.axes["p'"]}, groups=groups, p=per(size, groups))
    y = merge(contract(parts, w, to="b s groups p", name=name), **{axis: "groups p"})
    return pointwise(y, weight(f"{name}.bias", kinds="bias", **out), kind="bias", name=name)


def stored(x: Tensor, name: str, width: Size, *, bias: bool = True, **out: Size) -> Tensor:
    """x, and beside it a linear map from so many numbers, which is stored and does not run."""
    made = [weight(f"{name}.weight", out=" ".join(out), into=width, **out)]
    return idle(x, *made, *([weight(f"{name}.bias", kinds="bias", **out)] if bias else []))


def stored_norm(x: Tensor, name: str, d: Size) -> Tensor:
    """The same for a norm: 2d parameters."""
    return idle(x, weight(f"{name}.weight", kinds="norm", d=d), weight(f"{name}.bias", kinds="norm bias", d=d))


def narrow(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)e + 2e parameters, and where e is not d, ed + d to come to the width of the layers.

    Source: Clark et al. 2020, "ELECTRA", section 3.3.
    """
    x, word = typed(ids, types, z, z.e)
    x = dropped(x)
    return (linear(x, "project", d=z.d) if z.projected else x), word


def last_choice(x: Tensor) -> Tensor:
    """A score of the last token for each choice, a text of the batch: d + 1 parameters."""
    return linear(pointwise(x, kind="last", to="b d"), "classifier", score=1)
