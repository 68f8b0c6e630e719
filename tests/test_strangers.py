"""Documents, configurations and command lines come from strangers: bounded, refused on one line, never half-done."""

from __future__ import annotations

import io
import os
import stat
import subprocess
import sys

import pytest

from symcount import (
    ConfigError,
    Mask,
    SizeError,
    active_parameters,
    contract,
    flops,
    letter,
    linear,
    lookup,
    model,
    parameters,
    pointwise,
    read_config,
    same,
    tensor,
    top,
    weight,
    within,
)
from symcount.cli import main
from symcount.counting import formula
from symcount.formulas import read
from symcount.masks import pairs
from symcount.polynomials import Polynomial
from symcount.render import text


def ask(capsys, *words):
    status = main(list(words))
    shown = capsys.readouterr()
    return status, shown.out, shown.err


# ---------------------------------------------------------------- formulas are printed as they are read

WRITTEN = [  # a size, its formula
    (lambda d, k, v: read("(2d + 4)/6"), "d/3 + 2/3"),
    (lambda d, k, v: read("d^2/(6k)"), "d²/(6k)"),
    (lambda d, k, v: k * v, "k·v"),
    (lambda d, k, v: d * k * v * v, "dk·v²"),
    (lambda d, k, v: letter("kv") * k, "k·kv"),
]


@pytest.mark.parametrize(("size", "shown"), WRITTEN, ids=[shown for _, shown in WRITTEN])
def test_formulas_are_read_back(size, shown):
    from symcount.forms import written

    made = size(letter("d"), letter("k"), letter("v"))
    assert text.form(written(made)) == shown
    assert same(read(shown), made)


def test_a_sum_over_a_divisor_keeps_its_brackets():
    from symcount.forms import Number, Quotient, Sum, Symbol

    shown = Quotient(Sum(((1, Symbol("d")), (1, Number(1)))), Symbol("E"))
    assert text.form(shown) == "(d + 1)/E"


# ---------------------------------------------------------------- never a wrong number

