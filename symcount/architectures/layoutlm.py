"""LayoutLM: BERT whose tokens also have a place on a page, the four sides, width and height of a box.

Source: Xu et al. 2020, "LayoutLM", section 2.2; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.layers import norm, residual
from symcount.layers.encoder import encoder, encoder_heads, summed
from symcount.network import lookup, weight
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, types: Tensor, *box: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types + 4P_2)d + 2d parameters: a table each for x and y of the sides, for height and width."""
    x, word = summed(ids, types, z)
    sides = ("x", "y", "x", "y", "height", "width")
    table = {name: weight(f"{name}.weight", kinds="embedding", P=z.P_2, d=z.d) for name in dict.fromkeys(sides)}
    for side, name in zip(box, sides, strict=True):
        x = residual(x, lookup(side, table[name], name))
    return norm(x, "norm"), word


ARCHITECTURES = (Architecture(
    "layoutlm",
    classes=encoder_heads("LayoutLM", encoder(embeddings, inputs="ids types left upper right lower height width",
                                              masked=False),
                          "ForMaskedLM ForSequenceClassification ForTokenClassification ForQuestionAnswering",
                          unread="ForMaskedLM ForTokenClassification ForQuestionAnswering"),
    keys={
        **encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12, decoder=False),
        "max_2d_position_embeddings": ("P_2", 1024),
    },
    only={
        **ENCODER_ONLY,
        "is_decoder": ((False,), "this family is no decoder"),
    },
    stored={
        **BERT_NAMES,
        "embeddings.x": "embeddings.x_position_embeddings",
        "embeddings.y": "embeddings.y_position_embeddings",
        "embeddings.height": "embeddings.h_position_embeddings",
        "embeddings.width": "embeddings.w_position_embeddings",
    },
    stored_heads=BERT_HEAD_NAMES,
    base="layoutlm",
    published={
        "layoutlm-base": measured("LayoutLMForMaskedLM", 113_250_618, V=30522, P=512, types=2, P_2=1024, d=768,
                                  h=3072, L=12, heads=12),
    },
),)
