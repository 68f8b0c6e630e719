"""DINOv2: ViT with a gain on what each block adds, and an MLP that may be gated; further tokens, the registers; DINOv3.

Source: Oquab et al. 2023, "DINOv2", section 4 and appendix B; Darcet et al. 2024, "Vision transformers need
registers", section 2.2; Siméoni et al. 2025, "DINOv3", section 3 and table 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import BACKBONE, vision_keys, vit_names
from symcount.hub.settling import number
from symcount.layers import attention, gated, linear, mlp, norm, residual
from symcount.layers.vision import attended, image, mask_token, mean, patches, placed, scaled, token
from symcount.network import concat, cut, select, within
from symcount.sizes import multiple, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches, a token that will stand for the image, and positions: cd·patch² + 2d + d·s parameters for s tokens."""
    return placed(token(patches(x, "patch", patch=z.patch, d=z.d), "cls"), "position")


def masked(x: Tensor, z: Any) -> Tensor:
    """The same, and what stands for a hidden patch in pre-training: d parameters more, if there is one."""
    x = embedded(x, z)
    return mask_token(x, "mask") if z.mask_token else x


def with_registers(x: Tensor, z: Any) -> Tensor:
    """The same with further tokens that have no position, behind the token of the image: d·registers more."""
    x = mask_token(embedded(x, z), "mask")
    first, others = cut(x, "s", 1, x.axes["s"] - 1)
    return concat(first, token(others, "registers", n=z.registers), axis="s")


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 11d + h parameters; gated 4d² + 3dh + 11d + 2h."""
    x = residual(x, scaled(attended(x, z, bias=z.qkv_bias), "attention_scale"))
    y = norm(x, "mlp_norm")
    y = within("mlp.gated", gated, y, h=z.h, bias=True) if z.gated else within("mlp", mlp, y, h=z.h)
    return residual(x, scaled(y, "mlp_scale"))


def third(x: Tensor, z: Any) -> Tensor:
    """The same without positions, which are told to each layer: cd·patch² + 3d + d·registers parameters."""
    x = mask_token(patches(x, "patch", patch=z.patch, d=z.d), "mask")
    return token(token(x, "registers", n=z.registers) if z.registered else x, "cls")


def rotary(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 10d + h parameters, gated 4d² + 3dh + 10d + 2h: biases but those of keys; queries and keys turned.

    The patches are turned by row and column, the tokens before them are not.
    """
    bias = " ".join(name for name in ("query", "key", "value", "output") if getattr(z, f"{name}_bias"))
    y = within("attention", attention, norm(x, "attention_norm"), z=z, t=x.axes["s"], bias=bias,
               k=multiple(per(z.d, z.heads), 4), position="partial_rotary")
    x = residual(x, scaled(y, "attention_scale"))
    y = norm(x, "mlp_norm")
    y = within("mlp", gated if z.gated else mlp, y, h=z.h, bias=z.mlp_bias, kind="gelu")
    return residual(x, scaled(y, "mlp_scale"))


def third_model(z: Any) -> Tensor:
    """All tokens, with a last norm."""
    x = within("embeddings", third, image(z), z=z)
    return norm(within("layers", rotary, x, z=z, runs=z.L), "norm")


def classes(prefix: str, embeddings: Callable[..., Tensor]) -> dict[str, Callable[[Any], Tensor]]:
    """The model; and C scores from the token of the image and the mean of the patches: 2dC + C parameters."""
    def body(z: Any) -> Tensor:
        x = within("embeddings", embeddings, image(z), z=z)
        return norm(within("layers", block, x, z=z, runs=z.L), "norm")

    def classification(z: Any) -> Tensor:
        x, n = body(z), z.side // z.patch
        return linear(concat(select(x, "s"), mean(x, last=n * n), axis="d"), "classifier", C=z.C)
    return {f"{prefix}Model": body, f"{prefix}ForImageClassification": classification}


