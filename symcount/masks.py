"""Which (query, key) pairs of an attention count, and how many they are."""

from __future__ import annotations

from collections import namedtuple

from symcount.errors import SizeError
from symcount.polynomials import lift, quotient
from symcount.sizes import bounded, least, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size

# causal: no key after its query; window: at most that many keys, the query's own among them (None: all)
Mask = namedtuple("Mask", "causal window", defaults=(False, None))


def pairs(mask: Mask | None, s: Size, t: Size) -> Size:
    """How many pairs of s queries and t keys count, the queries being the last s of the t positions.

    All: s·t. Causal: s·a + s(s + 1)/2 with a = t - s. Within a window w, with m = min(s, max(0, w - a)):
    m·a + m(m + 1)/2 + (s - m)·w.

    >>> pairs(None, 4, 4), pairs(Mask(causal=True), 4, 4), pairs(Mask(causal=True, window=2), 4, 4)
    (16, 10, 7)
    """
    if mask is not None and mask.window is not None and not mask.causal:
        raise SizeError("a window without a causal mask has no count here; say Mask(causal=True, window=…)")
    if mask is None or not mask.causal:
        return s * t
    before = t - bounded(s, t)
    if mask.window is None:
        return s * before + _triangle(s)
    room = mask.window - before
    m = least(s, room if same(before, 0) else room - least(0, room))  # nothing before: a window sees at least one
    return m * before + _triangle(m) + (s - m) * mask.window


def within_window(t: Size, window: Size, s: Size) -> Size:
    """How many of t rows a cache shows to s new ones: what the first of them sees, and the new ones after it.

    >>> within_window(9, 4, 1), within_window(13, 4, 4), within_window(3, 4, 1)
    (4, 7, 3)
    """
    return least(t, window if same(s, 1) else window + (s - 1))


def _triangle(m: Size) -> Size:
    """m(m + 1)/2, always whole, so no condition is noted on letters."""
    if isinstance(m, int):
        return m * (m + 1) // 2
    return m * (m + 1) / 2 if lift(m) is NotImplemented else m * (m + 1) * quotient(1, 2)
