"""CLIP: a causal tower for text and a ViT for images, which learn to agree on captions; each tower alone.

Source: Radford et al. 2021, "Learning transferable visual models from natural language supervision", sections 2.3 to
2.5 and tables 19 and 20.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import encoder_keys
from symcount.hub.images import IMAGE_NAMES, TEXT_NAMES, TOWER_NOTES, tower_keys, tower_names, tower_only, vision_keys
from symcount.layers import linear, norm
from symcount.layers.towers import compared, ids, image_part, text_tower
from symcount.layers.vision import image, mean, patches, placed, token, vision_layers
from symcount.masks import Mask
from symcount.network import idle, select, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published

CAUSAL = Mask(causal=True)


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches without a bias, a token for the image, positions and a norm: cd·patch² + d + d·s + 2d parameters."""
    return norm(placed(token(patches(x, "patch", patch=z.patch, d=z.d, bias=False), "cls"), "position"), "norm")


def image_tower(x: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """A ViT, whose last norm is of the token for the image alone; its tokens, and that token."""
    x, read = vision_layers(within("embeddings", embedded, x, z=z), z)
    return read, norm(select(x, "s"), "norm")


def text_model(z: Any) -> tuple[Tensor, Tensor]:
    """The tower for text."""
    return text_tower(ids(z), z, CAUSAL)


def vision_model(z: Any) -> tuple[Tensor, Tensor]:
    """The tower for images."""
    return image_tower(image(z), z)


def projected(x: Tensor, name: str, z: Any) -> Tensor:
    """What stands for a text or an image, to width e: de parameters."""
    return linear(x, name, bias=False, e=z.e)


def both(z: Any) -> Tensor:
    """Both towers, two maps to width e and a scale: de + d_img·e + 1 parameters beside the towers."""
    _, text = within("text", text_tower, ids(z), z=z, mask=CAUSAL)
    _, picture = within("image", image_tower, image(z), z=image_part(z))
    return compared(projected(text, "text_projection", z), projected(picture, "image_projection", z), bias=False)


def classification(z: Any) -> Tensor:
    """The tower for images, and C scores from the mean of its patches: d_img·C + C parameters more."""
    x, pooled = within("image", image_tower, image(z), z=image_part(z))
    return linear(idle(mean(x, last=x.axes["s"] - 1), pooled), "classifier", C=z.C)


def agreed(config: dict[str, Any]) -> dict[str, Any]:
    """Nothing; but the older tables `text_config_dict` and `vision_config_dict`, which would win, must say the same."""
    for table, keys in (("text_config", _TEXT), ("vision_config", _IMAGE)):
        older = config[f"{table}_dict"]
        if older is not None and not isinstance(older, dict):
            raise ConfigError(f"{table}_dict: a table is needed")
        for key, (_, default) in keys.items():
            if older is not None and older.get(key, default) != config[f"{table}.{key}"]:
                raise ConfigError(f"{table}_dict and {table} give {key} two values")
    return {}


def _clip(count: int, *, heads: int, heads_img: int, patch: int, e: int, side: int = 224, **towers: Any) -> Published:
    return measured("CLIPModel", count, V=49408, P=77, heads=heads, c=3, patch=patch, heads_img=heads_img, e=e,
                    side=side, **towers)


_TEXT = {key: told for key, told in encoder_keys(V=49408, P=77, d=512, h=2048, L=12, heads=8, decoder=False).items()
         if key not in ("tie_word_embeddings", "num_labels")}
_IMAGE = {key: told for key, told in vision_keys(side=224, patch=32, d=768, h=3072, L=12, heads=12).items()
          if key != "num_labels"}
_UNREAD = {"tie_word_embeddings": "no words are predicted", "num_labels": "no class of a tower has labels"}
_IMAGE_NAMES = {
    **IMAGE_NAMES,
    "embeddings.cls": ("embeddings.class_embedding", "d"),  # without the axis of one token
    "embeddings.norm": "pre_layrnorm",
}
_ACT = "quick_gelu"

ARCHITECTURES = (Architecture(
    "clip",
    classes={"CLIPModel": both, "CLIPForImageClassification": classification},
    acts={"text_config.hidden_act": (_ACT, "text"), "vision_config.hidden_act": (_ACT, "image")},
    keys={**tower_keys(_TEXT, _IMAGE), "projection_dim": ("e", 512), "num_labels": ("C", 2)},
    reads={"text_config_dict": None, "vision_config_dict": None},
    settle=agreed,
    only=tower_only("clip_text_model", "clip_vision_model"),
    ignored={
        **TOWER_NOTES,
        "text_config.projection_dim": "read by a tower alone",
        "vision_config.projection_dim": "read by a tower alone",
        "logit_scale_init_value": "how weights start, not how many there are",
        "tie_word_embeddings": "no words are predicted",
    },
    stored={
        **tower_names(TEXT_NAMES, _IMAGE_NAMES),
        "text_projection": "text_projection",
        "image_projection": "visual_projection",
        "logit_scale": "logit_scale",
    },
    stored_heads={"classifier": "classifier"},
    published={
        "clip-vit-base-patch32": _clip(151_277_313, d=512, h=2048, L=12, heads=8, d_img=768, h_img=3072, L_img=12,
                                       heads_img=12, patch=32, e=512),
        "clip-vit-base-patch16": _clip(149_620_737, d=512, h=2048, L=12, heads=8, d_img=768, h_img=3072, L_img=12,
                                       heads_img=12, patch=16, e=512),
        "clip-vit-large-patch14": _clip(427_616_513, d=768, h=3072, L=12, heads=12, d_img=1024, h_img=4096, L_img=24,
                                        heads_img=16, patch=14, e=768),
        "clip-vit-large-patch14-336": _clip(427_944_193, d=768, h=3072, L=12, heads=12, d_img=1024, h_img=4096,
                                            L_img=24, heads_img=16, patch=14, e=768, side=336),
        "clip-vit-h-14": _clip(986_109_441, d=1024, h=4096, L=24, heads=16, d_img=1280, h_img=5120, L_img=32,
                               heads_img=16, patch=14, e=1024, acts="gelu"),
    },
), Architecture(
    "clip_text_model",
    classes={
        "CLIPTextModel": text_model,
        "CLIPTextModelWithProjection": lambda z: projected(text_model(z)[1], "projection", z),
    },
    acts={"hidden_act": (_ACT, "")},
    keys={**_TEXT, "projection_dim": ("e", 512)},
    ignored=_UNREAD,
    stored=TEXT_NAMES,
    stored_heads={"projection": "text_projection"},
    base="text_model",
), Architecture(
    "clip_vision_model",
    classes={
        "CLIPVisionModel": vision_model,
        "CLIPVisionModelWithProjection": lambda z: projected(vision_model(z)[1], "projection", z),
    },
    acts={"hidden_act": (_ACT, "")},
    keys={**_IMAGE, "projection_dim": ("e", 512)},
    ignored=_UNREAD,
    stored=_IMAGE_NAMES,
    stored_heads={"projection": "visual_projection"},
    base="vision_model",
))
