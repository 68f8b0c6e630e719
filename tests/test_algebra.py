"""The algebra: no rule changes a value, each says what its table says and no more; shapes, witnesses and costs.

Random terms are judged by numbers that know no rule: modulo a prime, or in floats where functions stand.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product as choices
from random import Random

import pytest

from symcount.algebra import kernel, search, witness
from symcount.algebra.making import apply, eye, matrix, number, ones, side, stack, zero
from symcount.algebra.sampling import SMALL, cost
from symcount.algebra.scalars import Entry
from symcount.algebra.terms import (
    Apply,
    Inverse,
    Over,
    Product,
    Scaled,
    Shift,
    Side,
    Stack,
    Sum,
    Transpose,
    letters,
    product,
    scaled,
    total,
)
from symcount.algebra.values import Point
from symcount.errors import ProofError
from symcount.polynomials import letter, lift, opaque
from symcount.sizes import per, same, value

PRIME = 2**31 - 1
NAMES = ("relu", "gelu", "tanh", "softmax", "layer_norm", "rms_norm")
SQUARE = ("", "symmetric", "invertible", "orthogonal", "permutation", "diagonal", "positive", "idempotent",
          "stochastic", "data")
SPLIT = {"n + d": ("n", "d"), "4": (2, 2), "2": (1, 1), "3": (1, 2)}


class Grower:
    """Random terms of a given shape; `bound` is whether sums over heads may stand (then no size is 1)."""

    def __init__(self, rng, *, functions=False, bound=False):
        self.rng, self.functions, self.bound = rng, functions, bound
        self.sizes = ["n", "d", "n + d", 2, 4] if bound else ["n", "d", "n + d", 1, 1, 2, 3]

    def size(self):
        return self.rng.choice(self.sizes)

    def letter(self, rows, columns, *words, over=()):
        name = f"{''.join((*words, *over)) or 'free'}{self.rng.randrange(2)}_{rows},{columns}".replace("+", "and")
        return matrix(name, rows, columns, *words, over=over)

    def leaf(self, rows, columns, over=()):
        kinds = ["free"] * 3 + ["zero", "stochastic"] + ["one"] * (columns == 1) * 3 + ["row"] * (rows == 1) * 3
        kinds += ["eye", "square", "square", "square"] * (rows == columns) + ["head"] * bool(over) * 6
        kind = self.rng.choice(kinds)
        if kind in ("one", "row"):
            return ones(rows) if kind == "one" else Transpose(ones(columns))
        if kind in ("zero", "eye"):
            return zero(rows, columns) if kind == "zero" else eye(rows)
        if kind == "stochastic":
            return self.letter(rows, columns, kind)
        if kind == "square":
            return self.letter(rows, columns, *filter(None, (self.rng.choice(SQUARE),)))
        return self.letter(rows, columns, over=over if kind == "head" else ())

    def number(self):
        kind = self.rng.randrange(4 if self.bound else 5)
        if kind == 4:
            row, column = self.leaf(1, "d"), self.leaf("d", 1)
            return opaque(Entry(row * column))
        return (self.rng.choice((-2, -1, 0, 3)), Fraction(2, 3), number("alpha") * letter("n"),
                per(lift(1), letter("d")))[kind]

    def term(self, rows, columns, depth, over=()):
        rng = self.rng
        if depth <= 0:
            return self.leaf(rows, columns, over)
        kinds = ["sum", "product", "product", "bracket", "transpose", "scaled", "leaf", "spice", "spice"]
        split = [name for name, parts in SPLIT.items() if not (self.bound and 1 in parts)]
        kinds += ["side"] * (str(columns) in split) + ["stack"] * (str(rows) in split)
        kinds += ["apply"] * self.functions * 2 + ["over"] * (self.bound and not over) * 2
        kinds += ["inverse"] * (rows == columns)
        kind, inner = rng.choice(kinds), self.size() if rng.random() < 0.6 else columns
        if kind == "sum":
            return total([self.term(rows, columns, depth - 1, over) for _ in range(rng.randint(2, 3))])
        if kind == "product":
            return product([self.term(rows, inner, depth - 1, over), self.term(inner, columns, depth - 1, over)])
        if kind == "bracket":
            tail = product([self.leaf(inner, rows, over), self.term(rows, columns, depth - 2, over)])
            return product([self.term(rows, inner, depth - 2, over), tail])
        if kind == "transpose":
            part = self.term(columns, rows, depth - 1, over)
            return Transpose(part) if self.bound or not isinstance(part, Transpose) else part.parts[0]
        if kind == "scaled":
            return scaled(self.number(), self.term(rows, columns, depth - 1, over))
        if kind == "side":
            return Side(tuple(self.term(rows, part, depth - 1, over) for part in SPLIT[str(columns)]))
        if kind == "stack":
            return Stack(tuple(self.term(part, columns, depth - 1, over) for part in SPLIT[str(rows)]))
        if kind == "apply":
            return Apply(rng.choice(NAMES), self.term(rows, columns, depth - 1))
        if kind == "over":
            return Over(("i",), self.term(rows, columns, depth - 1, ("i",)))
        if kind == "inverse":
            pair = [self.letter(rows, rows, rng.choice(("invertible", "orthogonal", "positive"))) for _ in range(2)]
            both = product(pair if rows != 1 else pair[:1])
            return Inverse(rng.choice((pair[0], both, Transpose(pair[0]), Inverse(pair[1]))))
        return self.leaf(rows, columns, over) if kind == "leaf" else self.spice(rows, columns, depth, over)

    def spice(self, rows, columns, depth, over):
        """What single rules look for, which would seldom meet by chance."""
        rng, square = self.rng, lambda *words: self.letter(rows, rows, *words)
        x = self.term(rows, columns, depth - 1, over)
        found = [[square("idempotent"), square("idempotent"), x], [square("diagonal"), square("diagonal"), x],
                 [square("orthogonal"), square("orthogonal").T, x], [square("invertible").I, square("invertible"), x]]
        if not self.bound:
            found.append([self.leaf(rows, 1), ones("n").T, ones("n"), self.leaf(1, columns)])
        if isinstance(rows, int) and rows > 1 and columns == 1:
            found += [[Shift(1, rows, 6), ones(6)]] * 8
        if isinstance(rows, int) and rows > 1:
            found.append([Shift(1, rows, 5), Shift(1, 5, 6), self.leaf(6, columns)])
        if columns == 1:
            found.append([self.letter(rows, "d", "stochastic"), ones("d")])
        if self.functions:
            q, p = (self.letter(columns, columns, word) for word in ("orthogonal", "permutation"))
            positive = self.letter(columns, columns, "positive")
            f = rng.choice(NAMES)
            found += [[Apply(f, product([x, p]))], [Apply(f, product([square("permutation"), x]))],
                      [Apply("rms_norm", product([x, q]))], [Apply("relu", product([x, positive]))],
                      [Apply("softmax", total([x, product([self.leaf(rows, 1), Transpose(ones(columns))])]))],
                      [Transpose(Apply("gelu", self.term(columns, rows, depth - 1)))]]
        return product(rng.choice(found))


def sampled(one, rng, n, m):
    """A matrix as its letter is declared, with exact entries; written apart from the sampler of the package."""
    free = [[rng.randint(-3, 3) for _ in range(m)] for _ in range(n)]
    words = one.properties
    if "permutation" in words:
        return [[int(j == at) for j in range(n)] for at in rng.sample(range(n), n)]
    if "diagonal" in words:
        return [[(rng.randint(1, 3) if "positive" in words else free[i][i]) * (i == j) for j in range(n)]
                for i in range(n)]
    if "stochastic" in words:
        chosen = [[rng.randint(1, 4) for _ in range(m)] for _ in range(n)]
        return [[Fraction(x, sum(row)) for x in row] for row in chosen]
    if "symmetric" in words:
        return [[free[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
    exact = Point({}, {})
    if "orthogonal" in words:  # turns by the angle of 3, 4 and 5 in each two neighbours, then a reflection
        found = [[int(i == j) for j in range(n)] for i in range(n)]
        for i in range(n - 1):
            turn = [[int(a == b) for b in range(n)] for a in range(n)]
            turn[i][i] = turn[i + 1][i + 1] = Fraction(3, 5)
            turn[i][i + 1], turn[i + 1][i] = Fraction(4, 5), Fraction(-4, 5)
            found = exact.multiplied(found, turn)
        return [[-x for x in found[0]], *found[1:]]
    if words & {"invertible", "idempotent"}:
        lower = [[int(i == j) or free[i][j] * (i > j) for j in range(n)] for i in range(n)]
        upper = [[int(i == j) or free[i][j] * (i < j) for j in range(n)] for i in range(n)]
        if "invertible" in words:
            return exact.multiplied(lower, upper)
        kept = [[int(i == j and i % 2 == 0) for j in range(n)] for i in range(n)]
        return exact.multiplied(exact.multiplied(lower, kept), exact.inverted(lower))
    return free


def point(term, rng, *, real=False):
    sizes = {"n": rng.randint(1, 3), "d": rng.randint(2, 3)}
    at = Point(sizes, {}, {"alpha": rng.randint(1, 5)}, modulus=None if real else PRIME, real=real)
    for name, one in letters(term).items():
        for place in at.places(one.over):
            rows = sampled(one, rng, value(one.rows, sizes), value(one.columns, sizes))
            at.matrices[(name, *place) if place else name] = rows if real else [
                [Fraction(x).numerator * pow(Fraction(x).denominator, -1, PRIME) % PRIME for x in row] for row in rows]
    return at


def close(a, b, real):
    if not real:
        return a == b
    return all(abs(x - y) <= 1e-5 * (1 + abs(x)) for one, two in zip(a, b, strict=True)
               for x, y in zip(one, two, strict=True))


FUZZ = [({}, 800), ({"bound": True}, 500), ({"functions": True}, 900)]  # what may stand, how many terms


def test_no_rule_changes_a_value_and_each_is_tried_often():
    fired = dict.fromkeys(kernel.RULES, 0)
    kinds, given_up = set(), 0
    for seed, (may, count) in enumerate(FUZZ):
        rng, real = Random(seed), "functions" in may
        grower = Grower(rng, **may)
        for _ in range(count):
            term = grower.term(grower.size(), grower.size(), rng.randint(2, 3))
            at = point(term, rng, real=real)
            was = at.of(term)
            kinds |= {type(part).__name__ for part in below(term)}
            for name, rule in kernel.RULES.items():
                new = kernel.everywhere(rule.apply, term)
                assert same(new.rows, term.rows)
                assert same(new.columns, term.columns)
                if new != term:
                    fired[name] += 1
                    assert close(was, at.of(new), real), (name, term, new)
            try:
                form = search.normal(term)
            except ProofError:
                given_up += 1
                continue
            assert close(was, at.of(form), real), (term, form)
            assert search.normal(form) == form, term
    assert min(fired.values()) >= 25, fired
    assert given_up <= 5
    assert kinds >= {"Letter", "Eye", "Ones", "Zero", "Shift", "Sum", "Product", "Scaled", "Transpose", "Inverse",
                     "Apply", "Side", "Stack", "Over"}


def below(term):
    return [term, *(one for part in term.parts for one in below(part))]


def rebuilt(term, rng):
    """An equal term, other brackets and orders: by the laws of a ring, written apart from the rules."""
    parts = [rebuilt(part, rng) for part in term.parts]
    if isinstance(term, Sum):
        rng.shuffle(parts)
        return total(parts)
    if isinstance(term, Product):
        while len(parts) > 1:
            i = rng.randrange(len(parts) - 1)
            a, b = parts[i:i + 2]
            if isinstance(a, Sum) and rng.random() < 0.7:
                joined = total([product([one, b]) for one in a.parts])
            elif isinstance(b, Sum) and rng.random() < 0.7:
                joined = total([product([a, one]) for one in b.parts])
            elif isinstance(a, Scaled):
                joined = scaled(a.number, product([a.parts[0], b]))
            else:
                joined = product([a, b])
            parts[i:i + 2] = [joined]
        return parts[0]
    if isinstance(term, Scaled) and isinstance(parts[0], Sum) and rng.random() < 0.5:
        return total([scaled(term.number, part) for part in parts[0].parts])
    return term.rebuilt(tuple(parts)) if parts else term


def polynomial(rng, depth, n=3):
    if not depth:
        return matrix(f"A{rng.randrange(n)}", "d", "d")
    kind = rng.randrange(4)
    if kind == 0:
        return scaled(rng.choice((2, -1, letter("n"))), polynomial(rng, depth - 1))
    if kind == 1:
        return Transpose(polynomial(rng, depth - 1))
    return (total if kind == 2 else product)([polynomial(rng, depth - 1) for _ in range(2)])


def test_equal_polynomials_meet_and_others_do_not():
    rng, equal, other = Random(7), 0, 0
    for _ in range(300):
        one = polynomial(rng, rng.randint(2, 3))
        two = rebuilt(one, rng)
        lemma = search.find("same", one, two)
        kernel.replay([lemma])
        assert search.normal(one) == search.normal(two)
        equal += one != two
        spoiled = two + (matrix("A1", "d", "d") if rng.random() < 0.5 else scaled(2, two))
        at = point(total([one, spoiled]), rng)
        if at.of(one) != at.of(spoiled):
            other += 1
            assert search.find("other", one, spoiled) is None
    assert equal > 60
    assert other > 200


# ---------------------------------------------------------------- witnesses

A, B, G = matrix("A", "d", "d"), matrix("B", "d", "d"), matrix("G", "d", "d", "invertible")
X, Y, W, U = matrix("X", "n", "d"), matrix("Y", "n", "d"), matrix("W", "d", "m"), matrix("u", "d", 1)


def same_twice(left, right):
    found = witness.counterexample(left, right)
    assert found == witness.counterexample(left, right)
    return found


OF_A_PROPERTY = [  # a property, and what is true of it and of no other square matrix
    ("symmetric", lambda a: (a.T, a)), ("orthogonal", lambda a: (a.T * a, eye("d"))),
    ("idempotent", lambda a: (a * a, a)), ("stochastic", lambda a: (a * ones("d"), ones("d"))),
    ("diagonal", lambda a: (a * matrix("D", "d", "d", "diagonal"), matrix("D", "d", "d", "diagonal") * a)),
    ("permutation", lambda a: (a.T * ones("d"), ones("d"))), ("positive", lambda a: (apply("relu", a), a)),
    ("selection", lambda a: (apply("relu2", a), a)),
]


@pytest.mark.parametrize(("word", "claim"), OF_A_PROPERTY, ids=[word for word, _ in OF_A_PROPERTY])
def test_a_witness_respects_what_is_declared(word, claim):
    left, right = claim(matrix("A", "d", "d"))
    found = same_twice(left, right)
    assert found.left != found.right
    assert same_twice(*claim(matrix("A", "d", "d", word))) is None


def test_an_inverse_exists_at_a_witness():
    found = same_twice(G.I, G)
    assert found.left == Point({}, {}).inverted(found.matrices["G"]) == [[Fraction(1, 2)]]
    assert found.right == [[2]]


TRUE = [
    (X * (A + B), X * A + X * B), ((X * W).T, W.T * X.T), (G * G.I, eye("d")), (X * eye("d"), X),
    (apply("softmax", A) * ones("d"), ones("d")), (apply("relu", X).T, apply("relu", X.T)),
    (U.T * A * U, U.T * A.T * U),
    (per(lift(1), letter("d")) * (ones("d").T * ones("d")), eye(1)), (side(X, Y) * stack(W, W), X * W + Y * W),
]


@pytest.mark.parametrize(("left", "right"), TRUE, ids=str)
def test_what_is_true_is_not_refuted(left, right):
    assert witness.counterexample(left, right) is None
    witness.confirm(left, right)


FALSE = [  # both sides, the size at which they first differ, and what they are there in numbers
    (A * B, B * A, 2, lambda a, b: (times(a, b), times(b, a))), (A.T, A, 2, lambda a: (list(zip(*a, strict=True)), a)),
    (A * A, A, 1, lambda a: (times(a, a), a)), (A * B, A, 1, lambda a, b: (times(a, b), a)),
    (apply("relu", A), A, 1, lambda a: ([[max(x, 0) for x in row] for row in a], a)),
]


def times(a, b):
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


@pytest.mark.parametrize(("left", "right", "size", "sides"), FALSE, ids=[f"{row[0]} {row[1]}" for row in FALSE])
def test_no_witness_is_smaller(left, right, size, sides):
    """All matrices of entries 0, 1, -1 and 2 are tried, at each size up to that of the witness."""
    found = same_twice(left, right)
    assert found.sizes == {"d": size}
    names = list(letters(left, right))
    least = sum(cost(found.matrices[name]) for name in names)
    for n in range(1, size + 1):
        each = [[list(row[i:i + n]) for i in range(0, n * n, n)] for row in choices(SMALL, repeat=n * n)]
        each = [a for a in each if cost(a) < least or n < size]
        for chosen in choices(each, repeat=len(names)):
            if n < size or sum(map(cost, chosen)) < least:
                ours, theirs = sides(*chosen)
                assert [list(row) for row in ours] == [list(row) for row in theirs], chosen


def test_a_check_at_points_refuses_what_is_false():
    for left, right in ((A * B, B * A), (apply("gelu", X * A), apply("gelu", X) * A), (2 * X, X)):
        with pytest.raises(ProofError, match=" fails at "):
            witness.confirm(left, right)
