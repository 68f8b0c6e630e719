"""XLM: BERT over many languages, told the language of each token.

Source: Conneau and Lample 2019, "Cross-lingual language model pretraining", section 5.1; the heads are those of
transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import SUMMARY_ONLY
from symcount.layers import activation, embed, linear, norm, positions, residual, spans
from symcount.layers.encoder import encoder
from symcount.network import select, within
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embeddings(ids: Tensor, languages: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P)d + 2d parameters, and d for each language where a model knows more than one."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    x = positions(x, "position", P=z.P, t=z.t)
    if z.told:
        x = residual(x, embed(languages, "language", types=z.types, d=z.d)[0])
    return norm(x, "norm"), word


body = encoder(embeddings, inputs="ids languages")


def causal_lm(z: Any) -> Tensor:
    """Logits over the vocabulary: V parameters; untied, Vd more."""
    x, word = body(z)
    return linear(x, "head", w=word if z.tied else None, V=z.V)


def summary(x: Tensor, z: Any) -> Tensor:
    """Scores of the first token: dC + C parameters."""
    return activation(linear(select(x, "s"), "summary", C=z.C), "linear")


def choice(x: Tensor, z: Any) -> Tensor:
    """One score of the C scores: C + 1 parameters more."""
    return linear(summary(x, z), "output", over="C", score=1)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """One language needs no telling; the activation is one of two."""
    return {"told": config["use_lang_emb"] and config["n_langs"] != 1,
            "acts": {"mlp": "gelu" if config["gelu_activation"] else "relu"}}


def _xlm(count: int, **sizes: Any) -> Published:
    return measured("XLMWithLMHeadModel", count, **{"P": 512, "types": 1, "told": False, **sizes})


_NOTE = "a note of the original release, read by nothing"

ARCHITECTURES = (Architecture(
    "xlm",
    classes={
        "XLMModel": lambda z: body(z)[0],
        "XLMWithLMHeadModel": causal_lm,
        "XLMForSequenceClassification": lambda z: within("classifier", summary, body(z)[0], z=z),
        "XLMForMultipleChoice": lambda z: within("classifier", choice, body(z)[0], z=z),
        "XLMForTokenClassification": lambda z: linear(body(z)[0], "classifier", C=z.C),
        "XLMForQuestionAnsweringSimple": lambda z: spans(body(z)[0], "answers", exactly(z.C, 2)),
    },
    acts={"summary_activation": ("linear", "summary")},
    keys={
        "vocab_size": ("V", 30145),
        "max_position_embeddings": ("P", 512),
        "n_langs": ("types", 1),
        "emb_dim": ("d", 2048),
        "n_layers": ("L", 12),
        "n_heads": ("heads", 16),
        "causal": ("decoder", False),
        "use_lang_emb": ("languages", True),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    },
    flags={"told": False},
    follows={"h": "4d"},
    reads={"gelu_activation": True},
    settle=settle,
    aliases={"hidden_size": "emb_dim", "num_attention_heads": "n_heads", "num_hidden_layers": "n_layers",
             "n_words": "vocab_size"},
    ignored={
        "sinusoidal_embeddings": "fills the same position table with sines",
        **dict.fromkeys(("embed_init_std", "init_std"), "how weights start, not how many there are"),
        **dict.fromkeys(("unk_index", "mask_index", "bos_index", "eos_index", "pad_index", "lang_id", "lang2id",
                         "id2lang"), "which number stands for which token or language"),
        **dict.fromkeys(("start_n_top", "end_n_top"), "read only by the class that searches answers, not written"),
        **dict.fromkeys(("asm_cutoffs", "asm_div_value"), "read only with asm"),
        **dict.fromkeys(("max_vocab", "min_count", "same_enc_dec", "share_inout_emb", "tokens_per_batch", "use_apex"),
                        _NOTE),
        **dict.fromkeys(("summary_first_dropout", "summary_last_dropout"), "dropout has no weights"),
    },
    only={
        **SUMMARY_ONLY,
        "summary_proj_to_labels": ((True,), "a text is projected to its scores"),
        "asm": ((False,), "an adaptive softmax is not written"),
        "is_encoder": ((True,), "the family is an encoder"),
    },
    stored={
        "embeddings.word": "embeddings",
        "embeddings.position": "position_embeddings",
        "embeddings.language": "lang_embeddings",
        "embeddings.norm": "layer_norm_emb",
        "layers.attention.query": "attentions.{i}.q_lin",
        "layers.attention.key": "attentions.{i}.k_lin",
        "layers.attention.value": "attentions.{i}.v_lin",
        "layers.attention.output": "attentions.{i}.out_lin",
        "layers.attention_norm": "layer_norm1.{i}",
        "layers.mlp.up": "ffns.{i}.lin1",
        "layers.mlp.down": "ffns.{i}.lin2",
        "layers.mlp_norm": "layer_norm2.{i}",
    },
    stored_heads={
        "head": "pred_layer.proj",
        "classifier": "classifier",
        "classifier.summary": "sequence_summary.summary",
        "classifier.output": "logits_proj",
        "answers": "qa_outputs",
    },
    base="transformer",
    published={
        "xlm-mlm-en-2048": _xlm(667_119_041, V=30145, d=2048, L=12, heads=16),
        "xlm-mlm-xnli15-1024": _xlm(249_071_384, V=95000, d=1024, L=12, heads=8, types=15, told=True),
        "xlm-mlm-100-1280": _xlm(571_696_960, V=200000, d=1280, L=16, heads=16, types=100),
    },
),)
