"""Sizes in letters against Python's fractions and SymPy, and masks against a loop over every pair.

An expression is a tree, ("+", "d", ("*", 3, "h")), and the same tree is evaluated by each of the three.
"""

from __future__ import annotations

import operator
from fractions import Fraction
from itertools import combinations, product
from math import ceil as ceiling
from math import floor

import pytest
import sympy
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from symcount import sizes
from symcount.errors import FormulaError, SizeError
from symcount.masks import Mask, pairs
from symcount.sizes import ceil, conditions, from_sympy, least, letter, per, same, to_sympy, up, value
from symcount.substitution import substitute
from symcount.symbols import symbol

NAMES = ("d", "h", "L", "s", "heads")
EVERY = settings(max_examples=100, deadline=None, derandomize=True)


# ---------------------------------------------------------------- one tree, three kinds of numbers

COMMON = {"+": operator.add, "-": operator.sub, "*": operator.mul, "**": operator.pow}
OURS = COMMON | {"//": operator.floordiv, "ceil": ceil, "up": up, "least": least, "per": per}
FRACTIONS = COMMON | {
    "//": lambda a, b: Fraction(floor(a / b)),
    "ceil": lambda a, b: Fraction(ceiling(a / b)),
    "up": lambda a, b: b * ceiling(a / b),
    "least": min,
    "per": operator.truediv,
}
SYMPY = COMMON | {
    "//": lambda a, b: sympy.floor(a / b),
    "ceil": lambda a, b: sympy.ceiling(a / b),
    "up": lambda a, b: b * sympy.ceiling(a / b),
    "least": sympy.Min,
    "per": operator.truediv,
}


def evaluate(tree, rules, leaf, number=int):
    """The tree, its names by `leaf`, its numbers by `number`."""
    if isinstance(tree, str):
        return leaf(tree)
    if isinstance(tree, int):
        return number(tree)
    rule, left, right = tree
    exponent = rule == "**"
    return rules[rule](evaluate(left, rules, leaf, number),
                       right if exponent else evaluate(right, rules, leaf, number))


def size_of(tree):
    return evaluate(tree, OURS, letter)


def number_of(tree, values):
    """By Python's fractions; an example that divides by zero is no example."""
    try:
        return evaluate(tree, FRACTIONS, lambda name: Fraction(values[name]), Fraction)
    except ZeroDivisionError:
        reject()


def symbols_for(values):
    return {symbol(name): number for name, number in values.items()}


def trees(leaves, rules, most=6):
    return st.recursive(leaves, lambda inner: st.tuples(st.sampled_from(rules), inner, inner)
                        | st.tuples(st.just("**"), inner, st.integers(0, 3)), max_leaves=most)


VALUES = st.fixed_dictionaries({name: st.integers(1, 12) for name in NAMES})
LEAVES = st.sampled_from(NAMES) | st.integers(-5, 9)
POLYNOMIALS = trees(LEAVES, ("+", "-", "*"))
WHOLE = trees(LEAVES, ("+", "-", "*", "//", "ceil", "up", "least"))
MONOMIALS = st.tuples(st.just("*"), st.sampled_from(NAMES), st.integers(1, 4) | st.sampled_from(NAMES))
QUOTIENTS = st.recursive(WHOLE, lambda inner: st.tuples(st.just("per"), inner, MONOMIALS)
                         | st.tuples(st.sampled_from("+-*"), inner, inner)
                         | st.tuples(st.sampled_from(("//", "ceil", "up")), inner, st.integers(1, 3)), max_leaves=4)
LAURENT = st.recursive(POLYNOMIALS, lambda inner: st.tuples(st.just("per"), inner, MONOMIALS)
                       | st.tuples(st.sampled_from("+-*"), inner, inner), max_leaves=4)


@EVERY
@given(WHOLE, VALUES)
def test_letters_and_ints_give_the_number(tree, values):
    expected = number_of(tree, values)
    assert value(size_of(tree), values) == expected
    by_ints = evaluate(tree, OURS, values.__getitem__)
    assert by_ints == expected
    assert type(by_ints) is int


