"""Encoders of speech: convolutions over samples, a convolution that tells positions, and the heads on the frames.

Source: Baevski et al. 2020, "wav2vec 2.0", sections 2 and 4.2; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.errors import ModelError
from symcount.layers.convolution import batchnorm, conv1d, glu_conv1d, grouped_conv1d
from symcount.layers.dense import linear, norm
from symcount.layers.encoder_decoder import after, before, encoder_block
from symcount.layers.feed_forward import activation
from symcount.layers.transformer import residual
from symcount.network import (
    concat,
    contract,
    cut,
    idle,
    keep,
    merge,
    pointwise,
    rename,
    tensor,
    weight,
    window,
    within,
)
from symcount.sizes import exactly, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size

    Body = Callable[[Any], tuple[Tensor, Tensor]]


def sound(z: Any) -> Tensor:
    """The input: b sounds of so many samples, of one channel."""
    return tensor("sound", b=z.b, s=z.samples, c=1)


def sampled(x: Tensor, *, c: Size, w: Size, stride: Size, bias: bool, normed: str | None) -> Tensor:
    """One convolution over time, perhaps a norm, an activation: w·c_in·c parameters, c with a bias, 2c with a norm."""
    x = conv1d(x, "kernel", w=w, stride=stride, bias=bias, c=c)
    x = x if normed is None else norm(x, "norm", over="c", kind=normed)
    return activation(x, "gelu")


def frames(z: Any, d: Size | None = None) -> Tensor:
    """Frames of a sound: as many convolutions as z.c, z.w and z.stride have channels, steps and strides.

    A norm for each channel over time (group_norm) is behind the first of them, or a LayerNorm behind each. `d`: how
    many channels the last must have.
    """
    x, first = sound(z), "layer_norm" if z.layer_normed else "group_norm"
    channels = z.c if d is None else (*z.c[:-1], exactly(z.c[-1], d))
    for i, (c, w, stride) in enumerate(zip(channels, z.w, z.stride, strict=True)):
        normed = first if i == 0 else "layer_norm" if z.layer_normed else None
        x = within(f"conv.{i}", sampled, x, c=c, w=w, stride=stride, bias=z.conv_bias, normed=normed)
    return x


def projected(x: Tensor, z: Any, *, normed: bool = True, narrow: bool = True) -> tuple[Tensor, Tensor]:
    """Frames as wide as the layers, behind a norm; and the normed frames: 2c + cd + d parameters.

    `narrow`: whether there is a map from the c channels, to d.
    """
    x = norm(x, "norm", over="c") if normed else x
    return (linear(x, "projection", over="c", d=z.d) if narrow else rename(x, c="d")), x


def hidden_frame(x: Tensor, z: Any) -> Tensor:
    """What stands for a hidden frame while training, else stored and not run: d parameters."""
    return idle(x, weight("masked", kinds="embedding", d=z.d)) if z.masked else x


def position_convolution(x: Tensor, z: Any, *, s: Size, stride: Size = 1) -> Tensor:
    """What tells the positions, a convolution over w_pos frames: w_pos(d²/groups + 1) + d parameters for s frames.

    Multiply-adds: those of s + 1 frames where w_pos is even, for the last is cut off. Instead of the norm of its
    weights (z.batch_normed) its input has a batch norm: w_pos·d²/groups + 3d parameters.

    Source: Mohamed et al. 2019, "Transformers with convolutional context for ASR", section 2.
    """
    if z.batch_normed:
        x = rename(batchnorm(rename(x, d="c"), "norm"), c="d")
    y = grouped_conv1d(x, "kernel" if z.batch_normed else "position", w=z.w_pos, groups=z.groups, stride=stride,
                pad=z.w_pos // 2, normed=not z.batch_normed)
    return activation(keep(y, s=s), "gelu", "gelu")


def placed(x: Tensor, z: Any) -> Tensor:
    """Frames, and what tells their positions: d parameters for a hidden frame beside those of the convolution."""
    x = hidden_frame(x, z)
    return residual(x, position_convolution(x, z, s=x.axes["s"]))


def language_adapter(x: Tensor, r: Size) -> Tensor:
    """An adapter of rank r for one language: 2dr + r + 3d parameters.

    Source: Pratap et al. 2023, "Scaling speech technology to 1,000+ languages", section 5.2.
    """
    y = linear(norm(x, "norm"), "down", r_a=r)
    return residual(x, linear(pointwise(y, kind="relu"), "up", over="r_a", d=x.axes["d"]))


def speech_block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters, norms behind each sum or (z.stable) before each part; perhaps an adapter."""
    x = encoder_block(x, z, before if z.stable else after)
    return within("adapter", language_adapter, x, r=z.r_a) if z.stable and z.narrowed else x


def shortened(x: Tensor, z: Any) -> Tensor:
    """Fewer frames of width d_last: a map and a norm where that differs (z.widened), then convolutions of w_a frames.

    Parameters: d·d_last + 3d_last for the map, 2w_a·d_last² + 2d_last for each convolution; z.stride_a has its strides.
    """
    x = norm(linear(x, "projection", d=z.d_last), "norm") if z.widened else x
    for i, stride in enumerate(z.stride_a):
        x = within(f"{i}", glu_conv1d, x, name="conv", w=z.w_a, stride=stride, pad=1)
    return x


