"""DeepSeek: latent attention, and a mixture of many narrow experts with shared ones in all but the first layers.

Source: DeepSeek-AI 2024, "DeepSeek-V2", section 2 and appendix B; DeepSeek-AI 2024, "DeepSeek-V3", sections 2.1 and
4.2; Kimi Team 2025, "Kimi K2", table 2; Hu et al. 2024, "MiniCPM".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import (
    DECODER_NAMES,
    HEAD_NAMES,
    LATENT_IGNORED,
    LATENT_NAMES,
    ROTARY,
    ROUTED,
    expert_names,
    latent_decoder_keys,
    latent_keys,
)
from symcount.hub.settling import first_dense, listed_dense, query_rank
from symcount.layers import decoder, decoder_heads, gated, norm, residual
from symcount.layers.experts import dense_then_experts, with_shared
from symcount.layers.latent import latent_step
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.architecture import Published


def dense(x: Tensor, z: Any, *, bias: bool = False) -> Tensor:
    """Latent attention, and 3dh + 2d parameters."""
    x = latent_step(x, z)
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, bias=bias))


def moe(x: Tensor, z: Any, *, bias: bool = False, corrected: str | None = "buffer",
        scores: str = "sigmoid") -> Tensor:
    """Latent attention, and 3Ed·h_e + dE + 3d·E_s·h_e + 2d parameters, of which a token meets K/E of the experts'."""
    x = latent_step(x, z)
    return residual(x, within("mlp", with_shared, norm(x, "mlp_norm", shift=False), E=z.E, K=z.K, h=z.h_e,
                              h_s=z.E_s * z.h_e, shared_bias=bias, corrected=corrected, scores=scores))


def dense_v2(x: Tensor, z: Any) -> Tensor:
    """The same, with a bias where it is asked for."""
    return dense(x, z, bias=z.mlp_bias)


def moe_v2(x: Tensor, z: Any) -> Tensor:
    """The same, with a bias in the shared experts where it is asked for, and nothing that corrects the router."""
    return moe(x, z, bias=z.mlp_bias, corrected=None, scores="softmax")


def _settle(config: Mapping[str, Any]) -> dict[str, Any]:
    return {**query_rank(config), **first_dense(config)}


def _settle_v2(config: Mapping[str, Any]) -> dict[str, Any]:
    return {**_settle(config), "K": config["num_experts_per_tok"]}


def _settle_glm(config: Mapping[str, Any]) -> dict[str, Any]:
    listed = listed_dense(config)
    return {**query_rank(config), **(listed or {"L_dense": min(1, config["num_hidden_layers"])})}


IGNORED = {**ROTARY, **LATENT_IGNORED, **ROUTED}
EVERY_LAYER: dict[str, tuple[tuple[Any, ...], str]] = {
    "moe_layer_freq": ((1,), "transformers puts experts into every layer after the dense ones"),
    "use_mla": ((True,), "this family has no other attention"),
}
STORED = {**DECODER_NAMES, **LATENT_NAMES, **expert_names()}
TEXTS = "ForCausalLM ForSequenceClassification"


def _v2(count: int, **sizes: Any) -> Published:
    return measured("DeepseekV2ForCausalLM", count, **sizes, nope=128, rope=64, v=128, r_kv=512)


def _v3(count: int, **sizes: Any) -> Published:
    return measured("DeepseekV3ForCausalLM", count, **sizes, nope=128, rope=64, v=128, r_kv=512)


