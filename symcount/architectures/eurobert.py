"""EuroBERT: an encoder of LLaMA blocks; every token attends to every other.

Source: Boizard et al. 2025, "EuroBERT", section 2 and table 1; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, ROTARY, decoder_keys
from symcount.layers import decoder, linear, rotary_block
from symcount.network import pointwise, select
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


def pooling(config: dict[str, Any]) -> dict[str, Any]:
    """What the scores of a text are made of."""
    found = config["classifier_pooling"]
    if found not in ("bos", "mean", "late"):
        raise ConfigError(f"classifier_pooling = {found!r} is not supported; supported: bos, mean, late")
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
),)
