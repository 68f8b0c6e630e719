"""LayoutLMv3: RoBERTa whose tokens have a place on a page, and whose scores depend on distances there and in the text.

Here texts alone: what it knows of images is stored, and idle.
Source: Huang et al. 2022, "LayoutLMv3", section 2.1; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.hub.settling import number
from symcount.layers import attention, dropped, linear, mlp, norm, residual
from symcount.layers.encoder import dense_first, summed
from symcount.layers.idle import idle_norm
from symcount.network import concat, idle, lookup, pointwise, tensor, weight, within
from symcount.sizes import exactly, floor, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

SIDES = ("left", "upper", "right", "lower", "height", "width")


def embeddings(ids: Tensor, types: Tensor, *box: Tensor, z: Any) -> Tensor:
    """(V + P + types)d + 2d parameters, and P_2·d - 2P_2·e for tables of x and y of width e, of height and of width."""
    x, _ = summed(ids, types, z)
    tables = {"x": z.e, "y": z.e, "height": per(z.d - 4 * z.e, 2), "width": per(z.d - 4 * z.e, 2)}
    made = {name: weight(f"{name}.weight", kinds="embedding", P=z.P_2, d=d) for name, d in tables.items()}
    sides = zip(box, ("x", "y", "x", "y", "height", "width"), strict=True)
    place = concat(*(lookup(side, made[name], name) for side, name in sides), axis="d")
    return dropped(norm(residual(x, place), "norm"))


def of_images(x: Tensor, z: Any) -> Tensor:
    """x; stored beside it cd·patch² + d, a token and positions of d each, and two norms of 2d."""
    axes: dict[str, Size] = {"y": z.patch, "x": z.patch, "c": z.c, "d": z.d}
    x = idle(x, weight("patch.weight", kinds="weight kernel", out="d", **axes),
             weight("patch.bias", kinds="bias", d=z.d), weight("token", kinds="embedding", s=1, d=z.d),
             weight("position", kinds="embedding", s=floor(z.side, z.patch) * floor(z.side, z.patch) + 1, d=z.d))
    return idle(x, *idle_norm("norm", shift=True, d=z.d), *idle_norm("joint_norm", shift=True, d=z.d))


def score(z: Any, name: str, buckets: Size) -> tuple[Tensor, Tensor]:
    """What a pair of tokens adds to the scores of each head, by a distance, and its table: buckets·heads parameters."""
    table = weight(f"{name}.weight", out="g", buckets=buckets, g=z.heads)
    return lookup(tensor(name, b=z.b, s=z.s, t=z.t), table, name), table


def block(x: Tensor, z: Any, near: Tensor | None) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    y = within("attention", attention, x, z=z, t=z.t, relative=near, dropout=True)
    x = norm(residual(x, y), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


def body(z: Any) -> Tensor:
    """Embeddings of texts and places, tables of distances, L blocks.

    Distances on the page count only with those in the text: without these, their tables are stored and not read.
    """
    ids, types, *box = (tensor(name, b=z.b, s=z.s) for name in ("ids", "types", *SIDES))
    x = within("embeddings", embeddings, ids, types, *box, z=z)
    x = within("embeddings.image", of_images, x, z=z) if z.visual else x
    near = within("attention", score, z=z, name="along", buckets=z.buckets)[0] if z.relative else None
    for name in ("across", "down") if z.spatial else ():
        more, table = within("attention", score, z=z, name=name, buckets=z.buckets_2)
        x, near = (idle(x, table), near) if near is None else (x, residual(near, more))
    return within("layers", block, x, z=z, near=near, runs=z.L)


def deep(x: Tensor, z: Any, ends: Size | None = None) -> Tensor:
    """A dense layer and scores for each token: d² + d + dC + C parameters, or for the two ends of an answer."""
    y = pointwise(linear(x, "dense", d=z.d), kind="tanh", name="act")
    return linear(y, "output", C=z.C if ends is None else exactly(z.C, ends))


def tokens(z: Any) -> Tensor:
    """Scores for each token, of many classes behind a dense layer: dC + C parameters, or d² + d more."""
    return within("classifier", deep, body(z), z=z) if z.many else linear(body(z), "classifier", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Tables of sides and sizes must fill the width together; ten classes or more have a dense layer before them."""
    d, e, shape = (number(config, key) for key in ("hidden_size", "coordinate_size", "shape_size"))
    if 4 * e + 2 * shape != d:
        raise ConfigError(f"coordinate_size = {e}, shape_size = {shape}: four of one and two of the other make "
                          f"{4 * e + 2 * shape} and not hidden_size = {d}")
    return {"e": e, "many": number(config, "num_labels") >= 10}


