"""CvT: stages of overlapping patches, whose queries, keys and values each see a small square of tokens.

Source: Wu et al. 2021, "CvT: introducing convolutions to vision transformers", section 3 and table 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError, ModelError
from symcount.hub import measured
from symcount.hub.images import stages
from symcount.layers import linear, norm, residual
from symcount.layers.convolution import conv2d, convolution
from symcount.layers.vision import image, token
from symcount.network import concat, contract, cut, merge, pointwise, rename, select, split, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

PATCHES, STRIDES, PADDING = (7, 3, 3), (4, 2, 2), (2, 1, 1)
KERNEL, STRIDE_KV = 3, 2  # of the kernels before queries, keys and values; only keys and values are fewer


def embedded(x: Tensor, stage: int, d: Size) -> Tensor:
    """Patches that overlap, and a norm, as an image: w²·d_in·d + 3d parameters."""
    x = conv2d(rename(x, d="c"), "patch", w=PATCHES[stage], c=d, stride=STRIDES[stage], pad=PADDING[stage])
    return norm(rename(x, c="d"), "norm")


def attended(x: Tensor, heads: Size, n: tuple[Size, Size], *, bias: bool, cls: bool) -> Tensor:
    """Queries of n_i·n_j tokens, keys and values of about a quarter of them: 4d² + 37d parameters.

    Before each of the three maps, a 3 × 3 kernel for each channel and its norm, which a token for the image passes by.
    Without the `bias` of the three 3d less.
    """
    d = x.axes["d"]
    first, grid = cut(x, "s", 1, n[0] * n[1]) if cls else (x, x)
    grid = rename(split(grid, "s", i=n[0], j=n[1]), d="c")

    def seen(name: str, stride: int) -> Tensor:
        y = merge(rename(convolution(grid, f"{name}_kernel", w=KERNEL, c=d, stride=stride, groups=d), c="d"), s="i j")
        y = concat(first, y, axis="s") if cls else y
        return linear(y, name, bias=bias, g=heads, k=per(d, heads))
    query, key, value = seen("query", 1), rename(seen("key", STRIDE_KV), s="t"), rename(seen("value", STRIDE_KV), s="t")
    scores = pointwise(contract(query, key, to="b g s t", name="scores"), kind="attention_scale")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g k", name="mix")
    return linear(mixed, "output", over="g k", d=d)


def feed_forward(x: Tensor, h: Size) -> Tensor:
    """2dh + h + d parameters; no configuration changes its function."""
    y = pointwise(linear(x, "up", h=h), kind="gelu", name="act")
    return linear(y, "down", over="h", d=x.axes["d"])


def block(x: Tensor, heads: Size, h: Size, n: tuple[Size, Size], *, bias: bool, cls: bool) -> Tensor:
    """4d² + 2dh + 42d + h parameters; without qkv_bias 3d less."""
    y = within("attention", attended, norm(x, "attention_norm"), heads=heads, n=n, bias=bias, cls=cls)
    x = residual(x, y)
    return residual(x, within("mlp", feed_forward, norm(x, "mlp_norm"), h=h))


def body(z: Any) -> Tensor:
    """The tokens of the last stage, the one that stands for the image first, if there is one: d parameters."""
    x = rename(image(z), c="d")
    for i, (d, h, L, heads) in enumerate(zip(z.d, z.h, z.L, z.heads, strict=True)):
        x = within(f"stages.{i}.embeddings", embedded, x, stage=i, d=d)
        n, cls = (x.axes["i"], x.axes["j"]), z.cls_token and i == len(STRIDES) - 1
        x = merge(x, s="i j")
        x = within(f"stages.{i}.embeddings", token, x, name="cls") if cls else x
        x = within(f"stages.{i}.blocks", block, x, heads=heads, h=h, n=n, bias=z.qkv_bias, cls=cls, runs=L)
        x = split(x, "s", i=n[0], j=n[1]) if i < len(STRIDES) - 1 else x
    return x


def classification(z: Any) -> Tensor:
    """C scores of the token for the image, with a norm before: dC + C + 2d parameters."""
    if not z.cls_token:
        raise ModelError("cls_token: without a token in the last stage this class does not run in transformers")
    return linear(norm(select(body(z), "s"), "classifier.norm"), "classifier", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Widths, depths and heads of the stages, the widths of their MLPs; biases in all stages, a token in the last."""
    d, L, heads = stages(config, "embed_dim", "depth", "num_heads")
    ratios, biases, cls = config["mlp_ratio"], config["qkv_bias"], config["cls_token"]
    if len(d) != len(STRIDES):
        raise ConfigError(f"embed_dim has {len(d)} stages: three are written")
    if not isinstance(ratios, list) or len(ratios) != len(d) or any(
            isinstance(n, bool) or not isinstance(n, (int, float)) or not 0 < n < 1000 for n in ratios):
        raise ConfigError("mlp_ratio: a list with a number above 0 for each stage is needed")
    if short := [i for i, depth in enumerate(L) if depth <= i]:
        raise ConfigError(f"depth: stage {short[0] + 1} has {L[short[0]]} layers: transformers makes none with fewer "
                          f"than {short[0] + 1}")
    if biases not in ([True] * len(d), [False] * len(d)):
        raise ConfigError(f"qkv_bias = {biases!r}: written only as the same for all three stages")
    if cls not in ([False, False, True], [False] * len(d)):
        raise ConfigError(f"cls_token = {cls!r}: a token is written only for the last stage")
    return {"d": d, "L": L, "heads": heads, "h": tuple(int(width * n) for width, n in zip(d, ratios, strict=True)),
            "qkv_bias": biases[0] is True, "cls_token": cls[-1] is True}


