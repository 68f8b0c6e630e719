"""Evaluation: the lesson's example, each verb, repetition and sharing, masks and families against NumPy, every refusal.

What a run must be is worked out here a second time, by hand, in plain lists or in NumPy; with `-m live`, it is what
transformers computes.
"""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import pairwise, product
from math import erf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symcount import Mask, Shared, evaluate, letter, model, network, weight, within
from symcount.errors import ModelError, ShapeError, SizeError, SymcountError
from symcount.functions import FUNCTIONS
from symcount.layers import attention, linear
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
from symcount.readers import repeats
from symcount.readers.evaluation import KINDS, VERBS, Run
from symcount.sizes import same, value

np = pytest.importorskip("numpy", reason="evaluation needs NumPy, which the extra 'evaluate' installs")

HALF = Fraction(1, 2)


def shapes(net, values):
    """{path: shape} of the weights of a network: an axis for each repeated scope they are made in, then their own."""
    found = {}
    for path, (w, *_) in network.weights(net).items():
        runs = [n for _, n in repeats(w.scope.home if w.scope else None) if not same(n, 1)]
        found[path] = tuple(value(n, values) for n in (*runs, *w.axes.values()))
    return found


def drawn(net, values, seed=0):
    """Random floats for every weight."""
    rng = np.random.default_rng(seed)
    return {path: rng.normal(size=shape) for path, shape in shapes(net, values).items()}


# ---------------------------------------------------------------- the lesson

LESSON = {"layer1.weight": [[1, 2], [-1, 1]], "layer1.bias": [0, 1], "layer2.weight": [[2], [1]], "layer2.bias": [-1]}


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
    for x, w in (([[0.0, 2]], LESSON), ([[0, 2]], LESSON | {"layer2.bias": [-1.0]})):
        run = evaluate(model("mlp:2-2-1"), x=x, weights=w)
        assert not run.exact
        assert run.result.dtype == float
        assert run.result.tolist() == [[2.0]]
    assert str(run).splitlines()[0] == "mlp:2-2-1: floats"


def test_exact_numbers_neither_overflow_nor_round():
    large = 2**62
    net = linear(tensor(b=1, d=2), "up", h=1, bias=False)
    for x in (np.array([[large, large]]), [[large, large]], [list(np.array([large, large]))]):
        run = evaluate(net, x=x, weights={"up.weight": np.array([[large], [large]])})
        assert run.result.tolist() == [[2 * large**2]]
    third = evaluate(net, x=[[Fraction(1, 3), Fraction(1, 6)]], weights={"up.weight": [[1], [1]]})
    assert (third.result.tolist(), repr(third).splitlines()[-1]) == ([[HALF]], "  up  contract  [[1/2]]")


# ---------------------------------------------------------------- what each verb does

X = [[[1, 2, 3], [4, 5, 6]]]
x, y = tensor(b=1, s=2, d=3), tensor("y", b=1, s=2, d=3)
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


# ---------------------------------------------------------------- repetition, and where weights are made

def step(x, name="up"):
    """wx + b of one number, so that the order of two steps is seen."""
    return linear(x, name, d=1)


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


def line(*numbers):
    return [[n] for n in numbers]


def affine(x, *steps):
    for w, b in steps:
        x = w*x + b
    return x


def steps(numbers):
    """(w, b) of steps as weights of `linear`; w alone as it is."""
    told = {}
    for path, array in ((path, np.array(array)) for path, array in numbers.items()):
        told |= {path: array[..., None]} if path == "w" else {
            f"{path}.weight": array[..., :1, None], f"{path}.bias": array[..., 1:]}
    return told


A, B, C = (2, 1), (3, -1), (5, 7)  # w and b of a step
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


# ---------------------------------------------------------------- over an axis

def total(x, state):
    """Running totals of the affine of each step, and the last."""
    state = pointwise(state, step(x), kind="add")
    return state, state


def turning(x, state):
    """A body that returns its axes in another order."""
    state = contract(pointwise(state, x, kind="add"), to="d b", name="turned")
    return state, state


