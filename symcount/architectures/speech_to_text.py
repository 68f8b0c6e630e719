"""S2T: gated convolutions over a spectrogram, and a pre-norm encoder-decoder whose positions are sines.

Source: Wang et al. 2020, "fairseq S2T: fast speech-to-text modeling with fairseq", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import (
    SEQ2SEQ_ALIASES,
    SEQ2SEQ_FOLLOWS,
    SEQ2SEQ_IGNORED,
    SEQ2SEQ_ONLY,
    seq2seq_keys,
    seq2seq_names,
)
from symcount.hub.images import stages
from symcount.hub.settling import number
from symcount.layers import linear, norm
from symcount.layers.convolution import glu_conv1d
from symcount.layers.encoder_decoder import before, decoder_block, encoder_block, words
from symcount.network import pointwise, tensor, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def stem(z: Any) -> Tensor:
    """Half as many frames behind each convolution, m/2 channels between them and d behind the last.

    Parameters: w·2c_in·c_out + 2c_out each.
    """
    x = tensor("spectrogram", b=z.b, s=z.frames, d=z.c)
    *others, last = z.w
    for i, (w, d) in enumerate([*((w, per(z.m, 2)) for w in others), (last, z.d)]):
        x = within(f"conv.{i}", glu_conv1d, x, name="kernel", w=w, stride=2, pad=w // 2, d=d)
    return x


def encode(x: Tensor, z: Any) -> Tensor:
    """L(4d² + 2dh + 9d + h) + 2d parameters."""
    x = within("layers", encoder_block, pointwise(x, kind="sinusoids"), z=z, place=before, runs=z.L)
    return norm(x, "norm")


def decode(x: Tensor, z: Any, memory: Tensor) -> Tensor:
    """L_dec(8d² + 2d·h_dec + 15d + h_dec) + 2d parameters."""
    x = pointwise(x, kind="sinusoids")
    return norm(within("layers", decoder_block, x, z=z, place=before, memory=memory, runs=z.L_dec), "norm")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states of the decoder, and its word table."""
    memory = within("encoder", encode, stem(z), z=z)
    y, table = words(z, tensor("targets", b=z.b, s=z.u), "decoder", z.V)
    return within("decoder", decode, y, z=z, memory=memory), table


def predict(z: Any) -> Tensor:
    """Logits over the vocabulary at every position: dV parameters, none when tied."""
    x, table = body(z)
    return linear(x, "head", bias=False, w=table if z.tied else None, V=z.V)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many frames the convolutions see, and how many numbers a frame has."""
    kernels, = stages(config, "conv_kernel_sizes")
    if (told := config["num_conv_layers"]) != len(kernels):
        raise ConfigError(f"num_conv_layers = {told!r}, and conv_kernel_sizes lists {len(kernels)}")
    return {"w": kernels, "c": number(config, "input_feat_per_channel") * number(config, "input_channels")}


def _s2t(count: int, **sizes: Any) -> Published:
    return measured("Speech2TextForConditionalGeneration", count, **{
        "V": 10000, "L": 12, "L_dec": 6, "w": (5, 5), "m": 1024, "c": 80, **sizes})


ARCHITECTURES = (Architecture(
    "speech_to_text",
    classes={"Speech2TextModel": lambda z: body(z)[0], "Speech2TextForConditionalGeneration": predict},
    sizes="frames u w c",
    follows={name: of for name, of in SEQ2SEQ_FOLLOWS.items() if name != "u"},
    acts={"activation_function": ("relu", "")},
    keys={
        **{key: told for key, told in seq2seq_keys(V=10000, d=256, h=2048, L=12, heads=4, L_dec=6).items()
           if key != "num_labels"},
        "conv_channels": ("m", 1024),
    },
    reads={"conv_kernel_sizes": [5, 5], "num_conv_layers": 2, "input_feat_per_channel": 80, "input_channels": 1},
    settle=settle,
    aliases=SEQ2SEQ_ALIASES,
    ignored={
        **SEQ2SEQ_IGNORED,
        "max_source_positions": "sines are computed for as many frames as there are",
        "max_target_positions": "sines are computed for as many tokens as there are",
    },
    only=SEQ2SEQ_ONLY,
    stored={
        **{ours: name for ours, name in seq2seq_names().items() if ours != "embeddings"},
        ("conv.kernel.value", "conv.kernel.gate"): "encoder.conv.conv_layers.{i}",
    },
    stored_heads={"head": "lm_head"},
    base="model",
    published={
        "s2t-small-librispeech-asr": _s2t(29_536_256, d=256, h=2048, heads=4),
        "s2t-medium-librispeech-asr": _s2t(71_207_936, d=512, h=2048, heads=8),
        "s2t-large-librispeech-asr": _s2t(267_834_368, d=1024, h=4096, heads=16),
    },
),)
