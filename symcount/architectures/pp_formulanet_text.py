"""The text model of PP-FormulaNet, alone: the decoder of mBART, whose attention to images is stored and never runs.

Source: Liu et al. 2025, "PP-FormulaNet", section 3; Liu et al. 2020, "Multilingual denoising pre-training", section
2.2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.layers import embed, norm, positions
from symcount.layers.encoder_decoder import before, decoder_block
from symcount.network import tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def dressed(ids: Tensor, z: Any) -> Tensor:
    """(V + P + 2)d + 2d parameters: the first two positions are never read."""
    x = positions(embed(ids, "word", V=z.V, d=z.d)[0], "position", P=z.P, t=z.t, skip=2)
    return norm(x, "norm")


def body(z: Any) -> Tensor:
    """The last hidden states: L_dec blocks of 8d² + 2dh_dec + 15d + h_dec parameters, and a norm."""
    x = within("embeddings", dressed, tensor("ids", b=z.b, s=z.s), z=z)
    return norm(within("layers", decoder_block, x, z=z, place=before, memory=None, runs=z.L_dec), "norm")


BESIDE = "of the tower for images"

ARCHITECTURES = (Architecture(
    "pp_formulanet_text",
    classes={"PPFormulaNetTextModel": body},
    acts={"activation_function": ("", "")},
    keys={
        "vocab_size": ("V", 50000),
        "max_position_embeddings": ("P", 2560),
        "d_model": ("d", 512),
        "decoder_ffn_dim": ("h_dec", 2048),
        "decoder_layers": ("L_dec", 8),
        "decoder_attention_heads": ("heads_dec", 16),
    },
    aliases={"hidden_size": "d_model", "num_hidden_layers": "encoder_layers",
             "num_attention_heads": "encoder_attention_heads"},
    ignored={
        **dict.fromkeys(("encoder_layers", "encoder_attention_heads", "encoder_ffn_dim"), BESIDE),
        "scale_embedding": "a constant",
        "init_std": "how weights start, not how many there are",
        "is_encoder_decoder": "a note about the file",
        "tie_word_embeddings": "no class with words is written for this family",
    },
    stored={
        "embeddings.word": "embed_tokens",
        "embeddings.position": "embed_positions",
        "embeddings.norm": "layernorm_embedding",
        **{f"layers.{ours}.{name}": f"layers.{{i}}.{theirs}.{their}"
           for ours, theirs in (("attention", "self_attn"), ("cross", "encoder_attn"))
           for name, their in (("query", "q_proj"), ("key", "k_proj"), ("value", "v_proj"), ("output", "out_proj"))},
        "layers.attention_norm": "layers.{i}.self_attn_layer_norm",
        "layers.cross_norm": "layers.{i}.encoder_attn_layer_norm",
        "layers.mlp_norm": "layers.{i}.final_layer_norm",
        "layers.mlp.up": "layers.{i}.fc1",
        "layers.mlp.down": "layers.{i}.fc2",
        "norm": "layer_norm",
    },
    published={
        "pp-formulanet-plus-l-text": measured("PPFormulaNetTextModel", 60_546_048, V=50000, P=2560, d=512, h_dec=2048,
                                              L_dec=8, heads_dec=16),
    },
),)
