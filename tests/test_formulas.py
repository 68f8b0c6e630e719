"""Formula text: what it says, by hand and by SymPy, and where it cannot be read, with the column."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symcount.errors import FormulaError
from symcount.formulas import read
from symcount.sizes import ceil, conditions, least, letter, per, same, to_sympy, up
from symcount.symbols import TABLE, symbol

NAMES = ("d", "h", "L", "V", "k", "heads", "kv", "r_q", "h_e", "n_0", "n_12", "x")
d, h, L, V, k, heads, kv, r_q, h_e, n_0, n_12 = map(letter, NAMES[:-1])
EVERY = settings(max_examples=100, deadline=None, derandomize=True)


# ---------------------------------------------------------------- what a text says

READ = [  # text, the size it says
    ("d",                          d),
    ("12",                         12),
    ("12_288",                     12_288),
    ("7e9",                        7_000_000_000),
    ("1.5e3",                      1_500),
    ("4d",                         4*d),
    ("4 d",                        4*d),
    ("dh",                         d*h),
    ("heads h",                    heads*h),
    ("dhLVk",                      d*h*L*V*k),
    ("d h",                        d*h),
    ("d*h",                        d*h),
    ("d·h",                        d*h),
    ("d × h",                      d*h),
    ("4d^2",                       4*d*d),
    ("4d**2",                      4*d*d),
    ("4d²",                        4*d*d),
    ("d¹²",                        d**12),
    ("d^0",                        1),
    ("d^64",                       d**64),
    ("2^10",                       1_024),
    ("2^3d",                       8*d),
    ("d^2h",                       d*d*h),
    ("-d^2",                       -(d*d)),
    ("+d",                         d),
    ("d - h - L",                  d + -1*h + -1*L),
    ("d − h",                      d - h),
    ("(d - h) - (L - d)",          2*d - h - L),
    ("(-d)",                       -d),
    ("4(d + h)",                   4*d + 4*h),
    ("(d + h)(d - h)",             d*d - h*h),
    ("(d + h)^2",                  d*d + 2*d*h + h*h),
    ("L(4d^2 + 3dh + 2d)",         4*L*d*d + 3*L*d*h + 2*L*d),
    ("2Vd + d",                    2*V*d + d),
    ("kv",                         kv),
    ("k*v",                        k*letter("v")),
    ("heads*k",                    heads*k),
    ("r_q h_e",                    r_q*h_e),
    ("n_0 n_12",                   n_0*n_12),
    ("d/heads",                    per(d, heads)),
    ("heads*d/heads",              d),
    ("d/h/L",                      per(per(d, h), L)),
    ("d/h*L",                      per(d*L, h)),
    ("d/h*L k",                    per(d*L*k, h)),
    ("d/(h*L)",                    per(d, h*L)),
    ("d h/L",                      per(d*h, L)),
    ("(d + h)/L",                  per(d, L) + per(h, L)),
    ("8d/4",                       2*d),
    ("8d/3",                       per(8*d, 3)),
    ("8d/3*3",                     8*d),
    ("7e - 3",                     7*letter("e") - 3),
    ("0.5d",                       Fraction(1, 2)*d),
    ("4.096",                      Fraction(512, 125)),
    ("ceil(d, 4)",                 ceil(d, 4)),
    ("ceil(d/4)",                  ceil(d, 4)),
    ("floor(d/2)",                 d//2),
    ("floor(d, h)",                d//h),
    ("min(d, h)",                  least(d, h)),
    ("up(d, 256)",                 up(d, 256)),
    ("up(8*4096/3, 256)",          11_008),
    ("2up(d, 8)",                  2*up(d, 8)),
    ("ceil(d, 4)^2",               ceil(d, 4)*ceil(d, 4)),
    ("\td\n+\n1 ",                 d + 1),
    ("(" * 40 + "d" + ")" * 40,    d),
    ("d+" * 4_999 + "d",           5_000*d),
]


@pytest.mark.parametrize(("text", "size"), READ, ids=[text[:30] for text, _ in READ])
def test_read(text, size):
    assert same(read(text), size)


GIVEN = [  # text, the numbers of its names, the number
    ("4d",                   {"d": 768},                       3_072),
    ("up(8d/3, 256)",        {"d": 4_096},                     11_008),
    ("up(8d/3, 256)",        {"d": 5_120},                     13_824),
    ("2x",                   {"x": 32},                        64),
    ("dh",                   {"dh": 5},                        5),
    ("dh",                   {"d": 3, "h": 4},                 12),
    ("ceil(x/3)",            {"x": 7},                         3),
    ("width + 1",            {"width": 9},                     10),
    ("12/4",                 {},                               3),
    ("1/2*2",                {},                               1),
    ("1/2 + 1/2",            {},                               1),
    ("2.5*4096",             {},                               10_240),
    ("d/3*3",                {"d": 4_096},                     4_096),
    ("ceil(7/2)",            {},                               4),
    ("floor(7/2)",           {},                               3),
    ("min(3, 5)",            {},                               3),
    ("9" * 40,               {},                               10**40 - 1),
    ("2^63",                 {},                               2**63),
]


@pytest.mark.parametrize(("text", "names", "number"), GIVEN)
def test_read_with_numbers(text, names, number):
    found = read(text, names.get)
    assert found == number
    assert type(found) is int


def test_a_division_by_a_letter_must_be_exact():
    assert [f"{c.left} {c.relation} {c.right}" for c in conditions(read("2d/heads + d/kv"))] == [
        "heads divides 2*d", "kv divides d"]


# ---------------------------------------------------------------- what is written is what is read

MONOMIALS = st.dictionaries(st.sampled_from(NAMES[:-1]), st.integers(-3, 4).filter(bool), max_size=3)
COEFFICIENTS = st.integers(-40, 40).filter(bool) | st.fractions(-9, 9, max_denominator=12).filter(bool)


def polynomial(terms):
    """The sum of coefficient · letters to their powers, by multiplication and `per` only."""
    total = 0
    for powers, coefficient in terms:
        term = per(coefficient * d, d)
        for name, power in powers.items():
            for _ in range(abs(power)):
                term = term * letter(name) if power > 0 else per(term, letter(name))
        total = total + term
    return total


POLYNOMIALS = st.lists(st.tuples(MONOMIALS, COEFFICIENTS), min_size=1, max_size=5).map(polynomial)
SIZES = st.recursive(POLYNOMIALS, lambda inner: st.builds(
    lambda rule, a, b, c: c * rule(a, b) + c,
    st.sampled_from([ceil, up, least, lambda a, b: a // b]), inner, st.integers(2, 99) | st.sampled_from([d, h, L + 1]),
    inner), max_leaves=3)


@EVERY
@given(SIZES)
def test_reading_what_a_size_prints_gives_it_back(size):
    assert same(read(str(size)), size)


@EVERY
@given(POLYNOMIALS)
def test_sympy_reads_the_same_text_alike(size):
    text = str(size)
    theirs = sympy.sympify(text.replace("^", "**"), locals={name: symbol(name) for name in NAMES[:-1]})
    assert sympy.expand(to_sympy(read(text)) - theirs) == 0


# ---------------------------------------------------------------- what cannot be read

NO_OPERAND = "the formula ends where a number or a symbol is expected"
EXPECTED = "expected a number, a symbol or '(', found "
LINE = "does this factor stand above or below the line? write a/(b*c) or a/b*c"
BLANK = "a number stands before what it multiplies, and has no blanks within; write *"
SIGNED = ("an exponent, or the letter e and a sign? put blanks around the sign, or write the number out")
SUM = "exact division by a sum; choose letters so that the division vanishes"

BAD = [  # text, column, what is wrong with it
    ("",                    1,  NO_OPERAND),
    ("   ",                 4,  NO_OPERAND),
    ("d +",                 4,  NO_OPERAND),
    ("d*",                  3,  NO_OPERAND),
    ("*d",                  1,  EXPECTED + "'*'"),
    ("²d",                  1,  EXPECTED + "'²'"),
    ("--d",                 2,  EXPECTED + "'-'"),
    ("2*-3",                3,  EXPECTED + "'-'"),
    ("d//h",                3,  EXPECTED + "'/'"),
    ("()",                  2,  EXPECTED + "')'"),
    ("ceil()",              6,  EXPECTED + "')'"),
    ("floor(d,)",           9,  EXPECTED + "')'"),
    ("(d",                  3,  "expected ')' before the end"),
    ("(d, h)",              3,  "expected ')', found ','"),
    ("d)",                  2,  "expected an operator, found ')'"),
    ("4,096",               2,  "expected an operator, found ','"),
    ("d^2^3",               4,  "expected an operator, found '^'"),
    ("d^2²",                4,  "expected an operator, found '²'"),
    ("d + $",               5,  "cannot read '$'"),
    ("d + $",               5,  "cannot read '$'"),
    ("h=4d",                2,  "cannot read '='"),
    (".5",                  1,  "cannot read '.'"),
    ("5.",                  2,  "cannot read '.'"),
    ("d – h",               3,  "cannot read '–'"),
    ("min[d]",              4,  "cannot read '['"),
    ("d^-1",                3,  "a power is an integer"),
    ("d^h",                 3,  "a power is an integer"),
    ("d^(2)",               3,  "a power is an integer"),
    ("d**",                 4,  "a power is an integer"),
    ("d^65",                1,  "a power is an integer from 0 to 64, not 65"),
    ("d^1.5",               1,  "a power is an integer from 0 to 64, not 1.5"),
    ("d⁶⁵",                 1,  "a power is an integer from 0 to 64, not 65"),
    ("d/2h",                4,  LINE),
    ("d/hL",                4,  LINE),
    ("d/h(L)",              4,  LINE),
    ("d/(h)(L)",            6,  LINE),
    ("4 096",               3,  BLANK),
    ("d^2 3",               5,  BLANK),
    ("d/h 2",               5,  BLANK),
    ("(d)2",                4,  BLANK),
    ("1e-3",                1,  SIGNED),
    ("2E+2",                1,  SIGNED),
    ("d + 2.5E-3",          5,  SIGNED),
    ("ceil(1,024)",         8,  "'024' begins with 0: a number has no commas or blanks within"),
    ("4dense",              2,  "unknown symbol 'dense'; did you mean 'L_dense'?"),
    ("headsh",              1,  "unknown symbol 'headsh'; did you mean 'heads'?"),
    ("d/(h+L)",             2,  "(d)/(h + L): " + SUM),
    ("7/0",                 2,  "0 does not divide 7"),
    ("4 + head",            5,  "unknown symbol 'head'; did you mean 'heads'?"),
    ("4dkv",                2,  "unknown symbol 'dkv'; did you mean 'kv'?"),
    ("typs*4",              1,  "unknown symbol 'typs'; did you mean 'types'?"),
    ("4patches(d)",         2,  "unknown symbol 'patches'; did you mean 'patch'?"),
    ("up(d)",               1,  "up takes 2 arguments, not 1"),
    ("4 + up(d, h, L)",     5,  "up takes 2 arguments, not 3"),
    ("min(d h)",            1,  "min takes 2 arguments, not 1"),
    ("ceil(d, h, L)",       1,  "ceil takes 1 or 2 arguments, not 3"),
    ("1" * 41,              1,  "a number of more than 40 digits"),
    ("d + 1e40",            5,  "a number of more than 40 digits"),
    ("1." + "0" * 40,       1,  "a number of more than 40 digits"),
    ("1e" + "9" * 50,       1,  "a number of more than 40 digits"),
    ("d^" + "9" * 50,       1,  "a power is an integer from 0 to 64, not " + "9" * 20),
    ("7 + (9^64)^64",       5,  "this power is too large a number"),
    ("d/(d - d)",           2,  "(d)/0: division by zero"),
]


@pytest.mark.parametrize(("text", "column", "what"), BAD, ids=[text[:30] for text, _, _ in BAD])
def test_unreadable(text, column, what):
    with pytest.raises(FormulaError) as refusal:
        read(text)
    assert str(refusal.value) == f"'{text}', column {column}: {what}"


LIMITS = [  # text, the whole message
    ("(" * 41 + "d" + ")" * 41,       f"'{'(' * 41}d{')' * 17}…', column 42: brackets nested deeper than 40"),
    ("d+" * 5_000 + "d",              "a formula of 10,001 characters; at most 10,000 are read"),
    ("(d+h+L+V+s+t)^64",              "'(d+h+L+V+s+t)^64', column 17: "
                                      "a product of sums with 462 and 6 terms is too long"),
    ("((d+h+L+V+s+t)^9)^64",          "'((d+h+L+V+s+t)^9)^64', column 17: "
                                      "a product of sums with 462 and 6 terms is too long"),
    ("d + " * 20 + "typs",            "'d + d + d + d + d + d + d + d + d + d + d + d + d + d + d +…', column 81: "
                                      "unknown symbol 'typs'; did you mean 'types'?"),
]


@pytest.mark.parametrize(("text", "message"), LIMITS, ids=[text[:30] for text, _ in LIMITS])
def test_limits(text, message):
    with pytest.raises(FormulaError) as refusal:
        read(text)
    assert str(refusal.value) == message


def test_an_unknown_symbol_is_shown_all_letters():
    known = sorted(TABLE)[:24]
    with pytest.raises(FormulaError) as refusal:
        read("4d + xyzzy")
    assert str(refusal.value) == f"'4d + xyzzy', column 6: unknown symbol 'xyzzy'; known: {', '.join(known)}, …"


def test_a_letter_that_has_no_value_here():
    with pytest.raises(FormulaError) as refusal:
        read("4d + kv", {"d": 3}.get)
    assert str(refusal.value) == "'4d + kv', column 6: 'kv' (key-value heads) has no value here"


# ---------------------------------------------------------------- once wrong, each found by these tests

UNREFUSED = [  # text, the column of what is wrong, what once happened
    ("4 + floor(7, 0)",        5,   "a bare ZeroDivisionError"),
    ("4 + ceil(7, 0) + 2d",    5,   "column 16, behind the function"),
    ("4 + ceil(d, 0)",         5,   "column 15, behind the end"),
    ("4 + (2^63)^64" + "*(2^63)^64" * 900 + "/0", 14, "a bare ValueError: its message prints a long number"),
]


@pytest.mark.parametrize(("text", "column"), [
    pytest.param(text, column, id=text[:30]) for text, column, _ in UNREFUSED])
def test_refused_that_once_was_not(text, column):
    with pytest.raises(FormulaError, match=f", column {column}: "):
        read(text)
