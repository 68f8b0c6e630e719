"""Decoders with ordinary attention and DeepSeek's mixture: many narrow experts, shared ones, and dense first layers.

Source: Huo et al. 2025, "dots.llm1 technical report", table 1; GLM-4.5 Team 2025, "GLM-4.5", table 1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import MASKED, measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, ROUTED, decoder_keys, expert_names
from symcount.hub.settling import first_dense, listed_dense
from symcount.layers import attention, decoder, decoder_heads, gated, norm, residual
from symcount.layers.attention import per_head
from symcount.layers.experts import dense_then_experts, with_shared
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Block = Callable[[Tensor, Any], Tensor]


def attend(x: Tensor, z: Any, *, bias: bool | str, normed: bool) -> Tensor:
    """x + attention(norm(x)), with rotary positions: 2dk·heads + 2dk·kv + d parameters, 2k more where normed."""
    y = norm(x, "attention_norm", shift=False)
    return residual(x, within("attention", attention, y, z=z, kv=z.kv, k=z.k, t=z.t, bias=bias, position="rotary",
                              mask=Mask(causal=True), normed=per_head if normed else None))


def dense(x: Tensor, z: Any, *, bias: bool = False) -> Tensor:
    """x + gated(norm(x)): 3dh + d parameters."""
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, bias=bias))


def moe(x: Tensor, z: Any, *, bias: bool = False) -> Tensor:
    """x + experts(norm(x)): 3Ed·h_e + dE + 3d·E_s·h_e + d parameters, of which a token meets K/E of the experts'."""
    return residual(x, within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e,
                              h_s=z.E_s * z.h_e, shared_bias=bias, corrected="buffer", scores="sigmoid"))


def dots(feed_forward: Block) -> Block:
    """A block whose queries and keys are normed."""
    return lambda x, z: feed_forward(attend(x, z, bias=z.attention_bias, normed=True), z)


def glm(feed_forward: Block) -> Block:
    """A block whose output map has no bias, and whose queries and keys are normed in the larger models only."""
    def block(x: Tensor, z: Any) -> Tensor:
        return feed_forward(attend(x, z, bias="query key value" if z.attention_bias else False, normed=z.qk_norm), z)
    return block


def hunyuan(feed_forward: Callable[..., Tensor]) -> Block:
    """The block of dots, with biases in the dense and the shared feed-forward where they are asked for."""
    return lambda x, z: feed_forward(attend(x, z, bias=z.attention_bias, normed=True), z, bias=z.mlp_bias)


def _settle_dots(config: Mapping[str, Any]) -> dict[str, Any]:
    return {**first_dense(config), "E": config["n_routed_experts"], "K": config["num_experts_per_tok"],
            "E_s": config["n_shared_experts"]}