state = tensor("h", d=1)
OVER = [  # network, inputs, weights, what it makes
    (lambda: within("rnn", total, tensor(s=3, d=1), state, over="s", shared=True),
     {"x": [[1], [2], [3]], "h": [10]}, {"rnn.up": A}, ([[13], [18], [25]], [25])),
    (lambda: within("rnn", total, tensor(d=1, s=3), state, over="s", shared=True)[0],
     {"x": [[1, 2, 3]], "h": [10]}, {"rnn.up": A}, [[13, 18, 25]]),
    (lambda: within("rnn", total, tensor(s=2, d=1), state, over="s"),
     {"x": [[1], [2]], "h": [10]}, {"rnn.up": [A, B]}, ([[13], [18]], [18])),
    (lambda: within("rnn", total, tensor(s=1, d=1), state, over="s"),
     {"x": [[1]], "h": [10]}, {"rnn.up": A}, ([[13]], [13])),
    (lambda: within("rnn", turning, tensor(b=2, s=2, d=2), tensor("h", b=2, d=2), over="s"),
     {"x": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "h": [[0, 10], [20, 30]]}, {},
     ([[[1, 12], [4, 16]], [[25, 36], [32, 44]]], [[4, 16], [32, 44]])),
    (lambda: within("same", lambda x: state, tensor(s=2, d=1), over="s"),
     {"x": [[1], [2]], "h": [5]}, {}, [[5], [5]]),
    (lambda: within("none", lambda x, h: (x, h), tensor(s=0, d=1), state, over="s"),
     {"x": np.zeros((0, 1), int), "h": [5]}, {}, ([], [5])),
    (lambda: within("layers", lambda x: within("rnn", step, x, over="s", shared=True), tensor(s=2, d=1), runs=2),
     {"x": [[1], [2]]}, {"layers.rnn.up": [A, B]}, [[affine(1, A, B)], [affine(2, A, B)]]),
    *((lambda runs=runs: within("turned", lambda x: contract(x, to="d b", name="turned"), tensor(b=2, d=2), runs=runs),
       {"x": [[1, 2], [3, 4]]}, {}, [[1, 2], [3, 4]]) for runs in (0, 1, 3)),
]


@pytest.mark.parametrize(("net", "numbers", "weights", "made"), OVER)
def test_over_an_axis(net, numbers, weights, made):
    result = evaluate(net(), weights=steps(weights), **numbers).result
    assert (tuple(x.tolist() for x in result) if isinstance(made, tuple) else result.tolist()) == made


def test_an_lstm():
    def cell(x, h, c):
        gates = pointwise(linear(x, "input", gates=4, h=3), linear(h, "hidden", over="h", gates=4, h=3), kind="add")
        enter, forget, new, leave = (select(gates, "gates", i) for i in range(4))
        enter, forget, leave = (pointwise(gate, kind="sigmoid") for gate in (enter, forget, leave))
        kept = pointwise(forget, c, kind="multiply", name="kept")
        c = pointwise(kept, pointwise(enter, pointwise(new, kind="tanh"), kind="multiply", name="new"), kind="add")
        h = pointwise(leave, pointwise(c, kind="tanh", name="shown"), kind="multiply", name="out")
        return h, h, c

    def lstm(z):
        states = tensor("h", b=z.b, h=3), tensor("c", b=z.b, h=3)
        return within("lstm", cell, tensor(b=z.b, s=z.s, d=2), *states, over="s", shared=True)[0]

    rng = np.random.default_rng(1)
    x, h, c = rng.normal(size=(2, 5, 2)), rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    w = drawn(model(lstm).network(), {"s": 5})
    run = evaluate(model(lstm), x=x, h=h, c=c, weights=w)
    flat = {path: array.reshape(*array.shape[:-2], 12) for path, array in w.items()}
    for i in range(5):
        gates = x[:, i] @ flat["lstm.input.weight"] + flat["lstm.input.bias"]
        gates = gates + h @ flat["lstm.hidden.weight"] + flat["lstm.hidden.bias"]
        enter, forget, new, leave = np.split(gates, 4, axis=1)
        c = c/(1 + np.exp(-forget)) + np.tanh(new)/(1 + np.exp(-enter))
        h = np.tanh(c)/(1 + np.exp(-leave))
        assert run.result[:, i] == pytest.approx(h, abs=1e-12)
        assert run[f"lstm.{i}.out"] == pytest.approx(h, abs=1e-12)


# ---------------------------------------------------------------- masks

def attend(s, t, mask):
    scores = contract(tensor("q", s=s, k=2), tensor("k", t=t, k=2), to="s t", name="scores", mask=mask)
    return contract(pointwise(scores, kind="softmax"), tensor("v", t=t, k=2), to="s k", name="mix", mask=mask)


