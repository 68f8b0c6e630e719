"""VideoMAE and ViViT: a ViT over boxes of frames and pixels; the positions of VideoMAE are computed.

Source: Tong et al. 2022, "VideoMAE: masked autoencoders are data-efficient learners for self-supervised video
pre-training", section 3.3; Arnab et al. 2021, "ViViT: a video vision transformer", sections 3.2 and 3.3 (model 1).
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import vision_keys, vit_names
from symcount.layers import linear, mlp, norm, residual
from symcount.layers.video import tubelets, video
from symcount.layers.vision import attended, first_pooled, mean, placed, token, vision_block
from symcount.network import pointwise, select, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published


def computed(x: Tensor, z: Any) -> Tensor:
    """Boxes, and positions that are computed: cd·tube·patch² + d parameters."""
    return pointwise(tubelets(x, "patch", tube=z.tube, patch=z.patch, d=z.d), kind="sinusoids", name="position")


def learned(x: Tensor, z: Any) -> Tensor:
    """Boxes, a token that will stand for the video, and positions: cd·tube·patch² + 2d + d·s parameters."""
    return placed(token(tubelets(x, "patch", tube=z.tube, patch=z.patch, d=z.d), "cls"), "position")


def keyless(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 8d + h parameters: keys have no bias; without qv_bias 2d less."""
    x = residual(x, attended(x, z, bias="query value output" if z.qv_bias else "output"))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h))


def biased(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters; without qkv_bias 3d less."""
    return vision_block(x, z, bias=z.qkv_bias)


def body(z: Any, embeddings: Callable[..., Tensor], block: Callable[..., Tensor]) -> Tensor:
    """Embeddings of a video and L blocks."""
    return within("layers", block, within("embeddings", embeddings, video(z), z=z), z=z, runs=z.L)


def videomae(z: Any) -> Tensor:
    """All tokens; a last norm unless their mean is pooled."""
    x = body(z, computed, keyless)
    return x if z.mean_pooling else norm(x, "norm")


def videomae_classes(z: Any) -> Tensor:
    """C scores of the mean with a norm, or of the first token: dC + C parameters, with a mean 2d more."""
    x = videomae(z)
    return linear(norm(mean(x), "classifier.norm") if z.mean_pooling else select(x, "s"), "classifier", C=z.C)


def vivit(z: Any) -> Tensor:
    """All tokens, with a last norm."""
    return norm(body(z, learned, biased), "norm")


def vivit_model(z: Any) -> tuple[Tensor, Tensor]:
    """The same, and a pooler on the first token: de + e parameters more."""
    x = vivit(z)
    return x, first_pooled(x, z)


def boxes(config: dict[str, Any]) -> dict[str, Any]:
    """The frames and the side of a box, which is square."""
    box = config["tubelet_size"]
    if not isinstance(box, list) or len(box) != 3 or any(type(n) is not int or n < 1 for n in box) or box[1] != box[2]:
        raise ConfigError(f"tubelet_size = {box!r}: the frames of a box and twice its side are needed")
    return {"tube": box[0], "patch": box[1]}


def qv_bias(config: dict[str, Any]) -> dict[str, Any]:
    """Whether queries and values have a bias; qkv_bias, the older name, wins."""
    said = config["qv_bias"] if config["qkv_bias"] is None else config["qkv_bias"]
    if not isinstance(said, bool):
        raise ConfigError(f"qkv_bias = {said!r}: true or false is needed")
    return {"qv_bias": said}


def _videomae(count: int, **sizes: Any) -> Published:
    return measured("VideoMAEForVideoClassification", count, c=3, side=224, patch=16, frames=16, tube=2, **sizes,
                    qv_bias=True, mean_pooling=True)


_DECODER = dict.fromkeys(("decoder_num_attention_heads", "decoder_hidden_size", "decoder_num_hidden_layers",
                          "decoder_intermediate_size", "norm_pix_loss"),
                         "read by pre-training only, which is not written")
_SHAPES = partial(vision_keys, side=224, d=768, h=3072, L=12, heads=12)
_LAYER = "encoder.layer.{i}"

ARCHITECTURES = (Architecture(
    "videomae",
    classes={"VideoMAEModel": videomae, "VideoMAEForVideoClassification": videomae_classes},
    keys={
        **_SHAPES(patch=16),
        "num_frames": ("frames", 16),
        "tubelet_size": ("tube", 2),
        "use_mean_pooling": ("mean_pooling", True),
    },
    reads={"qv_bias": True, "qkv_bias": None},
    settle=qv_bias,
    flags={"qv_bias": True},
    acts={"hidden_act": ("gelu", "mlp")},
    ignored=_DECODER,
    stored={
        "embeddings.patch": "embeddings.patch_embeddings.projection",
        "layers.attention_norm": f"{_LAYER}.layernorm_before",
        **{f"layers.attention.{name}": f"{_LAYER}.attention.attention.{name}" for name in ("query", "key", "value")},
        "layers.attention.output": f"{_LAYER}.attention.output.dense",
        "layers.mlp_norm": f"{_LAYER}.layernorm_after",
        "layers.mlp.up": f"{_LAYER}.intermediate.dense",
        "layers.mlp.down": f"{_LAYER}.output.dense",
        "norm": "layernorm",
    },
    stored_heads={"classifier.norm": "fc_norm", "classifier": "classifier"},
    base="videomae",
    published={
        "videomae-small-finetuned-kinetics": _videomae(22_033_936, d=384, h=1536, L=12, heads=6, C=400),
        "videomae-base-finetuned-kinetics": _videomae(86_534_800, d=768, h=3072, L=12, heads=12, C=400),
        "videomae-large-finetuned-kinetics": _videomae(304_270_736, d=1024, h=4096, L=24, heads=16, C=400),
    },
), Architecture(
    "vivit",
    classes={
        "VivitModel": vivit_model,
        "VivitForVideoClassification": lambda z: linear(select(vivit(z), "s"), "classifier", C=z.C),
    },
    sizes="tube patch",
    follows={"e": "d"},
    keys={
        **{key: told for key, told in _SHAPES(patch=16).items() if key != "patch_size"},
        "num_frames": ("frames", 32),
        "qkv_bias": ("qkv_bias", True),
        "pooler_output_size": ("e", None),
    },
    reads={"tubelet_size": [2, 16, 16]},
    settle=boxes,
    acts={"hidden_act": ("gelu_fast", "mlp"), "pooler_act": ("tanh", "pooler")},
    ignored={"video_size": "num_frames and image_size, in one list"},
    stored=vit_names("layers.{i}", "layernorm_before", "layernorm_after"),
    stored_heads={"classifier": "classifier"},
    base="vivit",
    published={
        "vivit-b-16x2-kinetics400": measured(
            "VivitForVideoClassification", 88_954_000, c=3, side=224, patch=16, frames=32, tube=2, d=768, h=3072, L=12,
            heads=12, qkv_bias=True, C=400, acts="gelu_fast"),
    },
))
