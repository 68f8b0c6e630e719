"""What a size can be given as: whole numbers within bounds, fractions that must divide, widths, stages, adapters."""

from __future__ import annotations

from math import lcm

from symcount.errors import FormulaError, SizeError, clipped
from symcount.polynomials import Condition, Polynomial, letter
from symcount.sizes import noted
from symcount.symbols import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.polynomials import Size

# Sizes of a run, and what each follows: every architecture has them
RUN = {"s": None, "t": "s", "b": None, "new": None, "tp": None, "pp": None, "dp": None}
WIDTHS = "n"  # the one size that is a tuple of any length, of the letters n_0, n_1, …
_MOST_WIDTHS = 1_000
_AMOUNT = r"([0-9]{1,30}|[0-9]{1,3}(,[0-9]{3}){1,9})((\.[0-9]{1,20})?([eE]\+?[0-9]{1,2})?%?|/[0-9]{1,30})"
LARGEST = 10**15  # no real size is larger; a stranger's 10^(10^6) must not fill the memory


def widths_of(owner: str, widths: Any) -> tuple[int, ...]:
    """The widths n_0, n_1, … of a chain of layers."""
    if not isinstance(widths, (tuple, list)) or not 2 <= len(widths) <= _MOST_WIDTHS:
        raise SizeError(f"{owner}: {WIDTHS} takes 2 to {_MOST_WIDTHS:,} widths, as in {owner}:784-128-10")
    return tuple(whole(f"{WIDTHS}_{i}", width) for i, width in enumerate(widths))


def stages_of(owner: str, name: str, change: Any, number: int) -> tuple[int, ...]:
    """One number for each stage: (3, 4, 6, 3) or `3-4-6-3`."""
    found = tuple(change.split("-")) if isinstance(change, str) else change
    if not isinstance(found, (tuple, list)) or len(found) != number:
        raise SizeError(f"{owner}: {name} takes {number} numbers, one for each stage, "
                        f"as in {name}={'-'.join(['3'] * number)}")
    return tuple(whole(f"{name}_{i}", int(n) if isinstance(n, str) and n.isascii() and n.isdigit() else n)
                 for i, n in enumerate(found))


def whole_for(size: Size) -> Size:
    """A size that is written with a fraction, and the condition under which it is whole: d/3 when 3 divides d."""
    if not isinstance(size, Polynomial):
        return size
    below = lcm(*(coefficient.denominator for _, coefficient in size.terms.values()))
    return size if below == 1 else noted(size, Condition(below, "divides", size * below))


def adapters_of(text: Any) -> dict[str, Any]:
    """`8@query+value`: rank 8 beside every linear map of these names; `r@query+value` leaves the rank a letter."""
    rank, _, names = str(text).partition("@")
    if not ((rank == "r" or (rank.isascii() and rank.isdigit())) and names and all(names.split("+"))):
        raise FormulaError(f"lora = {text!r}: RANK@PATH+PATH is needed, as in lora=8@query+value")
    return {"lora": tuple(names.split("+")), "r": letter("r") if rank == "r" else whole("r", int(rank))}


def whole(name: str, number: Any) -> int:
    """The number, if it is one that this size can be; else SizeError with name, value and meaning."""
    least, meaning = row(name).least, row(name).meaning
    if hasattr(number, "__index__") and not isinstance(number, bool):  # NumPy's ints too
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise SizeError(f"{name} = {number}: {meaning} is a whole number of at least {least}")
    if number > LARGEST:
        raise SizeError(f"{name} has {len(str(number)) if number < 10**60 else 'too many'} digits; "
                        f"the largest size read is {LARGEST:,}")
    return number


def amount(name: str, told: Any) -> Any:
    """An exact number above 0: an int, a fraction, a float that is whole, or a text: 312e12, 1,000, 0.4, 40%, 1/2.

    >>> amount("mfu", "40%"), amount("peak", 312e12)
    (Fraction(2, 5), 312000000000000)

    Another float is refused: it is a binary fraction near to what was typed. Raises SizeError.
    """
    import re  # a count without amounts does without
    from fractions import Fraction

    found = None
    if isinstance(told, str) and re.fullmatch(_AMOUNT, told):
        told = told.replace(",", "")
        found = None if re.search("/0+$", told) else Fraction(told.rstrip("%")) / (100 if told.endswith("%") else 1)
    elif isinstance(told, float):
        if not (told.is_integer() and abs(told) < 2**53):
            raise SizeError(f"{name} = {told}: of floats only whole numbers are exact; say it as a text, "
                            f"as in {name}='{told}'")
        found = Fraction(told)
    elif isinstance(getattr(told, "denominator", None), int) and not isinstance(told, bool):
        found = Fraction(int(told.numerator), int(told.denominator))
    if found is None or found <= 0:
        raise SizeError(f"{name} = {clipped(str(told))}: a number above 0 is needed, such as 1000, 312e12, 0.4 or 40%")
    return found.numerator if found.denominator == 1 else found


def shown(flag: Any) -> str:
    """A flag as the command line spells it."""
    return "none" if flag is None else str(flag).lower() if isinstance(flag, bool) else str(flag)


def spelled(name: str, changes: Mapping[str, Any]) -> str:
    """The model and its changes as the command line spells them; a size of the run (s, t, u, b) does not rename it."""
    told = []
    for size, change in changes.items():
        if isinstance(change, (tuple, list)):
            told.append("-".join(map(str, change)))
        elif size == "tied":
            told.append("tied" if shown(change) == "true" else "untied")
        elif size not in (*RUN, "u"):
            told.append(f"{size}={shown(change) if change is None or isinstance(change, bool) else change}")
    return name + (("," if ":" in name else ":") + ",".join(told) if told else "")
