"""Pegasus: pre-norm encoder-decoder with sinusoidal positions; BigBird-Pegasus and Pegasus-X read longer texts.

BigBird-Pegasus has learned positions and sparse attention, which transformers computes in full up to (5 + 2·random
blocks) blocks; only that is written. Pegasus-X attends in blocks, and to a few tokens that all others meet.

Source: Zhang et al. 2020, "PEGASUS", section 3 and appendix C; Zaheer et al. 2020, "Big Bird", section 2; Phang et al.
2022, "Investigating efficiently extending transformers for long input summarization", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import (
    SEQ2SEQ_ALIASES,
    SEQ2SEQ_FOLLOWS,
    SEQ2SEQ_HEAD_NAMES,
    SEQ2SEQ_IGNORED,
    SEQ2SEQ_ONLY,
    norms_at,
    seq2seq_keys,
    seq2seq_names,
)
from symcount.layers import linear, mlp, norm, positions, residual
from symcount.layers.block_attention import attend, filled, padded
from symcount.layers.encoder_decoder import (
    before,
    decoder_block,
    decoder_only,
    encoder_block,
    seq2seq_heads,
    shared_words,
    stacks,
)
from symcount.network import concat, contract, cut, idle, merge, pointwise, rename, repeat, split, weight, within
from symcount.sizes import bounded, ceil, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def sinusoids(x: Tensor, z: Any, t: Size) -> Tensor:
    """Pd parameters, which a checkpoint holds and nothing trains."""
    return positions(x, "position", P=z.P, t=t, stored="frozen")


def sparse_encode(x: Tensor, z: Any) -> Tensor:
    """Pd + L(4d² + 2dh + 5d + h) + 2d parameters, 4d a layer more with biases."""
    s = bounded(z.s, z.window) if z.sparse else z.s
    x = within("embeddings", positions, x, name="position", P=z.P, t=s)
    x = within("layers", encoder_block, x, z=z, place=before, bias=z.bias, runs=z.L)
    return norm(x, "norm")


def sparse_decode(x: Tensor, z: Any, memory: Tensor | None) -> Tensor:
    """Pd + L(8d² + 2dh + 7d + h) + 2d parameters, 8d a layer more with biases."""
    x = within("embeddings", positions, x, name="position", P=z.P, t=z.t)
    x = within("layers", decoder_block, x, z=z, place=before, memory=memory, bias=z.bias, runs=z.L_dec)
    return norm(x, "norm")


def sparse_causal(z: Any) -> Tensor:
    """Words from the decoder alone, by a matrix that is never tied: dV parameters."""
    return linear(decoder_only(sparse_decode)(z)[0], "head", bias=False, V=z.V)


def pegasus_x_encode(x: Tensor, z: Any) -> Tensor:
    """d·globals + L(4d² + 2dh + 7d + h) + 2d parameters."""
    s, n = x.axes["s"], ceil(x.axes["s"], z.chunk)
    x = filled(pointwise(x, kind="sinusoids"), z.chunk)
    every = repeat(rename(weight("embeddings.global.weight", kinds="embedding", globals=z.globals, d=z.d),
                          globals="s"), b=z.b)
    moved = z.L // 2 if z.staggered else 0
    x, every = within("layers.still", pegasus_x_block, x, every, z=z, n=n, moved=False, runs=z.L - moved)
    if z.staggered:
        x, every = within("layers.moved", pegasus_x_block, x, every, z=z, n=n, moved=True, runs=moved)
    return norm(idle(cut(x, "s", s, x.axes["s"] - s)[0], every), "norm")


def pegasus_x_block(x: Tensor, every: Tensor, z: Any, n: Size, *, moved: bool) -> tuple[Tensor, Tensor]:
    """4d² + 2dh + 7d + h parameters; every other layer is moved by half a block, so that there is one more."""
    half = per(z.chunk, 2) if moved else 0
    y = norm(x, "attention_norm")
    if moved:
        n, y = n + 1, padded(y, "s", half, half)
    y = concat(norm(every, "global_norm"), y, axis="s")
    y = within("attention", global_and_local, y, z=z, n=n)
    few, many = cut(y, "s", z.globals, y.axes["s"] - z.globals)
    many = cut(many, "s", half, x.axes["s"], half)[1] if moved else many
    both = concat(residual(every, few), residual(x, many), axis="s")
    both = before(both, "mlp", mlp, h=z.h)
    few, many = cut(both, "s", z.globals, x.axes["s"])
    return many, few


def global_and_local(x: Tensor, z: Any, n: Size) -> Tensor:
    """The first rows attend to all, the others to them and to their own of n blocks: 4d² parameters."""
    k, s = per(z.d, z.heads), x.axes["s"] - z.globals
    few, many = zip(*(cut(linear(x, name, bias=False, g=z.heads, k=k), "s", z.globals, s)
                      for name in ("query", "key", "value")), strict=True)
    key, value = (rename(concat(one, other, axis="s"), s="t") for one, other in ((few[1], many[1]), (few[2], many[2])))
    scores = pointwise(contract(few[0], key, to="b g s t", name="scores"), kind="attention_scale")
    overall = contract(pointwise(scores, kind="softmax"), value, to="b s g k", name="mix")
    query, near_key, near_value = (split(rows, "s", n=n, i=z.chunk) for rows in many)
    local = attend(query, [rename(few[1], s="j"), rename(near_key, i="j")],
                   [rename(few[2], s="j"), rename(near_value, i="j")])
    return linear(concat(overall, merge(local, s="n i"), axis="s"), "output", over="g k", bias=False, d=z.d)


def pegasus_x_decode(x: Tensor, z: Any, memory: Tensor | None) -> Tensor:
    """L_dec(8d² + 2d·h_dec + 7d + h_dec) + 2d parameters."""
    x = pointwise(x, kind="sinusoids")
    x = within("layers", decoder_block, x, z=z, place=before, memory=memory, bias=False, runs=z.L_dec)
    return norm(x, "norm")


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many tokens the encoder attends to in full: (5 + 2·random blocks) blocks, or any number."""
    kind, block, random = config["attention_type"], config["block_size"], config["num_random_blocks"]
    if kind not in ("block_sparse", "original_full"):
        raise ConfigError(f"attention_type = {kind!r}: block_sparse or original_full is needed")
    for key, number in (("block_size", block), ("num_random_blocks", random)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ConfigError(f"{key} = {number!r}: a whole number of at least 1 is needed")
    return {"sparse": kind == "block_sparse", "window": (5 + 2 * random) * block}


_encode, _decode = stacks(sinusoids, before)
_BIGBIRD = {f"{side}.norm": f"{side}.layernorm_embedding" for side in ("encoder", "decoder")}
_BIGBIRD |= {f"encoder.layers.attention.{ours}": f"encoder.layers.{{i}}.self_attn.{theirs}" for ours, theirs in
             (("query", "self.query"), ("key", "self.key"), ("value", "self.value"), ("output", "output"))}
_X = {path.replace("encoder.layers.", f"encoder.layers.{kind}."): name
      for kind in ("still", "moved") for path, name in seq2seq_names().items() if path.startswith("encoder.layers.")}
_X |= {f"encoder.layers.{kind}.global_norm": "encoder.layers.{i}.global_self_attn_layer_norm"
       for kind in ("still", "moved")}
_LARGE = {"d": 1024, "h": 4096, "L": 16, "heads": 16}

ARCHITECTURES = (
    Architecture(
        "pegasus",
        classes=seq2seq_heads("Pegasus", shared_words(_encode, _decode), decoder_only(_decode),
                              "ForConditionalGeneration ForCausalLM"),
        follows=SEQ2SEQ_FOLLOWS,
        acts={"activation_function": ("", "")},
        keys={**seq2seq_keys(V=50265, d=1024, h=4096, L=12, heads=16), "max_position_embeddings": ("P", 1024)},
        aliases=SEQ2SEQ_ALIASES,
        ignored=SEQ2SEQ_IGNORED,
        only={**SEQ2SEQ_ONLY, **norms_at(before=True, embedding=False, computed=True)},
        stored=seq2seq_names(),
        stored_heads=SEQ2SEQ_HEAD_NAMES,
        base="model",
        published={
            "pegasus-large": measured("PegasusForConditionalGeneration", 570_797_056, V=96103, P=1024, acts="relu",
                                      **_LARGE),
            "pegasus-xsum": measured("PegasusForConditionalGeneration", 569_748_480, V=96103, P=512, acts="relu",
                                     **_LARGE),
        },
    ),
    Architecture(
        "bigbird_pegasus",
        classes={**seq2seq_heads("BigBirdPegasus", shared_words(sparse_encode, sparse_decode), None,
                                 "ForConditionalGeneration ForSequenceClassification ForQuestionAnswering"),
                 "BigBirdPegasusForCausalLM": sparse_causal},
        follows=SEQ2SEQ_FOLLOWS,
        flags={"sparse": True},
        sizes="window",
        acts={"activation_function": ("gelu_new", "")},
        keys={
            **seq2seq_keys(V=96103, **_LARGE),
            "max_position_embeddings": ("P", 4096),
            "use_bias": ("bias", False),
        },
        reads={"attention_type": "block_sparse", "block_size": 64, "num_random_blocks": 3},
        settle=settle,
        aliases=SEQ2SEQ_ALIASES,
        ignored=SEQ2SEQ_IGNORED,
        only={**SEQ2SEQ_ONLY, **norms_at(before=True, embedding=False, computed=False)},
        stored={**seq2seq_names(), **_BIGBIRD},
        stored_heads=SEQ2SEQ_HEAD_NAMES,
        base="model",
        published={
            "bigbird-pegasus-large": measured("BigBirdPegasusForConditionalGeneration", 576_891_904, V=96103, P=4096,
                                              window=704, **_LARGE),
        },
    ),
    Architecture(
        "pegasus_x",
        gradients="the tokens that all others meet run through the last layer too, and nothing reads them",
        classes=seq2seq_heads("PegasusX", shared_words(pegasus_x_encode, pegasus_x_decode), None,
                              "ForConditionalGeneration", offset=False),
        follows=SEQ2SEQ_FOLLOWS,
        acts={"activation_function": ("", "")},
        keys={
            **seq2seq_keys(V=96103, **_LARGE),
            "num_global_tokens": ("globals", 32),
            "block_size": ("chunk", 512),
            "stagger_local_blocks": ("staggered", True),
        },
        aliases=SEQ2SEQ_ALIASES,
        ignored={**SEQ2SEQ_IGNORED, "max_position_embeddings": "sinusoidal positions are computed"},
        only={**SEQ2SEQ_ONLY, **norms_at(before=True, embedding=False, computed=True)},
        stored={**seq2seq_names(), **_X, "encoder.embeddings.global": "encoder.embed_global"},
        stored_heads=SEQ2SEQ_HEAD_NAMES,
        base="model",
    ),
)
