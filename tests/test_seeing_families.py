"""Families that see: training beside PyTorch, what no image can run through, older files, masks that images change."""

from __future__ import annotations

import pytest

import agreement
from symcount import ConfigError, ModelError, SizeError, flops, model, parameters, read_config

ROWS = {row["id"]: row for row in agreement.rows(own=True)}

# As in test_seeing.py: FlopCounterMode around a forward and a backward pass of the sum of all outputs
TRAINING = [
    ("kimi_k25/own1/Kimi_K25ForConditionalGeneration", "2x40&img24", 19_079_040),
    ("qwen2_vl/own1/Qwen2VLForConditionalGeneration", "2x40&img24", 19_298_688),
    ("qwen2_5_vl/own1/Qwen2_5_VLForConditionalGeneration", "2x40&img32", 34_675_584),
    ("gemma3/own1/Gemma3ForConditionalGeneration", "2x40&img26", 16_852_992),
    ("paligemma/own1/PaliGemmaForConditionalGeneration", "2x40&img26", 17_008_512),
    ("mistral3/own2/Mistral3ForConditionalGeneration", "3x40&img30", 34_150_464),
    ("internvl/own1/InternVLForConditionalGeneration", "2x40&img24", 16_174_464),
    ("idefics3/own1/Idefics3ForConditionalGeneration", "2x40&img24", 17_008_512),
    ("smolvlm/own1/SmolVLMForConditionalGeneration", "2x40&img24", 17_008_512),
    ("llava_next/own1/LlavaNextForConditionalGeneration", "2x80&4img16", 28_629_120),
    ("llava_onevision/own1/LlavaOnevisionForConditionalGeneration", "2x80&4img16", 26_337_024),
    ("vipllava/own1/VipLlavaForConditionalGeneration", "2x40&img16", 11_734_080),
    ("aya_vision/own1/AyaVisionForConditionalGeneration", "2x40&img16", 13_246_848),
    ("cohere2_vision/own1/Cohere2VisionForConditionalGeneration", "2x40&img16", 13_246_848),
    ("glm4v/own1/Glm4vForConditionalGeneration", "2x40&img24", 24_288_000),
    ("glm4v_moe/own1/Glm4vMoeForConditionalGeneration", "2x40&img24", 23_980_800),
    ("got_ocr2/own1/GotOcr2ForConditionalGeneration", "2x40&img28", 25_010_928),
]


@pytest.mark.parametrize(("row", "shape", "number"), TRAINING, ids=[row for row, *_ in TRAINING])
def test_training(row, shape, number):
    subject = agreement.row_model(ROWS[row])
    assert flops(subject, phase="train", **agreement.run_of(shape, subject)).total == number


@pytest.mark.parametrize("kind", ["llama4", "gemma3", "idefics3", "smolvlm"])
def test_no_image_runs_through_the_class_defaults(kind):
    """Their towers do not fit what reads them: 768 · 2² is not 5632, 14 patches a side are less than 16 tokens."""
    subject = read_config({"model_type": kind})
    assert parameters(subject).total
    assert flops(subject, s=1000, images=0).total
    with pytest.raises(SizeError, match="images = 1 is not 0; the widths of its towers do not fit, so no image"):
        flops(subject, s=1000, images=1)


def test_keys_of_the_text_may_stand_beside_the_tower():
    text = {"vocab_size": 151936, "hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28,
            "num_attention_heads": 12, "num_key_value_heads": 2}
    whole = {"model_type": "qwen2_vl", "architectures": ["Qwen2VLForConditionalGeneration"],
             "tie_word_embeddings": True, "vision_config": {"hidden_size": 1536, "in_chans": 3}}
    older, newer = read_config({**whole, **text}), read_config({**whole, "text_config": text})
    assert parameters(older).total == parameters(newer).total == parameters(model("qwen2-vl-2b")).total


def test_windows_that_do_not_fill_an_image():
    """Windows of 8 × 8 patches of 14 pixels: 112 pixels a side."""
    assert flops(model("qwen2.5-vl-7b"), s=700, images=1, side=448).total
    with pytest.raises(SizeError, match="does not divide"):
        flops(model("qwen2.5-vl-7b"), s=700, images=1, side=420)


def test_tokens_that_see_both_ways_are_no_causal_pairs():
    for name in ("gemma-3-4b", "paligemma-3b-224"):
        with pytest.raises(ModelError, match="so causal cannot say how many pairs of tokens meet"):
            flops(model(name), "causal", s=700, images=1)
        assert flops(model(name), "causal", phase="decode", t=700).total


def test_an_image_costs_what_its_tower_and_its_map_cost():
    """SigLIP on 16 · 16 patches: 27 layers of 4d² + 2dh weights and 2 · 256 · d a token, patches, a map to 2048."""
    seen, n, d, h = model("paligemma-3b-224"), 256, 1152, 4304
    tower = n * (588 * d + 27 * (4 * d * d + 2 * d * h + 2 * n * d) + d * 2048)
    assert flops(seen, s=800, images=3).total - flops(seen, s=800, images=0).total == 3 * 2 * tower


REFUSED = [
    ({"model_type": "llama4", "vision_config": {"pixel_shuffle_ratio": 0.3}}, "one over a whole number is needed"),
    ({"model_type": "llama4", "vision_config": {"projector_input_dim": 7}}, "must be equal"),
    ({"model_type": "kimi_k25", "projection_hidden_size": 7}, "must be vision_config.hidden_size = 1152"),
    ({"model_type": "kimi_k25", "vision_config": {"vt_hidden_size": 7}}, "repeats vision_config.hidden_size"),
    ({"model_type": "kimi_k25", "vision_config": {"pos_emb_width": 7}}, "reads the table as a square"),
    ({"model_type": "paligemma", "projection_dim": 7}, "must be text_config.hidden_size = 2048"),
    ({"model_type": "mistral3", "vision_feature_layer": -2}, "what is read after another layer is not written"),
    ({"model_type": "internvl", "vision_config": {"image_size": [448, 224]}}, "or the same one twice, is needed"),
    ({"model_type": "internvl", "vision_config": {"norm_type": "none"}}, '"layer_norm" or "rms_norm" is needed'),
    ({"model_type": "vipllava", "vision_feature_layer": [-1, 3]}, "is not the one before the last"),
    ({"model_type": "vipllava", "vision_feature_layer": [99]}, "numbers of layers, from -25 to 24, are needed"),
    ({"model_type": "llava_next", "vision_feature_select_strategy": "full"}, "there is no square"),
]


@pytest.mark.parametrize(("config", "said"), REFUSED)
def test_refused(config, said):
    with pytest.raises(ConfigError, match=said):
        read_config(config)
