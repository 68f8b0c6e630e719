"""Networks, numbers and hand-worked answers that the tests of evaluation share."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symcount import network
from symcount.layers import linear
from symcount.network import (
    contract,
    pointwise,
    tensor,
)
from symcount.scopes import repeats
from symcount.sizes import same, value

np = pytest.importorskip("numpy", reason="evaluation needs NumPy, which the extra 'evaluate' installs")

HALF = Fraction(1, 2)
LESSON = {"layer1.weight": [[1, 2], [-1, 1]], "layer1.bias": [0, 1], "layer2.weight": [[2], [1]], "layer2.bias": [-1]}
X = [[[1, 2, 3], [4, 5, 6]]]
x, y = tensor(b=1, s=2, d=3), tensor("y", b=1, s=2, d=3)
A, B, C = (2, 1), (3, -1), (5, 7)  # w and b of a step


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


def step(x, name="up"):
    """wx + b of one number, so that the order of two steps is seen."""
    return linear(x, name, d=1)


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


def attend(s, t, mask):
    scores = contract(tensor("q", s=s, k=2), tensor("k", t=t, k=2), to="s t", name="scores", mask=mask)
    return contract(pointwise(scores, kind="softmax"), tensor("v", t=t, k=2), to="s k", name="mix", mask=mask)
