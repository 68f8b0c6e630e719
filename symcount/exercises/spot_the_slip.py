"""spot the slip in a count that somebody wrote down.

One line is wrong; lines below it that use its number carry the slip on, and are no slips themselves.
"""

from __future__ import annotations

from collections import namedtuple
from itertools import pairwise
from math import prod

from symcount.answers import Amount, Picked
from symcount.derivation import Equation, Quoted
from symcount.errors import ProofError
from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import HIDDEN, gated_width
from symcount.forms import Number, Power, Product, Sum
from symcount.naming import model
from symcount.readers.parameters import parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from symcount.drawing import Draw

# A line of a count: what it counts, products of numbers, and earlier lines that it adds, each so many times
_Line = namedtuple("_Line", "says products lines", defaults=((), ()))


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 counts a stack of dense layers, level 2 a decoder like LLaMA, level 3 an encoder like BERT."""
    told, lines, total = (_stack, _decoder, _encoder)[level - 1](draw)
    right = _values(lines)
    if right[-1] != total:
        raise ProofError(f"the lines come to {right[-1]:,}, and the library counts {total:,}")
    at, written, values = _spoiled(lines, right, draw)
    letters = "abcdefghij"[:len(lines)]
    shown = Quoted(tuple((letter, (f"{line.says}: ", _form(line, values), " = ", Number(value)))
                         for letter, line, value in zip(letters, written, values, strict=True)))
    asks = (told, "Somebody counts its parameters, and makes one slip. Lines that use the wrong number are not wrong "
                  "for that.",
            shown, "Which line is wrong, and which number should stand at its end?")
    answer = Picked(letters[at], Amount(right[at], "parameters"))

    def steps() -> list[Any]:
        return [Equation(f"({letter}) {line.says}", [_form(line, right), Number(value)], of=value)
                for letter, line, value in zip(letters, lines, right, strict=True)]

    return Exercise(asks, answer, steps, (
        "Check each line in two ways: is it what it says that it counts, and is its product or sum right?",
        "A line is not wrong because a number in it came out wrong above."), tuple(
            (Picked(letter, Amount(value, "parameters")), "that line only carries the slip on: look above it")
            for letter, value, wrong in list(zip(letters, right, values, strict=True))[at + 1:] if wrong != value))


def _values(lines: Sequence[_Line], spoiled: dict[int, int] | None = None) -> list[int]:
    """The number of every line; some may be told, and the lines below use them."""
    found: list[int] = []
    for i, line in enumerate(lines):
        value = sum(map(prod, line.products)) + sum(times * found[j] for times, j in line.lines)
        found.append((spoiled or {}).get(i, value))
    return found


def _form(line: _Line, values: Sequence[int]) -> Any:
    terms: list[Any] = []
    for factors in line.products:
        forms: list[Any] = []
        for factor in factors:
            if forms and forms[-1] == Number(factor) and factor > 9:
                forms[-1] = Power(Number(factor), 2)
            else:
                forms.append(Number(factor))
        terms.append((1, forms[0] if len(forms) == 1 else Product(tuple(forms))))
    for times, place in line.lines:
        number = Number(values[place])
        terms.append((1, number if times == 1 else Product((Number(times), number))))
    return terms[0][1] if len(terms) == 1 else Sum(tuple(terms))


def _spoiled(lines: list[_Line], right: list[int], draw: Draw) -> tuple[int, list[_Line], list[int]]:
    """Which line is spoiled, the lines as they are written, and their numbers."""
    at = draw.below(len(lines) - 1)
    line, value = lines[at], right[at]
    ways = []
    for i, factors in enumerate(line.products):
        if factors[0] in (2, 3, 4) and len(factors) > (2 if factors[0] == 2 else 1):  # a matrix is forgotten
            fewer = (factors[0] - 1, *factors[1:]) if factors[0] > 2 else factors[1:]
            ways.append(line._replace(products=(*line.products[:i], fewer, *line.products[i + 1:])))
    if len(line.products) > 1:  # one of several things is forgotten
        ways.append(line._replace(products=line.products[:-1]))
    if len(line.products) > 1 and len(line.products[-1]) == 1 and len(line.products[0]) == 2:  # inputs for outputs
        swapped = (*line.products[:-1], line.products[0][:1])
        ways += [line._replace(products=swapped)] if swapped != line.products else []
    if ways and draw.below(3):
        written = draw.one(ways)
        changed = [*lines[:at], written, *lines[at + 1:]]
        return at, changed, _values(changed)
    numbers = [*_exchanged(value)]
    if len(line.lines) > 1:
        numbers += [value - times * right[place] for times, place in line.lines]
    if not numbers:
        numbers = [value + 10]
    spoiled = draw.one(numbers)
    return at, lines, _values(lines, {at: spoiled})


def _exchanged(value: int) -> list[int]:
    """The number with two neighbouring digits exchanged, in every way that changes it but its first digit."""
    digits = str(value)
    return [int(digits[:i] + digits[i + 1] + digits[i] + digits[i + 2:]) for i in range(1, len(digits) - 1)
            if digits[i] != digits[i + 1]]


def _stack(draw: Draw) -> tuple[Any, list[_Line], int]:
    widths = (draw.between(11, 99) * 10 + 4, *draw.some(3, HIDDEN), draw.between(5, 40))
    lines = [_Line(f"layer {i}", ((a, b), (b,))) for i, (a, b) in enumerate(pairwise(widths), start=1)]
    lines.append(_Line("in all", (), tuple((1, i) for i in range(len(lines)))))
    told = f"Dense layers with biases lead through the widths {' → '.join(map(str, widths))}."
    return (told,), lines, int(parameters(model("mlp", n=widths)).total)


def _decoder(draw: Draw) -> tuple[Any, list[_Line], int]:
    k = draw.one((64, 96, 128))
    heads = draw.between(6, 32)
    d = k * heads
    sizes = {"V": 1000 * draw.between(16, 130), "d": d, "h": gated_width(d, draw) + 32,
             "L": draw.between(9, 60), "heads": heads}
    words, h, runs = sizes["V"], sizes["h"], sizes["L"]
    told = paragraph("A decoder like LLaMA has {V=} words, width {d=}, {L=} layers with {heads} heads of width "
                     "`d`/`heads` each, a gated block of {h=}, an RMSNorm before attention and block and one at the "
                     "end, a head that is not tied to its table, and no biases.", **sizes)
    lines = [_Line("table of words", ((words, d),)), _Line("attention of a layer", ((4, d, d),)),
             _Line("gated block of a layer", ((3, d, h),)), _Line("norms of a layer", ((2, d),)),
             _Line("a layer", (), ((1, 1), (1, 2), (1, 3))), _Line("all layers", (), ((runs, 4),)),
             _Line("last norm and head", ((d, words), (d,))), _Line("in all", (), ((1, 0), (1, 5), (1, 6)))]
    return told, lines, int(parameters(model("llama", **sizes)).total)


def _encoder(draw: Draw) -> tuple[Any, list[_Line], int]:
    k = draw.one((64, 96, 128))
    heads = draw.between(4, 16)
    d = k * heads
    sizes = {"V": 250 * draw.between(40, 260), "P": draw.one((256, 384, 512, 1024)), "types": 2, "d": d,
             "h": d * draw.one((2, 3, 5)), "L": draw.between(5, 30), "heads": heads}
    words, places, h, runs = sizes["V"], sizes["P"], sizes["h"], sizes["L"]
    told = paragraph("An encoder like BERT has tables for {V=} words, {P=} positions and {types=} token types, "
                     "width {d=} and {L=} layers with {heads} heads each and a feed-forward block through {h=}. "
                     "All matrices of its layers have biases. A LayerNorm stands behind the tables, "
                     "behind each attention and behind each block, and a pooler of `d` × `d` with a bias at the end.",
                     **sizes)
    lines = [_Line("tables", ((words, d), (places, d), (2, d))), _Line("norm of the tables", ((2, d),)),
             _Line("attention of a layer", ((4, d, d), (4, d))), _Line("block of a layer", ((2, d, h), (h,), (d,))),
             _Line("norms of a layer", ((4, d),)), _Line("a layer", (), ((1, 2), (1, 3), (1, 4))),
             _Line("all layers", (), ((runs, 5),)), _Line("pooler", ((d, d), (d,))),
             _Line("in all", (), ((1, 0), (1, 1), (1, 6), (1, 7)))]
    return told, lines, int(parameters(model("bert", **sizes)).total)
