"""Step 3.5 and 3.7, the text model: heads that a gate opens, more of them in layers with a window, experts.

Source: StepFun 2026, "Step 3.5 Flash"; the configuration and the implementation in transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import listed_dense, number, some_dense, windows
from symcount.layers import attention, decoder_heads, gated, norm, per_head, words
from symcount.layers.experts import with_shared
from symcount.layers.hybrid import alternating
from symcount.masks import Mask
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table.

    Parameters of attention: 2dk·heads + 2dk·kv + d·heads + 2k; of experts: 3Ed·h_e + 3d·h_s + dE.
    """
    def attends(heads: Any, mask: Mask) -> dict[str, Any]:
        return {"part": attention, "z": z, "heads": heads, "kv": z.kv, "k": z.k, "t": z.t, "bias": z.attention_bias,
                "position": "partial_rotary", "normed": per_head, "gate": "g q", "mask": mask}

    x, word = words(z)
    x = alternating(x, z, local=attends(z.heads_local, Mask(causal=True, window=z.window)),
                    full=attends(z.heads, Mask(causal=True)), dense={"part": gated, "h": z.h, "bias": z.mlp_bias},
                    sparse={"part": with_shared, "E": z.E, "K": z.K, "h": z.h_e, "h_s": z.h_s,
                            "shared_bias": z.mlp_bias, "corrected": "buffer", "scores": "sigmoid"})
    return norm(x, "norm", shift=False), word


def trimmed(config: Mapping[str, Any], key: str) -> Any:
    """A list with one kind a layer, without those of the layers that predict further tokens."""
    told, L, more = config[key], config["num_hidden_layers"], number(config, "num_nextn_predict_layers", least=0)
    return told[:L] if isinstance(told, list) and len(told) == L + more else told


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have a window and how many heads these have, and how many layers are dense."""
    L, enum = config["num_hidden_layers"], config["moe_layers_enum"]
    told = {**config, **{key: trimmed(config, key) for key in ("layer_types", "mlp_layer_types")}}
    found = listed_dense(told)
    if not found:
        listed = range(3, L) if enum is None else enum.split(",") if isinstance(enum, str) else enum
        if not isinstance(listed, (list, range)) or not all(str(i).strip().isdigit() or not str(i).strip()
                                                            for i in listed):
            raise ConfigError(f"moe_layers_enum = {enum!r}: the numbers of layers are needed")
        sparse = {int(i) for i in listed if str(i).strip()}
        found = {"L_dense": sum(i not in sparse for i in range(L))}
    return {**windows(told, L), **some_dense(found["L_dense"]), "heads_local": local_heads(told)}


def local_heads(config: Mapping[str, Any]) -> int:
    """How many heads layers with a window have: as per_layer_config says, or another key, or as many as the others."""
    heads, other, each = config["num_attention_heads"], config["attention_other_setting"], config["per_layer_config"]
    if each is None or each == {}:
        return int(heads)
    if each != ():
        kinds = config["layer_types"] or []
        local = {str(i) for i, kind in enumerate(kinds) if kind == "sliding_attention"}
        ones = list(each.values()) if isinstance(each, dict) else []
        if not ones or {str(int(i)) for i in each if str(i).isdigit()} != local or any(
                one != ones[0] or not isinstance(one, dict) or list(one) != ["num_attention_heads"] for one in ones):
            raise ConfigError("per_layer_config: supported is one num_attention_heads for all layers with "
                              "sliding_attention, and no others")
        return number(ones[0], "num_attention_heads")
    if config["num_sliding_attention_heads"] is not None:
        return number(config, "num_sliding_attention_heads")
    if other is not None and not isinstance(other, dict):
        raise ConfigError("attention_other_setting: a table is needed")
    same = {"num_attention_groups": config["num_key_value_heads"], "num_key_value_heads": config["num_key_value_heads"],
            "head_dim": config["head_dim"]}
    for key, value in same.items():
        if other and other.get(key, value) != value:
            raise ConfigError(f"attention_other_setting: {key} is read by nothing, and so must be {value}")
    return number({"num_attention_heads": heads, **(other or {})}, "num_attention_heads")


ARCHITECTURES = (Architecture(
    "step3p5",
    classes=decoder_heads("Step3p7Text", body, ""),
    sizes="window L_global L_dense heads_local",
    flags={"dense": True},
    acts={},
    keys={
        **decoder_keys(V=128815, d=4096, h=11264, L=45, heads=64, kv=8, k=128),
        "moe_intermediate_size": ("h_e", 1280),
        "share_expert_dim": ("h_s", 1280),
        "n_routed_experts": ("E", 288),
        "num_experts_per_tok": ("K", 8),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
    },
    reads={
        "layer_types": None,
        "mlp_layer_types": None,
        "moe_layers_enum": None,
        "sliding_window": None,
        "num_sliding_attention_heads": None,
        "attention_other_setting": None,
        "per_layer_config": (),
        "num_nextn_predict_layers": 0,
    },
    settle=settle,
    same={"num_local_experts": "n_routed_experts"},
    aliases={
        "num_attention_groups": "num_key_value_heads",
        "moe_num_experts": "n_routed_experts",
        "moe_top_k": "num_experts_per_tok",
        "share_expert_dims": "share_expert_dim",
        "num_mtp_layers": "num_nextn_predict_layers",
    },
    ignored={
        **ROTARY,
        **{key: why for key, why in ROUTED.items() if key != "num_nextn_predict_layers"},
        **dict.fromkeys(("swiglu_limits", "swiglu_limits_shared"), "bounds of what a gate lets through"),
        **dict.fromkeys(("mtp_layer_types", "mtp_mlp_layer_types"),
                        "transformers builds no layers that predict further tokens"),
        **dict.fromkeys(("query_pre_attn_scalar", "moe_router_scaling_factor"), "a constant"),
        "partial_rotary_factors": "rotation has no weights and is elementwise",
        "hidden_act": "the implementation takes silu whatever it says",
    },
    only={
        "gating": ((True, "per-head"), "the implementation runs with one gate a head alone"),
        "use_bidirectional_attention": ((False,), "attention to later tokens is not written for this family"),
        "use_head_wise_attn_gate": ((True,), "the implementation has no other form"),
        "use_moe_router_bias": ((True,), "the implementation has no other form"),
        "use_qk_norm": ((True,), "the implementation has no other form"),
    },
    stored={
        **DECODER_NAMES,
        **expert_names(),
        "layers.attention.gate": "layers.{i}.self_attn.g_proj",
    },
    published={
        "step-3.5-flash": measured("Step3p7TextModel", 196_428_160_256, V=128896, d=4096, h=11264, L=45, L_global=12,
                                   L_dense=3, heads=64, heads_local=96, kv=8, k=128, window=512, E=288, K=8, h_e=1280,
                                   h_s=1280),
    },
),)
