"""w2v-BERT 2.0: Conformer blocks over the frames of a spectrogram, convolutions that see no later frame.

Source: Barrault et al. 2023, "Seamless: multilingual expressive and streaming speech translation", section 3.2.1.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.settling import number
from symcount.hub.speech import (
    ADAPTER,
    CONFORMER_IGNORED,
    CONFORMER_NAMES,
    DELAYS,
    MASKING,
    SHORTENING,
    SPEAKER,
    SPEECH_HEAD_NAMES,
    UNREAD,
    delays,
    masked,
    shortening,
)
from symcount.layers import attention, linear, mlp, norm, residual
from symcount.layers.conformer import conformer_attention, conformer_block, convolved, distances
from symcount.layers.convolution import glu_conv1d
from symcount.layers.speech import hidden_frame, projected, speech_heads
from symcount.network import tensor, within
from symcount.sizes import floor
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def shorter(x: Tensor, z: Any, stride: Size) -> Tensor:
    """Attention and an MLP of fewer frames: convolutions make both what attends and what it is added to.

    Parameters: 4w_a·d² + 4d² + 2dh + 15d + h for a width d = d_last.
    """
    kernel: dict[str, Any] = {"w": z.w_a, "stride": stride, "pad": floor(stride, 2)}
    before = glu_conv1d(norm(x, "conv_norm"), "conv", **kernel)
    y = glu_conv1d(norm(x, "attention_norm"), "attention.conv", **kernel)
    x = residual(before, within("attention", attention, y, z=z, t=y.axes["s"]))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, kind="relu"))


def shortened(x: Tensor, z: Any) -> Tensor:
    """Fewer frames of width d_last: a map and a norm where that differs (z.widened), a block for each of z.stride_a."""
    x = norm(linear(x, "projection", d=z.d_last), "norm") if z.widened else x
    for i, stride in enumerate(z.stride_a):
        x = within(f"{i}", shorter, x, z=z, stride=stride)
    return x


def body(z: Any) -> tuple[Tensor, Tensor]:
    """L Conformer blocks over frames of c numbers; perhaps one more MLP, and blocks that shorten."""
    x, heard = within("features", projected, tensor("spectrogram", b=z.b, s=z.frames, c=z.c), z=z)
    x = within("embeddings", hidden_frame, x, z=z)
    far = distances(x) if z.positions == "relative" else None
    x = within("layers", conformer_block, x, h=z.h, attend=partial(conformer_attention, z=z, far=far),
               convolve=partial(convolved, w=z.w_depth, pad="before"), runs=z.L)
    x = residual(x, within("between.mlp", mlp, x, h=z.h, kind="relu")) if z.between else x
    return (within("adapter", shortened, x, z=z) if z.adapted else x), heard


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The adapters behind the layers, the letters, and how positions are told."""
    kind, w = config["position_embeddings_type"], number(config, "conv_depthwise_kernel_size")
    if kind not in (None, "relative", "relative_key", "rotary"):
        raise ConfigError(f"position_embeddings_type = {kind!r}: relative, relative_key, rotary or null is needed")
    if not w % 2:
        raise ConfigError(f"conv_depthwise_kernel_size = {w}: an odd number is needed")
    if config["use_intermediate_ffn_before_adapter"] is True and config["add_adapter"] is not True:
        raise ConfigError("use_intermediate_ffn_before_adapter = true: it is that before an adapter, and there is none")
    left, right = (number(config, f"{side}_max_position_embeddings", least=0) for side in ("left", "right"))
    return {**masked(config), **shortening(config), **delays(config), "V": config["vocab_size"], "positions": kind,
            "P": left + right + 1}


ARCHITECTURES = (Architecture(
    "wav2vec2-bert",
    classes=speech_heads("Wav2Vec2Bert", body, "ForCTC ForSequenceClassification ForAudioFrameClassification "
                         "ForXVector"),
    sizes="frames V P stride_a d_last c_x w_x dilation",
    follows={"d_last": "d"},
    flags={"positions": "relative_key", "masked": True, "widened": False},
    acts={"hidden_act": ("silu", "layers"), "adapter_act": ("relu", "adapter")},
    keys={
        "hidden_size": ("d", 1024),
        "num_hidden_layers": ("L", 24),
        "num_attention_heads": ("heads", 16),
        "intermediate_size": ("h", 4096),
        "feature_projection_input_dim": ("c", 160),
        "conv_depthwise_kernel_size": ("w_depth", 31),
        "use_intermediate_ffn_before_adapter": ("between", False),
        "use_weighted_layer_sum": ("weighted", False),
        "classifier_proj_size": ("m", 768),
        "num_labels": ("C", 2),
        **ADAPTER,
        **SPEAKER,
    },
    reads={
        **MASKING,
        **SHORTENING,
        **DELAYS,
        "num_adapter_layers": 1,
        "vocab_size": None,
        "position_embeddings_type": "relative_key",
        "left_max_position_embeddings": 64,
        "right_max_position_embeddings": 8,
    },
    settle=settle,
    ignored={**CONFORMER_IGNORED, **UNREAD},
    stored={
        **CONFORMER_NAMES,
        "layers.conv.norm": "encoder.layers.{i}.conv_module.depthwise_layer_norm",
        "layers.attention.embeddings.distance": "encoder.layers.{i}.self_attn.distance_embedding",
        "between.mlp.up": "intermediate_ffn.intermediate_dense",
        "between.mlp.down": "intermediate_ffn.output_dense",
        "adapter.projection": "adapter.proj",
        "adapter.norm": "adapter.proj_layer_norm",
        "adapter.conv_norm": "adapter.layers.{i}.residual_layer_norm",
        ("adapter.conv.value", "adapter.conv.gate"): "adapter.layers.{i}.residual_conv",
        "adapter.attention_norm": "adapter.layers.{i}.self_attn_layer_norm",
        ("adapter.attention.conv.value", "adapter.attention.conv.gate"): "adapter.layers.{i}.self_attn_conv",
        "adapter.attention.query": "adapter.layers.{i}.self_attn.linear_q",
        "adapter.attention.key": "adapter.layers.{i}.self_attn.linear_k",
        "adapter.attention.value": "adapter.layers.{i}.self_attn.linear_v",
        "adapter.attention.output": "adapter.layers.{i}.self_attn.linear_out",
        "adapter.mlp_norm": "adapter.layers.{i}.ffn_layer_norm",
        "adapter.mlp.up": "adapter.layers.{i}.ffn.intermediate_dense",
        "adapter.mlp.down": "adapter.layers.{i}.ffn.output_dense",
    },
    stored_heads=SPEECH_HEAD_NAMES,
    base="wav2vec2_bert",
    published={
        "w2v-bert-2.0": measured("Wav2Vec2BertModel", 580_493_120, d=1024, h=4096, L=24, heads=16, c=160, w_depth=31,
                                 P=73, m=768, e=512, c_x=(512, 512, 512, 512, 1500), w_x=(5, 3, 3, 1, 1),
                                 dilation=(1, 2, 3, 1, 1), w_a=3, stride_a=(2,)),
    },
),)
