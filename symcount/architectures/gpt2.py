"""GPT-2: pre-norm decoder with learned positions; the output matrix is the word table.

Source: Radford et al. 2019, "Language models are unsupervised multitask learners", table 2 and section 2.3.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.layers import decoder_heads, embed, norm, positions, pre_norm
from symcount.masks import Mask
from symcount.network import tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Vd + Pd parameters."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    return positions(x, "position", P=z.P, t=z.t), word


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = within("embeddings", embeddings, tensor("ids", b=z.b, s=z.s), z=z)
    x = within("layers", pre_norm, x, z=z, mask=Mask(causal=True), runs=z.L)
    return norm(x, "norm"), word


_MEASURED = "transformers 5.23.0, GPT2LMHeadModel on the meta device, numel of named_parameters (the table once)"


def _gpt2(count: int, **sizes: int) -> Published:
    return Published("GPT2LMHeadModel", {"V": 50257, "P": 1024, **sizes}, count, _MEASURED)


_SUMMARY = "read only by the double-heads class, which is not written"

ARCHITECTURES = (Architecture(
    "gpt2",
    classes=decoder_heads("GPT2", body, "LMHeadModel ForSequenceClassification ForTokenClassification "
                          "ForQuestionAnswering"),
    follows={"h": "4d"},
    keys={
        "vocab_size": ("V", 50257),
        "n_positions": ("P", 1024),
        "n_embd": ("d", 768),
        "n_inner": ("h", None),
        "n_layer": ("L", 12),
        "n_head": ("heads", 12),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    },
    aliases={
        "hidden_size": "n_embd",
        "max_position_embeddings": "n_positions",
        "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
    },
    ignored={
        "n_ctx": "n_positions is the size of the table",
        "activation_function": "an activation has no weights and is elementwise",
        "resid_pdrop": "dropout has no weights",
        "embd_pdrop": "dropout has no weights",
        "attn_pdrop": "dropout has no weights",
        "layer_norm_epsilon": "a constant",
        "scale_attn_weights": "a constant",
        "scale_attn_by_inverse_layer_idx": "a constant",
        "reorder_and_upcast_attn": "the order of the same products",
        "summary_type": _SUMMARY,
        "summary_use_proj": _SUMMARY,
        "summary_activation": _SUMMARY,
        "summary_proj_to_labels": _SUMMARY,
        "summary_first_dropout": _SUMMARY,
    },
    only={"add_cross_attention": ((False,), "cross attention is not written for this family")},
    published={
        "gpt2": _gpt2(124_439_808, d=768, L=12, heads=12),
        "gpt2-medium": _gpt2(354_823_168, d=1024, L=24, heads=16),
        "gpt2-large": _gpt2(774_030_080, d=1280, L=36, heads=20),
        "gpt2-xl": _gpt2(1_557_611_200, d=1600, L=48, heads=25),
    },
),)
