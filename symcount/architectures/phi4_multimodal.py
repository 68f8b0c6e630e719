"""Phi-4-multimodal, reading text: Phi-3's block; the towers for images and sounds are stored beside it and never run.

Source: Abouelenin et al. 2025, "Phi-4-mini technical report", section 2.2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.images import CLIP_NAMES, TOWER_NOTES
from symcount.hub.settling import one_window
from symcount.layers import decoder, decoder_heads
from symcount.layers.idle import idle_block, idle_map, idle_mlp, idle_norm
from symcount.layers.transformer import window_block
from symcount.network import idle, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from symcount.polynomials import Size


def square(name: str, d: Size) -> tuple[Tensor, ...]:
    """A linear map from a width to itself: d² + d parameters."""
    return idle_map(name, {"d": d}, {"o": d}, bias=True)


def image_tower(x: Tensor, z: Any) -> Tensor:
    """A ViT with a pooler that attends, two maps to the width of the text, and two rows that part images."""
    d, rows = z.d_img, per(z.side, z.patch)
    x = within("layers", lambda y: idle(y, *idle_block(d=d, h=z.h_img)), x, runs=z.L_img)
    return idle(x, *idle_map("patch", {"c": z.c, "i": z.patch, "j": z.patch}, {"d": d}, bias=True),
                weight("position.weight", kinds="embedding", P=rows * rows, d=d),
                *idle_norm("post_layernorm", shift=True, d=d), *idle_norm("pool.layernorm", shift=True, d=d),
                weight("pool.attention.in_proj_weight", out="o", d=d, o=3 * d),
                weight("pool.attention.in_proj_bias", kinds="bias", o=3 * d), *square("pool.attention.out_proj", d),
                *idle_mlp("pool.mlp", d=d, h=z.h_img), weight("global_row", d=d), weight("sub_row", d=d),
                *idle_map("img_projection_up", {"d": d}, {"o": z.d}, bias=True), *square("img_projection_down", z.d))


D, H, BLOCKS, HEADS, FRAMES = 1024, 1536, 24, 16, 10  # of the one tower for sounds that there is


def sound_layer(x: Tensor) -> Tensor:
    """A conformer: two gated MLPs, attention, and convolutions over three frames, of the one size that there is."""
    def made() -> Iterator[Tensor]:
        for name in ("feed_forward_in", "feed_forward_out"):
            yield from idle_norm(f"{name}.layer_norm", shift=True, d=D)
            yield from idle_map(f"{name}.gate_up_proj", {"d": D}, {"h": 2 * H}, bias=True)
            yield from idle_map(f"{name}.down_proj", {"h": H}, {"d": D}, bias=True)
        for name in ("q", "k", "v", "o"):
            yield from square(f"self_attn.{name}_proj", D)
        for name in ("conv.layer_norm", "layer_norm_att", "layer_norm"):
            yield from idle_norm(name, shift=True, d=D)
        yield from idle_map("glu", {"d": D}, {"o": 2 * D}, bias=True)
        yield from (weight(name, kinds="bias", d=D) for name in ("conv.glu.b1", "conv.glu.b2"))
        yield from idle_map("depthwise", {"w": 3}, {"d": D}, bias=True)
        for name in ("pointwise", "conv_out"):
            yield from square(name, D)
    return idle(x, *made())


def sound_tower(x: Tensor, z: Any) -> Tensor:
    """Conformers behind five convolutions, and two pairs of maps to the width of the text."""
    x = within("layers", sound_layer, x, runs=BLOCKS)
    x = idle(x, *idle_map("first", {"i": 3, "j": 3}, {"d": D}, bias=True),
             *(one for n in (2, 5) for one in idle_map(f"depthwise_{n}", {"i": 3, "j": 3}, {"d": D}, bias=True)),
             *(one for n in (3, 6) for one in square(f"pointwise_{n}", D)),
             *idle_map("encoder.embed.out", {"f": FRAMES, "d": D}, {"o": D}, bias=True),
             *(weight(f"encoder.encoder_embedding.global_{name}", stored="buffer", bins=80)
               for name in ("mean", "invstd")))
    for name in ("speech", "vision_speech"):
        x = idle(x, *idle_map(f"up_proj_for_{name}", {"d": D}, {"o": z.d}, bias=True),
                 *square(f"down_proj_for_{name}", z.d))
    return x


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states and the word table, beside both towers."""
    x, word = decoder(window_block)(z)
    x = within("embeddings.seen", image_tower, x, z=z)
    x = within("embeddings.heard", sound_tower, x, z=z)
    return idle(x, weight("pooler", d=z.d_img), weight("attention.distances", near=2000, heads=HEADS)), word


_SEEN, _HEARD = "embed_tokens_extend.image_embed", "embed_tokens_extend.audio_embed"
_CONV, _LAYER = f"{_HEARD}.encoder.embed.conv", f"{_HEARD}.encoder.encoders.{{i}}"
_ONE_SIZE = "the tower for sounds of Phi-4-multimodal has one size"
_UNREAD = {
    **{f"vision_config.{key}": why for key, why in (
        ("num_attention_heads", "how a width is cut into heads"), ("crop_size", "how images are cut"),
        ("feature_layer", "which layer is read"), ("image_token_id", "chooses how text is generated"))},
    **dict.fromkeys((f"audio_config.{key}" for key in (
        "activation", "chunk_size", "left_chunk", "dropout_rate", "conv_activation", "conv_glu_type",
        "nemo_activation", "audio_token_id", "feature_layer")),
                    "changes no weight"),
}

