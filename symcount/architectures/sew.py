"""SEW: wav2vec 2.0 whose layers see several frames as one, between a mean over them and a map back.

The layers of SEW-D are those of DeBERTa, which keeps frames and their distances apart.

Source: Wu et al. 2021, "Performance-efficiency trade-offs in unsupervised pre-training for speech recognition",
sections 4.2 and 4.3.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.settling import number
from symcount.hub.speech import (
    FRAMES,
    MASKING,
    SPEECH_ACTS,
    SPEECH_FLAGS,
    SPEECH_HEAD_NAMES,
    SPEECH_IGNORED,
    SPEECH_NAMES,
    UNREAD,
    framed,
    speech_keys,
)
from symcount.layers import activation, linear, mlp, norm, residual
from symcount.layers.disentangled import disentangled, distances
from symcount.layers.speech import frames, hidden_frame, position_convolution, projected, speech_block, speech_heads
from symcount.network import concat, idle, keep, merge, pointwise, tensor, window, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def heard_by(z: Any) -> tuple[Tensor, Tensor]:
    """Frames as wide as the layers, by a map or (not z.narrow) as they are; and the normed frames."""
    return within("features", projected, frames(z, None if z.narrow else z.d), z=z, narrow=z.narrow)


def squeezed(x: Tensor, z: Any) -> Tensor:
    """The mean of each few frames, and what tells their positions, which sees all frames."""
    x, even = hidden_frame(x, z), 2 * (z.w_pos // 2)
    y = pointwise(window(x, s=("w", z.squeeze), stride=z.squeeze), kind="pool", to="b s d")
    s = x.axes["s"]
    told = position_convolution(x, z, s=(s + even - z.w_pos) // z.squeeze + z.w_pos - even, stride=z.squeeze)
    return residual(keep(y, s=s // z.squeeze), keep(told, s=s // z.squeeze))


def spread(x: Tensor, z: Any) -> Tensor:
    """Several frames of each: squeeze(d² + d) parameters."""
    y = activation(linear(x, "spread", squeeze=z.squeeze, d=z.d), "gelu", "gelu")
    return merge(y, s="s squeeze")


def unsqueezed(x: Tensor, s: Size, z: Any) -> Tensor:
    """As many frames as there were, s, with zeros for those that did not make a whole."""
    x = within("up", spread, x, z=z)
    return concat(x, tensor("padding", **{**x.axes, "s": s - x.axes["s"]}), axis="s")


def level(z: Any) -> tuple[Tensor, Tensor, Tensor]:
    """A norm and L blocks of squeezed frames; the frames themselves; and those before the projection."""
    x, heard = heard_by(z)
    y = norm(within("embeddings", squeezed, x, z=z), "norm")
    return within("layers", speech_block, y, z=z, runs=z.L), x, heard


def apart_block(x: Tensor, z: Any, far: Tensor) -> Tensor:
    """4d² + 2dh + 9d + h parameters, and those of distances where they have maps of their own."""
    y = within("attention", disentangled, x, z=z, far=far, bias="query key value distance_query distance_key")
    x = norm(residual(x, y), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, kind="gelu_python")), "mlp_norm")


def apart(z: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The same with layers that keep frames and distances apart, and without a norm before them."""
    x, heard = heard_by(z)
    far = within("embeddings", distances, z=z)
    y = within("layers", apart_block, within("embeddings", squeezed, x, z=z), z=z, far=far, runs=z.L)
    return y, x, heard


def classes(prefix: str, layers: Callable[[Any], tuple[Tensor, Tensor, Tensor]]) -> dict[str, Any]:
    """The classes on as many frames as there were; one that weighs the outputs of layers reads the squeezed ones."""
    def whole(z: Any) -> tuple[Tensor, Tensor]:
        y, x, heard = layers(z)
        return unsqueezed(y, x.axes["s"], z), heard

    def weighed(z: Any) -> tuple[Tensor, Tensor]:
        y, x, heard = layers(z)
        many = unsqueezed(y, x.axes["s"], z)
        return idle(y, many) if z.weighted else many, heard
    return {**speech_heads(prefix, weighed, "ForSequenceClassification"), **speech_heads(prefix, whole, "ForCTC")}


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