MASKS = [None, Mask(), Mask(causal=True), *(Mask(causal=True, window=w) for w in range(1, 6))]


@pytest.mark.parametrize("mask", MASKS, ids=str)
@pytest.mark.parametrize(("s", "t"), [(1, 1), (4, 4), (1, 4), (3, 5)])
def test_masks_pair_by_pair(s, t, mask):
    """The queries are the last s of the t positions; a key counts if it is none of those after, nor too far before."""
    rng = np.random.default_rng(2)
    q, k, v = rng.normal(size=(s, 2)), rng.normal(size=(t, 2)), rng.normal(size=(t, 2))
    made = evaluate(attend(s, t, mask), q=q, k=k, v=v).result
    for i in range(s):
        at = t - s + i
        counted = [j for j in range(t) if mask in (None, Mask()) or (j <= at and at - j < (mask.window or t))]
        powers = [np.exp(q[i] @ k[j]) for j in counted]
        assert made[i] == pytest.approx(sum(p*v[j] for p, j in zip(powers, counted, strict=True)) / sum(powers))


def test_a_masked_score_is_minus_infinity_and_takes_no_part_also_among_fractions():
    run = evaluate(attend(2, 2, Mask(causal=True)), q=[[0, 0], [0, 0]], k=[[1, 2], [3, 4]], v=[[2, 4], [6, 9]])
    assert run.exact
    assert run["scores"].tolist() == [[0, float("-inf")], [0, 0]]
    assert run["softmax"].tolist() == [[1, 0], [HALF, HALF]]
    assert run.result.tolist() == [[2, 4], [4, 13*HALF]]


def test_without_a_softmax_masked_pairs_are_left_out_of_the_sum():
    q, k, v = tensor("q", s=3, k=1), tensor("k", t=3, k=1), tensor("v", t=3)
    scores = contract(q, k, to="s t", name="scores", mask=Mask(causal=True))
    numbers = {"q": [[1], [2], [3]], "k": [[1], [10], [100]], "v": [1, 1, 1]}
    for net in (contract(scores, v, to="s", name="mix", mask=Mask(causal=True)),
                contract(q, k, v, to="s", name="mix", mask=Mask(causal=True))):
        assert evaluate(net, **numbers).result.tolist() == [1, 22, 333]


# ---------------------------------------------------------------- families, against NumPy

def rotary(x):
    """Pairs (i, i + k/2) of the last axis are turned by s·10000^(-2i/k), s being the second axis: Su et al. 2021."""
    half = x.shape[-1] // 2
    angle = np.arange(x.shape[1])[:, None] * 10_000.0 ** (-np.arange(half) / half)
    angle = angle.reshape(1, x.shape[1], *[1]*(x.ndim - 3), half)
    left, right = x[..., :half], x[..., half:]
    return np.concatenate([left*np.cos(angle) - right*np.sin(angle), right*np.cos(angle) + left*np.sin(angle)], -1)


def layer_norm(x, w, b):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * w + b


def rms_norm(x, w):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * w


gelu = np.vectorize(lambda x: x*(1 + erf(x / 2**0.5)) / 2)


def heads(x, w, name, causal, turned=lambda x: x):
    """Attention, one head after another; every head of g key-value groups is asked by q queries."""
    def through(name):
        return np.tensordot(x, w[f"{name}.weight"], 1) + w.get(f"{name}.bias", 0)

    query, key, value = turned(through(f"{name}.query")), turned(through(f"{name}.key")), through(f"{name}.value")
    made = np.zeros((*x.shape[:2], w[f"{name}.output.weight"].shape[-1]))
    for b, g, q in product(range(x.shape[0]), range(key.shape[2]), range(query.shape[3])):
        scores = query[b, :, g, q] @ key[b, :, g].T
        scores = np.where(np.tril(np.ones_like(scores)) == 1, scores, -1e30) if causal else scores
        powers = np.exp(scores - scores.max(1, keepdims=True))
        made[b] += powers / powers.sum(1, keepdims=True) @ value[b, :, g] @ w[f"{name}.output.weight"][g, q]
    return made + w.get(f"{name}.output.bias", 0)


def feed(x, w, name):
    return gelu(x @ w[f"{name}.up.weight"] + w[f"{name}.up.bias"]) @ w[f"{name}.down.weight"] + w[f"{name}.down.bias"]


