"""Convolutions and pooling: along one axis, or over images with rows `i`, columns `j` and channels `c`."""

from __future__ import annotations

from symcount.network import concat, contract, merge, pointwise, rename, split, tensor, weight, window, within
from symcount.sizes import per
from symcount.tensors import Tensor, need

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size


def conv1d(x: Tensor, name: str, *, w: Size, over: str = "c", along: str = "s", stride: Size = 1, pad: Size = 0,
           bias: bool = True, **out: Size) -> Tensor:
    """A kernel of w steps along one axis, from the axis `over` to the axis `out`.

    Parameters: in·w·out (+ out with a bias); multiply-adds: as many as in·w·out for each position that comes out, and
    of n positions (n + 2·pad - w)//stride + 1 come out.

    >>> from symcount.network import tensor
    >>> conv1d(tensor(b=1, s=3000, c=80), "stem", w=3, pad=1, stride=2, d=384)
    stem[b=1 s=1500 d=384]
    """
    need(x, over, name)
    into = over + "'" if over in out else over  # a letter both in and out is primed on the way in
    x = rename(x, **{over: into}) if into != over else x
    kernel = weight(f"{name}.weight", kinds="weight kernel", out=" ".join(out), w=w, **{into: x.axes[into]}, **out)
    to = " ".join([*(axis for axis in x.axes if axis != into), *out])
    y = contract(window(x, stride=stride, pad=pad, **{along: ("w", w)}), kernel, to=to, name=name)
    return pointwise(y, weight(f"{name}.bias", kinds="bias", **out), kind="bias", name=name) if bias else y


def grouped_kernel(name: str, d: Size, *, w: Size, groups: Size) -> Tensor:
    """From d to d channels in groups, over w steps: w·d²/groups parameters."""
    width = per(d, groups)
    return weight(f"{name}.weight", kinds="weight kernel", out="groups p", w=w, **{"p'": width}, groups=groups, p=width)


def grouped_conv1d(x: Tensor, name: str, *, w: Size, groups: Size, stride: Size = 1, pad: Size = 0, bias: bool = True,
                   normed: bool = False) -> Tensor:
    """A kernel of w steps along s, d to d channels in groups: w·d²/groups parameters, d more with a bias.

    `groups=d` is a depthwise convolution. `normed`: the weights of each step are brought to length 1, times a gain: w
    parameters more.

    Source of the norm: Salimans and Kingma 2016, "Weight normalization", equation 2.
    """
    d = x.axes["d"]
    rows = rename(split(x, "d", groups=groups, p=None), p="p'")
    kernel = grouped_kernel(name, d, w=w, groups=groups)
    if normed:
        kernel = pointwise(kernel, weight(f"{name}.gain", w=w), kind="weight_norm", name=name)
    y = contract(window(rows, s=("w", w), stride=stride, pad=pad), kernel, to="b s groups p", name=name)
    y = merge(y, d="groups p")
    return pointwise(y, weight(f"{name}.bias", kinds="bias", d=d), kind="bias", name=name) if bias else y


def glu_conv1d(x: Tensor, name: str, *, w: Size, stride: Size = 1, pad: Size = 0, bias: bool = True,
               d: Size | None = None) -> Tensor:
    """A convolution to d channels (or as many as come in), and as many that open them.

    Parameters: 2w·d_in·d, 2d more with a bias.

    Source: Dauphin et al. 2017, "Language modeling with gated convolutional networks", equation 1.
    """
    d = x.axes["d"] if d is None else d
    y, gate = (conv1d(x, f"{name}.{part}", w=w, stride=stride, pad=pad, over="d", bias=bias, d=d)
               for part in ("value", "gate"))
    return pointwise(y, gate, kind="glu", name=f"{name}.act")


def conv2d(x: Tensor, name: str, *, w: Size, c: Size, stride: Size = 1, pad: Size = 0, groups: Size | None = None,
           bias: bool = True) -> Tensor:
    """A square kernel of side w slides over an image; c channels come out.

    Parameters: w²·c_in·c, + c with a bias; in groups w²·(c_in/groups)·c. Multiply-adds: the weights times b and the
    number of positions, (side + 2·pad − w)//stride + 1 in each direction. `groups=c_in` is a depthwise convolution.

    Source: LeCun et al. 1998, "Gradient-based learning applied to document recognition", section II.
    """
    patches = window(window(x, stride=stride, pad=pad, i=("y", w)), stride=stride, pad=pad, j=("x", w))
    if groups is None:
        patches = rename(patches, c="c'")
        kernel = weight(f"{name}.weight", kinds="weight kernel", out="c", y=w, x=w, **{"c'": patches.axes["c'"]}, c=c)
        y = contract(patches, kernel, to="b i j c", name=name)
    else:
        patches = rename(split(patches, "c", g=groups, c=None), c="c'")
        inner = {"y": w, "x": w, "c'": patches.axes["c'"]}
        kernel = weight(f"{name}.weight", kinds="weight kernel", out="g c", **inner, g=groups, c=per(c, groups))
        y = merge(contract(patches, kernel, to="b i j g c", name=name), c="g c")
    return pointwise(y, weight(f"{name}.bias", kinds="bias kernel", c=c), kind="bias", name=name) if bias else y


def batchnorm(x: Tensor, name: str) -> Tensor:
    """Normalise each channel over batch and image, then scale and shift: 2c parameters.

    The running means and variances, and a count of batches, are buffers: stored, and no parameters.

    Source: Ioffe and Szegedy 2015, "Batch normalization", algorithm 1.
    """
    c = x.axes["c"]
    statistics = (weight(f"{name}.{which}", kinds="norm", stored="buffer", **axes)
                  for which, axes in (("running_mean", {"c": c}), ("running_var", {"c": c}), ("batches", {})))
    y = pointwise(x, *statistics, weight(f"{name}.weight", kinds="norm", c=c), kind="batch_norm", name=name)
    return pointwise(y, weight(f"{name}.bias", kinds="norm bias", c=c), kind="bias", name=name)


def convolution(x: Tensor, name: str, *, w: int, c: Size, stride: int = 1, groups: Size | None = None) -> Tensor:
    """A convolution that keeps the side, or halves it, and its norm: w²·c_in·c + 2c parameters, in groups fewer."""
    def normed(x: Tensor) -> Tensor:
        y = conv2d(x, "convolution", w=w, c=c, stride=stride, pad=w // 2, groups=groups, bias=False)
        return batchnorm(y, "norm")
    return within(name, normed, x)


def edged(x: Tensor, *, i: Size = 1, j: Size = 1) -> Tensor:
    """An image with i more rows and j more columns of nothing at its far edges: no parameters, no work."""
    x = concat(x, tensor("padding", **{**x.axes, "i": i}), axis="i")
    return concat(x, tensor("padding", **{**x.axes, "j": j}), axis="j")


def pool(x: Tensor, name: str, *, w: Size, stride: Size | None = None, pad: Size = 0, kind: str = "max") -> Tensor:
    """The largest number, or the mean, of each w × w window: no parameters."""
    stride = w if stride is None else stride
    patches = window(window(x, stride=stride, pad=pad, i=("y", w)), stride=stride, pad=pad, j=("x", w))
    return pointwise(patches, kind=kind, name=name, to="b i j c")