def speech_body(block: Callable[..., Tensor] = speech_block,
                relative: Callable[[Any, Size], Tensor] | None = None,
                place: Callable[[Tensor, Any], Tensor] = placed) -> Body:
    """Frames, positions, L blocks, a norm before or (z.stable) behind them; and the frames before the projection.

    `relative` makes one table of distances for all blocks, `place` tells the positions.
    """
    def body(z: Any) -> tuple[Tensor, Tensor]:
        x, heard = within("features", projected, frames(z), z=z, normed=z.feature_normed)
        x = within("embeddings", place, x, z=z)
        x = x if z.stable else norm(x, "norm")
        more = {"table": within("embeddings", lambda: relative(z, x.axes["s"]))} if relative else {}
        x = within("layers", block, x, z=z, runs=z.L, **more)
        x = norm(x, "norm") if z.stable else x
        return (within("adapter", shortened, x, z=z) if z.adapted else x), heard
    return body


def weighed(x: Tensor, z: Any) -> Tensor:
    """The outputs of all layers, and what comes in, with weights: L + 1 parameters; or the last of them."""
    return pointwise(x, weight("layer_weights", L=z.L + 1), kind="mix", to="b s d") if z.weighted else x


def classify(x: Tensor, z: Any) -> Tensor:
    """Scores of the mean over time, behind a projection: dm + m + mC + C parameters."""
    x = pointwise(linear(weighed(x, z), "projector", m=z.m), kind="mean", to="b m")
    return linear(x, "scores", over="m", C=z.C)


def classify_frames(x: Tensor, z: Any) -> Tensor:
    """Scores of each frame: dC + C parameters."""
    return linear(weighed(x, z), "scores", C=z.C)


def dilated(x: Tensor, *, w: Size, apart: Size, c: Size) -> Tensor:
    """A convolution over w frames that stand `apart`: w·c_in·c + c parameters."""
    s = x.axes["s"]
    near, _ = cut(x, "s", s - (apart - 1) * (w - 1), (apart - 1) * (w - 1))  # as many come out as of so many frames
    rows = window(rename(near, c="c'"), s=("w", w))
    kernel = weight("kernel.weight", out="c", w=w, **{"c'": rows.axes["c'"]}, c=c)  # stored as that of a linear map
    y = contract(rows, kernel, to="b s c", name="kernel")
    return pointwise(pointwise(y, weight("kernel.bias", kinds="bias", c=c), kind="bias"), kind="relu")


def speaker(x: Tensor, z: Any) -> Tensor:
    """A vector of width e for who speaks: mean and deviation of what convolutions see, and two maps.

    Parameters: dc + c to the first channels, those of the convolutions, 2ce + e + e² + e, and eC that only a loss
    reads.
    Source: Snyder et al. 2018, "X-vectors: robust DNN embeddings for speaker recognition", section 3.2.
    """
    x = linear(within("head", weighed, x, z=z), "classifier.projector", c=z.c_x[0])
    for i, (c, w, apart) in enumerate(zip(z.c_x, z.w_x, z.dilation, strict=True)):
        x = within(f"head.{i}", dilated, x, w=w, apart=apart, c=c)
    mean, deviation = pointwise(x, kind="mean", to="b c"), pointwise(x, kind="deviation", to="b c")
    x = linear(concat(mean, deviation, axis="c"), "head.vector", over="c", e=z.e)
    return linear(idle(x, weight("head.targets", e=z.e, C=z.C)), "classifier.output", over="e", e=z.e)


def quantised(x: Tensor, z: Any) -> Tensor:
    """Each frame by one of n vectors of each codebook: (c + 1)·codebooks·n + n·d_code parameters, n = codes.

    Source: Baevski et al. 2020, "wav2vec 2.0", section 2 and equation 1.
    """
    scores = linear(x, "scores", over="c", codebooks=z.codebooks, codes=z.codes)
    table = weight("vectors", kinds="embedding", codebooks=z.codebooks, codes=z.codes, p=per(z.d_code, z.codebooks))
    return merge(pointwise(scores, table, kind="choose", to="b s codebooks p"), d="codebooks p")


def contrasted(x: Tensor, heard: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Frames and what they stand for, both of width m_code: (d + d_code + 2)m_code parameters beside `quantised`."""
    x = linear(x, "hidden", m_code=z.m_code)
    return x, linear(within("quantizer", quantised, heard, z=z), "quantised", m_code=z.m_code)


def speech_heads(prefix: str, body: Body, heads: str, pretrained: Callable[..., Any] = contrasted) -> dict[str, Any]:
    """The classes that transformers builds on an encoder of speech: letters of each frame (CTC), of width V; classes.

    Parameters beside the body: Vd + V for letters; dm + m + mC + C to classify a sound, dC + C each frame; those of
    `speaker` and of what is `pretrained`.
    """
    def unshortened(f: Callable[[Tensor, Any], Tensor]) -> Callable[[Any], Tensor]:
        def run(z: Any) -> Tensor:
            if z.adapted:
                raise ModelError("add_adapter = true: transformers classifies no frames behind an adapter")
            return f(body(z)[0], z)
        return run

    def at_once(f: Callable[[Tensor, Any], Tensor]) -> Callable[[Tensor, Any], Tensor]:
        return lambda x, z: within("classifier", f, x, z=z)

    def pretraining(z: Any) -> Any:
        return within("head", pretrained, *body(z), z=z)

    made: dict[str, Callable[[Any], Any]] = {
        "ForCTC": lambda z: linear(body(z)[0], "head", V=z.V),
        "ForSequenceClassification": unshortened(at_once(classify)),
        "ForAudioFrameClassification": unshortened(at_once(classify_frames)),
        "ForXVector": unshortened(speaker),
        "ForPreTraining": pretraining,
    }
    return {f"{prefix}Model": lambda z: body(z)[0], **{prefix + head: made[head] for head in heads.split()}}
