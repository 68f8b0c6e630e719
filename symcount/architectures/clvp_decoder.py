"""The decoder of CLVP (Tortoise): GPT-2's block, of which the first three maps may have no biases, and words untied.

Source: Betker 2023, "Better speech synthesis through scaling", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import SUMMARY
from symcount.layers import attention, dropped, embed, linear, mlp, norm, positions, residual
from symcount.masks import Mask
from symcount.network import tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters, 3d less without biases on queries, keys and values."""
    y = within("attention", attention, norm(x, "attention_norm"), z=z, t=z.t, mask=Mask(causal=True),
               bias=True if z.attention_bias else "output", dropout="softmax")
    x = residual(x, y)
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, dropout=True))


def body(z: Any) -> Tensor:
    """Vd + Pd parameters for words and positions, L blocks, and a norm."""
    def dressed(ids: Tensor) -> Tensor:
        return dropped(positions(embed(ids, "word", V=z.V, d=z.d)[0], "position", P=z.P, t=z.t))

    x = within("embeddings", dressed, tensor("ids", b=z.b, s=z.s))
    return norm(within("layers", block, x, z=z, runs=z.L), "norm")


def causal_lm(z: Any) -> Tensor:
    """Logits over the vocabulary behind a second norm: dV + V + 2d parameters more, never tied."""
    return linear(norm(body(z), "head.norm"), "head", V=z.V)


_BESIDE = "of the whole that this decoder is a part of"

ARCHITECTURES = (Architecture(
    "clvp_decoder",
    classes={"ClvpModel": body, "ClvpForCausalLM": causal_lm},
    follows={"h": "4d"},
    acts={"activation_function": ("gelu_new", "")},
    keys={
        "vocab_size": ("V", 8194),
        "max_position_embeddings": ("P", 608),
        "hidden_size": ("d", 1024),
        "n_inner": ("h", None),
        "num_hidden_layers": ("L", 30),
        "num_attention_heads": ("heads", 16),
        "use_attention_bias": ("attention_bias", True),
    },
    ignored={
        **dict.fromkeys(SUMMARY, "read by nothing in this family"),
        **dict.fromkeys(("max_text_tokens", "num_mel_attn_blocks", "feature_size", "decoder_fixing_codes"), _BESIDE),
        "tie_word_embeddings": "transformers ties nothing in this family",
    },
    stored={
        "embeddings.word": "decoder.input_embeds_layer",
        "embeddings.position": "decoder.position_embeds_layer",
        "layers.attention_norm": "decoder.layers.{i}.input_layernorm",
        "layers.attention.query": "decoder.layers.{i}.attn.q_proj",
        "layers.attention.key": "decoder.layers.{i}.attn.k_proj",
        "layers.attention.value": "decoder.layers.{i}.attn.v_proj",
        "layers.attention.output": "decoder.layers.{i}.attn.out_proj",
        "layers.mlp_norm": "decoder.layers.{i}.post_attention_layernorm",
        "layers.mlp.up": ("decoder.layers.{i}.mlp.c_fc", "d h"),
        "layers.mlp.down": ("decoder.layers.{i}.mlp.c_proj", "h d"),
        "norm": "decoder.layer_norm",
    },
    stored_heads={"head": "lm_head", "head.norm": "final_norm"},
    base="model",
    published={
        "clvp-decoder": measured("ClvpForCausalLM", 395_302_914, V=8194, P=608, d=1024, L=30, heads=16),
    },
),)
