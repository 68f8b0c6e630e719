"""V-JEPA 2: a ViT over boxes of a video, and a smaller one that predicts the tokens of some from those of others.

Source: Assran et al. 2025, "V-JEPA 2: self-supervised video models enable understanding, prediction and planning",
section 2; the classifier: Bardes et al. 2024, "Revisiting feature prediction for learning visual representations from
video", section 4.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.images import vision_keys
from symcount.hub.settling import ratio
from symcount.layers import attention, linear, mlp, norm, residual
from symcount.layers.video import tubelets, video
from symcount.layers.vision import vision_block
from symcount.network import (
    concat,
    contract,
    cut,
    idle,
    merge,
    pointwise,
    rename,
    repeat,
    select,
    weight,
    weights,
    within,
)
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

Sizes = namedtuple("Sizes", "h heads qkv_bias")  # all that a block reads of the sizes


def embedded(x: Tensor, z: Any) -> Tensor:
    """Boxes alone: cd·tube·patch² + d parameters."""
    return tubelets(x, "patch", tube=z.tube, patch=z.patch, d=z.d)


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters, 3d less without qkv_bias; heads are turned by frame, row and column."""
    y = within("attention", attention, norm(x, "attention_norm"), z=z, t=x.axes["s"], bias=z.qkv_bias or "output",
               position="partial_rotary")
    x = residual(x, y)
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h))


def encoder(z: Any) -> Tensor:
    """Boxes of a video, L blocks and a last norm."""
    x = within("embeddings", embedded, video(z), z=z)
    return norm(within("layers", block, x, z=z, runs=z.L), "norm")


def predicted(x: Tensor, z: Any) -> Tensor:
    """What stands at each place, from all places: a ViT of width d_dec over the tokens and as many that are hidden.

    Parameters: d·d_dec + d_dec for what comes in, d_dec·types for what stands for a hidden token, those of L_dec
    blocks, 2d_dec for a norm, d·d_dec + d for what comes out.
    """
    y, s = linear(x, "embeddings.inward", d=z.d_dec), x.axes["s"]
    hidden = select(weight("embeddings.mask", kinds="embedding", types=z.types, d=z.d_dec), "types")
    y = concat(y, repeat(hidden, b=z.b, s=s), axis="s")
    y = within("layers", block, y, z=Sizes(z.h_dec, z.heads_dec, z.qkv_bias), runs=z.L_dec)
    return linear(cut(norm(y, "norm"), "s", s, s)[1], "outward", d=z.d)


def model(z: Any) -> tuple[Tensor, Tensor]:
    """The tokens of a video, and what is predicted of them where none is hidden."""
    x = encoder(z)
    return x, within("predictor", predicted, x, z=z)


def asked(x: Tensor, heads: Size) -> Tensor:
    """A learned query attends to all tokens, no map behind it: 3d² + 4d parameters, with what is asked."""
    d = x.axes["d"]
    width = {"g": heads, "k": per(d, heads)}
    query = repeat(weight("query_token", kinds="embedding", s=1, d=d), b=x.axes["b"])
    rows = rename(norm(x, "attention_norm"), s="t")
    scores = contract(linear(query, "attention.query", **width), linear(rows, "attention.key", **width), to="b g s t",
                      name="scores")
    shares = pointwise(pointwise(scores, kind="attention_scale"), kind="softmax")
    mixed = contract(shares, linear(rows, "attention.value", **width), to="b s g k", name="mix")
    return residual(query, merge(mixed, d="g k"))


def pooled(x: Tensor, z: Any) -> Tensor:
    """Some blocks of a ViT, then one query: `blocks` times 12d² + 13d parameters, and 11d² + 13d."""
    wide = Sizes(4 * z.d, z.heads, None)
    x = within("layers", vision_block, x, z=wide, runs=z.blocks)
    y = asked(x, z.heads)
    return select(residual(y, within("mlp", mlp, norm(y, "mlp_norm"), h=wide.h)), "s")


