"""Bamba, Granite 4 and Falcon-H1: Mamba-2 mixers, attention in a few layers or beside each, an MLP or experts in all.

Source: IBM, Princeton, CMU and UIUC 2024, "Bamba: inference-efficient hybrid Mamba2 model", table of the architecture;
Zuo et al. 2025, "Falcon-H1", section 2; IBM 2025, "Granite 4.0 language models", of the models' cards.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, TIME_STEP, decoder_keys, mamba2_names
from symcount.hub.settling import layer_kinds, listed, number
from symcount.layers import attention, decoder, decoder_heads, gated, norm, residual, words
from symcount.layers.experts import mixture
from symcount.layers.hybrid import steps
from symcount.layers.state_space import mamba2
from symcount.masks import Mask
from symcount.network import pointwise, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def mixers(z: Any) -> tuple[Tensor, Tensor]:
    """Hidden states after the mixers, and the word table."""
    x, word = words(z)
    x = steps("layers.mixer", mixer, x, z=z, bias=z.bias, runs=rest(z.L, z.L_attn))
    x = steps("layers.attention", rotary, x, z=z, runs=z.L_attn)
    return x, word


def mixer(x: Tensor, z: Any, **how: bool) -> Tensor:
    """Mamba-2."""
    return mamba2(x, inner=z.inner, heads=z.ssm_heads, groups=z.groups, state=z.state, w=z.w, chunk=z.chunk,
                  conv_bias=z.conv_bias, **how)


def rotary(x: Tensor, z: Any) -> Tensor:
    """Causal attention that turns queries and keys."""
    return attention(x, z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias, position="rotary", mask=Mask(causal=True))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = mixers(z)
    return norm(steps("layers.mlp", gated, x, h=z.h, bias=z.mlp_bias, runs=z.L), "norm", shift=False), word


def granite_body(z: Any) -> tuple[Tensor, Tensor]:
    """The same with experts beside an MLP that all tokens share."""
    x, word = mixers(z)
    return norm(steps("layers.mlp", experts, x, z=z, runs=z.L), "norm", shift=False), word


def experts(x: Tensor, z: Any) -> Tensor:
    """3Edh + dE + 3d·h_s parameters, 3d·h_s without experts."""
    shared = within("shared", gated, x, h=z.h_s)
    return pointwise(mixture(x, E=z.E, K=z.K, h=z.h), shared, kind="add", name="sum") if z.experts else shared


def parallel_block(x: Tensor, z: Any) -> Tensor:
    """Falcon-H1: a mixer and attention side by side, then an MLP."""
    y = norm(x, "mixer_norm", shift=False)
    mixed = within("mixer", mixer, y, z=z, bias=z.bias, normed=z.normed, output_bias=z.output_bias)
    x = residual(x, pointwise(mixed, within("attention", rotary, y, z=z), kind="add", name="sum"))
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, bias=z.mlp_bias))


def inner_width(config: dict[str, Any]) -> int:
    """The inner width of a mixer, which is that of all heads."""
    d, expand, heads = (number(config, key) for key in ("hidden_size", "mamba_expand", "mamba_n_heads"))
    inner = expand * d if config.get("mamba_d_ssm") is None else number(config, "mamba_d_ssm")
    if config["mamba_d_head"] != "auto" and (found := number(config, "mamba_d_head") * heads) != inner:
        raise ConfigError(f"mamba_n_heads · mamba_d_head = {found:,} is not the inner width {inner:,}")
    return inner


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have attention, and the inner width."""
    inner, L = inner_width(config), number(config, "num_hidden_layers")
    return {"L_attn": 0 if config["attn_layer_indices"] is None else listed(config, "attn_layer_indices", L),
            "inner": None if inner == 2 * number(config, "hidden_size") else inner}


def settle_granite(config: dict[str, Any]) -> dict[str, Any]:
    """The same, and whether there are experts."""
    inner, E = inner_width(config), config["num_local_experts"]
    kinds = {"full_attention": "L_attn", "attention": "L_attn", "linear_attention": None, "mamba": None}
    found: dict[str, Any] = layer_kinds(config, kinds) or {"L_attn": 0}
    found["inner"] = None if inner == 2 * number(config, "hidden_size") else inner
    if E == 0 and not isinstance(E, bool):
        return {**found, "experts": False, "E": 1, "K": 1}
    return {**found, "experts": True, "E": number(config, "num_local_experts")}


_KEYS = {
    "mamba_n_heads": ("ssm_heads", 128),
    "mamba_n_groups": ("groups", 1),
    "mamba_d_state": ("state", 256),
    "mamba_d_conv": ("w", 4),
    "mamba_chunk_size": ("chunk", 256),
    "mamba_conv_bias": ("conv_bias", True),
    "mamba_proj_bias": ("bias", False),
    "attention_bias": ("attention_bias", False),
}
_READS = {"mamba_expand": 2, "mamba_d_head": "auto"}
_FOLLOWS = {"kv": "heads", "k": "d/heads", "inner": "2d"}
_IGNORED = {
    **ROTARY,
    **TIME_STEP,
    "attn_rotary_emb": "rotation has no weights and is elementwise",
    "num_logits_to_keep": "logits are counted at every position",
    "z_loss_coefficient": "weighs a loss",
}
_STORED = {
    **DECODER_NAMES,
    **mamba2_names("mamba"),
    "layers.mixer.norm": "layers.{i}.input_layernorm",
    "layers.attention.norm": "layers.{i}.input_layernorm",
    "layers.mlp.norm": "layers.{i}.pre_ff_layernorm",
    "layers.mlp.gate": "layers.{i}.feed_forward.gate_proj",
    "layers.mlp.up": "layers.{i}.feed_forward.up_proj",
    "layers.mlp.down": "layers.{i}.feed_forward.down_proj",
    "norm": "final_layernorm",
}


