"""GPT-NeoX Japanese: GPT-NeoX one part after the other, without biases but that of attention in the last layer.

Source: the release by ABEJA, 2022; Black et al. 2022, "GPT-NeoX-20B", section 2.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import ROTARY
from symcount.hub.settling import number
from symcount.layers import attention, decoder_heads, mlp, norm, residual, words
from symcount.masks import Mask
from symcount.network import within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any, *, bias: bool | str = False) -> Tensor:
    """4d² + 2dh + 4d parameters, and d for the `bias` of the map out."""
    y = within("attention", attention, norm(x, "attention_norm"), z=z, t=z.t, bias=bias, position="partial_rotary",
               mask=Mask(causal=True), dropout="softmax")
    x = residual(x, y)
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, bias=False))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    x = within("layers.first", block, x, z=z, runs=rest(z.L, 1))
    return norm(within("layers.last", block, x, z=z, bias="output"), "norm"), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The MLP is some times as wide as the model."""
    times = number(config, "intermediate_multiple_size")
    return {"h": None if times == 4 else times * config["hidden_size"]}


ARCHITECTURES = (Architecture(
    "gpt_neox_japanese",
    classes=decoder_heads("GPTNeoXJapanese", body, "ForCausalLM"),
    sizes="h",
    follows={"h": "4d"},
    keys={
        "vocab_size": ("V", 32000),
        "hidden_size": ("d", 2560),
        "num_hidden_layers": ("L", 32),
        "num_attention_heads": ("heads", 32),
        "tie_word_embeddings": ("tied", True),
    },
    reads={"intermediate_multiple_size": 4},
    settle=settle,
    ignored={
        **ROTARY,
        **dict.fromkeys(("rotary_pct", "rotary_emb_base"), "rotation has no weights and is elementwise"),
        "is_decoder": "a note about the file",
    },
    stored={
        "embeddings": "embed_in",
        "layers.attention_norm": "layers.{i}.input_layernorm",
        ("layers.attention.query", "layers.attention.key", "layers.attention.value"):
            "layers.{i}.attention.query_key_value",
        "layers.attention.output": "layers.{i}.attention.dense",
        "layers.attention.output.bias": "layers.{i}.attention.dense_bias",
        "layers.mlp_norm": "layers.{i}.post_attention_layernorm",
        "layers.mlp.up": "layers.{i}.mlp.dense_h_to_4h",
        "layers.mlp.down": "layers.{i}.mlp.dense_4h_to_h",
        "norm": "final_layer_norm",
    },
    stored_heads={"head": "embed_out"},
    base="gpt_neox_japanese",
    published={
        "gpt-neox-japanese-2.7b": measured("GPTNeoXJapaneseForCausalLM", 2_598_837_760, V=32000, d=2560, L=32,
                                           heads=32),
    },
),)
