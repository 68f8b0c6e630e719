"""Relations between counts, as people write budgets: `params <= 350e6`, `memory = 24GB +- 1%`, `2*N*V = 7e9`.

    RELATION = SIDE ("=" | "<=" | ">=") SIDE ["+-" NUMBER "%"]
    SIDE     = a formula over quantities (params, flops@layers.mlp), letters and bytes (24GB, 80GiB)
             | NUMBER "%"          so much of what the other side is for the model as it stands

A quantity keeps its unit: parameters are not compared with bytes.
"""

from __future__ import annotations

import re
from collections import namedtuple
from fractions import Fraction

from symcount.errors import FormulaError, ModelError, UnitError, clipped, nearest
from symcount.formulas import NAME, as_letter, read, tokens
from symcount.ledger import UNITS
from symcount.polynomials import Atom, bare, inverse, lift, opaque, quotient
from symcount.readers.quantities import QUANTITIES
from symcount.render import significant
from symcount.sizes import fraction, letters, letters_of
from symcount.symbols import TABLE, known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from symcount.ledger import Ledger
    from symcount.polynomials import Size

BYTES = {"bytes": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15,
         "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}
_UNITS = {name.lower(): name for name in BYTES} | {"byte": "bytes"}
SHOWN = {"=": "=", "<=": "≤", ">=": "≥"}
_NAME = NAME + r"(?:@[A-Za-z0-9_.]+)?"
_TOKENS = tokens(_NAME)
_SIGN = re.compile(r"<=|>=|=<|=>|==|≤|≥|=|<|>|≈|~")
_WITHIN = re.compile(r"(?P<sides>.*?)(?:\+-|±|\+/-)\s*(?P<percent>[0-9]{1,3}(?:\.[0-9]{1,6})?)\s*%\s*$", re.DOTALL)
_PERCENT = re.compile(r"\s*([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*%\s*")
_LARGE = {"K": "e3", "M": "e6", "B": "e9", "T": "e12"}


class Measure(Atom):
    """A quantity within a relation: its name, its unit, its size."""

    __slots__ = ("size", "unit")

    def __init__(self, name: str, unit: str, size: Size) -> None:
        super().__init__(name)
        self.unit, self.size = unit, size


class Relation(namedtuple("Relation", "before left sign after right tolerance ledgers")):
    """Two sides, as typed and over letters and Measures; `tolerance` is a share of the right, `ledgers` the counts."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """As it was typed, with single blanks."""
        within = f" +- {significant(100 * self.tolerance)}%" if self.tolerance else ""
        return f"{self.before} {self.sign} {self.after}{within}"

    @property
    def unit(self) -> str:
        """The unit of both sides, "" where they are plain numbers."""
        return _unit(self.left) or _unit(self.right)

    def measured(self, which: str, *, below: bool = False) -> list[Measure]:
        """The quantities of the "left" or the "right" side; those that stand `below` a line alone."""
        return [atom for powers, _ in lift(getattr(self, which)).terms.values() for atom, power in powers
                if isinstance(atom, Measure) and not isinstance(atom.size, int) and (power < 0 or not below)]

    def letters(self, which: str) -> list[str]:
        """The letters of the "left" or the "right" side, those of its quantities included."""
        atoms = [atom for powers, _ in lift(getattr(self, which)).terms.values() for atom, _ in powers]
        return [name for atom in atoms for name in (
            letters(atom.size) if isinstance(atom, Measure) else letters_of(atom))]

    def gap(self, times: Any = 1) -> Size:
        """left − times · right over letters, multiplied by the quantities below a line: its sign is that of the gap."""
        whole = lift(self.left) - times * lift(self.right)
        below: dict[Measure, int] = {}
        for powers, _ in lift(whole).terms.values():
            for atom, power in powers:
                if isinstance(atom, Measure) and power < 0:
                    below[atom] = min(below.get(atom, 0), power)
        for atom, power in below.items():
            whole = whole * opaque(atom) ** -power
        return bare(over_letters(whole))

    def side(self, which: str, values: Mapping[str, int], counts: Mapping[str, Any] | None = None) -> Any:
        """The number of the "left" or the "right" side; `counts` are numbers of quantities, where they are known."""
        terms = lift(getattr(self, which)).terms.values()
        measured = {atom: counts[atom.key] if counts and atom.key in counts else fraction(atom.size, values)
                    for powers, _ in terms for atom, _ in powers if isinstance(atom, Measure)}
        total = Fraction(0)
        for powers, coefficient in terms:
            term = Fraction(coefficient)
            for atom, power in powers:
                base = measured[atom] if isinstance(atom, Measure) else fraction(opaque(atom) if isinstance(
                    atom, Atom) else lift(as_letter(atom)), values)
                if not base and power < 0:
                    raise ModelError(f"{self.text}: a division by zero, for {atom} is 0 here")
                term *= Fraction(base) ** power
            total += term
        return quotient(total.numerator, total.denominator)


def relation(text: str, quantity: Callable[[str], Ledger], own: Callable[[str], Ledger] | None = None) -> Relation:
    """The relation that a text says; `quantity` gives a name its ledger, `own` that of the model as it stands.

    >>> from symcount import model, parameters
    >>> found = relation("params <= 350e6", lambda name: parameters(model("gpt2", L="L")))
    >>> found.sign, found.gap()
    ('<=', V*d + P*d + 13*L*d + 12*L*d^2 + 2*d - 350000000)

    Raises FormulaError for what cannot be read, UnitError where the two sides are in different units.
    """
    before, sign, after, tolerance = _split(text)
    ledgers = {name: quantity(name) for name in quantities(text)}
    names = _names(text, quantity, ledgers)
    shares = [_PERCENT.fullmatch(side) for side in (before, after)]
    if shares[0]:
        raise FormulaError(f"'{clipped(text)}': say the share on the right, as in \"params <= 60%\"")
    left = bare(read(before, names, _TOKENS))
    if "%" in after and not shares[1]:
        raise FormulaError(f"'{clipped(text)}': N% stands alone, and is of the other side for the model as it stands; "
                           "for another share write 0.6*params")
    right = _own_share(text, before, Fraction(shares[1][1]) / 100, own) if shares[1] else bare(
        read(after, names, _TOKENS))
    units = {unit for side in (left, right) for unit in [_unit(side)] if unit}
    if len(units) > 1:
        hint = "; memory@weights is the bytes of the weights" if units == {"byte", "parameter"} else ""
        raise UnitError(f"'{clipped(text)}' relates {' and '.join(UNITS[unit] for unit in sorted(units))}: two units"
                        + hint)
    return Relation(" ".join(before.split()), left, sign, " ".join(after.split()), right, tolerance, ledgers)


def _split(text: str) -> tuple[str, str, str, Fraction]:
    """The left side, the sign, the right side and the tolerance, which is a share."""
    within = _WITHIN.fullmatch(text)
    sides = within["sides"] if within else text
    signs = [match for match in _SIGN.finditer(sides) if match[0]]
    if not within and re.search(r"\+-|±|\+/-", text):
        raise FormulaError(f"'{clipped(text)}': +- is followed by a percentage, and that by nothing, as in +- 1%")
    if "(" not in text and re.search(r"[0-9],[0-9]{3}", text):
        raise FormulaError(f"'{clipped(text)}': a number has no commas within: 350e6, or 350000000")
    if len(signs) != 1:
        raise FormulaError(f"'{clipped(text)}' is no relation: two sides and one of =, <= or >= between them, "
                           "as in \"params <= 350e6\"")
    sign = {"≤": "<=", "≥": ">=", "=<": "<=", "=>": ">=", "==": "="}.get(signs[0][0], signs[0][0])
    if sign not in SHOWN:
        hint = "= and a tolerance, as in +- 1%" if sign in "≈~" else f"{sign}="
        raise FormulaError(f"'{clipped(text)}': {sign} is not known here; say {hint}")
    if within and sign != "=":
        raise FormulaError(f"'{clipped(text)}': +- goes with =")
    before, after = sides[:signs[0].start()].strip(), sides[signs[0].end():].strip()
    called = next((name for name in quantities(text) if re.search(re.escape(name) + r"\s*\(", text)), None)
    if called:
        raise FormulaError(f"'{clipped(text)}': {called} is followed by a bracket; write {called}*(…) for a product")
    return before, sign, after, Fraction(within["percent"]) / 100 if within else Fraction(0)


def quantities(text: str) -> list[str]:
    """The quantities that a relation names.

    >>> quantities("2*params + d <= flops@layers.mlp")
    ['params', 'flops@layers.mlp']
    """
    return list(dict.fromkeys(name for name in re.findall(_NAME, text) if name.partition("@")[0] in QUANTITIES))


def over_letters(size: Size) -> Size:
    """A size with every Measure replaced by what it measures."""
    result: Size = 0
    for powers, coefficient in lift(size).terms.values():
        term: Size = lift(coefficient)
        for atom, power in powers:
            base = atom.size if isinstance(atom, Measure) else opaque(atom) if isinstance(atom, Atom) else (
                as_letter(atom))
            term = term * (base**power if power > 0 else inverse(base) ** -power)
        result = term + result if isinstance(result, int) and not result else result + term
    return result


def _names(text: str, quantity: Callable[[str], Ledger],
           ledgers: dict[str, Ledger]) -> Callable[[str], Size | None]:
    """What each name of a relation is: a quantity, so many bytes, a letter."""
    def size(name: str) -> Size | None:
        if name in BYTES:
            return BYTES[name] * opaque(Measure("bytes", "byte", 1))
        if name.partition("@")[0] in QUANTITIES:
            ledgers[name] = ledgers[name] if name in ledgers else quantity(name)
            return opaque(Measure(name, ledgers[name].unit, ledgers[name].size))
        if name in _LARGE and as_letter(name) is None:
            raise FormulaError(f"'{clipped(text)}': write {_LARGE[name]} for {name}, as in 7{_LARGE[name]}")
        if "@" in name:
            raise FormulaError(f"'{clipped(text)}': {clipped(name)}: before @ stands a quantity: "
                               f"{', '.join(QUANTITIES)}")
        meant = _UNITS.get(name.lower())
        if meant:
            product = f", or {'*'.join(name)} for the product" if all(map(known, name)) else ""
            raise FormulaError(f"'{clipped(text)}': {name} is no unit; write {meant} for bytes{product}")
        if as_letter(name) is None and not all(map(known, name)):
            raise FormulaError(f"'{clipped(text)}': unknown symbol '{clipped(name)}'; quantities are "
                               f"{', '.join(QUANTITIES)}; {nearest(name, [*QUANTITIES, *BYTES, *TABLE])}")
        return as_letter(name)
    return size


def _own_share(text: str, side: str, share: Fraction, own: Callable[[str], Ledger] | None) -> Size:
    """So much of what a side is for the model as it stands."""
    if own is None:
        raise FormulaError(f"'{clipped(text)}': % is a share of what a model has, and there is no model")
    ledgers = {name: own(name) for name in quantities(side)}
    now = Relation(side, bare(read(side, _names(text, own, ledgers), _TOKENS)), "=", "", 0, Fraction(0), ledgers)
    values = {name: number for ledger in ledgers.values() for name, number in ledger.values.items()}
    if not ledgers:
        raise FormulaError(f"'{clipped(text)}': % is a share of a quantity, as in \"params <= 60%\"")
    missing = next((name for name in now.letters("left") if name not in values), None)
    if missing:
        raise FormulaError(f"'{clipped(text)}': % is of the model as it stands, where {missing} has no value; "
                           f"say {missing}=…")
    number = share * now.side("left", values)
    return lift(quotient(number.numerator, number.denominator)) * _measure_of(now.left)


def _measure_of(side: Size) -> Size:
    unit = _unit(side)
    return opaque(Measure(UNITS[unit], unit, 1)) if unit else 1


def _unit(side: Size) -> str:
    """The unit of a side: that of its terms which are a number times one quantity; UnitError where these differ."""
    units = set()
    for powers, _ in lift(side).terms.values():
        measured = [(atom, power) for atom, power in powers if isinstance(atom, Measure)]
        if len(powers) == 1 and measured and measured[0][1] == 1:
            units.add(measured[0][0].unit)
    if len(units) > 1:
        raise UnitError(f"cannot add {' and '.join(UNITS[unit] for unit in sorted(units))}: two units")
    return units.pop() if units else ""
