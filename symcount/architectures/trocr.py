"""The text decoder of TrOCR: that of BART, whose attention to an image does not run on text alone.

Source: Li et al. 2023, "TrOCR", section 3.1; Lewis et al. 2019, "BART", section 2.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.layers import attention, dropped, embed, linear, mlp, norm, positions
from symcount.layers.encoder_decoder import after
from symcount.masks import Mask
from symcount.network import idle, pointwise, tensor, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def embeddings(ids: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Vd parameters, (P + 2)d for positions that are learned, 2d for a norm."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    x = positions(x, "position", P=z.P, t=z.t, skip=2) if z.learned else pointwise(x, kind="sinusoids")
    return dropped(norm(x, "norm") if z.normed else x), word


def unused(x: Tensor, z: Any) -> Tensor:
    """x, beside an attention to rows of width d_img, and its norm: 2d² + 2d·d_img + 6d parameters that never run."""
    d, width = z.d, {"g": z.heads, "k": per(z.d, z.heads)}
    maps = [weight("query.weight", out="g k", d=d, **width),
            *(weight(f"{name}.weight", out="g k", d_img=z.d_img, **width) for name in ("key", "value")),
            weight("output.weight", out="d", **width, d=d)]
    biases = [weight(f"{name}.bias", kinds="bias", d=d) for name in ("query", "key", "value", "output")]
    gains = weight("norm.weight", kinds="norm", d=d), weight("norm.bias", kinds="norm bias", d=d)
    return idle(x, *maps, *biases, *gains)


def block(x: Tensor, z: Any) -> Tensor:
    """6d² + 2d·d_img + 2dh + 15d + h parameters, of which 4d² + 2dh + 9d + h run."""
    x = after(x, "attention", attention, z=z, t=z.t, mask=Mask(causal=True), dropout="output")
    return after(within("cross", unused, x, z=z), "mlp", mlp, h=z.h, dropout=True)


def text(z: Any) -> Tensor:
    """Logits over the vocabulary: no parameters when tied, else Vd."""
    x, word = within("embeddings", embeddings, tensor("ids", b=z.b, s=z.s), z=z)
    return linear(within("layers", block, x, z=z, runs=z.L), "head", bias=False, w=word if z.tied else None, V=z.V)


def _trocr(count: int, **sizes: Any) -> Published:
    return measured("TrOCRForCausalLM", count, P=512, **sizes)


_LAYER = "model.decoder.layers.{i}"

ARCHITECTURES = (Architecture(
    "trocr",
    classes={"TrOCRForCausalLM": text},
    follows={"d_img": "d"},
    acts={"activation_function": ("gelu", "")},
    keys={
        "vocab_size": ("V", 50265),
        "d_model": ("d", 1024),
        "decoder_layers": ("L", 12),
        "decoder_attention_heads": ("heads", 16),
        "decoder_ffn_dim": ("h", 4096),
        "max_position_embeddings": ("P", 512),
        "cross_attention_hidden_size": ("d_img", None),
        "use_learned_position_embeddings": ("learned", True),
        "layernorm_embedding": ("normed", True),
        "tie_word_embeddings": ("tied", True),
    },
    aliases={"hidden_size": "d_model", "num_attention_heads": "decoder_attention_heads",
             "num_hidden_layers": "decoder_layers"},
    ignored={
        "is_decoder": "the class is a decoder",
        "is_encoder_decoder": "the class is a decoder",
        "add_cross_attention": "every layer has the weights, which text does not run",
        "scale_embedding": "a constant",
        "init_std": "how weights start, not how many there are",
        "classifier_dropout": "dropout has no weights",
    },
    stored={
        "embeddings.word": "model.decoder.embed_tokens",
        "embeddings.position": "model.decoder.embed_positions",
        "embeddings.norm": "model.decoder.layernorm_embedding",
        "layers.attention_norm": f"{_LAYER}.self_attn_layer_norm",
        "layers.cross.norm": f"{_LAYER}.encoder_attn_layer_norm",
        **{f"layers.{ours}.{part}": f"{_LAYER}.{theirs}.{'out' if part == 'output' else part[0]}_proj"
           for ours, theirs in (("attention", "self_attn"), ("cross", "encoder_attn"))
           for part in ("query", "key", "value", "output")},
        "layers.mlp_norm": f"{_LAYER}.final_layer_norm",
        "layers.mlp.up": f"{_LAYER}.fc1",
        "layers.mlp.down": f"{_LAYER}.fc2",
    },
    stored_heads={"head": "output_projection"},
    published={
        "trocr-base-text": _trocr(247_268_352, V=50265, d=1024, h=4096, L=12, heads=16, d_img=768),
        "trocr-small-text": _trocr(23_241_216, V=64044, d=256, h=1024, L=6, heads=8, d_img=384, acts="relu"),
    },
),)
