"""Counts, shares and sizes that sentences say of models: judged by hand arithmetic, or a published figure, beside each.

Of each way to say it there are right sentences, wrong ones, some by a convention, and near misses that are not judged.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from symcount.lint import inspect

D = 768
BLOCK = 12 * D * D + 13 * D                              # of GPT-2 small, with biases and norms
SHIFTS = 12 * (3 * D + D + 4 * D + D + 2 * D) + D        # all its biases, those of norms too
GPT2 = 50257 * D + 1024 * D + 12 * BLOCK + 2 * D
LLAMA = 32 * (4 * 4096**2 + 3 * 4096 * 11008)            # of LLaMA-7B, the matrices of its layers
PYTHIA = 6 * (12 * 512**2 + 13 * 512) + 2 * 512          # of Pythia-70M, without tables

SAID = [  # text, model, what is said of it: (code, severity, what it should be), None where nothing is judged
    # networks by their widths
    ("A 784-300-100-10 network has 266,610 parameters.", None, []),  # 784·300+300 + 300·100+100 + 100·10+10
    ("The 784-300-100-10 MLP has 266,200 weights.", None, []),
    ("The 784-300-100-10 MLP has 266,200 parameters.", None, [("SC201", "convention", 266_200)]),
    ("The 784-300-100-10 MLP has 784 × 300 + 300 = 235,500 parameters.", None, [("SC201", "error", 266_610)]),
    ("A 2-3-1 perceptron has 13 parameters.", None, []),
    ("There are about 0.1M parameters in a 784-128-10 perceptron.", None, []),
    ("A 784-128-10 network has 784 × 128 + 128 = 100,490 parameters.", None, [("SC101", "error", 100_480)]),
    ("A 784-128-10 network needs 101,632 multiply-adds for one image.", None, []),
    ("A 784-128-10 network needs 101,770 multiply-adds for one image.", None, [("SC201", "error", 101_632)]),
    ("Call 555-123-4567 about the network with 5,000 parameters.", None, None),
    ("A 784-128-10 network has 1,000 fewer parameters than ours.", None, None),
    ("After pruning a 784-128-10 network has 50,000 parameters.", None, None),
    ("An ensemble of ten 784-128-10 networks has 1,017,700 parameters.", None, None),
    ("A 784-128-10 network trained with LoRA has 5,000 parameters.", None, None),
    # a batch multiplies
    ("A batch of 32 through a 784-128-10 network costs 3,252,224 multiply-adds.", None, []),
    ("A batch of 32 through a 784-128-10 network costs 101,632 multiply-adds.", None, [("SC201", "error", 3_252_224)]),
    ("The forward pass of a batch of 10 costs 1,016,320 multiply-adds.", "mlp:784-128-10", []),
    ("The forward pass of a batch of 10 costs 1,016,230 multiply-adds.", "mlp:784-128-10",
     [("SC201", "error", 1_016_320)]),
    ("A batch of 7 tricks costs 500,000 multiply-adds.", "mlp:784-128-10", None),
    # a convolution by its filters and its output
    ("64 × 7 × 7 × 3 × 112 × 112 = 118,013,952 multiply-adds for 64 7 × 7 × 3 filters and a 112 × 112 output.", None,
     []),
    ("25 × 9 × 16 = 3,600 operations for sixteen 5 × 5 × 1 filters and a 3 × 3 output.", None,
     [("SC201", "convention", 3_600)]),
    ("2 × 25 × 9 × 16 = 7,200 operations for sixteen 5 × 5 × 1 filters and a 3 × 3 output.", None, []),
    ("27 × 16 = 432 multiply-adds for two 3 × 3 × 3 filters and a 4 × 4 output.", None, [("SC201", "error", 864)]),
    ("27 × 16 = 432 multiply-adds for each of two 3 × 3 × 3 filters and a 4 × 4 output.", None, None),
    # without parts
    ("Without biases, GPT-2 small has 124,337,664 parameters.", None, []),
    ("Without biases, GPT-2 small has 124,439,808 parameters.", None, [("SC201", "error", None)]),
    ("Without norms, embedding and output matrix LLaMA-7B has 6,476,005,376 parameters.", None, []),
    ("LLaMA-7B has 5,033,164,800 parameters without norms, embedding and output matrix.", None,
     [("SC201", "error", LLAMA)]),
    ("Pythia-70M has 70,426,624 parameters (18,915,328 excluding embedding and output matrix).", None, []),
    ("Pythia-70M has 70,426,624 parameters, and 18,915,238 without embedding and output matrix.", None,
     [("SC201", "error", PYTHIA)]),
    ("Pythia-70M has 70,426,642 parameters, and 18,915,328 without embedding and output matrix.", None,
     [("SC201", "error", 70_426_624)]),
    ("BERT-base has 86M parameters without the embeddings.", None, []),  # 109,482,240 − 23,837,184 = 85,645,056
    ("ResNet-50 has 25.6M parameters, and 23.5M without the classifier.", None, []),
    ("VGG-16 has 138M parameters, and 14.7M without the classifier.", None, None),  # all dense layers are meant
    ("GPT-2 small has 117M parameters without pretraining.", None, None),
    ("Without dropout GPT-2 small has 117M parameters.", None, None),
    # what is active
    ("Mixtral 8x7B has 46.7B parameters, of which 12.9B are active.", None, []),
    ("Mixtral 8x7B has 47B parameters (13B active).", None, []),
    ("Mixtral 8x7B has 46.7B parameters, of which 7B are active.", None,
     [("SC201", "error", Fraction(12_879_925_248, 10**9))]),
    ("DeepSeek-V3 has 671B parameters, with 37B activated for each token.", None,  # its report leaves a table out
     [("SC201", "convention", Fraction(36_625_603_584, 10**9))]),
    ("Mixtral 8x7B has 46.7B parameters, and 32 GB are active.", None, None),
    # labels and counts
    ("Mixtral 8x7B has 47B parameters.", None, []),
    ("Mixtral 8x7B has 45B parameters.", None, [("SC201", "error", Fraction(46_702_792_704, 10**9))]),
    ('The claim "Mixtral 8x7B has 56B parameters" adds the experts up.', None, None),
    ("GPT-2 medium has 345M parameters.", None, [("SC201", "note", Fraction(354_823_168, 10**6))]),
    ("Gemma 7B has 7B parameters.", None, [("SC201", "note", Fraction(8_537_680_896, 10**9))]),
    ("XLM-R large has 550M parameters.", None, [("SC201", "note", Fraction(560_142_482, 10**6))]),
    # layers that are counted
    ("The first convolution of VGG-16 has 3 × 3 × 3 × 64 + 64 = 1,792 parameters.", None, []),
    ("The second convolutional layer of VGG-16 has 3 × 3 × 64 × 128 + 128 = 73,856 parameters.", None,
     [("SC201", "error", 3 * 3 * 64 * 64 + 64)]),
    ("The first fully connected layer of VGG-16 has 4096 × 4096 + 4096 = 16,781,312 parameters.", None,
     [("SC201", "error", 7 * 7 * 512 * 4096 + 4096)]),
    ("The third convolution of VGG-16 has 73,728 parameters, biases left out.", None, []),
    ("The second layer has 784 × 128 + 128 = 100,480 parameters.", "mlp:784-128-10", [("SC201", "error", 1_290)]),
    ("The second convolution of ResNet-50 has 3 × 3 × 64 × 64 = 36,864 parameters.", None, []),  # blocks within blocks
    ("The first convolution of each block of VGG-16 has 128 × 3 × 3 × 256 + 256 = 295,168 parameters.", None, []),
    ("A convolution of VGG-16 has 128 × 3 × 3 × 256 + 256 = 295,168 parameters.", None, []),
    # a declared width
    ("The attention of a Transformer of width 768 has 3 × 768 × 768 = 1,769,472 parameters, biases left out.", None,
     [("SC201", "error", 4 * 768**2)]),
    ("The attention of a decoder of width 768 has 786,432 parameters.", None, None),
    ("The attention of a Transformer of width 512 with grouped queries has 3 × 512 × 512 = 786,432 parameters.", None,
     None),
    ("The QKV projection in the attention of a Transformer of width 512 has 3 × 512 × 512 = 786,432 parameters.", None,
     [("SC201", "convention", 786_432)]),
    ("The MLP of a Transformer of width 512 has 2 × 512 × 1024 = 1,048,576 parameters.", None, None),  # h is not said
    # sizes of another model
    ("The token table of Llama 3 8B has 32000 × 4096 = 131,072,000 parameters.", None, [("SC201", "error", None)]),
    ("The token table of Llama 3 8B has 128,256 × 4096 = 525,336,576 parameters.", None, []),
    ("The layers of Llama 3.1 8B have 32 × (4 × 4096² + 3 × 4096 × 11008) = 6.48B parameters.", None,
     [("SC201", "error", None)]),
    ("The MLP of one layer of Llama 2 7B has 3 × 4096 × 11008 = 135,266,304 parameters.", None, []),
    ("An extra adapter of Llama 3 8B has 4096 × 11008 = 45,088,768 parameters.", None, []),
    # sizes that a model is said to have
    ("Llama 3 8B has 32 layers, a hidden size of 4,096, 32 heads and an FFN width of 14,336.", None, []),
    ("Llama 3 8B has 32 layers, a hidden size of 4,096, 32 heads and an FFN width of 11,008.", None,
     [("SC201", "error", 14_336)]),
    ("BERT-large has 16 attention heads and a hidden size of 768.", None, [("SC201", "error", 1_024)]),
    ("T5-small has 12 layers and a width of 512.", None, []),  # six and six
    ("GPT-2 small has a vocabulary of 50,304 and 12 layers.", None, []),  # padded
    ("GPT-2 small has 144 heads and 12 layers.", None, []),  # in all layers
    ("A GPT-2 small with 8 layers and a width of 768 is trained.", None, None),
    ("Our BERT-base has 6 layers.", None, None),
    ("BERT-base has 6 layers frozen.", None, None),
    ("If GPT-2 small has 24 layers and a width of 768, it is slower.", None, None),
    # differences
    ("DistilBERT is about 40 % smaller than BERT-base.", None, []),  # 66.4M of 109.5M: 39.4 %
    ("DistilBERT is about 60 % smaller than BERT-base.", None, None),  # smaller in what?
    ("ResNet-18 has 54 % fewer parameters than ResNet-50.", None, []),  # 11.69M of 25.56M: 45.7 %
    ("ResNet-18 has 80 % fewer parameters than ResNet-50.", None, [("SC106", "error", None)]),
    ("GPT-2 XL is 12.5 times larger than GPT-2 small.", None, []),  # 1,557.6M of 124.4M
    ("ResNet-50 is 18 % faster than VGG-16.", None, None),
    # shares
    ("In GPT-2 small the MLPs hold about 45 % of the parameters.", None, []),  # 56,669,184 of 124,439,808
    ("In GPT-2 small the MLPs hold two thirds of the parameters.", None, [("SC106", "convention", None)]),
    ("In GPT-2 small the MLPs hold a quarter of the parameters.", None, [("SC106", "error", None)]),
    ("In LLaMA-7B the MLPs hold more than half of the parameters.", None, []),  # 4,328,521,728 of 6,738,415,616
    ("In LLaMA-7B attention holds over half of the parameters.", None, [("SC106", "error", None)]),
    ("In each block of GPT-2 small the MLP holds two thirds of the parameters.", None, None),
    ("In GPT-2 small the MLPs hold more than half of the parameters of a block.", None, None),
]


def test_the_numbers_are_worked_out():
    assert GPT2 == 124_439_808
    assert GPT2 - SHIFTS == 124_337_664
    assert LLAMA == 6_476_005_376
    assert PYTHIA == 18_915_328


@pytest.mark.parametrize(("text", "model", "wanted"), SAID, ids=lambda one: str(one)[:60])
def test_sentences(text, model, wanted):
    found = inspect(text, "page.md", model)
    told = [(one.code, one.severity, one.expected) for one in found if one.severity != "skipped"]
    assert told == (wanted or []), [one.message for one in found]


@pytest.mark.parametrize(("text", "model"), [(text, model) for text, model, wanted in SAID if wanted is None],
                         ids=lambda one: str(one)[:60])
def test_near_misses_are_not_judged(text, model):
    found = inspect(text, "page.md", model)
    assert {one.severity for one in found} <= {"skipped"}


@pytest.mark.parametrize("text", [text for text, _, wanted in SAID if wanted == [] and "about" not in text],
                         ids=lambda one: one[:60])
def test_changed_digits_are_noticed(text):
    """Of a right sentence that was judged, another figure is found, or its sentence is no longer judged."""
    place = max(range(len(text)), key=lambda at: (text[at].isdigit() and text[at] != "0", at))
    changed = text[:place] + str((int(text[place]) + 4) % 10) + text[place + 1:]
    models = {text: model for text, model, _ in SAID}
    assert inspect(changed, "page.md", models[text]) != inspect(text, "page.md", models[text])