REFUSED = [  # words, the line
    ("count opt-125m:e=512",
     "opt-125m:e=512 (OPTForCausalLM): e would change nothing: this class does not read it with these flags"),
    ("count gpt2 --of macs --phase backwards --set s=4", "unknown phase 'backwards'; did you mean 'backward'?"),
    ("flops gpt2 --convention causl", "unknown convention 'causl'; did you mean 'causal'?"),
    ("count gpt2 --convention causal", "params takes no --convention"),
    ("count gpt2 --phase train", "params takes no --phase"),
    ("memory gpt2 --convention causal", "causal is a convention for work, and memory takes one for memory"),
    ("flops gpt2 --convention fp8", "fp8 is a convention for memory, and flops takes one for work"),
    ("memory gpt2 --convention mixd", "unknown convention 'mixd'; did you mean 'mixed'?"),
    ("flops gpt2 --against causal --by 2 --set s=4", "--against lists what differs: it takes no --by"),
    ("train gpt2 --set s=4", "train: on how many tokens? say --tokens 1e12"),
    ("train gpt2 --tokens 1e12", "train: s must have a value: say s, the tokens of a sequence"),
    ("train gpt2 --tokens x --set s=4", "tokens = x: a number above 0 is needed, such as 1000, 312e12, 0.4 or 40%"),
    ("train gpt2 --tokens 1e9 --set s=4 --devices 8",
     "train: days need devices, peak and mfu, so say peak and mfu too"),
    ("train gpt2 --tokens 1e9 --set s=4 --devices 8 --peak 1e12 --mfu 4",
     "train: mfu = 4 is more than all of the peak; it is a share, as 0.4 or 40%"),
    ("roofline gpt2 --set s=4", "roofline: of what device? say --peak 312e12 --bandwidth 2.039e12"),
    ("count gpt2 --peak 1", "count takes no --peak"),
    ("flops gpt2 --set s=4,tp=2", "tp changes nothing of this count; it is read by memory, kv and activations"),
    ("formula llama-7b:kv=5", "llama-7b:kv=5 (LlamaForCausalLM): kv = 5 does not divide heads = 32"),
    ("formula gpt2 --of flops --set s=2000", "gpt2 (GPT2LMHeadModel): s = 2,000 is more than P = 1,024"),
    ("flops gpt2: --set s=2000,P=1024", "gpt2:P=1024 (GPT2LMHeadModel): s = 2,000 is more than P = 1,024"),
    ("count bert:d=10,heads=7", "bert:d=10,heads=7 (BertModel): heads = 7 does not divide d = 10"),
    ("flops gpt2 --set s=1,t=1025", "gpt2 (GPT2LMHeadModel): t = 1,025 is more than P = 1,024"),
    ("flops gpt2 --set s=5,t=3", "gpt2 (GPT2LMHeadModel): s = 5 is more than t = 3"),
    ("count llama-7b:k=13", "llama-7b:k=13 (LlamaForCausalLM): 2 does not divide k = 13"),
    ("count mlp:n=3-4,3-5", "n is changed twice in 'n=3-4,3-5'"),
    ("count gpt2:untied,tied", "tied is changed twice in 'untied,tied'"),
    ("count llama-7b:lora=8@query,r=16",
     "llama has no size or flag 'r'; known: C, L, V, attention_bias, b, d, dp, h, heads, "
                                         "k, kv, mlp_bias, new, pp, s, t, tied, tp"),
    ("count llama-7b:h=floor(5,0)", "'floor(5,0)', column 1: floor(5, 0): division by zero"),
    ("count llama-7b:L=0,h=d/L", "d/L: division by zero"),
    ("formula llama:h=-d", "h = -d is less than nothing: feed-forward width is a whole number"),
    ("count llama-7b:d=((h^64)^64)^64", "'((h^64)^64)^64', column 11: a power of 320 of h is too high"),
    ("count llama:d=(h+k+V+L)^20", "'(h+k+V+L)^20', column 13: "
                                   "a product of sums with 680 and 4 terms is too long"),
    ("count mlp:n=5", "'5': widths are whole numbers joined by '-', as in 784-128-10"),
    ("count llama-7b --set ,,", "',,': a change is missing between commas"),
    ("count llama-7b@", "'llama-7b@': @ is followed by a path, as in llama-7b@layers.mlp"),
    ("derive gpt2 --by kind", "derive takes no --by"),
    ("derive gpt2 --keys", "derive takes no --keys"),
    ("models --of params", "models takes no --of"),
    ("explain gpt2@mlp --set L=4", "explain takes no --set"),
    ("models --format latex", "--format latex: models prints text, json"),
]


@pytest.mark.parametrize(("words", "line"), REFUSED, ids=[words for words, _ in REFUSED])
def test_refused_on_one_line(capsys, words, line):
    assert ask(capsys, *words.split()) == (2, "", f"symcount: {line}\n")


def test_conditions_of_a_formula_are_named(capsys):
    assert "  holds when kv divides heads and 2 divides k and 2 divides d\n" in ask(capsys, "formula", "llama:h=d/2")[1]


def test_an_answer_says_for_which_run_it_is(capsys):
    assert "s = 5, " not in ask(capsys, "count", "llama-7b", "--set", "s=5")[1]
    assert "; b = 1; s = 5\n" in ask(capsys, "flops", "llama-7b", "--set", "s=5")[1]


def test_a_decoder_of_bert_masks():
    """s = 100 queries see 5,050 of 10,000 pairs: twelve layers of 2·2·768·(10,000 - 5,050) FLOPs fewer."""
    given = {"model_type": "bert", "architectures": ["BertLMHeadModel"]}
    encoder, decoder = read_config(given), read_config({**given, "is_decoder": True})
    assert flops(encoder, "causal", s=100).total == flops(encoder, s=100).total == flops(decoder, s=100).total
    assert flops(encoder, s=100).total - flops(decoder, "causal", s=100).total == 12 * 4 * 768 * 4_950


def test_answers_only_extractive_questions_with_two_labels():
    with pytest.raises(SizeError, match=r"C = 5 is not 2$"):
        parameters(read_config({"model_type": "bert", "num_labels": 5}, head="BertForQuestionAnswering"))


