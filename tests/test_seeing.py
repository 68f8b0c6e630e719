"""Models that see: training beside PyTorch, images among words, and tables of towers that are refused."""

from __future__ import annotations

import pytest

import agreement
from symcount import ConfigError, ModelError, SizeError, flops, kv_cache, model, parameters, read_config

ROWS = {row["id"]: row for row in agreement.rows(own=True)}

# FlopCounterMode around a forward and a backward pass of the sum of all outputs, all weights trained, on the CPU with
# torch 2.13.0 and transformers 5.23.0; one image for each text. LLaVA does not read the last layer of its image tower.
TRAINING = [
    ("llava/own1/LlavaForConditionalGeneration", "2x40&img28", 13_439_872),
    ("llava/own2/LlavaModel", "2x40&img28", 11_896_832),
    ("llava/own3/LlavaForConditionalGeneration", "1x40&img28", 6_813_056),
    ("qwen3_vl/own1/Qwen3VLForConditionalGeneration", "2x40&img32", 33_763_584),
    ("qwen3_vl/own2/Qwen3VLModel", "1x40&img48", 38_711_808),
    ("qwen3_vl/own3/Qwen3VLForConditionalGeneration", "1x80&img32", 22_950_144),
    ("qwen3_vl/own4/Qwen3VLForConditionalGeneration", "2x40&img32", 34_844_928),
    ("qwen3_vl_moe/own1/Qwen3VLMoeForConditionalGeneration", "2x40&img32", 30_653_184),
    ("qwen3_vl_moe/own2/Qwen3VLMoeModel", "2x40&img32", 30_528_000),
    ("qwen3_vl_moe/own3/Qwen3VLMoeForConditionalGeneration", "2x40&img32", 30_608_640),
]


@pytest.mark.parametrize(("row", "shape", "number"), TRAINING, ids=[row for row, *_ in TRAINING])
def test_training(row, shape, number):
    sizes = agreement.sizes_of(shape)
    assert flops(agreement.row_model(ROWS[row]), phase="train", images=sizes["b"], **sizes).total == number


def test_a_count_without_images_needs_no_side():
    """Twice the weights of the text for each token, and 4·s·d for scores and mix in each layer."""
    seen = model("qwen3-vl-8b")
    s, d, k = 700, 4096, 128
    weights = 36 * (2 * d * 32 * k + 2 * d * 8 * k + 3 * d * 12288) + 151936 * d
    assert flops(seen, s=s, images=0).total == 2 * s * weights + 36 * 4 * s * s * 32 * k
    assert flops(seen, s=s, images=1).open == ["side"]


def test_a_decode_step_reads_words_alone():
    seen = model("llava-1.5-7b")
    alone = model("llama-7b:V=32064")
    assert flops(seen, phase="decode", t=1000).total == flops(alone, phase="decode", t=1000).total
    assert kv_cache(seen, t=1000).total == kv_cache(alone, t=1000).total == 2 * 32 * 1000 * 4096


def test_towers_alone_and_together():
    """336/14 = 24 patches a side; the tower is CLIP's, which has 303,507,456 parameters without its projection."""
    counted = parameters(model("llava-1.5-7b"))
    assert counted.where("image").total == 303_507_456
    assert counted.where("projector").total == 1024 * 4096 + 4096 + 4096 * 4096 + 4096
    assert counted.total == 7_063_427_072


REFUSED = [
    ({"model_type": "llava", "text_config": {"model_type": "bert"}},
     r"text_config\.model_type = 'bert' is not written as a tower of this family; supported: llama, "),
    ({"model_type": "llava", "text_config": []}, "text_config: a table is needed"),
    ({"model_type": "llava", "vision_feature_layer": [-2, -5]}, "vision_feature_layer = .* is not supported"),
    ({"model_type": "llava", "vision_feature_layer": -1}, "what is read after another layer is not written"),
    ({"model_type": "llava", "vision_feature_select_strategy": "cls"}, '"default" or "full" is needed'),
    ({"model_type": "llava", "text_config": {"model_type": "llama", "no_such_key": 1}}, "unknown key"),
    ({"model_type": "llava", "tie_word_embeddings": "no"}, "tie_word_embeddings = 'no': true or false"),
    ({"model_type": "qwen3_vl", "vision_config": {"out_hidden_size": 7}},
     r"vision_config\.out_hidden_size = 7 must be text_config\.hidden_size = 4096"),
    ({"model_type": "qwen3_vl", "vision_config": {"deepstack_visual_indexes": [3, 1], "out_hidden_size": 4096}},
     r"vision_config: deepstack_visual_indexes = \[3, 1\]"),
    ({"model_type": "qwen3_vl", "vision_config": {"deepstack_visual_indexes": [27], "out_hidden_size": 4096}},
     "numbers of layers, from 0 to 26"),
]


@pytest.mark.parametrize(("config", "said"), REFUSED)
def test_refused(config, said):
    with pytest.raises(ConfigError, match=said):
        read_config(config)


def test_a_side_that_larger_squares_do_not_fill():
    with pytest.raises(SizeError, match=r"merge\*patch = 32 does not divide side = 1,000"):
        flops(model("qwen3-vl-8b"), s=2000, images=1, side=1000)


def test_images_that_take_more_words_than_there_are():
    """An image of 336 pixels is 24 · 24 = 576 words."""
    assert flops(model("llava-1.5-7b"), s=576, images=1).total
    with pytest.raises(SizeError, match=r"is more than b\*s"):
        flops(model("llava-1.5-7b"), s=575, images=1)


def test_training_through_a_triangular_system_is_refused():
    row = agreement.row_model(ROWS["qwen3_5/own1/Qwen3_5ForConditionalGeneration"])
    with pytest.raises(ModelError, match="the gradient of a triangular system is a product that is not written"):
        flops(row, phase="train", s=40, images=0)
