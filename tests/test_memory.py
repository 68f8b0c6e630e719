"""Memory: bytes of weights, gradients and optimizers against the papers' bytes a weight; shares of devices by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symcount import ModelError, SizeError, Storage, UnitError, Width, flops, kv_cache, memory, model, parameters
from symcount.readers.memory import activation_bytes, cache_bytes
from symcount.readers.quantities import read
from symcount.storage import names, storage

N = 6_738_415_616  # LLaMA-7B
MAPS = 32 * (4 * 4096**2 + 3 * 4096 * 11008)  # the linear maps of its layers
SMALL = {"d": 48, "h": 96, "V": 100, "L": 4, "heads": 4, "kv": 4}

WEIGHTS = [  # storage, bytes of the weights of LLaMA-7B
    ("fp32", 4 * N),
    ("bf16", 2 * N),
    ("fp16", 2 * N),
    ("fp8", N),
    ("int8", MAPS + 2 * (N - MAPS)),
    ("nf4", MAPS * (Fraction(4) + Fraction(8, 64) + Fraction(32, 64 * 256)) / 8 + 2 * (N - MAPS)),
    ("gptq", MAPS * (4 + Fraction(20, 128)) / 8 + 2 * (N - MAPS)),
    ("mxfp4", MAPS * (4 + Fraction(8, 32)) / 8 + 2 * (N - MAPS)),
]


@pytest.mark.parametrize(("name", "amount"), WEIGHTS, ids=[name for name, _ in WEIGHTS])
def test_weights(name, amount):
    assert memory(model("llama-7b"), name).total == amount


RECIPES = [  # storage, bytes a weight of all that training keeps beside activations, on one of dp devices
    ("adam", lambda dp: 16),
    ("sgd", lambda dp: 12),
    ("mixed", lambda dp: 16),
    ("mixed_fp32_gradients", lambda dp: 18),
    ("adam_8bit", lambda dp: 2 + 2 + 4 + 2 * (1 + Fraction(4, 2048))),
    ("zero1", lambda dp: 4 + Fraction(12, dp)),
    ("zero2", lambda dp: 2 + Fraction(14, dp)),
    ("zero3", lambda dp: Fraction(16, dp)),
]


@pytest.mark.parametrize(("name", "amount"), RECIPES, ids=[name for name, _ in RECIPES])
@pytest.mark.parametrize("dp", [1, 7, 64])
def test_training_beside_activations(name, amount, dp):
    ledger = memory(model("llama-7b:heads=32" if name == "adam_8bit" else "llama-7b"), name, "train", s=16, dp=dp)
    states = sum(ledger.where(part).total for part in ("weights", "gradients", "optimizer"))
    assert states == amount(dp) * N
    assert ledger.total == states + ledger.where("activations").total


def test_every_storage_is_tried():
    tried = {name for name, _ in (*WEIGHTS, *RECIPES)} | {"cookbook", "qlora"}
    assert tried == set(names())
    assert all(storage(name).name == name and storage(name).leaves and storage(name).source for name in names())


CACHES = [  # model, storage, t, GiB
    ("llama-3-8b", "bf16", 8192, 1),
    ("llama-3-8b:kv=32", "bf16", 131072, 64),
    ("llama-3-8b", "bf16", 131072, 16),
    ("llama-3-8b:kv=1", "bf16", 131072, 2),
    ("llama-3-8b", "fp8", 8192, Fraction(1, 2)),
    ("llama-7b", "bf16", 2048, 1),                       # GenZ prints 1,024 MB
    ("llama-3-8b", "cookbook", 8192, 2),                 # as measured, with and without grouped heads
    ("llama-3-8b:kv=32", "cookbook", 8192, 2),
]


@pytest.mark.parametrize(("name", "held", "t", "size"), CACHES)
def test_caches(name, held, t, size):
    assert cache_bytes(model(name), held, t=t).total == size * 2**30
    whole = memory(model(name), held, "decode", t=t)
    assert whole.total - whole.where("weights").total == size * 2**30


def test_a_cache_has_elements_or_bytes():
    assert kv_cache(model("llama-3-8b"), t=8192).total * 2 == cache_bytes(model("llama-3-8b"), t=8192).total
    with pytest.raises(UnitError, match="cannot add elements and bytes"):
        kv_cache(model("llama-3-8b"), t=8) + cache_bytes(model("llama-3-8b"), t=8)


def test_adapters_are_trained_alone():
    """r(in + out) for each map; all other weights have neither gradients nor moments."""
    lora = model("llama-7b", lora="8@query+value")
    adapters = 32 * 2 * 8 * 2 * 4096
    ledger = memory(lora, "mixed", "train", s=16)
    assert ledger.where("gradients").total == 2 * adapters
    assert ledger.where("optimizer").total == 12 * adapters
    assert ledger.where("weights").total == 2 * (N + adapters)
    packed = memory(lora, "qlora", "train", s=16)
    assert packed.where("weights").total == WEIGHTS[5][1] + 2 * adapters
    assert packed.where("optimizer").total == 8 * adapters


def test_devices_share_layers_heads_and_words():
    """By hand: of 4 layers 2 on a device; heads, h and V by 4; norms whole."""
    d, h, V = 48, 96, 100
    layer = (4 * d * d + 3 * d * h) // 4 + 2 * d
    assert memory(model("llama", **SMALL), tp=4, pp=2).total == 2 * (2 * layer + 2 * V * d // 4 + d)
    ledger = memory(model("llama:k=d/heads,kv=heads"), tp="tp", pp="pp")
    values = {**SMALL, "tp": 4, "pp": 2}
    assert ledger.closed_form.subs({symbol: values[symbol.name] for symbol in ledger.closed_form.free_symbols}
                                   ) == memory(model("llama", **SMALL), tp=4, pp=2).total


def test_letters_and_numbers_agree():
    free = memory(model("llama:k=d/heads,kv=heads"), "zero2", "train", dp="dp")
    values = {**SMALL, "b": 2, "s": 16, "dp": 8}
    numbers = memory(model("llama", **SMALL), "zero2", "train", dp=8, b=2, s=16)
    assert free.closed_form.subs({symbol: values[symbol.name] for symbol in free.closed_form.free_symbols}
                                 ) == numbers.total


def test_a_storage_of_ones_own():
    own = Storage("ternary", weights=Width(16), matrices=Width(2), says="two bits", source="a user")
    assert memory(model("llama-7b"), own).total == MAPS // 4 + 2 * (N - MAPS)


def test_quantities_by_name():
    one = model("llama-7b", t=2048)
    assert read(one, "memory").total == read(one, "memory@weights").total + read(one, "kv").total
    assert read(model("gpt2", s=64), "activations").total == activation_bytes(model("gpt2", s=64)).total
    assert read(model("llama-7b"), "memory").total == 2 * parameters(model("llama-7b")).total


REFUSED = [
    (lambda: memory(model("gpt2"), "bf61"), ModelError, "unknown storage 'bf61'; did you mean 'bf16'?"),
    (lambda: memory(model("gpt2"), phase="training"), ModelError,
     "memory has no phase 'training'; did you mean 'train'?"),
    (lambda: memory(model("gpt2"), "fp32", "train", s=8), ModelError, "fp32 says how numbers are stored"),
    (lambda: memory(model("gpt2"), "qlora", "train", s=8), ModelError, "is trained, which weights of 4 bits cannot be"),
    (lambda: memory(model("llama", **SMALL), "nf4"), SizeError, "16,384"),
    (lambda: memory(model("llama", **SMALL), tp=3), SizeError, "tp = 3 does not divide"),
    (lambda: memory(model("vit-base-patch16-224"), tp=2), ModelError, "split over devices is not stated"),
    (lambda: memory(model("bert-base-uncased"), phase="decode", t=8), ModelError, "no KV cache"),
    (lambda: read(model("gpt2", tp=2), "flops"), ModelError,
     "tp changes nothing of this count; it is read by memory, kv and activations"),
    (lambda: read(model("gpt2", new=2), "params"), ModelError, "new changes nothing of this count"),
    (lambda: read(model("gpt2"), "params", convention="matmul"), ModelError, "params takes no convention"),
    (lambda: read(model("gpt2"), "kv", phase="train"), ModelError, "kv takes no phase"),
    (lambda: memory(model("gpt2")) + memory(model("gpt2"), "fp32"), UnitError, "two conventions, bf16 and fp32"),
    (lambda: flops(model("gpt2"), s=8) + flops(model("gpt2"), "causal", s=8), UnitError,
     "cannot add FLOPs of two conventions, matmul and causal"),
]


@pytest.mark.parametrize(("ask", "error", "says"), REFUSED, ids=[says for *_, says in REFUSED])
def test_refused(ask, error, says):
    with pytest.raises(error) as caught:
        ask()
    assert says in str(caught.value)


def test_devices_share_the_cache():
    """Key-value heads by tp, layers by pp; a latent is whole on each."""
    whole = cache_bytes(model("llama-3-8b"), t=8192).total
    assert cache_bytes(model("llama-3-8b"), t=8192, tp=8, pp=4).total == whole // 32
    held = memory(model("llama-3-8b"), "fp8", b=16, t=8192, tp=2)
    assert held.where("cache").total == 16 * whole // 2 // 2
    assert cache_bytes(model("minicpm3"), t=64, tp=2).total == cache_bytes(model("minicpm3"), t=64).total


PHASED = [  # what is given, the parts that are counted
    ({},                                    "weights"),
    ({"t": 64},                             "weights cache"),
    ({"s": 64},                             "weights"),
    ({"storage": "mixed", "s": 64},         "weights gradients optimizer activations"),
    ({"storage": "mixed"},                  "weights"),
    ({"storage": "fp8", "phase": "decode"}, "weights cache"),
    ({"phase": "train", "s": 64},           "weights gradients optimizer activations"),
]


@pytest.mark.parametrize(("given", "parts"), PHASED, ids=str)
def test_the_phase_follows_from_what_is_given(given, parts):
    assert list(memory(model("gpt2"), **given).by(1)) == parts.split()


def test_a_recipe_for_several_devices_asks_how_many():
    assert memory(model("gpt2"), "zero3", s=64).open == ["dp"]


def test_only_maps_are_packed():
    """Vectors, tables of distances and what a recurrence is made of keep 16 bits."""
    for name, left in (("beit-base-patch16-224", "attention_scale"), ("mamba-130m", "decay"), ("mamba-130m", "skip")):
        part = memory(model(name), "int8").where(left)
        assert part.total == 2 * parameters(model(name)).where(left).total
    assert memory(model("mixtral-8x7b"), "int8").where("experts").total == parameters(
        model("mixtral-8x7b")).where("experts").total


def test_a_storage_of_a_cache_leaves_weights_alone():
    held = memory(model("llama-3-8b"), "cookbook", t=8192)
    assert held.where("weights").total == 2 * 8_030_261_248
    assert held.where("cache").total == 2 * 2**30


def test_a_share_says_that_it_is_one():
    notes = memory(model("llama-7b"), "zero3", s=8, tp=2, dp=4).notes
    assert "one device of those that tp and dp count" in notes


def test_caches_of_two_texts():
    """T5: what the decoder wrote of itself, and the encoder's rows; u tokens are written one by one."""
    assert cache_bytes(model("t5-base"), s=512, t=10).total == 2 * 2 * 12 * 768 * (10 + 512)