def classification(z: Any) -> Tensor:
    """C scores of the pooled tokens: dC + C parameters; the predictor is stored and does not run."""
    x = encoder(z)
    met, beside = weights(x), weights(within("predictor", predicted, x, z=z))
    x = idle(x, *(first for path, (first, *_) in beside.items() if path not in met))
    return linear(within("pooler", pooled, x, z=z), "classifier", C=z.C)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The widths of the two MLPs, of which a configuration says how many times wider they are."""
    found = {}
    for key, width, size in (("mlp_ratio", "hidden_size", "h"), ("pred_mlp_ratio", "pred_hidden_size", "h_dec")):
        found[size] = int(config[width] * ratio(config, key))
    return found


def _vjepa2(count: int, *, d: int, h: int, L: int, heads: int, side: int = 256) -> Published:
    return measured("VJEPA2Model", count, c=3, side=side, patch=16, frames=64, tube=2, d=d, h=h, L=L, heads=heads,
                    d_dec=384, h_dec=1536, L_dec=12, heads_dec=12, types=10, qkv_bias=True)


_BLOCK = {
    "attention_norm": "norm1",
    **{f"attention.{name}": f"attention.{name}" for name in ("query", "key", "value")},
    "attention.output": "attention.proj",
    "mlp_norm": "norm2",
    "mlp.up": "mlp.fc1",
    "mlp.down": "mlp.fc2",
}
_POOLED = {
    "attention_norm": "layer_norm1",
    "mlp_norm": "layer_norm2",
    "mlp.up": "mlp.fc1",
    "mlp.down": "mlp.fc2",
}
_MAPS = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}

ARCHITECTURES = (Architecture(
    "vjepa2",
    classes={"VJEPA2Model": model, "VJEPA2ForVideoClassification": classification},
    sizes="h h_dec",
    keys={
        **{{"image_size": "crop_size", "num_channels": "in_chans"}.get(key, key): told for key, told in
           vision_keys(side=256, patch=16, d=1024, h=None, L=24, heads=16).items()},
        "frames_per_clip": ("frames", 64),
        "tubelet_size": ("tube", 2),
        "qkv_bias": ("qkv_bias", True),
        "num_pooler_layers": ("blocks", 3),
        "pred_hidden_size": ("d_dec", 384),
        "pred_num_hidden_layers": ("L_dec", 12),
        "pred_num_attention_heads": ("heads_dec", 12),
        "pred_num_mask_tokens": ("types", 10),
    },
    reads={"mlp_ratio": 4.0, "pred_mlp_ratio": 4.0},
    settle=settle,
    acts={"hidden_act": ("gelu", "mlp")},
    ignored={
        "image_size": "crop_size is read instead",
        "pred_zero_init_mask_tokens": "how weights start, not how many there are",
    },
    stored={
        "embeddings.patch": "encoder.embeddings.patch_embeddings.proj",
        **{f"layers.{ours}": f"encoder.layer.{{i}}.{theirs}" for ours, theirs in _BLOCK.items()},
        "norm": "encoder.layernorm",
        "predictor.embeddings.inward": "predictor.embeddings.predictor_embeddings",
        "predictor.embeddings.mask": ("predictor.embeddings.mask_tokens", "types 1 1 d_dec"),
        **{f"predictor.layers.{ours}": f"predictor.layer.{{i}}.{theirs}" for ours, theirs in _BLOCK.items()},
        "predictor.norm": "predictor.layernorm",
        "predictor.outward": "predictor.proj",
    },
    stored_heads={
        "pooler.query_token": ("pooler.query_tokens", "1 *"),
        **{f"pooler.{ours}": f"pooler.cross_attention_layer.{theirs}" for ours, theirs in _POOLED.items()},
        **{f"pooler.attention.{ours}": f"pooler.cross_attention_layer.cross_attn.{theirs}"
           for ours, theirs in _MAPS.items()},
        **{f"pooler.layers.{ours}": f"pooler.self_attention_layers.{{i}}.{theirs}" for ours, theirs in _POOLED.items()},
        **{f"pooler.layers.attention.{ours}": f"pooler.self_attention_layers.{{i}}.self_attn.{theirs}"
           for ours, theirs in _MAPS.items()},
        "classifier": "classifier",
    },
    base="vjepa2",
    published={
        "vjepa2-vitl-fpc64-256": _vjepa2(325_971_328, d=1024, h=4096, L=24, heads=16),
        "vjepa2-vith-fpc64-256": _vjepa2(653_930_880, d=1280, h=5120, L=32, heads=16),
        "vjepa2-vitg-fpc64-256": _vjepa2(1_034_555_264, d=1408, h=6144, L=40, heads=22),
    },
),)
