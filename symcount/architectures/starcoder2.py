"""StarCoder2, Nemotron, Jais 2 and Persimmon: pre-norm decoders with LayerNorm, rotary positions and a two-matrix MLP.

Fuyu is Persimmon, with a linear map from patches of images to rows in place of a tower; here it reads text.

Source: Lozhkov et al. 2024, "StarCoder 2 and The Stack v2", table 6; Parmar et al. 2024, "Nemotron-4 15B", table 1;
Muralidharan et al. 2024, "Compact language models via pruning", table 11; Elsen et al. 2023, "Persimmon-8B".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.images import TOWER_NOTES
from symcount.hub.settling import one_window
from symcount.layers import attention, decoder, decoder_heads, mlp, norm, residual
from symcount.layers.idle import idle_map
from symcount.masks import Mask
from symcount.network import idle, within
from symcount.sizes import multiple
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


CAUSAL = Mask(causal=True)


def layer(x: Tensor, z: Any, *, attention_bias: bool, mlp_bias: bool, kind: str, mask: Mask = CAUSAL) -> Tensor:
    """2dk·heads + 2dk·kv + 2dh + 4d parameters, (heads + 2kv)k + h + 2d more with biases."""
    x = residual(x, within("attention", attention, norm(x, "attention_norm"), z=z, kv=z.kv, k=z.k, t=z.t,
                           bias=attention_bias, position="rotary", mask=mask))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, bias=mlp_bias, kind=kind))


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + (heads + 2kv)k + 2dh + 6d + h parameters; its tokens may attend to a window."""
    return layer(x, z, attention_bias=z.bias, mlp_bias=z.bias, kind="gelu_pytorch_tanh",
                 mask=Mask(causal=True, window=z.window))


def nemotron(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 2dh + 4d parameters, (heads + 2kv)k + h + 2d more with biases."""
    return layer(x, z, attention_bias=z.attention_bias, mlp_bias=z.mlp_bias, kind="relu2")


def norm_head(x: Tensor, name: str) -> Tensor:
    """A LayerNorm over the width of a head, the same for all heads: 2k parameters."""
    return norm(x, name, over="k")


def persimmon(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters, 4k more with normed queries and keys."""
    y, k = norm(x, "attention_norm"), multiple(z.k, 4)  # of half of each head, pairs are turned
    x = residual(x, within("attention", attention, y, z=z, k=k, t=z.t, position="rotary", mask=CAUSAL,
                           normed=norm_head if z.qk_norm else None))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, kind="relu2"))


HEADS = "ForCausalLM ForSequenceClassification ForTokenClassification"
TWO = {"layers.mlp.up": "layers.{i}.mlp.up_proj", "layers.mlp.down": "layers.{i}.mlp.down_proj"}
BIASED = {"attention_bias": ("attention_bias", False), "mlp_bias": ("mlp_bias", False)}
OWN_WIDTH = ("num_key_value_heads", "head_dim")


def _starcoder2(count: int, **sizes: Any) -> Published:
    return measured("Starcoder2ForCausalLM", count, V=49152, k=128, window=4096, **sizes)


def _nemotron(count: int, **sizes: int) -> Published:
    return measured("NemotronForCausalLM", count, V=256000, kv=8, **sizes)


PERSIMMON: dict[Any, Any] = {
    **DECODER_NAMES,
    ("layers.attention.query.weight", "layers.attention.key.weight", "layers.attention.value.weight"):
        "layers.{i}.self_attn.query_key_value.weight",
    ("layers.attention.query.bias", "layers.attention.key.bias", "layers.attention.value.bias"):
        "layers.{i}.self_attn.query_key_value.bias",
    "layers.attention.output": "layers.{i}.self_attn.dense",
    "layers.attention.query_norm": "layers.{i}.self_attn.q_layernorm",
    "layers.attention.key_norm": "layers.{i}.self_attn.k_layernorm",
    "layers.mlp.up": "layers.{i}.mlp.dense_h_to_4h",
    "layers.mlp.down": "layers.{i}.mlp.dense_4h_to_h",
    "norm": "final_layernorm",
}
SEEN = "text_config."  # the table of what reads words and the rows made of patches


def fuyu_body(z: Any) -> tuple[Tensor, Tensor]:
    """Persimmon, and beside it a map of patches to rows, which no text meets: c·d·patch² + d parameters more."""
    x, word = decoder(persimmon, shift=True)(z)
    return idle(x, *idle_map("embeddings.patch", {"c": z.c, "i": z.patch, "j": z.patch}, {"d": z.d}, bias=True)), word


