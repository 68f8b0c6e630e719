"""Evaluation: the lesson's example, fractions against plain lists, each verb, repetition and sharing, by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from networks import HALF, LESSON, A, B, C, X, affine, step, steps, x, y
from symcount import Shared, evaluate, model, network, weight, within
from symcount.functions import FUNCTIONS
from symcount.layers import linear
from symcount.network import (
    cached,
    concat,
    contract,
    cut,
    idle,
    keep,
    lookup,
    pointwise,
    rename,
    repeat,
    select,
    tensor,
    top,
    walk,
    window,
)
from symcount.readers.running import KINDS, VERBS

np = pytest.importorskip("numpy", reason="evaluation needs NumPy, which the extra 'evaluate' installs")


# ---------------------------------------------------------------- the lesson


def test_a_two_layer_network_in_three_lines():
    run = evaluate(model("mlp:2-2-1"), x=[[0, 2]], weights=LESSON)
    assert run["layer1", "contract"].tolist() == [[-2, 2]]
    assert run["layer1"].tolist() == run["layer1", "bias"].tolist() == [[-2, 3]]
    assert run["activation1"].tolist() == run["activation1", "relu"].tolist() == [[0, 3]]
    assert run["layer2"].tolist() == run.result.tolist() == [[2]]
    assert run["layer1.weight"].tolist() == [[1, 2], [-1, 1]]
    assert run.exact
    assert repr(run) == str(run) == ("mlp:2-2-1: exact\n"
                                     "  x            input     [[0, 2]]\n"
                                     "  layer1       contract  [[-2, 2]]\n"
                                     "  layer1       bias      [[-2, 3]]\n"
                                     "  activation1  relu      [[0, 3]]\n"
                                     "  layer2       contract  [[3]]\n"
                                     "  layer2       bias      [[2]]")


def test_without_its_activation_it_is_linear():
    run = evaluate(model("mlp:2-2-1", activation="none"), x=[[0, 2]], weights=LESSON)
    assert run.result.tolist() == [[-2]]
    assert [(step.path, step.what) for step in run.steps if step.what != "weight"] == [
        ("x", "input"), ("layer1", "contract"), ("layer1", "bias"), ("layer2", "contract"), ("layer2", "bias")]


def test_steps_are_all_there_in_the_order_of_making():
    run = evaluate(model("mlp:2-2-1"), x=[[0, 2]], weights=LESSON)
    assert [(step.path, step.what, step.axes) for step in run.steps] == [
        ("x", "input", ("b", "n_0")), ("layer1.weight", "weight", ("n_0", "n_1")), ("layer1", "contract", ("b", "n_1")),
        ("layer1.bias", "weight", ("n_1",)), ("layer1", "bias", ("b", "n_1")), ("activation1", "relu", ("b", "n_1")),
        ("layer2.weight", "weight", ("n_1", "n_2")), ("layer2", "contract", ("b", "n_2")),
        ("layer2.bias", "weight", ("n_2",)), ("layer2", "bias", ("b", "n_2"))]


def test_a_path_has_what_was_named_there_and_not_a_part_of_it():
    run = evaluate(select(select(tensor(s=2, d=2), "s", 1), "d"), x=[[1, 2], [3, 4]])
    assert run["x"].tolist() == [[1, 2], [3, 4]]
    assert run["x", "select"].tolist() == run.result.tolist() == 3


@pytest.mark.parametrize(("b", "batch"), [({}, 1), ({"b": 3}, 3)])
def test_a_batch_that_no_input_tells_is_that_of_the_model(b, batch):
    assert evaluate(model(lambda z: repeat(tensor(d=z.d), b=z.b), **b), x=[5]).result.tolist() == [[5]] * batch


# ---------------------------------------------------------------- fractions, against plain lists

fractions = st.fractions(min_value=-9, max_value=9, max_denominator=9) | st.integers(-99, 99)


@st.composite
def perceptrons(draw):
    widths = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    batch = draw(st.integers(1, 3))

    def matrix(rows, columns):
        return [[draw(fractions) for _ in range(columns)] for _ in range(rows)]

    layers = [(matrix(n, m), matrix(1, m)[0]) for n, m in pairwise(widths)]
    return widths, matrix(batch, widths[0]), layers


@given(perceptrons(), st.sampled_from(["relu", "none"]))
def test_any_perceptron_of_fractions(network, activation):
    widths, rows, layers = network
    given = {}
    expected = rows
    for i, (w, bias) in enumerate(layers, start=1):
        given |= {f"layer{i}.weight": w, f"layer{i}.bias": bias}
        expected = [[sum(x * w[j][k] for j, x in enumerate(row)) + bias[k] for k in range(len(bias))]
                    for row in expected]
        if activation == "relu" and i < len(layers):
            expected = [[max(x, 0) for x in row] for row in expected]
    run = evaluate(model("mlp", n=tuple(widths), activation=activation), x=rows, weights=given)
    assert run.exact
    assert run.result.tolist() == expected
    assert all(type(x) is int or x.denominator > 1 for x in run.result.flat)  # whole numbers are ints


def test_floats_are_taken_where_one_is():
    for given_x, w in (([[0.0, 2]], LESSON), ([[0, 2]], LESSON | {"layer2.bias": [-1.0]})):
        run = evaluate(model("mlp:2-2-1"), x=given_x, weights=w)
        assert not run.exact
        assert run.result.dtype == float
        assert run.result.tolist() == [[2.0]]
    assert str(run).splitlines()[0] == "mlp:2-2-1: floats"


def test_exact_numbers_neither_overflow_nor_round():
    large = 2**62
    net = linear(tensor(b=1, d=2), "up", h=1, bias=False)
    for given_x in (np.array([[large, large]]), [[large, large]], [list(np.array([large, large]))]):
        run = evaluate(net, x=given_x, weights={"up.weight": np.array([[large], [large]])})
        assert run.result.tolist() == [[2 * large**2]]
    third = evaluate(net, x=[[Fraction(1, 3), Fraction(1, 6)]], weights={"up.weight": [[1], [1]]})
    assert (third.result.tolist(), repr(third).splitlines()[-1]) == ([[HALF]], "  up  contract  [[1/2]]")


# ---------------------------------------------------------------- what each verb does

image = tensor("x", i=4, j=2)
GRID = [[1, 2], [3, 4], [5, 6], [7, 8]]
SCORES = [[3, 9, 9, -1]]

VERB = [  # a network of x (of more, where it is a dictionary), what x is, what it makes
    (lambda: x,                                                             X, X),
    (lambda: contract(x, rename(x, s="t"), to="b s t", name="scores"),      X, [[[14, 32], [32, 77]]]),
    (lambda: contract(x, to="d s b", name="turned"),                        X, [[[1], [4]], [[2], [5]], [[3], [6]]]),
    (lambda: contract(x, rename(x, d="c"), rename(x, s="t"), to="c t", name="three"),
     X, [[14 + 4*32, 32 + 4*77], [2*14 + 5*32, 2*32 + 5*77], [3*14 + 6*32, 3*32 + 6*77]]),
    (lambda: lookup(tensor("ids", s=3), tensor(V=4, d=2), "rows"),
     {"x": GRID, "ids": [3, 0, 3]}, [[7, 8], [1, 2], [7, 8]]),
    (lambda: rename(x, s="t", d="s"),                                       X, X),
    (lambda: network.merge(x, c="d s"),                                     X, [[1, 4, 2, 5, 3, 6]]),
    (lambda: network.merge(x, c="s d"),                                     X, [[1, 2, 3, 4, 5, 6]]),
    (lambda: network.merge(rename(x, b="e"), c="d e"),                      X, X[0]),
    (lambda: network.split(tensor(c=6), "c", g=2, k=None),                  [1, 2, 3, 4, 5, 6], [[1, 2, 3], [4, 5, 6]]),
    (lambda: network.split(network.merge(x, c="s d"), "c", s=2, d=3),       X, X),
    (lambda: concat(x, contract(x, to="d s b", name="turned"), axis="s"),   X, [[*X[0], *X[0]]]),
    (lambda: cut(x, "d", 1, 2)[1],                                          X, [[[2, 3], [5, 6]]]),
    (lambda: concat(*cut(x, "d", 1, 2)[::-1], axis="d"),                    X, [[[2, 3, 1], [5, 6, 4]]]),
    (lambda: select(x, "s", 1),                                             X, [[4, 5, 6]]),
    (lambda: keep(x, s=1, d=2),                                             X, [[[1, 2]]]),
    (lambda: top(tensor(s=1, E=4), E=("e", 3)),                             SCORES, [[1, 2, 0]]),
    (lambda: top(tensor(E=4, s=1), E=("e", 2)),                             [[3], [9], [HALF], [10]], [[3], [1]]),
    (lambda: top(tensor(E=40), E=("e", 40)),                                [5] * 40, list(range(40))),
    (lambda: window(image, i=("u", 2)),
     GRID, [[[1, 3], [2, 4]], [[3, 5], [4, 6]], [[5, 7], [6, 8]]]),
    (lambda: window(image, i=("u", 3), stride=2, pad=1),                    GRID, [[[0, 1, 3], [0, 2, 4]],
                                                                                   [[3, 5, 7], [4, 6, 8]]]),
    (lambda: window(tensor(i=3), i=("u", 2), pad=1),                        [1, 2, 3],
                                                                            [[0, 1], [1, 2], [2, 3], [3, 0]]),
    (lambda: repeat(tensor(d=2), g=3),                                      [1, 2], [[1, 2]] * 3),
    (lambda: cached(x, "key", s=("t", 2)),                                  X, X),
    (lambda: cached(x, "key", s=("s", 2)),                                  X, X),
    (lambda: idle(x, select(x, "s")),                                       X, X),
    (lambda: pointwise(x, y, kind="add"),                                   {"x": X, "y": X},
                                                                            [[[2, 4, 6], [8, 10, 12]]]),
    (lambda: pointwise(x, tensor("y", d=3), kind="bias"),                   {"x": X, "y": [1, 0, 9]},
                                                                            [[[2, 2, 12], [5, 5, 15]]]),
    (lambda: pointwise(x, tensor("y", d=3), tensor("z"), kind="multiply"),  {"x": X, "y": [1, 0, -1], "z": HALF},
                                                                            [[[HALF, 0, -3*HALF], [2, 0, -3]]]),
    (lambda: pointwise(x, kind="mean", to="d"),                             X, [5*HALF, 7*HALF, 9*HALF]),
    (lambda: pointwise(x, kind="sum", to="s b"),                            X, [[6], [15]]),
    (lambda: pointwise(x, tensor("y", s=2), kind="weighted sum", to="b d"), {"x": X, "y": [2, -1]}, [[-2, -1, 0]]),
    (lambda: pointwise(tensor(s=2), tensor("y", d=2), kind="multiply", to="d s"),
     {"x": [1, 2], "y": [3, 4]}, [[3, 6], [4, 8]]),
    (lambda: pointwise(x, kind="dropout"),                                  X, X),
    (lambda: pointwise(tensor(d=3), kind="relu"),                           [-1, 0, HALF], [0, 0, HALF]),
    (lambda: pointwise(tensor(d=2), kind="relu2"),                          [-3, 3*HALF], [0, 9*HALF*HALF]),
    (lambda: pointwise(tensor(d=2), kind="gelu"),                           [0, 0], [0, 0]),
    *((lambda kind=kind: pointwise(tensor(d=2), kind=kind),                 [0, 0], [0, 0]) for kind in (
        "gelu_python", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "quick_gelu")),
    (lambda: pointwise(tensor(d=2), kind="silu"),                           [0, 0], [0, 0]),
    (lambda: pointwise(tensor(d=2), kind="tanh"),                           [0, 0], [0, 0]),
    (lambda: pointwise(tensor(d=2), kind="sigmoid"),                        [0, 0], [HALF, HALF]),
    (lambda: pointwise(tensor(s=2, t=4), kind="softmax"),                   [[7] * 4, [1] * 4], [[HALF*HALF] * 4] * 2),
    (lambda: pointwise(tensor(s=1, d=2), kind="rms_norm"),                  [[HALF, 7*HALF]],
                                                                            [[Fraction(1, 5), Fraction(7, 5)]]),
    (lambda: pointwise(tensor(s=1, d=2), kind="layer_norm"),                [[1, 7]], [[-1, 1]]),
    (lambda: pointwise(tensor(s=2, d=2), tensor("y", d=2), kind="layer_norm"),
     {"x": [[1, 7], [5, 3]], "y": [2, 3]}, [[-2, 3], [2, -3]]),
    (lambda: pointwise(tensor(d=2, s=1), tensor("y", d=2), kind="layer_norm", to="s d"),
     {"x": [[1], [7]], "y": [2, 3]}, [[-2, 3]]),
    (lambda: pointwise(tensor(g=2, s=1, k=2), tensor("y", k=2, g=2), kind="layer_norm"),
     {"x": [[[0, 2]], [[2, 0]]], "y": [[1, 1], [1, 5]]}, [[[-1, 1]], [[1, -5]]]),
    (lambda: pointwise(tensor(), kind="relu"),                              -3, 0),
    (lambda: contract(tensor(d=2), tensor("y", d=2), to="", name="dot"),    {"x": [1, 2], "y": [3, 4]}, 11),
]


@pytest.mark.parametrize(("net", "numbers", "made"), VERB)
def test_what_a_verb_does(net, numbers, made):
    numbers = numbers if isinstance(numbers, dict) else {"x": numbers}
    run = evaluate(net(), **numbers)
    assert run.exact
    assert run.result.tolist() == made
    floats = evaluate(net(), **{name: np.array(given, dtype=float) for name, given in numbers.items()})
    assert floats.result.dtype == float
    assert floats.result == pytest.approx(np.array(made, dtype=float), abs=5e-5)  # a norm of floats has an epsilon


def test_every_verb_and_kind_was_tried():
    ops = [op for net, *_ in VERB for op in walk(net())]
    assert {op.verb for op in ops} | {"weight", "enter", "leave"} == set(VERBS)  # these three below
    assert {op.details["kind"] for op in ops if op.verb == "pointwise"} == {*KINDS, *FUNCTIONS}


@pytest.mark.parametrize(("kind", "made"), [  # as PyTorch and transformers have them
    ("gelu", [-0.158655, 0.841345, 1.954500]), ("gelu_python", [-0.158655, 0.841345, 1.954500]),
    ("gelu_new", [-0.158808, 0.841192, 1.954598]), ("gelu_fast", [-0.158808, 0.841192, 1.954598]),
    ("gelu_pytorch_tanh", [-0.158808, 0.841192, 1.954598]), ("quick_gelu", [-0.154204, 0.845796, 1.935659]),
    ("silu", [-0.268941, 0.731059, 1.761594])])
def test_what_an_activation_does(kind, made):
    found = evaluate(pointwise(tensor(d=3), kind=kind), x=[-1.0, 1.0, 2.0]).result
    assert found.tolist() == pytest.approx(made, abs=1e-6)


# ---------------------------------------------------------------- repetition, and where weights are made

def layers(runs, **how):
    return lambda x: within("layers", step, x, runs=runs, **how)


def marked(x):
    mark = Shared()
    return within("layers", lambda x: within("block", step, x, shared=mark), x, runs=3)


def half_marked(x):
    mark = Shared()
    return within("blocks", lambda x: within("own", step, within("common", step, x, shared=mark)), x, runs=2)


def in_two_places(x, body=step):
    mark = Shared()
    x = within("first", lambda x: within("block", body, x, shared=mark), x)
    return within("second", lambda x: within("block", body, x, shared=mark), x)


def adapters(x):
    return within("layers", lambda x: within("steps", step, x, runs=2, shared=Shared()), x, runs=3)


def captured(x):
    w, first = weight("w", d=1), pointwise(x, x, kind="add")
    return within("layers", lambda x: pointwise(pointwise(x, w, kind="multiply"), first, kind="add"), x, runs=2)


def handed(x):
    return within("layers", lambda x, w: (pointwise(x, w, kind="add"), w), x, weight("w", d=1), runs=3)[0]


def fibonacci(x):
    return within("pairs", lambda a, b: (b, pointwise(a, b, kind="add")), x, x, runs=5)[0]


def unread(x):
    """The result needs what the second state was made from, though that state itself is not returned."""
    return within("layers", lambda x, h: (pointwise(x, h, kind="add"), step(h)), x, x, runs=3)[0]


def constant(x):
    first = pointwise(x, x, kind="add")
    return within("layers", lambda _: first, x, runs=2)


REPEATED = [  # network of x = 4, its weights, what it makes
    (step,                                 {"up": A},               affine(4, A)),
    (layers(3),                            {"layers.up": [A, B, C]}, affine(4, A, B, C)),
    (layers(1, shared=True),               {"layers.up": A},        affine(4, A)),
    (layers(3, shared=True),               {"layers.up": A},        affine(4, A, A, A)),
    (layers(0),                            {},                      4),
    (lambda x: within("all", layers(2), x, runs=2), {"all.layers.up": [[A, B], [C, A]]},   affine(4, A, B, C, A)),
    (lambda x: within("all", layers(2), x, runs=2, shared=True), {"all.layers.up": [A, B]}, affine(4, A, B, A, B)),
    (lambda x: within("all", layers(2, shared=True), x, runs=2), {"all.layers.up": [A, B]}, affine(4, A, A, B, B)),
    (lambda x: within("a.b", step, x, runs=2),  {"a.b.up": [A, B]},  affine(4, A, B)),
    (marked,                               {"block.up": A},         affine(4, A, A, A)),
    (half_marked,                          {"common.up": A, "blocks.own.up": [B, C]}, affine(4, A, B, A, C)),
    (in_two_places,                        {"block.up": A},         affine(4, A, A)),
    (lambda x: in_two_places(x, layers(2)), {"block.layers.up": [A, B]}, affine(4, A, B, A, B)),
    (adapters,                             {"layers.steps.up": [A, B, C]}, affine(4, A, A, B, B, C, C)),
    (captured,                             {"w": 3},                3*(3*4 + 8) + 8),
    (handed,                               {"w": 3},                4 + 3*3),
    (fibonacci,                            {},                      4*8),
    (unread,                               {"layers.up": [A, B, C]}, 4 + 4 + affine(4, A) + affine(4, A, B)),
    (constant,                             {},                      8),
    (lambda x: within("once", constant, x), {},                     8),
    (lambda x: within("none", lambda: x),  {},                      4),
]


@pytest.mark.parametrize(("net", "weights", "made"), REPEATED, ids=lambda item: getattr(item, "__name__", None))
def test_repetition(net, weights, made):
    net, told = net(tensor(d=1)), steps(weights)
    assert evaluate(net, x=[4], weights=told).result.tolist() == [made]
    assert evaluate(net, x=[4], weights=lambda path, run: told[path][run]).result.tolist() == [made]


@pytest.mark.parametrize("L", range(4))
def test_repetitions_of_a_letter_are_an_axis_though_there_be_one(L):
    stack = model(lambda z: within("layers", step, tensor(d=1), runs=z.L), L=L)
    w = np.ones((L, 1, 1), int)*3
    run = evaluate(stack, x=[4], weights={"layers.up.weight": w, "layers.up.bias": w[:, 0]})
    assert run.result.tolist() == [affine(4, *[(3, 3)]*L)]


def test_every_run_of_a_repeated_part_can_be_read():
    w = {"all.layers.up.weight": np.ones((2, 2, 1, 1), int), "all.layers.up.bias": np.array([[[1], [2]], [[4], [8]]])}
    run = evaluate(within("all", layers(2), tensor(d=1), runs=2), x=[0], weights=w)
    assert [run[f"all.{i}.layers.{j}.up"].tolist() for i in range(2) for j in range(2)] == [[1], [3], [7], [15]]
    assert run["all.layers.up"].tolist() == [15]
    assert run["all.layers.up", "contract"].tolist() == run["all.1.layers.1.up", "contract"].tolist() == [7]
    assert run["all.0.layers.1.up.bias"].tolist() == [2]
    assert [step.at for step in run.steps if step.what == "bias"] == [
        "all.0.layers.0.up", "all.0.layers.1.up", "all.1.layers.0.up", "all.1.layers.1.up"]
    assert {step.path for step in run.steps if step.what == "bias"} == {"all.layers.up"}
