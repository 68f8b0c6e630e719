"""Gemma 4: layers of two kinds with heads of two widths, numbers for each token and layer, shared keys, experts.

Source: Google DeepMind 2026, "Gemma 4" and "EmbeddingGemma 2"; the configurations and the implementations in
transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import number, reusing_layers
from symcount.layers import decoder_heads, embed, gated, linear, norm, residual
from symcount.layers.experts import gated_experts
from symcount.layers.per_layer import Kind, layer_rows, let_in, reusable, stack
from symcount.masks import Mask
from symcount.network import pointwise, tensor, top, weight, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def mixture(x: Tensor, z: Any) -> Tensor:
    """K of E experts, chosen by a normed row with a gain of its own: 3Ed·h_e + dE + E + 2d parameters.

    The scores of the chosen are weighed by one more number for each expert; we choose by the weighed scores, which
    changes no count.
    """
    row = pointwise(pointwise(x, kind="rms_norm", name="router_norm"), weight("router.gain", d=z.d), kind="multiply",
                    name="router_gain")
    chances = pointwise(linear(row, "router", bias=False, E=z.E), kind="softmax", name="routing")
    chances = pointwise(chances, weight("router.share", E=z.E), kind="multiply", name="router_share")
    chosen = top(chances, E=("e", z.K))
    y = within("experts", gated_experts, norm(x, "norm", shift=False), chosen, E=z.E, h=z.h_e,
               kind="gelu_pytorch_tanh")
    return pointwise(y, chosen, kind="mix", name="weighted_sum", to="b s d")


def block(x: Tensor, row: Tensor | None, z: Any, *, mask: Mask | None, kv: Size, k: Size, value: bool,
          made: tuple[Tensor, Tensor] | None) -> tuple[Tensor, Tensor, Tensor]:
    """Attention and MLP with a norm on each side, experts beside the MLP, and what the numbers of the layer say.

    Parameters beside those of attention and experts: 3dh + 4d, 3d more with experts, 2de + d with numbers of the layer.
    """
    y, key, value_ = within("attention", reusable, norm(x, "attention_norm", shift=False), z=z, t=z.t, kv=kv, k=k,
                            bias=z.attention_bias, mask=mask, made=made, value=value)
    x = residual(x, norm(y, "attention_out_norm", shift=False))
    h = 2 * z.h if z.double and made else z.h
    y = within("mlp", gated, norm(x, "mlp_norm", shift=False), h=h, kind="gelu_pytorch_tanh")
    if z.moe:
        routed = within("moe", mixture, x, z=z)
        y = pointwise(norm(y, "dense_out_norm", shift=False), norm(routed, "moe_out_norm", shift=False), kind="add",
                      name="experts_sum")
    x = residual(x, norm(y, "mlp_out_norm", shift=False))
    x = x if row is None else residual(x, within("per_layer", let_in, x, row))
    return pointwise(x, weight("scalar", stored="buffer"), kind="multiply", name="scaled"), key, value_


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    ids = tensor("ids", b=z.b, s=z.s)
    x, word = embed(ids, "embeddings", V=z.V, d=z.d)
    rows = None
    if z.per_layer:
        rows = within("per_layer", layer_rows, x, *((ids,) if z.layer_table else ()), L=z.L, e=z.e,
                      V=z.V_layer if z.layer_table else None)
    masks = (None, None) if z.bidirectional else (Mask(causal=True, window=z.window), Mask(causal=True))
    x = stack(x, rows, lambda x, row, **more: block(x, row, z, **more), (
        Kind("local", rest(z.L, z.L_global), z.L_reuse_local if z.reuse_local else None,
             {"mask": masks[0], "kv": z.kv, "k": z.k, "value": True}),
        Kind("global", z.L_global, z.L_reuse_global if z.reuse_global else None,
             {"mask": masks[1], "kv": z.kv_global, "k": z.k_global, "value": not z.key_is_value}),
    ))
    return norm(x, "norm", shift=False), word


def heads_by_layer(config: dict[str, Any], kv: int | None) -> dict[str, Any]:
    """{kv_global, k_global} of layers that attend to all tokens; `kv`: what num_global_key_value_heads counts as.

    per_layer_config says it instead, layer by layer: here the same for all of them, and nothing for the others.
    """
    told = config["per_layer_config"]
    if told == ():
        return {"k_global": number(config, "global_head_dim"), "kv_global": kv}
    if told is None or told == {}:
        return {"k_global": config["head_dim"], "kv_global": config["num_key_value_heads"]}
    if not isinstance(told, dict) or not all(isinstance(one, dict) and str(i).isdigit() for i, one in told.items()):
        raise ConfigError("per_layer_config: a table with a table for the number of each layer is needed")
    changed, full = {int(i): one for i, one in told.items()}, _full(config)
    first = next(iter(changed.values()))
    if set(changed) != set(full) or any(one != first for one in changed.values()) or not (
            first.keys() <= {"head_dim", "num_key_value_heads"}):
        raise ConfigError("per_layer_config: supported are one head_dim and one num_key_value_heads for all layers "
                          "with full_attention, and no others")
    return {"k_global": number({**config, **first}, "head_dim"),
            "kv_global": number({**config, **first}, "num_key_value_heads")}


def _full(config: dict[str, Any]) -> list[int]:
    """The layers that attend to all tokens, the last one always."""
    L, kinds, step = config["num_hidden_layers"], config["layer_types"], config.get("sliding_window_pattern", 6)
    return [i for i in range(L) if i == L - 1 or ((i + 1) % step == 0 if kinds is None
                                                  else kinds[i] == "full_attention")]


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers of each kind there are, the heads of each, and which parts a layer has."""
    both, kv = config["use_bidirectional_attention"], config["num_global_key_value_heads"]
    if both not in (None, "all", "vision"):
        raise ConfigError(f"use_bidirectional_attention = {both!r}; supported: null, all, vision")
    same = config["attention_k_eq_v"]
    if not isinstance(same, bool):
        raise ConfigError(f"attention_k_eq_v = {same!r}: true or false is needed")
    kv = number(config, "num_global_key_value_heads") if same and kv is not None else config["num_key_value_heads"]
    return {**reusing_layers(config, every=6, last_global=True), **heads_by_layer(config, kv), "key_is_value": same,
            "window": number(config, "sliding_window"), "bidirectional": both == "all"}


