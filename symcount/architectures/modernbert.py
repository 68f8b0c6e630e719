"""ModernBERT: pre-norm encoder with rotary positions and gated MLPs, most layers local; its decoder, causal.

Source: Warner et al. 2024, "Smarter, better, faster, longer", section 2.1 and table 4; the decoder: Weller et al.
2025, "Seq vs seq".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import ROTARY
from symcount.hub.settling import layer_kinds, number
from symcount.layers import activation, attention, embed, gated, linear, norm, residual
from symcount.masks import Mask
from symcount.network import select, tensor, within
from symcount.sizes import exactly, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def normed(x: Tensor, name: str, z: Any) -> Tensor:
    """A LayerNorm, usually without a shift: d parameters, or 2d."""
    return norm(x, name, shift=z.shift, kind="layer_norm")


def embeddings(ids: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Words and a norm, no positions: Vd + d parameters."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    return normed(x, "norm", z), word


def block(x: Tensor, z: Any, mask: Mask | None = None, *, first: bool = False) -> Tensor:
    """4d² + 3dh + 2d parameters without biases; d less in the `first`, as its input is normed already."""
    y = x if first else normed(x, "attention_norm", z)
    x = residual(x, within("attention", attention, y, z=z, t=z.t, bias=z.biased, position="rotary", mask=mask))
    return residual(x, within("mlp", gated, normed(x, "mlp_norm", z), h=z.h, bias=z.mlp_biased, kind="gelu"))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The encoder: hidden states, and the word table. A local layer has the same weights, and all scores."""
    x, word = within("embeddings", embeddings, tensor("ids", b=z.b, s=z.s), z=z)
    x = within("layers.first", block, x, z=z, first=True)
    return normed(within("layers.rest", block, x, z=z, runs=rest(z.L, 1)), "norm", z), word


def decoder(z: Any) -> tuple[Tensor, Tensor]:
    """The decoder: L_global layers attend to every token before, the first of them, the rest to a window."""
    x, word = within("embeddings", embeddings, tensor("ids", b=z.b, s=z.s), z=z)
    x = within("layers.first", block, x, z=z, mask=Mask(causal=True), first=True)
    x = within("layers.local", block, x, z=z, mask=Mask(causal=True, window=z.window), runs=rest(z.L, z.L_global))
    x = within("layers.global", block, x, z=z, mask=Mask(causal=True), runs=rest(z.L_global, 1))
    return normed(x, "norm", z), word


def dense(x: Tensor, z: Any) -> Tensor:
    """What every head begins with: d² + d parameters, d more with a bias, d more with a shift."""
    return normed(activation(linear(x, "dense", d=z.d, bias=z.dense_biased), "gelu"), "norm", z)


def words(x: Tensor, word: Tensor, z: Any) -> Tensor:
    """Logits over the vocabulary: V parameters beside the dense layer; untied, V·d more."""
    return linear(dense(x, z), "decoder", bias=z.words_biased, w=word if z.tied else None, V=z.V)


def scores(x: Tensor, z: Any, *, bias: bool = True, **out: Size) -> Tensor:
    """dC + C parameters beside the dense layer."""
    return linear(dense(x, z), "output", bias=bias, **out)


def _heads(prefix: str, body: Callable[[Any], tuple[Tensor, Tensor]], names: str) -> dict[str, Callable[[Any], Tensor]]:
    def lm(z: Any) -> Tensor:
        x, word = body(z)
        return within("head", words, x, word, z=z)

    made: dict[str, Callable[[Any], Tensor]] = {
        "Model": lambda z: body(z)[0],
        "ForMaskedLM": lm,
        "ForCausalLM": lm,
        "ForSequenceClassification": lambda z: within("classifier", scores, select(body(z)[0], "s"), z=z, C=z.C),
        "ForTokenClassification": lambda z: within("classifier", scores, body(z)[0], z=z, C=z.C),
        "ForQuestionAnswering": lambda z: within("classifier", scores, body(z)[0], z=z, ends=exactly(z.C, 2)),
        "ForMultipleChoice": lambda z: within("classifier", scores, select(body(z)[0], "s"), z=z, score=1),
    }
    return {prefix + name: made[name] for name in names.split()}


