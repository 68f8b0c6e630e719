"""dots 3 note, the text model: gated latent attention, to chosen tokens or of other sizes to a window; experts.

Source: dots studio 2026, "dots3 note"; the configuration and the implementation in transformers.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED
from symcount.hub.decoders import (
    DECODER_NAMES,
    HEAD_NAMES,
    INDEXER_NAMES,
    LATENT_IGNORED,
    LATENT_NAMES,
    ROTARY,
    ROUTED,
    expert_names,
    latent_decoder_keys,
    latent_keys,
)
from symcount.hub.settling import layer_kinds, listed_dense, number, some_dense
from symcount.layers import decoder_heads, gated, norm, words
from symcount.layers.experts import with_shared
from symcount.layers.hybrid import alternating
from symcount.layers.latent import indexer, latent_attention
from symcount.layers.towers import Tower
from symcount.masks import Mask
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


LOCAL = {letter: f"{letter}_local" for letter in ("heads", "r_q", "r_kv", "nope", "rope", "v")}  # of a window


def attention(x: Tensor, z: Any, *, window: Any = None, indexed: bool = False) -> Tensor:
    """Latent attention of which a gate opens each head: d·heads + rope parameters more, and those of an indexer."""
    return latent_attention(x, z, t=z.t, form=z.mla, bias=z.attention_bias, mask=Mask(causal=True, window=window),
                            index=partial(indexer, z=z, t=z.t) if indexed else None, gate="g", turned_norm=True)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table; of experts 3Ed·h_e + dE + 3d·E_s·h_s parameters."""
    x, word = words(z)
    x = alternating(x, z, local={"part": attention, "z": Tower(z, LOCAL), "window": z.window},
                    full={"part": attention, "z": z, "indexed": z.indexed}, dense={"part": gated, "h": z.h},
                    sparse={"part": with_shared, "E": z.E, "K": z.K, "h": z.h_e, "h_s": z.E_s * z.h_s,
                            "corrected": "buffer", "scores": "sigmoid"})
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have a window, and its sizes; whether the others have an indexer; how many layers are dense."""
    L, dsa, windows, kinds = (config[key] for key in ("num_hidden_layers", "use_dsa", "use_sliding_window",
                                                      "layer_types"))
    if dsa not in (None, True, False) or not isinstance(windows, bool):
        raise ConfigError("use_dsa, use_sliding_window: true or false is needed")
    layer_kinds(config, dict.fromkeys(("full_attention", "indexed_attention", "sliding_attention")))
    full = [not windows or i < 2 or i % 4 == 1 if kinds is None else kinds[i] != "sliding_attention" for i in range(L)]
    named = {kind for kind in kinds or () if kind != "sliding_attention"}
    saved = dsa is None and config["per_layer_config"] != ()  # a configuration that transformers wrote means it so
    if saved and len(named) > 1:
        raise ConfigError("layer_types: layers with and without an indexer in one model are not written")
    indexed = named != {"full_attention"} if saved else dsa is not False
    wide = config["sliding_window"] if config["sliding_window"] is not None else config["sliding_window_size"]
    h_s = config["moe_shared_expert_intermediate_size"]
    return {"L_global": sum(full), "indexed": indexed, "window": number({"sliding_window": wide}, "sliding_window"),
            "h_s": number(config, "shared_experts_intermediate_size" if h_s is None
                          else "moe_shared_expert_intermediate_size"),
            **some_dense(dense(config)), **local_sizes(config, {i for i in range(L) if not full[i]})}


def dense(config: Mapping[str, Any]) -> int:
    """How many layers have one MLP: as a list says, or those before the first with experts, and between them."""
    L, every = config["num_hidden_layers"], config["moe_layer_freq"]
    found = listed_dense(config)
    first = number(config, "first_k_dense_replace", least=0)
    if not isinstance(every, list):
        number(config, "moe_layer_freq")
    elif len(every) < L:
        raise ConfigError(f"moe_layer_freq: a number, or one entry for each of the {L} layers, is needed")
    sparse = sum(i >= first and (bool(every[i]) if isinstance(every, list) else i % every == 0) for i in range(L))
    return found.get("L_dense", L - sparse)


def local_sizes(config: Mapping[str, Any], local: set[int]) -> dict[str, int]:
    """The sizes of layers with a window: of their own keys, or of per_layer_config, the same for all of them."""
    names = {"num_attention_heads": "heads_local", "q_lora_rank": "r_q_local", "kv_lora_rank": "r_kv_local",
             "qk_nope_head_dim": "nope_local", "v_head_dim": "v_local"}
    each = config["per_layer_config"]
    told = {name: config[f"swa_{name}"] for name in (*names, "head_dim", "qk_rope_head_dim")}
    if each != ():
        ones = list(each.values()) if isinstance(each, dict) else []
        if (bool(ones) != bool(local) or {int(i) for i in each or () if str(i).isdigit()} != local
                or any(one != ones[0] or not isinstance(one, dict) for one in ones)
                or any(not one.keys() <= {*told, "num_key_value_heads"} for one in ones)):
            raise ConfigError("per_layer_config: supported are the same sizes for all layers with sliding_attention, "
                              "and no others")
        told = {name: (ones or [{}])[0].get(name, config[name]) for name in told}
    if told["qk_rope_head_dim"] is None:
        told["qk_rope_head_dim"] = number(told, "head_dim") - number(told, "qk_nope_head_dim")
    found = {size: number(told, name) for name, size in names.items()}
    rope = number(told, "qk_rope_head_dim")
    if local and told["head_dim"] != rope + found["nope_local"]:
        raise ConfigError(f"swa_head_dim = {told['head_dim']!r}: it is not swa_qk_nope_head_dim + swa_qk_rope_head_dim")
    return {**found, "rope_local": rope}


ARCHITECTURES = (Architecture(
    "dots3_note_text",
    classes={
        **decoder_heads("Dots3NoteText", body, ""),
        "Dots3NoteForCausalLM": decoder_heads("Dots3Note", body)["Dots3NoteForCausalLM"],
    },
    sizes="window h_s L_global L_dense heads_local r_q_local r_kv_local nope_local rope_local v_local",
    flags={"query_rank": True, "dense": True, "indexed": True, "mla": "expanded"},
    keys={
        **latent_decoder_keys(V=152064, d=5120, h=13824, L=46, heads=128),
        **latent_keys(r_kv=512, nope=128, rope=64, v=128),
        "q_lora_rank": ("r_q", 1024),
        "moe_intermediate_size": ("h_e", 1536),
        "n_routed_experts": ("E", 256),
        "num_experts_per_tok": ("K", 8),
        "n_shared_experts": ("E_s", 1),
        "index_n_heads": ("heads_i", 64),
        "index_head_dim": ("k_i", 128),
        "attention_bias": ("attention_bias", False),
    },
    reads={
        "layer_types": None,
        "mlp_layer_types": None,
        "first_k_dense_replace": 1,
        "moe_layer_freq": 1,
        "use_dsa": None,
        "use_sliding_window": True,
        "sliding_window": None,
        "sliding_window_size": 512,
        "shared_experts_intermediate_size": 1536,
        "moe_shared_expert_intermediate_size": None,
        "per_layer_config": (),
        "head_dim": 256,
        "swa_num_attention_heads": 64,
        "swa_q_lora_rank": 1024,
        "swa_kv_lora_rank": 1024,
        "swa_head_dim": 256,
        "swa_qk_nope_head_dim": 192,
        "swa_qk_rope_head_dim": None,
        "swa_v_head_dim": 128,
    },
    settle=settle,
    aliases={"num_local_experts": "n_routed_experts"},
    ignored={
        **ROTARY,
        **{key: why for key, why in LATENT_IGNORED.items() if key != "head_dim"},
        **ROUTED,
        "swa_num_key_value_heads": LATENT_IGNORED["num_key_value_heads"],
        "swa_rope_theta": "rotation has no weights and is elementwise",
        "mlp_bias": "transformers builds no biases there",
        "index_topk": MASKED,
    },
    stored={
        **DECODER_NAMES,
        **LATENT_NAMES,
        **expert_names(),
        "layers.attention.turned_norm": "layers.{i}.self_attn.k_rope_only_layernorm",
        "layers.attention.gate": "layers.{i}.self_attn.g_proj",
        **INDEXER_NAMES,
    },
    stored_heads=HEAD_NAMES,
    base="model",
),)
