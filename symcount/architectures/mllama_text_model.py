"""The text model of Llama 3.2 Vision, reading text: layers that look at images are stored, and passed over.

Source: Grattafiori et al. 2024, "The Llama 3 herd of models", section 7.2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import listed
from symcount.layers import embed, linear, norm, rotary_block
from symcount.layers.idle import idle_attention, idle_gated, idle_norm
from symcount.network import idle, tensor, weight, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.architecture import Published


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 2d parameters."""
    return rotary_block(x, z, bias=False)


def passed(x: Tensor, z: Any) -> Tensor:
    """A layer that looks at images, and does nothing without one: 2dk·heads + 2dk·kv + 2k + 3dh + 2d + 2 parameters.

    Of a text alone transformers passes these layers over, so that they are never work.
    """
    return idle(x, *idle_attention("cross", d=z.d, memory=z.d, heads=z.heads, kv=z.kv, k=z.k),
                *idle_norm("cross.query_norm", k=z.k), *idle_norm("cross.key_norm", k=z.k),
                *idle_gated("mlp", d=z.d, h=z.h), *idle_norm("attention_norm", d=z.d),
                *idle_norm("mlp_norm", d=z.d),
                *(weight(f"cross.{name}_opening", one=1) for name in ("attention", "mlp")))


def body(z: Any) -> Tensor:
    """The last hidden states; of (V + 8)d parameters for words, 8d are of what stands for images."""
    x, _ = embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.V + 8, d=z.d)
    x = within("layers.text", block, x, z=z, runs=rest(z.L, z.L_cross))
    return norm(within("layers.seeing", passed, x, z=z, runs=z.L_cross), "norm", shift=False)


def causal_lm(z: Any) -> Tensor:
    """Logits over the vocabulary at every position, never tied: dV parameters more."""
    return linear(body(z), "head", bias=False, V=z.V)


def settle(config: Mapping[str, Any]) -> dict[str, int]:
    """How many of the layers look at images."""
    named = config["cross_attention_layers"]
    named = [3, 8, 13, 18, 23, 28, 33, 38] if named is None else named
    return {"L_cross": listed({"cross_attention_layers": named}, "cross_attention_layers", config["num_hidden_layers"])}


def _llama(count: int, **sizes: int) -> Published:
    return measured("MllamaForCausalLM", count, V=128256, kv=8, k=128, **sizes)


KEYS = decoder_keys(V=128256, d=4096, h=14336, L=40, heads=32, kv=8)

ARCHITECTURES = (Architecture(
    "mllama_text_model",
    classes={"MllamaTextModel": body, "MllamaForCausalLM": causal_lm},
    sizes="L_cross k",
    follows={"k": "d/heads"},
    keys={key: entry for key, entry in KEYS.items() if key not in ("head_dim", "tie_word_embeddings", "num_labels")},
    reads={"cross_attention_layers": None},
    settle=settle,
    ignored={
        **ROTARY,
        "head_dim": "heads are d/heads wide in any case",
        "tie_word_embeddings": "the two tables are unlike and stay two",
    },
    stored={
        **DECODER_NAMES,
        "layers.cross.query": "layers.{i}.cross_attn.q_proj",
        "layers.cross.key": "layers.{i}.cross_attn.k_proj",
        "layers.cross.value": "layers.{i}.cross_attn.v_proj",
        "layers.cross.output": "layers.{i}.cross_attn.o_proj",
        "layers.cross.query_norm": "layers.{i}.cross_attn.q_norm",
        "layers.cross.key_norm": "layers.{i}.cross_attn.k_norm",
        "layers.cross.attention_opening": "layers.{i}.cross_attn_attn_gate",
        "layers.cross.mlp_opening": "layers.{i}.cross_attn_mlp_gate",
    },
    stored_heads={"head": "lm_head"},
    base="model",
    published={
        "llama-3.2-11b-vision-text": _llama(9_775_192_080, d=4096, h=14336, L=40, L_cross=8, heads=32),
        "llama-3.2-90b-vision-text": _llama(87_666_865_192, d=8192, h=28672, L=100, L_cross=20, heads=64),
    },
),)