def llama(ids, w, layers):
    x = w["embeddings.weight"][ids]
    for at in layers:
        x = x + heads(rms_norm(x, at["attention_norm.weight"]), at, "attention", causal=True, turned=rotary)
        y = rms_norm(x, at["mlp_norm.weight"])
        gate = y @ at["mlp.gate.weight"]
        x = x + (gate / (1 + np.exp(-gate)) * (y @ at["mlp.up.weight"])) @ at["mlp.down.weight"]
    return rms_norm(x, w["norm.weight"]) @ w["head.weight"]


def gpt2(ids, w, layers):
    x = w["embeddings.word.weight"][ids] + w["embeddings.position.weight"][:ids.shape[1]]
    for at in layers:
        y = layer_norm(x, at["attention_norm.weight"], at["attention_norm.bias"])
        x = x + heads(y, at, "attention", causal=True)
        x = x + feed(layer_norm(x, at["mlp_norm.weight"], at["mlp_norm.bias"]), at, "mlp")
    return layer_norm(x, w["norm.weight"], w["norm.bias"]) @ w["embeddings.word.weight"].T


def bert(ids, w, layers):
    x = w["embeddings.word.weight"][ids] + w["embeddings.type.weight"][ids]
    x = x + w["embeddings.position.weight"][:ids.shape[1]]
    x = layer_norm(x, w["embeddings.norm.weight"], w["embeddings.norm.bias"])
    for at in layers:
        x = x + heads(x, at, "attention", causal=False)
        x = layer_norm(x, at["attention_norm.weight"], at["attention_norm.bias"])
        x = layer_norm(x + feed(x, at, "mlp"), at["mlp_norm.weight"], at["mlp_norm.bias"])
    return x, np.tanh(x[:, 0] @ w["pooler.weight"] + w["pooler.bias"])


FAMILIES = {
    "llama": (llama, "llama:V=11,d=12,h=5,L=2,heads=6,kv=3,k=4"),
    "gpt2": (gpt2, "gpt2:V=11,d=6,P=9,L=2,heads=3"),
    "bert": (bert, "bert:V=11,d=6,h=5,P=9,L=2,heads=3,types=11"),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_against_numpy(family):
    by_hand, name = FAMILIES[family]
    one = model(name)
    ids, w = np.array([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]]), drawn(one.network(), one.values)
    inputs = {op.name: ids for op in walk(one.network()) if op.verb == "input"}
    run = evaluate(one, weights=w, functions={"rotary": rotary} if family == "llama" else None, **inputs)
    stacked = {path: array for path, array in w.items() if path.startswith("layers.")}
    layers = [{path[7:]: array[i] for path, array in stacked.items()} for i in range(2)]
    expected = by_hand(ids, w, layers)
    for made, hand in zip(*((x if isinstance(x, tuple) else (x,)) for x in (run.result, expected)), strict=True):
        assert made.shape == hand.shape
        assert made == pytest.approx(hand, abs=1e-9)


def test_decoding_with_remembered_rows_is_the_last_of_the_whole():
    """Rows of earlier positions, given for every layer at the paths of `cached`, instead of being computed."""
    def decoder(z):
        def block(x):
            return pointwise(x, within("attention", attention, x, z=z, t=z.t, mask=Mask(causal=True)), kind="add")
        return within("layers", block, tensor(b=z.b, s=z.s, d=z.d), runs=z.L)

    one = model(decoder, d=4, heads=2, L=2)
    x, w = np.random.default_rng(3).normal(size=(2, 5, 4)), drawn(one.network(), one.values)
    whole = evaluate(one, x=x, weights=w)
    rows = {f"layers.attention.{name}": np.stack([whole[f"layers.{i}.attention.{name}"][:, :3] for i in range(2)])
            for name in ("key", "value")}
    last = evaluate(one.replace(t=5), x=x[:, 3:], weights=w | rows)
    assert last.result == pytest.approx(whole.result[:, 3:], abs=1e-12)


# ---------------------------------------------------------------- refusals

LESSON_X = {"x": [[0, 2]], "weights": LESSON}
SCALED = pointwise(x, kind="scale")


