"""Mixtral, Granite-MoE and Phi-MoE: the LLaMA block with a mixture of experts in place of its MLP.

Source: Jiang et al. 2024, "Mixtral of experts", table 1 and section 2.1; Granite Team 2024, "Granite 3.0 language
models", table 1; Abdin et al. 2024, "Phi-3 technical report", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, UNBIASED, decoder_keys, expert_names
from symcount.hub.settling import one_window
from symcount.layers import attention, decoder, decoder_heads, linear, norm, residual
from symcount.layers.experts import mixture, with_shared
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def attend(x: Tensor, z: Any, *, bias: bool = False, shift: bool = False, window: Size | None = None,
           **more: Any) -> Tensor:
    """x + attention of its norm: 2dk·heads + 2dk·kv + d parameters."""
    y = norm(x, "attention_norm", shift=shift)
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=bias, position="rotary",
                              mask=Mask(causal=True, window=window), **more))


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3Edh + dE + 2d parameters, of which a token meets K/E of the experts'."""
    x = attend(x, z, window=z.window)
    return residual(x, within("mlp", mixture, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h))


def granite_block(x: Tensor, z: Any) -> Tensor:
    """The same, where attention may have biases: (heads + 2kv)k + d parameters more."""
    x = attend(x, z, bias=z.attention_bias)
    return residual(x, within("mlp", mixture, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h))


def shared_block(x: Tensor, z: Any, *, sinks: bool = False) -> Tensor:
    """The same with one gated MLP beside the experts: 3d·h_s parameters more; with sinks heads more."""
    x = attend(x, z, bias=z.attention_bias, sinks=sinks)
    y = norm(x, "mlp_norm", shift=False)
    y = (within("mlp", with_shared, y, E=z.E, K=z.K, h=z.h, h_s=z.h_s) if z.shared
         else within("mlp", mixture, y, E=z.E, K=z.K, h=z.h))
    return residual(x, y)


def sink_block(x: Tensor, z: Any) -> Tensor:
    """The same with attention sinks."""
    return shared_block(x, z, sinks=True)


def phi_block(x: Tensor, z: Any) -> Tensor:
    """The same with LayerNorm, whose shifts are 2d parameters more."""
    x = attend(x, z, bias=z.attention_bias, shift=True, window=z.window)
    return residual(x, within("mlp", mixture, norm(x, "mlp_norm"), E=z.E, K=z.K, h=z.h))


phi_body = decoder(phi_block, shift=True)


def phi_causal_lm(z: Any) -> Tensor:
    """Logits over the vocabulary at every position, with a bias of V where the model has one."""
    x, word = phi_body(z)
    return linear(x, "head", bias=z.head_bias, w=word if z.tied else None, V=z.V)


def shared_width(config: dict[str, Any]) -> dict[str, Any]:
    """Whether there are shared experts, and their width: 0 says that there are none."""
    h_s = config["shared_intermediate_size"]
    if isinstance(h_s, bool) or not isinstance(h_s, int) or h_s < 0:
        raise ConfigError(f"shared_intermediate_size = {h_s!r}: a whole number is needed")
    return {"shared": h_s > 0, "h_s": h_s or None}


def _keys(*, E: int, **sizes: Any) -> dict[str, tuple[str, Any]]:
    return {**decoder_keys(**sizes), "num_local_experts": ("E", E), "num_experts_per_tok": ("K", 2)}


def _granite_keys() -> dict[str, tuple[str, Any]]:
    return {**_keys(V=32000, d=4096, h=11008, L=32, heads=32, E=8), "attention_bias": ("attention_bias", False)}


def _mixtral(count: int, **sizes: Any) -> Published:
    return measured("MixtralForCausalLM", count, k=128, kv=8, E=8, K=2, window=None, **sizes)


def _granite(count: int, **sizes: int) -> Published:
    return measured("GraniteMoeForCausalLM", count, V=49155, h=512, k=64, kv=8, K=8, tied=True, **sizes)


