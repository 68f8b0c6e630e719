"""BEiT: ViT with relative positions, a gain on what each block adds, and keys without a bias; so is data2vec's.

Source: Bao et al. 2022, "BEiT: BERT pre-training of image transformers", section 2 and appendix; relative positions
of an image: Liu et al. 2021, "Swin transformer", equation 4; Baevski et al. 2022, "data2vec", section 3.1.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import BACKBONE, vision_keys, vit_names
from symcount.layers import linear, mlp, norm, residual
from symcount.layers.vision import attended, image, mask_token, mean, patches, placed, scaled, token
from symcount.network import cut, lookup, pointwise, select, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches and a token that will stand for the image: cd·patch² + 2d parameters; d·s more for absolute positions."""
    x = patches(x, "patch", patch=z.patch, d=z.d)
    x = mask_token(x, "mask") if z.mask_token else x
    x = token(x, "cls")
    return placed(x, "position") if z.absolute else x


def distances(x: Tensor, z: Any, name: str) -> Tensor:
    """What is added to the scores of each head: ((2n - 1)² + 3)·heads parameters for n × n patches.

    One row for each way to go from a patch to another, and three for the token of the image.
    """
    n = z.side // z.patch
    table = weight(f"{name}.weight", buckets=(2 * n - 1) * (2 * n - 1) + 3, g=z.heads)
    return lookup(tensor("distances", s=x.axes["s"], t=x.axes["s"]), table, name)


def block(x: Tensor, z: Any, common: Tensor | None) -> Tensor:
    """4d² + 2dh + 8d + h parameters; 2d more with gains, ((2n - 1)² + 3)·heads more with relative positions."""
    relative = common
    if z.relative:
        own = distances(x, z, "attention.relative")
        relative = own if common is None else pointwise(own, common, kind="add")
    y = attended(x, z, bias="query value output", relative=relative)
    x = residual(x, scaled(y, "attention_scale") if z.scaled else y)
    y = within("mlp", mlp, norm(x, "mlp_norm"), h=z.h)
    return residual(x, scaled(y, "mlp_scale") if z.scaled else y)


def body(z: Any) -> Tensor:
    """Embeddings of an image and L blocks; a last norm unless the mean is pooled."""
    x = within("embeddings", embedded, image(z), z=z)
    common = distances(x, z, "attention.relative") if z.shared_relative else None
    x = within("layers", block, x, z=z, common=common, runs=z.L)
    return x if z.mean_pooling else norm(x, "norm")


def pooled(x: Tensor, z: Any) -> Tensor:
    """The mean of the patches, with a norm (2d parameters), or the token of the image."""
    return norm(mean(x, last=x.axes["s"] - 1), "pooler.norm") if z.mean_pooling else select(x, "s")


def model(z: Any) -> tuple[Tensor, Tensor]:
    """The tokens, and one vector for the image."""
    x = body(z)
    return x, pooled(x, z)


def classification(z: Any) -> Tensor:
    """Scores of C classes: dC + C parameters."""
    return linear(pooled(body(z), z), "classifier", C=z.C)


def visual_words(z: Any) -> Tensor:
    """Which of V visual words each patch is: 2d + dV + V parameters."""
    x = norm(body(z), "head.norm")
    return linear(cut(x, "s", 1, x.axes["s"] - 1)[1], "head.decoder", V=z.V)


def gains(config: dict[str, Any]) -> dict[str, bool]:
    """Whether blocks have gains: where they start at more than nothing."""
    start = config["layer_scale_init_value"]
    if isinstance(start, bool) or not isinstance(start, (int, float)):
        raise ConfigError(f"layer_scale_init_value = {start!r}: a number is needed")
    return {"scaled": start > 0}


def _beit(count: int, cls: str = "BeitForImageClassification", **sizes: Any) -> Published:
    flags = {"mask_token": False, "absolute": False, "relative": True, "shared_relative": False, "mean_pooling": True,
             "scaled": True}
    return measured(cls, count, **{"c": 3, "patch": 16, "C": 1000, **flags, **sizes})


