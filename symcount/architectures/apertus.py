"""Apertus: the LLaMA block with normed queries and keys and a two-matrix MLP, whose activation learns two numbers.

Source: Apertus team 2025, "Apertus", section 2.1; the activation: Huang and Schlag 2024, "Deriving activation functions
using integration" (xIELU).
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.layers import activation, attention, decoder, decoder_heads, linear, norm, per_head, residual
from symcount.masks import Mask
from symcount.network import pointwise, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


SLOPES = {"alpha_p": "parameter", "alpha_n": "parameter", "beta": "buffer", "eps": "buffer"}


def feed(x: Tensor, z: Any) -> Tensor:
    """2dh parameters, 2 more where the activation learns its slopes."""
    slopes = [weight(f"act.{name}", stored=stored, one=1) for name, stored in SLOPES.items()] if z.learned else []
    y = linear(x, "up", h=z.h, bias=False)
    y = pointwise(y, *slopes, kind="xielu", name="act", to="b s h") if z.learned else activation(y, "act")
    return linear(y, "down", over="h", bias=False, d=z.d)


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 2dh + 2d + 2k + 2 parameters."""
    y = norm(x, "attention_norm", shift=False)
    x = residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                           position="rotary", mask=Mask(causal=True), normed=per_head))
    return residual(x, within("mlp", feed, norm(x, "mlp_norm", shift=False), z=z))


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Whether the activation is the one that learns its slopes; of the others of transformers, one more has weights."""
    name = config["hidden_act"]
    if not isinstance(name, str) or name == "prelu":
        raise ConfigError(f"hidden_act = {name!r} is not supported; supported: xielu, or one without weights")
    return {"learned": True} if name == "xielu" else {"learned": False, "acts": {"": name}}


def _apertus(count: int, **sizes: int) -> Published:
    return measured("ApertusForCausalLM", count, V=131072, kv=8, k=128, **sizes)


ARCHITECTURES = (Architecture(
    "apertus",
    classes=decoder_heads("Apertus", decoder(block), "ForCausalLM ForTokenClassification"),
    flags={"learned": True},
    follows={"kv": "heads", "k": "d/heads"},
    acts={},
    keys={
        **decoder_keys(V=131072, d=4096, h=14336, L=32, heads=32),
        "attention_bias": ("attention_bias", False),
    },
    reads={"hidden_act": "xielu"},
    settle=settle,
    ignored=ROTARY,
    only={
        "mlp_bias": ((False,), "the class has no biases there"),
        "post_norm": ((False,), "the class has its norms before the parts"),
        "qk_norm": ((True,), "the class norms queries and keys"),
    },
    stored={
        **DECODER_NAMES,
        "layers.attention_norm": "layers.{i}.attention_layernorm",
        "layers.mlp_norm": "layers.{i}.feedforward_layernorm",
        "layers.mlp.act": "layers.{i}.mlp.act_fn",
        "layers.mlp.act.alpha_p": "layers.{i}.mlp.act_fn.alpha_p",
        "layers.mlp.act.alpha_n": "layers.{i}.mlp.act_fn.alpha_n",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "apertus-8b": _apertus(8_053_338_176, d=4096, h=21504, L=32, heads=32),
        "apertus-70b": _apertus(70_599_864_480, d=8192, h=43008, L=80, heads=64),
    },
),)
