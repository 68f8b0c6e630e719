"""Granite Speech 5: Conformer blocks that attend within chunks; the first leave half of the frames each.

Behind half of the layers, the letters that they hear are put back into the frames.
Source: IBM 2026, "Granite Speech 5.0" (as released); Saon et al. 2025, "Granite-speech", section 3.1.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.settling import number
from symcount.hub.speech import FAST_NAMES, SPEECH_IGNORED, inner, inner_only, within_config
from symcount.layers import linear, residual
from symcount.layers.block_attention import in_blocks, out_of_blocks
from symcount.layers.conformer import conformer_block
from symcount.layers.convolution import batchnorm, grouped_conv1d
from symcount.network import contract, keep, lookup, pointwise, rename, tensor, weight, window, within
from symcount.sizes import bounded, per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def chunked_attention(x: Tensor, z: Any) -> Tensor:
    """Frames attend within chunks, the last filled up: 4dk·heads + d + (2P + 1)k parameters.

    Multiply-adds: 3dk·heads for each row of a chunk, dk·heads for each frame, 3·chunk·k·heads for each row.
    """
    heads, rows = {"g": z.heads, "k": z.k}, in_blocks(x, z.chunk)
    query, key, value = (linear(rows, name, bias=False, **heads) for name in ("query", "key", "value"))
    table = weight("far.weight", kinds="embedding", P=2 * z.P + 1, k=z.k)
    far = lookup(tensor("offsets", i=z.chunk, j=z.chunk), table, "far")
    scores = pointwise(contract(query, rename(key, i="j"), to="b n g i j", name="scores"), kind="attention_scale")
    scores = pointwise(scores, contract(query, far, to="b n g i j", name="distances"), kind="add", name="relative")
    mixed = contract(pointwise(scores, kind="softmax"), rename(value, i="j"), to="b n i g k", name="mix")
    return linear(out_of_blocks(mixed, x.axes["s"]), "output", over="g k", d=z.d)


def convolved(x: Tensor, z: Any, stride: Size) -> Tensor:
    """To m channels half of which open the others, a kernel of frames for each, a norm, a map.

    Parameters: 3dm + m·w_depth + 4m + d. With a stride of 2, as many frames as pairs come in.
    """
    y, gate = (linear(x, name, m=z.m) for name in ("value", "gate"))
    y = grouped_conv1d(rename(pointwise(y, gate, kind="glu", name="act"), m="d"), "depthwise", w=z.w_depth, groups=z.m,
                stride=stride, pad=per(z.w_depth - 1, 2), bias=False)
    y = pointwise(rename(batchnorm(rename(y, d="c"), "norm"), c="m"), kind="silu")
    return linear(keep(y, s=x.axes["s"] // stride), "second", over="m", d=z.d)


def pooled(x: Tensor, stride: Size) -> Tensor:
    """The mean of each few frames, of two; those left over are left out."""
    y = pointwise(window(x, s=("w", stride), stride=stride), kind="pool", to="b s d")
    return keep(y, s=x.axes["s"] // stride)


def block(x: Tensor, z: Any, stride: Size | None = None) -> Tensor:
    """A Conformer block: 4dk·heads + 3dm + 4dh + 14d + 4m + m·w_depth + 2h + (2P + 1)k parameters."""
    return conformer_block(x, h=z.h, attend=partial(chunked_attention, z=z), bias=z.bias,
                           convolve=partial(convolved, z=z, stride=1 if stride is None else stride),
                           shorten=None if stride is None else partial(pooled, stride=stride))


def scored(x: Tensor, table: tuple[Tensor, Tensor], name: str) -> Tensor:
    """Scores of letters, by a map that is used more than once."""
    y = contract(x, table[0], to="b s V", name=name)
    return pointwise(y, table[1], kind="bias", name=name)


def encode(z: Any) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """L blocks; behind half of them a map to letters and one back: 2dV + V + d parameters. And the map to letters."""
    x = linear(tensor("spectrogram", b=z.b, s=z.frames, c=4 * z.c), "enter", over="c", d=z.d)
    for i, stride in enumerate(z.stride):
        x = within(f"layers.{i}", block, x, z=z, stride=stride)
    x = within("layers.first", block, x, z=z, runs=rest(z.L // 2, len(z.stride)))
    V = z.V * bounded(1, z.L // 2)  # of one layer there is no half
    table = weight("out.weight", out="V", d=z.d, V=V), weight("out.bias", kinds="bias", V=V)
    heard = pointwise(scored(x, table, "middle"), kind="softmax")
    x = residual(x, linear(heard, "back", over="V", d=z.d))
    return within("layers.last", block, x, z=z, runs=rest(z.L, z.L // 2)), table


def letters(z: Any) -> Tensor:
    """Scores of the letters of each frame (CTC): no parameters when tied to those of the middle, else dV + V."""
    x, table = encode(z)
    return scored(x, table, "letters") if z.tied else linear(x, "head", V=z.V)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Which layers leave half of the frames, the first; channels of the convolutions, and width of the heads."""
    found, L = config["subsample_layers"], number(config, "num_hidden_layers", least=2)
    found = [0, 1] if found is None else found
    if not isinstance(found, list) or found != list(range(len(found))) or len(found) > L // 2:
        raise ConfigError(f"subsample_layers = {found!r}: that other layers than the first leave half of the frames "
                          "is not written")
    if number(config, "context_size") > number(config, "max_position_embeddings"):
        raise ConfigError("context_size is more than max_position_embeddings")
    return {"stride": (2,) * len(found), "k": config["head_dim"],
            "m": number(config, "hidden_size") * number(config, "conv_expansion_factor")}


