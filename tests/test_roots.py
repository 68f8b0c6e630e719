"""Closed forms of what solves an equation, judged by SymPy, by a bisection and by equations made from their roots."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symcount.formulas import read
from symcount.polynomials import lift
from symcount.render import text
from symcount.roots import coefficients, solved
from symcount.sizes import to_sympy
from symcount.substitution import substitute

X = sympy.Symbol("x", positive=True)
LETTERS = ("L", "V", "h", "N")
values = st.fixed_dictionaries({name: st.integers(1, 30) for name in LETTERS})
terms = st.lists(st.tuples(st.integers(-9, 9), st.sampled_from(["", *LETTERS, "L*V", "h^2", "N*h"])), max_size=3)


def equation(parts):
    """The size Σ (Σ c·letters)·d^power."""
    total = lift(0)
    for power, coefficient in parts.items():
        for c, product in coefficient:
            total = lift(total + c * lift(read(product or "1")) * lift(read(f"d^{power}")))
    return total


def number(one, told):
    """A closed form as SymPy sees it, with numbers."""
    root = (to_sympy(one.power) / to_sympy(one.under)) ** sympy.Rational(1, one.degree) if one.q else 0
    form = (to_sympy(one.p) + one.q * root) / to_sympy(one.bottom)
    return sympy.nsimplify(form.subs({to_sympy(read(name)): n for name, n in told.items()}))


def positive_roots(size, told):
    """Distinct positive real roots by SymPy's isolation, exact or to 30 digits; None where all numbers solve it."""
    numbers = lift(substitute(size, lambda name: told[name] if name in told else read(name)))
    if not numbers.terms:
        return None
    polynomial = sympy.Poly(to_sympy(numbers).subs(to_sympy(read("d")), X), X)
    return sorted(set(sympy.real_roots(polynomial)), reverse=True) if polynomial.degree() > 0 else []


@given(st.one_of(
    st.fixed_dictionaries({0: terms, 1: terms}), st.fixed_dictionaries({0: terms, 1: terms, 2: terms}),
    st.fixed_dictionaries({1: terms, 2: terms, 3: terms}), st.fixed_dictionaries({0: terms, 3: terms}),
    st.fixed_dictionaries({0: terms, 5: terms}), st.fixed_dictionaries({2: terms, 6: terms})), values)
def test_all_positive_roots_and_no_others(parts, told):
    size = equation(parts)
    roots = positive_roots(size, told)
    found = solved(size, "d", told)
    if found:
        assert len({str(one.form) for one in found}) == len(found)
    if roots is None:  # every number solves it with these values: there is nothing to single out
        assert not found
        return
    roots = [root for root in roots if root.is_positive]
    shown = [one.number(told)[0] for one in found]
    assert shown == sorted(set(shown), reverse=True) or len(found) == 1 or shown[0] == shown[1]
    for one in shown:
        assert min((abs(root.evalf(40) - sympy.Rational(one.numerator, one.denominator)) for root in roots),
                   default=1) < sympy.Rational(1, 10**20)
    # What has a closed form by its letters, and keeps its degree for these values, has all its roots
    degrees = coefficients(size, "d")
    top = degrees and degrees[max(degrees)]
    if degrees and max(degrees) and substitute(lift(top), lambda name: told[name]) != 0 and (
            max(degrees) <= 2 or set(degrees) <= {0, max(degrees)}):
        assert len(set(shown)) == len(roots)


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.integers(1, 10**6))
def test_two_whole_roots(a, b, scale):
    size = scale * (read("d^2") - (a + b) * read("d") + a * b)
    found = [one.number({}) for one in solved(size, "d", {})]
    assert found == [(root, True) for root in sorted({a, b}, reverse=True)]
    assert [text.form(one.form) for one in solved(size, "d", {})] == [f"{n:,}" for n in sorted({a, b}, reverse=True)]


@given(st.integers(1, 10**12), st.integers(1, 10**4), st.integers(1, 9))
def test_powers(base, under, degree):
    size = under**degree * lift(read(f"d^{degree}")) - base**degree
    (root, exact), = [one.number({}) for one in solved(size, "d", {})]
    assert abs(root - Fraction(base, under)) < Fraction(1, 10**29)
    assert not exact or root == Fraction(base, under)


