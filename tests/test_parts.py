"""Labelled numbers judged: by hand arithmetic, published counts, and random sizes beside formulas written out here."""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction
from functools import lru_cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symcount import model
from symcount.parts import judge, known_total
from symcount.parts.amounts import counts
from symcount.parts.words import LONGEST, phrases, read

Manner = namedtuple("Manner", "biases norms tied gated flop_per_mac bias_vectors bytes_per_value", defaults=[None] * 7)
SILENT = Manner()
made = lru_cache(model)

TRAINER = "gpt2:V=50304,d=512,L=8,heads=8,P=512,h=2048"
LECTURE = "gpt2:V=32000,d=1024,L=24,heads=16,P=2048,h=4096,s=2048"
SLIDES = "deit-small-patch16-224"  # what slides call ViT-S/16
ANSWER = "bert:V=40000,d=768,L=8,heads=8,h=3072,P=512,types=2"
DRESSED = Manner(biases=True, norms=True, tied=True)
DOUBLE = Manner(biases=False, flop_per_mac=2)
BARE = Manner(biases=False, norms=False)


def say(label, unit, value, spec, manner=SILENT, place=1):
    return judge(label, unit, Fraction(value), Fraction(place), made(spec), manner)


RIGHT = [  # label, unit, value, model, manner: every value is worked out by hand or published
    ("token table", "parameter", 50304 * 512, TRAINER, DRESSED),
    ("position table", "parameter", 512 * 512, TRAINER, DRESSED),
    ("QKV (per block)", "parameter", 512 * 1536 + 1536, TRAINER, DRESSED),
    ("attention output (per block)", "parameter", 512 * 512 + 512, TRAINER, DRESSED),
    ("FFN up (per block)", "parameter", 512 * 2048 + 2048, TRAINER, DRESSED),
    ("FFN down (per block)", "parameter", 2048 * 512 + 512, TRAINER, DRESSED),
    ("LayerNorms (per block)", "parameter", 2 * 2 * 512, TRAINER, DRESSED),
    ("one block", "parameter", 12 * 512**2 + 13 * 512, TRAINER, DRESSED),
    ("eight blocks", "parameter", 8 * (12 * 512**2 + 13 * 512), TRAINER, DRESSED),
    ("3 blocks", "parameter", 3 * (12 * 512**2 + 13 * 512), TRAINER, DRESSED),
    ("final LayerNorm", "parameter", 1024, TRAINER, DRESSED),
    ("total", "parameter", 51_237_888, TRAINER, DRESSED),
    ("The three input projections cost", "flop", 2 * 3 * 1024**2, LECTURE, DOUBLE),
    ("the output projection costs", "flop", 2 * 1024**2, LECTURE, DOUBLE),
    ("weighted sum of the values", "flop", 2 * 2048 * 1024, LECTURE, DOUBLE),
    ("score products", "flop", 2 * 2048 * 1024, LECTURE, DOUBLE),
    ("FFN", "flop", 16 * 1024**2, LECTURE, DOUBLE),
    ("F_layer", "flop", 24 * 1024**2 + 4 * 2048 * 1024, LECTURE, DOUBLE),
    ("Logits", "flop", 2 * 1024 * 32000, LECTURE, DOUBLE),
    ("Forward pass", "flop", 24 * (24 * 1024**2 + 4 * 2048 * 1024) + 2 * 1024 * 32000, LECTURE, DOUBLE),
    ("one training token", "flop", 3 * 870_842_368, LECTURE, DOUBLE),
    ("First LSTM", "parameter", 4 * ((100 + 128) * 128 + 128), "lstm:d=100,m=128", Manner(bias_vectors=1)),
    ("Second LSTM", "parameter", 49_408, "lstm:d=128,m=64", Manner(bias_vectors=1)),
    ("LSTM", "parameter", 4 * ((100 + 128) * 128 + 2 * 128), "lstm:d=100,m=128", Manner(bias_vectors=2)),
    ("Embedding", "parameter", 4_000_000, "embedding:V=40000,d=100", SILENT),
    ("Dense", "parameter", 64 + 1, "dense:d=64,m=1", SILENT),
    ("KV cache per token", "byte", 2 * 80 * 8 * 128 * 2, "llama-2-70b", Manner(bytes_per_value=2)),
    ("KV cache per token", "byte", 2 * 80 * 8 * 128 * 2, "llama-2-70b", SILENT),
    ("KV cache", "byte", 2**30, "llama-3-8b:t=8192", Manner(bytes_per_value=2)),
    ("weights", "byte", 2 * 8_030_261_248, "llama-3-8b", Manner(bytes_per_value=2)),
    ("patch embedding", "parameter", 16 * 16 * 3 * 384 + 384, SLIDES, SILENT),
    ("class token", "parameter", 384, SLIDES, SILENT),
    ("positions", "parameter", 197 * 384, SLIDES, SILENT),
    ("one block", "parameter", 12 * 384**2 + 13 * 384, SLIDES, SILENT),
    ("twelve blocks", "parameter", 21_293_568, SLIDES, SILENT),
    ("final norm", "parameter", 768, SLIDES, SILENT),
    ("head", "parameter", 384 * 1000 + 1000, SLIDES, SILENT),
    ("total", "parameter", 22_050_664, SLIDES, SILENT),
    ("and the MLPs", "parameter", 32 * 3 * 4096 * 11008, "llama-7b", SILENT),
    ("Total", "parameter", 6_738_415_616, "llama-7b", SILENT),
    ("W_K, W_V each", "parameter", 4096 * 8 * 128, "llama-3-8b", SILENT),
    ("attention", "parameter", 2 * 4096**2 + 2 * 4096 * 1024, "llama-3-8b", SILENT),
    ("layer", "parameter", 218_112_000, "llama-3-8b", SILENT),
    ("Embedding and output matrix are", "parameter", 128_256 * 4096, "llama-3-8b", SILENT),
    ("Token Embedding Params", "parameter", 40_000 * 768, ANSWER, BARE),
    ("Segment Embedding Params", "parameter", 2 * 768, ANSWER, BARE),
    ("Total Embedding Params", "parameter", 31_114_752, ANSWER, BARE),
    ("Attention Params", "parameter", 4 * 768**2, ANSWER, BARE),
    ("Layer 1", "parameter", 784 * 128 + 128, "mlp:784-128-10", SILENT),
    ("The forward pass for one example", "multiply-add", 101_632, "mlp:784-128-10", SILENT),
    ("experts per layer", "parameter", 8 * 3 * 4096 * 14336, "mixtral-8x7b", SILENT),
    ("one expert", "parameter", 3 * 4096 * 14336, "mixtral-8x7b", SILENT),
    ("router", "parameter", 4096 * 8, "mixtral-8x7b", SILENT),
    ("active parameters", "parameter", 12_879_925_248, "mixtral-8x7b", SILENT),
    ("encoder layer", "parameter", 4 * 512**2 + 2 * 512 * 2048 + 2 * 512, "t5-small", SILENT),
    ("decoder layer", "parameter", 8 * 512**2 + 2 * 512 * 2048 + 3 * 512, "t5-small", SILENT),
    ("cross-attention per layer", "parameter", 4 * 512**2, "t5-small", SILENT),
    ("embedding", "parameter", 256_000 * 2048, "gemma-2b", SILENT),
    ("FFN (per layer)", "parameter", 3 * 2048 * 16384, "gemma-2b", SILENT),
    ("stem", "parameter", 7 * 7 * 3 * 64, "resnet-50", SILENT),
    ("classifier", "parameter", 2048 * 1000 + 1000, "resnet-50", SILENT),
    ("total", "parameter", 25_557_032, "resnet-50", SILENT),
]


