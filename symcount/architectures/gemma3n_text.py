"""Gemma 3n: several residual streams of which a layer works on one, numbers for each token and layer, shared keys.

Source: Google DeepMind 2025, "Gemma 3n"; the streams: Baykal et al. 2023, "Alternating updates for efficient
transformers", section 3; the residual of low rank: Menghani et al. 2024, "LAuReL", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY
from symcount.hub.settling import number, reusing_layers
from symcount.layers import decoder_heads, embed, gated, linear, norm, residual
from symcount.layers.per_layer import Kind, layer_rows, let_in, reusable, stack
from symcount.masks import Mask
from symcount.network import (
    concat,
    contract,
    cut,
    idle,
    pointwise,
    rename,
    repeat,
    select,
    split,
    tensor,
    weight,
    within,
)
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def judged(x: Tensor, gain: Tensor, w: Tensor) -> Tensor:
    """One number between -1 and 1 for each stream, from a norm and a map that two places share."""
    y = linear(pointwise(x, gain, kind="rms_norm"), "map", bias=False, w=w, n=w.axes["n"])
    return pointwise(y, kind="tanh")


def predict(x: Tensor, judge: Tensor) -> Tensor:
    """The streams, to each of which a mix of all is added: streams³ parameters.

    Multiply-adds for a token: as many, and d·streams² to mix.
    """
    n = x.axes["n"]
    told = linear(judge, "predict", over="n", bias=False, c=n * n)
    mixed = contract(x, split(told, "c", m=n, n=n), to="b s m d", name="mixing")
    return pointwise(x, rename(mixed, m="n"), kind="add", name="predicted")


def correct(x: Tensor, before: Tensor, y: Tensor, judge: Tensor) -> Tensor:
    """The streams, to each of which some of what a layer changed in its own is added: streams² parameters."""
    change = pointwise(y, before, kind="subtract", name="change")
    told = rename(linear(judge, "correct", over="n", bias=False, m=x.axes["n"]), m="n")
    share = pointwise(change, told, kind="multiply", name="share", to="b s n d")
    return pointwise(x, share, change, kind="add", name="corrected")


def short(x: Tensor, z: Any) -> Tensor:
    """x, and a map of it of low rank, normed: 2dr + d parameters."""
    y = linear(linear(x, "down", bias=False, r=z.r), "up", over="r", bias=False, d=z.d)
    return residual(x, norm(y, "norm", shift=False))


def block(x: Tensor, row: Tensor, z: Any, *, mask: Mask,
          made: tuple[Tensor, Tensor] | None) -> tuple[Tensor, Tensor, Tensor]:
    """Attention and MLP on one of the streams, which corrects them all; then the numbers of the layer join the others.

    Parameters beside those of attention: streams³ + streams² + d·streams + 2dr + 3dh + 2de + 8d.
    """
    judge = (weight("judge.norm.weight", kinds="norm", d=z.d),
             weight("judge.map.weight", out="n", d=z.d, n=z.streams))
    x = within("streams", predict, x, within("streams.before", judged, select(x, "n"), *judge))
    first = select(x, "n")
    y = norm(first, "attention_norm", shift=False)
    low = within("short", short, y, z=z)
    y, key, value = within("attention", reusable, y, z=z, t=z.t, kv=z.kv, k=z.k, bias=z.attention_bias, mask=mask,
                           made=made)
    y = residual(residual(first, norm(y, "attention_out_norm", shift=False)), low)
    fed = within("mlp", gated, norm(y, "mlp_norm", shift=False), h=z.h, kind="gelu_pytorch_tanh")
    y = residual(y, norm(fed, "mlp_out_norm", shift=False))
    x = within("streams", correct, x, first, y, within("streams.after", judged, y, *judge))
    first, others = cut(x, "n", 1, rest(z.streams, 1))
    y, gain = select(first, "n"), weight("streams.gain", d=z.d)
    y = pointwise(y, gain, kind="multiply", name="scaled") if z.correct_scale else idle(y, gain)
    others = pointwise(others, within("per_layer", let_in, y, row), kind="add", name="residual")
    return concat(first, others, axis="n"), key, value


def apart(x: Tensor) -> Tensor:
    """A map of a stream's own: d² parameters."""
    return linear(x, "map", bias=False, d=x.axes["d"])


