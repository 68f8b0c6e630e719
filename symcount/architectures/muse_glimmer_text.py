"""Muse Glimmer and Muse Spark, the text models: gated attention, a gated MLP or narrow experts, and norms around each.

Other norms have no weights.

Source: the configuration and the implementation in transformers; gated attention: Qiu et al. 2025, "Gated attention for
large language models", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import MASKED
from symcount.hub.decoders import DECODER_NAMES, ROTARY, ROUTED, decoder_keys
from symcount.hub.settling import listed_dense, some_dense, windows
from symcount.layers import attention, decoder_heads, gated, linear, norm, residual, words
from symcount.layers.dense import plain_rms_norm
from symcount.layers.experts import gated_experts
from symcount.masks import Mask
from symcount.network import pointwise, rename, top, weight, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """3dk·heads + 2dk·kv + 3dh + 4d parameters."""
    y = within("attention", attention, norm(x, "attention_norm", shift=False), z=z, kv=z.kv, k=z.k, t=z.t,
               bias=z.attention_bias, position="rotary", normed=plain_rms_norm, gate="g q k", mask=Mask(causal=True))
    x = residual(x, norm(y, "attention_out_norm", shift=False))
    y = within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h)
    return residual(x, norm(y, "mlp_out_norm", shift=False))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table, whose rows are normed."""
    x, word = words(z)
    x = within("layers", block, plain_rms_norm(x, "embeddings_norm"), z=z, runs=z.L)
    return norm(x, "norm", shift=False), word


def kept(x: Tensor, y: Tensor) -> Tensor:
    """A sum of x and y with two weights, which one number makes for each place: d parameters."""
    return pointwise(x, y, weight("keep", d=x.axes["d"]), kind="mix", name="residual")


