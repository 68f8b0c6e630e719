"""Activations of repeated parts, against the same network written out run by run, for random bodies."""

from __future__ import annotations

from random import Random

import pytest

from symcount import ModelError, SymcountError, letter
from symcount.layers import linear, norm
from symcount.ledger import Ledger
from symcount.network import contract, pointwise, tensor, weight, within
from symcount.readers.activations import activations

L = letter("L")
WIDTH = 8


def drawn(draw, states, n, *, nested):
    """A body of some operations on its states and one tensor from outside, which returns as many states.

    All that comes in has part in what is returned, as it is or added up; what is returned is kept inside, or not.
    """
    kinds = ["gelu", "tanh", "relu", "add", "norm", "map", "multiply", "dropout", "frozen", *["nest"] * nested]
    steps = [(draw.choice(kinds), draw.randrange(99), draw.randrange(99)) for _ in range(n)]
    ends = [(draw.choice(["", "tanh", "relu", "gelu", "dropout", "as it came"]), draw.randrange(n), draw.random() < 0.2)
            for _ in range(states)]
    inner = drawn(draw, 1, 2, nested=0) if nested else None

    def body(*xs, outer):
        values = [pointwise(*xs, outer, kind="add", name="all"), outer, *xs]
        for name, (kind, i, j) in enumerate(steps):
            x, y = values[i % len(values)], values[j % len(values)]
            values.append(
                norm(x, f"norm{name}") if kind == "norm" else
                linear(x, f"map{name}", d=WIDTH) if kind == "map" else
                contract(x, weight(f"w{name}", stored="frozen", d=WIDTH), to="s d", name=f"scale{name}")
                if kind == "frozen" else
                within(f"nest{name}", inner, x, outer=y, runs=2) if kind == "nest" else
                pointwise(*(x, y) if kind in ("add", "multiply") else (x,), kind=kind, name=f"{kind}{name}"))
        returned = []
        for i, (kind, at, twice) in enumerate(ends):
            y = pointwise(values[0], values[-1 - at], kind="add", name=f"sum{i}")
            y = xs[i] if kind == "as it came" else pointwise(y, kind=kind, name=f"end{i}") if kind else y
            returned.append(returned[-1] if twice and returned and kind else y)
        return tuple(returned) if states > 1 else returned[0]
    return body


def network(seed, runs, *, unrolled, nested=0):
    """What a loop makes, and what is done with it and with what it is given; inputs with a gradient or without."""
    draw = Random(seed)
    states = draw.choice([1, 1, 2, 3])
    body = drawn(draw, states, draw.randint(1, 5), nested=nested)
    outer, *xs = (linear(x, f"in{i}", d=WIDTH) if draw.random() < 0.7 else x
                  for i, x in enumerate(tensor(f"x{i}", s=3, d=WIDTH) for i in range(states + 1)))
    used = [draw.random() < 0.5 for _ in range(2 * states + 1)]
    if unrolled:
        ys = tuple(xs)
        for i in range(runs):
            ys = within(f"run{i}", body, *ys, outer=outer)
            ys = ys if isinstance(ys, tuple) else (ys,)
    else:
        ys = within("loop", body, *xs, outer=outer, runs=runs)
        ys = ys if isinstance(ys, tuple) else (ys,)
    ends = [pointwise(x, kind="gelu", name=f"end{i}") if use else x
            for i, (x, use) in enumerate(zip([outer, *xs, *ys], used, strict=True))]
    return tuple(linear(x, f"out{i}", d=WIDTH) if draw.random() < 0.5 else x for i, x in enumerate(ends))


@pytest.mark.parametrize("nested", [0, 3])
@pytest.mark.parametrize("seed", range(120))
def test_a_loop_keeps_what_its_runs_keep(seed, nested):
    """Of random bodies, over ints and over a letter; what is not counted is refused, and never counted wrongly."""
    try:
        open_ = activations(network(seed, L, unrolled=False, nested=nested))
    except ModelError as refused:
        assert any(why in str(refused) for why in NOT_COUNTED)  # noqa: PT017 - it need not be refused
        return
    for n in (0, 1, 2, 3, 5):
        truth = activations(network(seed, n, unrolled=True, nested=nested)).total
        try:
            assert activations(network(seed, n, unrolled=False, nested=nested)).total == truth
            assert Ledger("byte", open_.terms, {"L": n}, bounds=open_.bounds).total == truth
        except SymcountError:
            assert n < 2


NOT_COUNTED = ("which it did not make", "some runs keep less than others", "what the next run is given has none")


def test_few_loops_are_refused():
    refused = 0
    for seed in range(120):
        try:
            activations(network(seed, L, unrolled=False))
        except ModelError:
            refused += 1
    assert refused < 6
