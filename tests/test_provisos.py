"""What is said behind a model: clauses that are understood, clauses that are not, and sentences with them."""

from __future__ import annotations

import time

import pytest

from symcount.lint import inspect
from symcount.provisos import _WHICH, LEFT, Proviso, divided, proviso
from symcount.shortfalls.meanings import WHICH
from symcount.shortfalls.parts import RULES


@pytest.mark.parametrize(("words", "meant"), [
    ("", {}), ("with h = 4d", {"changes": ("h=4d",)}),
    ("with h = 4 d, kv=8 and L = 12", {"changes": ("h=4d", "kv=8", "L=12")}),
    ("at s = 2048 in bf16", {"changes": ("s=2048",), "convention": "bf16"}),
    ("with 4 bytes a number", {"convention": "fp32"}), ("stored in 16 bits", {"convention": "bf16"}),
    ("without its last norm", {"without": ("the final norm",)}),
    ("without biases, norms and the embeddings", {"without": ("every bias", "every norm", "the embeddings")}),
    ("not counting the positional embeddings", {"without": ("the table of positions",)}),
    ("with full activation recomputation", {"phase": "recompute"}),
    ("with selective recomputation", {"phase": "selective"}),
    ("with LoRA of rank r on query and value", {"changes": ("lora=r@query+value",)}),
    ("with rank-8 adapters on W_q, W_k and W_v", {"changes": ("lora=8@query+key+value",)}),
    ("with LoRA of rank 16 on the gate, up and down projections", {"changes": ("lora=16@gate+up+down",)}),
    ("where N is the number of parameters", {"which": ()}), ("with N all parameters", None),
    ("where N counts all its parameters", {"which": ("all",)}),
    ("where N is the number of non-embedding parameters", {"which": ("layers", "no tables")}),
    ("with h = 4d and without biases, in fp32", {"changes": ("h=4d",), "without": ("every bias",),
                                                 "convention": "fp32"}),
    # one word too many, twice the same, or what may mean several things
    ("with luck", None), ("with h = 4d of course", None), ("with h = 4d, h = 3d", None), ("without its charm", None),
    ("without its last norm and its charm", None), ("with recomputation", None), ("without recomputation", None),
    ("with LoRA of rank r", None), ("with LoRA of rank r on the tokenizer", None), ("in bf16, in fp32", None),
    ("with LoRA of rank r on query and query", None), ("with LoRA of rank r on query and value after a warm-up", None),
    ("without biases in the attention", None), ("where N is the number of friends", None), ("in practice", None),
    ("without attention scores", None), ("with a causal mask", None), ("with 12 layers", None),
    ("in bf16 or fp32", None),
])
def test_clauses(words, meant):
    assert proviso(words) == (None if meant is None else Proviso()._replace(**meant))


@pytest.mark.parametrize(("words", "name", "rest"), [
    ("gpt2", "gpt2", ""), ("gpt2, where N is large", "gpt2", "where N is large"),
    ("LLaMA-7B in bf16", "LLaMA-7B", "in bf16"), ("llama with h = 4d", "llama", "with h = 4d"),
    ("withal", "withal", ""),
])
def test_where_the_name_ends(words, name, rest):
    assert divided(words) == (name, rest)


def test_names_are_those_of_the_judgement():
    assert {*LEFT.values()} <= {rule.says for rule in RULES if rule.share == 1}
    assert {name for names in _WHICH.values() for name in names} <= {*WHICH}


# ---------------------------------------------------------------- sentences

