"""Sizes with other sizes for their letters."""

from __future__ import annotations

from symcount.errors import FormulaError, SizeError
from symcount.polynomials import Atom, Call, Condition, Polynomial, lift, opaque, quotient
from symcount.sizes import RULES, check, noted, per

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from symcount.polynomials import Size


def substitute(size: Size, letters: Callable[[str], Size]) -> Size:
    """The size with every letter replaced, over whatever numbers `letters` gives.

    >>> from symcount.polynomials import letter
    >>> substitute(4 * letter("d"), {"d": 768}.get)
    3072
    """
    if not isinstance(size, Polynomial):
        return size

    def given(name: str) -> Size:
        found = letters(name)
        if found is None:
            raise FormulaError(f"'{name}' has no value in {size}")
        return found

    result = _substituted(size, given)
    held = []
    for left, relation, right in size.conditions:  # those of what is rounded in it are among them
        condition = Condition(_substituted(left, given), relation, _substituted(right, given))
        if isinstance(condition.left, int) and isinstance(condition.right, int):
            check(condition, {})
        else:
            held.append(condition)
    return noted(result, *held)


def _substituted(size: Size, given: Callable[[str], Size]) -> Size:
    """The size with every letter replaced, whatever it is conditional on."""
    if not isinstance(size, Polynomial):
        return size
    result: Size = 0
    for powers, coefficient in size.terms.values():
        above: Size = coefficient.numerator
        below: Size = coefficient.denominator
        for atom, power in powers:
            base = (RULES[atom.name](*(_substituted(arg, given) for arg in atom.args)) if isinstance(atom, Call)
                    else opaque(atom) if isinstance(atom, Atom) else given(atom))
            above, below = (above * base**power, below) if power > 0 else (above, below * base**-power)
        if isinstance(below, int) and not below:
            raise SizeError(f"{size}: division by zero")
        if isinstance(below, int) and lift(above) is not NotImplemented:
            term = above if below == 1 else lift(above) * quotient(1, below)  # 8d/3 may still become whole
        else:
            term = per(above, below)
        result = term if isinstance(result, int) and not result else result + term
    return result
