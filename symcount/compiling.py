"""Sizes as steps of NumPy over columns of whole numbers, the tests of their conditions, and what their values can be.

    4Ld² + 3Ldh + 2Ld + 2Vd + d  ->  d·(L·(4d + 3h + 2) + (2V + 1))  ->  left_shift d 2, multiply h 3, add, …

Fixed sizes become numbers first. A size with fractions is one exact quotient, of which the remainder is tested. Steps
are plain data: no program text is made or run, and a worker of Dask is sent nothing else.

Source: Ceberio, Kreinovich 2004, "Greedy algorithms for optimizing multivariate Horner schemes".
"""

from __future__ import annotations

import operator
from collections import namedtuple
from fractions import Fraction
from math import gcd, lcm, prod

from symcount.errors import SizeError
from symcount.forms import Function, Number, Product, Quotient, Sum, Symbol
from symcount.polynomials import Call, Polynomial, lift, opaque
from symcount.sizes import is_one, letters_of, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from symcount.forms import Form
    from symcount.polynomials import Condition, Size

# steps: (ufunc, register, operand, operand) each, an operand being a number, a letter or a register, as the result is
Program = namedtuple("Program", "form steps result")
# left "divides", is "at most" or "is" right, both programs; says: what is the matter otherwise; letters: of both
Check = namedtuple("Check", "relation left right says letters")
_NUMBERS: dict[str, Any] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "left_shift": operator.lshift,
    "floor_divide": operator.floordiv, "minimum": min, "equal": operator.eq}
_SMALL = 2**31
RESULT = "result"  # the register of the last step, which may be there already to be written to


def program(form: Form, axes: Mapping[str, int], lows: Mapping[str, int],
            highs: Mapping[str, int] | None = None) -> Program:
    """The steps of a form; `axes` says along which axis each letter lies, `lows` and `highs` between which numbers.

    Where `highs` are given, steps with numbers in 32 bits, from numbers in 32 bits, are done in 32 bits, which is twice
    as fast or more: the columns `d:32` are those of `d`.

    >>> from symcount.polynomials import letter
    >>> d, h = letter("d"), letter("h")
    >>> for step in program(horner(4*d*d + 3*d*h), {"d": 0, "h": 0}, {"d": 1, "h": 1}).steps: print(*step)
    left_shift %0 d 2
    multiply %1 h 3
    add %0 %0 %1
    multiply result d %0
    """
    work = _Lines(axes, lows, highs)
    result = work.made(form)
    return Program(form, *_registers(work.lines, result, work.kinds))


