"""Doge: decoders whose values say which tokens a head may skip, and whose experts, if any, are rows of two tables.

Source: Shi et al. 2025, "Wonderful matrices", sections 3.1 and 3.2; Lample et al. 2019, "Large memory layers with
product keys", section 3.1.
"""

from __future__ import annotations

from math import isqrt

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import number, one_window
from symcount.layers import activation, decoder, decoder_heads, dropped, gated, linear, norm, per_head
from symcount.masks import Mask
from symcount.network import cached, contract, lookup, pointwise, tensor, top, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def attention(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + k·kv² + kv + 2k parameters, with biases (heads + 2kv)k + kv + d more.

    Multiply-adds for s tokens that attend to t: the maps, of which that of values to a number a head runs over all t,
    and 2b·s·t·k·heads.
    """
    q, mask = per(z.heads, z.kv), Mask(causal=True, window=z.window)
    query = per_head(linear(x, "query", bias=z.biased, g=z.kv, q=q, k=z.k), "query_norm")
    key = per_head(linear(x, "key", bias=z.biased, g=z.kv, k=z.k), "key_norm")
    query, key = (pointwise(y, kind="rotary") for y in (query, key))
    key = cached(key, "key", s=("t", z.t))
    value = cached(linear(x, "value", bias=z.biased, g=z.kv, k=z.k), "value", s=("t", z.t))
    kept = pointwise(linear(value, "keep", over="g k", bias=z.biased, g=z.kv), kind="softplus")
    kept = pointwise(pointwise(kept, weight("rate", g=z.kv), kind="multiply", name="rated"), kind="exp")
    scores = pointwise(contract(query, key, to="b g q s t", name="scores", mask=mask), kind="attention_scale")
    scores = dropped(pointwise(pointwise(scores, kept, kind="add", name="kept"), kind="softmax"))
    mixed = contract(scores, value, to="b s g q k", name="mix", mask=mask)
    return linear(mixed, "output", over="g q k", bias=z.biased, d=z.d)


def retrieved(x: Tensor, z: Any) -> Tensor:
    """K of E rows score x and are answered by as many rows: 2Ed parameters, and 2d·E_1 for two sets of E_1 = √E keys.

    Multiply-adds a token: 2d·E_1 + 2Kd.
    """
    keys = linear(x, "router", bias=False, both=2, keys=z.E_1)
    chances = pointwise(keys, tensor("pairs", E=z.E), kind="softmax", name="routing", to="b s E")
    chosen = top(chances, E=("e", z.K))
    down, up = (lookup(chosen, weight(f"experts.{name}.weight", kinds="embedding", E=z.E, d=z.d), f"experts.{name}")
                for name in ("down", "up"))
    scores = activation(contract(x, down, to="b s e", name="experts.down"), "silu")
    scores = pointwise(scores, chosen, kind="multiply", name="weighted")
    return contract(scores, up, to="b s d", name="experts.up")


def feed_forward(x: Tensor, z: Any) -> Tensor:
    """3dh parameters, with biases 2h + d more; with experts, what is retrieved is added."""
    y = gated(x, h=z.h, bias=z.mlp_biased)
    return pointwise(y, retrieved(x, z), kind="add", name="sum") if z.sparse else y


def weighed(x: Tensor, y: Tensor, name: str) -> Tensor:
    """x times a learned gain for each number, + y: d parameters."""
    return pointwise(pointwise(x, weight(name, d=x.axes["d"]), kind="multiply", name=name), y, kind="add",
                     name="residual")


def block(x: Tensor, z: Any) -> Tensor:
    """4d parameters beside attention and the feed-forward block."""
    x = weighed(x, within("attention", attention, norm(x, "attention_norm", shift=False), z=z), "attention_residual")
    return weighed(x, within("mlp", feed_forward, norm(x, "mlp_norm", shift=False), z=z), "mlp_residual")


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The window, if there is one, and as many keys of either set as the root of the experts."""
    return {**one_window(config), "E_1": isqrt(number(config, "num_experts"))}


def _doge(count: int, **sizes: Any) -> Published:
    return measured("DogeForCausalLM", count, V=32768, tied=True, **sizes)


ARCHITECTURES = (Architecture(
    "doge",
    classes=decoder_heads("Doge", decoder(block), "ForCausalLM ForSequenceClassification"),
    sizes="window E_1",
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=32768, d=1024, h=2048, L=32, heads=8),
        "attention_bias": ("biased", False),
        "mlp_bias": ("mlp_biased", False),
        "is_moe": ("sparse", False),
        "num_experts": ("E", 16384),
        "num_experts_per_tok": ("K", 64),
    },
    reads={"sliding_window": None},
    settle=settle,
    ignored={
        **ROTARY,
        "keep_window_size": "how many tokens a head may not skip; all are computed",
        "norm_topk_prob": "how experts are scored and chosen, not how many",
        "output_router_logits": "chooses what is returned",
        "router_aux_loss_coef": "weighs a loss",
    },
    hides={"sliding_window": ("absent", "null")},
    unwritten="which tokens a head skips",
    stored={
        **DECODER_NAMES,
        "layers.attention.keep": "layers.{i}.self_attn.dt_proj",
        "layers.attention.rate": "layers.{i}.self_attn.A",
        "layers.attention_residual": "layers.{i}.input_residual",
        "layers.mlp_residual": "layers.{i}.post_attention_residual",
        "layers.mlp.router": "layers.{i}.mlp.router_gate",
        "layers.mlp.experts.down": "layers.{i}.mlp.down_embed",
        "layers.mlp.experts.up": "layers.{i}.mlp.up_embed",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "doge-20m": _doge(13_118_728, d=256, h=512, L=8, heads=2, kv=1),
        "doge-60m": _doge(54_571_552, d=512, h=1024, L=16, heads=4, kv=2),
        "doge-160m": _doge(152_676_168, d=768, h=1536, L=24, heads=6, kv=3),
        "doge-320m": _doge(335_750_272, d=1024, h=2048, L=32, heads=8, kv=4),
    },
),)
