"""Switch Transformers: T5 whose feed-forward blocks are, in some layers, experts of which a token meets one.

A token that an expert has no room for goes by it: of a text beyond the capacity, fewer products run than are counted.
Source: Fedus et al. 2022, "Switch transformers", sections 2.1 and 2.2 and table 9; Raffel et al. 2020, section 2.1.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import SEQ2SEQ_ONLY
from symcount.hub.settling import number
from symcount.layers import activation, attention, embed, linear, mlp, norm
from symcount.layers.buckets import relative
from symcount.layers.encoder_decoder import before
from symcount.layers.encoder_decoder import words as own_words
from symcount.layers.experts import expert
from symcount.masks import Mask
from symcount.network import idle, lookup, pointwise, tensor, top, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def experts(x: Tensor, chosen: Tensor, z: Any) -> Tensor:
    """What the chosen expert, of two matrices, makes of a token: 2Edh parameters, 2dh multiply-adds a token."""
    y = activation(expert(x, chosen, "up", E=z.E, h=z.h), "relu")
    return expert(y, chosen, "down", over="h", E=z.E, d=z.d)


def switch(x: Tensor, z: Any) -> Tensor:
    """One of E experts, weighed by its score: dE + 2Edh parameters, E more with a bias."""
    chances = pointwise(linear(x, "router", bias=z.router_bias, E=z.E), kind="softmax", name="routing")
    chosen = top(chances, E=("e", 1))
    y = within("experts", experts, x, chosen, z=z)
    return pointwise(y, chosen, kind="mix", name="weighted", to="b s d")


def block(x: Tensor, z: Any, *, sparse: bool, t: Size, table: Tensor, mask: Mask | None = None,
          memory: Tensor | None = None) -> Tensor:
    """4dk·heads + 2dh + 2d parameters, with a memory 4dk·heads + d more; with experts, E times 2dh, and dE."""
    x = before(x, "attention", attention, shift=False, z=z, t=t, k=z.k, bias=False, mask=mask, relative=table)
    if memory is not None:
        x = before(x, "cross", attention, shift=False, z=z, t=t, k=z.k, bias=False, memory=memory)
    if sparse:
        return before(x, "mlp", switch, shift=False, z=z)
    return before(x, "mlp", mlp, shift=False, h=z.h, bias=False, kind="relu")


def stack(x: Tensor, z: Any, *, L: Size, L_moe: Size, t: Size, **more: Any) -> Tensor:
    """L blocks, L_moe of them with experts, and a last norm, d; buckets·heads for a table of relative positions."""
    table = within("attention", lambda: relative(z, L, x.axes["s"], t))
    x = within("layers.dense", block, x, z=z, sparse=False, t=t, table=table, runs=rest(L, L_moe), **more)
    x = within("layers.moe", block, x, z=z, sparse=True, t=t, table=table, runs=L_moe, **more)
    return norm(x, "norm", shift=False)


def encoded(z: Any) -> tuple[Tensor, Tensor]:
    """What the encoder makes of a text, and the word table: Vd parameters; untied, Vd more, the first unread."""
    ids = tensor("ids", b=z.b, s=z.s)
    x, table = embed(ids, "embeddings", V=z.V, d=z.d)
    x = x if z.tied else idle(own_words(z, ids, "encoder", z.V)[0], table)
    return within("encoder", partial(stack, L=z.L, L_moe=z.L_moe_1, t=z.s), x, z=z), table


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states of the decoder, and the word table; untied, the decoder has one of its own too."""
    memory, table = encoded(z)
    targets = tensor("targets", b=z.b, s=z.u)
    y = lookup(targets, table, "targets") if z.tied else own_words(z, targets, "decoder", z.V)[0]
    decode = partial(stack, L=z.L_dec, L_moe=z.L_moe_2, t=z.t, mask=Mask(causal=True), memory=memory)
    return within("decoder", decode, y, z=z), table


def generation(z: Any) -> Tensor:
    """Logits over the vocabulary: no parameters when tied, else Vd."""
    x, table = body(z)
    return linear(x, "head", bias=False, w=table if z.tied else None, V=z.V)


