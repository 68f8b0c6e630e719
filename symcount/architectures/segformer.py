"""SegFormer's encoder and PVT v2: stages whose tokens attend to fewer, merged ones; convolutions tell the positions.

The first PVT has learned positions, and patches that do not overlap.
Source: Xie et al. 2021, "SegFormer", section 3.1 and table 6; Wang et al. 2021, "Pyramid vision transformer", section
3 and table 1; Wang et al. 2022, "PVT v2: improved baselines with pyramid vision transformer", section 3 and table 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import BACKBONE, stages
from symcount.layers import activation, attention, linear, mlp, norm, residual
from symcount.layers.convolution import conv2d
from symcount.layers.vision import image, placed, token
from symcount.network import merge, pointwise, rename, select, split, tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

PATCHES, STRIDES, MERGED = (7, 3, 3, 3), (4, 2, 2, 2), (8, 4, 2, 1)
PATCH_OF = (4, 2, 2, 2)  # where patches do not overlap
POOLED = 7


def channels(x: Tensor, name: str, *, d: Size, **kernel: Any) -> Tensor:
    """A convolution over the axis d."""
    return rename(conv2d(rename(x, d="c"), name, c=d, **kernel), c="d")


def overlapping(x: Tensor, w: int, d: Size, stride: int) -> Tensor:
    """Patches that overlap, and a norm: w²·d_in·d + 3d parameters."""
    return norm(channels(x, "patch", w=w, d=d, stride=stride, pad=w // 2), "norm")


def attended(x: Tensor, heads: Size, r: int, *, bias: bool, pooled: bool = False) -> Tensor:
    """All tokens attend to merged ones, r × r as one: 4d² + 4d parameters, with r > 1 r²d² + 3d more.

    Multiply-adds for n tokens: the weights of query and output times b·n, the others times b·n/r², and
    2b·d·n²/r² for scores and mix. `pooled`: they attend to 7 × 7 means, whatever r is; d² + 3d parameters more.
    """
    d, i, j = (x.axes[axis] for axis in "dij")
    if pooled:
        grid = tensor("grid", b=x.axes["b"], i=POOLED, j=POOLED)
        means = pointwise(grid, rename(x, i="u", j="v"), kind="adapt", name="pool", to="b i j d")
        memory = pointwise(norm(channels(means, "merge", w=1, d=d), "norm"), kind="gelu", name="act")
    else:
        memory = norm(channels(x, "merge", w=r, d=d, stride=r), "norm") if r > 1 else x
    y = attention(merge(x, s="i j"), z=None, heads=heads, t=i * j, bias=bias or "output",
                  memory=merge(memory, s="i j"))
    return split(y, "s", i=i, j=j)


def mixed(x: Tensor, h: Size, *, pooled: bool = False) -> Tensor:
    """An MLP with a 3 × 3 kernel for each channel inside: 2dh + 11h + d parameters; relu behind means."""
    y = linear(x, "up", h=h)
    y = pointwise(y, kind="relu", name="relu") if pooled else y
    y = rename(conv2d(rename(y, h="c"), "depthwise", w=3, c=h, pad=1, groups=h), c="h")
    return linear(activation(y, "gelu", "gelu"), "down", over="h", d=x.axes["d"])


def block(x: Tensor, z: Any, heads: Size, h: Size, r: int, *, pooled: bool) -> Tensor:
    """4d² + 2dh + 9d + 11h parameters, with r > 1 r²d² + 3d more; 3d less without qkv_bias."""
    y = norm(x, "attention_norm")
    x = residual(x, within("attention", attended, y, heads=heads, r=r, bias=z.qkv_bias, pooled=pooled))
    return residual(x, within("mlp", mixed, norm(x, "mlp_norm"), h=h, pooled=pooled))


def body(z: Any, *, pooled: bool = False) -> Tensor:
    """The tokens of the last stage, from images of side × side with c channels."""
    x = rename(image(z), c="d")
    for i, (d, h, L, heads) in enumerate(zip(z.d, z.h, z.L, z.heads, strict=True)):
        x = within(f"stages.{i}.embeddings", overlapping, x, w=PATCHES[i], d=d, stride=STRIDES[i])
        x = within(f"stages.{i}.blocks", block, x, z=z, heads=heads, h=h, r=MERGED[i], pooled=pooled,
                   runs=L)
        x = norm(x, f"stages.{i}.norm")
    return x


def classified(x: Tensor, z: Any) -> Tensor:
    """C scores of the mean over the tokens: C·d + C parameters for the last width d."""
    return linear(pointwise(x, kind="mean", to="b d"), "classifier", C=z.C)


def apart(x: Tensor, w: int, d: Size) -> Tensor:
    """Patches that do not overlap, and a norm: w²·d_in·d + 3d parameters."""
    return norm(channels(x, "patch", w=w, d=d, stride=w), "norm")


def marked(x: Tensor, *, cls: bool) -> Tensor:
    """Tokens with positions, perhaps behind one for the image: d·s parameters for s of them, d more for that one."""
    return placed(token(x, "cls") if cls else x, "position")


def plain_block(x: Tensor, z: Any, n: tuple[Size, Size], heads: Size, h: Size, r: int) -> Tensor:
    """4d² + 2dh + 9d + h parameters, with r > 1 r²d² + 3d more; 3d less without qkv_bias."""
    y = norm(x, "attention_norm")
    y = within("attention", row_attended, y, n=n, heads=heads, r=r, bias=z.qkv_bias)
    x = residual(x, y)
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=h))


def row_attended(x: Tensor, n: tuple[Size, Size], heads: Size, r: int, *, bias: bool) -> Tensor:
    """`attended` of tokens in a row, which are those of n_i × n_j places; where none are merged, of any tokens."""
    if r > 1:
        return merge(attended(split(x, "s", i=n[0], j=n[1]), heads, r, bias=bias), s="i j")
    return attention(x, z=None, heads=heads, t=x.axes["s"], bias=bias or "output")


def first_body(z: Any) -> Tensor:
    """The tokens of the last stage with a norm, and before them one that stands for the image."""
    x = rename(image(z), c="d")
    for i, (d, h, L, heads) in enumerate(zip(z.d, z.h, z.L, z.heads, strict=True)):
        last = i == len(PATCH_OF) - 1
        x = within(f"stages.{i}.embeddings", apart, x, w=PATCH_OF[i], d=d)
        n = x.axes["i"], x.axes["j"]
        x = within(f"stages.{i}.embeddings", marked, merge(x, s="i j"), cls=last)
        x = within(f"stages.{i}.blocks", plain_block, x, z=z, n=n, heads=heads, h=h, r=MERGED[i], runs=L)
        x = x if last else split(x, "s", i=n[0], j=n[1])
    return norm(x, "norm")


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Widths, depths and heads of the stages, and the widths of their MLPs."""
    widths, depths, heads, ratios = stages(config, "hidden_sizes", "depths", "num_attention_heads", "mlp_ratios")
    if len(widths) != len(PATCHES):
        raise ConfigError(f"hidden_sizes has {len(widths)} stages: four are written")
    return {"d": widths, "L": depths, "heads": heads,
            "h": tuple(d * ratio for d, ratio in zip(widths, ratios, strict=True))}