def widened(config: dict[str, Any]) -> dict[str, Any]:
    """The width of the MLP: mlp_ratio times d; where it is gated two thirds of that, and up to a multiple of 8."""
    ratio = config["mlp_ratio"]
    if type(ratio) is not int or ratio < 1:
        raise ConfigError(f"mlp_ratio = {ratio!r}: a whole number of at least 1 is needed")
    h = ratio * config["hidden_size"]
    return {"h": -(-(h * 2 // 3) // 8) * 8 if config["use_swiglu_ffn"] else None if ratio == 4 else h}


def registers(config: dict[str, Any]) -> dict[str, Any]:
    """How many registers there are, if there are any."""
    n = number(config, "num_register_tokens", 0)
    return {"registers": n or None, "registered": n > 0}


def _dinov2(count: int, cls: str = "Dinov2Model", **sizes: Any) -> Published:
    return measured(cls, count, **{"c": 3, "side": 518, "patch": 14, "gated": False, "qkv_bias": True, **sizes})


def _registers(count: int, **sizes: Any) -> Published:
    return _dinov2(count, "Dinov2WithRegistersModel", registers=4, **sizes)


def _dinov3(count: int, *, gated: bool = False, key_bias: bool = False, **sizes: Any) -> Published:
    return measured("DINOv3ViTModel", count, c=3, side=224, patch=16, registers=4, registered=True, gated=gated,
                    key_bias=key_bias, **dict.fromkeys(_BIASES, True), **sizes)


_BIASES = ("query_bias", "value_bias", "output_bias", "mlp_bias")
_FLAGS = {"qkv_bias": ("qkv_bias", True), "use_swiglu_ffn": ("gated", False)}
_NAMES = {
    **vit_names("encoder.layer.{i}", "norm1", "norm2"),
    "embeddings.mask": "embeddings.mask_token",
    "layers.attention_scale": "encoder.layer.{i}.layer_scale1.lambda1",
    "layers.mlp_scale": "encoder.layer.{i}.layer_scale2.lambda1",
    **{f"layers.mlp.gated.{name}": f"encoder.layer.{{i}}.mlp.{name}_proj" for name in ("gate", "up", "down")},
}

ARCHITECTURES = (Architecture(
    "dinov2",
    classes=classes("Dinov2", masked),
    sizes="h",
    follows={"h": "4d"},
    acts={"hidden_act": ("gelu", "mlp.up")},
    keys={
        **vision_keys(side=224, patch=14, d=768, h=None, L=12, heads=12),
        **_FLAGS,
        "use_mask_token": ("mask_token", True),
    },
    reads={"mlp_ratio": 4},
    settle=widened,
    ignored={**BACKBONE, "layerscale_value": "how weights start, not how many there are"},
    stored=_NAMES,
    stored_heads={"classifier": "classifier"},
    base="dinov2",
    published={
        "dinov2-small": _dinov2(22_056_576, d=384, h=1536, L=12, heads=6),
        "dinov2-base": _dinov2(86_580_480, d=768, h=3072, L=12, heads=12),
        "dinov2-large": _dinov2(304_368_640, d=1024, h=4096, L=24, heads=16),
        "dinov2-giant": _dinov2(1_136_480_768, d=1536, h=4096, L=40, heads=24, gated=True),
    },
), Architecture(
    "dinov2_with_registers",
    classes=classes("Dinov2WithRegisters", with_registers),
    sizes="h",
    follows={"h": "4d"},
    acts={"hidden_act": ("gelu", "mlp.up")},
    keys={
        **vision_keys(side=224, patch=16, d=768, h=None, L=12, heads=12),
        **_FLAGS,
        "num_register_tokens": ("registers", 4),
    },
    reads={"mlp_ratio": 4},
    settle=widened,
    ignored={**BACKBONE, "layerscale_value": "how weights start, not how many there are"},
    stored={**_NAMES, "embeddings.registers": ("embeddings.register_tokens", "1 *")},
    stored_heads={"classifier": "classifier"},
    base="dinov2_with_registers",
    published={
        "dinov2-with-registers-small": _registers(22_058_112, d=384, h=1536, L=12, heads=6),
        "dinov2-with-registers-base": _registers(86_583_552, d=768, h=3072, L=12, heads=12),
        "dinov2-with-registers-large": _registers(304_372_736, d=1024, h=4096, L=24, heads=16),
        "dinov2-with-registers-giant": _registers(1_136_486_912, d=1536, h=4096, L=40, heads=24, gated=True),
    },
), Architecture(
    "dinov3_vit",
    classes={"DINOv3ViTModel": third_model},
    sizes="registers",
    flags={"registered": False},
    acts={"hidden_act": ("gelu", "mlp")},
    keys={
        **{key: told for key, told in vision_keys(side=224, patch=16, d=384, h=1536, L=12, heads=6).items()
           if key != "num_labels"},
        "query_bias": ("query_bias", True),
        "key_bias": ("key_bias", False),
        "value_bias": ("value_bias", True),
        "proj_bias": ("output_bias", True),
        "mlp_bias": ("mlp_bias", True),
        "use_gated_mlp": ("gated", False),
    },
    reads={"num_register_tokens": 0},
    settle=registers,
    ignored={
        **BACKBONE,
        "layerscale_value": "how weights start, not how many there are",
        "return_class_token": "chooses what a backbone returns",
        "num_labels": "no class classifies",
        **dict.fromkeys(("pos_embed_shift", "pos_embed_jitter", "pos_embed_rescale"), "moves positions while training"),
    },
    stored={
        "embeddings.cls": ("embeddings.cls_token", "1 *"),
        "embeddings.mask": ("embeddings.mask_token", "1 *"),
        "embeddings.registers": ("embeddings.register_tokens", "1 *"),
        "embeddings.patch": "embeddings.patch_embeddings",
        **{f"layers.{ours}": f"model.layer.{{i}}.{theirs}" for ours, theirs in {
            "attention_norm": "norm1",
            **{f"attention.{name}": f"attention.{name[0]}_proj" for name in ("query", "key", "value", "output")},
            "attention_scale": "layer_scale1.lambda1",
            "mlp_norm": "norm2",
            **{f"mlp.{name}": f"mlp.{name}_proj" for name in ("gate", "up", "down")},
            "mlp_scale": "layer_scale2.lambda1",
        }.items()},
        "norm": "norm",
    },
    published={
        "dinov3-vits16": _dinov3(21_596_544, d=384, h=1536, L=12, heads=6),
        "dinov3-vitb16": _dinov3(85_660_416, d=768, h=3072, L=12, heads=12),
        "dinov3-vitl16": _dinov3(303_129_600, d=1024, h=4096, L=24, heads=16),
        "dinov3-vith16plus": _dinov3(840_592_640, d=1280, h=5120, L=32, heads=20, gated=True),
    },
))
