"""Convolutions: a linear map over a window that slides along an axis."""

from __future__ import annotations

from symcount.network import contract, pointwise, rename, weight, window
from symcount.tensors import Tensor, need

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size


def convolution(x: Tensor, name: str, *, w: Size, over: str = "c", along: str = "s", stride: Size = 1, pad: Size = 0,
                bias: bool = True, **out: Size) -> Tensor:
    """A kernel of w steps along one axis, from the axis `over` to the axis `out`.

    Parameters: in·w·out (+ out with a bias); multiply-adds: as many as in·w·out for each position that comes out, and
    of n positions (n + 2·pad - w)//stride + 1 come out.

    >>> from symcount.network import tensor
    >>> convolution(tensor(b=1, s=3000, c=80), "stem", w=3, pad=1, stride=2, d=384)
    stem[b=1 s=1500 d=384]
    """
    need(x, over, name)
    into = over + "'" if over in out else over  # a letter both in and out is primed on the way in
    x = rename(x, **{over: into}) if into != over else x
    kernel = weight(f"{name}.weight", kinds="weight kernel", out=" ".join(out), **{into: x.axes[into]}, w=w, **out)
    to = " ".join([*(axis for axis in x.axes if axis != into), *out])
    y = contract(window(x, stride=stride, pad=pad, **{along: ("w", w)}), kernel, to=to, name=name)
    return pointwise(y, weight(f"{name}.bias", kinds="bias", **out), kind="bias", name=name) if bias else y
