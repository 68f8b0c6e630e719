"""What several keys of a configuration say together: kinds of layers, windows, experts, each as a size."""

from __future__ import annotations

from symcount.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


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


def ratio(config: Mapping[str, Any], key: str) -> float:
    """How many times wider something is, as this key says: above 0 and below 1,000; ConfigError for anything else."""
    found = config[key]
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0 < found < 1000:
        raise ConfigError(f"{key} = {found!r}: a number above 0 is needed")
    return found


def one_over(config: Mapping[str, Any], key: str) -> int:
    """n, where this key gives 1/n; ConfigError for anything else."""
    found = config[key]
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0 < found <= 1 or (1 / found) % 1:
        raise ConfigError(f"{key} = {found!r}: one over a whole number is needed")
    return round(1 / found)


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


def as_wide(config: Mapping[str, Any]) -> dict[str, int | None]:
    """{k}: where the implementation takes it for granted that all heads together are as wide as the model."""
    k = None if config["head_dim"] is None else number(config, "head_dim")
    if k is not None and k * number(config, "num_attention_heads") != number(config, "hidden_size"):
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


def same_window(config: Mapping[str, Any], layers: str) -> dict[str, int]:
    """{window}: an even number for all layers, said once, or for each of them."""
    told, L = config["attention_window"], config[layers]
    if isinstance(told, list):
        if not told or len(told) != L or any(one != told[0] or type(one) is not type(told[0]) for one in told):
            raise ConfigError(f"attention_window: one number, or the same for each of the {L} layers, is needed")
        told = told[0]
    if isinstance(told, bool) or not isinstance(told, int) or told < 2 or told % 2:
        raise ConfigError(f"attention_window = {told!r}: an even number is needed")
    return {"window": told}


def _window(config: Mapping[str, Any]) -> int:
    window = config["sliding_window"]
    if not isinstance(window, int) or isinstance(window, bool):
        raise ConfigError(f"sliding_window = {window!r}: a whole number is needed where layers have a window")
    return window


def as_narrow(config: Mapping[str, Any]) -> dict[str, Any]:
    """{projected, e}: word vectors as wide as the layers, or of no width of their own, are not projected."""
    alike = config["embedding_size"] in (None, config["hidden_size"])
    return {"projected": not alike, **({"e": None} if alike else {})}


QWEN_WINDOWS: dict[str, Any] = {"use_sliding_window": False, "sliding_window": 4096, "max_window_layers": 28,
                                "layer_types": None}


def first_global(config: Mapping[str, Any]) -> dict[str, int | None]:
    """{L_global, window} of Qwen, whose L_global follows L.

    Where windows are used, all layers but the first max_window_layers have one.
    """
    used, first, L = config["use_sliding_window"], config["max_window_layers"], config["num_hidden_layers"]
    if not isinstance(used, bool):
        raise ConfigError(f"use_sliding_window = {used!r}: true or false is needed")
    if not used or config["sliding_window"] is None:
        found = windows({**config, "sliding_window": None}, L)
        return {**found, "L_global": None} if found["L_global"] == L else found  # all of them, however many
    if not isinstance(first, int) or isinstance(first, bool):
        raise ConfigError(f"max_window_layers = {first!r}: a whole number is needed")
    return windows(config, min(max(first, 0), L))


def listed_dense(config: Mapping[str, Any]) -> dict[str, int]:
    """{"L_dense": how many layers have one MLP and no experts}, by mlp_layer_types; nothing where it is absent.

    Raises ConfigError for a list that `layer_kinds` refuses.
    """
    return layer_kinds(config, {"dense": "L_dense", "sparse": None}, "mlp_layer_types")


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


def reusing_layers(config: Mapping[str, Any], *, every: int, last_global: bool) -> dict[str, Any]:
    """How many layers attend to all tokens, and how many of either kind take keys and values of a layer before them.

    {L_global, L_reuse_local, L_reuse_global}, and the flags {reuse_local, reuse_global}. The last num_kv_shared_layers
    take those of the last layer of their kind before them. Without layer_types each layer whose number `every` divides
    attends to all; `last_global`: so does the last in any case. Raises ConfigError.
    """
    L, shared, kinds = config["num_hidden_layers"], number(config, "num_kv_shared_layers", 0), config["layer_types"]
    layer_kinds(config, {"full_attention": None, "sliding_attention": None})  # refuses what is no such list
    full = [(i + 1) % every == 0 if kinds is None else kinds[i] == "full_attention" for i in range(L)]
    full = [*full[:-1], True] if last_global and full else full
    own, taking = (full[:max(L - shared, 0)], full[max(L - shared, 0):]) if shared else (full, [])
    if shared and (shared >= L or set(own) != set(full)):
        raise ConfigError(f"num_kv_shared_layers = {shared}: the layers before these, of {L}, need to have one of each "
                          "kind that layer_types names")
    local, global_ = taking.count(False), taking.count(True)
    return {"L_global": sum(full), "L_reuse_local": local or None, "L_reuse_global": global_ or None,
            "reuse_local": local > 0, "reuse_global": global_ > 0}