@EVERY
@given(QUOTIENTS, VALUES)
def test_quotients_give_the_fraction(tree, values):
    expected = number_of(tree, values)
    size = size_of(tree)
    top, bottom = sizes.ratio(size, values)
    assert Fraction(top, bottom) == expected
    if bottom != 1:
        with pytest.raises(SizeError, match="is not a whole number"):
            value(size, values)


@EVERY
@given(QUOTIENTS, VALUES)
def test_sympy_gives_the_number(tree, values):
    expected = number_of(tree, values)
    assert to_sympy(size_of(tree)).subs(symbols_for(values)) == expected


@EVERY
@given(LAURENT)
def test_a_quotient_of_polynomials_is_what_sympy_expands(tree):
    in_sympy = evaluate(tree, SYMPY, symbol, sympy.Integer)
    assert sympy.expand(to_sympy(size_of(tree)) - in_sympy) == 0
    assert same(from_sympy(in_sympy), size_of(tree))


@EVERY
@given(WHOLE, VALUES)
def test_through_sympy_and_back_is_the_same_number(tree, values):
    expected = number_of(tree, values)
    assert value(from_sympy(to_sympy(size_of(tree))), values) == expected


@EVERY
@given(LAURENT, LAURENT, LAURENT)
def test_same_is_equality_as_sympy_expands_it(a, b, c):
    for left, right in [
        (a, b),
        (("*", a, ("+", b, c)), ("+", ("*", a, b), ("*", a, c))),
        (("-", ("+", a, b), b), a),
        (("+", a, b), ("+", b, ("+", a, 1))),
    ]:
        x, y = (evaluate(tree, SYMPY, symbol, sympy.Integer) for tree in (left, right))
        assert same(size_of(left), size_of(right)) is (sympy.expand(x - y) == 0)


def test_roundings_that_are_the_same_have_one_value():
    tops = ["d", ("*", 2, "d"), ("*", 4, "d"), ("+", "d", "h"), ("-", "d", 3), ("per", ("*", 8, "d"), 3)]
    pool = [(size_of(tree), [number_of(tree, {"d": n, "h": m}) for n in range(1, 13) for m in (1, 2, 5)])
            for tree in product(("//", "ceil", "up", "least"), tops, (1, 2, 3, 6, "h"))]
    equal = [(a, b) for (x, a), (y, b) in combinations(pool, 2) if same(x, y)]
    assert len(equal) > 9
    assert all(a == b for a, b in equal)


@EVERY
@given(WHOLE, VALUES)
def test_substituting_all_letters_gives_the_number(tree, values):
    expected = number_of(tree, values)
    found = substitute(size_of(tree), values.get)
    assert found == expected
    assert type(found) is int
    assert value(substitute(size_of(tree), letter), values) == expected


# ---------------------------------------------------------------- what is written, and how it prints

NAMESPACE = vars(sizes) | {"Fraction": Fraction, "Mask": Mask, "pairs": pairs, "substitute": substitute,
                           "symbol": symbol, "sympy": sympy} | {
    name: letter(name) for name in ("d", "h", "k", "heads", "kv", "s", "t", "w", "L", "P")}


def run(code):
    return eval(code, dict(NAMESPACE))  # noqa: S307 - the tables below


PRINTED = [  # expression, text: the order in which it was written stays
    ("4*d*d + 3*d*h + 2*d",             "4*d^2 + 3*d*h + 2*d"),
    ("h*d + d*h",                       "2*h*d"),
    ("1 + d",                           "1 + d"),
    ("2*d - 3*h",                       "2*d - 3*h"),
    ("-d + 1",                          "-d + 1"),
    ("(d + h)*(d + 1)",                 "d^2 + d + h*d + h"),
    ("(d + h)**2",                      "d^2 + 2*d*h + h^2"),
    ("d - d",                           "0"),
    ("d**0",                            "1"),
    ("L*(4*d*d + 2*d)",                 "4*L*d^2 + 2*L*d"),
    ("heads*per(d, heads)",             "d"),
    ("per(d, heads)",                   "d/heads"),
    ("per(8*d, 3)",                     "8*d/3"),
    ("per(8*d, 4)",                     "2*d"),
    ("per(d*h, h*h)",                   "d/h"),
    ("per(d, h*h)",                     "d/h^2"),
    ("per(d, 3*h)",                     "d/3/h"),
    ("per(d, d)",                       "1"),
    ("per(0, d)",                       "0"),
    ("Fraction(1, 2)*d",                "d/2"),
    ("4*(Fraction(1, 2)*d)//2",         "d"),
    ("ceil(d, 4)",                      "ceil(d, 4)"),
    ("ceil(8*d, 4)",                    "2*d"),
    ("(d*d + d)//d",                    "floor(d^2, d) + 1"),
    ("per(4*d, h)//2",                  "floor(4*d/h, 2)"),
    ("(6*d + 4)//2",                    "3*d + 2"),
    ("(6*d + 3)//2",                    "3*d + 1"),
    ("(5*d + 3)//2",                    "floor(5*d + 1, 2) + 1"),
    ("(d + 2*h - k)//k",                "floor(d + 2*h, k) - 1"),
    ("7//d",                            "floor(7, d)"),
    ("up(8*d, 256)",                    "up(8*d, 256)"),
    ("up(512*d, 256)",                  "512*d"),
    ("least(s, w)*d",                   "min(s, w)*d"),
    ("least(d, d)",                     "d"),
    ("letters(d*h + ceil(P, k))",       "['d', 'h', 'P', 'k']"),
]