@given(st.integers(0, 150), st.integers(1, 150))
def test_digits_are_kept_where_numbers_are_huge(a, b):
    b += a  # the root is at least about 1
    size = lift(read("d^2")) + 10**a * read("d") - 10**b
    (root, _), = [one.number({}) for one in solved(size, "d", {})]
    low, high = (max(Fraction(0), root + e * Fraction(1, 10**29)) for e in (-1, 1))
    assert low**2 + 10**a * low - 10**b <= 0 <= high**2 + 10**a * high - 10**b


@pytest.mark.parametrize(("formula", "forms"), [
    ("12L*d^2 + V*d - N",              ["(√(V² + 48LN) − V)/(24L)"]),
    ("L*d^2 - N",                      ["√(N/L)"]),
    ("d^3 - N",                        ["∛N"]),
    ("L*d - N",                        ["N/L"]),
    ("N - V*d - L*d",                  ["N/(V + L)"]),
    ("N - V*h - L*d",                  ["(N − Vh)/L"]),
    ("3d - 2",                         ["2/3"]),
    ("d^2 - 6d + 9",                   ["3"]),                  # twice the same root is one
    ("d^2 - 2L*d + L^2",               ["L"]),
    ("d^2 + 6d + 9",                   []),                     # both are negative
    ("d^2 + L",                        []),
    ("d + L",                          []),
    ("d^2 - 2d + 2",                   []),                     # complex
    ("d^3 - d - 1",                    []),                     # no closed form is written
    ("L - N",                          []),                     # nothing to solve
    ("up(d, 7) - N",                   []),                     # a rounding
    ("d^3 - 5d^2 + 6d",                ["3", "2"]),             # d = 0 is no positive one
    ("L*V*d^2 - L*N*d",                ["N/V"]),
    ("(L - V)*d - N",                  ["N/(L − V)"]),
    ("min(h, 5)*d - N",                ["N/(min(h, 5))"]),
    ("(L - V)*d^2 + h*d - N",          None),                   # of both signs: two forms
    ("d^2 - L*d + V",                  None),
], ids=str)
def test_forms(formula, forms):
    found = [text.form(one.form) for one in solved(read(formula), "d", {})]
    assert len(found) == 2 if forms is None else found == forms


@pytest.mark.parametrize(("formula", "told", "roots"), [
    ("(L - 4)*d - 7",              {"L": 4},          []),      # 0·d = 7
    ("(L - 4)*d^2 + 3d - 10",      {"L": 4},          []),      # of degree 1 for this L alone
    ("(L - 4)*d^2 + 3d - 10",      {"L": 5},          [2]),
    ("(4 - L)*d^2 + 7d - 10",      {"L": 5},          [5, 2]),  # the leading coefficient is negative
    ("d^2 - 7d + (L - 5)",         {"L": 5},          [7]),     # 0 is not positive
    ("d^2 + L - V",                {"L": 5, "V": 9},  [2]),
    ("d^2 + L - V",                {"L": 9, "V": 5},  []),
    ("d - L + V",                  {"L": 5, "V": 5},  []),
], ids=str)
def test_values_that_change_the_kind_of_equation(formula, told, roots):
    assert [one.number(told)[0] for one in solved(read(formula), "d", told)] == roots


@settings(max_examples=5)
@given(values, st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_against_sympy_solve(told, c):
    size = c[0] * read("L*d^2") + c[1] * read("h*d") - c[2] * read("N")
    one, = solved(size, "d", {})
    unknown = sympy.Dummy(positive=True)
    theirs, = sympy.solve(to_sympy(size).subs(to_sympy(read("d")), unknown), unknown)
    ours = (to_sympy(one.p) + one.q * sympy.sqrt(to_sympy(one.power) / to_sympy(one.under))) / to_sympy(one.bottom)
    point = {to_sympy(read(name)): n for name, n in told.items()}
    assert abs((theirs - ours).subs(point).evalf(30)) < 1e-20


def test_greater_first():
    shown = [one.number({})[0] for one in solved(read("d^2 - 1000d + 7"), "d", {})]
    assert all(a > b > 0 for a, b in pairwise(shown))