def ended():
    """A mark made in a repeated scope, used after its runs have ended."""
    marks = []

    def body(x):
        marks.append(Shared())
        return step(x, "own")

    return within("b", lambda x: within("block", step, x, shared=marks[0]), within("a", body, tensor(d=1), runs=2))


REFUSED = [  # what is run, on what, what is refused
    ("mlp:2-2-1", {"weights": LESSON}, ModelError, "the input 'x' is missing: x=…, an array of the axes b n_0"),
    ("mlp:2-2-1", LESSON_X | {"y": 1}, ModelError, "the network has no input 'y'; known: x"),
    ("mlp:2-2-1", LESSON_X | {"x": [0, 2]}, ShapeError,
     "x: an array of the axes b n_0 is needed, not one of shape (2,)"),
    ("mlp:2-2-1", LESSON_X | {"x": [[0, 2, 1]]}, ShapeError,
     "x: an array [b=1 n_0=2] is needed, not one of shape (1, 3)"),
    (contract(tensor("q", b=letter("b"), d=1), tensor("k", b=letter("b"), d=1), to="b", name="dot"),
     {"q": line(1, 2), "k": line(1, 2, 3)}, ShapeError, "k: an array [b=2 d=1] is needed, not one of shape (3, 1)"),
    (model("mlp:2-2-1", b=2), LESSON_X, ShapeError, "x: an array [b=2 n_0=2] is needed, not one of shape (1, 2)"),
    ("mlp:2-2-1", LESSON_X | {"x": [[0, "2"]]}, ShapeError,
     "x: '2' is no int, Fraction or float, in rows of equal length"),
    ("mlp:2-2-1", LESSON_X | {"x": [[0, 2], [1]]}, ShapeError,
     "x: [0, 2] is no int, Fraction or float, in rows of equal length"),
    ("mlp:2-2-1", LESSON_X | {"x": [np.ones((1, 2)), np.ones((1, 3))]}, ShapeError,
     "x: the rows are of unequal length"),
    ("mlp:2-2-1", LESSON_X | {"x": 1j}, ShapeError, "x: 1j is no int, Fraction or float, in rows of equal length"),
    ("mlp:2-2-1", {"x": [[0, 2]]}, ModelError, "the weight 'layer1.weight' is missing: an array [n_0=2 n_1=2]"),
    ("mlp:2-2-1", LESSON_X | {"weights": LESSON | {"layer1.wight": 0}}, ModelError,
     "the network has no weight 'layer1.wight'; did you mean 'layer1.weight'?"),
    ("mlp:2-2-1", LESSON_X | {"weights": LESSON | {"layer2.bias": -1}}, ShapeError,
     "layer2.bias: an array [n_2=1] is needed, not one of shape ()"),
    (within("layers", step, tensor(d=1), runs=2), {"x": [1], "weights": {"layers.up.weight": [[1]]}}, ShapeError,
     "layers.up.weight: an array [layers=2 d'=1 d=1] is needed, not one of shape (1, 1)"),
    (within("layers", step, tensor(d=1), runs=2), {"x": [1], "weights": lambda path, run: [run[0]]}, ShapeError,
     "layers.up.weight: an array [layers=2 d'=1 d=1] is needed, not one of shape (2, 1)"),
    (model("mlp:2-2-1").part("layer1"), LESSON_X, ModelError,
     "mlp:2-2-1@layer1: a part does not run by itself; evaluate the whole model and read run[path]"),
    ("mlp:2-2-1", LESSON_X | {"functions": {"relo": abs}}, ModelError,
     "the network has no function 'relo'; did you mean 'relu'?"),
    ("gpt2:", {"ids": [[1]]}, SizeError,
     "embeddings.word.weight: no number is known for 'V'; give the model one, V=…"),
    (within("layers", step, tensor(d=1), runs=letter("L")), {"x": [1]}, SizeError,
     "layers.x: no number is known for 'L'; give the model one, L=…"),
    ("gpt2:V=9,d=2,heads=1,L=1,P=2", {"ids": [[1, 2, 3]]}, SizeError, "s = 3 is more than P = 2"),
    (lookup(tensor("ids", s=2), tensor(V=3, d=1), "rows"), {"x": line(1, 2, 3), "ids": [0, 3]}, SizeError,
     "rows: 3 is no row of x[V=3 d=1], which are 0 to 2"),
    (lookup(tensor("ids", s=2), tensor(V=3, d=1), "rows"), {"x": line(1, 2, 3), "ids": [0, HALF]}, SizeError,
     "rows: 1/2 is no row of x[V=3 d=1], which are 0 to 2"),
    (select(tensor(s=letter("s")), "s", 2), {"x": [1, 2]}, SizeError,
     "x: there is no position 2 among the 2 of x[s=s]"),
    (pointwise(x, tensor(d=3), kind="add"), {"x": X}, ShapeError, "two inputs are named 'x': name them apart"),
    (step(step(tensor(d=1))), {"x": [1]}, ShapeError,
     "two weights are named 'up.weight': name them apart, or pass one to both uses"),
    (SCALED, {"x": X}, ModelError, "scale: 'scale' of x[b=1 s=2 d=3] to 'b s d' has no meaning here; give it one: "
                                   "functions={'scale': f} with f(*arrays)"),
    (pointwise(x, y, kind="mean"), {"x": X, "y": X}, ModelError,
     "mean: 'mean' of x[b=1 s=2 d=3], y[b=1 s=2 d=3] to 'b s d' has no meaning here; give it one: "
     "functions={'mean': f} with f(*arrays)"),
    (pointwise(x, kind="add", to="b s"), {"x": X}, ModelError,
     "add: 'add' of x[b=1 s=2 d=3] to 'b s' has no meaning here; give it one: functions={'add': f} with f(*arrays)"),
    (pointwise(x, y, kind="relu"), {"x": X, "y": X}, ModelError,
     "relu: 'relu' of x[b=1 s=2 d=3], y[b=1 s=2 d=3] to 'b s d' has no meaning here; give it one: "
     "functions={'relu': f} with f(*arrays)"),
    (pointwise(x, tensor("y", d=3), kind="softmax"), {"x": X, "y": [0, 0, 0]}, ModelError,
     "softmax: 'softmax' of x[b=1 s=2 d=3], y[d=3] to 'b s d' has no meaning here; give it one: "
     "functions={'softmax': f} with f(*arrays)"),
    (pointwise(x, kind="softmax", to="b s"), {"x": X}, ModelError,
     "softmax: 'softmax' of x[b=1 s=2 d=3] to 'b s' has no meaning here; give it one: "
     "functions={'softmax': f} with f(*arrays)"),
    (SCALED, {"x": X, "functions": {"scale": lambda x: x[0]}}, ShapeError,
     "scale: functions['scale']: an array [b=1 s=2 d=3] is needed, not one of shape (2, 3)"),
    (SCALED, {"x": X, "functions": {"scale": lambda x: x / 2.0}}, SymcountError,
     "scale: functions['scale'] gave floats in an exact run; give floats to it all, or Fractions here"),
    *((within("a", lambda x, kind=kind: pointwise(x, kind=kind, name="f"), tensor(d=2)), {"x": row}, SymcountError,
       f"a.f: {kind} of ({shown}) has no exact value: give floats, or functions={{'{kind}': f}}")
      for kind, row, shown in (("softmax", [1, 2], "1, 2"), ("sigmoid", [0, HALF], "1/2"), ("tanh", [1, 0], "1"),
                               ("gelu", [0, -1], "-1"), ("silu", [1, 1], "1"), ("rms_norm", [1, 2], "1, 2"),
                               ("layer_norm", [3, 3], "3, 3"))),
    (attend(2, 2, Mask(causal=True, window=0)), {"q": [[1.0, 1]] * 2, "k": [[1, 1]] * 2, "v": [[1, 1]] * 2},
     SymcountError, "softmax: softmax of (-inf, -inf) has no value: mask less, or functions={'softmax': f}"),
    (attend(2, 2, Mask(window=1)), {"q": [[1, 1]] * 2, "k": [[1, 1]] * 2, "v": [[1, 1]] * 2}, SizeError,
     "a window without a causal mask has no count here; say Mask(causal=True, window=…)"),
    (contract(contract(tensor("q", s=2), tensor("k", t=2), to="s t", name="scores", mask=Mask(causal=True)),
              tensor("v", t=2), to="s", name="mix"), {"q": [1, 1], "k": [1, 1], "v": [1, 1]}, SymcountError,
     "mix: -infinity, the score of a pair that does not count, would be multiplied; "
     "give this product the mask as well, or a softmax before it"),
    (ended(), {"x": [1], "weights": lambda path, run: [1] if path.endswith("bias") else [[1]]}, ShapeError,
     "a.block.up.weight: its mark is of 'a', whose runs are over; make it outside"),
    (cached(tensor(s=2, d=1), "key", s=("t", 3)), {"x": line(1, 2)}, ModelError,
     "the weight 'key' is missing: an array [t=1 d=1]"),
]


