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


def vision_keys(*, side: int, patch: int, d: int, h: int | None, L: int, heads: int) -> dict[str, tuple[str, Any]]:
    """The keys of most encoders of images, with the defaults of a class; h=None where the width of the MLP follows."""
    return {
        "image_size": ("side", side),
        "patch_size": ("patch", patch),
        "num_channels": ("c", 3),
        "hidden_size": ("d", d),
        **({} if h is None else {"intermediate_size": ("h", h)}),
        "num_hidden_layers": ("L", L),
        "num_attention_heads": ("heads", heads),
        "num_labels": ("C", 2),
    }


ENCODER_NOTES = dict.fromkeys(("language", "name"), "a note about the file")
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
    return {size: listed.count(kind) for kind, size in kinds.items() if size is not None}


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


def one_window(config: Mapping[str, Any]) -> dict[str, bool | int | None]:
    """{windowed, window}: every layer has the window, or none where it is null."""
    windowed = config["sliding_window"] is not None
    return {"windowed": windowed, "window": _window(config) if windowed else None}


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


def stages(config: Mapping[str, Any], *keys: str) -> list[tuple[int, ...]]:
    """The lists of these keys, with one positive whole number for each stage; ConfigError where they are not."""
    found = []
    for key in keys:
        listed = config[key]
        if not isinstance(listed, list) or not listed or any(type(n) is not int or n < 1 for n in listed):
            raise ConfigError(f"{key}: a list of positive whole numbers, one for each stage, is needed")
        if found and len(listed) != len(found[0]):
            raise ConfigError(f"{keys[0]} has {len(found[0])} stages and {key} has {len(listed)}")
        found.append(tuple(listed))
    return found


CLIP_NAMES = {
    "layers.attention_norm": "encoder.layers.{i}.layer_norm1",
    "layers.attention.query": "encoder.layers.{i}.self_attn.q_proj",
    "layers.attention.key": "encoder.layers.{i}.self_attn.k_proj",
    "layers.attention.value": "encoder.layers.{i}.self_attn.v_proj",
    "layers.attention.output": "encoder.layers.{i}.self_attn.out_proj",
    "layers.mlp_norm": "encoder.layers.{i}.layer_norm2",
    "layers.mlp.up": "encoder.layers.{i}.mlp.fc1",
    "layers.mlp.down": "encoder.layers.{i}.mlp.fc2",
}
TEXT_NAMES: dict[Any, Any] = {
    **CLIP_NAMES,
    "embeddings.word": "embeddings.token_embedding",
    "embeddings.position": "embeddings.position_embedding",
    "norm": "final_layer_norm",
}
IMAGE_NAMES: dict[Any, Any] = {
    **CLIP_NAMES,
    "embeddings.position": "embeddings.position_embedding.weight",
    "embeddings.patch": "embeddings.patch_embedding",
    "norm": "post_layernorm",
}


def tower_names(text: Mapping[Any, Any], image: Mapping[Any, Any]) -> dict[Any, Any]:
    """The names of a model with a tower for text and one for images."""
    def behind(ours: str, theirs: str, names: Mapping[Any, Any]) -> dict[Any, Any]:
        return {(tuple(f"{ours}.{one}" for one in path) if isinstance(path, tuple) else f"{ours}.{path}"):
                (f"{theirs}.{name[0]}", name[1]) if isinstance(name, tuple) else f"{theirs}.{name}"
                for path, name in names.items()}
    return {**behind("text", "text_model", text), **behind("image", "vision_model", image)}


TOWER_LETTERS = {letter: f"{letter}_img" for letter in ("d", "h", "L", "heads")}


def tower_keys(text: Mapping[str, tuple[str, Any]],
               image: Mapping[str, tuple[str, Any]]) -> dict[str, tuple[str, Any]]:
    """The keys of such a model, those of a tower within a table of its own; an image tower has letters of its own."""
    return {**{f"text_config.{key}": told for key, told in text.items()},
            **{f"vision_config.{key}": (TOWER_LETTERS.get(letter, letter), default)
               for key, (letter, default) in image.items()}}


def tower_only(text: str, image: str) -> dict[str, tuple[tuple[Any, ...], str]]:
    """What the two tables may say of themselves."""
    return {
        "text_config": ((None,), "a table is needed"),
        "vision_config": ((None,), "a table is needed"),
        "text_config.model_type": ((text,), "the tower of another family"),
        "vision_config.model_type": ((image,), "the tower of another family"),
    }


TOWER_NOTES = {f"{tower}.{key}": "of no tower" for tower in ("text_config", "vision_config") for key in (
    "architectures", "num_labels", "id2label", "label2id", "is_decoder", "is_encoder_decoder", "add_cross_attention",
    "cross_attention_hidden_size", "tie_encoder_decoder", "tie_word_embeddings", "pruned_heads")}
BACKBONE = dict.fromkeys(("stage_names", "out_features", "out_indices", "apply_layernorm", "reshape_hidden_states"),
                         "chooses what a backbone returns")


def vit_names(layer: str, attention_norm: str, mlp_norm: str) -> dict[Any, Any]:
    """The usual names of a ViT, whose layers and norms are named in two ways."""
    return {
        "embeddings.cls": ("embeddings.cls_token", "1 *"),
        "embeddings.position": ("embeddings.position_embeddings", "1 *"),
        "embeddings.patch": "embeddings.patch_embeddings.projection",
        "layers.attention_norm": f"{layer}.{attention_norm}",
        "layers.attention.query": f"{layer}.attention.q_proj",
        "layers.attention.key": f"{layer}.attention.k_proj",
        "layers.attention.value": f"{layer}.attention.v_proj",
        "layers.attention.output": f"{layer}.attention.o_proj",
        "layers.mlp_norm": f"{layer}.{mlp_norm}",
        "layers.mlp.up": f"{layer}.mlp.fc1",
        "layers.mlp.down": f"{layer}.mlp.fc2",
        "norm": "layernorm",
        "pooler": "pooler.dense",
    }


def measured(cls: str, count: int, **sizes: Any) -> Published:
    """A published model whose parameters were counted on the real implementation."""
    return Published(cls, sizes, count, f"{MEASURED}, {cls}")
