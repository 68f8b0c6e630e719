"""Certificates: what is written out, what is refused, and that Coq accepts what is true and nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from symcount.algebra import apply, eye, matrix, ones, side, stack
from symcount.algebra.certificate import (
    collapsed,
    coq,
    coq_closed_form,
    coq_collapse,
    library,
    stated,
    theorem,
)
from symcount.algebra.kernel import Lemma, Proof, Step
from symcount.algebra.making import number
from symcount.algebra.statements import read_equation
from symcount.algebra.terms import Ones, Shift
from symcount.errors import ProofError
from symcount.polynomials import letter, lift, opaque
from symcount.sizes import ceil, per
from symcount.theorems import identities, load

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc (Coq with MathComp) is not installed")
d, n, h = letter("d"), letter("n"), letter("h")
X, W = matrix("X", "n", "d"), matrix("W", "d", "m")
MEAN = per(lift(1), d) * (ones("d") * ones("d").T)

# Statements of a user, with every property, block, law and kind of number once
STATEMENTS = {
    "(X*W1 + 1*b1)*W2 + 1*b2 = X*(W1*W2) + 1*(b1*W2 + b2)":
        "X: n x d, W1: d x r, b1: 1 x r, W2: r x m, b2: 1 x m",
    "R*i*x*n = R*(i*x*n)": "R: n n, i: n n, x: n n, n: n n",
    "A*(X*B) = A*X*B": "A: n 2*d, X: 2*d heads*k, B: heads*k n",
    "(A*B*C)^-1.T = A^-1.T*B^-1.T*C^-1.T": "A: d d invertible, B: d d invertible, C: d d invertible",
    "(Q*A)^-1 = A^-1*Q.T": "Q: d d orthogonal, A: d d invertible",
    "P.T*1 = 1": "P: d d permutation",
    "S.T*E*E*D*F = S*E*F*D": "S: d d symmetric, E: d d idempotent, D: d d diagonal, F: d d diagonal",
    "S^-1.T = S^-1": "S: d d symmetric invertible",
    "A*(1*b) = 1*b": "A: s t stochastic, b: 1 m",
    "2*X/4 + X/2 = X": "X: n d",
    "X - Y - (X - Y) = 0": "X: n d, Y: n d",
    "[X, 1]*[W; b] = X*W + 1*b": "X: n d, W: d m, b: 1 m",
    "relu([A, B, C])*[U; V; W] = relu(A)*U + relu(B)*V + relu(C)*W":
        "A: n d_1, B: n d_2, C: n d_3, U: d_1 m, V: d_2 m, W: d_3 m",
    "u'*v = v'*u": "u: d 1, v: d 1",
    "relu(X)' = relu(X')": "X: n d",
    "relu(D*X) = D*relu(X)": "X: n d, D: n n positive",
    "relu(X*D^-1)*D = relu(X)": "X: n d, D: d d positive",
    "relu(A + B + C*(D+E)) = relu(C*E + B + C*D + A)": "A: n m, B: n m, C: n d, D: d m, E: d m",
    "softmax(X*P)*P.T*1 = 1": "X: n d, P: d d permutation",
    "softmax(P.T*X*Q.T)*Q = P.T*softmax(X)": "X: n d, P: n n permutation, Q: d d permutation",
    "softmax(relu(X+Y)*W + u*1') = softmax(relu(Y+X)*W)": "X: n d, Y: n d, W: d m, u: n 1",
    "rms_norm(X*Q.T)*Q = rms_norm(X)": "X: n d, Q: d d orthogonal",
}


def claimed(name, left, right, rule="associate"):
    """What our kernel would refuse: a proof of one step that says what is to be shown."""
    return theorem(left, right, name, Proof((Lemma(name, left, right, [Step(rule, "", False, right)]),)))


def run(text, path, name="certificate"):
    """What coqc says to a file: whether it is accepted, what it prints, and why not."""
    (path / f"{name}.v").write_text(text, encoding="utf-8")
    done = subprocess.run(["coqc", "-w", "none", f"{name}.v"], cwd=path, capture_output=True, text=True, check=False,
                          timeout=600)
    return done.returncode == 0, done.stdout, done.stderr


def test_a_certificate_states_what_the_user_states():
    text = coq(*read_equation("(X*W1 + 1*b1)*W2 = X*(W1*W2) + 1*(b1*W2)", "X: n d, W1: d r, b1: 1 r, W2: r m"), "two")
    one = "(ones R n_n)"
    assert f"(m_X *m m_W1 + {one} *m m_b1) *m m_W2 = m_X *m (m_W1 *m m_W2) + {one} *m (m_b1 *m m_W2)" in text
    assert "Theorem certified_two (R : comRingType)" in text
    assert text.endswith("Qed.\nPrint Assumptions certified_two.\n")


@pytest.mark.parametrize("name", identities())
def test_every_identity_is_exported_as_it_is_said(name):
    identity = load(name)
    text = theorem(*stated(identity.proved(name)), name, identity.proved(name))
    assert text.count("Theorem ") == text.count("Qed.") == text.count("Print Assumptions ") == 1


def test_nothing_is_admitted_or_assumed_outside_of_the_statement():
    text = coq_collapse(3) + "".join(theorem(*read_equation(*one), f"u{i}") for i, one in enumerate(STATEMENTS.items()))
    words = set(re.findall(r"\w+", re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)))
    assert not words & {"Admitted", "admit", "Axiom", "Axioms", "Parameter", "Conjecture", "Abort", "give_up"}


def test_what_is_declared_is_a_hypothesis_and_what_follows_is_not():
    shapes = "Q: d d orthogonal, P: d d permutation, G: d d invertible"
    text = theorem(*read_equation("Q*Q.T*P*P.T*G*G^-1 = I", shapes), "x")
    assert "(invertible_m_G : m_G \\in unitmx)" in text
    assert "(orthogonal_m_Q : m_Q *m (m_Q)^T = eye R n_d /\\ (m_Q)^T *m m_Q = eye R n_d)" in text
    assert "(p_P : 'S_n_d)" in text
    assert text.count("unitmx") == 1


def test_a_law_is_assumed_only_where_it_is_used():
    softmax = read_equation("softmax(P*X) = P*softmax(X)", "X: n d, P: n n permutation")
    assert "forall k (x" not in theorem(*softmax, "rows")
    biased = read_equation("softmax(X + u*1') = softmax(X)", "X: n d, u: n 1")
    assert "(shift_f_softmax : forall k" in theorem(*biased, "shift")


def test_division_assumes_a_unit():
    text = theorem((eye("d") - MEAN) * ones("d"), ones("d") - ones("d"), "c")
    assert "(unit_1 : (n_d%:R : R) \\is a GRing.unit)" in text


def test_names_of_the_user_cannot_mean_anything_to_coq():
    text = theorem(X * W, X * W, "it's *) Axiom no : False. (*")
    assert "Theorem certified_it_s____Axiom_no___False____ (R" in text
    alike = matrix("A.1", "n", "d") * matrix("A-1", "d", "n") * matrix("α", "n", "n") * matrix("β", "n", "n")
    text = theorem(alike, alike, "alike")
    assert "(m_A_1 : 'M[R]_(n_n, n_d)) (m_A_1_ : 'M[R]_(n_d, n_n)) (m__ : 'M[R]_(n_n, n_n)) (m___ :" in text


@pytest.mark.parametrize(("left", "right", "said"), [
    (matrix("X", ceil(d, 4), "d") * W, matrix("X", ceil(d, 4), "d") * W, "no sum of products"),
    (matrix("X", per(d, h), "d") * W, matrix("X", per(d, h), "d") * W, "no sum of products"),
    (matrix("X", "n", "d", over=("i",)) * W, matrix("X", "n", "d", over=("i",)) * W, "a sum over an index"),
    (opaque(next(iter(ceil(d, 4).terms.values()))[0][0][0]) * X, X + X, "no proof"),
    (X * W, X * matrix("V", "d", "m"), "no proof"),
    (matrix("D", "d", "d", "diagonal", "permutation") * W, matrix("D", "d", "d", "diagonal", "permutation") * W,
     "declare it as one of the two"),
    (side(matrix("A", "n", "d"), matrix("B", "n", 2 * d)) + side(matrix("U", "n", 2 * d), matrix("V", "n", "d")),
     side(matrix("U", "n", 2 * d), matrix("V", "n", "d")) + side(matrix("A", "n", "d"), matrix("B", "n", 2 * d)),
     "two ways"),
])
def test_what_cannot_be_exported_is_refused(left, right, said):
    with pytest.raises(ProofError, match=said):
        coq(left, right, "refused")


def test_a_proof_of_something_else_is_refused():
    proof = load("lora_merge").proved("lora_merge")
    with pytest.raises(ProofError, match="the proof is about"):
        theorem(X * W, X * W, "other", proof)


def test_an_induction_is_refused_with_the_theorem_for_every_depth():
    proof = load("layer_collapse").proved("layer_collapse", layers="L")
    with pytest.raises(ProofError, match="coq_collapse"):
        theorem(*stated(proof), "collapse", proof)


def test_a_proof_may_not_use_what_the_statement_does_not_have():
    other = matrix("Z", "m", "m", "invertible")
    steps = [Step("cancel", "", True, X * W * other * other.I), Step("cancel", "", False, X * W)]
    with pytest.raises(ProofError, match="uses Z"):
        theorem(X * W, X * W, "more", Proof((Lemma("more", X * W, X * W, steps),)))


def test_no_layers_are_refused():
    with pytest.raises(ProofError, match="at least one"):
        coq_collapse(0)


def test_closed_forms_divide_over_the_rationals():
    assert "certified_sum (n_d : Z) : 2 * n_d = 2 * n_d." in coq_closed_form(2 * d, d + d, "sum")
    assert "(n_n n_d : Q) (nonzero_n_d : ~ n_d == 0) : n_n / n_d + 1 == " in coq_closed_form(
        per(n, d) + 1, 1 + per(n, d), "ratio")


@needs_coq
def test_coq_accepts_every_true_statement(tmp_path):
    """Statements of users, all identities, windows, and stacks of 2, 3 and 20 layers, in one file."""
    parts = [theorem(*read_equation(*one), f"statement_{i}") for i, one in enumerate(STATEMENTS.items())]
    for name in identities():
        identity = load(name)
        proof = identity.proved(name)
        parts.append(theorem(*stated(proof), name, proof))
        if stated(proof) != (identity.left, identity.right):
            parts.append(theorem(identity.left, identity.right, f"{name}_as_said"))
    three = load("layer_collapse").proved("layer_collapse", layers=3)
    parts += [theorem(*stated(three), "three_layers", three), *map(collapsed, (2, 3, 20))]
    parts.append(theorem(Shift(1, n - 2, n - 1) * (Shift(1, n - 1, n) * X), Shift(2, n - 2, n) * X, "windows"))
    parts.append(theorem(Shift(2, n - 2, n) * Ones(n), Ones(n - 2), "window_of_ones"))
    alpha, half = number("alpha"), per(lift(1), lift(2))
    parts.append(theorem(alpha * (X * W) + alpha * half * (X * W), 3 * half * alpha * (X * W), "numbers"))
    text = "".join([library("certificate"), library("collapse"), *parts])
    names = re.findall(r"Theorem (certified_\w+)", text)
    assert len(names) == len(set(names)) == len(parts)
    # one question for all theorems: asking 60 times takes a minute
    text = re.sub(r"Print Assumptions \w+\.\n", "", text)
    text += f"Definition all := ({', '.join(f'@{name}' for name in names)}).\nPrint Assumptions all.\n"
    accepted, said, why = run(text, tmp_path)
    assert accepted, why
    assert said.strip() == "Closed under the global context"


A, B, b1, b2 = matrix("A", "d", "h"), matrix("B", "h", "m"), matrix("b_1", 1, "h"), matrix("b_2", 1, "m")
Q, P = matrix("Q", "d", "d", "orthogonal"), matrix("P", "d", "d", "permutation")
SUMS = eye("d") - ones("d") * ones("d").T
FALSE = {
    "one_over_d_is_forgotten": (SUMS * SUMS, SUMS, "count"),
    "a_bias_is_forgotten": ((X * A + ones("n") * b1) * B + ones("n") * b2, X * (A * B) + ones("n") * b2, "distribute"),
    "a_relu_stands_between": (apply("relu", X * A) * B, X * (A * B), "associate"),
    "a_transpose_keeps_the_order": ((Q * P).T, Q.T * P.T, "transpose"),
    "a_rotation_passes_a_relu": (apply("relu", X * Q), apply("relu", X) * Q, "permute"),
    "blocks_are_exchanged": (side(X, matrix("Y", "n", "d")) * stack(matrix("U", "d", "m"), matrix("V", "d", "m")),
                             X * matrix("V", "d", "m") + matrix("Y", "n", "d") * matrix("U", "d", "m"), "block"),
}


@needs_coq
@pytest.mark.parametrize("name", FALSE)
def test_coq_refuses_what_is_false(name, tmp_path):
    left, right, rule = FALSE[name]
    accepted, said, why = run(library("certificate") + claimed(name, left, right, rule), tmp_path)
    assert not accepted
    assert f"certified_{name}" not in said
    line = int(re.search(r"line (\d+)", why)[1])
    assert line > library("certificate").count("\n"), why  # the library was accepted, and the theorem was not


@needs_coq
def test_coq_agrees_about_closed_forms(tmp_path):
    s, k = letter("s"), letter("k")
    forms = [
        coq_closed_form((d + h) * (d + h) * 3, 3 * d * d + 6 * d * h + 3 * h * h, "square"),
        coq_closed_form(per(s * (s + 1), lift(2)), per(s * s, lift(2)) + per(s, lift(2)), "triangle"),
        coq_closed_form(per(n, d) * k + 1, per(n * k + d, d), "ratio"),
        coq_closed_form(ceil(d, 64) * k + k, k * (1 + ceil(d, 64)), "rounded"),
    ]
    accepted, said, why = run("".join(f"Module M{i}.\n{form}End M{i}.\n" for i, form in enumerate(forms)), tmp_path)
    assert accepted, why
    assert said.split("\n")[:4] == ["Closed under the global context"] * 4
    accepted, _, _ = run(coq_closed_form(d * (d + 1), d * d + 1, "wrong"), tmp_path, "wrong")
    assert not accepted
