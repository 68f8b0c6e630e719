"""Moonshine: three convolutions over the samples of a sound, and a pre-norm encoder-decoder with rotary positions.

The MLP of the decoder is gated; norms have no shift, but the one over all channels behind the first convolution. The
streaming models hear short frames, which meet those around them, and their decoder adds learned positions to them.

Source: Jeffries et al. 2024, "Moonshine: speech recognition for live transcription and voice commands", section 3.1;
Useful Sensors 2026, "Moonshine streaming" (as released).
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import ROTARY
from symcount.hub.encoders import SEQ2SEQ_FOLLOWS, SEQ2SEQ_ONLY, seq2seq_names
from symcount.hub.settling import number
from symcount.hub.speech import inner_only
from symcount.layers import attention, embed, gated, linear, mlp, norm, positions, residual
from symcount.layers.block_attention import padded
from symcount.layers.convolution import conv1d
from symcount.layers.encoder_decoder import words
from symcount.masks import Mask
from symcount.network import cached, concat, contract, cut, pointwise, rename, split, tensor, weight, within
from symcount.sizes import exactly, per, up
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def stem(x: Tensor, z: Any) -> Tensor:
    """Convolutions of 127, 7 and 3 steps, the second twice as wide: 127d + 14d² + 2d + 6d² + d + 2d parameters."""
    x = norm(pointwise(conv1d(x, "first", w=127, stride=64, bias=False, d=z.d), kind="tanh"), "norm", kind="group_norm")
    x = pointwise(conv1d(x, "second", w=7, stride=3, over="d", d=2 * z.d), kind="gelu")
    return pointwise(conv1d(x, "third", w=3, stride=2, over="d", d=z.d), kind="gelu")


def filled_attention(x: Tensor, z: Any, heads: Size, t: Size, memory: Tensor | None = None,
                     mask: Mask | None = None) -> Tensor:
    """Attention whose heads are filled up with zeros to a multiple: 4d² parameters, 3d more with biases.

    Multiply-adds for scores and mix: 2·heads·up(k, fill) for each pair of tokens.
    """
    d = x.axes["d"]
    k = per(d, heads)
    rows = x if memory is None else rename(memory, s="t")
    joins = {"s": ("t", t)} if memory is None else {"t": ("t", rows.axes["t"])}
    query, key, value = (linear(part, name, bias=z.bias, g=heads, k=k)
                         for part, name in ((x, "query"), (rows, "key"), (rows, "value")))
    if memory is None:
        query, key = pointwise(query, kind="partial_rotary"), pointwise(key, kind="partial_rotary")
    key, value = cached(key, "key", **joins), cached(value, "value", **joins)
    if z.filled:
        query, key, value = (concat(part, tensor("zeros", **{**part.axes, "k": up(k, z.fill) - k}), axis="k")
                             for part in (query, key, value))
    scores = pointwise(contract(query, key, to="b g s t", name="scores", mask=mask), kind="attention_scale")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g k", name="mix", mask=mask)
    mixed = cut(mixed, "k", k, mixed.axes["k"] - k)[0] if z.filled else mixed
    return linear(mixed, "output", over="g k", bias=False, d=d)


def before(x: Tensor, path: str, f: Callable[..., Tensor], **kw: Any) -> Tensor:
    """x + f(norm(x)), with a LayerNorm without a shift: d parameters beside those of f."""
    return residual(x, within(path, f, norm(x, f"{path}_norm", shift=False, kind="layer_norm"), **kw))


def encoder_block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 3d + h parameters."""
    x = before(x, "attention", filled_attention, z=z, heads=z.heads, t=x.axes["s"])
    return before(x, "mlp", mlp, h=z.h)


def decoder_block(x: Tensor, z: Any, memory: Tensor, h: Size) -> Tensor:
    """8d² + 3dh + 4d + 2h parameters."""
    x = before(x, "attention", filled_attention, z=z, heads=z.heads_dec, t=z.t, mask=Mask(causal=True))
    x = before(x, "cross", filled_attention, z=z, heads=z.heads_dec, t=z.t, memory=memory)
    return before(x, "mlp", gated, h=h, bias=True)


