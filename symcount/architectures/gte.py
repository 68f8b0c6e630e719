"""GTE: BERT with rotary positions and gated MLPs, which have no biases on their way in.

Source: Zhang et al. 2024, "mGTE", section 3.1; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import ROTARY
from symcount.hub.encoders import BERT_HEAD_NAMES, encoder_keys
from symcount.layers import activation, attention, dropped, embed, linear, norm, residual
from symcount.layers.encoder import encoder, encoder_heads, words
from symcount.network import pointwise, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Words, and segments where a model knows any, then a norm: (V + types)d + 2d parameters."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    x = residual(x, embed(types, "type", types=z.types, d=z.d)[0]) if z.typed else x
    return norm(x, "norm"), word


def mlp(x: Tensor, z: Any) -> Tensor:
    """down(f(gate(x)) · up(x)): 3dh + d parameters."""
    y = activation(linear(x, "gate", h=z.h, bias=False), "gelu")
    y = pointwise(y, linear(x, "up", h=z.h, bias=False), kind="multiply", name="product")
    return dropped(linear(dropped(y), "down", over="h", d=z.d), "output_dropout")


def block(x: Tensor, z: Any) -> Tensor:
    """4dk·heads + 3dh + 3k·heads + 6d parameters: 4d² + 3dh + 9d when k = d/heads."""
    x = norm(residual(x, within("attention", attention, x, z=z, t=z.t, k=z.k, position="rotary", dropout="output")),
             "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, z=z)), "mlp_norm")


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """No segments, no table of them."""
    return {"typed": config["type_vocab_size"] != 0}


ARCHITECTURES = (Architecture(
    "gte",
    classes=encoder_heads("Gte", encoder(embeddings, block, masked=False),
                          "ForMaskedLM ForSequenceClassification ForTokenClassification", pooler=False,
                          predictions=words),
    acts={"hidden_act": ("gelu", "mlp")},
    keys={
        **{key: told for key, told in encoder_keys(V=250048, P=1, types=1, d=768, h=3072, L=12, heads=12,
                                                   decoder=False).items() if key not in ROTARY},
        "head_dim": ("k", None),
    },
    flags={"typed": True},
    follows={"k": "d/heads"},
    settle=settle,
    ignored=ROTARY,
    stored={
        "embeddings.word": "embeddings.word_embeddings",
        "embeddings.type": "embeddings.token_type_embeddings",
        "embeddings.norm": "embeddings.LayerNorm",
        "layers.attention.query": "layers.{i}.self_attn.q_proj",
        "layers.attention.key": "layers.{i}.self_attn.k_proj",
        "layers.attention.value": "layers.{i}.self_attn.v_proj",
        "layers.attention.output": "layers.{i}.self_attn.o_proj",
        "layers.attention_norm": "layers.{i}.post_attention_layernorm",
        "layers.mlp.gate": "layers.{i}.mlp.gate_proj",
        "layers.mlp.up": "layers.{i}.mlp.up_proj",
        "layers.mlp.down": "layers.{i}.mlp.down_proj",
        "layers.mlp_norm": "layers.{i}.post_mlp_layernorm",
        "pooler": "pooler.dense",
    },
    stored_heads={
        **BERT_HEAD_NAMES,
        "head.transform": "lm_head.dense",
        "head.norm": "lm_head.layer_norm",
        "head.decoder": "lm_head.decoder",
    },
    base="gte",
    published={
        "gte-multilingual-base": measured("GteModel", 305_368_320, V=250048, types=1, d=768, h=3072, L=12, heads=12),
        "gte-base-en-v1.5": measured("GteModel", 136_776_192, V=30528, typed=False, d=768, h=3072, L=12, heads=12),
        "gte-large-en-v1.5": measured("GteModel", 434_139_136, V=30528, types=2, d=1024, h=4096, L=24, heads=16),
    },
),)
