"""Mamba-2: Mamba with a state space in heads, whose scan over chunks is made of matrix products.

Source: Dao and Gu 2024, "Transformers are SSMs", sections 6 and 7; the products of the scan (its part `scan`) are those
of the implementation in PyTorch, over whole chunks.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import HEAD_NAMES, TIME_STEP, mamba2_names
from symcount.hub.settling import number
from symcount.layers import decoder, decoder_heads, norm, residual
from symcount.layers.state_space import mamba2
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def block(x: Tensor, z: Any) -> Tensor:
    """d + d(3inner + 2groups·state + heads) + (w + 1)(inner + 2groups·state) + 3heads + inner parameters."""
    y = norm(x, "norm", shift=False)
    return residual(x, within("mixer", mamba2, y, inner=z.inner, heads=z.heads, groups=z.groups, state=z.state, w=z.w,
                              chunk=z.chunk, bias=z.bias, conv_bias=z.conv_bias))


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The inner width, expand·d, which is that of all heads."""
    d, expand = number(config, "hidden_size"), number(config, "expand")
    inner = number(config, "num_heads") * number(config, "head_dim")
    if inner != expand * d:
        raise ConfigError(f"num_heads · head_dim = {inner:,} is not expand · hidden_size = {expand * d:,}")
    return {"inner": None if expand == 2 else inner}


def _mamba2(count: int, **sizes: int) -> Published:
    return measured("Mamba2ForCausalLM", count, V=50288, groups=1, state=128, w=4, chunk=256, tied=True, **sizes)


ARCHITECTURES = (Architecture(
    "mamba2",
    classes=decoder_heads("Mamba2", decoder(block), "ForCausalLM"),
    sizes="inner",
    follows={"inner": "2d"},
    keys={
        "vocab_size": ("V", 32768),
        "hidden_size": ("d", 4096),
        "num_hidden_layers": ("L", 64),
        "num_heads": ("heads", 128),
        "n_groups": ("groups", 8),
        "state_size": ("state", 128),
        "conv_kernel": ("w", 4),
        "chunk_size": ("chunk", 256),
        "use_bias": ("bias", False),
        "use_conv_bias": ("conv_bias", True),
        "tie_word_embeddings": ("tied", False),
    },
    reads={"expand": 2, "head_dim": 64},
    settle=settle,
    ignored={
        **TIME_STEP,
        "time_step_rank": "the step in time has one number a head, without a rank",
        "intermediate_size": "the inner width is expand · hidden_size",
        "norm_before_gate": "the order of a norm and a product",
        "rms_norm": "read by nothing: the norm is always there",
    },
    stored={
        "embeddings": "embeddings",
        "layers.norm": "layers.{i}.norm",
        **mamba2_names("mixer"),
        "norm": "norm_f",
    },
    stored_heads=HEAD_NAMES,
    base="backbone",
    published={
        "codestral-mamba-7b": measured("Mamba2ForCausalLM", 7_285_403_648, V=32768, d=4096, L=64, inner=8192,
                                       heads=128, groups=8, state=128, w=4, chunk=256, tied=False),
        "mamba2-130m": _mamba2(128_989_632, d=768, L=24, inner=1536, heads=24),
        "mamba2-370m": _mamba2(368_346_624, d=1024, L=48, inner=2048, heads=32),
        "mamba2-780m": _mamba2(780_161_280, d=1536, L=48, inner=3072, heads=48),
        "mamba2-1.3b": _mamba2(1_343_757_312, d=2048, L=48, inner=4096, heads=64),
        "mamba2-2.7b": _mamba2(2_702_599_680, d=2560, L=64, inner=5120, heads=80),
    },
),)