def sparse(config: dict[str, Any], side: str, L: int) -> int:
    """How many layers of a stack have experts: each whose number is 1 more than a multiple of the step, or all.

    A stack that is to have none has one, its second layer, as its step is as many as there are layers.
    """
    told = number(config, f"num_sparse_{side}_layers", least=0)
    step = config[f"{side}_sparse_step"]
    step = (L // told if told else L) if step is None else number(config, f"{side}_sparse_step", least=0)
    return 0 if step == 0 else L if step == 1 else len(range(1, L, step))


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Layers with experts of both stacks."""
    L, told = config["num_layers"], config["num_decoder_layers"]
    L_dec = L if told is None else told
    return {"L_moe_1": sparse(config, "encoder", L), "L_moe_2": sparse(config, "decoder", L_dec)}


def names() -> dict[Any, Any]:
    """What a checkpoint calls our weights: layer 0, 1, 2 of a block are attention, cross attention and MLP."""
    found: dict[Any, Any] = {"embeddings": "shared"}
    for side in ("encoder", "decoder"):
        layer = f"{side}.block.{{i}}.layer.{{i}}"
        for kind in ("dense", "moe"):
            ours = f"{side}.layers.{kind}"
            for path, theirs in (("attention", "SelfAttention"), ("cross", "EncDecAttention")):
                found |= {f"{ours}.{path}.{part}": f"{layer}.{theirs}.{part[0]}"
                          for part in ("query", "key", "value", "output")}
            found |= {f"{ours}.{part}_norm": f"{layer}.layer_norm" for part in ("attention", "cross", "mlp")}
        found |= {
            f"{side}.embeddings.word": f"{side}.embed_tokens",
            f"{side}.attention.relative": f"{layer}.SelfAttention.relative_attention_bias",
            f"{side}.layers.dense.mlp.up": f"{layer}.mlp.wi",
            f"{side}.layers.dense.mlp.down": f"{layer}.mlp.wo",
            f"{side}.layers.moe.mlp.router": f"{layer}.mlp.router.classifier",
            f"{side}.layers.moe.mlp.experts.up.weight": (f"{layer}.mlp.experts.expert_{{i}}.wi.weight", "h d"),
            f"{side}.layers.moe.mlp.experts.down.weight": (f"{layer}.mlp.experts.expert_{{i}}.wo.weight", "d h"),
            f"{side}.norm": f"{side}.final_layer_norm",
        }
    return found


def _switch(count: int, E: int, **sizes: int) -> Published:
    return measured("SwitchTransformersForConditionalGeneration", count, E=E, **{
        "V": 32128, "d": 768, "k": 64, "h": 3072, "L": 12, "L_dec": 12, "L_moe_1": 6, "L_moe_2": 6, "heads": 12,
        "buckets": 32, **sizes})


ARCHITECTURES = (Architecture(
    "switch_transformers",
    classes={
        "SwitchTransformersModel": lambda z: body(z)[0],
        "SwitchTransformersForConditionalGeneration": generation,
        "SwitchTransformersEncoderModel": lambda z: encoded(z)[0],
    },
    sizes="L_moe_1 L_moe_2",
    follows={"L_dec": "L", "u": "s", "t": "u"},
    acts={"dense_act_fn": ("relu", "")},
    keys={
        "vocab_size": ("V", 32128),
        "d_model": ("d", 768),
        "d_kv": ("k", 64),
        "d_ff": ("h", 2048),
        "num_layers": ("L", 12),
        "num_decoder_layers": ("L_dec", 12),
        "num_heads": ("heads", 12),
        "num_experts": ("E", 8),
        "router_bias": ("router_bias", False),
        "relative_attention_num_buckets": ("buckets", 32),
        "tie_word_embeddings": ("tied", True),
    },
    reads={
        "num_sparse_encoder_layers": 3,
        "num_sparse_decoder_layers": 3,
        "encoder_sparse_step": None,
        "decoder_sparse_step": None,
    },
    settle=settle,
    aliases={"hidden_size": "d_model", "num_attention_heads": "num_heads", "num_hidden_layers": "num_layers"},
    ignored={
        "expert_capacity": "how many tokens an expert has room for; all are counted",
        "relative_attention_max_distance": "which bucket a distance falls into",
        "router_ignore_padding_tokens": "which tokens are routed; all are counted",
        "router_jitter_noise": "noise while training",
        "router_dtype": "how numbers are stored; counts are of numbers",
        "dropout_rate": "dropout has no weights",
        "n_positions": "relative positions have no end",
        "num_selected_experts": "read by nothing: a token meets one",
        **dict.fromkeys(("router_z_loss_coef", "router_aux_loss_coef"), "weighs a loss"),
        **dict.fromkeys(("add_router_probs", "output_router_logits"), "chooses what is returned"),
        **dict.fromkeys(("batch_prioritized_routing", "router_type", "feed_forward_proj", "is_gated_act"),
                        "read by nothing"),
    },
    only={**SEQ2SEQ_ONLY, "is_decoder": ((False,), "the classes say which stacks there are")},
    stored=names(),
    stored_heads={"head": "lm_head"},
    published={
        "switch-base-8": _switch(619_339_008, 8),
        "switch-base-16": _switch(1_072_397_568, 16),
        "switch-base-32": _switch(1_978_514_688, 32),
        "switch-base-64": _switch(3_790_748_928, 64),
        "switch-base-128": _switch(7_415_217_408, 128),
        "switch-large-128": _switch(26_309_291_008, 128, d=1024, h=4096, L=24, L_dec=24, L_moe_1=12, L_moe_2=12,
                                    heads=16),
    },
),)
