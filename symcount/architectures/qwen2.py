"""Qwen2: the LLaMA block with biases on queries, keys and values.

The Qwen2.5 models are of this family; the text models of Qwen2-VL, Qwen2.5-VL and Qwen2.5-Omni have the same block, and
the talker of the last, which reads what its thinker says and writes codes of sounds.

Source: Yang et al. 2024, "Qwen2 technical report", table 1 and section 2.2; Qwen team 2024, "Qwen2.5 technical
report", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, HEAD_NAMES, ROTARY, decoder_keys
from symcount.hub.settling import QWEN_WINDOWS, first_global
from symcount.layers import decoder_heads, embed, linear, norm, rotary_block, windowed
from symcount.masks import Mask
from symcount.network import tensor, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


FOLLOWS = {"kv": "heads", "k": "d/heads", "L_global": "L"}
ROTATION = "rotation has no weights and is elementwise"
TALKER = decoder_keys(V=8448, d=3584, h=18944, L=28, heads=28, kv=4, k=128)


def block(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """2dk·heads + 2dk·kv + (heads + 2kv)k + 3dh + 2d parameters."""
    return rotary_block(x, z, mask, bias="query key value")


def talker(z: Any) -> Tensor:
    """Logits over codes at every position: rows of width e, as the thinker's are, and a map to d, (V + d)e + d + dV."""
    x = linear(embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.V, e=z.e)[0], "narrow", over="e", d=z.d)
    x = within("layers.local", block, x, z=z, mask=Mask(causal=True, window=z.window), runs=rest(z.L, z.L_global))
    x = within("layers.global", block, x, z=z, mask=Mask(causal=True), runs=z.L_global)
    return linear(norm(x, "norm", shift=False), "codes", bias=False, V=z.V)


def _text_model(name: str, cls: str) -> Architecture:
    """The text model of Qwen2-VL or Qwen2.5-VL, without what sees."""
    keys = decoder_keys(V=152064, d=8192, h=29568, L=80, heads=64, kv=8)
    del keys["head_dim"]
    return Architecture(
        name,
        classes={cls: lambda z: windowed(block)(z)[0]},
        sizes="window",
        follows=FOLLOWS,
        keys=keys,
        reads={**QWEN_WINDOWS, "max_window_layers": 80},
        settle=first_global,
        ignored={**ROTARY, "head_dim": "heads are d/heads wide in any case", "use_mrope": ROTATION},
        stored=DECODER_NAMES,
    )


def _qwen(count: int, *, tied: bool = False, **sizes: int) -> Published:
    return measured("Qwen2ForCausalLM", count, tied=tied, **sizes)


