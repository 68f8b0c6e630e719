"""What solve and cross say: relations of letters alone, of roundings, and the command line as a newcomer types it."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest

from symcount.cli import main
from symcount.errors import SymcountError
from symcount.naming import model
from symcount.solving import solve


@pytest.mark.parametrize(("text", "unknown", "sizes", "rows", "says"), [
    ("12*L*d^2 = 7e9", "d", {"L": 32}, [4269, 4270], "no whole d meets it exactly"),
    ("12*L*d^2 = 12288", "d", {"L": 4}, [16], None),
    ("6*N*D = 1e21", "N", {"D": "20N"}, [2886751345, 2886751346], "no whole N"),
    ("L^2 + 25 = 10*L", "L", {}, [5], None),                                # the parabola only touches
    ("L^2 + 9 = d*L", "L", {"d": 10}, [1, 9], "2 L"),
    ("L^2 + 3 <= 4*L", "L", {}, [3, 4], "from 1 to 3"),
    ("L^2 + 16 <= 10*L", "L", {}, [1, 2, 8, 9], "from 2 to 8"),
    ("10*L <= L^2 + 16", "L", {}, [2, 3, 7, 8], "1 to 2 and from 8 on"),
    ("(d - 4)*L = 7", "L", {"d": 4}, [1], "never: (d - 4)*L is always less"),
    ("(d - 4)*L^2 + 3*L = 9", "L", {"d": 4}, [3], None),                    # of degree 1 for this d alone
    ("7/L <= 3", "L=0..5", {}, [2, 3], "from 3 to 5"),                      # nothing is divided by 0
    ("0 - 5/L <= 3", "L=0..5", {}, [1, 5], "every L from 1 to 5"),
    ("7/L <= 3", "L=1..5", {}, [2, 3], "from 3 to 5"),
    ("up(d, 7) = 49", "d", {}, [43, 44, 45, 46, 47, 48, 49], "7 d"),
    ("up(d, 7) - d <= 5", "d", {}, [1, 2, 7, 8, 9, 14, 15, 16, 21, 22, 23, 28, 29, 30, 35], None),
    ("up(d, 7) - d <= 5", "d=1..20", {}, [1, 2, 7, 8, 9, 14, 15, 16], "from 2 to 7 and from 9 to 14 and from 16 to 20"),
    ("up(d, 7) - d <= 6", "d", {}, [1], "every d"),
    ("up(d, 7) - d <= 0 - 1", "d", {}, [1], "no d"),
    ("min(L, 9)*L <= 90", "L", {}, [10, 11], "from 1 to 10"),
    ("d <= 1e14", "d=1,7..9,99999999999999,999999999999999", {}, [99999999999999, 999999999999999], None),
    ("10^30*L^5 <= 10^40", "L", {}, [100, 101], "from 1 to 100"),
    ("ceil(floor(d, 4), 2) <= 1000", "d", {}, [8003, 8004], "from 1 to 8,003"),
    ("V = V + L - 3", "L", {"V": 5}, [3], None),
], ids=str)
def test_letters_alone(text, unknown, sizes, rows, says):
    found = solve(text, unknown, **sizes)
    name = found.names[0]
    assert sorted({row.sizes[name] for row in found.found})[:len(rows)] == rows
    if says:
        assert says in " ".join(found.says)
    for row in found.found:
        assert row.holds == {"=": row.left == row.right, "<=": row.left <= row.right,
                             ">=": row.left >= row.right}[found.relation.sign]


def test_turns_without_end_are_said():
    said = solve("up(d, 7) - d <= 3", "d").says[-1]
    assert said.startswith("it holds for endlessly many d")
    assert "more than 10 turns" in said
    ended = solve("up(d, 7) - d <= 3", "d=1..700").says[-1]
    assert ended.startswith("it holds for 400 d, from 4 on")


@pytest.mark.parametrize(("text", "unknowns"), [
    ("ceil(d, 19997) <= 300", "d"), ("ceil(d, 19997)*d <= 300*d^2 - 4*d", "d"), ("up(d, 1999)*3 = up(d, 1998)", "d"),
    ("up(d, 1000003) = d", "d"), ("d^64 <= 10^39", "d"), ("d*h*L = 10^30", "d=1..30,h=1..40,L"),
    ("d*L = 1e15 +- 1%", "d=1..1000000,L"), ("d*h <= 1e6", "d,h"), ("min(d, h) <= 5", "d,h"),
    ("up(d, 1997)*L = 1e9 +- 1%", "L=1..2000,d"),
])
def test_strangers_wait_for_nothing(text, unknowns):
    begun = time.process_time()
    with suppress(SymcountError):
        assert str(solve(text, unknowns))
    assert time.process_time() - begun < 12


def test_roundings_of_other_letters_cost_nothing():
    """A convolution's side stands in a rounding of roundings, with a condition at each."""
    begun = time.process_time()
    found = solve("macs <= 4089128960", "C=973..978", model("resnet-50"))
    assert found.sizes == {"C": 973}
    assert time.process_time() - begun < 8