@pytest.mark.parametrize(("label", "unit", "value", "spec", "manner"), RIGHT, ids=lambda one: str(one)[:40])
def test_right(label, unit, value, spec, manner):
    found = say(label, unit, value, spec, manner)
    assert (found.verdict, found.expected) == ("right", value), found


WRONG = [  # label, unit, printed, what it should be, model, manner, words of the explanation
    ("FFN down (per block)", "parameter", 1_050_624, 2048 * 512 + 512, TRAINER, DRESSED,
     "mlp.down maps 2,048 to 512, so its bias has 512 entries, not 2,048: 2,048 × 512 + 512 = 1,049,088"),
    ("one block", "parameter", 3_153_920, 12 * 512**2 + 13 * 512, TRAINER, DRESSED, "its bias has 512 entries"),
    ("total", "parameter", 51_250_176, 51_237_888, TRAINER, DRESSED, "its bias has 512 entries"),
    ("FFN", "flop", 8 * 1024**2, 16 * 1024**2, LECTURE, DOUBLE, "these are multiply-adds; with 2 FLOPs each"),
    ("First LSTM: four gates, each reads 100 inputs and 128 old states", "parameter", 116_864, 117_248,
     "lstm:d=100,m=128", Manner(bias_vectors=1), "each of the 4 gates has a bias of its own, 4 × 128 = 512 numbers"),
    ("LSTM layer", "parameter", 4 * (128 * 128 + 128), 131_584, "lstm:d=128,m=128", SILENT,
     "layer.input.weight, 65,536, is missing"),
    ("KV cache per token", "byte", 2 * 80 * 64 * 128 * 2, 327_680, "llama-2-70b", Manner(bytes_per_value=2),
     "the 8 key-value heads, not all 64 query heads: 327,680 bytes"),
    ("KV cache per token", "byte", 79 * 4096, 327_680, "llama-2-70b", Manner(bytes_per_value=2), "one of 80 layers is"),
    ("positions", "parameter", 196 * 384, 75_648, SLIDES, SILENT,
     "the class token has a position too, 197 × 384 = 75,648"),
    ("positions", "", 196 * 384, 75_648, SLIDES, SILENT, "the class token"),
    ("total", "parameter", 22_050_280, 22_050_664, SLIDES, SILENT, "the class token has a position too"),
    ("Attention Params", "parameter", 3 * 768**2, 4 * 768**2, ANSWER, BARE, "attention.output, 589,824, is missing"),
    ("multi-head attention", "parameter", 786_432, 1_048_576, "attention:d=512,heads=8", Manner(biases=False),
     "attention.output, 262,144, is missing"),
    ("MLP (per layer)", "parameter", 2 * 4096 * 11008, 3 * 4096 * 11008, "llama-7b", SILENT, "mlp.gate, 45,088,768,"),
    ("32 layers", "parameter", 31 * 202_383_360, 32 * 202_383_360, "llama-7b", SILENT, "one of 32 layers is missing"),
    ("one block", "parameter", 12 * 512**2 + 15 * 512, 12 * 512**2 + 13 * 512, TRAINER, DRESSED,
     "attention_norm, 1,024, is counted twice"),
    ("Forward pass", "flop", 24 * (22 * 1024**2 + 4 * 1500 * 1024) + 65_536_000,
     24 * (24 * 1024**2 + 4 * 1500 * 1024) + 65_536_000, LECTURE.replace("s=2048", "s=1500"), DOUBLE,
     "attention.output, 50,331,648, is missing"),
    ("token table", "parameter", 25_755_848, 50304 * 512, TRAINER, DRESSED, "a digit is another in 25,755,648"),
    ("cross-attention per layer", "parameter", 3 * 512**2, 4 * 512**2, "t5-small", SILENT, "cross.output, 262,144, is"),
    ("FFN per layer", "parameter", 2 * 2048 * 16384, 3 * 2048 * 16384, "gemma-2b", SILENT, "mlp.gate, 33,554,432, is"),
]


