"""LUKE: RoBERTa that also reads entities; here texts alone, for which what it knows of entities is stored and idle.

Source: Yamada et al. 2020, "LUKE", section 3; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_NAMES, ENCODER_ONLY, ROBERTA_HEAD_NAMES, encoder_keys
from symcount.layers import attention, linear, mlp, norm, residual
from symcount.layers.encoder import encoder, encoder_heads, transform, typed
from symcount.layers.idle import idle_map, idle_norm
from symcount.network import idle, pointwise, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def entities(x: Tensor, z: Any) -> Tensor:
    """x; stored beside it V_2·e + (P + types)d + 2d parameters, and de where e is not d."""
    tables = {"word": {"V": z.V_2, "e": z.e}, "position": {"P": z.P, "d": z.d}, "type": {"types": z.types, "d": z.d}}
    project = idle_map("project", {"e": z.e}, {"d": z.d}, bias=False) if z.projected else ()
    return idle(x, *(weight(f"{name}.weight", kinds="embedding", **axes) for name, axes in tables.items()), *project,
                *idle_norm("norm", shift=True, d=z.d))


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)d + 2d parameters, and those of entities."""
    x, word = typed(ids, types, z)
    return within("entities", entities, x, z=z), word


def aware(x: Tensor, z: Any) -> Tensor:
    """4d² + 4d parameters, and 3d² + 3d for the queries between words and entities, and among entities."""
    y, heads = attention(x, z, t=z.t, dropout=True), {"g": z.heads, "k": per(z.d, z.heads)}
    aware = ("to_entities", "from_entities", "among_entities") if z.aware else ()
    return idle(y, *(made for name in aware for made in idle_map(name, {"d": z.d}, heads, bias=True)))


def block(x: Tensor, z: Any) -> Tensor:
    """7d² + 2dh + 12d + h parameters, 3d² + 3d fewer where attention does not know entities."""
    x = norm(residual(x, within("attention", aware, x, z=z)), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


def predicted(x: Tensor, z: Any) -> Tensor:
    """x; stored beside it de + 3e + V_2 parameters, and V_2·e where the table of entities is not used again."""
    decoder = () if z.tied else idle_map("decoder", {"e": z.e}, {"V": z.V_2}, bias=False)
    return idle(x, *idle_map("transform", {"d": z.d}, {"e": z.e}, bias=True), *idle_norm("norm", shift=True, d=z.e),
                *decoder, weight("bias", kinds="bias", V=z.V_2))


def words(x: Tensor, _: Tensor, z: Any) -> Tensor:
    """Logits over the vocabulary, whose matrix is its own: d² + 3d + Vd + V parameters; untied, a second bias of V."""
    y, bias = linear(transform(x, z.d), "decoder", bias=not z.tied, V=z.V), weight("bias", kinds="bias", V=z.V)
    y = pointwise(y, bias, kind="bias") if z.tied else idle(y, bias)
    return within("entities", predicted, y, z=z)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Entities as wide as the layers are not projected."""
    return {"projected": config["entity_emb_size"] != config["hidden_size"]}


def _luke(count: int, **sizes: int) -> Published:
    return measured("LukeModel", count, V=50267, V_2=500000, P=514, types=1, e=256, **sizes)


_SELF = "encoder.layer.{i}.attention.self"

ARCHITECTURES = (Architecture(
    "luke",
    classes=encoder_heads("Luke", encoder(embeddings, block, masked=False), "ForMaskedLM ForSequenceClassification "
                          "ForMultipleChoice ForTokenClassification ForQuestionAnswering", predictions=words,
                          unread="ForMaskedLM"),
    acts={"hidden_act": ("gelu", "mlp")},
    keys={
        **encoder_keys(V=50267, P=512, types=2, d=768, h=3072, L=12, heads=12, decoder=False),
        "entity_vocab_size": ("V_2", 500000),
        "entity_emb_size": ("e", 256),
        "use_entity_aware_attention": ("aware", True),
    },
    flags={"projected": True},
    settle=settle,
    ignored={
        "bert_model_name": "a note about the file",
        "cls_entity_prediction": "read by nothing",
    },
    only={"position_embedding_type": ENCODER_ONLY["position_embedding_type"]},
    stored={
        **BERT_NAMES,
        "embeddings.entities.word": "entity_embeddings.entity_embeddings",
        "embeddings.entities.position": "entity_embeddings.position_embeddings",
        "embeddings.entities.type": "entity_embeddings.token_type_embeddings",
        "embeddings.entities.project": "entity_embeddings.entity_embedding_dense",
        "embeddings.entities.norm": "entity_embeddings.LayerNorm",
        "layers.attention.to_entities": f"{_SELF}.w2e_query",
        "layers.attention.from_entities": f"{_SELF}.e2w_query",
        "layers.attention.among_entities": f"{_SELF}.e2e_query",
    },
    stored_heads={
        **ROBERTA_HEAD_NAMES,
        "head.entities.transform": "entity_predictions.transform.dense",
        "head.entities.norm": "entity_predictions.transform.LayerNorm",
        "head.entities.decoder": "entity_predictions.decoder",
        "head.entities.bias": "entity_predictions.bias",
    },
    base="luke",
    published={
        "luke-base": _luke(274_502_144, d=768, h=3072, L=12, heads=12),
        "luke-large": _luke(559_724_544, d=1024, h=4096, L=24, heads=16),
    },
),)
