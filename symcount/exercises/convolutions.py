"""convolutions: their weights, what comes out of them and what they cost.

Source: LeCun et al. 1998, section II; Howard et al. 2017, "MobileNets", section 3.1.
"""

from __future__ import annotations

from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import counted, difference
from symcount.layers.convolution import conv2d
from symcount.naming import model
from symcount.network import tensor
from symcount.readers.parameters import parameters
from symcount.readers.work import multiply_adds
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.drawing import Draw


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 counts weights of two layers, level 2 the work of one with a stride, level 3 what separating it saves."""
    w, c, m = draw.one((3, 5, 7)), draw.between(3, 40), draw.between(11, 96)
    side = draw.between(24, 96)
    if level == 1:
        more, second = draw.between(11, 96), draw.one((3, 5))
        made = model(_two, side=side, c_0=c, c_1=m, c_2=more, w_1=w, w_2=second)
        asks: tuple[Any, ...] = (
            f"Images of {side} × {side} pixels have {c} channels. A convolution with kernels of {w} × {w} "
            f"makes {m} channels of them, and a second one with kernels of {second} × {second} makes {more}. "
            "Both have biases.", "How many parameters do the two have together?")
        right = w * w * c * m + m + second * second * m * more + more
        first = paragraph("The first layer leads from {c_0=} to {c_1=} channels with kernels of side {w_1=}, "
                          "the second to {c_2=} with kernels of side {w_2=}.",
                          c_0=c, c_1=m, c_2=more, w_1=w, w_2=second)
        return _told(first, counted(asks, parameters(made), (
            "Every kernel reads all channels that come in; each channel that comes out has a kernel of its own.",
            "The side of the image does not matter. A channel that comes out has one bias."), [
                (right - m - more, "the biases are forgotten"),
                (right - second * second * m * more - more, "that is the first one"),
                (w * w * m + m + second * second * more + more, "a kernel reads all channels that come in"),
                (w * c * m + m + second * m * more + more, "a kernel has two sides")]))
    if level == 2:
        stride, pad = draw.one((1, 2, 3)), draw.between(1, w // 2)
        made = model(_strided(stride, pad), side=side, c=c, m=m, w=w)
        out = (side + 2 * pad - w) // stride + 1
        asks = (f"A convolution slides kernels of {w} × {w} over an image of {side} × {side} pixels and {c} channels "
                f"in steps of {stride}, with {pad} row{'s' if pad > 1 else ''} of zeros around it on every side; "
                f"{m} channels come out.",
                "How many multiply-adds does it take, those with zeros included?")
        right = out * out * w * w * c * m
        at = [(side + more - w) // step + 1 for more, step in ((0, stride), (2 * pad, 1), (pad, stride))]
        first = paragraph("In one direction {side=} pixels and {pad} zeros at both ends have room for the side {w=} of "
                          f"the kernel at {out} places, in steps of {stride}. "
                          "{c=} channels come in, {m=} come out.",
                          side=side, pad=pad, w=w, c=c, m=m)
        return _told(first, counted(asks, multiply_adds(made), (
            "How many places does the kernel take in one direction? Mind the zeros on both sides, and the steps.",
            "At each place every weight is used once."), [
                (at[0] ** 2 * w * w * c * m, "there are zeros around the image"),
                (at[1] ** 2 * w * w * c * m, "the kernel moves in steps"),
                (at[2] ** 2 * w * w * c * m, "there are zeros on both sides"),
                (side * side * w * w * c * m, "the kernel does not stop at every pixel"),
                (right // c, "a kernel reads all channels"), (right // out, "it moves in two directions"),
                (2 * right, "those are FLOPs: a multiply-add counts once"), (w * w * c * m, "that is one place")]))
    full, apart = (multiply_adds(model(kind, side=side, c=c, m=m, w=w, bias=False))
                   for kind in ("conv2d", "depthwise_separable"))
    asks = (paragraph(f"A convolution with kernels of {w} × {w} makes {{m}} channels out of {{c}}, "
                      f"on an image of {{side}} × {{side}} pixels with steps of 1 and no zeros around it. "
                      "It is replaced by a kernel of that side for each channel that comes in, "
                      "followed by a 1 × 1 convolution.", m=m, c=c, side=side),
            "How many multiply-adds does this save?")
    places = (side - w + 1) ** 2
    first = paragraph("In one direction a kernel with side {w=} has {places} places on {side=} pixels. "
                      "{c=} channels come in, {m=} come out.", w=w, places=side - w + 1, side=side, c=c, m=m)
    return _told(first, difference(asks, ("full", full), ("separated", apart), (
        "How many places does the kernel take? They are the same for all three convolutions.",
        "At a place the full one takes `w^2*c*m`, the two others `w^2*c` and `c*m`."), [
            (places * (w * w * c * m - w * w * c), "the 1 × 1 convolution costs, too"),
            (places * (w * w * c * m - c * m), "the kernels of the channels cost, too"),
            (side * side * (w * w * c * m - w * w * c - c * m),
             "without zeros around it the kernel does not reach the edge"),
            (places * (w * w * c + c * m), "that is what is left"),
            (w * w * c * m - w * w * c - c * m, "that is one place")]))


def _told(first: tuple[Any, ...], one: Exercise) -> Exercise:
    """The exercise, its solution with what its letters are, and how often the kernel fits."""
    return one._replace(steps=lambda: [first, *one.steps()])


def _two(z: Any) -> Tensor:
    """Two convolutions, one after the other."""
    y = conv2d(tensor(b=z.b, i=z.side, j=z.side, c=z.c_0), "layer1", w=z.w_1, c=z.c_1)
    return conv2d(y, "layer2", w=z.w_2, c=z.c_2)


def _strided(stride: int, pad: int) -> Callable[[Any], Tensor]:
    """A convolution in steps, with zeros around the image."""
    def convolution(z: Any) -> Tensor:
        x = tensor(b=z.b, i=z.side, j=z.side, c=z.c)
        return conv2d(x, "layer", w=z.w, c=z.m, stride=stride, pad=pad, bias=False)
    return convolution
