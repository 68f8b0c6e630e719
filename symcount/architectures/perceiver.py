"""Perceiver IO, reading bytes of text: a few latent rows read the text, attend to each other, and are asked again.

Every question is a position of its own: the model answers for as many positions as it has, however short a text is.
Source: Jaegle et al. 2022, "Perceiver IO", sections 3.1 and 3.2 and table 9; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.settling import number
from symcount.layers import dropped, embed, linear, mlp, norm, positions, residual
from symcount.network import contract, pointwise, rename, repeat, select, tensor, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def attention(x: Tensor, rows: Tensor, heads: Size, k: Size, v: Size) -> Tensor:
    """Heads k wide for the scores and v wide for what is mixed, of x and of the rows that it attends to.

    Parameters, d wide, of rows e wide: (d + e + 2)k·heads + (d + e + 1)v·heads + d.
    """
    query = linear(x, "query", g=heads, k=k)
    key, value = (rename(linear(rows, name, g=heads, **width), s="t")
                  for name, width in (("key", {"k": k}), ("value", {"v": v})))
    scores = contract(query, key, to="b g s t", name="scores")
    weights = dropped(pointwise(pointwise(scores, kind="attention_scale"), kind="softmax"), "softmax_dropout")
    return linear(contract(weights, value, to="b s g v", name="mix"), "output", over="g v", d=x.axes["d"])


def layer(x: Tensor, rows: Tensor | None = None, *, heads: Size, k: Size, v: Size, h: Size,
          added: bool = True) -> Tensor:
    """Attention to the rows, or of x to itself, then an MLP: 2dh + 3d + h parameters, 2d for a norm of each of both.

    `added`: what attention gives is added to x.
    """
    query = norm(x, "query_norm")
    seen = query if rows is None else norm(rows, "rows_norm")
    y = within("attention", attention, query, seen, heads=heads, k=k, v=v)
    x = residual(x, y) if added else y
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=h))


def latents(x: Tensor, z: Any) -> Tensor:
    """Latent rows that read x once, then L layers of their own, used `blocks` times: d_2·globals parameters more."""
    y = repeat(weight("embeddings.latents", kinds="embedding", s=z.globals, d=z.d_2), b=x.axes["b"])
    y = within("cross", layer, y, x, heads=z.heads_2, k=z.k_2, v=z.v_2, h=z.h_2, added=z.added)

    def block(y: Tensor) -> Tensor:
        return within("layers", layer, y, heads=z.heads, k=z.k, v=per(z.d_2, z.heads), h=z.h, runs=z.L)
    return within("block", block, y, runs=z.blocks, shared=True)


def base(z: Any) -> Tensor:
    """Latent rows of numbers that are given, d for each of s."""
    return latents(tensor("inputs", b=z.b, s=z.s, d=z.d), z)


def words(z: Any) -> tuple[Tensor, Tensor]:
    """Latent rows of a text, Vd + Pd parameters more, and the word table."""
    x, word = embed(tensor("ids", b=z.b, s=z.s), "embeddings.word", V=z.V, d=z.d)
    return latents(positions(x, "embeddings.position", P=z.P, t=z.s), z), word


def asked(y: Tensor, *, rows: Size, d: Size, **sizes: Any) -> Tensor:
    """Questions of width d, which latent rows answer: d parameters for each, and a layer."""
    query = repeat(weight("embeddings.query", kinds="embedding", s=rows, d=d), b=y.axes["b"])
    answered: Tensor = within("cross", layer, query, y, **sizes)
    return answered


def masked_lm(z: Any) -> Tensor:
    """Logits at all P positions by the word table: V parameters, and 8 heads of width 32 that ask."""
    y, word = words(z)
    x = within("decoder", asked, y, rows=z.P, d=z.d, heads=8, k=32, v=per(z.d, 8), h=z.d, added=False)
    return linear(x, "head", w=word, V=z.V)


def sequence_classification(z: Any) -> Tensor:
    """Scores of one question, asked with one head: d_2·C + C parameters more."""
    y, _ = words(z)
    x = within("decoder", asked, y, rows=1, d=z.d_2, heads=1, k=z.d_2, v=z.d_2, h=z.d_2)
    return linear(select(x, "s"), "decoder.scores", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Widths of heads and of MLPs; what latent rows mix of themselves must be as wide as they are."""
    d, wide = number(config, "d_model"), number(config, "d_latents")
    heads, across = number(config, "num_self_attention_heads"), number(config, "num_cross_attention_heads")
    like, scored, mixed = (config[key] for key in ("cross_attention_shape_for_attention", "qk_channels", "v_channels"))
    if like not in ("q", "kv"):
        raise ConfigError(f"cross_attention_shape_for_attention = {like!r}: q or kv is needed")
    first = {"q": wide, "kv": d}[like] if scored is None else number(config, "qk_channels")
    last = first if mixed is None else number(config, "v_channels")
    inner = wide if scored is None else first
    if (inner if mixed is None else last) != wide:
        raise ConfigError("v_channels: what latent rows mix of themselves is as wide as they are, d_latents")
    for width, parts in ((inner, heads), (wide, heads), (wide, across), (first, across), (last, across)):
        if width % parts:
            raise ConfigError(f"{parts} heads do not divide {width} channels")
    return {"k": inner // heads, "k_2": first // across, "v_2": last // across,
            "h": wide * number(config, "self_attention_widening_factor"),
            "h_2": wide * number(config, "cross_attention_widening_factor")}


