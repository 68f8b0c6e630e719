"""TAPAS: BERT that reads tables, and knows of each token its column, its row and how its number ranks.

Source: Herzig et al. 2020, "TAPAS", section 2; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.hub.settling import number
from symcount.layers import embed, linear, norm, positions, residual
from symcount.layers.encoder import encoder, encoder_heads, pool
from symcount.network import contract, idle, pointwise, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embeddings(ids: Tensor, places: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types_0 + types_1 + …)d + 2d parameters; positions may begin anew in each cell."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    anew = residual(x, embed(places, "position", P=z.P, d=z.d)[0]) if z.anew else None
    x = positions(x, "position", P=z.P, t=z.t) if anew is None else anew
    for i, size in enumerate(z.types):
        kind = tensor(f"types_{i}", b=x.axes["b"], s=x.axes["s"])
        x = residual(x, embed(kind, f"type_{i}", types=size, d=z.d)[0])
    return norm(x, "norm"), word


body = encoder(embeddings, inputs="ids places", masked=False)


def chosen(x: Tensor, name: str) -> Tensor:
    """One score for each token: d + 1 parameters, none of them in a linear map."""
    y = contract(x, weight(f"{name}.weight", d=x.axes["d"]), to="b s", name=name)
    return pointwise(y, weight(f"{name}.bias"), kind="bias", name=name)


def scores(x: Tensor, pooled: Tensor, z: Any) -> tuple[Tensor, ...]:
    """Which cells answer, and their column, 2d + 2 parameters; d·C_1 + C_1 for what is done with their numbers."""
    made = chosen(x, "cells"), chosen(x, "columns")
    return (*made, linear(pooled, "aggregation", C=z.C_1)) if z.aggregated else (made[0], idle(made[1], pooled))


def answers(z: Any) -> tuple[Tensor, ...]:
    """Scores of tokens and of their pooled first one."""
    x, _ = body(z)
    found: tuple[Tensor, ...] = within("classifier", scores, x, pool(x, z), z=z)
    return found


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many kinds of each sort of token there are, and of aggregations, of which 0 is none."""
    types = config["type_vocab_sizes"]
    if not isinstance(types, list) or len(types) < 3 or any(type(n) is not int or n < 1 for n in types):
        raise ConfigError("type_vocab_sizes: a list of at least three positive whole numbers is needed")
    kinds = number(config, "num_aggregation_labels", least=0)
    return {"types": tuple(types), "aggregated": kinds > 0, "C_1": kinds or None}


TYPES = (3, 256, 256, 2, 256, 256, 10)


def _tapas(cls: str, count: int, **sizes: Any) -> Published:
    return measured(cls, count, V=30522, P=512, types=TYPES, **sizes)


_LOSS = "weighs or shapes a loss"

ARCHITECTURES = (Architecture(
    "tapas",
    classes={
        **encoder_heads("Tapas", body, "ForMaskedLM ForSequenceClassification"),
        "TapasForQuestionAnswering": answers,
    },
    sizes="types C_1",
    keys={
        **encoder_keys(V=30522, P=1024, d=768, h=3072, L=12, heads=12, decoder=False),
        "reset_position_index_per_cell": ("anew", True),
    },
    reads={"type_vocab_sizes": [*TYPES], "num_aggregation_labels": 0},
    flags={"aggregated": False},
    settle=settle,
    ignored={
        **dict.fromkeys(("positive_label_weight", "aggregation_loss_weight", "use_answer_as_supervision",
                         "answer_loss_importance", "use_normalized_answer_loss", "huber_loss_delta",
                         "use_gumbel_for_cells", "use_gumbel_for_aggregation", "average_approximation_function",
                         "cell_selection_preference", "answer_loss_cutoff", "average_logits_per_cell",
                         "disable_per_token_loss", "aggregation_labels", "no_aggregation_label_index"), _LOSS),
        **dict.fromkeys(("temperature", "aggregation_temperature"), "a constant"),
        **dict.fromkeys(("max_num_rows", "max_num_columns", "allow_empty_column_selection"),
                        "how scores of tokens become those of cells and columns, without products"),
        "init_cell_selection_weights_to_zero": "how weights start, not how many there are",
    },
    only={
        **ENCODER_ONLY,
        "select_one_column": ((True,), "scores of cells alone are not written"),
    },
    stored={
        **BERT_NAMES,
        **{f"embeddings.type_{i}": f"embeddings.token_type_embeddings_{i}" for i in range(16)},
    },
    stored_heads={
        **BERT_HEAD_NAMES,
        "classifier.cells.weight": "output_weights",
        "classifier.cells.bias": "output_bias",
        "classifier.columns.weight": "column_output_weights",
        "classifier.columns.bias": "column_output_bias",
        "classifier.aggregation": "aggregation_classifier",
    },
    base="tapas",
    published={
        "tapas-base": _tapas("TapasModel", 110_278_656, d=768, h=3072, L=12, heads=12),
        "tapas-large": _tapas("TapasModel", 336_203_776, d=1024, h=4096, L=24, heads=16),
        "tapas-base-finetuned-wtq": _tapas("TapasForQuestionAnswering", 110_283_270, d=768, h=3072, L=12, heads=12,
                                           C_1=4, aggregated=True),
    },
),)