GRANITE = {
    **ROTARY,
    **ROUTED,
    "embedding_multiplier": "a constant",
    "logits_scaling": "a constant",
    "residual_multiplier": "a constant",
    "attention_multiplier": "a constant",
}
GRANITE_NAMES = {
    **DECODER_NAMES,
    **expert_names("layers.{i}.block_sparse_moe", router="router", h="h"),
    ("layers.mlp.shared.gate.weight", "layers.mlp.shared.up.weight"): "layers.{i}.shared_mlp.input_linear.weight",
    "layers.mlp.shared.down": "layers.{i}.shared_mlp.output_linear",
}
FOLLOWS = {"kv": "heads", "k": "d/heads"}

ARCHITECTURES = (Architecture(
    "mixtral",
    classes=decoder_heads("Mixtral", decoder(block)),
    sizes="window",
    follows=FOLLOWS,
    keys=_keys(V=32000, d=4096, h=14336, L=32, heads=32, kv=8, E=8),
    reads={"sliding_window": None},
    settle=one_window,
    aliases={"num_experts": "num_local_experts"},
    ignored={
        **ROTARY,
        **ROUTED,
        "use_flash_attention": "another kernel for the same products",
    },
    only={**UNBIASED, "moe_frequency": ((1,), "experts in every layer")},
    stored={**DECODER_NAMES, **expert_names(h="h")},
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "mixtral-8x7b": _mixtral(46_702_792_704, V=32000, d=4096, h=14336, L=32, heads=32),
        "mixtral-8x22b": _mixtral(140_620_634_112, V=32000, d=6144, h=16384, L=56, heads=48),
        "mixtral-8x22b-v0.3": _mixtral(140_630_071_296, V=32768, d=6144, h=16384, L=56, heads=48),
    },
), Architecture(
    "granitemoe",
    classes=decoder_heads("GraniteMoe", decoder(granite_block), "ForCausalLM"),
    follows=FOLLOWS,
    keys=_granite_keys(),
    ignored=GRANITE,
    stored=GRANITE_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "granite-3.0-1b-a400m-instruct": _granite(1_334_628_352, d=1024, L=24, heads=16, E=32),
        "granite-3.0-3b-a800m-instruct": _granite(3_298_793_472, d=1536, L=32, heads=24, E=40),
    },
), Architecture(
    "granitemoeshared",
    classes=decoder_heads("GraniteMoeShared", decoder(shared_block), "ForCausalLM"),
    follows=FOLLOWS,
    flags={"shared": False},
    sizes="h_s",
    keys=_granite_keys(),
    reads={"shared_intermediate_size": 0},
    settle=shared_width,
    ignored=GRANITE,
    stored=GRANITE_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
), Architecture(
    "granitemoe_swa",
    classes=decoder_heads("GraniteMoeSWA", decoder(sink_block), "ForCausalLM"),
    follows=FOLLOWS,
    flags={"shared": False},
    sizes="h_s",
    keys=_granite_keys(),
    reads={"shared_intermediate_size": 0},
    settle=shared_width,
    ignored={
        **GRANITE,
        "sliding_window": MASKED,
        "layer_types": MASKED,
        "layer_rope_theta": "rotation has no weights and is elementwise",
    },
    hides={"layer_types": ()},
    stored={**GRANITE_NAMES, "layers.attention.sinks": "layers.{i}.self_attn.sinks"},
    stored_heads=HEAD_NAMES,
    base="model",
), Architecture(
    "phimoe",
    classes={**decoder_heads("Phimoe", phi_body, "ForSequenceClassification"), "PhimoeForCausalLM": phi_causal_lm},
    sizes="window",
    follows=FOLLOWS,
    keys={
        **_keys(V=32064, d=4096, h=6400, L=32, heads=32, kv=8, E=16),
        "attention_bias": ("attention_bias", False),
        "lm_head_bias": ("head_bias", False),
    },
    reads={"sliding_window": None},
    settle=one_window,
    ignored={
        **ROTARY,
        **ROUTED,
        "input_jitter_noise": "noise while training",
        "original_max_position_embeddings": "rotary positions have no table",
    },
    stored={**DECODER_NAMES, **expert_names(router="router", h="h")},
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "phi-3.5-moe": measured("PhimoeForCausalLM", 41_873_153_344, V=32064, d=4096, h=6400, L=32, heads=32, kv=8,
                                k=128, E=16, K=2, window=131072, attention_bias=True, head_bias=True),
    },
))
