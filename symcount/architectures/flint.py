"""Flint: sparse experts beside one that every token meets, sinks, and turned queries in layers with a window alone.

As transformers configures it; sinks: OpenAI 2025, "gpt-oss model card", section 2.3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, UNBIASED_MLP, decoder_keys, expert_names
from symcount.hub.settling import dense_layers, windows
from symcount.layers import attention, decoder_heads, embed, gated, norm, per_head, residual
from symcount.layers.experts import with_shared
from symcount.masks import Mask
from symcount.network import tensor, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attend(x: Tensor, z: Any, mask: Mask, position: str | None) -> Tensor:
    """x + attention of its norm: 2dk·heads + 2dk·kv + heads + 2k + d parameters."""
    y = norm(x, "attention_norm", shift=False)
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                              position=position, normed=per_head, sinks=True, mask=mask))


def dense(x: Tensor, z: Any) -> Tensor:
    """x + one MLP of its norm: 3dh + d parameters."""
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


def sparse(x: Tensor, z: Any) -> Tensor:
    """x + experts and a shared one: 3Ed·h_e + 3d·h_s + dE + d parameters, of which a token meets K/E of the first."""
    return residual(x, within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e, h_s=z.h_s,
                              scores="sigmoid"))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """Each layer is one step of attention and one of an MLP, or of experts; their order changes no count."""
    x, word = embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.V, d=z.d)
    local = Mask(causal=True, window=z.window)
    x = within("layers.local", attend, x, z=z, mask=local, position="rotary", runs=rest(z.L, z.L_global))
    x = within("layers.global", attend, x, z=z, mask=Mask(causal=True), position=None, runs=z.L_global)
    x = within("layers.dense", dense, x, z=z, runs=z.L_dense)
    x = within("layers.moe", sparse, x, z=z, runs=rest(z.L, z.L_dense))
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The layers without a window, the first two, each fourth and the last; those without experts, the first two."""
    L = config["num_hidden_layers"]
    told = config["mlp_only_layers"]
    found = dense_layers({**config, "mlp_only_layers": [0, 1] if told is None else told})
    full = len([i for i in range(L) if i < 2 or i % 4 == 1 or i == L - 1])
    return {**windows(config, full), "L_dense": found["L_dense"] or 0}


ARCHITECTURES = (Architecture(
    "flint",
    classes=decoder_heads("Flint", body, "ForCausalLM"),
    sizes="L_dense L_global window",
    keys={
        **decoder_keys(V=150144, d=2048, h=6144, L=49, heads=32, kv=4, k=128),
        "moe_intermediate_size": ("h_e", 512),
        "shared_expert_intermediate_size": ("h_s", 1024),
        "num_experts": ("E", 256),
        "num_experts_per_tok": ("K", 6),
        "attention_bias": ("attention_bias", False),
    },
    reads={"decoder_sparse_step": 1, "mlp_only_layers": None, "layer_types": None, "sliding_window": 513},
    settle=settle,
    ignored={**ROTARY, **ROUTED},
    only=UNBIASED_MLP,
    stored={
        **DECODER_NAMES,
        **expert_names(),
        "layers.attention.sinks": "layers.{i}.self_attn.sinks",
        "layers.mlp.shared.gate": "layers.{i}.mlp.shared_expert.gate_proj",
        "layers.mlp.shared.up": "layers.{i}.mlp.shared_expert.up_proj",
        "layers.mlp.shared.down": "layers.{i}.mlp.shared_expert.down_proj",
    },
    stored_heads=HEAD_NAMES,
    base="model",
),)
