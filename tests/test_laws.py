"""Conventions of papers against the papers' own formulas, and laws: proved, with their neighbours refuted in numbers.

The numbers of both are worked out here in Python's integers, from the papers' formulas and from the texts of the laws,
by nothing that a count uses.

Sources: Kaplan et al. 2020, table 1; Hoffmann et al. 2022, appendix F and table A4; Chowdhery et al. 2022, appendix B;
Narayanan et al. 2021, equations 2 and 3; nanoGPT, transformer_sizing.ipynb and model.py.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest

from symcount import (
    active_parameters,
    certify,
    flops,
    identities,
    ledger_laws,
    model,
    multiply_adds,
    parameters,
    prove,
    refute,
)
from symcount import closed_forms as proofs
from symcount.cli import main
from symcount.closed_forms import Kept, Side, form_of, prove_law
from symcount.conventions import Convention, convention
from symcount.derivation import Equation
from symcount.errors import FormulaError, ModelError, ProofError
from symcount.forms import Number, Product, Sum, Symbol, written
from symcount.formulas import read
from symcount.laws import Law, Neighbour, load
from symcount.polynomials import letter, quotient
from symcount.readers.which import ALL, LAYERS, MATMUL, NO_TABLES, PLACELESS, Which
from symcount.render import text
from symcount.sizes import same
from symcount.symbols import known

GPT3 = "gpt2:d=12288,L=96,heads=96,V=50257,P=2048"
PAPERS = ("chinchilla", "kaplan", "megatron", "nanogpt", "palm")
# name: d, L, V, heads, h, matrices of the MLP, all parameters, s
MODELS = {
    GPT3: (12288, 96, 50257, 96, 49152, 2, 174_604_259_328, 2048),
    "llama-7b": (4096, 32, 32000, 32, 11008, 3, 6_738_415_616, 2048),
    "gpt2": (768, 12, 50257, 12, 3072, 2, 124_439_808, 1024),
}


# ---------------------------------------------------------------- conventions

def kaplan(d, L, V, heads, h, matrices, N, s):
    """Table 1, "Total (Non-Embedding)", for s tokens; the paper's MLP has two matrices."""
    return s * (2 * L * (4 * d * d + matrices * d * h) + 2 * L * s * d)


def chinchilla(d, L, V, heads, h, matrices, N, s):
    """Appendix F, line by line; the paper's dense block has two matrices."""
    key_size = d // heads
    attention = (2 * 3 * s * d * (key_size * heads) + 2 * s * s * (key_size * heads) + 3 * heads * s * s
                 + 2 * s * s * (key_size * heads) + 2 * s * (key_size * heads) * d)
    return 2 * s * V * d + L * (attention + 2 * s * matrices * d * h) + 2 * s * d * V