ARCHITECTURES = (
    Architecture(
        "deepseek_v3",
        classes=decoder_heads("DeepseekV3", dense_then_experts(dense, moe), TEXTS + " ForTokenClassification"),
        sizes="r_q L_dense",
        flags={"query_rank": True, "mla": "expanded"},
        keys={
            **latent_decoder_keys(V=129280, d=7168, h=18432, L=61, heads=128),
            **latent_keys(r_kv=512, nope=128, rope=64, v=128),
            "moe_intermediate_size": ("h_e", 2048),
            "n_routed_experts": ("E", 256),
            "num_experts_per_tok": ("K", 8),
            "n_shared_experts": ("E_s", 1),
            "attention_bias": ("attention_bias", False),
        },
        reads={"q_lora_rank": 1536, "first_k_dense_replace": 3},
        settle=_settle,
        aliases={"num_local_experts": "n_routed_experts", "num_mtp_layers": "num_nextn_predict_layers"},
        ignored=IGNORED,
        only=EVERY_LAYER,
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "deepseek-v3": _v3(671_026_404_352, V=129280, d=7168, h=18432, h_e=2048, L=61, L_dense=3, heads=128,
                               r_q=1536, E=256, K=8, E_s=1),
            "deepseek-r1": _v3(671_026_404_352, V=129280, d=7168, h=18432, h_e=2048, L=61, L_dense=3, heads=128,
                               r_q=1536, E=256, K=8, E_s=1),
            "kimi-k2": _v3(1_026_408_209_408, V=163840, d=7168, h=18432, h_e=2048, L=61, L_dense=1, heads=64,
                           r_q=1536, E=384, K=8, E_s=1),
            "moonlight-16b-a3b": _v3(15_960_108_544, V=163840, d=2048, h=11264, h_e=1408, L=27, L_dense=1, heads=16,
                                     query_rank=False, E=64, K=6, E_s=2),
        },
    ),
    Architecture(
        "deepseek_v2",
        classes=decoder_heads("DeepseekV2", dense_then_experts(dense_v2, moe_v2), TEXTS),
        sizes="r_q L_dense K",
        flags={"query_rank": True, "mla": "expanded"},
        keys={
            **latent_decoder_keys(V=102400, d=4096, h=11008, L=32, heads=32),
            **latent_keys(r_kv=512, nope=128, rope=64, v=128),
            "moe_intermediate_size": ("h_e", 1407),
            "n_routed_experts": ("E", 64),
            "n_shared_experts": ("E_s", 2),
            "attention_bias": ("attention_bias", False),
            "mlp_bias": ("mlp_bias", False),
        },
        reads={"q_lora_rank": 1536, "first_k_dense_replace": 0, "num_experts_per_tok": None},
        settle=_settle_v2,
        aliases={"num_experts": "n_routed_experts"},
        ignored=IGNORED,
        only=EVERY_LAYER,
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "deepseek-v2": _v2(235_741_434_880, V=102400, d=5120, h=12288, h_e=1536, L=60, L_dense=1, heads=128,
                               r_q=1536, E=160, K=6, E_s=2),
            "deepseek-v2-lite": _v2(15_706_484_224, V=102400, d=2048, h=10944, h_e=1408, L=27, L_dense=1, heads=16,
                                    query_rank=False, E=64, K=6, E_s=2),
        },
    ),
    Architecture(
        "glm4_moe_lite",
        classes=decoder_heads("Glm4MoeLite", dense_then_experts(dense, moe), "ForCausalLM"),
        sizes="r_q L_dense",
        flags={"query_rank": True, "mla": "expanded"},
        keys={
            **latent_decoder_keys(V=154880, d=2048, h=10240, L=47, heads=20),
            **latent_keys(r_kv=512, nope=192, rope=64, v=256),
            "moe_intermediate_size": ("h_e", 1536),
            "n_routed_experts": ("E", 64),
            "num_experts_per_tok": ("K", 4),
            "n_shared_experts": ("E_s", 1),
            "attention_bias": ("attention_bias", False),
        },
        reads={"q_lora_rank": 768, "mlp_layer_types": None},
        settle=_settle_glm,
        aliases={"num_local_experts": "n_routed_experts", "head_dim": "qk_rope_head_dim"},
        ignored={key: reason for key, reason in IGNORED.items() if key != "head_dim"},
        only={**EVERY_LAYER, "first_k_dense_replace": ((1,), "transformers reads mlp_layer_types instead")},
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "glm-4.7-flash": measured("Glm4MoeLiteForCausalLM", 29_943_390_976, V=154880, d=2048, h=10240, h_e=1536,
                                      L=47, L_dense=1, heads=20, r_q=768, r_kv=512, nope=192, rope=64, v=256, E=64,
                                      K=4, E_s=1),
        },
    ),
    Architecture(
        "mistral4",
        classes=decoder_heads("Mistral4", dense_then_experts(dense_v2, moe_v2), TEXTS + " ForTokenClassification"),
        sizes="r_q L_dense",
        flags={"query_rank": True, "mla": "expanded", "mlp_bias": False},
        keys={
            **latent_decoder_keys(V=131072, d=4096, h=12288, L=36, heads=32),
            **latent_keys(r_kv=256, nope=64, rope=64, v=128),
            "moe_intermediate_size": ("h_e", 2048),
            "n_routed_experts": ("E", 128),
            "num_experts_per_tok": ("K", 4),
            "n_shared_experts": ("E_s", 1),
            "attention_bias": ("attention_bias", False),
        },
        reads={"q_lora_rank": 1024, "first_k_dense_replace": 0},
        settle=_settle,
        aliases={"num_local_experts": "n_routed_experts"},
        ignored=IGNORED,
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "mistral-small-4": measured("Mistral4ForCausalLM", 118_972_826_624, V=131072, d=4096, h=12288, h_e=2048,
                                        L=36, L_dense=0, heads=32, r_q=1024, r_kv=256, nope=64, rope=64, v=128, E=128,
                                        K=4, E_s=1),
        },
    ),
    Architecture(
        "minicpm3",
        classes=decoder_heads("MiniCPM3", decoder(dense_v2), TEXTS),
        sizes="r_q",
        flags={"query_rank": True, "mla": "expanded"},
        follows={"v": "d/heads"},
        keys={
            **latent_decoder_keys(V=73448, d=2560, h=6400, L=62, heads=40, tied=True),
            **latent_keys(r_kv=256, nope=64, rope=32, v=None),
            "attention_bias": ("attention_bias", False),
            "mlp_bias": ("mlp_bias", False),
        },
        reads={"q_lora_rank": 768},
        settle=query_rank,
        ignored={
            **ROTARY,
            **LATENT_IGNORED,
            **dict.fromkeys(("scale_emb", "scale_depth", "dim_model_base"), "a factor, not a weight"),
        },
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "minicpm3-4b": measured("MiniCPM3ForCausalLM", 4_073_875_968, V=73448, d=2560, h=6400, L=62, heads=40,
                                    r_q=768, r_kv=256, nope=64, rope=32, v=64),
        },
    ),
    Architecture(
        "youtu",
        classes=decoder_heads("Youtu", decoder(dense), "ForCausalLM"),
        sizes="r_q",
        flags={"query_rank": True, "mla": "expanded"},
        keys={
            **latent_decoder_keys(V=128256, d=2048, h=6144, L=32, heads=16, tied=True),
            **latent_keys(r_kv=512, nope=128, rope=64, v=128),
            "attention_bias": ("attention_bias", False),
        },
        reads={"q_lora_rank": 1536},
        settle=query_rank,
        ignored={
            **ROTARY,
            **LATENT_IGNORED,
            "embedding_initializer_range": "how weights start, not how many there are",
        },
        stored=STORED,
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "youtu-llm-2b": measured("YoutuForCausalLM", 1_961_560_064, V=128256, d=2048, h=6144, L=32, heads=16,
                                     r_q=1536, r_kv=512, nope=128, rope=64, v=128),
        },
    ),
)
