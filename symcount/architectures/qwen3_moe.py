"""Qwen3-MoE, the text models of Qwen3-VL-MoE and Qwen3-Omni, and Mellum: norms of queries and keys, small experts.

Only the talker of Qwen3-Omni has a shared one, which a score of its own weighs.

Source: Yang et al. 2025, "Qwen3 technical report", section 2 and table 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, UNBIASED_MLP, decoder_keys, expert_names
from symcount.hub.settling import dense_layers, listed_dense, one_window, some_dense
from symcount.layers import attention, decoder, decoder_heads, gated, norm, per_head, residual
from symcount.layers.experts import mixture, sparse_decoder, with_shared
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def attend(x: Tensor, z: Any) -> Tensor:
    """x + attention of its norm: 2dk·heads + 2dk·kv + 2k + d parameters."""
    y = norm(x, "attention_norm", shift=False)
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                              position="rotary", normed=per_head, mask=Mask(causal=True, window=z.window)))


def dense(x: Tensor, z: Any) -> Tensor:
    """With one MLP: 3dh + d parameters more."""
    x = attend(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


def sparse(x: Tensor, z: Any) -> Tensor:
    """With experts: 3Ed·h_e + dE + d parameters more, of which a token meets K/E of the first."""
    x = attend(x, z)
    return residual(x, within("mlp", mixture, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e))


def talker(x: Tensor, z: Any) -> Tensor:
    """With a shared expert beside them: 3d·h_s + d parameters more."""
    x = attend(x, z)
    return residual(x, within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e, h_s=z.h_s,
                              scored=True))


body = sparse_decoder(dense, sparse)


def listed_layers(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are dense, of a list with one kind a layer; none where it is absent."""
    return some_dense(listed_dense(config).get("L_dense", 0))


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are dense, and the window of all of them where it is used."""
    used = config["use_sliding_window"]
    if not isinstance(used, bool):
        raise ConfigError(f"use_sliding_window = {used!r}: true or false is needed")
    return {**dense_layers(config), **(one_window(config) if used else {"window": None})}


def _keys(*, h_e: int, E: int, K: int, **sizes: Any) -> dict[str, tuple[str, Any]]:
    return {
        **decoder_keys(**sizes),
        "moe_intermediate_size": ("h_e", h_e),
        "num_experts": ("E", E),
        "num_experts_per_tok": ("K", K),
        "attention_bias": ("attention_bias", False),
    }


def _qwen(count: int, **sizes: Any) -> Published:
    return measured("Qwen3MoeForCausalLM", count, V=151936, k=128, K=8, window=None, **sizes)


SPARSE = {"decoder_sparse_step": 1, "mlp_only_layers": None}
FOLLOWS = {"kv": "heads", "k": "d/heads"}
NAMES = {**DECODER_NAMES, **expert_names()}
TALKER = _keys(V=3072, d=1024, h=2048, L=20, heads=16, kv=2, h_e=384, E=128, K=8)

ARCHITECTURES = (Architecture(
    "qwen3_moe",
    classes=decoder_heads("Qwen3Moe", body),
    follows=FOLLOWS,
    flags={"dense": False},
    sizes="L_dense window",
    keys=_keys(V=151936, d=2048, h=6144, L=24, heads=32, kv=4, h_e=768, E=128, K=8),
    reads={**SPARSE, "use_sliding_window": False, "sliding_window": 4096},
    settle=settle,
    aliases={"num_local_experts": "num_experts"},
    ignored={
        **ROTARY,
        **ROUTED,
        "max_window_layers": "read by nothing: all layers have the window, or none",
    },
    only={
        **UNBIASED_MLP,
        "qkv_bias": ((False,), "attention_bias is what this family reads"),
        "use_qk_norm": ((True,), "queries and keys always have norms here"),
        "shared_expert_intermediate_size": ((0,), "this family has no shared expert"),
    },
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "Qwen3MoeForQuestionAnswering": "transformer"},
    published={
        "qwen3-30b-a3b": _qwen(30_532_122_624, d=2048, h=6144, L=48, heads=32, kv=4, h_e=768, E=128),
        "qwen3-235b-a22b": _qwen(235_093_634_560, d=4096, h=12288, L=94, heads=64, kv=4, h_e=1536, E=128),
        "qwen3-coder-480b-a35b": _qwen(480_154_875_392, d=6144, h=8192, L=62, heads=96, kv=8, h_e=2560, E=160),
    },
), Architecture(
    "qwen3_vl_moe_text",
    classes=decoder_heads("Qwen3VLMoeText", body, ""),
    follows=FOLLOWS,
    flags={"dense": False},
    sizes="L_dense window",
    keys=_keys(V=151936, d=2048, h=5632, L=24, heads=16, kv=16, h_e=1408, E=60, K=4, tied=True),
    reads=SPARSE,
    settle=dense_layers,
    aliases={"num_local_experts": "num_experts"},
    ignored={**ROTARY, **ROUTED, "sliding_window": "read by nothing"},
    stored=NAMES,
), Architecture(
    "qwen3_omni_moe_text",
    classes=decoder_heads("Qwen3OmniMoeThinkerText", body, ""),
    follows=FOLLOWS,
    flags={"dense": False},
    sizes="L_dense window",
    keys=_keys(V=3584, d=2048, h=18944, L=28, heads=28, kv=4, h_e=768, E=128, K=8),
    reads=SPARSE,
    settle=dense_layers,
    ignored={
        **ROTARY,
        **ROUTED,
        **dict.fromkeys(("sliding_window", "use_sliding_window", "max_window_layers"), "read by nothing"),
        "use_qk_norm": "queries and keys always have norms here",
        "shared_expert_intermediate_size": "read by nothing: the thinker has no shared expert",
    },
    stored=NAMES,
    published={
        "qwen3-omni-30b-a3b-text": measured("Qwen3OmniMoeThinkerTextModel", 30_221_219_840, V=152064, d=2048, h=768,
                                            L=48, heads=32, kv=4, k=128, h_e=768, E=128, K=8),
    },
), Architecture(
    "qwen3_omni_moe_talker_text",
    classes={"Qwen3OmniMoeTalkerModel": lambda z: decoder(talker)(z)[0]},
    follows=FOLLOWS,
    sizes="window",
    keys={
        **{key: entry for key, entry in TALKER.items() if key != "intermediate_size"},
        "shared_expert_intermediate_size": ("h_s", None),
    },
    aliases={"num_local_experts": "num_experts"},
    ignored={
        **ROTARY,
        **ROUTED,
        **dict.fromkeys(("sliding_window", "use_sliding_window", "max_window_layers"), "read by nothing"),
        **dict.fromkeys(("intermediate_size", "decoder_sparse_step", "mlp_only_layers"),
                        "every layer of the talker gets experts in the end"),
    },
    stored={
        **NAMES,
        "embeddings": "codec_embedding",
        "layers.mlp.shared.router": "layers.{i}.mlp.shared_expert_gate",
        "layers.mlp.shared.gate": "layers.{i}.mlp.shared_expert.gate_proj",
        "layers.mlp.shared.up": "layers.{i}.mlp.shared_expert.up_proj",
        "layers.mlp.shared.down": "layers.{i}.mlp.shared_expert.down_proj",
    },
    published={
        "qwen3-omni-30b-a3b-talker": measured("Qwen3OmniMoeTalkerModel", 3_167_291_392, V=3072, d=1024, L=20, heads=16,
                                              kv=2, k=128, h_e=384, h_s=768, E=128, K=6),
    },
), Architecture(
    "mellum",
    classes=decoder_heads("Mellum", body, "ForCausalLM"),
    follows=FOLLOWS,
    flags={"dense": False},
    sizes="L_dense window",
    keys=_keys(V=98304, d=2304, h=7168, L=28, heads=32, kv=4, k=128, h_e=896, E=64, K=8),
    reads={"mlp_layer_types": None},
    settle=listed_layers,
    aliases={"num_local_experts": "num_experts", "num_mtp_layers": "num_nextn_predict_layers"},
    ignored={
        **ROTARY,
        **ROUTED,
        "sliding_window": MASKED,
        "layer_types": MASKED,
        "num_nextn_predict_layers": "layers that predict further words are stored beside the model",
        "mtp_layer_types": "of layers that are stored beside the model",
        "mtp_mlp_layer_types": "of layers that are stored beside the model",
    },
    hides={"layer_types": ()},
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
))
