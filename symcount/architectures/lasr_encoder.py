"""LASR (MedASR): two convolutions over a spectrogram, then Conformer blocks with rotary positions, norms without shift.

Source: Google 2025, "MedASR" (as released); Gulati et al. 2020, "Conformer", section 2.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture, Published
from symcount.hub import measured
from symcount.hub.decoders import ROTARY
from symcount.hub.speech import FAST_NAMES, SPEECH_IGNORED, inner, inner_only
from symcount.layers import attention, linear, norm
from symcount.layers.conformer import conformer_block, convolved
from symcount.layers.convolution import conv1d
from symcount.network import pointwise, tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def subsampled(z: Any) -> Tensor:
    """A map, two convolutions of w frames, a map: cd + d + w·d² + d + w·d·m + m + md + d parameters."""
    x = tensor("spectrogram", b=z.b, s=z.frames, c=z.c)
    x = pointwise(linear(x, "enter", over="c", d=z.d), kind="relu")
    x = pointwise(conv1d(x, "conv.first", w=z.w, stride=z.stride, over="d", d=z.d), kind="relu")
    x = pointwise(conv1d(x, "conv.second", w=z.w, stride=z.stride, over="d", m=z.m), kind="relu")
    return linear(x, "leave", over="m", d=z.d)


def encode(z: Any) -> Tensor:
    """L Conformer blocks and a norm."""
    x = within("subsampled", lambda: subsampled(z))
    x = within("layers", conformer_block, x, h=z.h, attend=partial(attention, z=z, t=x.axes["s"], position="rotary",
                                                                   bias=z.bias),
               convolve=partial(convolved, w=z.w_depth, pad="any", bias=z.conv_bias), bias=z.bias, shift=False,
               runs=z.L)
    return norm(x, "norm", shift=False, kind="layer_norm")


def letters(z: Any) -> Tensor:
    """Scores of the letters of each frame (CTC), by a kernel of one frame: dV + V parameters."""
    return conv1d(encode(z), "head", w=1, over="d", V=z.V)


_KEYS: dict[str, tuple[str, Any]] = {
    "hidden_size": ("d", 512),
    "num_hidden_layers": ("L", 17),
    "num_attention_heads": ("heads", 8),
    "intermediate_size": ("h", 2048),
    "attention_bias": ("bias", False),
    "convolution_bias": ("conv_bias", False),
    "conv_kernel_size": ("w_depth", 32),
    "subsampling_conv_channels": ("m", 256),
    "subsampling_conv_kernel_size": ("w", 5),
    "subsampling_conv_stride": ("stride", 2),
    "num_mel_bins": ("c", 128),
}
_IGNORED = {
    **ROTARY,
    "dropout_positions": "dropout has no weights",
    "max_position_embeddings": "rotation has no weights and is elementwise",
    "batch_norm_momentum": "a setting of training",
    **dict.fromkeys(("feed_forward_residual_weights", "conv_residual_weights"), "constants"),
}
_NAMES: dict[Any, Any] = {
    **FAST_NAMES,
    "subsampled.enter": "subsampler.dense_0",
    "subsampled.conv.first": "subsampler.conv_0",
    "subsampled.conv.second": "subsampler.conv_1",
    "subsampled.leave": "subsampler.dense_1",
    "norm": "out_norm",
}


def _lasr(cls: str, count: int, **sizes: Any) -> Published:
    return measured(cls, count, **{"d": 512, "h": 2048, "L": 17, "heads": 8, "w_depth": 32, "m": 256, "w": 5, "c": 128,
                                   "stride": 2, **sizes})


ARCHITECTURES = (Architecture(
    "lasr_encoder",
    classes={"LasrEncoder": encode},
    sizes="frames",
    acts={"hidden_act": ("silu", "layers")},
    keys=_KEYS,
    same={"num_key_value_heads": "num_attention_heads"},
    ignored=_IGNORED,
    stored=_NAMES,
    published={"medasr-encoder": _lasr("LasrEncoder", 105_002_752)},
), Architecture(
    "lasr_ctc",
    classes={"LasrForCTC": letters},
    sizes="frames",
    acts={"encoder_config.hidden_act": ("silu", "layers")},
    keys={**inner(_KEYS), "vocab_size": ("V", 512)},
    same=inner({"num_key_value_heads": "encoder_config.num_attention_heads"}),
    only=inner_only("lasr_encoder"),
    ignored={**SPEECH_IGNORED, **inner(_IGNORED)},
    stored={ours: (f"encoder.{name[0]}", name[1]) if isinstance(name, tuple) else f"encoder.{name}"
            for ours, name in _NAMES.items()},
    stored_heads={"head": "ctc_head"},
    published={"medasr": _lasr("LasrForCTC", 105_265_408, V=512)},
))
