"""Hunyuan-MoE: experts beside a shared one of the same width, and norms of queries and keys after the rotation.

Source: Tencent Hunyuan Team 2025, "Hunyuan-A13B technical report", section 2 and table 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.layers import attention, decoder, decoder_heads, norm, per_head, residual
from symcount.layers.experts import with_shared
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3Edh + 3dh + dE + 2d + 2k parameters, of which a token meets K/E of the routed experts'."""
    y = norm(x, "attention_norm", shift=False)
    x = residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                           position="rotary", normed=per_head, mask=Mask(causal=True)))
    return residual(x, within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h,
                              h_s=z.h))


def one_choice(config: dict[str, Any]) -> dict[str, int]:
    """K, which may be a list with one number a layer: the same for all."""
    chosen = config["moe_topk"]
    K = chosen[0] if isinstance(chosen, list) and chosen else chosen
    if isinstance(K, bool) or not isinstance(K, int) or K < 1:
        raise ConfigError(f"moe_topk = {chosen!r}: a whole number of at least 1 is needed")
    if isinstance(chosen, list) and (len(chosen) < config["num_hidden_layers"] or any(one != K for one in chosen)):
        raise ConfigError("moe_topk: a number for each layer, all the same, is supported")
    return {"K": K}


ARCHITECTURES = (Architecture(
    "hunyuan_v1_moe",
    classes=decoder_heads("HunYuanMoEV1", decoder(block), "ForCausalLM ForSequenceClassification"),
    follows={"kv": "heads", "k": "d/heads"},
    sizes="K",
    keys={
        **decoder_keys(V=290943, d=4096, h=11008, L=32, heads=32),
        "num_experts": ("E", 1),
        "attention_bias": ("attention_bias", False),
    },
    reads={"moe_topk": 1},
    settle=one_choice,
    aliases={"num_local_experts": "num_experts", "num_experts_per_tok": "moe_topk"},
    ignored={**ROTARY, **ROUTED, "eod_token_id": "chooses how text is generated"},
    only={"num_shared_expert": ((1,), "there is one shared expert")},
    stored={
        **DECODER_NAMES,
        **expert_names(router="gate.wg", h="h"),
        "layers.attention.query_norm": "layers.{i}.self_attn.query_layernorm",
        "layers.attention.key_norm": "layers.{i}.self_attn.key_layernorm",
        "layers.mlp.shared.gate": "layers.{i}.mlp.shared_mlp.gate_proj",
        "layers.mlp.shared.up": "layers.{i}.mlp.shared_mlp.up_proj",
        "layers.mlp.shared.down": "layers.{i}.mlp.shared_mlp.down_proj",
    },
    stored_heads=HEAD_NAMES,
    base="model",
),)
