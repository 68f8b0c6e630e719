"""ALBERT: BERT with one block for all its layers, and narrow word vectors.

Source: Lan et al. 2020, "ALBERT", section 3.1 and table 1; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, ENCODER_ONLY, encoder_keys
from symcount.layers import linear, post_norm
from symcount.layers.encoder import encoder_heads, pool, typed, words_and_spare
from symcount.network import tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)e + 2e parameters, and ed + d to come to the width of the layers."""
    x, word = typed(ids, types, z, z.e)
    return linear(x, "project", d=z.d), word


def body(z: Any) -> tuple[Tensor, Tensor]:
    """Embeddings, and the one block L times: 4d² + 2dh + 9d + h parameters, whatever L is."""
    read = (tensor(name, b=z.b, s=z.s) for name in ("ids", "types"))
    x, word = within("embeddings", embeddings, *read, z=z)
    return within("layers", post_norm, x, z=z, dropout=False, runs=z.L, shared=True), word


def pre_training(z: Any) -> tuple[Tensor, Tensor]:
    """Words, and the order of two sentences: C answers of the pooled first token."""
    x, word = body(z)
    return within("head", words_and_spare, x, word, z=z), linear(pool(x, z), "next_sentence", C=z.C)


def _albert(count: int, **sizes: int) -> Published:
    return measured("AlbertModel", count, V=30000, P=512, types=2, e=128, L=12, **sizes)


_NOTE = "a note of the original release, read by nothing"
_GROUPS = "layers of one group, of one block each, share it"

ARCHITECTURES = (Architecture(
    "albert",
    classes={
        **encoder_heads("Albert", body, "ForMaskedLM ForSequenceClassification ForMultipleChoice "
                        "ForTokenClassification ForQuestionAnswering"),
        "AlbertForPreTraining": pre_training,
    },
    acts={"hidden_act": ("gelu_new", "")},
    keys={
        **encoder_keys(V=30000, P=512, types=2, d=4096, h=16384, L=12, heads=64, decoder=False),
        "embedding_size": ("e", 128),
    },
    ignored={
        "classifier_dropout_prob": "dropout has no weights",
        **dict.fromkeys(("down_scale_factor", "gap_size", "layers_to_keep", "net_structure_type", "num_memory_blocks"),
                        _NOTE),
    },
    only={
        "num_hidden_groups": ((1,), _GROUPS),
        "inner_group_num": ((1,), _GROUPS),
        "add_cross_attention": ((False,), "nothing in this family reads another text"),
        "position_embedding_type": ENCODER_ONLY["position_embedding_type"],
    },
    stored={
        "embeddings.word": "embeddings.word_embeddings",
        "embeddings.position": "embeddings.position_embeddings",
        "embeddings.type": "embeddings.token_type_embeddings",
        "embeddings.norm": "embeddings.LayerNorm",
        "embeddings.project": "encoder.embedding_hidden_mapping_in",
        **{f"layers.{ours}": f"encoder.albert_layer_groups.{{i}}.albert_layers.{{i}}.{theirs}" for ours, theirs in {
            "attention.query": "attention.query",
            "attention.key": "attention.key",
            "attention.value": "attention.value",
            "attention.output": "attention.dense",
            "attention_norm": "attention.LayerNorm",
            "mlp.up": "ffn",
            "mlp.down": "ffn_output",
            "mlp_norm": "full_layer_layer_norm",
        }.items()},
        "pooler": "pooler",
    },
    stored_heads={
        **BERT_HEAD_NAMES,
        "head.transform": "predictions.dense",
        "head.norm": "predictions.LayerNorm",
        "head.decoder": "predictions.decoder",
        "head.bias": "predictions.bias",
        "next_sentence": "sop_classifier.classifier",
    },
    base="albert",
    published={
        "albert-base-v2": _albert(11_683_584, d=768, h=3072, heads=12),
        "albert-large-v2": _albert(17_683_968, d=1024, h=4096, heads=16),
        "albert-xlarge-v2": _albert(58_724_864, d=2048, h=8192, heads=16),
        "albert-xxlarge-v2": _albert(222_595_584, d=4096, h=16384, heads=64),
    },
),)