def _cvt(count: int, d: tuple[int, ...], L: tuple[int, ...], heads: tuple[int, ...], side: int) -> Published:
    return measured("CvtForImageClassification", count, c=3, side=side, C=1000, d=d, h=tuple(4 * n for n in d), L=L,
                    heads=heads, qkv_bias=True, cls_token=True)


_EVERY = "as in every release"
_PARTS = {"convolution": "convolution", "norm": "normalization"}
_BLOCK = "encoder.stages.{i}.layers.{i}"
_EMBEDDING = "encoder.stages.{i}.embedding.convolution_embeddings"
_MAPS = ("query", "key", "value")

ARCHITECTURES = (Architecture(
    "cvt",
    classes={"CvtModel": body, "CvtForImageClassification": classification},
    sizes="side d h L heads",
    keys={"num_channels": ("c", 3), "num_labels": ("C", 2)},
    reads={
        "embed_dim": [64, 192, 384],
        "num_heads": [1, 3, 6],
        "depth": [1, 2, 10],
        "mlp_ratio": [4.0, 4.0, 4.0],
        "qkv_bias": [True, True, True],
        "cls_token": [False, False, True],
    },
    settle=settle,
    flags={"qkv_bias": True, "cls_token": True},
    acts={},
    only={
        "patch_sizes": (([*PATCHES],), _EVERY),
        "patch_stride": (([*STRIDES],), _EVERY),
        "patch_padding": (([*PADDING],), _EVERY),
        "kernel_qkv": (([KERNEL] * 3,), _EVERY),
        "padding_kv": (([KERNEL // 2] * 3,), _EVERY),
        "padding_q": (([KERNEL // 2] * 3,), _EVERY),
        "stride_kv": (([STRIDE_KV] * 3,), _EVERY),
        "stride_q": (([1] * 3,), "a token more or less could not be added to what came in"),
        "qkv_projection_method": ((["dw_bn"] * 3,), "the other method does not run in transformers"),
    },
    ignored=dict.fromkeys(("drop_rate", "attention_drop_rate"), "dropout has no weights"),
    stored={
        "stages.embeddings.cls": ("encoder.stages.{i}.cls_token", "1 *"),
        "stages.embeddings.patch": f"{_EMBEDDING}.projection",
        "stages.embeddings.norm": f"{_EMBEDDING}.normalization",
        "stages.blocks.attention_norm": f"{_BLOCK}.layernorm_before",
        **{f"stages.blocks.attention.{name}_kernel.{part}":
           f"{_BLOCK}.attention.attention.convolution_projection_{name}.convolution_projection.{theirs}"
           for name in _MAPS for part, theirs in _PARTS.items()},
        **{f"stages.blocks.attention.{name}": f"{_BLOCK}.attention.attention.projection_{name}" for name in _MAPS},
        "stages.blocks.attention.output": f"{_BLOCK}.attention.output.dense",
        "stages.blocks.mlp_norm": f"{_BLOCK}.layernorm_after",
        "stages.blocks.mlp.up": f"{_BLOCK}.intermediate.dense",
        "stages.blocks.mlp.down": f"{_BLOCK}.output.dense",
    },
    stored_heads={"classifier.norm": "layernorm", "classifier": "classifier"},
    base="cvt",
    published={
        "cvt-13": _cvt(19_997_480, (64, 192, 384), (1, 2, 10), (1, 3, 6), 224),
        "cvt-13-384": _cvt(19_997_480, (64, 192, 384), (1, 2, 10), (1, 3, 6), 384),
        "cvt-21": _cvt(31_622_696, (64, 192, 384), (1, 4, 16), (1, 3, 6), 224),
        "cvt-w24": _cvt(277_196_392, (192, 768, 1024), (2, 2, 20), (3, 12, 16), 384),
    },
),)
