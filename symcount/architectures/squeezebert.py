"""SqueezeBERT: BERT whose maps are convolutions of width 1 in groups, each of which sees a part of the channels.

Source: Iandola et al. 2020, "SqueezeBERT", section 3; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.hub.settling import number
from symcount.layers import activation, linear, norm, residual
from symcount.layers.dense import grouped_linear
from symcount.layers.encoder import encoder, encoder_heads
from symcount.network import contract, pointwise, rename, split, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attention(x: Tensor, z: Any) -> Tensor:
    """3d²/groups + d² + 4d parameters."""
    query, key, value = (split(grouped_linear(x, name, z.groups, d=z.d), "d", g=z.heads, k=None)
                         for name in ("query", "key", "value"))
    scores = contract(query, rename(key, s="t"), to="b g s t", name="scores")
    mixed = contract(pointwise(scores, kind="softmax"), rename(value, s="t"), to="b s g k", name="mix")
    return linear(mixed, "output", over="g k", d=z.d)


def mlp(x: Tensor, z: Any) -> Tensor:
    """2dh/groups + h + d parameters."""
    return grouped_linear(activation(grouped_linear(x, "up", z.groups, h=z.h), "gelu"), "down", z.groups, over="h",
                   d=z.d)


def block(x: Tensor, z: Any) -> Tensor:
    """(3d² + 2dh)/groups + d² + 9d + h parameters."""
    x = norm(residual(x, within("attention", attention, x, z=z)), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, z=z)), "mlp_norm")


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The one number of groups."""
    if config["embedding_size"] != config["hidden_size"]:
        raise ConfigError("embedding_size: word vectors are as wide as the layers, hidden_size")
    if len({number(config, key) for key in _GROUPED}) > 1:
        raise ConfigError(f"{', '.join(_GROUPED)}: unlike numbers of groups are not written")
    return {"groups": config["q_groups"]}


_GROUPED = ("q_groups", "k_groups", "v_groups", "intermediate_groups", "output_groups")

ARCHITECTURES = (Architecture(
    "squeezebert",
    classes=encoder_heads("SqueezeBert", encoder(block=block, masked=False, dropout=False),
                          "ForMaskedLM ForSequenceClassification ForMultipleChoice ForTokenClassification "
                          "ForQuestionAnswering",
                          unread="ForMaskedLM ForTokenClassification ForQuestionAnswering"),
    sizes="groups",
    keys=encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12, decoder=False),
    reads={**dict.fromkeys(_GROUPED, 4), "embedding_size": 768},
    settle=settle,
    only={
        "post_attention_groups": ((1,), "the output of attention is one group"),
        "position_embedding_type": ENCODER_ONLY["position_embedding_type"],
    },
    stored={
        **BERT_NAMES,
        **{f"layers.attention.{name}": (f"encoder.layers.{{i}}.attention.{name}", "d d/groups 1")
           for name in ("query", "key", "value")},
        "layers.attention.output": ("encoder.layers.{i}.post_attention.conv1d", "d d 1"),
        "layers.attention_norm": "encoder.layers.{i}.post_attention.layernorm",
        "layers.mlp.up": ("encoder.layers.{i}.intermediate.conv1d", "h d/groups 1"),
        "layers.mlp.down": ("encoder.layers.{i}.output.conv1d", "d h/groups 1"),
        "layers.mlp_norm": "encoder.layers.{i}.output.layernorm",
    },
    stored_heads=BERT_HEAD_NAMES,
    base="transformer",
    published={
        "squeezebert-uncased": measured("SqueezeBertModel", 51_094_272, V=30528, P=512, types=2, d=768, h=3072, L=12,
                                        heads=12, groups=4),
    },
),)
