"""What a line of a derivation shows: a small tree that keeps the author's order and is printed as it stands.

    Number Symbol Power Product Sum Quotient Function Root

A form says how something is written; `size` says what it is, so that every line can be checked.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.polynomials import Bracket, Call, Polynomial, added, letter, lift, quotient
from symcount.sizes import RULES, from_sympy, per

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.polynomials import Size

    Form = Any  # one of the following

Number = namedtuple("Number", "number")
Symbol = namedtuple("Symbol", "name")
Power = namedtuple("Power", "base exponent")
Product = namedtuple("Product", "factors")
Sum = namedtuple("Sum", "terms")  # (sign, form) each, sign 1 or -1
Quotient = namedtuple("Quotient", "top bottom")
Function = namedtuple("Function", "name args")  # ceil, floor, up, min
Root = namedtuple("Root", "body degree")  # the positive one: what an equation is solved by, no size


def size(form: Form) -> Size:
    """The number or polynomial that a form is.

    >>> size(Product((Number(3), Symbol("d"), Symbol("h"))))
    3*d*h
    """
    kind = type(form)
    if kind is Number:
        return form.number
    if kind is Symbol:
        return letter(form.name)
    if kind is Power:
        return size(form.base) ** form.exponent
    if kind is Quotient:
        top, bottom = size(form.top), size(form.bottom)
        # A fraction of numbers may stand inside a rounding: up(8·4,096/3, 256).
        return lift(top) * quotient(1, bottom) if isinstance(bottom, int) and bottom else per(top, bottom)
    if kind is Function:
        return RULES[form.name](*map(size, form.args))
    if kind is Sum:
        return added(sign * size(term) for sign, term in form.terms)
    result: Size = 1
    for factor in form.factors:
        result = result * size(factor)
    return result


def numbers(form: Form, values: Mapping[str, int]) -> Form:
    """The substituted line: the same form with every symbol that has a value replaced by its number."""
    kind = type(form)
    if kind is Symbol:
        return Number(values[form.name]) if form.name in values else form
    if kind is Power:
        return Power(numbers(form.base, values), form.exponent)
    if kind is Product:
        return Product(tuple(numbers(factor, values) for factor in form.factors))
    if kind is Sum:
        return Sum(tuple((sign, numbers(term, values)) for sign, term in form.terms))
    if kind is Quotient:
        return Quotient(numbers(form.top, values), numbers(form.bottom, values))
    if kind is Function:
        return Function(form.name, tuple(numbers(arg, values) for arg in form.args))
    return Root(numbers(form.body, values), form.degree) if kind is Root else form


def total(terms: list[tuple[int, Form]]) -> Form:
    """A sum, or its only positive term."""
    if not terms:
        return Number(0)
    return terms[0][1] if len(terms) == 1 and terms[0][0] > 0 else Sum(tuple(terms))


def flat(terms: list[tuple[int, Form]]) -> list[tuple[int, Form]]:
    """The terms of a sum, those of a sum within it one by one: a sign stands before a term, never before a sum.

    >>> flat([(-1, Sum(((1, Symbol("d")), (-1, Number(2)))))])
    [(-1, Symbol(name='d')), (1, Number(number=2))]
    """
    return [(outer * sign, term) for outer, form in terms
            for sign, term in (flat(list(form.terms)) if type(form) is Sum else [(1, form)])]


def product(factors: list[Form]) -> Form:
    """A product, or its only factor."""
    return factors[0] if len(factors) == 1 else Product(tuple(factors)) if factors else Number(1)


def monomial(coefficient: Any, powers: Mapping[Any, int]) -> Form:
    """A coefficient, one-letter names, long names, and brackets, in this order; what divides stands below.

    >>> monomial(2, {"heads": 1, "d": 1})
    Product(factors=(Number(number=2), Symbol(name='d'), Symbol(name='heads')))
    """
    above: list[Form] = []
    below: list[Form] = []
    for atom in sorted(powers, key=lambda atom: 2 if isinstance(atom, Bracket) else len(str(atom)) > 1):
        if isinstance(atom, Bracket):
            base: Form = written(atom.body)
        else:
            base = Function(atom.name, tuple(map(written, atom.args))) if isinstance(atom, Call) else Symbol(atom)
        power = powers[atom]
        (above if power > 0 else below).append(base if abs(power) == 1 else Power(base, abs(power)))
    if coefficient.numerator != 1 or not above:
        above.insert(0, Number(coefficient.numerator))
    if coefficient.denominator != 1:
        below.insert(0, Number(coefficient.denominator))
    return Quotient(product(above), product(below)) if below else product(above)


def written(size: Size) -> Form:
    """A size as it was written, its terms and factors in order.

    >>> written(4 * letter("d") + 1)
    Sum(terms=((1, Product(factors=(Number(number=4), Symbol(name='d')))), (1, Number(number=1))))
    """
    if lift(size) is NotImplemented:
        size = from_sympy(size)
    if not isinstance(size, Polynomial):
        return Number(size)
    return total(flat([(1 if coefficient > 0 else -1, monomial(abs(coefficient), dict(powers)))
                       for powers, coefficient in size.terms.values()]))