@pytest.mark.parametrize(("label", "unit", "value", "true", "spec", "manner", "words"), WRONG,
                         ids=lambda one: str(one)[:40])
def test_wrong(label, unit, value, true, spec, manner, words):
    found = say(label, unit, value, spec, manner)
    assert (found.verdict, found.expected) == ("wrong", true), found
    assert words in found.says


CONVENTIONS = [  # label, unit, value, place, model, manner, the name of the convention
    ("one forward pass", "flop", 4_600_000_000, 10**8, SLIDES, SILENT, "as multiply-adds"),
    ("multiply-adds for one token", "multiply-add", 6_610_000_000, 10**7, "llama-7b", SILENT, "without the attention"),
    ("total", "parameter", 124_337_664, 1, "gpt2", Manner(biases=False), "norms that have no shift"),
    ("total", "parameter", 163_037_184, 1, "gpt2", SILENT, "with a head of its own"),
    ("total", "parameter", 163_009_536, 1, "gpt2", SILENT, "without biases of query, key and value"),
    ("total", "parameter", 123_653_376, 1, "gpt2", SILENT, "without the position table"),
    ("total", "parameter", 13_016_268_800, 1, "llama-13b", SILENT, "with shifts and without the last norm"),
    ("FFN per layer", "parameter", 4_723_968, 1, "bert-base-uncased", SILENT, "with its norm"),
    ("attention", "parameter", 4 * 768**2, 1, "bert-base-uncased", SILENT, "without biases"),
    ("LSTM", "parameter", 4 * ((100 + 128) * 128 + 2 * 128), 1, "lstm:d=100,m=128", SILENT, "with two bias vectors"),
    ("LSTM", "parameter", 2 * 117_248, 1, "lstm:d=100,m=128", SILENT, "in both directions"),
    ("MLP", "parameter", 2 * 3 * 4096 * 14336 + 8 * 4096, 1, "mixtral-8x7b:L=1", SILENT, "the chosen experts alone"),
    ("KV cache per token", "byte", 163_840, 1, "llama-2-70b", Manner(bytes_per_value=2), "at 1 byte each"),
    ("forward pass", "flop", 24 * 24 * 1024**2 + 2 * 1024 * 32000, 1, LECTURE, DOUBLE, "without attention scores"),
]


