"""ERNIE 4.5: LLaMA's block, with a mixture of experts and shared ones in a range of the layers.

The text model of ERNIE 4.5-VL has a second mixture beside it, of narrower experts for images, which no text meets.

Source: Baidu 2025, "ERNIE 4.5 technical report", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import listed_dense, number
from symcount.layers import attention, decoder_heads, gated, linear, norm, residual
from symcount.layers.experts import dense_then_experts, mixture, with_shared
from symcount.masks import Mask
from symcount.network import idle, lookup, tensor, top, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def attend(x: Tensor, z: Any) -> Tensor:
    """x + attention(norm(x)): 2dk·heads + 2dk·kv + d parameters."""
    y = norm(x, "attention_norm", shift=False)
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.bias, position="rotary",
                              mask=Mask(causal=True)))


def dense(x: Tensor, z: Any) -> Tensor:
    """Attention, and 3dh + d parameters."""
    x = attend(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, bias=z.bias))


def moe(x: Tensor, z: Any) -> Tensor:
    """Attention, and 3Ed·h_e + dE + E + 3d·E_s·h_e + d parameters, of which a token meets K/E of the experts'."""
    x = attend(x, z)
    y = norm(x, "mlp_norm", shift=False)
    if z.shared:
        return residual(x, within("mlp", with_shared, y, E=z.E, K=z.K, h=z.h_e, h_s=z.E_s * z.h_e,
                                  shared_bias=z.bias, corrected="frozen"))
    return residual(x, within("mlp", mixture, y, E=z.E, K=z.K, h=z.h_e, corrected="frozen"))


def seeing(x: Tensor, z: Any) -> Tensor:
    """The same, and E narrower experts for images with a router of their own: 3Ed·h_img + dE + E parameters more."""
    x = idle(moe(x, z), weight("mlp.images.router.weight", out="E", d=z.d, E=z.E),
             weight("mlp.images.router.correction", kinds="bias", stored="frozen", E=z.E))
    chosen = top(tensor("routing", b=z.b, s=z.s, E=z.E), E=("e", z.K))
    return idle(x, *(lookup(chosen, weight(f"mlp.images.experts.{name}.weight", E=z.E, **axes), name)
                     for name, axes in (("gate", {"d": z.d, "h": z.h_img}), ("up", {"d": z.d, "h": z.h_img}),
                                        ("down", {"h": z.h_img, "d": z.d}))))


body = dense_then_experts(dense, moe)


def causal_lm(z: Any) -> Tensor:
    """Logits over the vocabulary at every position."""
    x, word = body(z)
    return linear(x, "head", bias=z.bias, w=word if z.tied else None, V=z.V)


