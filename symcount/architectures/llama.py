"""LLaMA: pre-norm decoder with RMSNorm, rotary positions, a gated MLP and (from LLaMA 2) grouped heads.

InternLM 3, IQuest Coder, Granite, ERNIE 4.5, Seed-OSS and Helium have the same block, and the text models of Emu3,
PaddleOCR-VL, Granite Docling and Granite 4 Vision.

Source: Touvron et al. 2023, "LLaMA", table 2 and section 2.2; Touvron et al. 2023, "Llama 2", section 2.2;
Grattafiori et al. 2024, "The Llama 3 herd of models", table 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import as_wide
from symcount.layers import decoder, decoder_heads, rotary_block
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.architecture import Published


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 3dh + 2d parameters when kv = heads and k = d/heads."""
    return rotary_block(x, z, bias=z.attention_bias, mlp_bias=z.mlp_bias)


def ernie_block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 2d parameters: one flag for all biases."""
    return rotary_block(x, z, bias=z.bias, mlp_bias=z.bias)


def seed_block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 2d parameters, and (heads + 2kv)k with biases: the output has a flag of its own."""
    maps = ("query key value " if z.attention_bias else "") + ("output" if z.output_bias else "")
    return rotary_block(x, z, bias=maps, mlp_bias=z.mlp_bias)


def helium_block(x: Tensor, z: Any) -> Tensor:
    """2d² + 2dk·kv + 3dh + 2d parameters: the output never has a bias."""
    return rotary_block(x, z, bias="query key value" if z.attention_bias else False, mlp_bias=z.mlp_bias)


def one_bias(config: dict[str, Any]) -> dict[str, Any]:
    """InternLM 3: one setting for the biases of attention and MLP, under two keys."""
    if config["attention_bias"] != config["mlp_bias"]:
        raise ConfigError("qkv_bias and bias must agree: transformers has no other InternLM 3")
    return {}


FOLLOWS = {"kv": "heads", "k": "d/heads"}
BIASES = {"attention_bias": ("attention_bias", False), "mlp_bias": ("mlp_bias", False)}
CAUSAL = decoder_heads("Llama", decoder(block), "ForCausalLM")
MULTIPLIERS = dict.fromkeys(("embedding_multiplier", "logits_scaling", "residual_multiplier", "attention_multiplier"),
                            "a constant")


def _llama(count: int, **sizes: Any) -> Published:
    return measured("LlamaForCausalLM", count, **sizes)


def _granite(count: int, **sizes: Any) -> Published:
    return measured("GraniteForCausalLM", count, **sizes, tied=True)


def _granite_text(name: str, cls: str, published: Mapping[str, int] | None = None, **sizes: Any) -> Architecture:
    """The text model of a Granite that sees, without what sees."""
    return Architecture(
        name,
        classes={cls: lambda z: decoder(block)(z)[0]},
        follows=FOLLOWS,
        keys={**decoder_keys(**sizes), **BIASES},
        ignored={**ROTARY, **MULTIPLIERS},
        stored=DECODER_NAMES,
        published={name: measured(cls, count, **sizes) for name, count in (published or {}).items()},
    )


