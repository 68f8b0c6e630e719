"""Ordered polynomials: sizes in letters that remember the order in which they were written.

A monomial keeps its factors, and a polynomial its terms, as the network's author wrote them, so a formula
read off a network prints as its author would. Equality is by content, not by order (`sizes.same`).
Coefficients are exact; powers are integers, negative after `sizes.per`. What a polynomial cannot say
(a rounding, the smaller of two) is an opaque `Call` inside a monomial. Letters refuse `==`, `<` and
truth: a forward pass that branched on a size would be another network for letters than for numbers.
"""

from __future__ import annotations

from collections import namedtuple
from math import gcd, lcm

from symcount.errors import FormulaError, SizeError
from symcount.symbols import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Size = Any  # an int, a Polynomial or a SymPy expression: the three rings of numbers

# A formula from a stranger, (a+b+c+d)^64 or ((d^64)^64)^64, must not fill the memory
_MOST_PRODUCTS, _MOST_POWER, _LONGEST_KEY = 2_500, 256, 2_000


class Condition(namedtuple("Condition", "left relation right")):
    """Something that must hold of two sizes: the left "divides", is "at most", is "less" than, or "is" the right."""

    def __str__(self) -> str:  # by which conditions are compared, so it is made once
        if "text" not in self.__dict__:
            self.__dict__["text"] = f"{self.left} {self.relation} {self.right}"
        return str(self.__dict__["text"])


class Atom:
    """A factor that is no letter; two are equal when their keys are."""

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return self.key


class Bracket(Atom):
    """A sum that is a factor as it stands, not multiplied out: what a repeated part of a network is written as."""

    __slots__ = ("body",)

    def __init__(self, body: Size) -> None:
        super().__init__(f"({canonical(body)})")
        self.body = body


