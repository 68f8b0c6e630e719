"""DeBERTa: encoder that keeps words and their distances apart; version 2 shares the maps and may convolve once.

Source: He et al. 2021, "DeBERTa", section 3 and appendix A; He et al. 2021, "DeBERTaV3", table 2; the heads are those
of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, encoder_keys
from symcount.hub.settling import number
from symcount.layers import activation, embed, linear, mlp, norm, positions, residual
from symcount.layers.disentangled import disentangled, distances
from symcount.layers.encoder import encoder_heads, words_and_spare
from symcount.network import contract, idle, keep, pointwise, rename, select, tensor, weight, window, within
from symcount.sizes import least, per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Ve + 2d parameters, Pe with positions, e·types with segments; and where e is not d, ed to come to d."""
    x, word = embed(ids, "word", V=z.V, d=z.e)
    if z.placed:
        x = positions(x, "position", P=z.P, t=z.t)
    if z.typed:
        x = residual(x, embed(types, "type", types=z.types, d=z.e)[0])
    return norm(linear(x, "project", bias=False, d=z.d) if z.projected else x, "norm"), word


def block(x: Tensor, z: Any, far: Tensor | None, bias: str) -> Tensor:
    """Attention and MLP, a norm after each sum: 4d² + 2dh + 9d + h parameters with all biases, and of distances."""
    x = norm(residual(x, within("attention", disentangled, x, z=z, far=far, bias=bias)), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h)), "mlp_norm")


def start(z: Any) -> tuple[Tensor, Tensor, Tensor | None]:
    """What enters the layers, the word table, and the distances; a table that is not scored never runs."""
    ids, types = tensor("ids", b=z.b, s=z.s), tensor("types", b=z.b, s=z.s)
    x, word = within("embeddings", embeddings, ids, types, z=z)
    far = within("embeddings", distances, z=z) if z.relative else None
    if far is not None and not (z.c2p or z.p2c):
        return idle(x, far), word, None
    return x, word, far


def first_body(z: Any) -> tuple[Tensor, Tensor]:
    """Version 1: of the distances those that a text of s tokens has; hidden states, and the word table."""
    x, word, far = start(z)
    far = far if far is None else keep(far, p=2 * least(z.s, z.buckets))
    return within("layers", block, x, z=z, far=far, bias="query value distance_query", runs=z.L), word


def convolved(x: Tensor, y: Tensor, z: Any) -> Tensor:
    """A convolution over w tokens, added: d²w + 3d parameters."""
    near = rename(window(x, s=("w", z.w), pad=per(z.w - 1, 2)), d="d'")
    kernel = weight("kernel.weight", kinds="weight kernel", out="d", w=z.w, **{"d'": z.d}, d=z.d)
    out = pointwise(contract(near, kernel, to="b s d", name="kernel"), weight("kernel.bias", kinds="bias", d=z.d),
                    kind="bias", name="kernel")
    return norm(residual(y, activation(out, "tanh")), "norm")


def second_body(z: Any) -> tuple[Tensor, Tensor]:
    """Version 2: biases everywhere, and where asked for a convolution beside the first layer."""
    x, word, far = start(z)
    own: dict[str, Any] = {"z": z, "far": far, "bias": "query key value distance_query distance_key"}
    if not z.convolved:
        return within("layers", block, x, runs=z.L, **own), word
    x = within("mixer", convolved, x, within("layers.first", block, x, **own), z=z)
    return within("layers.rest", block, x, runs=rest(z.L, 1), **own), word


def predictions(x: Tensor, word: Tensor, z: Any) -> Tensor:
    """Logits over the vocabulary: d² + 3d + V parameters, by the table of words itself; the older head as BERT's."""
    if z.legacy:
        return words_and_spare(x, word, z)
    x = norm(activation(linear(x, "dense", d=z.d), "gelu"), "dense_norm")
    return linear(x, "output", w=word, V=z.V)


def pool(x: Tensor, z: Any) -> Tensor:
    """A dense layer on the first token: d² + d parameters."""
    return activation(linear(select(x, "s"), "pooler", d=z.d), "gelu", "gelu")


def classify(x: Tensor, z: Any) -> Tensor:
    """Scores of the pooled first token: d² + d + dC + C parameters."""
    return linear(pool(x, z), "classifier", C=z.C)


