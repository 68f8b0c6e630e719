"""symcount against numbers that it did not make: models measured in PyTorch, and counts published by others.

tests/data/README.md says how the rows of truth.jsonl were measured.
"""

from __future__ import annotations

import json
from math import prod

import pytest

import agreement
from symcount import ConfigError, Ledger, flops, model, multiply_adds, parameters, read_config, symbols
from symcount.architectures import agreed, files, index, names, read_published, read_types, types
from symcount.readers.checkpoint import checkpoint, labels
from symcount.readers.parameters import buffers
from symcount.sizes import value

ROWS = agreement.rows()
OWN = agreement.rows(own=True)
SUPPORTED = [row for row in [*ROWS, *OWN] if row["id"].split("/")[0] in types()]
# All types of transformers
EVERY = {kind for of in json.loads((agreement.DATA / "types.json").read_text(encoding="utf-8")).values() for kind in of}
REFUSED = {
    "step3p7/real:stepfun-ai--Step-3.7-Flash-FP8/Step3p7Model": "nothing reads it outside of text_config",
}


def row_id(row):
    return row["id"]


# ---------------------------------------------------------------- measured rows

def test_every_row_is_there():
    assert len(ROWS) == len({row["id"] for row in ROWS}) == 1498
    assert len({row["id"].split("/")[0] for row in ROWS}) == 192
    assert len(OWN) == len({row["id"] for row in OWN})


@pytest.mark.parametrize("row", SUPPORTED, ids=row_id)
def test_measured(row):
    """Parameters, components, active ones, tensors of the checkpoint and FLOPs, or a refusal for a stated reason."""
    if row["id"] in REFUSED:
        with pytest.raises(ConfigError, match=REFUSED[row["id"]]):
            agreement.row_model(row)
    else:
        assert agreement.disagreements(row) == []


@pytest.mark.parametrize("kind", sorted(agreed()))
def test_what_is_said_of_a_type(kind):
    """`symcount models --architectures`, which `python tests/agreement.py --write` brings up to date."""
    measured, own = ([row["id"] for row in rows if row["id"].split("/")[0] == kind] for rows in (ROWS, OWN))
    refused = [row for row in measured if row in REFUSED]
    assert agreed()[kind] == (len(measured) - len(refused), len(refused), sum(row not in REFUSED for row in own))


@pytest.mark.parametrize("kind", sorted(EVERY - types().keys()))
def test_other_types_are_refused(kind):
    with pytest.raises(ConfigError, match=f'model_type = "{kind}" is not supported'):
        read_config({"model_type": kind})


# ---------------------------------------------------------------- published counts

PUBLISHED = [
    # model                      parameters
    ("bert-base-uncased",        109_482_240),
    ("bert-large-uncased",       335_141_888),
    ("distilbert-base-uncased",  66_362_880),
    ("gpt2",                     124_439_808),
    ("gpt2:untied",              163_037_184),
    ("gpt2-medium",              354_823_168),
    ("gpt2-large",               774_030_080),
    ("gpt2-xl",                  1_557_611_200),
    ("llama-7b",                 6_738_415_616),
    ("llama-2-70b",              68_976_648_192),
    ("llama-3-8b",               8_030_261_248),
    ("llama-7b@mlp",             4_328_521_728),
    ("mlp:784-128-10",           101_770),
    ("mlp@layer1:784-128-10",    100_480),
    ("mlp@layer2:784-128-10",    1_290),
    ("mlp@layer1:4-3-2",         15),
]


@pytest.mark.parametrize(("name", "count"), PUBLISHED)
def test_published_parameters(name, count):
    assert parameters(model(name)).total == count


WORK = [
    # counted       model                sizes               convention  number
    (multiply_adds, "mlp:784-128-10",    {"b": 1},           "matmul",   101_632),
    (multiply_adds, "mlp:784-128-10",    {"b": 64},          "matmul",   6_504_448),
    (flops,         "bert-base-uncased", {"b": 1, "s": 128},  "matmul",  22_348_431_360),
    (flops,         "gpt2",              {"b": 1, "s": 1024}, "matmul",  291_648_307_200),
    (flops,         "llama-7b",          {"b": 1, "s": 2048}, "matmul",  29_261_612_187_648),
    (flops,         "llama-7b",          {"b": 1, "s": 2048}, "causal",  28_162_637_430_784),
]


@pytest.mark.parametrize(("counted", "name", "sizes", "convention", "number"), WORK)
def test_published_work(counted, name, sizes, convention, number):
    assert counted(model(name), convention=convention, **sizes).total == number