def attend(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """x and its gated attention: 3dk·heads + 2dk·kv + 2d parameters."""
    y = within("attention", attention, norm(x, "attention_norm", shift=False), z=z, kv=z.kv, k=z.k, t=z.t,
               bias=z.attention_bias, position="rotary", normed=plain_rms_norm, gate="g q k", mask=mask)
    return within("attention", kept, x, plain_rms_norm(y, "attention_out_norm"))


def feed(x: Tensor, part: Callable[..., Tensor], **sizes: Any) -> Tensor:
    """x and an MLP or experts: 3d parameters more than these."""
    y = within("mlp", part, norm(x, "mlp_norm", shift=False), **sizes)
    return within("mlp", kept, x, norm(y, "mlp_out_norm", shift=False))


def mixture(x: Tensor, z: Any) -> Tensor:
    """K of E experts: dE parameters for the router, and those of the experts."""
    chances = pointwise(linear(x, "router", bias=False, E=z.E), kind="sigmoid", name="routing")
    chances = pointwise(chances, weight("router.correction", kinds="bias", stored="buffer", E=z.E), kind="bias",
                        name="correction")
    return within("experts", narrow, x, top(chances, E=("e", z.K)), z=z)


def narrow(x: Tensor, chosen: Tensor, z: Any) -> Tensor:
    """Experts of another width than the model's, a norm behind each: 2(d + 1)latent + 3E·latent·h_e parameters."""
    y = rename(linear(x, "enter", bias=False, latent=z.latent), latent="d")
    y = gated_experts(norm(y, "norm", shift=False), chosen, E=z.E, h=z.h_e)
    y = pointwise(norm(y, "out_norm", shift=False), chosen, kind="mix", name="weighted_sum", to="b s d")
    return linear(rename(y, d="latent"), "leave", over="latent", bias=False, d=z.d)


def spark(z: Any) -> tuple[Tensor, Tensor]:
    """Attention to all tokens or a window, experts or one MLP; how they alternate changes no count."""
    x, word = words(z)
    x = plain_rms_norm(x, "embeddings_norm")
    x = within("layers.local", attend, x, z=z, mask=Mask(causal=True, window=z.window), runs=rest(z.L, z.L_global))
    x = within("layers.global", attend, x, z=z, mask=Mask(causal=True), runs=z.L_global)
    if z.dense:
        x = within("layers.dense", lambda x: feed(x, gated, h=z.h), x, runs=z.L_dense)
    x = within("layers.moe", lambda x: feed(x, mixture, z=z), x, runs=rest(z.L, z.L_dense) if z.dense else z.L)
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers see all tokens, each fourth from the last, how many are dense, and the window of the others."""
    L = config["num_hidden_layers"]
    found = listed_dense(config) or {"L_dense": 0}
    return {**windows(config, -(-L // 4)), **some_dense(found["L_dense"])}


NAMES = {
    **DECODER_NAMES,
    "layers.attention.gate": "layers.{i}.self_attn.gate_proj",
    "layers.attention_out_norm": "layers.{i}.post_attention_layernorm",
    "layers.mlp_norm": "layers.{i}.pre_feedforward_layernorm",
    "layers.mlp_out_norm": "layers.{i}.post_feedforward_layernorm",
}
ARCHITECTURES = (Architecture(
    "muse_glimmer_text",
    classes=decoder_heads("MuseGlimmerText", body, ""),
    follows={"kv": "heads", "k": "d/heads"},
    acts={"hidden_activation": ("", "")},
    keys={
        **decoder_keys(V=202048, d=6656, h=19968, L=52, heads=32, kv=2, k=128),
        "attention_bias": ("attention_bias", False),
    },
    ignored={
        **ROTARY,
        "layer_types": MASKED,
        "sliding_window": MASKED,
        "layer_rope_theta": "rotation has no weights and is elementwise",
        "final_logit_softcapping": "a constant",
        "qk_scale_factor": "a constant",
        "output_multiplier": "a constant",
        "post_norm_eps": "a constant",
    },
    hides={"layer_types": ()},
    stored=NAMES,
), Architecture(
    "muse_spark_text",
    classes=decoder_heads("MuseSparkText", spark, ""),
    sizes="window L_global L_dense",
    flags={"dense": False},
    keys={
        **decoder_keys(V=202048, d=8192, h=16384, L=62, heads=128, kv=16, k=64),
        "attention_bias": ("attention_bias", False),
        "moe_intermediate_size": ("h_e", 4096),
        "moe_hidden_size": ("latent", 4096),
        "num_local_experts": ("E", 256),
        "num_experts_per_tok": ("K", 8),
    },
    reads={"layer_types": None, "sliding_window": 2048, "mlp_layer_types": None},
    settle=settle,
    ignored={
        **ROTARY,
        **ROUTED,
        "layer_rope_theta": "rotation has no weights and is elementwise",
        **dict.fromkeys(("final_logit_softcapping", "qk_scale_factor", "output_multiplier", "post_norm_eps",
                         "residual_gate_temperature"), "a constant"),
    },
    unwritten="the norm of what heads mix, and what makes two weights of one number",
    stored={
        **NAMES,
        "layers.mlp.router": "layers.{i}.mlp.gate",
        ("layers.mlp.experts.gate.weight", "layers.mlp.experts.up.weight"):
            ("layers.{i}.mlp.experts.gate_up_proj", "E 2h_e latent"),
        "layers.mlp.experts.down.weight": ("layers.{i}.mlp.experts.down_proj", "E latent h_e"),
        "layers.mlp.experts.enter": "layers.{i}.mlp.pre_expert_proj",
        "layers.mlp.experts.norm": "layers.{i}.mlp.pre_expert_norm",
        "layers.mlp.experts.out_norm": "layers.{i}.mlp.experts.post_expert_norm",
        "layers.mlp.experts.leave": "layers.{i}.mlp.post_expert_proj",
        "layers.attention.keep": "layers.{i}.post_attention_residual_gate.gate",
        "layers.mlp.keep": "layers.{i}.post_feedforward_residual_gate.gate",
    },
))