def _layoutlmv3(count: int, **sizes: int) -> Published:
    return measured("LayoutLMv3Model", count, V=50265, P=514, types=1, P_2=1024, buckets=32, buckets_2=64, c=3,
                    side=224, patch=16, **sizes)


_IMAGE = "embeddings.image"

ARCHITECTURES = (Architecture(
    "layoutlmv3",
    classes={
        "LayoutLMv3Model": body,
        "LayoutLMv3ForSequenceClassification": lambda z: dense_first(body(z), z),
        "LayoutLMv3ForTokenClassification": tokens,
        "LayoutLMv3ForQuestionAnswering": lambda z: within("answers", deep, body(z), z=z, ends=2),
    },
    sizes="e",
    acts={"hidden_act": ("gelu", "mlp")},
    keys={
        **{key: told for key, told in encoder_keys(V=50265, P=512, types=2, d=768, h=3072, L=12, heads=12,
                                                   decoder=False).items() if key != "tie_word_embeddings"},
        "max_2d_position_embeddings": ("P_2", 1024),
        "has_relative_attention_bias": ("relative", True),
        "rel_pos_bins": ("buckets", 32),
        "has_spatial_attention_bias": ("spatial", True),
        "rel_2d_pos_bins": ("buckets_2", 64),
        "visual_embed": ("visual", True),
        "input_size": ("side", 224),
        "patch_size": ("patch", 16),
        "num_channels": ("c", 3),
    },
    reads={"coordinate_size": 128, "shape_size": 128},
    flags={"many": False},
    follows={"e": "d/6"},
    settle=settle,
    ignored={
        "tie_word_embeddings": "no words are predicted",
        **dict.fromkeys(("max_rel_pos", "max_rel_2d_pos"), "how distances become buckets, not how many there are"),
        "second_input_size": "read by nothing",
    },
    only={
        "position_embedding_type": ENCODER_ONLY["position_embedding_type"],
        "text_embed": ((True,), "images without texts are not written"),
    },
    stored={
        **BERT_NAMES,
        "embeddings.x": "embeddings.x_position_embeddings",
        "embeddings.y": "embeddings.y_position_embeddings",
        "embeddings.height": "embeddings.h_position_embeddings",
        "embeddings.width": "embeddings.w_position_embeddings",
        f"{_IMAGE}.patch": "patch_embed.proj",
        f"{_IMAGE}.token": ("cls_token", "1 *"),
        f"{_IMAGE}.position": ("pos_embed", "1 *"),
        f"{_IMAGE}.norm": "norm",
        f"{_IMAGE}.joint_norm": "LayerNorm",
        "attention.along": "encoder.rel_pos_bias",
        "attention.across": "encoder.rel_pos_x_bias",
        "attention.down": "encoder.rel_pos_y_bias",
    },
    stored_heads={
        **BERT_HEAD_NAMES,
        "answers.dense": "qa_outputs.dense",
        "answers.output": "qa_outputs.out_proj",
    },
    base="layoutlmv3",
    published={
        "layoutlmv3-base": _layoutlmv3(125_326_976, d=768, h=3072, L=12, heads=12, e=128),
        "layoutlmv3-large": _layoutlmv3(356_005_376, d=1024, h=4096, L=24, heads=16, e=171),
    },
),)
