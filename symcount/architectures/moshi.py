"""Moshi and Kyutai's speech to text: the decoder of text and sound, LLaMA's block with more rows in the table of words.

Source: Défossez et al. 2024, "Moshi", section 3.2 and table 1; Zeghidour et al. 2025, "Streaming sequence-to-sequence
learning with delayed streams modeling", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import number
from symcount.layers import embed, linear, norm, rotary_block
from symcount.network import pointwise, tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 2d parameters."""
    return rotary_block(x, z, bias=False)


def body(z: Any) -> Tensor:
    """The last hidden states; (V + 1)d parameters are of words, the last of which starts a text."""
    x, _ = embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.V + 1, d=z.d)
    return norm(within("layers", block, x, z=z, runs=z.L), "norm", shift=False)


def causal_lm(z: Any) -> Tensor:
    """Logits over the vocabulary at every position, never tied to its table of words: dV parameters more."""
    return linear(body(z), "head", bias=False, V=z.V)


def of_streams(z: Any) -> Tensor:
    """The same, where a step is a word and a code of each codebook, whose rows are added: (V + books·V_codes + 1)d."""
    streams = tensor("ids", b=z.b, s=z.s, streams=z.books + 1)
    x, _ = embed(streams, "embeddings", V=z.V + z.books * z.V_codes + 1, d=z.d)
    x = pointwise(x, kind="sum", name="streams_sum", to="b s d")
    return norm(within("layers", block, x, z=z, runs=z.L), "norm", shift=False)


def settle(config: Mapping[str, Any]) -> dict[str, int]:
    """The width of the gate, and of what it opens: half of what one key gives for both."""
    both = number(config, "ffn_dim", least=2)
    if both % 2:
        raise ConfigError(f"ffn_dim = {both}: an even number is needed, for two halves")
    return {"h": both // 2}


KEYS = decoder_keys(V=32000, d=4096, h=11264, L=32, heads=32)
KEYS = {key: entry for key, entry in KEYS.items()
        if key not in ("intermediate_size", "tie_word_embeddings", "num_labels")}
BESIDE = "of a part that stands beside the decoder"
NO_WINDOW = {"sliding_window": "read by nothing: its mask is causal without a window"}
NAMES: dict[Any, Any] = {
    **{ours: f"{theirs}.linear" if ".self_attn." in theirs else theirs for ours, theirs in DECODER_NAMES.items()},
    ("layers.mlp.gate.weight", "layers.mlp.up.weight"): "layers.{i}.mlp.fc1.weight",
    "layers.mlp.down": "layers.{i}.mlp.fc2",
}

ARCHITECTURES = (Architecture(
    "moshi",
    classes={"MoshiModel": body, "MoshiForCausalLM": causal_lm},
    sizes="h",
    follows={"kv": "heads", "k": "d/heads"},
    keys=KEYS,
    reads={"ffn_dim": 22528},
    settle=settle,
    ignored={
        **ROTARY,
        **NO_WINDOW,
        "tie_word_embeddings": "the two tables are unlike and stay two",
        **dict.fromkeys(("audio_encoder_config", "depth_decoder_config", "audio_vocab_size", "num_codebooks"), BESIDE),
    },
    stored=NAMES,
    stored_heads={"head": "lm_head"},
    base="model",
    published={
        "moshi-7b-decoder": measured("MoshiForCausalLM", 6_839_083_008, V=32000, d=4096, h=11264, L=32, heads=32),
    },
), Architecture(
    "kyutai_speech_to_text",
    classes={"KyutaiSpeechToTextModel": of_streams},
    sizes="h",
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **KEYS,
        "vocab_size": ("V", 4001),
        "hidden_size": ("d", 2048),
        "num_hidden_layers": ("L", 48),
        "codebook_vocab_size": ("V_codes", 2049),
        "num_codebooks": ("books", 32),
    },
    reads={"ffn_dim": 11264},
    settle=settle,
    ignored={
        **ROTARY,
        **NO_WINDOW,
        **dict.fromkeys(("codec_config", "frame_size"), BESIDE),
        "tie_word_embeddings": "no class with words is written for this family",
        **dict.fromkeys(("audio_bos_token_id", "audio_pad_token_id"), "chooses how text is generated"),
    },
    stored={**NAMES, "embeddings": "embed_tokens.embed_tokens"},
    published={
        "kyutai-stt-2.6b-en-decoder": measured("KyutaiSpeechToTextModel", 2_608_928_768, V=4001, d=2048, h=5632, L=48,
                                               heads=32, books=32, V_codes=2049),
    },
),)
