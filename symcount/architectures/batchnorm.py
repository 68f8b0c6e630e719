"""Batch normalisation over c channels.

Source: Ioffe and Szegedy 2015, "Batch normalization"; the counts are those of torch.nn.BatchNorm2d.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.layers.convolution import batchnorm
from symcount.network import tensor
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def normalised(z: Any) -> Tensor:
    """2c parameters: a scale and a shift for each channel; the 2c running statistics are buffers."""
    return batchnorm(tensor(b=z.b, i=z.side, j=z.side, c=z.c), "layer")


ARCHITECTURES = (Architecture("batchnorm", classes={"batchnorm": normalised}, sizes="c side"),)
