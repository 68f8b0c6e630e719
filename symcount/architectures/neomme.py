"""NeoMME: an encoder of text and patches of images, with narrow word vectors and a table of values for two layers.

Source: the code of transformers, as there is no paper; gates of what is mixed: Qiu et al. 2025, "Gated attention for
large language models", section 2; values of words: Zhou et al. 2024, "Value residual learning", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import ROTARY, decoder_keys
from symcount.hub.settling import layer_kinds
from symcount.layers import embed, linear, mlp, residual
from symcount.layers.dense import plain_rms_norm
from symcount.network import cached, contract, idle, lookup, pointwise, split, tensor, weight, within
from symcount.sizes import least, per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attention(x: Tensor, values: Tensor | None, z: Any) -> Tensor:
    """3dk·heads + 2dk·kv + heads parameters, with biases (heads + 2kv)k + d more.

    What is mixed loses a share of its own value, told for each head, and is multiplied by the sigmoid of a map of x.
    Multiply-adds for s tokens that attend to t: the maps, and 2b·s·t·k·heads.
    """
    q = per(z.heads, z.kv)
    query = linear(x, "query", bias=z.biased, g=z.kv, q=q, k=z.k)
    key, value = (linear(x, name, bias=z.biased, g=z.kv, k=z.k) for name in ("key", "value"))
    query, key = (pointwise(plain_rms_norm(y, "norm"), kind="partial_rotary") for y in (query, key))
    if values is not None:
        value = pointwise(value, split(values, "m", g=z.kv, k=z.k), kind="add", name="word_values")
    key, rows = cached(key, "key", s=("t", z.t)), cached(value, "value", s=("t", z.t))
    scores = pointwise(contract(query, key, to="b g q s t", name="scores"), kind="attention_scale")
    mixed = contract(pointwise(scores, kind="softmax"), rows, to="b s g q k", name="mix")
    own = pointwise(value, kind="normalise", name="own")
    mixed = pointwise(mixed, own, weight("share", g=z.kv, q=q), kind="multiply", name="exclusive")
    gate = pointwise(linear(x, "gate", bias=False, g=z.kv, q=q, k=z.k), kind="sigmoid", name="gate_act")
    mixed = pointwise(mixed, gate, kind="multiply", name="gated")
    return linear(mixed, "output", over="g q k", bias=z.biased, d=z.d)


def block(x: Tensor, first: Tensor, values: Tensor | None, z: Any) -> Tensor:
    """Attention and an MLP of two matrices, on x and the first rows of all, weighed: 2dh + 2 parameters more."""
    y = pointwise(x, first, weight("lambdas", both=2), kind="mix", name="mixed", to="b s d")
    x = residual(x, within("attention", attention, plain_rms_norm(y, "attention_norm"), values=values, z=z))
    return residual(x, within("mlp", mlp, plain_rms_norm(x, "mlp_norm"), h=z.h, bias=z.mlp_biased, kind="relu2"))


def embeddings(ids: Tensor, z: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Narrow word vectors and a map to width d: (V + d)e parameters."""
    x, word = embed(ids, "word", V=z.V, e=z.e)
    project = weight("project.weight", out="d", e=z.e, d=z.d)
    return linear(x, "project", over="e", bias=False, w=project, d=z.d), word, project


def patches(x: Tensor, z: Any) -> Tensor:
    """x, beside a norm and an MLP for squares of an image, which a text does not run: 2pd + 2p + 2d² + d.

    A square has p = 3patch² numbers.
    """
    pixels, wide = 3 * z.patch * z.patch, 2 * z.d
    gains = weight("norm.weight", kinds="norm", pixels=pixels), weight("norm.bias", kinds="norm bias", pixels=pixels)
    maps = weight("up.weight", out="h", pixels=pixels, h=wide), weight("down.weight", out="d", h=wide, d=z.d)
    return idle(x, *gains, *maps, weight("down.bias", kinds="bias", d=z.d))


