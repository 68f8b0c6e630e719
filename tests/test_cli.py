"""The command line: what it answers, and the one line with which it refuses."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from symcount.cli import TAKES, main


def ask(capsys, *words):
    """(status, standard output, standard error) of one call."""
    status = main(list(words))
    shown = capsys.readouterr()
    return status, shown.out, shown.err


REFUSED = [  # words, the whole line on standard error
    ("cuont llama-7b", "no verb 'cuont'; did you mean 'count'?"),
    ("count", "count needs a model, as in symcount count llama-7b"),
    ("count lama-7b", "no model 'lama-7b'; did you mean 'llama-7b'?"),
    ("count nope.json", "nope.json: no such file"),
    ("count nope.py", "nope.py: no such file"),
    ("count llama-7b --foo", "unrecognized arguments: --foo; symcount --help lists verbs and options"),
    ("count llama-7b --format yaml",
     "--format yaml: count prints text, markdown, latex, html, typst, pdf, ipynb, json"),
    ("count llama-7b --by x", "cannot group by 'x': a depth from 1, kind, trainable, or names of paths "
     "(--by name, or a mapping)"),
    ("count llama-7b --by 0", "cannot group by 0: a depth from 1, kind, trainable, or names of paths "
     "(--by name, or a mapping)"),
    ("count llama-7b --of parms", "unknown quantity 'parms'; did you mean 'params'?"),
    ("count llama-7b --without biases", "llama-7b (LlamaForCausalLM) has no kind or part 'biases'; "
                                        "did you mean 'bias'?"),
    ("count llama-7b@layers.mpl", "llama-7b (LlamaForCausalLM)@layers.mpl has no part 'layers.mpl'; "
                                  "did you mean 'layers.mlp'?"),
    ("count llama-7b --head LlamaForMaskedLM", "llama-7b has no class 'LlamaForMaskedLM'; "
                                               "did you mean 'LlamaForCausalLM'?"),
    ("flops llama-7b --convention matmull", "unknown convention 'matmull'; did you mean 'matmul'?"),
    ("flops llama-7b --phase decoding", "unknown phase 'decoding'; did you mean 'decode'?"),
    ("flops gpt2 --set s=2048", "gpt2 (GPT2LMHeadModel): s = 2,048 is more than P = 1,024"),
    ("count llama-7b:d=-1", "d = -1: model width is a whole number of at least 1"),
    ("count llama-7b:d=0", "d = 0: model width is a whole number of at least 1"),
    ("count llama-7b:h=4.5", "h = 9/2: feed-forward width is a whole number"),
    ("count llama-7b:h=d/3", "llama-7b:h=d/3: h = d/3 is not a whole number of at least 1 for d = 4,096"),
    ("count llama-7b:heads=10", "llama-7b:heads=10: k = d/heads is not a whole number of at least 1 "
                                "for d = 4,096, heads = 10"),
    ("count llama-2-70b:kv=7", "llama-2-70b:kv=7 (LlamaForCausalLM): kv = 7 does not divide heads = 64"),
    ("count bert-base-uncased:heads=10", "bert-base-uncased:heads=10 (BertModel): heads = 10 does not divide d = 768"),
    ("count llama-7b:d=2d", "d = 2*d refers to itself (d -> d); in a change, x is the present value: 2x"),
    ("count llama-7b:d=h,h=d", "d = h refers to itself (d -> h -> d); in a change, x is the present value: 2x"),
    ("count llama-7b:q=4", "llama has no size or flag 'q'; known: C, L, V, attention_bias, b, d, dp, h, heads, k, kv, "
                           "mlp_bias, new, pp, s, t, tied, tp"),
    ("count llama-7b:width=4", "llama has no size or flag 'width'; known: C, L, V, attention_bias, b, d, dp, h, heads, "
                               "k, kv, mlp_bias, new, pp, s, t, tied, tp"),
    ("count llama-7b:h=4d+w", "'4d+w', column 4: 'w' (kernel side) has no value here"),
    ("count llama-7b:h=4d+", "'4d+', column 4: the formula ends where a number or a symbol is expected"),
    ("count llama-7b:h", "'h' is no change: SIZE=EXPR (L=8), widths (784-128-10), tied or untied"),
    ("count llama-7b:L=2,L=3", "L is changed twice in 'L=2,L=3'"),
    ("count llama-7b:tied=3", "llama: tied = '3': true or false is needed"),
    ("count llama-7b:L=1000000000000000000", "L has 19 digits; the largest size read is 1,000,000,000,000,000"),
    ("count mlp", "mlp: the widths are missing, as in mlp:784-128-10"),
    ("count mlp:784-128-x", "'784-128-x' is no change: SIZE=EXPR (L=8), widths (784-128-10), tied or untied"),
    ("count meta-llama/Llama-2-7b-hf", "meta-llama/Llama-2-7b-hf: no such file, and nothing is downloaded: give its "
     "config.json, or one of the published names; did you mean 'llama-2-7b'?"),
    ("count llama-7b:num_hidden_layers=8", "llama has no size or flag 'num_hidden_layers'; that key is L here"),
    ("count gpt-oss-20b:L=8",
     "gpt-oss-20b:L=8 (GptOssForCausalLM): L_global = 12 is more than L = 8; change both, as in L=…,L_global=…"),
    ("count llama-7b:lora=8", "lora = '8': RANK@PATH+PATH is needed, as in lora=8@query+value"),
    ("count llama-7b:lora=8@kweery", "llama-7b:lora=8@kweery: lora: no linear map is named 'kweery'; "
     "known: down, gate, head, key, output, query, up, value"),
    ("count llama-7b --keys", "llama-7b: --keys shows how a configuration was read; this model has none"),
    ("explain", "explain takes MODEL@PATH, a configuration key, a convention, a storage, a symbol, a law or a check; "
                "conventions, storages, operations, phases and checks list theirs"),
    ("explain hiden_size", "nothing is known about 'hiden_size'; explain a part as MODEL@PATH; "
                             "did you mean 'hidden_size'?"),
    ("models llama-77b", "no model has 'llama-77b' in its name; symcount models lists all"),
]


@pytest.mark.parametrize(("words", "line"), REFUSED, ids=[words for words, _ in REFUSED])
def test_refusals_are_one_line(capsys, words, line):
    assert ask(capsys, *words.split()) == (2, "", f"symcount: {line}\n")


def test_five_examples_that_work(capsys, tmp_path, monkeypatch):
    status, shown, _ = ask(capsys)
    examples = [line.split("  ")[1].split()[1:] for line in shown.splitlines() if line.startswith("  symcount")]
    assert status == 0
    assert len(examples) == 5
    (tmp_path / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for words in examples:
        assert ask(capsys, *words)[0] == 0, words


COUNTED = [  # words, a line that is printed
    ("count llama-7b", "total             6,738,415,616  (6.74 billion)"),
    ("count llama-7b@layers.mlp", "total        4,328,521,728  (4.33 billion)"),
    ("count llama-7b --by kind", "norm             266,240   0.00 %"),
    ("count gpt2:untied", "total             163,037,184  (163 million)"),
    ("count gpt2 --set untied", "total             163,037,184  (163 million)"),
    ("count mlp:784-128-10 --of macs --set b=64", "total       6,504,448  (6.50 million)"),
    ("count mlp:784-128-10 --of macs", "total         101,632  (102 thousand)"),
    ("count llama-7b --of macs --set s=1 --by kind", "weight      6,607,077,376  100.00 %"),
    ("flops llama-7b --set s=2048", "total        29,261,612,187,648  (29.3 trillion)"),
    ("flops llama-7b --set s=2048 --convention causal", "total        28,162,637,430,784  (28.2 trillion)"),
    ("count llama-7b:lora=8@query+value --by trainable", "trainable      4,194,304   0.06 %"),
    ("count llama-7b:d=2x --by 1", "total        17,771,798,528  (17.8 billion)"),
    ("count bert-base-uncased --head BertForMaskedLM", "total             109,514,298  (110 million)"),
    ("formula llama:", "  L(2dk·heads + 2dk·kv + 3dh + 2d) + 2Vd + d"),
    ("formula llama:k=d/heads,kv=heads", "  L(4d² + 3dh + 2d) + 2Vd + d"),
    ("formula bert:h=4d", "  L(12d² + 13d) + Vd + Pd + d·types + d² + 3d"),
    ("formula llama-7b:h=up(8d/3,256)", "  L(4d² + 3d·up(8d/3, 256) + 2d) + 2Vd + d"),
    ("formula gpt2", "  does not depend on heads, s, b"),
    ("explain num_key_value_heads", "  llama: read as kv (key-value heads); when absent, kv = heads"),
    ("explain torch_dtype", "  every family: ignored: how numbers are stored; counts are of numbers"),
    ("explain causal", "source: FlashAttention-2 (Dao 2023), with the diagonal counted"),
    ("explain llama-7b@layers.mlp", "       = 32·135,266,304"),
    ("derive mlp:4-3-2", "       = 15"),
    ("--version", "symcount 0.1.0"),
]


@pytest.mark.parametrize(("words", "line"), COUNTED, ids=[words for words, _ in COUNTED])
def test_answers(capsys, words, line):
    status, shown, error = ask(capsys, *words.split())
    assert (status, error) == (0, "")
    assert line in shown.splitlines()


@pytest.mark.parametrize("words", ["check --help", "count llama-7b -h", "help prove"])
def test_the_help_of_a_verb_lists_its_options(capsys, words):
    verb = next(word for word in words.split() if word in TAKES)
    status, shown, _ = ask(capsys, *words.split())
    assert (status, shown.splitlines()[0].split()[:3]) == (0, ["usage:", "symcount", verb])
    listed = {line.split()[0].lstrip("-").rstrip(",") for line in shown.splitlines() if line.startswith("  -")}
    assert {{"for": "unknowns", "o": "output"}.get(one, one) for one in listed} == set(TAKES[verb])


def test_notations_are_explained(capsys):
    assert "t = tp" in ask(capsys, "explain", "notations")[1]
    both = ask(capsys, "explain", "megatron")[1]  # a convention, too
    assert "a = heads" in both
    assert "equation 3" in both


def test_models(capsys):
    rows = [line.split() for line in ask(capsys, "models")[1].splitlines()]
    assert ["llama-2-70b", "LlamaForCausalLM", "68,976,648,192"] in rows


def test_llama_with_twice_the_width():
    """The figure above by hand: d = 8,192 with the other sizes of LLaMA-7B."""
    d, h, layers, words = 8192, 11008, 32, 32000
    assert layers * (4 * d * d + 3 * d * h + 2 * d) + 2 * words * d + d == 17_771_798_528


def test_json(capsys):
    status, shown, _ = ask(capsys, "flops", "llama-7b", "--set", "s=2048", "--format", "json")
    told = json.loads(shown)
    assert status == 0
    assert {key: told[key] for key in ("model", "quantity", "unit", "convention", "total")} == {
        "model": "llama-7b (LlamaForCausalLM)", "quantity": "flops", "unit": "FLOP", "convention": "matmul",
        "total": 29_261_612_187_648}
    assert told["values"]["d"] == 4096
    assert sum(term["total"] for term in told["terms"]) == told["total"]
    assert {"path": "layers.attention.scores", "formula": "2Lbs²d", "total": 1_099_511_627_776, "share": 0.0376} in (
        told["terms"])


def test_json_closed_form_is_sympy(capsys):
    import sympy

    from symcount import model, parameters, symbols

    _, shown, _ = ask(capsys, "formula", "llama-7b:h=up(8d/3,256)", "bert:", "--format", "json")
    for told, name in zip(json.loads(shown), ("llama-7b:h=up(8d/3,256)", "bert:"), strict=True):
        letters = {letter: symbols.symbol(letter) for letter in dir(symbols)}
        form = sympy.sympify(told["closed_form"], locals=letters)
        assert sympy.expand(form - parameters(model(name)).closed_form) == 0


def test_open_totals_are_null(capsys):
    _, shown, _ = ask(capsys, "flops", "llama-7b", "--format", "json", "--by", "1")
    told = json.loads(shown)
    assert told["total"] is None
    assert {term["total"] for term in told["terms"]} == {None}
    assert told["closed_form"] == "L*(8*b*s*d**2 + 4*b*s**2*d + 6*b*s*d*h) + 2*b*s*d*V"


def test_standard_input(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}'))
    status, shown, _ = ask(capsys, "count", "-:L=6", "--by", "1")
    assert status == 0
    assert "total       81,912,576  (81.9 million)" in shown.splitlines()  # distilgpt2, as published


def test_output_file(capsys, tmp_path):
    target = tmp_path / "llama.tex"
    assert ask(capsys, "derive", "llama-7b", "--format", "latex", "-o", str(target)) == (0, "", "")
    assert "6{,}738{,}415{,}616" in target.read_text(encoding="utf-8")
    status, _, error = ask(capsys, "count", "llama-7b", "-o", str(tmp_path / "no" / "where"))
    assert status == 2
    assert error == f"symcount: cannot write {tmp_path}/no/where: No such file or directory\n"
    assert [path.name for path in tmp_path.iterdir()] == ["llama.tex"]


def test_a_closed_pipe_is_no_fault():
    script = f"{sys.executable} -m symcount models | head -1"
    done = subprocess.run(script, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 - our own words
    assert done.stderr == ""
    assert done.stdout.split() == ["model", "class", "parameters"]


SHAPES = ["--shapes", "X: n x d, W1: d x r, W2: r x m"]


@pytest.mark.parametrize(("words", "status", "line"), [
    (["prove", "layer_collapse"], 0, "   = XW + 1b                 with b = b₁W₂ + b₂"),
    (["prove", "layer_collapse", "--layers", "L"], 0, "   = XMₖ + 1cₖ                   with cₖ = cₖ₋₁Wₖ + bₖ"),
    (["prove", "layer_collapse", "--activation", "relu"], 1, "relu(XW₁ + 1b₁)W₂ + 1b₂"),
    (["prove", "convolution_composition", "--set", "w_1=3,w_2=3"], 0, "why: a window of a window is a window, so taps "
     "multiply as the coefficients of polynomials do"),
    (["prove", "X*(W1*W2) = (X*W1)*W2", *SHAPES], 0, "X(W₁W₂) = XW₁W₂  the product is associative"),
    (["prove", "relu(X*W1)*W2 = X*W1*W2", *SHAPES], 1, "XW₁W₂ = −1"),
    (["prove", "relu(X) - relu(-X) = X", "--shapes", "X: n x d"], 1, "relu(X) - relu(-X) = X: unknown: the rules do "
     "not reach from one side to the other, and no small counterexample was found"),
    (["prove", "lora_merge", "--certificate", "coq"], 0, "Print Assumptions certified_lora_merge."),
    (["prove", "layer_collapse", "--layers", "3", "--certificate", "coq"], 0,
     "Print Assumptions certified_layer_collapse_3."),
    (["identities", "mlp:4-3-2,activation=none"], 0, "layer_collapse  they are one matrix  13                layer1, "
     "layer2"),
    (["explain", "lora_merge"], 0, "lora_merge: a low-rank adapter merges into the weight beside it"),
])
def test_proofs(capsys, words, status, line):
    found, shown, error = ask(capsys, *words)
    assert (found, error) == (status, "")
    assert line in shown.splitlines()


@pytest.mark.parametrize(("words", "said"), [
    (["prove"], "prove takes one identity or one statement"),
    (["prove", "lora_merge", "lora_merge"], "prove takes one identity or one statement"),
    (["prove", "lora"], "no identity 'lora'; known: "),
    (["prove", "lora_merge", "--layers", "3"], "lora_merge takes no layers"),
    (["prove", "layer_collapse", "--layers", "1"], "a whole number from 2"),
    (["prove", "layer_collapse", "--activation", "reluu"], "did you mean 'relu'?"),
    (["prove", "X = X"], "needs the shapes of its letters"),
    (["prove", "lora_merge", *SHAPES], "shapes belong to a statement"),
    (["prove", "layer_collapse", "--layers", "L", "--of", "flops"], "prove takes no --of"),
    (["prove", "X*W2 = X", *SHAPES], "column 1"),
    (["identities", "--format", "latex"], "text, json"), (["identities", "nothing"], "no model 'nothing'"),
])
def test_proofs_refused(capsys, words, said):
    status, shown, error = ask(capsys, *words)
    assert (status, shown) == (2, "")
    assert said in error


def test_proofs_as_json(capsys):
    _, shown, _ = ask(capsys, "prove", "layer_collapse", "--layers", "3", "--format", "json")
    told = json.loads(shown)
    assert (told["verdict"], told["left"], told["right"]) == ("proved", "H_3", "X*M_3 + 1*c_3")
    assert [len(lemma["steps"]) for lemma in told["lemmas"]] == [1, 7, 7]
    assert told["definitions"]["M_3"] == "M_2*W_3"
    status, shown, _ = ask(capsys, "prove", "layer_collapse", "--activation", "relu", "--format", "json")
    told = json.loads(shown)
    assert (status, told["verdict"], told["matrices"]["W_2"]) == (1, "refuted", [[1]])
    assert [side["value"] for side in told["sides"]] == [[[0]], [[-1]]]
    status, shown, _ = ask(capsys, "prove", "relu(X) - relu(-X) = X", "--shapes", "X: n x d", "--format", "json")
    assert (status, json.loads(shown)["verdict"]) == (1, "unknown")
    _, shown, _ = ask(capsys, "identities", "gpt2", "--format", "json")
    assert {"weights": ["layers.attention.key.bias"], "identity": "key_bias", "saves": 9216,
            "says": "the softmax does not see it: it can be left out"} in json.loads(shown)["fusable"]
