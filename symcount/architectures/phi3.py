"""Phi-3: the LLaMA block without biases, stored as two fused maps.

The models Phi-3.5 mini, Phi-4 and Phi-4 mini are of this family.

Source: Abdin et al. 2024, "Phi-3 technical report", section 2; Abdin et al. 2024, "Phi-4 technical report", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import one_window
from symcount.layers import decoder, decoder_heads
from symcount.layers.transformer import window_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.architecture import Published


_NO_BIAS = ((False,), "transformers has no Phi-3 with biases")


def _phi(count: int, *, tied: bool = False, **sizes: int | None) -> Published:
    return measured("Phi3ForCausalLM", count, tied=tied, **sizes)


ARCHITECTURES = (Architecture(
    "phi3",
    classes=decoder_heads("Phi3", decoder(window_block),
                          "ForCausalLM ForSequenceClassification ForTokenClassification"),
    sizes="window",
    follows={"kv": "heads", "k": "d/heads"},
    keys=decoder_keys(V=32064, d=3072, h=8192, L=32, heads=32),
    reads={"sliding_window": None},
    settle=one_window,
    ignored={
        **ROTARY,
        "original_max_position_embeddings": "rotary positions have no table",
        "full_attn_mod": "read by nothing",
        "interpolate_factor": "read by nothing",
    },
    only={"attention_bias": _NO_BIAS, "mlp_bias": _NO_BIAS, "lm_head_bias": _NO_BIAS},
    stored={
        **DECODER_NAMES,
        ("layers.attention.query.weight", "layers.attention.key.weight", "layers.attention.value.weight"):
            "layers.{i}.self_attn.qkv_proj.weight",
        ("layers.mlp.gate.weight", "layers.mlp.up.weight"): "layers.{i}.mlp.gate_up_proj.weight",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "phi-3-mini": _phi(3_821_079_552, V=32064, d=3072, h=8192, L=32, heads=32, window=2047),
        "phi-3-medium": _phi(13_960_238_080, V=32064, d=5120, h=17920, L=40, heads=40, kv=10, k=128, window=2047),
        "phi-3.5-mini": _phi(3_821_079_552, V=32064, d=3072, h=8192, L=32, heads=32, window=262144),
        "phi-4": _phi(14_659_507_200, V=100352, d=5120, h=17920, L=40, heads=40, kv=10, k=128, window=None),
        "phi-4-mini": _phi(3_836_021_760, tied=True, V=200064, d=3072, h=8192, L=32, heads=24, kv=8, k=128,
                           window=262144),
    },
),)
