"""Training runs: published rules of thumb, and days by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symcount import ModelError, SizeError, model, train
from symcount.given import amount


def row(listing, what):
    return next(rest for name, *rest in listing.rows if name == what)


RUNS = [  # convention, how many times 6ND; N = 6,738,415,616 and D = 10¹²
    ("matmul", 87_784_836_562_944, "1.0602 × 6ND"),
    ("causal", 84_487_912_292_352, "1.0204 × 6ND"),
    ("folk", 6 * 6_738_415_616 * 2048, "1 × 6ND"),
]


@pytest.mark.parametrize(("name", "step", "says"), RUNS, ids=[name for name, *_ in RUNS])
def test_llama(name, step, says):
    listing = train(model("llama-7b"), "1e12", convention=name, s=2048)
    assert row(listing, "FLOPs") == [Fraction(step * 10**12, 2048), says]
    assert row(listing, "6ND") == [40_430_493_696 * 10**12, "N = parameters, D = tokens"]


def test_experts_count_where_they_are_active():
    listing = train(model("mixtral-8x7b"), 10**12, s=2048)
    assert row(listing, "6ND")[0] == 6 * 12_879_925_248 * 10**12
    assert row(listing, "Chinchilla tokens")[0] == 20 * 46_702_792_704


def test_days():
    """By hand: FLOPs over what 1,000 devices do in a day at 40 % of 10¹⁵ FLOP/s."""
    listing = train(model("llama-7b"), "1e12", devices=1000, peak="1e15", mfu="40%", s=2048)
    flops = row(listing, "FLOPs")[0]
    assert row(listing, "days")[0].exact == Fraction(flops) / (1000 * 4 * 10**14 * 86_400)
    assert row(listing, "days")[0].text == "1.240"


def test_batches_change_nothing():
    one, many = (row(train(model("llama-7b"), 10**12, s=2048, b=b), "FLOPs") for b in (1, 512))
    assert one == many


def test_recomputation_costs_more():
    once, again = (row(train(model("gpt2"), 10**9, s=1024, phase=phase), "FLOPs")[0]
                   for phase in ("train", "recompute"))
    assert 1 < Fraction(again) / once < Fraction(4, 3)


@pytest.mark.parametrize(("given", "exact"), [
    ("1e12", 10**12), ("40%", Fraction(2, 5)), ("0.4", Fraction(2, 5)), ("1/3", Fraction(1, 3)), (312e12, 312 * 10**12),
    (7, 7), (Fraction(3, 4), Fraction(3, 4)), ("1.5e3", 1500), ("100%", 1), ("1,000", 1000),
])
def test_amounts(given, exact):
    assert amount("x", given) == exact


@pytest.mark.parametrize("given", ["", "x", "-1", "0", 0, "1e999", "1/0", 0.1, True, None, "1 000", "1,00",
                                   "nan", [1]])
def test_no_amount(given):
    with pytest.raises(SizeError, match="x = "):
        amount("x", given)


REFUSED = [
    (lambda: train(model("llama-7b"), "1e12"), "train: s must have a value: say s, the tokens of a sequence"),
    (lambda: train(model("llama-7b"), "1e12", s=8, devices=8), "train: days need devices, peak and mfu"),
    (lambda: train(model("llama-7b"), "1e12", s=8, devices=8, peak=1, mfu=2), "mfu = 2 is more than all of the peak"),
    (lambda: train(model("llama-7b"), "1e12", s=8, convention="thop"), "no rule for a backward pass"),
    (lambda: train(model("llama-7b"), "1e12", s=8, phase="forward"), "train: the phase forward is no training"),
    (lambda: train(model("vit-base-patch16-224"), "1e12", s=8), "train: tokens are those of one text of s tokens"),
    (lambda: train(model("mlp:784-128-10"), "1e12", b=8), "train: tokens are those of one text of s tokens"),
    (lambda: train(model("t5-base"), "1e12", s=8), "train: tokens are those of one text of s tokens"),
]


@pytest.mark.parametrize(("ask", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_refused(ask, says):
    with pytest.raises(ModelError) as caught:
        ask()
    assert says in str(caught.value)