@pytest.mark.parametrize(("code", "text"), PRINTED)
def test_prints_as_it_was_written(code, text):
    assert str(run(code)) == text


SAME = [  # two sizes, whether they are one by form; what is rounded is one when its reduced fraction is
    ("d*(k + 1)",              "d*k + d",              True),
    ("heads*per(d, heads)",    "d",                    True),
    ("ceil(8*d, 6)",           "ceil(4*d, 3)",         True),
    ("(per(8*d, 3))//4",       "(2*d)//3",             True),
    ("least(d, h)",            "least(h, d)",          True),
    ("ceil(d*h, 4)",           "ceil(h*d, 4)",         True),
    ("ceil(d, 4)",             "d//4",                 False),
    ("up(d, 4)",               "ceil(d, 4)",           False),
    ("d",                      "h",                    False),
    ("d + 1",                  "d",                    False),
    ("3",                      "3",                    True),
    ("d - d",                  "0",                    True),
]


@pytest.mark.parametrize(("left", "right", "expected"), SAME)
def test_same(left, right, expected):
    assert same(run(left), run(right)) is expected


# ---------------------------------------------------------------- what is refused

BRANCHED = ("the size {} is in letters: a forward pass may not compare, order or test a size "
            "(it would be another network for other numbers); branch on a flag, or use same()")
DIVIDED = "({}) / ({}): sizes divide exactly with per(a, b), and round with // or ceil(a, b)"

