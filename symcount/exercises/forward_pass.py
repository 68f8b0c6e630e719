"""a forward pass with a ReLU, by hand.

H = XW₁ + b₁, then every negative number of it becomes 0, then W₂ and b₂.
"""

from __future__ import annotations

from symcount.answers import Amount, Rows
from symcount.exercise import Exercise, paragraph
from symcount.exercises._rows import computed, drawn, entries, valued
from symcount.theorems.layer_collapse import layers_read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.drawing import Draw
    from symcount.exercises._rows import Matrix


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 has one row and one output, level 2 more of everything, level 3 a batch of rows."""
    rows, d, h, m = {1: (1, 2, 2, 1), 2: (1, 3, 3, 2), 3: (2, 2, 3, 2)}[level]
    terms = {name: term for name, (_, term) in layers_read(2, "relu").items()}
    letters = {name: letter for name, (letter, _) in layers_read(2, "relu").items()}
    hidden, active, out = terms
    while True:
        given: dict[str, Matrix] = {"X": drawn(draw, rows, d), "W_1": drawn(draw, d, h), "b_1": drawn(draw, 1, h),
                                    "W_2": drawn(draw, h, m), "b_2": drawn(draw, 1, m)}
        found = valued(terms, given, rows)
        without = valued({hidden: terms[hidden], active: letters[hidden], out: terms[out]}, given, rows)
        if all(min(row) < 0 < max(row) for row in found[hidden]) and without[out] != found[out] and (
                all(abs(x) > 1 for row in found[out] for x in row)):
            break
    one = rows == m == 1
    answer: Any = Amount(found[out][0][0]) if one else Rows(found[out])
    shown = {"X": "the row" if rows == 1 else "a batch of two rows,"}
    asks = (f"A network has two dense layers, {d} inputs, {h} hidden units and {m} output{'s' if m > 1 else ''}, "
            f"and a ReLU between the layers. Its input is {shown['X']} X.",
            paragraph("{X=}; {W_1=} and {b_1=}; {W_2=} and {b_2=}.", **given),
            "What does it give?" if one else "What does it give? Answer row by row.")

    def made(matrix: Matrix) -> Any:
        return Amount(matrix[0][0]) if one else Rows(matrix)

    bare = valued(terms, {**given, "b_1": [[0] * h], "b_2": [[0] * m]}, rows)
    late = [[max(0, x) for x in row] for row in without[out]]
    ends = [[max(0, x) for x in row] for row in found[out]]
    missing = valued(terms, {**given, "b_2": [[0] * m]}, rows)

    def steps() -> list[Any]:
        return [paragraph("In what follows `1` is a column of ones: it puts a bias into every row."),
                *entries("XW₁ + b₁", (given["X"], given["W_1"]), given["b_1"], found[hidden]),
                computed(letters[hidden], terms[hidden], found[hidden]),
                computed(letters[active], terms[active], found[active]),
                *entries("output", (found[active], given["W_2"]), given["b_2"], found[out]),
                computed(letters[out], terms[out], found[out])]

    return Exercise(asks, answer, steps, (
        "First XW₁, entry by entry, and b₁ to every row of it.",
        "Then the ReLU: negative numbers become 0, positive ones stay. Only then comes the second layer.",
        "The output has no ReLU: it may be negative."), (
            (made(without[out]), "the ReLU is forgotten"), (made(missing[out]), "the last bias is forgotten"),
            (made(bare[out]), "the biases are forgotten"),
            (made(late), "the ReLU stands between the layers, not behind both"),
            (made(ends), "behind the last layer there is no ReLU")))