SILLY = [
    (lambda: Width(0), "Width: bits = 0: a whole number of at least 1 is needed"),
    (lambda: Width(4.5), "Width: bits = 4.5"),
    (lambda: Width(4, ((16, -64),)), "-64"),
    (lambda: Storage("x", says="", source="", weights=16), "weights = 16: a Width is needed, as in Width(16)"),
    (lambda: Storage("x", says="", source="", activations=Width(12)), "whole bytes without scales are needed"),
    (lambda: Storage("x", says="", source="", divided=("optimiser",)), "did you mean 'optimizer'?"),
    (lambda: memory(model("gpt2"), 3), "unknown storage '3'"),
]


@pytest.mark.parametrize(("ask", "says"), SILLY, ids=[says for _, says in SILLY])
def test_a_storage_that_cannot_be_is_refused(ask, says):
    with pytest.raises(ModelError) as caught:
        ask()
    assert says in str(caught.value)


def test_a_share_of_devices_is_counted_or_refused():
    """From Python too: activations are of one device, and what reads no devices says so."""
    from symcount import activations

    shared = model("gpt2", s=64, tp=4)
    assert activations(shared).total == activations(model("gpt2", s=64), tp=4).total < activations(
        model("gpt2", s=64)).total
    for ask in (parameters, flops, lambda one: flops(one, phase="train"), lambda one: flops(one, phase="decode")):
        with pytest.raises(ModelError, match="tp changes nothing of this count"):
            ask(shared)
