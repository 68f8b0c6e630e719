"""The functions that stand between linear maps: what each does to numbers, and what a proof may use of it.

A proof knows a function only by its laws; a counterexample and an evaluation use its values.

    elementwise   f of each number:  f(XP) = f(X)P and f(PX) = P f(X) for a permutation P,  f(Xᵀ) = f(X)ᵀ
    rowwise       f of each row:     f(PX) = P f(X) for a permutation P
    symmetric     f(XP) = f(X)P for a permutation P of what stands in the rows
    isotropic     f(XQ) = f(X)Q for an orthogonal Q
    homogeneous   f(XD) = f(X)D for a diagonal D of positive numbers
    shift         f(X + c1ᵀ) = f(X) for a column c
    stochastic    f(X)1 = 1: each row sums to 1

Source: softmax, sigmoid and tanh as in every textbook; Hendrycks and Gimpel 2016 (GELU); Elfwing et al. 2018 (SiLU);
Ba et al. 2016 (LayerNorm); Zhang and Sennrich 2019 (RMSNorm).
"""

from __future__ import annotations

from collections import namedtuple

from symcount.errors import ModelError, clipped, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction
    from typing import Any

# laws: the words above; exact: a row of fractions to a row of fractions, None where one is not rational;
# real: a row of floats to a row of floats; unit: what an argument of `exact` is measured in, "" for 1
Function = namedtuple("Function", "name laws exact real unit")


def function(name: str) -> Function:
    """The function of this name; ModelError for another.

    >>> function("relu").exact([-2, 3])
    [0, 3]
    """
    if name not in FUNCTIONS:
        raise ModelError(f"unknown function '{clipped(name)}'; {nearest(name, list(FUNCTIONS))}")
    return FUNCTIONS[name]


def _relu(row: Sequence[Any]) -> list[Any]:
    return [max(x, 0) for x in row]


def _square_relu(row: Sequence[Any]) -> list[Any]:
    return [max(x, 0) ** 2 for x in row]


def _power_of_two(x: Fraction) -> Fraction | None:
    from fractions import Fraction

    return Fraction(2) ** int(x) if x.denominator == 1 and abs(x) <= 64 else None


def _softmax_exact(row: Sequence[Fraction]) -> list[Fraction] | None:
    """In units of ln 2: 2 to the power of each, so that whole numbers stay rational."""
    powers = [_power_of_two(x) for x in row]
    if any(power is None for power in powers):
        return None
    total = sum(power for power in powers if power is not None)
    return [power / total for power in powers if power is not None]


def _softmax(row: Sequence[float]) -> list[float]:
    from math import exp

    top = max(row)
    powers = [exp(x - top) for x in row]
    return [power / sum(powers) for power in powers]


def _sigmoid_exact(row: Sequence[Fraction]) -> list[Fraction] | None:
    powers = [_power_of_two(x) for x in row]
    return None if any(power is None for power in powers) else [p / (1 + p) for p in powers if p is not None]


def _sigmoid(row: Sequence[float]) -> list[float]:
    from math import exp

    return [1 / (1 + exp(-x)) if x > -700 else 0.0 for x in row]


def _tanh_exact(row: Sequence[Fraction]) -> list[Fraction] | None:
    """tanh(x) = 2σ(2x) − 1."""
    found = _sigmoid_exact([2 * x for x in row])
    return None if found is None else [2 * y - 1 for y in found]


def _tanh(row: Sequence[float]) -> list[float]:
    from math import tanh

    return [tanh(x) for x in row]


def _only_zero(row: Sequence[Fraction]) -> list[Fraction] | None:
    return [x * 0 for x in row] if not any(row) else None


def _gelu(row: Sequence[float]) -> list[float]:
    from math import erf, sqrt

    return [x * (1 + erf(x / sqrt(2))) / 2 for x in row]


def _tanh_gelu(row: Sequence[float]) -> list[float]:
    """GELU with tanh in place of erf: Hendrycks and Gimpel 2016, section 2."""
    from math import pi, sqrt, tanh

    return [x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))) / 2 for x in row]


def _quick_gelu(row: Sequence[float]) -> list[float]:
    """The same by a sigmoid, σ(1.702x)."""
    return [x * y for x, y in zip(row, _sigmoid([1.702 * x for x in row]), strict=True)]


def _silu(row: Sequence[float]) -> list[float]:
    return [x * y for x, y in zip(row, _sigmoid(row), strict=True)]


def _root(x: Fraction) -> Fraction | None:
    from fractions import Fraction
    from math import isqrt

    x = Fraction(x)
    top, bottom = isqrt(x.numerator), isqrt(x.denominator)
    return Fraction(top, bottom) if Fraction(top * top, bottom * bottom) == x else None


def _scaled(row: Sequence[Fraction]) -> list[Fraction] | None:
    from fractions import Fraction

    root = _root(Fraction(sum(x * x for x in row)) / len(row))
    return None if not root else [x / root for x in row]  # where all are 0, the answer hangs on the small constant


def _centred(row: Sequence[Any]) -> list[Any]:
    from fractions import Fraction

    total = sum(row)
    mean = total / len(row) if isinstance(total, float) else Fraction(total) / len(row)
    return [x - mean for x in row]


def _rms_norm(row: Sequence[float]) -> list[float]:
    from math import sqrt

    return [x / sqrt(sum(y * y for y in row) / len(row) + EPSILON) for x in row]


EPSILON = 1e-5  # what floats add below the root of a norm; exact rows take none, and refuse a row of zeros

_EACH = frozenset(("elementwise",))
FUNCTIONS = {one.name: one for one in (
    Function("relu", _EACH | {"homogeneous"}, _relu, _relu, ""),
    Function("relu2", _EACH, _square_relu, _square_relu, ""),
    Function("gelu", _EACH, _only_zero, _gelu, ""),
    *(Function(name, _EACH, _only_zero, f, "") for name, f in (
        ("gelu_python", _gelu), ("gelu_new", _tanh_gelu), ("gelu_fast", _tanh_gelu), ("gelu_pytorch_tanh", _tanh_gelu),
        ("quick_gelu", _quick_gelu))),  # named as transformers names its implementations
    Function("silu", _EACH, _only_zero, _silu, ""),
    Function("sigmoid", _EACH, _sigmoid_exact, _sigmoid, "ln 2"),
    Function("tanh", _EACH, _tanh_exact, _tanh, "ln 2"),
    Function("softmax", frozenset(("rowwise", "symmetric", "shift", "stochastic")), _softmax_exact, _softmax, "ln 2"),
    Function("layer_norm", frozenset(("rowwise", "symmetric")), lambda row: _scaled(_centred(row)),
             lambda row: _rms_norm(_centred(row)), ""),
    Function("rms_norm", frozenset(("rowwise", "symmetric", "isotropic")), _scaled, _rms_norm, ""),
)}
