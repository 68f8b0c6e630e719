"""Mistral Large 4, the text model: latent attention to chosen tokens, in some layers without positions; experts.

Source: Mistral AI 2026, "Mistral Large 4"; the configuration and the implementation in transformers.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import (
    DECODER_NAMES,
    INDEXER_NAMES,
    LATENT_IGNORED,
    LATENT_NAMES,
    ROTARY,
    ROUTED,
    expert_names,
    latent_decoder_keys,
    latent_keys,
)
from symcount.hub.settling import listed_dense, number, some_dense
from symcount.layers import decoder_heads, gated, linear, norm, words
from symcount.layers.experts import with_shared
from symcount.layers.hybrid import named_step
from symcount.layers.latent import latent_attention
from symcount.masks import Mask
from symcount.network import cached, contract, pointwise, weight, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def sharpened(query: Tensor) -> Tensor:
    """Queries of each head times a number that grows with the logarithm of the position: two parameters a head."""
    heads = {"g": query.axes["g"]}
    return pointwise(query, weight("sharpness.scale", **heads), weight("sharpness.bias", kinds="bias", **heads),
                     kind="affine", name="sharpened")


def indexer(x: Tensor, _: Tensor, z: Any, *, turned: bool) -> Tensor:
    """How much each of t tokens matters to each of s, from queries of the normed row itself.

    Parameters: d·k_i·heads_i + dk_i + d·heads_i + 2k_i + 2d + 2heads_i.
    """
    query = sharpened(linear(norm(x, "query_norm"), "query", bias=False, g=z.heads_i, k=z.k_i))
    key = norm(linear(x, "key", bias=False, k=z.k_i), "key_norm", over="k")
    if turned:
        query, key = pointwise(query, kind="partial_rotary"), pointwise(key, kind="partial_rotary")
    scores = contract(query, cached(key, "key", s=("t", z.t)), to="b g s t", name="scores")
    return contract(linear(x, "share", bias=False, g=z.heads_i), pointwise(scores, kind="relu"), to="b s t",
                    name="index")


class Plain:
    """The sizes of a layer that turns nothing: all numbers of a head come from the latent."""

    __slots__ = ("_z",)

    def __init__(self, z: Any) -> None:
        self._z = z

    def __getattr__(self, name: str) -> Any:
        if name == "rope":
            return 0
        return self._z.nope + self._z.rope if name == "nope" else getattr(self._z, name)


def attention(x: Tensor, z: Any, *, turned: bool) -> Tensor:
    """Latent attention with plain queries; where nothing is turned, the rope numbers of a head come from the latent.

    Parameters: d·heads(nope + rope + v) + 2heads + d(r_kv + rope) + r_kv·heads(nope + v) + r_kv, and not turned
    r_kv·rope·heads − d·rope more; and those of the indexer.
    """
    def asked(x: Tensor) -> tuple[Tensor, Tensor, None]:
        return sharpened(linear(x, "query", bias=False, g=z.heads, k=z.nope + z.rope)), x, None

    return latent_attention(x, z if turned else Plain(z), t=z.t, form=z.mla, bias=z.attention_bias,
                            mask=Mask(causal=True), asked=asked, index=partial(indexer, z=z, turned=turned))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """Layers with and without positions, and one MLP or experts; how they alternate changes no count."""
    x, word = words(z)
    attends: dict[str, Any] = {"name": "attention", "part": attention, "z": z}
    x = within("layers.turned", named_step, x, turned=True, runs=rest(z.L, z.L_nope), **attends)
    x = within("layers.plain", named_step, x, turned=False, runs=z.L_nope, **attends)
    if z.dense:
        x = within("layers.dense", named_step, x, name="mlp", part=gated, h=z.h, runs=z.L_dense)
    x = within("layers.moe", named_step, x, name="mlp", part=with_shared, E=z.E, K=z.K, h=z.h_e, h_s=z.E_s * z.h_e,
               runs=rest(z.L, z.L_dense) if z.dense else z.L)
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers turn nothing, each fourth unless a list says, and how many are dense."""
    L, turned, source = (config[key] for key in ("num_hidden_layers", "no_rope_layers", "kv_source_layers"))
    if turned is not None and (not isinstance(turned, list) or len(turned) < L or any(
            isinstance(one, bool) or one not in (0, 1) for one in turned[:L])):
        raise ConfigError(f"no_rope_layers: a list with 0 or 1 for each of the {L} layers is needed")
    plain = L // number(config, "no_rope_layer_interval") if turned is None else turned[:L].count(0)
    if source is not None and source != list(range(L)):
        raise ConfigError("kv_source_layers: layers that take latents of another are not written for this family")
    kinds, pattern = config["indexer_types"], config["index_topk_pattern"]
    told = kinds if kinds is not None else pattern
    if told is not None and (not isinstance(told, (list, str)) or len(told) != L or not all(
            one in ("full", "F") for one in told)):
        raise ConfigError("indexer_types: layers that share the tokens another chose are not written for this family")
    if told is None and config["index_topk_freq"] not in (0, 1):
        raise ConfigError(f"index_topk_freq = {config['index_topk_freq']!r}: layers that share the tokens another "
                          "chose are not written for this family")
    dense = listed_dense(config) or {
        "L_dense": min(number(config, "first_k_dense_replace", least=0), L)}
    return {"L_nope": plain, **some_dense(dense["L_dense"])}