@pytest.mark.parametrize(("label", "unit", "value", "place", "spec", "manner", "name"), CONVENTIONS,
                         ids=lambda one: str(one)[:40])
def test_conventions_are_named(label, unit, value, place, spec, manner, name):
    found = say(label, unit, value, spec, manner, place)
    assert found.verdict == "convention", found
    assert name in found.says
    assert abs(found.expected - value) <= Fraction(place, 2)


UNJUDGED = [  # label, unit, value, place, model: other things, or labels that are not sure
    ("Every new token is compared with all T keys", "flop", 4_194_304, 1, LECTURE),
    ("Total per Layer", "parameter", 6_494_208, 1, ANSWER),  # two slips, which together look like a third
    ("FLOPs per token", "flop", 25_165_824, 1, "bert-base-uncased"),
    ("second LSTM", "parameter", 49_408, 1, "lstm:d=100,m=128"),
    ("heads", "", 2_621_440, 1, "llama-2-70b"),
    ("64 query heads", "", 64, 1, "llama-2-70b"),
    ("FFN width", "", 2048, 1, TRAINER),
    ("FFN up", "", 2048, 1, TRAINER),
    ("positions", "", 512, 1, TRAINER),
    ("attention", "", Fraction(702, 10), Fraction(1, 10), TRAINER),
    ("attention", "byte", 3_153_920, 1, TRAINER),
    ("KV cache with MHA per token", "byte", 2_621_440, 1, "llama-2-70b"),
    ("KV cache per token without grouping", "byte", 2_621_440, 1, "llama-2-70b"),
    ("one block", "parameter", 1_050_624, 1, TRAINER),  # of a part, beside words of the whole
    ("total", "parameter", 262_144, 1, TRAINER),
    ("layer", "parameter", 202_375_168, 1, "llama-3.1-8b"),  # of another model of the family
    ("FFN down of the BERT encoder", "parameter", 1_050_624, 1, TRAINER),
    ("FFN down if it were wider", "parameter", 1_050_624, 1, TRAINER),
    ("output projection", "parameter", 512 * 513 + 1, 1, TRAINER),
    ("positions", "parameter", 197 * 384, 1, "llama-7b"),
    ("FFN", "flop", 8 * 1024**2, 1, LECTURE),
    ("experts per layer", "parameter", 8 * 2 * 4096 * 14336, 1, "mixtral-8x7b"),  # with a router, or without
    ("", "parameter", 1_050_624, 1, TRAINER),
    ("∑ ∂ — 5 × 5", "", 1_050_624, 1, TRAINER),
    ("prices in 2024", "", 1_050_624, 1, TRAINER),
    ("x" * 100_000, "parameter", 1_050_624, 1, TRAINER),
]


