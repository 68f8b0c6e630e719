"""Mistral: the LLaMA block without biases, whose layers may attend to a window; in Ministral and CWM only some do.

Source: Jiang et al. 2023, "Mistral 7B", table 1 and section 2; FAIR CodeGen team 2025, "CWM", section 3 (local and
global layers).
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, UNBIASED, decoder_keys
from symcount.hub.settling import one_window, windows
from symcount.layers import decoder, decoder_heads, rotary_block, windowed
from symcount.layers.transformer import window_block
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.masks import Mask


def block(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 2d parameters."""
    return rotary_block(x, z, mask, bias=False)


def cwm_block(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """The same, and 2h + d more where the MLP has biases."""
    return rotary_block(x, z, mask, bias=False, mlp_bias=z.mlp_bias)


def all_or_none(config: dict[str, Any]) -> dict[str, Any]:
    """Every layer has the window, or none where it is null, unless layer_types says otherwise."""
    return windows(config, config["num_hidden_layers"] if config["sliding_window"] is None else 0)


def every_fourth(config: dict[str, Any]) -> dict[str, Any]:
    """Layers 0, 4, 8, … are global, unless layer_types says otherwise."""
    return windows(config, -(-config["num_hidden_layers"] // 4))


FOLLOWS = {"kv": "heads", "k": "d/heads"}
IGNORED = {**ROTARY, "is_decoder": "a decoder in any case", "use_sliding_window": "read by nothing"}


def _mistral(count: int, **sizes: Any) -> Published:
    return measured("MistralForCausalLM", count, **sizes)


ARCHITECTURES = (Architecture(
    "mistral",
    classes=decoder_heads("Mistral", decoder(window_block)),
    sizes="window",
    follows=FOLLOWS,
    keys=decoder_keys(V=32000, d=4096, h=14336, L=32, heads=32, kv=8),
    reads={"sliding_window": 4096},
    settle=one_window,
    ignored={**IGNORED, "layer_types": MASKED},
    only=UNBIASED,
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "mistral-7b-v0.1": _mistral(7_241_732_096, V=32000, d=4096, h=14336, L=32, heads=32, kv=8, k=128, window=4096),
        "mistral-7b-v0.2": _mistral(7_241_732_096, V=32000, d=4096, h=14336, L=32, heads=32, kv=8, k=128, window=None),
        "mistral-7b-v0.3": _mistral(7_248_023_552, V=32768, d=4096, h=14336, L=32, heads=32, kv=8, k=128, window=None),
        "zephyr-7b": _mistral(7_241_732_096, V=32000, d=4096, h=14336, L=32, heads=32, kv=8, k=128, window=4096),
        "mistral-nemo-12b": _mistral(12_247_782_400, V=131072, d=5120, h=14336, L=40, heads=32, kv=8, k=128,
                                     window=None),
        "mistral-small-24b": _mistral(23_572_403_200, V=131072, d=5120, h=32768, L=40, heads=32, kv=8, k=128,
                                      window=None),
        "codestral-22b": _mistral(22_247_282_688, V=32768, d=6144, h=16384, L=56, heads=48, kv=8, k=128, window=None),
        "mistral-large-123b": _mistral(122_610_069_504, V=32768, d=12288, h=28672, L=88, heads=96, kv=8, k=128,
                                       window=None),
    },
), Architecture(
    "ministral",
    classes=decoder_heads("Ministral", windowed(block)),
    sizes="window L_global",
    follows=FOLLOWS,
    keys=decoder_keys(V=32000, d=4096, h=14336, L=32, heads=32, kv=8),
    reads={"sliding_window": 4096, "layer_types": None},
    settle=all_or_none,
    ignored=IGNORED,
    only=UNBIASED,
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "MinistralForQuestionAnswering": "transformer"},
    published={
        "ministral-8b": measured("MinistralForCausalLM", 8_019_808_256, V=131072, d=4096, h=12288, L=36, heads=32, kv=8,
                                 k=128, L_global=9, window=32768),
    },
), Architecture(
    "ministral3",
    classes=decoder_heads("Ministral3", decoder(window_block)),
    sizes="window",
    follows=FOLLOWS,
    keys=decoder_keys(V=131072, d=4096, h=14336, L=34, heads=32, kv=8, k=128),
    reads={"sliding_window": None},
    settle=one_window,
    ignored={**IGNORED, "layer_types": MASKED},
    only=UNBIASED,
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
), Architecture(
    "cwm",
    classes=decoder_heads("Cwm", windowed(cwm_block), "ForCausalLM"),
    sizes="window L_global",
    follows={**FOLLOWS, "L_global": "ceil(L/4)"},
    keys={
        **decoder_keys(V=128256, d=6144, h=21504, L=64, heads=48, kv=8, k=128),
        "mlp_bias": ("mlp_bias", False),
    },
    reads={"sliding_window": 8192, "layer_types": None},
    settle=every_fourth,
    ignored=ROTARY,
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "cwm": measured("CwmForCausalLM", 32_581_097_472, V=128256, d=6144, h=21504, L=64, heads=48, kv=8, k=128,
                        L_global=16, window=8192),
    },
),)
