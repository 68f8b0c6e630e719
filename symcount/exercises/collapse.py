"""layers without a nonlinearity, collapsed into one by hand.

(XW₁ + b₁)W₂ + b₂ = X(W₁W₂) + (b₁W₂ + b₂). Source: Goodfellow, Bengio and Courville 2016, section 6.1.
"""

from __future__ import annotations

from itertools import pairwise

from symcount.algebra.making import matrix
from symcount.answers import Rows
from symcount.exercise import Exercise, paragraph
from symcount.exercises._rows import computed, drawn, entries, valued
from symcount.theorems.layer_collapse import proof

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.drawing import Draw
    from symcount.exercises._rows import Matrix

_HINTS = ("Multiply out: what stands beside X, and what does not depend on it?",
          "The weight is the product of the weights, in the order in which the input meets them.")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 asks for the weight, level 2 for weight and bias, level 3 has three layers."""
    widths = {1: (2, 2, 2), 2: draw.one(((2, 3, 2), (3, 2, 2), (2, 2, 3))), 3: (2, 2, 2, 2)}[level]
    given: dict[str, Matrix] = {}
    for i, (a, b) in enumerate(pairwise(widths), start=1):
        given |= {f"W_{i}": drawn(draw, a, b), f"b_{i}": drawn(draw, 1, b)}
    layers = len(widths) - 1
    defined = proof(layers).definitions
    named = {name: term for name, (_, term) in defined.items() if name not in given and name[0] != "H"}
    if layers == 3:
        named = {name: term for name, term in named.items() if name[0] in "Mc"}
    found = valued(named, given)
    weight, bias = ("W", "b") if layers == 2 else ("M_3", "c_3")
    if level == 1:
        given = {name: rows for name, rows in given.items() if name[0] == "W"}
        both = matrix("X", "n", 2) * matrix("W_1", 2, 2) * matrix("W_2", 2, 2)
        asks: tuple[Any, ...] = (
            ("Two layers without biases follow each other with nothing between: ", matrix("Y", "n", 2),
             " = ", both, "."),
            paragraph("Here {W_1=} and {W_2=}.", **given),
            "Which one matrix W does the same as both? Give it row by row.")
        one, other = given["W_1"], given["W_2"]
        letter, term = defined["W"]
        turned = valued({"W": _backwards(named["W"])}, given)["W"]
        return Exercise(asks, Rows(found["W"]), lambda: [
            computed(letter, term, found["W"]), *entries("W", (one, other), None, found["W"])], _HINTS, (
                (Rows(turned), "that is W₂W₁: the input meets W₁ first"),
                (Rows([[a * b for a, b in zip(*rows, strict=True)] for rows in zip(one, other, strict=True)]),
                 "a product of matrices is not taken entry by entry")))
    told = "; ".join(f"{{W_{i}=}} and {{b_{i}=}}" for i in range(1, layers + 1))
    asks = (f"{'Two' if layers == 2 else 'Three'} dense layers follow each other with nothing between, "
            "each XW + b with one row for every example.", paragraph(f"Here {told}.", **given),
            "Which weight W and which bias b does the one layer have that does the same? Give the rows of W, "
            "and then b as one more row.")
    right = Rows([*found[weight], *found[bias]])
    last = [f"b_{layers}"]
    wrong = [(Rows([*found[weight], *given[last[0]]]),
              "the biases before the last layer go through the layers behind them"),
             (Rows([*found[weight], [sum(column) for column in zip(*(given[f"b_{i}"][0] for i in range(1, layers + 1)),
                                                                   strict=False)]]),
              "a bias goes through the layers behind it before the next is added")]
    if len(set(widths)) == 1:
        product = _backwards(defined["M_2"][1])
        wrong.append((Rows([*valued({"M_2": product, "M_3": defined["M_3"][1]}, given)["M_3"], *found[bias]]),
                      "the input meets W₁ first: the order of the product matters"))

    def steps() -> list[Any]:
        steps: list[Any] = []
        for name, value in found.items():
            letter, term = defined[name]
            steps.append(computed(letter, term, value))
            parts = term.parts if name[0] in "WM" else term.parts[0].parts
            of = [{**given, **found, "M_1": given["W_1"], "c_1": given["b_1"]}[part.name] for part in parts]
            added = None if name[0] in "WM" else given[term.parts[1].name]
            steps += entries(_spelled(name), (of[0], of[1]), added, value)
        return steps

    return Exercise(asks, right, steps, (
        *_HINTS, "A bias goes through all layers behind it: b₁ meets W₂, and then b₂ is added."), tuple(wrong))


def _backwards(term: Any) -> Any:
    """A product of two, the other way round."""
    one, other = term.parts
    return other * one if str(other.columns) == str(one.rows) else _square(other) * _square(one)


def _square(letter: Any) -> Any:
    return matrix(letter.name, 2, 2)


def _spelled(name: str) -> str:
    return name.replace("_", "").replace("2", "₂").replace("3", "₃")
