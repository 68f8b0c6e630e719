"""BART: encoder-decoder with learned positions and a norm on the embeddings, norms after each sum.

PLBART and MVP are BART; Blenderbot-small has no two rows of positions that are never read; mBART and Blenderbot have
their norms before, and a last one in each stack; Blenderbot has none on the embeddings.

Source: Lewis et al. 2019, "BART", section 2.1; Liu et al. 2020, "Multilingual denoising pre-training", section 2.2;
Roller et al. 2020, "Recipes for building an open-domain chatbot", section 2 and table 2; Ahmad et al. 2021, "PLBART",
section 2.3; Tang et al. 2022, "MVP", section 3.2.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.hub import measured
from symcount.hub.encoders import (
    SEQ2SEQ_ALIASES,
    SEQ2SEQ_FOLLOWS,
    SEQ2SEQ_HEAD_NAMES,
    SEQ2SEQ_IGNORED,
    SEQ2SEQ_ONLY,
    norms_at,
    seq2seq_keys,
    seq2seq_names,
)
from symcount.layers import norm, positions
from symcount.layers.encoder_decoder import after, before, decoder_only, seq2seq_heads, shared_words, stacks
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def offset(x: Tensor, z: Any, t: Size) -> Tensor:
    """(P + 2)d + 2d parameters: the first two positions are never read."""
    return norm(positions(x, "position", P=z.P, t=t, skip=2), "norm")


def normed(x: Tensor, z: Any, t: Size) -> Tensor:
    """Pd + 2d parameters."""
    return norm(positions(x, "position", P=z.P, t=t), "norm")


def bare(x: Tensor, z: Any, t: Size) -> Tensor:
    """Pd parameters."""
    return positions(x, "position", P=z.P, t=t)


def family(name: str, prefix: str, dress: Callable[..., Tensor], place: Callable[..., Tensor], heads: str, *,
           keys: dict[str, Any], only: dict[str, Any] | None = None, ignored: dict[str, str] | None = None,
           published: dict[str, Published] | None = None) -> Architecture:
    """One of the family: what it adds to the words, where its norms are, its heads and the defaults of its class."""
    encode, decode = stacks(dress, place)
    return Architecture(
        name,
        classes=seq2seq_heads(prefix, shared_words(encode, decode), decoder_only(decode), heads),
        follows=SEQ2SEQ_FOLLOWS,
        keys=keys,
        acts={"activation_function": ("", "")},
        aliases=SEQ2SEQ_ALIASES,
        ignored={**SEQ2SEQ_IGNORED, **(ignored or {})},
        only={**SEQ2SEQ_ONLY, **norms_at(before=place is before, embedding=dress is not bare, computed=False),
              **(only or {})},
        stored=seq2seq_names(),
        stored_heads=SEQ2SEQ_HEAD_NAMES,
        base="model",
        published=published,
    )


def _keys(P: int, C: int = 2, **sizes: int) -> dict[str, Any]:
    return {**seq2seq_keys(**sizes), "max_position_embeddings": ("P", P), "num_labels": ("C", C)}


def _text(prefix: str, count: int, **sizes: int) -> Published:
    return measured(f"{prefix}ForConditionalGeneration", count, **sizes)


def _variant(norms: str) -> dict[str, Any]:
    return {"layernorm_variant": ((norms,), "where this family has its norms")}


TEXT = "ForConditionalGeneration ForCausalLM"
ALL = f"{TEXT} ForSequenceClassification ForQuestionAnswering"
_LARGE = {"d": 1024, "h": 4096, "L": 12, "heads": 16, "P": 1024}
_PROMPT = "read only with a prompt, which is not written"

ARCHITECTURES = (
    family(
        "bart", "Bart", offset, after, ALL,
        keys=_keys(V=50265, C=3, **_LARGE),
        published={
            "bart-base": _text("Bart", 139_420_416, V=50265, P=1024, d=768, h=3072, L=6, heads=12),
            "bart-large": _text("Bart", 406_291_456, V=50265, **_LARGE),
        },
    ),
    family(
        "mbart", "MBart", offset, before, ALL,
        keys=_keys(V=50265, **_LARGE),
        published={
            "mbart-large-cc25": _text("MBart", 610_851_840, V=250027, **_LARGE),
            "mbart-large-50": _text("MBart", 610_879_488, V=250054, **_LARGE),
        },
    ),
    family(
        "plbart", "PLBart", offset, after, f"{TEXT} ForSequenceClassification",
        keys=_keys(V=50005, P=1024, d=768, h=3072, L=6, heads=12),
        published={"plbart-base": _text("PLBart", 139_220_736, V=50005, P=1024, d=768, h=3072, L=6, heads=12)},
    ),
    family(
        "mvp", "Mvp", offset, after, ALL,
        keys=_keys(V=50267, **_LARGE),
        only={"use_prompt": ((False,), "prompts are not written for this family")},
        ignored={"prompt_length": _PROMPT, "prompt_mid_dim": _PROMPT},
        published={"mvp": _text("Mvp", 406_293_504, V=50267, **_LARGE)},
    ),
    family(
        "blenderbot", "Blenderbot", bare, before, TEXT,
        keys=_keys(V=8008, P=128, d=2560, h=10240, L=2, L_dec=24, heads=32),
        only=_variant("prelayernorm"),
        published={
            "blenderbot-400m-distill": _text("Blenderbot", 364_802_560, V=8008, P=128, d=1280, h=5120, L=2, L_dec=12,
                                             heads=32),
            "blenderbot-1b-distill": _text("Blenderbot", 1_437_393_920, V=8008, P=128, d=2560, h=10240, L=2, L_dec=12,
                                           heads=32),
            "blenderbot-3b": _text("Blenderbot", 2_696_268_800, V=8008, P=128, d=2560, h=10240, L=2, L_dec=24,
                                   heads=32),
        },
    ),
    family(
        "blenderbot-small", "BlenderbotSmall", normed, after, TEXT,
        keys=_keys(V=50265, P=512, d=512, h=2048, L=8, heads=16),
        only=_variant("xlm"),
        published={
            "blenderbot-90m": _text("BlenderbotSmall", 87_508_992, V=54944, P=512, d=512, h=2048, L=8, heads=16),
        },
    ),
)
