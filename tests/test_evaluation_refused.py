"""Evaluation: every refusal, and what a run shows."""

from __future__ import annotations

import subprocess
import sys

import pytest

from networks import HALF, LESSON, X, attend, line, step, x, y
from symcount import Mask, Shared, evaluate, letter, model, within
from symcount.errors import ModelError, ShapeError, SizeError, SymcountError
from symcount.layers import linear
from symcount.network import (
    cached,
    contract,
    lookup,
    pointwise,
    select,
    tensor,
)
from symcount.readers.evaluation import Run

np = pytest.importorskip("numpy", reason="evaluation needs NumPy, which the extra 'evaluate' installs")


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