def _layer(ours: str, theirs: str) -> dict[str, str]:
    parts = {"query_norm": "attention.self.layernorm1", "rows_norm": "attention.self.layernorm2",
             **{f"attention.{name}": f"attention.self.{name}" for name in ("query", "key", "value")},
             "attention.output": "attention.output.dense", "mlp_norm": "layernorm", "mlp.up": "mlp.dense1",
             "mlp.down": "mlp.dense2"}
    return {f"{ours}.{name}": f"{theirs}.{other}" for name, other in parts.items()}


def _decoder(theirs: str) -> dict[str, str]:
    return {"decoder.embeddings.query": f"{theirs}.output_position_encodings.position_embeddings",
            **_layer("decoder.cross", f"{theirs}.decoding_cross_attention")}


ARCHITECTURES = (Architecture(
    "perceiver",
    classes={
        "PerceiverModel": base,
        "PerceiverForMaskedLM": masked_lm,
        "PerceiverForSequenceClassification": sequence_classification,
    },
    sizes="k k_2 v_2 h h_2",
    keys={
        "vocab_size": ("V", 262),
        "max_position_embeddings": ("P", 2048),
        "num_latents": ("globals", 256),
        "d_latents": ("d_2", 1280),
        "d_model": ("d", 768),
        "num_blocks": ("blocks", 1),
        "num_self_attends_per_block": ("L", 26),
        "num_self_attention_heads": ("heads", 8),
        "num_cross_attention_heads": ("heads_2", 8),
        "use_query_residual": ("added", True),
        "num_labels": ("C", 2),
    },
    reads={"qk_channels": None, "v_channels": None, "cross_attention_shape_for_attention": "kv",
           "self_attention_widening_factor": 1, "cross_attention_widening_factor": 1},
    settle=settle,
    follows={"k": "d_2/heads", "k_2": "d/heads_2", "v_2": "k_2", "h": "d_2", "h_2": "d_2"},
    ignored={
        "tie_word_embeddings": "the word table is always the output matrix",
        **dict.fromkeys(("image_size", "train_size", "num_frames", "audio_samples_per_frame", "samples_per_patch",
                         "output_shape", "output_num_channels", "_label_trainable_num_channels"),
                        "read by classes for images and sounds, not written"),
    },
    stored={
        "embeddings.latents": "embeddings.latents",
        "embeddings.word": "input_preprocessor.embeddings",
        "embeddings.position": "input_preprocessor.position_embeddings",
        **_layer("cross", "encoder.cross_attention"),
        **_layer("block.layers", "encoder.self_attends.{i}"),
    },
    stored_heads={
        "PerceiverForMaskedLM": {**_decoder("perceiver.decoder"), "head": "embedding_decoder"},
        "PerceiverForSequenceClassification": {
            **_decoder("perceiver.decoder.decoder"),
            "decoder.scores": "perceiver.decoder.decoder.final_layer",
        },
    },
    base="perceiver",
    published={
        "language-perceiver": measured("PerceiverForMaskedLM", 201_108_230, V=262, P=2048, globals=256, d_2=1280, d=768,
                                       blocks=1, L=26, heads=8, heads_2=8, k=32, k_2=32, v_2=160),
    },
),)
