"""EuroBERT and UltraBERT: encoders of LLaMA blocks; every token attends to every other, or to those in a window.

Source: Boizard et al. 2025, "EuroBERT", section 2 and table 1; the heads, and UltraBERT, are those of transformers.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, ROTARY, decoder_keys
from symcount.layers import decoder, linear, rotary_block, spans
from symcount.network import pointwise, select, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 3dh + 2d parameters when kv = heads and k = d/heads."""
    return rotary_block(x, z, mask=None, bias=z.attention_bias, mlp_bias=z.mlp_bias)


body = decoder(block)


def model(z: Any) -> Tensor:
    """The last hidden states."""
    return body(z)[0]


def masked_lm(z: Any) -> Tensor:
    """Logits over the vocabulary at every position: Vd parameters, none when tied; V more where MLPs have biases."""
    x, word = body(z)
    return linear(x, "head", bias=z.mlp_bias, w=word if z.tied else None, V=z.V)


def sequence_classification(z: Any) -> Tensor:
    """Scores of the first token, of the mean, or (late) the mean of all tokens' scores: d² + d + dC + C parameters."""
    x, _ = body(z)
    if z.pooling == "bos":
        x = select(x, "s")
    elif z.pooling == "mean":
        x = pointwise(x, kind="mean", to="b d")
    y = pointwise(linear(x, "pre_classifier", d=z.d), kind="gelu", name="act")
    y = linear(y, "classifier", C=z.C)
    return pointwise(y, kind="mean", to="b C") if z.pooling == "late" else y


def token_classification(z: Any) -> Tensor:
    """Scores for each token."""
    return linear(model(z), "classifier", C=z.C)


def rewritten(x: Tensor, word: Tensor, z: Any) -> Tensor:
    """Logits behind a way through a bottleneck and back: 2d·d_narrow + Vd parameters, Vd fewer when tied."""
    y = pointwise(linear(x, "down", bias=False, d_narrow=z.d_narrow), kind="gelu_pytorch_tanh", name="act")
    y = pointwise(linear(y, "up", over="d_narrow", bias=False, d=z.d), kind="gelu_pytorch_tanh", name="act")
    return linear(y, "decoder", bias=False, w=word if z.tied else None, V=z.V)


def rewritten_lm(z: Any) -> Tensor:
    """The same behind the body."""
    x, word = body(z)
    return within("head", rewritten, x, word, z=z)


def first_or_mean(z: Any) -> Tensor:
    """Scores of the first token, or of the mean of all: dC + C parameters."""
    x = model(z)
    return linear(pointwise(x, kind="mean", to="b d") if z.pooling == "mean" else select(x, "s"), "classifier", C=z.C)


def pooling(config: dict[str, Any], known: tuple[str, ...] = ("bos", "mean", "late")) -> dict[str, Any]:
    """What the scores of a text are made of."""
    found = config["classifier_pooling"]
    if found not in known:
        raise ConfigError(f"classifier_pooling = {found!r} is not supported; supported: {', '.join(known)}")
    return {"pooling": found}


def _eurobert(count: int, **sizes: int) -> Published:
    return measured("EuroBertModel", count, V=128256, **sizes)


ARCHITECTURES = (Architecture(
    "eurobert",
    classes={
        "EuroBertModel": model,
        "EuroBertForMaskedLM": masked_lm,
        "EuroBertForSequenceClassification": sequence_classification,
        "EuroBertForTokenClassification": token_classification,
    },
    flags={"pooling": "late"},
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=128256, d=768, h=3072, L=12, heads=12),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
    },
    reads={"classifier_pooling": "late"},
    settle=pooling,
    ignored={**ROTARY, "clf_pooling": "an old key, read by nothing"},
    stored=DECODER_NAMES,
    stored_heads={"head": "lm_head", "pre_classifier": "dense", "classifier": "classifier"},
    base="model",
    published={
        "eurobert-210m": _eurobert(211_766_016, d=768, h=3072, L=12, heads=12),
        "eurobert-610m": _eurobert(607_874_688, d=1152, h=4096, L=26, heads=18, kv=6, k=64),
        "eurobert-2.1b": _eurobert(2_107_590_912, d=2304, h=6144, L=32, heads=18, kv=6, k=128),
    },
), Architecture(
    "ultrabert",
    classes={
        "UltrabertModel": model,
        "UltrabertForMaskedLM": rewritten_lm,
        "UltrabertForSequenceClassification": first_or_mean,
        "UltrabertForTokenClassification": token_classification,
        "UltrabertForQuestionAnswering": lambda z: spans(model(z), "answers"),
    },
    flags={"pooling": "cls"},
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=32000, d=4096, h=11008, L=32, heads=32),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
        "prediction_head_size": ("d_narrow", 768),
    },
    reads={"classifier_pooling": "cls"},
    settle=partial(pooling, known=("cls", "mean")),
    ignored={
        **ROTARY,
        **dict.fromkeys(("layer_types", "sliding_window", "attention_windows"), MASKED),
    },
    stored=DECODER_NAMES,
    stored_heads={
        "head.down": "head.linear1",
        "head.up": "head.linear2",
        "head.decoder": "head.decoder",
        "classifier": "classifier",
        "answers": "qa_outputs",
    },
    base="model",
))