def encode(x: Tensor, z: Any) -> Tensor:
    """20d² + 132d + L(4d² + 2dh + 3d + h) + d parameters."""
    x = within("layers", encoder_block, within("conv", stem, x, z=z), z=z, runs=z.L)
    return norm(x, "norm", shift=False, kind="layer_norm")


def decode(x: Tensor, z: Any, memory: Tensor, h: Size) -> Tensor:
    """L_dec(8d² + 3dh + 4d + 2h) + d parameters."""
    x = within("layers", decoder_block, x, z=z, memory=memory, h=h, runs=z.L_dec)
    return norm(x, "norm", shift=False, kind="layer_norm")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states of the decoder, and its word table."""
    memory = within("encoder", encode, tensor("sound", b=z.b, s=z.samples, c=1), z=z)
    y, table = words(z, tensor("targets", b=z.b, s=z.u), "decoder", z.V)
    return within("decoder", decode, y, z=z, memory=memory, h=z.h), table


def streaming_stem(z: Any) -> Tensor:
    """Frames of w samples, a map, and two convolutions that see no later frame: w·d + 20d² + 3d + 1 parameters."""
    x = pointwise(split(tensor("sound", b=z.b, s=z.samples), "s", s=None, w=z.w), kind="layer_norm", name="levelled")
    x = pointwise(x, weight("log_k"), kind="asinh")
    x = pointwise(linear(x, "frame", over="w", bias=False, d=z.d), kind="silu", name="frame_act")
    x = conv1d(padded(x, "s", 4, 0), "conv.first", w=5, stride=2, over="d", d=2 * z.d)
    x = pointwise(x, kind="silu", name="conv.act")
    return conv1d(padded(x, "s", 4, 0), "conv.second", w=5, stride=2, over="d", d=z.d)


def streaming_encode(z: Any) -> Tensor:
    """L blocks without positions, and a norm: L(2d² + 2dk·kv + 2dh + 3d + h) + d parameters beside the stem."""
    def block(x: Tensor) -> Tensor:
        x = before(x, "attention", attention, z=z, kv=z.kv, t=x.axes["s"], bias=z.encoder_bias)
        return before(x, "mlp", mlp, h=z.h)

    x = within("layers", block, within("embeddings", lambda: streaming_stem(z)), runs=z.L)
    return norm(x, "norm", shift=False, kind="layer_norm")


def remembered(x: Tensor, z: Any) -> Tensor:
    """Rows of the encoder with positions, as wide as the decoder: Pd parameters, d·d_dec more where that differs."""
    x = within("embeddings", positions, x, name="position", P=z.P, t=x.axes["s"])
    return linear(x, "memory", bias=False, d=z.d_dec) if z.widened else x


def streaming_body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states of the decoder, and its word table."""
    memory = within("decoder", remembered, within("encoder", lambda: streaming_encode(z)), z=z)
    d = z.d_dec if z.widened else exactly(z.d_dec, z.d)
    y, table = within("decoder.embeddings", embed, tensor("targets", b=z.b, s=z.u), name="word", V=z.V, d=d)
    return within("decoder", decode, y, z=z, memory=memory, h=z.h_dec), table


def predict(z: Any, body: Callable[[Any], tuple[Tensor, Tensor]] = body) -> Tensor:
    """Logits over the vocabulary at every position: dV parameters, none when tied."""
    x, table = body(z)
    return linear(x, "head", bias=False, w=table if z.tied else None, V=z.V)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """What heads are filled up to; keys and values have as many heads as queries, or transformers cannot run it."""
    for side in ("encoder", "decoder"):
        kv, heads = config[f"{side}_num_key_value_heads"], config[f"{side}_num_attention_heads"]
        if kv not in (None, heads) or isinstance(kv, bool):
            raise ConfigError(f"{side}_num_key_value_heads = {kv!r}: as many as the {heads} query heads are needed")
    return filling(config)


