"""Renderers: they print a derivation or a table, and decide nothing. One file a format."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def bundle(shown: Any, include: Any = None, exclude: Any = None) -> dict[str, str]:
    """What a notebook shows of a derivation, a table or a listing: LaTeX, Markdown and plain text.

    No HTML: it would win everywhere, and lose the mathematics in editors and on code hosts. No LaTeX of a listing: its
    words are no mathematics.
    """
    from symcount.derivation import Derivation, Listing
    from symcount.render import latex, layout, markdown, text

    derived = isinstance(shown, Derivation)
    kind = "derivation" if derived else "listing" if isinstance(shown, Listing) else "table"

    def typeset() -> str:
        """Only displays: a notebook typesets them, and shows LaTeX's words as they stand."""
        return "\n\n".join([
            latex.spoken(shown.title),
            *(latex.displays(shown) if derived else latex.parts(shown, formulas=shown.total.count is None)),
            *(latex.spoken(text.remark(one)) for one in (shown.remarks if derived else ())),
            *([latex.spoken(layout.counted(shown.notes))] if shown.notes else [])])

    formats: dict[str, Any] = {
        **({"text/latex": typeset} if kind != "listing" else {}),
        "text/markdown": lambda: getattr(markdown, kind)(shown), "text/plain": lambda: getattr(text, kind)(shown)}
    return {mime: made() for mime, made in formats.items()
            if (not include or mime in include) and mime not in (exclude or ())}


def joined(blocks: list[str], _title: str) -> str:
    """What was printed of several models, one below another."""
    return "\n\n".join(block.rstrip("\n") for block in blocks) + "\n"


def rounded(amount: Any) -> str:
    """Three digits and a word, rounded half up in integers.

    >>> rounded(6738415616), rounded(101770), rounded(999950000), rounded(10**20)
    ('6.74 billion', '102 thousand', '1.00 billion', '1.00e20')
    """
    whole = int(amount)
    if whole < 1000:
        return exact(amount)
    digits = len(str(whole))
    unit = 10 ** (digits - 3)
    three = int((2 * amount + unit) // (2 * unit))
    if three == 1000:
        three, digits = 100, digits + 1
    if digits > 15:
        return f"{str(three)[0]}.{str(three)[1:]}e{digits - 1}"
    word = ("thousand", "million", "billion", "trillion")[(digits - 1) // 3 - 1]
    point = (digits - 1) % 3 + 1
    return f"{str(three)[:point]}.{str(three)[point:]}".rstrip(".") + f" {word}"


def notes(shown: Any) -> tuple[str, ...]:
    """The conventions of a table; bytes in larger units too."""
    sized = shown.unit == "bytes" and shown.total.count is not None
    return (*shown.notes, *([in_bytes(shown.total.count)] if sized else []))


def in_bytes(amount: Any) -> str:
    """Bytes in units of 1000 and of 1024, four digits, rounded half up.

    >>> in_bytes(13_476_831_232), in_bytes(2**30), in_bytes(999_960)
    ('13.48 GB, 12.55 GiB', '1.074 GB, 1 GiB', '1 MB, 976.5 KiB')
    """
    return ", ".join((_scaled(amount, 1000, ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")),
                      _scaled(amount, 1024, ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))))


def _scaled(amount: Any, step: int, names: tuple[str, ...]) -> str:
    unit = 0
    while unit + 1 < len(names) and amount >= step ** (unit + 1):
        unit += 1
    top, bottom = amount.numerator, amount.denominator * step**unit
    shown = _digits(top, bottom, max(4, len(str(top // bottom))))
    if shown == f"{step:,}" and unit + 1 < len(names):  # rounded up to one of the next
        return f"1 {names[unit + 1]}"
    return f"{shown} {names[unit]}"


def signed(terms: Iterable[tuple[int, Any]], form: Callable[[Any], str], minus: str = "-") -> str:
    """A sum of (sign, form) terms: the signs stand between, a leading plus is not written."""
    text = ""
    for sign, term in terms:
        between = f" {'+' if sign > 0 else minus} " if text else "" if sign > 0 else minus
        text += between + form(term)
    return text


def exact(amount: Any) -> str:
    """An exact amount with separators; a fraction as a/b."""
    whole = f"{amount.numerator:,}"  # a Fraction takes no format
    return whole if amount.denominator == 1 else f"{whole}/{amount.denominator:,}"


def significant(amount: Any, digits: int = 4) -> str:
    """An exact amount with so many digits that count, rounded half up; with fewer where they are all.

    >>> from fractions import Fraction
    >>> significant(Fraction(2, 3)), significant(Fraction(1, 2)), significant(2048 * 10**6 + 1), significant(0)
    ('0.6667', '0.5', '2,048,000,000', '0')
    """
    return _digits(amount.numerator, amount.denominator, digits)


def _digits(top: int, bottom: int, digits: int) -> str:
    if not top:
        return "0"
    places = digits - len(str(top // bottom)) if top >= bottom else digits
    while top * 10**places < 10 ** (digits - 1) * bottom:  # zeros before the first digit do not count
        places += 1
    above, below = (top * 10**places, bottom) if places > 0 else (top, bottom * 10**-places)
    whole = (2 * above + below) // (2 * below)
    if whole == 10**digits:
        whole, places = whole // 10, places - 1
    if places <= 0:
        return f"{whole * 10**-places:,}"
    before, after = divmod(whole, 10**places)
    shown = f"{before:,}.{after:0{places}}"
    return shown.rstrip("0").rstrip(".") if above % below == 0 else shown


def seconds(amount: Any) -> str:
    """A time with four digits and the unit that fits it.

    >>> from fractions import Fraction
    >>> seconds(Fraction(1, 80)), seconds(0)
    ('12.5 ms', '0 s')
    """
    if not amount:
        return "0 s"
    unit = next((unit for unit in _UNITS if amount * _UNITS[unit] >= 1), "ns")
    return f"{significant(amount * _UNITS[unit])} {unit}"


_UNITS = {"s": 1, "ms": 10**3, "μs": 10**6, "ns": 10**9}  # how many of them a second has


def percent(share: int) -> str:
    """Hundredths of a percent as a percentage.

    >>> percent(6424)
    '64.24 %'
    """
    return f"{share // 100}.{share % 100:02d} %"
