"""EmbeddingGemma 2, its tower for text: Gemma 3 without a causal mask, each of whose layers has an input of its own.

As transformers configures it; the norms around each part: Gemma team 2025, "Gemma 3", section 2; an input for each
layer: the configuration of Gemma 3n.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import ROTARY, decoder_keys
from symcount.hub.settling import layer_kinds, number
from symcount.layers import activation, attention, embed, gated, linear, norm, per_head, residual
from symcount.network import cut, pointwise, tensor, weight, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def own_input(x: Tensor, own: Tensor, z: Any) -> Tensor:
    """What a layer makes of its own input of width e: 2de + d parameters."""
    y = activation(linear(x, "gate", bias=False, e=z.e), "gelu_pytorch_tanh")
    y = linear(pointwise(y, own, kind="multiply", name="product"), "output", over="e", bias=False, d=z.d)
    return norm(y, "norm", shift=False)


def block(x: Tensor, own: Tensor, z: Any, kv: Size, k: Size) -> tuple[Tensor, Tensor]:
    """2dk·heads + 2dk·kv + 2k + 3dh + 4d parameters, and those of its own input."""
    y = within("attention", attention, norm(x, "attention_norm", shift=False), z=z, kv=kv, k=k, t=z.t,
               bias=z.attention_bias, position="rotary", normed=per_head)
    x = residual(x, norm(y, "attention_out_norm", shift=False))
    y = within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, kind="gelu_pytorch_tanh")
    x = residual(x, norm(y, "mlp_out_norm", shift=False))
    x = residual(x, within("own", own_input, x, own, z=z))
    return pointwise(x, weight("scale", stored="buffer"), kind="multiply", name="scale"), own


def inputs(x: Tensor, z: Any) -> Tensor:
    """An input for each layer, from the words: deL + e parameters."""
    return norm(linear(x, "project", bias=False, layer=z.L, e=z.e), "norm", over="e", shift=False)


def body(z: Any) -> Tensor:
    """L_global layers with kv_2 heads of keys, k_2 wide, the rest with kv, k wide; a norm and a map to width m."""
    x, _ = embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.V, d=z.d)
    near, far = cut(within("inputs", inputs, x, z=z), "layer", rest(z.L, z.L_global), z.L_global)
    x, _ = within("layers.local", block, x, near, z=z, kv=z.kv, k=z.k, over="layer")
    x, _ = within("layers.global", block, x, far, z=z, kv=z.kv_2, k=z.k_2, over="layer")
    return linear(norm(x, "norm", shift=False), "embeddings.projection", bias=False, m=z.m)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers attend to all tokens, the last of them always."""
    L, step = number(config, "num_hidden_layers"), number(config, "sliding_window_pattern")
    if config["per_layer_config"] is not None:
        raise ConfigError("per_layer_config: widths said layer by layer are not written")
    found = layer_kinds(config, {"full_attention": "L_global", "sliding_attention": None})
    last = config["layer_types"][-1] if config["layer_types"] else None
    full = found["L_global"] + (last != "full_attention") if found else L // step + (L % step > 0)
    return {"L_global": full}


ARCHITECTURES = (Architecture(
    "embedding_gemma2_text",
    unwritten="the norm of values, which has no weights",
    classes={"EmbeddingGemma2TextModel": body},
    sizes="L_global",
    follows={"L_global": "ceil(L/6)"},
    acts={"hidden_activation": ("", "")},
    keys={
        **{key: told for key, told in decoder_keys(V=262144, d=512, h=2048, L=24, heads=4, kv=2, k=256).items()
           if key not in ("tie_word_embeddings", "num_labels")},
        "global_head_dim": ("k_2", 512),
        "num_global_key_value_heads": ("kv_2", 1),
        "hidden_size_per_layer_input": ("e", 512),
        "embedding_dim": ("m", 768),
        "attention_bias": ("attention_bias", False),
    },
    reads={"layer_types": None, "sliding_window_pattern": 6, "per_layer_config": None},
    settle=settle,
    ignored={
        **ROTARY,
        "sliding_window": MASKED,
        "tie_word_embeddings": "no words are predicted",
    },
    stored={
        "embeddings": "embed_tokens",
        "inputs.project": "ple.per_layer_model_projection",
        "inputs.norm": "ple.per_layer_projection_norm",
        "layers.attention_norm": "layers.{i}.input_layernorm",
        "layers.attention.query": "layers.{i}.self_attn.q_proj",
        "layers.attention.key": "layers.{i}.self_attn.k_proj",
        "layers.attention.value": "layers.{i}.self_attn.v_proj",
        "layers.attention.output": "layers.{i}.self_attn.o_proj",
        "layers.attention.query_norm": "layers.{i}.self_attn.q_norm",
        "layers.attention.key_norm": "layers.{i}.self_attn.k_norm",
        "layers.attention_out_norm": "layers.{i}.post_attention_layernorm",
        "layers.mlp_norm": "layers.{i}.pre_feedforward_layernorm",
        "layers.mlp.gate": "layers.{i}.mlp.gate_proj",
        "layers.mlp.up": "layers.{i}.mlp.up_proj",
        "layers.mlp.down": "layers.{i}.mlp.down_proj",
        "layers.mlp_out_norm": "layers.{i}.post_feedforward_layernorm",
        "layers.own.gate": "layers.{i}.ple_block.per_layer_input_gate",
        "layers.own.output": "layers.{i}.ple_block.per_layer_projection",
        "layers.own.norm": "layers.{i}.ple_block.post_per_layer_input_norm",
        "norm": "norm",
        "embeddings.projection": "embedding_projection",
    },
    published={
        "embeddinggemma-2-text": measured("EmbeddingGemma2TextModel", 271_002_624, V=262144, d=512, h=2048, L=24,
                                          L_global=4, heads=4, kv=2, k=256, kv_2=1, k_2=512, e=512, m=768),
    },
),)
