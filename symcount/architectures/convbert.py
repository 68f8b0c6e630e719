"""ConvBERT: BERT half of whose heads are convolutions over a few tokens, with a kernel made from each token.

Source: Jiang et al. 2020, "ConvBERT", section 3; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_NOTES, ENCODER_ONLY, encoder_keys
from symcount.hub.settling import as_narrow, number
from symcount.layers import activation, dropped, linear, mlp, norm, residual
from symcount.layers.dense import grouped_linear
from symcount.layers.encoder import activated_first, encoder, encoder_heads, last_choice, narrow, words
from symcount.network import concat, contract, pointwise, rename, weight, window, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def near(x: Tensor, w: Size) -> Tensor:
    """The w tokens around each, of which it is the middle."""
    return window(x, s=("w", w), pad=per(w - 1, 2))


def separable(x: Tensor, z: Any, **out: Size) -> Tensor:
    """A kernel over w tokens for each channel, then a map of the channels: wd + d²/2 + d/2 parameters.

    Source: Howard et al. 2017, "MobileNets", section 3.1.
    """
    kernel = weight("depthwise.weight", kinds="weight kernel", out="d", d=z.d, w=z.w)
    y = linear(contract(near(x, z.w), kernel, to="b s d", name="depthwise"), "pointwise", bias=False, **out)
    return pointwise(y, weight("bias", kinds="bias", **out), kind="bias")


def attention(x: Tensor, z: Any) -> Tensor:
    """7d²/2 + wd·(1 + heads/2) + w·heads + 7d/2 parameters: heads of attention, and as many that convolve.

    Multiply-adds of the convolution: b·s·d·w/2 for the values, beside its maps.
    """
    out = {"g": z.heads, "k": per(z.d, 2 * z.heads)}
    query, key, value, rows = (linear(x, name, **out) for name in ("query", "key", "value", "rows"))
    scores = contract(query, rename(key, s="t"), to="b g s t", name="scores")
    weights = dropped(pointwise(pointwise(scores, kind="attention_scale"), kind="softmax"), "softmax_dropout")
    mixed = contract(weights, rename(value, s="t"), to="b s g k", name="mix")
    made = pointwise(within("convolution", separable, x, z=z, **out), query, kind="multiply", name="product")
    kernel = pointwise(linear(made, "kernel", over="g k", g=z.heads, step=z.w), kind="softmax", name="kernel_softmax")
    local = contract(near(rows, z.w), rename(kernel, step="w"), to="b s g k", name="local")
    return dropped(linear(concat(mixed, local, axis="g"), "output", over="g k", d=z.d), "output_dropout")


def grouped_mlp(x: Tensor, z: Any) -> Tensor:
    """2dh/groups + h + d parameters."""
    y = activation(grouped_linear(x, "grouped_up", z.groups, h=z.h), "gelu")
    return dropped(grouped_linear(y, "grouped_down", z.groups, over="h", d=z.d))


def block(x: Tensor, z: Any) -> Tensor:
    """The parameters of attention, 2dh + h + 5d, and with groups 2dh less of the MLP but for its part 2dh/groups."""
    x = norm(residual(x, within("attention", attention, x, z=z)), "attention_norm")
    y = within("mlp", grouped_mlp, x, z=z) if z.grouped else within("mlp", mlp, x, h=z.h, dropout=True)
    return norm(residual(x, y), "mlp_norm")


body = encoder(narrow, block, masked=False, dropout=False)  # where it is wanted, before the map


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many heads attend, one of each `head_ratio`, but at least one; and the width of word vectors."""
    heads, ratio, groups = (number(config, key) for key in ("num_attention_heads", "head_ratio", "num_groups"))
    return {**as_narrow(config), "heads": max(1, heads // ratio), "grouped": groups > 1}


def _convbert(count: int, **sizes: Any) -> Published:
    return measured("ConvBertModel", count, V=30522, P=512, types=2, L=12, w=9, **sizes)


_SELF = "encoder.layer.{i}.attention.self"

ARCHITECTURES = (Architecture(
    "convbert",
    classes={
        **encoder_heads("ConvBert", body, "ForMaskedLM ForSequenceClassification ForTokenClassification "
                        "ForQuestionAnswering", pooler=False, predictions=words, classify=activated_first),
        "ConvBertForMultipleChoice": lambda z: last_choice(body(z)[0]),
    },
    sizes="heads",
    acts={"hidden_act": ("gelu", "mlp classifier")},
    keys={
        **{key: told for key, told in encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12,
                                                   decoder=False).items() if key != "num_attention_heads"},
        "embedding_size": ("e", 768),
        "conv_kernel_size": ("w", 9),
        "num_groups": ("groups", 1),
    },
    reads={"num_attention_heads": 12, "head_ratio": 2},
    flags={"projected": True, "grouped": False},
    follows={"e": "d"},
    settle=settle,
    ignored={
        **ENCODER_NOTES,
        "is_decoder": "changes nothing where there is no other text",
    },
    only=ENCODER_ONLY,
    stored={
        **BERT_NAMES,
        "embeddings.project": "embeddings_project",
        "layers.attention.convolution.depthwise.weight": (f"{_SELF}.key_conv_attn_layer.depthwise.weight", "d 1 w"),
        "layers.attention.convolution.pointwise.weight": (f"{_SELF}.key_conv_attn_layer.pointwise.weight", "d/2 d 1"),
        "layers.attention.convolution.bias": (f"{_SELF}.key_conv_attn_layer.bias", "d/2 1"),
        "layers.attention.kernel": f"{_SELF}.conv_kernel_layer",
        "layers.attention.rows": f"{_SELF}.conv_out_layer",
        "layers.mlp.grouped_up": ("encoder.layer.{i}.intermediate.dense", "groups d/groups h/groups"),
        "layers.mlp.grouped_down": ("encoder.layer.{i}.output.dense", "groups h/groups d/groups"),
    },
    stored_heads={
        **BERT_HEAD_NAMES,
        "head.transform": "generator_predictions.dense",
        "head.norm": "generator_predictions.LayerNorm",
        "head.decoder": "generator_lm_head",
    },
    base="convbert",
    published={
        "conv-bert-base": _convbert(105_680_520, projected=False, d=768, h=3072, heads=6),
        "conv-bert-medium-small": _convbert(17_475_888, e=128, d=384, h=1536, heads=4, groups=2, grouped=True),
        "conv-bert-small": _convbert(13_143_768, e=128, d=256, h=1024, heads=2),
    },
),)
