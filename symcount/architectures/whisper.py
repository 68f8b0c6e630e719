"""Whisper: two convolutions over a spectrogram, and a pre-norm encoder-decoder whose keys have no bias.

The encoders of Qwen2-Audio and Voxtral are that of Whisper.
Source: Radford et al. 2022, "Robust speech recognition via large-scale weak supervision", section 2.2 and table 1;
Chu et al. 2024, "Qwen2-Audio technical report", section 2; Liu et al. 2025, "Voxtral", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.hub import measured
from symcount.hub.encoders import (
    SEQ2SEQ_ALIASES,
    SEQ2SEQ_FOLLOWS,
    SEQ2SEQ_IGNORED,
    SEQ2SEQ_ONLY,
    seq2seq_keys,
    seq2seq_names,
)
from symcount.layers import linear, norm, positions
from symcount.layers.convolution import conv1d
from symcount.layers.encoder_decoder import before, decoder_block, encoder_block, words
from symcount.network import pointwise, tensor, weight, window, within
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BIASED = "query value output"


def stem(x: Tensor, z: Any) -> Tensor:
    """Two convolutions of three frames, the second of every other frame: 3cd + 3d² + 2d parameters."""
    x = pointwise(conv1d(x, "first", w=3, pad=1, d=z.d), kind="gelu")
    return pointwise(conv1d(x, "second", w=3, pad=1, stride=2, over="d", d=z.d), kind="gelu")


def encode(x: Tensor, z: Any, *, pooled: bool = False) -> Tensor:
    """3cd + 3d² + 2d + Pd + L(4d² + 2dh + 8d + h) + 2d parameters; `pooled`: each two rows become their mean."""
    x = within("conv", stem, x, z=z)
    x = within("embeddings", positions, x, name="position", P=z.P, t=x.axes["s"], stored="frozen")
    x = within("layers", encoder_block, x, z=z, place=before, bias=BIASED, runs=z.L)
    x = pointwise(window(x, s=("w", 2), stride=2), kind="pool", to="b s d") if pooled else x
    return norm(x, "norm")


def decode(x: Tensor, z: Any, memory: Tensor | None) -> Tensor:
    """P_dec·d + L_dec(8d² + 2d·h_dec + 13d + h_dec) + 2d parameters."""
    x = within("embeddings", positions, x, name="position", P=z.P_dec, t=z.t)
    x = within("layers", decoder_block, x, z=z, place=before, memory=memory, bias=BIASED, runs=z.L_dec)
    return norm(x, "norm")


def hear(z: Any, *, pooled: bool = False) -> Tensor:
    """What the encoder makes of a spectrogram, which always has 2P frames."""
    x = tensor("spectrogram", b=z.b, s=exactly(z.frames, 2 * z.P), c=z.c)
    return within("encoder", encode, x, z=z, pooled=pooled)


def body(z: Any, memory: Tensor | None) -> tuple[Tensor, Tensor]:
    """The last hidden states of the decoder, and its word table."""
    y, table = words(z, tensor("targets", b=z.b, s=z.u), "decoder", z.V)
    return within("decoder", decode, y, z=z, memory=memory), table


def predict(z: Any, memory: Tensor | None) -> Tensor:
    """Logits over the vocabulary at every position: dV parameters, none when tied."""
    x, table = body(z, memory)
    return linear(x, "head", bias=False, w=table if z.tied else None, V=z.V)


def audio_classification(z: Any) -> Tensor:
    """Scores of what is heard; L + 1 parameters where the outputs of all layers are weighed."""
    x = hear(z)
    if z.weighted:
        x = pointwise(x, weight("layer_weights", L=z.L + 1), kind="mix", to="b s d")
    return within("classifier", classify, x, z=z)


def classify(x: Tensor, z: Any) -> Tensor:
    """Scores of the mean over time, behind a projection: dm + m + mC + C parameters."""
    x = pointwise(linear(x, "projector", m=z.m), kind="mean", to="b m")
    return linear(x, "scores", over="m", C=z.C)


_SHAPES = {"tiny": {"d": 384, "h": 1536, "L": 4, "heads": 6}, "base": {"d": 512, "h": 2048, "L": 6, "heads": 8},
           "small": {"d": 768, "h": 3072, "L": 12, "heads": 12}, "medium": {"d": 1024, "h": 4096, "L": 24, "heads": 16},
           "large": {"d": 1280, "h": 5120, "L": 32, "heads": 20}}


def _whisper(shape: str, count: int, **sizes: int) -> Published:
    return measured("WhisperForConditionalGeneration", count,
                    **{"V": 51865, "c": 80, "P": 1500, "P_dec": 448, **_SHAPES[shape], **sizes})


_OLD = "a setting of training"
_ENCODER = {"scale_embedding": "read by nothing"}
_ENCODER_NAMES = {
    **{ours: name.removeprefix("encoder.") for ours, name in seq2seq_names().items() if ours.startswith("encoder")},
    "encoder.conv.first": "conv1",
    "encoder.conv.second": "conv2",
}
_LARGE = {**_SHAPES["large"], "c": 128, "P": 1500}
ARCHITECTURES = (Architecture(
    "whisper",
    classes={
        "WhisperModel": lambda z: body(z, hear(z))[0],
        "WhisperForConditionalGeneration": lambda z: predict(z, hear(z)),
        "WhisperForCausalLM": lambda z: predict(z, None),
        "WhisperForAudioClassification": audio_classification,
    },
    follows={**SEQ2SEQ_FOLLOWS, "frames": "2P"},
    acts={"activation_function": ("", "")},
    keys={
        **seq2seq_keys(V=51865, d=384, h=1536, L=4, heads=6),
        "num_mel_bins": ("c", 80),
        "max_source_positions": ("P", 1500),
        "max_target_positions": ("P_dec", 448),
        "use_weighted_layer_sum": ("weighted", False),
        "classifier_proj_size": ("m", 256),
    },
    aliases={**SEQ2SEQ_ALIASES, "num_key_value_heads": "encoder_attention_heads"},
    ignored={
        **SEQ2SEQ_IGNORED,
        "apply_spec_augment": _OLD,
        **dict.fromkeys((f"mask_{axis}_{what}" for axis in ("time", "feature")
                         for what in ("prob", "length", "min_masks")), _OLD),
        "median_filter_width": "read when words are put to times",
    },
    only=SEQ2SEQ_ONLY,
    stored={
        **seq2seq_names(),
        "encoder.conv.first": "encoder.conv1",
        "encoder.conv.second": "encoder.conv2",
    },
    stored_heads={"head": "proj_out", "layer_weights": "layer_weights", "classifier.projector": "projector",
                  "classifier.scores": "classifier"},
    base={"": "model", "WhisperForAudioClassification": ""},
    published={
        "whisper-tiny": _whisper("tiny", 37_760_640),
        "whisper-tiny.en": _whisper("tiny", 37_760_256, V=51864),
        "whisper-base": _whisper("base", 72_593_920),
        "whisper-base.en": _whisper("base", 72_593_408, V=51864),
        "whisper-small": _whisper("small", 241_734_912),
        "whisper-small.en": _whisper("small", 241_734_144, V=51864),
        "whisper-medium": _whisper("medium", 763_857_920),
        "whisper-medium.en": _whisper("medium", 763_856_896, V=51864),
        "whisper-large-v2": _whisper("large", 1_543_304_960),
        "whisper-large-v3": _whisper("large", 1_543_490_560, V=51866, c=128),
        "whisper-large-v3-turbo": _whisper("large", 808_878_080, V=51866, c=128, L_dec=4),
    },
), Architecture(
    "qwen2_audio_encoder",
    classes={"Qwen2AudioEncoder": lambda z: hear(z, pooled=True)},
    follows={"frames": "2P"},
    acts={"activation_function": ("", "")},
    keys={
        "d_model": ("d", 1280),
        "encoder_ffn_dim": ("h", 5120),
        "encoder_layers": ("L", 32),
        "encoder_attention_heads": ("heads", 20),
        "num_mel_bins": ("c", 128),
        "max_source_positions": ("P", 1500),
    },
    aliases={**SEQ2SEQ_ALIASES, "intermediate_size": "encoder_ffn_dim"},
    ignored=_ENCODER,
    stored=_ENCODER_NAMES,
    published={"qwen2-audio-encoder": measured("Qwen2AudioEncoder", 636_968_960, **_LARGE)},
), Architecture(
    "voxtral_encoder",
    classes={"VoxtralEncoder": hear},
    follows={"frames": "2P"},
    acts={"activation_function": ("", "")},
    keys={
        "hidden_size": ("d", 1280),
        "intermediate_size": ("h", 5120),
        "num_hidden_layers": ("L", 32),
        "num_attention_heads": ("heads", 20),
        "num_mel_bins": ("c", 128),
        "max_source_positions": ("P", 1500),
    },
    aliases={ours: theirs for theirs, ours in (*SEQ2SEQ_ALIASES.items(), ("intermediate_size", "encoder_ffn_dim"))},
    ignored={**_ENCODER, "vocab_size": "there is no table of words"},
    stored=_ENCODER_NAMES,
    published={"voxtral-encoder": measured("VoxtralEncoder", 636_968_960, **_LARGE)},
))
