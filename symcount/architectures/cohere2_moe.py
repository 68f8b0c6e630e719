"""Command A with experts: one norm a layer, from which attention and experts start side by side.

Source: Cohere 2025, "Command A", section 2, for the block; the experts are those of its configuration.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import listed_dense, some_dense
from symcount.layers import attention, decoder_heads, gated, norm, residual
from symcount.layers.experts import mixture, sparse_decoder, with_shared
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attend(x: Tensor, y: Tensor, z: Any) -> Tensor:
    """x + attention of y: 2dk·heads + 2dk·kv parameters."""
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                              position="rotary", mask=Mask(causal=True)))


def dense(x: Tensor, z: Any) -> Tensor:
    """With one MLP: 3dh + d parameters more."""
    y = norm(x, "norm", shift=False, kind="layer_norm")
    return residual(attend(x, y, z), within("mlp", gated, y, h=z.h))


def sparse(x: Tensor, z: Any) -> Tensor:
    """With experts: 3Ed·h_e + dE + d parameters more, and 3d·E_s·h_e for shared ones."""
    y = norm(x, "norm", shift=False, kind="layer_norm")
    feed = (within("mlp", with_shared, y, E=z.E, K=z.K, h=z.h_e, h_s=z.E_s * z.h_e, scores=z.scores) if z.shared
            else within("mlp", mixture, y, E=z.E, K=z.K, h=z.h_e, scores=z.scores))
    return residual(attend(x, y, z), feed)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are dense: as listed, or else the first ones; and how many experts are shared."""
    for key in ("first_k_dense_replace", "num_shared_experts"):
        if isinstance(config[key], bool) or not isinstance(config[key], int):
            raise ConfigError(f"{key} = {config[key]!r}: a whole number is needed")
    first = min(max(config["first_k_dense_replace"], 0), config["num_hidden_layers"])
    found = listed_dense(config)
    E_s = max(config["num_shared_experts"], 0)
    scores = config["expert_selection_fn"]
    if scores not in ("softmax", "sigmoid"):
        raise ConfigError(f"expert_selection_fn = {scores!r}: softmax or sigmoid is needed")
    return {**some_dense(found.get("L_dense", first)), "shared": E_s > 0, "E_s": E_s or None, "scores": scores}


ARCHITECTURES = (Architecture(
    "cohere2_moe",
    classes=decoder_heads("Cohere2Moe", sparse_decoder(dense, sparse, kind="layer_norm"), "ForCausalLM"),
    follows={"kv": "heads", "k": "d/heads", "h": "h_e"},
    flags={"dense": False, "shared": False, "scores": "softmax"},
    sizes="L_dense E_s",
    keys={
        **decoder_keys(V=256000, d=8192, h=22528, L=40, heads=64, k=128, tied=True),
        "intermediate_size": ("h_e", 22528),
        "prefix_dense_intermediate_size": ("h", None),
        "num_experts": ("E", 8),
        "num_experts_per_tok": ("K", 2),
        "attention_bias": ("attention_bias", False),
    },
    reads={"mlp_layer_types": None, "first_k_dense_replace": 0, "num_shared_experts": 0,
           "expert_selection_fn": "softmax"},
    settle=settle,
    ignored={
        **ROTARY,
        **ROUTED,
        "logit_scale": "a constant",
        "shared_expert_combination_strategy": "a constant",
        "layer_types": MASKED,
        "sliding_window": MASKED,
        "sliding_window_pattern": MASKED,
        "prefix_dense_sliding_window_pattern": MASKED,
    },
    hides={"layer_types": ()},
    stored={**DECODER_NAMES, **expert_names(), "layers.norm": "layers.{i}.input_layernorm"},
    stored_heads=HEAD_NAMES,
    base="model",
),)
