"""SigLIP: a tower for text and a ViT for images, whose tokens one learned query pools; each tower alone; SigLIP 2.

Source: Zhai et al. 2023, "Sigmoid loss for language image pre-training", section 3; the pooling: Zhai et al. 2022,
"Scaling vision transformers", section 3.2; the shape of 400 million: Alabdulmohsin et al. 2023, "Getting ViT in shape";
images of any side: Tschannen et al. 2025, "SigLIP 2", section 2.4.2.
"""

from __future__ import annotations

from math import isqrt

from symcount.architecture import Architecture
from symcount.errors import ConfigError, ModelError
from symcount.hub import measured
from symcount.hub.encoders import encoder_keys
from symcount.hub.images import IMAGE_NAMES, TEXT_NAMES, TOWER_NOTES, tower_keys, tower_names, tower_only, vision_keys
from symcount.layers import attention, linear, mlp, norm, residual
from symcount.layers.towers import compared, ids, image_part, text_tower
from symcount.layers.vision import image, mean, patches, placed, vision_layers
from symcount.network import idle, pointwise, rename, repeat, select, tensor, weight, within
from symcount.sizes import exactly, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches and positions: cd·patch² + d + d·s parameters."""
    return placed(patches(x, "patch", patch=z.patch, d=z.d), "position")


def cut_up(z: Any) -> Tensor:
    """The input of SigLIP 2: images as the pixels of their patches, which must fill them."""
    n = per(z.side, z.patch)
    return tensor("patches", b=z.b, s=n * n, pixels=z.c * z.patch * z.patch)


def resized(x: Tensor, z: Any, P: Size) -> Tensor:
    """Patches, and P positions that are resized to the image: cd·patch² + d + dP parameters."""
    table = weight("position", kinds="embedding", P=P, d=z.d)
    return pointwise(linear(x, "patch", over="pixels", d=z.d), table, kind="resize", name="position", to="b s d")


def pooled(x: Tensor, z: Any) -> Tensor:
    """A learned query attends to all tokens, then an MLP: 4d² + 2dh + 8d + h parameters."""
    probe = repeat(weight("probe", kinds="embedding", s=1, d=z.d), b=x.axes["b"])
    y = within("attention", attention, probe, z=z, t=x.axes["s"], memory=x)
    return select(residual(y, within("mlp", mlp, norm(y, "norm"), h=z.h)), "s")


def image_tower(x: Tensor, z: Any, *, head: bool, embeddings: Callable[..., Tensor] = embedded,
                **positions: Size) -> tuple[Tensor, ...]:
    """A ViT without a token for the image; its tokens, and one vector if it has the pooling head."""
    x, read = vision_layers(within("embeddings", embeddings, x, z=z, **positions), z)
    x = norm(x, "norm")
    given = (x, within("pooler", pooled, x, z=z)) if head else (x,)
    return (read, *given) if z.early else given


def text_model(z: Any, x: Tensor | None = None, e: Size | None = None) -> Tensor:
    """The tower for text, and a map of its last token to width e: de + e parameters beside the tower."""
    _, last = text_tower(ids(z) if x is None else x, z)
    return linear(last, "projection", e=z.e if e is None else e)


def beside(z: Any, given: Callable[[Any], Tensor] = image, **how: Any) -> tuple[Tensor, ...]:
    """The tower for images in a model that has another."""
    return within("image", image_tower, given(z), z=image_part(z), head=z.head, **how)


def both(z: Any, **how: Any) -> Tensor:
    """Both towers, whose outputs must be of one width, a scale and a bias: 2 parameters beside the towers."""
    if not z.head:
        raise ModelError("vision_use_head = false: without the pooling head there is no vector that could be compared")
    width = exactly(z.e, z.d_img)
    text = within("text", lambda x: text_model(z, x, width), ids(z))
    return compared(text, rename(beside(z, **how)[1], d="e"), bias=True)


def classification(z: Any, **how: Any) -> Tensor:
    """The tower for images, and C scores from the mean of its patches: d_img·C + C parameters more."""
    x, *others = beside(z, **how)
    return linear(idle(mean(x), *others), "classifier", C=z.C)


def second(z: Any) -> dict[str, Any]:
    """How the tower for images of SigLIP 2 differs."""
    return {"given": cut_up, "embeddings": resized, "P": z.P_img}


def square(config: dict[str, Any]) -> dict[str, Any]:
    """Nothing; but there must be as many rows as columns of positions."""
    for key in ("num_patches", "vision_config.num_patches"):
        P = config.get(key, 1)
        if type(P) is int and P > 0 and isqrt(P) ** 2 != P:
            raise ConfigError(f"{key} = {P}: positions are a square, and transformers takes no other number of them")
    return {}


def _siglip(count: int, cls: str = "SiglipModel", *, d: int, h: int, L: int, heads: int, **sizes: int) -> Published:
    return measured(cls, count, **{"V": 32000, "P": 64, "c": 3, **sizes}, d=d, h=h, L=L, heads=heads, d_img=d, h_img=h,
                    L_img=L, heads_img=heads, head=True)


_TEXT = {key: told for key, told in encoder_keys(V=32000, P=64, d=768, h=3072, L=12, heads=12, decoder=False).items()
         if key not in ("tie_word_embeddings", "num_labels")} | {"projection_size": ("e", None)}
_IMAGE = {key: told for key, told in vision_keys(side=224, patch=16, d=768, h=3072, L=12, heads=12).items()
          if key != "num_labels"} | {"vision_use_head": ("head", True)}
_PATCHES = {**{key: told for key, told in _IMAGE.items() if key != "image_size"}, "num_patches": ("P", 256)}
_UNREAD = {"tie_word_embeddings": "no words are predicted", "num_labels": "no class of a tower has labels"}
_TEXT_NAMES = {**TEXT_NAMES, "projection": "head"}
_MAPS = ("query", "key", "value")
_IMAGE_NAMES = {
    **IMAGE_NAMES,
    "pooler.probe": ("head.probe", "1 *"),
    **{tuple(f"pooler.attention.{each}.{leaf}" for each in _MAPS): f"head.attention.in_proj_{leaf}"
       for leaf in ("weight", "bias")},
    "pooler.attention.output": "head.attention.out_proj",
    "pooler.norm": "head.layernorm",
    "pooler.mlp.up": "head.mlp.fc1",
    "pooler.mlp.down": "head.mlp.fc2",
}
_ACT = "gelu_pytorch_tanh"

ARCHITECTURES = (Architecture(
    "siglip",
    classes={"SiglipModel": both, "SiglipForImageClassification": classification},
    follows={"e": "d"},
    acts={"text_config.hidden_act": (_ACT, "text"), "vision_config.hidden_act": (_ACT, "image")},
    keys={**tower_keys(_TEXT, _IMAGE), "num_labels": ("C", 2)},
    only=tower_only("siglip_text_model", "siglip_vision_model"),
    ignored={**TOWER_NOTES, "tie_word_embeddings": "no words are predicted"},
    stored={
        **tower_names(_TEXT_NAMES, _IMAGE_NAMES),
        "logit_scale": ("logit_scale", "1 *"),
        "logit_bias": "logit_bias",
    },
    stored_heads={"classifier": "classifier"},
    published={
        "siglip-base-patch16-224": _siglip(203_155_970, d=768, h=3072, L=12, heads=12, side=224, patch=16),
        "siglip-base-patch16-256": _siglip(203_202_050, d=768, h=3072, L=12, heads=12, side=256, patch=16),
        "siglip-large-patch16-256": _siglip(652_150_786, d=1024, h=4096, L=24, heads=16, side=256, patch=16),
        "siglip-so400m-patch14-384": _siglip(877_960_498, d=1152, h=4304, L=27, heads=16, side=384, patch=14),
    },
), Architecture(
    "siglip_text_model",
    classes={"SiglipTextModel": text_model},
    follows={"e": "d"},
    acts={"hidden_act": (_ACT, "")},
    keys=_TEXT,
    ignored=_UNREAD,
    stored=_TEXT_NAMES,
), Architecture(
    "siglip_vision_model",
    classes={"SiglipVisionModel": lambda z: image_tower(image(z), z, head=z.head)},
    acts={"hidden_act": (_ACT, "")},
    keys=_IMAGE,
    ignored=_UNREAD,
    stored=_IMAGE_NAMES,
), Architecture(
    "siglip2",
    classes={
        "Siglip2Model": lambda z: both(z, **second(z)),
        "Siglip2ForImageClassification": lambda z: classification(z, **second(z)),
    },
    sizes="side",
    follows={"e": "d"},
    acts={"text_config.hidden_act": (_ACT, "text"), "vision_config.hidden_act": (_ACT, "image")},
    keys={**tower_keys(_TEXT, _PATCHES), "num_labels": ("C", 2)},
    settle=square,
    only=tower_only("siglip2_text_model", "siglip2_vision_model"),
    ignored={**TOWER_NOTES, "tie_word_embeddings": "no words are predicted"},
    stored={
        **tower_names(_TEXT_NAMES, _IMAGE_NAMES),
        "logit_scale": ("logit_scale", "1 *"),
        "logit_bias": "logit_bias",
    },
    stored_heads={"classifier": "classifier"},
    published={
        "siglip2-base-patch16-naflex": _siglip(375_234_050, "Siglip2Model", d=768, h=3072, L=12, heads=12,
                                               patch=16, side=256, V=256000, P_img=256),
        "siglip2-so400m-patch16-naflex": _siglip(1_135_670_962, "Siglip2Model", d=1152, h=4304, L=27, heads=16,
                                                 patch=16, side=256, V=256000, P_img=256),
    },
), Architecture(
    "siglip2_vision_model",
    classes={"Siglip2VisionModel": lambda z: image_tower(cut_up(z), z, head=z.head, embeddings=resized, P=z.P)},
    sizes="side",
    acts={"hidden_act": (_ACT, "")},
    keys=_PATCHES,
    settle=square,
    ignored=_UNREAD,
    stored=_IMAGE_NAMES,
), Architecture(
    "siglip2_text_model",
    classes={"Siglip2TextModel": text_model},
    follows={"e": "d"},
    acts={"hidden_act": (_ACT, "")},
    keys=_TEXT,
    ignored=_UNREAD,
    stored=_TEXT_NAMES,
))
