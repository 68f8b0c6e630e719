"""A Hugging Face `config.json` to a model: every key is read, ignored with a reason, or refused by name.

A configuration comes from a stranger: it is data, bounded in size, and no code is run for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from symcount.architecture import Architecture, Model
from symcount.architectures import load, types
from symcount.errors import ConfigError, ModelError, SizeError, nearest
from symcount.given import whole
from symcount.kinds import ACTIVATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

LARGEST_FILE = 4_000_000  # bytes; the longest real config.json, with 20,000 labels, is below one million

_GENERATION = "chooses how text is generated"
_OUTPUT = "chooses what is returned"
_STORAGE = "how numbers are stored; counts are of numbers"
_NOTE = "a note about the file"
_TRAINING = "a setting of a training script"
IGNORED = {
    **dict.fromkeys(("transformers_version", "_name_or_path", "_commit_hash", "auto_map", "name_or_path",
                     "task_specific_params", "finetuning_task", "license", "tokenizer_class", "prefix",
                     "output_past", "_num_labels", "transformers.js_config", "custom_pipeline",
                     "custom_pipelines", "unsloth_version", "unsloth_fixed", "xla_device",
                     "export_model_type"), _NOTE),
    **dict.fromkeys(("torch_dtype", "dtype", "quantization_config", "quantization", "use_bfloat16",
                     "moe_router_dtype"), _STORAGE),
    **dict.fromkeys(("output_hidden_states", "output_attentions", "return_dict", "return_dict_in_generate",
                     "output_scores", "use_return_dict", "torchscript", "problem_type"), _OUTPUT),
    **dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id", "eos_token_ids", "sep_token_id", "cls_token_id",
                     "mask_token_id",
                     "unk_token_id", "decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id",
                     "suppress_tokens", "begin_suppress_tokens", "bad_words_ids", "temperature", "top_k", "top_p",
                     "typical_p", "num_beams", "num_beam_groups", "diversity_penalty", "do_sample", "early_stopping",
                     "length_penalty", "max_length", "min_length", "max_new_tokens", "no_repeat_ngram_size",
                     "encoder_no_repeat_ngram_size", "num_return_sequences", "repetition_penalty",
                     "remove_invalid_values", "exponential_decay_length_penalty", "use_cache"), _GENERATION),
    **dict.fromkeys(("initializer_range", "initializer_factor"), "how weights start, not how many there are"),
    **dict.fromkeys(("attn_implementation", "_attn_implementation", "_attn_implementation_autoset",
                     "_flash_attn_2_enabled"), "another kernel for the same products"),
    **dict.fromkeys(("chunk_size_feed_forward",), "the same products in slices"),
    **dict.fromkeys(("attention_dropout", "hidden_dropout", "dropout", "resid_pdrop", "embd_pdrop", "attn_pdrop",
                     "hidden_dropout_prob", "attention_probs_dropout_prob", "classifier_dropout", "activation_dropout",
                     "embed_dropout", "resid_dropout", "layerdrop", "encoder_layerdrop", "decoder_layerdrop"),
                    "dropout has no weights"),
    **dict.fromkeys(("hidden_act", "hidden_activation", "activation_function"),
                    "an activation has no weights and is elementwise"),
    **dict.fromkeys(("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "norm_epsilon"), "a constant"),
    **dict.fromkeys(("rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor", "rope_type"),
                    "rotation has no weights and is elementwise"),
    **dict.fromkeys(("pretraining_tp",), "splits the same products into slices"),
    "num_labels": "no class that is written for this family classifies",
    **dict.fromkeys(("drop_path_rate",), "layers are dropped while training only"),
    **dict.fromkeys(("world_size", "neuron_config"), "on how many devices it ran, and how it was compiled for them"),
    **dict.fromkeys(("move_model_to_device", "selective_checkpoint_enabled", "sequence_parallel_enabled",
                     "gradient_checkpointing", "kv_shared_group_size", "line_by_line", "tf_legacy_loss",
                     "use_deepspeed_checkpointing", "is_gpu"), _TRAINING),
}
WORDLESS = {"tie_word_embeddings": "no words are predicted"}  # of what has no vocabulary
LEARNED = ("prelu", "xielu")  # the activations of transformers that have weights
UNLEARNED = (*ACTIVATIONS, "linear")  # and those that have none
# The same within a table, which transformers writes as a configuration of its own.
_WITHIN = {**IGNORED, **dict.fromkeys(("architectures", "model_type", "id2label", "label2id", "is_encoder_decoder"),
                                      _NOTE)}
ONLY: dict[str, tuple[tuple[Any, ...], str]] = {
    "is_encoder_decoder": ((False,), "this family has one stack"),
    "pruned_heads": (({}, None), "pruned heads leave layers of unlike shapes"),
    "cross_attention_hidden_size": ((None,), "cross attention is not written for this family"),
    "tie_encoder_decoder": ((False,), "this family has one stack"),
    "add_cross_attention": ((False,), "cross attention is not written for this family"),
    "is_decoder": ((False,), "nothing in this family asks for it"),
    "adapters": (({"adapters": {}, "config_map": {}}, {}, None), "adapters have weights of their own"),
    "attribute_map": (({}, None), "other names for keys are those of the class"),
    "metadata": ((None,), "what it says is unknown"),
    "fused_spec_config": ((None,), "a second model that drafts is not written"),
    "sliding_window": ((None,), "windows are not written for this family"),
    "use_sliding_window": ((False,), "windows are not written for this family"),
}
# Classes that had another name in an early release, or in the repository that a file came from
RENAMED = {
    "Ernie4_5_ForCausalLM": "Ernie4_5ForCausalLM",
    "KimiK25ForConditionalGeneration": "Kimi_K25ForConditionalGeneration",
    "LLaMAForCausalLM": "LlamaForCausalLM",
    "MPTForCausalLM": "MptForCausalLM",
    "T5WithLMHeadModel": "T5ForConditionalGeneration",
}


def read_config(source: Mapping[str, Any] | str | PathLike[str], head: str | None = None) -> Model:
    """The model that a configuration describes; `head` chooses another class of its family.

    An absent key takes the default of its class and is listed in the model's conventions.

    >>> read_config({"model_type": "llama", "hidden_size": 2048, "architectures": ["LlamaForCausalLM"]})
    <Model llama (LlamaForCausalLM)>

    Raises ConfigError for an unreadable file, an unknown or unsupported key, and a value that no size can be.
    """
    if isinstance(source, Mapping):
        where, config = "config", dict(source)
    elif isinstance(source, str) or hasattr(source, "__fspath__"):
        where, config = _load(source)
    else:
        raise ConfigError(f"a mapping or a path is needed, not {type(source).__name__}")
    where, config = _text_part(where, config, head)
    architecture, config = _architecture(where, config)
    given, rows = _read(where, config, architecture)
    named = config.get("architectures")
    if named is not None and not (isinstance(named, list) and all(isinstance(name, str) for name in named)):
        raise ConfigError(f"{where}: architectures = {_shown(named)}: a list of class names is needed")
    base = named[0] if named else next(iter(architecture.classes))
    cls = base if head is None else head
    if RENAMED.get(cls) in architecture.classes:
        cls = RENAMED[cls]
    if cls not in architecture.classes:
        raise ConfigError(f"{where}: class '{cls}' is not written for {architecture.name}; "
                          + nearest(cls, list(architecture.classes)))
    if head is None:
        rows.append(("architectures", _shown(named), f"class {cls}" if named else f"absent: base model {cls}"))
    name = architecture.name if isinstance(source, Mapping) else where
    try:
        return Model(architecture, given, name=name, cls=cls, keys=tuple(rows))
    except (SizeError, ModelError) as error:
        raise ConfigError(f"{where}: {_theirs(where, error, architecture)}") from None


def _load(source: str | PathLike[str]) -> tuple[str, dict[str, Any]]:
    import os

    path = os.fspath(source)
    if os.path.isdir(path):
        path = os.path.join(path, "config.json")
    if os.path.exists(path) and not os.path.isfile(path):
        raise ConfigError(f"{path}: not a regular file")
    try:
        with open(path, "rb") as file:
            return path, parse(file.read(LARGEST_FILE + 1), path)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:  # ValueError: a path that no system takes
        raise ConfigError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def parse(text: bytes, where: str) -> dict[str, Any]:
    """The JSON object that a configuration is; each key once, and no more than LARGEST_FILE bytes.

    Raises ConfigError with line and column.
    """
    import json

    if len(text) > LARGEST_FILE:
        raise ConfigError(f"{where}: a configuration has at most {LARGEST_FILE:,} bytes")
    try:
        found = json.loads(text.decode("utf-8-sig"), object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{where}, line {error.lineno}, column {error.colno}: not JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise ConfigError(f"{where}: cannot be read as JSON: {str(error).partition(';')[0]}") from None
    if not isinstance(found, dict):
        raise ConfigError(f"{where}: a JSON object is needed, not {type(found).__name__}")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise ValueError(f"the key '{name}' stands twice")
        seen.add(name)
    return dict(pairs)


def _text_part(where: str, config: dict[str, Any], head: str | None) -> tuple[str, dict[str, Any]]:
    """The text part of a model with further towers that are not written, if `head` is one of its classes."""
    part = config.get("text_config")
    kind, inner = config.get("model_type"), part.get("model_type") if isinstance(part, dict) else None
    if not isinstance(part, dict) or not isinstance(inner, str) or inner not in types() or (
            isinstance(kind, str) and kind in types()):
        return where, config
    classes = list(load(inner).classes)
    if head not in classes:
        raise ConfigError(f"{where}: model_type = {_shown(kind)} is not supported; its text part alone, {inner}, is "
                          f"counted with a head: {', '.join(classes)}")
    return f"{where} text_config", {**part, "architectures": [head]}


def _architecture(where: str, config: dict[str, Any]) -> tuple[Architecture, dict[str, Any]]:
    """The architecture that a configuration names, and the configuration with the tables that its towers need."""
    kind = config.get("model_type")
    architecture = load(kind) if isinstance(kind, str) and kind in types() else None
    if architecture and architecture.keys:
        try:
            return architecture.composed(config) if architecture.composed else (architecture, config)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
    kinds = [name for name in types() if load(name).keys]
    if kind is None:
        raise ConfigError(f"{where}: no key 'model_type', so the family is unknown; known: {', '.join(kinds)}")
    raise ConfigError(f"{where}: model_type = {_shown(kind)} is not supported; {nearest(str(kind), kinds)}")


def _read(where: str, config: dict[str, Any],
          architecture: Architecture) -> tuple[dict[str, Any], list[tuple[str, ...]]]:
    """What the keys give, class defaults included, and a row (key, value, what was done) for each."""
    given: dict[str, Any] = {}
    rows: list[tuple[str, ...]] = []
    spelled: dict[str, str] = {}
    ignored = {**IGNORED, **({} if architecture.knows("V") else WORDLESS), **architecture.ignored}
    only = {**{key: entry for key, entry in ONLY.items() if key not in architecture.ignored}, **architecture.only}
    echoes: list[str] = []
    entries = _flat(_labels(where, config), architecture)
    for name, entry in entries.items():
        key = architecture.aliases.get(name, name)
        if key in architecture.keys or key in architecture.reads:
            if key in spelled and entries[spelled[key]] != entry:
                raise ConfigError(f"{where}: '{spelled[key]}' and '{name}' are one key with two values")
            spelled[key] = name
        if key in architecture.keys:
            size, _ = architecture.keys[key]
            if entry is None and size in architecture.follows:
                rows.append((name, "null", f"{size} = {architecture.follows[size]}"))
                continue
            given[size] = _value(where, name, entry, size, architecture)
            rows.append((name, _shown(entry), f"{size}"))
        elif key in architecture.reads:
            rows.append((name, _shown(entry), _SETTLED))
        elif key in architecture.same:
            echoes.append(name)
        elif key in only:
            allowed, why = only[key]
            if not any(entry == one and type(entry) is type(one) for one in allowed):
                raise ConfigError(f"{where}: {name} = {_shown(entry)} is not supported ({why}); supported: "
                                  + ", ".join(map(_shown, allowed)))
            rows.append((name, _shown(entry), "as supported"))
        elif isinstance(entry, str) and entry in LEARNED:
            raise ConfigError(f"{where}: {name} = {entry} is not supported: this activation has weights")
        elif key and key in architecture.acts:
            _, path = architecture.acts[key]
            given["acts"] = {**given.get("acts", {}), path: activation(name, entry)}
            rows.append((name, _shown(entry), "an activation has no weights; its work is elementwise"))
        elif key in ignored or ((tail := name.rpartition(".")[2]) != name and tail in _WITHIN):
            rows.append((name, _shown(entry), f"ignored: {ignored[key] if key in ignored else _WITHIN[tail]}"))
        elif name == "model_type":
            rows.append((name, _shown(entry), f"architecture {architecture.name}"))
        elif name != "architectures":
            known = {*architecture.keys, *architecture.aliases, *architecture.ignored, *architecture.only,
                     *architecture.reads, *architecture.same, *architecture.acts}
            raise ConfigError(f"{where}: unknown key '{name}', {nearest(str(name), known)}")
    rows += _absent(where, given, spelled, architecture)
    told = {key: entries[name] for key, name in spelled.items()}
    rows += [_repeated(where, name, entries[name], told, architecture) for name in echoes]
    return _settled(where, given, rows, told, architecture)


def _absent(where: str, given: dict[str, Any], spelled: Mapping[str, str],
            architecture: Architecture) -> list[tuple[str, ...]]:
    """The rows of the keys that are absent, whose class defaults are put into what is given."""
    rows: list[tuple[str, ...]] = []
    for key, (size, default) in architecture.keys.items():
        if key in spelled:
            continue
        if default is not None:
            given[size] = default
        elif size not in architecture.follows:
            raise ConfigError(f"{where}: {key} is needed; its class has no default")
        shown = architecture.follows[size] if default is None else _shown(default)
        rows.append((key, "absent", f"class default: {size} = {shown}"))
    return rows + [(key, "absent", f"class default: {_shown(default)}") for key, default in architecture.reads.items()
                   if key not in spelled]


def _repeated(where: str, name: str, entry: Any, told: dict[str, Any], architecture: Architecture) -> tuple[str, ...]:
    """The row of a key that repeats another, which it must not contradict, or its class default."""
    key = architecture.same[name]
    default = architecture.keys[key][1] if key in architecture.keys else architecture.reads[key]
    read = told.get(key, default)
    if entry is not None and (entry != read or type(entry) is not type(read)):
        raise ConfigError(f"{where}: {name} = {_shown(entry)} repeats {key}, and {key} is {_shown(read)}")
    return name, _shown(entry), f"repeats {key}"


def activation(key: str, entry: Any) -> str:
    """The kind of the activation that a configuration names; of one that transformers has not, what the key says.

    >>> activation("hidden_act", "swish"), activation("hidden_act", "snake")
    ('silu', 'hidden_act = "snake"')
    """
    if entry == "swish":
        return "silu"
    if entry is None and key.startswith("summary_"):
        return "linear"
    return entry if isinstance(entry, str) and entry in UNLEARNED else f"{key} = {_shown(entry)}"


_SETTLED = "read with others"


def _settled(where: str, given: dict[str, Any], rows: list[tuple[str, ...]], told: dict[str, Any],
             architecture: Architecture) -> tuple[dict[str, Any], list[tuple[str, ...]]]:
    """The same, with what several keys say together, and what they said in the rows of these keys."""
    if architecture.settle is None:
        return given, rows
    defaults = {key: default for key, (_, default) in architecture.keys.items()}
    try:
        found = architecture.settle({**defaults, **architecture.reads, **told})
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    for name, entry in found.items():
        before = given.pop(name, None)
        if name in architecture.flags:
            given[name] = entry
        elif name == "acts":
            if learned := [kind for kind in entry.values() if kind in LEARNED]:
                raise ConfigError(f"{where}: {learned[0]} is not supported: this activation has weights")
            given[name] = {**(before or {}), **{path: activation(path or "act", kind) for path, kind in entry.items()}}
        elif entry is not None:
            try:
                given[name] = (tuple(whole(f"{name}_{i}", n) for i, n in enumerate(entry))
                               if isinstance(entry, tuple) else whole(name, entry))
            except SizeError as error:
                raise ConfigError(f"{where}: {error}") from None
    says = "gives " + ", ".join(f"{name} = {architecture.follows.get(name, 'none') if entry is None else _shown(entry)}"
                                for name, entry in found.items()) if found else "as supported"
    return given, [(key, entry, says if read == _SETTLED else read) for key, entry, read in rows]


def _flat(config: dict[str, Any], architecture: Architecture) -> dict[str, Any]:
    """The keys, those within a table, or one within it, that the architecture reads as "table.key"."""
    told = (*architecture.keys, *architecture.reads, *architecture.only)
    tables = {key[:i] for key in told for i, character in enumerate(key) if character == "."}
    found: dict[str, Any] = {}
    todo = list(config.items())
    for name, entry in todo:
        if name in tables and isinstance(entry, dict):
            todo += [(f"{name}.{key}", inner) for key, inner in entry.items()]
        else:
            found[name] = entry
    return found


def _labels(where: str, config: dict[str, Any]) -> dict[str, Any]:
    """The keys, the two tables of labels read as the num_labels that they stand for."""
    for name in ("id2label", "label2id"):
        if not isinstance(config.get(name) or {}, dict):
            raise ConfigError(f"{where}: {name} = {_shown(config[name])}: a table of labels is needed")
    rest = {name: entry for name, entry in config.items() if name not in ("id2label", "label2id")}
    numbers = list(config.get("id2label") or {})
    if not numbers:
        return rest
    if not all(str(n).isascii() and str(n).isdigit() for n in numbers) or len({int(n) for n in numbers}) < len(numbers):
        raise ConfigError(f"{where}: id2label numbers its labels, each once, and not {_shown(numbers)}")
    if rest.setdefault("num_labels", len(numbers)) != len(numbers):
        raise ConfigError(f"{where}: id2label has {len(numbers)} labels and num_labels is {_shown(rest['num_labels'])}")
    return rest


def _value(where: str, name: str, entry: Any, size: str, architecture: Architecture) -> Any:
    if size in architecture.flags:
        if not isinstance(entry, bool):
            raise ConfigError(f"{where}: {name} = {_shown(entry)}: true or false is needed")
        return entry
    if isinstance(entry, bool) or not isinstance(entry, int):
        raise ConfigError(f"{where}: {name} = {_shown(entry)}: a whole number is needed")
    try:
        return whole(size, entry)
    except SizeError as error:
        raise ConfigError(f"{where}: {name}: {error}") from None


def _theirs(where: str, error: Exception, architecture: Architecture) -> str:
    """The message, with the configuration's own names for the letters."""
    text = str(error).removeprefix(f"{architecture.name}: ").removeprefix(f"{where}: ")
    names = [f"{size} is {key}" for key, (size, _) in architecture.keys.items() if f"{size} = " in text]
    return text + (f" ({', '.join(names)})" if names else "")


def _shown(entry: Any) -> str:
    import json

    text = json.dumps(entry, default=repr)
    return text if len(text) <= 60 else text[:57] + "…"
