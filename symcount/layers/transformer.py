"""Blocks that several families share, and the heads that transformers puts on a body."""

from __future__ import annotations

from symcount.layers.attention import attention
from symcount.layers.dense import dropped, drops, linear, norm, words
from symcount.layers.feed_forward import gated, mlp
from symcount.masks import Mask
from symcount.network import pointwise, within
from symcount.sizes import exactly, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def residual(x: Tensor, y: Tensor) -> Tensor:
    """x + y."""
    return pointwise(x, y, kind="add", name="residual")


def post_norm(x: Tensor, z: Any, mask: Mask | None = None, *, dropout: bool | str = True) -> Tensor:
    """Attention, then the two-matrix MLP, a norm after each sum.

    Parameters at k = d/heads: 4d² + 2dh + 9d + h. `dropout`: where training drops out, of "softmax output mlp".
    Source: Vaswani et al. 2017, sections 3.1 and 5.4.
    """
    y = within("attention", attention, x, z=z, t=z.t, mask=mask, dropout=dropout)
    x = norm(residual(x, y), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=drops("mlp", dropout=dropout))), "mlp_norm")


def pre_norm(x: Tensor, z: Any, mask: Mask | None = None, *, dropout: bool | str = True) -> Tensor:
    """Attention, then the two-matrix MLP, a norm before each, inside the residual.

    Parameters at k = d/heads: 4d² + 2dh + 9d + h. `dropout`: where training drops out, of "softmax output mlp".
    Source: Radford et al. 2019, section 2.3.
    """
    y = within("attention", attention, norm(x, "attention_norm"), z=z, t=z.t, mask=mask, dropout=dropout)
    x = residual(x, y)
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, dropout=drops("mlp", dropout=dropout)))


CAUSAL = Mask(causal=True)


def rotary_block(x: Tensor, z: Any, mask: Mask | None = CAUSAL, *, mlp_bias: bool = False,
                 **attending: Any) -> Tensor:
    """Attention with rotary positions, then the gated MLP, an RMSNorm before each, inside the residual.

    Parameters: 2dk·heads + 2dk·kv + 3dh + 2d (4d² + 3dh + 2d when kv = heads and k = d/heads). What else `attention`
    takes (bias, normed, sinks) is passed on.
    Source: Touvron et al. 2023, "LLaMA", section 2.2.
    """
    y = norm(x, "attention_norm", shift=False)
    x = residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, position="rotary", mask=mask,
                           **attending))
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, bias=mlp_bias))


def window_block(x: Tensor, z: Any) -> Tensor:
    """The same without biases, and with the window of z if there is one: 2dk·heads + 2dk·kv + 3dh + 2d parameters.

    Source: Jiang et al. 2023, "Mistral 7B", section 2.
    """
    return rotary_block(x, z, Mask(causal=True, window=z.window), bias=False)


def decoder(block: Callable[..., Tensor], *, shift: bool = False, kind: str | None = None,
            dropout: bool = False) -> Callable[[Any], tuple[Tensor, Tensor]]:
    """The body of a decoder without learned positions: word table, L blocks, a last norm: 2d, or d without a shift.

    A body gives the hidden states, and the word table. `dropout`: training drops out some of the embeddings.
    """
    def body(z: Any) -> tuple[Tensor, Tensor]:
        x, word = words(z)
        x = dropped(x, "embeddings_dropout") if dropout else x
        x = within("layers", block, x, z=z, runs=z.L)
        return norm(x, "norm", shift=shift, kind=kind), word
    return body


def windowed(block: Callable[..., Tensor], *, kind: str | None = None) -> Callable[[Any], tuple[Tensor, Tensor]]:
    """The same, where L_global layers attend to all tokens and the others to a window: block(x, z=z, mask=mask).

    Source: Child et al. 2019, "Generating long sequences with sparse transformers", section 4.2 (windows).
    """
    def body(z: Any) -> tuple[Tensor, Tensor]:
        x, word = words(z)
        local = Mask(causal=True, window=z.window)
        x = within("layers.local", block, x, z=z, mask=local, runs=rest(z.L, z.L_global))
        x = within("layers.global", block, x, z=z, mask=CAUSAL, runs=z.L_global)
        return norm(x, "norm", shift=False, kind=kind), word
    return body


HEADS = "ForCausalLM ForSequenceClassification ForTokenClassification ForQuestionAnswering"


def decoder_heads(prefix: str, body: Callable[[Any], tuple[Tensor, Tensor]], heads: str = HEADS, *,
                  bias: bool = False) -> dict[str, Callable[[Any], Tensor]]:
    """The classes that transformers builds on a decoder, whose `body` gives hidden states and the word table.

    Parameters beside the body: none; dV for words, none when tied (`bias`: V more); dC without a bias to classify a
    text (scored at every position, of which the last is used); dC + C to classify each token; 2d + 2 for an answer.
    """
    def told(z: Any) -> Tensor:
        x, table = body(z)
        return linear(x, "head", bias=bias, w=table if z.tied else None, V=z.V)

    made: dict[str, Callable[[Any], Tensor]] = {
        "ForCausalLM": told,
        "LMHeadModel": told,
        "ForSequenceClassification": lambda z: linear(body(z)[0], "classifier", bias=False, C=z.C),
        "ForTokenClassification": lambda z: linear(body(z)[0], "classifier", C=z.C),
        "ForQuestionAnswering": lambda z: spans(body(z)[0], "answers"),
    }
    return {f"{prefix}Model": lambda z: body(z)[0], **{prefix + head: made[head] for head in heads.split()}}


def spans(x: Tensor, name: str, ends: Size = 2) -> Tensor:
    """Where an answer starts and where it ends, for every position: 2d + 2 parameters.

    `ends` is the number of labels where the class reads it, and must be 2.
    """
    return linear(x, name, ends=exactly(ends, 2))
