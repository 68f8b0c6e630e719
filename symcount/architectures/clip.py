"""CLIP: a causal tower for text and a ViT for images, which learn to agree on captions; each tower alone.

MetaCLIP 2 has the towers of CLIP, and words of all languages.

Source: Radford et al. 2021, "Learning transferable visual models from natural language supervision", sections 2.3 to
2.5 and tables 19 and 20; Chuang et al. 2025, "Meta CLIP 2: a worldwide scaling recipe", section 3.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import encoder_keys
from symcount.hub.images import (
    CLIP_IMAGE,
    CLIP_IMAGE_NAMES,
    TEXT_NAMES,
    TOWER_NOTES,
    said_once,
    tower_keys,
    tower_names,
    tower_only,
)
from symcount.layers import linear
from symcount.layers.towers import cls_tower, compared, ids, image_part, projected, text_tower
from symcount.layers.vision import image, mean
from symcount.masks import Mask
from symcount.network import idle, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published

CAUSAL = Mask(causal=True)


def text_model(z: Any) -> tuple[Tensor, Tensor]:
    """The tower for text."""
    return text_tower(ids(z), z, CAUSAL)


def vision_model(z: Any) -> tuple[Tensor, Tensor]:
    """The tower for images."""
    return cls_tower(image(z), z)


def both(z: Any) -> Tensor:
    """Both towers, two maps to width e and a scale: de + d_img·e + 1 parameters beside the towers."""
    _, text = within("text", text_tower, ids(z), z=z, mask=CAUSAL)
    _, picture = within("image", cls_tower, image(z), z=image_part(z))
    return compared(projected(text, "text_projection", z), projected(picture, "image_projection", z), bias=False)


def classification(z: Any) -> Tensor:
    """The tower for images, and C scores from the mean of its patches: d_img·C + C parameters more."""
    x, pooled = within("image", cls_tower, image(z), z=image_part(z))
    return linear(idle(mean(x, last=x.axes["s"] - 1), pooled), "classifier", C=z.C)


def _clip(count: int, cls: str = "CLIPModel", **sizes: Any) -> Published:
    return measured(cls, count, **{"V": 49408, "P": 77, "c": 3, "side": 224, **sizes})


_TEXT = {key: told for key, told in encoder_keys(V=49408, P=77, d=512, h=2048, L=12, heads=8, decoder=False).items()
         if key not in ("tie_word_embeddings", "num_labels")}
_UNREAD = {"tie_word_embeddings": "no words are predicted", "num_labels": "no class of a tower has labels"}
_ACT = "quick_gelu"


def _family(kind: str, prefix: str, published: dict[str, Published]) -> tuple[Architecture, ...]:
    """Both towers, and each alone."""
    return (Architecture(
        kind,
        classes={f"{prefix}Model": both, f"{prefix}ForImageClassification": classification},
        acts={"text_config.hidden_act": (_ACT, "text"), "vision_config.hidden_act": (_ACT, "image")},
        keys={**tower_keys(_TEXT, CLIP_IMAGE), "projection_dim": ("e", 512), "num_labels": ("C", 2)},
        reads={"text_config_dict": None, "vision_config_dict": None},
        settle=partial(said_once, text_config=_TEXT, vision_config=CLIP_IMAGE),
        only=tower_only(f"{kind}_text_model", f"{kind}_vision_model"),
        ignored={
            **TOWER_NOTES,
            "text_config.projection_dim": "read by a tower alone",
            "vision_config.projection_dim": "read by a tower alone",
            "logit_scale_init_value": "how weights start, not how many there are",
            "tie_word_embeddings": "no words are predicted",
        },
        stored={
            **tower_names(TEXT_NAMES, CLIP_IMAGE_NAMES),
            "text_projection": "text_projection",
            "image_projection": "visual_projection",
            "logit_scale": "logit_scale",
        },
        stored_heads={"classifier": "classifier"},
        published=published,
    ), Architecture(
        f"{kind}_text_model",
        classes={
            f"{prefix}TextModel": text_model,
            f"{prefix}TextModelWithProjection": lambda z: projected(text_model(z)[1], "projection", z),
        },
        acts={"hidden_act": (_ACT, "")},
        keys={**_TEXT, "projection_dim": ("e", 512)},
        ignored=_UNREAD,
        stored=TEXT_NAMES,
        stored_heads={"projection": "text_projection"},
        base="text_model",
    ), Architecture(
        f"{kind}_vision_model",
        classes={
            f"{prefix}VisionModel": vision_model,
            f"{prefix}VisionModelWithProjection": lambda z: projected(vision_model(z)[1], "projection", z),
        },
        acts={"hidden_act": (_ACT, "")},
        keys={**CLIP_IMAGE, "projection_dim": ("e", 512)},
        ignored=_UNREAD,
        stored=CLIP_IMAGE_NAMES,
        stored_heads={"projection": "visual_projection"},
        base="vision_model",
    ))


ARCHITECTURES = (
    *_family("clip", "CLIP", {
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
    }),
    *_family("metaclip_2", "MetaClip2", {
        "metaclip-2-worldwide-huge-quickgelu": _clip(
            1_858_783_745, cls="MetaClip2Model", V=901629, d=1024, h=4096, L=24, heads=16, d_img=1280, h_img=5120,
            L_img=32, heads_img=16, patch=14, e=1024),
    }),
)
