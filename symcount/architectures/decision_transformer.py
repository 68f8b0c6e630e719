"""Decision Transformer: GPT-2's blocks over returns, states and actions in turn, three positions a step.

Source: Chen et al. 2021, "Decision transformer", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import GPT_ALIASES, SUMMARY
from symcount.layers import attention, dropped, embed, linear, mlp, norm, residual
from symcount.masks import Mask
from symcount.network import concat, cut, idle, pointwise, select, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters; each of t steps is three rows to attend to."""
    y = norm(x, "attention_norm")
    x = residual(x, within("attention", attention, y, z=z, t=3 * z.t, mask=Mask(causal=True), dropout=True))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, kind="relu", dropout=True))


def steps(z: Any) -> Tensor:
    """A return, a state and an action of each step: (episode + state + m + 3)d parameters and a norm of 2d."""
    time, _ = embed(tensor("times", b=z.b, s=z.s), "time", episode=z.episode, d=z.d)
    told = {"return": {"one": 1}, "state": {"state": z.state}, "action": {"m": z.m}}
    read = [residual(linear(tensor(name, b=z.b, s=z.s, **width), name, over=" ".join(width), d=z.d), time)
            for name, width in told.items()]
    x = norm(concat(*read, axis="s"), "step_norm")
    row = select(weight("position.weight", kinds="embedding", P=z.P, d=z.d), "P")  # all at position 0: time is in them
    return dropped(pointwise(idle(x, weight("word.weight", kinds="embedding", V=z.V, d=z.d)), row, kind="add"))


def predictions(z: Any) -> tuple[Tensor, ...]:
    """The next state, action and return of each step: (state + m + 1)(d + 1) parameters more."""
    x = within("embeddings", steps, z=z)
    x = norm(within("layers", block, x, z=z, runs=z.L), "norm")
    _, seen, acted = cut(x, "s", z.s, z.s, z.s)
    action = linear(seen, "next_action", m=z.m)
    return (linear(acted, "next_state", state=z.state), pointwise(action, kind="tanh") if z.bounded else action,
            linear(acted, "next_return", one=1))


ARCHITECTURES = (Architecture(
    "decision_transformer",
    classes={"DecisionTransformerModel": predictions},
    follows={"h": "4d"},
    acts={"activation_function": ("", "")},
    keys={
        "vocab_size": ("V", 1),
        "n_positions": ("P", 1024),
        "hidden_size": ("d", 128),
        "n_inner": ("h", None),
        "n_layer": ("L", 3),
        "n_head": ("heads", 1),
        "state_dim": ("state", 17),
        "act_dim": ("m", 4),
        "max_ep_len": ("episode", 4096),
        "action_tanh": ("bounded", True),
    },
    aliases={theirs: ours for theirs, ours in GPT_ALIASES.items() if theirs != "hidden_size"},
    ignored={
        **dict.fromkeys(SUMMARY, "read by nothing in this family"),
        "n_ctx": "n_positions is the size of the table",
        "scale_attn_weights": "a constant",
        "scale_attn_by_inverse_layer_idx": "a constant",
        "reorder_and_upcast_attn": "the order of the same products",
    },
    stored={
        "embeddings.word": "encoder.wte",
        "embeddings.position": "encoder.wpe",
        "embeddings.time": "embed_timestep",
        "embeddings.return": "embed_return",
        "embeddings.state": "embed_state",
        "embeddings.action": "embed_action",
        "embeddings.step_norm": "embed_ln",
        "layers.attention_norm": "encoder.h.{i}.ln_1",
        "layers.mlp_norm": "encoder.h.{i}.ln_2",
        ("layers.attention.query", "layers.attention.key", "layers.attention.value"):
            ("encoder.h.{i}.attn.c_attn", "d 3d"),
        "layers.attention.output": ("encoder.h.{i}.attn.c_proj", "d d"),
        "layers.mlp.up": ("encoder.h.{i}.mlp.c_fc", "d h"),
        "layers.mlp.down": ("encoder.h.{i}.mlp.c_proj", "h d"),
        "norm": "encoder.ln_f",
        "next_state": "predict_state",
        "next_action": "predict_action.0",
        "next_return": "predict_return",
    },
    published={
        "decision-transformer-gym-hopper": measured("DecisionTransformerModel", 1_255_055, V=1, P=1024, d=128, L=3,
                                                    heads=1, state=11, m=3, episode=4096),
    },
),)
