"""DistilBERT: BERT with half the layers, without segments and pooler.

Source: Sanh et al. 2019, "DistilBERT", section 3; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.layers import embed, linear, norm, positions, post_norm, spans
from symcount.network import pointwise, select, tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P)d + 2d parameters."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    return norm(positions(x, "position", P=z.P, t=z.t), "norm"), word


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = within("embeddings", embeddings, tensor("ids", b=z.b, s=z.s), z=z)
    x = within("layers", post_norm, x, z=z, runs=z.L)
    return x, word


def predictions(x: Tensor, word: Tensor, z: Any) -> Tensor:
    """Words behind a transform: d² + d + 2d + V parameters; untied, V·d more."""
    x = norm(pointwise(linear(x, "transform", d=z.d), kind="gelu", name="act"), "norm")
    return linear(x, "decoder", w=word if z.tied else None, V=z.V)


def model(z: Any) -> Tensor:
    """Hidden states."""
    return body(z)[0]


def masked_lm(z: Any) -> Tensor:
    """Logits over the vocabulary at every position."""
    x, word = body(z)
    return within("head", predictions, x, word, z=z)


def sequence_classification(z: Any) -> Tensor:
    """A dense layer and scores on the first token."""
    x = pointwise(linear(select(body(z)[0], "s"), "pre_classifier", d=z.d), kind="relu")
    return linear(x, "classifier", C=z.C)


def token_classification(z: Any) -> Tensor:
    """Scores for each token."""
    return linear(body(z)[0], "classifier", C=z.C)


def question_answering(z: Any) -> Tensor:
    """Start and end of the answer."""
    return spans(body(z)[0], "classifier", z.C)


ARCHITECTURES = (Architecture(
    "distilbert",
    classes={
        "DistilBertModel": model,
        "DistilBertForMaskedLM": masked_lm,
        "DistilBertForSequenceClassification": sequence_classification,
        "DistilBertForTokenClassification": token_classification,
        "DistilBertForQuestionAnswering": question_answering,
    },
    keys={
        "vocab_size": ("V", 30522),
        "max_position_embeddings": ("P", 512),
        "dim": ("d", 768),
        "hidden_dim": ("h", 3072),
        "n_layers": ("L", 6),
        "n_heads": ("heads", 12),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    },
    aliases={"hidden_size": "dim", "num_attention_heads": "n_heads", "num_hidden_layers": "n_layers"},
    ignored={
        "activation": "an activation has no weights and is elementwise",
        "qa_dropout": "dropout has no weights",
        "seq_classif_dropout": "dropout has no weights",
        "sinusoidal_pos_embds": "fills the same position table with sines",
        "tie_weights_": "a note of the original release; tie_word_embeddings is what ties",
    },
    published={
        "distilbert-base-uncased": Published(
            "DistilBertModel", {"V": 30522, "P": 512, "d": 768, "h": 3072, "L": 6, "heads": 12}, 66_362_880,
            "transformers 5.23.0, DistilBertModel on the meta device, numel of named_parameters"),
    },
),)
