"""Parakeet (FastConformer): convolutions over a spectrogram that leave one frame of eight, then Conformer blocks.

Source: Rekesh et al. 2023, "Fast Conformer with linearly scalable attention for efficient speech recognition", section
2; the model is as NVIDIA released it.
"""

from __future__ import annotations

from functools import partial
from math import prod

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.settling import number
from symcount.hub.speech import FAST_NAMES, SPEECH_IGNORED, inner, inner_only, within_config
from symcount.layers import linear
from symcount.layers.conformer import conformer_attention, conformer_block, convolved, distances
from symcount.layers.convolution import conv1d, conv2d
from symcount.network import keep, pointwise, rename, tensor, within
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def strided(x: Tensor, *, w: Size, stride: Size, c: Size, first: bool) -> Tensor:
    """Frames and numbers fewer by the stride, c channels: w²c + c parameters, c² + c more behind the first."""
    y = conv2d(x, "kernel", w=w, c=c, stride=stride, pad=(w - 1) // 2, groups=None if first else c)
    return pointwise(y if first else conv2d(y, "mixed", w=1, c=c), kind="relu")


def subsampled(z: Any) -> Tensor:
    """Frames of c numbers, as an image of one channel, through convolutions to rows of width d.

    Parameters: those of `strided`, and m·d·floor(c/strides) + d for m channels.
    """
    x = tensor("spectrogram", b=z.b, i=z.frames, j=z.c, c=1)
    for i, stride in enumerate(z.stride):
        x = within(f"conv.{i}", strided, x, w=z.w, stride=stride, c=z.m, first=i == 0)
    x = keep(x, j=exactly(x.axes["j"], z.c // prod(z.stride)))
    return rename(linear(x, "projection", over="c j", d=z.d), i="s")


def encode(z: Any) -> Tensor:
    """L Conformer blocks, whose positions are relative."""
    x = subsampled(z)
    attend = partial(conformer_attention, z=z, far=distances(x, b=z.b), bias=z.bias)
    return within("layers", conformer_block, x, h=z.h, attend=attend,
                  convolve=partial(convolved, w=z.w_depth, bias=z.conv_bias), bias=z.bias, runs=z.L)


def letters(z: Any) -> Tensor:
    """Scores of the letters of each frame (CTC), by a kernel of one frame: dV + V parameters."""
    return conv1d(encode(z), "head", w=1, over="d", V=z.V)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The strides of the convolutions: as many as halvings make the factor."""
    factor, stride = number(config, "subsampling_factor", least=2), number(config, "subsampling_conv_stride")
    if factor > _MOST:
        raise ConfigError(f"subsampling_factor = {factor:,}: at most {_MOST:,} is read")
    return {"stride": (stride,) * (factor.bit_length() - 1), "positions": "relative"}


_MOST = 1 << 20
_KEYS: dict[str, tuple[str, Any]] = {
    "hidden_size": ("d", 1024),
    "num_hidden_layers": ("L", 24),
    "num_attention_heads": ("heads", 8),
    "intermediate_size": ("h", 4096),
    "attention_bias": ("bias", True),
    "convolution_bias": ("conv_bias", True),
    "conv_kernel_size": ("w_depth", 9),
    "subsampling_conv_channels": ("m", 256),
    "subsampling_conv_kernel_size": ("w", 3),
    "num_mel_bins": ("c", 80),
}
_READS = {"subsampling_factor": 8, "subsampling_conv_stride": 2}
_IGNORED = {
    "dropout_positions": "dropout has no weights",
    "max_position_embeddings": "sines are computed for as many frames as there are",
    "scale_input": "a constant",
}
_NAMES: dict[Any, Any] = {
    **FAST_NAMES,
    "conv.kernel": "subsampling.layers.{i}",
    "conv.mixed": "subsampling.layers.{i}",
    "projection": "subsampling.linear",
}


def _parakeet(cls: str, count: int, **sizes: Any) -> Published:
    return measured(cls, count, **{
        "d": 1024, "h": 4096, "L": 24, "heads": 8, "w_depth": 9, "m": 256, "w": 3, "c": 80, "stride": (2, 2, 2),
        **sizes})


ARCHITECTURES = (Architecture(
    "parakeet_encoder",
    classes={"ParakeetEncoder": encode},
    sizes="frames stride",
    flags={"positions": "relative"},
    acts={"hidden_act": ("silu", "layers")},
    keys=_KEYS,
    reads=_READS,
    settle=settle,
    same={"num_key_value_heads": "num_attention_heads"},
    ignored=_IGNORED,
    stored=_NAMES,
    published={"parakeet-encoder-0.6b": _parakeet("ParakeetEncoder", 607_749_120)},
), Architecture(
    "parakeet_ctc",
    classes={"ParakeetForCTC": letters},
    sizes="frames stride",
    flags={"positions": "relative"},
    acts={"encoder_config.hidden_act": ("silu", "layers")},
    keys={**inner(_KEYS), "vocab_size": ("V", 1025)},
    reads=inner(_READS),
    settle=within_config(settle),
    same=inner({"num_key_value_heads": "encoder_config.num_attention_heads"}),
    only=inner_only("parakeet_encoder"),
    ignored={**SPEECH_IGNORED, **inner(_IGNORED)},
    stored={ours: (f"encoder.{name[0]}", name[1]) if isinstance(name, tuple) else f"encoder.{name}"
            for ours, name in _NAMES.items()},
    stored_heads={"head": "ctc_head"},
    published={
        "parakeet-ctc-0.6b": _parakeet("ParakeetForCTC", 608_799_745, V=1025),
        "parakeet-ctc-1.1b": _parakeet("ParakeetForCTC", 1_062_540_289, V=1025, L=42),
    },
))