_data2vec = partial(_beit, cls="Data2VecVisionForImageClassification")
_SEGMENTS = "read by semantic segmentation only, which is not written"
_TABLE = "relative_position_bias_table"
_KEYS: dict[str, tuple[str, Any]] = {
    **vision_keys(side=224, patch=16, d=768, h=3072, L=12, heads=12),
    "use_mask_token": ("mask_token", False),
    "use_absolute_position_embeddings": ("absolute", False),
    "use_relative_position_bias": ("relative", False),
    "use_shared_relative_position_bias": ("shared_relative", False),
    "use_mean_pooling": ("mean_pooling", True),
}
_IGNORED = {
    **BACKBONE,
    "add_fpn": "chooses what a backbone returns",
    "drop_path_rate": "dropout has no weights",
    **dict.fromkeys(("pool_scales", "use_auxiliary_head", "auxiliary_loss_weight", "auxiliary_channels",
                     "auxiliary_num_convs", "auxiliary_concat_input", "semantic_loss_ignore_index"), _SEGMENTS),
}

ARCHITECTURES = (Architecture(
    "beit",
    classes={
        "BeitModel": model,
        "BeitForImageClassification": classification,
        "BeitForMaskedImageModeling": visual_words,
    },
    keys={**_KEYS, "vocab_size": ("V", 8192)},
    reads={"layer_scale_init_value": 0.1},
    settle=gains,
    flags={"scaled": True},
    ignored=_IGNORED,
    stored={
        **vit_names("layers.{i}", "layernorm_before", "layernorm_after"),
        "embeddings.mask": ("embeddings.mask_token", "1 *"),
        "attention.relative.weight": f"shared_position_bias.{_TABLE}",
        "layers.attention.relative.weight": f"layers.{{i}}.relative_position_bias.{_TABLE}",
        "layers.attention_scale": "layers.{i}.lambda_1",
        "layers.mlp_scale": "layers.{i}.lambda_2",
        "pooler.norm": "pooler.layernorm",
    },
    stored_heads={"classifier": "classifier", "head.norm": "layernorm", "head.decoder": "lm_head"},
    base="beit",
    published={
        "beit-base-patch16-224": _beit(86_530_984, d=768, h=3072, L=12, heads=12, side=224),
        "beit-base-patch16-384": _beit(86_744_104, d=768, h=3072, L=12, heads=12, side=384),
        "beit-large-patch16-224": _beit(304_430_568, d=1024, h=4096, L=24, heads=16, side=224),
    },
), Architecture(
    "data2vec-vision",
    classes={"Data2VecVisionModel": body, "Data2VecVisionForImageClassification": classification},
    keys=_KEYS,
    reads={"layer_scale_init_value": 0.1},
    settle=gains,
    flags={"scaled": True},
    ignored=_IGNORED,
    stored={
        "embeddings.cls": ("embeddings.cls_token", "1 *"),
        "embeddings.mask": ("embeddings.mask_token", "1 *"),
        "embeddings.position": ("embeddings.position_embeddings", "1 *"),
        "embeddings.patch": "embeddings.patch_embeddings.projection",
        "attention.relative.weight": f"encoder.relative_position_bias.{_TABLE}",
        **{f"layers.{ours}": f"encoder.layer.{{i}}.{theirs}" for ours, theirs in {
            "attention_norm": "layernorm_before",
            **{f"attention.{name}": f"attention.attention.{name}" for name in ("query", "key", "value")},
            "attention.relative.weight": f"attention.attention.relative_position_bias.{_TABLE}",
            "attention.output": "attention.output.dense",
            "attention_scale": "lambda_1",
            "mlp_norm": "layernorm_after",
            "mlp.up": "intermediate.dense",
            "mlp.down": "output.dense",
            "mlp_scale": "lambda_2",
        }.items()},
        "norm": "layernorm",
        "pooler.norm": "pooler.layernorm",
    },
    stored_heads={"classifier": "classifier"},
    base="data2vec_vision",
    published={
        "data2vec-vision-base-ft1k": _data2vec(86_530_984, d=768, h=3072, L=12, heads=12, side=224),
        "data2vec-vision-large-ft1k": _data2vec(304_430_568, d=1024, h=4096, L=24, heads=16, side=224),
    },
))