def test_a_quantity_below_the_line():
    gpt2 = model("gpt2", s=8)
    assert solve("flops/params <= 16", "L", gpt2).sizes == {"L": 342}
    assert solve("16 >= flops/params", "L", gpt2).sizes == {"L": 342}
    assert "flops" in str(solve("flops <= 5e15*params/memory", "L=1..4", gpt2))
    assert solve("params@layers/memory@layers <= 1", "L=0..3", gpt2).found[0].sizes == {"L": 1}  # 0/0 is no number


@pytest.mark.parametrize(("words", "status", "says"), [
    (["solve", "gpt2", "params<=350e6", "--for", "L"], 0, "it holds for every L from 1 to 43"),
    (["solve", "params <= 350e6", "gpt2", "--for", "L"], 0, "344,163,840"),
    (["solve", "gpt2", "params=350e6", "--for", "L"], 0, "no whole L that can be built meets it exactly"),
    (["solve", "gpt2", "350e6>=params", "--for", "L"], 0, "from 1 to 43"),
    (["solve", "gpt2", "bert-base-uncased", "params <= 350e6", "--for", "L"], 0, "from 1 to 45"),
    (["solve", "gpt2:d=1024,heads=16", "params <= 350e6", "--for", "L"], 0, "from 1 to 23"),
    (["solve", "gpt2@layers", "params <= 350e6", "--for", "L"], 0, "from 1 to 49"),
    (["solve", "gpt2", "memory <= 80 GiB", "--for", "L"], 0, "off 85,899,345,920"),
    (["solve", "gpt2", "6*params*D = 1e21", "--for", "D"], 0, "1,339,335,614,104"),
    (["solve", "gpt2", "6*params*D <= 1e20", "--for", "L", "--set", "D=20e9"], 0, "it holds for every L from 1 to 112"),
    (["solve", "gpt2", "6*N*D = 1e21", "--for", "N", "--set", "D=20N"], 0, "2,886,751,345"),
    (["solve", "llama-7b", "kv <= 50%", "--for", "L"], 2, "where t has no value; say t=…"),
    (["solve", "gpt2", "params <= 350e6", "--for", " d , L = 12 , 24 ", "--set", "heads=d/64"], 0,
     "for each d the largest L"),
    (["solve", "gpt2", "flops <= 350e9", "--for", "s"], 0, "s ≤ "),
    (["solve", "gpt2", "flops <= 350e9", "--for", "L"], 0, "no number, for s has no value"),
    (["solve", "gpt2", "params >= 1", "--for", "L"], 0, "it holds for every L"),
    (["solve", "gpt2", "params <= 1", "--for", "L"], 1, "it holds for no L"),
    (["solve", "gpt2", "params = 12", "--for", "d,L"], 1, "no combination"),
    (["solve", "gpt2", "kv = 1e9", "--for", "t"], 1, "never: kv is always less"),
    (["solve", "gpt2", "memory <= 80GiB", "--for", "d=128"], 1, "no d can be built"),
    (["solve", "gpt2", "params(L) <= 9", "--for", "L"], 2, "write params*(…) for a product"),
    (["solve", "gpt2", "params <= 7B", "--for", "L"], 2, "write e9 for B, as in 7e9"),
    (["solve", "gpt2", "params ~ 7e9", "--for", "L"], 2, "say = and a tolerance, as in +- 1%"),
    (["solve", "gpt2", "2*params <= 80GB", "--for", "L"], 2, "two units; memory@weights is the bytes of the weights"),
    (["solve", "gpt2", "params <= 9", "--for", "L", "d"], 2, "no model 'd'"),
    (["solve", "gpt2", "params <= 9", "--for", "L in 3..9"], 2, "choices are listed as in"),
    (["solve", "gpt2", "params <= 9", "--for", "L", "--set", "L=5"], 2, "L is both set and solved for"),
    (["solve", "gpt2", "params <= 9", "--for", "L", "--set", "heads=5"], 2, "heads = 5 does not divide d = 768"),
    (["solve", "gpt2", "params <= 9", "--for", ""], 2, "--for is followed by nothing"),
    (["solve", "gpt2", "params <= 9"], 2, "for which size? say --for L"),
    (["solve", "gpt2", "--for", "L"], 2, "solve needs one relation"),
    (["solve", "gpt2", "params <= 9", "flops <= 9", "--for", "L"], 2, "solve needs one relation"),
    (["solve", "params <= 9", "--for", "L"], 2, "no model is named"),
    (["solve", "gpt2", "params <= 9", "--for", "L", "--phase", "decode"], 2, "params takes no --phase"),
    (["solve", "gpt2", "params@lay <= 9", "--for", "L"], 2, "has no part 'lay'"),
    (["cross", "llama-7b", "flops@mlp", "flops@scores", "--for", "s"], 0, "is more for every s from 1 to 33,023"),
    (["cross", "llama-7b", "flops@scores", "kv", "--for", "s"], 2, "FLOPs and bytes: two units"),
    (["cross", "llama-7b", "flops@scores", "flops@mlp"], 2, "say --for s"),
    (["cross", "llama-7b", "flops@scores", "--for", "s"], 2, "cross takes a model and two sides"),
    (["cross", "llama-7b", "flops@scores", "flops@mlp", "--for", "s,d"], 2, "one size is to grow, not s, d"),
], ids=lambda one: " ".join(one) if isinstance(one, list) else "")
def test_the_command_line(capsys, words, status, says):
    assert main(words) == status
    out, err = capsys.readouterr()
    assert says in (err if status == 2 else out)
    assert (err.count("\n"), bool(out)) == ((1, False) if status == 2 else (0, True))
    assert "Traceback" not in err