_AT = "layers.{i}.self_attn"
ARCHITECTURES = (Architecture(
    "mistral_large4_text",
    classes=decoder_heads("MistralLarge4Text", body, ""),
    sizes="L_dense L_nope",
    flags={"dense": True, "mla": "expanded"},
    keys={
        **latent_decoder_keys(V=204800, d=6144, h=24576, L=72, heads=64),
        **latent_keys(r_kv=512, nope=64, rope=64, v=128),
        "moe_intermediate_size": ("h_e", 6144),
        "n_routed_experts": ("E", 128),
        "num_experts_per_tok": ("K", 4),
        "n_shared_experts": ("E_s", 1),
        "index_n_heads": ("heads_i", 32),
        "index_head_dim": ("k_i", 128),
        "attention_bias": ("attention_bias", False),
    },
    reads={
        "mlp_layer_types": None,
        "first_k_dense_replace": 1,
        "no_rope_layers": None,
        "no_rope_layer_interval": 4,
        "kv_source_layers": None,
        "indexer_types": None,
        "index_topk_pattern": None,
        "index_topk_freq": 1,
    },
    settle=settle,
    aliases={"num_local_experts": "n_routed_experts"},
    ignored={
        **ROTARY,
        **LATENT_IGNORED,
        **ROUTED,
        "index_topk": MASKED,
        "index_skip_topk_offset": "from which layer on tokens are shared, where they are",
        "layer_types": "how keys and values are cached",
        "final_logit_softcapping": "a constant",
    },
    buffers="the factors of the angles of rotation",
    stored={
        **DECODER_NAMES,
        **LATENT_NAMES,
        **expert_names(),
        "layers.attention.query": f"{_AT}.q_proj",
        "layers.attention.sharpness": f"{_AT}.softmax_scaling",
        "layers.attention.indexer.query_norm": f"{_AT}.indexer.q_input_norm",
        **INDEXER_NAMES,
        "layers.attention.indexer.sharpness": f"{_AT}.indexer.softmax_scaling",
    },
    published={
        "mistral-large-4-text": measured("MistralLarge4TextModel", 1_048_859_911_680, V=204800, d=6144, h=24576,
                                         h_e=6144, L=72, L_nope=18, L_dense=1, heads=64, r_kv=512, nope=64, rope=64,
                                         v=128, E=128, K=4, E_s=1, heads_i=32, k_i=128),
    },
),)