ARCHITECTURES = (Architecture(
    "phi4_multimodal",
    classes=decoder_heads("Phi4Multimodal", body, "ForCausalLM"),
    sizes="window",
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **{key: told for key, told in decoder_keys(V=200064, d=3072, h=8192, L=32, heads=32, kv=8).items()
           if key != "num_labels"},
        "vision_config.hidden_size": ("d_img", 1152),
        "vision_config.intermediate_size": ("h_img", 4304),
        "vision_config.num_hidden_layers": ("L_img", 27),
        "vision_config.num_channels": ("c", 3),
        "vision_config.image_size": ("side", 448),
        "vision_config.patch_size": ("patch", 14),
    },
    reads={"sliding_window": None},
    settle=one_window,
    only={
        "vision_config": ((None,), "a table is needed"),
        "audio_config": ((None,), "a table is needed"),
        "vision_config.model_type": (("phi4_multimodal_vision",), "the tower of another family"),
        "audio_config.model_type": (("phi4_multimodal_audio",), "the tower of another family"),
        **{f"audio_config.{key}": ((one,), _ONE_SIZE) for key, one in (
            ("hidden_size", D), ("intermediate_size", H), ("num_blocks", BLOCKS), ("num_attention_heads", HEADS),
            ("ext_pw_out_channel", D), ("depthwise_separable_out_channel", D), ("depthwise_multiplier", 1),
            ("kernel_size", 3), ("input_size", 80), ("time_reduction", 8), ("bias_max_distance", 1000),
            ("bias_symmetric", False), ("nemo_conv_channels", D), ("downsample_rate", 1), ("nemo_final_size", 10))},
    },
    ignored={
        **ROTARY,
        **{key: why for key, why in TOWER_NOTES.items() if key.startswith("vision_config.")},
        **_UNREAD,
        "original_max_position_embeddings": "rotary positions have no table",
    },
    stored={
        **DECODER_NAMES,
        ("layers.attention.query.weight", "layers.attention.key.weight", "layers.attention.value.weight"):
            "layers.{i}.self_attn.qkv_proj.weight",
        ("layers.mlp.gate.weight", "layers.mlp.up.weight"): "layers.{i}.mlp.gate_up_proj.weight",
        "pooler": (f"{_SEEN}.img_processor.head.probe", "1 1 d_img"),
        "attention.distances": f"{_HEARD}.encoder.relative_attention_bias_layer.bias_values.weight",
        **{f"embeddings.seen.{ours}": f"{_SEEN}.img_processor.{theirs}" for ours, theirs in CLIP_NAMES.items()},
        "embeddings.seen.patch": (f"{_SEEN}.img_processor.embeddings.patch_embedding", "d_img c patch patch"),
        "embeddings.seen.position": f"{_SEEN}.img_processor.embeddings.position_embedding",
        "embeddings.seen.post_layernorm": f"{_SEEN}.img_processor.post_layernorm",
        **{f"embeddings.seen.pool.{one}": f"{_SEEN}.img_processor.head.{one}" for one in (
            "attention", "attention.out_proj", "layernorm")},
        **{f"embeddings.seen.pool.mlp.{ours}": f"{_SEEN}.img_processor.head.mlp.{theirs}"
           for ours, theirs in (("up", "fc1"), ("down", "fc2"))},
        "embeddings.seen.global_row": (f"{_SEEN}.global_img_feature_extensor", "1 1 d_img"),
        "embeddings.seen.sub_row": (f"{_SEEN}.sub_img_feature_extensor", "1 1 1 d_img"),
        **{f"embeddings.seen.img_projection_{way}": f"{_SEEN}.img_projection_{way}" for way in ("up", "down")},
        "embeddings.heard.first": (f"{_CONV}.0", f"{D} 1 3 3"),
        **{f"embeddings.heard.depthwise_{n}": (f"{_CONV}.{n}", f"{D} 1 3 3") for n in (2, 5)},
        **{f"embeddings.heard.pointwise_{n}": (f"{_CONV}.{n}", f"{D} {D} 1 1") for n in (3, 6)},
        **{f"embeddings.heard.{one}": f"{_HEARD}.{one}" for one in (
            "encoder.embed.out", *(f"{way}_proj_for_{name}" for way in ("up", "down")
                                   for name in ("speech", "vision_speech")))},
        **{f"embeddings.heard.layers.{one}": f"{_LAYER}.{one}" for one in (
            *(f"feed_forward_{way}.{part}" for way in ("in", "out")
              for part in ("layer_norm", "gate_up_proj", "down_proj")),
            *(f"self_attn.{name}_proj" for name in ("q", "k", "v", "o")), "conv.layer_norm", "layer_norm_att",
            "layer_norm")},
        **{f"embeddings.heard.layers.{ours}": (f"{_LAYER}.conv.{theirs}", shape) for ours, theirs, shape in (
            ("glu", "glu.ext_pw_conv_1d", f"{2 * D} {D} 1"), ("depthwise", "dw_sep_conv_1d.dw_conv", f"{D} 1 3"),
            ("pointwise", "dw_sep_conv_1d.pw_conv", f"{D} {D} 1"), ("conv_out", "ext_pw_conv_1d", f"{D} {D} 1"),
            ("conv.glu.b1", "glu.b1", f"1 {D} 1"), ("conv.glu.b2", "glu.b2", f"1 {D} 1"))},
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "phi-4-multimodal": measured("Phi4MultimodalForCausalLM", 4_744_004_032, V=200064, d=3072, h=8192, L=32,
                                     heads=24, kv=8, k=128, window=262144, tied=True, d_img=1152, h_img=4304, L_img=27,
                                     c=3, side=448, patch=14),
    },
),)
