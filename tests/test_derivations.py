"""Derivations: every line is checked, every format says the same numbers, every formula reads back."""

from __future__ import annotations

import re

import pytest

from symcount import Ledger, ProofError, Term, derive, flops, letter, model, models, multiply_adds, parameters, same
from symcount.architectures import names
from symcount.counting import formula
from symcount.derivation import Equation
from symcount.forms import Number, Product, Sum, Symbol
from symcount.formulas import read
from symcount.render import latex, percent, rounded, text

ONE_OF_EACH = {kind: name for name, (kind, *_) in reversed(names().items())}
NAMES = [*ONE_OF_EACH.values(), *(name for name in models() if name.endswith(":") and name != "mlp:"), "mlp:4-3-2",
         "mlp:784-128-10", "llama-7b:h=up(8d/3,256)", "bert:h=4d", "llama:k=d/heads,kv=heads",
         "gpt2:lora=4@query+attention.output", "llama-2-70b@layers.attention"]

FORMULAS = [  # model, parameters, FLOPs, as their author would write them
    ("llama-7b", "L(4d² + 3dh + 2d) + 2Vd + d", "L(8bsd² + 4bs²d + 6bsdh) + 2bsdV"),
    ("llama:", "L(2dk·heads + 2dk·kv + 3dh + 2d) + 2Vd + d",
     "L(4bsdk·heads + 4bsdk·kv + 4bs²k·heads + 6bsdh) + 2bsdV"),
    ("llama-3-8b", "L(2d² + 2d²·kv/heads + 3dh + 2d) + 2Vd + d",
     "L(4bsd² + 4bsd²·kv/heads + 4bs²d + 6bsdh) + 2bsdV"),
    ("bert-base-uncased", "L(4d² + 2dh + 9d + h) + Vd + Pd + d·types + d² + 3d", "L(8bsd² + 4bs²d + 4bsdh) + 2bd²"),
    ("distilbert-base-uncased", "L(4d² + 2dh + 9d + h) + Vd + Pd + 2d", "L(8bsd² + 4bs²d + 4bsdh)"),
    ("gpt2", "L(12d² + 13d) + Vd + Pd + 2d", "L(24bsd² + 4bs²d) + 2bsdV"),
    ("mixtral:", "L(2dk·heads + 2dk·kv + 3Edh + dE + 2d) + 2Vd + d",
     "L(4bsdk·heads + 4bsdk·kv + 4bs²k·heads + 6bsdKh + 2bsdE) + 2bsdV"),
    ("gemma3_text:", "L(2dk·heads + 2dk·kv + 3dh + 4d + 2k) + Vd + d",
     "L(4bsdk·heads + 4bsdk·kv + 4bs²k·heads + 6bsdh) + 2bsdV"),
    ("dots1:", "L(2dk·heads + 2dk·kv + 2d + 2k) + (L − L_dense)(3Ed·h_e + 3d·E_s·h_e + dE) + 3dh·L_dense + 2Vd + d",
     "L(4bsdk·heads + 4bsdk·kv + 4bs²k·heads) + (L − L_dense)(6bsdK·h_e + 6bsd·E_s·h_e + 2bsdE) + 6bsdh·L_dense + "
     "2bsdV"),
    ("t5:", "L(4dk·heads + 2dh + 2d) + L_dec(8dk·heads + 2dh + 3d) + Vd + 2·buckets·heads + 2d",
     "L(8bsdk·heads + 4bs²k·heads + 4bsdh) + L_dec(16bsdk·heads + 8bs²k·heads + 4bsdh) + 2bsdV"),
    ("dense:", "dm + m", "2bdm"),
    ("mlp:4-3-2", "n_0·n_1 + n_1·n_2 + n_1 + n_2", "2b·n_0·n_1 + 2b·n_1·n_2"),
]


@pytest.mark.parametrize(("name", "counted", "worked"), FORMULAS, ids=[row[0] for row in FORMULAS])
def test_formulas_in_the_authors_order(name, counted, worked):
    assert text.form(formula(parameters(model(name)))) == counted
    assert text.form(formula(flops(model(name)))) == worked


@pytest.mark.parametrize("name", NAMES)
def test_a_printed_formula_reads_back(name):
    for ledger in (parameters(model(name)), flops(model(name))):
        assert same(read(text.plain(formula(ledger))), ledger.size)


@pytest.mark.parametrize("name", NAMES)
def test_every_format_says_the_same_numbers(name):
    derivation = derive(flops(model(name), s=16) if name in ("gpt2", "llama-7b") else parameters(model(name)))
    shown = [derivation.to_text(), derivation.to_markdown(), derivation.to_latex()]
    counts = [set(re.findall(r"\d{1,3}(?:,\d{3})+", form.replace("{,}", ","))) for form in shown]
    assert counts[0] == counts[1] == counts[2]
    bundle = derivation._repr_mimebundle_()
    assert sorted(bundle) == ["text/latex", "text/markdown", "text/plain"]
    assert derivation._repr_mimebundle_(include=["text/plain"]) == {"text/plain": shown[0]}
    assert derivation._repr_mimebundle_(exclude=["text/plain", "text/latex"]) == {"text/markdown": shown[1]}


@pytest.mark.parametrize("name", NAMES)
def test_the_last_line_of_the_total_is_the_total(name):
    ledger = parameters(model(name))
    last = derive(ledger).steps[-1]
    if ledger.open:
        assert len(last.forms) == 1
    else:
        assert last.forms[-1] == Number(ledger.total)