def palm(d, L, V, heads, h, matrices, N, s):
    """A third of 6N + 12LHQT, for T tokens."""
    return s * (6 * N + 12 * L * heads * (d // heads) * s) // 3


def megatron(d, L, V, heads, h, matrices, N, s):
    """24Bsh² + 4Bs²h a layer, of which 16 are the MLP's, and 2BshV."""
    return L * (8 * s * d * d + 2 * matrices * s * d * h + 4 * s * s * d) + 2 * s * d * V


def nanogpt(d, L, V, heads, h, matrices, N, s):
    """flops() of the notebook: kqv, scores, reduce, proj, the MLP, dense."""
    attention = 2 * s * (d * 3 * d) + 2 * s * s * d + 2 * heads * (s * s * (d // heads)) + 2 * s * (d * d)
    return L * (attention + matrices * 2 * s * (d * h)) + 2 * s * (d * V)


FORMULAS = {"kaplan": kaplan, "chinchilla": chinchilla, "palm": palm, "megatron": megatron, "nanogpt": nanogpt}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_counts_what_its_formula_says(paper, name):
    *_, s = sizes = MODELS[name]
    forward = FORMULAS[paper](*sizes)
    assert flops(model(name, s=s), paper).total == forward
    assert flops(model(name, s=s, b=3), paper).total == 3 * forward
    assert flops(model(name, s=s), paper, "backward").total == 2 * forward
    assert flops(model(name, s=s), paper, "train").total == 3 * forward


@pytest.mark.parametrize("name", [GPT3, "gpt2"])
def test_megatron_with_recomputation_is_equation_3(name):
    d, L, V, *_, s = MODELS[name]
    equation = 96 * s * L * d * d * (1 + Fraction(s, 6 * d) + Fraction(V, 16 * L * d))
    assert flops(model(name, s=s), "megatron", "recompute").total == equation
    assert flops(model(name, s=s), "matmul", "recompute").total == equation


def test_the_sizes_of_the_models_are_those_of_the_count():
    for name, (*_, N, _) in MODELS.items():
        assert parameters(model(name)).total == N


# parameters in millions, layers, d, h, heads, k, the ratio to 6ND that is printed
TABLE_A4 = [
    (73, 10, 640, 2560, 10, 64, "1.03"), (305, 20, 1024, 4096, 16, 64, "1.10"), (552, 24, 1280, 5120, 10, 128, "1.08"),
    (1142, 26, 1792, 7168, 14, 128, "1.04"), (1592, 28, 2048, 8192, 16, 128, "1.03"),
    (6794, 40, 3584, 14336, 28, 128, "0.99"),
]


@pytest.mark.parametrize(("millions", "L", "d", "h", "heads", "k", "printed"), TABLE_A4)
def test_chinchilla_table_a4(millions, L, d, h, heads, k, printed):
    """The printed ratios leave out both products with the table of words, and N has the maps of relative positions."""
    N = L * (5 * d * d + 2 * d * h) + 32_000 * d
    assert millions == N // 10**6
    ledger = flops(model("gpt2", L=L, d=d, h=h, heads=heads, V=32_000, P=2048, s=2048), "chinchilla", "train")
    assert k * heads == d
    assert f"{float(ledger.without('embedding', 'logits').total / Fraction(6 * N * 2048)):.2f}" == printed
    assert f"{float(ledger.total / Fraction(6 * N * 2048)):.2f}" != printed


def test_what_the_notebook_of_nanogpt_prints():
    """Its model has no biases, and N has positions there, but not in model.py."""
    N = parameters(model("gpt2")).without("bias").total
    assert N == 124_337_664
    assert flops(model("gpt2", s=1024), "nanogpt").total == 291_648_307_200
    assert flops(model("gpt2", s=1024), "nanogpt", "train").total == 874_944_921_600
    assert (6 * N + 12 * 12 * 768 * 1024) * 1024 == 879_894_724_608


def test_a_kind_means_no_path_of_its_name():
    """Half of attention is half of its scores and mix, not of query, key, value and output beside them."""
    ledger = flops(model("gpt2", s=1024), "kaplan")
    full = flops(model("gpt2", s=1024))
    for name in ("query", "key", "value", "output"):
        assert ledger.where(f"attention.{name}").total == full.where(f"attention.{name}").total
    assert 2 * ledger.where("scores").total == full.where("scores").total
    nothing = Convention("none", weights="all", counts={"attention": 0}, says="", source="")
    assert flops(model("gpt2", s=1024), nothing).total == 2 * 1024 * 124_439_808
    by_path = Convention("path", counts={"attention.query": 0}, says="", source="")
    assert full.total - flops(model("gpt2", s=1024), by_path).total == 12 * 2 * 1024 * 768**2


def test_palm_counts_the_experts_that_are_chosen():
    one = model("mixtral-8x7b", s=2048)
    active = active_parameters(one).total
    assert flops(one, "palm").total == 2048 * (2 * active + 4 * 32 * 4096 * 2048)


def test_a_look_up_that_is_a_product_stands_in_its_scope():
    ledger = flops(model("t5-base", s=128, u=64), "chinchilla")
    looked = [term for term in ledger.terms if term.path.endswith("one_hot")]
    assert sum(ledger.where(term.path).total for term in looked) == 2 * (128 + 64) * 32_128 * 768


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_says_what_it_leaves_out_and_where_it_stands(paper):
    rule = convention(paper)
    assert rule.backward == 2
    assert rule.unit == "FLOP"
    assert rule.leaves.count(". ") == 0
    assert re.search(r"20\d\d|nanoGPT", rule.source)
    assert multiply_adds(model("gpt2", s=8), paper).unit == "multiply-add"


# ---------------------------------------------------------------- which N

WHICH = [
    (MATMUL, "llama-7b", 6_607_077_376), (LAYERS, "llama-7b", 6_476_005_376), (ALL, "llama-7b", 6_738_415_616),
    (NO_TABLES, "llama-7b", 6_738_415_616 - 131_072_000), (PLACELESS, "llama-7b", 6_738_415_616),
    (MATMUL, "gpt2", 84_934_656 + 38_597_376), (LAYERS, "gpt2", 84_934_656), (PLACELESS, "gpt2", 123_653_376),
    (NO_TABLES, "gpt2", 124_439_808 - 38_597_376 - 786_432),
    (MATMUL, "mixtral-8x7b", 12_879_925_248 - 32_000 * 4096 - 65 * 4096),
    (MATMUL, "bert-base-uncased", 12 * 12 * 768**2 + 768**2), (LAYERS, "bert-base-uncased", 145 * 768**2),
]


@pytest.mark.parametrize(("which", "name", "number"), WHICH, ids=[f"{which.says} {name}" for which, name, _ in WHICH])
def test_which_n(which, name, number):
    assert which.count(model(name)).total == number


# Whether 2N is exact, N being the weights that products are taken with, for whatever sizes the network has
EXACT = [
    *((name, True) for name in ("llama:", "gpt2:", "mixtral:", "deepseek_v3:", "gemma2:", "qwen3:", "t5:", "mistral:",
                                "gpt_oss:", "olmoe:", "llama4_text:", "falcon:", "phi3:", "opt:", "bloom:")),
    ("bert:", False),  # its pooler reads one token
    ("albert:", False),  # its layers share their weights
]


@pytest.mark.parametrize(("name", "exact"), EXACT)
def test_for_which_architectures_2n_is_exact(name, exact):
    if exact:
        prove("forward_2n", model=name)
        prove("training_6nd", model=name)
    else:
        with pytest.raises(ProofError, match="forward_2n: refuted for"):
            prove("forward_2n", model=name)


# ---------------------------------------------------------------- laws

LAWS = ledger_laws()
NEIGHBOURS = [(name, i) for name in LAWS for i in range(len(load(name).neighbours))]


@cache
def shown_for(name: str):
    return prove(name)


def evaluated(formula: str, values: dict) -> Fraction:
    """A formula in numbers, by Python."""
    code = re.sub(r"(?<=\d)(?=[A-Za-z])", "*", formula).replace("^", "**")
    return eval(code, {}, {name: Fraction(value) for name, value in values.items()})  # noqa: S307


def worked_out(formula: str, names: dict, one) -> Fraction:
    """The same where N is what a ledger adds up to."""
    values = dict(one.values)
    for name, of in names.items():
        if isinstance(of, Which):
            values[name] = of.count(one).total
        elif name not in values:
            values[name] = evaluated(of, values)
    return Fraction(evaluated(formula, values))


@pytest.mark.parametrize("name", LAWS)
def test_a_law_is_proved_and_true_in_numbers(name):
    law, shown = load(name), shown_for(name)
    assert shown.remarks[0].pieces == ("proved: both sides are the same polynomial",)
    assert all(isinstance(step, Equation) for step in shown.steps)
    assert shown.steps[-1].name == law.what
    at, sizes = law.at
    one = model(at, **sizes)
    assert law.left(one).total == worked_out(law.right, law.names, one)
    numbers = prove(name, model=at, **sizes)
    assert numbers.steps[-1].forms[-1].number == law.left(one).total
    assert numbers.symbols[0].value == one.values[numbers.symbols[0].name]


@pytest.mark.parametrize("name", LAWS)
def test_a_law_says_everything(name):
    law = load(name)
    assert all((law.says, law.reason, law.source, law.what, law.conditions))
    assert not law.says.endswith(".")
    assert len({one.says for one in law.neighbours}) == len(law.neighbours) >= 2
    assert name not in identities()
    assert not model(law.network, **law.changes).values.keys() - {"b", "s"}  # all sizes are letters


@pytest.mark.parametrize(("name", "i"), NEIGHBOURS)
def test_a_neighbour_is_false_in_numbers(name, i):
    law = load(name)
    of = law.neighbours[i]
    at, sizes = of.at or law.at
    one = model(at, **sizes)
    claimed = worked_out(of.right or law.right, {**law.names, **(of.names or {})}, one)
    true = (of.left or law.left)(one).total
    assert claimed != true
    said, = (remark for remark in shown_for(name).remarks
             if remark.label == "but not" and remark.pieces[0] == f"{of.says}: ")
    assert f" = {claimed.numerator:,} for {at}" in text.remark(said)
    assert f"the count is {true:,}:" in text.remark(said)


def copied(law: Law, **changed) -> Law:
    given = {slot: getattr(law, slot) for slot in Law.__slots__ if slot != "says"}
    return Law(law.says, **{**given, **changed})


def proved_instead(monkeypatch, law: Law):
    monkeypatch.setattr(proofs, "load", lambda name: law)
    return prove_law("spoiled")


@pytest.mark.parametrize("name", LAWS)
def test_a_spoiled_law_is_refuted(name, monkeypatch):
    law = load(name)
    proved_instead(monkeypatch, law)
    coefficients = list(re.finditer(r"\d+", law.right))
    assert coefficients
    for found in coefficients:
        right = f"{law.right[:found.start()]}{int(found[0]) + 1}{law.right[found.end():]}"
        with pytest.raises(ProofError, match="spoiled: refuted for"):
            proved_instead(monkeypatch, copied(law, right=right))
    for sign in re.finditer(r"\+", law.right):
        right = f"{law.right[:sign.start()]}-{law.right[sign.end():]}"
        with pytest.raises(ProofError, match="spoiled: refuted for"):
            proved_instead(monkeypatch, copied(law, right=right))


@pytest.mark.parametrize("name", [name for name in LAWS if load(name).names])
def test_another_n_is_refuted(name, monkeypatch):
    law = load(name)
    others = {MATMUL, LAYERS, ALL, NO_TABLES, PLACELESS} - {law.names["N"]}
    for other in others:
        if same(other.count(model(law.network, **law.changes)).size,
                law.names["N"].count(model(law.network, **law.changes)).size):
            continue  # all but positions, where there are none
        with pytest.raises(ProofError, match="spoiled: refuted for"):
            proved_instead(monkeypatch, copied(law, names={**law.names, "N": other}))


def test_a_neighbour_that_is_true_is_no_neighbour(monkeypatch):
    law = load("training_6nd")
    true = Neighbour("the law itself", right="6*b*s*N")
    with pytest.raises(ProofError, match="its neighbour is true for llama-7b at s = 2,048, b = 488,281,250: the law i"):
        proved_instead(monkeypatch, copied(law, neighbours=(true,)))


# ---------------------------------------------------------------- facts

def test_llama_7b_in_numbers():
    one = model("llama-7b", s=2048)
    true = flops(one).total
    assert true == 29_261_612_187_648
    assert MATMUL.count(one).total == 6_607_077_376
    assert flops(one, "matmul", "train").total == 2048 * (6 * 6_607_077_376 + 12 * 32 * 32 * 128 * 2048)
    folk = 2 * parameters(one).total * 2048
    assert folk == 27_600_550_363_136
    assert f"{100 * (folk - true) / true:.1f}" == "-5.7"
    assert flops(model("mixtral-8x7b", s=2048)).total == 54_417_235_640_320
    assert flops(model("bert-base-uncased", s=128)).total == 22_348_431_360


def test_llama_7b_trained_on_a_trillion_tokens():
    halved = Convention("halved", pairs=quotient(1, 2), says="", source="")
    six = 6 * parameters(model("llama-7b")).total * 10**12
    assert six == 40_430_493_696 * 10**12  # 4.0430493696e22
    for rule, ratio in (("matmul", "1.0602"), ("causal", "1.0204"), (halved, "1.0203")):
        step = flops(model("llama-7b", s=2048), rule, "train").total
        assert f"{float(step * Fraction(10**12, 2048) / six):.4f}" == ratio


def test_four_times_the_layers_and_three_times_the_logits():
    one = model("gpt2:", h="4d")
    forward, again = flops(one), flops(one, "matmul", "recompute")
    assert same(again.without("logits").size, 4 * forward.without("logits").size)
    again_logits, = (part for name, part in again.by({term.path: "logits" if "logits" in term.kinds else "rest"
                                                      for term in again.terms}).items() if name == "logits")
    assert same(again_logits.size, 3 * flops(one).where("head").size)
    assert same(again.size, read("96b*s*L*d^2*(1 + s/(6d) + V/(16*L*d))"))


# ---------------------------------------------------------------- a law of a model of your own

def test_a_law_for_a_model_of_your_own():
    shown = prove("palm_training", model="llama-7b", s=2048)
    assert shown.title.startswith("palm_training for llama-7b (LlamaForCausalLM): ")
    assert text.form(shown.steps[-1].forms[-2]) == "1·2,048 × (6·6,607,077,376 + 12·32·32·128·2,048)"
    assert shown.steps[-1].forms[-1] == Number(87_784_836_562_944)
    assert "but not" not in [remark.label for remark in shown.remarks]
    assert prove("palm_training", s=1).steps[0].name == "N"
    assert refute("palm_training", model="llama-7b", s=2048) is None


def test_a_law_that_fails_for_a_model():
    with pytest.raises(ProofError, match=r"parameters_12ld2: refuted for llama-7b .* differ by -8\*L\*d\^2 ") as caught:
        prove("parameters_12ld2", model="llama-7b")
    witness = caught.value.witness
    assert [step.forms[-1].number for step in witness.steps] == [6_476_005_376, 6_442_450_944]
    found = refute("parameters_12ld2", model="llama-7b")
    assert found.title == "parameters_12ld2 is false for llama-7b (LlamaForCausalLM)"


def test_a_law_that_holds_for_these_sizes_only():
    with pytest.raises(ProofError, match=r"unknown for transformer:.* which is 0 for these sizes, but not for all"):
        prove("layer_24bsd2", model="transformer:d=768,h=3072,heads=12", s=128)
    assert refute("layer_24bsd2", model="transformer:d=768,h=3072,heads=12", s=128) is None


REFUSED = [
    (lambda: prove("training_6n"), ModelError, "no identity 'training_6n'; did you mean 'training_6nd'"),
    (lambda: prove("training_6nd", shapes="X: n x d"), ModelError, "shapes belong to a statement"),
    (lambda: prove("training_6nd", layers=3), ModelError, "llama has no size or flag 'layers'"),
    (lambda: prove("megatron_parameters", model="llama-7b"), FormulaError, "'P' .positions. has no value here"),
    (lambda: certify("training_6nd"), ProofError, "a law is an equation of polynomials"),
    (lambda: load("nothing"), ModelError, "no law 'nothing'"),
]


@pytest.mark.parametrize(("asked", "error", "says"), REFUSED)
def test_what_is_refused(asked, error, says):
    with pytest.raises(error, match=says):
        asked()


def test_the_command_line(capsys):
    assert main(["prove", "megatron_recompute"]) == 0
    shown = capsys.readouterr().out
    assert "= 96Lbsd² + 16Lbs²d + 6bsdV\n" in shown
    assert "= 96bsLd²(1 + s/(6d) + V/(16Ld))\n" in shown
    assert main(["prove", "megatron_recompute", "--format", "latex"]) == 0
    assert r"&= 96 b s L d^{2} \left(1 + \frac{s}{6 d} + \frac{V}{16 L d}\right)" in capsys.readouterr().out
    assert main(["prove", "parameters_12ld2", "--set", "model=llama-7b"]) == 1
    assert "refuted: the sides differ by −8Ld² + 3Ldh" in capsys.readouterr().out
    assert main(["identities"]) == 0
    assert "training_6nd" in capsys.readouterr().out
    assert main(["explain", "training_6nd"]) == 0
    assert "= 6ND\n" in capsys.readouterr().out


def test_the_command_line_as_json(capsys):
    assert main(["prove", "training_6nd", "--set", "model=llama-7b,s=2048", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "proved"
    assert told["steps"][-1]["lines"][-2:] == ["6·6607077376·2048", "81187766796288"]
    assert {"name": "N", "meaning": MATMUL.says, "value": 6_607_077_376} in told["letters"]
    assert main(["prove", "parameters_12ld2", "--set", "model=llama-7b", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "refuted"


# ---------------------------------------------------------------- how it is written

@pytest.mark.parametrize("written_as", ["96bsLd²(1 + s/(6d) + V/(16Ld))", "bs(6(N − 13Ld − 2d) + 12Lds)", "d − (h − L)",
                                        "−(d − 2)", "3 − d", "1/(2d)", "2(d + h)/3", "d(h + 1)(L − 1)", "(d + 1)²"])
def test_a_formula_is_kept_as_it_is_written(written_as):
    kept = form_of(read(written_as, lambda name: Kept(written(letter(name))) if known(name) else None))
    assert same(read(text.plain(kept).replace("−", "-")), read(written_as))
    flat = {"d − (h − L)": "d − h + L", "−(d − 2)": "−d + 2"}
    assert text.form(kept) == flat.get(written_as, written_as)


def test_the_right_side_of_a_law_over_a_network():
    side = Side("b*s*(2N + 4*L*heads*k*s)", {"N": MATMUL, "k": "d/heads"}, model("gpt2", s=8))
    assert text.form(side.form) == "bs(2N + 4L·heads·ks)"
    assert list(side.where) == ["N", "k"]
    assert [step.name for step in prove("palm_training", model="gpt2").steps][:2] == ["N", "k"]


def test_a_line_with_letters_is_the_same_polynomial():
    d, N = letter("d"), letter("N")
    Equation("sum", [Product((Number(2), Symbol("d"))), Symbol("N")], of=2 * d, where={"N": 2 * d})
    Equation("sum", [Symbol("N"), Number(8)], of=2 * d, where={"N": 2 * d}, values={"d": 4})
    for forms in ([Symbol("d"), Symbol("N")], [Symbol("N"), Sum(((1, Symbol("d")), (1, Number(4))))]):
        with pytest.raises(ProofError, match="step 'sum'"):  # d + 4 is 2d at d = 4, and no other
            Equation("sum", forms, of=2 * d, where={"N": N * quotient(1, 1) - N + 2 * d}, values={"d": 4, "N": 8})


def test_lines_follow_one_another():
    for name in LAWS:
        for step in shown_for(name).steps:
            assert all(one != other for one, other in pairwise(step.forms)), (name, step.name)


def test_a_law_about_a_step_is_about_a_step_of_ones_own_model():
    assert "proved" in prove_law("decode_2n", model="llama-7b", t=100).to_text()
    assert "proved" in prove_law("decode_2n", model="llama:").to_text()


@pytest.mark.parametrize(("name", "asked", "says"), [
    ("layer_24bsd2", "gpt2", "this law is of one layer, and the network repeats its layers"),
    ("experts_active", "mlp:784-128-10", "is about texts of s tokens"),
    ("training_6nd", "mlp:784-128-10", "is about texts of s tokens"),
])
def test_a_law_does_not_fit_every_model(name, asked, says):
    with pytest.raises(ModelError, match=says):
        prove_law(name, model=asked)