@pytest.mark.parametrize(("subject", "numbers", "kind", "text"), REFUSED, ids=[row[-1][:60] for row in REFUSED])
def test_what_is_refused(subject, numbers, kind, text):
    with pytest.raises(SymcountError) as refusal:
        evaluate(model(subject) if isinstance(subject, str) else subject, **numbers)
    assert (type(refusal.value), str(refusal.value)) == (kind, text)


NOT_THERE = [
    ("layer3",                ModelError, "run['layer3']: nothing was made there; did you mean 'layer2'?"),
    (("layer1", "relu"),      ModelError, "run[('layer1', 'relu')]: nothing was made there; known: bias, contract"),
]


@pytest.mark.parametrize(("key", "kind", "text"), NOT_THERE)
def test_what_a_run_has_not(key, kind, text):
    with pytest.raises(kind) as refusal:
        evaluate(model("mlp:2-2-1"), **LESSON_X)[key]
    assert str(refusal.value) == text


def test_the_given_function_goes_before_ours():
    run = evaluate(model("mlp:2-2-1"), functions={"relu": lambda x: -x}, **LESSON_X)
    assert (run.exact, run["activation1"].tolist(), run.result.tolist()) == (True, [[2, -3]], [[0]])
    assert evaluate(SCALED, x=X, functions={"scale": lambda x: x * HALF}).result.tolist() == [
        [[HALF, 1, 3*HALF], [2, 5*HALF, 3]]]


