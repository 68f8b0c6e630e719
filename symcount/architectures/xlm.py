"""XLM: BERT over many languages, told the language of each token; FlauBERT, for French.

Source: Conneau and Lample 2019, "Cross-lingual language model pretraining", section 5.1; Le et al. 2020, "FlauBERT",
section 3; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import SUMMARY_ONLY
from symcount.layers import activation, embed, linear, norm, positions, post_norm, pre_norm, residual, spans
from symcount.layers.encoder import encoder
from symcount.network import select, within
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.layers.encoder import Body
    from symcount.masks import Mask


def embeddings(ids: Tensor, languages: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P)d + 2d parameters, and d for each language where a model knows more than one."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    x = positions(x, "position", P=z.P, t=z.t)
    if z.told:
        x = residual(x, embed(languages, "language", types=z.types, d=z.d)[0])
    return norm(x, "norm"), word


def block(x: Tensor, z: Any, mask: Mask | None) -> Tensor:
    """4d² + 2dh + 9d + h parameters, wherever the norms are."""
    return (pre_norm if z.before else post_norm)(x, z, mask)


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


def _flaubert(count: int, **sizes: Any) -> Published:
    return measured("FlaubertWithLMHeadModel", count, **{"V": 68729, "P": 512, "types": 1, **sizes})


def _classes(prefix: str, body: Body) -> dict[str, Any]:
    def words(z: Any) -> Tensor:
        x, word = body(z)
        return linear(x, "head", w=word if z.tied else None, V=z.V)

    return {
        f"{prefix}Model": lambda z: body(z)[0],
        f"{prefix}WithLMHeadModel": words,
        f"{prefix}ForSequenceClassification": lambda z: within("classifier", summary, body(z)[0], z=z),
        f"{prefix}ForMultipleChoice": lambda z: within("classifier", choice, body(z)[0], z=z),
        f"{prefix}ForTokenClassification": lambda z: linear(body(z)[0], "classifier", C=z.C),
        f"{prefix}ForQuestionAnsweringSimple": lambda z: spans(body(z)[0], "answers", exactly(z.C, 2)),
    }


_NOTE = "a note of the original release, read by nothing"
_KEYS: dict[str, tuple[str, Any]] = {
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
}
_SHARED: dict[str, Any] = {
    "acts": {"summary_activation": ("linear", "summary")},
    "follows": {"h": "4d"},
    "reads": {"gelu_activation": True},
    "settle": settle,
    "aliases": {"hidden_size": "emb_dim", "num_attention_heads": "n_heads", "num_hidden_layers": "n_layers",
                "n_words": "vocab_size"},
    "only": {
        **SUMMARY_ONLY,
        "summary_proj_to_labels": ((True,), "a text is projected to its scores"),
        "asm": ((False,), "an adaptive softmax is not written"),
        "is_encoder": ((True,), "the family is an encoder"),
    },
    "stored": {
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
    "stored_heads": {
        "head": "pred_layer.proj",
        "classifier": "classifier",
        "classifier.summary": "sequence_summary.summary",
        "classifier.output": "logits_proj",
        "answers": "qa_outputs",
    },
    "base": "transformer",
}
_IGNORED = {
    "sinusoidal_embeddings": "fills the same position table with sines",
    **dict.fromkeys(("embed_init_std", "init_std"), "how weights start, not how many there are"),
    **dict.fromkeys(("unk_index", "mask_index", "bos_index", "eos_index", "pad_index", "lang_id", "lang2id", "id2lang"),
                    "which number stands for which token or language"),
    **dict.fromkeys(("start_n_top", "end_n_top"), "read only by the class that searches answers, not written"),
    **dict.fromkeys(("asm_cutoffs", "asm_div_value"), "read only with asm"),
    **dict.fromkeys(("max_vocab", "min_count", "same_enc_dec", "share_inout_emb", "tokens_per_batch", "use_apex"),
                    _NOTE),
    **dict.fromkeys(("summary_first_dropout", "summary_last_dropout"), "dropout has no weights"),
}

ARCHITECTURES = (Architecture(
    "xlm",
    classes=_classes("XLM", encoder(embeddings, inputs="ids languages")),
    keys=_KEYS,
    flags={"told": False},
    ignored=_IGNORED,
    published={
        "xlm-mlm-en-2048": _xlm(667_119_041, V=30145, d=2048, L=12, heads=16),
        "xlm-mlm-xnli15-1024": _xlm(249_071_384, V=95000, d=1024, L=12, heads=8, types=15, told=True),
        "xlm-mlm-100-1280": _xlm(571_696_960, V=200000, d=1280, L=16, heads=16, types=100),
    },
    **_SHARED,
), Architecture(
    "flaubert",
    classes=_classes("Flaubert", encoder(embeddings, block, inputs="ids languages")),
    keys={**_KEYS, "pre_norm": ("before", False)},
    flags={"told": False},
    ignored={
        **_IGNORED,
        **dict.fromkeys(("amp", "bptt", "clip_grad_norm", "encoder_only", "fp16", "group_by_size", "langs",
                         "lg_sampling_factor", "lgs", "max_batch_size", "mlm_steps", "sample_alpha", "word_blank",
                         "word_dropout", "word_keep", "word_mask", "word_mask_keep_rand", "word_pred", "word_rand",
                         "word_shuffle"), _NOTE),
    },
    published={
        "flaubert-base-cased": _flaubert(138_301_817, d=768, L=12, heads=12),
        "flaubert-base-uncased": _flaubert(137_389_014, V=67542, d=768, L=12, heads=12),
        "flaubert-large-cased": _flaubert(373_282_937, d=1024, L=24, heads=16, before=True),
        "flaubert-small-cased": _flaubert(54_435_449, d=512, L=6, heads=8, before=True),
    },
    **_SHARED,
))