ARCHITECTURES = (Architecture(
    "starcoder2",
    classes=decoder_heads("Starcoder2", decoder(block, shift=True), HEADS),
    sizes="window",
    follows={"k": "d/heads"},
    keys={
        **decoder_keys(V=49152, d=3072, h=12288, L=30, heads=24, kv=2, tied=True),
        "use_bias": ("bias", True),
    },
    reads={"sliding_window": None},
    settle=one_window,
    ignored={
        **ROTARY,
        "residual_dropout": "dropout has no weights",
        "embedding_dropout": "dropout has no weights",
        "attention_softmax_in_fp32": "how numbers are stored; counts are of numbers",
        "scale_attention_softmax_in_fp32": "how numbers are stored; counts are of numbers",
        "scale_attn_weights": "a constant",
    },
    only={
        "mlp_type": (("default",), "another MLP is not written for this family"),
        "norm_type": (("layer_norm",), "another norm is not written for this family"),
    },
    stored={
        **DECODER_NAMES,
        "layers.mlp.up": "layers.{i}.mlp.c_fc",
        "layers.mlp.down": "layers.{i}.mlp.c_proj",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "starcoder2-3b": _starcoder2(3_030_371_328, d=3072, h=12288, L=30, heads=24, kv=2),
        "starcoder2-7b": _starcoder2(7_173_923_840, d=4608, h=18432, L=32, heads=36, kv=4),
        "starcoder2-15b": _starcoder2(15_957_889_024, d=6144, h=24576, L=40, heads=48, kv=4, tied=False),
    },
), Architecture(
    "nemotron",
    classes=decoder_heads("Nemotron", decoder(nemotron, shift=True), HEADS + " ForQuestionAnswering"),
    follows={"kv": "heads", "k": "d/heads"},
    keys={**decoder_keys(V=256000, d=6144, h=24576, L=32, heads=48), **BIASED},
    ignored=ROTARY,
    stored={**DECODER_NAMES, **TWO},
    stored_heads=HEAD_NAMES,
    base={"": "model", "NemotronForQuestionAnswering": "transformer"},
    published={
        "minitron-4b": _nemotron(4_190_509_056, d=3072, h=9216, L=32, heads=24, k=128),
        "minitron-8b": _nemotron(8_271_699_968, d=4096, h=16384, L=32, heads=48, k=128),
        "nemotron-4-15b": _nemotron(15_628_775_424, d=6144, h=24576, L=32, heads=48, k=128),
        "nemotron-4-340b": _nemotron(341_029_195_776, d=18432, h=73728, L=96, heads=96, k=192),
    },
), Architecture(
    "jais2",
    classes=decoder_heads("Jais2", decoder(nemotron, shift=True), "ForCausalLM"),
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=150272, d=3328, h=26624, L=32, heads=26),
        "attention_bias": ("attention_bias", True),
        "mlp_bias": ("mlp_bias", True),
    },
    ignored=ROTARY,
    stored={**DECODER_NAMES, **TWO},
    stored_heads=HEAD_NAMES,
    base="model",
    published={"jais-2-8b": measured("Jais2ForCausalLM", 8_090_401_280, V=150272, d=3328, h=26624, L=32, heads=26)},
), Architecture(
    "persimmon",
    classes=decoder_heads("Persimmon", decoder(persimmon, shift=True), HEADS),
    sizes="k",
    follows={"k": "d/heads"},
    keys={
        **{key: told for key, told in decoder_keys(V=262144, d=4096, h=16384, L=36, heads=64).items()
           if key not in OWN_WIDTH},
        "qk_layernorm": ("qk_norm", True),
    },
    ignored=ROTARY,
    stored=PERSIMMON,
    stored_heads=HEAD_NAMES,
    base="model",
    published={"persimmon-8b": measured("PersimmonForCausalLM", 9_397_175_296, V=262144, d=4096, h=16384, L=36,
                                        heads=64)},
), Architecture(
    "fuyu",
    classes=decoder_heads("Fuyu", fuyu_body, "ForCausalLM"),
    sizes="k",
    follows={"k": "d/heads"},
    acts={f"{SEEN}hidden_act": ("", "")},
    keys={
        **{SEEN + key: told for key, told in decoder_keys(V=262144, d=4096, h=16384, L=36, heads=64).items()
           if key not in (*OWN_WIDTH, "tie_word_embeddings", "num_labels")},
        f"{SEEN}qk_layernorm": ("qk_norm", True),
        "tie_word_embeddings": ("tied", False),
        "num_channels": ("c", 3),
        "patch_size": ("patch", 30),
    },
    same={key: SEEN + key for key in ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers",
                                      "num_attention_heads", "qk_layernorm")},
    only={
        "text_config": ((None,), "a table is needed"),
        f"{SEEN}model_type": (("persimmon",), "another model of text is not written here"),
    },
    ignored={
        **ROTARY,
        f"{SEEN}max_position_embeddings": "rotary positions have no table",
        **{key: reason for key, reason in TOWER_NOTES.items() if key.startswith(SEEN)},
        "image_size": "an image is as many rows as it has patches",
        "image_token_id": "chooses how text is generated",
    },
    stored={
        **{ours: f"language_model.{theirs}" for ours, theirs in PERSIMMON.items()},
        "embeddings.patch": "vision_embed_tokens",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "fuyu-8b": measured("FuyuForCausalLM", 9_408_238_592, V=262144, d=4096, h=16384, L=36, heads=64, c=3, patch=30),
    },
))