def multiple_choice(z: Any) -> Tensor:
    """A score for each choice, a text of the batch: d² + 2d + 1 parameters beside the body."""
    return linear(pool(second_body(z)[0], z), "classifier", score=1)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Which scores there are, how many distances, and which tables."""
    d, e = config["hidden_size"], config["embedding_size"]
    e = e if e is None else number(config, "embedding_size")
    kinds = config["pos_att_type"] or []
    kinds = [part.strip() for part in kinds.lower().split("|")] if isinstance(kinds, str) else kinds
    if not isinstance(kinds, list) or not all(isinstance(kind, str) for kind in kinds):
        raise ConfigError("pos_att_type: a list of c2p and p2c is needed")
    if config["pooler_hidden_size"] not in (None, d):
        raise ConfigError("pooler_hidden_size: another width than hidden_size cannot run")
    if not config["legacy"] and e not in (None, d):
        raise ConfigError("embedding_size: a head that is not legacy needs it to be hidden_size")
    relative = config["relative_attention"]
    found = {"e": e, "projected": e not in (None, d), "typed": config["type_vocab_size"] != 0,
             "c2p": relative and "c2p" in kinds, "p2c": relative and "p2c" in kinds}
    return {**found, "buckets": _distances(config)} if relative else found


def _distances(config: dict[str, Any]) -> int:
    """How many distances: of buckets, where there are any, else as many as told, else as there are positions."""
    for key in ("position_buckets", "max_relative_positions", "max_position_embeddings"):
        n = config.get(key, -1)
        if isinstance(n, bool) or not isinstance(n, int):
            raise ConfigError(f"{key}: a whole number is needed, not {n!r}")
        if n > 0:
            return n
    raise ConfigError("max_relative_positions: relative attention needs distances")


def settle_second(config: dict[str, Any]) -> dict[str, Any]:
    """The same; whether the maps are shared, the distances normed, the first layer convolved."""
    found = settle(config)
    k = config["attention_head_size"]
    if k is not None and number(config, "attention_head_size") * config["num_attention_heads"] != config["hidden_size"]:
        raise ConfigError("attention_head_size: heads that do not make hidden_size cannot run")
    relative, shared, normed = (config[key] for key in ("relative_attention", "share_att_key", "norm_rel_ebd"))
    if not isinstance(normed, str):
        raise ConfigError(f"norm_rel_ebd: a text is needed, not {normed!r}")
    if not isinstance(shared, bool):
        raise ConfigError(f"share_att_key: true or false is needed, not {shared!r}")
    kinds = [part.strip() for part in normed.lower().split("|")]
    if "layer_norm" in kinds and not relative:
        raise ConfigError("norm_rel_ebd: without relative_attention there is nothing to norm")
    if shared and relative and not (found["c2p"] and found["p2c"]):
        raise ConfigError("share_att_key: only with both c2p and p2c in pos_att_type is it written")
    w = config["conv_kernel_size"]
    if isinstance(w, bool) or not isinstance(w, int) or (w > 0 and w % 2 == 0):
        raise ConfigError(f"conv_kernel_size: an odd number is needed, or 0 for no convolution, not {w!r}")
    return {**found, "normed": "layer_norm" in kinds, "shared": shared and relative, "convolved": w > 0,
            "w": w if w > 0 else None}


def _keys(**sizes: Any) -> dict[str, tuple[str, Any]]:
    return {
        **encoder_keys(P=512, types=0, decoder=False, **sizes),
        "relative_attention": ("relative", False),
        "position_biased_input": ("placed", True),
        "legacy": ("legacy", True),
    }


def _published(cls: str, count: int, **sizes: Any) -> Published:
    return measured(cls, count, relative=True, c2p=True, p2c=True, placed=False, **sizes)


def _v1(count: int, **sizes: int) -> Published:
    return _published("DebertaModel", count, V=50265, buckets=512, **sizes)


def _v2(count: int, **sizes: Any) -> Published:
    return _published("DebertaV2Model", count, **{"V": 128100, "buckets": 256, "shared": True, "normed": True, **sizes})


_READS = {"embedding_size": None, "pooler_hidden_size": None, "pos_att_type": None, "max_relative_positions": -1}
_FLAGS = {"projected": False, "typed": False, "c2p": False, "p2c": False, "shared": False, "normed": False}
_IGNORED = {
    **dict.fromkeys(("pooler_dropout", "cls_dropout"), "dropout has no weights"),
    "conv_act": "version 2 alone has a convolution",
    "padding_idx": "an older name of pad_token_id",
}
_STORED = {**BERT_NAMES, "embeddings.project": "embeddings.embed_proj", "embeddings.distance": "encoder.rel_embeddings"}
_STORED_HEADS = {
    **BERT_HEAD_NAMES,
    "head.dense": "lm_predictions.lm_head.dense",
    "head.dense_norm": "lm_predictions.lm_head.LayerNorm",
    "head.output": "lm_predictions.lm_head",
    "pooler": "pooler.dense",
}
_ACTS = {"hidden_act": ("gelu", ""), "pooler_hidden_act": ("gelu", "pooler")}
_CLASSES = "ForMaskedLM ForSequenceClassification ForTokenClassification ForQuestionAnswering"
_SELF = "encoder.layer.{i}.attention.self."

ARCHITECTURES = (Architecture(
    "deberta",
    classes=encoder_heads("Deberta", first_body, _CLASSES, pooler=False, predictions=predictions,
                          classify=classify),
    sizes="buckets",
    acts=_ACTS,
    keys=_keys(V=50265, d=768, h=3072, L=12, heads=12),
    reads=_READS,
    flags=_FLAGS,
    follows={"e": "d"},
    settle=settle,
    ignored=_IGNORED,
    only={"talking_head": ((False,), "heads that mix are not written")},
    stored={
        **_STORED,
        ("layers.attention.query", "layers.attention.key", "layers.attention.value"): _SELF + "in_proj",
        "layers.attention.query.bias": _SELF + "q_bias",
        "layers.attention.value.bias": _SELF + "v_bias",
        "layers.attention.distance_key": _SELF + "pos_proj",
        "layers.attention.distance_query": _SELF + "pos_q_proj",
    },
    stored_heads=_STORED_HEADS,
    base="deberta",
    published={
        "deberta-base": _v1(138_601_728, d=768, h=3072, L=12, heads=12),
        "deberta-large": _v1(405_163_008, d=1024, h=4096, L=24, heads=16),
        "deberta-xlarge": _v1(757_804_032, d=1024, h=4096, L=48, heads=16),
    },
), Architecture(
    "deberta-v2",
    classes={
        **encoder_heads("DebertaV2", second_body, _CLASSES, pooler=False, predictions=predictions,
                          classify=classify),
        "DebertaV2ForMultipleChoice": multiple_choice,
    },
    sizes="buckets w",
    acts={**_ACTS, "conv_act": ("tanh", "kernel")},
    keys=_keys(V=128100, d=1536, h=6144, L=24, heads=24),
    reads={**_READS, "position_buckets": -1, "share_att_key": False, "norm_rel_ebd": "none", "conv_kernel_size": 0,
           "attention_head_size": None},
    flags={**_FLAGS, "convolved": False},
    follows={"e": "d"},
    settle=settle_second,
    ignored=_IGNORED,
    only={"conv_groups": ((1,), "a convolution in groups is not written")},
    stored={
        **_STORED,
        "embeddings.distance_norm": "encoder.LayerNorm",
        "layers.attention.query": _SELF + "query_proj",
        "layers.attention.key": _SELF + "key_proj",
        "layers.attention.value": _SELF + "value_proj",
        "layers.attention.both.query": _SELF + "query_proj",
        "layers.attention.both.key": _SELF + "key_proj",
        "layers.attention.distance_key": _SELF + "pos_key_proj",
        "layers.attention.distance_query": _SELF + "pos_query_proj",
        "mixer.kernel": "encoder.conv.conv",
        "mixer.norm": "encoder.conv.LayerNorm",
    },
    stored_heads=_STORED_HEADS,
    base="deberta",
    published={
        "deberta-v3-xsmall": _v2(70_682_112, d=384, h=1536, L=12, heads=6),
        "deberta-v3-small": _v2(141_304_320, d=768, h=3072, L=6, heads=12),
        "deberta-v3-base": _v2(183_831_552, d=768, h=3072, L=12, heads=12),
        "deberta-v3-large": _v2(434_012_160, d=1024, h=4096, L=24, heads=16),
        "mdeberta-v3-base": _v2(278_218_752, V=251000, d=768, h=3072, L=12, heads=12),
        "deberta-v2-xlarge": _v2(884_593_152, d=1536, h=6144, L=24, heads=24, convolved=True, w=3),
        "deberta-v2-xxlarge": _v2(1_564_549_632, d=1536, h=6144, L=48, heads=24, convolved=True, w=3),
    },
))
