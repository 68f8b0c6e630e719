"""Funnel: encoder that halves its text before each stage but the first, and a decoder that brings all tokens back.

Source: Dai et al. 2020, "Funnel-Transformer", section 2 and appendix A.2.1; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.layers import activation, embed, linear, mlp, norm, residual, spans
from symcount.network import contract, keep, pointwise, rename, select, tensor, weight, within
from symcount.sizes import ceil, exactly, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def attention(x: Tensor, z: Any, rows: Tensor, p: Size, segment: Tensor) -> Tensor:
    """5dk·heads + 5k·heads + d parameters: scores of words, of p distances, and of two segments."""
    heads = {"g": z.heads, "k": z.k}
    query = linear(x, "query", bias=False, **heads)
    key, value = (rename(linear(rows, name, **heads), s="t") for name in ("key", "value"))
    distance = linear(tensor("distances", p=p, d=z.d), "distance", bias=False, **heads)

    def scored(name: str, by: Tensor, to: str) -> Tensor:
        bias = weight(f"{name}.bias", kinds="bias", **heads)
        return contract(pointwise(query, bias, kind="bias"), by, to=to, name=name)

    scores = scored("words", key, "b g s t")
    scores = pointwise(scores, scored("distances", distance, "b g s p"), kind="gather", to="b g s t")
    scores = pointwise(scores, scored("segments", segment, "b g s types"), kind="gather", to="b g s t")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g k", name="mix")
    return linear(mixed, "output", over="g k", d=z.d)


def segments(z: Any) -> Tensor:
    """A vector for tokens of one segment, and one for those of two: 2k·heads parameters."""
    return weight("segment", kinds="embedding", types=2, g=z.heads, k=z.k)


def block(x: Tensor, z: Any, p: Size, rows: Tensor | None = None) -> Tensor:
    """5dk·heads + 7k·heads + 2dh + h + 6d parameters; the tokens attend to these rows, or to each other."""
    y = within("attention", attention, x, z=z, rows=x if rows is None else rows, p=p,
               segment=within("embeddings", segments, z=z))
    x = norm(residual(x, y), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h)), "mlp_norm")


def encoder(z: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The last stage, the first stage, and the word table. At least 3 tokens are halved."""
    def embeddings(ids: Tensor) -> tuple[Tensor, Tensor]:
        x, word = embed(ids, "word", V=z.V, d=z.d)
        return norm(x, "norm"), word

    x, word = within("embeddings", embeddings, tensor("ids", b=z.b, s=z.s))
    first = x = within("encoder.stage_0", block, x, z=z, p=2 * z.s, runs=z.L[0])
    for i, L in enumerate(z.L[1:], 1):
        s = rest(x.axes["s"], 3) + 3
        half = ceil(s, 2)
        pooled = keep(pointwise(x, kind="pool"), s=half)
        x = (within(f"encoder.pool_{i}", block, pooled, z=z, rows=x, p=s + 2 * half) if z.wide else
             within(f"encoder.pool_{i}", block, pooled, z=z, p=2 * half))
        x = within(f"encoder.stage_{i}", block, x, z=z, p=2 * half, runs=rest(L, 1))
    return x, first, word


def body(z: Any) -> tuple[Tensor, Tensor]:
    """Every token again: the last stage spread over the first, and L_dec blocks."""
    x, first, word = encoder(z)
    x = pointwise(first, rename(x, s="half"), kind="add", name="spread", to="b s d")
    return within("decoder", block, x, z=z, p=2 * z.s, runs=z.L_dec), word


def words(z: Any) -> Tensor:
    """Logits over the vocabulary: V parameters; untied, Vd more."""
    x, word = body(z)
    return linear(x, "head", w=word if z.tied else None, V=z.V)


def dense(x: Tensor, **out: Size) -> Tensor:
    """A dense layer, then scores: d² + d + dC + C parameters."""
    return linear(activation(linear(x, "dense", d=x.axes["d"]), "tanh"), "output", **out)


def classified(z: Any) -> Tensor:
    """Scores of the first token of the last stage; without a decoder."""
    return within("classifier", dense, select(encoder(z)[0], "s"), C=z.C)


