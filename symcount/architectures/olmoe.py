"""OLMoE, FlexOlmo and MiniMax-M2: experts, and queries and keys normed over all heads at once.

Source: Muennighoff et al. 2024, "OLMoE", table 1 and section 4.2; Shi et al. 2025, "FlexOlmo", section 3; MiniMax 2025,
"MiniMax-M2".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, UNBIASED, decoder_keys, expert_names
from symcount.layers import attention, decoder, decoder_heads, norm, residual
from symcount.layers.experts import mixture
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def all_heads(x: Tensor, name: str) -> Tensor:
    """An RMSNorm over all heads at once: k·heads parameters for queries, k·kv for keys."""
    return norm(x, name, over=" ".join(axis for axis in x.axes if axis not in ("b", "s")), shift=False)


def attend(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + k·heads + k·kv parameters."""
    return attention(x, z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias, position="rotary", normed=all_heads,
                     mask=Mask(causal=True))


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + k·heads + k·kv + 3Edh + dE + 2d parameters, of which a token meets K/E of the experts'."""
    x = residual(x, within("attention", attend, norm(x, "attention_norm", shift=False), z=z))
    return residual(x, within("mlp", mixture, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h))


def flex_block(x: Tensor, z: Any) -> Tensor:
    """The same, normed after attention and experts instead of before."""
    x = residual(x, norm(within("attention", attend, x, z=z), "attention_norm", shift=False))
    return residual(x, norm(within("mlp", mixture, x, E=z.E, K=z.K, h=z.h), "mlp_norm", shift=False))


def minimax_block(x: Tensor, z: Any) -> Tensor:
    """The block of OLMoE; what balances the load of the experts is stored as a buffer and not counted."""
    x = residual(x, within("attention", attend, norm(x, "attention_norm", shift=False), z=z))
    return residual(x, within("mlp", mixture, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h,
                              corrected="buffer", scores="sigmoid"))


def _keys(*, E: int, K: int, **sizes: Any) -> dict[str, tuple[str, Any]]:
    return {
        **decoder_keys(**sizes),
        "num_experts": ("E", E),
        "num_experts_per_tok": ("K", K),
        "attention_bias": ("attention_bias", False),
    }


def _without_width(keys: dict[str, tuple[str, Any]]) -> dict[str, tuple[str, Any]]:
    """The norm of OLMoE's queries is d wide, so that its heads are d/heads wide and no key says otherwise."""
    return {key: entry for key, entry in keys.items() if key != "head_dim"}


def every_layer(config: dict[str, Any]) -> dict[str, Any]:
    """Nothing: every layer of MiniMax-M2 has ordinary attention, which its files write as 1, and those of -01 as 0."""
    if config["attn_type_list"] not in (None, [1] * config["num_hidden_layers"]):
        raise ConfigError("attn_type_list: a list with 1 for every layer is needed; other attention is not written")
    return {}


FOLLOWS = {"kv": "heads", "k": "d/heads"}
NAMES = {
    **DECODER_NAMES,
    **expert_names(h="h"),
    "layers.attention.query_norm.weight": ("layers.{i}.self_attn.q_norm.weight", "k*heads"),
    "layers.attention.key_norm.weight": ("layers.{i}.self_attn.k_norm.weight", "k*kv"),
}

ARCHITECTURES = (Architecture(
    "olmoe",
    classes=decoder_heads("Olmoe", decoder(block), "ForCausalLM"),
    follows=FOLLOWS,
    keys=_without_width(_keys(V=50304, d=2048, h=2048, L=16, heads=16, E=64, K=8)),
    aliases={"num_local_experts": "num_experts"},
    ignored={**ROTARY, **ROUTED, "clip_qkv": "a constant"},
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "olmoe-1b-7b": measured("OlmoeForCausalLM", 6_919_161_856, V=50304, d=2048, h=1024, L=16, heads=16, kv=16,
                                k=128, E=64, K=8),
    },
), Architecture(
    "flex_olmo",
    classes=decoder_heads("FlexOlmo", decoder(flex_block), "ForCausalLM"),
    follows=FOLLOWS,
    keys=_keys(V=100352, d=4096, h=11008, L=32, heads=32, E=7, K=5),
    aliases={"num_local_experts": "num_experts"},
    ignored={**ROTARY, **ROUTED},
    stored={
        **NAMES,
        "layers.attention_norm": "layers.{i}.post_attention_layernorm",
        "layers.mlp_norm": "layers.{i}.post_feedforward_layernorm",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "flexolmo-7x7b": measured("FlexOlmoForCausalLM", 33_270_665_216, V=100352, d=4096, h=11008, L=32, heads=32,
                                  kv=32, k=128, E=7, K=5),
    },
), Architecture(
    "minimax_m2",
    classes=decoder_heads("MiniMaxM2", decoder(minimax_block), "ForCausalLM"),
    follows=FOLLOWS,
    flags={"attention_bias": False},
    keys={
        **decoder_keys(V=200064, d=3072, h=1536, L=62, heads=48, kv=8, k=128),
        "num_local_experts": ("E", 256),
        "num_experts_per_tok": ("K", 8),
    },
    reads={"attn_type_list": None},
    settle=every_layer,
    aliases={"num_experts": "num_local_experts"},
    ignored={
        **ROTARY,
        **ROUTED,
        "rotary_dim": "rotation has no weights and is elementwise",
        **dict.fromkeys(("use_mtp", "num_mtp_modules", "mtp_transformer_layers"),
                        "transformers builds no layers that predict further tokens"),
    },
    only={
        **UNBIASED,
        "use_qk_norm": ((True,), "queries and keys always have norms here"),
        "qk_norm_type": (("per_layer",), "the norms are over all heads together"),
        "use_routing_bias": ((True,), "the scores always have one, a buffer"),
        "shared_intermediate_size": ((0,), "this family has no shared expert"),
    },
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "minimax-m2": measured("MiniMaxM2ForCausalLM", 228_689_748_992, V=200064, d=3072, h=1536, L=62, heads=48, kv=8,
                               k=128, E=256, K=8),
    },
))
