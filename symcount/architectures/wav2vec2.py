"""wav2vec 2.0, HuBERT, UniSpeech and UniSpeech-SAT: convolutions over samples of sound, an encoder of their frames.

Source: Baevski et al. 2020, "wav2vec 2.0", sections 2 and 4.2; Hsu et al. 2021, "HuBERT", section 4.1 and table 1; Wang
et al. 2021, "UniSpeech", section 3; the adapters of languages: Pratap et al. 2023, "Scaling speech technology to
1,000+ languages", section 5.2.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.hub import measured
from symcount.hub.speech import (
    ADAPTER,
    CODES,
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
    languages,
    shortening,
    speech_keys,
)
from symcount.layers import linear
from symcount.layers.idle import idle_map, idle_norm
from symcount.layers.speech import quantised, speech_body, speech_heads
from symcount.network import idle, pointwise, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def replaced(x: Tensor, heard: Tensor, z: Any) -> Tensor:
    """Scores of sounds for frames, some of which are replaced by the codes that they stand for.

    Parameters: d_code·m_code + m_code + m_code·d + d + d·C_ctc + C_ctc, beside those of `quantised`.
    """
    codes = linear(within("quantizer", quantised, heard, z=z), "quantised", m_code=z.m_code)
    codes = linear(codes, "hidden", over="m_code", d=z.d)
    return linear(pointwise(x, codes, kind="add", name="replaced"), "sounds", C_ctc=z.C_ctc)


def unread(x: Tensor, heard: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Both, beside what a loss reads that transformers has not: codes, speakers, and the labels of C_ctc sounds.

    Parameters: (d + 1)n + n·d_code/codebooks for n = codebooks·codes, (d + d_code)m_code + 2m_code, d·d_code + d_code,
    C_ctc·d_code and 2d.
    """
    books = {"codebooks": z.codebooks, "codes": z.codes}
    out, code = {"m_code": z.m_code}, {"d_code": z.d_code}
    maps = {"quantizer.scores": ({"d": z.d}, books), "quantised": (code, out), "hidden": ({"d": z.d}, out),
            "speaker": ({"d": z.d}, code)}
    never = [made for name, (into, out) in maps.items() for made in idle_map(name, into, out, bias=True)]
    x = idle(x, *never, weight("quantizer.vectors", kinds="embedding", **books, p=per(z.d_code, z.codebooks)),
             weight("labels", kinds="embedding", C_ctc=z.C_ctc, **code), *idle_norm("heard_norm", shift=True, d=z.d))
    return x, heard


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """What the lists of convolutions say, and the adapters behind the layers and in them."""
    return {**framed(config), **shortening(config), **delays(config), **languages(config)}


def settle_sat(config: dict[str, Any]) -> dict[str, Any]:
    """The same without adapters behind the layers; there always is a vector for hidden frames."""
    return {**framed(config), **delays(config), **languages(config), "masked": True}


def settle_plain(config: dict[str, Any]) -> dict[str, Any]:
    """The same, and without convolutions that tell speakers apart."""
    return {**framed(config), **languages(config)}


_BASE = {"d": 768, "h": 3072, "L": 12, "heads": 12, "w_pos": 128, **FRAMES_SHAPE}
_LARGE = {**_BASE, "d": 1024, "h": 4096, "L": 24, "heads": 16, "layer_normed": True, "conv_bias": True, "stable": True}
_XLARGE = {**_LARGE, "d": 1280, "h": 5120, "L": 48}
_HEADS = {**HEADS_SHAPE, "codebooks": 2, "codes": 320, "d_code": 256, "m_code": 256}


def _wav2vec2(cls: str, count: int, shape: dict[str, Any] = _BASE, **sizes: Any) -> Published:
    return measured(f"Wav2Vec2{cls}", count, **{**shape, **_HEADS, **sizes})


def _sat(count: int, shape: dict[str, Any], **sizes: Any) -> Published:
    return measured("UniSpeechSatForPreTraining", count, **{**shape, **_HEADS, "C_ctc": 504, **sizes})


