"""Mixtral: the LLaMA block with a mixture of experts in place of its MLP.

Source: Jiang et al. 2024, "Mixtral of experts", table 1 and section 2.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys, measured
from symcount.layers import attention, decoder, decoder_heads, norm, residual
from symcount.layers.experts import mixture
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3Edh + dE + 2d parameters, of which a token meets K/E of the experts'."""
    y = norm(x, "attention_norm", shift=False)
    x = residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=False, position="rotary",
                           mask=Mask(causal=True)))
    return residual(x, within("mlp", mixture, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h))


ARCHITECTURES = (Architecture(
    "mixtral",
    classes=decoder_heads("Mixtral", decoder(block)),
    follows={"kv": "heads", "k": "d/heads"},
    keys={
        **decoder_keys(V=32000, d=4096, h=14336, L=32, heads=32, kv=8),
        "num_local_experts": ("E", 8),
        "num_experts_per_tok": ("K", 2),
    },
    ignored={
        **ROTARY,
        "sliding_window": "which scores are masked; all are computed",
        "output_router_logits": "chooses what is returned",
        "router_aux_loss_coef": "weighs a loss",
        "router_jitter_noise": "noise while training",
    },
    stored={
        **DECODER_NAMES,
        "layers.mlp.router": "layers.{i}.mlp.gate",
        ("layers.mlp.experts.gate.weight", "layers.mlp.experts.up.weight"):
            ("layers.{i}.mlp.experts.gate_up_proj", "E 2h d"),
        "layers.mlp.experts.down.weight": ("layers.{i}.mlp.experts.down_proj", "E d h"),
    },
    stored_heads=HEAD_NAMES,
    base={"": "model", "MixtralForQuestionAnswering": "transformer"},
    published={
        "mixtral-8x7b": measured("MixtralForCausalLM", 46_702_792_704, V=32000, d=4096, h=14336, L=32, heads=32, kv=8,
                                 E=8, K=2),
    },
),)
