"""X-MOD: RoBERTa whose layers end in an adapter for each language, one of which a text meets.

Source: Pfeiffer et al. 2022, "Lifting the curse of multilinguality by pre-training modular transformers", section 3;
the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_NAMES, ENCODER_ONLY, ROBERTA_HEAD_NAMES, encoder_keys
from symcount.hub.settling import number
from symcount.layers import activation, attention, dropped, mlp, norm, residual
from symcount.layers.encoder import dense_first, encoder_heads, typed
from symcount.masks import Mask
from symcount.network import contract, lookup, pointwise, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def of_language(x: Tensor, told: Tensor, name: str, *, over: str, langs: Size, **out: Size) -> Tensor:
    """The linear map of the language of each text: langs(in·out + out) parameters, in·out multiply-adds a token."""
    kernel = weight(f"{name}.weight", out=" ".join(out), langs=langs, **{over: x.axes[over]}, **out)
    bias = weight(f"{name}.bias", kinds="bias", langs=langs, **out)
    y = contract(x, lookup(told, kernel, name), to=" ".join(["b", "s", *out]), name=name)
    return pointwise(y, lookup(told, bias, f"{name}.bias"), kind="bias", name=name)


def adapter(x: Tensor, told: Tensor, z: Any) -> Tensor:
    """A bottleneck of width r_a for each language: langs(2d·r_a + r_a + d) parameters."""
    y = activation(of_language(x, told, "down", over="d", langs=z.langs, r_a=z.r_a), "gelu")
    return dropped(of_language(y, told, "up", over="r_a", langs=z.langs, d=z.d))


def once(name: str, d: Size) -> Callable[[Tensor], Tensor]:
    """A LayerNorm that is used twice in a layer: 2d parameters."""
    gain, shift = weight(f"{name}.weight", kinds="norm", d=d), weight(f"{name}.bias", kinds="norm bias", d=d)

    def normed(x: Tensor) -> Tensor:
        return pointwise(pointwise(x, gain, kind="layer_norm", name=name), shift, kind="bias", name=name)
    return normed


def block(x: Tensor, told: Tensor, z: Any, mask: Mask | None) -> tuple[Tensor, Tensor]:
    """4d² + 2dh + 9d + h parameters beside the adapters, and 2d more where these have a norm of their own."""
    y = norm(x, "attention_norm") if z.before else x
    x = residual(x, within("attention", attention, y, z=z, t=z.t, mask=mask, dropout=True))
    x = x if z.before else norm(x, "attention_norm")
    last = once("mlp_norm", z.d)
    x = residual(x, within("mlp", mlp, last(x) if z.before else x, h=z.h, dropout=True))
    y = norm(x, "adapter_norm") if z.adapter_norm else last(x) if z.again else x
    x = residual(y if z.inside else x, within("mlp.adapter", adapter, y, told, z=z))
    return x if z.before else last(x), told


def dressed(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)d + 2d parameters."""
    x, word = typed(ids, types, z)
    return dropped(x), word


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = within("embeddings", dressed, *(tensor(name, b=z.b, s=z.s) for name in ("ids", "types")), z=z)
    mask = Mask(causal=True) if z.decoder else None
    x, _ = within("layers", block, x, tensor("languages", b=z.b), z=z, mask=mask, runs=z.L)
    return norm(x, "norm") if z.before else x, word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many languages there are, and how wide their adapters."""
    told, factor = config["languages"], number(config, "adapter_reduction_factor")
    if not isinstance(told, list) or not told or not all(isinstance(one, str) for one in told):
        raise ConfigError("languages: a list of their names is needed")
    return {"langs": len(set(told)), "r_a": None if factor == 2 else config["hidden_size"] // factor}


HEADS = ("ForMaskedLM ForCausalLM ForSequenceClassification ForMultipleChoice ForTokenClassification "
         "ForQuestionAnswering")
_ADAPTERS = "encoder.layer.{i}.output.adapter_modules.{language}"

ARCHITECTURES = (Architecture(
    "xmod",
    classes=encoder_heads("Xmod", body, HEADS, classify=dense_first),
    sizes="langs r_a",
    follows={"r_a": "floor(d, 2)"},
    acts={"hidden_act": ("gelu", "mlp")},
    keys={
        **encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12),
        "pre_norm": ("before", False),
        "adapter_layer_norm": ("adapter_norm", False),
        "adapter_reuse_layer_norm": ("again", True),
        "ln_before_adapter": ("inside", True),
    },
    reads={"languages": ["en_XX"], "adapter_reduction_factor": 2},
    settle=settle,
    ignored={"default_language": "which language a text has where it does not say"},
    only=ENCODER_ONLY,
    stored={
        **BERT_NAMES,
        "layers.adapter_norm": "encoder.layer.{i}.output.adapter_layer_norm",
        "layers.mlp.adapter.down.weight": (f"{_ADAPTERS}.dense1.weight", "r_a d"),
        "layers.mlp.adapter.down.bias": (f"{_ADAPTERS}.dense1.bias", "r_a"),
        "layers.mlp.adapter.up.weight": (f"{_ADAPTERS}.dense2.weight", "d r_a"),
        "layers.mlp.adapter.up.bias": (f"{_ADAPTERS}.dense2.bias", "d"),
        "norm": "encoder.LayerNorm",
    },
    stored_heads=ROBERTA_HEAD_NAMES,
    base="roberta",
    published={
        "xmod-base": measured("XmodForMaskedLM", 852_723_858, V=250002, P=514, types=1, d=768, h=3072, L=12, heads=12,
                              langs=81),
    },
),)
