"""Norms, embeddings, linear attention, convolutions, symmetries and towers: proved, and their neighbours false."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from time import perf_counter

import pytest

from symcount.algebra import kernel, search, witness
from symcount.algebra.terms import Product, Sum, Zero, letters, replaced, total
from symcount.algebra.values import Point
from symcount.errors import ModelError, ProofError, ShapeError
from symcount.render.matrices import text
from symcount.theorems import convolution_composition, load, residual_tower

NAMES = ["batchnorm_linear", "centred_linear", "centred_stream", "centring_constant", "centring_idempotent",
         "centring_symmetric", "convolution_composition", "factored_embedding", "gradient_transpose",
         "hidden_permutation", "hidden_scaling", "layernorm_gain", "linear_attention", "mean_pool",
         "residual_tower", "rmsnorm_gain", "scalar_projection"]
NEIGHBOURS = [(name, i) for name in NAMES for i in range(len(load(name).neighbours))]
HALF = Fraction(1, 2)

# (identity, neighbour): sizes, matrices that are not 0, left, right
MINIMAL = {
    ("rmsnorm_gain", 0): ({"n": 1, "d": 1, "m": 1}, {"X": [[1]], "D": [[2]], "W": [[1]]}, [[2]], [[1]]),
    ("centring_idempotent", 0): ({"d": 2}, {}, [[1, 0], [0, 1]], [[0, -1], [-1, 0]]),
    ("centring_constant", 0): ({"d": 2}, {}, [[-1], [-1]], [[0], [0]]),
    ("centring_constant", 1): ({"d": 2}, {"u": [[0], [1]]}, [[-HALF], [HALF]], [[0], [0]]),
    ("centred_linear", 0): ({"n": 1, "h": 1, "d": 1}, {"b": [[1]]}, [[0]], [[1]]),
    ("factored_embedding", 0): ({"n": 1, "V": 1, "e": 1, "d": 1}, {"O": [[1]], "E1": [[-1]], "E2": [[1]]},
                                [[0]], [[-1]]),
    ("linear_attention", 1): ({"s": 1, "t": 2, "k": 1, "v": 1}, {"V": [[0], [1]]}, [[HALF]], [[1]]),
    ("linear_attention", 2): ({"k": 1, "v": 1}, {"q1": [[1]], "k2": [[1]], "v2": [[1]]}, [[0], [0]], [[1], [0]]),
    # zero padding twice: the one 1 falls off the edge, x = [1], kernels [0 0 1] and [1 0 0]
    ("convolution_composition", 0): ({"n": 1, "c_0": 1, "c_1": 1, "c_2": 1}, {"X": [[1]], "A2": [[1]], "B0": [[1]]},
                                     [[0]], [[1]]),
    ("convolution_composition", 1): ({"n": 1, "c_0": 1, "c_1": 1, "c_2": 1}, {"b": [[1]], "B0": [[1]]}, [[0]], [[1]]),
    ("convolution_composition", 2): ({"n": 3, "c_0": 1, "c_1": 1, "c_2": 1},
                                     {"X": [[0], [0], [1]], "A1": [[-1]], "B1": [[1]]}, [[0]], [[-1]]),
    ("hidden_scaling", 0): ({"n": 1, "d": 1, "h": 1, "m": 1}, {"b1": [[1]], "W2": [[1]], "E": [[-1]]}, [[1]], [[0]]),
    ("hidden_scaling", 3): ({"n": 1, "d": 1, "h": 1, "m": 1}, {"b1": [[1]], "W2": [[1]], "D": [[2]]}, [[1]], [[HALF]]),
    ("mean_pool", 0): ({"n": 2, "d": 1, "m": 1}, {"b": [[1]]}, [[2]], [[1]]),
    ("mean_pool", 1): ({"n": 2, "d": 1, "m": 1}, {"X": [[1], [-1]], "W": [[1]]}, [[HALF]], [[0]]),
    ("residual_tower", 0): ({"n": 1, "d": 1}, {"X": [[1]], "W1": [[1]], "W2": [[1]]}, [[4]], [[3]]),
    ("scalar_projection", 0): ({"k": 2}, {"v": [[0], [1]], "w": [[1], [0]]}, [[0, 0], [1, 0]], [[0, 1], [0, 0]]),
}


@pytest.mark.parametrize("name", NAMES)
def test_is_proved_and_true_at_random_points(name):
    one = load(name)
    found = search.find(name, one.left, one.right)
    assert found is not None
    kernel.replay([found])
    proof = one.proved(name)
    kernel.replay(proof.lemmas, proof.definitions)
    witness.confirm(one.left, one.right, points=8)


@pytest.mark.parametrize("name", NAMES)
def test_each_letter_has_a_meaning(name):
    one = load(name)
    assert set(one.meaning) == set(letters(one.left, one.right))
    assert all(one.meaning.values())
    assert one.says
    assert one.reason
    assert one.source
    assert one.neighbours


@pytest.mark.parametrize("name", NAMES)
def test_no_line_of_a_printed_proof_is_long(name):
    proof = load(name).proved(name)
    assert all(len(text(step.term)) <= 140 for lemma in proof.lemmas for step in lemma.steps)
    assert sum(len(lemma.steps) for lemma in proof.lemmas) <= 12


@pytest.mark.parametrize(("name", "i"), NEIGHBOURS)
def test_each_neighbour_is_false(name, i):
    says, left, right = load(name).neighbours[i]
    assert says
    assert search.find(name, left, right) is None
    found = witness.counterexample(left, right)
    assert found is not None
    assert max(found.sizes.values()) <= (3 if (name, i) == ("convolution_composition", 2) else 2)
    point = Point(found.sizes, found.matrices, found.numbers, real=not found.exact)
    assert (point.of(left), point.of(right)) == (found.left, found.right)
    assert found.left != found.right
    for one in letters(left, right).values():
        assert is_declared(one.properties, found.matrices[one.name]), one.name
    if (name, i) in MINIMAL:
        sizes, matrices, ours, theirs = MINIMAL[name, i]
        shown = {key: a for key, a in found.matrices.items() if any(any(row) for row in a)}
        assert (found.sizes, shown, found.left, found.right) == (sizes, matrices, ours, theirs)


def is_declared(words, a):
    """Whether a matrix is what its letter is declared to be, written without the package's own checks."""
    n, m = len(a), len(a[0])

    def times(x, y):
        return [[sum(p * q for p, q in zip(row, column, strict=True)) for column in zip(*y, strict=True)] for row in x]

    turned = [list(column) for column in zip(*a, strict=True)]
    unit = [[int(i == j) for j in range(n)] for i in range(n)]
    checks = {
        "data": lambda: True,
        "selection": lambda: all(x in (0, 1) for row in a for x in row),
        "stochastic": lambda: all(sum(row) == 1 for row in a),
        "symmetric": lambda: a == turned,
        "diagonal": lambda: all(a[i][j] == 0 for i in range(n) for j in range(m) if i != j),
        "positive": lambda: all(a[i][i] > 0 for i in range(n)),
        "invertible": lambda: determinant(a) != 0,
        "orthogonal": lambda: times(a, turned) == unit,
        "permutation": lambda: all(sorted(row) == [0] * (n - 1) + [1] for row in (*a, *turned)),
        "idempotent": lambda: times(a, a) == a,
    }
    return all(checks[word]() for word in words)


