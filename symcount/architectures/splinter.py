"""Splinter: BERT that finds the span of an answer from the vector of a question token.

Source: Ram et al. 2021, "Few-shot question answering by pretraining span selection", section 3.2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub.encoders import BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.layers import linear, norm
from symcount.layers.encoder import encoder, encoder_heads
from symcount.network import contract, pointwise, select, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

body = encoder(masked=False)


def dense(x: Tensor, name: str, z: Any) -> Tensor:
    """A dense layer and a norm: d² + 3d parameters."""
    return norm(pointwise(linear(x, name, d=z.d), kind="gelu", name="act"), f"{name}_norm")


def ends(x: Tensor, z: Any) -> tuple[Tensor, ...]:
    """For each end of the span, a score of every token against the question's: 3d² + 6d parameters an end."""
    question, found = select(x, "s"), []
    for end in ("start", "end"):
        asked = linear(dense(question, f"query_{end}", z), f"{end}_classifier", bias=False, d=z.d)
        found.append(contract(asked, dense(x, end, z), to="b s", name=f"{end}_scores"))
    return tuple(found)


def question_answering(z: Any) -> Any:
    """Start and end of the answer to one question a text."""
    return within("answers", ends, body(z)[0], z=z)


ARCHITECTURES = (Architecture(
    "splinter",
    classes={
        **encoder_heads("Splinter", body, "", pooler=False),
        "SplinterForQuestionAnswering": question_answering,
    },
    keys=encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12, decoder=False),
    ignored={"question_token_id": "which token stands for a question"},
    only={"position_embedding_type": ENCODER_ONLY["position_embedding_type"]},
    stored=BERT_NAMES,
    stored_heads={
        **{f"answers.{ours}": f"splinter_qass.{ours}_transform.dense"
           for ours in ("query_start", "query_end", "start", "end")},
        **{f"answers.{ours}_norm": f"splinter_qass.{ours}_transform.LayerNorm"
           for ours in ("query_start", "query_end", "start", "end")},
        "answers.start_classifier": "splinter_qass.start_classifier",
        "answers.end_classifier": "splinter_qass.end_classifier",
    },
    base="splinter",
),)
