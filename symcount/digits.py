"""How two whole numbers of as many digits differ, as slips of the pen do."""

from __future__ import annotations


def differing(one: int, other: int) -> str:
    """"one digit", or "two digits exchanged" for neighbours that changed places; "" for anything else.

    >>> differing(1234, 1284), differing(1234, 1324), differing(1234, 4231)
    ('one digit', 'two digits exchanged', '')
    """
    a, b = str(abs(one)), str(abs(other))
    apart = [i for i, (ours, theirs) in enumerate(zip(a, b, strict=False)) if ours != theirs]
    if len(a) != len(b) or not 1 <= len(apart) <= 2:
        return ""
    first, last = apart[0], apart[-1]
    if first == last:
        return "one digit"
    return "two digits exchanged" if last == first + 1 and a[first:last + 1] == b[first:last + 1][::-1] else ""
