"""What the families of transformers have in common: usual keys with their letters, usual names of stored tensors.

A family says `**decoder_keys(V=32000, …)` with its class defaults, and adds the keys that only it has.
"""

from __future__ import annotations

from symcount.architecture import Published
from symcount.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

ROTARY = {"max_position_embeddings": "rotary positions have no table"}
ROUTED = {
    "output_router_logits": "chooses what is returned",
    "router_jitter_noise": "noise while training",
    "routed_scaling_factor": "a constant",
    "ep_size": "on how many devices the experts are",
    "num_nextn_predict_layers": "transformers builds no layers that predict further tokens",
    **dict.fromkeys(("router_aux_loss_coef", "aux_loss_alpha", "seq_aux"), "weighs a loss"),
    **dict.fromkeys(("n_group", "topk_group", "topk_method", "norm_topk_prob", "scoring_func"),
                    "how experts are scored and chosen, not how many"),
}
UNBIASED_MLP: dict[str, tuple[tuple[Any, ...], str]] = {"mlp_bias": ((False,), "the MLP of this family has no biases")}
UNBIASED = {"attention_bias": ((False,), "the attention of this family has no biases"), **UNBIASED_MLP}
MASKED = "which scores are masked; all are computed"
GPT_ALIASES = {
    "hidden_size": "n_embd",
    "max_position_embeddings": "n_positions",
    "num_attention_heads": "n_head",
    "num_hidden_layers": "n_layer",
}
SUMMARY = dict.fromkeys(("summary_type", "summary_use_proj", "summary_activation", "summary_proj_to_labels",
                         "summary_first_dropout"), "read only by the double-heads class, which is not written")
SERVER = dict.fromkeys(("inference_runner", "max_batch_size", "max_sequence_length", "pad_key_length",
                        "pre_allocate_kv_cache", "validate_runner_input"), "a setting of a server")
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


def gpt_keys(*, V: int, P: int, d: int, L: int, heads: int, tied: bool = False) -> dict[str, tuple[str, Any]]:
    """The keys of the decoders that are written like GPT-2, with the defaults of a class; h follows where absent."""
    return {
        "vocab_size": ("V", V),
        "n_positions": ("P", P),
        "n_embd": ("d", d),
        "n_inner": ("h", None),
        "n_layer": ("L", L),
        "n_head": ("heads", heads),
        "tie_word_embeddings": ("tied", tied),
        "num_labels": ("C", 2),
    }


def encoder_keys(*, V: int, P: int, d: int, h: int, L: int, heads: int, types: int | None = None,
                 decoder: bool = True, tied: bool = True) -> dict[str, tuple[str, Any]]:
    """The keys of most encoders of text, with the defaults of a class; some have no segments or are no decoder."""
    return {
        "vocab_size": ("V", V),
        "max_position_embeddings": ("P", P),
        **({} if types is None else {"type_vocab_size": ("types", types)}),
        "hidden_size": ("d", d),
        "intermediate_size": ("h", h),
        "num_hidden_layers": ("L", L),
        "num_attention_heads": ("heads", heads),
        "tie_word_embeddings": ("tied", tied),
        **({"is_decoder": ("decoder", False)} if decoder else {}),
        "num_labels": ("C", 2),
    }


