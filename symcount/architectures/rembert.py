"""RemBERT: BERT with narrow word vectors going in, wide ones coming out, never tied.

Source: Chung et al. 2021, "Rethinking embedding coupling in pre-trained language models", section 5 and table 8.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.layers import linear, post_norm
from symcount.layers.encoder import encoder, encoder_heads, transform, typed
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.masks import Mask


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)e + 2e parameters, and ed + d to come to the width of the layers."""
    x, word = typed(ids, types, z, z.e)
    return linear(x, "project", d=z.d), word


def block(x: Tensor, z: Any, mask: Mask | None) -> Tensor:
    """4d² + 2dh + 9d + h parameters: the block of BERT, where training drops nothing out."""
    return post_norm(x, z, mask, dropout=False)


def predictions(x: Tensor, _: Tensor, z: Any) -> Tensor:
    """Words from vectors of width m: dm + 3m + mV + V parameters."""
    return linear(transform(x, z.m), "decoder", V=z.V)


_keys = encoder_keys(V=250300, P=512, types=2, d=1152, h=4608, L=32, heads=18)

ARCHITECTURES = (Architecture(
    "rembert",
    classes=encoder_heads("RemBert", encoder(embeddings, block, dropout=False),
                          "ForMaskedLM ForCausalLM ForSequenceClassification ForMultipleChoice ForTokenClassification "
                          "ForQuestionAnswering", predictions=predictions),
    keys={
        **{key: read for key, read in _keys.items() if key != "tie_word_embeddings"},
        "input_embedding_size": ("e", 256),
        "output_embedding_size": ("m", 1664),
    },
    ignored={
        "tie_word_embeddings": "the matrices have two widths and are never tied",
        "embedding_size": "input_embedding_size is the width of the table",
        "classifier_dropout_prob": "dropout has no weights",
        "embedding_dropout_prob": "dropout has no weights",
    },
    only=ENCODER_ONLY,
    stored={**BERT_NAMES, "embeddings.project": "encoder.embedding_hidden_mapping_in"},
    stored_heads={
        **BERT_HEAD_NAMES,
        "head.transform": "cls.predictions.dense",
        "head.norm": "cls.predictions.LayerNorm",
    },
    base="rembert",
    published={
        "rembert": measured("RemBertModel", 575_920_384, V=250300, P=512, types=2, d=1152, h=4608, L=32, heads=18,
                            e=256, m=1664),
    },
),)