def settle_apart(config: dict[str, Any]) -> dict[str, Any]:
    """The same, how many distances there are, and which scores."""
    kinds, n = config["pos_att_type"], config["position_buckets"]
    if not isinstance(kinds, list) or not {*map(str, kinds)} or not {*map(str, kinds)} <= {"c2p", "p2c"}:
        raise ConfigError(f"pos_att_type = {kinds!r}: a list of c2p and p2c is needed, or one of them")
    if len({*kinds}) < 2 and config["share_att_key"]:
        raise ConfigError(f"pos_att_type = {kinds!r}: with share_att_key both are mapped, and one is not read; that is "
                          "not written")
    if type(n) is not int:
        raise ConfigError(f"position_buckets = {n!r}: a whole number is needed")
    told = config["norm_rel_ebd"]
    if not isinstance(told, str):
        raise ConfigError(f"norm_rel_ebd = {told!r}: layer_norm or none is needed")
    return {**settle(config), "buckets": n if n > 0 else number(config, "max_position_embeddings"),
            "c2p": "c2p" in kinds, "p2c": "p2c" in kinds,
            "normed": "layer_norm" in [part.strip() for part in told.lower().split("|")]}


_NAMES: dict[Any, Any] = {
    **SPEECH_NAMES,
    "features.norm": "layer_norm",
    "features.projection": "feature_projection",
    "up.spread": "encoder.upsample.projection",
}


def _sew(count: int, cls: str = "SEWModel", **sizes: Any) -> Published:
    return measured(cls, count, **{
        "h": 2048, "heads": 8, "d": 512, "narrow": False, "squeeze": 2, "w_pos": 128, "groups": 16,
        "c": tuple(_FRAMES["conv_dim"]), "w": tuple(_FRAMES["conv_kernel"]), "stride": tuple(_FRAMES["conv_stride"]),
        **sizes})


ARCHITECTURES = (Architecture(
    "sew",
    classes=classes("SEW", level),
    sizes="samples c w stride",
    flags={**SPEECH_FLAGS, "narrow": True},
    acts=SPEECH_ACTS,
    keys={**speech_keys(), "squeeze_factor": ("squeeze", 2)},
    reads={**_FRAMES, **MASKING},
    settle=settle,
    ignored={**SPEECH_IGNORED, **UNREAD},
    stored=_NAMES,
    stored_heads=SPEECH_HEAD_NAMES,
    base="sew",
    published={
        "sew-tiny-100k": _sew(42_298_240, L=12),
        "sew-mid-100k": _sew(80_126_848, L=24),
        "sew-small-100k": _sew(93_196_416, L=12, d=768, h=3072, heads=12, narrow=True),
    },
), Architecture(
    "sew-d",
    classes=classes("SEWD", apart),
    sizes="samples c w stride buckets",
    flags={**SPEECH_FLAGS, "narrow": True, "c2p": True, "p2c": True, "normed": True},
    acts={**SPEECH_ACTS, "hidden_act": ("gelu_python", "layers")},
    keys={**speech_keys(), "squeeze_factor": ("squeeze", 2), "share_att_key": ("shared", True)},
    reads={
        **_FRAMES,
        **MASKING,
        "position_buckets": 256,
        "max_position_embeddings": 512,
        "pos_att_type": ["p2c", "c2p"],
        "norm_rel_ebd": "layer_norm",
    },
    settle=settle_apart,
    only={"relative_attention": ((True,), "attention without distances is not written for this family")},
    ignored={
        **SPEECH_IGNORED,
        **UNREAD,
        "feature_layer_norm_eps": "a constant",
        "position_biased_input": "read by nothing",
    },
    stored={
        **{ours: name for ours, name in _NAMES.items() if "layers" not in ours and ours != "norm"},
        "embeddings.distance": "encoder.encoder.rel_embeddings",
        "embeddings.distance_norm": "encoder.encoder.LayerNorm",
        **{f"layers.{ours}": f"encoder.encoder.layer.{{i}}.{theirs}" for ours, theirs in {
            "attention.both.query": "attention.self.query_proj",
            "attention.both.key": "attention.self.key_proj",
            "attention.query": "attention.self.query_proj",
            "attention.key": "attention.self.key_proj",
            "attention.value": "attention.self.value_proj",
            "attention.distance_query": "attention.self.pos_query_proj",
            "attention.distance_key": "attention.self.pos_key_proj",
            "attention.output": "attention.output.dense",
            "attention_norm": "attention.output.LayerNorm",
            "mlp.up": "intermediate.dense",
            "mlp.down": "output.dense",
            "mlp_norm": "output.LayerNorm",
        }.items()},
    },
    stored_heads=SPEECH_HEAD_NAMES,
    base="sew_d",
    published={
        "sew-d-tiny-100k": _sew(25_009_152, "SEWDModel", L=12, d=384, h=1536, heads=6, narrow=True, buckets=256),
        "sew-d-mid-100k": _sew(80_388_992, "SEWDModel", L=24, buckets=256),
        "sew-d-base-100k": _sew(178_644_096, "SEWDModel", L=24, d=768, h=3072, heads=12, narrow=True, buckets=256),
    },
))
