"""LiLT: RoBERTa beside a narrow stream for where each token is on its page; each stream adds the other's scores.

Source: Wang et al. 2022, "LiLT", section 3; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.hub.settling import number
from symcount.layers import dropped, linear, mlp, norm, positions, residual, spans
from symcount.layers.encoder import dense_first, pool, typed
from symcount.network import concat, contract, idle, lookup, pointwise, rename, tensor, weight, within
from symcount.sizes import per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size

SIDES = ("left", "upper", "right", "lower", "height", "width")


def places(*box: Tensor, z: Any) -> Tensor:
    """4P_2·d/6 + d·d_2 + d_2 + P·d_2 + 2d_2 parameters: tables for x, y, height and width, and a map of all six."""
    tables = ("x", "y", "x", "y", "height", "width")
    made = {name: weight(f"{name}.weight", kinds="embedding", P=z.P_2, d=per(z.d, 6)) for name in dict.fromkeys(tables)}
    sides = [lookup(side, made[name], name) for side, name in zip(box, tables, strict=True)]
    x = positions(linear(concat(*sides, axis="d"), "join", d=z.d_2), "position", P=z.P, t=z.t)
    return dropped(norm(x, "norm"))


def heads(x: Tensor, z: Any, prefix: str) -> tuple[Tensor, Tensor]:
    """The scaled scores of a stream, and its values: 3d² + 3d parameters."""
    query, key, value = (linear(x, prefix + name, g=z.heads, k=per(x.axes["d"], z.heads))
                         for name in ("query", "key", "value"))
    scores = contract(query, rename(key, s="t"), to="b g s t", name=f"{prefix}scores")
    return pointwise(scores, kind="attention_scale"), rename(value, s="t")


def attention(x: Tensor, y: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """4d² + 4d parameters, and as many of d_2."""
    (scores, value), (near, place) = heads(x, z, ""), heads(y, z, "layout_")

    def mixed(scores: Tensor, value: Tensor, d: Size, prefix: str) -> Tensor:
        weights = dropped(pointwise(scores, kind="softmax", name=f"{prefix}softmax"), f"{prefix}softmax_dropout")
        rows = contract(weights, value, to="b s g k", name=f"{prefix}mix")
        return dropped(linear(rows, f"{prefix}output", over="g k", d=d), f"{prefix}output_dropout")
    return (mixed(pointwise(scores, near, kind="add"), value, z.d, ""),
            mixed(pointwise(near, scores, kind="add", name="layout_add"), place, z.d_2, "layout_"))


def block(x: Tensor, y: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """4d² + 2dh + 9d + h parameters, and as many of d_2 and h_2."""
    more, there = within("attention", attention, x, y, z=z)
    x, y = norm(residual(x, more), "attention_norm"), norm(residual(y, there), "layout.attention_norm")
    x = norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")
    return x, norm(residual(y, within("layout.mlp", mlp, y, h=z.h_2, dropout=True)), "layout.mlp_norm")


def text(z: Any) -> Tensor:
    """What becomes of the text; the places of its tokens run to the end too."""
    ids, types, *box = (tensor(name, b=z.b, s=z.s) for name in ("ids", "types", *SIDES))
    x = dropped(within("embeddings", typed, ids, types, z=z)[0])
    y = within("layout.embeddings", places, *box, z=z)
    x, y = within("layers.first", block, x, y, z=z, runs=rest(z.L, 1))
    x, y = within("layers.last", block, x, y, z=z)  # whose places nothing reads
    return idle(x, y)


def headed(head: Callable[[Tensor, Any], Tensor]) -> Callable[[Any], Tensor]:
    """A head on the text."""
    def forward(z: Any) -> Tensor:
        return head(text(z), z)
    return forward


def both(z: Any) -> tuple[Tensor, Tensor]:
    """Hidden states, and the pooled first token."""
    x = text(z)
    return x, pool(x, z)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The widths of the narrow stream, a part of those of the text."""
    ratio, d, heads = (number(config, key) for key in ("channel_shrink_ratio", "hidden_size", "num_attention_heads"))
    if d % (heads * ratio):
        raise ConfigError(f"channel_shrink_ratio = {ratio}: the width of a head, hidden_size / num_attention_heads, "
                          "must be a multiple of it")
    return {"d_2": d // ratio, "h_2": number(config, "intermediate_size", least=ratio) // ratio}


ARCHITECTURES = (Architecture(
    "lilt",
    classes={
        "LiltModel": both,
        "LiltForSequenceClassification": headed(dense_first),
        "LiltForTokenClassification": headed(lambda x, z: linear(x, "classifier", C=z.C)),
        "LiltForQuestionAnswering": headed(lambda x, z: spans(x, "answers", z.C)),
    },
    sizes="d_2 h_2",
    acts={"hidden_act": ("gelu", "mlp")},
    keys={
        **{key: told for key, told in encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12,
                                                   decoder=False).items() if key != "tie_word_embeddings"},
        "max_2d_position_embeddings": ("P_2", 1024),
    },
    follows={"d_2": "d/4", "h_2": "h/4"},
    reads={"channel_shrink_ratio": 4},
    settle=settle,
    ignored={"tie_word_embeddings": "no words are predicted"},
    only={"position_embedding_type": ENCODER_ONLY["position_embedding_type"]},
    stored={
        **BERT_NAMES,
        "layout.embeddings.x": "layout_embeddings.x_position_embeddings",
        "layout.embeddings.y": "layout_embeddings.y_position_embeddings",
        "layout.embeddings.height": "layout_embeddings.h_position_embeddings",
        "layout.embeddings.width": "layout_embeddings.w_position_embeddings",
        "layout.embeddings.join": "layout_embeddings.box_linear_embeddings",
        "layout.embeddings.position": "layout_embeddings.box_position_embeddings",
        "layout.embeddings.norm": "layout_embeddings.LayerNorm",
        "layers.attention.layout_query": "encoder.layer.{i}.attention.self.layout_query",
        "layers.attention.layout_key": "encoder.layer.{i}.attention.self.layout_key",
        "layers.attention.layout_value": "encoder.layer.{i}.attention.self.layout_value",
        "layers.attention.layout_output": "encoder.layer.{i}.attention.layout_output.dense",
        "layers.layout.attention_norm": "encoder.layer.{i}.attention.layout_output.LayerNorm",
        "layers.layout.mlp.up": "encoder.layer.{i}.layout_intermediate.dense",
        "layers.layout.mlp.down": "encoder.layer.{i}.layout_output.dense",
        "layers.layout.mlp_norm": "encoder.layer.{i}.layout_output.LayerNorm",
    },
    stored_heads=BERT_HEAD_NAMES,
    base="lilt",
    published={
        "lilt-infoxlm-base": measured("LiltModel", 284_153_024, V=250002, P=514, types=1, P_2=1024, d=768, h=3072, L=12,
                                      heads=12),
        "lilt-roberta-en-base": measured("LiltModel", 130_755_008, V=50265, P=514, types=1, P_2=1024, d=768, h=3072,
                                         L=12, heads=12),
    },
),)
