"""Which models a text names, in the spellings that people use, and what is no name."""

from __future__ import annotations

import pytest

from symcount.architectures import names
from symcount.documents.passages import Passage
from symcount.mentions import USUAL, compared, hear, mentions

GPT2 = ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl")


@pytest.mark.parametrize(("written", "meant"), [
    ("BERT Base (uncased)", "bert-base-uncased"), ("BERT-Large, Cased", "bert-large-cased"),
    ("bert-base-multilingual-cased", "bert-base-multilingual-cased"), ("RoBERTa-base", "roberta-base"),
    ("XLM-R large", "xlm-roberta-large"), ("ALBERT xlarge", "albert-xlarge-v2"),
    ("ELECTRA Base", "electra-base-discriminator"),
    ("GPT-2 small", "gpt2"), ("GPT-2 Medium", "gpt2-medium"), ("gpt2-xl", "gpt2-xl"), ("GPT2-XL", "gpt2-xl"),
    ("GPT‑2 XL", "gpt2-xl"), ("GPT-2 (124M)", "gpt2"), ("GPT-2 1.5B", "gpt2-xl"), ("GPT-2 117M", "gpt2"),
    ("GPT-J", "gpt-j-6b"), ("GPT-J 6B", "gpt-j-6b"), ("GPT-NeoX-20B", "gpt-neox-20b"), ("GPTNeoX 20B", "gpt-neox-20b"),
    ("LLaMA-7B", "llama-7b"), ("Llama 2 70B", "llama-2-70b"), ("Llama-2-70b-chat-hf", "llama-2-70b"),
    ("Llama2 13B", "llama-2-13b"), ("Llama 3 (8B)", "llama-3-8b"), ("Llama 3.1 8B", "llama-3.1-8b"),
    ("Llama 3\n8B", "llama-3-8b"), ("Llama~3 8B", "llama-3-8b"), ("Llama-3.2-1B-Instruct", "llama-3.2-1b"),
    ("Code Llama 34B", "codellama-34b"), ("TinyLlama 1.1B", "tinyllama-1.1b"),
    ("Mixtral 8x7B", "mixtral-8x7b"), ("Mixtral 8×7B", "mixtral-8x7b"), ("Mixtral-8x7B", "mixtral-8x7b"),
    ("Mistral-7B-Instruct-v0.2", "mistral-7b-v0.2"), ("Mistral 7B v0.3", "mistral-7b-v0.3"),
    ("Qwen3-4B", "qwen3-4b"), ("Qwen 2.5 7B", "qwen2.5-7b"), ("Phi-2", "phi-2"), ("Gemma 2 9B", "gemma-2-9b"),
    ("Gemma 2B", "gemma-2b"), ("DeepSeek-V3", "deepseek-v3"), ("DeepSeek V3.2", "deepseek-v3.2"),
    ("T5-small", "t5-small"), ("T5 11B", "t5-11b"), ("T5 v1.1 base", "t5-v1_1-base"), ("Flan-T5 XL", "flan-t5-xl"),
    ("Pythia-70M", "pythia-70m"), ("Pythia 6.9B", "pythia-6.9b"), ("OPT-30B", "opt-30b"),
    ("Falcon 180B", "falcon-180b"), ("Mamba-2 2.7B", "mamba2-2.7b"), ("Mamba 2.8B", "mamba-2.8b"),
    ("StableLM 2 1.6B", "stablelm-2-1_6b"),
    ("ViT-H/14", "vit-huge-patch14-224"), ("ViT-S/16", "deit-small-patch16-224"),
    ("ViT-L/16 384", "vit-large-patch16-384"), ("CLIP ViT-L/14", "clip-vit-large-patch14"),
    ("DeiT-S", "deit-small-patch16-224"), ("Swin-T", "swin-tiny-patch4-window7-224"), ("ConvNeXt-T", "convnext-tiny"),
    ("DINOv2-B", "dinov2-base"),
    ("ResNet-50", "resnet-50"), ("ResNet50", "resnet-50"), ("VGG-16", "vgg-16"), ("VGG 19", "vgg-19"),
    ("LeNet-5", "lenet-5"), ("Whisper large-v3", "whisper-large-v3"), ("whisper-tiny.en", "whisper-tiny.en"),
])
def test_a_certain_name(written, meant):
    text = f"Compare {written}, again."
    assert [(text[one.start:one.end], one.names) for one in mentions(text)] == [(written, (meant,))]


# Words of every day and angles; what may also mean another
NOT_ALONE = {"bit-50", "ctrl", "cwm", "medasr", "mvp", "gpt2", "mixtral-8x22b",
             *(name for name in names() if name[:4] in ("phi-", "s2t-", "w2v-", "a.x-", "dpr-"))}


@pytest.mark.parametrize("name", sorted(set(names()) - NOT_ALONE))
def test_every_published_name_names_itself(name):
    assert [one.names for one in mentions(f"the model {name} has")] == [(name,)]


