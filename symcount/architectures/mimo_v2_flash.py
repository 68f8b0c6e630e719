"""MiMo-V2-Flash: values narrower than keys; layers with a window have sinks and twice as many keys; experts.

Source: Xiaomi LLM-Core 2026, "MiMo-V2-Flash", section 2; the configuration and the implementation in transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import layer_kinds, listed_dense, number, some_dense
from symcount.layers import attention, decoder_heads, gated, norm, words
from symcount.layers.experts import mixture
from symcount.layers.hybrid import alternating
from symcount.masks import Mask
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table.

    Parameters of attention: d(k + v)(heads + kv), with a window d(k + v)(heads + 2kv) + heads.
    """
    def attends(kv: Any, window: Any) -> dict[str, Any]:
        bias = "query key value" if z.attention_bias else False
        return {"part": attention, "z": z, "kv": kv, "k": z.k, "v": z.v, "t": z.t, "bias": bias,
                "position": "partial_rotary", "sinks": window is not None, "mask": Mask(causal=True, window=window)}

    x, word = words(z)
    x = alternating(x, z, local=attends(2 * z.kv, z.window), full=attends(z.kv, None), dense={"part": gated, "h": z.h},
                    sparse={"part": mixture, "E": z.E, "K": z.K, "h": z.h_e, "corrected": "buffer",
                            "scores": "sigmoid"})
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have no window, and how wide it is; how many are dense; a release's other keys must agree."""
    L, kinds = config["num_hidden_layers"], config["layer_types"]
    found = layer_kinds(config, {"full_attention": "L_global", "sliding_attention": None})
    full = [i == 0 or (i + 1) % 6 == 0 if kinds is None else kinds[i] == "full_attention" for i in range(L)]
    dense = listed_dense(config) or {"L_dense": min(1, L)}
    sparse = [i > 0 for i in range(L)] if config["mlp_layer_types"] is None else [
        kind == "sparse" for kind in config["mlp_layer_types"]]
    heads, kv = config["num_attention_heads"], config["num_key_value_heads"]
    taken = {"swa_num_attention_heads": heads, "swa_num_key_value_heads": 2 * kv, "swa_head_dim": config["head_dim"],
             "swa_v_head_dim": config["v_head_dim"], "hybrid_layer_pattern": [int(not one) for one in full],
             "moe_layer_freq": [int(one) for one in sparse]}
    for key, value in taken.items():
        if config[key] is not None and config[key] != value:
            raise ConfigError(f"{key}: the implementation does not read it, and takes {value!r}")
    wide = config["sliding_window_size"]
    window = number(config, "sliding_window") if wide is None else number(config, "sliding_window_size", 0) + 1
    return {"L_global": found.get("L_global", sum(full)), "window": window, **some_dense(dense["L_dense"])}


ARCHITECTURES = (Architecture(
    "mimo_v2_flash",
    classes=decoder_heads("MiMoV2Flash", body, "ForCausalLM"),
    sizes="window L_global L_dense",
    flags={"dense": True},
    keys={
        **decoder_keys(V=152576, d=4096, h=16384, L=48, heads=64, kv=4, k=192),
        "v_head_dim": ("v", 128),
        "moe_intermediate_size": ("h_e", 2048),
        "n_routed_experts": ("E", 256),
        "num_experts_per_tok": ("K", 8),
        "attention_bias": ("attention_bias", False),
    },
    reads={
        "layer_types": None,
        "mlp_layer_types": None,
        "sliding_window": 129,
        "sliding_window_size": None,
        **dict.fromkeys(("swa_num_attention_heads", "swa_num_key_value_heads", "swa_head_dim", "swa_v_head_dim",
                         "hybrid_layer_pattern", "moe_layer_freq")),
    },
    settle=settle,
    aliases={"num_local_experts": "n_routed_experts"},
    ignored={
        **ROTARY,
        **ROUTED,
        "attention_value_scale": "a constant",
        "layernorm_epsilon": "a constant",
        "swa_rope_theta": "rotation has no weights and is elementwise",
    },
    only={
        "add_swa_attention_sink_bias": ((True,), "layers with a window have sinks"),
        "add_full_attention_sink_bias": ((False,), "layers without a window have none"),
        "n_shared_experts": ((None, 0), "this family has no shared experts"),
    },
    stored={**DECODER_NAMES, **expert_names(), "layers.attention.sinks": "layers.{i}.self_attn.sinks"},
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "mimo-v2-flash": measured("MiMoV2FlashForCausalLM", 308_778_768_832, V=152576, d=4096, h=16384, h_e=2048, L=48,
                                  L_global=9, L_dense=1, heads=64, kv=4, k=192, v=128, window=129, E=256, K=8),
    },
),)
