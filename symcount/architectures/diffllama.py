"""DiffLlama: the LLaMA block with differential attention, one half of the heads against the other.

Source: Ye et al. 2024, "Differential transformer", section 2.1, equation 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.layers import decoder, decoder_heads, gated, linear, norm, residual
from symcount.masks import Mask
from symcount.network import cached, concat, contract, pointwise, select, weight, within
from symcount.sizes import multiple, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size

CAUSAL = Mask(causal=True)


def attend(query: Tensor, key: Tensor, value: Tensor, half: int) -> Tensor:
    """What all heads mix of one half of the values: 2b·s·t·k·heads multiply-adds."""
    scores = pointwise(contract(query, key, to="b half g q s t", name="scores", mask=CAUSAL), kind="attention_scale")
    weights = pointwise(scores, kind="softmax")
    return contract(weights, select(value, "half", half), to="b s half g q k", name="mix", mask=CAUSAL)


def balance(name: str, k: Size) -> Tensor:
    """exp of a sum of k products, element by element: 2k parameters. λ is balance 1 - balance 2 + a constant."""
    pair = weight(f"lambda_q{name}", k=k), weight(f"lambda_k{name}", k=k)
    product = pointwise(*pair, kind="multiply", name=f"product_{name}", to="")
    return pointwise(product, kind="exp", name=f"lambda_{name}")


def differential(x: Tensor, z: Any) -> Tensor:
    """output(norm(mix of one half - λ · mix of the other)), each twice as wide as a head.

    Parameters: 2dk·heads + 2dk·kv + 4k, (heads + 2kv)k + d more with biases; multiply-adds for scores and mixes:
    4b·s·t·k·heads, as transformers has it: the scores are computed anew for each half of the values.
    """
    k, g = multiple(z.k, 2), per(z.kv, 2)
    query = pointwise(linear(x, "query", bias=z.attention_bias, half=2, g=g, q=per(z.heads, z.kv), k=k), kind="rotary")
    key = pointwise(linear(x, "key", bias=z.attention_bias, half=2, g=g, k=k), kind="rotary")
    key = cached(key, "key", s=("t", z.t))
    value = cached(linear(x, "value", bias=z.attention_bias, half=2, g=g, k=k), "value", s=("t", z.t))
    both = concat(within("first", attend, query, key, value, half=0),
                  within("second", attend, query, key, value, half=1), axis="k")
    y = pointwise(select(both, "half", 1), balance("1", k), balance("2", k), kind="scale", name="weighted")
    y = pointwise(select(both, "half", 0), y, kind="subtract", name="difference")
    y = pointwise(y, kind="rms_norm", name="group_norm")
    return linear(y, "output", over="g q k", bias=z.attention_bias, d=z.d)


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 2d + 4k parameters."""
    x = residual(x, within("attention", differential, norm(x, "attention_norm", shift=False), z=z))
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


ARCHITECTURES = (Architecture(
    "diffllama",
    classes=decoder_heads("DiffLlama", decoder(block)),
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=32000, d=2048, h=8192, L=16, heads=32),
        "attention_bias": ("attention_bias", False),
    },
    ignored={**ROTARY, "lambda_std_dev": "how weights start, not how many there are"},
    stored={
        **DECODER_NAMES,
        **{f"layers.attention.lambda_{name}": f"layers.{{i}}.self_attn.lambda_{name}"
           for name in ("q1", "k1", "q2", "k2")},
    },
    stored_heads=HEAD_NAMES,
    base={"": "model", "DiffLlamaForQuestionAnswering": "transformer"},
),)
