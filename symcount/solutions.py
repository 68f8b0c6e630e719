"""What solves a relation: whole numbers, a closed form, what to say of them, and how it comes about."""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction

from symcount.counting import formula, hundredths
from symcount.derivation import Derivation, Equation, Listed, Listing, Remark, Rounded, Solving, SymbolRow, number
from symcount.errors import ModelError
from symcount.forms import Symbol, numbers, written
from symcount.polynomials import quotient
from symcount.relations import SHOWN, over_letters
from symcount.render import exact, percent, significant, text
from symcount.sizes import letters, to_sympy
from symcount.symbols import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from symcount.relations import Relation
    from symcount.roots import Solved

# The sizes of a row, those that follow them, the exact numbers of the two sides, and whether the relation holds there
Found = namedtuple("Found", "sizes tied left right holds")
_DIGITS = 6  # of a root
_FEW = 4  # rows that are said in a derivation


class Solution(Listed):
    """What solves a relation.

    found     rows (sizes, tied, left, right, holds): the sizes that can be built next to the budget, on both sides
    sizes     those of the best row that holds; {} where none does
    closed    the solutions in closed form, `roots.Solved`; the greater first
    root      the number at which both sides are equal, exact or to 30 digits; None where a formula rounds
    ties      {size: formula} of the sizes that were told to follow an unknown
    height    what both sides are there, None where that is not known
    says      what is known of all solutions, as sentences
    reached   whether there is a solution, or a place where both sides meet between whole numbers
    """

    __slots__ = ("closed", "counted", "found", "height", "names", "notes", "reached", "relation", "root", "says",
                 "subject", "ties", "values")

    def __init__(self, subject: str, relation: Relation, names: tuple[str, ...], *, found: tuple[Found, ...],
                 closed: tuple[Solved, ...], root: Any, height: Any, says: tuple[str, ...], reached: bool,
                 notes: tuple[str, ...], ties: Mapping[str, Any], values: Mapping[str, int],
                 counted: Callable[[Mapping[str, int]], Mapping[str, Any]]) -> None:
        self.subject, self.relation, self.names, self.notes = subject, relation, names, notes
        self.found, self.closed, self.root, self.height = found, closed, root, height
        self.says, self.reached, self.ties = says, reached, dict(ties)
        self.values, self.counted = values, counted

    @property
    def title(self) -> str:
        """What was asked."""
        return f"{self.subject}{self.relation.text}, for {', '.join(self.names)}"

    @property
    def best(self) -> Found | None:
        """The row that holds and comes nearest to the budget; None where none holds."""
        return min((one for one in self.found if one.holds), key=lambda one: abs(one.left - one.right), default=None)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes of the best row; {} where none holds."""
        return dict(self.best.sizes) if self.best else {}

    @property
    def closed_form(self) -> Any:
        """The SymPy expression of the unknown, the greater of two; ModelError where there is none."""
        if not self.closed:
            raise ModelError(f"{self.title}: there is no closed form")
        import sympy

        one = self.closed[0]
        root = (to_sympy(one.power) / to_sympy(one.under)) ** sympy.Rational(1, one.degree) if one.q else 0
        return (to_sympy(one.p) + one.q * root) / to_sympy(one.bottom)

    def listing(self) -> Listing:
        """The rows, the closed form and what there is to say."""
        budgets = {one.right for one in self.found}
        fixed = len(budgets) == 1 and not self.relation.letters("right")
        mixed = len({one.holds for one in self.found}) > 1
        rows = tuple((*one.sizes.values(), *one.tied.values(), one.left, *(() if fixed else (one.right,)), _off(one),
                      *(("yes" if one.holds else "no",) if mixed else ())) for one in self.found)
        if not rows:
            return Listing(self.title, (), (), (), self._sentences(), self.notes)
        tied = tuple(self.found[0].tied)
        last = ("holds",) if mixed else ()
        keys = (*self.names, *tied, "left", *(() if fixed else ("right",)), "off", *last)
        unit = " bytes" if self.relation.unit == "byte" else ""
        against = f"off {exact(budgets.pop())}{unit}" if fixed else "off"
        head = (*self.names, *tied, self.relation.before, *(() if fixed else (self.relation.after,)), against, *last)
        return Listing(self.title, keys, head, rows, self._sentences(), self.notes)

    def sentences(self) -> tuple[str, ...]:
        """The closed form in a line, the root, and what is known of all solutions."""
        return tuple(map(text.said, self._sentences()))

    def _sentences(self) -> tuple[Any, ...]:
        """The same, the closed form and the root as a step that has them and no numbers between."""
        return (*(Solving((first, *more[-1:])) for first, *more in self._solved()), *self.says)

    def derivation(self) -> Derivation:
        """Formulas, equation, solution, and the counts of the rows that are next to it."""
        relation = self.relation
        shown: list[Any] = [Solving(tuple((Symbol(name), "=", written(size)) for name, size in self.ties.items()))] * (
            bool(self.ties))
        shown += [Equation(name, [formula(ledger)], of=ledger.size) for name, ledger in relation.ledgers.items()]
        lines = [line for solved in self._solved() for line in solved]
        steps: list[Any] = [*shown, Solving((self._asked(), *lines))]
        for one in self.found[:2]:
            for name, ledger in self.counted(one.sizes).items():
                where = ", ".join(f"{size} = {count:,}" for size, count in one.sizes.items())
                steps.append(Equation(f"{name} at {where}", [
                    formula(ledger), numbers(formula(ledger), ledger.values), number(ledger.total)],
                    of=ledger.size, values=ledger.values))
        used = [name for size in (*(ledger.size for ledger in relation.ledgers.values()), relation.gap())
                for name in letters(size)]
        symbols = tuple(SymbolRow(name, row(name).meaning, self.values.get(name)) for name in dict.fromkeys(used))
        return Derivation(self.title, steps, symbols=symbols, notes=self.notes,
                          remarks=(*(Remark("beside it", (said,)) for said in self._rows()),
                                   *(Remark("so", (said,)) for said in self.says)))

    def _rows(self) -> list[str]:
        """The rows as sentences; no more than a few."""
        if len(self.found) > _FEW:
            return []
        return [f"{', '.join(f'{name} = {size:,}' for name, size in (*one.sizes.items(), *one.tied.items()))}: "
                f"{exact(one.left)}" + ("" if (off := _off(one)) is None else f", off by {off.text}")
                for one in self.found]

    def _asked(self) -> tuple[Any, str, Any]:
        """The relation over letters: a single count as its author writes it."""
        relation = self.relation
        alone = [ledger for name, ledger in relation.ledgers.items() if name == relation.before]
        if relation.measured("right", below=True) or relation.measured("left", below=True):
            return written(relation.gap()), SHOWN[relation.sign], written(0)
        left = formula(alone[0]) if alone else written(over_letters(relation.left))
        return left, SHOWN[relation.sign], written(over_letters(relation.right))

    def _solved(self) -> list[list[tuple[Any, str, Any]]]:
        """Lines (unknown, sign, form), (None, =, numbers), (None, ≈, number) of each closed form, or of the root."""
        if len(self.names) > 1:
            return []
        unknown, sign = Symbol(self.names[0]), self._direction()
        if not self.closed:
            if self.root is None:
                return []
            shown = near(self.root)
            exactly = shown.exact == _read(shown.text)
            return [[(unknown, {"=": "≈"}.get(sign, sign) if not exactly else sign, shown)]]
        found = []
        for one in self.closed:
            lines: list[tuple[Any, str, Any]] = [(unknown, sign if len(self.closed) == 1 else "=", one.form)]
            used = [name for size in (one.p, one.power, one.under, one.bottom) for name in letters(size)]
            if all(name in self.values for name in used):
                count, _ = one.number(self.values)
                shown = near(count)
                lines += [(None, "=", numbers(one.form, self.values))] if used else []
                if used or text.form(one.form) != shown.text:
                    lines.append((None, "=" if shown.exact == _read(shown.text) else "≈", shown))
            found.append(lines)
        return found

    def _direction(self) -> str:
        """On which side of the root the solutions are."""
        if self.relation.sign == "=":
            return "="
        if self.root is None or not self.found:
            return SHOWN[self.relation.sign]
        above = [one for one in self.found if one.sizes[self.names[0]] > self.root]
        there = above[0].holds if above else not self.found[-1].holds
        return "≥" if there else "≤"

    def __repr__(self) -> str:
        sizes = [f"{name} = {size:,}" for name, size in self.sizes.items()]
        root = [] if self.root is None else [f"{self.names[0]} ≈ {near(self.root).text}"]
        return f"<Solution {self.title}: {', '.join(sizes or root or ['none'])}>"


def _off(one: Found) -> Rounded | None:
    """How far the left side is from the right one, as a share of it."""
    if not one.right:
        return None
    share = Fraction(one.left - one.right) / Fraction(one.right)
    rounded = hundredths(abs(share))
    shown = percent(rounded) if rounded or not share else f"{significant(100 * abs(share), 2)} %"
    sign = "" if not share else "+" if share > 0 else "−"
    return Rounded(quotient(share.numerator, share.denominator), f"{sign}{shown}")


def near(count: Any) -> Rounded:
    """A root with six digits, or with one behind the point where it has more before it.

    >>> near(Fraction(2, 3)).text, near(Fraction(16_000_000, 3)).text
    ('0.666667', '5,333,333.3')
    """
    digits = max(_DIGITS, len(str(int(count))) + 1)
    return Rounded(quotient(count.numerator, count.denominator), significant(count, digits))


def _read(shown: str) -> Fraction:
    return Fraction(shown.replace(",", ""))
