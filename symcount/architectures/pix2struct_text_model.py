"""The text decoder of Pix2Struct: T5 with gated MLPs, whose attention to an image does not run on text alone.

Source: Lee et al. 2023, "Pix2Struct", section 2.2 and appendix D.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.settling import number
from symcount.layers import attention, dropped, gated, linear, norm, words
from symcount.layers.buckets import relative
from symcount.layers.encoder_decoder import before
from symcount.masks import Mask
from symcount.network import idle, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def unused(x: Tensor, z: Any) -> Tensor:
    """x, beside an attention to an image, and its norm: 4d² + d parameters that never run on text."""
    d, width = z.d, {"g": z.heads, "k": z.k}
    maps = [weight(f"{name}.weight", out="g k", d=d, **width) for name in ("query", "key", "value")]
    return idle(x, weight("norm.weight", kinds="norm", d=d), *maps, weight("output.weight", out="d", **width, d=d))


def thinned(x: Tensor, h: Size) -> Tensor:
    """`gated`, where training drops out some of the products and some of the result: 3dh parameters."""
    return dropped(gated(x, h=h, kind="gelu_new", dropout=True))


def block(x: Tensor, z: Any, table: Tensor) -> Tensor:
    """8d² + 3dh + 3d parameters, of which 4d² + 3dh + 2d run."""
    x = before(x, "attention", attention, shift=False, z=z, t=z.t, k=z.k, bias=False, mask=Mask(causal=True),
               relative=table, dropout=True)
    x = within("cross", unused, x, z=z)
    return before(x, "mlp", thinned, shift=False, h=z.h)


def text(z: Any) -> Tensor:
    """Logits over the vocabulary: Vd parameters; untied, Vd more."""
    x, word = words(z)
    table = within("attention", lambda: relative(z, z.L, z.s, z.t))
    x = within("layers", block, dropped(x, "embeddings_dropout"), z=z, table=table, runs=z.L)
    return linear(dropped(norm(x, "norm", shift=False), "norm_dropout"), "head", bias=False, w=word if z.tied else None,
                  V=z.V)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """The heads are together as wide as the model."""
    d, heads, k = (number(config, key) for key in ("hidden_size", "num_heads", "d_kv"))
    if d != heads * k:
        raise ConfigError(f"d_kv = {k}: {heads} such heads are not as wide as hidden_size together, which does not run")
    return {"k": None}


def _text(count: int, **sizes: Any) -> Published:
    return measured("Pix2StructTextModel", count, V=50244, buckets=32, **sizes)


ARCHITECTURES = (Architecture(
    "pix2struct_text_model",
    classes={"Pix2StructTextModel": text},
    sizes="k",
    follows={"k": "d/heads"},
    acts={"dense_act_fn": ("gelu_new", "")},
    keys={
        "vocab_size": ("V", 50244),
        "hidden_size": ("d", 768),
        "d_ff": ("h", 2048),
        "num_layers": ("L", 12),
        "num_heads": ("heads", 12),
        "relative_attention_num_buckets": ("buckets", 32),
        "tie_word_embeddings": ("tied", False),
    },
    reads={"d_kv": 64},
    settle=settle,
    aliases={
        "num_hidden_layers": "num_layers", "encoder_layers": "num_layers", "decoder_layers": "num_layers",
        "num_attention_heads": "num_heads", "encoder_attention_heads": "num_heads",
        "decoder_attention_heads": "num_heads",
    },
    ignored={
        "relative_attention_max_distance": "which bucket a distance falls into",
        "dropout_rate": "dropout has no weights",
        "add_cross_attention": "every layer has the weights, which text does not run",
        "is_encoder_decoder": "which memory is made of what was read",
    },
    only={"is_decoder": ((True,), "the text model is a decoder")},
    stored={
        "embeddings": "embed_tokens",
        "attention.relative": "layer.{i}.self_attention.attention.relative_attention_bias",
        "layers.attention_norm": "layer.{i}.self_attention.layer_norm",
        "layers.cross.norm": "layer.{i}.encoder_decoder_attention.layer_norm",
        **{f"layers.{ours}.{part}": f"layer.{{i}}.{theirs}.attention.{part}"
           for ours, theirs in (("attention", "self_attention"), ("cross", "encoder_decoder_attention"))
           for part in ("query", "key", "value", "output")},
        "layers.mlp_norm": "layer.{i}.mlp.layer_norm",
        "layers.mlp.gate": "layer.{i}.mlp.DenseReluDense.wi_0",
        "layers.mlp.up": "layer.{i}.mlp.DenseReluDense.wi_1",
        "layers.mlp.down": "layer.{i}.mlp.DenseReluDense.wo",
        "norm": "final_layer_norm",
    },
    stored_heads={"head": "lm_head"},
    published={
        "pix2struct-base-text": _text(190_449_792, d=768, h=2048, L=12, heads=12),
        "pix2struct-large-text": _text(823_295_232, d=1536, h=3968, L=18, heads=24),
    },
),)
