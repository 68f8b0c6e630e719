"""ViT: pre-norm encoder over patches of an image; DeiT has a second token, ViT-MAE sees a quarter of the patches.

MSN trains a ViT without words for classes, I-JEPA one without a token for the image.

Source: Dosovitskiy et al. 2021, "An image is worth 16x16 words", section 3.1 and table 1; Touvron et al. 2021,
"Training data-efficient image transformers", section 4; He et al. 2022, "Masked autoencoders are scalable vision
learners", section 3; Assran et al. 2022, "Masked siamese networks", section 3; Assran et al. 2023, "I-JEPA", section 3.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.images import vision_keys, vit_names
from symcount.layers import linear, norm
from symcount.layers.vision import image, image_classes, mean, patches, placed, token, vision_block
from symcount.network import concat, cut, keep, pointwise, repeat, select, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published

Decoder = namedtuple("Decoder", "h heads qkv_bias")  # all that a block reads of the sizes


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches behind a token that will stand for the image, and positions: cd·patch² + 2d + d·s parameters."""
    return placed(token(patches(x, "patch", patch=z.patch, d=z.d), "cls"), "position")


def unmarked(x: Tensor, z: Any) -> Tensor:
    """Patches and positions alone: cd·patch² + d + d·s parameters."""
    return placed(patches(x, "patch", patch=z.patch, d=z.d), "position")