def test_displays_fit_a_page():
    for name in ("bert-base-uncased", "llama-3-8b:h=up(8d/3,256)", "llama-2-70b"):
        for ledger in (parameters(model(name)), flops(model(name), s=128)):
            for display in latex.displays(derive(ledger)):
                assert display.startswith("$$\n")
                assert display.endswith("\n$$")
                assert display.count(r"\\") < 25
                assert display.count(r"\begin") == display.count(r"\end")


LATEX = [
    ("4d^2 + 3dh", "4 d^{2} + 3 d h"),
    ("L(4d^2 + 2d)", "4 L d^{2} + 2 L d"),
    ("2dk*heads", r"2 d k \, n_{\mathrm{heads}}"),
    ("heads^2", r"{n_{\mathrm{heads}}}^{2}"),
    ("d/heads", r"\frac{d}{n_{\mathrm{heads}}}"),
    ("up(8d/3, 256)", r"\operatorname{up}(8 d/3,\, 256)"),
    ("ceil(s, 64)", r"\left\lceil \frac{s}{64} \right\rceil"),
    ("floor(s, 2)", r"\left\lfloor \frac{s}{2} \right\rfloor"),
    ("min(s, w)", r"\operatorname{min}(s,\, w)"),
    ("L - 1", "L - 1"),
    ("n_0*n_12", r"n_{0} \, n_{12}"),
    ("40000d", "40{,}000 d"),
]


@pytest.mark.parametrize(("written", "shown"), LATEX)
def test_latex(written, shown):
    from symcount.forms import written as as_form

    assert latex.form(as_form(read(written))) == shown


def test_a_negative_term_is_a_difference():
    layers, dense = letter("L"), letter("L_dense")
    ledger = Ledger("parameter", [Term("moe", (letter("E"),), (("moe", layers - dense),)),
                                  Term("dense", (letter("d"),), (("dense", dense),))])
    assert text.form(formula(ledger)) == "E(L − L_dense) + d·L_dense"
    assert same(read(text.plain(formula(ledger))), ledger.size)


FALSE = [  # forms that do not follow, what is said
    ([Number(12), Number(13)], 12, "step 'area': line 2 is 13, not 12"),
    ([Number(13)], 12, "step 'area': the formula is 13, not 12"),
    ([Product((Symbol("d"), Symbol("h")))], letter("d"), "step 'area': the formula is d*h, not d"),
    ([Symbol("d"), Number(5)], letter("d"), "step 'area': line 2 is 5, not 4"),
    ([Symbol("h"), Number(5)], letter("h"), "step 'area': line 2 is 5, and h has no value to compare"),
    ([Sum(((1, Symbol("d")), (-1, Number(1)))), Number(4)], letter("d") - 1, "step 'area': line 2 is 4, not 3"),
]


@pytest.mark.parametrize(("forms", "of", "said"), FALSE, ids=[said for *_, said in FALSE])
def test_a_step_that_does_not_follow_is_refused(forms, of, said):
    with pytest.raises(ProofError) as error:
        Equation("area", forms, of=of, values={"d": 4})
    assert str(error.value) == said


def test_equal_groups_add_their_runs():
    """Global and local layers of one shape print as one group: L_global + (L - L_global) = L."""
    layers, some, d = letter("L"), letter("L_global"), letter("d")
    ledger = Ledger("parameter", [Term("global.a", (d, d), (("global", some),)),
                                  Term("global.b", (d,), (("global", some),)),
                                  Term("local.a", (d, d), (("local", layers - some),)),
                                  Term("local.b", (d,), (("local", layers - some),))])
    assert text.form(formula(ledger)) == "L(d² + d)"


ROUNDED = [(999, "999"), (1000, "1.00 thousand"), (999_499, "999 thousand"), (101_770, "102 thousand"),
           (6_738_415_616, "6.74 billion"), (124_439_808, "124 million"), (29_261_612_187_648, "29.3 trillion"),
           (9_995, "10.0 thousand"), (99_950, "100 thousand"), (999_950_000, "1.00 billion")]


@pytest.mark.parametrize(("count", "shown"), ROUNDED)
def test_rounded(count, shown):
    assert rounded(count) == shown


def test_percent():
    assert [percent(share) for share in (0, 5, 100, 6424, 10_000)] == ["0.00 %", "0.05 %", "1.00 %", "64.24 %",
                                                                       "100.00 %"]


def test_a_network_over_sympy_symbols_is_derived_too():
    from symcount.symbols import symbol

    for name, counted, worked in FORMULAS[:1] + FORMULAS[3:6]:
        net = model(name).network(symbol)
        assert same(read(text.plain(formula(parameters(net)))), read(counted))
        assert same(read(text.plain(formula(flops(net)))), read(worked))
        assert "total" in derive(parameters(net)).to_text()


def test_ledgers_show_themselves():
    bundle = parameters(model("mlp:4-3-2"))._repr_mimebundle_()
    assert sorted(bundle) == ["text/latex", "text/markdown", "text/plain"]
    assert "| **total** | **23** |  |" in bundle["text/markdown"]
    assert repr(multiply_adds(model("mlp:4-3-2"))) == "<mlp:4-3-2: 18 multiply-adds>"
