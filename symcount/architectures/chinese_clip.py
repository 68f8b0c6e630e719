"""Chinese CLIP and AltCLIP: the tower for images of CLIP beside an encoder of text, BERT or RoBERTa; each alone.

Source: Yang et al. 2022, "Chinese CLIP", section 2 and table 1; Chen et al. 2022, "AltCLIP: altering the language
encoder in CLIP for extended language capabilities", section 3. Of P positions AltCLIP keeps two for padding: a text
has at most P − 2 tokens, which is not checked.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_NAMES, ENCODER_NOTES, ENCODER_ONLY, encoder_keys
from symcount.hub.images import (
    CLIP_IMAGE,
    CLIP_IMAGE_NAMES,
    TOWER_NOTES,
    said_once,
    tower_keys,
    tower_names,
    tower_only,
)
from symcount.layers import linear, norm
from symcount.layers.encoder import encoder, pool
from symcount.layers.towers import cls_tower, compared, image_part, projected
from symcount.layers.transformer import post_norm
from symcount.layers.vision import image
from symcount.network import select, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BODY = encoder(masked=False)
ALT_BODY = encoder(block=partial(post_norm, dropout="output mlp"), masked=False)  # whose softmax is not dropped from


def bert(z: Any) -> tuple[Tensor, Tensor]:
    """BERT with its pooler."""
    x, _ = BODY(z)
    return x, pool(x, z)


def roberta(z: Any) -> Tensor:
    """RoBERTa, a norm, and a map of each token to width m: dm + m + 2d parameters beside the encoder."""
    return linear(norm(ALT_BODY(z)[0], "norm"), "transformation", over="d", m=z.m)


def both(z: Any, text: Callable[[Any], Tensor], over: str) -> Tensor:
    """Both towers, two maps to width e and a scale: d·e + d_img·e + 1 parameters beside the towers, or m·e for d·e.

    The first token stands for a text, as that of the image does for it.
    """
    told = select(within("text", lambda: text(z)), "s")
    _, picture = within("image", cls_tower, image(z), z=image_part(z))
    return compared(linear(told, "text_projection", over=over, bias=False, e=z.e),
                    projected(picture, "image_projection", z), bias=False)


def _family(kind: str, prefix: str, text: dict[str, tuple[str, Any]], names: dict[Any, Any],
            tower: Callable[[Any], Tensor], alone: Callable[[Any], Any], over: str, published: dict[str, Any], *,
            e: int) -> tuple[Architecture, ...]:
    return (Architecture(
        kind,
        classes={f"{prefix}Model": partial(both, text=tower, over=over)},
        acts={"text_config.hidden_act": ("gelu", "text"), "vision_config.hidden_act": ("quick_gelu", "image")},
        keys={**tower_keys(text, CLIP_IMAGE), "projection_dim": ("e", e)},
        reads={"text_config_dict": None, "vision_config_dict": None},
        settle=partial(said_once, text_config=text, vision_config=CLIP_IMAGE),
        only={**tower_only(f"{kind}_text_model", f"{kind}_vision_model"),
              **{f"text_config.{key}": told for key, told in ENCODER_ONLY.items()}},
        ignored={
            **TOWER_NOTES,
            **{f"text_config.{key}": why for key, why in ENCODER_NOTES.items()},
            **dict.fromkeys(("text_config.projection_dim", "vision_config.projection_dim"), "read by nothing here"),
            "text_config.pooler_fn": "a note of the original release, read by nothing",
            "logit_scale_init_value": "how weights start, not how many there are",
            **dict.fromkeys(("tie_word_embeddings", "num_labels"), "no words are predicted, and no classes"),
        },
        stored={
            **tower_names(names, {**CLIP_IMAGE_NAMES, "embeddings.cls": ("embeddings.class_embedding", "d_img")}),
            "text_projection": "text_projection",
            "image_projection": "visual_projection",
            "logit_scale": "logit_scale",
        },
        published=published,
    ), Architecture(
        f"{kind}_text_model",
        classes={f"{prefix}TextModel": alone},
        acts={"hidden_act": ("gelu", "mlp")},
        keys=text,
        only=ENCODER_ONLY,
        ignored={**ENCODER_NOTES, **_UNREAD},
        stored=names,
    ), Architecture(
        f"{kind}_vision_model",
        classes={f"{prefix}VisionModel": lambda z: cls_tower(image(z), z)},
        acts={"hidden_act": ("quick_gelu", "")},
        keys=CLIP_IMAGE,
        ignored={**_UNREAD, "projection_dim": "read by nothing here"},
        stored=CLIP_IMAGE_NAMES,
    ))


_UNREAD = {"tie_word_embeddings": "no words are predicted", "num_labels": "no class of a tower has labels"}


def _text(**sizes: Any) -> dict[str, tuple[str, Any]]:
    return {key: told for key, told in encoder_keys(**sizes, decoder=False).items()
            if key not in ("tie_word_embeddings", "num_labels")}


_CHINESE = _text(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12)
_ALT = {**_text(V=250002, P=514, types=1, d=1024, h=4096, L=24, heads=16), "project_dim": ("m", 768)}
_ALT_NAMES = {
    **{ours: f"roberta.{theirs.replace('encoder.layer.', 'encoder.layers.')}" for ours, theirs in BERT_NAMES.items()},
    "norm": "pre_LN",
    "transformation": "transformation",
}

ARCHITECTURES = (
    *_family("chinese_clip", "ChineseCLIP", _CHINESE, BERT_NAMES, lambda z: BODY(z)[0], bert, "d", {
        "chinese-clip-vit-base-patch16": measured(
            "ChineseCLIPModel", 188_262_913, V=21128, P=512, types=2, d=768, h=3072, L=12, heads=12, c=3, side=224,
            patch=16, d_img=768, h_img=3072, L_img=12, heads_img=12, e=512),
        "chinese-clip-vit-large-patch14": measured(
            "ChineseCLIPModel", 406_233_089, V=21128, P=512, types=2, d=768, h=3072, L=12, heads=12, c=3, side=224,
            patch=14, d_img=1024, h_img=4096, L_img=24, heads_img=16, e=768),
    }, e=512),
    *_family("altclip", "AltCLIP", _ALT, _ALT_NAMES, roberta, roberta, "m", {
        "altclip-xlmr-l": measured(
            "AltCLIPModel", 864_186_113, V=250002, P=514, types=1, d=1024, h=4096, L=24, heads=16, m=768, c=3, side=224,
            patch=14, d_img=1024, h_img=4096, L_img=24, heads_img=16, e=768),
    }, e=768),
)
