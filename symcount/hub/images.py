"""What the families of images have in common: usual keys with their letters, usual names of stored tensors."""

from __future__ import annotations

import re

from symcount.errors import ConfigError
from symcount.hub.settling import number
from symcount.layers.towers import IMAGE_LETTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


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


def stages(config: Mapping[str, Any], *keys: str) -> list[tuple[int, ...]]:
    """The lists of these keys, with one positive whole number for each stage; ConfigError where they are not."""
    found: list[tuple[int, ...]] = []
    for key in keys:
        listed = config[key]
        if not isinstance(listed, list) or not listed or any(type(n) is not int or n < 1 for n in listed):
            raise ConfigError(f"{key}: a list of positive whole numbers, one for each stage, is needed")
        if found and len(listed) != len(found[0]):
            raise ConfigError(f"{keys[0]} has {len(found[0])} stages and {key} has {len(listed)}")
        found.append(tuple(listed))
    return found


def fills(config: Mapping[str, Any], merge: str) -> bool:
    """Whether the patches a side of the image of a tower are a multiple of those that become one token."""
    patches = number(config, "vision_config.image_size") // number(config, "vision_config.patch_size")
    return patches % number(config, merge) == 0


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


CLIP_IMAGE_NAMES: dict[Any, Any] = {
    **IMAGE_NAMES,
    "embeddings.cls": ("embeddings.class_embedding", "d"),  # without the axis of one token
    "embeddings.norm": "pre_layrnorm",
}
CLIP_IMAGE = {key: told for key, told in vision_keys(side=224, patch=32, d=768, h=3072, L=12, heads=12).items()
              if key != "num_labels"}


def said_once(config: Mapping[str, Any], **tables: Mapping[str, tuple[str, Any]]) -> dict[str, Any]:
    """Nothing; but the older tables `text_config_dict` and `vision_config_dict`, which would win, must say the same."""
    for table, keys in tables.items():
        older = config[f"{table}_dict"]
        if older is not None and not isinstance(older, dict):
            raise ConfigError(f"{table}_dict: a table is needed")
        for key, (_, default) in keys.items():
            if older is not None and older.get(key, default) != config[f"{table}.{key}"]:
                raise ConfigError(f"{table}_dict and {table} give {key} two values")
    return {}


def relettered(formula: str, letters: Mapping[str, str]) -> str:
    """A formula of a tower in the letters of the model around it."""
    return re.sub(r"[A-Za-z_]\w*", lambda found: letters.get(found[0], found[0]), formula)


def behind(ours: str, theirs: str, names: Mapping[Any, Any], letters: Mapping[str, str]) -> dict[Any, Any]:
    """The names of a tower within a model: our paths behind `ours`, stored behind `theirs`, in the model's letters."""
    def path(one: str) -> str:
        return f"{ours}.{one}"

    def name(entry: Any) -> Any:
        if isinstance(entry, tuple):
            return f"{theirs}.{entry[0]}", relettered(entry[1], letters)
        return f"{theirs}.{entry}"
    return {(tuple(map(path, one)) if isinstance(one, tuple) else path(one)): name(entry)
            for one, entry in names.items()}


def tower_names(text: Mapping[Any, Any], image: Mapping[Any, Any]) -> dict[Any, Any]:
    """The names of a model with a tower for text and one for images."""
    return {**behind("text", "text_model", text, {}), **behind("image", "vision_model", image, IMAGE_LETTERS)}


def tower_keys(text: Mapping[str, tuple[str, Any]],
               image: Mapping[str, tuple[str, Any]]) -> dict[str, tuple[str, Any]]:
    """The keys of such a model, those of a tower within a table of its own; an image tower has letters of its own."""
    return {**{f"text_config.{key}": told for key, told in text.items()},
            **{f"vision_config.{key}": (IMAGE_LETTERS.get(letter, letter), default)
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
