"""ESM Cambrian: an encoder of proteins of LLaMA blocks with LayerNorms, also of queries and keys over all heads.

Source: ESM Team 2024, "ESM Cambrian: revealing the mysteries of proteins with unsupervised learning"; the blocks: Hayes
et al. 2025, "Simulating 500 million years of evolution with a language model", appendix A.1.5; the heads are those of
transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, ROTARY, decoder_keys
from symcount.hub.encoders import ROBERTA_HEAD_NAMES
from symcount.hub.settling import as_wide
from symcount.layers import attention, decoder, gated, norm, residual
from symcount.layers.encoder import dense_first, encoder_heads, words
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def normed(x: Tensor, name: str) -> Tensor:
    """A LayerNorm without a shift over all heads of a token together: d parameters."""
    return norm(x, name, over=" ".join(axis for axis in x.axes if axis in ("g", "q", "k")), shift=False,
                kind="layer_norm")


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 3dh + 6d parameters, with biases 4d and 2h + d more."""
    y = norm(x, "attention_norm")
    x = residual(x, within("attention", attention, y, z=z, t=z.t, bias=z.attention_bias, position="rotary",
                           normed=normed))
    return residual(x, within("mlp", gated, norm(x, "mlp_norm"), h=z.h, bias=z.mlp_bias))


def _esmc(count: int, **sizes: int) -> Published:
    return measured("EsmcForMaskedLM", count, V=64, **sizes)


ARCHITECTURES = (Architecture(
    "esmc",
    classes=encoder_heads("Esmc", decoder(block, kind="layer_norm"),
                          "ForMaskedLM ForSequenceClassification ForTokenClassification", pooler=False,
                          predictions=words, classify=dense_first),
    flags={"tied": False},
    acts={"hidden_act": ("silu", "mlp")},
    keys={
        **{key: told for key, told in decoder_keys(V=64, d=2560, h=6912, L=80, heads=40).items()
           if key not in ("num_key_value_heads", "tie_word_embeddings")},
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
    },
    follows={"k": "d/heads"},
    settle=as_wide,
    same={"num_key_value_heads": "num_attention_heads"},
    ignored={**ROTARY, "tie_word_embeddings": "this family ties nothing"},
    stored={
        **DECODER_NAMES,
        "layers.attention.query_norm.weight": ("layers.{i}.self_attn.q_norm.weight", "d"),
        "layers.attention.key_norm.weight": ("layers.{i}.self_attn.k_norm.weight", "d"),
    },
    stored_heads={**ROBERTA_HEAD_NAMES, "EsmcForTokenClassification": {"classifier": "score"}},
    base="esmc",
    published={
        "esmc-300m": _esmc(332_997_184, d=960, h=2560, L=30, heads=15),
        "esmc-600m": _esmc(575_036_992, d=1152, h=3072, L=36, heads=18),
        "esmc-6b": _esmc(6_352_005_184, d=2560, h=6912, L=80, heads=40),
    },
),)
