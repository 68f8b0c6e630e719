"""YOLOS: a ViT with tokens behind the patches that become objects, whatever the side of an image is.

Source: Fang et al. 2021, "You only look at one sequence", section 3 and table 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import vision_keys
from symcount.layers import linear, norm
from symcount.layers.encoder import pool
from symcount.layers.vision import image, patches, token, vision_block
from symcount.network import concat, cut, pointwise, repeat, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def resized(x: Tensor, name: str, z: Any) -> Tensor:
    """Add a position to each token, of the P patches resized to the image: d(P + objects + 1) parameters."""
    table = weight(name, kinds="embedding", P=z.P + z.objects + 1, d=z.d)
    return pointwise(x, table, kind="resize", name=name, to="b s d")


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches between a token for the image and those for objects, and positions.

    Parameters: cd·patch² + 2d, d·objects for the tokens, d(P + objects + 1) for positions.
    """
    x = token(patches(x, "patch", patch=z.patch, d=z.d), "cls")
    objects = repeat(weight("objects", kinds="embedding", s=z.objects, d=z.d), b=z.b)
    return resized(concat(x, objects, axis="s"), "position", z)


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters; without qkv_bias 3d less."""
    return vision_block(x, z, bias=z.qkv_bias)


def placed_block(x: Tensor, z: Any) -> Tensor:
    """The same, and positions behind it: d(P + objects + 1) parameters more."""
    return resized(block(x, z), "embeddings.position", z)


def body(z: Any) -> Tensor:
    """Embeddings of an image, L blocks, all but the last with positions of their own, and a last norm."""
    x = within("embeddings", embedded, image(z), z=z)
    if z.placed:
        x = within("layers.last", block, within("layers.first", placed_block, x, z=z, runs=z.L - 1), z=z)
    else:
        x = within("layers", block, x, z=z, runs=z.L)
    return norm(x, "norm")


def model(z: Any) -> tuple[Tensor, Tensor]:
    """All tokens, and a pooler on the first: d² + d parameters more."""
    x = body(z)
    return x, pool(x, z)


def predicted(x: Tensor, **out: Size) -> Tensor:
    """Two layers as wide as the tokens and one that is not: 2d² + 2d + dn + n parameters for n outputs."""
    for name in ("first", "second"):
        x = pointwise(linear(x, name, d=x.axes["d"]), kind="relu", name=f"{name}_act")
    return linear(x, "last", **out)


def detection(z: Any) -> tuple[Tensor, Tensor]:
    """C + 1 scores and a box for each token that becomes an object: 4d² + 4d + d(C + 5) + C + 5 parameters."""
    x = body(z)
    objects = cut(x, "s", x.axes["s"] - z.objects, z.objects)[1]
    box = pointwise(within("head.box", predicted, objects, box=4), kind="sigmoid")
    return within("head.classes", predicted, objects, C=z.C + 1), box


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many patches have positions: those of an image of image_size, which is no limit."""
    size, patch = config["image_size"], config["patch_size"]
    if not isinstance(size, list) or len(size) != 2 or any(type(n) is not int or n < patch for n in size):
        raise ConfigError(f"image_size = {size!r}: two whole numbers, of at least patch_size, are needed")
    P = (size[0] // patch) * (size[1] // patch)
    if config["use_mid_position_embeddings"] and size[0] * size[1] // patch**2 != P:
        raise ConfigError(f"image_size = {size}: patches of {patch} × {patch} do not fill it, and with "
                          "use_mid_position_embeddings that does not run in transformers")
    return {"P": P}


def _yolos(count: int, P: int, *, d: int, heads: int, placed: bool) -> Published:
    return measured("YolosForObjectDetection", count, c=3, patch=16, side=512, P=P, d=d, h=4 * d, L=12, heads=heads,
                    objects=100, C=91, qkv_bias=True, placed=placed)


_LAYER = "encoder.layer.{i}"

ARCHITECTURES = (Architecture(
    "yolos",
    classes={"YolosModel": model, "YolosForObjectDetection": detection},
    sizes="side P",
    keys={
        **{key: told for key, told in vision_keys(side=512, patch=16, d=768, h=3072, L=12, heads=12).items()
           if key != "image_size"},
        "num_detection_tokens": ("objects", 100),
        "qkv_bias": ("qkv_bias", True),
        "use_mid_position_embeddings": ("placed", True),
    },
    reads={"image_size": [512, 864]},
    settle=settle,
    acts={"hidden_act": ("gelu", "mlp")},
    ignored=dict.fromkeys(("auxiliary_loss", "class_cost", "bbox_cost", "giou_cost", "bbox_loss_coefficient",
                           "giou_loss_coefficient", "eos_coefficient"), "weighs a loss"),
    stored={
        "embeddings.cls": ("embeddings.cls_token", "1 *"),
        "embeddings.objects": ("embeddings.detection_tokens", "1 *"),
        "embeddings.position": ("embeddings.position_embeddings", "1 *"),
        "embeddings.patch": "embeddings.patch_embeddings.projection",
        "layers.embeddings.position": ("encoder.interpolation.mid_position_embeddings", "L-1 1 *"),
        "layers.attention_norm": f"{_LAYER}.layernorm_before",
        **{f"layers.attention.{name}": f"{_LAYER}.attention.attention.{name}" for name in ("query", "key", "value")},
        "layers.attention.output": f"{_LAYER}.attention.output.dense",
        "layers.mlp_norm": f"{_LAYER}.layernorm_after",
        "layers.mlp.up": f"{_LAYER}.intermediate.dense",
        "layers.mlp.down": f"{_LAYER}.output.dense",
        "norm": "layernorm",
        "pooler": "pooler.dense",
    },
    stored_heads={f"head.{ours}.{name}": f"{theirs}.layers.{{i}}"
                  for ours, theirs in (("classes", "class_labels_classifier"), ("box", "bbox_predictor"))
                  for name in ("first", "second", "last")},
    base="vit",
    published={
        "yolos-tiny": _yolos(6_488_736, 50 * 83, d=192, heads=3, placed=False),
        "yolos-small": _yolos(30_684_768, 32 * 54, d=384, heads=6, placed=True),
        "yolos-base": _yolos(127_798_368, 50 * 84, d=768, heads=12, placed=True),
    },
),)
