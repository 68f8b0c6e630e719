"""How a count scales: the share of a part, what it tends to as a size grows, and the elasticity in a size.

    share(p, N) = p/N        limit: the quotient of the leading terms        elasticity = ∂log N/∂log x = x·N′(x)/N

An elasticity of 2 says that 1 % more of x makes 2 % more of N; as x grows it tends to the degree of N in x.
"""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction

from symcount.counting import formula, hundredths, notes, title
from symcount.derivation import Derivation, Equation, Listing, Remark, Rounded, Solving, SymbolRow, number
from symcount.errors import ModelError, SizeError, nearest
from symcount.forms import Number, Quotient, numbers, written
from symcount.ledger import Ledger, Term
from symcount.polynomials import (
    Call,
    Polynomial,
    bare,
    inverse,
    letter,
    lift,
    opaque,
    positive_first,
    primitive,
    quotient,
)
from symcount.render import percent, significant
from symcount.sizes import fraction, letters, letters_of, per, same, to_sympy
from symcount.substitution import substitute
from symcount.symbols import known, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.forms import Form
    from symcount.polynomials import Size

Leading = namedtuple("Leading", "degree coefficient")  # of a polynomial in one letter; its coefficient over the others


class Ratio:
    """One count over another: `top` and `bottom` are ledgers, `name` says what it is.

    `.value` is exact, None where sizes are open; `.closed_form` is SymPy; `.form` stands as authors write it. `above`
    says what the top is, `shown` writes a number of this kind.
    """

    __slots__ = ("above", "bottom", "name", "shown", "top")

    def __init__(self, name: str, top: Ledger, bottom: Ledger, above: str, shown: Callable[[Any], str]) -> None:
        self.name, self.top, self.bottom, self.above, self.shown = name, top, bottom, above, shown

    @property
    def form(self) -> Form:
        """Both formulas, one over the other; their number where that is all that is left."""
        top, bottom = primitive(self.top.size, self.bottom.size)
        if letters(top) or letters(bottom):
            return Quotient(formula(self.top), formula(self.bottom))
        if same(bottom, 0):
            raise self._nothing()
        return number(quotient(top, bottom))

    @property
    def value(self) -> Any:
        """The exact number; None where a size has no value. Raises SizeError where nothing is counted."""
        top, bottom = primitive(self.top.size, self.bottom.size)
        values = self.bottom.values
        if any(name not in values for name in (*letters(top), *letters(bottom))):
            return None
        below = fraction(bottom, values)
        gone = {*letters(self.bottom.size)} - {*letters(bottom)}  # of what both sides share, nothing may be 0
        if not below or any(values.get(name) == 0 for name in gone):
            raise self._nothing()
        found = Fraction(fraction(top, values)) / below
        return quotient(found.numerator, found.denominator)

    def _nothing(self) -> SizeError:
        return SizeError(f"{self.bottom.subject}: nothing is counted, so there is no {self.name}")

    @property
    def closed_form(self) -> Any:
        """The SymPy expression."""
        return to_sympy(self.top.size) / to_sympy(self.bottom.size)

    def derivation(self, grows: str = "") -> Derivation:
        """Both counts, with numbers, and their quotient; and what that tends to as a size grows."""
        steps: list[Any] = []
        for name, one in ((self.above, self.top), ("all", self.bottom)):
            lines = [] if one.open else [numbers(formula(one), one.values),
                                         number(fraction(one.size, one.values))]
            steps.append(Equation(name, [formula(one), *lines], of=one.size, values=one.values))
        if self.value is not None:
            top, below = (fraction(one.size, one.values) for one in (self.top, self.bottom))
            steps.append(Equation(self.name, [Quotient(number(top), number(below)), number(self.value)],
                                  of=lift(self.value) if isinstance(self.value, Fraction) else self.value))
        else:
            steps.append(Solving(((self.name, "=", self.form),)))
        values = self.bottom.values
        if grows:
            limited, count = _tends(self, grows)
            rounded = () if count is None or type(limited) is Number else ((None, "=", count),)
            steps.append(Solving(((f"{self.name}, as {grows} grows", "→", limited), *rounded)))
        symbols = tuple(SymbolRow(name, row(name).meaning, values.get(name)) for name in self.bottom.letters)
        return Derivation(f"{title(self.bottom)}, {self.name}", steps, symbols=symbols, notes=notes(self.bottom),
                          remarks=(Remark("note", (_stays(self.bottom, grows),)),) if grows else ())

    def __repr__(self) -> str:
        return f"<{title(self.bottom)}, {self.name}: {'open' if self.value is None else self.shown(self.value)}>"