def _granite(count: int, **sizes: Any) -> Published:
    return measured("GraniteMoeHybridForCausalLM", count, V=100352, L=40, L_attn=4, groups=1, state=128, w=4, chunk=256,
                    tied=True, **sizes)


ARCHITECTURES = (
    Architecture(
        "bamba",
        classes=decoder_heads("Bamba", body, "ForCausalLM"),
        sizes="L_attn inner",
        follows=_FOLLOWS,
        keys={
            **decoder_keys(V=128000, d=4096, h=14336, L=32, heads=32, kv=8),
            **_KEYS,
            "mlp_bias": ("mlp_bias", False),
        },
        reads={**_READS, "attn_layer_indices": None},
        settle=settle,
        ignored=_IGNORED,
        stored=_STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "bamba-9b": measured("BambaForCausalLM", 9_780_235_392, V=128256, d=4096, h=14336, L=32, heads=32, kv=8,
                                 k=128, L_attn=3, inner=8192, ssm_heads=128, groups=1, state=128, w=4, chunk=256),
        },
    ),
    Architecture(
        "granitemoehybrid",
        classes=decoder_heads("GraniteMoeHybrid", granite_body, "ForCausalLM"),
        sizes="L_attn inner E",
        follows=_FOLLOWS,
        flags={"experts": True},
        keys={
            **decoder_keys(V=32000, d=4096, h=11008, L=32, heads=32),
            **_KEYS,
            "shared_intermediate_size": ("h_s", 1024),
            "num_experts_per_tok": ("K", 2),
        },
        reads={**_READS, "layer_types": None, "num_local_experts": 8},
        settle=settle_granite,
        aliases={"layers_block_type": "layer_types"},
        ignored={
            **_IGNORED,
            "position_embedding_type": "rotation has no weights and is elementwise",
            "embedding_multiplier": "a constant",
            "logits_scaling": "a constant",
            "residual_multiplier": "a constant",
            "attention_multiplier": "a constant",
            "output_router_logits": "chooses what is returned",
            "router_aux_loss_coef": "weighs a loss",
        },
        stored={
            **_STORED,
            "layers.mlp.norm": "layers.{i}.post_attention_layernorm",
            ("layers.mlp.shared.gate", "layers.mlp.shared.up"): "layers.{i}.shared_mlp.input_linear",
            "layers.mlp.shared.down": "layers.{i}.shared_mlp.output_linear",
            "layers.mlp.router": "layers.{i}.block_sparse_moe.router",
            ("layers.mlp.experts.gate.weight", "layers.mlp.experts.up.weight"):
                ("layers.{i}.block_sparse_moe.experts.gate_up_proj", "E 2h d"),
            "layers.mlp.experts.down.weight": ("layers.{i}.block_sparse_moe.experts.down_proj", "E d h"),
            "norm": "norm",
        },
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "granite-4.0-h-micro": _granite(3_191_396_096, d=2048, heads=32, kv=8, k=64, h_s=8192, inner=4096,
                                            ssm_heads=64, experts=False),
            "granite-4.0-h-tiny": _granite(6_939_037_248, d=1536, heads=12, kv=4, k=128, h=512, h_s=1024, E=64, K=6,
                                           inner=3072, ssm_heads=48),
            "granite-4.0-h-small": _granite(32_207_337_984, d=4096, heads=32, kv=8, k=128, h=768, h_s=1536, E=72, K=10,
                                            inner=8192, ssm_heads=128),
        },
    ),
    Architecture(
        "falcon_h1",
        classes=decoder_heads("FalconH1", decoder(parallel_block), "ForCausalLM"),
        sizes="inner",
        follows=_FOLLOWS,
        keys={
            **decoder_keys(V=128000, d=4096, h=14336, L=32, heads=32, kv=8),
            **_KEYS,
            "mlp_bias": ("mlp_bias", False),
            "projectors_bias": ("output_bias", False),
            "mamba_rms_norm": ("normed", False),
        },
        reads={**_READS, "mamba_d_ssm": 1024},
        settle=lambda config: {"inner": inner_width(config)},
        ignored={
            **_IGNORED,
            **dict.fromkeys(("lm_head_multiplier", "embedding_multiplier", "mlp_multipliers", "key_multiplier",
                             "attention_out_multiplier", "attention_in_multiplier", "ssm_multipliers",
                             "ssm_in_multiplier", "ssm_out_multiplier"), "a constant"),
            "mamba_norm_before_gate": "the order of a norm and a product",
            "mamba_use_mlp": "read by nothing: the MLP is always there",
            "mlp_expansion_factor": "read by nothing",
        },
        stored={
            **_STORED,
            "layers.mixer_norm": "layers.{i}.input_layernorm",
            "layers.mlp_norm": "layers.{i}.pre_ff_layernorm",
        },
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "falcon-h1-0.5b": measured("FalconH1ForCausalLM", 521_411_104, V=32784, d=1024, h=2048, L=36, heads=8, kv=2,
                                       k=64, inner=1536, ssm_heads=24, groups=1, state=128, w=4, chunk=128),
        },
    ),
)
