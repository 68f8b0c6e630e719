"""ESM: pre-norm encoder of proteins, with rotary (ESM-2) or learned positions (ESM-1b).

Source: Lin et al. 2023, "Evolutionary-scale prediction of atomic-level protein structure with a language model",
supplement A.2; Rives et al. 2021, "Biological structure and function emerge …"; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_NAMES, ENCODER_ONLY, ROBERTA_HEAD_NAMES, encoder_keys
from symcount.layers import attention, embed, mlp, norm, positions, residual
from symcount.layers.encoder import dense_first, encoder, encoder_heads, words
from symcount.network import idle, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.masks import Mask


def embeddings(ids: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Vd parameters, Pd for learned positions, 2d for a norm before the layers."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    x = positions(x, "position", P=z.P, t=z.t) if z.position == "absolute" else x
    return (norm(x, "norm") if z.before else x), word


def block(x: Tensor, z: Any, mask: Mask | None = None) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    rotary = z.position if z.position == "rotary" else None
    x = residual(x, within("attention", attention, norm(x, "attention_norm"), z=z, t=z.t, position=rotary, mask=mask,
                           dropout=True))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, dropout=True))


_layers = encoder(embeddings, block, inputs="ids", last=True, dropout=False)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table; beside them, L·heads + 1 parameters that find contacts when asked."""
    x, word = _layers(z)
    if z.position == "rotary":
        x = idle(x, weight("frequencies", stored="buffer", k=per(z.d, 2 * z.heads)))
    return idle(x, weight("contacts.weight", out="score", L=z.L, heads=z.heads, score=1),
                weight("contacts.bias", kinds="bias", score=1)), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How positions are told, and whether a norm comes before the layers."""
    position, before = config["position_embedding_type"], config["emb_layer_norm_before"]
    if position not in ("absolute", "rotary"):
        raise ConfigError(f"position_embedding_type: absolute or rotary is supported, not {position!r}")
    if before not in (None, True, False):
        raise ConfigError(f"emb_layer_norm_before: true, false or null is needed, not {before!r}")
    return {"position": position, "before": bool(before)}


def _esm2(count: int, **sizes: Any) -> Published:
    return measured("EsmForMaskedLM", count, **{"V": 33, "P": 1026, "position": "rotary", "before": False, **sizes})


_FOLDING = "ESMFold is not written"

ARCHITECTURES = (Architecture(
    "esm",
    classes=encoder_heads("Esm", body, "ForMaskedLM ForSequenceClassification ForTokenClassification",
                          predictions=words, classify=dense_first),
    acts={"": ("gelu_python", "")},
    keys={
        **encoder_keys(V=33, P=1026, d=768, h=3072, L=12, heads=12),
        "vocab_size": ("V", None),
    },
    reads={"position_embedding_type": "absolute", "emb_layer_norm_before": None},
    flags={"position": "absolute", "before": False},
    settle=settle,
    ignored={"token_dropout": "scales the same vectors"},
    only={
        "add_cross_attention": ENCODER_ONLY["add_cross_attention"],
        "is_folding_model": ((False, None), _FOLDING),
        "esmfold_config": ((None,), _FOLDING),
        "vocab_list": ((None,), _FOLDING),
    },
    stored={
        **BERT_NAMES,
        "embeddings.norm": "embeddings.layer_norm",
        "layers.attention_norm": "encoder.layer.{i}.attention.LayerNorm",
        "layers.mlp_norm": "encoder.layer.{i}.LayerNorm",
        "norm": "encoder.emb_layer_norm_after",
        "contacts": "contact_head.regression",
    },
    stored_heads={**ROBERTA_HEAD_NAMES, "head.decoder.bias": "lm_head.bias"},
    base="esm",
    published={
        "esm2-8m": _esm2(7_512_474, d=320, h=1280, L=6, heads=20),
        "esm2-35m": _esm2(33_501_394, d=480, h=1920, L=12, heads=20),
        "esm2-150m": _esm2(148_140_154, d=640, h=2560, L=30, heads=20),
        "esm2-650m": _esm2(651_043_254, d=1280, h=5120, L=33, heads=20),
        "esm2-3b": _esm2(2_839_005_634, d=2560, h=10240, L=36, heads=40),
        "esm2-15b": _esm2(15_129_100_194, d=5120, h=20480, L=48, heads=40),
    },
),)