SENTENCES = [  # verdict, sentence
    # a layer of GPT-2: 12d² + 13d; tables (V + P)d; last norm 2d
    ("right", "`L*(12*d^2 + 13*d) + (V + P)*d` is the number of parameters of gpt2 without its final LayerNorm."),
    ("wrong", "`L*(12*d^2 + 13*d) + (V + P)*d + 2*d` is the number of parameters of gpt2 without its final LayerNorm."),
    ("right", "$12Ld^2$ is the number of parameters of GPT-2 small, without biases, norms and embeddings."),
    ("wrong", "$11Ld^2$ is the number of parameters of GPT-2 small, without biases, norms and embeddings."),
    ("convention", "$12Ld^2$ is the number of parameters of GPT-2 small without biases."),
    ("skipped", "$11Ld^2$ is the number of parameters of GPT-2 small without its charm."),
    ("skipped", "$11Ld^2$ is the number of parameters of GPT-2 small without its router."),
    # gated, three matrices: 8d² + 2·3·d·h a token and layer, which for h = 8d/3 are 24d²
    ("right", "24*b*s*d^2 + 4*b*s^2*d is FLOPs per layer of llama with h = 8d/3"),
    ("wrong", "24*b*s*d^2 + 4*b*s^2*d is FLOPs per layer of llama with h = 4d"),
    ("right", "L*(16*d^2 + 2*d) + 2*V*d + d is parameters of llama with h = 4d and kv = heads"),
    ("skipped", "24*b*s*d^2 + 4*b*s^2*d is FLOPs per layer of llama with h = 4d or so"),
    # four passes of the layers and three of the logits; attention's products alone once more: 4/3 of 12bs²d
    ("convention", "96*b*s*L*d^2*(1 + s/(6*d) + V/(16*L*d)) is training FLOPs of gpt2"),
    ("wrong", "72*b*s*L*d^2*(1 + s/(6*d) + V/(12*L*d)) is training FLOPs of gpt2 with full recomputation"),
    ("right", "72*b*s*L*d^2*(1 + 2*s/(9*d) + V/(12*L*d)) is training FLOPs of gpt2 with selective recomputation"),
    ("skipped", "95*b*s*L*d^2*(1 + s/(6*d) + V/(16*L*d)) is training FLOPs of gpt2 with recomputation"),
    ("skipped", "95*b*s*L*d^2*(1 + s/(6*d) + V/(16*L*d)) is forward FLOPs of gpt2 with full recomputation"),
    ("skipped", "2*d is parameters of gpt2 with full recomputation"),
    # keys and values of kv heads, 2 or 4 bytes each
    ("right", "4*L*kv*k is KV cache bytes per token of llama in bf16"),
    ("right", "8*L*kv*k is KV cache bytes per token of llama-3-8b in fp32"),
    ("wrong", "4*L*kv*k is KV cache bytes per token of llama-3-8b in fp32, with L = 16"),
    ("wrong", "4*L*heads*k is KV cache bytes per token of llama-3-8b"),
    ("convention", "4*L*kv*k is KV cache bytes per token of llama-3-8b"),
    ("skipped", "4*L*heads*k is KV cache bytes per token of llama-3-8b in practice"),
    # A is d × r, B is r × out: query and value 2·2dr a layer; up (and gate) r(d + h); kv heads make value narrower
    ("right", "4*L*d*8 is trainable parameters of llama-7b with LoRA of rank 8 on W_q and W_v"),
    ("right", "L*r*(9*d + h) is LoRA parameters of llama-7b with LoRA of rank r on query, key, value, output and up"),
    ("wrong", "4*L*d*r is trainable parameters of llama-3-8b with LoRA of rank r on query and value"),
    ("wrong", "2*L*d*r is trainable parameters of llama-7b with LoRA of rank r on query and value"),
    ("convention", "4*L*d*r is parameters of llama-7b with LoRA of rank r on query and value"),
    ("skipped", "2*L*d*r is trainable parameters of llama-7b with LoRA of rank r on all linear layers"),
    # N
    ("convention", "6*N*D is training FLOPs of LLaMA-7B, where N is the number of parameters"),
    ("wrong", "2*N*D is training FLOPs of LLaMA-7B"),
    ("convention", "2*N is FLOPs per token of gpt2, where N is the number of non-embedding parameters"),
    ("skipped", "3*N is FLOPs per token of gpt2, where N is the number of heads"),
    ("skipped", "24*N*d^2 is FLOPs per token of gpt2"), ("skipped", "3*N is FLOPs per layer of gpt2"),
    # the end of a formula that cannot be read is no formula
    ("skipped", "The cost 6*N + 12*L*n_{heads}*k s is training FLOPs per token of gpt2"),
    ("skipped", "The cost f(d) + 3 d is parameters of gpt2"),
]


@pytest.mark.parametrize(("verdict", "text"), SENTENCES, ids=[text for _, text in SENTENCES])
def test_sentences(verdict, text):
    found = [one for one in inspect(text, "page.md") if one.severity != "skipped"]
    words = {"error": "wrong", "convention": "convention"}
    if verdict == "skipped":
        assert not found
        assert inspect(text, "page.md")
    elif verdict == "right":
        assert not inspect(text, "page.md")
    else:
        assert [words[one.severity] for one in found] == [verdict]
        assert {one.code for one in found} == {"SC202"}


@pytest.mark.parametrize("text", [
    "with " * 50_000, "with h = " + "4 " * 50_000, "without " + "its " * 50_000, "without biases" + ", biases" * 20_000,
    "with LoRA of rank r on " + "query, " * 20_000, ", " * 50_000, "where N is " + "the " * 50_000,
    "in " + " " * 90_000, "h = 4d, " * 20_000,
])
def test_strange_clauses_end(text):
    start = time.perf_counter()
    proviso(text)
    divided(text)
    assert time.perf_counter() - start < 2
