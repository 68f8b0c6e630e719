"""Conventions of tools against what the tools print: tests/data/README.md says how tools.jsonl was measured.

What cannot be installed is judged by its formula, written here a second time, as its file or its authors have it.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from symcount import ModelError, SymcountError, flops, model, multiply_adds, parameters, read_config, symbols
from symcount.conventions import Convention, convention, names
from symcount.explaining import explain
from symcount.layers import linear
from symcount.network import tensor, walk, within
from symcount.readers.roles import operation, products
from symcount.sizes import value

ROWS = [json.loads(line) for line in
        (Path(__file__).parent / "data" / "tools.jsonl").read_text(encoding="utf-8").splitlines()]
TOOLS = sorted({row["convention"] for row in ROWS} - {"matmul"} | {"jax_scan"})


class Case:
    """A figure of a convention: for which subject and sizes, and how many of its digits are printed."""

    def __init__(self, convention, subject, sizes, figure, *, without=(), digits=None, needs="", unit="", title=""):
        self.convention, self.subject, self.sizes, self.figure = convention, subject, sizes, figure
        self.without, self.digits, self.needs, self.unit, self.title = without, digits, needs, unit, title

    def count(self, rule):
        ledger = flops(self.subject(), rule, **self.sizes)
        return ledger.without(*self.without) if self.without else ledger

    def agrees(self, total):
        if self.digits == "whole":  # printed without what follows the point
            return int(total) == self.figure
        if self.digits:
            return f"{total:.{self.digits - 1}e}" == f"{self.figure:.{self.digits - 1}e}"
        return total == self.figure

    def waits(self):
        """Whether the subject has no operation of the kind that makes the figure."""
        return self.needs and self.needs not in {operation(x) for x in walk(self.subject().network())}

    def __repr__(self):
        return f"{self.convention}-{self.title}"


@cache
def configured(kind, cls, config):
    return read_config({**json.loads(config), "model_type": kind}, head=cls)


named = cache(model)


def measured(row):
    sizes = {"b": row.get("b", 1), **({size: row[size] for size in ("s", "side") if size in row})}
    if "model" in row:
        subject, title = (lambda: named(row["model"])), row["model"]
    else:
        text = json.dumps(row["config"])
        subject, title = (lambda: configured(row["type"], row["class"], text)), row["class"]
    return Case(row["convention"], subject, sizes, row["figure"], without=row.get("without", ()), unit=row["unit"],
                digits=row.get("digits"), needs=row.get("needs", ""), title=f"{title}-{sizes.get('s', '')}")


# ---------------------------------------------------------------- formulas of tools that cannot be installed

def llm_viewer(L, d, h, V, heads, kv, b, s):
    linears = 2 * b * s * (2 * d * d + 2 * d * (d // heads) * kv + 3 * d * h)
    attention = 2 * b * s * s * d + 2 * b * s * s * d + 5 * b * heads * s * s
    return L * (linears + attention + 2 * 7 * b * s * d + 2 * b * s * d + 2 * b * s * d) + b * d * V


def xlstm(L, d, h, V, heads, kv, b, s):
    k = d // heads
    token = 2 * d * (1 + 3) + 2 * d * k * (heads + 2 * kv) + 2 * d * kv * k + 6 * d * h + h * (1 + 1)
    attention = 2 * Fraction(65, 100) * s * s * heads * (k + k + Fraction(5, 2))
    return b * (s * (L * token + 3 * d + 2 * d * V) + L * attention)


def xlstm_plain(L, d, h, V, heads, kv, b, s):
    k = d // heads
    token = 2 * d * k * (heads + 2 * kv) + 2 * d * kv * k + 6 * d * h + h
    return b * (s * (L * token + 2 * d * V) + L * 2 * s * s * heads * (k + k))


def cookbook(L, d, h, V, heads, kv, b, s):
    tokens, ratio, matrices = b * s, Fraction(kv, heads), 3
    qkv = 2 * (1 + 2 * ratio) * L * tokens * d * d
    attention = 2 * L * tokens * s * d + 2 * L * tokens * s * d + 2 * L * tokens * d * d
    return qkv + attention + 2 * matrices * 4 * L * tokens * d * d + 4 * tokens * d + 2 * tokens * d * V


def llm_analysis(L, d, h, V, heads, kv, b, s):
    groups = Fraction(heads, kv)
    layer = 4 * b * s * d * d + 4 * b * s * d * d / groups + 4 * b * s * s * d + 6 * b * s * d * h
    return L * layer + 2 * b * s * d * V


def genz(L, d, h, V, heads, kv, b, s):
    k = d // heads
    layer = (heads + 2 * kv) * k * d + 2 * heads * s * k + heads * k * d + 3 * d * h
    return 2 * b * s * (V * d + L * layer + V * d)


def folk(L, d, h, V, heads, kv, b, s):
    k = d // heads
    return 2 * b * s * (2 * V * d + L * (2 * d * k * heads + 2 * d * k * kv + 3 * d * h + 2 * d) + d)


SHAPES = [  # L, d, h, V, heads, kv, b, s
    (3, 96, 250, 1000, 6, 2, 2, 37),
    (2, 60, 100, 300, 5, 5, 3, 11),
    (1, 64, 24, 50, 8, 1, 1, 5),
    (80, 8192, 28672, 32000, 64, 8, 4, 4096),
]


@cache
def shaped(L, d, h, V, heads, kv, more):
    return model(f"llama:L={L},d={d},h={h},V={V},heads={heads},kv={kv},{more}").replace(head="LlamaForCausalLM")


def by_formula():
    for formula in (llm_viewer, xlstm, xlstm_plain, cookbook, llm_analysis, genz, folk):
        for *shape, b, s in SHAPES:
            wide = ["k=d/heads", *(["k=6"] if formula in (llm_viewer, cookbook, llm_analysis) else [])]  # not read
            for more in wide:
                yield Case(formula.__name__, lambda shape=tuple(shape), more=more: shaped(*shape, more),
                           {"b": b, "s": s}, formula(*shape, b, s), title=f"formula-{shape[1]}-{more}")
    # without --moe a mixture of experts is an MLP
    yield Case("cookbook", lambda: named("mixtral-8x7b"), {"s": 64},
               cookbook(32, 4096, 14336, 32000, 32, 8, 1, 64), title="formula-mixtral")


# ---------------------------------------------------------------- one figure whatever the class

LLAMA = {"vocab_size": 300, "hidden_size": 64, "intermediate_size": 256, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2}
BERT = {"vocab_size": 300, "hidden_size": 60, "intermediate_size": 240, "num_hidden_layers": 2,
        "num_attention_heads": 4, "max_position_embeddings": 64}
DISTILBERT = {"vocab_size": 300, "dim": 60, "hidden_dim": 240, "n_layers": 2, "n_heads": 4,
              "max_position_embeddings": 64}
DECODERS = ("LlamaModel", "LlamaForSequenceClassification", "LlamaForTokenClassification", "LlamaForQuestionAnswering")
ENCODERS = ("BertForMaskedLM", "BertForNextSentencePrediction", "BertForSequenceClassification",
            "BertForTokenClassification", "BertForQuestionAnswering")


def whatever_the_class():
    """A tool that is told sizes, and no class, prints one figure for all classes of a body."""
    for name in ("llm_flops", "llm_flops_elementwise", "llm_analysis", "cookbook", "llm_viewer", "genz", "xlstm",
                 "xlstm_plain", "trl"):
        asked = [("llama", LLAMA, "LlamaForCausalLM", DECODERS)]
        if name in ("llm_flops", "llm_flops_elementwise", "llm_analysis", "cookbook"):
            asked.append(("bert", BERT, "BertModel", ENCODERS))
        if name in ("llm_flops", "llm_analysis", "cookbook"):
            asked.append(("distilbert", DISTILBERT, "DistilBertModel", ("DistilBertForSequenceClassification",)))
        for kind, config, base, classes in asked:
            text, sizes = json.dumps(config), {"b": 2, "s": 13}
            figure = flops(configured(kind, base, text), name, **sizes).total
            for cls in classes:
                yield Case(name, lambda kind=kind, cls=cls, text=text: configured(kind, cls, text), sizes, figure,
                           title=cls)


# ---------------------------------------------------------------- a loop that counts once

class Equal:
    """L equal linear layers of width d, without a bias, as JAX scans them."""

    def __init__(self, L, d, s, b):
        x = tensor(b=b, s=s, d=d)
        self.made = within("layers", lambda x: linear(x, "map", bias=False, d=d), x, runs=L)


def scanned():
    # JAX 0.10.2: cost_analysis()["flops"] after compile; beside the products two for the counter of the loop, which
    # the first figure is too large to show: it is a number in single precision
    for L, d, s, b, figure, counter in ((12, 768, 128, 1, 150_994_944, 0), (5, 96, 37, 2, 1_363_970, 2),
                                        (7, 50, 11, 3, 165_002, 2)):
        yield Case("jax_scan", lambda of=(L, d, s, b): Equal(*of).made, {}, figure - counter, title=f"{L}x{d}")
    one = flops(named("llama-7b:L=1"), s=64).total
    yield Case("jax_scan", lambda: named("llama-7b"), {"s": 64}, one, title="one layer of llama-7b")


MEASURED = [measured(row) for row in ROWS]
CASES = [*MEASURED, *by_formula(), *whatever_the_class(), *scanned()]


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_figure(case):
    if case.waits():
        pytest.skip(f"the model has no {case.needs}")
    ledger = case.count(case.convention)
    assert case.agrees(ledger.total), (ledger.total, case.figure)
    assert case.unit in ("", ledger.unit)


@pytest.mark.parametrize("name", TOOLS)
def test_it_differs_from_matmul(name):
    """A tool of which every figure is that of the plain products needs no convention of its own."""
    rule = convention(name)
    assert any(case.count("matmul").total * rule.multiply_add != 2 * case.figure for case in CASES
               if case.convention == name)


# ---------------------------------------------------------------- every datum counts

def spoiled(rule):
    """The convention with one datum changed."""
    data = {slot: getattr(rule, slot) for slot in Convention.__slots__ if slot != "name"}

    def changed(**others):
        return Convention(rule.name, **{**data, **others})

    yield "multiply_add", changed(multiply_add=rule.multiply_add + 1)
    if not {"attention", "activation"} & rule.counts.keys():  # else no pair counts
        yield "pairs", changed(pairs="masked" if rule.pairs == "all" else "all")
    for key, rate in rule.rates.items():
        if rate is not None:
            yield f"rate of {key}, more", changed(rates={**rule.rates, key: rate + 1})
            yield f"rate of {key}, none", changed(rates={k: r for k, r in rule.rates.items() if k != key})
    for key in rule.counts:
        yield f"count of {key}", changed(counts={k: how for k, how in rule.counts.items() if k != key})
    for key in rule.sizes:
        yield f"size of {key}", changed(sizes={k: how for k, how in rule.sizes.items() if k != key})
    for slot, other in (("beside", None), ("weights", None)):
        if data[slot] is not None:
            yield slot, changed(**{slot: other})
    if rule.runs == "once":
        yield "runs", changed(runs="all")


def noticed(rule, case):
    try:
        return not case.agrees(case.count(rule).total)
    except SymcountError:
        return True


UNSEEN = {
    ("torchinfo", "multiply_add"),  # it has no product that this would weigh
    ("llm_flops_elementwise", "count of pre_classifier"),  # no case, as the ReLU behind it counts
}


@pytest.mark.parametrize("name", TOOLS)
def test_a_spoiled_convention_fails(name):
    cases = [case for case in reversed(CASES) if case.convention == name and not case.waits()]
    waiting = {case.needs for case in CASES if case.convention == name and case.waits()}
    for what, rule in spoiled(convention(name)):
        if (name, what) not in UNSEEN and not any(kind in what for kind in waiting):
            assert any(noticed(rule, case) for case in cases), what


# ---------------------------------------------------------------- what a convention says

@pytest.mark.parametrize("name", names())
def test_it_says_what_it_is(name):
    rule = convention(name)
    assert rule.name == name
    assert explain(name).startswith(f"a convention for work\n{rule.line}\n{rule.leaves}\nsource: {rule.source}")
    assert all(text and text[-1] != "." for text in (rule.says, rule.leaves, rule.source))


@pytest.mark.parametrize("name", [name for name in TOOLS if name not in ("folk", "jax_scan")])
def test_it_says_when_it_was_measured(name):
    assert "measured 2026-11" in convention(name).source


@pytest.mark.parametrize("name", TOOLS)
def test_its_backward_pass(name):
    """Twice the forward pass, that of torch, or none."""
    rule, subject = convention(name), configured("llama", "LlamaForCausalLM", json.dumps(LLAMA))
    if rule.backward is None:
        with pytest.raises(ModelError, match="no rule for a backward pass"):
            flops(subject, name, "train", s=13)
    elif rule.backward == 2:
        assert flops(subject, name, "train", s=13).total == 3 * flops(subject, name, s=13).total
    else:
        assert rule.backward == "operands"


VISION = {"vit": ("ViTModel", {"image_size": 24, "patch_size": 8}), "resnet": ("ResNetModel", {})}
REFUSED = [  # convention, a network that it has not, what is said
    *((name, "resnet", "batch_norm is not written") for name in TOOLS if "batch_norm" in convention(name).rates),
    *((name, "vit", "looks up no words") for name in ("torchinfo", "cookbook", "llm_analysis", "genz")),
    *((name, "bert-base-uncased", "layer_norm is not written") for name in ("llm_viewer", "xlstm")),
    *((name, "gemma-2b", "gelu.* is not written") for name in ("llm_viewer", "xlstm")),
]


@pytest.mark.parametrize(("name", "subject", "said"), REFUSED)
def test_what_it_does_not_know_is_refused(name, subject, said):
    cls, config = VISION.get(subject, ("", {}))
    asked = configured(subject, cls, json.dumps(config)) if cls else named(subject)
    with pytest.raises(ModelError, match=said):
        flops(asked, name, **({} if cls else {"s": 16}), **({"side": 64} if subject == "resnet" else {}))


def test_multiply_adds_of_weights():
    small = named("bert-tiny")
    assert multiply_adds(small, "folk", s=10).total == 10 * parameters(small).total
    with pytest.raises(ModelError, match="torchinfo counts no product"):
        multiply_adds(small, "torchinfo", s=10)


# ---------------------------------------------------------------- three kinds of numbers, and phases

GPT2 = {"n_embd": 60, "n_head": 4, "n_layer": 2, "vocab_size": 300}
BODIES = {"llama": (LLAMA, "LlamaForCausalLM"), "bert": (BERT, "BertForMaskedLM"), "gpt2": (GPT2, "GPT2LMHeadModel")}


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name in TOOLS for kind in BODIES
                                            if kind == "llama" or name not in ("llm_viewer", "xlstm")])
def test_letters_ints_and_sympy_agree(name, kind):
    config, cls = BODIES[kind]
    subject = configured(kind, cls, json.dumps(config)).replace(b=2, s=10)
    by_letters = value(flops(subject.network(), name).size, subject.values)
    in_sympy = {symbols.symbol(letter): number for letter, number in subject.values.items()}
    assert flops(subject.network(subject.number), name).size == by_letters
    assert flops(subject.network(symbols.symbol), name).size.subs(in_sympy) == by_letters


@pytest.mark.parametrize("name", ["cookbook", "folk", "genz", "llm_flops_elementwise", "llm_viewer", "torchinfo",
                                  "torchprofile", "xlstm"])
def test_generation_is_a_prompt_and_steps(name):
    """What a convention adds beside the operations is added in each step too."""
    subject = configured("llama", "LlamaForCausalLM", json.dumps(LLAMA))
    steps = [flops(subject, name, "decode", t=9 + i).total for i in range(1, 5)]
    whole = flops(subject, name, "generate", s=9, new=5).total
    assert whole == flops(subject, name, s=9).total + sum(steps)


# ---------------------------------------------------------------- Conv1D of transformers

def test_a_map_stored_in_out_is_known():
    kinds = {x.path: kinds for x, kinds in products(named("gpt2").network())}
    stored = {path for path, found in kinds.items() if "conv1d" in found}
    assert stored == {f"layers.{path}" for path in ("attention.query", "attention.key", "attention.value",
                                                    "attention.output", "mlp.up", "mlp.down")}
    assert kinds["head"] == ("weight", "logits")
    for name in ("bert-base-uncased", "opt-125m", "gpt-neo-125m", "mixtral-8x7b", "starcoderbase-1b"):
        assert not any("conv1d" in found for _, found in products(named(name).network()))


def test_biases_are_told_apart():
    found = {name: {operation(x) for x in walk(named(name).network())} for name in ("gpt2", "deepseek-v3")}
    assert {"conv1d bias", "bias"} & found["gpt2"] == {"conv1d bias"}
    assert {"shift", "bias"} & found["deepseek-v3"] == {"shift"}  # the correction of a router
    vit = configured("vit", "ViTModel", json.dumps(VISION["vit"][1]))
    assert {"kernel bias", "bias", "norm bias"} <= {operation(x) for x in walk(vit.network())}
