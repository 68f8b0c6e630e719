"""BERT: post-norm encoder with learned positions and segments.

Source: Devlin et al. 2019, "BERT", section 3 and appendix A; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.layers import embed, linear, norm, positions, post_norm, residual, spans
from symcount.masks import Mask
from symcount.network import pointwise, select, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)d + 2d parameters."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    x = positions(x, "position", P=z.P, t=z.t)
    kinds, _ = embed(types, "type", types=z.types, d=z.d)
    return norm(residual(x, kinds), "norm"), word


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    ids, types = tensor("ids", b=z.b, s=z.s), tensor("types", b=z.b, s=z.s)
    x, word = within("embeddings", embeddings, ids, types, z=z)
    x = within("layers", post_norm, x, z=z, mask=Mask(causal=True) if z.decoder else None, runs=z.L)
    return x, word


def pool(x: Tensor, z: Any) -> Tensor:
    """tanh of a dense layer on the first token: d² + d parameters."""
    return pointwise(linear(select(x, "s"), "pooler", d=z.d), kind="tanh")


def predictions(x: Tensor, word: Tensor, z: Any) -> Tensor:
    """Words behind a transform: d² + d + 2d + V parameters; untied, V·d more and a second bias of V."""
    x = pointwise(linear(x, "transform", d=z.d), kind="gelu", name="act")
    x = norm(x, "norm")
    y = linear(x, "decoder", w=word if z.tied else None, V=z.V)
    return y if z.tied else pointwise(y, weight("bias", kinds="bias", V=z.V), kind="bias")


def model(z: Any) -> tuple[Tensor, Tensor]:
    """Hidden states and the pooled first token."""
    x, _ = body(z)
    return x, pool(x, z)


def masked_lm(z: Any) -> Tensor:
    """Logits over the vocabulary at every position; no pooler."""
    x, word = body(z)
    return within("head", predictions, x, word, z=z)


def pre_training(z: Any) -> tuple[Tensor, Tensor]:
    """Masked words, and whether the second sentence follows the first."""
    x, word = body(z)
    return within("head", predictions, x, word, z=z), linear(pool(x, z), "next_sentence", answers=2)


def next_sentence(z: Any) -> Tensor:
    """Whether the second sentence follows the first."""
    return linear(pool(body(z)[0], z), "next_sentence", answers=2)


def sequence_classification(z: Any) -> Tensor:
    """Scores of the pooled first token."""
    return linear(pool(body(z)[0], z), "classifier", C=z.C)


def token_classification(z: Any) -> Tensor:
    """Scores for each token; no pooler."""
    return linear(body(z)[0], "classifier", C=z.C)


def question_answering(z: Any) -> Tensor:
    """Start and end of the answer; no pooler."""
    return spans(body(z)[0], "classifier", z.C)


_MEASURED = "transformers 5.23.0, BertModel on the meta device, numel of named_parameters"


def _bert(count: int, **sizes: int) -> Published:
    return Published("BertModel", {"V": 30522, "P": 512, "types": 2, **sizes}, count, _MEASURED)


ARCHITECTURES = (Architecture(
    "bert",
    classes={
        "BertModel": model,
        "BertForMaskedLM": masked_lm,
        "BertLMHeadModel": masked_lm,
        "BertForPreTraining": pre_training,
        "BertForNextSentencePrediction": next_sentence,
        "BertForSequenceClassification": sequence_classification,
        "BertForTokenClassification": token_classification,
        "BertForQuestionAnswering": question_answering,
    },
    keys={
        "vocab_size": ("V", 30522),
        "max_position_embeddings": ("P", 512),
        "type_vocab_size": ("types", 2),
        "hidden_size": ("d", 768),
        "intermediate_size": ("h", 3072),
        "num_hidden_layers": ("L", 12),
        "num_attention_heads": ("heads", 12),
        "tie_word_embeddings": ("tied", True),
        "is_decoder": ("decoder", False),
        "num_labels": ("C", 2),
    },
    ignored={
        "hidden_act": "an activation has no weights and is elementwise",
        "hidden_dropout_prob": "dropout has no weights",
        "attention_probs_dropout_prob": "dropout has no weights",
        "classifier_dropout": "dropout has no weights",
        "layer_norm_eps": "a constant",
        "directionality": "a note of the original release, read by nothing",
        "pooler_fc_size": "a note of the original release, read by nothing",
        "pooler_num_attention_heads": "a note of the original release, read by nothing",
        "pooler_num_fc_layers": "a note of the original release, read by nothing",
        "pooler_size_per_head": "a note of the original release, read by nothing",
        "pooler_type": "a note of the original release, read by nothing",
    },
    only={
        "add_cross_attention": ((False,), "cross attention is not written for this family"),
        "position_embedding_type": (("absolute",), "relative keys have a table of their own"),
    },
    published={
        "bert-base-uncased": _bert(109_482_240, d=768, h=3072, L=12, heads=12),
        "bert-large-uncased": _bert(335_141_888, d=1024, h=4096, L=24, heads=16),
    },
),)
