"""the shape of what comes out of products and layers.

An m × n matrix times an n × p one is m × p; (AB)ᵀ is BᵀAᵀ.
"""

from __future__ import annotations

from symcount.algebra.making import matrix
from symcount.answers import Shape, sizes
from symcount.exercise import Exercise
from symcount.exercises._rows import described
from symcount.layers.convolution import conv2d, pool
from symcount.network import merge, tensor
from symcount.sizes import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.drawing import Draw

_NAMES = "ABCDE"


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 multiplies three matrices, level 2 four with a transposed bracket, level 3 follows an image."""
    if level == 3:
        return _image(draw)
    n = 2 + level
    sides = draw.some(n + 1, range(2, 14))
    factors, letters = [], []
    for i, name in enumerate(_NAMES[:n]):
        turned = draw.below(2) if level == 1 or i > 1 else 0
        rows, columns = (sides[i + 1], sides[i]) if turned else (sides[i], sides[i + 1])
        letters.append(matrix(name, rows, columns))
        factors.append(letters[-1].T if turned else letters[-1])
    if level == 1:
        inner = factors[0] * factors[1] * factors[2]
        term = inner.T if draw.below(2) else inner
    else:  # what is turned over as a whole, so that it leads from the first side to the third
        a, b = (matrix(name, rows, columns) for name, rows, columns in (
            ("A", sides[2], sides[1]), ("B", sides[1], sides[0])))
        letters[:2] = [a, b]
        term = (a * b).T * factors[2] * factors[3]
        term = term.T if draw.below(2) else term
    answer = Shape((term.rows, term.columns))
    return Exercise(((*described(letters), "."), ("What is the shape of ", term, "?")), answer, lambda: _told(term), (
        "Write the shape above each factor, that of a transpose with its two sizes exchanged.",
        "Neighbouring inner sizes are equal and vanish; the first and the last are left. A transpose around a bracket "
        "exchanges these two at the end."), (
            (Shape((term.columns, term.rows)), "the order is reversed: mind the transposes"),))


def _told(term: Any) -> list[Any]:
    """The shape of every part, from the inside out."""
    found: list[Any] = []

    def visit(part: Any) -> None:
        for inner in part.parts:
            visit(inner)
        if part.parts:
            found.append((part, f" is {part.rows} × {part.columns}"))

    visit(term)
    return found


def _image(draw: Draw) -> Exercise:
    """A batch of images through a convolution and pooling to rows, as the layers of the library have it."""
    batch, side, w, c = draw.between(3, 40), draw.between(10, 48) * 2, draw.one((3, 5, 7)), draw.between(5, 40)
    colours, places = draw.one((1, 3)), side - w + 1
    side, places = (side + 1, places + 1) if places % 2 else (side, places)  # halves are whole
    x = tensor(b=batch, i=side, j=side, c=colours)
    y = conv2d(x, "convolution", w=w, c=c)
    halved = pool(y, "pool", w=2)
    row = merge(halved, n="i j c")
    answer = Shape(tuple(value(row.axes[axis], {}) for axis in ("b", "n")))
    half = places // 2
    asks = (f"{batch} images of {side} × {side} pixels with {colours} channel{'s' if colours > 1 else ''} go through a "
            f"convolution with {c} kernels of {w} × {w}, in steps of 1 and without zeros around the images. "
            "Of every 2 × 2 block of what comes out the largest number is kept. "
            "Then each image is flattened to one row.",
            "What is the shape of the matrix of all rows?")

    def steps() -> list[Any]:
        return [(f"{name} ", sizes([value(size, {}) for size in one.axes.values()])) for name, one in (
            ("images:", x), ("after the convolution:", y), ("after the pooling:", halved), ("flattened:", row))]

    return Exercise(asks, answer, steps, (
        "How many places does the kernel take in one direction? It must fit in whole.",
        "Pooling halves both sides. A row has all that is left of an image: side · side · channels."), (
            (Shape((batch, (side // 2) ** 2 * c)), "without zeros around it an image becomes smaller"),
            (Shape((batch, half * half)), "every kernel gives a channel"),
            (Shape((batch, half * half * c * colours)), "a kernel reads all channels and makes one of them"),
            (Shape((batch, places * places * c)), "pooling halves both sides"),
            (Shape((batch, places * half * c)), "pooling halves both sides"),
            (Shape((batch, half, half, c)), "flattened, each image is one row")))
