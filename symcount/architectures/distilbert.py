"""DistilBERT: BERT with half the layers, without segments and pooler.

Source: Sanh et al. 2019, "DistilBERT", section 3; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.layers import linear, post_norm
from symcount.layers.encoder import encoder, encoder_heads, pre_classified, untyped, words
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters: the block of BERT, where training drops nothing out of what attention gives."""
    return post_norm(x, z, dropout="softmax mlp")


def classify(x: Tensor, z: Any) -> Tensor:
    """A dense layer and scores on the first token: d² + d + dC + C parameters."""
    return linear(pre_classified(x, z), "classifier", C=z.C)


def _distilbert(count: int, *, V: int) -> Published:
    return measured("DistilBertModel", count, V=V, P=512, d=768, h=3072, L=6, heads=12)


ARCHITECTURES = (Architecture(
    "distilbert",
    classes=encoder_heads("DistilBert", encoder(untyped, block, inputs="ids", masked=False), "ForMaskedLM "
                          "ForSequenceClassification ForMultipleChoice ForTokenClassification ForQuestionAnswering",
                          pooler=False, predictions=words, classify=classify),
    acts={"activation": ("", "")},
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
        "qa_dropout": "dropout has no weights",
        "seq_classif_dropout": "dropout has no weights",
        "sinusoidal_pos_embds": "fills the same position table with sines",
        "tie_weights_": "a note of the original release; tie_word_embeddings is what ties",
    },
    stored={
        "embeddings.word": "embeddings.word_embeddings",
        "embeddings.position": "embeddings.position_embeddings",
        "embeddings.norm": "embeddings.LayerNorm",
        "layers.attention.query": "transformer.layer.{i}.attention.q_lin",
        "layers.attention.key": "transformer.layer.{i}.attention.k_lin",
        "layers.attention.value": "transformer.layer.{i}.attention.v_lin",
        "layers.attention.output": "transformer.layer.{i}.attention.out_lin",
        "layers.attention_norm": "transformer.layer.{i}.sa_layer_norm",
        "layers.mlp.up": "transformer.layer.{i}.ffn.lin1",
        "layers.mlp.down": "transformer.layer.{i}.ffn.lin2",
        "layers.mlp_norm": "transformer.layer.{i}.output_layer_norm",
    },
    stored_heads={
        "head.transform": "vocab_transform",
        "head.norm": "vocab_layer_norm",
        "head.decoder": "vocab_projector",
        "pre_classifier": "pre_classifier",
        "classifier": "classifier",
        "answers": "qa_outputs",
    },
    base="distilbert",
    published={
        "distilbert-base-uncased": _distilbert(66_362_880, V=30522),
        "distilbert-base-cased": _distilbert(65_190_912, V=28996),
        "distilbert-base-multilingual": _distilbert(134_734_080, V=119547),
    },
),)