def filling(config: dict[str, Any]) -> dict[str, Any]:
    """What heads are filled up to."""
    fill = config["pad_head_dim_to_multiple_of"]
    if fill is None:
        return {"filled": False}
    if isinstance(fill, bool) or not isinstance(fill, int) or fill < 1:
        raise ConfigError(f"pad_head_dim_to_multiple_of = {fill!r}: a whole number of at least 1, or null, is needed")
    return {"filled": True, "fill": fill}


def settle_streaming(config: dict[str, Any]) -> dict[str, Any]:
    """The same, how many samples a frame has, and whether both stacks are equally wide."""
    for table in ("encoder_config.", ""):
        k = config[f"{table}head_dim"]
        d, heads = (number(config, table + key) for key in ("hidden_size", "num_attention_heads"))
        if k is not None and number(config, f"{table}head_dim") * heads != d:
            raise ConfigError(f"{table}head_dim = {k}: the heads are not as wide as hidden_size together")
    if (kv := config["num_key_value_heads"]) != config["num_attention_heads"]:
        raise ConfigError(f"num_key_value_heads = {kv!r}: as many as num_attention_heads are needed; the class has no "
                          "default")
    rate, length = number(config, "encoder_config.sample_rate"), config["encoder_config.frame_ms"]
    if isinstance(length, bool) or not isinstance(length, (int, float)) or not 0 < length < _LONGEST:
        raise ConfigError(f"encoder_config.frame_ms = {length!r}: a number of milliseconds is needed")
    return {**filling(config), "w": round(rate * length / 1000), "d_dec": config["hidden_size"],
            "widened": config["hidden_size"] != config["encoder_config.hidden_size"]}


_LONGEST = 10_000


def _moonshine(count: int, **sizes: int) -> Published:
    return measured("MoonshineForConditionalGeneration", count, V=32768, heads=8, heads_dec=8, fill=8, filled=True,
                    **sizes)


def _streaming(count: int, **sizes: Any) -> Published:
    return measured("MoonshineStreamingForConditionalGeneration", count, **{
        "V": 32768, "d": 320, "d_dec": 320, "h": 1280, "h_dec": 1280, "L": 6, "L_dec": 6, "heads": 8, "heads_dec": 8,
        "kv": 8, "P": 4096, "w": 80, **sizes})


_MLP = {
    "encoder.layers.mlp.up": "encoder.layers.{i}.mlp.fc1",
    "encoder.layers.mlp.down": "encoder.layers.{i}.mlp.fc2",
    ("decoder.layers.mlp.up", "decoder.layers.mlp.gate"): "decoder.layers.{i}.mlp.fc1",
    "decoder.layers.mlp.down": "decoder.layers.{i}.mlp.fc2",
}
_NAMES = {
    **seq2seq_names(),
    **_MLP,
    **{f"{side}.layers.{part}.output": f"{side}.layers.{{i}}.{theirs}.o_proj" for side in ("encoder", "decoder")
       for part, theirs in (("attention", "self_attn"), ("cross", "encoder_attn"))},
    **{f"{side}.layers.attention_norm": f"{side}.layers.{{i}}.input_layernorm" for side in ("encoder", "decoder")},
    "encoder.layers.mlp_norm": "encoder.layers.{i}.post_attention_layernorm",
    "decoder.layers.cross_norm": "decoder.layers.{i}.post_attention_layernorm",
    "decoder.layers.mlp_norm": "decoder.layers.{i}.final_layernorm",
    "decoder.norm": "decoder.norm",
    "encoder.conv.first": "encoder.conv1",
    "encoder.conv.second": "encoder.conv2",
    "encoder.conv.third": "encoder.conv3",
    "encoder.conv.norm": "encoder.groupnorm",
}

