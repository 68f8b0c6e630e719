"""LongCat-Flash: two blocks of latent attention a layer, and a mixture of experts beside the second; some do nothing.

Source: Meituan LongCat Team 2025, "LongCat-Flash technical report", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub.decoders import (
    DECODER_NAMES,
    HEAD_NAMES,
    LATENT_IGNORED,
    LATENT_NAMES,
    ROTARY,
    ROUTED,
    expert_names,
    latent_keys,
)
from symcount.hub.settling import number
from symcount.layers import decoder, decoder_heads, gated, linear, norm, residual
from symcount.layers.experts import gated_experts
from symcount.layers.latent import latent_step
from symcount.network import idle, pointwise, top, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def half(x: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Latent attention, and 3dh + 2d parameters; what its feed-forward saw is given too."""
    x = latent_step(x, z)
    y = norm(x, "mlp_norm", shift=False)
    return residual(x, within("mlp", gated, y, h=z.h)), y


def block(x: Tensor, z: Any) -> Tensor:
    """Two halves, and experts that see what the first feed-forward saw: their sum joins at the end."""
    x, y = within("first", half, x, z=z)
    shortcut = within("mlp", mixture_with_zeros, y, z=z)
    x, _ = within("second", half, x, z=z)
    return residual(x, shortcut)


def mixture_with_zeros(x: Tensor, z: Any) -> Tensor:
    """E experts, and Z that give back what they get: d(E + Z) + 3Ed·h_e parameters, and 2Zd·h_e that never run.

    K is how many of the experts chosen for a token are of the first kind, which no configuration says.
    """
    scores = pointwise(linear(x, "router", bias=z.router_bias, E=z.E + z.Z), kind="softmax", name="routing")
    scores = pointwise(scores, weight("router.correction", kinds="bias", stored="buffer", E=z.E + z.Z), kind="bias",
                       name="correction")
    chosen = top(scores, E=("e", z.K))
    y = within("experts", experts, x, chosen, z=z)
    return pointwise(y, chosen, kind="mix", name="weighted_sum", to="b s d")


def experts(x: Tensor, chosen: Tensor, z: Any) -> Tensor:
    """Gated experts, and what transformers stores for those that do nothing."""
    x = idle(x, weight("idle.weight", E=z.Z, d=z.d, h=2 * z.h_e))
    return gated_experts(x, chosen, E=z.E, h=z.h_e)


def _settle(config: Mapping[str, Any]) -> dict[str, Any]:
    Z = 0 if config["zero_expert_num"] is None else number(config, "zero_expert_num", least=0)
    width = config["qk_nope_head_dim"] + config["qk_rope_head_dim"]
    if config["qk_head_dim"] not in (None, width):
        raise ConfigError(f"qk_head_dim = {config['qk_head_dim']!r}: the widths with and without rotation make {width}")
    return {"Z": Z, "K": None if Z else number(config, "moe_topk", least=0)}


ARCHITECTURES = (Architecture(
    "longcat_flash",
    classes=decoder_heads("LongcatFlash", decoder(block), "ForCausalLM"),
    sizes="Z K",
    flags={"query_rank": True, "mla": "expanded"},
    keys={
        "vocab_size": ("V", 131072),
        "hidden_size": ("d", 6144),
        "ffn_hidden_size": ("h", 12288),
        "expert_ffn_hidden_size": ("h_e", 2048),
        "num_layers": ("L", 28),
        "num_attention_heads": ("heads", 64),
        "q_lora_rank": ("r_q", 1536),
        **latent_keys(r_kv=512, nope=128, rope=64, v=128),
        "n_routed_experts": ("E", 512),
        "attention_bias": ("attention_bias", False),
        "router_bias": ("router_bias", False),
        "tie_word_embeddings": ("tied", False),
        "num_labels": ("C", 2),
    },
    reads={"moe_topk": 12, "zero_expert_num": 256, "qk_head_dim": None},
    settle=_settle,
    aliases={"num_local_experts": "n_routed_experts", "num_experts_per_tok": "moe_topk",
             "intermediate_size": "ffn_hidden_size", "moe_intermediate_size": "expert_ffn_hidden_size"},
    ignored={**ROTARY, **LATENT_IGNORED, **ROUTED},
    only={
        "zero_expert_type": (("identity",), "transformers builds experts that give back what they get"),
        "attention_method": (("MLA",), "transformers builds latent attention"),
    },
    stored={
        **DECODER_NAMES,
        **{ours: name.replace("self_attn.", "self_attn.{i}.") for ours, name in LATENT_NAMES.items()},
        **expert_names(),
        "layers.attention.output": "layers.{i}.self_attn.{i}.o_proj",
        "layers.attention_norm": "layers.{i}.input_layernorm.{i}",
        "layers.mlp_norm": "layers.{i}.post_attention_layernorm.{i}",
        "layers.mlp.gate": "layers.{i}.mlps.{i}.gate_proj",
        "layers.mlp.up": "layers.{i}.mlps.{i}.up_proj",
        "layers.mlp.down": "layers.{i}.mlps.{i}.down_proj",
        "layers.mlp.router": "layers.{i}.mlp.router.classifier",
        ("layers.mlp.experts.gate.weight", "layers.mlp.experts.up.weight", "layers.mlp.experts.idle.weight"):
            ("layers.{i}.mlp.experts.gate_up_proj", "E+Z 2h_e d"),
    },
    stored_heads=HEAD_NAMES,
    base="model",
),)