def _settle_glm(config: Mapping[str, Any]) -> dict[str, Any]:
    k = config["head_dim"]  # the defaults, 4096 // 96, do not divide
    return {**first_dense(config), "k": config["hidden_size"] // config["num_attention_heads"] if k is None else k}


def _settle_hunyuan(config: Mapping[str, Any]) -> dict[str, Any]:
    listed = listed_dense(config)
    return listed or {"L_dense": min(1, config["num_hidden_layers"])}


STORED = {**DECODER_NAMES, **expert_names()}
IGNORED = {**ROTARY, **ROUTED}

ARCHITECTURES = (
    Architecture(
        "dots1",
        classes=decoder_heads("Dots1", dense_then_experts(dots(dense), dots(moe)), "ForCausalLM"),
        sizes="L_dense E K E_s",
        follows={"kv": "heads", "k": "d/heads"},
        keys={
            **decoder_keys(V=152064, d=4608, h=10944, L=62, heads=32, kv=32),
            "moe_intermediate_size": ("h_e", 1408),
            "attention_bias": ("attention_bias", False),
        },
        reads={"first_k_dense_replace": 0, "n_routed_experts": None, "num_experts_per_tok": None,
               "n_shared_experts": None},
        settle=_settle_dots,
        aliases={"num_local_experts": "n_routed_experts"},
        ignored={**IGNORED, **dict.fromkeys(("sliding_window", "max_window_layers", "layer_types"), MASKED)},
        hides={"sliding_window": ("null",)},
        only={"moe_layer_freq": ((1,), "transformers puts experts into every layer after the dense ones")},
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "dots.llm1": measured("Dots1ForCausalLM", 142_774_373_888, V=152064, d=4096, h=10944, h_e=1408, L=62,
                                  L_dense=1, heads=32, kv=32, E=128, K=6, E_s=2),
        },
    ),
    Architecture(
        "glm4_moe",
        classes=decoder_heads("Glm4Moe", dense_then_experts(glm(dense), glm(moe)), "ForCausalLM"),
        sizes="L_dense k",
        keys={
            **{key: entry for key, entry in decoder_keys(V=151552, d=4096, h=10944, L=46, heads=96, kv=8).items()
               if key != "head_dim"},
            "moe_intermediate_size": ("h_e", 1408),
            "n_routed_experts": ("E", 128),
            "num_experts_per_tok": ("K", 8),
            "n_shared_experts": ("E_s", 1),
            "attention_bias": ("attention_bias", False),
            "use_qk_norm": ("qk_norm", False),
        },
        reads={"first_k_dense_replace": 1, "head_dim": None},
        settle=_settle_glm,
        aliases={"num_local_experts": "n_routed_experts", "num_mtp_layers": "num_nextn_predict_layers"},
        ignored=IGNORED,
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "glm-4.5": measured("Glm4MoeForCausalLM", 352_797_814_784, V=151552, d=5120, h=12288, h_e=1536, L=92,
                                L_dense=3, heads=96, kv=8, k=128, E=160, K=8, E_s=1, attention_bias=True, qk_norm=True),
            "glm-4.5-air": measured("Glm4MoeForCausalLM", 106_852_245_504, V=151552, d=4096, h=10944, h_e=1408, L=46,
                                    L_dense=1, heads=96, kv=8, k=128, E=128, K=8, E_s=1, attention_bias=True,
                                    qk_norm=False),
        },
    ),
    Architecture(
        "glm4v_moe_text",
        classes=decoder_heads("Glm4vMoeText", dense_then_experts(glm(dense), glm(moe)), ""),
        sizes="L_dense k",
        flags={"qk_norm": False},
        keys={
            **{key: entry for key, entry in decoder_keys(V=151424, d=4096, h=10944, L=46, heads=96, kv=8).items()
               if key != "head_dim"},
            "moe_intermediate_size": ("h_e", 1408),
            "n_routed_experts": ("E", 128),
            "num_experts_per_tok": ("K", 8),
            "n_shared_experts": ("E_s", 1),
            "attention_bias": ("attention_bias", True),
        },
        reads={"first_k_dense_replace": 1, "head_dim": None},
        settle=_settle_glm,
        aliases={"num_local_experts": "n_routed_experts"},
        ignored=IGNORED,
        only={"use_qk_norm": ((False,), "the implementation norms no queries and keys")},
        stored=STORED,
    ),
    Architecture(
        "solar_open",
        classes=decoder_heads("SolarOpen", decoder(glm(moe)), "ForCausalLM"),
        flags={"qk_norm": False},
        keys={
            **{key: entry for key, entry in decoder_keys(V=196608, d=4096, h=1, L=48, heads=64, kv=8, k=128).items()
               if key != "intermediate_size"},
            "moe_intermediate_size": ("h_e", 1280),
            "n_routed_experts": ("E", 128),
            "num_experts_per_tok": ("K", 8),
            "n_shared_experts": ("E_s", 1),
            "attention_bias": ("attention_bias", False),
        },
        aliases={"num_local_experts": "n_routed_experts"},
        ignored={**IGNORED, "intermediate_size": "no layer is dense"},
        only={
            "first_k_dense_replace": ((0,), "transformers builds no dense layers"),
            "use_qk_norm": ((False,), "transformers builds no norms of queries and keys"),
        },
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "solar-open-100b": measured("SolarOpenForCausalLM", 102_651_793_408, V=196608, d=4096, h_e=1280, L=48,
                                        heads=64, kv=8, k=128, E=128, K=8, E_s=1),
        },
    ),
    Architecture(
        "hy_v3",
        classes=decoder_heads("HYV3", dense_then_experts(hunyuan(dense), hunyuan(moe)), "ForCausalLM"),
        sizes="L_dense",
        keys={
            **decoder_keys(V=120832, d=4096, h=13312, L=80, heads=64, kv=8, k=128),
            "moe_intermediate_size": ("h_e", 1536),
            "num_experts": ("E", 192),
            "num_experts_per_tok": ("K", 8),
            "num_shared_experts": ("E_s", 1),
            "attention_bias": ("attention_bias", False),
            "mlp_bias": ("mlp_bias", False),
        },
        reads={"mlp_layer_types": None},
        settle=_settle_hunyuan,
        aliases={"num_local_experts": "num_experts"},
        ignored={
            **IGNORED,
            "router_scaling_factor": "a factor, not a weight",
            "enable_moe_fp32_combine": "how numbers are stored; counts are of numbers",
        },
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
    ),
)
