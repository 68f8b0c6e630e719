"""SmolLM3: the LLaMA block; every fourth layer has no positions, and only such a layer may have a window.

Source: Bakouch et al. 2025, "SmolLM3: smol, multilingual, long-context reasoner", architecture.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import windows
from symcount.layers import decoder_heads, rotary_block, windowed
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.masks import Mask


def block(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 2d parameters."""
    return rotary_block(x, z, mask, bias=z.attention_bias, mlp_bias=z.mlp_bias)


def window_without_positions(config: dict[str, Any]) -> dict[str, Any]:
    """Where windows are used, the layers without rotary positions have one, unless layer_types says otherwise."""
    used, L = config["use_sliding_window"], config["num_hidden_layers"]
    if not isinstance(used, bool):
        raise ConfigError(f"use_sliding_window = {used!r}: true or false is needed")
    turned, every = config["no_rope_layers"], config["no_rope_layer_interval"]  # turned: 1 where there are positions
    if not used or config["sliding_window"] is None:
        return windows(config, L)
    if turned is None:
        if not isinstance(every, int) or isinstance(every, bool) or every < 1:
            raise ConfigError(f"no_rope_layer_interval = {every!r}: a whole number of at least 1 is needed")
        return windows(config, L - L // every)
    if not isinstance(turned, list) or len(turned) != L or not all(one in (0, 1) for one in turned):
        raise ConfigError(f"no_rope_layers: a list of 0 or 1 for each of the {L} layers is needed")
    return windows(config, sum(turned))


ARCHITECTURES = (Architecture(
    "smollm3",
    classes=decoder_heads("SmolLM3", windowed(block)),
    sizes="window",
    follows={"kv": "heads", "k": "d/heads", "L_global": "L"},
    keys={
        **decoder_keys(V=128256, d=2048, h=11008, L=36, heads=16, kv=4, tied=True),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
    },
    reads={
        "use_sliding_window": False,
        "sliding_window": None,
        "layer_types": None,
        "no_rope_layers": None,
        "no_rope_layer_interval": 4,
    },
    settle=window_without_positions,
    ignored={**ROTARY, "max_window_layers": "read by nothing"},
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "SmolLM3ForQuestionAnswering": "transformer"},
    published={
        "smollm3-3b": measured("SmolLM3ForCausalLM", 3_075_098_624, V=128256, d=2048, h=11008, L=36, heads=16, kv=4,
                               k=128, tied=True),
    },
),)
