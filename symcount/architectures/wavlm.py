"""WavLM: wav2vec 2.0 whose scores depend on distances, by one table, as much as a gate of the frame says.

Source: Chen et al. 2022, "WavLM", section III.A and table I.
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
    STABLE,
    UNREAD,
    delays,
    framed,
    shortening,
    speech_keys,
)
from symcount.layers import attention, linear, mlp
from symcount.layers.buckets import relative
from symcount.layers.encoder_decoder import after, before
from symcount.layers.speech import speech_body, speech_heads
from symcount.network import pointwise, select, split, weight
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size

PARTS = 4  # numbers that each of the two gates of a head is the sum of


def among_frames(z: Any, s: Size) -> Tensor:
    """What a pair of frames adds to the scores of each head, by its distance: buckets·heads parameters."""
    return relative(z, z.L, s, s)


def gated_attention(x: Tensor, z: Any, table: Tensor) -> Tensor:
    """4d² + 4d parameters, and for the gates of all heads 8k + 8 with their k = d/heads, and heads for their sizes."""
    halves = linear(split(x, "d", g=z.heads, k=None), "gate", over="k", two=2, parts=PARTS)
    gates = pointwise(pointwise(halves, kind="sum", to="b s g two"), kind="sigmoid", name="gate_act")
    one, other = select(gates, "two", 0), select(gates, "two", 1)
    opened = pointwise(one, pointwise(other, weight("gate_scale", g=z.heads), kind="scale"), kind="affine")
    return attention(x, z, t=x.axes["s"], relative=pointwise(opened, table, kind="multiply", name="gated",
                                                             to="b g s t"))


def block(x: Tensor, z: Any, table: Tensor) -> Tensor:
    """4d² + 2dh + 9d + h + 8d/heads + 8 + heads parameters."""
    place = before if z.stable else after
    return place(place(x, "attention", gated_attention, z=z, table=table), "mlp", mlp, h=z.h)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """What the lists of convolutions say, and the adapters behind the layers."""
    return {**framed(config), **shortening(config), **delays(config)}


def _wavlm(cls: str, count: int, **sizes: Any) -> Published:
    return measured(f"WavLM{cls}", count, **{
        "d": 768, "h": 3072, "L": 12, "heads": 12, "buckets": 320, "w_pos": 128, "C": 2, **FRAMES_SHAPE, **HEADS_SHAPE,
        **sizes})


ARCHITECTURES = (Architecture(
    "wavlm",
    classes=speech_heads("WavLM", speech_body(block, among_frames), "ForCTC ForSequenceClassification "
                         "ForAudioFrameClassification ForXVector"),
    sizes="samples c w stride stride_a d_last c_x w_x dilation",
    follows={"d_last": "d"},
    flags=SPEECH_FLAGS,
    acts=SPEECH_ACTS,
    keys={**speech_keys(), **STABLE, **ADAPTER, **SPEAKER, "num_buckets": ("buckets", 320)},
    reads={**FRAMES, **MASKING, **SHORTENING, **DELAYS},
    settle=settle,
    ignored={
        **SPEECH_IGNORED,
        **UNREAD,
        "max_bucket_distance": "which bucket a distance falls into",
    },
    stored={
        **SPEECH_NAMES,
        "embeddings.relative": "encoder.layers.{i}.attention.rel_attn_embed",
        "layers.attention.gate": "encoder.layers.{i}.attention.gru_rel_pos_linear",
        "layers.attention.gate_scale": ("encoder.layers.{i}.attention.gru_rel_pos_const", "1 * 1 1"),
    },
    stored_heads=SPEECH_HEAD_NAMES,
    base="wavlm",
    published={
        "wavlm-base": _wavlm("Model", 94_381_936),
        "wavlm-base-plus-sv": _wavlm("ForXVector", 100_493_145, weighted=True),
        "wavlm-large": _wavlm("Model", 315_453_120, d=1024, h=4096, L=24, heads=16, layer_normed=True, stable=True),
    },
),)
