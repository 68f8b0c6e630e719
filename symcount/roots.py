"""Closed forms of what solves an equation in one letter: of degree 1, of degree 2, and of a power alone.

    a·x + b = 0        x = −b/a
    a·xⁿ + c = 0       x = (−c/a)^(1/n)
    a·x² + b·x + c = 0 x = (−b ± √(b² − 4ac))/(2a)

Coefficients are polynomials in the other letters, all of which are positive.
"""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction
from math import comb

from symcount.derivation import number
from symcount.errors import ProofError
from symcount.forms import Power, Product, Quotient, Root, Sum, written
from symcount.polynomials import Atom, Polynomial, added, inverse, lift, positive_first, primitive, single
from symcount.sizes import fraction, letters, letters_of, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from symcount.forms import Form
    from symcount.polynomials import Size


class Solved(namedtuple("Solved", "p q top under degree bottom")):
    """(p + q·R)/bottom, where R is the positive root with R^degree = top/under; q is 0 where there is none.

    Checked when it is made: ProofError if it does not solve the equation of these coefficients.
    """

    __slots__ = ()

    @property
    def form(self) -> Form:
        """How it is written: (√(V² + 48LN) − V)/(24L)."""
        if not self.q:
            return _over(self.p, self.bottom)
        if not any(letters(size) for size in (self.p, self.power, self.under, self.bottom)) and self.number({})[1]:
            return number(self.number({})[0])
        body = _difference_of_squares(self.top) if isinstance(self.top, tuple) else _over(self.top, self.under)
        root = Root(body, self.degree)
        if not lift(self.p).terms:
            return root if same(self.bottom, 1) else Quotient(root, written(self.bottom))
        front, behind = (1, root), (1, written(self.p))
        if all(c < 0 for _, c in lift(self.p).terms.values()):
            behind = (-1, written(-1 * self.p))
        terms = (front, behind) if self.q > 0 else (behind, (-1, root))
        top = Sum(tuple((sign, _bracketed(sign, term)) for sign, term in terms))
        return top if same(self.bottom, 1) else Quotient(top, written(self.bottom))

    def number(self, values: Mapping[str, int]) -> tuple[Fraction, bool]:
        """The number for these values, to 30 digits, and whether it is exact."""
        p, bottom = (Fraction(fraction(size, values)) for size in (self.p, self.bottom))
        if not self.q:
            return p / bottom, True
        squared = Fraction(fraction(self.power, values)) / Fraction(fraction(self.under, values))
        root, exact = _root(squared, self.degree)
        return (p + self.q * root) / bottom, exact

    @property
    def power(self) -> Size:
        """R^degree · under."""
        return self.top[0] * self.top[0] + self.top[1] if isinstance(self.top, tuple) else self.top


def solved(equation: Size, name: str, values: Mapping[str, int]) -> list[Solved]:
    """The positive solutions of equation = 0 in closed form; none where there is no closed form.

    >>> from symcount.formulas import read
    >>> from symcount.render import text
    >>> text.form(solved(read("12L*d^2 + V*d - N"), "d", {})[0].form)
    '(√(V² + 48LN) − V)/(24L)'
    """
    parts = coefficients(equation, name)
    if not parts or max(parts) < 1:
        return []
    degree, all_letters = max(parts), {letter for part in parts.values() for letter in letters(part)}
    if not all_letters <= values.keys():
        return _forms(parts, degree, values)
    if not fraction(parts[degree], values):  # then it is of a lower degree for these values alone
        return []
    return [one for one in _forms(parts, degree, values) if one.number(values)[0] > 0]


def _forms(parts: Mapping[int, Size], degree: int, values: Mapping[str, int]) -> list[Solved]:
    """The closed forms, without those that are negative or no numbers for all letters, or for these values."""
    if set(parts) <= {0, degree}:
        top, under = positive_first(-1 * parts.get(0, 0)), positive_first(parts[degree])
        if _sign(under, values) < 0:
            top, under = positive_first(-1 * top), positive_first(-1 * under)
        if _sign(top, values) < 0 or not lift(top).terms:
            return []
        if degree == 1:
            return [_checked(Solved(top, 0, 0, 1, 1, under), parts)]
        return [_checked(Solved(0, 1, top, under, degree, 1), parts)]
    if degree != 2:
        return []
    a, b, c = (parts.get(power, 0) for power in (2, 1, 0))
    if _sign(a, values) < 0:
        a, b, c = -1 * a, -1 * b, -1 * c
    even = all(isinstance(n, int) and n % 2 == 0 for _, n in lift(b).terms.values())
    half, four, two = (_divided(b, 2), 1, 1) if even else (b, 4, 2)
    discriminant = (half, -four * a * c)
    square, product = lift(half * half), lift(-four * a * c)
    if _sign(square + product, values) < 0:
        return []
    # With a > 0 > c the roots have opposite signs: the greater is the only one that is positive.
    opposite = _sign(a, values) > 0 > _sign(c, values)
    if not lift(square + product).terms:  # twice the same
        return [_checked(Solved(-1 * half, 0, 0, 1, 1, two * a), parts)]
    return [_checked(Solved(-1 * half, side, discriminant, 1, 2, two * a), parts)
            for side in ((1,) if opposite else (1, -1))]


