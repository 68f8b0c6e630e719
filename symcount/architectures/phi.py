"""Phi: attention and a two-matrix MLP side by side behind one LayerNorm, and words with a bias.

Source: Li et al. 2023, "Textbooks are all you need II: phi-1.5", section 2.1; Javaheripi et al. 2023, "Phi-2".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.layers import attention, decoder, decoder_heads, mlp, norm, residual
from symcount.masks import Mask
from symcount.network import within
from symcount.sizes import multiple
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def norm_head(x: Tensor, name: str) -> Tensor:
    """A LayerNorm over the width of a head, the same for all heads: 2k parameters."""
    return norm(x, name, over="k")


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 7d + h parameters at kv = heads, 4k more with normed queries and keys."""
    y, k = norm(x, "norm"), multiple(z.k, 4)  # of half of each head, pairs are turned
    x = residual(x, within("attention", attention, y, z=z, kv=z.kv, k=k, t=z.t, position="rotary",
                           mask=Mask(causal=True), normed=norm_head if z.qk_norm else None))
    return residual(x, within("mlp", mlp, y, h=z.h))


def _phi(count: int, cls: str = "PhiForCausalLM", **sizes: int) -> Published:
    return measured(cls, count, V=51200, **sizes)


ARCHITECTURES = (Architecture(
    "phi",
    classes=decoder_heads("Phi", decoder(block, shift=True),
                          "ForCausalLM ForSequenceClassification ForTokenClassification", bias=True),
    sizes="k",
    follows={"kv": "heads", "k": "d/heads"},
    acts={"hidden_act": ("gelu_new", "")},
    keys={
        **{key: told for key, told in decoder_keys(V=51200, d=2048, h=8192, L=24, heads=32).items()
           if key != "head_dim"},
        "qk_layernorm": ("qk_norm", False),
    },
    ignored=ROTARY,
    stored={
        **DECODER_NAMES,
        "layers.norm": "layers.{i}.input_layernorm",
        "layers.attention.output": "layers.{i}.self_attn.dense",
        "layers.attention.query_norm": "layers.{i}.self_attn.q_layernorm",
        "layers.attention.key_norm": "layers.{i}.self_attn.k_layernorm",
        "layers.mlp.up": "layers.{i}.mlp.fc1",
        "layers.mlp.down": "layers.{i}.mlp.fc2",
        "norm": "final_layernorm",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "phi-1": _phi(1_418_270_720, d=2048, h=8192, L=24, heads=32),
        "phi-1.5": _phi(1_418_270_720, d=2048, h=8192, L=24, heads=32),
        "phi-2": _phi(2_779_683_840, d=2560, h=10240, L=32, heads=32),
    },
),)
