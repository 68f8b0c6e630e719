"""Encoder-decoders: the blocks, stacks and heads that BART, Pegasus, Marian, Whisper and their kin share.

The encoder reads s tokens; the decoder writes u, which attend to t. The rows of either stack are its axis s, so what
the encoder remembers meets the decoder as its axis t.
Source: Vaswani et al. 2017, "Attention is all you need", section 3.1; Lewis et al. 2019, "BART", section 2.
"""

from __future__ import annotations

from symcount.layers.attention import attention
from symcount.layers.dense import embed, linear, norm
from symcount.layers.feed_forward import mlp
from symcount.layers.transformer import residual, spans
from symcount.masks import Mask
from symcount.network import idle, lookup, pointwise, select, tensor, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size

    Body = Callable[[Any], tuple[Tensor, Tensor]]
    Stack = Callable[..., Tensor]


def before(x: Tensor, path: str, f: Callable[..., Tensor], *, shift: bool = True, **kw: Any) -> Tensor:
    """x + f(norm(x)): 2d parameters beside those of f, or d without a shift."""
    return residual(x, within(path, f, norm(x, f"{path}_norm", shift=shift), **kw))


def after(x: Tensor, path: str, f: Callable[..., Tensor], **kw: Any) -> Tensor:
    """norm(x + f(x)): 2d parameters beside those of f."""
    return norm(residual(x, within(path, f, x, **kw)), f"{path}_norm")


def encoder_block(x: Tensor, z: Any, place: Callable[..., Tensor], *, bias: bool | str = True) -> Tensor:
    """4d² + 2dh + 9d + h parameters; `place` puts the norms: `before` or `after`."""
    x = place(x, "attention", attention, z=z, t=x.axes["s"], bias=bias)
    return place(x, "mlp", mlp, h=z.h)


def decoder_block(x: Tensor, z: Any, place: Callable[..., Tensor], memory: Tensor | None,
                  *, bias: bool | str = True) -> Tensor:
    """8d² + 2dh + 15d + h parameters; without memory, the cross attention is stored and never runs."""
    x = place(x, "attention", attention, z=z, heads=z.heads_dec, t=z.t, bias=bias, mask=Mask(causal=True))
    if memory is None:
        x = unused(x, "cross", z.heads_dec, bias=bias)
    else:
        x = place(x, "cross", attention, z=z, heads=z.heads_dec, t=z.t, bias=bias, memory=memory)
    return place(x, "mlp", mlp, h=z.h_dec)


def unused(x: Tensor, path: str, heads: Size, *, bias: bool | str) -> Tensor:
    """x, beside an attention and its norm that are stored and never run: 4d² + 6d parameters."""
    d = x.axes["d"]
    width = {"g": heads, "k": per(d, heads)}
    biased = bias.split() if isinstance(bias, str) else ["query", "key", "value", "output"] if bias else []

    def weights(x: Tensor) -> Tensor:
        maps = [weight(f"{name}.weight", out="g k", d=d, **width) for name in ("query", "key", "value")]
        outs: dict[str, dict[str, Size]] = {"query": width, "key": width, "value": width, "output": {"d": d}}
        biases = [weight(f"{name}.bias", kinds="bias", **outs[name]) for name in biased]
        return idle(x, *maps, weight("output.weight", out="d", **width, d=d), *biases)

    gains = weight(f"{path}_norm.weight", kinds="norm", d=d), weight(f"{path}_norm.bias", kinds="norm bias", d=d)
    return idle(within(path, weights, x), *gains)


def stacks(dress: Callable[..., Tensor], place: Callable[..., Tensor], *,
           bias: bool | str = True) -> tuple[Stack, Stack]:
    """Encoder and decoder: what `dress` adds to the words, L blocks, and a last norm where norms come before."""
    def encode(x: Tensor, z: Any) -> Tensor:
        x = within("embeddings", dress, x, z=z, t=z.s)
        x = within("layers", encoder_block, x, z=z, place=place, bias=bias, runs=z.L)
        return norm(x, "norm") if place is before else x

    def decode(x: Tensor, z: Any, memory: Tensor | None) -> Tensor:
        x = within("embeddings", dress, x, z=z, t=z.t)
        x = within("layers", decoder_block, x, z=z, place=place, memory=memory, bias=bias, runs=z.L_dec)
        return norm(x, "norm") if place is before else x

    return encode, decode


def words(z: Any, ids: Tensor, stack: str, V: Size) -> tuple[Tensor, Tensor]:
    """The words of one stack, from a table of its own: dV parameters."""
    rows, table = within(f"{stack}.embeddings", embed, ids, name="word", V=V, d=z.d)
    return rows, table


def shared_words(encode: Stack, decode: Stack, V: Size | None = None) -> Body:
    """The body with one word table of V (or z.V) words; untied, each stack has its own, and none reads the shared."""
    def body(z: Any) -> tuple[Tensor, Tensor]:
        ids, targets = tensor("ids", b=z.b, s=z.s), tensor("targets", b=z.b, s=z.u)
        x, table = embed(ids, "embeddings", V=z.V if V is None else V, d=z.d)
        if z.tied:
            y = lookup(targets, table, "targets")
        else:
            x, y = idle(words(z, ids, "encoder", z.V)[0], table), words(z, targets, "decoder", z.V)[0]
        return within("decoder", decode, y, z=z, memory=within("encoder", encode, x, z=z)), table
    return body


def decoder_only(decode: Stack) -> Body:
    """The body of a class that predicts words from the decoder alone, with the word table of the decoder."""
    def body(z: Any) -> tuple[Tensor, Tensor]:
        y, table = words(z, tensor("targets", b=z.b, s=z.u), "decoder", z.V)
        return within("decoder", decode, y, z=z, memory=None), table
    return body


def classify(x: Tensor, z: Any) -> Tensor:
    """Scores of one token, behind a dense layer: d² + d + dC + C parameters."""
    x = pointwise(linear(select(x, "s"), "dense", d=z.d), kind="tanh")
    return linear(x, "scores", C=z.C)


def seq2seq_heads(prefix: str, body: Body, causal: Body | None, heads: str) -> dict[str, Callable[[Any], Tensor]]:
    """The classes that transformers builds on an encoder-decoder; `causal` is the body of ForCausalLM.

    Parameters beside the body: none for words when tied, else dV; d² + d + dC + C to classify a text; 2d + 2 for an
    answer.
    """
    def predict(body: Body) -> Callable[[Any], Tensor]:
        def logits(z: Any) -> Tensor:
            x, table = body(z)
            return linear(x, "head", bias=False, w=table if z.tied else None, V=z.V)
        return logits

    made: dict[str, Callable[[Any], Tensor]] = {
        "ForConditionalGeneration": predict(body),
        "MTModel": predict(body),
        "ForSequenceClassification": lambda z: within("classifier", classify, body(z)[0], z=z),
        "ForQuestionAnswering": lambda z: spans(body(z)[0], "answers"),
        "ForCausalLM": predict(causal or body),
    }
    return {f"{prefix}Model": lambda z: body(z)[0], **{prefix + head: made[head] for head in heads.split()}}
