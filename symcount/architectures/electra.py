"""ELECTRA: BERT with word vectors narrower than its layers; one half tells replaced tokens, the other makes them.

Source: Clark et al. 2020, "ELECTRA", section 3 and appendix B; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_NOTES, ENCODER_ONLY, encoder_keys
from symcount.layers import activation, linear
from symcount.layers.encoder import dense_first, encoder, encoder_heads, narrow, words
from symcount.network import select, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


body = encoder(narrow, dropout=False)  # where it is wanted, before the map


def gelu_first(x: Tensor, z: Any) -> Tensor:
    """A dense layer and scores on the first token: d² + d + dC + C parameters."""
    return dense_first(x, z, "gelu")


def discriminator(x: Tensor, z: Any) -> Tensor:
    """For every token, whether it was replaced: d² + 2d + 1 parameters."""
    return linear(activation(linear(x, "dense", d=z.d), "gelu"), "prediction", score=1)


def pre_training(z: Any) -> Tensor:
    """The discriminator."""
    return within("head", discriminator, body(z)[0], z=z)


def multiple_choice(z: Any) -> Tensor:
    """A score for each choice, a text of the batch: d² + 2d + 1 parameters beside the body."""
    x = activation(linear(select(body(z)[0], "s"), "pre_classifier", d=z.d), "gelu", "gelu")
    return linear(x, "classifier", score=1)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Word vectors as wide as the layers are not projected."""
    return {"projected": config["embedding_size"] != config["hidden_size"]}


def _electra(count: int, **sizes: Any) -> Published:
    return measured("ElectraForPreTraining", count, **{"V": 30522, "P": 512, "types": 2, **sizes})


ARCHITECTURES = (Architecture(
    "electra",
    classes={
        **encoder_heads("Electra", body, "ForMaskedLM ForCausalLM ForSequenceClassification ForTokenClassification "
                        "ForQuestionAnswering", pooler=False, predictions=words, classify=gelu_first),
        "ElectraForPreTraining": pre_training,
        "ElectraForMultipleChoice": multiple_choice,
    },
    acts={"hidden_act": ("gelu", "mlp head.dense"), "summary_activation": ("gelu", "pre_classifier")},
    keys={
        **encoder_keys(V=30522, P=512, types=2, d=256, h=1024, L=12, heads=4),
        "embedding_size": ("e", 128),
    },
    flags={"projected": True},
    settle=settle,
    ignored={
        **ENCODER_NOTES,
        "generator_size": "a note of the original release, read by nothing",
        "summary_last_dropout": "dropout has no weights",
    },
    only={
        **ENCODER_ONLY,
        "summary_type": (("first",), "the first token stands for a text"),
        "summary_use_proj": ((True,), "a text is projected before its score"),
    },
    stored={**BERT_NAMES, "embeddings.project": "embeddings_project"},
    stored_heads={
        **BERT_HEAD_NAMES,
        "head.transform": "generator_predictions.dense",
        "head.norm": "generator_predictions.LayerNorm",
        "head.decoder": "generator_lm_head",
        "head.dense": "discriminator_predictions.dense",
        "head.prediction": "discriminator_predictions.dense_prediction",
        "pre_classifier": "sequence_summary.summary",
    },
    base="electra",
    published={
        "electra-small-discriminator": _electra(13_549_057, d=256, e=128, h=1024, L=12, heads=4, projected=True),
        "electra-base-discriminator": _electra(109_483_009, d=768, e=768, h=3072, L=12, heads=12, projected=False),
        "electra-large-discriminator": _electra(335_142_913, d=1024, e=1024, h=4096, L=24, heads=16, projected=False),
    },
),)
