"""The towers for text of ALIGN and CLAP, each a BERT; that of FLAVA, with norms before its parts.

Source: Jia et al. 2021, "Scaling up visual and vision-language representation learning", section 4; Wu et al. 2023,
"Large-scale contrastive language-audio pretraining", section 3.1; Singh et al. 2022, "FLAVA", section 4.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_NAMES, ENCODER_NOTES, ENCODER_ONLY, encoder_keys
from symcount.layers import activation, attention, linear, mlp, norm, residual
from symcount.layers.encoder import encoder, encoder_heads, pool, typed
from symcount.network import idle, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def numbered(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)d + 2d parameters; the numbers of positions and of segments are stored too."""
    x, word = typed(ids, types, z)
    return idle(x, *(weight(name, stored="buffer", P=z.P) for name in ("numbers", "segments"))), word


def projection(x: Tensor, z: Any) -> Tensor:
    """Two maps of the pooled token to width e: de + e² + 2e parameters."""
    return linear(activation(linear(x, "up", e=z.e), "relu"), "down", over="e", e=z.e)


clap = encoder(numbered, masked=False)


def projected(z: Any) -> tuple[Tensor, Tensor]:
    """The projected first token, and the tokens."""
    x = clap(z)[0]
    return within("projection", projection, pool(x, z), z=z), x


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters, 3d less without the biases of query, key and value."""
    y = within("attention", attention, norm(x, "attention_norm"), z=z, t=z.t, bias=True if z.biased else "output",
               dropout=True)
    x = residual(x, y)
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, dropout=True))


def _keys(**sizes: Any) -> dict[str, tuple[str, Any]]:
    keys = encoder_keys(d=768, h=3072, L=12, heads=12, decoder=False, **sizes)
    return {key: told for key, told in keys.items() if key not in ("tie_word_embeddings", "num_labels")}


_IGNORED = {**ENCODER_NOTES, "tie_word_embeddings": "no words are predicted"}
_ABSOLUTE = {"position_embedding_type": ENCODER_ONLY["position_embedding_type"]}
_SIZES = {"d": 768, "h": 3072, "L": 12, "heads": 12}
_LAYER = "encoder.layer.{i}"

ARCHITECTURES = (Architecture(
    "align_text_model",
    classes=encoder_heads("AlignText", encoder(masked=False), ""),
    keys=_keys(V=30522, P=512, types=2),
    ignored=_IGNORED,
    only=_ABSOLUTE,
    stored=BERT_NAMES,
    published={"align-base-text": measured("AlignTextModel", 109_482_240, V=30522, P=512, types=2, **_SIZES)},
), Architecture(
    "clap_text_model",
    classes={
        **encoder_heads("ClapText", clap, ""),
        "ClapTextModelWithProjection": projected,
    },
    acts={"hidden_act": ("gelu", "mlp"), "projection_hidden_act": ("relu", "projection")},
    keys={**_keys(V=50265, P=514, types=1), "projection_dim": ("e", 512)},
    ignored=_IGNORED,
    only=_ABSOLUTE,
    stored=BERT_NAMES,
    stored_heads={"projection.up": "text_projection.linear1", "projection.down": "text_projection.linear2"},
    base="text_model",
    published={
        "clap-htsat-text": measured("ClapTextModelWithProjection", 125_302_016, V=50265, P=514, types=1, e=512,
                                    **_SIZES),
    },
), Architecture(
    "flava_text_model",
    classes=encoder_heads("FlavaText", encoder(typed, block, masked=False, last=True), ""),
    keys={**_keys(V=30522, P=512, types=2), "qkv_bias": ("biased", True)},
    ignored=_IGNORED,
    only=_ABSOLUTE,
    stored={
        **BERT_NAMES,
        **{f"layers.attention.{name}": f"{_LAYER}.attention.attention.{name}" for name in ("query", "key", "value")},
        "layers.attention_norm": f"{_LAYER}.layernorm_before",
        "layers.mlp_norm": f"{_LAYER}.layernorm_after",
        "norm": "layernorm",
    },
    published={"flava-full-text": measured("FlavaTextModel", 109_483_776, V=30522, P=512, types=2, **_SIZES)},
))