def _settle(config: Mapping[str, Any]) -> dict[str, Any]:
    L, shared = config["num_hidden_layers"], number(config, "moe_num_shared_experts", least=0)
    start, end, interval = (number(config, f"moe_layer_{name}", least=-1)
                            for name in ("start_index", "end_index", "interval"))
    if interval < 1:
        raise ConfigError(f"moe_layer_interval = {interval}: at least 1 is needed")
    start, end = max(start, 0), L if end == -1 else min(end + 1, L)
    experts = max(end // interval - start // interval, 0)  # of the layers start + 1 … end, every interval-th
    return {"L_dense": L - experts, "E_s": shared, "shared": shared > 0}


def _settle_seeing(config: Mapping[str, Any]) -> dict[str, Any]:
    shared, widths = number(config, "moe_num_shared_experts", least=0), config["moe_intermediate_size"]
    widths = [1536, 512] if widths is None else widths
    if not isinstance(widths, list) or len(widths) != 2:
        raise ConfigError(f"moe_intermediate_size = {widths!r}: two widths, for text and for images, are needed")
    h_e, h_img = (number({"moe_intermediate_size": width}, "moe_intermediate_size") for width in widths)
    found = listed_dense(config)
    return {**(found or {"L_dense": 1}), "h_e": h_e, "h_img": h_img, "E_s": shared, "shared": shared > 0}


ARCHITECTURES = (Architecture(
    "ernie4_5_moe",
    classes={**decoder_heads("Ernie4_5_Moe", body, ""), "Ernie4_5_MoeForCausalLM": causal_lm},
    sizes="L_dense E_s",
    flags={"shared": True},
    follows={"k": "d/heads"},
    keys={
        **decoder_keys(V=103424, d=2560, h=12288, L=28, heads=20, kv=4, tied=True),
        "moe_intermediate_size": ("h_e", 1536),
        "moe_num_experts": ("E", 64),
        "moe_k": ("K", 6),
        "use_bias": ("bias", False),
    },
    reads={"moe_num_shared_experts": 2, "moe_layer_start_index": 1, "moe_layer_end_index": -1,
           "moe_layer_interval": 1},
    settle=_settle,
    aliases={"num_experts": "moe_num_experts", "num_experts_per_tok": "moe_k"},
    ignored={**ROTARY, **ROUTED, "moe_norm_min": "a constant"},
    stored={
        **DECODER_NAMES,
        **expert_names(),
        "layers.mlp.router.correction": ("layers.{i}.mlp.gate.moe_statics.e_score_correction_bias", "1 E"),
    },
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "ernie-4.5-21b-a3b": measured("Ernie4_5_MoeForCausalLM", 21_825_437_888, V=103424, d=2560, h=12288, h_e=1536,
                                      L=28, L_dense=1, heads=20, kv=4, k=128, E=64, K=6, E_s=2),
    },
), Architecture(
    "ernie4_5_vl_moe_text",
    classes={"Ernie4_5_VLMoeTextModel": lambda z: dense_then_experts(dense, seeing)(z)[0]},
    sizes="L_dense E_s h_e h_img",
    flags={"shared": True},
    follows={"k": "d/heads"},
    keys={
        **decoder_keys(V=103424, d=2560, h=12288, L=28, heads=20, kv=4, tied=True),
        "moe_num_experts": ("E", 64),
        "moe_k": ("K", 6),
        "use_bias": ("bias", False),
    },
    reads={"moe_num_shared_experts": 2, "moe_intermediate_size": None, "mlp_layer_types": None},
    settle=_settle_seeing,
    aliases={"num_experts": "moe_num_experts", "num_experts_per_tok": "moe_k"},
    ignored={**ROTARY, **ROUTED, "moe_norm_min": "a constant"},
    stored={
        **DECODER_NAMES,
        **expert_names("layers.{i}.mlp.text_moe"),
        "layers.mlp.router.correction": ("layers.{i}.mlp.text_moe.gate.moe_statics.e_score_correction_bias", "1 E"),
        "layers.mlp.shared.gate": "layers.{i}.mlp.shared_experts.gate_proj",
        "layers.mlp.shared.up": "layers.{i}.mlp.shared_experts.up_proj",
        "layers.mlp.shared.down": "layers.{i}.mlp.shared_experts.down_proj",
        "layers.mlp.images.router": "layers.{i}.mlp.vision_moe.gate",
        "layers.mlp.images.router.correction":
            ("layers.{i}.mlp.vision_moe.gate.moe_statics.e_score_correction_bias", "1 E"),
        ("layers.mlp.images.experts.gate.weight", "layers.mlp.images.experts.up.weight"):
            ("layers.{i}.mlp.vision_moe.experts.gate_up_proj", "E 2h_img d"),
        "layers.mlp.images.experts.down.weight": ("layers.{i}.mlp.vision_moe.experts.down_proj", "E d h_img"),
    },
    published={
        "ernie-4.5-vl-28b-a3b-text": measured("Ernie4_5_VLMoeTextModel", 28_624_635_776, V=103424, d=2560, h=12288,
                                              h_e=1536, h_img=512, L=28, L_dense=1, heads=20, kv=4, k=128, E=64, K=6,
                                              E_s=2),
    },
),)