def chosen(z: Any) -> Tensor:
    """A score for each choice, a text of the batch."""
    return within("classifier", dense, select(encoder(z)[0], "s"), score=1)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many blocks each stage has."""
    sizes, repeats = config["block_sizes"], config["block_repeats"]
    if not isinstance(sizes, list) or not sizes or any(type(n) is not int or n < 1 for n in sizes):
        raise ConfigError("block_sizes: a list of positive whole numbers, one for each stage, is needed")
    if repeats is not None and repeats != [1] * len(sizes):
        raise ConfigError("block_repeats: blocks that repeat are not written")
    return {"L": tuple(sizes)}


def _funnel(cls: str, count: int, L: tuple[int, ...], **sizes: int) -> Published:
    return measured(cls, count, V=30522, L=L, k=64, **sizes)


def _names(ours: str, theirs: str) -> dict[str, Any]:
    raw = {"words.bias": "r_w_bias", "distances.bias": "r_r_bias", "segments.bias": "r_s_bias"}
    maps = {"query": "q_head", "key": "k_head", "value": "v_head", "output": "post_proj"}
    return {
        f"{ours}.embeddings.segment": (f"{theirs}.attention.seg_embed", "2 heads k"),
        f"{ours}.attention.distance.weight": (f"{theirs}.attention.r_kernel", "d heads k"),
        **{f"{ours}.attention.{name}": (f"{theirs}.attention.{other}", "heads k") for name, other in raw.items()},
        **{f"{ours}.attention.{name}": f"{theirs}.attention.{other}" for name, other in maps.items()},
        f"{ours}.attention_norm": f"{theirs}.attention.layer_norm",
        f"{ours}.mlp.up": f"{theirs}.ffn.linear_1",
        f"{ours}.mlp.down": f"{theirs}.ffn.linear_2",
        f"{ours}.mlp_norm": f"{theirs}.ffn.layer_norm",
    }


ARCHITECTURES = (Architecture(
    "funnel",
    classes={
        "FunnelModel": lambda z: body(z)[0],
        "FunnelBaseModel": lambda z: encoder(z)[0],
        "FunnelForMaskedLM": words,
        "FunnelForPreTraining": lambda z: within("head", dense, body(z)[0], score=1),
        "FunnelForSequenceClassification": classified,
        "FunnelForMultipleChoice": chosen,
        "FunnelForTokenClassification": lambda z: linear(body(z)[0], "classifier", C=z.C),
        "FunnelForQuestionAnswering": lambda z: spans(body(z)[0], "answers", exactly(z.C, 2)),
    },
    sizes="L",
    acts={"hidden_act": ("gelu_new", "mlp head.dense")},
    keys={
        "vocab_size": ("V", 30522),
        "num_decoder_layers": ("L_dec", 2),
        "d_model": ("d", 768),
        "n_head": ("heads", 12),
        "d_head": ("k", 64),
        "d_inner": ("h", 3072),
        "pool_q_only": ("wide", True),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    },
    reads={"block_sizes": [4, 4, 4], "block_repeats": None},
    settle=settle,
    aliases={"hidden_size": "d_model", "num_attention_heads": "n_head"},
    ignored={
        "initializer_std": "how weights start, not how many there are",
        "pooling_type": "the mean of two tokens or the larger: elementwise",
        "type_vocab_size": "an older key, read by nothing",
        "max_position_embeddings": "distances have no table",
        "rel_attn_type": "an older name of attention_type, read by nothing",
    },
    only={
        "attention_type": (("relative_shift",), "factorised scores are not written"),
        "separate_cls": ((True,), "a first token that is pooled is not written"),
        "truncate_seq": ((True,), "a text that grows before it is halved is not written"),
    },
    stored={
        "embeddings.word": "embeddings.word_embeddings",
        "embeddings.norm": "embeddings.layer_norm",
        **_names("encoder", "encoder.blocks.{i}.{i}"),
        **_names("decoder", "decoder.layers.{i}"),
    },
    stored_heads={
        "head": "lm_head",
        "head.dense": "discriminator_predictions.dense",
        "head.output": "discriminator_predictions.dense_prediction",
        "classifier": "classifier",
        "classifier.dense": "classifier.linear_hidden",
        "classifier.output": "classifier.linear_out",
        "answers": "qa_outputs",
    },
    base={"FunnelBaseModel": "", "": "funnel"},
    published={
        "funnel-small": _funnel("FunnelModel", 130_973_184, (4, 4, 4), d=768, h=3072, L_dec=2, heads=12),
        "funnel-intermediate": _funnel("FunnelModel", 177_057_792, (6, 6, 6), d=768, h=3072, L_dec=2, heads=12),
        "funnel-large": _funnel("FunnelModel", 386_127_872, (8, 8, 8), d=1024, h=4096, L_dec=2, heads=16),
        "funnel-xlarge": _funnel("FunnelModel", 468_021_248, (10, 10, 10), d=1024, h=4096, L_dec=2, heads=16),
        "funnel-small-base": _funnel("FunnelBaseModel", 115_611_648, (4, 4, 4), d=768, h=3072, heads=12),
    },
),)