class Call(Atom):
    """An opaque number inside a monomial: `ceil`, `floor` or `up` (to a multiple of b) of a/b, or `min(a, b)`.

    It keeps its arguments as written; two are equal when their reduced fractions are.
    """

    __slots__ = ("args", "name")

    def __init__(self, name: str, a: Size, b: Size) -> None:
        self.name, self.args = name, (a, b)
        texts = [canonical(a), canonical(b)]
        if name == "min":
            texts.sort()
        elif name != "up" and isinstance(b, int):  # one key for 8d/6, 4d/3 and (4d/3)/1
            scale = lcm(*(c.denominator for _, c in lift(a).terms.values()))
            shared = gcd(b * scale, *(int(c * scale) for _, c in lift(a).terms.values()))
            texts = [canonical(lift(a) * quotient(scale, shared)), str(b * scale // shared)]
        super().__init__(f"{name}({'; '.join(texts)})")
        if len(self.key) > _LONGEST_KEY:
            raise SizeError(f"{name} of a formula that is too long")

    def __str__(self) -> str:
        return f"{self.name}({self.args[0]}, {self.args[1]})"

    __repr__ = __str__


class Polynomial:
    """A size in letters: exact coefficients, integer powers, terms and factors in the order written.

    >>> d, h = letter("d"), letter("h")
    >>> 4*d*d + 3*d*h + 2*d
    4*d^2 + 3*d*h + 2*d
    >>> d*h - d*h
    0
    """

    __slots__ = ("conditions", "terms")

    def __init__(self, terms: Mapping[frozenset[Any], tuple[tuple[Any, ...], Any]],
                 conditions: tuple[Condition, ...] = ()) -> None:
        self.terms = terms  # {frozenset of (atom, power): (the same in order, coefficient)}
        self.conditions = conditions  # what must hold for this to be a size

    def __add__(self, other: Size) -> Size:
        other = lift(other)
        if other is NotImplemented:
            return NotImplemented
        terms = dict(self.terms)
        for key, (powers, coefficient) in other.terms.items():
            old = terms.get(key)
            terms[key] = (powers, coefficient) if old is None else (old[0], old[1] + coefficient)
        return made(terms, self.conditions, other.conditions)

    def __mul__(self, other: Size) -> Size:
        other = lift(other)
        if other is NotImplemented:
            return NotImplemented
        if len(self.terms) * len(other.terms) > _MOST_PRODUCTS:
            raise SizeError(f"a product of sums with {len(self.terms):,} and {len(other.terms):,} terms is too long")
        terms: dict[frozenset[Any], tuple[tuple[Any, ...], Any]] = {}
        for left, a in self.terms.values():
            for right, b in other.terms.values():
                powers = dict(left)
                for atom, power in right:
                    powers[atom] = risen = powers.get(atom, 0) + power
                    if not -_MOST_POWER <= risen <= _MOST_POWER:
                        raise SizeError(f"a power of {risen} of {atom} is too high")
                kept = tuple((atom, power) for atom, power in powers.items() if power)
                key = frozenset(kept)
                old = terms.get(key)
                terms[key] = (kept, a * b) if old is None else (old[0], old[1] + a * b)
        return made(terms, self.conditions, other.conditions)

    def __radd__(self, other: Size) -> Size:
        other = lift(other)
        return NotImplemented if other is NotImplemented else other + self

    def __rmul__(self, other: Size) -> Size:
        other = lift(other)
        return NotImplemented if other is NotImplemented else other * self

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Size) -> Size:
        return self + other * -1

    def __rsub__(self, other: Size) -> Size:
        return self * -1 + other if lift(other) is NotImplemented else lift(other) + self * -1

    def __pow__(self, power: int) -> Size:
        if not isinstance(power, int) or not 0 <= power <= 64:
            raise FormulaError(f"({self})^{power}: a power is an integer from 0 to 64")
        result: Size = 1
        for _ in range(power):
            result = result * self
        return result

    def __floordiv__(self, other: Size) -> Size:
        return rounded("floor", self, other)

    def __rfloordiv__(self, other: Size) -> Size:
        return rounded("floor", other, self)

    def _refused(self, *_: object) -> Any:
        raise TypeError(f"the size {self} is in letters: a forward pass may not compare, order or test a "
                        "size (it would be another network for other numbers); branch on a flag, or use same()")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = _refused
    __hash__ = object.__hash__

    def __truediv__(self, other: Size) -> Any:
        raise TypeError(f"({self}) / ({other}): sizes divide exactly with per(a, b), and round with // or ceil(a, b)")

    def __rtruediv__(self, other: Size) -> Any:
        return Polynomial.__truediv__(other, self)

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        text = ""
        for powers, coefficient in self.terms.values():
            sign = "-" if coefficient < 0 else "+"
            text += f" {sign} {_monomial(powers, abs(coefficient))}" if text else (
                _monomial(powers, coefficient) if coefficient > 0 else "-" + _monomial(powers, -coefficient))
        return text

    __repr__ = __str__


def letter(name: str) -> Polynomial:
    """The size that is one letter of the table.

    >>> letter("d") * 4
    4*d
    """
    row(name)  # refuses a name that the table does not have
    return single(((name, 1),))


def single(powers: Iterable[tuple[Any, int]], coefficient: Any = 1) -> Polynomial:
    """The size of one term: factors (atom, power) in this order, times a number.

    >>> single([("L", 1), ("d", 2)], 12)
    12*L*d^2
    """
    kept = tuple(powers)
    return Polynomial({frozenset(kept): (kept, coefficient)})


def inverse(size: Size) -> Polynomial:
    """One over a size of a single term.

    >>> inverse(4 * letter("d"))
    1/4/d
    """
    (powers, coefficient), = lift(size).terms.values()
    return single(((atom, -power) for atom, power in powers), quotient(1, coefficient))


def lift(size: Size) -> Any:
    """A number as a polynomial; NotImplemented for what is neither (a SymPy expression)."""
    if isinstance(size, Polynomial):
        return size
    if hasattr(size, "numerator") and isinstance(getattr(size, "denominator", None), int):  # int or Fraction
        return Polynomial({frozenset(): ((), size)} if size else {})
    return NotImplemented


def made(terms: dict[frozenset[Any], tuple[tuple[Any, ...], Any]], *noted: tuple[Condition, ...]) -> Size:
    """A size of these terms: zeros dropped, an int where no letter and no condition is left."""
    kept = {key: (powers, c if isinstance(c, int) or c.denominator > 1 else int(c))
            for key, (powers, c) in terms.items() if c}
    conditions = merged(*noted)
    if not conditions and not (kept.keys() - {frozenset()}):
        constant = kept[frozenset()][1] if kept else 0
        if isinstance(constant, int):
            return constant
    return Polynomial(kept, conditions)


def added(sizes: Iterable[Size]) -> Size:
    """The sum of many sizes, in one pass."""
    terms: dict[frozenset[Any], tuple[tuple[Any, ...], Any]] = {}
    held: list[tuple[Condition, ...]] = []
    rest: Size = 0
    for size in sizes:
        lifted = lift(size)
        if lifted is NotImplemented:
            rest = size + rest
            continue
        held.append(lifted.conditions)
        for key, (powers, coefficient) in lifted.terms.items():
            old = terms.get(key)
            terms[key] = (powers, coefficient) if old is None else (old[0], old[1] + coefficient)
    whole = made(terms, *held)
    return whole if isinstance(rest, int) else whole + rest


def bare(size: Size, seen: dict[Call, Call] | None = None) -> Size:
    """The size without the conditions that it carries, also within what is rounded: they repeat those of the whole.

    >>> from symcount.sizes import per
    >>> whole = per(letter("d"), letter("heads"))
    >>> [str(c) for c in whole.conditions], bare(whole).conditions
    (['heads divides d'], ())
    """
    if not isinstance(size, Polynomial):
        return size
    seen = {} if seen is None else seen
    terms = {}
    for key, (powers, coefficient) in size.terms.items():
        for call in (atom for atom, _ in powers if isinstance(atom, Call) and atom not in seen):
            seen[call] = Call(call.name, *(bare(arg, seen) for arg in call.args))
        terms[key] = (tuple((seen.get(atom, atom), power) for atom, power in powers), coefficient)
    return Polynomial(terms)


def primitive(*sizes: Size) -> list[Size]:
    """The sizes divided by all that their terms share: 4Ld² and 6Ldh are to one another as 2d and 3h.

    >>> L, d, h = map(letter, ("L", "d", "h"))
    >>> primitive(4 * L * d * d, 6 * L * d * h)
    [2*d, 3*h]
    """
    terms = [term for size in sizes for term in lift(size).terms.values()]
    atoms = list(dict.fromkeys(atom for powers, _ in terms for atom, _ in powers))
    shared = {atom: min(dict(powers).get(atom, 0) for powers, _ in terms) for atom in atoms}
    below = lcm(*(c.denominator for _, c in terms))
    common = gcd(*(int(c * below) for _, c in terms)) or 1
    found = []
    for size in sizes:
        kept: dict[Any, Any] = {}
        for powers, c in lift(size).terms.values():
            told = dict(powers)
            left = tuple((atom, told.get(atom, 0) - shared[atom]) for atom in dict.fromkeys((*told, *atoms))
                         if told.get(atom, 0) != shared[atom])
            kept[frozenset(left)] = (left, int(c * below) // common)
        found.append(made(kept))
    return found


def positive_first(size: Size) -> Size:
    """The size with what is added before what is taken away, and high powers first within each.

    >>> positive_first(4 - letter("L_dense") + letter("L") ** 2)
    L^2 + 4 - L_dense
    """
    terms = size.terms.items() if isinstance(size, Polynomial) else ()
    order = sorted(terms, key=lambda term: (term[1][1] < 0, -sum(power for _, power in term[1][0])))
    return Polynomial(dict(order), size.conditions) if order else size


def merged(*noted: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Conditions without repeats, in order."""
    told = [group for group in noted if group]
    if not told or (len(told) == 1 and len(told[0]) == 1):
        return told[0] if told else ()
    return tuple({str(c): c for group in told for c in group}.values())


def opaque(atom: Atom, noted: tuple[Condition, ...] = ()) -> Polynomial:
    """The size that is one atom."""
    return Polynomial({frozenset(((atom, 1),)): (((atom, 1),), 1)}, merged(noted))


def rounded(name: str, a: Size, b: Size) -> Size:
    """`floor`, `ceil` or `up` (to a multiple of b) of a/b: exact where it can be, else opaque."""
    top, bottom = lift(a), lift(b)
    if top is NotImplemented or bottom is NotImplemented:
        return NotImplemented
    if not bottom.terms:
        raise SizeError(f"{name}({a}, {b}): division by zero")
    if not top.terms:
        return 0
    if canonical(top) == canonical(bottom):
        return a if name == "up" else 1
    c = top.terms[frozenset()][1] if frozenset() in top.terms else 0
    rest = {key: term for key, term in top.terms.items() if key}
    whole = isinstance(b, int) and all(isinstance(n, int) and n % b == 0 for _, n in rest.values())
    if whole and all(power > 0 for powers, _ in rest.values() for _, power in powers):  # (2P - 1)//2 is P - 1
        down = (c.numerator // (c.denominator * b)) if name == "floor" else -(-c.numerator // (c.denominator * b))
        times = b if name == "up" else 1
        if not rest:
            return down * times
        parts = {key: (powers, n // b * times) for key, (powers, n) in rest.items()}
        return made({**parts, frozenset(): ((), down * times)}, top.conditions)
    if name != "up" and isinstance(b, int) and b > 0:
        steps = top.terms.get(frozenset(), ((), 0))[1] // b  # floor(side - 2, 2) is floor(side, 2) - 1
        if steps:
            return rounded(name, top - steps * b, b) + steps
        once = [powers[0][0] for powers, c in top.terms.values() if c == 1 and [p for _, p in powers] == [1]]
        inner = once[0] if len(once) == len(top.terms.keys() - {frozenset()}) == 1 else None
        if isinstance(inner, Call) and inner.name == name and isinstance(inner.args[1], int) and inner.args[1] > 0:
            x, m = inner.args  # floor(floor(side + 1, 2) + 1, 2) is floor(side + 3, 4)
            return rounded(name, _under(top, x + m * top.terms.get(frozenset(), ((), 0))[1]), m * b)
    if name != "up" and len(bottom.terms) == 1 and not isinstance(b, int):
        (key, (_, once_only)), = bottom.terms.items()
        steps = top.terms[key][1] if key in top.terms and once_only == 1 else 0
        if isinstance(steps, int) and steps:  # floor(side - patch, patch) is floor(side, patch) - 1
            left = top - steps * bottom
            return rounded(name, left, b) + steps if lift(left).terms else _under(left, lift(steps))
    return opaque(Call(name, a, b), top.conditions + bottom.conditions)


def _under(size: Polynomial, other: Size) -> Size:
    """`other`, under the conditions of `size`."""
    lifted = lift(other)
    return Polynomial(lifted.terms, merged(lifted.conditions, size.conditions))


def quotient(a: Any, b: int) -> Any:
    """a/b, an int where it is one."""
    if isinstance(a, int) and isinstance(b, int) and a % b == 0:
        return a // b
    from fractions import Fraction  # only a formula with a true fraction pays for this import

    return Fraction(a) / b


def canonical(size: Size) -> str:
    """A text that equal polynomials share."""
    return " + ".join(sorted(f"{c}*" + "*".join(sorted(f"{a.key if isinstance(a, Atom) else a}^{p}" for a, p in powers))
                             for powers, c in lift(size).terms.values()))


def _monomial(powers: tuple[tuple[Any, int], ...], coefficient: Any) -> str:
    above = [f"{a}^{p}" if p > 1 else str(a) for a, p in powers if p > 0]
    below = [f"{a}^{-p}" if p < -1 else str(a) for a, p in powers if p < 0]
    if coefficient.numerator != 1 or not above:
        above.insert(0, str(coefficient.numerator))
    if coefficient.denominator != 1:
        below.insert(0, str(coefficient.denominator))
    return "*".join(above) + "".join("/" + factor for factor in below)