ARCHITECTURES = (
    Architecture(
        "wav2vec2",
        classes=speech_heads("Wav2Vec2", speech_body(), "ForCTC ForSequenceClassification ForAudioFrameClassification "
                             "ForXVector ForPreTraining"),
        sizes="samples c w stride stride_a d_last c_x w_x dilation r_a",
        follows={"d_last": "d"},
        flags=SPEECH_FLAGS,
        acts=SPEECH_ACTS,
        keys={**speech_keys(), **STABLE, **CODES, **ADAPTER, **SPEAKER},
        reads={**FRAMES, **MASKING, **SHORTENING, **DELAYS, "adapter_attn_dim": None},
        settle=settle,
        ignored=SPEECH_IGNORED,
        stored=SPEECH_NAMES,
        stored_heads=SPEECH_HEAD_NAMES,
        base="wav2vec2",
        published={
            "wav2vec2-base": _wav2vec2("ForPreTraining", 95_044_608),
            "wav2vec2-base-960h": _wav2vec2("ForCTC", 94_396_320),
            "wav2vec2-large-960h": _wav2vec2("ForCTC", 315_461_792, d=1024, h=4096, L=24, heads=16),
            "wav2vec2-large-960h-lv60-self": _wav2vec2("ForCTC", 315_471_520, _LARGE),
            "wav2vec2-large-xlsr-53": _wav2vec2("ForPreTraining", 317_390_592, _LARGE, d_code=768, m_code=768),
            "wav2vec2-xls-r-300m": _wav2vec2("ForPreTraining", 317_390_592, _LARGE, d_code=768, m_code=768),
            "wav2vec2-xls-r-1b": _wav2vec2("ForPreTraining", 965_514_752, _XLARGE, d_code=1024, m_code=1024),
            "wav2vec2-xls-r-2b": _wav2vec2("ForPreTraining", 2_162_932_352, _XLARGE, d=1920, h=7680, d_code=1024,
                                           m_code=1024),
            "mms-1b-all": _wav2vec2("ForCTC", 964_845_850, _XLARGE, V=154, narrowed=True, r_a=16),
        },
    ),
    Architecture(
        "hubert",
        classes=speech_heads("Hubert", speech_body(), "ForCTC ForSequenceClassification"),
        sizes="samples c w stride r_a",
        flags=SPEECH_FLAGS,
        acts=SPEECH_ACTS,
        keys={
            **speech_keys(),
            **STABLE,
            "feat_proj_layer_norm": ("feature_normed", True),
            "conv_pos_batch_norm": ("batch_normed", False),
        },
        reads={**FRAMES, **MASKING, "adapter_attn_dim": None},
        settle=settle_plain,
        ignored={**UNREAD, **SPEECH_IGNORED},
        stored=SPEECH_NAMES,
        stored_heads=SPEECH_HEAD_NAMES,
        base="hubert",
        published={
            "hubert-base-ls960": measured("HubertModel", 94_371_712, **_BASE),
            "hubert-large-ll60k": measured("HubertModel", 315_438_720, **_LARGE),
            "hubert-large-ls960-ft": measured("HubertForCTC", 315_471_520, V=32, **_LARGE),
            "hubert-xlarge-ls960-ft": measured("HubertForCTC", 962_538_400, V=32, **_XLARGE),
        },
    ),
    Architecture(
        "unispeech",
        classes=speech_heads("UniSpeech", speech_body(), "ForCTC ForSequenceClassification ForPreTraining", replaced),
        sizes="samples c w stride r_a",
        flags=SPEECH_FLAGS,
        acts=SPEECH_ACTS,
        keys={**speech_keys(), **STABLE, **CODES, "num_ctc_classes": ("C_ctc", 80)},
        reads={**FRAMES, **MASKING, "adapter_attn_dim": None},
        settle=settle_plain,
        ignored=SPEECH_IGNORED,
        stored=SPEECH_NAMES,
        stored_heads={**SPEECH_HEAD_NAMES, "head.sounds": "ctc_proj"},
        base="unispeech",
        published={
            "unispeech-large-1500h-cv": measured("UniSpeechForPreTraining", 317_472_848, codebooks=2, codes=320,
                                                 d_code=768, m_code=768, C_ctc=80, **_LARGE),
        },
    ),
    Architecture(
        "unispeech-sat",
        classes=speech_heads("UniSpeechSat", speech_body(), "ForCTC ForSequenceClassification "
                             "ForAudioFrameClassification ForXVector ForPreTraining", unread),
        sizes="samples c w stride c_x w_x dilation r_a",
        flags=SPEECH_FLAGS,
        acts=SPEECH_ACTS,
        keys={**speech_keys(), **STABLE, **CODES, **SPEAKER, "num_clusters": ("C_ctc", 504)},
        reads={**FRAMES, **MASKING, **DELAYS, "adapter_attn_dim": None},
        settle=settle_sat,
        ignored=SPEECH_IGNORED,
        stored=SPEECH_NAMES,
        stored_heads={
            **SPEECH_HEAD_NAMES,
            "head.speaker": "speaker_proj",
            "head.labels": "label_embeddings_concat",
            "head.heard_norm": "layer_norm_for_extract",
        },
        base="unispeech_sat",
        published={
            "unispeech-sat-base": _sat(95_535_872, _BASE),
            "unispeech-sat-large": _sat(318_891_008, _LARGE, conv_bias=False, d_code=768, m_code=768),
        },
    ),
)