def test_each_choice_of_experts_counts_its_own():
    """Two blocks of 8 experts, 4 by 3: with K = 2 and K = 4, a token meets 2·12 + 4·12 weights, and two routers."""
    def block(x, chosen):
        scores = linear(x, "router", bias=False, E=8)
        return lookup(top(scores, E=("e", chosen)), weight("up", E=8, i=4, o=3), "rows")

    x = tensor(s=2, d=5)
    net = within("one", block, x, chosen=2), within("two", block, x, chosen=4)
    assert active_parameters(net).total == 2 * 12 + 4 * 12 + 2 * 5 * 8
    assert parameters(net).total == 2 * 8 * 12 + 2 * 5 * 8


def test_windows_need_their_mask():
    with pytest.raises(SizeError, match="a window without a causal mask"):
        pairs(Mask(causal=False, window=2), 4, 4)


LABELS = [  # id2label, num_labels, the message
    ({"0": "a", "00": "b"}, None, 'config: id2label numbers its labels, each once, and not ["0", "00"]'),
    ({"x": "a"}, None, 'config: id2label numbers its labels, each once, and not ["x"]'),
    ({"0": "a", "1": "b"}, "3", 'config: id2label has 2 labels and num_labels is "3"'),
]


@pytest.mark.parametrize(("labels", "count", "said"), LABELS)
def test_labels(labels, count, said):
    config = {"model_type": "bert", "id2label": labels, **({"num_labels": count} if count else {})}
    with pytest.raises(ConfigError) as error:
        read_config(config)
    assert str(error.value) == said


# ---------------------------------------------------------------- networks of the user's own

OWN = [  # file, changes, the line after the path
    ("x = (", "", ": SyntaxError: '(' was never closed"),
    ("forward = 3", "", ": defines no function 'forward(z)'"),
    ("import sys\nsys.exit(3)", "", ", line 2: SystemExit: 3"),
    ("def forward(z):\n    return None", "", None),
    ("def forward(z):\n    return 1 / 0", "", ", line 2: ZeroDivisionError: division by zero"),
    ("def forward(z):\n    return forward(z)", "", ", line 2: RecursionError: "),
    ("def forward(z):\n    if z.d > 5:\n        pass", "", ", line 2: TypeError: the size d is in letters"),
    ("SIZES = 5\ndef forward(z):\n    pass", "", ": SIZES is a dictionary from letters to sizes"),
]


@pytest.mark.parametrize(("code", "changes", "said"), OWN, ids=[code.splitlines()[-1] for code, *_ in OWN])
def test_own_files(capsys, tmp_path, code, changes, said):
    path = tmp_path / "net.py"
    path.write_text(code, encoding="utf-8")
    status, shown, error = ask(capsys, "count", f"{path}{changes}")
    assert (status, shown, error.count("\n")) == (2, "", 1)
    expected = "net: the forward pass returned NoneType, not a Tensor" if said is None else f"{path}{said}"
    assert error.startswith(f"symcount: {expected}")


DENSE = """from symcount import linear, tensor
SIZES = {sizes}

def forward(z):
    return linear(tensor(d=z.d), 'l', h=z.h)
"""
SIZES = [  # SIZES, what is said
    ("{'d': 0.5}", "d = 0.5: model width is a whole number of at least 1"),
    ("{'d': 0}", "d = 0: model width is a whole number of at least 1"),
    ("{'d': 10**20}", "d has 21 digits; the largest size read is 1,000,000,000,000,000"),
    ("{'layers': 3}", "net: the forward pass never reads z.layers"),
    ("{'heads': 3}", "net: the forward pass never reads z.heads"),
]


@pytest.mark.parametrize(("sizes", "said"), SIZES)
def test_own_sizes(capsys, tmp_path, sizes, said):
    path = tmp_path / "net.py"
    path.write_text(DENSE.replace("{sizes}", sizes), encoding="utf-8")
    assert ask(capsys, "count", str(path)) == (2, "", f"symcount: {said}\n")


def test_own_sizes_that_are_right(capsys, tmp_path):
    path = tmp_path / "net.py"
    path.write_text(DENSE.replace("{sizes}", "{'d': 3, 'h': '4d'}"), encoding="utf-8")
    assert "total             48" in ask(capsys, "count", str(path))[1]


def test_a_window_wider_than_its_input():
    from symcount import window

    def forward(z):
        return linear(window(tensor(d=z.d), d=("u", z.w)), "l", over="u", h=z.h)

    with pytest.raises(SizeError, match=r"w = 7 is more than d = 6$"):
        flops(model(forward, d=6, w=7, h=2))