@pytest.mark.parametrize(("label", "unit", "value", "place", "spec"), UNJUDGED, ids=lambda one: str(one)[:40])
@pytest.mark.parametrize("manner", [SILENT, Manner(bytes_per_value=2, bias_vectors=1)], ids=["silent", "told"])
def test_what_is_not_sure_is_not_wrong(label, unit, value, place, spec, manner):
    assert say(label, unit, value, spec, manner, place).verdict not in ("wrong", "note")


CLEAN = [  # model, and a text without a slip: its numbers are judged with any words beside them, in any unit
    ("llama-3-8b", """Each of the 32 layers has query and output matrices of 16,777,216 weights and key and value
    matrices of 4,194,304 , so attention takes 41,943,040 ; the MLP has 176,160,768 and two norms 8,192 : a layer has
    218,112,000 in all. All layers hold 6,979,584,000 , embedding and head 525,336,576 each, the last norm 4,096 .
    In total there are 8,030,261,248 parameters. The cache needs 131,072 bytes for a token of context."""),
    ("llama-2-70b", """With one key and one value for each of 64 heads, the KV cache per token would be 2,621,440 bytes;
    the 8 heads that there are make it 327,680 . Dense attention would need 268,435,456 weights, grouped
    150,994,944 ."""),
    ("gpt2", """On 14 February 2019 the first of 4 models came out: 12 layers, 768 wide, 50,257 tokens. The word table
    has 38,597,376 , the position table 786,432 . A block has 7,087,872 : attention 2,362,368 , FFN 4,722,432 and norms
    3,072 . A machine costs 12,500 dollars, and 1,000,000 tokens cost 2,400 ; the total bill was 1,234,567 dollars."""),
    (LECTURE, """| part | weights | FLOPs | | attention | 4,194,304 | 8,388,608 | | FFN | 8,388,608 | 16,777,216 |
    | scores and mix | 0 | 8,388,608 | | layer | 12,582,912 | 33,554,432 | for one token of 2,048 ."""),
    ("bert-base-uncased", """BERT is trained on 3,300,000,000 words in 1,000,000 steps of 131,072 tokens. Its encoder
    has 85,054,464 of the 109,482,240 parameters, its embeddings 23,837,184 , and the pooler 590,592 . Accuracy: 84,600
    of 100,000 . A layer of 7,087,872 : 2,363,904 for attention and its norm, 4,723,968 for the FFN and its norm."""),
]


@pytest.mark.parametrize(("spec", "text"), CLEAN, ids=lambda one: one[:20])
def test_clean_texts_are_silent(spec, text):
    """Windows of up to six words before a number, and of four behind it; a wrong unit alone may lead astray."""
    words = text.split()
    judged = 0
    for i, word in enumerate(words):
        if not word.replace(",", "").isdigit():
            continue
        spans = [words[j:j + n] for j in range(max(0, i - 8), i) for n in range(1, 7) if j + n <= i]
        spans += [words[i + 1:i + 1 + n] for n in range(1, 5)]
        for span in spans:
            label = " ".join(span)
            for unit in ("", "parameter", "multiply-add", "byte"):
                for manner in (SILENT, Manner(bytes_per_value=2), Manner(biases=False, norms=False)):
                    found = say(label, unit, int(word.replace(",", "")), spec, manner)
                    assert found.verdict != "wrong" or "2,621,440" in word, (label, unit, word, found)
                    judged += 1
    assert judged > 300


def test_a_text_of_another_model_is_not_judged():
    gated, dressed = SILENT._replace(gated=True), SILENT._replace(biases=True)
    assert say("FFN down (per block)", "parameter", 1_050_624, TRAINER).verdict == "wrong"
    assert say("FFN down (per block)", "parameter", 1_050_624, TRAINER, gated).verdict == "unknown"
    assert say("MLP per layer", "parameter", 2 * 4096 * 11008, "llama-7b").verdict == "wrong"
    assert say("MLP per layer", "parameter", 2 * 4096 * 11008, "llama-7b", dressed).verdict == "unknown"


