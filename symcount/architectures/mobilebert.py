"""MobileBERT: thin and deep BERT, whose layers narrow their input, work on it, and widen it again.

Source: Sun et al. 2020, "MobileBERT", section 3 and table 1; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.layers import embed, linear, mlp, norm, positions, residual
from symcount.layers.encoder import encoder, encoder_heads, pool, transform
from symcount.network import concat, contract, idle, pointwise, rename, select, weight, within
from symcount.sizes import per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Ve + ed + (P + types)d + 3d parameters; 2ed more where a word is seen with the two beside it."""
    x, word = embed(ids, "word", V=z.V, d=z.e)
    x = linear(concat(x, x, x, axis="d") if z.trigram else x, "project", d=z.d)
    kinds, _ = embed(types, "type", types=z.types, d=z.d)
    return scaled(residual(positions(x, "position", P=z.P, t=z.t), kinds), "norm", z), word


def scaled(x: Tensor, name: str, z: Any) -> Tensor:
    """A scale and a shift, behind a LayerNorm where there is one: twice as many parameters as x is wide."""
    return norm(x, name, kind="layer_norm" if z.normed else "multiply")


def narrowed(x: Tensor, z: Any) -> Tensor:
    """From the width d to n = d_narrow: dn + 3n parameters."""
    return scaled(linear(x, "narrow", d=z.d_narrow), "narrow_norm", z)


def attention(x: Tensor, z: Any, wide: Tensor) -> Tensor:
    """dn + 2n parameters to narrow what is asked; 3n² + dn + 4n for attention to the wide rows, or 4n² + 4n to x."""
    if z.narrow:
        asked, told = (idle(x, *_unused(z)) if z.queried else x), x
    else:
        asked, told = narrowed(wide, z), wide
    k = per(z.d_narrow, z.heads)
    query, key = (linear(asked, name, g=z.heads, k=k) for name in ("query", "key"))
    scores = contract(query, rename(key, s="t"), to="b g s t", name="scores")
    value = rename(linear(told, "value", g=z.heads, k=k), s="t")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g k", name="mix")
    return linear(mixed, "output", over="g k", d=z.d_narrow)


def _unused(z: Any) -> tuple[Tensor, ...]:
    """What would narrow the rows that attention asks with: made, though they are narrow already."""
    n = z.d_narrow
    return (weight("narrow.weight", out="d", **{"d'": z.d}, d=n), weight("narrow.bias", kinds="bias", d=n),
            weight("narrow_norm.weight", kinds="norm", d=n), weight("narrow_norm.bias", kinds="norm bias", d=n))


def feed_forward(x: Tensor, z: Any) -> Tensor:
    """2nh + 3n + h parameters."""
    return scaled(residual(x, mlp(x, h=z.h, kind="relu")), "norm", z)


def widened(x: Tensor, z: Any, wide: Tensor) -> Tensor:
    """An MLP of width n, then from n to d: 2nh + dn + h + 3n + 3d parameters."""
    x = scaled(residual(x, mlp(x, h=z.h, kind="relu")), "norm", z)
    return scaled(residual(wide, linear(x, "widen", d=z.d)), "widen_norm", z)


def block(wide: Tensor, z: Any) -> Tensor:
    """L_mlp(2nh + 3n + h) + 3n² + 4dn + 12n + 3d parameters."""
    x = narrowed(wide, z)
    x = scaled(residual(x, within("attention", attention, x, z=z, wide=wide)), "attention_norm", z)
    x = within("mlp.stack", feed_forward, x, z=z, runs=rest(z.L_mlp, 1))
    return within("mlp", widened, x, z=z, wide=wide)


def predictions(x: Tensor, word: Tensor, z: Any) -> Tensor:
    """Words by their vectors, made wide: V(d - e) + V parameters behind a transform; untied, Ve + V more."""
    table = word if z.tied else weight("decoder.weight", V=z.V, d=z.e)
    wide = concat(table, weight("wide.weight", d=rest(z.d, z.e), V=z.V), axis="d")
    y = linear(transform(x, z.d), "decoder", bias=not z.tied, w=wide, V=z.V)
    bias = weight("bias", kinds="bias", V=z.V)
    return pointwise(y, bias, kind="bias") if z.tied else idle(y, bias)


def pooled(x: Tensor, z: Any) -> Tensor:
    """The first token, behind tanh of a dense layer where it is activated: d² + d parameters."""
    return pool(x, z) if z.activated else select(x, "s")


def classify(x: Tensor, z: Any) -> Tensor:
    """Scores of the pooled first token: dC + C parameters more."""
    return linear(pooled(x, z), "classifier", C=z.C)