class _Lines:
    """Steps under way, each with a register of its own; kinds: {register: ("bool", "int32" or "int64", its axes)}."""

    def __init__(self, axes: Mapping[str, int], lows: Mapping[str, int], highs: Mapping[str, int] | None) -> None:
        self.lows, self.highs = lows, highs
        self.lines: list[tuple[str, Any, Any]] = []
        self.seen: dict[Any, Any] = {}
        self.kinds: dict[Any, tuple[str, frozenset[int]]] = {}
        for name, axis in axes.items():
            self.kinds[name] = "int64", frozenset((axis,))
            self.kinds[f"{name}:32"] = "int32", frozenset((axis,))

    def made(self, form: Form) -> Any:
        """The operand that a form is, which has no two steps for the same."""
        if isinstance(form, Number):
            return form.number
        if isinstance(form, Symbol):
            return f"{form.name}:32" if self.small(form) else form.name
        if form not in self.seen:
            self.seen[form] = self.compound(form)
        return self.seen[form]

    def compound(self, form: Form) -> Any:
        """The register of a form of two parts."""
        kind = type(form)
        if kind is Sum:
            (_, first), (sign, second) = form.terms
            return self.line("add" if sign > 0 else "subtract", first, second, form)
        one, other = form.factors if kind is Product else form.args if kind is Function else form
        if kind is Product:
            by = other.number if isinstance(other, Number) else 0
            if by > 0 and by & (by - 1) == 0:
                return self.line("left_shift", one, Number(by.bit_length() - 1), form)
            return self.line("multiply", one, other, form)
        if kind is Function and form.name == "min":
            return self.line("minimum", one, other, form)
        low, high = interval(other, self.lows, self.highs or {})
        below = self.made(other)
        if low <= 0 <= high:  # such a point is found by a test; here it must not stop the others
            below = self.step("add", below, self.step("equal", below, 0, "bool"), "int64")
        if kind is Function and form.name == "ceil":
            turned = self.step("subtract", 0, self.made(one), "int64")
            return self.step("subtract", 0, self.step("floor_divide", turned, below, "int64"), "int64")
        return self.step("floor_divide", self.made(one), below, "int64")

    def line(self, verb: str, one: Form, other: Form, form: Form) -> Any:
        """A step, in 32 bits where all numbers have room in them."""
        a, b = self.made(one), self.made(other)
        small = all(self.kinds[x][0] == "int32" if isinstance(x, str) else abs(x) < _SMALL for x in (a, b))
        return self.step(verb, a, b, "int32" if small and self.small(form) else "int64")

    def step(self, verb: str, a: Any, b: Any, kind: str) -> Any:
        """A step with a new register, its operands widened where they must be; of two numbers, a number."""
        if isinstance(a, int) and isinstance(b, int):
            return _NUMBERS[verb](a, b)
        if kind == "int64":
            a, b = map(self.widened, (a, b))
        self.lines.append((verb, a, b))
        name = f"%{len(self.lines) - 1}"
        self.kinds[name] = kind, frozenset().union(*(self.kinds[x][1] for x in (a, b) if isinstance(x, str)))
        return name

    def widened(self, x: Any) -> Any:
        """The operand in 64 bits."""
        if isinstance(x, int) or self.kinds[x][0] != "int32":
            return x
        if x[0] != "%":
            return x.partition(":")[0]
        if x not in self.seen:
            self.lines.append(("widen", x, x))
            self.seen[x] = name = f"%{len(self.lines) - 1}"
            self.kinds[name] = "int64", self.kinds[x][1]
        return self.seen[x]

    def small(self, form: Form) -> bool:
        """Whether a form has room in 32 bits."""
        return self.highs is not None and max(map(abs, interval(form, self.lows, self.highs))) < _SMALL


def _registers(lines: list[tuple[str, Any, Any]], result: Any, kinds: Mapping[Any, Any]) -> tuple[Any, Any]:
    """The steps, in which a register is used again once nobody needs what it holds."""
    last = {operand: i for i, (_, *operands) in enumerate(lines) for operand in operands}
    at: dict[Any, str] = {}
    free: list[tuple[str, Any]] = []
    steps = []
    for i, (verb, *operands) in enumerate(lines):
        made, to = f"%{i}", f"%{len({*at.values()})}"
        spent = [(at[x], kinds[x]) for x in dict.fromkeys(operands) if x in at and last[x] == i]
        found = next((one for one in (*free, *spent) if one[1] == kinds[made]), None)
        free = [one for one in (*free, *spent) if one != found or made == result]
        at[made] = RESULT if made == result else found[0] if found else to
        steps.append((verb, at[made], *(at[x] if x == made else at.get(x, x) for x in operands)))
    return tuple(steps), at.get(result, result)


def run(np: Any, made: Program, columns: dict[str, Any]) -> Any:
    """The value of a program: an array, or a number; registers that `columns` has are written to."""
    for verb, to, a, b in made.steps:
        if verb == "widen":
            if columns.get(to) is None:
                columns[to] = np.empty(columns[a].shape, np.int64)
            np.copyto(columns[to], columns[a])
        else:
            columns[to] = getattr(np, verb)(columns.get(a, a), columns.get(b, b), out=columns.get(to))
    return columns.get(made.result, made.result)


