"""Statements as they are typed: read as they are printed, refused with their column, and never without bound.

Then terms that no shape fits, and what a term stores and costs, against numbers that are counted.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from symcount.algebra.cost import entries, fused, multiply_adds
from symcount.algebra.making import apply, eye, matrix, number, ones, side, stack, zero
from symcount.algebra.scalars import Entry
from symcount.algebra.statements import read_equation, read_shapes
from symcount.algebra.terms import (
    Apply,
    Eye,
    Letter,
    Ones,
    Over,
    Product,
    Scaled,
    Shift,
    Side,
    Stack,
    Sum,
    Transpose,
    Zero,
    letters,
    scaled,
    total,
)
from symcount.errors import FormulaError, ModelError, ProofError, ShapeError, SymcountError
from symcount.formulas import read
from symcount.polynomials import letter, lift
from symcount.proving import prove, refute
from symcount.sizes import per, same, value
from symcount.theorems import identities, load

SHAPES = ("X: n x d, Y: n x d, W: d x m, A: d x d, B: d x d, G: d x d invertible, b: 1 x m, u: n x 1 ones, x: 1 x 1, "
          "alpha: number")
X, Y, W, A, B, G, b = (read_shapes(SHAPES)[name] for name in "XYWABGb")
U, alpha, n = ones("n"), number("alpha"), letter("n")

READ = [  # what is typed, the term, and how it is printed where that differs
    ("X*W", X * W, None), ("X W", X * W, "X*W"), ("X@W", X * W, "X*W"), ("X · W", X * W, "X*W"), ("X×W", X * W, "X*W"),
    ("X*A*B", X * A * B, None), ("X*(A*B)", X * (A * B), None), ("(X*A)*B", X * A * B, "X*A*B"),
    ("((X))", X, "X"), ("-X + Y", -X + Y, None), ("X − Y", X - Y, "X - Y"), ("+X", X, "X"),
    ("X - (Y - X)", total([X, scaled(-1, Y - X)]), None),
    ("X'.T^Tᵀ", X.T.T.T.T, "X.T.T.T.T"), ("X*G.I", X * G.I, "X*G^-1"), ("X*G⁻¹", X * G.I, "X*G^-1"),
    ("X*G^{-1}.T", X * G.I.T, "X*G^-1.T"), ("(X*A)'", (X * A).T, "(X*A).T"),
    ("2X", 2 * X, "2*X"), ("X*2", 2 * X, "2*X"), ("X/2", Fraction(1, 2) * X, "1/2*X"),
    ("3 X 2", 6 * X, "6*X"), ("X/n", per(lift(1), n) * X, "1/n*X"), ("1/n*X", per(lift(1), n) * X, None),
    ("X/(2*n)", per(lift(1), 2 * n) * X, "1/2/n*X"), ("X/n/2", per(lift(1), 2 * n) * X, "1/2/n*X"),
    ("alpha*X", alpha * X, None), ("n X", n * X, "n*X"),
    ("alpha/n*X", alpha * per(lift(1), n) * X, None), ("X/alpha", per(lift(1), alpha) * X, "1/alpha*X"),
    ("X*W + 1*b", X * W + U * b, None), ("X*W + u*b", X * W + U * b, "X*W + 1*b"), ("1'*X", U.T * X, "1.T*X"),
    ("X*1", X * ones("d"), None), ("X*1*b", X * ones("d") * b, None), ("1*1.T*X", U * U.T * X, None),
    ("x + 1", read_shapes(SHAPES)["x"] + eye(1), "x + I"), ("X*(A + I)", X * (A + eye("d")), None),
    ("I*X", eye("n") * X, None), ("X + 0", X + zero("n", "d"), None), ("0*X", zero("n", "n") * X, None),
    ("[X, Y]", side(X, Y), None), ("[A; B]", stack(A, B), None), ("[X]", X, "X"),
    ("[X, 1]*[W; b]", side(X, U) * stack(W, b), None), ("[[X, Y]; [Y, X]]", stack(side(X, Y), side(Y, X)), None),
    ("relu(X*A)*W", apply("relu", X * A) * W, None), ("softmax(X)", apply("softmax", X), None),
]


@pytest.mark.parametrize(("text", "term", "printed"), READ, ids=[text for text, *_ in READ])
def test_what_is_typed_is_read_and_printed(text, term, printed):
    left, _ = read_equation(f"{text} = Z", f"{SHAPES}, Z: {term.shape.replace(' + ', '+')}")
    assert left == term
    assert str(left) == (printed or text)


def shapes_of(*terms):
    """The shapes of letters and numbers as they are typed."""
    found = {name: (str(one.rows), str(one.columns), *sorted(one.properties)) for name, one in letters(*terms).items()}
    return {name: " ".join(part.replace(" ", "") for part in parts) for name, parts in found.items()}


def leaves(term):
    return [one for part in term.parts for one in leaves(part)] or [term]


def written(term):
    """Whether the language has all that a term is made of."""
    over = isinstance(term, Letter) and (term.over or "{" in term.name)
    number_of = isinstance(term, Scaled) and (len(lift(term.number).terms) != 1 or any(
        isinstance(atom, Entry) for powers, _ in lift(term.number).terms.values() for atom, _ in powers))
    return not (over or number_of or isinstance(term, (Over, Shift))) and all(map(written, term.parts))


def test_identities_are_read_as_they_are_printed():
    done = []
    for name in identities():
        for left, right in [(load(name).left, load(name).right), *(one[1:] for one in load(name).neighbours)]:
            if not (written(left) and written(right)):
                continue
            shapes = {**shapes_of(left, right), "alpha": "number"}
            try:
                found = read_equation(f"{left} = {right}", shapes)
            except FormulaError:  # a printed 1, I or 0 whose size only its author knows
                assert any(isinstance(part, (Eye, Ones, Zero)) for part in leaves(total([left, right]))), name
            else:
                assert found == (left, right), name
                done.append(name)
    assert len(set(done)) >= 24, sorted(set(identities()) - set(done))


# ---------------------------------------------------------------- refusals

SIZE = "nothing around this {} says how large it is"
WANTED = "expected a matrix, a number or '(', found '{}'"
DIVIDED = "only by a number is divided: a matrix has an inverse, A^-1"
REFUSED = [  # a statement, its column, what is said
    ("X", 2, "expected '=' before the end"), ("X = ", 5, "the statement ends where a matrix or a number is expected"),
    ("= X", 1, WANTED.format("=")), ("", 1, "the statement ends where a matrix or a number is expected"),
    ("X == X", 4, WANTED.format("=")), ("X = Y = X", 7, "expected an operator, found '='"),
    ("X*Q = X", 3, "the shapes say nothing of 'Q'; known: A, B, G, I, W, X, Y, alpha, b, d, "),
    ("rellu(X) = X", 1, "'rellu' is no function known here; did you mean 'relu'?"),
    ("r*X = X", 1, "the shapes say nothing of 'r'; "), ("X T = X", 3, "the shapes say nothing of 'T'; "),
    ("relu X = X", 6, "expected '(', found 'X'"), ("relu = X", 6, "expected '(', found '='"),
    ("softmax() = X", 9, WANTED.format(")")), ("softmax(X, X) = X", 10, "expected ')', found ','"),
    ("(X = X", 4, "expected ')', found '='"), ("X) = X", 2, "expected '=', found ')'"),
    ("X = (X", 7, "expected ')' before the end"), ("[X = X", 4, "expected ']', found '='"),
    ("[X, Y; X] = X", 6, "expected ']', found ';'"), ("[] = X", 2, WANTED.format("]")),
    ("X, Y = X", 2, "expected '=', found ','"), ("X = X;", 6, "expected an operator, found ';'"),
    ("X - -X = X", 5, WANTED.format("-")), ("X*-Y = X", 3, WANTED.format("-")), ("X*/2 = X", 3, WANTED.format("/")),
    ("X//2 = X", 3, WANTED.format("/")), (".T X = X", 1, WANTED.format(".T")), ("X**2 = X", 3, WANTED.format("*")),
    ("X/W = X", 2, DIVIDED), ("1/X = X", 2, DIVIDED), ("X/(n + 1) = X", 2, DIVIDED), ("X/[2, 3] = X", 2, DIVIDED),
    ("X/0 = X", 2, "(1)/0: division by zero"), ("X^2 = X", 2, "cannot read '^'"), ("X ? = X", 3, "cannot read '?'"),
    ("X.Q = X", 2, "cannot read '.'"), ("é = X", 1, "cannot read 'é'"), ("X\0 = X", 2, r"cannot read '\x00'"),
    ("X = X\x1b[31m", 6, r"cannot read '\x1b'"), ("1 = 1", 1, SIZE.format(1)), ("0 = 0", 1, SIZE.format(0)),
    ("I = I", 1, SIZE.format("I")), ("I*1 = 1", 1, SIZE.format("I")), ("0*1 = 0", 1, SIZE.format(0)),
    ("1*b = 1*b", 1, SIZE.format(1)), ("I = 1*1.T", 1, SIZE.format("I")),
    ("2 = 2", 1, "a number stands where a matrix is needed"), ("alpha = X", 1, "a number stands where a matrix is"),
    ("X + alpha = X", 5, "a number stands where a matrix is needed"),
    ("123456789012345678901*X = X", 1, "a number of more than 20 digits"), ("9" * 9_990 + "X = X", 1, "a number of"),
    ("(" * 41 + "X" + ")" * 41 + " = X", 41, "brackets nested deeper than 40"),
    ("[" * 41 + "X" + "]" * 41 + " = X", 41, "brackets nested deeper than 40"),
]
UNFIT = [  # a statement, what is said of its shapes
    ("X*X = X", "X is n × d and X is n × d: they cannot be multiplied, for d is not n"),
    ("X + W = X", "X is n × d and W is d × m: they cannot be added"),
    ("X*W = X", "column 7: the left side is n × m, and this is n × d"),
    ("X*1 = X", "column 7: the left side is n × 1, and this is n × d"),
    ("[X, W] = X", "[X W]: n × d and d × m differ in rows"),
    ("[X; W] = X", "[X; W]: n × d and d × m differ in columns"),
    ("A.I = A", "A is not declared invertible, so it need not have an inverse"), ("X + 1 = X", "they cannot be added"),
    ("(A + G)^-1 = A", "A + G is not declared invertible, so it need not have an inverse"), ("x*X = X", "x is 1 × 1"),
]


@pytest.mark.parametrize(("text", "column", "said"), REFUSED, ids=[text[:40] for text, *_ in REFUSED])
def test_refused_with_a_column(text, column, said):
    with pytest.raises(FormulaError) as error:
        read_equation(text, SHAPES)
    assert f", column {column}: {said}" in str(error.value)
    assert len(str(error.value)) < 400
    assert str(error.value).isprintable()


@pytest.mark.parametrize(("text", "said"), UNFIT)
def test_shapes_that_do_not_fit(text, said):
    with pytest.raises(ShapeError) as error:
        read_equation(text, SHAPES)
    assert said in str(error.value)


NO_SHAPES = [  # shapes, what is said after "shapes: "
    ("X n d", "'X n d' is no NAME: ROWS x COLUMNS, as in X: n x d"),
    ("X: n", "X: 'n' is no ROWS x COLUMNS, as in n x d"),
    ("X:", "X: '' is no ROWS x COLUMNS"), ("X: n x d x m", "X: 'm' is no property; known: data, diagonal, "),
    ("X: nxd", "X: 'nxd' is no ROWS x COLUMNS"), ("X: n x d, X: d x n", "'X' is declared twice"),
    ("relu: n x d", "'relu' is no name of a matrix"), ("1: n x d", "'1' is no name of a matrix"),
    ("X-: n d", "'X-' is no name of a matrix"), ("X\x1b: n d", r"'X\x1b' is no name of a matrix"),
    ("X: d x d invertble", "X: 'invertble' is no property; did you mean 'invertible'?"),
    ("X: n x d invertible", "X: X is n × d: only a square matrix can be invertible"),
    ("X: 0 x d", "X: a matrix has no size 0: "), ("X: -1 x d", "X: a matrix has no size -1: "),
    ("X: n x d-d", "X: a matrix has no size 0: "), ("X: width x d", "X: 'width', column 1: unknown symbol 'width'"),
    ("X: n x d^99999", "X: 'd^99999', column 1: a power is an integer from 0 to 64, not 99999"),
]


@pytest.mark.parametrize(("shapes", "said"), NO_SHAPES)
def test_no_shapes(shapes, said):
    with pytest.raises(FormulaError) as error:
        read_shapes(shapes)
    assert str(error.value).startswith(f"shapes: {said}")


def test_shapes_are_read_from_text_and_from_pairs():
    texts = ("X: n x d, A: d x d symmetric data, x: 2 x 3,", "X: n d, A: d × d symmetric data, x: 2 3",
             {"X": "n x d", "A": ("d", "d", "symmetric", "data"), "x": [2, 3]})
    for told in texts:
        assert read_shapes(told) == {"X": matrix("X", "n", "d"), "A": matrix("A", "d", "d", "symmetric", "data"),
                                     "x": matrix("x", 2, 3)}
    assert read_shapes("a: number, u: heads*k x 1 ones") == {"a": None, "u": ones("heads*k")}


# ---------------------------------------------------------------- bounds

def test_long_and_growing_statements_are_refused_before_they_grow():
    with pytest.raises(FormulaError, match=r"^a statement of 10,001 characters; at most 10,000 are read$"):
        read_equation("X = X" + " " * 9_996, SHAPES)
    grown = "*".join(["(A + B)"] * 40)
    with pytest.raises(ProofError, match="refuted"):  # by numbers: it is not multiplied out
        prove(f"{grown} = A", shapes=SHAPES)
    assert str(read_equation(f"{grown} = {grown}", SHAPES)[0]) == grown
    with pytest.raises(SymcountError):
        prove("X = X", shapes={})


JUNK = some.text(some.sampled_from("XYWAGbux1023Id()[]+-*/=.TI^',; \tαrelunsoftmax\0é"), max_size=60)
PIECES = some.lists(some.sampled_from([*"XYWAGb10I2nux()[],;+-*/=", "alpha", ".T", ".I", "relu(", "softmax("]),
                    max_size=30).map(" ".join)


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(JUNK | PIECES)
def test_junk_is_read_or_refused(text):
    for claim in (text, f"{text} = {text}", f"X = {text}"):
        try:
            left, right = read_equation(claim, SHAPES)
        except SymcountError as error:
            said = str(error)
        else:
            said = f"{left} = {right}"
            assert (str(left.rows), str(left.columns)) == (str(right.rows), str(right.columns))
        assert said.isprintable()


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(some.text(some.sampled_from("XYnd:x ,1-+*/^()3numberinvertible\0é"), max_size=40))
def test_junk_shapes_are_read_or_refused(text):
    try:
        said = str(read_shapes(text))
    except SymcountError as error:
        said = str(error)
    assert said.isprintable()


# ---------------------------------------------------------------- ambiguous forms

def test_letters_go_before_what_they_hide():
    """A letter I is no identity, and a matrix n no size."""
    left, _ = read_equation("I*X = n*X", "I: n x n, n: n x n, X: n x d")
    assert left == matrix("I", "n", "n") * X != eye("n") * X
    assert read_equation("I*X = X", "X: n x d")[0] == eye("n") * X


def test_proved_refuted_and_unknown():
    shapes = "X: n x d, W: d x m, V: d x m"
    assert prove("X*(W + V) = X*W + X*V", shapes=shapes).to_text().endswith("verdict: proved: every step was replayed")
    assert refute("X*(W + V) = X*W + X*V", shapes=shapes) is None
    with pytest.raises(ProofError, match="refuted") as error:
        prove("X*(W + V) = X*W - X*V", shapes=shapes)
    assert error.value.witness is not None
    with pytest.raises(ProofError, match="unknown"):
        prove("relu(relu(X)) = relu(X)", shapes=shapes)


# ---------------------------------------------------------------- shapes of terms

V = matrix("V", "r", "m")
ILL = [  # what is made, what is said
    (lambda: X * V, "X is n × d and V is r × m: they cannot be multiplied, for d is not r"),
    (lambda: X * X, "X is n × d and X is n × d: they cannot be multiplied, for d is not n"),
    (lambda: X * (W * W), "W is d × m and W is d × m: they cannot be multiplied, for m is not d"),
    (lambda: X + W, "X is n × d and W is d × m: they cannot be added"),
    (lambda: X - X.T, "X is n × d and -X.T is d × n: they cannot be added"),
    (lambda: X + ones("n"), "X is n × d and 1 is n × 1: they cannot be added"),
    (lambda: A.I, "A is not declared invertible, so it need not have an inverse"),
    (lambda: (G + G).I, "G + G is not declared invertible, so it need not have an inverse"),
    (lambda: (G * A).I, "G*A is not declared invertible, so it need not have an inverse"),
    (lambda: (2 * G).I, "2*G is not declared invertible, so it need not have an inverse"),
    (lambda: zero("d", "d").I, "0 is not declared invertible, so it need not have an inverse"),
    (lambda: side(X, W), "[X W]: n × d and d × m differ in rows"),
    (lambda: stack(X, W), "[X; W]: n × d and d × m differ in columns"),
    (lambda: side(X, Y) * stack(W, V), "[X, Y] is n × 2*d and [W; V] is d + r × m: they cannot be multiplied, "
                                       "for 2*d is not d + r"),
    (lambda: Shift(1, 3, 3), "rows 1 to 1 + 3 are not all among 3 rows"),
    (lambda: Shift(-1, 2, 3), "rows -1 to -1 + 2 are not all among 3 rows"),
    (lambda: Shift(1, letter("n"), letter("d")), "rows 1 to 1 + n are not all among d rows"),
    (lambda: matrix("X", "n", "d", "square"), "X: 'square' is no property of a matrix; known: invertible, "),
    (lambda: matrix("X", 0, "d"), "a matrix has no size 0: a size is a positive int, or in letters"),
    (lambda: matrix("X", "n", -3), "a matrix has no size -3: "), (lambda: eye(0), "a matrix has no size 0: "),
    (lambda: matrix("X", 2.0, "d"), "a matrix has no size 2.0: "), (lambda: ones(True), "a matrix has no size True: "),
    (lambda: matrix("X", "n - n", "d"), "a matrix has no size 0: "),
    (lambda: letters(X, matrix("X", "d", "n")), "'X' is n × d in one place and d × n in another"),
]
ILL += [(lambda word=word: matrix("X", "n", "d", word), f"X is n × d: only a square matrix can be {word}")
        for word in ("invertible", "orthogonal", "permutation", "symmetric", "diagonal", "positive", "idempotent")]


@pytest.mark.parametrize(("make", "said"), ILL, ids=[said for _, said in ILL])
def test_ill_typed(make, said):
    with pytest.raises(ShapeError) as error:
        make()
    assert str(error.value).startswith(said)


def test_unknown_functions_and_sizes_are_refused():
    with pytest.raises(ModelError, match=r"^unknown function 'rellu'; did you mean 'relu'\?$"):
        apply("rellu", X)
    with pytest.raises(FormulaError, match="unknown symbol 'width'"):
        matrix("X", "width", "d")
    with pytest.raises(TypeError):
        X * 2
    with pytest.raises(TypeError):
        X + 1


SIZES = [("heads*k", "k*heads", True), ("heads*(k + 1)", "heads*k + heads", True), ("2d/2", "d", True),
         ("(n + 1)^2", "n^2 + 2n + 1", True), ("d", "heads*k", False), ("n", "m", False), ("n", "n + 1", False),
         ("n^2", "2n", False), ("4", "2 + 2", True)]


@pytest.mark.parametrize(("one", "other", "agree"), SIZES)
def test_sizes_agree_as_polynomials_and_never_perhaps(one, other, agree):
    a, b = matrix("A", "r", one), matrix("B", other, "t")
    if agree:
        assert (a * b).shape == "r × t"
        assert matrix("A", "r", other) == a
    else:
        with pytest.raises(ShapeError, match="cannot be multiplied"):
            a * b


# ---------------------------------------------------------------- costs

Z, Z2 = matrix("Z", "n", "d", "data"), matrix("Z2", "n", "n", "data", "stochastic")
W1, W2 = matrix("W1", "d", "r"), matrix("W2", "r", "m")
PERMUTED = matrix("P", "d", "d", "permutation")
DIAGONAL, BIAS = matrix("D", "d", "d", "diagonal"), matrix("b", 1, "r")
COSTS = [  # a term, what is stored for it
    (Z * W1 * W2, "d*r + r*m"), (Z * (W1 * W2), "d*m"), (Z * W1 + ones("n") * BIAS, "d*r + r"),
    (Z * DIAGONAL * W1, "d + d*r"), (Z * (DIAGONAL * W1), "d*r"),
    (Z2 * Z * W1, "d*r"), (Z2 * (Z * W1), "d*r"), (Z * PERMUTED * W1, "d*r"), (apply("relu", Z * W1) * W2, "d*r + r*m"),
    (Z * (A + B) * W1, "d^2 + d*r"), (Z * W1 * W1.T, "d*r"), (ones("n").T * Z, "0"), (Z * side(A, B), "2*d^2"),
    (Z * eye("d") * W1, "d*r"), ((Z * W1).T * Z, "d*r"), (3 * (Z * W1), "d*r"), (Z * (W1 * W1.T), "d^2"),
    (side(Z, Z * A) * stack(W1, matrix("W3", "d", "r")), "d^2 + 2*d*r"), (Z * DIAGONAL * DIAGONAL, "d"),
    (Z, "0"), (Z * Z.T * Z, "0"),
    (ones("n") * BIAS + Z * W1, "d*r + r"), (apply("softmax", Z * A * Z.T) * (Z * B), "2*d^2"),
]


def kinds_of(term, sizes, tally):
    """What each entry is when a term is run: 0, 1 a constant, 2 made of weights, 3 of data; `tally` gets each
    product of two numbers, one of them data, wherever an entry adds up several of them."""
    n, m = value(term.rows, sizes), value(term.columns, sizes)
    parts = [kinds_of(part, sizes, tally) for part in term.parts]
    if isinstance(term, Letter):
        kind = 1 if "selection" in term.properties else 3 if "data" in term.properties else 2
        return [[kind if "diagonal" not in term.properties or i == j else 0 for j in range(m)] for i in range(n)]
    if isinstance(term, (Ones, Eye)):
        return [[int(isinstance(term, Ones) or i == j) for j in range(m)] for i in range(n)]
    if isinstance(term, Sum):
        return [[max(part[i][j] for part in parts) for j in range(m)] for i in range(n)]
    if isinstance(term, (Side, Stack)):
        lines = zip(*parts, strict=True) if isinstance(term, Side) else [[row] for part in parts for row in part]
        return [[x for row in line for x in row] for line in lines]
    if isinstance(term, Transpose):
        return [list(column) for column in zip(*parts[0], strict=True)]
    if not isinstance(term, Product):
        return [[3 if isinstance(term, Apply) else x for x in row] for row in parts[0]]
    left = parts[0]
    for right in parts[1:]:
        found = [[[(x, y) for x, y in zip(row, column, strict=True) if x and y] for column in zip(*right, strict=True)]
                 for row in left]
        for pairs in (pairs for row in found for pairs in row):
            run = [pair for pair in pairs if 1 not in pair and 3 in pair]
            tally += run if len(run) > 1 else []
        left = [[max((max(pair) for pair in pairs), default=0) for pairs in row] for row in found]
    return left


@pytest.mark.parametrize(("term", "stored"), COSTS, ids=[str(term) for term, _ in COSTS])
def test_costs_against_numbers_that_are_counted(term, stored):
    assert same(entries(term), read(stored) if stored != "0" else 0)
    for sizes in ({"n": 3, "d": 2, "r": 4, "m": 5}, {"n": 2, "d": 5, "r": 3, "m": 2}):
        tally = []
        kinds_of(term, sizes, tally)
        assert value(multiply_adds(term), sizes) == len(tally)


def test_what_is_fused_is_computed_before_anything_runs():
    assert fused(Z * (W1 * W2) + ones("n") * (BIAS * W2)) == [W1 * W2, BIAS * W2]
    assert fused(Z) == []
