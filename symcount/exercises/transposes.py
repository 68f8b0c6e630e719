"""which transposes make matrices fit.

The gradient of a matrix has the shape of the matrix, and only one arrangement of what is there gives it.
"""

from __future__ import annotations

from itertools import product

from symcount.algebra.making import matrix
from symcount.answers import Picked, Shape
from symcount.derivation import Quoted
from symcount.errors import ShapeError
from symcount.exercise import Exercise
from symcount.exercises._rows import described

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.drawing import Draw

_NAMES = "ABC"
_HINTS = ("Write the shape above each factor of each line; neighbouring inner sizes have to be equal.",
          "All sizes that are given differ, so a side can only meet the one side that is as long.")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 has two matrices, level 2 three, level 3 gradients."""
    if level == 3:
        return _gradient(draw)
    n = 1 + level
    sides = draw.some(n + 1, range(2, 16))
    turned = [draw.below(2) for _ in range(n)]
    given = [matrix(name, *((b, a) if t else (a, b))) for name, a, b, t in zip(
        _NAMES, sides, sides[1:], turned, strict=False)]
    lines = [[(one.name, t) for one, t in zip(given, each, strict=True)] for each in product((0, 1), repeat=n)]
    if level == 1:
        lines += [[(one.name, t) for one, t in zip(reversed(given), each, strict=True)] for each in ((0, 1), (1, 0))]
    right = [(one.name, t) for one, t in zip(given, turned, strict=True)]
    others = [line for line in lines if line != right and _made(line, given) is None]
    chosen = draw.some(3 + level, others)
    chosen.insert(draw.below(len(chosen) + 1), right)
    asks = (*described(given), ". Only one of these products is defined:")
    return _asked((asks,), chosen, right, given,
                  "Which one is it, and what is its shape?", _HINTS)


def _gradient(draw: Draw) -> Exercise:
    """The gradient of one of two matrices in Y = XUV, from that of Y."""
    batch, d, m, n = draw.some(4, range(2, 16))
    x, u, v, y, g = (matrix(name, a, b) for name, a, b in (
        ("X", batch, d), ("U", d, m), ("V", m, n), ("Y", batch, n), ("G", batch, n)))
    if draw.below(2):
        what, right, given = "U", [("X", 1), ("G", 0), ("V", 1)], [x, v, g]
        lines = [[("V", 0), ("G", 1), ("X", 0)], [("X", 1), ("V", 1), ("G", 0)], [("G", 0), ("V", 1), ("X", 1)],
                 [("X", 0), ("G", 1), ("V", 0)], [("V", 1), ("X", 0), ("G", 1)], [("G", 1), ("X", 0), ("V", 1)]]
        beside = (v, f" is {m} × {n}")
    else:
        what, right, given = "V", [("U", 1), ("X", 1), ("G", 0)], [x, u, g]
        lines = [[("G", 1), ("X", 0), ("U", 0)], [("X", 1), ("U", 1), ("G", 0)], [("X", 0), ("U", 0), ("G", 1)],
                 [("U", 0), ("X", 0), ("G", 1)], [("G", 0), ("U", 1), ("X", 1)], [("U", 1), ("X", 0), ("G", 0)]]
        beside = (u, f" is {d} × {m}")
    chosen = draw.some(5, lines)
    chosen.insert(draw.below(6), right)
    told = ("A network without a nonlinearity computes ", y, " = ", x * u * v, " for a batch ", x, ". ", x,
            f" is {batch} × {d}, ", *beside, ", and the gradient ", g, " of the loss with respect to ",
            y, f" is {batch} × {n}.")
    return _asked((told,), chosen, right, given,
                  f"Which of these is the gradient with respect to {what}, and what is its shape?", (
                      f"The gradient has the shape of {what}: find that first, from the shapes around it.",
                      "Each of the lines has three factors: multiply out the shapes from left to right. "
                      "One line may be defined and have its two sizes the wrong way round."))


def _asked(before: tuple[Any, ...], chosen: Any, right: Any, given: Any, asks: str, hints: Any) -> Exercise:
    letters = "abcdefgh"[:len(chosen)]
    term = _made(right, given)
    place = letters[chosen.index(right)]
    lines = Quoted(tuple((letter, (_shown(line),))
                         for letter, line in zip(letters, chosen, strict=True)))
    answer = Picked(place, Shape((term.rows, term.columns)))

    def steps() -> list[Any]:
        found: list[Any] = []
        for letter, line in zip(letters, chosen, strict=True):
            made = _made(line, given)
            shapes = " times ".join(f"{rows} × {columns}" for rows, columns in _sides(line, given))
            fits = f"defined, {made.rows} × {made.columns}" if made else "not defined"
            found.append((f"({letter}) {shapes}: {fits}",))
        return found

    return Exercise((*before, lines, asks), answer, steps, hints, (
        (Picked(place, Shape((term.columns, term.rows))), "the right line, but its shape is the other way round"),))


def _shown(line: Any) -> Any:
    """A product as it is written, whether it is defined or not."""
    result = None
    for name, turned in line:
        square = matrix(name, "n", "n")
        factor = square.T if turned else square
        result = factor if result is None else result * factor
    return result


def _sides(line: Any, given: Any) -> list[tuple[Any, Any]]:
    of = {one.name: (one.rows, one.columns) for one in given}
    return [of[name][::-1] if turned else of[name] for name, turned in line]


def _made(line: Any, given: Any) -> Any:
    """The product of a line; None where it is not defined."""
    of = {one.name: one for one in given}
    try:
        result = None
        for name, turned in line:
            factor = of[name].T if turned else of[name]
            result = factor if result is None else result * factor
    except ShapeError:
        return None
    return result
