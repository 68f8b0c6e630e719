"""What exercises share that ask for a count: the answer is the total of a ledger, the solution its derivation."""

from __future__ import annotations

from symcount.answers import Amount, Percent, shown
from symcount.counting import derive
from symcount.derivation import Equation
from symcount.exercise import Exercise
from symcount.forms import Number, Product, Sum
from symcount.ledger import UNITS, Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.drawing import Draw
    from symcount.solutions import Solution

HIDDEN = (64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640)  # widths of small networks
WIDTHS = (384, 512, 576, 640, 768, 896, 1024, 1152, 1280, 1536, 1792, 2048, 2560, 3072, 4096)  # of transformers


def gated_width(d: int, draw: Draw) -> int:
    """A width for a gated block on rows of width d, above 8d/3."""
    return 64 * (d // 24 + draw.between(1, 20))


def head_count(d: int) -> int:
    """How many heads share out a width, each of 64 numbers, or of 32 where 64 does not divide it."""
    return d // 64 if d % 64 == 0 else d // 32


def counted(asks: Any, ledger: Ledger, hints: Any, slips: Any = ()) -> Exercise:
    """How many there are in all."""
    answer = Amount(int(ledger.total), UNITS[ledger.unit])
    return Exercise(asks, answer, lambda: list(derive(ledger).steps), hints, amounts(slips, answer))


def difference(asks: Any, more: tuple[str, Ledger], less: tuple[str, Ledger], hints: Any, slips: Any = ()) -> Exercise:
    """How many more one has than another; each ledger comes with what its steps are headed by."""
    totals = [int(ledger.total) for _, ledger in (more, less)]
    answer = Amount(totals[0] - totals[1], UNITS[more[1].unit])

    def steps() -> list[Any]:
        found: list[Any] = []
        for name, ledger in (more, less):
            found += [(f"{name}:",), derive(ledger).steps[-1]]  # the total, of the whole formula
        form = Sum(((1, Number(totals[0])), (-1, Number(totals[1]))))
        return [*found, Equation("difference", [form, Number(answer.number)], of=answer.number)]

    return Exercise(asks, answer, steps, hints, amounts(slips, answer))


def times(asks: Any, ledger: Ledger, runs: int, hints: Any, slips: Any = ()) -> Exercise:
    """The total of a ledger, which is one layer, in so many layers."""
    each = int(ledger.total)
    answer = Amount(runs * each, UNITS[ledger.unit])
    return Exercise(asks, answer, lambda: [*derive(ledger).steps, repeated(runs, each)], hints, amounts(slips, answer))


def repeated(runs: int, each: int) -> Equation:
    """A step: what all layers come to."""
    return Equation("all layers", [Product((Number(runs), Number(each))), Number(runs * each)], of=runs * each)


def largest(found: Solution, unit: str = "") -> Amount:
    """The largest number of the one unknown of a relation with which the relation holds."""
    number, = found.sizes.values()
    return Amount(number, unit)


def percentage(answer: Percent) -> tuple[Any, ...]:
    """A step: the answer as it is asked for, below the share that it is of."""
    return ("In percent: ", *shown(answer))


def amounts(slips: Any, answer: Amount) -> tuple[Any, ...]:
    """Slips as answers: each is a number, or a function that makes one of the right number."""
    def made(slip: Any) -> int:
        of: Callable[[int], int] | int = slip
        return of(answer.number) if callable(of) else int(of)

    return tuple((Amount(made(slip), answer.unit), says) for slip, says in slips)