def with_distillation(x: Tensor, z: Any) -> Tensor:
    """The same with a second token, which learns from a teacher: cd·patch² + 3d + d·s parameters."""
    x = token(patches(x, "patch", patch=z.patch, d=z.d), "distillation")
    return placed(token(x, "cls"), "position")


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters; without qkv_bias 3d less."""
    return vision_block(x, z, bias=z.qkv_bias)


def encoder(embeddings: Callable[..., Tensor]) -> Callable[[Any], Tensor]:
    """Embeddings of an image, L blocks and a last norm."""
    def body(z: Any) -> Tensor:
        x = within("embeddings", embeddings, image(z), z=z)
        return norm(within("layers", block, x, z=z, runs=z.L), "norm")
    return body


def with_teacher(z: Any) -> Tensor:
    """The mean of two scores, of the token of the image and of that of the teacher: 2(dC + C) parameters."""
    x = encoder(with_distillation)(z)
    token_scores = linear(select(x, "s"), "classifier.cls", C=z.C)
    return pointwise(token_scores, linear(select(x, "s", 1), "classifier.distillation", C=z.C), kind="mean")


def averaged(z: Any) -> Tensor:
    """C scores of the mean over all patches: dC + C parameters."""
    return linear(mean(encoder(unmarked)(z)), "classifier", C=z.C)


def quarter(x: Tensor, z: Any) -> Tensor:
    """A random quarter of the patches, their positions fixed: cd·patch² + 2d + d·s parameters, d·s frozen."""
    x = patches(x, "patch", patch=z.patch, d=z.d)
    x = placed(token(x, "cls"), "position", stored="frozen")
    first, others = cut(x, "s", 1, x.axes["s"] - 1)
    return concat(first, keep(others, s=others.axes["s"] // 4), axis="s")


def restored(x: Tensor, z: Any) -> Tensor:
    """The pixels of all patches, from those that were seen: a small ViT of width d_dec, its positions frozen.

    Parameters: d·d_dec + 2d_dec for what comes in and what stands for a hidden patch, d_dec·s for the positions of
    s tokens, those of L_dec blocks, 2d_dec for a norm, d_dec·c·patch² + c·patch² for the pixels.
    """
    x, n = linear(x, "embed", d=z.d_dec), z.side // z.patch
    mask = weight("mask", kinds="embedding", s=1, d=z.d_dec)
    hidden = repeat(select(mask, "s"), b=z.b, s=n * n + 1 - x.axes["s"])
    x = placed(concat(x, hidden, axis="s"), "position", stored="frozen")
    x = within("layers", block, x, z=Decoder(z.h_dec, z.heads_dec, z.qkv_bias), runs=z.L_dec)
    return linear(norm(x, "norm"), "pixels", pixels=z.c * z.patch * z.patch)


def autoencoder(z: Any) -> Tensor:
    """The encoder, and the decoder that is thrown away behind pre-training."""
    return within("head", restored, encoder(quarter)(z), z=z)


_ENCODER = {"encoder_stride": "read by masked image modelling only, which is not written"}
_NAMES = vit_names("layers.{i}", "layernorm_before", "layernorm_after")
_KEYS = {**vision_keys(side=224, patch=16, d=768, h=3072, L=12, heads=12), "qkv_bias": ("qkv_bias", True)}


def _published(cls: str, count: int, **sizes: Any) -> Published:
    return measured(cls, count, **{"c": 3, "side": 224, "patch": 16, "qkv_bias": True, **sizes})


def _vit(count: int, cls: str = "ViTForImageClassification", **sizes: int) -> Published:
    return _published(cls, count, **sizes, **({"e": sizes["d"]} if cls == "ViTModel" else {"C": 1000}))


def _deit(count: int, **sizes: int) -> Published:
    return _published("DeiTForImageClassificationWithTeacher", count, **sizes, C=1000)


def _msn(count: int, **sizes: int) -> Published:
    return _published("ViTMSNModel", count, **sizes)


def _mae(count: int, **sizes: int) -> Published:
    return _published("ViTMAEForPreTraining", count, **sizes, d_dec=512, h_dec=2048, L_dec=8, heads_dec=16)


ARCHITECTURES = (Architecture(
    "vit",
    classes=image_classes("ViT", encoder(embedded)),
    follows={"e": "d"},
    acts={"hidden_act": ("gelu", "mlp"), "pooler_act": ("tanh", "pooler")},
    keys={**_KEYS, "pooler_output_size": ("e", None)},
    ignored=_ENCODER,
    stored=_NAMES,
    stored_heads={"classifier": "classifier"},
    base="vit",
    published={
        "vit-base-patch16-224": _vit(86_567_656, d=768, h=3072, L=12, heads=12),
        "vit-base-patch16-384": _vit(86_859_496, d=768, h=3072, L=12, heads=12, side=384),
        "vit-base-patch32-384": _vit(88_297_192, d=768, h=3072, L=12, heads=12, side=384, patch=32),
        "vit-large-patch16-224": _vit(304_326_632, d=1024, h=4096, L=24, heads=16),
        "vit-large-patch16-384": _vit(304_715_752, d=1024, h=4096, L=24, heads=16, side=384),
        "vit-large-patch32-384": _vit(306_632_680, d=1024, h=4096, L=24, heads=16, side=384, patch=32),
        "vit-huge-patch14-224": _vit(632_045_800, d=1280, h=5120, L=32, heads=16, patch=14),
        "vit-base-patch16-224-in21k": _vit(86_389_248, "ViTModel", d=768, h=3072, L=12, heads=12),
        "vit-large-patch16-224-in21k": _vit(304_351_232, "ViTModel", d=1024, h=4096, L=24, heads=16),
        "vit-huge-patch14-224-in21k": _vit(632_404_480, "ViTModel", d=1280, h=5120, L=32, heads=16, patch=14),
        "deit-tiny-patch16-224": _vit(5_717_416, d=192, h=768, L=12, heads=3),
        "deit-small-patch16-224": _vit(22_050_664, d=384, h=1536, L=12, heads=6),
        "deit-base-patch16-224": _vit(86_567_656, d=768, h=3072, L=12, heads=12),
    },
), Architecture(
    "deit",
    classes={
        **image_classes("DeiT", encoder(with_distillation)),
        "DeiTForImageClassificationWithTeacher": with_teacher,
    },
    follows={"e": "d"},
    acts={"hidden_act": ("gelu", "mlp"), "pooler_act": ("tanh", "pooler")},
    keys={**_KEYS, "pooler_output_size": ("e", None)},
    ignored=_ENCODER,
    stored={**_NAMES, "embeddings.distillation": ("embeddings.distillation_token", "1 *")},
    stored_heads={
        "classifier": "classifier",
        "classifier.cls": "cls_classifier",
        "classifier.distillation": "distillation_classifier",
    },
    base="deit",
    published={
        "deit-tiny-distilled-patch16-224": _deit(5_910_800, d=192, h=768, L=12, heads=3),
        "deit-small-distilled-patch16-224": _deit(22_436_432, d=384, h=1536, L=12, heads=6),
        "deit-base-distilled-patch16-224": _deit(87_338_192, d=768, h=3072, L=12, heads=12),
        "deit-base-distilled-patch16-384": _deit(87_630_032, d=768, h=3072, L=12, heads=12, side=384),
    },
), Architecture(
    "vit_mae",
    classes={"ViTMAEModel": encoder(quarter), "ViTMAEForPreTraining": autoencoder},
    keys={
        **_KEYS,
        "decoder_hidden_size": ("d_dec", 512),
        "decoder_intermediate_size": ("h_dec", 2048),
        "decoder_num_hidden_layers": ("L_dec", 8),
        "decoder_num_attention_heads": ("heads_dec", 16),
    },
    only={"mask_ratio": ((0.75,), "a quarter of the patches is seen")},
    ignored={"norm_pix_loss": "a choice of the loss"},
    stored=_NAMES,
    stored_heads={
        "head.embed": "decoder.decoder_embed",
        "head.mask": ("decoder.mask_token", "1 *"),
        "head.position": ("decoder.decoder_pos_embed", "1 *"),
        **{f"head.{ours}": f"decoder.decoder_{theirs}" for ours, theirs in _NAMES.items()
           if ours.startswith("layers.")},
        "head.norm": "decoder.decoder_norm",
        "head.pixels": "decoder.decoder_pred",
    },
    base="vit",
    published={
        "vit-mae-base": _mae(111_907_840, d=768, h=3072, L=12, heads=12),
        "vit-mae-large": _mae(329_541_888, d=1024, h=4096, L=24, heads=16),
        "vit-mae-huge": _mae(657_074_508, d=1280, h=5120, L=32, heads=16, patch=14),
    },
), Architecture(
    "vit_msn",
    classes=image_classes("ViTMSN", encoder(embedded), pooler=None),
    keys=_KEYS,
    acts={"hidden_act": ("gelu", "mlp")},
    stored=_NAMES,
    stored_heads={"classifier": "classifier"},
    base="vit",
    published={
        "vit-msn-small": _msn(21_665_664, d=384, h=1536, L=12, heads=6),
        "vit-msn-base": _msn(85_798_656, d=768, h=3072, L=12, heads=12),
        "vit-msn-large-7": _msn(303_513_600, d=1024, h=4096, L=24, heads=16, patch=7),
    },
), Architecture(
    "ijepa",
    classes={"IJepaModel": encoder(unmarked), "IJepaForImageClassification": averaged},
    keys=_KEYS,
    acts={"hidden_act": ("gelu", "mlp")},
    ignored=dict.fromkeys(("pooler_output_size", "pooler_act"), "no class has a pooler"),
    stored={ours: theirs for ours, theirs in _NAMES.items() if ours not in ("embeddings.cls", "pooler")},
    stored_heads={"classifier": "classifier"},
    base="ijepa",
    published={
        "ijepa-vith14-1k": _published("IJepaModel", 630_762_240, d=1280, h=5120, L=32, heads=16, patch=14),
        "ijepa-vith16-1k": _published("IJepaModel", 631_668_480, d=1280, h=5120, L=32, heads=16, side=448),
    },
))
