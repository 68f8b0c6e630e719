"""NLLB-MoE: M2M-100 whose feed-forward blocks are, in every few layers, experts of which a token meets two.

Counted are the two experts that a token is sent to, however many of them the implementation runs for nothing.
Source: NLLB Team 2022, "No language left behind", section 6.2.1; Lepikhin et al. 2021, "GShard", section 2.2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import (
    SEQ2SEQ_ALIASES,
    SEQ2SEQ_FOLLOWS,
    SEQ2SEQ_HEAD_NAMES,
    SEQ2SEQ_IGNORED,
    SEQ2SEQ_ONLY,
    seq2seq_keys,
    seq2seq_names,
)
from symcount.hub.settling import number
from symcount.layers import activation, attention, linear, mlp, norm
from symcount.layers.encoder_decoder import before, seq2seq_heads, shared_words
from symcount.layers.experts import expert
from symcount.masks import Mask
from symcount.network import pointwise, top, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def experts(x: Tensor, chosen: Tensor, z: Any, *, h: Size) -> Tensor:
    """What each of the two experts makes of a token: E(2dh + h + d) parameters."""
    y = activation(expert(x, chosen, "up", E=z.E, bias=True, h=h), "relu")
    return expert(y, chosen, "down", over="h", E=z.E, bias=True, d=z.d)


def mixture(x: Tensor, z: Any, *, h: Size) -> Tensor:
    """Two of E experts, weighed by their scores: dE parameters more, E more with a bias."""
    chances = pointwise(linear(x, "router", bias=z.router_bias, E=z.E), kind="softmax", name="routing")
    chosen = top(chances, E=("e", 2))
    y = within("experts", experts, x, chosen, z=z, h=h)
    return pointwise(y, chosen, kind="mix", name="weighted", to="b s d")


def block(x: Tensor, z: Any, *, heads: Size, h: Size, sparse: bool, t: Size, mask: Mask | None = None,
          memory: Tensor | None = None) -> Tensor:
    """4d² + 2dh + 9d + h parameters, with a memory 4d² + 6d more; with experts, E times 2dh + h + d, and dE."""
    x = before(x, "attention", attention, z=z, heads=heads, t=t, mask=mask)
    if memory is not None:
        x = before(x, "cross", attention, z=z, heads=heads, t=t, memory=memory)
    if sparse:
        return before(x, "mlp", mixture, z=z, h=h)
    return before(x, "mlp", mlp, h=h, kind="relu")


def stack(x: Tensor, z: Any, *, L: Size, L_moe: Size, **more: Any) -> Tensor:
    """L blocks, L_moe of them with experts, and a last norm: 2d."""
    x = pointwise(x, kind="sinusoids")
    x = within("layers.dense", block, x, z=z, sparse=False, runs=rest(L, L_moe), **more)
    return norm(within("layers.moe", block, x, z=z, sparse=True, runs=L_moe, **more), "norm")


def encode(x: Tensor, z: Any) -> Tensor:
    """The encoder."""
    return stack(x, z, L=z.L, L_moe=z.L_moe_1, heads=z.heads, h=z.h, t=z.s)


def decode(x: Tensor, z: Any, memory: Tensor | None) -> Tensor:
    """The decoder, which reads what the encoder made."""
    return stack(x, z, L=z.L_dec, L_moe=z.L_moe_2, heads=z.heads_dec, h=z.h_dec, t=z.t, mask=Mask(causal=True),
                 memory=memory)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Layers with experts of both stacks: every so many, none at step 0."""
    found, L, told = {}, config["encoder_layers"], config["decoder_layers"]
    for i, side, layers in ((1, "encoder", L), (2, "decoder", L if told is None else told)):
        step = number(config, f"{side}_sparse_step", least=0)
        found[f"L_moe_{i}"] = layers // step if step else 0
    return found


def names() -> dict[Any, Any]:
    """What a checkpoint calls our weights."""
    found: dict[Any, Any] = {}
    for path, name in seq2seq_names().items():
        side, _, part = path.partition(".layers.")
        if part:
            told = name.replace("encoder_attn", "cross_attention").replace("final_layer_norm", "ff_layer_norm")
            found |= {f"{side}.layers.{kind}.{part}": told.replace(".fc", ".ffn.fc") for kind in ("dense", "moe")}
        else:
            found[path] = name
    for side, h in (("encoder", "h"), ("decoder", "h_dec")):
        ours, at = f"{side}.layers.moe.mlp", f"{side}.layers.{{i}}.ffn"
        found |= {
            f"{ours}.router": f"{at}.router.classifier",
            f"{ours}.experts.up.weight": (f"{at}.experts.expert_{{i}}.fc1.weight", f"{h} d"),
            f"{ours}.experts.up.bias": (f"{at}.experts.expert_{{i}}.fc1.bias", h),
            f"{ours}.experts.down.weight": (f"{at}.experts.expert_{{i}}.fc2.weight", f"d {h}"),
            f"{ours}.experts.down.bias": (f"{at}.experts.expert_{{i}}.fc2.bias", "d"),
        }
    return found


ARCHITECTURES = (Architecture(
    "nllb-moe",
    classes=seq2seq_heads("NllbMoe", shared_words(encode, decode), None, "ForConditionalGeneration", offset=False),
    sizes="L_moe_1 L_moe_2",
    follows=SEQ2SEQ_FOLLOWS,
    acts={"activation_function": ("relu", "")},
    keys={
        **{key: told for key, told in seq2seq_keys(V=128112, d=1024, h=4096, L=12, heads=16).items()
           if key != "num_labels"},
        "num_experts": ("E", 128),
        "router_bias": ("router_bias", False),
    },
    reads={"encoder_sparse_step": 4, "decoder_sparse_step": 4},
    settle=settle,
    aliases=SEQ2SEQ_ALIASES,
    ignored={
        **SEQ2SEQ_IGNORED,
        "max_position_embeddings": "sinusoidal positions are computed",
        **dict.fromkeys(("expert_capacity", "moe_eval_capacity_token_fraction"),
                        "how many tokens an expert has room for; all are counted"),
        **dict.fromkeys(("second_expert_policy", "normalize_router_prob_before_dropping", "batch_prioritized_routing"),
                        "how experts are scored and chosen, not how many"),
        "router_ignore_padding_tokens": "which tokens are routed; all are counted",
        "router_dtype": "how numbers are stored; counts are of numbers",
        "moe_token_dropout": "dropout has no weights",
        **dict.fromkeys(("router_z_loss_coef", "router_aux_loss_coef"), "weighs a loss"),
        "output_router_logits": "chooses what is returned",
        **dict.fromkeys(("router_type", "num_experts_per_tok"), "read by nothing"),
    },
    only=SEQ2SEQ_ONLY,
    stored=names(),
    stored_heads=SEQ2SEQ_HEAD_NAMES,
    base="model",
    published={
        "nllb-moe-54b": measured("NllbMoeForConditionalGeneration", 54_500_569_088, V=256206, d=2048, h=8192, L=24,
                                 L_moe_1=6, L_moe_2=6, heads=16, E=128),
    },
),)
