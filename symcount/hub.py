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


def number(config: Mapping[str, Any], key: str) -> int:
    """The whole number that this key gives; ConfigError for anything else."""
    found = config[key]
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise ConfigError(f"{key} = {found!r}: a whole number is needed")
    return found


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
HEAD_NAMES: dict[Any, Any] = {"head": "lm_head", "classifier": "score", "answers": "qa_outputs"}


def measured(cls: str, count: int, **sizes: Any) -> Published:
    """A published model whose parameters were counted on the real implementation."""
    return Published(cls, sizes, count, f"{MEASURED}, {cls}")
