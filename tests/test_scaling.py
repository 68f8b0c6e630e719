"""Shares, elasticities and limits, judged by SymPy's derivative, by differences and by counting large networks."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
import sympy

from symcount.cli import main
from symcount.errors import ModelError, SizeError
from symcount.formulas import read as formula
from symcount.ledger import Ledger, Term
from symcount.naming import model
from symcount.polynomials import letter
from symcount.readers.quantities import read
from symcount.scaling import elasticity, leading, limit, share
from symcount.sizes import fraction, letters, to_sympy

RUN = {"s": 12, "b": 3}
MODELS = [
    ("llama-7b", "params flops kv memory"), ("gpt2", "params flops macs"), ("bert-base-uncased", "params flops"),
    ("mixtral-8x7b", "params active flops"), ("deepseek-v3", "params active kv"), ("gemma-3-1b", "params flops kv"),
    ("t5-small", "params flops"), ("mamba-130m", "params memory"), ("vit-base-patch16-224", "params flops"),
    ("resnet-50", "params"), ("swin-tiny-patch4-window7-224", "params"),
]
CASES = [(name, quantity) for name, quantities in MODELS for quantity in quantities.split()]


def counted(name, quantity):
    """The ledger of a published model over letters, and the numbers of all of them."""
    whole = model(name)
    run = {size: number for size, number in RUN.items() if whole.architecture.knows(size)}
    if name == "t5-small":
        run["u"] = 7
    ledger = read(whole.replace(**run), quantity)
    assert all(size in ledger.values for size in letters(ledger.size))
    return ledger


def answer(ask, *told):
    """What is answered, or the text of the refusal."""
    try:
        return ask(*told)
    except SizeError as refusal:
        return str(refusal)


@pytest.mark.parametrize(("name", "quantity"), CASES)
def test_elasticity_is_the_derivative(name, quantity):
    ledger = counted(name, quantity)
    expression = to_sympy(ledger.size)
    point = {to_sympy(letter(size)): ledger.values[size] for size in letters(ledger.size)}
    total = sympy.Rational(expression.subs(point))
    for size in letters(ledger.size):
        x, at = to_sympy(letter(size)), ledger.values[size]
        found = answer(elasticity, ledger, size)
        if isinstance(found, str):
            assert f"rounds {size}" in found
            assert any(size in map(str, part.free_symbols) for part in expression.atoms(
                sympy.floor, sympy.ceiling, sympy.Min))
            continue
        along = expression.subs({other: number for other, number in point.items() if other != x})
        exact = sympy.diff(along, x).subs(x, at) * at / total
        assert found.value == Fraction(int(exact.p), int(exact.q))
        step = sympy.Rational(at, 10**9)
        near = (along.subs(x, at + step) - along.subs(x, at - step)) / (2 * step) * at / total
        assert abs(near - exact) < sympy.Rational(1, 10**9) * (1 + abs(exact))
        assert sympy.Rational(sympy.cancel(found.closed_form.subs(point))) == exact


@pytest.mark.parametrize(("name", "quantity"), CASES)
def test_limits_are_met_by_large_networks(name, quantity):
    ledger = counted(name, quantity)
    values = ledger.values
    for size in letters(ledger.size):
        found = answer(limit, ledger, size)
        if isinstance(found, str):
            assert "rounding" in found or "depends on" in found
            continue
        large = {**values, size: values[size] * 10**12}
        theirs = fraction(ledger.size, large)
        ours = found.subs({to_sympy(letter(one)): number for one, number in large.items()})
        if ours:  # it is 0 for these values where windows are longer than texts
            assert abs(sympy.Rational(theirs) / ours - 1) < sympy.Rational(1, 10**6)


@pytest.mark.parametrize(("name", "quantity"), CASES)
def test_shares_are_those_of_the_parts(name, quantity):
    ledger = counted(name, quantity)
    total = sum(fraction(term.size, ledger.values) for term in ledger.terms)
    paths = dict.fromkeys(".".join(term.path.split(".")[:2]) for term in ledger.terms)
    parts = {path: sum(fraction(term.size, ledger.values) for term in ledger.terms
                       if f"{term.path}.".startswith(f"{path}.")) for path in paths}
    assert sum(parts.values()) == total
    for path, part in parts.items():
        if any(f".{path}." in f".{term.path}." and not f"{term.path}.".startswith(f"{path}.")
               for term in ledger.terms) or path in {kind for term in ledger.terms for kind in term.kinds}:
            continue  # the name means more than this one part
        one = share(ledger, path)
        assert one.value == Fraction(part) / total
        for size in letters(ledger.size)[:3]:
            tends = answer(limit, one, size)
            if isinstance(tends, str):
                assert "rounding" in tends or "depends on" in tends
                continue
            large = {**ledger.values, size: ledger.values[size] * 10**12}
            theirs = Fraction(sum(fraction(term.size, large) for term in one.top.terms)) / fraction(ledger.size, large)
            ours = tends.subs({to_sympy(letter(name)): number for name, number in large.items()})
            assert abs(sympy.Rational(theirs.numerator, theirs.denominator) - ours) < (1 + abs(ours)) / 10**6
    whole = share(ledger, *paths)
    assert whole.value == 1


def account(*terms):
    return Ledger("parameter", [Term(f"part{i}", (formula(text),), (), ("weight",)) for i, text in enumerate(terms)])


@pytest.mark.parametrize(("text", "size", "found"), [
    ("L(4d^2 + 3d*up(8d/3, 256)) + V*d", "d", "12*L*d^2"),
    ("V*d + L*d^2 - L*d^2", "d", "V*d"),
    ("ceil(d, 7) + 3", "d", "d/7"),
    ("floor(d - 5, 2)^2", "d", "d^2/4"),
    ("min(d, V)*d", "d", "V*d"),
    ("min(d^2, L*d)", "d", "L*d"),
    ("V", "d", "V"),
    ("d^2/h + d", "h", "d"),
    ("d*min(V, h)", "d", "d*min(V, h)"),
    ("floor(d^2, h)", "d", "d^2/h"),
])
def test_leading_terms(text, size, found):
    degree, coefficient = leading(formula(text), size)
    assert sympy.expand(to_sympy(coefficient) * to_sympy(letter(size))**degree - to_sympy(formula(found))) == 0


@pytest.mark.parametrize(("text", "size"), [
    ("up(d, 7) - d", "d"),           # 0 … 6 without end
    ("7*ceil(d, 7) - d + 5", "d"),
    ("min(d, 3d - 7)", "d"),         # which is less depends on more than the leading terms
    ("ceil(V, d)", "d"),             # 1, not V/d
    ("floor(V, d)", "d"),            # 0
    ("up(V, d)", "d"),               # d, not V
    ("ceil(2d + 1, d)", "d"),        # 3, not 2
    ("floor(3d + V, 2d)", "d"),      # 1, not 3/2
    ("V*floor(h, d) + 5", "d"),
])
def test_what_only_the_roundings_say_is_refused(text, size):
    with pytest.raises(SizeError, match=f"{size}"):
        leading(formula(text), size)


@pytest.mark.parametrize(("name", "parts", "size", "found"), [
    ("llama:h=4d,kv=heads,k=d/heads", ["layers.mlp"], "d", "3/4"),
    ("bert:h=4d", ["mlp"], "d", "8L/(12L + 1)"),             # the pooler is one more d²
    ("gpt2:h=4d", ["embeddings"], "L", "0"),
    ("gpt2:h=4d", ["embeddings"], "V", "1"),
    ("gpt2:h=4d", ["layers"], "d", "1"),
    ("mixtral:", ["experts"], "E", "3h/(3h + 1)"),         # the router has a row for each expert
])
def test_limits_by_hand(name, parts, size, found):
    if name.startswith("mixtral"):
        assert limit(share(read(model(name), "params"), *parts), size) == sympy.cancel(
            3 * to_sympy(formula("h")) / (3 * to_sympy(formula("h")) + 1))
        return
    top, _, below = found.partition("/")
    tends = limit(share(read(model(name), "params"), *parts), size)
    assert sympy.cancel(tends - to_sympy(formula(top)) / (to_sympy(formula(below)) if below else 1)) == 0


def test_chinchilla_and_kaplan():
    """Kaplan et al. (2020) take d² as the growth of a block, and the elasticity of a block in d tends to 2."""
    block = read(model("gpt2", h="4d", L="L", d="d").part("layers"), "params")
    assert limit(elasticity(block, "d"), "d") == 2
    assert limit(elasticity(block, "L"), "d") == 1
    assert elasticity(account("3L", "5L*d"), "L").value is None


@pytest.mark.parametrize(("ask", "error", "message"), [
    (lambda one: elasticity(one, "x"), ModelError, "x is no letter of this formula; known: "),
    (lambda one: limit(one, "s"), ModelError, "s is no letter of this formula"),
    (lambda one: share(one, "nothing"), ModelError, "has no kind or part 'nothing'"),
    (lambda one: limit(share(one, "layers"), "s"), ModelError, "s is no letter"),
])
def test_refused(ask, error, message):
    with pytest.raises(error, match=message):
        ask(read(model("gpt2"), "params"))


@pytest.mark.parametrize("ask", [lambda one: one, lambda one: share(one, "layers"), lambda one: elasticity(one, "d")])
def test_no_limit_is_read_off_what_a_size_of_0_leaves_out(ask):
    with pytest.raises(SizeError, match="L = 0 leaves nothing of the leading terms"):
        limit(ask(read(model("gpt2", L=0), "params")), "d")


def test_nothing_is_no_share_of_nothing():
    with pytest.raises(SizeError, match="nothing is counted, so there is no share"):
        _ = share(Ledger("parameter", [Term("one", (letter("L"),), (), ())], {"L": 0}), "one").value


@pytest.mark.parametrize(("words", "status", "says"), [
    ("--share layers.mlp", 0, "64.24 %"), ("--share layers.mlp --limit L", 0, "as L grows"),
    ("--share layers.mlp --limit L --format markdown", 0, "| as L grows"),
    ("--share layers.mlp --limit L --format latex", 0, "as L grows"),
    ("--elasticity d --derive", 0, "d times the derivative in d = L(8d² + 3dh + 2d) + 2Vd + d"),
    ("--on d,s", 0, "depends on s no"), ("--limit x", 2, "x is no letter"), ("--limit d,L", 2, "d,L is no letter"),
    ("--elasticity s", 2, "s is no letter"), ("--share none", 2, "no kind or part"), ("--on q", 2, "'q' is no size"),
    ("--derive", 2, "--derive goes with"), ("--limit d --derive", 2, "--derive derives a --share or an --elasticity"),
    ("--share mlp --on d --derive", 2, "takes no --on"),
    ("--share ,", 2, "no kind or part"),
])
def test_the_command_line(capsys, words, status, says):
    assert main(["formula", "llama-7b", *words.split()]) == status
    out, err = capsys.readouterr()
    assert says in " ".join((err or out).split())
    assert status != 2 or (err.count("\n") == 1 and not out)


def test_as_data(capsys):
    assert main(["formula", "llama-7b", "--share", "layers.mlp", "--limit", "d", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rows"][0]["number"] == "1056768/1645121"
