"""Llama 4, the text model: one expert a token beside a shared one, in every layer or in every other.

Three of four layers attend within chunks and turn by position; both change no weight and no product. Only the chosen
experts are work here; the implementation in transformers multiplies every token by all of them.
Source: Meta 2025, "The Llama 4 herd"; Touvron et al. 2023, "Llama 2", for the block.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys
from symcount.hub.settling import some_dense
from symcount.layers import attention, decoder_heads, gated, norm, residual
from symcount.layers.experts import sparse_decoder, with_shared
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def attend(x: Tensor, z: Any) -> Tensor:
    """x + attention of its norm: 2dk·heads + 2dk·kv + d parameters."""
    y = norm(x, "attention_norm", shift=False)
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.attention_bias,
                              position="rotary", mask=Mask(causal=True)))


def dense(x: Tensor, z: Any) -> Tensor:
    """With one MLP: 3dh + d parameters more."""
    x = attend(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))


def sparse(x: Tensor, z: Any) -> Tensor:
    """With experts and a shared one: 3Ed·h_e + dE + 3d·h_e + d parameters more, of the first K/E for a token."""
    x = attend(x, z)
    return residual(x, within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e,
                              h_s=z.h_e, scores="sigmoid"))


body = sparse_decoder(dense, sparse)


def dense_layers(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are dense: those that `moe_layers` does not list, or else that the step does not divide."""
    L, step, listed = config["num_hidden_layers"], config["interleave_moe_layer_step"], config["moe_layers"]
    if listed is None:
        if isinstance(step, bool) or not isinstance(step, int) or step < 1:
            raise ConfigError(f"interleave_moe_layer_step = {step!r}: a whole number of at least 1 is needed")
        return some_dense(L - L // step)
    if not isinstance(listed, list) or not all(isinstance(i, int) and not isinstance(i, bool) for i in listed):
        raise ConfigError("moe_layers: a list of layer numbers, from 0, is needed")
    return some_dense(L - len({i for i in listed if 0 <= i < L}))


def _llama4(count: int, **sizes: Any) -> Published:
    return measured("Llama4ForCausalLM", count, V=202048, d=5120, h=16384, h_e=8192, L=48, heads=40, kv=8, k=128, K=1,
                    **sizes)


ARCHITECTURES = (Architecture(
    "llama4_text",
    classes={
        "Llama4TextModel": lambda z: body(z)[0],
        "Llama4ForCausalLM": decoder_heads("Llama4", body, "ForCausalLM")["Llama4ForCausalLM"],
    },
    follows={"kv": "heads", "k": "d/heads"},
    flags={"dense": False},
    sizes="L_dense",
    keys={
        **decoder_keys(V=202048, d=5120, h=16384, L=48, heads=40, kv=8, k=128),
        "intermediate_size_mlp": ("h", 16384),
        "intermediate_size": ("h_e", 8192),
        "num_local_experts": ("E", 16),
        "num_experts_per_tok": ("K", 1),
        "attention_bias": ("attention_bias", False),
    },
    reads={"interleave_moe_layer_step": 1, "moe_layers": None},
    settle=dense_layers,
    ignored={
        **ROTARY,
        **ROUTED,
        "use_qk_norm": "a norm without weights",
        "no_rope_layers": "rotation has no weights and is elementwise",
        "no_rope_layer_interval": "rotation has no weights and is elementwise",
        "layer_types": MASKED,
        "attention_chunk_size": MASKED,
        "attn_temperature_tuning": "scales queries",
        "floor_scale": "a constant",
        "attn_scale": "a constant",
    },
    hides={"layer_types": ()},
    stored={
        **{ours: theirs.replace(".mlp.", ".feed_forward.") for ours, theirs in DECODER_NAMES.items()},
        "layers.mlp.router": "layers.{i}.feed_forward.router",
        ("layers.mlp.experts.gate.weight", "layers.mlp.experts.up.weight"):
            ("layers.{i}.feed_forward.experts.gate_up_proj", "E d 2h_e"),
        "layers.mlp.experts.down.weight": ("layers.{i}.feed_forward.experts.down_proj", "E h_e d"),
        "layers.mlp.shared.gate": "layers.{i}.feed_forward.shared_expert.gate_proj",
        "layers.mlp.shared.up": "layers.{i}.feed_forward.shared_expert.up_proj",
        "layers.mlp.shared.down": "layers.{i}.feed_forward.shared_expert.down_proj",
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "llama-4-scout-text": _llama4(107_769_861_120, E=16),
        "llama-4-maverick-text": _llama4(400_711_848_960, E=128, dense=True, L_dense=24),
    },
),)
