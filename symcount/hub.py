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


def whole_number(config: Mapping[str, Any], key: str) -> int:
    """The value of a key that must be a whole number. Raises ConfigError."""
    value = config[key]
    if isinstance(value, bool) or not isinstance(value, int):
        raise ConfigError(f"{key} = {value!r}: a whole number is needed")
    return value


def first_dense(config: Mapping[str, Any], key: str = "first_k_dense_replace") -> dict[str, int]:
    """{"L_dense": how many of the layers come before those with experts}: no more than there are."""
    return {"L_dense": min(whole_number(config, key), config["num_hidden_layers"])}


def query_rank(config: Mapping[str, Any]) -> dict[str, Any]:
    """The rank of the queries of latent attention, and whether they have one at all."""
    return {"query_rank": config["q_lora_rank"] is not None, "r_q": config["q_lora_rank"]}


def latent_keys(*, r_kv: int, nope: int, rope: int, v: int | None) -> dict[str, tuple[str, Any]]:
    """The keys of latent attention, without the rank of the queries, which may be null: `query_rank`."""
    return {
        "kv_lora_rank": ("r_kv", r_kv),
        "qk_nope_head_dim": ("nope", nope),
        "qk_rope_head_dim": ("rope", rope),
        "v_head_dim": ("v", v),
    }


LATENT_IGNORED = {
    "num_key_value_heads": "each query head has a key and a value of its own, made from the latent",
    "head_dim": "the width with rotation is qk_rope_head_dim",
    "qk_head_dim": "the sum of the widths with and without rotation",
    "rope_interleave": "which numbers of a head are turned together",
}
ROUTING = {
    **dict.fromkeys(("n_group", "topk_group", "topk_method", "norm_topk_prob", "scoring_func", "routed_scaling_factor"),
                    "how experts are scored and chosen, not how many"),
    **dict.fromkeys(("aux_loss_alpha", "seq_aux", "router_aux_loss_coef"), "weighs a loss"),
    "output_router_logits": "chooses what is returned",
    "ep_size": "on how many devices the experts are",
    "num_nextn_predict_layers": "transformers builds no layers that predict further tokens",
}

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
LATENT_NAMES: dict[Any, Any] = {
    "layers.attention.query_down": "layers.{i}.self_attn.q_a_proj",
    "layers.attention.query_norm": "layers.{i}.self_attn.q_a_layernorm",
    "layers.attention.query_up": "layers.{i}.self_attn.q_b_proj",
    "layers.attention.key_value_down": "layers.{i}.self_attn.kv_a_proj_with_mqa",
    "layers.attention.key_value_norm": "layers.{i}.self_attn.kv_a_layernorm",
    "layers.attention.key_value_up": "layers.{i}.self_attn.kv_b_proj",
}
EXPERT_NAMES: dict[Any, Any] = {  # of width h_e
    "layers.mlp.router": "layers.{i}.mlp.gate",
    ("layers.mlp.experts.gate.weight", "layers.mlp.experts.up.weight"):
        ("layers.{i}.mlp.experts.gate_up_proj", "E 2h_e d"),
    "layers.mlp.experts.down.weight": ("layers.{i}.mlp.experts.down_proj", "E d h_e"),
    "layers.mlp.shared.gate": "layers.{i}.mlp.shared_experts.gate_proj",
    "layers.mlp.shared.up": "layers.{i}.mlp.shared_experts.up_proj",
    "layers.mlp.shared.down": "layers.{i}.mlp.shared_experts.down_proj",
}
HEAD_NAMES: dict[Any, Any] = {"head": "lm_head", "classifier": "score", "answers": "qa_outputs"}


def measured(cls: str, count: int, **sizes: Any) -> Published:
    """A published model whose parameters were counted on the real implementation."""
    return Published(cls, sizes, count, f"{MEASURED}, {cls}")
