"""Kolibri 1: experts beside one that every token meets in every layer, norms on each side of a part, most layers local.

As transformers configures it; experts that are weighed by their own sigmoid: DeepSeek-AI 2024, "DeepSeek-V3", section
2.1.2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, UNBIASED, decoder_keys, expert_names
from symcount.hub.settling import global_every, number
from symcount.layers import attention, decoder_heads, embed, gated, linear, norm, per_head, residual
from symcount.layers.experts import gated_experts
from symcount.masks import Mask
from symcount.network import pointwise, tensor, top, weight, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def experts(x: Tensor, z: Any) -> Tensor:
    """3Ed·h_e + dE + 3d·h_s parameters: K experts, chosen by corrected scores, weighed by the sigmoid of theirs."""
    scores = linear(x, "router", bias=False, E=z.E)
    correction = weight("router.correction", kinds="bias", stored="buffer", E=z.E)
    chosen = top(pointwise(scores, correction, kind="bias", name="correction"), E=("e", z.K))
    y = within("experts", gated_experts, x, chosen, E=z.E, h=z.h_e)
    y = pointwise(y, pointwise(chosen, kind="sigmoid", name="routing"), kind="mix", name="weighted_sum", to="b s d")
    return pointwise(y, within("shared", gated, x, h=z.h_s), kind="add", name="shared_sum")


def block(x: Tensor, z: Any, mask: Mask, position: str | None) -> Tensor:
    """2dk·heads + 2dk·kv + 2k + 4d parameters, and those of the experts."""
    y = within("attention", attention, norm(x, "attention_norm", shift=False), z=z, kv=z.kv, k=z.k, t=z.t, bias=False,
               position=position, normed=per_head, mask=mask)
    x = residual(x, norm(y, "attention_out_norm", shift=False))
    return residual(x, norm(within("mlp", experts, norm(x, "mlp_norm", shift=False), z=z), "mlp_out_norm", shift=False))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """L_global layers attend to all tokens, and turn no queries and keys."""
    x, word = embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.V, d=z.d)
    local = Mask(causal=True, window=z.window)
    x = within("layers.local", block, x, z=z, mask=local, position="rotary", runs=rest(z.L, z.L_global))
    x = within("layers.global", block, x, z=z, mask=Mask(causal=True), position=None, runs=z.L_global)
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The layers without a window, each fifth; a window is told even where no layer has one."""
    number(config, "sliding_window")
    return global_every(5)(config)


ARCHITECTURES = (Architecture(
    "kolibri1",
    classes=decoder_heads("Kolibri1", body, "ForCausalLM"),
    sizes="L_global window",
    follows={"L_global": "floor(L/5)"},
    keys={
        **{key: told for key, told in decoder_keys(V=128000, d=2560, h=1, L=50, heads=48, kv=4, k=128).items()
           if key != "intermediate_size"},
        "moe_intermediate_size": ("h_e", 512),
        "shared_expert_intermediate_size": ("h_s", 512),
        "num_experts": ("E", 384),
        "num_experts_per_tok": ("K", 6),
    },
    reads={"layer_types": None, "sliding_window": 513},
    settle=settle,
    aliases={"num_local_experts": "num_experts"},
    ignored={**ROTARY, **ROUTED, "intermediate_size": "no layer is without experts"},
    only=UNBIASED,
    stored={
        **DECODER_NAMES,
        **expert_names(),
        "layers.attention_out_norm": "layers.{i}.post_self_attn_layernorm",
        "layers.mlp_out_norm": "layers.{i}.post_mlp_layernorm",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "kolibri-1": measured("Kolibri1ForCausalLM", 78_103_055_360, V=128000, d=2560, L=50, L_global=10, window=513,
                              heads=48, kv=4, k=128, h_e=512, h_s=512, E=384, K=6),
    },
),)
