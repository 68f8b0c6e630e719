"""Encoders of text: the body of BERT and its relatives, and the heads that transformers puts on it."""

from __future__ import annotations

from symcount.layers.dense import dropped, embed, linear, norm, positions
from symcount.layers.feed_forward import activation
from symcount.layers.transformer import post_norm, residual, spans
from symcount.masks import Mask
from symcount.network import idle, pointwise, select, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size

    Body = Callable[[Any], tuple[Tensor, Tensor]]


def untyped(ids: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Words and positions, then a norm: (V + P)d + 2d parameters."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    return norm(positions(x, "position", P=z.P, t=z.t), "norm"), word


def summed(ids: Tensor, types: Tensor, z: Any, d: Size | None = None, P: Size | None = None) -> tuple[Tensor, Tensor]:
    """Words, P (or z.P) positions and segments of width d (or z.d), without a norm: (V + P + types)d parameters."""
    d, P = z.d if d is None else d, z.P if P is None else P
    x, word = embed(ids, "word", V=z.V, d=d)
    x = positions(x, "position", P=P, t=z.t)
    kinds, _ = embed(types, "type", types=z.types, d=d)
    return residual(x, kinds), word


def typed(ids: Tensor, types: Tensor, z: Any, d: Size | None = None, P: Size | None = None) -> tuple[Tensor, Tensor]:
    """The same, then a norm: (V + P + types)d + 2d parameters."""
    x, word = summed(ids, types, z, d, P)
    return norm(x, "norm"), word


def narrow(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)e + 2e parameters, and where e is not d, ed + d to come to the width of the layers.

    Source: Clark et al. 2020, "ELECTRA", section 3.3.
    """
    x, word = typed(ids, types, z, z.e)
    x = dropped(x)
    return (linear(x, "project", d=z.d) if z.projected else x), word


def encoder(embeddings: Callable[..., tuple[Tensor, Tensor]] = typed, block: Callable[..., Tensor] = post_norm, *,
            inputs: str = "ids types", masked: bool = True, last: bool = False, dropout: bool = True) -> Body:
    """The body of an encoder: its `embeddings` of the `inputs`, L blocks, and a `last` norm where the family has one.

    A body gives the hidden states, and the word table. `masked`: the family may be a decoder too (z.decoder), whose
    tokens see only those before them. `dropout`: training drops out some of the embeddings; a block says it of itself.
    """
    def dressed(*read: Tensor, z: Any) -> tuple[Tensor, Tensor]:
        x, word = embeddings(*read, z=z)
        return (dropped(x) if dropout else x), word

    def body(z: Any) -> tuple[Tensor, Tensor]:
        read = [tensor(name, b=z.b, s=z.s) for name in inputs.split()]
        x, word = within("embeddings", dressed, *read, z=z)
        mask: dict[str, Any] = {"mask": Mask(causal=True) if z.decoder else None} if masked else {}
        x = within("layers", block, x, z=z, runs=z.L, **mask)
        return norm(x, "norm") if last else x, word
    return body


def pool(x: Tensor, z: Any) -> Tensor:
    """tanh of a dense layer on the first token: d² + d parameters."""
    return pointwise(linear(select(x, "s"), "pooler", d=z.d), kind="tanh")


def transform(x: Tensor, d: Size) -> Tensor:
    """A dense layer to width d, and a norm: d² + 3d parameters from width d."""
    return norm(activation(linear(x, "transform", d=d), "gelu"), "norm")


def words(x: Tensor, word: Tensor, z: Any) -> Tensor:
    """Logits over the vocabulary behind a transform: d² + 3d + V parameters; untied, V·d more."""
    return linear(transform(x, word.axes["d"]), "decoder", w=word if z.tied else None, V=z.V)


def words_and_spare(x: Tensor, word: Tensor, z: Any) -> Tensor:
    """The same; untied, V·d more and a second bias of V, which is stored and never runs."""
    return spare(transform(x, word.axes["d"]), word, z)


def spare(x: Tensor, word: Tensor, z: Any) -> Tensor:
    """Logits over the vocabulary: V parameters; untied, V·d more and a second bias of V, stored and never run."""
    y = linear(x, "decoder", bias=not z.tied, w=word if z.tied else None, V=z.V)
    bias = weight("bias", kinds="bias", V=z.V)
    return pointwise(y, bias, kind="bias") if z.tied else idle(y, bias)


def pooled(x: Tensor, z: Any) -> Tensor:
    """Scores of the pooled first token: d² + d + dC + C parameters."""
    return linear(pool(x, z), "classifier", C=z.C)


def dense_first(x: Tensor, z: Any, kind: str = "tanh", f: Callable[..., Tensor] = pointwise) -> Tensor:
    """A dense layer and scores on the first token, without a pooler: d² + d + dC + C parameters."""
    def scores(x: Tensor) -> Tensor:
        return linear(f(linear(x, "dense", d=z.d), kind=kind, name="act"), "output", C=z.C)
    return within("classifier", scores, select(x, "s"))


def activated_first(x: Tensor, z: Any) -> Tensor:
    """The same around the activation of the layers, which a configuration may change."""
    return dense_first(x, z, "gelu", activation)


def last_choice(x: Tensor) -> Tensor:
    """A score of the last token for each choice, a text of the batch: d + 1 parameters."""
    return linear(pointwise(x, kind="last", to="b d"), "classifier", score=1)


def pre_classified(x: Tensor, z: Any) -> Tensor:
    """A dense layer on the first token, in place of a pooler: d² + d parameters."""
    return pointwise(linear(select(x, "s"), "pre_classifier", d=z.d), kind="relu")


def encoder_heads(prefix: str, body: Body, heads: str, *, pooler: bool = True, unread: str = "",
                  predictions: Callable[[Tensor, Tensor, Any], Tensor] = words_and_spare,
                  classify: Callable[[Tensor, Any], Tensor] = pooled) -> dict[str, Callable[[Any], Any]]:
    """The classes that transformers builds on an encoder, whose `body` gives hidden states and the word table.

    Parameters beside the body: those of `predictions` for words; of `classify` for the class of a text; of a pooler,
    or of a dense layer like it, and d + 1 to score each choice (a text of the batch); dC + C to classify each token;
    2d + 2 for an answer. `pooler`: whether the base model has one; `unread`: the heads under which it runs, though
    they do not read it.
    """
    def logits(x: Tensor, word: Tensor, z: Any) -> Tensor:
        return within("head", predictions, x, word, z=z)

    def next_sentence(x: Tensor, _: Tensor, z: Any) -> Tensor:
        return linear(pool(x, z), "next_sentence", answers=2)

    made: dict[str, Callable[[Tensor, Tensor, Any], Any]] = {
        "Model": lambda x, _, z: (x, pool(x, z)) if pooler else x,
        "ForMaskedLM": logits,
        "ForCausalLM": logits,
        "LMHeadModel": logits,
        "ForPreTraining": lambda x, word, z: (logits(x, word, z), next_sentence(x, word, z)),
        "ForNextSentencePrediction": next_sentence,
        "ForSequenceClassification": lambda x, _, z: classify(x, z),
        "ForMultipleChoice": lambda x, _, z: linear((pool if pooler else pre_classified)(x, z), "classifier", score=1),
        "ForTokenClassification": lambda x, _, z: linear(x, "classifier", C=z.C),
        "ForQuestionAnswering": lambda x, _, z: spans(x, "answers", z.C),
    }

    def forward(name: str) -> Callable[[Any], Any]:
        def run(z: Any) -> Any:
            x, word = body(z)
            result = made[name](x, word, z)
            return idle(result, pool(x, z)) if name in unread.split() else result
        return run
    return {prefix + name: forward(name) for name in ("Model", *heads.split())}
