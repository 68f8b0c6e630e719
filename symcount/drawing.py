"""Numbers drawn from a seed: the same ones on every machine and in every version of Python.

They are read off SHA-256 of the seed and a counter, because how Python's own generator chooses from a list may change.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Draw:
    """A source of choices, which depends on nothing but the words that it is made of.

    >>> draw = Draw(7, "example")
    >>> [draw.between(1, 6) for _ in range(5)], draw.some(3, "abcdef")
    ([1, 3, 1, 6, 5], ['e', 'f', 'c'])
    """

    __slots__ = ("at", "words")

    def __init__(self, *words: int | str) -> None:
        self.words, self.at = "/".join(map(str, words)), 0

    def below(self, most: int) -> int:
        """A whole number from 0 to most - 1, each as likely as the others to one part in 2⁴⁰."""
        from hashlib import sha256  # only what is drawn pays for it

        self.at += 1
        return int.from_bytes(sha256(f"{self.words}/{self.at}".encode()).digest()[:8], "big") % most

    def between(self, least: int, most: int) -> int:
        """A whole number from least to most, both included."""
        return least + self.below(most - least + 1)

    def one(self, of: Sequence[Any]) -> Any:
        """One of some things."""
        return of[self.below(len(of))]

    def some(self, n: int, of: Sequence[Any]) -> list[Any]:
        """n different ones of some things, in any order."""
        left = list(of)
        return [left.pop(self.below(len(left))) for _ in range(n)]
