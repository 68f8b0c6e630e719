"""BLOOM and MPT: pre-norm decoders without positions of their own; a slope for each head penalises distance (ALiBi).

BLOOM normalises what the word table gives, too; MPT has no bias anywhere, in norms neither.

Source: Le Scao et al. 2022, "BLOOM", section 3.2 and table 3; MosaicML 2023, "MPT-7B" and "MPT-30B";
Press et al. 2022, "Train short, test long", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.hub import measured
from symcount.layers import attention, decoder_heads, embed, mlp, norm, pre_norm, residual, words
from symcount.masks import Mask
from symcount.network import tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Vd + 2d parameters."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    return norm(x, "norm"), word


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = within("embeddings", embeddings, tensor("ids", b=z.b, s=z.s), z=z)
    x = within("layers", pre_norm, x, z=z, mask=Mask(causal=True), dropout=False, runs=z.L)
    return norm(x, "norm"), word


def plain_norm(x: Tensor, name: str) -> Tensor:
    """LayerNorm without a shift: d parameters."""
    return norm(x, name, shift=False, kind="layer_norm")


def mpt_block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 2d parameters."""
    x = residual(x, within("attention", attention, plain_norm(x, "attention_norm"), z=z, t=z.t, bias=False,
                           mask=Mask(causal=True)))
    return residual(x, within("mlp", mlp, plain_norm(x, "mlp_norm"), h=z.h, bias=False))


def mpt_body(z: Any) -> tuple[Tensor, Tensor]:
    """The same without a norm of what the table gives, and without a shift: d parameters beside table and blocks."""
    x, word = words(z)
    x = within("layers", mpt_block, x, z=z, runs=z.L)
    return plain_norm(x, "norm"), word


def _bloom(count: int, **sizes: int) -> Published:
    return measured("BloomForCausalLM", count, V=250880, **sizes)


def _mpt(count: int, **sizes: int) -> Published:
    return measured("MptForCausalLM", count, V=50432, **sizes)


FUSED = ("layers.attention.query", "layers.attention.key", "layers.attention.value")
_SCRIPT = "a setting of the training script, read by nothing"
_ALIBI = "slopes have no table"

ARCHITECTURES = (
    Architecture(
        "bloom",
        classes=decoder_heads("Bloom", body),
        follows={"h": "4d"},
        acts={"": ("gelu_fast", "")},
        keys={
            "vocab_size": ("V", 250880),
            "hidden_size": ("d", 64),
            "n_layer": ("L", 2),
            "n_head": ("heads", 8),
            "tie_word_embeddings": ("tied", True),
            "num_labels": ("C", 2),
        },
        aliases={"num_hidden_layers": "n_layer", "num_attention_heads": "n_head", "n_embed": "hidden_size"},
        ignored={
            "apply_residual_connection_post_layernorm": "which of two equal shapes is added",
            "slow_but_exact": "the order of the same products",
            "seq_length": _ALIBI,
            "offset_alibi": _ALIBI,
            **dict.fromkeys(("attention_softmax_in_fp32", "bias_dropout_fusion", "masked_softmax_fusion",
                             "skip_bias_add", "skip_bias_add_qkv"), _SCRIPT),
        },
        only={"n_inner": ((None,), "the MLP is always 4 times as wide as the model")},
        stored={
            "embeddings.word": "word_embeddings",
            "embeddings.norm": "word_embeddings_layernorm",
            "layers.attention_norm": "h.{i}.input_layernorm",
            FUSED: "h.{i}.self_attention.query_key_value",
            "layers.attention.output": "h.{i}.self_attention.dense",
            "layers.mlp_norm": "h.{i}.post_attention_layernorm",
            "layers.mlp.up": "h.{i}.mlp.dense_h_to_4h",
            "layers.mlp.down": "h.{i}.mlp.dense_4h_to_h",
            "norm": "ln_f",
        },
        stored_heads={"head": "lm_head", "classifier": "score", "answers": "qa_outputs",
                      "BloomForTokenClassification": {"classifier": "classifier"}},
        base="transformer",
        published={
            "bloom-560m": _bloom(559_214_592, d=1024, L=24, heads=16),
            "bloom-1b1": _bloom(1_065_314_304, d=1536, L=24, heads=16),
            "bloom-1b7": _bloom(1_722_408_960, d=2048, L=24, heads=16),
            "bloom-3b": _bloom(3_002_557_440, d=2560, L=30, heads=32),
            "bloom-7b1": _bloom(7_069_016_064, d=4096, L=30, heads=32),
            "bloom-176b": _bloom(176_247_271_424, d=14336, L=70, heads=112),
        },
    ),
    Architecture(
        "mpt",
        classes=decoder_heads("Mpt", mpt_body),
        follows={"h": "4d"},
        acts={},
        keys={
            "vocab_size": ("V", 50368),
            "d_model": ("d", 2048),
            "n_layers": ("L", 24),
            "n_heads": ("heads", 16),
            "tie_word_embeddings": ("tied", True),
            "num_labels": ("C", 2),
        },
        aliases={"hidden_size": "d_model", "num_hidden_layers": "n_layers", "num_attention_heads": "n_heads"},
        ignored={
            "max_seq_len": _ALIBI,
            "learned_pos_emb": "read only where there are no slopes",
            "logit_scale": "elementwise",
            "norm_type": "all kinds have one gain for each of d",
            "emb_pdrop": "dropout has no weights",
            "attn_config.model_type": "a note about the file",
            "attn_config.attn_pdrop": "dropout has no weights",
            "attn_config.attn_impl": "another kernel for the same products",
            "attn_config.clip_qkv": "bounds the same numbers",
            "attn_config.softmax_scale": "a constant",
            "attn_config.prefix_lm": "which scores are masked; all are computed",
            "attn_config.attn_uses_sequence_id": "which scores are masked; all are computed",
            "attn_config.alibi_bias_max": _ALIBI,
            **dict.fromkeys(("init_config", "init_device", "embedding_fraction", "verbose", "tokenizer_name"), _SCRIPT),
        },
        only={
            "expansion_ratio": ((4,), "the MLP is always 4 times as wide as the model"),
            "no_bias": ((True,), "transformers builds no biases for this family"),
            "attn_config": ((None,), "a table of settings is needed"),
            "attn_config.is_encoder_decoder": ((False,), "this family has one stack"),
            "attn_config.attn_type": (("multihead_attention",), "transformers builds as many keys as queries"),
            "attn_config.qk_ln": ((False,), "transformers builds no norms of queries and keys for this family"),
            "attn_config.alibi": ((True,), "transformers always adds slopes"),
        },
        stored={
            "embeddings": "wte",
            "layers.attention_norm": "blocks.{i}.norm_1",
            FUSED: "blocks.{i}.attn.Wqkv",
            "layers.attention.output": "blocks.{i}.attn.out_proj",
            "layers.mlp_norm": "blocks.{i}.norm_2",
            "layers.mlp.up": "blocks.{i}.ffn.up_proj",
            "layers.mlp.down": "blocks.{i}.ffn.down_proj",
            "norm": "norm_f",
        },
        stored_heads={"head": "lm_head", "classifier": "score", "answers": "qa_outputs",
                      "MptForTokenClassification": {"classifier": "classifier"}},
        base="transformer",
        published={
            "mpt-7b": _mpt(6_649_286_656, d=4096, L=32, heads=32),
            "mpt-30b": _mpt(29_957_200_896, d=7168, L=48, heads=64),
        },
    ),
)
