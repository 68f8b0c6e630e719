"""Cohere Command R: attention and a gated MLP side by side behind one norm, and the output matrix is the word table.

Source: the configurations of Command R, Command R+ and Command R7B; the parallel block is that of Chowdhery et al.
2022, "PaLM", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import global_every, windows
from symcount.layers import attention, decoder, decoder_heads, gated, norm, residual, windowed
from symcount.layers.attention import each_head
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published

CAUSAL = Mask(causal=True)


def block(x: Tensor, z: Any, mask: Mask = CAUSAL, position: str | None = "rotary") -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + d parameters, (heads + kv)k more with normed queries and keys."""
    y = norm(x, "norm", shift=False, kind="layer_norm")
    x = residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                           position=position, mask=mask, normed=each_head if z.qk_norm else None))
    return residual(x, within("mlp", gated, y, h=z.h))


def block2(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """The same: 2dk·heads + 2dk·kv + 3dh + d parameters. Layers that see all tokens do not know their positions."""
    return block(x, z, mask, "rotary" if mask.window is not None else None)


COMPASS = windowed(block, kind="layer_norm")


def compass(config: dict[str, Any]) -> dict[str, Any]:
    """The layers without a window, all unless layer_types says, and the window of the others."""
    L = config["num_hidden_layers"]
    found = windows(config, L)
    return {**found, "L_global": None if found["L_global"] == L else found["L_global"]}


KEYS = {
    **decoder_keys(V=256000, d=8192, h=22528, L=40, heads=64, tied=True),
    "attention_bias": ("attention_bias", False),
}
NO_WEIGHTS = {
    **ROTARY,
    "model_max_length": "rotary positions have no table",
    "logit_scale": "a constant",
}
NAMES = {
    **DECODER_NAMES,
    "layers.norm": "layers.{i}.input_layernorm",
    "layers.attention.query_norm.weight": ("layers.{i}.self_attn.q_norm.weight", "heads k"),
    "layers.attention.key_norm.weight": ("layers.{i}.self_attn.k_norm.weight", "kv k"),
}
_NOTE = "a note of the release: no model of this family has another value"


def _cohere(count: int, **sizes: Any) -> Published:
    return measured("CohereForCausalLM", count, V=256000, **sizes)


def _cohere2(count: int, **sizes: int) -> Published:
    return measured("Cohere2ForCausalLM", count, V=256000, kv=8, k=128, window=4096, **sizes)


ARCHITECTURES = (Architecture(
    "cohere",
    classes=decoder_heads("Cohere", decoder(block, kind="layer_norm"), "ForCausalLM"),
    follows={"kv": "heads", "k": "d/heads"},
    keys={**KEYS, "use_qk_norm": ("qk_norm", False)},
    ignored=NO_WEIGHTS,
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "command-r-35b": _cohere(34_980_831_232, d=8192, h=22528, L=40, heads=64),
        "command-r-plus": _cohere(103_810_674_688, d=12288, h=33792, L=64, heads=96, kv=8, k=128,
                                  qk_norm=True),
        "command-r-08-2024": _cohere(32_296_476_672, d=8192, h=24576, L=40, heads=64, kv=8, k=128),
        "aya-23-8b": _cohere(8_028_033_024, d=4096, h=14336, L=32, heads=32, kv=8, k=128),
        "aya-23-35b": _cohere(34_980_831_232, d=8192, h=22528, L=40, heads=64),
    },
), Architecture(
    "cohere2",
    classes=decoder_heads("Cohere2", windowed(block2, kind="layer_norm"), "ForCausalLM"),
    sizes="window L_global",
    flags={"qk_norm": False},
    follows={"kv": "heads", "k": "d/heads", "L_global": "floor(L/4)"},
    keys=KEYS,
    reads={"sliding_window": 4096, "sliding_window_pattern": 4, "layer_types": None},
    settle=global_every(4),
    ignored={
        **NO_WEIGHTS,
        "_sliding_window_pattern": "layer_types says it",
        "cache_implementation": "how keys and values are kept, not how many there are",
        "layer_switch": "a note of the release; sliding_window_pattern says it",
        "order_of_interleaved_layers": "the order of the same layers",
        "rotary_pct": "rotation has no weights and is elementwise",
    },
    only={
        "position_embedding_type": (("rope_gptj",), _NOTE),
        "use_embedding_sharing": ((True,), _NOTE),
        "use_gated_activation": ((True,), _NOTE),
        "use_parallel_block": ((True,), _NOTE),
        "use_parallel_embedding": ((False, True), _NOTE),
        "use_qk_norm": ((False,), _NOTE),
    },
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "command-r7b-12-2024": _cohere2(8_028_033_024, d=4096, h=14336, L=32, L_global=8, heads=32),
        "command-a-03-2025": _cohere2(111_057_580_032, d=12288, h=36864, L=64, L_global=16, heads=96),
    },
), Architecture(
    "cohere_compass_text",
    classes={
        **decoder_heads("CohereCompassText", COMPASS, "ForSequenceClassification"),
        "CohereCompassForCausalLM": decoder_heads("CohereCompass", COMPASS)["CohereCompassForCausalLM"],
    },
    sizes="window L_global",
    flags={"qk_norm": False},
    follows={"kv": "heads", "k": "d/heads", "L_global": "L"},
    keys=KEYS,
    reads={"sliding_window": 4096, "layer_types": None},
    settle=compass,
    ignored={**NO_WEIGHTS, "pooling": "which row stands for a text, not how many there are"},
    stored=NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
))