def interval(form: Form, lows: Mapping[str, int], highs: Mapping[str, int], widest: list[int] | None = None,
             ) -> tuple[int, int]:
    """Between which numbers a form lies, letters without an upper bound taken to be huge.

    The largest number that any step on the way can come to is added to `widest`.

    >>> interval(Sum(((1, Symbol("L")), (-1, Number(3)))), {"L": 0}, {"L": 40})
    (-3, 37)
    """
    kind = type(form)
    if kind is Number:
        found = form.number, form.number
    elif kind is Symbol:
        found = lows[form.name], highs.get(form.name, 1 << 200)
    elif kind is Sum:
        (a, b), (c, d) = (interval(part, lows, highs, widest) for _, part in form.terms)
        found = (a + c, b + d) if form.terms[1][0] > 0 else (a - d, b - c)
    else:
        parts = form.factors if kind is Product else form.args if kind is Function else form
        (a, b), (c, d) = (interval(part, lows, highs, widest) for part in parts)
        if kind is Product:
            corners: tuple[int, ...] = (a * c, a * d, b * c, b * d)
        elif kind is Function and form.name == "min":
            corners = min(a, c), min(b, d)
        elif c <= 0 <= d:  # a division by 0 or by 1, at the most
            corners = -max(abs(a), abs(b)) - 1, max(abs(a), abs(b)) + 1
        else:
            up = kind is Function and form.name == "ceil"
            corners = tuple(-(-x // y) if up else x // y for x in (a, b) for y in (c, d))
        found = min(corners), max(corners)
    if widest is not None:
        widest.append(max(abs(found[0]), abs(found[1])))
    return found


def step(form: Form, steps: Mapping[str, int]) -> int:
    """A number that divides a form, of letters that are multiples of `steps`.

    >>> step(Product((Symbol("d"), Number(3))), {"d": 128})
    384
    """
    if isinstance(form, Number):
        return abs(form.number)
    if isinstance(form, Symbol):
        return steps[form.name]
    if isinstance(form, Product):
        return prod(step(factor, steps) for factor in form.factors)
    return gcd(*(step(term, steps) for _, term in form.terms)) if isinstance(form, Sum) else 1


def horner(size: Size) -> Form:
    """A size of whole coefficients and powers as products of two and sums of two, what most terms share before them.

    >>> from symcount.polynomials import letter
    >>> from symcount.render.text import form
    >>> d, h, L, V = map(letter, ("d", "h", "L", "V"))
    >>> form(horner(4*L*d*d + 3*L*d*h + 2*L*d + 2*V*d + d))
    'd(L(d·4 + h·3 + 2) + V·2 + 1)'
    """
    return _horner([(dict(powers), c) for powers, c in lift(size).terms.values()])


def _horner(terms: list[tuple[dict[Any, int], int]]) -> Form:
    if len(terms) < 2:
        return _monomial(*terms[0]) if terms else Number(0)
    often: dict[Any, int] = {}
    for powers, _ in terms:
        for atom in powers:
            often[atom] = often.get(atom, 0) + 1
    shared = max(often, key=lambda atom: often[atom])
    if often[shared] > 1:
        inside = [({a: p - (a == shared) for a, p in powers.items() if p > (a == shared)}, c)
                  for powers, c in terms if shared in powers]
        rest = [(powers, c) for powers, c in terms if shared not in powers]
        product = Product((_atom(shared), _horner(inside)))
        return Sum(((1, product), (1, _horner(rest)))) if rest else product
    ordered = sorted(terms, key=lambda term: term[1] < 0)
    found = _monomial(*ordered[0])
    for powers, c in ordered[1:]:
        found = Sum(((1, found), (1 if c > 0 else -1, _monomial(powers, abs(c)))))
    return found


def _monomial(powers: dict[Any, int], coefficient: int) -> Form:
    factors = [_atom(atom) for atom, power in powers.items() for _ in range(power)]
    if not factors:
        return Number(coefficient)
    found = factors[0]
    for factor in factors[1:]:
        found = Product((found, factor))
    return found if coefficient == 1 else Product((found, Number(coefficient)))


def _atom(atom: Any) -> Form:
    return Symbol(atom) if isinstance(atom, str) else atom.form


class _Made(Call):
    """A call, and its form, in which fixed sizes are numbers."""

    __slots__ = ("form",)

    def __init__(self, call: Call, form: Form) -> None:
        super().__init__(call.name, *call.args)
        self.form = form


def fixed(size: Size, values: Mapping[str, int]) -> tuple[Size, Size]:
    """Top and bottom of a size with these values, both of whole coefficients and powers, the bottom one term.

    >>> from symcount.polynomials import letter
    >>> from symcount.sizes import per
    >>> fixed(per(2 * letter("d") * letter("kv"), letter("heads")) + 1, {"kv": 3})
    (6*d + heads, heads)
    """
    if isinstance(size, int):
        return size, 1
    terms: dict[frozenset[Any], Fraction] = {}
    for powers, coefficient in lift(size).terms.values():
        left: dict[Any, int] = {}
        c = Fraction(coefficient)
        for atom, power in powers:
            if _open(atom, values):
                known = _call(atom, values) if isinstance(atom, Call) else atom
                left[known] = left.get(known, 0) + power
                continue
            base = value(opaque(atom), values) if isinstance(atom, Call) else values[atom]
            if power < 0 and not base:
                raise SizeError(f"{size} divides by zero")
            c *= Fraction(base) ** power
        key = frozenset(left.items())
        terms[key] = terms.get(key, Fraction(0)) + c
    scale = lcm(*(c.denominator for c in terms.values()))
    below: dict[Any, int] = {}
    for key in terms:
        below.update((atom, max(-power, below.get(atom, 0))) for atom, power in key if power < 0)
    bottom = _plain({frozenset(below.items()): scale})
    top: dict[frozenset[Any], int] = {}
    for key, c in terms.items():
        risen = dict(key)
        for atom, power in below.items():
            risen[atom] = risen.get(atom, 0) + power
        top[frozenset((atom, power) for atom, power in risen.items() if power)] = int(c * scale)
    return _plain(top), bottom


def _plain(terms: Mapping[frozenset[Any], int]) -> Size:
    kept = {key: (tuple(sorted(key, key=lambda item: str(item[0]))), c) for key, c in terms.items() if c}
    return kept[frozenset()][1] if kept.keys() == {frozenset()} else Polynomial(kept) if kept else 0


def _open(atom: Any, values: Mapping[str, int]) -> bool:
    return any(name not in values for name in letters_of(atom))


def _parts(call: Call, values: Mapping[str, int]) -> tuple[Size, Size, Size]:
    """What a rounding divides, and by what; or both sides of the smaller, and what both are over."""
    (a, b), (c, d) = (fixed(arg, values) for arg in call.args)
    return a * d, c * b, b * d if call.name == "min" else d


def _call(call: Call, values: Mapping[str, int]) -> Call:
    top, bottom, over = _parts(call, values)
    name = "ceil" if call.name == "up" else call.name
    form: Form = Function(name, (horner(top), horner(bottom)))
    if call.name == "up":
        form = Product((form, _exact(*fixed(call.args[1], values))))
    elif call.name == "min" and not is_one(over):
        form = Quotient(form, horner(over))
    return _Made(call, form)


def _exact(top: Size, bottom: Size) -> Form:
    """The form of an exact quotient."""
    return horner(top) if is_one(bottom) else Quotient(horner(top), horner(bottom))


def _whole(size: Size, values: Mapping[str, int]) -> Iterator[tuple[str, Form, Form]]:
    """What must hold for a size to be a whole number: (left, relation, right) as forms."""
    yield from within(size, values)
    top, bottom = fixed(size, values)
    if not is_one(bottom):
        yield "divides", horner(bottom), horner(top)


def within(size: Size, values: Mapping[str, int]) -> Iterator[tuple[str, Form, Form]]:
    """What must hold for the roundings inside a size: nothing is divided by 0, and what is taken is whole."""
    if not isinstance(size, Polynomial):
        return
    for powers, _ in size.terms.values():
        for atom, power in powers:
            if not _open(atom, values):
                continue
            if isinstance(atom, Call):
                for arg in atom.args:
                    yield from within(arg, values)
                top, bottom, over = _parts(atom, values)
                if atom.name == "min":
                    if not is_one(over):
                        yield "divides", horner(over), Function("min", (horner(top), horner(bottom)))
                else:
                    yield "divides", horner(bottom), Number(0)
                    if atom.name == "up":
                        yield from _whole(atom.args[1], values)
            if power < 0:
                yield "divides", _atom(_call(atom, values) if isinstance(atom, Call) else atom), Number(0)


def sides(condition: Condition, values: Mapping[str, int]) -> tuple[str, Form, Form]:
    """A condition as a relation of two whole numbers, both sides multiplied by what they are over."""
    (a, b), (c, d) = (fixed(side, values) for side in (condition.left, condition.right))
    return condition.relation, horner(a * d), horner(c * b)
