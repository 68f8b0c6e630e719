"""At which whole numbers conditions hold, judged by trying every number."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symcount import runs as sets
from symcount.choices import Steps, choices
from symcount.errors import FormulaError, SizeError
from symcount.formulas import read
from symcount.polynomials import Condition, Polynomial, letter, lift
from symcount.runs import Run
from symcount.sizes import ceil, floor, least, up
from symcount.wholes import between, holding, holds, polynomial, signs

X = letter("d")
SLOW = 3  # seconds that no refusal and no answer may take on a busy machine


def listed(runs, last):
    """The members of a set up to a number, each run written out."""
    found = [n for run in runs for n in range(run.first, min(last, last if run.last is None else run.last) + 1,
                                              run.step)]
    assert len(found) == len(set(found))  # runs do not overlap
    return sorted(found)


@given(st.lists(st.integers(-60, 60), max_size=6), st.integers(0, 4))
def test_signs_are_those_of_every_number(coefficients, first):
    runs = signs(coefficients, first)
    assert all(a[1] + 1 == b[0] and a[2] != b[2] for a, b in pairwise(runs))
    assert (runs[0][0], runs[-1][1]) == (first, None)
    for x in range(first, first + 150):  # a root is at most 1 + 60/1 (Cauchy)
        number = sum(c * x**power for power, c in enumerate(coefficients))
        sign, = [sign for low, high, sign in runs if low <= x and (high is None or x <= high)]
        assert sign == (number > 0) - (number < 0)


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=5, unique=True), st.integers(1, 10**300))
def test_signs_find_every_root(roots, scale):
    coefficients = [scale]
    for root in roots:  # · (x − root)
        coefficients = [b - root * a for a, b in zip([*coefficients, 0], [0, *coefficients], strict=True)]
    zeros = [n for low, high, sign in signs(coefficients) if not sign for n in range(low, high + 1)]
    assert zeros == sorted(roots)


numbers = st.integers(-30, 30)
steps = st.integers(1, 9)


@st.composite
def sizes(draw, depth=2, negative=True, below=(1, 1, 2, 3)):
    """Polynomials with fractions and powers below the line, with roundings and minima within one another."""
    terms = [draw(numbers)]
    for power in draw(st.lists(st.integers(-1 if negative else 0, 3), max_size=2)):
        coefficient = Fraction(draw(numbers), draw(st.sampled_from(below)))
        terms.append(coefficient * lift(X**power) if power >= 0 else coefficient * BELOW)
    if depth:
        for kind in draw(st.lists(st.sampled_from(["ceil", "floor", "up", "min"]), max_size=2 if depth > 1 else 1)):
            if kind == "min":  # of whole numbers
                inner = draw(sizes(depth=depth - 1, negative=False, below=(1,)))
                terms.append(least(inner, draw(sizes(depth=0, negative=False, below=(1,)))))
            else:
                inner = draw(sizes(depth=depth - 1, negative=False))
                terms.append({"ceil": ceil, "floor": floor, "up": up}[kind](lift(inner), draw(steps)))
    result = 0
    for term in terms:
        result = term + lift(result)
    return result


BELOW = Polynomial({frozenset((("d", -1),)): ((("d", -1),), 1)})
def answer(ask, *told):
    """What is answered, or the text of the refusal."""
    try:
        return ask(*told)
    except SizeError as refusal:
        return str(refusal)


relations = st.sampled_from(["at most", "less", "is"])
conditions = st.one_of(
    st.builds(Condition, sizes(), relations, sizes()),
    st.builds(lambda m, a: Condition(m, "divides", a), steps, sizes(negative=False)),
    st.builds(lambda m, a: Condition(m * X, "divides", a * X**2), steps, numbers),
    st.builds(lambda a: Condition(X, "divides", a), st.integers(1, 400)))
ranges = st.one_of(
    st.builds(lambda first, many, step: Steps(first, first + many, step), st.integers(0, 9), st.integers(0, 80), steps),
    st.lists(st.integers(0, 99), min_size=1, max_size=9, unique=True).map(sorted).map(tuple))


@given(st.lists(conditions, min_size=1, max_size=3), ranges)
def test_all_numbers_and_no_others(told, among):
    runs = holding(told, "d", among)
    numbers = list(among)
    assert listed(runs, 200) == [n for n in numbers if all(holds(c, {"d": n}) for c in told)]


@given(st.lists(conditions, min_size=1, max_size=2), st.integers(0, 9), steps)
def test_without_end_is_as_with_one(told, first, step):
    """The progressions of an endless choice are what trying finds, as far as one tries."""
    runs = answer(holding, told, "d", Steps(first, None, step))
    if isinstance(runs, str):
        assert "only trying would tell" in runs
        return
    tried = tuple(range(first, 400, step))
    assert listed(runs, 399) == [n for n in tried if all(holds(c, {"d": n}) for c in told)]


@pytest.mark.parametrize(("told", "among", "found"), [
    (["96 divides d", "d*d at most 1000000"],  Steps(1),            [(96, 960, 96)]),
    (["d at most up(d, 7) - 5"],               Steps(1),            [(1, None, 7), (2, None, 7)]),
    (["d divides 12"],                         Steps(1),            [(n, n, 1) for n in (1, 2, 3, 4, 6, 12)]),
    (["d divides 12"],                         Steps(0, None, 2),   [(n, n, 1) for n in (2, 4, 6, 12)]),
    (["d divides d^2"],                        Steps(0),            [(1, None, 1)]),  # nothing is divided by 0
    (["0 at most d - 5", "d less 9"],          Steps(0),            [(5, 8, 1)]),
    (["d^2 is 49"],                            Steps(1),            [(7, 7, 1)]),
    (["d^2 is 50"],                            Steps(1),            []),
    (["d is 4"],                               (1, 4, 9),           [(4, 4, 1)]),
    (["3 at most 4"],                          Steps(5, 8),         [(5, 8, 1)]),
    (["4 at most 3"],                          Steps(5),            []),
    (["d less 10^30"],                         Steps(1, 10**15),    [(1, 10**15, 1)]),
    (["ceil(floor(d, 4), 2) at most 1000"],    Steps(1),            [(8*i + r, 8000 + r, 8) for r, i in
                                                                     ((1, 0), (2, 0), (3, 0))]),
], ids=str)
def test_by_hand(told, among, found):
    split = []
    for text in told:
        left, relation, right = next(text.partition(f" {verb} ") for verb in ("at most", "less", "is", "divides")
                                     if f" {verb} " in text)
        split.append(Condition(read(left), relation.strip(), read(right)))
    runs = holding(split, "d", among)
    assert set(found) <= {tuple(run) for run in runs}
    assert len(told) > 1 or "floor" in told[0] or [tuple(run) for run in runs] == found


@pytest.mark.parametrize(("told", "among"), [
    (Condition(10**300 * X**5 - 7 * X, "at most", 10**400), Steps(1)),
    (Condition(X**5 - 10**300 * X**4, "less", 0), Steps(10**14, 10**15)),
    (Condition(ceil(X, 10**6), "at most", 300), Steps(1)),
    (Condition(10**6, "divides", 7 * X), Steps(1)),
    (Condition(up(X, 19_997), "is", X), Steps(1)),
    (Condition(3 * up(X, 19_997), "is", up(X, 19_996)), Steps(1)),
    (Condition(up(X, 1_993) * X - X**2, "at most", X), Steps(1)),
    (Condition(X, "divides", 10**12), Steps(1)),
    (Condition(X, "divides", 10**40), Steps(1)),
    (Condition(X, "divides", 720_720), Steps(1, 10**15)),
    (Condition(read("+".join(f"min(d, {n})" for n in range(1, 60))), "at most", 100), Steps(1)),
    (Condition(read("ceil(" * 18 + "d" + ", 3)" * 18), "at most", 5), Steps(1)),
    (Condition(read("min(" * 18 + "d" + ", 3d - 7)" * 18), "at most", 5), Steps(1)),
    (Condition(read("d^64"), "at most", 10**300), Steps(1, 10**15)),
], ids=lambda one: str(one)[:40])
def test_what_a_stranger_asks_takes_no_time(told, among):
    begun = time.process_time()
    runs = answer(holding, [told], "d", among)
    if isinstance(runs, str):
        assert "only trying would tell" in runs
    else:
        for n in (among.first, among.first + 1, 10, 1000, 10**9):
            inside = any(run.first <= n and (run.last is None or n <= run.last) and (n - run.first) % run.step == 0
                         for run in runs)
            assert inside == (n in among and holds(told, {"d": n}))
    assert time.process_time() - begun < SLOW


runs_of = st.lists(st.builds(lambda first, many, step: Run(first, None if many is None else first + step * many, step),
                             st.integers(0, 40), st.none() | st.integers(0, 6), steps), max_size=4)


def members(runs, last=400):
    return {n for run in runs for n in range(run.first, last if run.last is None else run.last + 1, run.step)}


@given(runs_of, st.integers(-3, 60))
def test_sets_are_as_their_members(runs, number):
    inside = members(runs)
    assert sets.after(runs, number) == min((n for n in inside if n > number), default=None)
    assert sets.before(runs, number) == max((n for n in inside if n < number), default=None)
    assert sets.first(runs) == min(inside, default=None)
    assert [*islice(sets.members(runs, number), 20)] == sorted(n for n in inside if n >= number)[:20]
    if all(run.last is not None for run in runs):
        assert sets.last(runs) == max(inside, default=None)
        assert sets.many(runs) == sum(len(members([run])) for run in runs)
    else:
        assert (sets.last(runs), sets.many(runs)) == (None, None)


@given(runs_of, runs_of, st.integers(1, 7))
def test_turns_are_those_of_a_walk(low, high, most):
    below, above = members(low), members(high) - members(low)
    high = [Run(n, n, 1) for n in above]
    walk = [(a, b) for a, b in pairwise(sorted(below | above)) if (a in below) != (b in below)]
    low = [Run(n, n, 1) for n in below]
    assert sets.turns(low, high, most) == walk[:most]


@pytest.mark.parametrize(("low", "high", "found"), [
    ([Run(1, 1, 1)], [Run(10**14, 10**15, 1)], [(1, 10**14)]),
    ([Run(2, 20, 6)], [Run(1, None, 2)], [(1, 2), (2, 3), (7, 8), (8, 9), (13, 14)]),
    ([Run(0, 0, 1)], [Run(1, None, 1)], [(0, 1)]),
    ([Run(7, None, 7)], [Run(3, None, 7)], [(3, 7), (7, 10), (10, 14), (14, 17), (17, 21)]),
    ([], [Run(3, None, 7)], []), ([], [], []),
])
def test_turns_by_hand(low, high, found):
    assert sets.turns(low, high, 5) == found
    assert sets.turns(high, low, 5) == found


@pytest.mark.parametrize(("text", "found"), [
    ("d", {"d": "1, 2, …"}), ("L", {"L": "1, 2, …"}), ("L=0..3", {"L": "0, 1, … 3"}),
    ("d=128*1..", {"d": "128, 256, …"}),
    ("d=128*1..4, L = 12,24", {"d": "128, 256, … 512", "L": "(12, 24)"}), ("s=2^3..5", {"s": "(8, 16, 32)"}),
    ("d=5,3,3,1..2", {"d": "(1, 2, 3, 5)"}), ("d=7..7", {"d": "7, … 7"}), ("d=7", {"d": "(7,)"}),
])
def test_choices(text, found):
    assert {name: str(those) for name, those in choices(text).items()} == found


@pytest.mark.parametrize(("text", "error", "message"), [
    ("", FormulaError, "names no size"), (",", FormulaError, "names no size"), ("d,,L", FormulaError, "names no size"),
    ("d=", FormulaError, "is no choice"), ("d=x", FormulaError, "is no choice"), ("d=-1", FormulaError, "is no choice"),
    ("d=1..0", FormulaError, "there is nothing"), ("d=0", SizeError, "at least 1"), ("d=0..5", SizeError, "at least 1"),
    ("d=0*1..5", FormulaError, "steps of 0"), ("d=1^1..5", FormulaError, "at least 2"),
    ("d=2^1..", FormulaError, "up to 60"),
    ("d=2^1..99", FormulaError, "up to 60"), ("d=9^59..60", SizeError, "digits"),
    ("d=1..,5", FormulaError, "stands alone"),
    ("d=1..999999,5", SizeError, "999,999 choices"), ("width", FormulaError, "unknown symbol"),
    ("d,d", FormulaError, "twice"), ("5", FormulaError, "begins with a number"), ("d,5", FormulaError, "has no '='"),
    ("d=9999999999999999", FormulaError, "is no choice"), ("d=1e3", FormulaError, "is no choice"),
    ("L d", FormulaError, "names no size"), ("__import__('os')", FormulaError, "names no size"),
])
def test_choices_refused(text, error, message):
    with pytest.raises(error, match=message):
        choices(text)


@given(st.integers(2, 10**9))
def test_between_is_a_bisection(number):
    root = between(X**2 - number, "d", int(number**0.5))
    assert abs(root**2 - number) <= Fraction(3 * 10**5, 10**12)


def test_polynomial_of_what_is_none():
    assert polynomial(Fraction(1, 2) * lift(X) + 3, "d") == [6, 1]
    with pytest.raises(SizeError, match="no polynomial in d"):
        polynomial(ceil(X, 2), "d")