def body(z: Any) -> tuple[Tensor, Tensor]:
    """A stream of words and others made from it, the layers, and the mean of the streams, mapped back and normed."""
    ids = tensor("ids", b=z.b, s=z.s)
    words, table = embed(ids, "embeddings", V=z.V, d=z.d)
    rows = within("per_layer", layer_rows, words, ids, L=z.L, e=z.e, V=z.V_layer)
    more = rest(z.streams, 1)
    x = within("widen", apart, repeat(words, n=more), over="n")
    x = concat(repeat(words, n=1), x, axis="n")
    x = stack(x, rows, lambda x, row, **more: block(x, row, z, **more), (
        Kind("local", rest(z.L, z.L_global), z.L_reuse_local if z.reuse_local else None,
             {"mask": Mask(causal=True, window=z.window)}),
        Kind("global", z.L_global, z.L_reuse_global if z.reuse_global else None, {"mask": Mask(causal=True)}),
    ))
    first, others = cut(x, "n", 1, more)
    x = concat(first, within("join", apart, others, over="n"), axis="n")
    return norm(pointwise(x, kind="mean", to="b s d"), "norm", shift=False), table


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The one width of all MLPs, and how many layers see all tokens and take keys and values of others."""
    h, L, streams = config["intermediate_size"], config["num_hidden_layers"], number(config, "altup_num_inputs")
    if isinstance(h, list):
        if len(h) != L or len(set(map(repr, h))) != 1:
            raise ConfigError(f"intermediate_size: one number, or the same for each of the {L} layers, is needed")
        h = h[0]
    if number(config, "altup_active_idx", least=0) >= streams:
        raise ConfigError(f"altup_active_idx = {config['altup_active_idx']}: there are {streams} streams")
    sparse = config["activation_sparsity_pattern"]
    if sparse is not None and (not isinstance(sparse, list) or len(sparse) != L):
        raise ConfigError(f"activation_sparsity_pattern: a list with one number for each of the {L} layers is needed")
    return {"h": number({"intermediate_size": h}, "intermediate_size"),
            **reusing_layers(config, every=5, last_global=False), "window": number(config, "sliding_window")}


def _gemma3n(count: int, **sizes: Any) -> Published:
    return measured("Gemma3nForCausalLM", count, d=2048, heads=8, kv=2, k=256, e=256, streams=4, r=64, V=262400,
                    V_layer=262144, window=512, **sizes)


ARCHITECTURES = (Architecture(
    "gemma3n_text",
    classes={
        **decoder_heads("Gemma3nText", body, ""),
        "Gemma3nForCausalLM": decoder_heads("Gemma3n", body)["Gemma3nForCausalLM"],
    },
    sizes="h window L_global L_reuse_local L_reuse_global",
    flags={"reuse_local": True, "reuse_global": True},
    acts={"hidden_activation": ("", "")},
    keys={
        "vocab_size": ("V", 262400),
        "hidden_size": ("d", 2048),
        "num_hidden_layers": ("L", 35),
        "num_attention_heads": ("heads", 8),
        "num_key_value_heads": ("kv", 2),
        "head_dim": ("k", 256),
        "tie_word_embeddings": ("tied", True),
        "attention_bias": ("attention_bias", False),
        "vocab_size_per_layer_input": ("V_layer", 262144),
        "hidden_size_per_layer_input": ("e", 256),
        "altup_num_inputs": ("streams", 4),
        "altup_correct_scale": ("correct_scale", True),
        "laurel_rank": ("r", 64),
    },
    reads={
        "intermediate_size": 16384,
        "sliding_window": 512,
        "layer_types": None,
        "num_kv_shared_layers": 15,
        "altup_active_idx": 0,
        "activation_sparsity_pattern": None,
    },
    settle=settle,
    ignored={
        **ROTARY,
        "altup_coef_clip": "bounds of weights while training",
        "altup_lr_multiplier": "how fast weights are trained",
        "query_pre_attn_scalar": "a constant",
        "final_logit_softcapping": "a constant",
        "rope_local_base_freq": "rotation has no weights and is elementwise",
    },
    unwritten="the soft cap of logits, what makes gates sparse and what brings streams to one length",
    stored={
        **DECODER_NAMES,
        "per_layer.project": "per_layer_model_projection",
        "per_layer.norm": "per_layer_projection_norm",
        "per_layer.embeddings": "embed_tokens_per_layer",
        "widen.map": "altup_projections.{i}",
        "join.map": "altup_unembed_projections.{i}",
        "layers.attention_out_norm": "layers.{i}.post_attention_layernorm",
        "layers.mlp_norm": "layers.{i}.pre_feedforward_layernorm",
        "layers.mlp_out_norm": "layers.{i}.post_feedforward_layernorm",
        "layers.judge.map": "layers.{i}.altup.modality_router",
        "layers.judge.norm": "layers.{i}.altup.router_norm",
        "layers.streams.predict": "layers.{i}.altup.prediction_coefs",
        "layers.streams.correct": "layers.{i}.altup.correction_coefs",
        "layers.streams.gain": "layers.{i}.altup.correct_output_scale",
        "layers.short.down": "layers.{i}.laurel.linear_left",
        "layers.short.up": "layers.{i}.laurel.linear_right",
        "layers.short.norm": "layers.{i}.laurel.post_laurel_norm",
        "layers.per_layer.gate": "layers.{i}.per_layer_input_gate",
        "layers.per_layer.project": "layers.{i}.per_layer_projection",
        "layers.per_layer.norm": "layers.{i}.post_per_layer_input_norm",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "gemma-3n-e2b-text": _gemma3n(4_435_182_688, h=8192, L=30, L_global=6, L_reuse_local=8, L_reuse_global=2),
        "gemma-3n-e4b-text": _gemma3n(6_835_235_568, h=16384, L=35, L_global=7, L_reuse_local=12, L_reuse_global=3),
    },
),)
