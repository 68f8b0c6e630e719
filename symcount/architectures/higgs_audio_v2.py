"""Higgs Audio 2, reading text: LLaMA's block; norms and an MLP for sounds stand beside its own, which no text meets.

Source: Boson AI 2025, "Higgs Audio v2", on its DualFFN.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, ROTARY, decoder_keys
from symcount.layers import linear, norm, rotary_block, words
from symcount.layers.idle import idle_gated, idle_norm
from symcount.network import idle, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 6dh + 4d parameters, of which 3dh + 2d are for sounds."""
    x = rotary_block(x, z, bias=z.attention_bias, mlp_bias=z.mlp_bias)
    return idle(x, *idle_norm("audio_attention_norm", d=z.d), *idle_norm("audio_mlp_norm", d=z.d),
                *idle_gated("audio.mlp", d=z.d, h=z.h, bias=z.mlp_bias))


def body(z: Any) -> Tensor:
    """The last hidden states; tables of words and of all codes: (V + books·V_codes)d parameters."""
    x, _ = words(z)
    x = idle(x, weight("audio.embeddings.weight", kinds="embedding", V=z.books * z.V_codes, d=z.d))
    return norm(within("layers", block, x, z=z, runs=z.L), "norm", shift=False)


def codes(z: Any) -> Tensor:
    """Logits over the codes of all codebooks, at every position: d·books·V_codes parameters more."""
    return linear(body(z), "head", bias=False, V=z.books * z.V_codes)


KEYS = decoder_keys(V=128256, d=3072, h=8192, L=28, heads=24, kv=8, k=128)

ARCHITECTURES = (Architecture(
    "higgs_audio_v2",
    classes={"HiggsAudioV2Model": body, "HiggsAudioV2ForConditionalGeneration": codes},
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **{key: entry for key, entry in KEYS.items() if key not in ("tie_word_embeddings", "num_labels")},
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
        "num_codebooks": ("books", 8),
        "codebook_size": ("V_codes", 1024),
    },
    ignored={
        **ROTARY,
        "tie_word_embeddings": "words come in and codes go out: there is nothing to tie",
        **dict.fromkeys(("audio_token_id", "audio_bos_token_id", "audio_delay_token_id", "audio_stream_bos_id",
                         "audio_stream_eos_id"), "chooses how text is generated"),
    },
    stored={
        **DECODER_NAMES,
        "audio.embeddings": "embed_audio_tokens.embed_audio_tokens",
        "layers.audio_attention_norm": "layers.{i}.audio_input_layernorm",
        "layers.audio_mlp_norm": "layers.{i}.audio_post_attention_layernorm",
        "layers.audio.mlp.gate": "layers.{i}.audio_mlp.gate_proj",
        "layers.audio.mlp.up": "layers.{i}.audio_mlp.up_proj",
        "layers.audio.mlp.down": "layers.{i}.audio_mlp.down_proj",
    },
    stored_heads={"head": "audio_lm_head"},
    base="model",
    published={
        "higgs-audio-v2-3b": measured("HiggsAudioV2ForConditionalGeneration", 5_377_281_024, V=128256, d=3072, h=8192,
                                      L=28, heads=24, kv=8, k=128, books=8, V_codes=1026),
    },
),)
