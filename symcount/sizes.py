"""The functions on sizes that a forward pass may use, over ints, letters and SymPy expressions alike.

Beside `+ - * //`: `per` (exact quotient), `ceil`, `up`, `least`; `bounded`, `rest`, `exactly` and `multiple` say what
must hold; and for readers `same`, `value`, `letters`, `conditions`, `to_sympy`. What an int answers at
once, a letter notes as a condition that is checked as soon as its letters have values. Nothing here imports SymPy but
`to_sympy` and `from_sympy`, and the functions that were given SymPy expressions.
"""

from __future__ import annotations

from math import gcd

from symcount.errors import FormulaError, SizeError
from symcount.polynomials import (
    Call,
    Condition,
    Polynomial,
    letter,
    lift,
    made,
    merged,
    opaque,
    quotient,
    rounded,
)
from symcount.symbols import symbol as _symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from symcount.polynomials import Size


def per(a: Size, b: Size) -> Size:
    """The exact quotient a/b: SizeError for ints that do not divide; on letters a noted condition.

    >>> per(768, 12), per(letter("d"), letter("heads"))
    (64, d/heads)
    >>> per(768, 10)
    Traceback (most recent call last):
    symcount.errors.SizeError: 10 does not divide 768
    """
    if isinstance(a, int) and isinstance(b, int):
        if b == 0 or a % b:
            raise SizeError(f"{b:,} does not divide {a:,}")
        return a // b
    if lift(a) is NotImplemented or lift(b) is NotImplemented:  # SymPy
        return a / b
    if same(a, b):
        return 1
    top, bottom = lift(a), lift(b)
    if not bottom.terms:
        raise SizeError(f"({a})/0: division by zero")
    if len(bottom.terms) != 1:
        raise SizeError(f"({a})/({b}): exact division by a sum; choose letters so that the division vanishes")
    (powers, coefficient), = bottom.terms.values()
    inverse = Polynomial({frozenset((x, -p) for x, p in powers): (tuple((x, -p) for x, p in powers), 1)})
    product = lift(inverse * top)
    terms = {key: (_first(top, order), quotient(c, coefficient)) for key, (order, c) in product.terms.items()}
    exact = all(p > 0 for order, _ in terms.values() for _, p in order) and all(
        isinstance(c, int) for _, c in terms.values())
    return made(terms, top.conditions, bottom.conditions, () if exact else (Condition(b, "divides", a),))


