"""MPNet: BERT without segments, whose scores depend on distances by one table for all layers.

Source: Song et al. 2020, "MPNet", section 2 and appendix B; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_NAMES, ENCODER_ONLY, ROBERTA_HEAD_NAMES, encoder_keys
from symcount.layers import attention, dropped, mlp, norm, residual
from symcount.layers.encoder import dense_first, encoder_heads, untyped
from symcount.network import lookup, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def relative(z: Any) -> Tensor:
    """What a pair of tokens adds to the scores of each head, by its distance: buckets·heads parameters."""
    table = weight("relative.weight", buckets=z.buckets, g=z.heads)
    return lookup(tensor("distances", s=z.s, t=z.t), table, "relative")


def block(x: Tensor, z: Any, table: Tensor) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    x = norm(residual(x, within("attention", attention, x, z=z, t=z.t, relative=table, dropout=True)),
             "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """Embeddings, one table of distances, L blocks: hidden states, and the word table."""
    x, word = within("embeddings", untyped, tensor("ids", b=z.b, s=z.s), z=z)
    x = dropped(x, "embeddings_dropout")
    return within("layers", block, x, z=z, table=within("attention", relative, z=z), runs=z.L), word


ARCHITECTURES = (Architecture(
    "mpnet",
    classes=encoder_heads("MPNet", body, "ForMaskedLM ForSequenceClassification ForMultipleChoice "
                          "ForTokenClassification ForQuestionAnswering", classify=dense_first),
    acts={"hidden_act": ("gelu", "mlp")},
    keys={
        **encoder_keys(V=30527, P=512, d=768, h=3072, L=12, heads=12, decoder=False),
        "relative_attention_num_buckets": ("buckets", 32),
    },
    only={"position_embedding_type": ENCODER_ONLY["position_embedding_type"]},
    stored={
        **BERT_NAMES,
        **{f"layers.attention.{ours}": f"encoder.layer.{{i}}.attention.attn.{theirs}" for ours, theirs in (
            ("query", "q"), ("key", "k"), ("value", "v"), ("output", "o"))},
        "layers.attention_norm": "encoder.layer.{i}.attention.LayerNorm",
        "attention.relative": "encoder.relative_attention_bias",
    },
    stored_heads=ROBERTA_HEAD_NAMES,
    base="mpnet",
    published={
        "mpnet-base": measured("MPNetModel", 109_486_464, V=30527, P=514, d=768, h=3072, L=12, heads=12, buckets=32),
    },
),)
