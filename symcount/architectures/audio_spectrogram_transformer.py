"""AST: a ViT over the spectrogram of a sound, whose square patches overlap.

Source: Gong et al. 2021, "AST: audio spectrogram transformer", section 2.1; two learned tokens before the patches are
those of DeiT.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.hub import measured
from symcount.hub.images import vit_names
from symcount.hub.settling import number
from symcount.layers import linear, norm, residual
from symcount.layers.vision import placed, token, vision_block
from symcount.network import contract, merge, pointwise, rename, select, tensor, weight, window, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def overlapping(x: Tensor, z: Any) -> Tensor:
    """Squares of a spectrogram as tokens, two learned tokens before them, and positions.

    Parameters: d(patch² + 1) for the squares, 2d, and d for each of 2 + i·j tokens: i = (c - patch)//stride + 1 stand
    one above another, j = (frames - patch)//stride + 1 one behind another.
    """
    up, along = z.stride
    x = window(window(x, j=("x", z.patch), stride=along), i=("y", z.patch), stride=up)
    kernel = weight("patch.weight", kinds="weight kernel", out="d", y=z.patch, x=z.patch, one=1, d=z.d)
    x = contract(x, kernel, to="b i j d", name="patch")
    x = merge(pointwise(x, weight("patch.bias", kinds="bias", d=z.d), kind="bias", name="patch"), s="i j")
    return placed(token(token(x, "distillation"), "cls"), "position")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """L blocks and a norm; and the mean of the first two tokens."""
    x = rename(tensor("spectrogram", b=z.b, frames=z.frames, c=z.c, one=1), frames="j", c="i")
    x = within("embeddings", overlapping, x, z=z)
    x = norm(within("layers", vision_block, x, z=z, bias=z.qkv_bias, runs=z.L), "norm")
    return x, residual(select(x, "s", 0), select(x, "s", 1))


def classify(x: Tensor, z: Any) -> Tensor:
    """C scores behind a norm: dC + C + 2d parameters."""
    return linear(norm(x, "norm"), "scores", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How far squares are apart, upwards and along."""
    return {"stride": (number(config, "frequency_stride"), number(config, "time_stride"))}


def _ast(count: int, **sizes: Any) -> Published:
    return measured("ASTForAudioClassification", count, **{
        "d": 768, "h": 3072, "L": 12, "heads": 12, "patch": 16, "stride": (10, 10), "frames": 1024, "c": 128, **sizes})


ARCHITECTURES = (Architecture(
    "audio-spectrogram-transformer",
    classes={"ASTModel": body,
             "ASTForAudioClassification": lambda z: within("classifier", classify, body(z)[1], z=z)},
    sizes="stride",
    keys={
        "hidden_size": ("d", 768),
        "num_hidden_layers": ("L", 12),
        "num_attention_heads": ("heads", 12),
        "intermediate_size": ("h", 3072),
        "patch_size": ("patch", 16),
        "qkv_bias": ("qkv_bias", True),
        "max_length": ("frames", 1024),
        "num_mel_bins": ("c", 128),
        "num_labels": ("C", 2),
    },
    reads={"frequency_stride": 10, "time_stride": 10},
    settle=settle,
    stored={
        **vit_names("layers.{i}", "layernorm_before", "layernorm_after"),
        "embeddings.distillation": ("embeddings.distillation_token", "1 *"),
    },
    stored_heads={"classifier.norm": "classifier.layernorm", "classifier.scores": "classifier.dense"},
    base="audio_spectrogram_transformer",
    published={
        "ast-finetuned-audioset-10-10-0.4593": _ast(86_594_063, C=527),
        "ast-finetuned-speech-commands-v2": _ast(85_395_491, C=35, frames=128),
    },
),)
