"""RWKV-4: a recurrence that is elementwise in place of attention, and an MLP that sees the token before.

Source: Peng et al. 2023, "RWKV", sections 3.1 and 3.2 and table 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.layers import decoder_heads, linear, norm, residual, words
from symcount.network import cached, pointwise, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def shifted(x: Tensor, name: str) -> Tensor:
    """x mixed with the token before, each number by a share of its own: d parameters."""
    return pointwise(x, weight(f"{name}_mix", d=x.axes["d"]), kind="token_shift", name=f"{name}_shift")


def time_mixing(x: Tensor, *, inner: Size) -> Tensor:
    """A weighted mean of the values so far, which decays, elementwise: 4d·inner + 2inner + 3d parameters.

    Remembered are the last row and, of the mean, the sums above and below, and the exponent that both are scaled by.
    """
    x = cached(x, "row", s=1)
    key, value, receptance = (linear(shifted(x, name), name, bias=False, inner=inner)
                              for name in ("key", "value", "receptance"))
    decay, first = weight("decay", inner=inner), weight("first", inner=inner)
    y = pointwise(key, value, decay, first, kind="scan")
    for part in ("above", "below", "exponent"):  # each of as many numbers as the mean
        y = cached(y, part, s=1)
    y = pointwise(y, pointwise(receptance, kind="sigmoid"), kind="multiply", name="received")
    return linear(y, "output", over="inner", bias=False, d=x.axes["d"])


def channel_mixing(x: Tensor, *, h: Size) -> Tensor:
    """An MLP behind a gate: d² + 2dh + 2d parameters. The last row is remembered."""
    d, x = x.axes["d"], cached(x, "row", s=1)
    y = pointwise(linear(shifted(x, "up"), "up", bias=False, h=h), kind="relu2", name="act")
    gate = pointwise(linear(shifted(x, "gate"), "gate", bias=False, d=d), kind="sigmoid")
    return pointwise(linear(y, "down", over="h", bias=False, d=d), gate, kind="multiply", name="received")


def block(x: Tensor, z: Any) -> Tensor:
    """4d·inner + 2inner + d² + 2dh + 9d parameters."""
    x = residual(x, within("mixer", time_mixing, norm(x, "mixer_norm"), inner=z.inner))
    return residual(x, within("mlp", channel_mixing, norm(x, "mlp_norm"), h=z.h))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    return norm(within("layers", block, norm(x, "embedding_norm"), z=z, runs=z.L), "norm"), word


def _rwkv(count: int, **sizes: int) -> Published:
    return measured("RwkvForCausalLM", count, V=50277, **sizes)


ARCHITECTURES = (Architecture(
    "rwkv",
    classes=decoder_heads("Rwkv", body, "ForCausalLM"),
    follows={"inner": "d", "h": "4d"},
    acts={},
    keys={
        "vocab_size": ("V", 50277),
        "hidden_size": ("d", 4096),
        "num_hidden_layers": ("L", 32),
        "attention_hidden_size": ("inner", None),
        "intermediate_size": ("h", None),
        "tie_word_embeddings": ("tied", False),
    },
    aliases={"max_position_embeddings": "context_length"},
    ignored={
        "context_length": "there are no positions",
        "rescale_every": "a constant",
    },
    stored={
        "embeddings": "embeddings",
        "embedding_norm": "blocks.{i}.pre_ln",
        "layers.mixer_norm": "blocks.{i}.ln1",
        "layers.mixer.key_mix": ("blocks.{i}.attention.time_mix_key", "1 1 d"),
        "layers.mixer.value_mix": ("blocks.{i}.attention.time_mix_value", "1 1 d"),
        "layers.mixer.receptance_mix": ("blocks.{i}.attention.time_mix_receptance", "1 1 d"),
        "layers.mixer.decay": "blocks.{i}.attention.time_decay",
        "layers.mixer.first": "blocks.{i}.attention.time_first",
        "layers.mixer.key": "blocks.{i}.attention.key",
        "layers.mixer.value": "blocks.{i}.attention.value",
        "layers.mixer.receptance": "blocks.{i}.attention.receptance",
        "layers.mixer.output": "blocks.{i}.attention.output",
        "layers.mlp_norm": "blocks.{i}.ln2",
        "layers.mlp.up_mix": ("blocks.{i}.feed_forward.time_mix_key", "1 1 d"),
        "layers.mlp.gate_mix": ("blocks.{i}.feed_forward.time_mix_receptance", "1 1 d"),
        "layers.mlp.up": "blocks.{i}.feed_forward.key",
        "layers.mlp.gate": "blocks.{i}.feed_forward.receptance",
        "layers.mlp.down": "blocks.{i}.feed_forward.value",
        "norm": "ln_out",
    },
    stored_heads={"head": "head"},
    base="rwkv",
    published={
        "rwkv-4-169m": _rwkv(169_342_464, d=768, L=12),
        "rwkv-4-430m": _rwkv(430_397_440, d=1024, L=24),
        "rwkv-4-1b5": _rwkv(1_515_106_304, d=2048, L=24),
        "rwkv-4-3b": _rwkv(2_984_627_200, d=2560, L=32),
        "rwkv-4-7b": _rwkv(7_392_649_216, d=4096, L=32),
        "rwkv-4-14b": _rwkv(14_148_597_760, d=5120, L=40),
    },
),)