def test_deepseek_v3_as_it_is_printed():
    """671,026,419,200 stands in many places: the parameters, and a correction of 256 experts in each of 58 layers."""
    whole, beside = parameters(model("deepseek-v3")).total, buffers(model("deepseek-v3")).total
    assert (whole, beside) == (671_026_404_352, 58 * 256)
    assert whole + beside == 671_026_419_200


def test_adapters_of_llama_7b():
    """Rank 8 beside query and value: 4,194,304 trainable parameters, as the library peft prints them."""
    assert parameters(model("llama-7b:lora=8@query+value")).by("trainable")["trainable"].total == 4_194_304


def test_norms_of_llama_7b():
    assert parameters(model("llama-7b")).by("kind")["norm"].total == 266_240


def test_work_of_one_token_with_the_weights_of_llama_7b():
    assert multiply_adds(model("llama-7b"), s=1).by("kind")["weight"].total == 6_607_077_376


def test_a_smaller_bert_by_hand():
    counted = parameters(model("bert-base-uncased:V=40000,L=8,heads=8")).without("bias", "norm", "pooler")
    assert counted.total == 87_737_856 == 31_114_752 + 8 * (2_359_296 + 4_718_592)
    assert counted.where("embeddings").total == 31_114_752
    assert counted.where("attention").total == 8 * 2_359_296
    assert counted.where("mlp").total == 8 * 4_718_592


def test_distilbert_is_39_percent_smaller_than_bert():
    small, large = (parameters(model(name)).total for name in ("distilbert-base-uncased", "bert-base-uncased"))
    assert round(100 * (large - small) / large, 2) == 39.38


@pytest.mark.parametrize("name", names())
def test_count_that_is_stored_beside_each_published_model(name):
    assert parameters(model(name)).total == model(name).published.count


NAMED = ["qwen3-8b", "exaone-4.0-1.2b", "zaya1-8b", "llava-1.5-7b", "mixtral-8x7b"]  # some without layers of one kind


@pytest.mark.parametrize("name", NAMED)
def test_count_by_the_names_of_the_checkpoint(name):
    subject = model(name)
    named = parameters(subject).by(labels(subject))
    assert sum(part.total for part in named.values()) == subject.published.count
    assert sum(prod(one.shape) * one.count for one in checkpoint(subject)) == subject.published.count


# ---------------------------------------------------------------- three kinds of numbers

ONE_OF_EACH = {row["id"].split("/")[0]: row for row in SUPPORTED if row["id"] not in REFUSED}
FIRST_OF_EACH = {kind: name for name, (kind, *_) in reversed(names().items())}
SUBJECTS = [pytest.param(lambda row=row: agreement.row_model(row), id=row["id"]) for row in ONE_OF_EACH.values()] + [
    pytest.param(lambda name=name: model(name), id=name)
    for name in [*FIRST_OF_EACH.values(), "mlp:784-128-10", "dense:d=3,m=5"]]


def accounts(network) -> list[Ledger]:
    plain = [parameters(network), multiply_adds(network), flops(network)]
    masked = not getattr(getattr(network, "architecture", None), "unmasked", "")
    return [*plain, flops(network, "causal")] if masked else plain


@pytest.mark.parametrize("subject", SUBJECTS)
def test_letters_ints_and_sympy_agree(subject):
    subject = subject().replace(b=2, s=7)
    unsaid = subject.asked.intersection(subject.architecture.sizes) - subject.values.keys()  # by any configuration
    # what sees sees no image here: those of most sides take more words than there are
    usual = {"side": 4032 if "images" in unsaid else 64, "samples": 4_000, "frames": 100, "images": 0}
    subject = subject.replace(**{name: usual.get(name, 2) for name in unsaid if name not in subject.given})
    numbers = subject.values
    by_letters = [value(ledger.size, numbers) for ledger in accounts(subject.network())]
    by_ints = [ledger.size for ledger in accounts(subject.network(subject.number))]
    in_sympy = {symbols.symbol(name): number for name, number in numbers.items()}
    by_sympy = [ledger.size.subs(in_sympy) for ledger in accounts(subject.network(symbols.symbol))]
    assert all(type(number) is int for number in by_ints)
    assert by_letters == by_ints == by_sympy
    told = [ledger.total for ledger in accounts(subject)]
    assert told == by_ints[:len(told)]


# ---------------------------------------------------------------- the index of names

def test_index_says_what_the_files_say():
    assert tuple(files()) == index.FILES
    assert read_types() == index.TYPES
    assert list(read_published().items()) == list(index.PUBLISHED.items())