def share(ledger: Ledger, *names: str) -> Ratio:
    """The share that parts (paths, or kinds such as "bias") have in a count.

    >>> from symcount import model, parameters
    >>> share(parameters(model("llama-7b")), "layers.mlp").value
    Fraction(1056768, 1645121)

    Raises ModelError for a part that the count has not.
    """
    left = {id(term) for term in ledger.without(*names).terms}
    part = ledger.of([term for term in ledger.terms if id(term) not in left])
    said = " and ".join(names)
    return Ratio(f"share of {said}", part, ledger, said, _percent)


def elasticity(ledger: Ledger, size: str) -> Ratio:
    """∂log N/∂log x of a count N in a size x: by how many percent it grows with 1 % of the size.

    >>> from symcount import model, parameters
    >>> found = elasticity(parameters(model("gpt2")), "L")
    >>> found.closed_form, round(float(found.value), 4)
    ((12*L*d**2 + 13*L*d)/(12*L*d**2 + 13*L*d + P*d + V*d + 2*d), 0.6835)

    Raises ModelError for no size of the count, SizeError where it is rounded.
    """
    _known(ledger, size)
    terms = []
    for term in ledger.terms:
        powers = {dict(each).get(size, 0) for each, _ in lift(term.size).terms.values()}
        if any(isinstance(atom, Call) and size in letters_of(atom) for each, _ in lift(term.size).terms.values()
               for atom, _ in each):
            raise SizeError(f"{ledger.subject}: {term.path} rounds {size}, so there is no derivative in it")
        if len(powers) == 1:  # the factors stay as they are written
            terms += [Term(term.path, (power, *term.factors), term.scopes, term.kinds) for power in powers if power]
            continue
        scaled = {key: (each, c * dict(each)[size]) for key, (each, c) in lift(term.size).terms.items()
                  if dict(each).get(size)}
        terms.append(Term(term.path, (Polynomial(scaled),), (), term.kinds))
    above = f"{size} times the derivative in {size}"
    return Ratio(f"elasticity in {size}", ledger.of(terms), ledger, above, significant)


def limit(counted: Ledger | Ratio, size: str) -> Any:
    """What a ratio tends to as a size grows and the others stay; of a count, its leading term.

    Returns a SymPy expression: of the other letters, 0, or infinity.

    >>> from symcount import model, parameters
    >>> limit(share(parameters(model("bert", h="4d")), "mlp"), "d"), limit(parameters(model("gpt2")), "d")
    (8*L/(12*L + 1), 12*L*d**2)

    Raises ModelError for no size of the count, SizeError where the leading term depends on how the others compare,
    or a size is 0 and leaves nothing of it.
    """
    import sympy

    if isinstance(counted, Ledger):
        return to_sympy(_whole(_leads(counted, size), size))
    top, below = tending(counted, size)
    return sympy.oo if top is None else sympy.cancel(to_sympy(top) / to_sympy(below))


def tending(ratio: Ratio, size: str) -> tuple[Size | None, Size]:
    """What is left above and below the line of a ratio as a size grows; None above for what grows without end.

    Raises SizeError where a size is 0 and leaves nothing of the leading terms.
    """
    below = _leads(ratio.bottom, size)
    if not ratio.top.terms:
        return 0, 1
    top = leading(ratio.top.size, size)
    if top.degree > below.degree:
        return None, 1
    if top.degree < below.degree:
        return 0, 1
    above, under = primitive(top.coefficient, below.coefficient)
    return above, under


def _leads(ledger: Ledger, size: str) -> Leading:
    """The leading term of a count. Raises SizeError where a size is 0 and leaves nothing of it."""
    _known(ledger, size)
    found = leading(ledger.size, size)
    nothing = [name for name, count in ledger.values.items() if count == 0 and name != size]
    if nothing and same(substitute(found.coefficient, lambda name: 0 if name in nothing else letter(name)), 0):
        raise SizeError(f"{title(ledger)}: as {size} grows, {' and '.join(f'{name} = 0' for name in nothing)} leaves "
                        "nothing of the leading terms, so there is no limit to read off")
    return found


def leading(size: Size, name: str) -> Leading:
    """The highest power of a letter, and its coefficient; what is rounded, and grows, does as it would without.

    >>> from symcount.formulas import read
    >>> leading(read("L(4d^2 + 3d*up(8d/3, 256)) + V*d"), "d")
    Leading(degree=2, coefficient=12*L)

    Raises SizeError where what is rounded does not grow, or its leading terms cancel: then the roundings count.
    """
    found: dict[int, Size] = {}
    rounds: set[int] = set()
    for powers, coefficient in lift(size).terms.values():
        degree, product = 0, lift(coefficient)
        for atom, power in powers:
            inner = _atom(atom, name)
            degree, product = degree + inner.degree * power, product * _power(inner.coefficient, power)
        if any(isinstance(atom, Call) and name in letters_of(atom) for atom, _ in powers):
            rounds.add(degree)
        found[degree] = product + found.get(degree, 0)
    kept = {degree: c for degree, c in found.items() if lift(c).terms}
    highest = max(kept, default=0)
    if any(degree not in kept and degree >= highest for degree in rounds):
        raise SizeError(f"{size}: as {name} grows its leading terms cancel, and what is left is in the roundings")
    return Leading(highest, kept.get(highest, 0))