def coefficients(equation: Size, name: str) -> dict[int, Size]:
    """{power of the letter: its coefficient}; {} where the letter is in a rounding.

    >>> from symcount.formulas import read
    >>> coefficients(read("12L*d^2 + V*d - N"), "d")
    {2: 12*L, 1: V, 0: -N}

    What all terms share is divided out; but where a number stands alone, as a budget does, it stays as it was given.
    """
    terms = lift(equation).terms.values()
    if all(powers for powers, _ in terms):
        terms = lift(primitive(equation)[0]).terms.values()
    if any(name in letters_of(atom) for powers, _ in terms for atom, _ in powers if isinstance(atom, Atom)):
        return {}
    lowest = min((dict(powers).get(name, 0) for powers, _ in terms), default=0)
    found: dict[int, list[Size]] = {}
    for powers, c in terms:
        kept = single(((atom, power) for atom, power in powers if atom != name), c)
        found.setdefault(dict(powers).get(name, 0) - lowest, []).append(kept)
    return {degree: added(parts) for degree, parts in found.items()}


def _checked(one: Solved, parts: Mapping[int, Size]) -> Solved:
    """The solution, put into its equation: powers of R from its degree on become top/under."""
    degree, highest = one.degree, max(parts)
    by_root: dict[int, Size] = {}
    for power in range(highest + 1):
        for k in range(power + 1):  # (p + qR)^power · bottom^(highest − power), binomially
            folds, left = divmod(k, degree)
            times = comb(power, k) * one.q**k
            term = (times * parts.get(power, 0) * lift(one.p)**(power - k) * lift(one.bottom)**(highest - power)
                    * lift(one.power)**folds * lift(one.under)**(highest - folds))
            by_root[left] = by_root.get(left, 0) + term
    if any(lift(rest).terms for rest in by_root.values()):
        raise ProofError(f"the closed form {one} does not solve its equation")
    return one


def _root(number: Fraction, degree: int) -> tuple[Fraction, bool]:
    """The positive root of a number, to 30 digits behind the point, and whether it is exact."""
    digits = 0
    while True:
        scaled = number * 10**(degree * digits)
        low, high = 0, 1 << (int(scaled).bit_length() // degree + 1)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if middle**degree <= scaled else (low, middle)
        if low**degree == scaled or digits:
            return Fraction(low, 10**digits), low**degree == scaled
        digits = 30


def _difference_of_squares(both: tuple[Size, Size]) -> Form:
    """b² + product: multiplied out where b is a single term."""
    square, product = both
    if len(lift(square).terms) == 1:
        return written(square * square + product)
    lone = square if next(iter(lift(square).terms.values()))[1] > 0 else -1 * square
    terms = written(product)
    return Sum(((1, Power(written(lone), 2)), *(terms.terms if isinstance(terms, Sum) else ((1, terms),))))


def _bracketed(sign: int, term: Form) -> Form:
    """A sum that is taken away stands in brackets."""
    return Product((term,)) if sign < 0 and isinstance(term, Sum) else term


def _over(top: Size, under: Size) -> Form:
    """top/under, divided term by term where nothing is then left below a letter."""
    if len(lift(under).terms) == 1:
        shown = inverse(under) * top
        if all(power > 0 for powers, _ in lift(shown).terms.values() for _, power in powers):
            return written(shown)
    return Quotient(written(top), written(under))


def _divided(size: Size, by: int) -> Size:
    return Polynomial({key: (order, c // by) for key, (order, c) in lift(size).terms.items()})


def _sign(size: Size, values: Mapping[str, int]) -> int:
    """1 or −1 where all terms have this sign, or where all letters have values; else 0."""
    terms = lift(size).terms.values()
    if all(name in values for name in letters(size)):
        number = fraction(size, values)
        return (number > 0) - (number < 0)
    found = {1 if c > 0 else -1 for _, c in terms}
    return found.pop() if len(found) == 1 else 0
