"""XLNet: encoder that scores words and their distances apart, with biases of its own for either.

Source: Yang et al. 2019, "XLNet", section 2.4 and appendix A.4; Dai et al. 2019, "Transformer-XL", section 3.3; the
heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import SUMMARY_ONLY
from symcount.layers import activation, linear, mlp, norm, residual, spans, words
from symcount.network import contract, idle, pointwise, rename, select, tensor, weight, within
from symcount.sizes import exactly, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def attention(x: Tensor, z: Any, far: Tensor) -> Tensor:
    """5d² + 3d parameters: a fifth map for the distances `far`, 2s of them; the third bias is for segments."""
    heads = {"g": z.heads, "k": per(z.d, z.heads)}
    query, key, value = (linear(x, name, bias=False, **heads) for name in ("query", "key", "value"))
    distance = linear(far, "distance", bias=False, **heads)
    near, away, segment = (weight(f"{name}_bias", kinds="bias", **heads) for name in ("word", "distance", "segment"))
    scores = contract(pointwise(query, near, kind="bias"), rename(key, s="t"), to="b g s t", name="scores")
    shifted = contract(pointwise(query, away, kind="bias"), distance, to="b g s p", name="distances")
    scores = pointwise(scores, shifted, kind="gather", to="b g s t")
    mixed = contract(pointwise(scores, kind="softmax"), rename(value, s="t"), to="b s g k", name="mix")
    return linear(idle(mixed, segment), "output", over="g k", bias=False, d=z.d)


def segments(x: Tensor, z: Any) -> Tensor:
    """What tells the tokens of one segment from those of another, here one segment: 2d parameters that never run."""
    return idle(x, weight("segment", kinds="embedding", types=2, g=z.heads, k=per(z.d, z.heads)))


def block(x: Tensor, z: Any, far: Tensor) -> Tensor:
    """5d² + 2dh + 10d + h parameters."""
    y = within("attention", attention, within("embeddings", segments, x, z=z), z=z, far=far)
    x = norm(residual(x, y), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h)), "mlp_norm")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """Vd parameters, d for a hidden word, which never runs here, and L blocks; the distances are sines."""
    x, word = words(z)
    far = tensor("distances", b=z.b, p=2 * z.s, d=z.d)
    x = idle(x, weight("hidden_word", kinds="embedding", d=z.d))
    return within("layers", block, x, z=z, far=far, runs=z.L), word


def causal_lm(z: Any) -> Tensor:
    """Logits over the vocabulary: V parameters; untied, Vd more."""
    x, word = body(z)
    return linear(x, "head", w=word if z.tied else None, V=z.V)


def summary(x: Tensor, **out: Size) -> Tensor:
    """A dense layer on the last token, then scores: d² + d + dC + C parameters."""
    y = activation(linear(select(x, "s"), "summary", d=x.axes["d"]), "tanh")
    return linear(y, "output", **out)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Heads that make the width; nothing else runs."""
    k = config["d_head"]
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k * config["n_head"] != config["d_model"]):
        raise ConfigError(f"d_head = {k!r}: heads make d_model")
    return {}


def _xlnet(count: int, **sizes: int) -> Published:
    return measured("XLNetLMHeadModel", count, V=32000, **sizes)


_MEMORY = "which hidden states are kept for a next text"

ARCHITECTURES = (Architecture(
    "xlnet",
    classes={
        "XLNetModel": lambda z: body(z)[0],
        "XLNetLMHeadModel": causal_lm,
        "XLNetForSequenceClassification": lambda z: within("classifier", summary, body(z)[0], C=z.C),
        "XLNetForMultipleChoice": lambda z: within("classifier", summary, body(z)[0], score=1),
        "XLNetForTokenClassification": lambda z: linear(body(z)[0], "classifier", C=z.C),
        "XLNetForQuestionAnsweringSimple": lambda z: spans(body(z)[0], "answers", exactly(z.C, 2)),
    },
    acts={"ff_activation": ("gelu", "mlp"), "summary_activation": ("tanh", "summary")},
    keys={
        "vocab_size": ("V", 32000),
        "d_model": ("d", 1024),
        "d_inner": ("h", 4096),
        "n_layer": ("L", 24),
        "n_head": ("heads", 16),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    },
    reads={"d_head": None},
    settle=settle,
    aliases={"n_token": "vocab_size", "hidden_size": "d_model", "num_attention_heads": "n_head",
             "num_hidden_layers": "n_layer"},
    ignored={
        **dict.fromkeys(("mem_len", "reuse_len", "use_mems_eval", "use_mems_train", "same_length"), _MEMORY),
        "clamp_len": "how far a distance is told",
        "untie_r": "a note of the original release: every layer has biases of its own",
        **dict.fromkeys(("start_n_top", "end_n_top"), "read only by the class that searches answers, not written"),
        "summary_last_dropout": "dropout has no weights",
    },
    only={
        **SUMMARY_ONLY,
        "summary_proj_to_labels": ((False,), "a text is projected before its scores"),
        "attn_type": (("bi",), "other distances are not written"),
        "bi_data": ((False,), "distances of texts read backwards are not written"),
    },
    stored={
        "embeddings": "word_embedding",
        "hidden_word": ("mask_emb", "1 1 d"),
        "layers.embeddings.segment": ("layer.{i}.rel_attn.seg_embed", "2 heads d/heads"),
        **{f"layers.attention.{ours}": (f"layer.{{i}}.rel_attn.{theirs}", "heads d/heads") for ours, theirs in {
            "word_bias": "r_w_bias", "distance_bias": "r_r_bias", "segment_bias": "r_s_bias"}.items()},
        **{f"layers.attention.{ours}.weight": (f"layer.{{i}}.rel_attn.{theirs}", "d heads d/heads")
           for ours, theirs in {"query": "q", "key": "k", "value": "v", "distance": "r", "output": "o"}.items()},
        "layers.attention_norm": "layer.{i}.rel_attn.layer_norm",
        "layers.mlp.up": "layer.{i}.ff.layer_1",
        "layers.mlp.down": "layer.{i}.ff.layer_2",
        "layers.mlp_norm": "layer.{i}.ff.layer_norm",
    },
    stored_heads={
        "head": "lm_loss",
        "classifier": "classifier",
        "classifier.summary": "sequence_summary.summary",
        "classifier.output": "logits_proj",
        "answers": "qa_outputs",
    },
    base="transformer",
    published={
        "xlnet-base-cased": _xlnet(116_750_336, d=768, h=3072, L=12, heads=12),
        "xlnet-large-cased": _xlnet(360_300_800, d=1024, h=4096, L=24, heads=16),
    },
),)
