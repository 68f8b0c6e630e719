"""two-meanings: one symbol stands for two things, or has two values.

What it does
    Notes a symbol that a document gives two different values, or that stands beside two different nouns ("L layers",
    "L tokens"). It is a note: sections may well use a letter anew.

Why it matters
    H is heads in one paper, the hidden width in the next; a formula read with the wrong one is wrong by any factor.

Bad
    A model with $h = 12$ heads of 64 columns. Its feed-forward width is $h = 3072$.

Good
    A model with $a = 12$ heads of 64 columns. Its feed-forward width is $h = 3072$.

Source
    The letters L, N, H, D and T each have three meanings and more in the literature on transformers.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from symcount.claims.page import words
from symcount.claims.slips import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.page import Page
    from symcount.diagnostics import Diagnostic

CODE = "SC302"
_SAID = {"width", "layers", "heads", "vocabulary", "dimension", "size", "hidden", "context", "batch", "depth", "is"}
# Nouns that a letter counts because it is a size: "L layers". Others count what is computed: "d additions".
_SIZES = ("layer", "block", "head", "token", "expert", "class", "channel", "word", "step", "patch", "device", "image")


def review(page: Page) -> Iterator[Diagnostic]:
    """The notes about the symbols of a document."""
    values: dict[str, tuple[Fraction, int]] = {}
    nouns: dict[str, tuple[str, int]] = {}
    for read in page.reads:
        for relation in read.relations:
            figure, name = relation.right.figure, relation.left.name
            if name and figure and ((figure.counts in _SIZES) or _SAID & {
                    word.lower() for word in words(read, relation.left.first, 4).split()}):
                before, line = values.setdefault(name, (figure.value, page.line(figure.start)))
                if before != figure.value:
                    values[name] = figure.value, page.line(figure.start)
                    yield page.report(CODE, "note", figure, f"{name} is {shown(figure.value)} here and "
                                                            f"{shown(before)} in line {line}")
        for token, following in pairwise(read.tokens):
            if token.kind != "name" or following.kind != "word":
                continue
            noun = following.text.lower().removesuffix("s")
            if noun in _SIZES:
                other, line = nouns.setdefault(token.text, (noun, page.line(token.start)))
                if other != noun:
                    nouns[token.text] = noun, page.line(token.start)
                    yield page.report(CODE, "note", token,
                                      f"{token.text} counts {noun}s here and {other}s in line {line}")