def test_large_arrays_are_shown_by_their_axes():
    net = linear(tensor(b=5, d=5), "up", h=1, bias=False)
    run = evaluate(net, x=np.eye(5), weights={"up.weight": np.ones((5, 1))/3})
    assert repr(run) == ("network: floats\n  x   input     [b=5 d=5]\n"
                         "  up  contract  [[0.333333], [0.333333], [0.333333], [0.333333], [0.333333]]")
    assert isinstance(run, Run)


def test_without_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(SymcountError) as refusal:
        evaluate(model("mlp:2-2-1"), **LESSON_X)
    assert str(refusal.value) == "evaluate needs NumPy: pip install 'symcount[evaluate]'"


def test_the_reader_imports_numpy_only_when_it_runs():
    script = "import sys, symcount.readers.evaluation; print([m for m in ('numpy', 'sympy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


# ---------------------------------------------------------------- against transformers: -m live

# ours: theirs, a `*` for the number of a layer; where theirs is three in one, which of them
GPT2 = {
    "embeddings.word.weight": "transformer.wte.weight", "embeddings.position.weight": "transformer.wpe.weight",
    "layers.attention_norm": "transformer.h.*.ln_1", "layers.mlp_norm": "transformer.h.*.ln_2",
    **{f"layers.attention.{name}": ("transformer.h.*.attn.c_attn", i)
       for i, name in enumerate(("query", "key", "value"))},
    "layers.attention.output": "transformer.h.*.attn.c_proj",
    "layers.mlp.up": "transformer.h.*.mlp.c_fc", "layers.mlp.down": "transformer.h.*.mlp.c_proj",
    "norm": "transformer.ln_f",
}
BERT = {
    "embeddings.word.weight": "embeddings.word_embeddings.weight",
    "embeddings.position.weight": "embeddings.position_embeddings.weight",
    "embeddings.type.weight": "embeddings.token_type_embeddings.weight", "embeddings.norm": "embeddings.LayerNorm",
    **{f"layers.attention.{name}": f"encoder.layer.*.attention.self.{name}" for name in ("query", "key", "value")},
    "layers.attention.output": "encoder.layer.*.attention.output.dense",
    "layers.attention_norm": "encoder.layer.*.attention.output.LayerNorm",
    "layers.mlp.up": "encoder.layer.*.intermediate.dense", "layers.mlp.down": "encoder.layer.*.output.dense",
    "layers.mlp_norm": "encoder.layer.*.output.LayerNorm", "pooler": "pooler.dense",
}
LLAMA = {
    "embeddings": "model.embed_tokens", "norm": "model.norm", "head": "lm_head",
    "layers.attention_norm": "model.layers.*.input_layernorm",
    "layers.mlp_norm": "model.layers.*.post_attention_layernorm",
    **{f"layers.attention.{ours}": f"model.layers.*.self_attn.{theirs}_proj" for ours, theirs in (
        ("query", "q"), ("key", "k"), ("value", "v"), ("output", "o"))},
    **{f"layers.mlp.{name}": f"model.layers.*.mlp.{name}_proj" for name in ("gate", "up", "down")},
}
LIVE = {  # family: class, ours, configuration, names
    "gpt2": ("GPT2LMHeadModel", "gpt2:V=23,d=12,h=10,P=9,L=3,heads=4", GPT2, {
        "vocab_size": 23, "n_embd": 12, "n_inner": 10, "n_positions": 9, "n_layer": 3, "n_head": 4,
        "activation_function": "gelu", "bos_token_id": 0, "eos_token_id": 0}),
    "bert": ("BertModel", "bert:V=23,d=12,h=10,P=9,L=3,heads=4,types=23", BERT, {
        "vocab_size": 23, "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 9,
        "num_hidden_layers": 3, "num_attention_heads": 4, "type_vocab_size": 23, "layer_norm_eps": 1e-5}),
    "llama": ("LlamaForCausalLM", "llama:V=23,d=12,h=10,L=3,heads=6,kv=2,k=4,attention_bias=true", LLAMA, {
        "vocab_size": 23, "hidden_size": 12, "intermediate_size": 10, "num_hidden_layers": 3, "num_attention_heads": 6,
        "num_key_value_heads": 2, "head_dim": 4, "attention_bias": True, "rms_norm_eps": 1e-5, "pad_token_id": 0}),
}