def test_usual_names_are_published():
    assert {name for meant in USUAL.values() for name in meant.split()} <= set(names())


@pytest.mark.parametrize(("written", "meant"), [
    ("GPT-2", GPT2), ("GPT2", GPT2), ("BERT-base", ("bert-base-uncased", "bert-base-cased")),
    ("BERT$_{\\text{BASE", ("bert-base-uncased", "bert-base-cased")),
    ("BERT_LARGE", ("bert-large-uncased", "bert-large-cased")),
    ("Llama 2", ("llama-2-7b", "llama-2-13b", "llama-2-70b")), ("Llama 3", ("llama-3-8b", "llama-3-70b")),
    ("Llama 70B", ("llama-2-70b", "llama-3-70b", "llama-3.1-70b", "llama-3.3-70b")),
    ("Mistral 7B", ("mistral-7b-v0.1", "mistral-7b-v0.2", "mistral-7b-v0.3")),
    ("ResNet", ("resnet-18", "resnet-34", "resnet-50", "resnet-101", "resnet-152")),
    ("ViT-B/16", ("vit-base-patch16-224", "vit-base-patch16-384")),
])
def test_a_name_that_may_mean_several(written, meant):
    assert [one.names for one in mentions(f"A {written} is counted.")] == [meant]


@pytest.mark.parametrize(("family", "prefix"), [("BERT", "bert-"), ("LLaMA", "llama-"), ("T5", "t5-"), ("ViT", "vit-")])
def test_a_family_alone_means_all_of_it(family, prefix):
    assert set(mentions(f"the {family} paper")[0].names) == {name for name in names() if name.startswith(prefix)}


@pytest.mark.parametrize("text", [
    "python train_gpt2.py --fast", "see models/gpt2/config.json", "https://example.org/bert-base-uncased",
    "google/bert-base-uncased", "bert-base-uncased-finetuned-sst2", "load_gpt2()", "gpt2.cpp", "user@bert.org",
    "a BERT-based model", "GPT-2-like", "Sentence-BERT", "BERTology", "\\gpt2", "GPT-2/GPT-3",
    "GPT-3 175B and GPT-4", "OPT-175B", "GPT-2.5", "Llama 3.5 8B", "Llama 5", "ResNet-200", "ResNet 1001", "Qwen 7B",
    "AlexNet", "EfficientNet-B9", "PaLM 540B", "Chinchilla", "Command R+", "ViT-G/14",
    "a llama eats grass", "we opt for 30 of them", "bloom filters", "an angle phi-2 of 30 degrees", "Bert and Ernie",
    "Albert Einstein, 1905", "es regnet", "MIT B0 students", "a falcon 7 years old", "the Yi dynasty, 6 kings",
    "Helium-1", "seed 7", "flan, 4 eggs", "press CTRL", "the mvp of 2019", "bit 50 is set", "t 5", "T-5 days",
    "all of them, 6 in all", "a command R 35 cm away", "on 3 May 2021", "version 2.5.1", "layer 12", "1,024 dollars",
])
def test_what_is_no_name(text):
    assert mentions(text) == []


def test_several_names_in_order():
    text = "GPT-2 XL (1.5B) beats BERT-base uncased; ResNet-18 and ResNet-50 do not read."
    assert [one.names[0] for one in mentions(text)] == ["gpt2-xl", "bert-base-uncased", "resnet-18", "resnet-50"]


SENTENCES = "DistilGPT2 has 82M weights, GPT-2 XL 1.6B. The first is smaller than ResNet-50 by 7. Nobody has 5."


@pytest.mark.parametrize(("at", "meant"), [("82M", ("distilgpt2",)), ("1.6B", ("gpt2-xl",)), ("7", ()), ("5.", ()),
                                           ("weights", ("distilgpt2",))])
def test_the_model_of_a_sentence(at, meant):
    passage = Passage("text", 1000, SENTENCES)
    assert hear(passage).spoken(SENTENCES.index(at)) == meant


def test_the_only_name_of_a_sentence_is_meant_before_it_too():
    passage = Passage("text", 0, "Some 124M weights make up GPT-2 small.")
    assert hear(passage).spoken(5) == ("gpt2",)


def test_a_bullet_is_one_sentence():
    text = "BERT Base (uncased). It has 12 layers."
    assert hear(Passage("item", 0, text)).spoken(30) == ("bert-base-uncased",)
    assert hear(Passage("text", 0, text)).spoken(30) == ()


@pytest.mark.parametrize(("text", "is_compared"), [
    ("unlike GPT-2", True), ("40 % smaller than GPT-2", True), ("compared with the GPT-2", True),
    ("the size of GPT-2", False), ("GPT-2", False),
])
def test_comparisons(text, is_compared):
    assert compared(text, mentions(text)[0]) is is_compared


def test_a_far_mention_is_not_followed():
    text = "GPT-2 XL " + "and more " * 500
    assert hear(Passage("text", 0, text)).spoken(len(text) - 1) == ()
