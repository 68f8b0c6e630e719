"""Nemotron-H: layers of one residual step each, a Mamba-2 mixer, attention without positions, an MLP or experts.

Source: NVIDIA 2025, "Nemotron-H", section 2.1; NVIDIA 2025, "Nemotron 3", of the experts.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, TIME_STEP, mamba2_names
from symcount.hub.settling import layer_kinds, number
from symcount.layers import activation, attention, decoder_heads, linear, mlp, norm, words
from symcount.layers.experts import expert
from symcount.layers.hybrid import steps
from symcount.layers.state_space import mamba2
from symcount.masks import Mask
from symcount.network import pointwise, top, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    x = steps("layers.mixer", mamba2, x, inner=z.inner, heads=z.ssm_heads, groups=z.groups, state=z.state, w=z.w,
              chunk=z.chunk, bias=z.bias, conv_bias=z.conv_bias, runs=z.L_ssm)
    x = steps("layers.attention", attention, x, z=z, kv=z.kv, k=z.k, t=z.t, bias=False, mask=Mask(causal=True),
              runs=z.L_attn)
    x = steps("layers.mlp", mlp, x, h=z.h, bias=z.mlp_bias, kind="relu2", runs=z.L_dense)
    x = steps("layers.moe", moe, x, z=z, runs=z.L_moe)
    return norm(x, "norm", shift=False), word


def moe(x: Tensor, z: Any) -> Tensor:
    """Experts of two matrices, perhaps of fewer numbers than x, beside an MLP that all tokens share.

    Parameters: dE + 2Ed·h_e + 2d·h_s, and a bias of the router's that is not trained; where experts see `latent`
    numbers, 2E·latent·h_e and 2d·latent.
    """
    scores = pointwise(linear(x, "router", bias=False, E=z.E), kind="sigmoid", name="routing")
    correction = weight("router.correction", kinds="bias", stored="buffer", E=z.E)
    chosen = top(pointwise(scores, correction, kind="bias", name="correction"), E=("e", z.K))
    y = linear(x, "narrow", bias=z.mlp_bias, latent=z.latent) if z.narrow else x
    y = within("experts", experts, y, chosen, z=z, axis="latent" if z.narrow else "d")
    y = linear(y, "widen", over="latent", bias=z.mlp_bias, d=z.d) if z.narrow else y
    return pointwise(y, within("shared", mlp, x, h=z.h_s, bias=z.mlp_bias, kind="relu2"), kind="add", name="sum")


def experts(x: Tensor, chosen: Tensor, z: Any, *, axis: str) -> Tensor:
    """The weighted sum of what each chosen expert makes of a token."""
    y = activation(expert(x, chosen, "up", E=z.E, over=axis, h=z.h_e), "relu2")
    y = expert(y, chosen, "down", over="h", E=z.E, **{axis: x.axes[axis]})
    return pointwise(y, chosen, kind="mix", name="weighted_sum", to=" ".join(x.axes))


_MARKS = {"M": "linear_attention", "E": "moe", "*": "full_attention", "-": "mlp"}
_KINDS = {"linear_attention": "L_ssm", "mamba": "L_ssm", "full_attention": "L_attn", "attention": "L_attn",
          "mlp": "L_dense", "moe": "L_moe"}
# Older keys, which decide where they are there
_OLD = {
    "mamba_n_groups": ("n_groups", "groups"),
    "mamba_d_conv": ("conv_kernel", "w"),
    "mamba_chunk_size": ("chunk_size", "chunk"),
}


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers there are of each kind, the inner width of a mixer, and whether experts see fewer numbers."""
    kinds, pattern = config["layers_block_type"], config["hybrid_override_pattern"]
    if kinds is None and pattern is None:
        kinds = list(_MARKS.values())
    if kinds is None:
        if not isinstance(pattern, str) or not set(pattern) <= set(_MARKS):
            raise ConfigError(f"hybrid_override_pattern = {pattern!r}: a text of {' '.join(_MARKS)} is needed")
        kinds = [_MARKS[mark] for mark in pattern]
    if not isinstance(kinds, list):
        raise ConfigError("layers_block_type: a list with one kind for each layer is needed")
    found: dict[str, Any] = layer_kinds({"layers_block_type": kinds, "layers": len(kinds)}, _KINDS,
                                        key="layers_block_type", layers="layers")
    found["inner"] = number(config, "mamba_num_heads") * number(config, "mamba_head_dim")
    found |= {size: number(config, key if config[old] is None else old) for old, (key, size) in _OLD.items()}
    conv = config["use_conv_bias" if config["mamba_conv_bias"] is None else "mamba_conv_bias"]
    if not isinstance(conv, bool):
        raise ConfigError(f"use_conv_bias = {conv!r}: true or false is needed")
    latent = config["moe_latent_size"]
    return {**found, "conv_bias": conv, "narrow": latent is not None,
            "latent": None if latent is None else number(config, "moe_latent_size")}