def copied(ours, wanted, names, theirs, in_by_out):
    """A weight of theirs in our shape; queries are divided by √k, which they do to the scores."""
    base, leaf = (ours, "") if ours in names else ours.rsplit(".", 1)
    found = names[base]
    found, third = found if isinstance(found, tuple) else (found, None)
    repeated = "*" in found
    arrays = []
    for i in range(wanted[0] if repeated else 1):
        array = theirs[f"{found.replace('*', str(i))}{'.' * bool(leaf)}{leaf}"]
        table = "embed" in found or "wte" in found or "wpe" in found
        array = array.T if array.ndim == 2 and not table and not in_by_out else array
        array = array if third is None else np.split(array, 3, -1)[third]
        arrays.append(array.reshape(wanted[1:] if repeated else wanted))
    made = np.stack(arrays) if repeated else arrays[0]
    return made / made.shape[-1]**0.5 if ours.startswith("layers.attention.query.") else made


@pytest.mark.live
@pytest.mark.parametrize("family", LIVE)
def test_against_transformers(family):
    torch = pytest.importorskip("torch", reason="the live tests need the extra 'live'")
    transformers = pytest.importorskip("transformers", reason="the live tests need the extra 'live'")
    cls, name, names, settings = LIVE[family]
    torch.manual_seed(4)
    config = transformers.CONFIG_MAPPING[family](**settings)
    network = getattr(transformers, cls)._from_config(config, attn_implementation="eager").eval().double()
    with torch.no_grad():
        for parameter in network.parameters():  # as they come, biases are 0 and norms 1
            parameter.copy_(torch.randn_like(parameter) / 2)
    theirs = {key: array.detach().numpy() for key, array in network.named_parameters()}
    ids = torch.randint(0, 23, (2, 7))
    with torch.no_grad():
        told = {"token_type_ids": ids} if family == "bert" else {"use_cache": False}
        expected = network(ids, **told)
    one = model(name, head=cls)
    weights = {ours: copied(ours, wanted, names, theirs, in_by_out=family == "gpt2")
               for ours, wanted in shapes(one.network(), one.values).items()}
    assert sum(array.size for array in weights.values()) == sum(array.size for array in theirs.values())
    inputs = {op.name: ids.numpy() for op in walk(one.network()) if op.verb == "input"}
    run = evaluate(one, weights=weights, functions={"rotary": rotary} if family == "llama" else None, **inputs)
    made = run.result if isinstance(run.result, tuple) else (run.result,)
    for ours, hers in zip(made, expected.to_tuple(), strict=True):
        assert ours == pytest.approx(hers.numpy(), abs=1e-5)
