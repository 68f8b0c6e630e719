"""TimeSformer: a ViT over the frames of a video; each layer attends over time, then within each frame.

Source: Bertasius et al. 2021, "Is space-time attention all you need for video understanding?", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import vision_keys
from symcount.layers import attention, linear, mlp, norm, residual
from symcount.layers.video import video
from symcount.layers.vision import patches, placed, token, vision_block
from symcount.network import concat, cut, merge, pointwise, rename, repeat, select, split, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches of each frame behind a token for it, and positions: cd·patch² + 2d + d·s parameters.

    Where layers see all frames, their patches stand behind one token, with a vector for each frame: d·frames more.
    """
    x = patches(merge(x, b="b f"), "patch", patch=z.patch, d=z.d)
    x = placed(token(x, "cls"), "position")
    if not (z.divided or z.joint):
        return x
    x = split(x, "b", b=z.b, f=z.frames)
    first, others = cut(x, "s", 1, x.axes["s"] - 1)
    others = pointwise(others, weight("time", kinds="embedding", f=z.frames, d=z.d), kind="add", name="time")
    return concat(select(first, "f"), merge(others, s="s f"), axis="s")


def over_time(x: Tensor, z: Any) -> Tensor:
    """Each patch attends to the same place of all frames: 4d² + 6d parameters."""
    n = x.axes["s"]
    y = norm(merge(x, b="b s"), "attention_norm")
    y = within("attention", attention, rename(y, f="s"), z=z, t=z.frames, bias=z.qkv_bias or "output")
    return split(rename(y, s="f"), "b", b=z.b, s=n)


def over_space(x: Tensor, z: Any) -> Tensor:
    """The patches of each frame attend to one another and to the token of the video: 4d² + 6d parameters."""
    y = norm(merge(x, b="b f"), "attention_norm")
    y = within("attention", attention, y, z=z, t=y.axes["s"], bias=z.qkv_bias or "output")
    return split(y, "b", b=z.b, f=z.frames)


def divided(x: Tensor, z: Any) -> Tensor:
    """Attention over time, a linear map, attention over space, the MLP: 9d² + 2dh + 16d + h parameters.

    Without qkv_bias 6d less. Multiply-adds for n patches of f frames: 2b·n·f²·d for scores and mix over time, and
    2b·f·(n + 1)²·d over space, whose other products are of f·(n + 1) tokens.
    """
    first, others = cut(x, "s", 1, x.axes["s"] - 1)
    patches_of = split(others, "s", s=None, f=z.frames)
    y = linear(within("temporal", over_time, patches_of, z=z), "temporal_dense", d=z.d)
    patches_of = residual(patches_of, y)
    each = repeat(first, f=z.frames)
    y = over_space(concat(each, patches_of, axis="s"), z)
    seen, others = cut(y, "s", 1, y.axes["s"] - 1)
    told = pointwise(seen, kind="mean", to="b s d")
    x = concat(first, merge(patches_of, s="s f"), axis="s")
    x = residual(x, concat(told, merge(others, s="s f"), axis="s"))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h))


def block(x: Tensor, z: Any) -> Tensor:
    """`divided`, or a block of ViT on all tokens at once, which are those of a frame or of a video."""
    return divided(x, z) if z.divided else vision_block(x, z, bias=z.qkv_bias)


def body(z: Any) -> Tensor:
    """Embeddings of a video, L blocks and a last norm."""
    x = within("embeddings", embedded, video(z), z=z)
    return norm(within("layers", block, x, z=z, runs=z.L), "norm")


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """What a layer attends to."""
    kind = config["attention_type"]
    if kind not in ("divided_space_time", "joint_space_time", "space_only"):
        raise ConfigError(f"attention_type = {kind!r}: divided_space_time, joint_space_time or space_only is needed")
    return {"divided": kind == "divided_space_time", "joint": kind == "joint_space_time"}


def _timesformer(count: int, *, frames: int = 8, side: int = 224, C: int = 400) -> Published:
    return measured("TimesformerForVideoClassification", count, c=3, side=side, patch=16, frames=frames, d=768, h=3072,
                    L=12, heads=12, C=C, qkv_bias=True, divided=True, joint=False)


_LAYER = "encoder.layer.{i}"
_NAMES = {
    "embeddings.cls": ("embeddings.cls_token", "1 *"),
    "embeddings.position": ("embeddings.position_embeddings", "1 *"),
    "embeddings.time": ("embeddings.time_embeddings", "1 *"),
    "embeddings.patch": "embeddings.patch_embeddings.projection",
    "layers.temporal.attention_norm": f"{_LAYER}.temporal_layernorm",
    "layers.temporal_dense": f"{_LAYER}.temporal_dense",
    "layers.attention_norm": f"{_LAYER}.layernorm_before",
    "layers.mlp_norm": f"{_LAYER}.layernorm_after",
    "layers.mlp.up": f"{_LAYER}.intermediate.dense",
    "layers.mlp.down": f"{_LAYER}.output.dense",
    "norm": "layernorm",
}

ARCHITECTURES = (Architecture(
    "timesformer",
    classes={
        "TimesformerModel": body,
        "TimesformerForVideoClassification": lambda z: linear(select(body(z), "s"), "classifier", C=z.C),
    },
    keys={
        **vision_keys(side=224, patch=16, d=768, h=3072, L=12, heads=12),
        "num_frames": ("frames", 8),
        "qkv_bias": ("qkv_bias", True),
    },
    reads={"attention_type": "divided_space_time"},
    settle=settle,
    flags={"divided": True, "joint": False},
    acts={"hidden_act": ("gelu", "mlp")},
    stored={
        **_NAMES,
        **{tuple(f"{ours}.{each}.{leaf}" for each in ("query", "key", "value")): f"{theirs}.attention.qkv.{leaf}"
           for ours, theirs in (("layers.attention", f"{_LAYER}.attention"),
                                ("layers.temporal.attention", f"{_LAYER}.temporal_attention"))
           for leaf in ("weight", "bias")},
        "layers.attention.output": f"{_LAYER}.attention.output.dense",
        "layers.temporal.attention.output": f"{_LAYER}.temporal_attention.output.dense",
    },
    stored_heads={"classifier": "classifier"},
    base="timesformer",
    published={
        "timesformer-base-finetuned-k400": _timesformer(121_566_352),
        "timesformer-base-finetuned-k600": _timesformer(121_720_152, C=600),
        "timesformer-hr-finetuned-k400": _timesformer(122_024_080, frames=16, side=448),
    },
),)
