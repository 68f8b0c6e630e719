"""What a breaker found, kept as rows: false things that must be refused, true ones that must not be, and bounds."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symcount import prove, refute
from symcount.algebra import eye, matrix, ones, zero
from symcount.algebra.kernel import Equation, Induction, Lemma, Step, everywhere, replay
from symcount.algebra.making import number
from symcount.algebra.rules import over, transpose
from symcount.algebra.search import find, normal
from symcount.algebra.terms import Over, Scaled, Shift
from symcount.errors import FormulaError, ModelError, ProofError, ShapeError, SymcountError
from symcount.polynomials import letter, lift

n, d, r, m = (letter(name) for name in "ndrm")
HALF = lift(1) * Fraction(1, 2)


def induction(claim_k, claim_before, claim_1, definitions, sizes, base_steps, steps):
    base = Lemma("base", *claim_1, base_steps)
    step = Lemma("step", *claim_k, steps, {"hypothesis": Equation(*claim_before)})
    replay([base, step], {one.name: (one, term) for one, term in definitions}, Induction("k", sizes))


def test_a_number_in_a_claim_changes_with_its_case():
    """H_k = m·U_k, where m is the size of case k, does not follow from H_{k-1} = m·U_{k-1}."""
    u_1, h_1 = matrix("U_1", "n", "r"), matrix("H_1", "n", "r")
    u_b, h_b, w = matrix("U_{k-1}", "n", "r"), matrix("H_{k-1}", "n", "r"), matrix("W_k", "r", "m")
    u, h = matrix("U_k", "n", "m"), matrix("H_k", "n", "m")
    with pytest.raises(ProofError):
        induction((h, m * u), (h_b, m * u_b), (h_1, m * u_1),
                  [(h_1, m * u_1), (h, h_b * w), (u, u_b * w)], {"m": r},
                  [Step("definition", "H_1", term=m * u_1)],
                  [Step("definition", "H_k", term=h_b * w), Step("equation", "hypothesis", term=m * u_b * w),
                   Step("definition", "U_k", backwards=True, term=m * u)])


def test_a_case_before_is_not_defined():
    """H_1 := Y, H_k := 2H_{k-1}, H_{k-1} := Y/2 would prove H_k = Y."""
    y, h_1, h_b, h = (matrix(name, "n", "d") for name in ("Y", "H_1", "H_{k-1}", "H_k"))
    with pytest.raises(ProofError):
        induction((h, y), (h_b, y), (h_1, y), [(h_1, y), (h_b, HALF * y), (h, 2 * h_b)], {},
                  [Step("definition", "H_1", term=y)],
                  [Step("definition", "H_k", term=2 * h_b), Step("definition", "H_{k-1}", term=2 * (HALF * y)),
                   Step("scalars", term=y)])


def test_a_claim_speaks_of_its_own_case():
    """H_1 := X_{k-1}, H_k := H_{k-1} would prove H_k = X_{k-1}."""
    x, h_1, h_b, h = (matrix(name, "n", "d") for name in ("X_{k-1}", "H_1", "H_{k-1}", "H_k"))
    with pytest.raises(ProofError):
        induction((h, x), (h_b, x), (h_1, x), [(h_1, x), (h, h_b)], {}, [Step("definition", "H_1", term=x)],
                  [Step("definition", "H_k", term=h_b), Step("equation", "hypothesis", term=x)])


@pytest.mark.parametrize("lemmas", [1, 3])
def test_an_induction_is_two_lemmas(lemmas):
    x, y = matrix("H_k", "n", "d"), matrix("Y", "n", "d")
    with pytest.raises(ProofError, match="two lemmas"):
        replay([Lemma(f"lemma {i}", x, y, []) for i in range(lemmas)], {}, Induction("k", {}))


def test_an_index_stays_in_its_sum():
    a, b = matrix("a", "n", 1), matrix("b", 1, "m")
    q, k = matrix("q", 1, "k", over=("i",)), matrix("K", "k", 1, over=("i",))
    summed = normal(Over(("i",), a * q * k * b))
    assert not isinstance(summed, Scaled)
    inside = Scaled(normal(a * q * k * b).number, a * b)
    assert everywhere(over, Over(("i",), inside)) == Over(("i",), inside)
    free, bound = matrix("D", "n", "d"), matrix("H", "n", "d", over=("i",))
    with pytest.raises(ProofError, match="indices"):
        replay([Lemma("x", free, bound, [Step("definition", "D", term=bound)])], {"D": (free, bound)})


def test_a_transpose_of_transposes():
    a = matrix("A", "d", "d")
    assert transpose(a.T.T.T) == a.T
    assert normal(a.T.T.T) == a.T


@pytest.mark.parametrize("name", ["0", "1", "", " X", "X+Y", "(X)", "X*Y", "X[n;d]", "#I", "X'", None, 3, "X<Y>"])
def test_names_are_names(name):
    with pytest.raises(ShapeError, match="name"):
        matrix(name, "n", "d")


def test_keys_do_not_collide():
    assert matrix("I", "n", "n") != eye("n")
    assert matrix("S1", 2, 3) != Shift(1, 2, 3)
    assert number("n") * matrix("X", "n", "d") != n * matrix("X", "n", "d")
    assert (2 * matrix("W", "d", "m")).T != 2 * matrix("W", "d", "m").T
    with pytest.raises(FormulaError, match="'n' is a number, and a size"):
        prove("u.T*u*x = n*x", shapes="u: n x 1 ones, x: 1 x d, n: number")


@pytest.mark.parametrize("bad", [2.5, "2", True, None])
def test_numbers_are_exact(bad):
    with pytest.raises(TypeError):
        bad * matrix("X", "n", "d")


# true, with properties that must hold together
TRUE = [
    ("Q*Q = I", "Q: d x d symmetric orthogonal"), ("1.T*A = 1.T", "A: d x d stochastic symmetric"),
    ("D*D = D", "D: d x d diagonal idempotent"), ("Q*Q.T = Q", "Q: d x d idempotent symmetric"),
    ("Q*X = X", "Q: d x d idempotent orthogonal, X: d x m"), ("D*X = X", "D: d x d diagonal stochastic, X: d x m"),
    ("D*X = X", "D: d x d permutation positive, X: d x m"), ("Q*X = X", "Q: d x d idempotent invertible, X: d x m"),
    ("X*(2*W).T = 2*(X*W.T)", "X: n x d, W: m x d"), ("(2*X).T + X.T = 3*X.T", "X: n x d"),
    ("(1.T + f)*(E*F*1) = 1.T*E*F*1 + f*E*F*1", "f: 1 x n, E: n x n, F: n x n"),
    ("(G*H)^-1*X*Y = H^-1*(G^-1*X*Y)", "G: 1 x 1 invertible, H: 1 x 1 invertible, X: 1 x d, Y: d x m"),
    ("softmax(q*K.T)*1*b = b", "q: 1 x k, K: t x k, b: 1 x m"),
    ("rms_norm(X*Q) = rms_norm(X)*Q", "X: n x d, Q: d x d orthogonal"),
    ("X*(A*B) = X*A*B", "X: 12 x 12, A: 12 x 12, B: 12 x 12"),
]


@pytest.mark.parametrize(("claim", "shapes"), TRUE)
def test_what_is_true_is_never_refuted(claim, shapes):
    assert refute(claim, shapes=shapes) is None


@pytest.mark.parametrize(("claim", "shapes"), TRUE[8:])
def test_and_these_are_proved(claim, shapes):
    assert prove(claim, shapes=shapes).proof is not None


@pytest.mark.parametrize(("claim", "shapes"), [
    ("layer_norm(X*Q) = layer_norm(X)*Q", "X: n x d, Q: d x d orthogonal"),
    ("A0*A1*A2*A3*A4*A5*A6*A7*A8*A9*A10*A11 = 2*A0*A1*A2*A3*A4*A5*A6*A7*A8*A9*A10*A11",
     ", ".join(f"A{i}: n_{i} x n_{i + 1}" for i in range(12))),
    ("A*X*V*O = A*X*O*V", "A: d x d, X: d x d, V: d x d, O: d x d"),
])
def test_what_is_false_is_refuted(claim, shapes):
    assert refute(claim, shapes=shapes) is not None


def test_a_number_that_divides_is_not_0():
    shown = str(prove("alpha/alpha*X = X", shapes="X: n x d, alpha: number"))
    assert "when: α is not 0" in shown


@pytest.mark.parametrize(("claim", "shapes", "said"), [
    ("X*A = X*A", "X: 256 x 768, A: 768 x 256", "write large sizes as letters"),
    ("X*A = X*A", "X: 2000*n x d, A: d x d", "write large sizes as letters"),
    ("X = X", "X: 100000000000000000000 x d", "write large sizes as letters"),
    ("99999999999999999999*" * 400 + "X = X", "X: n x d", "too large a number"),
    ("X" + ".T" * 4000 + " = X", "X: d x d", "transposes"),
    ("X.Tu = X", "X: n x d", "column 2"),
    ("01*X = X", "X: n x d", "begins with 0"),
    ("X = X", "X: n x d number", "a number has no shape"),
])
def test_strangers_are_refused_in_a_line(claim, shapes, said):
    with pytest.raises(SymcountError, match=said):
        prove(claim, shapes=shapes)


@pytest.mark.parametrize("shapes", [42, [("X", "n d")], {3: "n d"}, None, ""])
def test_shapes_are_a_text_or_a_mapping(shapes):
    with pytest.raises(SymcountError):
        prove("X = X", shapes=shapes)


def test_the_1_of_a_fraction():
    left = prove("2*1/n*X = X*2/n", shapes="X: n x d").proof.lemmas[0].left
    assert isinstance(left, Scaled)


def test_long_products_end():
    some = [matrix(f"D{i}", "d", "d", "diagonal") for i in range(60)]
    there, back = some[0], some[-1]
    for one, other in zip(some[1:], some[-2::-1], strict=True):
        there, back = there * one, back * other
    assert find("sorted", there, back) is not None
    e = matrix("E", "d", "d", "idempotent")
    many = e
    for _ in range(300):
        many = many * e
    assert normal(many) == e


def test_a_false_product_of_many_sizes_fits_in_memory():
    shapes = ", ".join(f"A{i}: n_{i} x n_{i + 1}" for i in range(17))
    product = "*".join(f"A{i}" for i in range(17))
    assert refute(f"{product} = 2*{product}", shapes=shapes) is not None


@pytest.mark.parametrize("make", [
    lambda: matrix("X", "n", -1), lambda: matrix("X", 0, "d"), lambda: ones(0), lambda: zero("n", -2),
    lambda: matrix("X", -1 * n, "d"), lambda: Shift(1, 2, 2), lambda: Shift(-1, 2, 2), lambda: Shift(0, n, d),
    lambda: matrix("X", "n", "d", "invertible"), lambda: matrix("X", "n", "d").I,
    lambda: matrix("X", "n", "d") + matrix("Y", "d", "n"), lambda: matrix("X", "n", "d", "square"),
])
def test_what_has_no_shape_is_refused(make):
    with pytest.raises((ShapeError, SymcountError)):
        make()


def test_a_claim_that_is_none():
    for claim in (3, None, ("X",), [1, 2]):
        with pytest.raises(ModelError, match="no claim"):
            prove(claim)


@pytest.mark.parametrize("claim", [
    lambda y, f: (f"H_k = {y}", number("alpha_k") * y), lambda y, f: ("", matrix("b_{k}", "n", "d")),
    lambda y, f: ("", matrix("H_{k-2}", "n", "d")),
])
def test_a_case_hides_in_no_name(claim):
    """H_k := H_{k-1} and H_1 := something that changes with k would prove H_k = that."""
    h_1, h_b, h = (matrix(name, "n", "d") for name in ("H_1", "H_{k-1}", "H_k"))
    _, said = claim(matrix("Y", "n", "d"), None)
    with pytest.raises(ProofError):
        induction((h, said), (h_b, said), (h_1, said), [(h_1, said), (h, h_b)], {},
                  [Step("definition", "H_1", term=said)],
                  [Step("definition", "H_k", term=h_b), Step("equation", "hypothesis", term=said)])


def test_a_letter_without_a_case_is_not_defined():
    y, v_1, v_b, v, w, h_1, h_b, h = (matrix(name, "n", "d") for name in (
        "Y", "V_1", "V_{k-1}", "V_k", "w", "H_1", "H_{k-1}", "H_k"))
    with pytest.raises(ProofError):
        induction((h, w), (h_b, w), (h_1, w), [(v_1, y), (v, v_b + y), (w, v), (h_1, w), (h, h_b)], {},
                  [Step("definition", "H_1", term=w)],
                  [Step("definition", "H_k", term=h_b), Step("equation", "hypothesis", term=w)])


@pytest.mark.parametrize(("claim", "shapes"), [
    ("D + 0 = D", "D: d x d diagonal"), ("D*I = D", "D: d x d diagonal"), ("2*D - D = D", "D: d x d diagonal"),
    ("X + D - X = D", "X: d x d, D: d x d diagonal"), ("G + 0 = G", "G: d x d symmetric orthogonal"),
    ("A*(B + C) = A*B + A*C", "A: d x d stochastic symmetric, B: d x m, C: d x m"),
])
def test_small_matrices_are_of_the_field(claim, shapes):
    assert prove(claim, shapes=shapes).proof is not None


@pytest.mark.parametrize("function", ["relu", "gelu", "softmax"])
def test_floats_that_cancel_refute_nothing(function):
    large = "99999999999999999999"
    claim = f"{function}(X) + {large}*{function}(X) - {large}*{function}(X) = {function}(X)"
    assert refute(claim, shapes="X: n x d") is None
    many = f"{large}*" * 20
    assert refute(f"{many}{function}(X) = {many}{function}(X)", shapes="X: n x d") is None


def test_all_that_is_declared_is_shown():
    shown = str(prove("A*A = A", shapes="A: d x d idempotent orthogonal"))
    assert "orthogonal, idempotent" in shown
    assert "symmetric, each row sums to 1" in str(prove("A*1 = 1", shapes="A: d x d stochastic symmetric"))


def test_a_pair_says_what_is_not_0():
    alpha, one = number("alpha"), lift(1)
    a, t = matrix("A", "n", "d"), matrix("T", "n", "d")
    from symcount.sizes import per

    assert "when: α is not 0" in str(prove((alpha * (t + per(one, alpha) * a), alpha * t + a)))


@pytest.mark.parametrize("over", [("i,j",), ("i@j",), ("i", "i"), ("",), (3,)])
def test_indices_are_names(over):
    with pytest.raises(ShapeError, match="indices"):
        matrix("A", "n", "d", over=over)
    with pytest.raises(ShapeError, match="indices"):
        Over(over, matrix("B", "n", "d"))


def test_a_product_of_many_sums_is_unknown_and_no_fault():
    with pytest.raises(ProofError, match=r"refuted|unknown"):
        prove("*".join(["(A + B)"] * 14) + " = A", shapes="A: d x d, B: d x d")


@pytest.mark.parametrize(("name", "counts"), [
    ("residual_tower", {"layers": "L"}), ("residual_tower", {"layers": 100_000}), ("heads_as_sum", {"heads": "x"}),
    ("heads_as_sum", {"heads": 400}), ("heads_as_sum", {"heads": 0}), ("convolution_composition", {"w_1": 40}),
    ("convolution_composition", {"w_2": True}), ("layer_collapse", {"layers": 2_001}),
    ("layer_collapse", {"layers": "k"}),
])
def test_counts_are_bounded(name, counts):
    with pytest.raises(ModelError, match="whole number"):
        prove(name, **counts)


@pytest.mark.parametrize("shapes", ["X: symmetric", 42, ["X"]])
def test_shapes_of_a_pair(shapes):
    x = matrix("X", "n", "d")
    with pytest.raises(ModelError, match="shapes of a pair"):
        prove((x, x), shapes=shapes)
