"""At which whole numbers conditions on one letter hold: all of them, as arithmetic progressions; nothing is sampled.

A size is a polynomial but for `ceil`, `floor`, `up` and `min`. Roundings repeat: over x = M·j + r, with M a multiple of
every period, ceil(x/m) is a polynomial in j, and whether m divides a polynomial in x depends on r alone. min(a, b) is a
where a − b is at most 0, and b elsewhere. The sign of a polynomial f is found from that of f(j + 1) − f(j), whose
degree is less: where this has one sign f is monotone, so that bisection finds its changes. What has no solution is
thereby proved to have none.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, isqrt, lcm

from symcount.choices import MOST, Steps
from symcount.errors import SizeError
from symcount.polynomials import Call, Condition, added, bare, letter, lift, opaque, single
from symcount.runs import Run
from symcount.sizes import RULES, fraction, letters, per, related
from symcount.substitution import substitute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from symcount.polynomials import Size

_MOST_CLASSES = 2_000  # remainders that are left by what must divide
_SIGNS = {"at most": (-1, 0), "less": (-1,), "is": (0,)}  # of left − right


class _UnsolvedError(Exception):
    """A form that is no polynomial over any progression."""


def holding(conditions: Iterable[Condition], name: str, among: Any) -> list[Run]:
    """All numbers `among` choices (Steps or a tuple) at which every condition on the letter `name` holds.

    >>> from symcount.sizes import up
    >>> d = letter("d")
    >>> holding([Condition(96, "divides", d), Condition(d * d, "at most", 10**6)], "d", Steps(1))
    [Run(first=96, last=960, step=96)]
    >>> holding([Condition(d, "at most", up(d, 7) - 5), Condition(d, "at most", 20)], "d", Steps(1))
    [Run(first=1, last=15, step=7), Run(first=2, last=16, step=7)]

    Raises SizeError where a letter stands so that only trying would tell, and there is too much to try.
    """
    told = [Condition(bare(c.left), c.relation, bare(c.right)) for c in conditions]
    fixed = [name not in (*letters(c.left), *letters(c.right)) for c in told]
    if not all(holds(c, {}) for c, alone in zip(told, fixed, strict=True) if alone):
        return []
    told = [c for c, alone in zip(told, fixed, strict=True) if not alone]
    tried = _few(told, name, among)
    if tried is None:
        try:
            return sorted(_classes(told, name, among))
        except _UnsolvedError:
            tried = _tried(name, among)
    return [Run(number, number, 1) for number in tried if all(holds(c, {name: number}) for c in told)]


def holds(condition: Condition, values: dict[str, int]) -> bool:
    """Whether a condition holds for these values, sizes being exact fractions; what divides by 0 does not.

    >>> holds(Condition(letter("heads"), "divides", letter("d")), {"heads": 12, "d": 768})
    True
    """
    try:
        a, b = fraction(condition.left, values), fraction(condition.right, values)
    except SizeError:
        return False
    return related(condition.relation, a, b)


def signs(coefficients: list[int], first: int = 0) -> list[tuple[int, int | None, int]]:
    """(first, last or None, sign) of an integer polynomial, lowest coefficient first, over whole numbers from `first`.

    >>> signs([-30, 1, 1])
    [(0, 4, -1), (5, 5, 0), (6, None, 1)]
    """
    while coefficients and not coefficients[-1]:
        coefficients = coefficients[:-1]
    if len(coefficients) < 2:
        return [(first, None, _sign(coefficients[0] if coefficients else 0))]
    found: list[tuple[int, int | None, int]] = []
    for start, end, slope in signs(_difference(coefficients), first):
        # From `start` to the number after `end` the polynomial goes one way; the last number belongs to the next run.
        at = start
        while end is None or at <= end:
            sign = _sign(_at(coefficients, at))
            stop = _stays(coefficients, at, None if end is None else end, sign, slope)
            if found and found[-1][2] == sign:
                found[-1] = (found[-1][0], stop, sign)
            else:
                found.append((at, stop, sign))
            if stop is None:
                break
            at = stop + 1
    return found


def between(size: Size, name: str, low: int, digits: int = 12) -> Fraction:
    """The root between `low` and the next number, where the signs differ, to so many places; of a polynomial only.

    >>> round(float(between(letter("d") ** 2 - 2, "d", 1)), 6)
    1.414214
    """
    coefficients = polynomial(size, name)
    a, b = Fraction(low), Fraction(low + 1)
    falling = _at(coefficients, low) > 0
    while b - a > Fraction(1, 10**digits):
        middle = (a + b) / 2
        value = _at(coefficients, middle)
        if not value:
            return middle
        a, b = (middle, b) if (value < 0) != falling else (a, middle)
    return (a + b) / 2


def polynomial(size: Size, name: str) -> list[int]:
    """The coefficients in `name`, lowest first, of size · c · name^n with c > 0, all whole, n as small as may be.

    >>> polynomial(letter("d") ** 2 - 2, "d"), polynomial(per(letter("d"), 3) - 1, "d")
    ([-2, 0, 1], [-3, 1])

    Raises SizeError for what is no polynomial.
    """
    try:
        return _coefficients(size, name)
    except _UnsolvedError:
        raise SizeError(f"{size} is no polynomial in {name}") from None


def rounds(size: Size) -> bool:
    """Whether a size has roundings or minima in it.

    >>> from symcount.sizes import up
    >>> rounds(up(letter("d"), 256)), rounds(per(letter("d"), 3))
    (True, False)
    """
    return next(_calls(size), None) is not None


def _classes(conditions: list[Condition], name: str, among: Steps) -> Iterator[Run]:
    """Solutions class by class: name = first + step·j, j = M·i + r."""
    cleared = [each for c in conditions for each in _cleared(c, name)]
    x = among.first + among.step * letter(name)
    shifted = [Condition(_put(c.left, name, x), c.relation, _put(c.right, name, x)) for c in cleared]
    period = lcm(*(_period(c) for c in shifted))
    if period > MOST:  # every remainder is tried
        raise _UnsolvedError
    dividing = [c for c in shifted if c.relation == "divides"]
    others = [c for c in shifted if c.relation != "divides"]
    count = among.many()
    left = [r for r in range(period if count is None else min(period, count))
            if all(holds(c, {name: r}) for c in dividing)]
    if len(left) > _MOST_CLASSES:
        raise _UnsolvedError
    for r in left:
        i = period * letter(name) + r
        runs: list[tuple[int, int | None]] = [(0, None if count is None else (count - 1 - r) // period)]
        for c in others:
            gap = _put(c.left, name, i) - _put(c.right, name, i)
            wanted = _SIGNS[c.relation]
            runs = _joined((low, high) for a, b in runs for low, high, sign in _where(gap, name, a, b)
                           if sign in wanted)
        yield from (Run(among.first + among.step * (period * low + r),
                        None if high is None else among.first + among.step * (period * high + r),
                        among.step * period) for low, high in runs)


def _where(size: Size, name: str, low: int, high: int | None) -> Iterator[tuple[int, int | None, int]]:
    """(first, last, sign) of a size without roundings, over numbers from `low` to `high`."""
    call = next((call for call in _calls(size) if call.name == "min"), None)
    if call is None:
        runs = signs(_coefficients(size, name), low)
    else:
        a, b = call.args
        runs = [run for start, end, sign in _where(a - b, name, low, high)
                for run in _where(_rebuilt(size, call, a if sign <= 0 else b), name, start, end)]
    for start, end, sign in runs:
        last = high if end is None else end if high is None else min(end, high)
        if last is None or start <= last:
            yield start, last, sign


def _few(conditions: list[Condition], name: str, among: Any) -> Iterable[int] | None:
    """The only numbers that need be tried: choices in a tuple, or the divisors of what the letter divides."""
    if isinstance(among, tuple):
        return among
    for c in conditions:
        if c.relation == "divides" and str(c.left) == name and not letters(c.right):
            number = fraction(c.right, {})
            if number.denominator == 1 and 0 < number <= 10**12:
                low = [n for n in range(1, isqrt(number) + 1) if number % n == 0]
                return sorted({n for divisor in low for n in (divisor, number // divisor) if n in among})
    return None


def _tried(name: str, among: Steps) -> Iterable[int]:
    many = among.many()
    if many is None or many > MOST:
        raise SizeError(f"{name} stands here so that only trying would tell; at most {MOST:,} numbers are "
                        f"tried: say which, as in {name}=1..4096")
    return among


def _cleared(c: Condition, name: str) -> list[Condition]:
    """Conditions without the letter below a line, or in what divides; the letter is positive."""
    if c.relation == "divides" and name in letters(c.left):
        whole = _over(c.right, c.left)  # a divides a·q where a and q are whole numbers
        return [each for one in (c.left, whole) for each in _cleared(Condition(1, "divides", one), name)] + [
            Condition(1, "at most", c.left)]
    lowest = min((power for side in (c.left, c.right) for powers, _ in lift(side).terms.values()
                  for atom, power in powers if atom == name), default=0)
    if lowest >= 0:
        return [c]
    if c.relation == "divides":
        raise _UnsolvedError
    times = letter(name) ** -lowest
    return [Condition(c.left * times, c.relation, c.right * times), Condition(1, "at most", letter(name))]


def _over(a: Size, b: Size) -> Size:
    try:
        return bare(per(a, b))
    except SizeError:
        raise _UnsolvedError from None


def _put(size: Size, name: str, by: Size) -> Size:
    """The size with the letter replaced."""
    try:
        return substitute(size, lambda one: by if one == name else None)
    except SizeError:
        raise _UnsolvedError from None


def _period(c: Condition) -> int:
    """A number M such that whether the condition holds depends, over M·i + r, on polynomials in i alone."""
    period = lcm(*(_turnover(call) for side in (c.left, c.right) for call in _own(side)))
    if c.relation != "divides":
        return period
    if not isinstance(c.left, int) or c.left < 1 or any(call.name == "min" for call in _calls(c.right)):
        raise _UnsolvedError
    return lcm(period, _repeats(c.right, c.left))


def _repeats(size: Size, modulus: int) -> int:
    """After how many numbers the remainders of a size come again: of 8d/3 to 256 after 96."""
    period = lcm(*map(_turnover, _own(size)))
    slope = _slope(size)
    if slope is not None:
        return lcm(period, (slope / modulus).denominator)
    return period * modulus * lcm(*(coefficient.denominator for _, coefficient in lift(size).terms.values()))


def _turnover(call: Call) -> int:
    """After how many numbers a rounding does again what it did."""
    a, b = call.args
    if call.name == "min":
        return lcm(_repeats(a, 1), _repeats(b, 1))
    if not isinstance(b, int) or b < 1:
        raise _UnsolvedError
    return _repeats(a, b)


def _slope(size: Size) -> Fraction | None:
    """By how much a size grows for each number of the letter, roundings left aside; None where that differs."""
    total = Fraction(0)
    for powers, coefficient in lift(size).terms.values():
        if not powers:
            continue
        (atom, power), *more = powers
        steep = _slope(atom.args[0]) if isinstance(atom, Call) and atom.name != "min" else (
            None if isinstance(atom, Call) else Fraction(1))
        if more or power != 1 or steep is None:
            return None
        total += coefficient * (steep / atom.args[1] if isinstance(atom, Call) and atom.name != "up" else steep)
    return total


def _own(size: Size) -> list[Call]:
    """The roundings and minima of a size that stand in no other."""
    return [atom for powers, _ in lift(size).terms.values() for atom, _ in powers if isinstance(atom, Call)]


def _calls(size: Size) -> Iterator[Call]:
    """Every rounding and minimum in a size, the inner ones first."""
    for powers, _ in lift(size).terms.values():
        for atom, _ in powers:
            if isinstance(atom, Call):
                for arg in atom.args:
                    yield from _calls(arg)
                yield atom


def _rebuilt(size: Size, call: Call, by: Size) -> Size:
    """The size with a call, wherever it stands, replaced."""
    terms: list[Size] = []
    for powers, coefficient in lift(size).terms.values():
        if not any(call in (one, *_calls(opaque(one))) for one, _ in powers if isinstance(one, Call)):
            terms.append(single(powers, coefficient))
            continue
        term: Size = lift(coefficient)
        for atom, power in powers:
            if power < 0:
                raise _UnsolvedError
            base = by if atom == call else (RULES[atom.name](*(_rebuilt(arg, call, by) for arg in atom.args))
                                            if isinstance(atom, Call) else letter(atom))
            term = term * base**power
        terms.append(term)
    return added(terms)


def _coefficients(size: Size, name: str) -> list[int]:
    terms = lift(size).terms.values()
    powers = {}
    for factors, coefficient in terms:
        if any(atom != name for atom, _ in factors):
            raise _UnsolvedError
        powers[sum(power for _, power in factors)] = coefficient
    lowest, below = min((0, *powers)), lcm(*(c.denominator for c in powers.values()))
    return [int(powers.get(n, 0) * below) for n in range(lowest, max((0, *powers)) + 1)]


def _at(coefficients: list[int], x: Any) -> Any:
    value = 0
    for coefficient in reversed(coefficients):
        value = value * x + coefficient
    return value


def _difference(coefficients: list[int]) -> list[int]:
    """The coefficients of f(j + 1) − f(j)."""
    return [sum(coefficients[n] * comb(n, k) for n in range(k + 1, len(coefficients)))
            for k in range(len(coefficients) - 1)]


def _stays(coefficients: list[int], at: int, end: int | None, sign: int, slope: int) -> int | None:
    """The last number up to `end` at which a polynomial, which goes one way from `at` on, still has this sign."""
    def same(x: int) -> bool:
        return _sign(_at(coefficients, x)) == sign

    if sign == slope or not slope:  # it moves away from 0, or not at all
        return end
    if end is None:
        step = 1
        while same(at + step):
            step *= 2
        high = at + step
    elif same(end):
        return end
    else:
        high = end
    low = at
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if same(middle) else (low, middle)
    return low


def _joined(runs: Iterable[tuple[int, int | None]]) -> list[tuple[int, int | None]]:
    """Runs in order, those that touch as one."""
    found: list[tuple[int, int | None]] = []
    for low, high in runs:
        if found and found[-1][1] is not None and found[-1][1] + 1 == low:
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
    return found


def _sign(number: Any) -> int:
    return (number > 0) - (number < 0)
