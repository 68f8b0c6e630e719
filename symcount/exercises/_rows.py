"""What exercises share that compute with small matrices by hand."""

from __future__ import annotations

from symcount.algebra.values import Point
from symcount.derivation import Chain, Equation, Figure, Line
from symcount.forms import Number, Product, Sum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from symcount.algebra.terms import Letter
    from symcount.drawing import Draw

    Matrix = list[list[int]]


def described(letters: Sequence[Letter]) -> tuple[Any, ...]:
    """What shape each matrix has: pieces of a sentence without its end."""
    found: list[Any] = []
    for one in letters:
        found += [*(["; "] if found else []), one, f" is {one.rows} × {one.columns}"]
    return tuple(found)


def drawn(draw: Draw, rows: int, columns: int, most: int = 4) -> Matrix:
    """A matrix of small whole numbers."""
    return [[draw.between(-most, most) for _ in range(columns)] for _ in range(rows)]


def valued(terms: dict[str, Any], given: dict[str, Matrix], ones: int = 1) -> dict[str, Matrix]:
    """What each of these terms is, of which one may use those before it; `ones` is the number of rows of the input."""
    point = Point({"n": ones}, dict(given))
    for name, term in terms.items():
        point.matrices[name] = [[int(x) for x in row] for row in point.of(term)]
    return {name: point.matrices[name] for name in terms}


def computed(letter: Any, term: Any, value: Matrix) -> Chain:
    """The letter, what it is, and its value."""
    return Chain("", (Line(letter, ()), Line(term, ()), Line(Figure(value), ())))


def entries(name: str, factors: tuple[Matrix, Matrix], added: Matrix | None, value: Matrix) -> list[Equation]:
    """Every entry of a product, and of what is added to each of its rows, as a sum of products that is checked."""
    one, other = factors
    found = []
    for i, row in enumerate(one):
        for j, column in enumerate(zip(*other, strict=True)):
            terms: list[tuple[int, Any]] = [(1, Product((signed(a), signed(b))))
                                            for a, b in zip(row, column, strict=True)]
            terms += [(-1 if added[0][j] < 0 else 1, Number(abs(added[0][j])))] if added else []
            form = Sum(tuple(terms))
            where = f"row {i + 1}, " if len(value) > 1 else ""
            found.append(Equation(f"{name}, {where}column {j + 1}", [form, signed(value[i][j])], of=value[i][j]))
    return found


def signed(number: int) -> Any:
    """A number as a form, the sign as a sum has it: a factor less than nothing stands in brackets."""
    return Sum(((-1, Number(-number)),)) if number < 0 else Number(number)
