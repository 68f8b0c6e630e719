"""VisualBERT: BERT that also reads regions of an image; here texts alone, for which what it knows of images is idle.

Source: Li et al. 2019, "VisualBERT", section 3; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.layers import linear
from symcount.layers.encoder import encoder, encoder_heads, pool, typed
from symcount.layers.idle import idle_map
from symcount.network import idle, pointwise, weight
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + 2P + 2types)d + 2d parameters, P and types twice, as regions have tables of their own, which are idle."""
    x, word = typed(ids, types, z)
    return idle(x, weight("image_type.weight", kinds="embedding", types=z.types, d=z.d),
                weight("image_position.weight", kinds="embedding", P=z.P, d=z.d)), word


text = encoder(embeddings, masked=False)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The text; stored beside it a map of regions of width e: de + d parameters."""
    x, word = text(z)
    return idle(x, *idle_map("regions", {"e": z.e}, {"d": z.d}, bias=True)), word


def chosen(z: Any) -> Tensor:
    """A score for each choice, a text of the batch: d² + 2d + 1 parameters."""
    return linear(pool(body(z)[0], z), "head.scores", score=1)


def reasoned(z: Any) -> Tensor:
    """Scores of the pooled first token: d² + d + dC + C parameters."""
    return linear(pool(body(z)[0], z), "head.scores", C=z.C)


def answered(z: Any) -> tuple[Tensor, Tensor]:
    """Scores of the token that asks: dC + C parameters; the pooler runs, though nothing reads it."""
    x = body(z)[0]
    return linear(pointwise(x, kind="last", to="b d"), "head.scores", C=z.C), pool(x, z)


ARCHITECTURES = (Architecture(
    "visual_bert",
    classes={
        **encoder_heads("VisualBert", body, "ForPreTraining"),
        "VisualBertForMultipleChoice": chosen,
        "VisualBertForQuestionAnswering": answered,
        "VisualBertForVisualReasoning": reasoned,
    },
    keys={
        **encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12, decoder=False),
        "visual_embedding_dim": ("e", 512),
    },
    ignored={"special_visual_initialize": "how weights start, not how many there are"},
    only={
        "position_embedding_type": ENCODER_ONLY["position_embedding_type"],
        "bypass_transformer": ((False,), "regions that meet texts in a last layer alone are not written"),
    },
    stored={
        **BERT_NAMES,
        "embeddings.image_type": "embeddings.visual_token_type_embeddings",
        "embeddings.image_position": "embeddings.visual_position_embeddings",
        "regions": "embeddings.visual_projection",
    },
    stored_heads={**BERT_HEAD_NAMES, "head.scores": "cls"},
    base="visual_bert",
    published={
        "visualbert-vqa-coco-pre": measured("VisualBertForPreTraining", 112_074_812, V=30522, P=512, types=2, d=768,
                                            h=3072, L=12, heads=12, e=2048),
        "visualbert-vqa": measured("VisualBertForQuestionAnswering", 113_856_825, V=30522, P=512, types=2, d=768,
                                   h=3072, L=12, heads=12, e=2048, C=3129),
    },
),)