ARCHITECTURES = (Architecture(
    "qwen2",
    classes=decoder_heads("Qwen2", windowed(block)),
    sizes="window",
    follows=FOLLOWS,
    keys=decoder_keys(V=151936, d=4096, h=22016, L=32, heads=32, kv=32),
    reads=QWEN_WINDOWS,
    settle=first_global,
    ignored={**ROTARY, "use_mrope": ROTATION},
    stored=DECODER_NAMES,
    stored_heads=HEAD_NAMES,
    base={"": "model", "Qwen2ForQuestionAnswering": "transformer"},
    published={
        "qwen2-0.5b": _qwen(494_032_768, tied=True, V=151936, d=896, h=4864, L=24, heads=14, kv=2, k=64),
        "qwen2-1.5b": _qwen(1_543_714_304, tied=True, V=151936, d=1536, h=8960, L=28, heads=12, kv=2, k=128),
        "qwen2-7b": _qwen(7_615_616_512, V=152064, d=3584, h=18944, L=28, heads=28, kv=4, k=128),
        "qwen2-72b": _qwen(72_706_203_648, V=152064, d=8192, h=29568, L=80, heads=64, kv=8, k=128),
        "qwen2.5-0.5b": _qwen(494_032_768, tied=True, V=151936, d=896, h=4864, L=24, heads=14, kv=2, k=64),
        "qwen2.5-1.5b": _qwen(1_543_714_304, tied=True, V=151936, d=1536, h=8960, L=28, heads=12, kv=2, k=128),
        "qwen2.5-3b": _qwen(3_085_938_688, tied=True, V=151936, d=2048, h=11008, L=36, heads=16, kv=2, k=128),
        "qwen2.5-7b": _qwen(7_615_616_512, V=152064, d=3584, h=18944, L=28, heads=28, kv=4, k=128),
        "qwen2.5-14b": _qwen(14_770_033_664, V=152064, d=5120, h=13824, L=48, heads=40, kv=8, k=128),
        "qwen2.5-32b": _qwen(32_763_876_352, V=152064, d=5120, h=27648, L=64, heads=40, kv=8, k=128),
        "qwen2.5-72b": _qwen(72_706_203_648, V=152064, d=8192, h=29568, L=80, heads=64, kv=8, k=128),
        "qwq-32b": _qwen(32_763_876_352, V=152064, d=5120, h=27648, L=64, heads=40, kv=8, k=128),
        "deepseek-r1-distill-qwen-1.5b": _qwen(1_777_088_000, V=151936, d=1536, h=8960, L=28, heads=12, kv=2, k=128),
        "deepseek-r1-distill-qwen-7b": _qwen(7_615_616_512, V=152064, d=3584, h=18944, L=28, heads=28, kv=4, k=128),
        "deepseek-r1-distill-qwen-14b": _qwen(14_770_033_664, V=152064, d=5120, h=13824, L=48, heads=40, kv=8, k=128),
        "deepseek-r1-distill-qwen-32b": _qwen(32_763_876_352, V=152064, d=5120, h=27648, L=64, heads=40, kv=8, k=128),
    },
), _text_model("qwen2_vl_text", "Qwen2VLTextModel"), _text_model("qwen2_5_vl_text", "Qwen2_5_VLTextModel"),
    Architecture(
    "qwen2_5_omni_text",
    classes={"Qwen2_5OmniThinkerTextModel": lambda z: windowed(block)(z)[0]},
    sizes="window",
    follows=FOLLOWS,
    keys=decoder_keys(V=152064, d=3584, h=18944, L=28, heads=28, kv=4, tied=True),
    reads={**QWEN_WINDOWS, "sliding_window": 32768},
    settle=first_global,
    ignored={**ROTARY, "init_std": "how weights start, not how many there are"},
    stored=DECODER_NAMES,
    published={
        "qwen2.5-omni-7b-text": measured("Qwen2_5OmniThinkerTextModel", 7_070_619_136, V=152064, d=3584, h=18944, L=28,
                                         heads=28, kv=4, k=128),
        "qwen2.5-omni-3b-text": measured("Qwen2_5OmniThinkerTextModel", 3_085_938_688, V=151936, d=2048, h=11008, L=36,
                                         heads=16, kv=2, k=128),
    },
), Architecture(
    "qwen2_5_omni_talker",
    classes={"Qwen2_5OmniTalkerForConditionalGeneration": talker},
    sizes="window",
    follows={"L_global": "L"},
    keys={
        **{key: entry for key, entry in TALKER.items() if key not in ("tie_word_embeddings", "num_labels")},
        "embedding_size": ("e", 3584),
    },
    reads={**QWEN_WINDOWS, "sliding_window": 32768},
    settle=first_global,
    ignored={
        **ROTARY,
        "init_std": "how weights start, not how many there are",
        "tie_word_embeddings": "the two tables are unlike and stay two",
        **dict.fromkeys(("position_id_per_seconds", "seconds_per_chunk", "spatial_merge_size"), ROTATION),
        **dict.fromkeys(("tts_text_start_token_id", "tts_text_end_token_id", "tts_text_pad_token_id",
                         "tts_codec_start_token_id", "tts_codec_end_token_id", "tts_codec_pad_token_id",
                         "tts_codec_mask_token_id", "audio_start_token_id", "audio_end_token_id",
                         "vision_start_token_id", "vision_end_token_id",
                         *(f"{what}_token_{ending}" for what in ("audio", "image", "video")
                           for ending in ("id", "index"))), "chooses how text is generated"),
    },
    stored={
        **{ours: f"model.{theirs}" for ours, theirs in DECODER_NAMES.items()},
        "narrow": "thinker_to_talker_proj",
        "codes": "codec_head",
    },
    published={
        "qwen2.5-omni-7b-talker": measured("Qwen2_5OmniTalkerForConditionalGeneration", 1_351_360_256, V=8448, e=3584,
                                           d=896, h=18944, L=24, heads=12, kv=4, k=128),
    },
))
