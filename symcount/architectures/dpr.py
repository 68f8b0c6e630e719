"""DPR: a BERT for questions and one for passages, whose first tokens are compared, and a BERT that reads passages.

Source: Karpukhin et al. 2020, "Dense passage retrieval for open-domain question answering", section 3.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_NAMES, ENCODER_NOTES, ENCODER_ONLY, encoder_keys
from symcount.hub.settling import number
from symcount.layers import linear, spans
from symcount.layers.encoder import encoder
from symcount.network import idle, select
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published

body = encoder(masked=False)


def vector(z: Any) -> Tensor:
    """The first token, of which there may be a map to width e: de + e parameters."""
    x = select(body(z)[0], "s")
    return linear(x, "projection", e=z.e) if z.projected else x


def reader(z: Any) -> tuple[Tensor, ...]:
    """Where an answer starts and ends in each passage, and a score for the passage: 3d + 3 parameters.

    A map of the first token, as wide as the layers, runs though nothing reads it.
    """
    x = body(z)[0]
    unread = (linear(select(x, "s"), "projection", e=exactly(z.e, z.d)),) if z.projected else ()
    return idle(spans(x, "ends"), *unread), linear(select(x, "s"), "relevance", score=1)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The width that a vector is brought to; 0 leaves it as it is."""
    width = number(config, "projection_dim", least=0)
    return {"projected": width > 0, "e": width or None}


def _names(encoder: str) -> dict[Any, Any]:
    names = {path: name for path, name in BERT_NAMES.items() if path != "pooler"}
    return {**{path: f"{encoder}.bert_model.{name}" for path, name in names.items()},
            "projection": f"{encoder}.encode_proj"}


def _dpr(cls: str, count: int) -> Published:
    return measured(cls, count, V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12)


ARCHITECTURES = (Architecture(
    "dpr",
    classes={"DPRQuestionEncoder": vector, "DPRContextEncoder": vector, "DPRReader": reader},
    sizes="e",
    keys={key: told for key, told in encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12,
                                                  decoder=False).items()
          if key not in ("tie_word_embeddings", "num_labels")},
    reads={"projection_dim": 0},
    flags={"projected": False},
    settle=settle,
    ignored={
        **ENCODER_NOTES,
        "tie_word_embeddings": "no words are predicted",
        "num_labels": "an answer has two ends, and a passage one score",
    },
    only={
        **ENCODER_ONLY,
        "is_decoder": ((False,), "this family is no decoder"),
    },
    stored=_names("question_encoder"),
    stored_heads={
        "DPRContextEncoder": _names("ctx_encoder"),
        "DPRReader": {
            **_names("span_predictor.encoder"),
            "ends": "span_predictor.qa_outputs",
            "relevance": "span_predictor.qa_classifier",
        },
    },
    published={
        "dpr-question_encoder-single-nq-base": _dpr("DPRQuestionEncoder", 108_891_648),
        "dpr-ctx_encoder-single-nq-base": _dpr("DPRContextEncoder", 108_891_648),
        "dpr-reader-single-nq-base": _dpr("DPRReader", 108_893_955),
    },
),)