@pytest.mark.parametrize(("value", "place", "verdict"), [
    (2_600_000, 10**5, "unknown"),  # two digits are too few
    (2_620_000, 10**4, "wrong"),
    (330_000, 10**4, "right"),
    (327_000, 10**3, "unknown"),  # 328 cut off
    (325_000, 10**3, "unknown"),
])
def test_rounded_numbers(value, place, verdict):
    found = say("KV cache per token", "byte", value, "llama-2-70b", Manner(bytes_per_value=2), place)
    assert found.verdict == verdict, found


@pytest.mark.parametrize("spec", ["gpt2", "bert-base-uncased", "t5-small", "mixtral-8x7b", "gemma-2b", "resnet-18",
                                  "deepseek-v2-lite", "llama-3-8b", "vit-base-patch16-224", "albert-base-v2",
                                  "lstm:d=100,m=128,biases=two", "mlp:784-128-10", "mamba-130m"])
def test_every_term_is_found_by_its_own_words(spec):
    own = made(spec)
    for one in counts(own).parameters:
        words = one.path.replace(".", " ").replace("_", " ")
        for label in (words, words.removesuffix(" weight")):
            for value in (one.number, *(Fraction(one.number) / runs for _, runs in one.scopes)):
                found = judge(label, "parameter", value, 1, own, SILENT)
                assert found.verdict in ("right", "convention"), (label, value, found)
                assert found.expected == value
    total = sum(one.number for one in counts(own).parameters)
    assert judge("total", "parameter", total, 1, own, SILENT).verdict == "right"


WORDS = ["FFN", "attention", "per", "block", "total", "layer", "token", "table", "QKV", "head", "8", "one", "all", "x",
         "norm", "cache", "KV", "bias", "weights", "output", "of", "12", "LayerNorms", "encoder", "decoder", "first",
         "second", "positions", "pooler", "experts", "training", "active", "non-embedding", "and", "down"]
sizes = st.integers(2, 40).map(lambda n: 64 * n)


@settings(max_examples=40, deadline=None)
@given(d=sizes, h=sizes, L=st.integers(3, 40), V=st.integers(1_000, 60_000), P=st.sampled_from([512, 1000, 2048]))
def test_random_decoders(d, h, L, V, P):
    """The formulas are written out here; what a slip makes of them is found, and nothing right is ever wrong."""
    assume(h % d and d % h)  # else a matrix may be as large as another part
    own = model("gpt2", d=d, h=h, L=L, V=V, P=P, heads=4)
    block = 4 * d * d + 2 * d * h + 9 * d + h
    whole = V * d + P * d + L * block + 2 * d
    attention = 4 * d * d + 4 * d
    for label, value in (("token table", V * d), ("position embeddings", P * d), ("attention per layer", attention),
                         ("FFN per layer", 2 * d * h + d + h), ("LayerNorms per layer", 4 * d), ("one block", block),
                         ("all layers", L * block), ("total", whole), ("final norm", 2 * d)):
        found = judge(label, "parameter", value, 1, own, SILENT)
        assert (found.verdict, found.expected) == ("right", value), (label, found)
    inner = [d * h, d * h + h, d * h + d, 2 * d * h, 2 * d * h + d + h, d, 2 * d, 4 * d]
    beside = {V * d, P * d, (V + P) * d, *inner, *(L * size for size in inner)}
    for label, value, true in (("FFN down per layer", d * h + h, d * h + d), ("one block", block - d + h, block),
                               ("attention per layer", 3 * d * d + 3 * d, attention), ("total", whole - block, whole)):
        assume("down" in label or value not in beside)  # a part that is as large explains the number as well
        found = judge(label, "parameter", value, 1, own, DRESSED)
        assert (found.verdict, found.expected) == ("wrong", true), (label, found)


@settings(max_examples=60, deadline=None)
@given(label=st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), value=st.integers(1, 10**9),
       unit=st.sampled_from(["", "parameter", "flop", "byte"]))
def test_any_words_are_answered(label, value, unit):
    found = say(label, unit, value, "gpt2", Manner(flop_per_mac=2, bytes_per_value=2))
    assert found.verdict in ("right", "convention", "unknown", "wrong")
    if found.verdict == "wrong":  # a chance hit is a defect: no slip makes a random number
        assert found.expected != value
        assert "a digit" in found.says or abs(found.expected - value) < found.expected


