"""HRM-Text: two stacks of layers that run in turn, a fast one several times for each run of the slow one.

Source: Wang et al. 2025, "Hierarchical reasoning model", section 2; the text model: the implementation in
transformers 5.23.0.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.layers import attention, decoder_heads, gated, residual, words
from symcount.masks import Mask
from symcount.network import pointwise, repeat, weight, within
from symcount.scopes import Shared
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """5dk·heads + 3dh parameters: attention with a gate as wide as itself; the norms have none."""
    biases = "query key value output gate" if z.attention_bias else False
    y = pointwise(x, kind="rms_norm", name="attention_norm")
    x = residual(x, within("attention", attention, y, z=z, k=z.k, t=z.t, bias=biases, position="rotary", gate="g q k",
                           mask=Mask(causal=True)))
    return residual(x, within("mlp", gated, pointwise(x, kind="rms_norm", name="mlp_norm"), h=z.h, bias=z.mlp_bias))


def stack(x: Tensor, y: Tensor, z: Any) -> Tensor:
    """L blocks on a sum, and a norm without parameters."""
    x = within("layers", block, pointwise(x, y, kind="add", name="sum"), z=z, runs=z.L)
    return pointwise(x, kind="rms_norm", name="norm")


def fast(low: Tensor, high: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """The fast stack, which also sees what the slow one says."""
    return stack(low, high, z), high


def cycle(low: Tensor, high: Tensor, z: Any, made: Shared) -> tuple[Tensor, Tensor]:
    """The fast stack several times, then the slow one."""
    low, high = within("fast", fast, low, high, z=z, runs=z.cycles_fast, shared=made)
    return low, within("slow", stack, high, low, z=z, shared=made)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """What the slow stack says in the end, and the table of words; each stack holds L layers, however often it runs."""
    x, word = words(z)
    start = repeat(weight("start", stored="frozen", d=z.d), b=z.b, s=z.s)
    _, x = within("cycle", cycle, start, x, z=z, made=Shared(), runs=z.cycles)
    return x, word


def settle(config: Mapping[str, Any]) -> dict[str, Any]:
    """How many layers each stack has: num_hidden_layers, unless another key says it and that one is all their runs."""
    told = config["num_layers_per_stack"]
    return {"L": config["num_hidden_layers"] if told is None else told}


KEYS = decoder_keys(V=151808, d=1536, h=4096, L=16, heads=12, k=128)

ARCHITECTURES = (Architecture(
    "hrm_text",
    classes=decoder_heads("HrmText", body, "ForCausalLM"),
    sizes="L",
    keys={
        **{key: entry for key, entry in KEYS.items() if key not in ("num_hidden_layers", "num_key_value_heads")},
        "H_cycles": ("cycles", 2),
        "L_cycles": ("cycles_fast", 3),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
    },
    reads={"num_hidden_layers": 16, "num_layers_per_stack": None},
    settle=settle,
    ignored={
        **ROTARY,
        "num_key_value_heads": "each query head has a key and a value",
        "L_bp_cycles": "through which runs a gradient goes: no forward pass depends on it",
        "embedding_scale": "a constant",
        "prefix_lm": "a prompt sees itself whole only where its tokens are marked, and none are",
    },
    stored={
        "embeddings": "embed_tokens",
        "start": "z_L_init",
        **{ours.replace("layers", f"{stack}.layers", 1): theirs.replace("layers", f"{module}.layers", 1)
           for stack, module in (("fast", "L_module"), ("slow", "H_module"))
           for ours, theirs in DECODER_NAMES.items() if ours.startswith("layers.")},
        "fast.layers.attention.gate": "L_module.layers.{i}.self_attn.gate_proj",
        "slow.layers.attention.gate": "H_module.layers.{i}.self_attn.gate_proj",
    },
    gradients="some runs of its fast stack have no gradient (L_bp_cycles)",
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "hrm-text-1b": measured("HrmTextForCausalLM", 1_447_822_848, V=151808, d=1536, h=4096, L=16, heads=12, k=128,
                                cycles=2, cycles_fast=3),
    },
),)
