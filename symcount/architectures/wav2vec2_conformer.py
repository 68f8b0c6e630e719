"""wav2vec 2.0 with Conformer blocks, whose positions are relative or rotary.

Source: Wang et al. 2020, "fairseq S2T", section 3 (as released); Gulati et al. 2020, "Conformer", section 2.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.speech import (
    ADAPTER,
    CODES,
    CONFORMER_IGNORED,
    CONFORMER_NAMES,
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
    SPEECH_NAMES,
    UNREAD,
    delays,
    framed,
    shortening,
    speech_keys,
)
from symcount.layers import norm
from symcount.layers.conformer import conformer_attention, conformer_block, convolved, distances
from symcount.layers.convolution import grouped_kernel
from symcount.layers.speech import frames, hidden_frame, projected, shortened, speech_heads
from symcount.network import idle, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def unplaced(x: Tensor, z: Any) -> Tensor:
    """x, beside a convolution that would tell positions, is stored and never runs: w_pos(d²/groups + 1) + 2d."""
    never = [grouped_kernel("position", z.d, w=z.w_pos, groups=z.groups), weight("position.gain", w=z.w_pos),
             weight("position.bias", kinds="bias", d=z.d)]
    if z.positions == "rotary":
        never.append(weight("frequencies", stored="buffer", p=per(per(z.d, z.heads), 2)))
    return idle(hidden_frame(x, z), *never)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """L Conformer blocks and a norm; and the frames before the projection."""
    x, heard = within("features", projected, frames(z), z=z)
    x = within("embeddings", unplaced, x, z=z)
    far = distances(x) if z.positions == "relative" else None
    x = norm(within("layers", conformer_block, x, h=z.h, attend=partial(conformer_attention, z=z, far=far),
                    convolve=partial(convolved, w=z.w_depth), runs=z.L), "norm")
    return (within("adapter", shortened, x, z=z) if z.adapted else x), heard


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """What the lists of convolutions say, the adapters behind the layers, the letters, and how positions are told."""
    kind = config["position_embeddings_type"]
    if kind not in (None, "relative", "rotary"):
        raise ConfigError(f"position_embeddings_type = {kind!r}: relative, rotary or null is needed")
    return {**framed(config), **shortening(config), **delays(config), "V": config["vocab_size"], "positions": kind}


def _conformer(cls: str, count: int, **sizes: Any) -> Published:
    return measured(f"Wav2Vec2Conformer{cls}", count, **{
        "d": 1024, "h": 4096, "L": 24, "heads": 16, "w_pos": 128, "w_depth": 31, "layer_normed": True,
        "conv_bias": True, "codebooks": 2, "codes": 320, "d_code": 768, "m_code": 768, "acts": {"layers": "silu"},
        **FRAMES_SHAPE, **HEADS_SHAPE, **sizes})


ARCHITECTURES = (Architecture(
    "wav2vec2-conformer",
    classes=speech_heads("Wav2Vec2Conformer", body, "ForCTC ForSequenceClassification ForAudioFrameClassification "
                         "ForXVector ForPreTraining"),
    sizes="samples V c w stride stride_a d_last c_x w_x dilation",
    follows={"d_last": "d"},
    flags={**SPEECH_FLAGS, "positions": "relative"},
    acts=SPEECH_ACTS,
    keys={**speech_keys(V=None), **CODES, **ADAPTER, **SPEAKER, "conv_depthwise_kernel_size": ("w_depth", 31)},
    reads={**FRAMES, **MASKING, **SHORTENING, **DELAYS, "vocab_size": None, "position_embeddings_type": "relative"},
    settle=settle,
    ignored={**UNREAD, **CONFORMER_IGNORED},
    stored={
        **SPEECH_NAMES,
        **CONFORMER_NAMES,
        "layers.conv.norm": "encoder.layers.{i}.conv_module.batch_norm",
    },
    stored_heads=SPEECH_HEAD_NAMES,
    base="wav2vec2_conformer",
    published={
        "wav2vec2-conformer-rel-pos-large": _conformer("ForPreTraining", 620_510_976),
        "wav2vec2-conformer-rope-large-960h-ft": _conformer("ForCTC", 593_376_928, positions="rotary"),
    },
),)