ARCHITECTURES = (Architecture(
    "moonshine",
    classes={"MoonshineModel": lambda z: body(z)[0], "MoonshineForConditionalGeneration": predict},
    follows={name: of for name, of in SEQ2SEQ_FOLLOWS.items() if name != "u"},
    sizes="samples u fill",
    flags={"filled": False},
    acts={"encoder_hidden_act": ("gelu", "encoder.layers"), "decoder_hidden_act": ("silu", "decoder")},
    keys={
        "vocab_size": ("V", 32768),
        "hidden_size": ("d", 288),
        "intermediate_size": ("h", 1152),
        "encoder_num_hidden_layers": ("L", 6),
        "decoder_num_hidden_layers": ("L_dec", 6),
        "encoder_num_attention_heads": ("heads", 8),
        "decoder_num_attention_heads": ("heads_dec", 8),
        "attention_bias": ("bias", False),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    },
    reads={
        "encoder_num_key_value_heads": None,
        "decoder_num_key_value_heads": None,
        "pad_head_dim_to_multiple_of": None,
    },
    settle=settle,
    aliases={
        "num_key_value_heads": "decoder_num_key_value_heads",
        "num_attention_heads": "decoder_num_attention_heads",
        "num_hidden_layers": "decoder_num_hidden_layers",
    },
    ignored={
        **ROTARY,
        "is_decoder": "the class says which stacks there are",
    },
    only=SEQ2SEQ_ONLY,
    stored=_NAMES,
    stored_heads={"head": "proj_out"},
    base="model",
    published={
        "moonshine-tiny": _moonshine(27_092_736, d=288, h=1152, L=6, L_dec=6),
        "moonshine-base": _moonshine(61_513_920, d=416, h=1664, L=8, L_dec=8),
    },
), Architecture(
    "moonshine_streaming",
    classes={"MoonshineStreamingModel": lambda z: streaming_body(z)[0],
             "MoonshineStreamingForConditionalGeneration": lambda z: predict(z, streaming_body)},
    follows={"t": "u"},
    sizes="samples u fill w d_dec",
    flags={"filled": False, "widened": False},
    acts={"encoder_config.hidden_act": ("gelu", "encoder.layers"), "hidden_act": ("silu", "decoder")},
    keys={
        "encoder_config.hidden_size": ("d", 320),
        "encoder_config.intermediate_size": ("h", 1280),
        "encoder_config.num_hidden_layers": ("L", 6),
        "encoder_config.num_attention_heads": ("heads", 8),
        "encoder_config.num_key_value_heads": ("kv", 8),
        "encoder_config.attention_bias": ("encoder_bias", False),
        "vocab_size": ("V", 32768),
        "intermediate_size": ("h_dec", 1280),
        "num_hidden_layers": ("L_dec", 6),
        "num_attention_heads": ("heads_dec", 8),
        "max_position_embeddings": ("P", 4096),
        "attention_bias": ("bias", False),
        "tie_word_embeddings": ("tied", False),
    },
    reads={
        "hidden_size": 320,
        "head_dim": None,
        "num_key_value_heads": None,
        "pad_head_dim_to_multiple_of": None,
        "encoder_config.head_dim": None,
        "encoder_config.sample_rate": 16000,
        "encoder_config.frame_ms": 5.0,
    },
    settle=settle_streaming,
    hides={"encoder_config.sliding_windows": ()},
    ignored={
        **ROTARY,
        "is_decoder": "the class says which stacks there are",
        "encoder_config.max_position_embeddings": "the encoder has no positions",
        "encoder_config.sliding_windows": "which scores are masked; all are computed",
    },
    only={**SEQ2SEQ_ONLY, **inner_only("moonshine_streaming_encoder")},
    stored={
        **_NAMES,
        "encoder.layers.attention_norm.weight": "encoder.layers.{i}.input_layernorm.gamma",
        "encoder.layers.mlp_norm.weight": "encoder.layers.{i}.post_attention_layernorm.gamma",
        "encoder.norm.weight": "encoder.final_norm.gamma",
        "encoder.embeddings.log_k": "encoder.embedder.comp.log_k",
        "encoder.embeddings.frame": "encoder.embedder.linear",
        "encoder.embeddings.conv.first": "encoder.embedder.conv1",
        "encoder.embeddings.conv.second": "encoder.embedder.conv2",
        "decoder.embeddings.position": "decoder.pos_emb",
        "decoder.memory": "decoder.proj",
    },
    stored_heads={"head": "proj_out"},
    base="model",
    published={
        "moonshine-streaming-tiny": _streaming(44_054_721),
    },
))
