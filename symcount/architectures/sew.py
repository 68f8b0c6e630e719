"""SEW: wav2vec 2.0 whose layers see several frames as one, between a mean over them and a map back.

Source: Wu et al. 2021, "Performance-efficiency trade-offs in unsupervised pre-training for speech recognition",
sections 4.2 and 4.3.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.hub import measured
from symcount.hub.speech import (
    FRAMES,
    MASKING,
    SPEECH_ACTS,
    SPEECH_FLAGS,
    SPEECH_HEAD_NAMES,
    SPEECH_IGNORED,
    SPEECH_NAMES,
    framed,
    speech_keys,
)
from symcount.layers import activation, linear, norm, residual
from symcount.layers.speech import frames, hidden_frame, projected, speech_block, speech_heads, where
from symcount.network import concat, keep, merge, pointwise, tensor, window, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def squeezed(x: Tensor, z: Any) -> Tensor:
    """The mean of each few frames, and what tells their positions, which sees all frames."""
    x = hidden_frame(x, z)
    y = pointwise(window(x, s=("w", z.squeeze), stride=z.squeeze), kind="pool", to="b s d")
    s = x.axes["s"] // z.squeeze
    return residual(keep(y, s=s), where(x, z, s=s, stride=z.squeeze))


def spread(x: Tensor, z: Any) -> Tensor:
    """Several frames of each: squeeze(d² + d) parameters."""
    y = activation(linear(x, "spread", squeeze=z.squeeze, d=z.d), "gelu", "gelu")
    return merge(y, s="s squeeze")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """As many frames as there were; what does not make a whole is filled up with zeros."""
    x, heard = within("features", projected, frames(z), z=z, narrow=z.narrow)
    s = x.axes["s"]
    x = norm(within("embeddings", squeezed, x, z=z), "norm")
    x = within("up", spread, within("layers", speech_block, x, z=z, runs=z.L), z=z)
    return concat(x, tensor("padding", **{**x.axes, "s": s - x.axes["s"]}), axis="s"), heard


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """What the lists of convolutions say; frames are as wide as the layers, or there is a map."""
    found = framed(config)
    return {**found, "narrow": found["c"][-1] != config["hidden_size"]}


_FRAMES: dict[str, Any] = {
    **FRAMES,
    "conv_dim": [64, *[128] * 4, *[256] * 4, *[512] * 4],
    "conv_kernel": [10, 3, 1, 3, 1, 3, 1, 3, 1, 2, 1, 2, 1],
    "conv_stride": [5, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1],
}


def _sew(count: int, **sizes: Any) -> Published:
    return measured("SEWModel", count, **{
        "h": 2048, "heads": 8, "d": 512, "narrow": False, "squeeze": 2, "w_pos": 128, "groups": 16,
        "c": tuple(_FRAMES["conv_dim"]), "w": tuple(_FRAMES["conv_kernel"]), "stride": tuple(_FRAMES["conv_stride"]),
        **sizes})


ARCHITECTURES = (Architecture(
    "sew",
    classes=speech_heads("SEW", body, "ForCTC ForSequenceClassification"),
    sizes="samples c w stride",
    flags={**SPEECH_FLAGS, "narrow": True},
    acts=SPEECH_ACTS,
    keys={**speech_keys(), "squeeze_factor": ("squeeze", 2)},
    reads={**_FRAMES, **MASKING},
    settle=settle,
    ignored=SPEECH_IGNORED,
    stored={
        **SPEECH_NAMES,
        "features.norm": "layer_norm",
        "features.projection": "feature_projection",
        "up.spread": "encoder.upsample.projection",
    },
    stored_heads=SPEECH_HEAD_NAMES,
    base="sew",
    published={
        "sew-tiny-100k": _sew(42_298_240, L=12),
        "sew-mid-100k": _sew(80_126_848, L=24),
        "sew-small-100k": _sew(93_196_416, L=12, d=768, h=3072, heads=12, narrow=True),
    },
),)
