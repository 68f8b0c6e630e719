"""ProphetNet: encoder-decoder whose decoder predicts the next ngram tokens at once, by a stream of rows for each.

Source: Qi et al. 2020, "ProphetNet", sections 3.2 and 3.3; the relative positions are those of transformers: scores of
buckets that a linear map makes of each row.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import SEQ2SEQ_FOLLOWS, SEQ2SEQ_IGNORED, SEQ2SEQ_ONLY
from symcount.layers import attention, embed, linear, mlp, norm, positions
from symcount.layers.encoder_decoder import after, encoder_block, unused, words
from symcount.masks import Mask
from symcount.network import (
    cached,
    concat,
    contract,
    cut,
    idle,
    keep,
    lookup,
    merge,
    pointwise,
    rename,
    repeat,
    select,
    split,
    tensor,
    weight,
    within,
)
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def encode(x: Tensor, z: Any) -> Tensor:
    """Pd + 2d + L(4d² + 2dh + 9d + h) parameters."""
    x = norm(within("embeddings", positions, x, name="position", P=z.P, t=z.s), "embeddings_norm")
    return within("layers", encoder_block, x, z=z, place=after, runs=z.L)


def streams(x: Tensor, z: Any, t: Size) -> Tensor:
    """The words at their positions, and for each token ahead a row at the next position: Pd + d·ngram parameters."""
    table = weight("position.weight", kinds="embedding", P=z.P, d=z.d)
    ahead = weight("ngram.weight", kinds="embedding", ngram=z.ngram, d=z.d)
    s = x.axes["s"]
    rows = rename(cut(keep(table, P=t), "P", t - s, s)[1], P="s")
    main = repeat(pointwise(x, rows, kind="add", name="main"), p=1)
    more = pointwise(repeat(rename(ahead, ngram="p"), s=s, b=z.b), rows, kind="add", name="ahead")
    return merge(concat(main, more, axis="p"), s="p s")


def ahead_attention(x: Tensor, z: Any, u: Size, t: Size) -> Tensor:
    """The main stream attends to itself, each other to the main one and to itself.

    Parameters: 4d² + 4d, and (d + 1)buckets·heads. Multiply-adds for scores and mix: 2d(u·t + ngram·u(t + u)).
    """
    heads = z.heads_dec
    x = split(x, "s", p=1 + z.ngram, s=u)
    query, key, value = (linear(x, name, g=heads, k=per(z.d, heads)) for name in ("query", "key", "value"))
    buckets = linear(x, "embeddings", buckets=z.buckets, g=heads)
    main_key, main_value = (cached(select(rows, "p"), name, s=("t", t))
                            for rows, name in ((key, "key"), (value, "value")))
    causal = Mask(causal=True)
    scores = contract(select(query, "p"), main_key, to="b g s t", name="scores", mask=causal)
    scores = pointwise(scores, select(buckets, "p"), kind="relative", to="b g s t")
    main = contract(pointwise(scores, kind="softmax"), main_value, to="b s g k", name="mix", mask=causal)
    ahead_query, ahead_key, ahead_value, ahead_buckets = (cut(rows, "p", 1, z.ngram)[1]
                                                          for rows in (query, key, value, buckets))
    keys, values = (concat(repeat(rows, p=z.ngram), rename(own, s="t"), axis="t")
                    for rows, own in ((main_key, ahead_key), (main_value, ahead_value)))
    scores = contract(ahead_query, keys, to="b p g s t", name="ahead_scores")
    scores = pointwise(scores, ahead_buckets, kind="relative", name="ahead_relative", to="b p g s t")
    ahead = contract(pointwise(scores, kind="softmax", name="ahead_softmax"), values, to="b p s g k", name="ahead_mix")
    return merge(linear(concat(repeat(main, p=1), ahead, axis="p"), "output", over="g k", d=z.d), s="p s")


def block(x: Tensor, z: Any, memory: Tensor | None, u: Size, t: Size) -> Tensor:
    """8d² + 2d·h_dec + 15d + h_dec + (d + 1)buckets·heads parameters; without memory, cross attention never runs."""
    x = after(x, "attention", ahead_attention, z=z, u=u, t=t)
    if memory is None:
        x = unused(x, "cross", z.heads_dec, bias=True)
    else:
        x = after(x, "cross", attention, z=z, heads=z.heads_dec, t=t, memory=memory)
    return after(x, "mlp", mlp, h=z.h_dec)


def decode(x: Tensor, z: Any, memory: Tensor | None, t: Size) -> tuple[Tensor, Tensor]:
    """Pd + d·ngram + 2d + L_dec(…) parameters; the rows of the main stream, and those of the others."""
    u = x.axes["s"]
    x = norm(within("embeddings", streams, x, z=z, t=t), "embeddings_norm")
    x = within("layers", block, x, z=z, memory=memory, u=u, t=t, runs=z.L_dec)
    main, ahead = cut(x, "s", u, z.ngram * u)
    return main, ahead


def body(z: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The rows of the main stream, those of the others, and the word table; untied, each stack has one of its own."""
    ids, targets = tensor("ids", b=z.b, s=z.s), tensor("targets", b=z.b, s=z.u)
    x, table = embed(ids, "embeddings", V=z.V, d=z.d)
    if z.tied:
        y = lookup(targets, table, "targets")
    else:
        x, y = idle(words(z, ids, "encoder", z.V)[0], table), words(z, targets, "decoder", z.V)[0]
    return (*within("decoder", decode, y, z=z, t=z.t, memory=within("encoder", encode, x, z=z)), table)


