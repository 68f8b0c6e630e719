"""Step 3.7: the text model of Step 3.5, and a tower whose tokens two convolutions bring together; the tower alone.

Source: StepFun 2026, "Step 3.7 Flash"; the configuration and the implementation in transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.hub.images import vision_keys
from symcount.hub.multimodal import Part, seeing
from symcount.hub.settling import ratio
from symcount.layers import linear, mlp, norm, residual
from symcount.layers.convolution import conv2d
from symcount.layers.vision import attended, image, patches, placed, scaled
from symcount.network import merge, rename, split, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


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


def project(x: Tensor, z: Any) -> Tensor:
    """The tokens, four times as wide as the tower, in the width of the text: 4d·d_img parameters."""
    return linear(x, "projection", bias=z.projector_bias, d=z.d)


def settle(config: Mapping[str, Any]) -> dict[str, Any]:
    """The width of the MLP of the tower, which a ratio gives."""
    return {"h": int(config["hidden_size"] * ratio(config, "mlp_ratio"))}


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
TOWER = Architecture(
    "step3p5_vision",
    classes={"Step3p7VisionModel": tower},
    sizes="h",
    acts={"hidden_act": ("quick_gelu", "")},
    keys=KEYS,
    reads={"mlp_ratio": RATIO},
    settle=settle,
    aliases=ALIASES,
    ignored={**IGNORED, "tie_word_embeddings": "no class predicts words"},
    stored=NAMES,
)

ARCHITECTURES = (seeing(
    "step3p7", family,
    Part({"step3p5": TEXT}, "language_model"),
    Part({"step3p5_vision": TOWER}, "vision_model"),
    project=project,
    classes={"Step3p7Model": False, "Step3p7ForConditionalGeneration": True},
    ties={"tie_word_embeddings": False},
    keys={"projector_bias": ("projector_bias", False)},
    only=dict.fromkeys((*(key for key in (*TEXT.keys, *TEXT.reads) if key not in ("num_labels", "tie_word_embeddings")),
                        "max_position_embeddings", "num_experts", "n_shared_experts"), ((None,), OUTSIDE)),
    stored={"projection": "multi_modal_projector"},
    ignored={"image_token_id": "the number of a word"},
), TOWER)
