"""BitNet b1.58: the LLaMA block with one more norm before the last map of attention and of the MLP.

The weights are counted as numbers; how few bits each has is a matter of storage.

Source: Ma et al. 2025, "BitNet b1.58 2B4T technical report", section 2; Wang et al. 2023, "BitNet", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import as_wide
from symcount.layers import activation, decoder, decoder_heads, linear, norm, residual
from symcount.layers.attention import all_heads
from symcount.masks import Mask
from symcount.network import cached, contract, pointwise, within
from symcount.sizes import multiple, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """2d² + 2dk·kv + 3dh + 3d + h parameters."""
    x = residual(x, within("attention", attention, norm(x, "attention_norm", shift=False), z=z))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm", shift=False), z=z))


def attention(x: Tensor, z: Any) -> Tensor:
    """output(norm(softmax(query(x) · key(x)ᵀ / √k) · value(x))): 2d² + 2dk·kv + d parameters."""
    bias, mask, k = z.attention_bias, Mask(causal=True), multiple(z.k, 2)
    query = pointwise(linear(x, "query", bias=bias, g=z.kv, q=per(z.heads, z.kv), k=k), kind="rotary")
    key = cached(pointwise(linear(x, "key", bias=bias, g=z.kv, k=k), kind="rotary"), "key", s=("t", z.t))
    value = cached(linear(x, "value", bias=bias, g=z.kv, k=k), "value", s=("t", z.t))
    scores = pointwise(contract(query, key, to="b g q s t", name="scores", mask=mask), kind="attention_scale")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g q k", name="mix", mask=mask)
    return linear(all_heads(mixed, "norm"), "output", over="g q k", bias=bias, d=z.d)


def mlp(x: Tensor, z: Any) -> Tensor:
    """down(norm(relu²(gate(x)) · up(x))): 3dh + h parameters."""
    y = activation(linear(x, "gate", h=z.h, bias=False), "relu2")
    y = pointwise(y, linear(x, "up", h=z.h, bias=False), kind="multiply", name="product")
    return linear(norm(y, "norm", over="h", shift=False), "down", over="h", bias=False, d=z.d)


ARCHITECTURES = (Architecture(
    "bitnet",
    classes=decoder_heads("BitNet", decoder(block), "ForCausalLM"),
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=128256, d=2560, h=6912, L=30, heads=20, kv=5),
        "attention_bias": ("attention_bias", False),
    },
    settle=as_wide,
    ignored=ROTARY,
    stored={
        **DECODER_NAMES,
        "layers.attention.norm.weight": ("layers.{i}.self_attn.attn_sub_norm.weight", "d"),
        "layers.mlp.norm": "layers.{i}.mlp.ffn_sub_norm",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "bitnet-b1.58-2b-4t": measured("BitNetForCausalLM", 2_412_820_480, V=128256, d=2560, h=6912, L=30, heads=20,
                                       kv=5, k=128, tied=True),
    },
),)