def last_token(z: Any) -> Tensor:
    """Scores at every position, of which the last is used: d² + d + dC parameters."""
    return within("classifier", scores, decoder(z)[0], z=z, bias=z.dense_biased, C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are global, and the window of the others: half of what is told, as the other half is to come."""
    kinds, local = config["layer_types"], number(config, "local_attention")
    found = layer_kinds(config, {"full_attention": "L_global", "sliding_attention": None})
    if kinds and kinds[0] != "full_attention":
        raise ConfigError("layer_types: a first layer that is local is not written")
    steps = range(0, number(config, "num_hidden_layers"), number(config, "global_attn_every_n_layers"))
    return {"L_global": len(steps), **found, "window": local // 2}


_KEYS: dict[str, tuple[str, Any]] = {
    "vocab_size": ("V", 50368),
    "hidden_size": ("d", 768),
    "intermediate_size": ("h", 1152),
    "num_hidden_layers": ("L", 22),
    "num_attention_heads": ("heads", 12),
    "norm_bias": ("shift", False),
    "attention_bias": ("biased", False),
    "mlp_bias": ("mlp_biased", False),
    "decoder_bias": ("words_biased", True),
    "classifier_bias": ("dense_biased", False),
    "tie_word_embeddings": ("tied", True),
    "num_labels": ("C", 2),
}
_IGNORED = {
    **ROTARY,
    **dict.fromkeys(("global_rope_theta", "local_rope_theta"), "rotation has no weights and is elementwise"),
    **dict.fromkeys(("embedding_dropout", "mlp_dropout"), "dropout has no weights"),
    "initializer_cutoff_factor": "how weights start, not how many there are",
    "position_embedding_type": "read by nothing",
    "sliding_window": "half of local_attention",
}
_ACTS = {"hidden_activation": ("gelu", "mlp"), "classifier_activation": ("gelu", "dense")}
_RUNNING = "how the original kernels run"
_STORED = {
    "embeddings.word": "embeddings.tok_embeddings",
    "embeddings.norm": "embeddings.norm",
    "layers.attention_norm": "layers.{i}.attn_norm",
    "layers.attention.output": "layers.{i}.attn.Wo",
    "layers.mlp_norm": "layers.{i}.mlp_norm",
    ("layers.mlp.gate", "layers.mlp.up"): "layers.{i}.mlp.Wi",
    "layers.mlp.down": "layers.{i}.mlp.Wo",
    "norm": "final_norm",
}
_HEADS = {
    "head.decoder": "decoder",
    "classifier.dense": "head.dense",
    "classifier.norm": "head.norm",
    "classifier.output": "classifier",
}


def _encoder(count: int, **sizes: int) -> Published:
    return measured("ModernBertForMaskedLM", count, V=50368, **sizes)


def _decoder(count: int, **sizes: int) -> Published:
    return measured("ModernBertDecoderForCausalLM", count, V=50368, window=64, **sizes)


ARCHITECTURES = (Architecture(
    "modernbert",
    classes=_heads("ModernBert", body, "Model ForMaskedLM ForSequenceClassification ForTokenClassification "
                   "ForQuestionAnswering ForMultipleChoice"),
    acts=_ACTS,
    keys=_KEYS,
    ignored={
        **_IGNORED,
        **dict.fromkeys(("layer_types", "global_attn_every_n_layers", "local_attention"), MASKED),
        **dict.fromkeys(("deterministic_flash_attn", "reference_compile", "repad_logits_with_grad"), _RUNNING),
        **dict.fromkeys(("sparse_prediction", "sparse_pred_ignore_index"), "read only where labels are given"),
        "classifier_pooling": "the first token or the mean of all: one vector",
    },
    stored={
        **_STORED,
        ("layers.attention.query", "layers.attention.key", "layers.attention.value"): "layers.{i}.attn.Wqkv",
    },
    stored_heads={**_HEADS, "head.dense": "head.dense", "head.norm": "head.norm"},
    base="model",
    published={
        "modernbert-base": _encoder(149_655_232, d=768, h=1152, L=22, heads=12),
        "modernbert-large": _encoder(395_881_664, d=1024, h=2624, L=28, heads=16),
    },
), Architecture(
    "modernbert-decoder",
    classes={
        **_heads("ModernBertDecoder", decoder, "Model ForCausalLM"),
        "ModernBertDecoderForSequenceClassification": last_token,
    },
    sizes="L_global window",
    acts=_ACTS,
    keys=_KEYS,
    reads={"layer_types": None, "global_attn_every_n_layers": 3, "local_attention": 128},
    settle=settle,
    ignored=_IGNORED,
    stored={
        **_STORED,
        "layers.attention.query": "layers.{i}.attn.q_proj",
        "layers.attention.key": "layers.{i}.attn.k_proj",
        "layers.attention.value": "layers.{i}.attn.v_proj",
    },
    stored_heads={**_HEADS, "head.dense": "lm_head.dense", "head.norm": "lm_head.norm"},
    base="model",
    published={
        "ettin-decoder-150m": _decoder(149_655_232, d=768, h=1152, L=22, L_global=8, heads=12),
        "ettin-decoder-400m": _decoder(395_881_664, d=1024, h=2624, L=28, L_global=10, heads=16),
    },
))
