"""The text models of DeepSeek-OCR 2, Unlimited-OCR and Aria: the LLaMA block, with experts beside shared ones.

Source: DeepSeek-AI 2025, "DeepSeek-OCR", section 3.3; Li et al. 2024, "Aria", section 2.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import first_dense, listed_dense
from symcount.layers import attention, decoder, decoder_heads, gated, norm, residual
from symcount.layers.experts import dense_then_experts, with_shared
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def attend(x: Tensor, z: Any) -> Tensor:
    """x + attention of its norm: 2dk·heads + 2dk·kv + d parameters."""
    y = norm(x, "attention_norm", shift=False)
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                              position="rotary", mask=Mask(causal=True)))


def dense(x: Tensor, z: Any) -> Tensor:
    """With one MLP: 3dh + d parameters more."""
    x = attend(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, bias=z.mlp_bias))


def sparse(x: Tensor, z: Any) -> Tensor:
    """With experts: 3Ed·h_e + dE + 3d·E_s·h_e + d parameters more, of which a token meets K/E of the first."""
    x = attend(x, z)
    return residual(x, within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e,
                              h_s=z.E_s * z.h_e, shared_bias=z.mlp_bias))


def dense_of_list(config: Mapping[str, Any]) -> dict[str, Any]:
    """How many layers are dense, of a list with one kind a layer, which the class needs."""
    found = listed_dense(config)
    if not found:
        raise ConfigError("mlp_layer_types is needed: dense or sparse for each layer; the class has no default")
    return found


def listed_or_first(config: Mapping[str, Any]) -> dict[str, Any]:
    """The same, or else the first ones; an empty list of kinds is no list."""
    return listed_dense(config) or first_dense(config)


def _keys(*, h_e: int, E: int, E_s: int, K: int | None, **sizes: Any) -> dict[str, tuple[str, Any]]:
    keys = decoder_keys(**sizes)
    del keys["head_dim"]
    return {
        **keys,
        "moe_intermediate_size": ("h_e", h_e),
        "n_routed_experts": ("E", E),
        "n_shared_experts": ("E_s", E_s),
        "num_experts_per_tok": ("K", K),
        **BIASES,
    }


BIASES = {"attention_bias": ("attention_bias", False), "mlp_bias": ("mlp_bias", False)}
FOLLOWS = {"kv": "heads", "k": "d/heads"}
IGNORED = {**ROTARY, **ROUTED, "head_dim": "heads are d/heads wide in any case"}
body = dense_then_experts(dense, sparse)
NAMES = {**DECODER_NAMES, **expert_names()}

ARCHITECTURES = (Architecture(
    "deepseek_ocr2_text",
    classes=decoder_heads("DeepseekOcr2Text", body, ""),
    sizes="L_dense",
    follows=FOLLOWS,
    keys=_keys(V=102400, d=4096, h=11008, L=32, heads=32, h_e=1407, E=64, E_s=2, K=None),
    reads={"mlp_layer_types": None},
    settle=dense_of_list,
    aliases={"num_experts": "n_routed_experts"},
    ignored=IGNORED,
    stored=NAMES,
    published={
        "deepseek-ocr-2-text": measured("DeepseekOcr2TextModel", 2_769_255_680, V=129280, d=1280, h=6848, L=12,
                                        L_dense=1, heads=10, kv=10, k=128, h_e=896, E=64, E_s=2, K=6),
    },
), Architecture(
    "unlimited_ocr_text",
    classes=decoder_heads("UnlimitedOcrText", body, ""),
    sizes="L_dense",
    follows=FOLLOWS,
    keys=_keys(V=129280, d=1280, h=6848, L=12, heads=10, kv=10, h_e=896, E=64, E_s=2, K=6),
    reads={"mlp_layer_types": None, "first_k_dense_replace": 1},
    settle=listed_or_first,
    aliases={"num_experts": "n_routed_experts"},
    ignored={**IGNORED, "sliding_window": MASKED, "layer_types": MASKED},
    hides={"sliding_window": ()},
    stored=NAMES,
    published={
        "unlimited-ocr-text": measured("UnlimitedOcrTextModel", 2_769_255_680, V=129280, d=1280, h=6848, L=12,
                                       L_dense=1, heads=10, kv=10, k=128, h_e=896, E=64, E_s=2, K=6),
    },
), Architecture(
    "aria_text",
    classes=decoder_heads("AriaText", decoder(sparse), "ForCausalLM"),
    follows=FOLLOWS,
    acts={"hidden_act": ("", "mlp.shared")},
    keys={
        **decoder_keys(V=32000, d=4096, h=4096, L=32, heads=32),
        "intermediate_size": ("h_e", 4096),
        "moe_num_experts": ("E", 8),
        "moe_topk": ("K", 2),
        "moe_num_shared_experts": ("E_s", 2),
        **BIASES,
    },
    ignored={**ROTARY, **ROUTED},
    stored={
        **DECODER_NAMES,
        **expert_names(router="router"),
        ("layers.mlp.experts.gate.weight", "layers.mlp.experts.up.weight"):
            ("layers.{i}.mlp.experts.gate_up_proj", "E d 2h_e"),
        "layers.mlp.experts.down.weight": ("layers.{i}.mlp.experts.down_proj", "E h_e d"),
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "aria-text": measured("AriaTextForCausalLM", 24_869_091_840, V=100352, d=2560, L=28, heads=20, kv=20, k=128,
                              h_e=1664, E=64, K=6, E_s=2),
    },
))
