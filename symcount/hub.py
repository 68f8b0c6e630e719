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


def seq2seq_keys(*, V: int, d: int, h: int, L: int, heads: int, L_dec: int | None = None) -> dict[str, tuple[str, Any]]:
    """The keys of most encoder-decoders, with the defaults of a class, whose two stacks are alike but for L_dec."""
    return {
        "vocab_size": ("V", V),
        "d_model": ("d", d),
        "encoder_ffn_dim": ("h", h),
        "encoder_layers": ("L", L),
        "encoder_attention_heads": ("heads", heads),
        "decoder_ffn_dim": ("h_dec", h),
        "decoder_layers": ("L_dec", L_dec or L),
        "decoder_attention_heads": ("heads_dec", heads),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    }


# The decoder is as the encoder where it is not told otherwise, and as long as what the encoder reads.
SEQ2SEQ_FOLLOWS = {"h_dec": "h", "L_dec": "L", "heads_dec": "heads", "u": "s", "t": "u"}
SEQ2SEQ_ALIASES = {
    "hidden_size": "d_model",
    "num_attention_heads": "encoder_attention_heads",
    "num_hidden_layers": "encoder_layers",
}
SEQ2SEQ_IGNORED = {
    "is_decoder": "the class says which stacks there are",
    "add_cross_attention": "every decoder layer has the weights, and the class says whether they run",
    "scale_embedding": "a constant",
    "init_std": "how weights start, not how many there are",
    **dict.fromkeys(("forced_eos_token_id", "forced_decoder_ids", "force_bos_token_to_be_generated"),
                    "chooses how text is generated"),
    **dict.fromkeys(("classif_dropout", "dropout_rate"), "dropout has no weights"),
    **dict.fromkeys(("add_bias_logits", "do_blenderbot_90_layernorm", "extra_pos_embeddings", "save_step"),
                    "read by nothing"),
}
SEQ2SEQ_ONLY: dict[str, tuple[tuple[Any, ...], str]] = {
    "is_encoder_decoder": ((True, False), "the class says which stacks there are"),
}


def norms_at(*, before: bool, embedding: bool, computed: bool) -> dict[str, tuple[tuple[Any, ...], str]]:
    """Keys of old files of these families, which say what the family does, and nothing reads."""
    return {
        "normalize_before": ((before,), "where this family has its norms"),
        "add_final_layer_norm": ((before,), "where this family has its norms"),
        "extra_layer_norm": ((False,), "where this family has its norms"),
        "normalize_embedding": ((embedding,), "where this family has its norms"),
        "static_position_embeddings": ((computed,), "which positions this family has"),
    }


def seq2seq_names(encoder: str = "encoder", decoder: str = "decoder") -> dict[Any, Any]:
    """What the checkpoints of most encoder-decoders call our weights; `embeddings` is the one word table."""
    names = {
        "embeddings.word": "embed_tokens",
        "embeddings.position": "embed_positions",
        "embeddings.norm": "layernorm_embedding",
        "layers.attention_norm": "layers.{i}.self_attn_layer_norm",
        "layers.attention.query": "layers.{i}.self_attn.q_proj",
        "layers.attention.key": "layers.{i}.self_attn.k_proj",
        "layers.attention.value": "layers.{i}.self_attn.v_proj",
        "layers.attention.output": "layers.{i}.self_attn.out_proj",
        "layers.cross_norm": "layers.{i}.encoder_attn_layer_norm",
        "layers.cross.query": "layers.{i}.encoder_attn.q_proj",
        "layers.cross.key": "layers.{i}.encoder_attn.k_proj",
        "layers.cross.value": "layers.{i}.encoder_attn.v_proj",
        "layers.cross.output": "layers.{i}.encoder_attn.out_proj",
        "layers.mlp_norm": "layers.{i}.final_layer_norm",
        "layers.mlp.up": "layers.{i}.fc1",
        "layers.mlp.down": "layers.{i}.fc2",
        "norm": "layer_norm",
    }
    return {"embeddings": "shared",
            **{f"encoder.{ours}": f"{encoder}.{theirs}" for ours, theirs in names.items()},
            **{f"decoder.{ours}": f"{decoder}.{theirs}" for ours, theirs in names.items()}}


SEQ2SEQ_HEAD_NAMES: dict[Any, Any] = {
    "head": "lm_head",
    "classifier.dense": "classification_head.dense",
    "classifier.scores": "classification_head.out_proj",
    "answers": "qa_outputs",
}
