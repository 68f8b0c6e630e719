"""Beam: experts after the first layers, norms on each side of a part, a gate with a bias a head, most layers local.

As transformers configures it; the gate: Qiu et al. 2025, "Gated attention for large language models", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, UNBIASED_MLP, decoder_keys, expert_names
from symcount.hub.settling import layer_kinds, windows
from symcount.layers import decoder_heads, embed, gated, linear, norm, per_head, residual
from symcount.layers.experts import mixture
from symcount.masks import Mask
from symcount.network import cached, contract, pointwise, tensor, weight, within
from symcount.sizes import multiple, per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attention(x: Tensor, z: Any, mask: Mask, position: str | None) -> Tensor:
    """3dk·heads + 2dk·kv + heads + 2k parameters: a gate, whose bias is one for each head, opens what is mixed."""
    bias, groups = z.attention_bias, {"g": z.kv, "q": per(z.heads, z.kv)}
    k = z.k if position is None else multiple(z.k, 2)
    query = per_head(linear(x, "query", bias=bias, **groups, k=k), "query_norm")
    key, value = (linear(x, name, bias=bias, g=z.kv, k=k) for name in ("key", "value"))
    key = per_head(key, "key_norm")
    if position is not None:
        query, key = pointwise(query, kind=position), pointwise(key, kind=position)
    key, value = cached(key, "key", s=("t", z.t)), cached(value, "value", s=("t", z.t))
    scores = contract(query, key, to="b g q s t", name="scores", mask=mask)
    weights = pointwise(pointwise(scores, kind="attention_scale"), kind="softmax")
    mixed = contract(weights, value, to="b s g q k", name="mix", mask=mask)
    gate = pointwise(linear(x, "gate", bias=False, **groups, k=k), weight("gate_bias", kinds="bias", **groups),
                     kind="bias", name="gate")
    mixed = pointwise(mixed, pointwise(gate, kind="sigmoid"), kind="multiply", name="gated")
    return linear(mixed, "output", over="g q k", bias=bias, d=z.d)


def attend(x: Tensor, z: Any, mask: Mask, position: str | None) -> Tensor:
    """x + attention between two norms: 2d parameters more."""
    y = within("attention", attention, norm(x, "attention_norm", shift=False), z=z, mask=mask, position=position)
    return residual(x, norm(y, "attention_out_norm", shift=False))


def dense(x: Tensor, z: Any) -> Tensor:
    """x + one MLP between two norms: 3dh + 2d parameters."""
    y = within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h)
    return residual(x, norm(y, "mlp_out_norm", shift=False))


def sparse(x: Tensor, z: Any) -> Tensor:
    """x + experts between two norms: 3Ed·h_e + dE + 2d parameters, of which a token meets K/E of the first."""
    y = within("mlp", mixture, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e, corrected="buffer",
               scores="sigmoid")
    return residual(x, norm(y, "mlp_out_norm", shift=False))


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
    """The layers without a window: each sixth and the last; and those without experts: the first three."""
    L, turned = config["num_hidden_layers"], config["rope_parameters"]
    if turned is not None and not (isinstance(turned, dict) and turned.get("sliding_attention")
                                   and turned.get("full_attention") is None):
        raise ConfigError("rope_parameters: only layers with a window that are turned, and all of them, are written")
    found = layer_kinds(config, {"dense": "L_dense", "sparse": None}, "mlp_layer_types")
    return {**windows(config, L // 6 + (L % 6 > 0)), "L_dense": found.get("L_dense", min(3, L))}


ARCHITECTURES = (Architecture(
    "beam",
    unwritten="constant scales of sums and of queries, and the soft cap of logits",
    classes=decoder_heads("Beam", body, "ForCausalLM"),
    sizes="L_dense L_global window",
    keys={
        **decoder_keys(V=151936, d=5120, h=20480, L=52, heads=48, kv=8, k=128),
        "moe_intermediate_size": ("h_e", 2560),
        "num_experts": ("E", 256),
        "num_experts_per_tok": ("K", 8),
        "attention_bias": ("attention_bias", False),
    },
    reads={"layer_types": None, "mlp_layer_types": None, "sliding_window": 512, "rope_parameters": None},
    settle=settle,
    ignored={**ROTARY, **ROUTED, "final_logit_softcapping": "a constant"},
    only=UNBIASED_MLP,
    stored={
        **DECODER_NAMES,
        **expert_names(),
        "layers.attention.gate": "layers.{i}.self_attn.gate_proj",
        "layers.attention.gate_bias": "layers.{i}.self_attn.gate_bias",
        "layers.attention_out_norm": "layers.{i}.post_attention_layernorm",
        "layers.mlp_norm": "layers.{i}.pre_feedforward_layernorm",
        "layers.mlp_out_norm": "layers.{i}.post_feedforward_layernorm",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "beam-1.0-501b-a23b": measured("BeamForCausalLM", 501_267_599_808, V=151936, d=5120, h=20480, L=52, L_global=9,
                                       L_dense=3, window=512, heads=48, kv=8, k=128, h_e=2560, E=256, K=8),
    },
),)
