"""What the families of transformers have in common: usual keys with their letters, usual names of stored tensors.

A family says `**decoder_keys(V=32000, …)` with its class defaults, and adds the keys that only it has.
"""

from __future__ import annotations

from symcount.architecture import Published
from symcount.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ROTARY = {"max_position_embeddings": "rotary positions have no table"}
ROUTED = {
    "output_router_logits": "chooses what is returned",
    "router_aux_loss_coef": "weighs a loss",
    "router_jitter_noise": "noise while training",
    "n_group": "which experts may be chosen together",
    "topk_group": "which experts may be chosen together",
    "routed_scaling_factor": "a constant",
    "norm_topk_prob": "scales the scores of the experts",
}
MASKED = "which scores are masked; all are computed"
MEASURED = "transformers 5.23.0 on the meta device, numel of named_parameters"


def decoder_keys(*, V: int, d: int, h: int, L: int, heads: int, kv: int | None = None, k: int | None = None,
                 tied: bool = False) -> dict[str, tuple[str, Any]]:
    """The keys of most decoders, with the defaults of a class; kv and k follow (heads, d/heads) where it has none."""
    return {
        "vocab_size": ("V", V),
        "hidden_size": ("d", d),
        "intermediate_size": ("h", h),
        "num_hidden_layers": ("L", L),
        "num_attention_heads": ("heads", heads),
        "num_key_value_heads": ("kv", kv),
        "head_dim": ("k", k),
        "tie_word_embeddings": ("tied", tied),
        "num_labels": ("C", 2),
    }


def layer_kinds(config: Mapping[str, Any], kinds: Mapping[str, str | None], key: str = "layer_types",
                layers: str = "num_hidden_layers") -> dict[str, int]:
    """{size: how many layers are of its kind}, from a list with one kind a layer; nothing where the list is absent.

    `kinds` gives each kind its size, or None to the kind that is the rest: {"full_attention": "L_global",
    "sliding_attention": None}. Raises ConfigError for another kind, or a list of another length.
    """
    listed, L = config[key], config[layers]
    if listed is None:
        return {}
    if not isinstance(listed, list) or len(listed) != L:
        raise ConfigError(f"{key}: a list with one kind for each of the {L} layers is needed")
    for kind in listed:
        if not isinstance(kind, str) or kind not in kinds:
            raise ConfigError(f"{key}: unknown kind {kind!r}; known: {', '.join(kinds)}")
    return {size: listed.count(kind) for kind, size in kinds.items() if size is not None}


def some_dense(count: int) -> dict[str, Any]:
    """What `layers.experts.sparse_decoder` reads, of how many layers have one MLP and no experts."""
    return {"dense": count > 0, "L_dense": count or None}


def dense_layers(config: Mapping[str, Any]) -> dict[str, Any]:
    """How many are dense where each layer whose number `decoder_sparse_step` divides has experts.

    `mlp_only_layers` lists exceptions. Raises ConfigError.
    """
    L, step, dense = config["num_hidden_layers"], config["decoder_sparse_step"], config["mlp_only_layers"] or []
    if isinstance(step, bool) or not isinstance(step, int) or step < 1:
        raise ConfigError(f"decoder_sparse_step = {step!r}: a whole number of at least 1 is needed")
    if not isinstance(dense, list) or not all(isinstance(i, int) and not isinstance(i, bool) for i in dense):
        raise ConfigError("mlp_only_layers: a list of layer numbers, from 0, is needed")
    return some_dense(L - L // step + len({i for i in dense if 0 <= i < L and (i + 1) % step == 0}))


DECODER_NAMES: dict[Any, Any] = {
    "embeddings": "embed_tokens",
    "layers.attention_norm": "layers.{i}.input_layernorm",
    "layers.attention.query": "layers.{i}.self_attn.q_proj",
    "layers.attention.key": "layers.{i}.self_attn.k_proj",
    "layers.attention.value": "layers.{i}.self_attn.v_proj",
    "layers.attention.output": "layers.{i}.self_attn.o_proj",
    "layers.attention.query_norm": "layers.{i}.self_attn.q_norm",
    "layers.attention.key_norm": "layers.{i}.self_attn.k_norm",
    "layers.mlp_norm": "layers.{i}.post_attention_layernorm",
    "layers.mlp.gate": "layers.{i}.mlp.gate_proj",
    "layers.mlp.up": "layers.{i}.mlp.up_proj",
    "layers.mlp.down": "layers.{i}.mlp.down_proj",
    "norm": "norm",
}


def expert_names(mlp: str = "layers.{i}.mlp", *, router: str = "gate", h: str = "h_e") -> dict[Any, Any]:
    """The names of a router, of E gated experts of width h, and of the experts that every token meets."""
    return {
        "layers.mlp.router": f"{mlp}.{router}",
        ("layers.mlp.experts.gate.weight", "layers.mlp.experts.up.weight"):
            (f"{mlp}.experts.gate_up_proj", f"E 2{h} d"),
        "layers.mlp.experts.down.weight": (f"{mlp}.experts.down_proj", f"E d {h}"),
        "layers.mlp.shared.gate": f"{mlp}.shared_experts.gate_proj",
        "layers.mlp.shared.up": f"{mlp}.shared_experts.up_proj",
        "layers.mlp.shared.down": f"{mlp}.shared_experts.down_proj",
    }


HEAD_NAMES: dict[Any, Any] = {"head": "lm_head", "classifier": "score", "answers": "qa_outputs"}


def measured(cls: str, count: int, **sizes: Any) -> Published:
    """A published model whose parameters were counted on the real implementation."""
    return Published(cls, sizes, count, f"{MEASURED}, {cls}")
