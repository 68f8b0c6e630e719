"""Sizes that a sentence says a published model has: "Llama 3 8B has an FFN width of 6,144".

Other sizes bind: a "BERT with 8 layers" has 8. Only a list of sizes directly behind "MODEL has" is read, to where its
sentence ends or goes on with a comma.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import namedtuple
from fractions import Fraction

from symcount.settings import published
from symcount.symbols import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from symcount.architecture import Model
    from symcount.claims.page import Read
    from symcount.mentions import Heard

Size = namedtuple("Size", "names letter figure")
"""A figure that is said to be a size, by its letter, of one of the published models `names`."""

_HAS = re.compile(r"(?: \([^()]{1,30}\))? (?:has|have)(?= )")
_SUBJECT = re.compile(r"(?:(?:and|but|while|whereas|the|original|standard|plain)? ?){0,3}")
_JOINS = re.compile(r"(?:\s|,|\band\b|\bwith\b|\bits\b|\ban?\b|\bthe\b){0,6}")
_ENDS = re.compile(r"\s*(?:[.,;:)]|and\b|with\b|$)")
_NEAR = Fraction(1, 50)  # of a vocabulary, or of positions: some are padded, and some are not counted
_ROUNDED = ("V", "P")
_READ = ("d", "h", "L", "heads", "kv", "k", "E", "K", *_ROUNDED)


def asserted(read: Read, heard: Heard) -> Iterator[Size]:
    """The sizes that a passage says published models have."""
    text, sizes = read.passage.text, heard.said
    for mention in heard.mentions if read.passage.kind == "text" else ():
        has = _HAS.match(text, mention.end)
        start, end = heard.bounds(mention.start)
        if has is None or not _SUBJECT.fullmatch(text[start:mention.start].strip().lower()):
            continue
        at = has.end()
        for said in sizes[bisect_left(sizes, at, key=lambda one: one.start):]:
            if said.start >= end or not _JOINS.fullmatch(text, at, said.start) or not _ENDS.match(text, said.end):
                break
            at = said.end
            first, last = (bisect_left(read.tokens, read.passage.start + place, key=lambda token: token.start)
                           for place in (said.start, said.end))
            figures = [token.figure for token in read.tokens[first:last] if token.figure]
            if len(figures) == 1 and figures[0].value == said.value and said.letter in _READ:
                yield Size(mention.names, said.letter, figures[0])


def compared(one: Size, given: Iterable[Model]) -> tuple[str, int | None, str]:
    """(verdict, what the size is, a sentence): "right" where one of the models that may be meant has it.

    "wrong" where none has it and all have the same, else "unknown"; `given` are models that were given by hand.
    """
    meant = [*(published(name) for name in one.names), *given]
    told = [_worth(model, one.letter) for model in meant]
    if any(each and _has(one, each) for each in told):
        return "right", None, ""
    if not all(told) or len({each[0] for each in told}) != 1:
        return "unknown", None, ""
    return "wrong", told[0][0], f"of {meant[0].name} {one.letter} ({row(one.letter).meaning}) is {told[0][0]:,}"


def _has(one: Size, worth: Sequence[int]) -> bool:
    value = one.figure.value
    return value in worth or (one.letter in _ROUNDED and abs(value - worth[0]) <= _NEAR * worth[0])


def _worth(model: Model, letter: str) -> list[int]:
    """What a size of a model may be called, the usual first; nothing where it has no such size."""
    sizes = {name: size for name, size in model.values.items() if isinstance(size, int)}
    if letter == "k" and "k" not in sizes and sizes.get("heads"):
        sizes["k"] = sizes.get("d", 0) // sizes["heads"]
    if letter == "kv":
        sizes.setdefault("kv", sizes.get("heads", 0))
    usual = sizes.get(letter)
    if not usual:
        return []
    also = {"L": ("L_dec", "L_enc"), "h": ("h_e", "h_s"), "V": ("C",)}.get(letter, ())
    more = [sizes[name] for name in also if name in sizes]
    if letter == "L":
        more += [usual + each for each in more]  # of encoder and decoder
    elif letter == "heads":
        more.append(usual * sizes.get("L", 1))  # in all layers
    elif letter == "h":
        more.append(2 * usual)  # of a gated network, both halves
    return [usual, *more]
