"""RoBERTa: BERT trained without sentence pairs; a text is classified by a dense layer of the head, not by the pooler.

Of P positions two are kept for padding: a text has at most P − 2 tokens, which is not checked.
Source: Liu et al. 2019, "RoBERTa", section 3; XLM-R: Conneau et al. 2020, "Unsupervised cross-lingual representation
learning at scale", table 5; CamemBERT: Martin et al. 2020; data2vec: Baevski et al. 2022; I-BERT: Kim et al. 2021.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_NAMES, ENCODER_NOTES, ENCODER_ONLY, ROBERTA_HEAD_NAMES, encoder_keys
from symcount.layers.encoder import dense_first, encoder, encoder_heads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from symcount.architecture import Published

HEADS = ("ForMaskedLM ForCausalLM ForSequenceClassification ForMultipleChoice ForTokenClassification "
         "ForQuestionAnswering")


def _family(name: str, prefix: str, base: str, published: Mapping[str, Published], *, V: int = 30522) -> Architecture:
    return Architecture(
        name,
        classes=encoder_heads(prefix, encoder(), HEADS, classify=dense_first),
        acts={"hidden_act": ("gelu", "mlp")},
        keys=encoder_keys(V=V, P=512, types=2, d=768, h=3072, L=12, heads=12),
        ignored=ENCODER_NOTES,
        only=ENCODER_ONLY,
        stored=BERT_NAMES,
        stored_heads=ROBERTA_HEAD_NAMES,
        base=base,
        published=published,
    )


def _measured(cls: str, count: int, **sizes: int) -> Published:
    return measured(cls, count, **{"P": 514, "types": 1, **sizes})


ARCHITECTURES = (
    _family("roberta", "Roberta", "roberta", {
        "roberta-base": _measured("RobertaForMaskedLM", 124_697_433, V=50265, d=768, h=3072, L=12, heads=12),
        "roberta-large": _measured("RobertaForMaskedLM", 355_412_057, V=50265, d=1024, h=4096, L=24, heads=16),
        "distilroberta-base": _measured("RobertaForMaskedLM", 82_170_201, V=50265, d=768, h=3072, L=6, heads=12),
    }, V=50265),
    _family("xlm-roberta", "XLMRoberta", "roberta", {
        "xlm-roberta-base": _measured("XLMRobertaForMaskedLM", 278_295_186, V=250002, d=768, h=3072, L=12, heads=12),
        "xlm-roberta-large": _measured("XLMRobertaForMaskedLM", 560_142_482, V=250002, d=1024, h=4096, L=24, heads=16),
        "bge-m3": _measured("XLMRobertaModel", 567_754_752, V=250002, P=8194, d=1024, h=4096, L=24, heads=16),
    }),
    _family("camembert", "Camembert", "roberta", {
        "camembert-base": _measured("CamembertForMaskedLM", 110_655_493, V=32005, d=768, h=3072, L=12, heads=12),
    }),
    _family("data2vec-text", "Data2VecText", "data2vec_text", {
        "data2vec-text-base": _measured("Data2VecTextModel", 124_645_632, V=50265, d=768, h=3072, L=12, heads=12),
    }),
    Architecture(
        "ibert",
        classes=encoder_heads("IBert", encoder(masked=False), HEADS.replace("ForCausalLM ", ""), classify=dense_first),
        keys=encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12, decoder=False),
        ignored={"force_dequant": "the same products at another precision"},
        only={
            "quant_mode": ((False,), "quantised layers are not written for this family"),
            "position_embedding_type": ENCODER_ONLY["position_embedding_type"],
        },
        stored=BERT_NAMES,
        stored_heads=ROBERTA_HEAD_NAMES,
        base="ibert",
        buffers="every quantised matrix has copies",
    ),
)