def test_labels_are_read():
    said = read("Second-layer norms, weights (12 layers)", {}, frozenset({12}), frozenset())
    assert (said.many, said.plain) == (12, False)  # "second" is of one layer, and nothing says which
    assert read("attention " * 100, {}, frozenset(), frozenset()).plain is False
    assert len("attention " * 100) > LONGEST
    assert phrases(["stages.0.conv1"])["conv"][0][2] == "conv1"


TOTALS = [  # names, value, place, verdict, expected
    (["gpt2"], 117_000_000, 10**6, "wrong", 124_439_808),
    (["gpt2"], 124_000_000, 10**6, "right", 124_439_808),
    (["gpt2"], 163_000_000, 10**6, "convention", 163_037_184),
    (["gpt2-medium"], 350_000_000, 10**6, "note", 354_823_168),
    (["gpt2-medium"], 350_000_000, 10**7, "right", 354_823_168),  # of 350 with two digits, as it is written of 350M
    (["llama-3-8b"], 8_100_000_000, 10**8, "wrong", 8_030_261_248),
    (["llama-3-8b"], 8_030_000_000, 10**7, "right", 8_030_261_248),
    (["llama-7b"], 6_738_415_617, 1, "wrong", 6_738_415_616),  # a digit
    (["llama-7b"], 6_783_415_616, 1, "wrong", 6_738_415_616),  # two neighbours
    (["llama-7b"], 7_000_000_000, 10**9, "right", 6_738_415_616),
    (["bert-base-uncased"], 110_000_000, 10**7, "right", 109_482_240),
    (["bert-base-uncased"], 110_106_428, 1, "convention", 110_106_428),
    (["bert-base-uncased"], 108_891_648, 1, "convention", 108_891_648),
    (["bert-large-uncased"], 340_000_000, 10**7, "right", 335_141_888),
    (["bert-large-uncased"], 340_000_000, 10**6, "note", 335_141_888),
    (["distilbert-base-uncased"], 66_000_000, 10**6, "right", 66_362_880),
    (["mixtral-8x7b"], 56_000_000_000, 10**9, "wrong", 46_702_792_704),
    (["mixtral-8x7b"], 45_000_000_000, 10**9, "wrong", 46_702_792_704),  # no name of it carries this label
    (["gemma-7b"], 7_000_000_000, 10**9, "note", 8_537_680_896),  # its own does
    (["gpt2-medium"], 345_000_000, 10**6, "note", 354_823_168),  # a usual name does
    (["gpt2-xl"], 1_542_000_000, 10**6, "note", 1_557_611_200),
    (["bert-large-uncased"], 345_000_000, 10**6, "wrong", 335_141_888),
    (["gpt2-medium"], 343_000_000, 10**6, "wrong", 354_823_168),
    (["vit-large-patch16-224"], 307_000_000, 10**6, "note", 304_326_632),  # 307M, the paper: 0.9 %
    (["xlm-roberta-large"], 550_000_000, 10**6, "note", 560_142_482),
    (["mixtral-8x7b"], 12_900_000_000, 10**8, "convention", 12_879_925_248),
    (["pythia-70m"], 18_915_328, 1, "convention", 18_915_328),
    (["gpt-j-6b"], 6_053_381_344, 1, "note", 6_050_882_784),  # what its first implementation says
    (["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"], 355_000_000, 10**6, "right", 354_823_168),
    (["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"], 350_000_000, 10**6, "unknown", None),
    (["llama-7b", "llama-2-7b"], 9_000_000_000, 10**9, "wrong", 6_738_415_616),  # two names, one count
    (["no-such-model"], 7_000_000_000, 10**9, "unknown", None),
    ([], 7_000_000_000, 10**9, "unknown", None),
]


@pytest.mark.parametrize(("named", "value", "place", "verdict", "expected"), TOTALS, ids=str)
def test_known_totals(named, value, place, verdict, expected):
    found = known_total(named, Fraction(value), Fraction(place))
    assert (found.verdict, found.expected) == (verdict, expected), found