def settle_square(config: dict[str, Any]) -> dict[str, Any]:
    """The same, and the side of an image, which may stand twice in a list."""
    side = config["image_size"]
    if isinstance(side, list) and len(side) == 2 and side[0] == side[1]:
        side = side[0]
    if type(side) is not int:
        raise ConfigError(f"image_size = {side!r}: one whole number is needed, or the same twice")
    return {**settle(config), "side": side}


def _pvt(count: int, d: tuple[int, ...], L: tuple[int, ...], ratios: tuple[int, ...] = (8, 8, 4, 4), *,
         cls: str = "PvtV2ForImageClassification") -> Published:
    h = tuple(ratio * width for ratio, width in zip(ratios, d, strict=True))
    return measured(cls, count, c=3, side=224, C=1000, d=d, h=h, L=L, heads=(1, 2, 5, 8), qkv_bias=True)


def _segformer(count: int, d: tuple[int, ...], L: tuple[int, ...]) -> Published:
    return _pvt(count, d, L, (4, 4, 4, 4), cls="SegformerForImageClassification")


_WIDE = (64, 128, 320, 512)
_READS = {
    "hidden_sizes": [32, 64, 160, 256],
    "depths": [2, 2, 2, 2],
    "num_attention_heads": [1, 2, 5, 8],
}
_EVERY = "as in every release"
_ONLY: dict[str, tuple[tuple[Any, ...], str]] = {
    "num_encoder_blocks": ((4,), _EVERY),
    "patch_sizes": (([*PATCHES],), _EVERY),
    "strides": (([*STRIDES],), _EVERY),
    "sr_ratios": (([*MERGED],), _EVERY),
}
_DROPPED = {"drop_path_rate": "dropout has no weights", "classifier_dropout_prob": "dropout has no weights"}

