"""Identities of linear layers and attention: proofs, counterexamples of their neighbours, and spoiled copies.

A spoiled copy is made from the right side with all sizes equal, so that factors fit in any order; it is judged by
random matrices, which know no rule, and must then not be proved.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import pytest

from symcount.algebra import kernel, search, witness
from symcount.algebra.sampling import numbers_of
from symcount.algebra.terms import (
    Eye,
    Letter,
    Ones,
    Product,
    Scaled,
    Side,
    Stack,
    Sum,
    Transpose,
    Zero,
    letters,
    product,
    scaled,
    total,
)
from symcount.algebra.values import Point
from symcount.errors import ModelError, ProofError, ShapeError
from symcount.polynomials import letter
from symcount.sizes import value
from symcount.substitution import substitute
from symcount.theorems import identities, load

NAMES = (
    "affine_composition", "bias_as_weight", "concat_linear", "fused_projection", "grouped_heads", "heads_as_sum",
    "key_bias", "lora_merge", "mla_output_absorption", "mla_query_absorption", "query_key_gauge", "query_key_merge",
    "residual_linear", "rotation", "value_bias", "value_output_merge",
)
NEIGHBOURS = [(name, i) for name in NAMES for i in range(len(load(name).neighbours))]
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)

# The smallest numbers at which a neighbour fails, worked out by hand from its two sides: left against right
NUMBERS = {
    ("affine_composition", "an activation stands between"): ([[0]], [[-1]]),
    ("residual_linear", "an activation ends the branch"): ([[0]], [[-1]]),
    ("concat_linear", "a softmax sees the whole row, and is taken of each block"): ([[HALF]], [[1]]),
    ("fused_projection", "a softmax of each is one softmax of the row"): ([[1, 1]], [[HALF, HALF]]),
    ("grouped_heads", "any multi-head attention is a grouped one, with the mean of the group's key weights"):
        ([[0]], [[HALF]]),
    ("key_bias", "the query bias is left out"): ([[THIRD, 2 * THIRD]], [[HALF, HALF]]),
    ("key_bias", "keys are turned by matrices that differ by position, as with a rotary embedding"):
        ([[Fraction(4, 5), Fraction(1, 5)]], [[HALF, HALF]]),
    ("key_bias", "a sigmoid stands where the softmax stands"): ([[2 * THIRD]], [[HALF]]),
    ("lora_merge", "the scale α/r is forgotten"): ([[2]], [[1]]),
    ("mla_query_absorption",
     "query and key are turned by matrices that differ by position, as with a rotary embedding"): ([[-1]], [[1]]),
    ("query_key_gauge", "both are changed by G, which is right for an orthogonal G only"): ([[4]], [[1]]),
    ("query_key_merge", "query and key are turned by matrices that differ by position, as with a rotary embedding"):
        ([[-1]], [[1]]),
    ("rotation", "the matrix is invertible, but not orthogonal, and its transpose is used"): ([[4]], [[1]]),
    ("value_bias", "the rows of A do not sum to 1, as without a softmax"): ([[0]], [[1]]),
    ("value_output_merge", "the values cross the softmax"): ([[0]], [[1]]),
}


@pytest.mark.parametrize("name", NAMES)
def test_it_is_proved_and_agrees_at_random_points(name):
    identity = load(name)
    proof = identity.proved(name)
    kernel.replay(proof.lemmas, proof.definitions)
    assert (proof.lemmas[-1].left, proof.lemmas[-1].right) == (identity.left, identity.right)
    witness.confirm(identity.left, identity.right, points=8)


@pytest.mark.parametrize("name", NAMES)
def test_search_alone_finds_it(name):
    identity = load(name)
    found = search.find(name, identity.left, identity.right)
    kernel.replay([found])


@pytest.mark.parametrize("name", NAMES)
def test_every_letter_has_a_meaning_and_every_text_is_there(name):
    identity = load(name)
    assert name in identities()
    named = {*letters(identity.left, identity.right), *numbers_of(identity.left, identity.right)}
    assert set(identity.meaning) == named
    assert all(identity.meaning.values())
    assert all((identity.says, identity.reason, identity.source))
    assert len({one.says for one in identity.neighbours}) == len(identity.neighbours) >= 2
    assert [one for one in letters(identity.left, identity.right).values() if "data" in one.properties]


# ---------------------------------------------------------------- neighbours

@pytest.mark.parametrize(("name", "i"), NEIGHBOURS, ids=str)
def test_a_neighbour_has_a_small_witness_that_respects_what_is_declared(name, i):
    says, left, right = load(name).neighbours[i]
    found = witness.counterexample(left, right)
    assert found is not None, says
    assert found.exact
    assert all(size <= 2 for size in found.sizes.values())
    at = Point(found.sizes, found.matrices, found.numbers)
    assert at.of(left) == found.left != found.right == at.of(right)
    for one in letters(left, right).values():
        rows = found.matrices[one.name]
        assert (len(rows), len(rows[0])) == (value(one.rows, found.sizes), value(one.columns, found.sizes))
        assert declared(one.properties, rows), one
    assert search.find("false", left, right) is None


@pytest.mark.parametrize(("name", "says"), NUMBERS, ids=lambda x: x)
def test_the_numbers_of_a_witness(name, says):
    one, = [each for each in load(name).neighbours if each.says == says]
    found = witness.counterexample(one.left, one.right)
    assert (found.left, found.right) == NUMBERS[name, says]


def declared(properties, rows):
    """Whether a matrix is what is declared, by what the words mean."""
    n = range(len(rows))
    if "selection" in properties and any(x not in (0, 1) for row in rows for x in row):
        return False
    if "stochastic" in properties and any(sum(row) != 1 for row in rows):
        return False
    if "orthogonal" in properties and any(
            sum(a * b for a, b in zip(rows[i], rows[j], strict=True)) != (i == j) for i in n for j in n):
        return False
    return "invertible" not in properties or determinant(rows) != 0


def determinant(rows):
    if not rows:
        return 1
    return sum((-1) ** j * x * determinant([[*row[:j], *row[j + 1:]] for row in rows[1:]])
               for j, x in enumerate(rows[0]))


# ---------------------------------------------------------------- spoiled copies

def square(term):
    """The term with every size letter read as d: one that fits in any order."""
    def size(one):
        return substitute(one, lambda _: letter("d"))
    if isinstance(term, Letter):
        return Letter(term.name, size(term.rows), size(term.columns), tuple(term.properties), term.over)
    if isinstance(term, (Eye, Ones)):
        return type(term)(size(term.rows))
    if isinstance(term, Zero):
        return Zero(size(term.rows), size(term.columns))
    if isinstance(term, Scaled):
        return Scaled(term.number, square(term.parts[0]))
    return term.rebuilt(tuple(square(part) for part in term.parts))


def spoiled(term):
    """Copies in which a part is left out, negated or turned, or two neighbours change places, once."""
    parts = term.parts
    if isinstance(term, Sum):
        yield from (total([*parts[:i], *parts[i + 1:]]) for i in range(len(parts)))
        yield from (total([*parts[:i], scaled(-1, one), *parts[i + 1:]]) for i, one in enumerate(parts))
    if isinstance(term, Product):
        yield from made(lambda i: product([*parts[:i], *parts[i + 1:]]), len(parts))
        yield from made(lambda i: product([*parts[:i], parts[i + 1], parts[i], *parts[i + 2:]]), len(parts) - 1)
        yield from made(lambda i: product([*parts[:i], Transpose(parts[i]), *parts[i + 1:]]), len(parts))
    if isinstance(term, (Side, Stack)):
        yield from (term.rebuilt((*parts[:i], parts[i + 1], parts[i], *parts[i + 2:])) for i in range(len(parts) - 1))
    if isinstance(term, Transpose):
        yield from made(lambda _: parts[0], 1)
    for i, part in enumerate(parts):
        for worse in spoiled(part):
            yield from made(lambda _, i=i, worse=worse: term.rebuilt((*parts[:i], worse, *parts[i + 1:])), 1)


def made(make, count):
    """What can be made; a shape that does not fit is no copy."""
    for i in range(count):
        try:
            yield make(i)
        except ShapeError:
            continue


def copies(identity):
    """Spoiled copies of an identity, which have the shape of its left side."""
    left = square(identity.left)
    found = {one.key: one for side in (square(identity.right),) for one in (scaled(-1, side), *spoiled(side))
             if (str(one.rows), str(one.columns)) == (str(left.rows), str(left.columns))}
    found.pop(square(identity.right).key, None)
    return left, list(found.values())


def differ(left, right):
    try:
        witness.confirm(left, right, points=6)
    except ProofError:
        return True
    return False


@pytest.mark.parametrize("name", NAMES)
def test_spoiled_copies_are_refused(name):
    left, all_copies = copies(load(name))
    assert len(all_copies) >= 3
    steps = search.find("true", left, square(load(name).right)).steps
    for worse in all_copies:
        assert differ(left, worse), f"{left} = {worse} is true: no spoiled copy"
        assert search.find("spoiled", left, worse) is None, worse
        with pytest.raises(ProofError):  # the true proof, its last line spoiled
            kernel.replay([kernel.Lemma("spoiled", left, worse, [*steps[:-1], steps[-1]._replace(term=worse)])])


@pytest.mark.parametrize("name", NAMES)
def test_spoiled_copies_are_refuted(name):
    left, all_copies = copies(load(name))
    found = [witness.counterexample(left, worse) for worse in islice(all_copies, 3)]
    assert any(found)
    for one, worse in zip(found, all_copies, strict=False):
        if one is not None:
            at = Point(one.sizes, one.matrices, one.numbers)
            assert at.of(left) != at.of(worse)


@pytest.mark.parametrize("name", NAMES)
def test_no_step_of_a_proof_can_be_left_out_or_renamed(name):
    for lemma in load(name).proved(name).lemmas:
        for i, step in enumerate(lemma.steps):
            without = [*lemma.steps[:i], *lemma.steps[i + 1:]]
            renamed = [*lemma.steps[:i], step._replace(rule="commute", of=""), *lemma.steps[i + 1:]]
            for steps in (without, renamed):
                with pytest.raises(ProofError):
                    kernel.replay([kernel.Lemma(lemma.name, lemma.left, lemma.right, steps)])


# ---------------------------------------------------------------- families

@pytest.mark.parametrize("heads", [1, 2, 3, 12])
def test_any_number_of_heads(heads):
    proof = load("heads_as_sum").proved("heads_as_sum", heads=heads)
    kernel.replay(proof.lemmas, proof.definitions)
    lemma = proof.lemmas[-1]
    assert len(letters(lemma.left)) == 3 * heads + 1
    assert len(lemma.steps) <= 3
    witness.confirm(lemma.left, lemma.right)


def test_no_heads():
    with pytest.raises(ModelError, match="heads = 0: a whole number"):
        load("heads_as_sum").proved("heads_as_sum", heads=0)


def test_repeating_keys_gives_each_head_the_keys_of_its_group():
    """Four heads in two groups: with Q block by block, row i of the scores is q_i times the keys of group i // 2."""
    identity, sizes = load("grouped_heads"), {"heads": 4, "kv": 2, "k": 1, "t": 2, "d": 2}
    repeat = [[1, 1, 0, 0], [0, 0, 1, 1]]
    queries = [3, 5, 7, 11]
    blocks = [[queries[i] * (i == j) for j in range(4)] for i in range(4)]
    x, w = [[1, 2], [0, 1]], [[1, 4], [2, 1]]
    keys = [[sum(x[t][j] * w[j][g] for j in range(2)) for g in range(2)] for t in range(2)]
    expected = [[queries[i] * keys[t][i // 2] for t in range(2)] for i in range(4)]
    at = Point(sizes, {"Q": blocks, "X": x, "W_K": w, "R": repeat})
    assert at.of(identity.left) == at.of(identity.right) == expected