def body(z: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The last hidden states, the word table, and the map behind it.

    The first and the last layer that attend to all tokens add a table of V·k·kv parameters to their values; the windows
    of the others change no weights, and all their scores are computed.
    """
    ids = tensor("ids", b=z.b, s=z.s)
    x, word, project = within("embeddings", embeddings, ids, z=z)
    first = plain_rms_norm(within("embeddings.patch", patches, x, z=z), "embedding_norm")
    values = lookup(ids, weight("embeddings.value.weight", kinds="embedding", V=z.V, m=z.kv * z.k), "values")
    told = least(z.L_global, 2)
    x = within("layers.told", block, first, first=first, values=values, z=z, runs=told)
    x = within("layers.rest", block, x, first=first, values=None, z=z, runs=rest(z.L, told))
    return plain_rms_norm(x, "norm"), word, project


def model(z: Any) -> Tensor:
    """The last hidden states."""
    return body(z)[0]


def words(x: Tensor, word: Tensor, project: Tensor, z: Any) -> Tensor:
    """Logits over the vocabulary, by way of width e: no parameters when tied, else (V + d)e."""
    project = project if z.tied else weight("unproject.weight", out="e", d=z.d, e=z.e)
    x = linear(x, "unproject", bias=False, w=project, e=z.e)
    return linear(x, "decoder", over="e", bias=False, w=word if z.tied else None, V=z.V)


def masked_lm(z: Any) -> Tensor:
    """The words at every position."""
    return within("head", words, *body(z), z=z)


def retrieval(z: Any) -> tuple[Tensor, Tensor]:
    """A vector of width m for each token, dm parameters, and the mean of all tokens."""
    x = model(z)
    return (pointwise(linear(x, "head", bias=False, m=z.m), kind="normalise"),
            pointwise(pointwise(x, kind="mean", to="b d"), kind="normalise"))


def settle(config: dict[str, Any]) -> dict[str, int]:
    """How many layers attend to all tokens: as listed, or else every sixth and the last."""
    found = layer_kinds(config, {"full_attention": "L_global", "sliding_attention": None}) or {
        "L_global": -(-config["num_hidden_layers"] // 6)}
    if not found["L_global"]:
        raise ConfigError("layer_types: at least one layer must be full_attention")
    return found


ARCHITECTURES = (Architecture(
    "neomme",
    classes={"NeoMMEModel": model, "NeoMMEForMaskedLM": masked_lm, "NeoMMEForRetrieval": retrieval},
    sizes="L_global",
    follows={"L_global": "ceil(L, 6)"},
    acts={},
    keys={
        **{key: told for key, told in decoder_keys(V=131072, d=1024, h=3584, L=17, heads=16, kv=4, k=64,
                                                   tied=True).items() if key != "num_labels"},
        "embedding_rank": ("e", 256),
        "patch_size": ("patch", 32),
        "embedding_dim": ("m", 128),
        "attention_bias": ("biased", False),
        "mlp_bias": ("mlp_biased", False),
    },
    reads={"layer_types": None},
    settle=settle,
    ignored={
        **ROTARY,
        **dict.fromkeys(("sliding_window", "per_layer_config"), MASKED),
        **dict.fromkeys(("document_token_id", "image_token_id"), "which token stands for a part of an image"),
        "residual_multiplier": "a constant",
    },
    only={"hidden_act": (("relu2",), "the activation of this family")},
    unwritten="what is taken out of each mix along its own value",
    stored={
        "embeddings.word": "embed_tokens.word_embeddings",
        "embeddings.project": "embed_tokens.embedding_projection",
        "embeddings.value": "value_embeddings",
        "embeddings.patch.norm": "patch_embeddings.norm",
        "embeddings.patch.up": "patch_embeddings.up_proj",
        "embeddings.patch.down": "patch_embeddings.down_proj",
        "layers.lambdas": "layers.{i}.lambdas",
        "layers.attention.query": "layers.{i}.self_attn.q_proj",
        "layers.attention.key": "layers.{i}.self_attn.k_proj",
        "layers.attention.value": "layers.{i}.self_attn.v_proj",
        "layers.attention.share": ("layers.{i}.self_attn.exclusive_self_attention.alpha", "heads"),
        "layers.attention.gate": "layers.{i}.self_attn.output_projection.gate_proj",
        "layers.attention.output": "layers.{i}.self_attn.output_projection.o_proj",
        "layers.mlp.up": "layers.{i}.mlp.up_proj",
        "layers.mlp.down": "layers.{i}.mlp.down_proj",
    },
    stored_heads={
        "head": "multi_vector_head.proj",
        "head.unproject.weight": ("unembedding_projection.weight", "d e"),
        "head.decoder": "lm_head",
    },
    base="model",
    published={
        "neomme-260m": measured("NeoMMEForMaskedLM", 262_937_906, V=131072, d=1024, h=3584, L=17, heads=16, kv=4, k=64,
                                e=256, patch=32, tied=True),
    },
),)
