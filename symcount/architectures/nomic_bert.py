"""Nomic BERT: BERT with rotary positions, gated MLPs and no biases; Jina embeddings 3: XLM-R with rotary positions.

Source: Nussbaum et al. 2024, "Nomic Embed", section 3.1; Sturua et al. 2024, "jina-embeddings-v3", section 3; the
heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import ROTARY
from symcount.hub.encoders import BERT_HEAD_NAMES, ROBERTA_HEAD_NAMES, encoder_keys
from symcount.layers import attention, embed, gated, mlp, norm, residual
from symcount.layers.encoder import dense_first, encoder, encoder_heads
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Words and segments, then a norm: (V + types)d + 2d parameters."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    kinds, _ = embed(types, "type", types=z.types, d=z.d)
    return norm(residual(x, kinds), "norm"), word


def nomic_block(x: Tensor, z: Any) -> Tensor:
    """4dk·heads + 3dh + 4d parameters."""
    y = within("attention", attention, x, z=z, t=z.t, k=z.k, bias=False, position="rotary")
    x = norm(residual(x, y), "attention_norm")
    return norm(residual(x, within("mlp", gated, x, h=z.h)), "mlp_norm")


def jina_block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    x = norm(residual(x, within("attention", attention, x, z=z, t=z.t, position="rotary", dropout=True)),
             "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


def _keys(**sizes: Any) -> dict[str, tuple[str, Any]]:
    keys = encoder_keys(P=1, decoder=False, **sizes)
    return {key: read for key, read in keys.items() if key not in ROTARY}


_STORED = {
    "embeddings.word": "embeddings.word_embeddings",
    "embeddings.type": "embeddings.token_type_embeddings",
    "embeddings.norm": "embeddings.LayerNorm",
    "layers.attention.query": "layers.{i}.self_attn.q_proj",
    "layers.attention.key": "layers.{i}.self_attn.k_proj",
    "layers.attention.value": "layers.{i}.self_attn.v_proj",
    "layers.attention.output": "layers.{i}.self_attn.o_proj",
    "layers.attention_norm": "layers.{i}.post_attention_layernorm",
    "layers.mlp_norm": "layers.{i}.post_mlp_layernorm",
}

ARCHITECTURES = (Architecture(
    "nomic_bert",
    classes=encoder_heads("NomicBert", encoder(embeddings, nomic_block, masked=False, dropout=False), "ForMaskedLM "
                          "ForSequenceClassification ForTokenClassification", pooler=False),
    acts={"hidden_act": ("silu", "")},
    keys={
        **_keys(V=30528, types=2, d=768, h=3072, L=12, heads=12),
        "head_dim": ("k", None),
    },
    follows={"k": "d/heads"},
    ignored=ROTARY,
    stored={
        **_STORED,
        "layers.mlp.gate": "layers.{i}.mlp.gate_proj",
        "layers.mlp.up": "layers.{i}.mlp.up_proj",
        "layers.mlp.down": "layers.{i}.mlp.down_proj",
        "pooler": "pooler.dense",
    },
    stored_heads={**BERT_HEAD_NAMES, "head.norm": "cls.predictions.transform.layer_norm"},
    base="nomic_bert",
    published={
        "nomic-embed-text-v1": measured("NomicBertModel", 136_731_648, V=30528, types=2, d=768, h=3072, L=12, heads=12),
        "nomic-embed-text-v1.5": measured("NomicBertModel", 136_731_648, V=30528, types=2, d=768, h=3072, L=12,
                                          heads=12),
    },
), Architecture(
    "jina_embeddings_v3",
    classes=encoder_heads("JinaEmbeddingsV3", encoder(embeddings, jina_block, masked=False), "ForMaskedLM "
                          "ForSequenceClassification ForTokenClassification ForQuestionAnswering",
                          classify=dense_first),
    acts={"hidden_act": ("gelu", "mlp")},
    keys=_keys(V=250002, types=1, d=1024, h=4096, L=24, heads=16),
    ignored=ROTARY,
    stored={
        **_STORED,
        "layers.mlp.up": "layers.{i}.mlp.fc1",
        "layers.mlp.down": "layers.{i}.mlp.fc2",
        "pooler": "pooler.dense",
    },
    stored_heads=ROBERTA_HEAD_NAMES,
    base="roberta",
    published={
        "jina-embeddings-v3-hf": measured("JinaEmbeddingsV3Model", 559_364_096, V=250002, types=1, d=1024, h=4096,
                                          L=24, heads=16),
    },
))
