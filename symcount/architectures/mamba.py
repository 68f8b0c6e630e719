"""Mamba: layers of one selective state-space mixer each, no attention and no MLP.

Source: Gu and Dao 2023, "Mamba", section 3.4; Falcon Mamba: Zuo et al. 2024, "Falcon Mamba", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import HEAD_NAMES, TIME_STEP, mamba_names
from symcount.hub.settling import number
from symcount.layers import decoder, decoder_heads, norm, residual
from symcount.layers.state_space import mamba
from symcount.network import pointwise, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def block(x: Tensor, z: Any) -> Tensor:
    """d + 3d·inner + inner(w + 2r_dt + 3state + 3) parameters, with the bias of the convolution."""
    y = norm(x, "norm", shift=False)
    return residual(x, within("mixer", mamba, y, inner=z.inner, state=z.state, r_dt=z.r_dt, w=z.w, bias=z.bias,
                              conv_bias=z.conv_bias))


def falcon_block(x: Tensor, z: Any) -> Tensor:
    """The same parameters: the three norms of what was selected have none."""
    y = norm(x, "norm", shift=False)
    return residual(x, within("mixer", mamba, y, inner=z.inner, state=z.state, r_dt=z.r_dt, w=z.w, bias=z.bias,
                              conv_bias=z.conv_bias,
                              normed=lambda part, name: pointwise(part, kind="rms_norm", name=name)))


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The inner width, expand·d unless it is given, and the rank of the step in time."""
    d, rank = number(config, "hidden_size"), config["time_step_rank"]
    inner = number(config, "expand") * d if config["intermediate_size"] is None else number(config, "intermediate_size")
    return {"inner": None if inner == 2 * d else inner,
            "r_dt": None if rank == "auto" else number(config, "time_step_rank")}


IGNORED = {
    **TIME_STEP,
    **dict.fromkeys(("d_model", "d_inner", "n_layer", "ssm_cfg", "rms_norm", "fused_add_norm",
                     "pad_vocab_size_multiple"), "a note of the original release, read by nothing"),
}
STORED = {
    "embeddings": "embeddings",
    "layers.norm": "layers.{i}.norm",
    **mamba_names("mixer"),
    "norm": "norm_f",
}
SIZES = {
    "vocab_size": ("V", 50280),
    "hidden_size": ("d", 768),
    "num_hidden_layers": ("L", 32),
    "state_size": ("state", 16),
    "conv_kernel": ("w", 4),
    "use_bias": ("bias", False),
    "use_conv_bias": ("conv_bias", True),
    "tie_word_embeddings": ("tied", True),
}


def _mamba(count: int, **sizes: int) -> Published:
    return measured("MambaForCausalLM", count, V=50280, state=16, w=4, **sizes)


ARCHITECTURES = (
    Architecture(
        "mamba",
        classes=decoder_heads("Mamba", decoder(block), "ForCausalLM"),
        sizes="inner r_dt",
        follows={"inner": "2d", "r_dt": "ceil(d, 16)"},
        keys=SIZES,
        reads={"expand": 2, "intermediate_size": None, "time_step_rank": "auto"},
        settle=settle,
        ignored=IGNORED,
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="backbone",
        published={
            "mamba-130m": _mamba(129_135_360, d=768, inner=1536, r_dt=48, L=24),
            "mamba-370m": _mamba(371_516_416, d=1024, inner=2048, r_dt=64, L=48),
            "mamba-790m": _mamba(793_204_224, d=1536, inner=3072, r_dt=96, L=48),
            "mamba-1.4b": _mamba(1_372_178_432, d=2048, inner=4096, r_dt=128, L=48),
            "mamba-2.8b": _mamba(2_768_345_600, d=2560, inner=5120, r_dt=160, L=64),
        },
    ),
    Architecture(
        "falcon_mamba",
        classes=decoder_heads("FalconMamba", decoder(falcon_block), "ForCausalLM"),
        sizes="inner r_dt",
        follows={"inner": "2d", "r_dt": "ceil(d, 16)"},
        keys=SIZES,
        reads={"expand": 2, "intermediate_size": None, "time_step_rank": "auto"},
        settle=settle,
        ignored={
            **IGNORED,
            "use_falcon_mambapy": "another kernel for the same products",
            "mixer_rms_eps": "a constant",
        },
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="backbone",
        published={
            "falcon-mamba-7b": measured("FalconMambaForCausalLM", 7_272_665_088, V=65024, d=4096, L=64, state=16, w=4,
                                        inner=8192, r_dt=256, tied=False),
        },
    ),
)
