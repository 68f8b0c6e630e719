"""Blocks that several families share, and the heads that transformers puts on a body."""

from __future__ import annotations

from symcount.layers.attention import attention
from symcount.layers.dense import linear, norm
from symcount.layers.feed_forward import mlp
from symcount.network import pointwise, within
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.masks import Mask
    from symcount.polynomials import Size


def residual(x: Tensor, y: Tensor) -> Tensor:
    """x + y."""
    return pointwise(x, y, kind="add", name="residual")


def post_norm(x: Tensor, z: Any, mask: Mask | None = None) -> Tensor:
    """Attention, then the two-matrix MLP, a norm after each sum.

    Parameters at k = d/heads: 4d² + 2dh + 9d + h.
    Source: Vaswani et al. 2017, section 3.1.
    """
    x = norm(residual(x, within("attention", attention, x, z=z, t=z.t, mask=mask)), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h)), "mlp_norm")


def pre_norm(x: Tensor, z: Any, mask: Mask | None = None) -> Tensor:
    """Attention, then the two-matrix MLP, a norm before each, inside the residual.

    Parameters at k = d/heads: 4d² + 2dh + 9d + h.
    Source: Radford et al. 2019, section 2.3.
    """
    x = residual(x, within("attention", attention, norm(x, "attention_norm"), z=z, t=z.t, mask=mask))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h))


def decoder_heads(prefix: str, body: Callable[[Any], tuple[Tensor, Tensor]],
                  language_model: str = "ForCausalLM") -> dict[str, Callable[[Any], Tensor]]:
    """The classes that transformers builds on a decoder, whose `body` gives hidden states and the word table.

    Parameters beside the body: none; dV for words, none when tied; dC without a bias to classify a text (scored at
    every position, of which the last is used); dC + C to classify each token; 2d + 2 to find an answer.
    """
    def words(z: Any) -> Tensor:
        x, table = body(z)
        return linear(x, "head", bias=False, w=table if z.tied else None, V=z.V)

    return {
        f"{prefix}Model": lambda z: body(z)[0],
        f"{prefix}{language_model}": words,
        f"{prefix}ForSequenceClassification": lambda z: linear(body(z)[0], "classifier", bias=False, C=z.C),
        f"{prefix}ForTokenClassification": lambda z: linear(body(z)[0], "classifier", C=z.C),
        f"{prefix}ForQuestionAnswering": lambda z: spans(body(z)[0], "classifier"),
    }


def spans(x: Tensor, name: str, ends: Size = 2) -> Tensor:
    """Where an answer starts and where it ends, for every position: 2d + 2 parameters.

    `ends` is the number of labels where the class reads it, and must be 2.
    """
    return linear(x, name, ends=exactly(ends, 2))