REFUSED = [  # expression, error, its whole text
    ("d == d",             TypeError,    BRANCHED.format("d")),
    ("d == 3",             TypeError,    BRANCHED.format("d")),
    ("d != h",             TypeError,    BRANCHED.format("d")),
    ("d < 3",              TypeError,    BRANCHED.format("d")),
    ("3 < d",              TypeError,    BRANCHED.format("d")),
    ("d <= h",             TypeError,    BRANCHED.format("d")),
    ("d*h >= 1",           TypeError,    BRANCHED.format("d*h")),
    ("bool(d)",            TypeError,    BRANCHED.format("d")),
    ("not d - d*h",        TypeError,    BRANCHED.format("d - d*h")),
    ("1 if per(d, heads) - per(d, heads) else 2", TypeError, BRANCHED.format("0")),
    ("d / 2",              TypeError,    DIVIDED.format("d", 2)),
    ("(d + h) / h",        TypeError,    DIVIDED.format("d + h", "h")),
    ("2 / d",              TypeError,    DIVIDED.format(2, "d")),
    ("2 ** d",             TypeError,    "unsupported operand type(s) for ** or pow(): 'int' and 'Polynomial'"),
    ("d * 2.5",            TypeError,    "unsupported operand type(s) for *: 'Polynomial' and 'float'"),
    ("d + symbol('d')",    TypeError,    "unsupported operand type(s) for +: 'Polynomial' and 'Symbol'"),
    ("d ** -1",            FormulaError, "(d)^-1: a power is an integer from 0 to 64"),
    ("d ** 65",            FormulaError, "(d)^65: a power is an integer from 0 to 64"),
    ("(d + h + k + s + t + w) ** 64", SizeError, "a product of sums with 462 and 6 terms is too long"),
    ("letter('head')",     FormulaError, "unknown symbol 'head'; did you mean 'heads'?"),
    ("per(768, 10)",       SizeError,    "10 does not divide 768"),
    ("per(7, 0)",          SizeError,    "0 does not divide 7"),
    ("per(d, d + h)",      SizeError,    "(d)/(d + h): exact division by a sum; "
                                         "choose letters so that the division vanishes"),
    ("per(d, h - h)",      SizeError,    "(d)/0: division by zero"),
    ("d // 0",             SizeError,    "floor(d, 0): division by zero"),
    ("ceil(7, 0)",         SizeError,    "ceil(7, 0): division by zero"),
    ("up(7, 0)",           SizeError,    "up(7, 0): division by zero"),
    ("up(d, h - h)",       SizeError,    "up(d, 0): division by zero"),
    ("bounded(9, 8)",      SizeError,    "9 is more than 8"),
    ("exactly(3, 2)",      SizeError,    "3 is not 2"),
    ("multiple(9, 2)",     SizeError,    "2 does not divide 9"),
    ("pairs(Mask(causal=True), 5, 3)",         SizeError, "5 is more than 3"),
    ("pairs(Mask(causal=False, window=2), 4, 4)", SizeError,
     "a window without a causal mask has no count here; say Mask(causal=True, window=…)"),
    ("same(2.5, d)",       FormulaError, "2.5 is not a size: an int, letters and SymPy expressions of letters are"),
    ("substitute(d*h, {'d': 3}.get)", FormulaError, "'h' has no value in d*h"),
    ("substitute(heads*per(d, heads), {'d': 10, 'heads': 3}.get)", SizeError, "3 does not divide 10"),
    ("value(4*d*h, {'d': 3})", FormulaError, "'h' has no value in 4*d*h"),
    ("value(per(d, 2), {'d': 3})", SizeError, "d/2 = 3/2 is not a whole number for d = 3"),
    ("value(per(d, heads), {'d': 4_096, 'heads': 0})", SizeError,
     "d/heads divides by zero for d = 4,096, heads = 0"),
    ("value(d//h, {'d': 4, 'h': 0})", SizeError, "floor(d, h) divides by zero"),
    ("from_sympy(sympy.sqrt(symbol('d')))", FormulaError,
     "sqrt(d) is not a size: sums, products, integer powers, ceiling, floor and Min of letters are"),
    ("from_sympy(sympy.Float(2.5))", FormulaError, "2.50000000000000 is not a size: sums, products, integer powers, "
                                                   "ceiling, floor and Min of letters are"),
    ("from_sympy(sympy.Symbol('d'))", FormulaError,
     "the symbol 'd' is not symcount.symbols.d: other assumptions"),
    ("from_sympy(sympy.Symbol('heds'))", FormulaError, "unknown symbol 'heds'; did you mean 'heads'?"),
]


