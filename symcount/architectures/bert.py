"""BERT: post-norm encoder with learned positions and segments.

Source: Devlin et al. 2019, "BERT", section 3 and appendix A; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys, measured
from symcount.layers.encoder import encoder, encoder_heads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.architecture import Published


def _bert(count: int, **sizes: int) -> Published:
    return measured("BertModel", count, **{"V": 30522, "P": 512, "types": 2, **sizes})


_NOTE = "a note of the original release, read by nothing"

ARCHITECTURES = (Architecture(
    "bert",
    classes=encoder_heads("Bert", encoder(), "ForMaskedLM LMHeadModel ForPreTraining ForNextSentencePrediction "
                          "ForSequenceClassification ForMultipleChoice ForTokenClassification ForQuestionAnswering"),
    keys=encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12),
    ignored=dict.fromkeys(("directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                           "pooler_size_per_head", "pooler_type"), _NOTE),
    only=ENCODER_ONLY,
    stored=BERT_NAMES,
    stored_heads=BERT_HEAD_NAMES,
    base="bert",
    published={
        "bert-base-uncased": _bert(109_482_240, d=768, h=3072, L=12, heads=12),
        "bert-large-uncased": _bert(335_141_888, d=1024, h=4096, L=24, heads=16),
    },
),)
