"""Step 3.7: the text model of Step 3.5, and a tower whose tokens two convolutions bring together; the tower alone.

Source: StepFun 2026, "Step 3.7 Flash"; the configuration and the implementation in transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.errors import ConfigError
from symcount.hub.images import TOWER_LETTERS, vision_keys
from symcount.layers import linear, mlp, norm, residual
from symcount.layers.convolution import conv2d
from symcount.layers.vision import attended, image, patches, placed, scaled
from symcount.network import idle, merge, rename, split, weights, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Seen:
    """The sizes of the tower within a model, under the letters that it has alone."""

    __slots__ = ("_z",)

    def __init__(self, z: Any) -> None:
        self._z = z

    def __getattr__(self, name: str) -> Any:
        return getattr(self._z, TOWER_LETTERS.get(name, name))


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches and positions: cd·patch² + d·s parameters."""
    return placed(patches(x, "patch", patch=z.patch, d=z.d, bias=False), "position")


def block(x: Tensor, z: Any) -> Tensor:
    """Attention and MLP, each behind a norm and with a gain: 4d² + 2dh + 11d + h parameters."""
    x = residual(x, scaled(attended(x, z, position="rotary"), "attention_gain"))
    return residual(x, scaled(within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, kind="quick_gelu"), "mlp_gain"))


def tower(z: Any) -> Tensor:
    """L blocks, and two convolutions of side 3 that halve each side and double the width: 90d² + 6d parameters."""
    x = norm(within("embeddings", embedded, image(z), z=z), "pre_norm")
    x = within("layers", block, x, z=z, runs=z.L)
    side = z.side // z.patch
    x = rename(split(x, "s", i=side, j=side), d="c")
    for n in (1, 2):
        x = conv2d(x, f"downsample_{n}", w=3, c=2 * x.axes["c"], stride=2, pad=1, bias=True)
    return rename(merge(x, s="i j"), c="d")


def stored(z: Any) -> list[Tensor]:
    """The weights of the tower and of a map to the width of the text, 4d·d_img, which a text does not run."""
    def seen() -> Tensor:
        return linear(tower(Seen(z)), "projection", bias=z.projector_bias, d=z.d)
    return [made[0] for made in weights(within("image", seen)).values()]


def body(z: Any) -> Tensor:
    """The last hidden states of the text model, beside which the tower is stored."""
    return idle(TEXT.classes["Step3p7TextModel"](z), *stored(z))


def words(z: Any) -> Tensor:
    """Scores of words: dV parameters more."""
    return linear(body(z), "head", bias=False, V=z.V)


def seen_width(config: Mapping[str, Any], table: str = "") -> int:
    """The width of the MLP of the tower, which a ratio gives."""
    ratio, d = config[f"{table}mlp_ratio"], config[f"{table}hidden_size"]
    if isinstance(ratio, bool) or not isinstance(ratio, (int, float)) or not 0 < ratio < 1000:
        raise ConfigError(f"mlp_ratio = {ratio!r}: a number above 0 is needed")
    return int(d * ratio)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """What the text says, as alone, and the width of the MLP of the tower."""
    told = {key.removeprefix("text_config."): value for key, value in config.items() if key.startswith("text_config.")}
    found: dict[str, Any] = TEXT.settle(told) if TEXT.settle else {}
    return {**found, "h_img": seen_width(config, "vision_config.")}