@pytest.mark.parametrize(("code", "error", "text"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(code, error, text):
    with pytest.raises(error) as refusal:
        run(code)
    assert str(refusal.value) == text


# ---------------------------------------------------------------- what must hold

NOTED = [  # size, what must hold, values for which it does, values for which it does not, how that is said
    ("per(d, heads)", ["heads divides d"], {"d": 12, "heads": 4}, {"d": 4_096, "heads": 10},
     "heads = 10 does not divide d = 4,096"),
    ("heads*per(d, heads)", ["heads divides d"], {"d": 12, "heads": 4}, {"d": 12, "heads": 5},
     "heads = 5 does not divide d = 12"),
    ("per(8*d, 3)*h", ["3 divides 8*d"], {"d": 6}, {"d": 7}, "3 does not divide 8*d = 56"),
    ("per(d, heads) - per(d, heads)", ["heads divides d"], {"d": 6, "heads": 3}, {"d": 6, "heads": 4},
     "heads = 4 does not divide d = 6"),
    ("ceil(per(d, heads), 8)", ["heads divides d"], {"d": 6, "heads": 3}, {"d": 6, "heads": 4},
     "heads = 4 does not divide d = 6"),
    ("ceil(d, per(h, heads))", ["heads divides h"], {"h": 6, "heads": 3}, {"h": 6, "heads": 4},
     "heads = 4 does not divide h = 6"),
    ("least(per(d, 3), h) + 1", ["3 divides d"], {"d": 6}, {"d": 7}, "3 does not divide d = 7"),
    ("per(7, heads)", ["heads divides 7"], {"heads": 7}, {"heads": 2}, "heads = 2 does not divide 7"),
    ("bounded(s, P)", ["s at most P"], {"s": 512, "P": 512}, {"s": 513, "P": 512}, "s = 513 is more than P = 512"),
    ("2*bounded(s, 1024)", ["s at most 1024"], {"s": 1}, {"s": 2_048}, "s = 2,048 is more than 1,024"),
    ("bounded(5, P)", ["5 at most P"], {"P": 5}, {"P": 4}, "5 is more than P = 4"),
    ("exactly(d, 2)", ["d is 2"], {"d": 2}, {"d": 3}, "d = 3 is not 2"),
    ("multiple(k, 2)*d", ["2 divides k"], {"k": 4}, {"k": 3}, "2 does not divide k = 3"),
    ("substitute(per(d, heads)*heads, letter)", ["heads divides d"], {"d": 6, "heads": 3}, {"d": 6, "heads": 4},
     "heads = 4 does not divide d = 6"),
    ("pairs(Mask(causal=True), s, t)", ["s at most t"], {"s": 3, "t": 3}, {"s": 5, "t": 3}, "s = 5 is more than t = 3"),
    ("per(d*h, h)", [], {}, None, ""),
    ("per(8*d, 4)", [], {}, None, ""),
]


@pytest.mark.parametrize(("code", "noted", "holds", "fails", "text"), NOTED, ids=[row[0] for row in NOTED])
def test_conditions(code, noted, holds, fails, text):
    found = conditions(run(code))
    assert [f"{c.left} {c.relation} {c.right}" for c in found] == noted
    for condition in found:
        sizes.check(condition, holds)
        with pytest.raises(SizeError) as refusal:
            sizes.check(condition, fails)
        assert str(refusal.value) == text


def test_conditions_are_noted_once_each_and_in_order():
    found = conditions(run("per(d, heads)*per(heads, kv) + per(d, heads)"))
    assert [f"{c.left} {c.relation} {c.right}" for c in found] == ["heads divides d", "kv divides heads"]


# ---------------------------------------------------------------- masks

def counted(s, t, window):
    """The pairs that a causal mask leaves, one by one: query i stands at position t - s + i."""
    return sum(1 for i in range(s) for j in range(t)
               if j <= t - s + i and (window is None or t - s + i - j < window))


SHAPES = [(s, t) for t in range(1, 12) for s in range(1, min(t, 8) + 1)]
WINDOWS = [None, *range(1, 14)]


@pytest.mark.parametrize("window", WINDOWS)
def test_pairs_of_a_causal_mask_by_counting(window):
    in_letters = pairs(Mask(causal=True, window=None if window is None else letter("w")), letter("s"), letter("t"))
    in_sympy = pairs(Mask(causal=True, window=window), symbol("s"), symbol("t"))
    for s, t in SHAPES:
        expected = counted(s, t, window)
        assert pairs(Mask(causal=True, window=window), s, t) == expected
        assert value(in_letters, {"s": s, "t": t, "w": window}) == expected
        if (s + t) % 3 == 0:  # SymPy is slow
            assert in_sympy.subs({symbol("s"): s, symbol("t"): t}) == expected


def test_without_a_causal_mask_every_pair_counts():
    assert all(pairs(mask, s, t) == s * t for s, t in SHAPES for mask in (None, Mask()))


# ---------------------------------------------------------------- once wrong, each found by these tests

FAULTS = [  # what should hold, as an expression that is true once it does; what was once wrong
    ("letters(Fraction(1, 2)) == []",                 "AttributeError: a Fraction is taken for SymPy"),
    ("type(ceil(Fraction(7, 2), 2)) is int",          "SymPy's 2: a Fraction is taken for SymPy"),
    ("str(per(Fraction(1, 2), d)) == '1/2/d'",        "TypeError: a Fraction is taken for SymPy"),
]


@pytest.mark.parametrize("code", [pytest.param(code, id=code) for code, _ in FAULTS])
def test_right_that_once_was_not(code):
    assert run(code)
