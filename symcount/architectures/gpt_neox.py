"""GPT-NeoX and Pythia: attention and MLP side by side, each with a norm of its own; rotary positions.

Source: Black et al. 2022, "GPT-NeoX-20B", section 2.1; Biderman et al. 2023, "Pythia", table 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.hub import measured
from symcount.hub.decoders import ROTARY
from symcount.layers import attention, decoder, decoder_heads, mlp, norm, residual
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    y = within("attention", attention, norm(x, "attention_norm"), z=z, t=z.t, bias=z.attention_bias,
               position="partial_rotary", mask=Mask(causal=True))
    attended = residual(x, y)
    y = within("mlp", mlp, norm(x if z.parallel else attended, "mlp_norm"), h=z.h)
    return residual(attended, y)


def _pythia(count: int, V: int = 50304, **sizes: Any) -> Published:
    return measured("GPTNeoXForCausalLM", count, V=V, **sizes)


ARCHITECTURES = (Architecture(
    "gpt_neox",
    classes=decoder_heads("GPTNeoX", decoder(block, shift=True)),
    keys={
        "vocab_size": ("V", 50432),
        "hidden_size": ("d", 6144),
        "intermediate_size": ("h", 24576),
        "num_hidden_layers": ("L", 44),
        "num_attention_heads": ("heads", 64),
        "attention_bias": ("attention_bias", True),
        "use_parallel_residual": ("parallel", True),
        "tie_word_embeddings": ("tied", False),
        "num_labels": ("C", 2),
    },
    ignored={
        **ROTARY,
        "rotary_pct": "rotation has no weights and is elementwise",
        "rotary_emb_base": "rotation has no weights and is elementwise",
        "is_decoder": "a note about the file",
    },
    stored={
        "embeddings": "embed_in",
        "layers.attention_norm": "layers.{i}.input_layernorm",
        ("layers.attention.query", "layers.attention.key", "layers.attention.value"):
            "layers.{i}.attention.query_key_value",
        "layers.attention.output": "layers.{i}.attention.dense",
        "layers.mlp_norm": "layers.{i}.post_attention_layernorm",
        "layers.mlp.up": "layers.{i}.mlp.dense_h_to_4h",
        "layers.mlp.down": "layers.{i}.mlp.dense_4h_to_h",
        "norm": "final_layer_norm",
    },
    stored_heads={"head": "lm_head", "classifier": "score", "answers": "qa_outputs",
                  "GPTNeoXForTokenClassification": {"classifier": "classifier"}},
    base="gpt_neox",
    published={
        "gpt-neox-20b": _pythia(20_554_567_680, V=50432, d=6144, h=24576, L=44, heads=64, acts="gelu_fast"),
        "pythia-70m": _pythia(70_426_624, d=512, h=2048, L=6, heads=8),
        "pythia-160m": _pythia(162_322_944, d=768, h=3072, L=12, heads=12),
        "pythia-410m": _pythia(405_334_016, d=1024, h=4096, L=24, heads=16),
        "pythia-1b": _pythia(1_011_781_632, d=2048, h=8192, L=16, heads=8),
        "pythia-1.4b": _pythia(1_414_647_808, d=2048, h=8192, L=24, heads=16),
        "pythia-2.8b": _pythia(2_775_208_960, d=2560, h=10240, L=32, heads=32),
        "pythia-6.9b": _pythia(6_857_302_016, V=50432, d=4096, h=16384, L=32, heads=32),
        "pythia-12b": _pythia(11_846_072_320, V=50688, d=5120, h=20480, L=36, heads=40),
    },
),)
