"""Renderers: they print a derivation or a table, and decide nothing. One file a format."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def bundle(shown: Any, include: Any = None, exclude: Any = None) -> dict[str, str]:
    """What a notebook shows of a derivation or a table: LaTeX, Markdown and plain text.

    No HTML: it would win everywhere, and lose the mathematics in editors and on code hosts.
    """
    from symcount.derivation import Derivation
    from symcount.render import latex, markdown, text

    formats = {"text/latex": latex, "text/markdown": markdown, "text/plain": text}
    return {mime: module.derivation(shown) if isinstance(shown, Derivation) else module.table(shown)
            for mime, module in formats.items()
            if (not include or mime in include) and mime not in (exclude or ())}


def rounded(amount: Any) -> str:
    """Three digits and a word.

    >>> rounded(6738415616), rounded(101770), rounded(29261612187648)
    ('6.74 billion', '102 thousand', '29.3 trillion')
    """
    for power, word in ((12, "trillion"), (9, "billion"), (6, "million"), (3, "thousand")):
        if amount >= 10**power:
            shown = _three(amount, power)
            return f"{shown} {word}" if len(shown) <= 5 else f"{amount:.2e}"
    return str(amount)


def _three(amount: Any, power: int) -> str:
    """amount / 10^power to three digits, rounded half up in integers."""
    whole = len(str(int(amount) // 10**power))
    decimals = max(0, 3 - whole)
    scaled = int((2 * amount * 10**decimals + 10**power) // (2 * 10**power))
    digits = str(scaled).rjust(decimals + 1, "0")
    return digits if not decimals else f"{digits[:-decimals]}.{digits[-decimals:]}"


def exact(amount: Any) -> str:
    """An exact amount with separators; a fraction as a/b."""
    return f"{amount:,}" if amount.denominator == 1 else f"{amount.numerator:,}/{amount.denominator:,}"


def percent(share: int) -> str:
    """Hundredths of a percent as a percentage.

    >>> percent(6424)
    '64.24 %'
    """
    return f"{share // 100}.{share % 100:02d} %"
