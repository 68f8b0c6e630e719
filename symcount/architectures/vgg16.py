"""VGG: 3 × 3 convolutions in five blocks, each halved by pooling, then three dense layers.

Source: Simonyan and Zisserman 2015, "Very deep convolutional networks for large-scale image recognition", table 1
(configurations A, B, D, E) and table 2, 133 to 144 million parameters; the exact counts are those of torchvision's
vgg11, vgg13, vgg16 and vgg19.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.layers import linear
from symcount.layers.convolution import conv2d, pool
from symcount.network import pointwise, tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, channels: int, convolutions: int) -> Tensor:
    """9·c·channels + channels parameters, then 9·channels² + channels for each further convolution."""
    for n in range(1, convolutions + 1):
        x = pointwise(conv2d(x, f"conv{n}", w=3, c=channels, pad=1), kind="relu")
    return pool(x, "pool", w=2)


def vgg(z: Any) -> Tensor:
    """Scores of C classes, from images of side × side with c channels; the dense layers read what pooling leaves."""
    x = tensor(b=z.b, i=z.side, j=z.side, c=z.c)
    for n, (channels, convolutions) in enumerate(zip((64, 128, 256, 512, 512), DEPTHS[z.depth], strict=True), start=1):
        x = within(f"block{n}", block, x, channels=channels, convolutions=convolutions)
    for n in (1, 2):
        x = pointwise(linear(x, f"dense{n}", over="i j c" if n == 1 else "d", d=4096), kind="relu")
    return linear(x, "classifier", C=z.C)


DEPTHS = {"11": (1, 1, 2, 2, 2), "13": (2, 2, 2, 2, 2), "16": (2, 2, 3, 3, 3), "19": (2, 2, 4, 4, 4)}


def _vgg(depth: str, count: int) -> Published:
    return Published("vgg16", {"side": 224, "c": 3, "C": 1000, "depth": depth}, count,
                     f"torchvision, vgg{depth}: the number of parameters in its documentation")


ARCHITECTURES = (
    Architecture("vgg16", classes={"vgg16": vgg}, sizes="side c C", flags={"depth": "16"}, published={
        "vgg-11": _vgg("11", 132_863_336),
        "vgg-13": _vgg("13", 133_047_848),
        "vgg-16": _vgg("16", 138_357_544),
        "vgg-19": _vgg("19", 143_667_240),
    }),
)
