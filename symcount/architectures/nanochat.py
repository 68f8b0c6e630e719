"""nanochat: a decoder whose norms, also of queries and keys, have no parameters, and a two-matrix MLP without biases.

Source: Karpathy 2025, "nanochat", gpt.py.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.layers import attention, decoder_heads, mlp, residual, words
from symcount.layers.dense import plain_rms_norm
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 2dh parameters."""
    x = residual(x, within("attention", attention, plain_rms_norm(x, "attention_norm"), z=z, kv=z.kv, k=z.k, t=z.t,
                           bias=z.attention_bias, position="rotary", mask=Mask(causal=True), normed=plain_rms_norm))
    return residual(x, within("mlp", mlp, plain_rms_norm(x, "mlp_norm"), h=z.h, bias=False, kind="relu2"))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table, whose rows are normed too."""
    x, word = words(z)
    x = within("layers", block, plain_rms_norm(x, "embedding_norm"), z=z, runs=z.L)
    return plain_rms_norm(x, "norm"), word


ARCHITECTURES = (Architecture(
    "nanochat",
    unwritten="the soft cap of logits",
    classes=decoder_heads("NanoChat", body, "ForCausalLM"),
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=50304, d=768, h=8192, L=12, heads=6),
        "attention_bias": ("attention_bias", False),
    },
    ignored={**ROTARY, "final_logit_softcapping": "a constant"},
    stored={
        **DECODER_NAMES,
        "layers.mlp.up": "layers.{i}.mlp.fc1",
        "layers.mlp.down": "layers.{i}.mlp.fc2",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={"nanochat-d20": measured("NanoChatForCausalLM", 560_988_160, V=65536, d=1280, h=5120, L=20, heads=10)},
),)