ARCHITECTURES = (Architecture(
    "llama",
    classes=decoder_heads("Llama", decoder(block)),
    follows=FOLLOWS,
    keys={**decoder_keys(V=32000, d=4096, h=11008, L=32, heads=32), **BIASES},
    ignored={
        **ROTARY,
        "max_sequence_length": "rotary positions have no table",
        "rope_interleaved": "rotation has no weights and is elementwise",
        "is_llama_config": "a note about the file",
        "transformers.js_config": "a note about the file",
    },
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "LlamaForQuestionAnswering": "transformer"},
    published={
        "llama-7b": _llama(6_738_415_616, V=32000, d=4096, h=11008, L=32, heads=32),
        "llama-13b": _llama(13_015_864_320, V=32000, d=5120, h=13824, L=40, heads=40),
        "llama-30b": _llama(32_528_943_616, V=32000, d=6656, h=17920, L=60, heads=52),
        "llama-65b": _llama(65_285_660_672, V=32000, d=8192, h=22016, L=80, heads=64),
        "llama-2-7b": _llama(6_738_415_616, V=32000, d=4096, h=11008, L=32, heads=32),
        "llama-2-13b": _llama(13_015_864_320, V=32000, d=5120, h=13824, L=40, heads=40),
        "llama-2-70b": _llama(68_976_648_192, V=32000, d=8192, h=28672, L=80, heads=64, kv=8),
        "llama-3-8b": _llama(8_030_261_248, V=128256, d=4096, h=14336, L=32, heads=32, kv=8),
        "llama-3-70b": _llama(70_553_706_496, V=128256, d=8192, h=28672, L=80, heads=64, kv=8),
        "llama-3.1-8b": _llama(8_030_261_248, V=128256, d=4096, h=14336, L=32, heads=32, kv=8),
        "llama-3.1-70b": _llama(70_553_706_496, V=128256, d=8192, h=28672, L=80, heads=64, kv=8),
        "llama-3.1-405b": _llama(405_853_388_800, V=128256, d=16384, h=53248, L=126, heads=128, kv=8),
        "llama-3.2-1b": _llama(1_235_814_400, V=128256, d=2048, h=8192, L=16, heads=32, kv=8, k=64, tied=True),
        "llama-3.2-3b": _llama(3_212_749_824, V=128256, d=3072, h=8192, L=28, heads=24, kv=8, k=128, tied=True),
        "llama-3.3-70b": _llama(70_553_706_496, V=128256, d=8192, h=28672, L=80, heads=64, kv=8),
        "codellama-7b": _llama(6_738_546_688, V=32016, d=4096, h=11008, L=32, heads=32),
        "codellama-13b": _llama(13_016_028_160, V=32016, d=5120, h=13824, L=40, heads=40),
        "codellama-34b": _llama(33_743_970_304, V=32000, d=8192, h=22016, L=48, heads=64, kv=8),
        "codellama-70b": _llama(68_976_910_336, V=32016, d=8192, h=28672, L=80, heads=64, kv=8),
        "vicuna-7b-v1.5": _llama(6_738_415_616, V=32000, d=4096, h=11008, L=32, heads=32),
        "vicuna-13b-v1.5": _llama(13_015_864_320, V=32000, d=5120, h=13824, L=40, heads=40),
        "open-llama-3b": _llama(3_426_473_600, V=32000, d=3200, h=8640, L=26, heads=32),
        "tinyllama-1.1b": _llama(1_100_048_384, V=32000, d=2048, h=5632, L=22, heads=32, kv=4),
        "solar-10.7b": _llama(10_731_524_096, V=32000, d=4096, h=14336, L=48, heads=32, kv=8),
        "yi-6b": _llama(6_061_035_520, V=64000, d=4096, h=11008, L=32, heads=32, kv=4),
        "yi-9b": _llama(8_829_407_232, V=64000, d=4096, h=11008, L=48, heads=32, kv=4),
        "yi-34b": _llama(34_388_917_248, V=64000, d=7168, h=20480, L=60, heads=56, kv=8),
        "deepseek-llm-7b": _llama(6_910_365_696, V=102400, d=4096, h=11008, L=30, heads=32),
        "deepseek-llm-67b": _llama(67_425_001_472, V=102400, d=8192, h=22016, L=95, heads=64, kv=8),
        "deepseek-coder-1.3b": _llama(1_346_471_936, V=32256, d=2048, h=5504, L=24, heads=16),
        "deepseek-coder-6.7b": _llama(6_740_512_768, V=32256, d=4096, h=11008, L=32, heads=32),
        "deepseek-coder-33b": _llama(33_342_991_360, V=32256, d=7168, h=19200, L=62, heads=56, kv=8),
        "smollm-135m": _llama(134_515_008, V=49152, d=576, h=1536, L=30, heads=9, kv=3, tied=True),
        "smollm-360m": _llama(361_821_120, V=49152, d=960, h=2560, L=32, heads=15, kv=5, tied=True),
        "smollm-1.7b": _llama(1_711_376_384, V=49152, d=2048, h=8192, L=24, heads=32, tied=True),
        "smollm2-135m": _llama(134_515_008, V=49152, d=576, h=1536, L=30, heads=9, kv=3, tied=True),
        "smollm2-360m": _llama(361_821_120, V=49152, d=960, h=2560, L=32, heads=15, kv=5, tied=True),
        "smollm2-1.7b": _llama(1_711_376_384, V=49152, d=2048, h=8192, L=24, heads=32, tied=True),
        "falcon3-1b": _llama(1_669_408_768, V=131072, d=2048, h=8192, L=18, heads=8, kv=4, k=256),
        "falcon3-3b": _llama(3_227_655_168, V=131072, d=3072, h=9216, L=22, heads=12, kv=4, k=256),
        "falcon3-7b": _llama(7_455_550_464, V=131072, d=3072, h=23040, L=28, heads=12, kv=4, k=256),
        "falcon3-10b": _llama(10_305_653_760, V=131072, d=3072, h=23040, L=40, heads=12, kv=4, k=256),
        "allam-7b": _llama(7_000_559_616, V=64000, d=4096, h=11008, L=32, heads=32, k=128),
    },
), Architecture(
    "internlm3",
    classes={**CAUSAL, "InternLM3Model": CAUSAL["LlamaModel"], "InternLM3ForCausalLM": CAUSAL["LlamaForCausalLM"]},
    follows=FOLLOWS,
    keys={**decoder_keys(V=128512, d=4096, h=10240, L=48, heads=32, kv=2, k=128), **BIASES},
    settle=one_bias,
    aliases={"qkv_bias": "attention_bias", "bias": "mlp_bias"},
    ignored=ROTARY,
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "InternLM3Model": ""},
    published={
        "internlm3-8b": _llama(8_804_241_408, V=128512, d=4096, h=10240, L=48, heads=32, kv=2, k=128),
    },
), Architecture(
    "iquestcoder",
    classes={**CAUSAL, "IQuestCoderModel": CAUSAL["LlamaModel"], "IQuestCoderForCausalLM": CAUSAL["LlamaForCausalLM"]},
    follows=FOLLOWS,
    keys={**decoder_keys(V=76800, d=5120, h=27648, L=80, heads=40, kv=8, k=128), **BIASES},
    ignored={
        **ROTARY,
        "sliding_window": "read with use_sliding_window only",
        "max_window_layers": "read with use_sliding_window only",
    },
    only={
        "clip_qkv": ((None,), "transformers refuses it for this family"),
        "use_sliding_window": ((False, None), "transformers refuses it for this family"),
    },
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "IQuestCoderModel": ""},
    published={
        "iquest-coder-v1-40b": _llama(39_794_283_520, V=76800, d=5120, h=27648, L=80, heads=40, kv=8, k=128),
    },
), Architecture(
    "granite",
    classes=decoder_heads("Granite", decoder(block), "ForCausalLM"),
    follows=FOLLOWS,
    keys={**decoder_keys(V=32000, d=4096, h=11008, L=32, heads=32), **BIASES},
    ignored={**ROTARY, **MULTIPLIERS},
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "granite-3.1-2b-instruct": _granite(2_533_531_648, V=49155, d=2048, h=8192, L=40, heads=32, kv=8, k=64),
        "granite-3.1-8b-instruct": _granite(8_170_848_256, V=49155, d=4096, h=12800, L=40, heads=32, kv=8, k=128),
    },
), Architecture(
    "ernie4_5",
    classes=decoder_heads("Ernie4_5", decoder(ernie_block), "ForCausalLM"),
    follows=FOLLOWS,
    keys={
        **decoder_keys(V=103424, d=1024, h=3072, L=18, heads=16, kv=2, k=128, tied=True),
        "use_bias": ("bias", False),
    },
    ignored=ROTARY,
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "ernie-4.5-0.3b": measured("Ernie4_5ForCausalLM", 360_748_032, V=103424, d=1024, h=3072, L=18, heads=16, kv=2,
                                   k=128, tied=True),
    },
), Architecture(
    "seed_oss",
    classes=decoder_heads("SeedOss", decoder(seed_block)),
    follows=FOLLOWS,
    keys={
        **decoder_keys(V=155136, d=4096, h=27648, L=64, heads=80, kv=8, k=128),
        "attention_bias": ("attention_bias", True),
        "attention_out_bias": ("output_bias", False),
        "mlp_bias": ("mlp_bias", False),
    },
    ignored={**ROTARY, "residual_dropout": "dropout has no weights"},
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "SeedOssForQuestionAnswering": "transformer"},
    published={
        "seed-oss-36b": measured("SeedOssForCausalLM", 36_151_104_512, V=155136, d=5120, h=27648, L=64, heads=80, kv=8,
                                 k=128, attention_bias=True, output_bias=False),
    },
), Architecture(
    "helium",
    classes=decoder_heads("Helium", decoder(helium_block),
                          "ForCausalLM ForSequenceClassification ForTokenClassification"),
    follows=FOLLOWS,
    keys={**decoder_keys(V=48000, d=2560, h=7040, L=24, heads=20, kv=20, k=128), **BIASES},
    settle=as_wide,
    ignored=ROTARY,
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
    published={
        "helium-1-preview-2b": measured("HeliumForCausalLM", 2_172_643_840, V=48000, d=2560, h=7040, L=24, heads=20,
                                        kv=20),
    },
), Architecture(
    "emu3_text_model",
    classes={"Emu3TextModel": CAUSAL["LlamaModel"], "Emu3ForCausalLM": CAUSAL["LlamaForCausalLM"]},
    follows=FOLLOWS,
    keys={**decoder_keys(V=184622, d=4096, h=14336, L=32, heads=32, kv=8), **BIASES},
    ignored=ROTARY,
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base="model",
), Architecture(
    "paddleocr_vl_text",
    classes={"PaddleOCRTextModel": lambda z: decoder(ernie_block)(z)[0]},
    follows=FOLLOWS,
    keys={
        **decoder_keys(V=103424, d=1024, h=3072, L=18, heads=16, kv=2, k=128, tied=True),
        "use_bias": ("bias", False),
    },
    ignored=ROTARY,
    stored=DECODER_NAMES,
    published={
        "paddleocr-vl-text": measured("PaddleOCRTextModel", 360_748_032, V=103424, d=1024, h=3072, L=18, heads=16, kv=2,
                                      k=128),
    },
), _granite_text(
    "granite_docling_text", "GraniteDoclingTextModel", {"granite-for-docling-500m-text": 386_630_656},
    V=133800, d=1024, h=2048, L=28, heads=16, kv=4, tied=True,
), _granite_text("granite4_vision_text", "Granite4VisionTextModel", V=32000, d=4096, h=11008, L=32, heads=32))