ENCODER_NOTES = {
    **dict.fromkeys(("language", "name"), "a note about the file"),
    **dict.fromkeys(("directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                     "pooler_size_per_head", "pooler_type"), "a note of the original release of BERT, read by nothing"),
}
ENCODER_ONLY: dict[str, tuple[tuple[Any, ...], str]] = {
    "add_cross_attention": ((False,), "cross attention is not written for this family"),
    "position_embedding_type": (("absolute",), "relative keys have a table of their own"),
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
    found = {size: 0 for size in kinds.values() if size is not None}
    for kind, size in kinds.items():
        if size is not None:
            found[size] += listed.count(kind)
    return found


def number(config: Mapping[str, Any], key: str, least: int = 1) -> int:
    """The whole number, of at least `least`, that this key gives; ConfigError for anything else."""
    found = config[key]
    if isinstance(found, bool) or not isinstance(found, int) or found < least:
        raise ConfigError(f"{key} = {found!r}: a whole number of at least {least} is needed")
    return found


def listed(config: Mapping[str, Any], key: str, layers: int) -> int:
    """How many of the layers a list of their numbers names; ConfigError for what is no such list."""
    found = config[key]
    if not isinstance(found, list) or any(isinstance(i, bool) or not isinstance(i, int) for i in found):
        raise ConfigError(f"{key}: a list of the numbers of layers is needed")
    return len({i for i in found if 0 <= i < layers})


def every(config: Mapping[str, Any], period: str, offset: str, layers: int) -> int:
    """How many layers stand `offset` after a multiple of `period`; ConfigError where there is no such place."""
    steps, first = config[period], config[offset]
    if any(isinstance(n, bool) or not isinstance(n, int) for n in (steps, first)) or not 0 <= first < steps:
        raise ConfigError(f"{period} = {steps!r}, {offset} = {first!r}: a whole number, and a smaller one, are needed")
    return len(range(first, layers, steps))


def first_dense(config: Mapping[str, Any], key: str = "first_k_dense_replace") -> dict[str, int]:
    """{"L_dense": how many of the layers come before those with experts}: no more than there are."""
    return {"L_dense": min(number(config, key, least=0), config["num_hidden_layers"])}


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


def as_wide(config: Mapping[str, Any]) -> dict[str, int | None]:
    """{k}: where the implementation takes it for granted that all heads together are as wide as the model."""
    k = config["head_dim"]
    if k is not None and k * config["num_attention_heads"] != config["hidden_size"]:
        raise ConfigError(f"head_dim = {k}: the heads are not as wide as hidden_size together, which does not run")
    return {"k": None}


def windows(config: Mapping[str, Any], full: int) -> dict[str, int | None]:
    """{L_global, window}: how many layers attend to all tokens, `full` unless layer_types says; and the others' window.

    Raises ConfigError for a list that `layer_kinds` refuses, and for layers with a window that is no number.
    """
    found = layer_kinds(config, {"full_attention": "L_global", "sliding_attention": None}) or {"L_global": full}
    if found["L_global"] == config["num_hidden_layers"]:
        return {**found, "window": None}
    return {**found, "window": _window(config)}


def global_every(step: int) -> Callable[[Mapping[str, Any]], dict[str, int | None]]:
    """How a family settles the same where each layer whose number `step` divides attends to all tokens.

    A configuration without layer_types may give another number in its sliding_window_pattern.
    """
    def settle(config: Mapping[str, Any]) -> dict[str, int | None]:
        every = step if config["layer_types"] is not None else config.get("sliding_window_pattern", step)
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise ConfigError(f"sliding_window_pattern = {every!r}: a whole number of at least 1 is needed, "
                              "or the list layer_types")
        return windows(config, config["num_hidden_layers"] // every)
    return settle


def one_window(config: Mapping[str, Any]) -> dict[str, int | None]:
    """{window}: every layer has it, or none where it is null."""
    return {"window": None if config["sliding_window"] is None else _window(config)}


def _window(config: Mapping[str, Any]) -> int:
    window = config["sliding_window"]
    if not isinstance(window, int) or isinstance(window, bool):
        raise ConfigError(f"sliding_window = {window!r}: a whole number is needed where layers have a window")
    return window


QWEN_WINDOWS: dict[str, Any] = {"use_sliding_window": False, "sliding_window": 4096, "max_window_layers": 28,
                                "layer_types": None}


def first_global(config: Mapping[str, Any]) -> dict[str, int | None]:
    """{L_global, window} of Qwen: where windows are used, all layers but the first max_window_layers have one."""
    used, first, L = config["use_sliding_window"], config["max_window_layers"], config["num_hidden_layers"]
    if not isinstance(used, bool):
        raise ConfigError(f"use_sliding_window = {used!r}: true or false is needed")
    if not used or config["sliding_window"] is None:
        return windows({**config, "sliding_window": None}, L)
    if not isinstance(first, int) or isinstance(first, bool):
        raise ConfigError(f"max_window_layers = {first!r}: a whole number is needed")
    return windows(config, min(max(first, 0), L))


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
LATENT_NAMES: dict[Any, Any] = {
    "layers.attention.query_down": "layers.{i}.self_attn.q_a_proj",
    "layers.attention.query_norm": "layers.{i}.self_attn.q_a_layernorm",
    "layers.attention.query_up": "layers.{i}.self_attn.q_b_proj",
    "layers.attention.key_value_down": "layers.{i}.self_attn.kv_a_proj_with_mqa",
    "layers.attention.key_value_norm": "layers.{i}.self_attn.kv_a_layernorm",
    "layers.attention.key_value_up": "layers.{i}.self_attn.kv_b_proj",
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
BERT_NAMES: dict[Any, Any] = {
    "embeddings.word": "embeddings.word_embeddings",
    "embeddings.position": "embeddings.position_embeddings",
    "embeddings.type": "embeddings.token_type_embeddings",
    "embeddings.norm": "embeddings.LayerNorm",
    "layers.attention.query": "encoder.layer.{i}.attention.self.query",
    "layers.attention.key": "encoder.layer.{i}.attention.self.key",
    "layers.attention.value": "encoder.layer.{i}.attention.self.value",
    "layers.attention.output": "encoder.layer.{i}.attention.output.dense",
    "layers.attention_norm": "encoder.layer.{i}.attention.output.LayerNorm",
    "layers.mlp.up": "encoder.layer.{i}.intermediate.dense",
    "layers.mlp.down": "encoder.layer.{i}.output.dense",
    "layers.mlp_norm": "encoder.layer.{i}.output.LayerNorm",
    "pooler": "pooler.dense",
}
BERT_HEAD_NAMES: dict[Any, Any] = {
    "head.transform": "cls.predictions.transform.dense",
    "head.norm": "cls.predictions.transform.LayerNorm",
    "head.decoder": "cls.predictions.decoder",
    "head.bias": "cls.predictions.bias",
    "next_sentence": "cls.seq_relationship",
    "pre_classifier": "pre_classifier",
    "classifier": "classifier",
    "classifier.dense": "classifier.dense",
    "classifier.output": "classifier.out_proj",
    "answers": "qa_outputs",
}
ROBERTA_HEAD_NAMES: dict[Any, Any] = {
    **BERT_HEAD_NAMES,
    "head.transform": "lm_head.dense",
    "head.norm": "lm_head.layer_norm",
    "head.decoder": "lm_head.decoder",
    "head.bias": "lm_head.bias",
}

# Keys of state-space models that change no count
TIME_STEP = {
    **dict.fromkeys(("time_step_scale", "time_step_min", "time_step_max", "time_step_floor", "time_step_init_scheme",
                     "rescale_prenorm_residual"), "how weights start, not how many there are"),
    **dict.fromkeys(("use_mambapy", "use_associative_scan", "use_mamba_kernels"),
                    "another kernel for the same products"),
    "residual_in_fp32": "how numbers are stored; counts are of numbers",
    "time_step_limit": "bounds of a step in time, which is elementwise",
}


def mamba_names(theirs: str) -> dict[Any, Any]:
    """The names of a Mamba mixer, which they call `theirs`."""
    at = f"layers.{{i}}.{theirs}"
    return {
        ("layers.mixer.input", "layers.mixer.gate"): f"{at}.in_proj",
        "layers.mixer.convolution.weight": (f"{at}.conv1d.weight", "inner 1 w"),
        "layers.mixer.convolution.bias": f"{at}.conv1d.bias",
        ("layers.mixer.time_down", "layers.mixer.enter", "layers.mixer.leave"): f"{at}.x_proj",
        "layers.mixer.time_up": f"{at}.dt_proj",
        "layers.mixer.decay": f"{at}.A_log",
        "layers.mixer.skip": f"{at}.D",
        "layers.mixer.output": f"{at}.out_proj",
    }


def mamba2_names(theirs: str, ours: str = "layers.mixer") -> dict[Any, Any]:
    """The names of a Mamba-2 mixer, which they call `theirs`."""
    at = f"layers.{{i}}.{theirs}"
    kernels = tuple(f"{ours}.{name}_convolution" for name in ("input", "enter", "leave"))
    return {
        tuple(f"{ours}.{name}" for name in ("gate", "input", "enter", "leave", "time")): f"{at}.in_proj",
        tuple(f"{path}.weight" for path in kernels): (f"{at}.conv1d.weight", "inner+2*groups*state 1 w"),
        tuple(f"{path}.bias" for path in kernels): f"{at}.conv1d.bias",
        f"{ours}.time_bias": f"{at}.dt_bias",
        f"{ours}.decay": f"{at}.A_log",
        f"{ours}.skip": f"{at}.D",
        f"{ours}.gated_norm": f"{at}.norm",
        f"{ours}.output": f"{at}.out_proj",
    }


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
