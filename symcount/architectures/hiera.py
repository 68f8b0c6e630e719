"""Hiera: a ViT whose tokens are pooled between stages, and attend within units of 8 × 8 patches in the first two.

Source: Ryali et al. 2023, "Hiera: a hierarchical vision transformer without the bells-and-whistles", section 3 and
table 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.images import BACKBONE, stages
from symcount.hub.settling import ratio
from symcount.layers import linear, mlp, norm, residual
from symcount.layers.convolution import conv2d
from symcount.layers.vision import image
from symcount.network import contract, merge, pointwise, rename, split, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

PATCH, STRIDE, PADDING, UNIT, POOLED = 7, 4, 3, 8, 4  # POOLED: how many tokens become one
MASKED = ((True, True), (True, True), (True, False), (False, False))  # of each stage: its first block, the others


def embedded(x: Tensor, z: Any) -> Tensor:
    """Patches that overlap, positions, and then units of 8 × 8: 49cd + d + d·s parameters for s tokens."""
    x = rename(conv2d(x, "patch", w=PATCH, c=z.d[0], stride=STRIDE, pad=PADDING), c="d")
    table = weight("position", kinds="embedding", s=x.axes["i"] * x.axes["j"], d=z.d[0])
    x = pointwise(x, split(table, "s", i=x.axes["i"], j=None), kind="add", name="position")
    x = split(split(x, "i", i=None, y=UNIT), "j", j=None, **{"y'": UNIT})
    return merge(merge(x, n="i j"), s="y y'")


def pooled(x: Tensor) -> Tensor:
    """The largest numbers of each four tokens."""
    x = split(x, "s", p=POOLED, s=None)
    return pointwise(x, kind="max", to=" ".join(axis for axis in x.axes if axis != "p"))


def attended(x: Tensor, d: Size, heads: Size, *, first: bool, masked: bool) -> Tensor:
    """Attention within units, or of all tokens, from width d_in to d: 3d_in·d + d² + 4d parameters.

    In a `first` block of a stage a quarter of the queries is left.
    """
    query, key, value = (linear(x, name, g=heads, k=per(d, heads)) for name in ("query", "key", "value"))
    query = pooled(query) if first else query
    n, s = query.axes["n"], query.axes["s"]
    if not masked:
        query, key, value = (merge(y, s="n s") for y in (query, key, value))
    unit = "b n" if masked else "b"
    scores = contract(query, rename(key, s="t"), to=f"{unit} g s t", name="scores")
    shares = pointwise(pointwise(scores, kind="attention_scale"), kind="softmax")
    mixed = contract(shares, rename(value, s="t"), to=f"{unit} s g k", name="mix")
    mixed = mixed if masked else split(mixed, "s", n=n, s=s)
    return linear(mixed, "output", over="g k", d=d)


def block(x: Tensor, d: Size, h: Size, heads: Size, *, first: bool = False, masked: bool) -> Tensor:
    """4d² + 2dh + 9d + h parameters; from another width 3d_in·d + d_in·d + d² + 2dh + 8d + 2d_in + h."""
    y = norm(x, "attention_norm")
    x = pooled(linear(y, "projection", d=d)) if first else x
    x = residual(x, within("attention", attended, y, d=d, heads=heads, first=first, masked=masked))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=h))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The tokens of the last stage, and their mean with a norm: 2d parameters."""
    x = within("embeddings", embedded, image(z), z=z)
    for i, (d, h, L, heads) in enumerate(zip(z.d, z.h, z.L, z.heads, strict=True)):
        first, others = MASKED[i]
        x = within(f"stages.{i}.first", block, x, d=d, h=h, heads=heads, first=i > 0, masked=first)
        x = within(f"stages.{i}.blocks", block, x, d=d, h=h, heads=heads, masked=others, runs=L - 1)
    return x, norm(pointwise(x, kind="mean", to="b d"), "pooler.norm")


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Depths and heads of the stages, their widths and those of the MLPs, and the side of an image."""
    L, heads = stages(config, "depths", "num_heads")
    if len(L) != len(MASKED):
        raise ConfigError(f"depths has {len(L)} stages: four are written")
    size, times, e = config["image_size"], ratio(config, "mlp_ratio"), config["embed_dim"]
    if not isinstance(size, list) or len(size) != 2 or size[0] != size[1] or type(size[0]) is not int:
        raise ConfigError(f"image_size = {size!r}: twice the same whole number is needed")
    if size[0] < 1 or size[0] % (STRIDE * UNIT):
        raise ConfigError(f"image_size = {size[0]} is no multiple of {STRIDE * UNIT}: units do not fill it")
    if type(e) is not int or e < 1:
        raise ConfigError(f"embed_dim = {e!r}: a whole number of at least 1 is needed")
    d = tuple(e * 2**i for i in range(len(L)))
    return {"side": size[0], "d": d, "h": tuple(int(n * times) for n in d), "L": L, "heads": heads}


def _hiera(count: int, e: int, L: tuple[int, ...], heads: int) -> Published:
    d = tuple(e * 2**i for i in range(len(L)))
    return measured("HieraForImageClassification", count, c=3, side=224, C=1000, d=d, h=tuple(4 * n for n in d), L=L,
                    heads=tuple(heads * 2**i for i in range(len(L))))


_EVERY = "as in every release"
_LAYER = "encoder.stages.{i}.layers.{i}"
_DECODER = dict.fromkeys(("decoder_hidden_size", "decoder_depth", "decoder_num_heads", "normalize_pixel_loss",
                          "mask_ratio"), "read by pre-training only, which is not written")

ARCHITECTURES = (Architecture(
    "hiera",
    classes={
        "HieraModel": body,
        "HieraForImageClassification": lambda z: linear(body(z)[1], "classifier", C=z.C),
    },
    sizes="side d h L heads",
    keys={"num_channels": ("c", 3), "num_labels": ("C", 2)},
    reads={"embed_dim": 96, "image_size": [224, 224], "depths": [2, 3, 16, 3], "num_heads": [1, 2, 4, 8],
           "mlp_ratio": 4.0},
    settle=settle,
    acts={"hidden_act": ("gelu", "mlp")},
    only={
        "patch_size": (([PATCH, PATCH],), _EVERY),
        "patch_stride": (([STRIDE, STRIDE],), _EVERY),
        "patch_padding": (([PADDING, PADDING],), _EVERY),
        "embed_dim_multiplier": ((2, 2.0), _EVERY),
        "num_query_pool": ((3,), _EVERY),
        "query_stride": (([2, 2],), _EVERY),
        "masked_unit_size": (([UNIT, UNIT],), _EVERY),
        "masked_unit_attention": (([True, True, False, False],), _EVERY),
    },
    ignored={
        **BACKBONE,
        **_DECODER,
        "layer_norm_init": "how weights start, not how many there are",
        "hidden_size": "computed from embed_dim and depths",
        **dict.fromkeys(("num_layers", "num_hidden_layers"), "computed from depths"),
    },
    stored={
        "embeddings.patch": "embeddings.patch_embeddings.projection",
        "embeddings.position": ("embeddings.position_embeddings", "1 *"),
        **{f"stages.{one}.{ours}": f"{_LAYER}.{theirs}" for one in ("first", "blocks") for ours, theirs in {
            "attention_norm": "layernorm_before",
            "projection": "proj",
            "attention.output": "attn.proj",
            "mlp_norm": "layernorm_after",
            "mlp.up": "mlp.fc1",
            "mlp.down": "mlp.fc2",
        }.items()},
        **{tuple(f"stages.{one}.attention.{name}" for name in ("query", "key", "value")): f"{_LAYER}.attn.qkv"
           for one in ("first", "blocks")},
        "pooler.norm": "pooler.layernorm",
    },
    stored_heads={"classifier": "classifier"},
    base="hiera",
    published={
        "hiera-tiny-224": _hiera(27_910_216, 96, (1, 2, 7, 2), 1),
        "hiera-base-224": _hiera(51_524_968, 96, (2, 3, 16, 3), 1),
        "hiera-large-224": _hiera(213_739_912, 144, (2, 6, 36, 4), 2),
    },
),)
