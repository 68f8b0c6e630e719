"""Two convolutions are one, of kernel w₁ + w₂ − 1: Σᵥ Sᵥ(Σᵤ SᵤXAᵤ)Bᵥ = Σₛ SₛX(Σ AᵤBᵥ over u + v = s).

Sᵤ takes the rows u, u + 1, … that tap u of a kernel sees; a tap is a matrix from channels to channels.

Source: the product of two polynomials whose coefficients are the taps; Goodfellow et al. 2016, "Deep learning",
chapter 9 (convolution as a sparse matrix).
"""

from __future__ import annotations

from symcount.algebra import apply, eye, matrix, ones, stack, zero
from symcount.algebra.kernel import Proof
from symcount.algebra.search import proved
from symcount.algebra.terms import Shift, Term, total
from symcount.identity import Identity, Neighbour, counted
from symcount.polynomials import letter

X, b = matrix("X", "n", "c_0", "data"), matrix("b", 1, "c_1")
n = letter("n")


def first(w_1: int) -> list[Term]:
    """The taps of the first kernel."""
    return [matrix(f"A{u}", "c_0", "c_1") for u in range(w_1)]


def second(w_2: int) -> list[Term]:
    """The taps of the second kernel."""
    return [matrix(f"B{v}", "c_1", "c_2") for v in range(w_2)]


def composed(a: list[Term], b: list[Term]) -> list[Term]:
    """The taps of the one kernel that stands for both."""
    return [total([a[u] * b[s - u] for u in range(len(a)) if 0 <= s - u < len(b)]) for s in range(len(a) + len(b) - 1)]


def convolved(x: Term, taps: list[Term]) -> Term:
    """The sum over taps of the rows that each sees, times the tap; no padding."""
    rows = x.rows - (len(taps) - 1)
    return total([Shift(u, rows, x.rows) * x * tap for u, tap in enumerate(taps)])


def padded(x: Term, above: int, below: int) -> Term:
    """x with rows of zeros above and below it."""
    around = [zero(above, x.rows)] if above else []
    return stack(*around, eye(x.rows), *([zero(below, x.rows)] if below else [])) * x


def sides(w_1: int, w_2: int) -> tuple[Term, Term]:
    """Both sides of the statement for these kernels."""
    a, b = first(w_1), second(w_2)
    return convolved(convolved(X, a), b), convolved(X, composed(a, b))


def proof(w_1: int = 2, w_2: int = 2) -> Proof:
    """The proof for kernels of w_1 and of w_2 taps, for an input of any length."""
    return Proof((proved("convolution_composition", *sides(counted("w_1", w_1, 8), counted("w_2", w_2, 8))),))


LEFT, RIGHT = sides(2, 2)
A, B = first(3), second(3)
IDENTITY = Identity(
    "two convolutions are one, whose kernel has w_1 + w_2 − 1 taps (here of two taps each)",
    LEFT, RIGHT,
    meaning={"X": "input, one position a row, one channel a column",
             "A0": "first kernel, tap 0", "A1": "first kernel, tap 1",
             "B0": "second kernel, tap 0", "B1": "second kernel, tap 1"},
    conditions=("no padding, or all of it before the first convolution; causal padding also between them, if the "
                "first has no bias", "stride 1, dilation 1", "nothing between the two",
                "S_u takes rows u, u + 1, … of what it multiplies: what tap u sees"),
    reason="a window of a window is a window, so taps multiply as the coefficients of polynomials do",
    source="Goodfellow et al. 2016, Deep learning, chapter 9",
    neighbours=(
        Neighbour("each convolution is padded with zeros to keep its length",
                  convolved(padded(convolved(padded(X, 1, 1), A), 1, 1), B),
                  convolved(padded(X, 2, 2), composed(A, B))),
        Neighbour("a causal convolution with a bias is padded before the second one",
                  convolved(padded(convolved(padded(X, 1, 0), A[:2]) + ones("n") * b, 1, 0), B[:2]),
                  convolved(padded(X, 2, 0), composed(A[:2], B[:2])) + ones("n") * (b * (B[0] + B[1]))),
        Neighbour("a ReLU stands between", convolved(apply("relu", convolved(X, A[:2])), B[:2]), RIGHT),
    ),
    proof=proof,
)
