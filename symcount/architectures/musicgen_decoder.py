"""The decoders of MusicGen and MusicGen Melody, alone: pre-norm blocks over steps of one code from each codebook.

Source: Copet et al. 2023, "Simple and controllable music generation", sections 2.2 and 3.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.layers import attention, embed, linear, mlp, norm, residual
from symcount.layers.encoder_decoder import unused
from symcount.masks import Mask
from symcount.network import pointwise, repeat, tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 4d parameters: no map has a bias."""
    y = norm(x, "attention_norm")
    x = residual(x, within("attention", attention, y, z=z, t=z.t, bias=False, mask=Mask(causal=True), dropout=True))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, bias=False, dropout=True))


def told(x: Tensor, z: Any) -> Tensor:
    """The same, and what would look at a description in words, which a decoder alone has not: 4d² + 2d more."""
    return unused(block(x, z), "cross", z.heads, bias=False)


def decoder(layer: Callable[[Tensor, Any], Tensor]) -> Callable[[Any], Tensor]:
    """The last hidden states of steps, whose codes are added, each from a table of its own: books·(V + 1)d of them."""
    def body(z: Any) -> Tensor:
        codes = tensor("ids", b=z.b, s=z.s, books=z.books)
        x = within("embeddings", lambda ids: embed(ids, "codes", V=z.V + 1, d=z.d)[0], codes, over="books")
        x = pointwise(pointwise(x, kind="sum", name="codes_sum", to="b s d"), kind="sinusoids")
        return norm(within("layers", layer, x, z=z, runs=z.L), "norm")
    return body


def causal_lm(body: Callable[[Any], Tensor]) -> Callable[[Any], Tensor]:
    """Logits over the codes of each codebook at every position, never tied: books·dV parameters more."""
    def logits(z: Any) -> Tensor:
        x = repeat(body(z), books=z.books)
        return within("head", lambda y: linear(y, "codes", bias=False, V=z.V), x, over="books")
    return logits


def _decoder(name: str, prefix: str, layer: Callable[[Tensor, Any], Tensor], **more: Any) -> Architecture:
    body = decoder(layer)
    return Architecture(
        name,
        classes={f"{prefix}Model": body, f"{prefix}ForCausalLM": causal_lm(body)},
        acts={"activation_function": ("", "")},
        keys={
            "vocab_size": ("V", 2048),
            "hidden_size": ("d", 1024),
            "ffn_dim": ("h", 4096),
            "num_hidden_layers": ("L", 24),
            "num_attention_heads": ("heads", 16),
            "num_codebooks": ("books", 4),
        },
        ignored={
            "max_position_embeddings": "positions are computed, as many as there are",
            "scale_embedding": "a constant",
            "audio_channels": "which codebooks belong to which channel",
            "tie_word_embeddings": "the tables have one row more than the heads and stay theirs",
            "is_decoder": "always a decoder here",
            "add_cross_attention": "whether a layer looks at a description is a matter of the family",
        },
        stored={
            "embeddings.codes": "decoder.embed_tokens.{i}",
            "layers.attention_norm": "decoder.layers.{i}.self_attn_layer_norm",
            "layers.attention.query": "decoder.layers.{i}.self_attn.q_proj",
            "layers.attention.key": "decoder.layers.{i}.self_attn.k_proj",
            "layers.attention.value": "decoder.layers.{i}.self_attn.v_proj",
            "layers.attention.output": "decoder.layers.{i}.self_attn.out_proj",
            "layers.cross.query": "decoder.layers.{i}.encoder_attn.q_proj",
            "layers.cross.key": "decoder.layers.{i}.encoder_attn.k_proj",
            "layers.cross.value": "decoder.layers.{i}.encoder_attn.v_proj",
            "layers.cross.output": "decoder.layers.{i}.encoder_attn.out_proj",
            "layers.cross_norm": "decoder.layers.{i}.encoder_attn_layer_norm",
            "layers.mlp_norm": "decoder.layers.{i}.final_layer_norm",
            "layers.mlp.up": "decoder.layers.{i}.fc1",
            "layers.mlp.down": "decoder.layers.{i}.fc2",
            "norm": "decoder.layer_norm",
        },
        stored_heads={"head.codes": "lm_heads.{i}"},
        base="model",
        **more,
    )


def _musicgen(count: int, cls: str = "MusicgenForCausalLM", **sizes: int) -> Published:
    return measured(cls, count, V=2048, books=4, **sizes)


ARCHITECTURES = (
    _decoder("musicgen_decoder", "Musicgen", told, published={
        "musicgen-small-decoder": _musicgen(419_584_000, d=1024, h=4096, L=24, heads=16),
        "musicgen-medium-decoder": _musicgen(1_837_556_736, d=1536, h=6144, L=48, heads=24),
        "musicgen-large-decoder": _musicgen(3_255_382_016, d=2048, h=8192, L=48, heads=32),
    }),
    _decoder("musicgen_melody_decoder", "MusicgenMelody", block, published={
        "musicgen-melody-decoder": _musicgen(1_384_424_448, "MusicgenMelodyForCausalLM", d=1536, h=6144, L=48,
                                             heads=24),
    }),
)