def determinant(a):
    return a[0][0] if len(a) == 1 else sum((-1) ** j * x * determinant([[*row[:j], *row[j + 1:]] for row in a[1:]])
                                           for j, x in enumerate(a[0]))


@pytest.mark.parametrize("name", NAMES)
def test_a_spoiled_copy_is_refused(name):
    one = load(name)
    side, other = (one.left, one.right) if isinstance(one.right, Zero) else (one.right, one.left)
    signs = not isinstance(other, Zero)  # −0 is 0
    copies = [copy for copy in {copy.key: copy for copy in spoiled(side, signs=signs)}.values() if copy != side]
    assert copies
    for copy in copies:
        assert proved(name, other, copy) is None, f"{text(other)} = {text(copy)}"
        with pytest.raises(ProofError, match="fails at"):
            witness.confirm(other, copy, points=40)
    if name not in SLOW:
        found = witness.counterexample(other, copies[0])
        assert found is not None
        assert found.left != found.right


SLOW = ("convolution_composition", "hidden_permutation", "layernorm_gain")  # a witness for each takes seconds


def proved(name, left, right):
    try:
        return search.find(name, left, right)
    except ProofError:
        return None


def spoiled(term, *, signs):
    """Copies of a term with a sign changed, a summand or factor dropped, or two factors swapped."""
    if isinstance(term, Sum):
        for i, part in enumerate(term.parts):
            rest = [*term.parts[:i], *term.parts[i + 1:]]
            yield total([*rest, -part])
            yield total(rest)
    elif signs:
        yield -term
    if isinstance(term, Product):
        for i in range(len(term.parts)):
            rest = [*term.parts[:i], *term.parts[i + 1:]]
            swapped = [*term.parts[:i], *term.parts[i:i + 2][::-1], *term.parts[i + 2:]]
            for factors in (rest, swapped):
                yield from made(lambda factors=factors: Product(tuple(factors)) if len(factors) > 1 else factors[0],
                                term)
    for i, part in enumerate(term.parts):
        for copy in spoiled(part, signs=signs):
            yield from made(lambda i=i, copy=copy: term.rebuilt((*term.parts[:i], copy, *term.parts[i + 1:])), term)


