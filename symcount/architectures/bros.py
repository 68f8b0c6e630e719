"""BROS: BERT whose scores also depend on how the boxes of two tokens lie to each other on their page.

Source: Hong et al. 2022, "BROS", section 3.1; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.hub.settling import number
from symcount.layers import dropped, linear, mlp, norm, residual
from symcount.layers.encoder import encoder_heads, pool, typed
from symcount.network import concat, contract, idle, merge, pointwise, rename, repeat, tensor, weight, within
from symcount.sizes import multiple, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def waves(corners: Tensor, name: str, z: Any) -> Tensor:
    """Sines and cosines of how far each pair of tokens is apart, for four corners, at d/64 rates."""
    apart = pointwise(corners, rename(corners, s="t"), kind="subtract", to="b s t corner")
    rates = weight(f"{name}.rates", stored="buffer", n=per(multiple(z.d, 64), 64))
    angles = pointwise(apart, rates, kind="multiply", to="b s t corner n", name="angles")
    both = (pointwise(angles, kind="sines", name=each) for each in ("sine", "cosine"))
    return merge(concat(*both, axis="n"), d="corner n")


def pairs(x: Tensor, y: Tensor, z: Any) -> Tensor:
    """A vector for each pair of tokens, as wide as a head: d²/(4heads) parameters."""
    apart = concat(waves(x, "x", z), waves(y, "y", z), axis="d")
    return linear(apart, "project", bias=False, k=per(z.d, z.heads))


def attention(x: Tensor, pair: Tensor, z: Any) -> Tensor:
    """4d² + 4d parameters; b·s²·d multiply-adds more for the scores of the pairs."""
    query, key, value = (linear(x, name, g=z.heads, k=per(z.d, z.heads)) for name in ("query", "key", "value"))
    scores = contract(query, rename(key, s="t"), to="b g s t", name="scores")
    scores = pointwise(scores, contract(query, pair, to="b g s t", name="pair_scores"), kind="add", name="relative")
    weights = dropped(pointwise(pointwise(scores, kind="attention_scale"), kind="softmax"), "softmax_dropout")
    mixed = contract(weights, rename(value, s="t"), to="b s g k", name="mix")
    return dropped(linear(mixed, "output", over="g k", d=z.d), "output_dropout")


def block(x: Tensor, z: Any, pair: Tensor) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    x = norm(residual(x, within("attention", attention, x, pair, z=z)), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)d + 2d parameters; the numbers of the positions are stored too."""
    x, word = typed(ids, types, z)
    return dropped(idle(x, weight("numbers", stored="buffer", P=z.P))), word


def body(z: Any) -> tuple[Tensor, Tensor]:
    """Embeddings of texts and of pairs of boxes, L blocks: hidden states, and the word table."""
    ids, types = (tensor(name, b=z.b, s=z.s) for name in ("ids", "types"))
    corners = (tensor(name, b=z.b, s=z.s, corner=4) for name in ("x", "y"))
    x, word = within("embeddings", embeddings, ids, types, z=z)
    pair = within("embeddings.boxes", pairs, *corners, z=z)
    return within("layers", block, x, z=z, pair=pair, runs=z.L), word


def related(x: Tensor, z: Any) -> Tensor:
    """A score for each pair of tokens, and of each token with none: 2d² + 3d parameters."""
    nobody = repeat(weight("nobody", s=1, d=z.d), b=x.axes["b"])
    query, key = linear(x, "query", k=z.d), linear(concat(x, nobody, axis="s"), "key", k=z.d)
    return contract(query, rename(key, s="t"), to="b s t", name="relation")


def linked(z: Any) -> Tensor:
    """Which token each token belongs to; the pooler runs, though nothing reads it."""
    x = body(z)[0]
    return idle(within("classifier", related, x, z=z), pool(x, z))


def extracted(z: Any) -> tuple[Tensor, ...]:
    """What begins with each token, d² + d + dC + C parameters, and which token follows it."""
    x = body(z)[0]
    begins = within("classifier", lambda x: linear(linear(x, "first", d=z.d), "kind", C=z.C), x)
    return idle(begins, pool(x, z)), within("classifier.next", related, x, z=z)


def _related(ours: str, theirs: str) -> dict[str, Any]:
    return {f"{ours}.nobody": (f"{theirs}.dummy_node", "1 d"), f"{ours}.query": f"{theirs}.query",
            f"{ours}.key": f"{theirs}.key"}


_BOXES = ("dim_bbox_sinusoid_emb_2d", "dim_bbox_sinusoid_emb_1d", "dim_bbox_projection")


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Nothing; but the widths of boxes must be those that follow from the others."""
    d, heads = number(config, "hidden_size"), number(config, "num_attention_heads")
    for key, follows in zip(_BOXES, (d // 4, d // 4 // 8, d // heads), strict=True):
        if config[key] is not None and config[key] != follows:
            raise ConfigError(f"{key} = {config[key]!r} is not supported: {follows} follows from hidden_size = {d} and "
                              f"num_attention_heads = {heads}")
    return {}


ARCHITECTURES = (Architecture(
    "bros",
    classes={
        **encoder_heads("Bros", body, "ForTokenClassification", unread="ForTokenClassification"),
        "BrosSpadeEEForTokenClassification": extracted,
        "BrosSpadeELForTokenClassification": linked,
    },
    keys={key: told for key, told in encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12,
                                                  decoder=False).items() if key != "tie_word_embeddings"},
    ignored={
        "tie_word_embeddings": "no words are predicted",
        "is_decoder": "changes nothing where there is no other text",
        "bbox_scale": "a constant",
        "pe_type": "a note of the original release, read by nothing",
        "classifier_dropout_prob": "dropout has no weights",
    },
    reads=dict.fromkeys(_BOXES),
    settle=settle,
    only={
        **ENCODER_ONLY,
        "dim_bbox": ((8,), "four corners of a box have eight numbers"),
        "n_relations": ((1,), "several relations are not written"),
    },
    stored={
        **BERT_NAMES,
        "embeddings.boxes.project": "bbox_embeddings.bbox_projection",
    },
    stored_heads={
        **BERT_HEAD_NAMES,
        **_related("classifier", "entity_linker"),
        **_related("classifier.next", "subsequent_token_classifier"),
        "classifier.first": "initial_token_classifier.1",
        "classifier.kind": "initial_token_classifier.3",
    },
    base="bros",
    published={
        "bros-base-uncased": measured("BrosModel", 109_494_528, V=30522, P=512, types=2, d=768, h=3072, L=12,
                                      heads=12),
        "bros-large-uncased": measured("BrosModel", 335_158_272, V=30522, P=512, types=2, d=1024, h=4096, L=24,
                                       heads=16),
    },
),)