def behind(table: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """Keys within a table."""
    return {f"{table}.{key}": value for key, value in told.items()}


TEXT = next(one for one in family("step3p5") if one.name == "step3p5")
RATIO = 8960 / 1536
KEYS = {key: told for key, told in vision_keys(side=728, patch=14, d=1536, h=None, L=47, heads=16).items()
        if key != "num_labels"}
ALIASES = {"width": "hidden_size", "layers": "num_hidden_layers", "heads": "num_attention_heads"}
IGNORED = {
    **dict.fromkeys(("layer_scale_init_value", "ls_init_value"), "how weights start, not how many there are"),
    "intermediate_size": "mlp_ratio gives it",
    "max_position_embeddings": "as many as an image has patches",
}
NAMES = {
    "embeddings.patch": "embeddings.patch_embedding",
    "embeddings.position": "embeddings.position_embedding.weight",
    "pre_norm": "pre_layernorm",
    "layers.attention_norm": "layers.{i}.layernorm_before",
    "layers.attention.query": "layers.{i}.self_attn.q_proj",
    "layers.attention.key": "layers.{i}.self_attn.k_proj",
    "layers.attention.value": "layers.{i}.self_attn.v_proj",
    "layers.attention.output": "layers.{i}.self_attn.out_proj",
    "layers.attention_gain": "layers.{i}.lambda_1",
    "layers.mlp_norm": "layers.{i}.layernorm_after",
    "layers.mlp.up": "layers.{i}.mlp.fc1",
    "layers.mlp.down": "layers.{i}.mlp.fc2",
    "layers.mlp_gain": "layers.{i}.lambda_2",
    "downsample_1": "downsampler1",
    "downsample_2": "downsampler2",
}
OUTSIDE = "nothing reads it outside of text_config, and the sizes would be those of the class defaults"

ARCHITECTURES = (Architecture(
    "step3p7",
    classes={"Step3p7Model": body, "Step3p7ForConditionalGeneration": words},
    sizes=" ".join((*(size for size in TEXT.sizes if size not in dict(TEXT.keys.values())), "h_img")),
    flags=TEXT.flags,
    acts={"vision_config.hidden_act": ("quick_gelu", "image")},
    keys={
        **behind("text_config", {key: told for key, told in TEXT.keys.items()
                                 if key not in ("tie_word_embeddings", "num_labels")}),
        **{f"vision_config.{key}": (TOWER_LETTERS.get(size, size), default) for key, (size, default) in KEYS.items()},
        "projector_bias": ("projector_bias", False),
    },
    reads={**behind("text_config", TEXT.reads), "vision_config.mlp_ratio": RATIO},
    settle=settle,
    aliases={**{f"text_config.{one}": f"text_config.{key}" for one, key in TEXT.aliases.items()},
             **{f"vision_config.{one}": f"vision_config.{key}" for one, key in ALIASES.items()}},
    same={f"text_config.{one}": f"text_config.{key}" for one, key in TEXT.same.items()},
    ignored={
        **behind("text_config", TEXT.ignored),
        **behind("vision_config", IGNORED),
        **dict.fromkeys(("text_config.tie_word_embeddings", "vision_config.tie_word_embeddings"),
                        "the model says it for both"),
        "image_token_id": "the number of a word",
    },
    only={
        **behind("text_config", TEXT.only),
        **dict.fromkeys((*TEXT.keys, *TEXT.reads, "max_position_embeddings", "num_experts", "n_shared_experts"),
                        ((None,), OUTSIDE)),
        **dict.fromkeys(("text_config", "vision_config"), ((None,), "a table is needed")),
        "tie_word_embeddings": ((False,), "a tied output matrix is not written for this family"),
    },
    stored={
        **{ours: (f"language_model.{theirs[0]}", theirs[1]) if isinstance(theirs, tuple) else f"language_model.{theirs}"
           for ours, theirs in TEXT.stored.items()},
        **{f"image.{ours}": f"vision_model.{theirs}" for ours, theirs in NAMES.items()},
        "image.projection": "multi_modal_projector",
    },
    stored_heads={"head": "lm_head"},
    base="model",
), Architecture(
    "step3p5_vision",
    classes={"Step3p7VisionModel": tower},
    sizes="h",
    acts={"hidden_act": ("quick_gelu", "")},
    keys=KEYS,
    reads={"mlp_ratio": RATIO},
    settle=lambda config: {"h": seen_width(config)},
    aliases=ALIASES,
    ignored={**IGNORED, "tie_word_embeddings": "no class predicts words"},
    stored=NAMES,
))
