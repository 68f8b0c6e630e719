"""What a size may be, as a text lists it: `d=128*1..64,L=12,24,32,h,s=2^10..20`.

    CHOICES = NAME ["=" PART {"," PART}] {"," CHOICES}
    PART    = N | FROM..[TO] | STEP*FROM..[TO] | BASE^FROM..TO

`1..96` are all from 1 to 96, `128*1..64` the multiples of 128 up to 8,192, `128*1..` all of them, `2^10..20` powers.
"""

from __future__ import annotations

import re

from symcount.errors import FormulaError, SizeError, clipped
from symcount.given import whole
from symcount.symbols import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MOST = 20_000  # choices that are tried one by one
_PART = re.compile(r"(?:(?P<step>[0-9]{1,15})\*|(?P<base>[0-9]{1,4})\^)?"
                   r"(?P<first>[0-9]{1,15})\.\.(?P<last>[0-9]{1,15})?")
_LARGEST_POWER = 60


class Steps:
    """The whole numbers first, first + step, … up to `last`, or without end where it is None.

    >>> Steps(128, 512, 128), list(Steps(128, 512, 128)), 200 in Steps(128, None, 128)
    (128, 256, … 512, [128, 256, 384, 512], False)
    """

    __slots__ = ("first", "last", "step")

    def __init__(self, first: int, last: int | None = None, step: int = 1) -> None:
        self.first, self.step = first, step
        self.last = None if last is None else last - (last - first) % step

    def __contains__(self, number: int) -> bool:
        return (number >= self.first and (self.last is None or number <= self.last)
                and (number - self.first) % self.step == 0)

    def __iter__(self) -> Iterator[int]:
        number = self.first
        while self.last is None or number <= self.last:
            yield number
            number += self.step

    def many(self) -> int | None:
        """How many there are, None without end."""
        return None if self.last is None else max(0, (self.last - self.first) // self.step + 1)

    def __repr__(self) -> str:
        following = "" if self.many() in (0, 1) else f", {self.first + self.step}"
        return f"{self.first}{following}, …{'' if self.last is None else f' {self.last}'}"


def choices(told: Any) -> dict[str, Any]:
    """{name: Steps, or a tuple of numbers}, of a text or of a mapping from names to ranges, sequences, texts or None.

    A name alone may be any number from 1 on: a network without layers must be asked for, as in L=0..96.

    >>> choices("d=128*1..64,L=12,24,s=2^10..12")
    {'d': 128, 256, … 8192, 'L': (12, 24), 's': (1024, 2048, 4096)}
    >>> choices({"d": range(64, 200, 64), "L": None})
    {'d': 64, 128, … 192, 'L': 1, 2, …}

    Raises FormulaError for what is no choice, SizeError for numbers that the size cannot be.
    """
    if not isinstance(told, str):
        return {name: _given(name, those) for name, those in dict(told).items()}
    found: dict[str, list[Any]] = {}
    name = ""
    for part in (part.strip() for part in told.split(",")):
        before, equals, after = (piece.strip() for piece in part.partition("="))
        if equals or not before[:1].isdigit():
            name = before
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
                raise FormulaError(f"'{clipped(told)}': {clipped(repr(name))} names no size; {_USAGE}")
            if name in found:
                raise FormulaError(f"'{clipped(told)}': {name} is listed twice")
            row(name)
            found[name] = []
            if not equals:
                continue
        elif not name:
            raise FormulaError(f"'{clipped(told)}' begins with a number; {_USAGE}")
        elif not found[name]:
            raise FormulaError(f"'{clipped(told)}': {before} follows {name}, which has no '='; {_USAGE}")
        found[name].append(_part(name, after if equals else before))
    return {name: _joined(name, parts) for name, parts in found.items()}


_USAGE = "choices are listed as in d=128*1..64,L=12,24,s=2^10..20"


def _part(name: str, text: str) -> Steps | tuple[int, ...]:
    if re.fullmatch(r"[0-9]{1,15}", text):
        return (whole(name, int(text)),)
    match = _PART.fullmatch(text)
    if not match:
        raise FormulaError(f"{name} = {clipped(text)} is no choice: a number, 1..96, 128*1..64, 128*1.. or 2^10..20")
    first, last = int(match["first"]), int(match["last"]) if match["last"] else None
    if last is not None and last < first:
        raise FormulaError(f"{name} = {text}: from {first:,} to {last:,} there is nothing")
    if match["base"]:
        base = int(match["base"])
        if last is None or last > _LARGEST_POWER or base < 2:
            raise FormulaError(f"{name} = {text}: powers go from a base of at least 2 up to {_LARGEST_POWER}, "
                               "as in 2^10..20")
        return tuple(whole(name, base**power) for power in range(first, last + 1))
    times = int(match["step"] or 1)
    if not times:
        raise FormulaError(f"{name} = {text}: steps of 0 lead nowhere")
    return _given(name, Steps(first * times, None if last is None else last * times, times))


def _joined(name: str, parts: list[Any]) -> Any:
    if not parts:
        return _given(name, None)
    if len(parts) == 1:
        return parts[0]
    if any(isinstance(part, Steps) and part.last is None for part in parts):
        raise FormulaError(f"{name}: a choice without end stands alone")
    return _given(name, [number for part in parts for number in _counted(name, part)])


def _given(name: str, told: Any) -> Any:
    """Steps, or a tuple, of a range, of a sequence of numbers, of None for any number."""
    if told is None:
        return Steps(max(1, row(name).least))
    if isinstance(told, str):
        return choices(f"{name}={told}")[name]
    if isinstance(told, range) and told.step > 0 and len(told):
        told = Steps(told[0], told[-1], told.step)
    if isinstance(told, Steps):
        whole(name, told.first)
        if told.last is not None:
            whole(name, told.last)
        return told
    numbers = sorted({whole(name, number) for number in _counted(name, told)})
    if not numbers:
        raise SizeError(f"{name} has no choices")
    return tuple(numbers)


def _counted(name: str, told: Any) -> Any:
    """Choices of which there are not too many."""
    many = told.many() if isinstance(told, Steps) else len(told)
    if many is None or many > MOST:
        raise SizeError(f"{name} has {'endless' if many is None else f'{many:,}'} choices; at most {MOST:,} are tried: "
                        f"say fewer, as in {name}=1..64")
    return told


def each(name: str, told: Any) -> list[int]:
    """All numbers of choices that have an end; SizeError where there are too many.

    >>> each("d", Steps(128, 512, 128))
    [128, 256, 384, 512]
    """
    return list(_counted(name, told))
