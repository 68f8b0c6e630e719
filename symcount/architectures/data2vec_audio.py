"""data2vec for sounds: wav2vec 2.0 whose positions are told by several convolutions, one after another.

Source: Baevski et al. 2022, "data2vec", section 4.2 and appendix; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.hub import measured
from symcount.hub.speech import (
    ADAPTER,
    DELAYS,
    FRAMES,
    FRAMES_SHAPE,
    HEADS_SHAPE,
    MASKING,
    SHORTENING,
    SPEAKER,
    SPEECH_ACTS,
    SPEECH_FLAGS,
    SPEECH_HEAD_NAMES,
    SPEECH_IGNORED,
    SPEECH_NAMES,
    UNREAD,
    delays,
    framed,
    shortening,
    speech_keys,
)
from symcount.layers import activation, residual
from symcount.layers.convolution import grouped_conv1d
from symcount.layers.speech import hidden_frame, speech_body, speech_heads
from symcount.network import keep, pointwise, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def around(x: Tensor, z: Any) -> Tensor:
    """A convolution over w_pos frames, and a norm that learns nothing: w_pos·d²/groups + d parameters."""
    y = keep(grouped_conv1d(x, "kernel", w=z.w_pos, groups=z.groups, pad=z.w_pos // 2), s=x.axes["s"])
    return activation(pointwise(y, kind="layer_norm"), "gelu", "gelu")


def placed(x: Tensor, z: Any) -> Tensor:
    """Frames, and what L_pos convolutions tell of their positions: d parameters for a hidden frame beside theirs."""
    x = hidden_frame(x, z)
    return residual(x, within("stack", around, x, z=z, runs=z.L_pos))


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """What the lists of convolutions say, all of which have a norm, and the adapters behind the layers."""
    return {**framed({**config, "feat_extract_norm": "layer"}), **shortening(config), **delays(config)}


def _data2vec(cls: str, count: int, **sizes: Any) -> Published:
    return measured(f"Data2VecAudio{cls}", count, **{
        "d": 768, "h": 3072, "L": 12, "heads": 12, "w_pos": 19, "L_pos": 5, **FRAMES_SHAPE, **HEADS_SHAPE, **sizes})


ARCHITECTURES = (Architecture(
    "data2vec-audio",
    classes=speech_heads("Data2VecAudio", speech_body(place=placed), "ForCTC ForSequenceClassification "
                         "ForAudioFrameClassification ForXVector"),
    sizes="samples c w stride stride_a d_last c_x w_x dilation",
    follows={"d_last": "d"},
    flags={**SPEECH_FLAGS, "layer_normed": True},
    acts=SPEECH_ACTS,
    keys={
        **speech_keys(),
        **ADAPTER,
        **SPEAKER,
        "conv_pos_kernel_size": ("w_pos", 19),
        "num_conv_pos_embeddings": ("L_pos", 5),
    },
    reads={**{key: default for key, default in FRAMES.items() if key != "feat_extract_norm"}, **MASKING, **SHORTENING,
           **DELAYS},
    settle=settle,
    ignored={**SPEECH_IGNORED, **UNREAD, "feat_extract_norm": "of wav2vec 2.0, read by nothing here"},
    stored={**SPEECH_NAMES, "embeddings.stack.kernel": "encoder.pos_conv_embed.layers.{i}.conv"},
    stored_heads=SPEECH_HEAD_NAMES,
    base="data2vec_audio",
    published={
        "data2vec-audio-base": _data2vec("Model", 93_164_288),
        "data2vec-audio-base-960h": _data2vec("ForCTC", 93_188_896),
        "data2vec-audio-large": _data2vec("Model", 313_276_416, d=1024, h=4096, L=24, heads=16),
    },
),)
