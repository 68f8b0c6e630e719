"""Why conventions differ: rows add up to the difference of the totals, and say what measured figures differ by."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from symcount import Convention, differences, flops, model
from symcount.conventions import names
from symcount.render import data, latex, markdown

LLAMA, BERT = model("llama-7b", s=2048), model("bert-base-uncased", s=128)

SAID = [  # model, one, other, sentence
    (LLAMA, "calflops", "matmul", "calflops adds softmax Lbs²·heads and silu Lbsh."),
    (LLAMA, "causal", "matmul", "causal counts scores as 4Lbd(s²/2 + s/2), not 4Lbs²d."),
    (LLAMA, "matmul", "calflops_sdpa", "matmul adds scores 4Lbs²d; leaves out silu Lbsh."),
    (LLAMA, "genz", "matmul", "genz adds embedding 2bsVd."),
    (LLAMA, "matmul", "nanogpt", "matmul counts what nanogpt counts."),
    (BERT, "fvcore", "matmul", "fvcore counts a multiply-add as 1, not 2; adds layer_norm 10Lbsd + 5bsd."),
    (BERT, "ptflops", "fvcore", "ptflops adds bias L(5bsd + bsh) + bd; leaves out layer_norm 10Lbsd + 5bsd."),
    (model("mixtral-8x7b", s=2048), "flop_counter_moe", "matmul", "flop_counter_moe leaves out experts 6LbsdKh."),
]


@pytest.mark.parametrize(("one", "a", "b", "sentence"), SAID, ids=[f"{a} {b}" for _, a, b, _ in SAID])
def test_sentences(one, a, b, sentence):
    assert differences(one, a, b).says == (sentence,)


MEASURED = [  # terms by which measured figures of one model differ: peers' table, row by row
    (LLAMA, "calflops", "matmul", {"softmax": 4_294_967_296, "silu": 721_420_288}),
    (BERT, "calflops", "matmul", {"softmax": 2_359_296, "layer_norm": 12_288_000}),
    (BERT, "flop_counter_sdpa_cpu", "matmul", {"scores": -603_979_776}),
    (LLAMA, "genz", "matmul", {"embedding": 536_870_912_000}),
    (LLAMA, "xlstm_plain", "matmul", {"gate": 721_420_288}),
]


@pytest.mark.parametrize(("one", "a", "b", "rows"), MEASURED, ids=[f"{a} {b}" for _, a, b, _ in MEASURED])
def test_rows(one, a, b, rows):
    found = {what: gap for what, _, _, gap in differences(one, a, b).rows[:-1]}
    assert found == rows


@pytest.mark.parametrize(("one", "other"), [
    (one, name) for name in names() for one in (LLAMA, BERT)
    if name != "matmul" and not (one is BERT and name in ("llm_viewer", "xlstm"))], ids=str)  # these are of decoders
def test_rows_add_up(one, other):
    *rows, total = differences(one, other, "matmul").rows
    assert sum(row[3] for row in rows) == total[3] == flops(one, other).total - flops(one).total
    assert all(row[3] for row in rows)


def test_letters():
    *rows, total = differences(model("llama-7b"), "causal", "matmul").rows
    assert [row[0] for row in rows] == ["scores"]
    from symcount.render import text

    assert text.form(total[3]) == "−2Lbds² + 2Lbds"


def test_phases():
    twice = differences(LLAMA, "calflops", "matmul", "train")
    assert {what: gap for what, *_, gap in twice.rows[:-1]}["softmax"] == 3 * 4_294_967_296


def test_a_convention_of_ones_own():
    mine = Convention("mine", rates={"bias": 1}, says="biases too", source="a test")
    assert differences(BERT, mine, "matmul").says == ("mine adds bias L(5bsd + bsh) + bd.",)


def test_formats():
    listing = differences(LLAMA, "causal", "matmul")
    assert "| scores | $4 \\, L b d" in markdown.listing(listing) or "| scores | $4 L b d" in markdown.listing(listing)
    assert r"\text{scores}" in latex.listing(listing)
    rows = data.as_listing(listing)["rows"]
    assert rows[0] == {"part": "scores", "one": "4Lbd(s²/2 + s/2)", "other": "4Lbs²d", "difference": -1_098_974_756_864}
    command = [sys.executable, "-m", "symcount", "flops", "llama-7b", "--set", "s=2048", "--convention", "causal",
               "--against", "matmul", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["rows"] == rows