def settle4(config: dict[str, Any]) -> dict[str, Any]:
    """The same, whether there are numbers for each layer, and experts."""
    e, moe = config["hidden_size_per_layer_input"], config["enable_moe_block"]
    if not isinstance(moe, bool):
        raise ConfigError(f"enable_moe_block = {moe!r}: true or false is needed")
    experts = {"E": "num_experts", "K": "top_k_experts", "h_e": "moe_intermediate_size"}
    return {**settle(config), "per_layer": bool(e), "layer_table": bool(e), "moe": moe,
            "e": number(config, "hidden_size_per_layer_input") if e else None,
            **{size: number(config, key) if moe else None for size, key in experts.items()}}


def embedding(z: Any) -> Tensor:
    """What the words became, as vectors of width m: dm parameters more."""
    return linear(body(z)[0], "projection", bias=False, m=z.m)


def settle_embedding(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers attend to all tokens, and their heads."""
    step = number(config, "sliding_window_pattern")
    found = reusing_layers({**config, "num_kv_shared_layers": 0}, every=step, last_global=True)
    return {"L_global": found["L_global"], **heads_by_layer(config, config["num_global_key_value_heads"])}


NO_WEIGHTS = {**ROTARY, **dict.fromkeys(("final_logit_softcapping", "query_pre_attn_scalar"), "a constant")}
KEYS = {
    **decoder_keys(V=262144, d=2304, h=9216, L=30, heads=8, kv=4, k=256, tied=True),
    "attention_bias": ("attention_bias", False),
    "use_double_wide_mlp": ("double", False),
}
READS = {
    "sliding_window": 512,
    "layer_types": None,
    "num_kv_shared_layers": 0,
    "attention_k_eq_v": False,
    "use_bidirectional_attention": None,
    "global_head_dim": 512,
    "num_global_key_value_heads": None,
    "per_layer_config": (),
}
FLAGS: dict[str, Any] = {"reuse_local": False, "reuse_global": False, "key_is_value": False, "bidirectional": False,
                         "per_layer": False, "layer_table": False, "moe": False}
SIZES = "window L_global L_reuse_local L_reuse_global kv_global k_global"
LEFT_OUT = "the soft cap of logits and the scale of embeddings"
STORED = {
    **DECODER_NAMES,
    "layers.attention_out_norm": "layers.{i}.post_attention_layernorm",
    "layers.mlp_norm": "layers.{i}.pre_feedforward_layernorm",
    "layers.mlp_out_norm": "layers.{i}.post_feedforward_layernorm",
}


PLAIN = {"per_layer": False, "layer_table": False}


def _gemma4(count: int, **sizes: Any) -> Published:
    return measured("Gemma4ForCausalLM", count, V=262144, k=256, k_global=512, **sizes)


ARCHITECTURES = (Architecture(
    "gemma4_text",
    classes={
        **decoder_heads("Gemma4Text", body, ""),
        "Gemma4ForCausalLM": decoder_heads("Gemma4", body)["Gemma4ForCausalLM"],
    },
    sizes=f"{SIZES} e E K h_e",
    flags={**FLAGS, "per_layer": True, "layer_table": True},
    follows={"kv_global": "kv"},
    acts={"hidden_activation": ("", "")},
    keys={**KEYS, "vocab_size_per_layer_input": ("V_layer", 262144)},
    reads={
        **READS,
        "hidden_size_per_layer_input": 256,
        "enable_moe_block": False,
        "num_experts": None,
        "top_k_experts": None,
        "moe_intermediate_size": None,
    },
    settle=settle4,
    ignored=NO_WEIGHTS,
    unwritten=LEFT_OUT,
    stored={
        **STORED,
        "per_layer.project": "per_layer_model_projection",
        "per_layer.norm": "per_layer_projection_norm",
        "per_layer.embeddings": "embed_tokens_per_layer",
        "layers.per_layer.gate": "layers.{i}.per_layer_input_gate",
        "layers.per_layer.project": "layers.{i}.per_layer_projection",
        "layers.per_layer.norm": "layers.{i}.post_per_layer_input_norm",
        "layers.dense_out_norm": "layers.{i}.post_feedforward_layernorm_1",
        "layers.moe_out_norm": "layers.{i}.post_feedforward_layernorm_2",
        "layers.moe.norm": "layers.{i}.pre_feedforward_layernorm_2",
        "layers.moe.router": "layers.{i}.router.proj",
        "layers.moe.router.gain": "layers.{i}.router.scale",
        "layers.moe.router.share": "layers.{i}.router.per_expert_scale",
        ("layers.moe.experts.gate.weight", "layers.moe.experts.up.weight"):
            ("layers.{i}.experts.gate_up_proj", "E 2h_e d"),
        "layers.moe.experts.down.weight": ("layers.{i}.experts.down_proj", "E d h_e"),
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "gemma-4-e2b-text": _gemma4(4_628_569_344, V_layer=262144, d=1536, h=6144, L=35, L_global=7, L_reuse_local=16,
                                    L_reuse_global=4, reuse_local=True, reuse_global=True, double=True, heads=8, kv=1,
                                    e=256, window=512),
        "gemma-4-e4b-text": _gemma4(7_463_013_376, V_layer=262144, d=2560, h=10240, L=42, L_global=7, L_reuse_local=15,
                                    L_reuse_global=3, reuse_local=True, reuse_global=True, heads=8, kv=2, e=256,
                                    window=512),
        "gemma-4-31b-text": _gemma4(30_697_345_280, d=5376, h=21504, L=60, L_global=10, heads=32, kv=16, kv_global=4,
                                    key_is_value=True, window=1024, **PLAIN),
        "gemma-4-26b-a4b-text": _gemma4(25_233_141_760, d=2816, h=2112, L=30, L_global=5, heads=16, kv=8, kv_global=2,
                                        key_is_value=True, window=1024, E=128, K=8, h_e=704, moe=True, **PLAIN),
    },
), Architecture(
    "gemma4_unified_text",
    classes={
        **decoder_heads("Gemma4UnifiedText", body, ""),
        "Gemma4UnifiedForCausalLM": decoder_heads("Gemma4Unified", body)["Gemma4UnifiedForCausalLM"],
    },
    sizes=SIZES,
    flags=FLAGS,
    follows={"kv_global": "kv"},
    acts={"hidden_activation": ("", "")},
    keys=KEYS,
    reads={**READS, "sliding_window": 1024, "use_bidirectional_attention": "vision"},
    settle=settle,
    ignored=NO_WEIGHTS,
    only={
        "hidden_size_per_layer_input": ((0, None), "layers of this family have no numbers of their own"),
        "enable_moe_block": ((False,), "this family has no experts"),
    },
    unwritten=LEFT_OUT,
    stored=STORED,
    stored_heads=HEAD_NAMES,
    base="model",
), Architecture(
    "embedding_gemma2_text",
    classes={"EmbeddingGemma2TextModel": embedding},
    sizes="L_global kv_global k_global",
    flags={**FLAGS, "bidirectional": True, "per_layer": True, "double": False},
    acts={"hidden_activation": ("", "")},
    keys={
        **{key: told for key, told in decoder_keys(V=262144, d=512, h=2048, L=24, heads=4, kv=2, k=256).items()
           if key != "tie_word_embeddings"},
        "attention_bias": ("attention_bias", False),
        "hidden_size_per_layer_input": ("e", 512),
        "embedding_dim": ("m", 768),
    },
    reads={
        "layer_types": None,
        "sliding_window_pattern": 6,
        "global_head_dim": 512,
        "num_global_key_value_heads": 1,
        "per_layer_config": (),
    },
    settle=settle_embedding,
    ignored={
        **NO_WEIGHTS,
        "sliding_window": "all scores are computed, also those outside of the window",
        "tie_word_embeddings": "no class predicts words",
    },
    unwritten=LEFT_OUT,
    stored={
        **STORED,
        "per_layer.project": "ple.per_layer_model_projection",
        "per_layer.norm": "ple.per_layer_projection_norm",
        "layers.per_layer.gate": "layers.{i}.ple_block.per_layer_input_gate",
        "layers.per_layer.project": "layers.{i}.ple_block.per_layer_projection",
        "layers.per_layer.norm": "layers.{i}.ple_block.post_per_layer_input_norm",
        "projection": "embedding_projection",
    },
))