def ceil(a: Size, b: Size) -> Size:
    """a/b rounded up: ints at once, letters later.

    >>> ceil(10, 4), ceil(letter("d"), 4)
    (3, ceil(d, 4))
    """
    if isinstance(a, int) and isinstance(b, int) and b:
        return -(-a // b)
    if lift(a) is NotImplemented or lift(b) is NotImplemented:  # SymPy
        import sympy

        return sympy.ceiling(a / b)
    return rounded("ceil", a, b)


def floor(a: Size, b: Size) -> Size:
    """a/b rounded down, as `//` does; division by zero is a SizeError."""
    return a // b if not isinstance(a, int) or not isinstance(b, int) or b else rounded("floor", a, b)


def up(a: Size, step: Size) -> Size:
    """a rounded up to a multiple of `step`.

    >>> up(10922, 256), up(8 * letter("d"), 256)
    (11008, up(8*d, 256))
    """
    if isinstance(a, int) and isinstance(step, int) and step:
        return -(-a // step) * step
    if lift(a) is NotImplemented or lift(step) is NotImplemented:
        return ceil(a, step) * step
    return rounded("up", a, step)


def least(a: Size, b: Size) -> Size:
    """The smaller of two sizes: ints at once, letters later.

    >>> least(3, 5), least(letter("s"), letter("w"))
    (3, min(s, w))
    """
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    if lift(a) is NotImplemented or lift(b) is NotImplemented:  # SymPy
        import sympy

        return sympy.Min(a, b)
    return a if same(a, b) else opaque(Call("min", a, b), conditions(a) + conditions(b))


# What a relation of two numbers is called where it holds, and where it does not
RELATIONS = {"divides": ("divides", "does not divide"), "at most": ("is at most", "is more than"),
             "less": ("is less than", "is not less than"), "is": ("is", "is not")}
RULES: dict[str, Callable[[Size, Size], Size]] = {"ceil": ceil, "up": up, "min": least, "floor": floor}  # of a Call


def same(a: Size, b: Size) -> bool:
    """Whether two sizes are equal, by canonical form; a size that is not a polynomial equals only itself.

    >>> d, k = letter("d"), letter("k")
    >>> same(d * (k + 1), d * k + d), same(d, k)
    (True, False)
    """
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    difference = _polynomial(a) - _polynomial(b)
    return difference == 0 if isinstance(difference, int) else not difference.terms


def is_one(size: Size) -> bool:
    """Whether a size is 1 as it stands, whatever letters may be: a scope of so many runs is not repeated."""
    return isinstance(size, int) and size == 1


def bounded(size: Size, limit: Size) -> Size:
    """`size`, known to be at most `limit`: SizeError for ints that are not; on letters a noted condition."""
    if isinstance(size, int) and isinstance(limit, int):
        if size > limit:
            raise SizeError(f"{size:,} is more than {limit:,}")
        return size
    if lift(limit) is NotImplemented or same(size, limit):  # a SymPy expression carries no conditions
        return size
    if _never_more(size, limit):
        return size
    return noted(size, Condition(size, "at most", limit))


def _never_more(size: Size, limit: Size) -> bool:
    """Whether it goes without saying: of s and s + d, min(a, b) and a, ceil(a, n) and a, ceil(a, n) and ceil(a, m)."""
    if all(coefficient > 0 for _, coefficient in _polynomial(limit - size).terms.values()):
        return True
    terms = list(_polynomial(size).terms.values())
    (powers, c), *more = terms or [((), 0)]
    if more or c <= 0 or len(powers) != 1 or powers[0][1] != 1 or not isinstance(powers[0][0], Call):
        return False
    call = powers[0][0]
    a, b = call.args
    if call.name == "min":
        return same(c * a, limit) or same(c * b, limit)
    return call.name == "ceil" and isinstance(b, int) and any(
        same(c * ceil(a, m), limit) for m in range(1, b) if b % m == 0)


def rest(size: Size, part: Size) -> Size:
    """What is left of `size` without a part of it: L - L_dense; SizeError for ints where the part is more."""
    return size - bounded(part, size)


def exactly(size: Size, other: Size) -> Size:
    """`other`, which `size` must be: SizeError for ints that differ; on letters a noted condition."""
    if isinstance(size, int) and isinstance(other, int) and size != other:
        raise SizeError(f"{size:,} is not {other:,}")
    return other if same(size, other) or lift(size) is NotImplemented else noted(other, Condition(size, "is", other))


def multiple(size: Size, of: int) -> Size:
    """`size`, which must be a multiple: SizeError for an int that is not; on letters a noted condition."""
    if isinstance(size, int):
        per(size, of)
        return size
    return noted(size, Condition(of, "divides", size))


def noted(size: Size, *more: Condition) -> Size:
    """The size, with more that must hold for it; a SymPy expression carries no conditions, and stands in none."""
    lifted = lift(size)
    more = tuple(c for c in more if all(lift(side) is not NotImplemented for side in (c.left, c.right)))
    if not more or lifted is NotImplemented:
        return size
    return Polynomial(lifted.terms, merged(lifted.conditions, more))


def conditions(size: Size) -> tuple[Condition, ...]:
    """What must hold for `size` to be a size."""
    return size.conditions if isinstance(size, Polynomial) else ()


def letters(size: Size) -> list[str]:
    """The letters of a size, in the order written.

    >>> letters(letter("d") * letter("h") + ceil(letter("V"), 8))
    ['d', 'h', 'V']
    """
    found: dict[str, None] = {}
    if isinstance(size, Polynomial):
        for powers, _ in size.terms.values():
            for atom, _ in powers:
                found.update(dict.fromkeys(letters_of(atom)))
    elif hasattr(size, "free_symbols"):  # SymPy
        found.update(dict.fromkeys(sorted(symbol.name for symbol in size.free_symbols)))
    return list(found)


def letters_of(atom: Any) -> list[str]:
    """The letters of one factor: itself, or those of what is rounded in it."""
    return [name for arg in atom.args for name in letters(arg)] if isinstance(atom, Call) else [atom]


def value(size: Size, values: Mapping[str, int]) -> int:
    """The exact integer that a size is for these values.

    Raises FormulaError for a letter without a value, SizeError for a division that is not exact.

    >>> value(4 * letter("d"), {"d": 768})
    3072
    """
    if isinstance(size, int):
        return size
    top, bottom = ratio(size, values)
    if top % bottom:
        raise SizeError(f"{size} = {top}/{bottom} is not a whole number for {_shown(size, values)}")
    return top // bottom


def ratio(size: Size, values: Mapping[str, int]) -> tuple[int, int]:
    """Numerator and denominator of a size for these values, reduced."""
    if isinstance(size, int):
        return size, 1
    top, bottom = 0, 1
    for powers, coefficient in _polynomial(size).terms.values():
        a, b = coefficient.numerator, coefficient.denominator
        for atom, power in powers:
            base = _called(atom, values) if isinstance(atom, Call) else values.get(atom)
            if base is None:
                raise FormulaError(f"'{atom}' has no value in {size}")
            if power > 0:
                a *= base**power
            else:
                b *= base**-power
        if b == 0:
            raise SizeError(f"{size} divides by zero for {_shown(size, values)}")
        top, bottom = top * b + a * bottom, bottom * b
        common = gcd(top, bottom)
        top, bottom = top // common, bottom // common
    return top, bottom


def vanishes(size: Size, values: Mapping[str, int]) -> bool:
    """Whether a size is nothing for these values, whatever its other letters may be.

    >>> vanishes(letter("images") * letter("side"), {"images": 0}), vanishes(letter("side") + 1, {"side": 0})
    (True, False)
    """
    if all(name in values for name in letters(size)):
        return ratio(size, values)[0] == 0
    return all(any(power > 0 and values.get(atom) == 0 for atom, power in powers)
               for powers, _ in _polynomial(size).terms.values())


def fraction(size: Size, values: Mapping[str, int]) -> Any:
    """The exact number of a size for these values: an int, or a Fraction."""
    return quotient(*ratio(size, values))


def related(relation: str, a: Any, b: Any) -> bool:
    """Whether a relation holds of two exact numbers; what divides another, and what it divides, is whole.

    >>> related("divides", 12, 768), related("less", 3, 3)
    (True, False)
    """
    if relation == "divides":
        return bool(a) and a.denominator == b.denominator == 1 and b % a == 0
    return bool({"at most": a <= b, "less": a < b, "is": a == b}[relation])


def check(condition: Condition, values: Mapping[str, int]) -> None:
    """Raise SizeError, with names and numbers, if a condition fails for these values."""
    a, b = value(condition.left, values), value(condition.right, values)
    if not related(condition.relation, a, b):
        _, verb = RELATIONS[condition.relation]
        hint = ""
        if str(condition.left).startswith("L_"):
            hint = f"; change both, as in {condition.right}=…,{condition.left}=…"
        elif condition.relation == "is" and b == 0:
            hint = "; the widths of its towers do not fit, so no image can run"
        raise SizeError(f"{_named(condition.left, a)} {verb} {_named(condition.right, b)}{hint}")


def to_sympy(size: Size) -> Any:
    """The SymPy expression of a size, over the positive-integer symbols of the table."""
    import sympy

    if isinstance(size, int):
        return sympy.Integer(size)
    if not isinstance(size, Polynomial):
        return size
    named = {"ceil": lambda a, b: sympy.ceiling(a / b), "floor": lambda a, b: sympy.floor(a / b),
             "up": lambda a, b: b * sympy.ceiling(a / b), "min": sympy.Min}
    total = []
    for powers, c in size.terms.values():
        factors = [sympy.Rational(c.numerator, c.denominator)]
        for atom, power in powers:
            base = named[atom.name](*map(to_sympy, atom.args)) if isinstance(atom, Call) else _symbol(atom)
            factors.append(base**power)
        total.append(sympy.Mul(*factors))
    return sympy.Add(*total)


def from_sympy(expression: Any) -> Size:
    """The size that a SymPy expression is: sums, products and integer powers of the table's symbols.

    Raises FormulaError for anything else, naming it.
    """
    import sympy

    if not hasattr(expression, "is_Integer"):
        raise FormulaError(f"{expression!r} is not a size: an int, letters and SymPy expressions of letters are")
    if expression.is_Integer:
        return int(expression)
    if expression.is_Rational:
        return lift(1) * quotient(int(expression.p), int(expression.q))
    if expression.is_Symbol:
        if expression != _symbol(expression.name):
            raise FormulaError(f"the symbol '{expression}' is not symcount.symbols.{expression}: other assumptions")
        return letter(expression.name)
    args = expression.args
    if expression.is_Add or expression.is_Mul:
        result: Size = 0 if expression.is_Add else 1
        for arg in args:
            result = result + from_sympy(arg) if expression.is_Add else from_sympy(arg) * result
        return result
    if expression.is_Pow and args[1].is_Integer:
        power = int(args[1])
        base = from_sympy(args[0])
        return base**power if power >= 0 else per(1, base**-power)
    if isinstance(expression, (sympy.ceiling, sympy.floor)):
        top, bottom = args[0].as_numer_denom()
        return rounded("ceil" if isinstance(expression, sympy.ceiling) else "floor",
                        from_sympy(top), from_sympy(bottom))
    if isinstance(expression, sympy.Min):
        result = from_sympy(args[0])
        for arg in args[1:]:
            result = least(result, from_sympy(arg))
        return result
    raise FormulaError(f"{expression} is not a size: "
                       "sums, products, integer powers, ceiling, floor and Min of letters are")


def _polynomial(size: Size) -> Any:
    return lift(from_sympy(size) if lift(size) is NotImplemented else size)


def _called(call: Call, values: Mapping[str, int]) -> int:
    (a, b), (c, d) = (ratio(arg, values) for arg in call.args)
    if call.name == "min":  # its arguments are not evaluated anew: minima may stand within minima
        one, top, bottom = (call.args[0], a, b) if a * d <= c * b else (call.args[1], c, d)
        return value(one, values) if top % bottom else top // bottom
    if c == 0:
        raise SizeError(f"{call} divides by zero")
    if call.name == "floor":
        return (a * d) // (b * c)
    above = -(-(a * d) // (b * c))
    return above if call.name == "ceil" else above * (c if d == 1 else value(call.args[1], values))


def _first(top: Polynomial, order: tuple[tuple[Any, int], ...]) -> tuple[tuple[Any, int], ...]:
    """The factors of a quotient, what was on top first."""
    place = {atom: i for i, atom in enumerate(a for powers, _ in top.terms.values() for a, _ in powers)}
    return tuple(sorted(order, key=lambda item: place.get(item[0], len(place))))


def _named(size: Size, number: int) -> str:
    return f"{number:,}" if isinstance(size, int) else f"{size} = {number:,}"


def _shown(size: Size, values: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {values[name]:,}" for name in letters(size) if name in values)
