"""BERT: post-norm encoder with learned positions and segments; ERNIE, which also knows its task; BertGeneration.

Source: Devlin et al. 2019, "BERT", section 3 and appendix A; Sun et al. 2020, "ERNIE 2.0", section 4.2; Rothe et al.
2020, "Leveraging pre-trained checkpoints for sequence generation tasks"; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import (
    BERT_HEAD_NAMES,
    BERT_NAMES,
    ENCODER_NOTES,
    ENCODER_ONLY,
    ROBERTA_HEAD_NAMES,
    encoder_keys,
)
from symcount.layers import embed, norm, residual
from symcount.layers.encoder import encoder, encoder_heads, spare, summed, untyped
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def with_task(ids: Tensor, types: Tensor, task: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)d + 2d parameters, and d·tasks where the task is told."""
    x, word = summed(ids, types, z)
    x = residual(x, embed(task, "task", tasks=z.tasks, d=z.d)[0]) if z.told else x
    return norm(x, "norm"), word


generation = encoder(untyped, inputs="ids")


def generation_encoder(z: Any) -> Tensor:
    """Hidden states; no segments, no pooler."""
    return generation(z)[0]


def generation_decoder(z: Any) -> Tensor:
    """Words without a transform: V parameters; untied, V·d more and a second bias of V."""
    x, word = generation(z)
    return within("head", spare, x, word, z=z)


def _bert(count: int, **sizes: int) -> Published:
    return measured("BertModel", count, **{"V": 30522, "P": 512, "types": 2, **sizes})


HEADS = ("ForMaskedLM ForPreTraining ForNextSentencePrediction ForSequenceClassification ForMultipleChoice "
         "ForTokenClassification ForQuestionAnswering")

ARCHITECTURES = (Architecture(
    "bert",
    classes=encoder_heads("Bert", encoder(), "LMHeadModel " + HEADS),
    keys=encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12),
    ignored=ENCODER_NOTES,
    only=ENCODER_ONLY,
    stored=BERT_NAMES,
    stored_heads=BERT_HEAD_NAMES,
    base="bert",
    published={
        "bert-base-uncased": _bert(109_482_240, d=768, h=3072, L=12, heads=12),
        "bert-large-uncased": _bert(335_141_888, d=1024, h=4096, L=24, heads=16),
        "bert-base-cased": _bert(108_310_272, V=28996, d=768, h=3072, L=12, heads=12),
        "bert-large-cased": _bert(333_579_264, V=28996, d=1024, h=4096, L=24, heads=16),
        "bert-base-multilingual-cased": _bert(177_853_440, V=119547, d=768, h=3072, L=12, heads=12),
        "bert-base-multilingual-uncased": _bert(167_356_416, V=105879, d=768, h=3072, L=12, heads=12),
        "bert-base-chinese": _bert(102_267_648, V=21128, d=768, h=3072, L=12, heads=12),
        "bert-tiny": _bert(4_385_920, d=128, h=512, L=2, heads=2),
        "bert-mini": _bert(11_170_560, d=256, h=1024, L=4, heads=4),
        "bert-small": _bert(28_763_648, d=512, h=2048, L=4, heads=8),
        "bert-medium": _bert(41_373_184, d=512, h=2048, L=8, heads=8),
        "all-minilm-l6-v2": _bert(22_713_216, d=384, h=1536, L=6, heads=12),
        "all-minilm-l12-v2": _bert(33_360_000, d=384, h=1536, L=12, heads=12),
        "bge-small-en": _bert(33_360_000, d=384, h=1536, L=12, heads=12),
    },
), Architecture(
    "ernie",
    classes=encoder_heads("Ernie", encoder(with_task, inputs="ids types task"), "ForCausalLM " + HEADS),
    keys={
        **encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12),
        "use_task_id": ("told", False),
        "task_type_vocab_size": ("tasks", 3),
    },
    ignored={"pool_act": "read by nothing", "task_id": "which task is told"},
    only=ENCODER_ONLY,
    stored={**BERT_NAMES, "embeddings.task": "embeddings.task_type_embeddings"},
    stored_heads=BERT_HEAD_NAMES,
    base="ernie",
    published={
        "ernie-2.0-base-en": measured("ErnieModel", 109_483_776, V=30522, P=512, types=4, d=768, h=3072, L=12,
                                      heads=12),
        "ernie-3.0-base-zh": measured("ErnieForMaskedLM", 117_986_368, V=40000, P=2048, types=4, tasks=3, told=True,
                                      d=768, h=3072, L=12, heads=12),
    },
), Architecture(
    "bert-generation",
    classes={"BertGenerationEncoder": generation_encoder, "BertGenerationDecoder": generation_decoder},
    keys=encoder_keys(V=50358, P=512, d=1024, h=4096, L=24, heads=16),
    only=ENCODER_ONLY,
    stored=BERT_NAMES,
    stored_heads=ROBERTA_HEAD_NAMES,
    base="bert",
))