def settle_ctc(config: dict[str, Any]) -> dict[str, Any]:
    """The same; both tables tell the same vocabulary."""
    if config["vocab_size"] != config["encoder_config.vocab_size"]:
        raise ConfigError(f"encoder_config.vocab_size = {config['encoder_config.vocab_size']!r}, and vocab_size is "
                          f"{config['vocab_size']!r}")
    return within_config(settle)(config)


_KEYS: dict[str, tuple[str, Any]] = {
    "hidden_size": ("d", 1024),
    "intermediate_size": ("h", 4096),
    "num_hidden_layers": ("L", 16),
    "num_attention_heads": ("heads", 8),
    "num_mel_bins": ("c", 80),
    "max_position_embeddings": ("P", 512),
    "context_size": ("chunk", 128),
    "conv_kernel_size": ("w_depth", 7),
    "attention_bias": ("bias", True),
}
_READS = {"head_dim": None, "conv_expansion_factor": 2, "subsample_layers": None}
_NAMES: dict[Any, Any] = {
    **{ours: name for ours, name in FAST_NAMES.items() if "conv.first" not in str(ours)},
    ("layers.conv.value", "layers.conv.gate"): "layers.{i}.conv.pointwise_lin1",
    "layers.conv.second": "layers.{i}.conv.pointwise_lin2",
    "layers.attention.far": "layers.{i}.self_attn.rel_pos_emb",
    "enter": "input_linear",
    "out": "out",
    "back": "out_mid",
}


def _granite(cls: str, count: int, **sizes: Any) -> Published:
    return measured(cls, count, **{
        "V": 16384, "d": 1024, "h": 4096, "L": 16, "heads": 8, "c": 80, "P": 512, "chunk": 128, "w_depth": 7, "m": 2048,
        "stride": (2, 2), **sizes})


ARCHITECTURES = (Architecture(
    "granite_speech5_encoder",
    classes={"GraniteSpeech5Encoder": lambda z: encode(z)[0]},
    sizes="frames stride k m",
    follows={"k": "d/heads"},
    acts={"hidden_act": ("silu", "layers")},
    keys={**_KEYS, "vocab_size": ("V", 16384)},
    reads=_READS,
    settle=settle,
    same={"num_key_value_heads": "num_attention_heads"},
    stored=_NAMES,
    published={"granite-speech-5.0-encoder": _granite("GraniteSpeech5Encoder", 472_928_256)},
), Architecture(
    "granite_speech5_ctc",
    classes={"GraniteSpeech5ForCTC": letters},
    sizes="frames stride k m",
    follows={"k": "d/heads"},
    acts={"encoder_config.hidden_act": ("silu", "layers")},
    keys={**inner(_KEYS), "vocab_size": ("V", 16384), "tie_word_embeddings": ("tied", True)},
    reads=inner({**_READS, "vocab_size": 16384}),
    settle=settle_ctc,
    same=inner({"num_key_value_heads": "encoder_config.num_attention_heads"}),
    only=inner_only("granite_speech5_encoder"),
    ignored=SPEECH_IGNORED,
    stored={ours: (f"encoder.{name[0]}", name[1]) if isinstance(name, tuple) else f"encoder.{name}"
            for ours, name in _NAMES.items()},
    stored_heads={"head": "ctc_head"},
    published={"granite-speech-5.0-470m-turboctc": _granite("GraniteSpeech5ForCTC", 472_928_256, tied=True)},
))
