"""Figures that sentences say of a model or of a layer: "X takes 13.5 GB in 16 bits", "an LSTM layer with 25 inputs …".

Only a sentence of which every word that matters is understood is read; any other says nothing here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import namedtuple
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise

from symcount.claims.related import as_printed
from symcount.claims.units import type_bits
from symcount.errors import SymcountError
from symcount.naming import model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from symcount.claims.figures import Figure
    from symcount.claims.page import Read
    from symcount.mentions import Mention

Told = namedtuple("Told", "names quantity sizes width figure at beside")
"""A figure that a sentence says of a model.

names     the published models that may be meant
quantity  its short name; sizes of the run, as t=2048; width in bytes of a stored number, None where it is not said
figure    the figure; at the number of its token; beside the figures that the rest was read from
"""
_BITS = (32, 16, 8, 4)  # of a stored number
_HOLD = {"takes", "take", "needs", "need", "uses", "occupies", "requires", "weighs", "is", "are", "costs", "has"}
_LONGEST = 80  # tokens of a sentence
# Words of sentences that count something else, or more
_OTHER = {"train", "training", "gradients", "optimizer", "adam", "adamw", "activations", "batch", "sequences",
          "requests", "gpus",
          "gpu", "head", "layer", "lora", "embedding", "embeddings", "saves", "less", "more", "than", "not"}


def told(read: Read, found: Sequence[Mention]) -> Iterator[Told]:
    """The bytes and FLOPs that sentences say of one published model: its weights, its cache, a forward pass."""
    base, text = read.passage.start, read.passage.text
    if not found:
        return
    stops = [token.end for token in read.tokens if token.ends]
    for start, end in pairwise([base, *stops, base + len(text)]):
        first, last = (bisect_left(read.tokens, place, key=lambda token: token.start) for place in (start, end))
        here = found[bisect_left(found, start - base, key=lambda one: one.start):
                     bisect_left(found, end - base, key=lambda one: one.start)]
        if last - first > _LONGEST or len({one.names for one in here}) != 1:
            continue
        inside = [(at, read.tokens[at]) for at in range(first, last)
                  if not any(one.start <= read.tokens[at].start - base < one.end for one in here)]
        words_ = {token.text.lower() for _, token in inside if token.kind == "word"}
        if words_ & _HOLD and not words_ & _OTHER:
            yield from _told(here[0].names, inside, words_)


def _told(names: tuple[str, ...], inside: list[tuple[int, Any]], said_: set[str]) -> Iterator[Told]:
    figures = [(at, token.figure) for at, token in inside if token.figure]
    counted = [(at, figure) for at, figure in figures if figure.counts in ("byte", "flop", "multiply-add")]
    tokens = [figure for _, figure in figures if figure.counts == "token"]
    bits = {*(figure.value for _, figure in figures if figure.counts == "bit"), *map(type_bits, said_)} - {0}
    if len(counted) != 1 or len(tokens) > 1 or len(bits) > 1 or not bits <= {*_BITS}:
        return
    (at, figure), width = counted[0], next((Fraction(one) / 8 for one in bits), None)
    beside = [figure for _, figure in figures if figure.counts in ("token", "bit")]
    run = int(tokens[0].value) if tokens and tokens[0].exact else 1 if {"per", "token"} <= said_ else None
    if figure.counts == "byte" and "cache" in said_ and run:
        yield Told(names, "kv", {"t": run}, width, figure, at, beside)
    elif figure.counts == "byte" and not said_ & {"cache", "token", "tokens"} and width:
        yield Told(names, "params", {}, width, figure, at, beside)
    elif figure.counts != "byte" and tokens and "forward" in said_ and run:
        yield Told(names, "flops" if figure.counts == "flop" else "macs", {"s": run}, None, figure, at, beside)


# Layers and small networks described in one phrase, how they are written as a model, and a word of each phrase
_NUMBER = r"([0-9][0-9,]{0,6})"
_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
          "twelve": 12, "sixteen": 16, "thirty-two": 32, "sixty-four": 64}
_COUNT = f"([0-9]{{1,4}}|{'|'.join(_WORDS)})"
_LAYERS = tuple((word, re.compile(pattern, re.IGNORECASE), made) for word, pattern, made in (
    ("unit", rf"\b(LSTM|GRU)(?: layer| cell)? (?:with|of) {_NUMBER} inputs? and {_NUMBER}(?: hidden)? units\b",
     "{0}:d={1},m={2}"),
    ("norm", rf"\bbatch ?norm(?:ali[sz]ation)? (?:of|with|over) {_NUMBER} (?:features|channels)\b", "batchnorm:c={0}"),
    ("convolution", rf"\b([0-9]{{1,2}}) ?[x×] ?\1 convolution from {_NUMBER} to {_NUMBER} channels\b",
     "conv2d:w={0},c={1},m={2}"),
    ("layer", rf"\b(?:dense|linear|fully connected) layer from {_NUMBER} to {_NUMBER}(?: units)?\b",
     "dense:d={0},m={1}"),
    ("output", rf"\b{_COUNT} ([0-9]{{1,2}}) ?[x×] ?\2 ?[x×] ?([0-9]{{1,4}}) (?:filters|kernels),? "
               r"(?:and|on|with|for|to) an? ([0-9]{1,4}) ?[x×] ?\4 output(?: map| grid)?\b",
     "conv2d:w={1},c={2},m={0},side={3}+{1}-1"),
    ("-", r"\b([1-9][0-9]{0,5}(?:-[1-9][0-9]{0,5}){2,9})[ -](?:(?:fully[ -]connected|feed-?forward|dense|neural) ){0,2}"
          r"(?:networks?|nets?|perceptrons?|MLPs?)\b", "mlp:{0}"),
))
_WORKED = {"parameter", "multiply-add", "flop", "operation", "multiplication"}
_STRICT = ("-", "output")
_LINKING = {"a", "an", "the", "with", "has", "have", "contains", "needs", "need", "costs", "cost", "takes", "requires",
            "of", "through", "batch", "size", "about", "roughly", "exactly", "in", "for", "there", "are", "parameters",
            "weights", "operations", "multiply-adds", "multiplications", "we", "count", "example", "one", "image", "x",
            "flops"}
_BEFORE = re.compile(r"\s?[\w-]+\s(?:for|in|of)(?: an?| the)?\s")
# A count beside one of these is of something else, or of more
_APART = {"each", "per", "training", "train", "backward", "gradient", "gradients", "non-trainable", "trainable", "more",
          "fewer", "less", "than", "compared", "instead", "dropout", "pruned", "sparse", "without"}

Layer = namedtuple("Layer", "model figure start end batch")
"""A layer, or a network by its widths, and the figure that its sentence says of it.