# ---------------------------------------------------------------- bounded time and memory

def test_formulas_that_grow_are_refused_or_stay_short():
    """Each took minutes once; the bounds are on powers and lengths, so nothing here measures time."""
    with pytest.raises(SizeError, match=r"^a power of 320 of heads is too high$"):
        parameters(model("llama:d=(9h)^64,h=(9V)^64,V=(9L)^64,L=(9heads)^64"))
    nested = model("llama:d=up(h+1,h+2),h=up(V+1,V+2),V=up(L+1,L+2),L=up(heads+1,heads+2),heads=up(kv+1,kv+2)")
    assert len(str(parameters(nested).size)) < 10_000


def test_a_long_chain_of_layers():
    """998 layers of 7 by 7 weights and 7 biases."""
    assert parameters(model("mlp:" + "-".join("7" * 999))).total == 998 * (7 * 7 + 7)


def test_too_many_widths():
    with pytest.raises(SizeError, match="n takes 2 to 1,000 widths"):
        model("mlp:" + "-".join("7" * 1_001))


def test_powers_are_bounded():
    big = letter("d") ** 64
    with pytest.raises(SizeError, match="a power of 320 of d is too high"):
        big**8
    assert isinstance(big, Polynomial)


# ---------------------------------------------------------------- input and output

def stdin(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


INPUT = [  # standard input, what is said
    (b'{"model_type": "llama", "model_type": "gpt2"}', "standard input: cannot be read as JSON: the key 'model_type' "
                                                       "stands twice"),
    (b'"config.json"', "standard input: a JSON object is needed, not str"),
    (b"[]", "standard input: a JSON object is needed, not list"),
    (b"\xff\xfe", "standard input: cannot be read as JSON: 'utf-8' codec can't decode byte 0xff in position 0: invalid "
                  "start byte"),
]


@pytest.mark.parametrize(("content", "said"), INPUT)
def test_standard_input(capsys, monkeypatch, content, said):
    stdin(monkeypatch, content)
    assert ask(capsys, "count", "-") == (2, "", f"symcount: {said}\n")


def test_what_is_no_file_is_not_read(capsys, tmp_path):
    os.mkfifo(tmp_path / "x.json")
    line = f"symcount: {tmp_path}/x.json: not a regular file\n"
    assert ask(capsys, "count", str(tmp_path / "x.json")) == (2, "", line)
    with pytest.raises(ConfigError, match="a mapping or a path is needed, not list"):
        read_config([])


def test_output_keeps_links_and_modes_and_leaves_nothing(capsys, tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    assert ask(capsys, "count", "gpt2", "-o", str(link))[0] == 0
    assert link.is_symlink()
    assert "124,439,808" in real.read_text(encoding="utf-8")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert ask(capsys, "count", "gpt2", "--by", "1", "-o", str(pipe))[0] == 0
    assert b"124,439,808" in os.read(reader, 10_000)
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert ask(capsys, "count", "gpt2", "-o", str(tmp_path))[0] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.txt", "pipe", "real.txt"]


def test_terminals_without_superscripts():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-m", "symcount", "formula", "gpt2"], capture_output=True, text=True,
                          check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert r"L(12d\xb2 + 13d)" in done.stdout


@pytest.mark.parametrize("redirected", [">/dev/full", ">&-"])
def test_output_that_cannot_be_written(redirected):
    done = subprocess.run(f"{sys.executable} -m symcount count gpt2 {redirected}", shell=True,  # noqa: S602 - our words
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "standard output" in done.stderr


def test_long_and_odd_words_are_clipped(capsys):
    status, _, error = ask(capsys, "count", "x" * 100_000 + "\x1b[31m")
    assert status == 2
    assert len(error) < 700
    assert "\x1b" not in error


def test_shown_formula_of_a_named_scope():
    """runs that are no single letter stay in brackets: L·(d + 1) terms of one weight."""
    def body(x):
        return pointwise(contract(x, weight("w", d=letter("d"), e=letter("d")), to="e", name="w"), kind="relu", to="e")

    net = within("tower", lambda x: _renamed(body(x)), tensor(d=letter("d")), runs=letter("L"))
    assert text.form(formula(parameters(net))) == "Ld²"


def _renamed(x):
    from symcount import rename

    return rename(x, e="d")