def _nemotron(count: int, **sizes: int) -> Published:
    return measured("NemotronHForCausalLM", count, V=131072, kv=8, k=128, w=4, groups=8, chunk=128, **sizes)


ARCHITECTURES = (Architecture(
    "nemotron_h",
    classes=decoder_heads("NemotronH", body, "ForCausalLM"),
    sizes="L_ssm L_attn L_dense L_moe inner groups w chunk latent",
    follows={"kv": "heads", "latent": "d"},
    flags={"conv_bias": True, "narrow": False, "tied": False},
    acts={"mamba_hidden_act": ("silu", "mixer"), "mlp_hidden_act": ("relu2", "layers.mlp layers.moe")},
    keys={
        "vocab_size": ("V", 131072),
        "hidden_size": ("d", 4096),
        "num_attention_heads": ("heads", 32),
        "num_key_value_heads": ("kv", 8),
        "head_dim": ("k", 128),
        "intermediate_size": ("h", 21504),
        "mlp_bias": ("mlp_bias", False),
        "mamba_num_heads": ("ssm_heads", 128),
        "ssm_state_size": ("state", 128),
        "use_bias": ("bias", False),
        "n_routed_experts": ("E", 8),
        "num_experts_per_tok": ("K", 2),
        "moe_intermediate_size": ("h_e", 7688),
        "moe_shared_expert_intermediate_size": ("h_s", 7688),
        "num_labels": ("C", 2),
    },
    reads={
        "layers_block_type": None,
        "hybrid_override_pattern": None,
        "mamba_head_dim": 64,
        "n_groups": 8,
        "mamba_n_groups": None,
        "conv_kernel": 4,
        "mamba_d_conv": None,
        "chunk_size": 128,
        "mamba_chunk_size": None,
        "use_conv_bias": True,
        "mamba_conv_bias": None,
        "moe_latent_size": None,
    },
    settle=settle,
    same={"attention_head_dim": "head_dim"},
    aliases={"layer_types": "layers_block_type", "num_local_experts": "n_routed_experts"},
    ignored={
        **TIME_STEP,
        **dict.fromkeys(("mamba_dt_min", "mamba_dt_max", "mamba_dt_limit", "mamba_dt_init_floor"),
                        "how weights start, not how many there are"),
        **dict.fromkeys(("num_nextn_predict_layers", "mtp_layers_block_type", "mtp_hybrid_override_pattern"),
                        "layers that predict further ahead are not built"),
        "num_hidden_layers": "the list of layers says how many",
        "tie_word_embeddings": "read by nothing: the words are never tied",
        "expand": "the inner width is that of all heads",
        "mamba_expand": "the inner width is that of all heads",
        "attention_bias": "read by nothing: there is none",
        "mamba_proj_bias": "read by nothing: use_bias decides",
        "time_step_rank": "read by nothing: each head has one step in time",
        "num_logits_to_keep": "logits are counted at every position",
        "max_position_embeddings": "there are no positions",
        "sliding_window": "which scores are masked; all are computed",
        "mamba_ssm_cache_dtype": "how numbers are stored; counts are of numbers",
        "output_router_logits": "chooses what is returned",
        "n_shared_experts": "their width is given as one",
        "moe_shared_expert_overlap": "the order of the same products",
        "routed_scaling_factor": "a constant",
        "n_group": "which experts may be chosen, not how many",
        "topk_group": "which experts may be chosen, not how many",
        "norm_topk_prob": "scales the weights of what was chosen",
    },
    stored={
        "embeddings": "embeddings",
        **mamba2_names("mixer"),
        **{f"layers.{kind}.norm": "layers.{i}.norm" for kind in ("mixer", "attention", "mlp", "moe")},
        **{path: name.replace("self_attn", "mixer") for path, name in DECODER_NAMES.items() if ".attention." in path},
        "layers.mlp.up": "layers.{i}.mixer.up_proj",
        "layers.mlp.down": "layers.{i}.mixer.down_proj",
        "layers.moe.router": "layers.{i}.mixer.gate",
        "layers.moe.narrow": "layers.{i}.mixer.fc1_latent_proj",
        "layers.moe.widen": "layers.{i}.mixer.fc2_latent_proj",
        "layers.moe.experts.up.weight": ("layers.{i}.mixer.experts.up_proj", "E h_e latent"),
        "layers.moe.experts.down.weight": ("layers.{i}.mixer.experts.down_proj", "E latent h_e"),
        "layers.moe.shared.up": "layers.{i}.mixer.shared_experts.up_proj",
        "layers.moe.shared.down": "layers.{i}.mixer.shared_experts.down_proj",
        "norm": "norm_f",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "nemotron-h-8b": _nemotron(8_100_852_736, d=4096, heads=32, h=21504, L_ssm=24, L_attn=4, L_dense=24, L_moe=0,
                                   inner=8192, ssm_heads=128, state=128, E=8, K=2, h_e=7688, h_s=7688),
    },
),)
