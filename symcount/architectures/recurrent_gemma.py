"""RecurrentGemma (Griffin): two layers of a real-gated linear recurrence to one of attention with a window.

Source: De et al. 2024, "Griffin: mixing gated linear recurrences with local attention", section 2; Botev et al. 2024,
"RecurrentGemma", table 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import number
from symcount.layers import activation, attention, decoder_heads, gated, linear, norm, words
from symcount.layers.hybrid import steps
from symcount.layers.state_space import causal_convolution
from symcount.masks import Mask
from symcount.network import cached, contract, merge, pointwise, rename, split, weight, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def recurrent(x: Tensor, z: Any) -> Tensor:
    """A convolution and a recurrence, gated by another branch.

    Parameters: 3d·inner + 2inner + d for the maps, (w + 1)inner for the convolution, and those of the recurrence.
    """
    gate = activation(linear(x, "gate", inner=z.inner), "gelu_pytorch_tanh", "gate_act")
    y = causal_convolution(linear(x, "input", inner=z.inner), "convolution", over="inner", w=z.w, bias=True)
    y = within("scan", linear_recurrence, y, z=z)
    return linear(pointwise(y, gate, kind="multiply", name="gated"), "output", over="inner", d=z.d)


def linear_recurrence(x: Tensor, z: Any) -> Tensor:
    """RG-LRU, elementwise from state to state, with gates that are made from each head's numbers alone.

    Parameters: 2inner²/heads + 3inner; multiply-adds: 2b·s·inner²/heads.
    """
    y = split(x, "inner", g=z.heads, k=None)
    enter, forget = (pointwise(gate_of(y, name), kind="sigmoid", name=f"{name}_act") for name in ("enter", "forget"))
    decay = split(weight("decay", inner=z.inner), "inner", g=z.heads, k=None)
    entered = pointwise(y, enter, kind="multiply", name="entered")
    y = pointwise(entered, pointwise(forget, pointwise(decay, kind="softplus"), kind="decay"), kind="scan")
    return merge(cached(y, "state", s=1), inner="g k")


def gate_of(x: Tensor, name: str) -> Tensor:
    """A map of each head to itself."""
    k = x.axes["k"]
    inside = {"g": x.axes["g"], "k'": k, "k": k}
    y = contract(rename(x, k="k'"), weight(f"{name}.weight", out="", **inside), to="b s g k", name=name)
    return pointwise(y, weight(f"{name}.bias", kinds="bias", g=x.axes["g"], k=k), kind="bias", name=name)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    x = steps("layers.mixer", recurrent, x, z=z, runs=rest(z.L, z.L_attn))
    x = steps("layers.attention", attention, x, z=z, kv=z.kv, k=z.k, t=z.t, position="partial_rotary",
              bias="query key value output" if z.attention_bias else "output",
              mask=Mask(causal=True, window=z.window), runs=z.L_attn)
    x = steps("layers.mlp", gated, x, h=z.h, bias=True, kind="gelu_pytorch_tanh", runs=z.L)
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have attention, of a pattern that is repeated; the width of an MLP is half of what is told."""
    L, pattern = number(config, "num_hidden_layers"), config["block_types"]
    if not isinstance(pattern, list) or not pattern or any(kind not in ("recurrent", "attention") for kind in pattern):
        raise ConfigError("block_types: a list of recurrent and attention is needed")
    listed = (pattern * L)[:L]
    return {"L_attn": listed.count("attention"), "h": number(config, "intermediate_size", least=2) // 2}


def _gemma(count: int, **sizes: int) -> Published:
    return measured("RecurrentGemmaForCausalLM", count, V=256000, kv=1, k=256, w=4, window=2048, **sizes)


ARCHITECTURES = (Architecture(
    "recurrent_gemma",
    classes=decoder_heads("RecurrentGemma", body, "ForCausalLM"),
    sizes="L_attn h",
    follows={"kv": "heads", "k": "d/heads", "inner": "d", "L_attn": "floor(L/3)"},
    acts={"hidden_activation": ("", "")},
    keys={
        **{key: told for key, told in decoder_keys(V=256000, d=2560, h=1, L=26, heads=10, tied=True).items()
           if key not in ("intermediate_size", "num_labels")},
        "lru_width": ("inner", None),
        "attention_window_size": ("window", 2048),
        "conv1d_width": ("w", 4),
        "attention_bias": ("attention_bias", False),
    },
    reads={"intermediate_size": 7680, "block_types": ["recurrent", "recurrent", "attention"]},
    settle=settle,
    aliases={"sliding_window": "attention_window_size"},
    ignored={
        **ROTARY,
        "logits_soft_cap": "a constant",
        "embeddings_scale_by_sqrt_dim": "a constant",
        "w_init_variance_scale": "how weights start, not how many there are",
        "final_w_init_variance_scale": "how weights start, not how many there are",
        "_block_types": "block_types says it",
    },
    unwritten="the soft cap of logits",
    stored={
        **{ours: theirs.replace("self_attn", "temporal_block") for ours, theirs in DECODER_NAMES.items()},
        **{f"layers.mixer.{ours}": f"layers.{{i}}.temporal_block.{theirs}" for ours, theirs in (
            ("gate", "linear_y"), ("input", "linear_x"), ("output", "linear_out"),
            ("convolution.bias", "conv_1d.bias"), ("scan.decay", "rg_lru.recurrent_param"))},
        "layers.mixer.convolution.weight": ("layers.{i}.temporal_block.conv_1d.weight", "inner 1 w"),
        **{f"layers.mixer.scan.{ours}.{leaf}": (f"layers.{{i}}.temporal_block.rg_lru.{theirs}_gate_{leaf}", shape)
           for ours, theirs in (("enter", "input"), ("forget", "recurrent"))
           for leaf, shape in (("weight", "heads inner/heads inner/heads"), ("bias", "heads inner/heads"))},
        "layers.mixer.norm": "layers.{i}.temporal_pre_norm",
        "layers.attention.norm": "layers.{i}.temporal_pre_norm",
        "layers.mlp.norm": "layers.{i}.channel_pre_norm",
        "layers.mlp.gate": "layers.{i}.mlp_block.gate_proj",
        "layers.mlp.up": "layers.{i}.mlp_block.up_proj",
        "layers.mlp.down": "layers.{i}.mlp_block.down_proj",
        "norm": "final_norm",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "recurrentgemma-2b": _gemma(2_682_862_080, d=2560, h=7680, L=26, L_attn=8, heads=10),
        "recurrentgemma-9b": _gemma(8_579_977_216, d=4096, h=12288, L=38, L_attn=12, heads=16),
    },
),)