ARCHITECTURES = (Architecture(
    "segformer",
    classes={"SegformerModel": body, "SegformerForImageClassification": lambda z: classified(body(z), z)},
    sizes="side d h L heads",
    keys={"num_channels": ("c", 3), "num_labels": ("C", 2)},
    reads={**_READS, "mlp_ratios": [4, 4, 4, 4]},
    settle=settle,
    flags={"qkv_bias": True},
    only=_ONLY,
    ignored={
        **_DROPPED,
        "reshape_last_stage": "the same numbers in another order",
        "decoder_hidden_size": "read by semantic segmentation only, which is not written",
        "semantic_loss_ignore_index": "read by semantic segmentation only, which is not written",
        "image_size": "no weights depend on it",
        "downsampling_rates": "a note of the original release, read by nothing",
    },
    stored={
        "stages.embeddings.patch": "stages.{i}.patch_embeddings.proj",
        "stages.embeddings.norm": "stages.{i}.patch_embeddings.layer_norm",
        "stages.norm": "stages.{i}.layer_norm",
        **{f"stages.blocks.{ours}": f"stages.{{i}}.blocks.{{i}}.{theirs}" for ours, theirs in {
            "attention_norm": "layernorm_before",
            "attention.query": "attention.q_proj",
            "attention.key": "attention.k_proj",
            "attention.value": "attention.v_proj",
            "attention.output": "attention.o_proj",
            "attention.merge": "attention.sequence_reduction.sequence_reduction",
            "attention.norm": "attention.sequence_reduction.layer_norm",
            "mlp_norm": "layernorm_after",
            "mlp.up": "mlp.fc1",
            "mlp.depthwise": "mlp.dwconv.dwconv",
            "mlp.down": "mlp.fc2",
        }.items()},
    },
    stored_heads={"classifier": "classifier"},
    base="segformer",
    published={
        "mit-b0": _segformer(3_576_392, (32, 64, 160, 256), (2, 2, 2, 2)),
        "mit-b1": _segformer(13_664_424, _WIDE, (2, 2, 2, 2)),
        "mit-b2": _segformer(24_709_288, _WIDE, (3, 4, 6, 3)),
        "mit-b3": _segformer(44_585_128, _WIDE, (3, 4, 18, 3)),
        "mit-b4": _segformer(61_355_688, _WIDE, (3, 8, 27, 3)),
        "mit-b5": _segformer(81_956_008, _WIDE, (3, 6, 40, 3)),
    },
), Architecture(
    "pvt_v2",
    classes={
        "PvtV2Model": lambda z: body(z, pooled=z.pooled),
        "PvtV2ForImageClassification": lambda z: classified(body(z, pooled=z.pooled), z),
    },
    sizes="side d h L heads",
    keys={
        "num_channels": ("c", 3),
        "qkv_bias": ("qkv_bias", True),
        "linear_attention": ("pooled", False),
        "num_labels": ("C", 2),
    },
    reads={**_READS, "mlp_ratios": [8, 8, 4, 4], "image_size": 224},
    settle=settle_square,
    only=_ONLY,
    ignored={**BACKBONE, **_DROPPED},
    stored={
        "stages.embeddings.patch": "encoder.layers.{i}.patch_embedding.proj",
        "stages.embeddings.norm": "encoder.layers.{i}.patch_embedding.layer_norm",
        "stages.norm": "encoder.layers.{i}.layer_norm",
        **{f"stages.blocks.{ours}": f"encoder.layers.{{i}}.blocks.{{i}}.{theirs}" for ours, theirs in {
            "attention_norm": "layer_norm_1",
            "attention.query": "attention.query",
            "attention.key": "attention.key",
            "attention.value": "attention.value",
            "attention.output": "attention.proj",
            "attention.merge": "attention.spatial_reduction",
            "attention.norm": "attention.layer_norm",
            "mlp_norm": "layer_norm_2",
            "mlp.up": "mlp.dense1",
            "mlp.depthwise": "mlp.dwconv.dwconv",
            "mlp.down": "mlp.dense2",
        }.items()},
    },
    stored_heads={"classifier": "classifier"},
    base="pvt_v2",
    published={
        "pvt-v2-b0": _pvt(3_666_760, (32, 64, 160, 256), (2, 2, 2, 2)),
        "pvt-v2-b1": _pvt(14_009_000, _WIDE, (2, 2, 2, 2)),
        "pvt-v2-b2": _pvt(25_362_856, _WIDE, (3, 4, 6, 3)),
        "pvt-v2-b3": _pvt(45_238_696, _WIDE, (3, 4, 18, 3)),
        "pvt-v2-b4": _pvt(62_556_072, _WIDE, (3, 8, 27, 3)),
        "pvt-v2-b5": _pvt(81_956_008, _WIDE, (3, 6, 40, 3), (4, 4, 4, 4)),
    },
), Architecture(
    "pvt",
    classes={
        "PvtModel": first_body,
        "PvtForImageClassification": lambda z: linear(select(first_body(z), "s"), "classifier", C=z.C),
    },
    sizes="d h L heads",
    keys={
        "image_size": ("side", 224),
        "num_channels": ("c", 3),
        "qkv_bias": ("qkv_bias", True),
        "num_labels": ("C", 1000),
    },
    reads={**_READS, "hidden_sizes": [*_WIDE], "mlp_ratios": [8, 8, 4, 4]},
    settle=settle,
    acts={"hidden_act": ("gelu", "mlp")},
    only={
        "num_encoder_blocks": ((4,), _EVERY),
        "patch_sizes": (([*PATCH_OF],), _EVERY),
        "strides": (([*PATCH_OF],), _EVERY),
        "sequence_reduction_ratios": (([*MERGED],), _EVERY),
    },
    stored={
        "stages.embeddings.cls": ("encoder.patch_embeddings.{i}.cls_token", "1 *"),
        "stages.embeddings.position": ("encoder.patch_embeddings.{i}.position_embeddings", "1 *"),
        "stages.embeddings.patch": "encoder.patch_embeddings.{i}.projection",
        "stages.embeddings.norm": "encoder.patch_embeddings.{i}.layer_norm",
        "norm": "encoder.layer_norm",
        **{f"stages.blocks.{ours}": f"encoder.block.{{i}}.{{i}}.{theirs}" for ours, theirs in {
            "attention_norm": "layer_norm_1",
            "attention.query": "attention.self.query",
            "attention.key": "attention.self.key",
            "attention.value": "attention.self.value",
            "attention.output": "attention.output.dense",
            "attention.merge": "attention.self.sequence_reduction",
            "attention.norm": "attention.self.layer_norm",
            "mlp_norm": "layer_norm_2",
            "mlp.up": "mlp.dense1",
            "mlp.down": "mlp.dense2",
        }.items()},
    },
    stored_heads={"classifier": "classifier"},
    base="pvt",
    published={
        "pvt-tiny-224": _pvt(13_229_288, _WIDE, (2, 2, 2, 2), cls="PvtForImageClassification"),
        "pvt-small-224": _pvt(24_485_864, _WIDE, (3, 4, 6, 3), cls="PvtForImageClassification"),
        "pvt-medium-224": _pvt(44_208_104, _WIDE, (3, 4, 18, 3), cls="PvtForImageClassification"),
        "pvt-large-224": _pvt(61_369_320, _WIDE, (3, 8, 27, 3), cls="PvtForImageClassification"),
    },
))