def causal(z: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The same of the decoder alone, which reads s tokens."""
    targets = tensor("targets", b=z.b, s=z.s)
    y, table = embed(targets, "embeddings", V=z.V, d=z.d)
    if not z.tied:
        y = idle(words(z, targets, "decoder", z.V)[0], table)
    return (*within("decoder", decode, y, z=z, t=z.s, memory=None), table)


def predict(streams: tuple[Tensor, Tensor, Tensor], z: Any) -> Tensor:
    """Logits of the tokens ahead: dV parameters, none when tied."""
    _, ahead, table = streams
    return linear(ahead, "head", bias=False, w=table if z.tied else None, V=z.V)


def _names() -> dict[str, str]:
    parts = {"embeddings.word": "word_embeddings", "embeddings.position": "position_embeddings",
             "embeddings.ngram": "ngram_embeddings", "embeddings_norm": "embeddings_layer_norm",
             "layers.attention_norm": "layers.{i}.self_attn_layer_norm",
             "layers.attention.embeddings": "layers.{i}.self_attn.relative_pos_embeddings",
             "layers.cross_norm": "layers.{i}.cross_attn_layer_norm",
             "layers.mlp.up": "layers.{i}.feed_forward.intermediate",
             "layers.mlp.down": "layers.{i}.feed_forward.output",
             "layers.mlp_norm": "layers.{i}.feed_forward_layer_norm"}
    for ours, theirs in (("attention", "self_attn"), ("cross", "cross_attn")):
        parts |= {f"layers.{ours}.{name}": f"layers.{{i}}.{theirs}.{name}_proj" for name in ("query", "key", "value")}
        parts[f"layers.{ours}.output"] = f"layers.{{i}}.{theirs}.out_proj"
    return {"embeddings": "word_embeddings", **{f"{side}.{ours}": f"{side}.{theirs}" for side in ("encoder", "decoder")
                                                for ours, theirs in parts.items()}}


ARCHITECTURES = (Architecture(
    "prophetnet",
    classes={
        "ProphetNetModel": lambda z: body(z)[:2],
        "ProphetNetForConditionalGeneration": lambda z: predict(body(z), z),
        "ProphetNetForCausalLM": lambda z: predict(causal(z), z),
    },
    follows=SEQ2SEQ_FOLLOWS,
    acts={"activation_function": ("", "")},
    keys={
        "vocab_size": ("V", 30522),
        "hidden_size": ("d", 1024),
        "max_position_embeddings": ("P", 512),
        "encoder_ffn_dim": ("h", 4096),
        "num_encoder_layers": ("L", 12),
        "num_encoder_attention_heads": ("heads", 16),
        "decoder_ffn_dim": ("h_dec", 4096),
        "num_decoder_layers": ("L_dec", 12),
        "num_decoder_attention_heads": ("heads_dec", 16),
        "ngram": ("ngram", 2),
        "num_buckets": ("buckets", 32),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    },
    aliases={"num_attention_heads": "num_encoder_attention_heads"},
    ignored={
        **SEQ2SEQ_IGNORED,
        "relative_max_distance": "which bucket a distance falls into",
        "disable_ngram_loss": "chooses a loss",
        "eps": "smooths a loss",
    },
    only={**SEQ2SEQ_ONLY, "add_cross_attention": ((True,), "a decoder without cross attention is not written")},
    stored=_names(),
    stored_heads={"head": "lm_head"},
    base="prophetnet",
    published={
        "prophetnet-large-uncased": measured("ProphetNetForConditionalGeneration", 391_321_600, V=30522, d=1024, P=512,
                                             h=4096, L=12, heads=16, ngram=2, buckets=32),
    },
),)