def made(make, term):
    """What is made, if its shapes fit."""
    try:
        found = make()
        total([found, term])
    except ShapeError:
        return []
    return [found]


@pytest.mark.parametrize("kernels", [(1, 1), (1, 3), (2, 2), (3, 2), (4, 5)])
def test_convolutions_compose_for_any_kernels(kernels):
    proof = convolution_composition.proof(*kernels)
    kernel.replay(proof.lemmas)
    (lemma,) = proof.lemmas
    assert len(lemma.right.parts if isinstance(lemma.right, Sum) else (lemma.right,)) == sum(kernels) - 1
    rng = Random(1)
    x, a, b = ([rng.randint(-9, 9) for _ in range(size)] for size in (11, *kernels))
    matrices = {"X": [[y] for y in x], **{f"A{i}": [[y]] for i, y in enumerate(a)},
                **{f"B{i}": [[y]] for i, y in enumerate(b)}}
    point = Point({"n": len(x), "c_0": 1, "c_1": 1, "c_2": 1}, matrices)
    direct = [[y] for y in slide(slide(x, a), b)]
    assert point.of(lemma.left) == point.of(lemma.right) == direct


def slide(x, taps):
    return [sum(x[i + u] * tap for u, tap in enumerate(taps)) for i in range(len(x) - len(taps) + 1)]


@pytest.mark.parametrize("kernels", [(0, 2), (2, 0), (-1, 1)])
def test_a_kernel_without_taps_is_refused(kernels):
    with pytest.raises(ModelError, match="a whole number"):
        convolution_composition.proof(*kernels)


def test_causal_convolutions_without_a_bias_compose_with_padding_between():
    c = convolution_composition
    a, b = c.A[:2], c.B[:2]
    witness.confirm(c.convolved(c.padded(c.convolved(c.padded(c.X, 1, 0), a), 1, 0), b),
                    c.convolved(c.padded(c.X, 2, 0), c.composed(a, b)), points=20)


@pytest.mark.parametrize("layers", [1, 2, 3, 100])
def test_a_residual_tower_of_any_height(layers):
    start = perf_counter()
    proof = residual_tower.proof(layers=layers)
    kernel.replay(proof.lemmas, proof.definitions)
    assert perf_counter() - start < 1
    assert len(proof.lemmas) == layers
    last = proof.lemmas[-1]
    assert (text(last.left), text(last.right)) == (text(proof.definitions[f"H{layers}"][0]),
                                                   text(residual_tower.X * proof.definitions[f"M{layers}"][0]))


def test_a_residual_tower_of_two_layers_is_the_statement():
    proof = residual_tower.proof(layers=2)
    meant = {symbol.key: term for symbol, term in proof.definitions.values()}
    sides = []
    for side in (proof.lemmas[-1].left, proof.lemmas[-1].right):
        term = side
        while (unfolded := replaced(term, meant)) != term:
            term = unfolded
        sides.append(term)
    assert sides[0] == residual_tower.LEFT
    assert search.normal(sides[1]) == search.normal(residual_tower.IDENTITY.right)


@pytest.mark.parametrize("layers", [0, -3])
def test_a_tower_without_layers_is_refused(layers):
    with pytest.raises(ModelError, match="a whole number"):
        residual_tower.proof(layers=layers)


def test_a_tower_with_a_damaged_line_is_refused():
    proof = residual_tower.proof(layers=3)
    lemma = proof.lemmas[1]
    for i, step in enumerate(lemma.steps):
        damaged = kernel.Lemma(lemma.name, lemma.left, lemma.right,
                               [*lemma.steps[:i], step._replace(term=-step.term), *lemma.steps[i + 1:]])
        with pytest.raises(ProofError, match="layer 2"):
            kernel.replay([proof.lemmas[0], damaged, proof.lemmas[2]], proof.definitions)