start, end  where it is described; batch  where the batch that runs through it is stated, None for none
"""


def layers(read: Read) -> Iterator[Layer]:
    """The layers that a passage describes in one phrase, each with the one count that its sentence has."""
    base, text = read.passage.start, read.passage.text
    lower = text.lower()
    for word, pattern, made in _LAYERS:
        for found in pattern.finditer(text) if word in lower else ():
            first, end = _sentence(read, base + found.start(), base + found.end())
            counts = [at for at in range(first, end) if _counts(read.tokens[at].figure)
                      and not found.start() <= read.tokens[at].start - base < found.end()]
            one = read.tokens[counts[0]].figure if len(counts) == 1 else None
            words_ = {token.text.lower() for token in read.tokens[first:end] if token.kind == "word"}
            if one is None or words_ & _APART or (word in _STRICT and not _alone(read, first, counts[0], found)):
                continue
            if one.start < base + found.start() and not _BEFORE.fullmatch(text[one.end - base:found.start()]):
                continue
            sizes = [str(_WORDS.get(part.lower(), part.replace(",", "").lower())) for part in found.groups()]
            run = batch(text[read.tokens[first].start - base:read.tokens[end - 1].end - base])
            with suppress(SymcountError):  # a width of 0
                yield Layer(model(made.format(*sizes), **({"b": run[0]} if run else {})),
                            as_printed(read, counts[0]),
                            base + found.start(), base + found.end(),
                            run and tuple(read.tokens[first].start + place for place in run[1:]))


def _alone(read: Read, first: int, at: int, found: re.Match[str]) -> bool:
    """Whether nothing but linking words stands before a figure and its network, and between them."""
    base = read.passage.start
    last = max(read.tokens[at].start, base + found.end())
    return all(token.text.lower() in _LINKING for token in read.tokens[first:] if token.kind == "word"
               and token.start < last and not found.start() <= token.start - base < found.end())


def _counts(figure: Figure | None) -> bool:
    return bool(figure and figure.counts in _WORKED)


def _sentence(read: Read, start: int, end: int) -> tuple[int, int]:
    """The numbers of the first token of the sentence around a stretch, and of the one behind its last, if not far."""
    first = last = bisect_left(read.tokens, start, key=lambda token: token.start)
    least, most = max(0, first - _LONGEST), min(len(read.tokens), first + _LONGEST)
    while first > least and not read.tokens[first - 1].ends:
        first -= 1
    while last < most and (read.tokens[last].start < end or not read.tokens[last].ends):
        last += 1
    return first, last


_BATCH = re.compile(r"\bbatch (?:size )?(?:of )?(?:size )?([1-9][0-9,]{0,9})\b(?! (?:tokens|[x×*/]))")


def batch(sentence: str) -> tuple[int, int, int] | None:
    """(how many examples are computed at once, where that begins, where it ends), None where a sentence says none.

    >>> batch("A batch of 64 costs"), batch("no batch")
    ((64, 11, 13), None)
    """
    found = _BATCH.search(sentence) if "batch" in sentence else None
    return (int(found[1].replace(",", "")), found.start(1), found.end(1)) if found else None