@pytest.mark.parametrize("words", [
    ["solve", "gpt2", "params <= 350e6", "--for", "L"],
    ["solve", "gpt2", "params = 1.3e9 +- 1%", "--for", "d=64*1..40,L"],
    ["solve", "gpt2", "flops/params <= 3000", "--for", "s"], ["solve", "12*L*d^2 + V*d = N", "--for", "d"],
    ["solve", "gpt2", "params <= 1", "--for", "L"], ["cross", "llama-7b", "flops@scores", "flops@mlp", "--for", "s"],
    ["solve", "gpt2", "memory <= 60%", "--for", "L,V=100,200"], ["solve", "d = 7", "--for", "d"],
    ["solve", "vit-base-patch16-224", "flops <= 1e10", "--for", "patch=1..224"],
], ids=" ".join)
@pytest.mark.parametrize("shape", ["text", "markdown", "latex", "json"])
def test_every_format_with_and_without_derivation(capsys, words, shape):
    for more in ([], ["--derive"]):
        assert main([*words, "--format", shape, *more]) in (0, 1)
        out, err = capsys.readouterr()
        assert not err
        assert shape == "text" or out.count("$$") % 2 == 0
        if shape == "json":
            told = json.loads(out)
            assert told["relation"].replace(" ", "") in (words[-3].replace(" ", ""), "flops@scores=flops@mlp")
            assert ("derivation" in told) == bool(more)
            assert told["solutions"] >= len(told["sizes"] and [1])
