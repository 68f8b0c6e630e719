"""Inkling: short convolutions around attention and experts, distances scored from the token, weighed shared experts.

Source: Thinking Machines 2026, "Inkling"; the configuration and the implementation in transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY
from symcount.hub.settling import layer_kinds, listed, listed_dense, number, some_dense
from symcount.layers import activation, decoder_heads, gated, linear, norm, per_head, residual, words
from symcount.layers.experts import gated_experts
from symcount.layers.hybrid import alternating
from symcount.layers.state_space import causal_convolution
from symcount.masks import Mask
from symcount.network import cached, contract, cut, pointwise, top, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def smoothed(x: Tensor, name: str, *, over: str, w: Size) -> Tensor:
    """x, and a convolution of it over w tokens: w parameters a channel."""
    return residual(x, causal_convolution(x, name, over=over, w=w, bias=False))


def attention(x: Tensor, z: Any, *, heads: Size, kv: Size, k: Size, extent: Size, mask: Mask) -> Tensor:
    """Attention whose scores have a number added that the token gives to each of `extent` distances.

    Parameters: 2dk·heads + 2dk·kv + 2k, 2wk·kv for the convolutions of keys and values, wd for that of the result, and
    dr·heads + r·extent for distances. Multiply-adds for those of a token: as many, and r·extent·heads.
    """
    query = per_head(linear(x, "query", bias=False, g=kv, q=per(heads, kv), k=k), "query_norm")
    key = smoothed(linear(x, "key", bias=False, g=kv, k=k), "key_convolution", over="g k", w=z.w)
    key = cached(per_head(key, "key_norm"), "key", s=("t", z.t))
    value = smoothed(linear(x, "value", bias=False, g=kv, k=k), "value_convolution", over="g k", w=z.w)
    value = cached(value, "value", s=("t", z.t))
    asked = linear(x, "distance", bias=False, g=kv, q=per(heads, kv), r=z.r)
    told = contract(asked, weight("distances", r=z.r, p=extent), to="b g q s p", name="distances")
    scores = pointwise(contract(query, key, to="b g q s t", name="scores", mask=mask), kind="attention_scale")
    scores = pointwise(scores, told, kind="gather", name="relative", to="b g q s t")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g q k", name="mix", mask=mask)
    return smoothed(linear(mixed, "output", over="g q k", bias=False, d=z.d), "convolution", over="d", w=z.w)


def scaled(x: Tensor) -> Tensor:
    """x times one number: 1 parameter."""
    return pointwise(x, weight("scale", one=1), kind="multiply", name="scaled", to=" ".join(x.axes))


def dense(x: Tensor, z: Any) -> Tensor:
    """3dh + wd + 1 parameters."""
    return smoothed(scaled(gated(x, h=z.h)), "convolution", over="d", w=z.w)


def sparse(x: Tensor, z: Any) -> Tensor:
    """K of E experts and E_s that every token meets, weighed together: 3(E + E_s)d·h_e + (E + E_s)d + wd + 1.

    Of the experts' parameters a token meets (K + E_s)/(E + E_s).
    """
    chances, shared = cut(linear(x, "router", bias=False, c=z.E + z.E_s), "c", z.E, z.E_s)
    correction = weight("router.correction", kinds="bias", stored="buffer", c=z.E)
    chances = pointwise(pointwise(chances, kind="sigmoid", name="routing"), correction, kind="bias", name="correction")
    chosen, shared = top(chances, c=("e", z.K)), pointwise(shared, kind="sigmoid", name="shared_routing")
    y = pointwise(within("experts", gated_experts, x, chosen, E=z.E, h=z.h_e), chosen, kind="mix",
                  name="weighted_sum", to="b s d")
    y = scaled(pointwise(y, within("shared", every_expert, x, shared, h=z.h_e), kind="add", name="shared_sum"))
    return smoothed(y, "convolution", over="d", w=z.w)


def every_expert(x: Tensor, share: Tensor, *, h: Size) -> Tensor:
    """The sum of what each expert, of the axis c, makes of a token, as its share says: 3dh parameters an expert."""
    wide = {"c": share.axes["c"], "h": h}
    y = activation(linear(x, "gate", bias=False, **wide), "silu")
    y = pointwise(y, linear(x, "up", bias=False, **wide), kind="multiply", name="product")
    y = pointwise(y, share, kind="multiply", name="weighted")
    return linear(y, "down", over="c h", bias=False, d=x.axes["d"])


def body(z: Any) -> tuple[Tensor, Tensor]:
    """Words, normed, then attention of two kinds, and dense and sparse blocks."""
    x, word = words(z)
    x = norm(x, "embeddings_norm", shift=False)
    x = alternating(x, z, local={"part": attention, "z": z, "heads": z.heads_local, "kv": z.kv_local, "k": z.k_local,
                                 "extent": z.window, "mask": Mask(causal=True, window=z.window)},
                    full={"part": attention, "z": z, "heads": z.heads, "kv": z.kv, "k": z.k, "extent": z.buckets,
                          "mask": Mask(causal=True)},
                    dense={"part": dense, "z": z}, sparse={"part": sparse, "z": z})
    return norm(x, "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers attend to all tokens and how many are dense, and how wide MLP and experts are."""
    L, local, wide = config["num_hidden_layers"], config["local_layer_ids"], config["dense_intermediate_size"]
    found = layer_kinds(config, {"hybrid": "L_global", "hybrid_sliding": None}) or {
        "L_global": L // 6 if local is None else L - listed(config, "local_layer_ids", L)}
    count = listed_dense(config) or {
        "L_dense": min(number(config, "dense_mlp_idx", least=0), L)}
    widths = ({"h": "intermediate_size", "h_e": "moe_intermediate_size"} if wide is None else
              {"h": "dense_intermediate_size", "h_e": "intermediate_size"})  # as checkpoints say it
    if number(config, "n_shared_experts", least=0) == 0:
        raise ConfigError("n_shared_experts = 0: the implementation cannot run without any")
    return {**found, **some_dense(count["L_dense"]), **{size: number(config, key) for size, key in widths.items()}}


_AT = "layers.{i}.self_attn"
ARCHITECTURES = (Architecture(
    "inkling_text",
    classes={
        **decoder_heads("InklingText", body, ""),
        "InklingForCausalLM": decoder_heads("Inkling", body)["InklingForCausalLM"],
    },
    sizes="h h_e L_global L_dense",
    flags={"dense": False, "tied": False},
    keys={
        "vocab_size": ("V", 201024),
        "hidden_size": ("d", 6144),
        "num_hidden_layers": ("L", 66),
        "num_attention_heads": ("heads", 64),
        "num_key_value_heads": ("kv", 8),
        "head_dim": ("k", 128),
        "swa_num_attention_heads": ("heads_local", 64),
        "swa_num_key_value_heads": ("kv_local", 16),
        "swa_head_dim": ("k_local", 128),
        "sliding_window_size": ("window", 512),
        "d_rel": ("r", 16),
        "rel_extent": ("buckets", 1024),
        "conv_kernel_size": ("w", 4),
        "n_routed_experts": ("E", 256),
        "num_experts_per_tok": ("K", 6),
        "n_shared_experts": ("E_s", 2),
    },
    reads={
        "layer_types": None,
        "local_layer_ids": None,
        "mlp_layer_types": None,
        "dense_mlp_idx": 0,
        "intermediate_size": 24576,
        "moe_intermediate_size": 3072,
        "dense_intermediate_size": None,
    },
    settle=settle,
    aliases={
        "sliding_window": "sliding_window_size",
        "num_local_experts": "n_routed_experts",
        "sconv_kernel_size": "conv_kernel_size",
        "embedding_multiplier": "logits_mup_width_multiplier",
        "model_max_length": "max_position_embeddings",
    },
    ignored={
        **ROTARY,
        **dict.fromkeys(("log_scaling_n_floor", "log_scaling_alpha", "route_scale", "logits_mup_width_multiplier",
                         "rms_norm_eps_moe_gate"), "a constant"),
        **dict.fromkeys(("num_mtp_layers", "chain_hidden_post_norm", "mtp_hidden_states_first", "mtp_local_layer_ids"),
                        "transformers builds no layers that predict further tokens"),
        "unpadded_vocab_size": "of the logits of all V words, those beyond are cut off",
        "shared_expert_sink": "read by nothing",
        "number_of_conv_states": "how many convolutions a layer has, which the class says",
        "tie_word_embeddings": "the output matrix is never the table of words",
    },
    unwritten="the scales of queries, routes and logits",
    stored={
        **DECODER_NAMES,
        "embeddings_norm": "embed_tokens.embed_norm",
        "layers.attention.distance": f"{_AT}.r_proj",
        "layers.attention.distances": f"{_AT}.rel_logits_proj.proj",
        **{f"layers.{kind}.attention.{part}_convolution.weight": (f"{_AT}.{part[0]}_sconv.conv1d.weight", f"{size} 1 w")
           for kind, size in (("local", "k_local*kv_local"), ("global", "k*kv")) for part in ("key", "value")},
        "layers.attention.convolution.weight": ("layers.{i}.attn_sconv.conv1d.weight", "d 1 w"),
        "layers.mlp.convolution.weight": ("layers.{i}.mlp_sconv.conv1d.weight", "d 1 w"),
        "layers.dense.mlp.scale": "layers.{i}.mlp.global_scale",
        "layers.moe.mlp.scale": "layers.{i}.mlp.gate.global_scale",
        "layers.mlp.router": "layers.{i}.mlp.gate",
        ("layers.mlp.experts.gate.weight", "layers.mlp.experts.up.weight"):
            ("layers.{i}.mlp.experts.gate_up_proj", "E 2h_e d"),
        "layers.mlp.experts.down.weight": ("layers.{i}.mlp.experts.down_proj", "E d h_e"),
        "layers.mlp.shared.gate.weight": ("layers.{i}.mlp.shared_experts.gate_proj", "E_s h_e d"),
        "layers.mlp.shared.up.weight": ("layers.{i}.mlp.shared_experts.up_proj", "E_s h_e d"),
        "layers.mlp.shared.down.weight": ("layers.{i}.mlp.shared_experts.down_proj", "E_s d h_e"),
    },
    stored_heads=HEAD_NAMES,
    base="model",
),)