body = encoder(embeddings, block, masked=False, dropout=False)


def model(z: Any) -> tuple[Tensor, Tensor]:
    """Hidden states, and the pooled first token."""
    x, _ = body(z)
    return x, pooled(x, z)


def next_sentence(z: Any) -> Tensor:
    """Whether two texts follow each other: 2d + 2 parameters more."""
    return linear(pooled(body(z)[0], z), "next_sentence", answers=2)


def pre_training(z: Any) -> tuple[Tensor, Tensor]:
    """Words, and whether two texts follow each other."""
    x, word = body(z)
    return within("head", predictions, x, word, z=z), linear(pooled(x, z), "next_sentence", answers=2)


def multiple_choice(z: Any) -> Tensor:
    """A score for each choice, a text of the batch: d + 1 parameters more."""
    return linear(pooled(body(z)[0], z), "classifier", score=1)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Which rows attention reads; those that cannot run are refused."""
    asked, narrow = config["key_query_shared_bottleneck"], config["use_bottleneck_attention"]
    if not isinstance(asked, bool):
        raise ConfigError(f"key_query_shared_bottleneck: true or false is needed, not {asked!r}")
    if not asked and not narrow:
        raise ConfigError("key_query_shared_bottleneck: without it attention cannot read the wide rows")
    if config["embedding_size"] == config["hidden_size"] and not config["trigram_input"]:
        raise ConfigError("embedding_size: word vectors as wide as the layers are not written without trigram_input")
    if config["normalization_type"] not in ("no_norm", "layer_norm"):
        raise ConfigError(f"normalization_type = {config['normalization_type']!r}: no_norm or layer_norm is needed")
    return {"queried": asked, "normed": config["normalization_type"] == "layer_norm"}


ARCHITECTURES = (Architecture(
    "mobilebert",
    classes={
        **encoder_heads("MobileBert", body, "ForMaskedLM ForSequenceClassification ForTokenClassification "
                        "ForQuestionAnswering", predictions=predictions, classify=classify),
        "MobileBertModel": model,
        "MobileBertForPreTraining": pre_training,
        "MobileBertForNextSentencePrediction": next_sentence,
        "MobileBertForMultipleChoice": multiple_choice,
    },
    acts={"hidden_act": ("relu", "")},
    keys={
        **encoder_keys(V=30522, P=512, types=2, d=512, h=512, L=24, heads=4, decoder=False),
        "embedding_size": ("e", 128),
        "intra_bottleneck_size": ("d_narrow", 128),
        "num_feedforward_networks": ("L_mlp", 4),
        "trigram_input": ("trigram", True),
        "use_bottleneck_attention": ("narrow", False),
        "classifier_activation": ("activated", True),
    },
    reads={"key_query_shared_bottleneck": True, "normalization_type": "no_norm"},
    flags={"queried": True, "normed": False},
    settle=settle,
    same={"true_hidden_size": "intra_bottleneck_size"},  # as every layer has a bottleneck
    only={
        "use_bottleneck": ((True,), "layers without a bottleneck are not written"),
        "position_embedding_type": ENCODER_ONLY["position_embedding_type"],
    },
    stored={
        **BERT_NAMES,
        "embeddings.project": "embeddings.embedding_transformation",
        "layers.narrow": "encoder.layer.{i}.bottleneck.input.dense",
        "layers.narrow_norm": "encoder.layer.{i}.bottleneck.input.LayerNorm",
        "layers.attention.narrow": "encoder.layer.{i}.bottleneck.attention.dense",
        "layers.attention.narrow_norm": "encoder.layer.{i}.bottleneck.attention.LayerNorm",
        "layers.mlp.stack.up": "encoder.layer.{i}.ffn.{i}.intermediate.dense",
        "layers.mlp.stack.down": "encoder.layer.{i}.ffn.{i}.output.dense",
        "layers.mlp.stack.norm": "encoder.layer.{i}.ffn.{i}.output.LayerNorm",
        "layers.mlp.norm": "encoder.layer.{i}.output.LayerNorm",
        "layers.mlp.widen": "encoder.layer.{i}.output.bottleneck.dense",
        "layers.mlp.widen_norm": "encoder.layer.{i}.output.bottleneck.LayerNorm",
    },
    stored_heads={**BERT_HEAD_NAMES, "head.wide": "cls.predictions.dense"},
    base="mobilebert",
    published={
        "mobilebert-uncased": measured("MobileBertModel", 24_581_888, V=30522, P=512, types=2, d=512, h=512, L=24,
                                       heads=4, e=128, d_narrow=128, L_mlp=4, activated=False),
    },
),)
