"""broadcasting: the shape of a sum of arrays, or an error.

Shapes are aligned at their last axes; two sizes agree when they are equal or one of them is 1.
Source: the documentation of NumPy, "Broadcasting".
"""

from __future__ import annotations

from symcount.answers import Shape, sizes
from symcount.exercise import Exercise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.drawing import Draw


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 adds two arrays, level 2 three of up to four axes, level 3 three of which two have all axes."""
    rank = 3 if level == 1 else 4
    whole = draw.some(rank, range(2, 13))
    ranks = (3, 2) if level == 1 else (4, 3, 2) if level == 2 else (4, 4, 3)
    shapes = [[whole[rank - n + i] for i in range(n)] for n in ranks]
    for axis in range(rank):  # one or more of the arrays that have an axis are stretched along it
        having = [shape for shape in shapes if len(shape) >= rank - axis]
        spread = draw.one(having)
        for shape in having:
            more = shape is spread or (len(having) > 2 and shape is not having[0] and draw.below(3) == 0)
            if more and sum(one[axis - rank] > 1 for one in having) > 1:
                shape[axis - rank] = 1
    broken = draw.below(4) == 0
    if broken:
        many = [axis for axis in range(1, rank)
                if sum(len(shape) >= rank - axis and shape[axis - rank] > 1 for shape in shapes) > 1]
        axis = draw.one(many or range(1, rank))
        having = [shape for shape in shapes if len(shape) >= rank - axis and (not many or shape[axis - rank] > 1)]
        for i, shape in enumerate(having):
            shape[axis - rank] = whole[axis] + i
    shapes = [shapes[i] for i in draw.some(len(shapes), range(len(shapes)))]
    found = _broadcast(shapes)
    names = "XYZ"[:len(shapes)]
    told = "; ".join(f"{name} has the shape ({', '.join(map(str, shape))})"
                     for name, shape in zip(names, shapes, strict=True))
    asks = (f"Arrays are added by the rules of NumPy: {told}.",
            f"What is the shape of {' + '.join(names)}, or is it an error?")
    front = [max(column) for column in zip(*([*[1] * (rank - len(shape)), *shape] for shape in shapes), strict=True)]
    left = [max((shape[i] for shape in shapes if len(shape) > i), default=1) for i in range(rank)]
    return Exercise(asks, Shape(tuple(found)), lambda: _told(names, shapes, rank), (
        "Write the shapes below each other, aligned at the right; missing axes count as 1.",
        "In each column all sizes must be equal, but for ones: those are stretched. What is the rule if two sizes are "
        "neither equal nor 1?"), tuple((Shape(tuple(wrong)), says) for wrong, says in (
            (front, "two sizes of a column are neither equal nor 1" if not found else "look at the columns again"),
            (left, "shapes are aligned at their last axes, not at their first"),
            ((), "sizes of 1 are stretched, and missing axes count as 1"))))


def _broadcast(shapes: Any) -> list[int]:
    """The common shape, [] where there is none."""
    rank = max(map(len, shapes))
    found = []
    for axis in range(-rank, 0):
        here = {shape[axis] for shape in shapes if len(shape) >= -axis} - {1}
        if len(here) > 1:
            return []
        found.append(max(here, default=1))
    return found


def _told(names: str, shapes: Any, rank: int) -> list[Any]:
    lines: list[Any] = []
    for axis in range(-rank, 0):
        agreed = {shape[axis] for shape in shapes if len(shape) >= -axis} - {1}
        says = ", ".join(f"{name} {shape[axis]}" if len(shape) >= -axis else f"{name} has none"
                         for name, shape in zip(names, shapes, strict=True))
        agreement = f"{max(agreed, default=1)}" if len(agreed) < 2 else "no agreement"
        lines.append((f"axis −{-axis}: {says}: {agreement}",))
    found = _broadcast(shapes)
    return [*lines, ("so the shape is " + sizes(found) if found else "so it is an error",)]
