"""JetMoE: experts in attention too, each with a query map and an output map of its own; keys and values are shared.

Source: Shen et al. 2024, "JetMoE: reaching Llama2 performance with 0.1M dollars", section 2; mixtures of attention
heads: Zhang et al. 2022, "Mixture of attention heads".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import HEAD_NAMES, ROTARY, ROUTED
from symcount.layers import decoder, decoder_heads, linear, norm, residual
from symcount.layers.experts import expert, gated_experts
from symcount.masks import Mask
from symcount.network import cached, contract, merge, pointwise, top, weight, within
from symcount.sizes import multiple
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def route(x: Tensor, *, E: Size, K: Size) -> Tensor:
    """The K experts of each token: dE parameters."""
    return top(pointwise(linear(x, "router", bias=False, E=E), kind="softmax", name="routing"), E=("e", K))


def blend(y: Tensor, chosen: Tensor) -> Tensor:
    """The sum of what the experts made, weighed by their scores, and a bias: d parameters."""
    y = pointwise(y, chosen, kind="mix", name="weighted_sum", to="b s d")
    return pointwise(y, weight("bias", kinds="bias", d=y.axes["d"]), kind="bias")


def attention_experts(x: Tensor, key: Tensor, value: Tensor, chosen: Tensor, z: Any) -> Tensor:
    """Each chosen expert asks the same keys with queries of its own: 2Edk·kv + d parameters."""
    mask = Mask(causal=True)
    query = pointwise(expert(x, chosen, "query", E=z.E, g=z.kv, k=multiple(z.k, 2)), kind="rotary")
    scores = pointwise(contract(query, key, to="b g e s t", name="scores", mask=mask), kind="attention_scale")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s e g k", name="mix", mask=mask)
    y = expert(merge(mixed, c="g k"), chosen, "output", over="c", E=z.E, d=z.d)
    return blend(y, chosen)


def attend(x: Tensor, z: Any) -> Tensor:
    """K experts a token over shared keys and values: 2Edk·kv + 2dk·kv + dE + d parameters."""
    k = multiple(z.k, 2)
    chosen = route(x, E=z.E, K=z.K)
    key = cached(pointwise(linear(x, "key", bias=False, g=z.kv, k=k), kind="rotary"), "key", s=("t", z.t))
    value = cached(linear(x, "value", bias=False, g=z.kv, k=k), "value", s=("t", z.t))
    return within("experts", attention_experts, x, key, value, chosen, z=z)


def feed(x: Tensor, z: Any) -> Tensor:
    """A mixture with one bias after the sum: dE + 3Edh + d parameters."""
    chosen = route(x, E=z.E, K=z.K)
    return blend(gated_experts(x, chosen, E=z.E, h=z.h), chosen)


def block(x: Tensor, z: Any) -> Tensor:
    """2Edk·kv + 2dk·kv + 3Edh + 2dE + 4d parameters, of which a token meets K/E of the experts'."""
    x = residual(x, within("attention", attend, norm(x, "attention_norm", shift=False), z=z))
    return residual(x, within("mlp", feed, norm(x, "mlp_norm", shift=False), z=z))


ARCHITECTURES = (Architecture(
    "jetmoe",
    classes=decoder_heads("JetMoe", decoder(block), "ForCausalLM ForSequenceClassification"),
    acts={"activation_function": ("", "")},
    keys={
        "vocab_size": ("V", 32000),
        "hidden_size": ("d", 2048),
        "intermediate_size": ("h", 5632),
        "num_hidden_layers": ("L", 12),
        "num_key_value_heads": ("kv", 16),
        "kv_channels": ("k", 128),
        "num_local_experts": ("E", 8),
        "num_experts_per_tok": ("K", 2),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    },
    aliases={"head_dim": "kv_channels"},
    ignored={
        **ROTARY,
        **ROUTED,
        "num_attention_heads": "there are K · kv, whatever it says",
        "aux_loss_coef": "weighs a loss",
    },
    stored={
        "embeddings": "embed_tokens",
        "layers.attention_norm": "layers.{i}.input_layernorm",
        "layers.attention.router": "layers.{i}.self_attention.experts.router.layer",
        ("layers.attention.key.weight", "layers.attention.value.weight"): "layers.{i}.self_attention.kv_proj.weight",
        "layers.attention.experts.query.weight": ("layers.{i}.self_attention.experts.input_linear.weight", "E k*kv d"),
        "layers.attention.experts.output.weight":
            ("layers.{i}.self_attention.experts.output_linear.weight", "E d k*kv"),
        "layers.attention.experts.bias": "layers.{i}.self_attention.experts.bias",
        "layers.mlp_norm": "layers.{i}.post_attention_layernorm",
        "layers.mlp.router": "layers.{i}.mlp.router.layer",
        ("layers.mlp.gate.weight", "layers.mlp.up.weight"): ("layers.{i}.mlp.input_linear.weight", "E 2h d"),
        "layers.mlp.down.weight": ("layers.{i}.mlp.output_linear.weight", "E d h"),
        "layers.mlp.bias": "layers.{i}.mlp.bias",
        "norm": "norm",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "jetmoe-8b": measured("JetMoeForCausalLM", 8_522_237_952, V=32000, d=2048, h=5632, L=24, kv=16, k=128, E=8,
                              K=2, tied=True),
    },
),)