def scaled(ledger: Ledger, *, shares: tuple[str, ...] = (), elastic: str = "", grows: str = "",
           on: tuple[str, ...] = ()) -> Listing:
    """What was asked of a count, as rows (what, formula, number): shares, an elasticity, limits, what it depends on."""
    ratios = [*([share(ledger, *shares)] if shares else []), *([elasticity(ledger, elastic)] if elastic else [])]
    rows: list[tuple[Any, ...]] = []
    for one in ratios:
        rows.append((one.name, one.form, None if one.value is None else Rounded(one.value, one.shown(one.value))))
        if grows:
            rows.append((f"  as {grows} grows", *_tends(one, grows)))
    if grows and not ratios:
        whole = _leads(ledger, grows)
        rows.append((f"as {grows} grows", written(_whole(whole, grows)), None))
        parts = [(name, leading(part.size, grows)) for name, part in ledger.by(2).items()]
        rows += [(f"  {name}", written(_whole(part, grows)), None) for name, part in parts
                 if part.degree == whole.degree]
    for name in on:
        if not known(name):
            raise ModelError(f"'{name}' is no size; {nearest(name, ledger.letters)}")
        rows.append((f"depends on {name}", "yes" if name in letters(ledger.size) else "no", None))
    columns = 3 if any(cells[2] is not None for cells in rows) else 2
    says = tuple(_stays(ledger, size) for size in dict.fromkeys((elastic, grows)) if size)
    return Listing(title(ledger), ("what", "formula", "number")[:columns], ("", "formula", "number")[:columns],
                   tuple(cells[:columns] for cells in rows), says, notes(ledger))


def _stays(ledger: Ledger, size: str) -> str:
    """Which sizes stay as one grows, for they do not follow it."""
    *others, last = [name for name in letters(ledger.size) if name != size] or ["nothing"]
    listed = f"{', '.join(others)} and {last} stay" if others else f"{last} stays"
    return f"as {size} grows, {listed}"


def _tends(ratio: Ratio, size: str) -> tuple[Any, Any]:
    """Formula and number of a limit."""
    top, below = tending(ratio, size)
    if top is None:
        return "without end", None
    form = written(top) if same(below, 1) else Quotient(written(top), written(below))
    values = ratio.bottom.values
    if any(name not in values for name in (*letters(top), *letters(below))):
        return form, None
    number = Fraction(fraction(top, values)) / fraction(below, values)
    return form, Rounded(quotient(number.numerator, number.denominator), ratio.shown(number))


def _percent(number: Any) -> str:
    return percent(hundredths(number))


def _whole(one: Leading, size: str) -> Size:
    if one.degree < 0:
        return _power(letter(size), one.degree) * one.coefficient
    return positive_first(one.coefficient * letter(size) ** one.degree)


def _known(ledger: Ledger, size: str) -> None:
    if size not in letters(ledger.size):
        raise ModelError(f"{title(ledger)}: {size} is no letter of this formula; {nearest(size, ledger.letters)}")


def _atom(atom: Any, name: str) -> Leading:
    """How an atom grows with a letter."""
    if not isinstance(atom, Call):
        return Leading(1, 1) if atom == name else Leading(0, letter(atom))
    if name not in letters_of(atom):
        return Leading(0, opaque(atom))
    a, b = (leading(arg, name) for arg in atom.args)
    if atom.name != "min" and a.degree <= b.degree:
        raise SizeError(f"{atom} does not grow with {name}, so its rounding counts; {name} has no leading term there")
    if atom.name == "up":
        return a
    if atom.name != "min":
        top, below = a.coefficient, b.coefficient
        each = lift(top) * quotient(1, below) if isinstance(below, int) else bare(per(top, below))
        return Leading(a.degree - b.degree, each)
    if a.degree == b.degree:
        raise SizeError(f"{atom} grows with {name} on both sides, and which is less depends on the other sizes")
    return min(a, b, key=lambda one: one.degree)


def _power(size: Size, power: int) -> Size:
    """A power, below a line for a single term only."""
    if power >= 0:
        return size**power
    if len(lift(size).terms) != 1:
        raise SizeError(f"{size} stands below a line, and has no leading term there")
    return inverse(size) ** -power
