"""Figures that sentences say of a model or of a layer: "X takes 13.5 GB in 16 bits", "an LSTM layer with 25 inputs …".

Only a sentence of which every word that matters is understood is read; any other says nothing here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import namedtuple
from fractions import Fraction
from itertools import pairwise

from symcount.claims.lexing import ENDS
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
_WIDTHS = {"bf16": 2, "fp16": 2, "float16": 2, "bfloat16": 2, "fp32": 4, "float32": 4, "int8": 1, "fp8": 1,
           "int4": Fraction(1, 2)}
_BITS = {32: 4, 16: 2, 8: 1, 4: Fraction(1, 2)}
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
    stops = [token.end for token in read.tokens if token.kind == "stop" and token.text in ENDS]
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
    counted = [(at, token.figure) for at, token in inside if token.figure and token.figure.unit
               and token.figure.unit.kind in ("byte", "flop", "multiply-add")]
    tokens = [token.figure for _, token in inside
              if token.figure and token.figure.unit and token.figure.unit.kind == "token"]
    bits = [_BITS.get(int(token.figure.value)) for _, token in inside if token.figure and token.figure.unit
            and token.figure.unit.kind == "bit" and token.figure.value.denominator == 1]
    widths = {*bits, *(_WIDTHS[word] for word in said_ if word in _WIDTHS)}
    if len(counted) != 1 or len(tokens) > 1 or len(widths) > 1 or None in widths:
        return
    (at, figure), width = counted[0], next(iter(widths), None)
    beside = [token.figure for _, token in inside if token.figure and token.figure.unit
              and token.figure.unit.kind in ("token", "bit")]
    run = int(tokens[0].value) if tokens and tokens[0].exact else 1 if {"per", "token"} <= said_ else None
    if figure.unit.kind == "byte" and "cache" in said_ and run:
        yield Told(names, "kv", {"t": run}, width, figure, at, beside)
    elif figure.unit.kind == "byte" and not said_ & {"cache", "token", "tokens"} and width:
        yield Told(names, "params", {}, width, figure, at, beside)
    elif figure.unit.kind != "byte" and tokens and "forward" in said_ and run:
        yield Told(names, "flops" if figure.unit.kind == "flop" else "macs", {"s": run}, None, figure, at, beside)


# Layers described in one phrase, and how they are written as a model
_NUMBER = r"([0-9][0-9,]{0,6})"
_LAYERS = tuple((re.compile(pattern, re.IGNORECASE), made) for pattern, made in (
    (rf"\b(LSTM|GRU)(?: layer| cell)? (?:with|of) {_NUMBER} inputs? and {_NUMBER}(?: hidden)? units\b",
     "{0}:d={1},m={2}"),
    (rf"\bbatch ?norm(?:ali[sz]ation)? (?:of|with|over) {_NUMBER} (?:features|channels)\b", "batchnorm:c={0}"),
    (rf"\b([0-9]{{1,2}}) ?[x×] ?\1 convolution from {_NUMBER} to {_NUMBER} channels\b", "conv2d:w={0},c={1},m={2}"),
    (rf"\b(?:dense|linear|fully connected) layer from {_NUMBER} to {_NUMBER}(?: units)?\b", "dense:d={0},m={1}"),
))


def layers(read: Read) -> Iterator[tuple[Any, Figure, tuple[int, int]]]:
    """(the layer as a model, the parameters that its sentence says it has, where it is described)."""
    base, text = read.passage.start, read.passage.text
    for pattern, made in _LAYERS:
        for found in pattern.finditer(text):
            end = next((token.start for token in read.tokens if token.start > base + found.end()
                        and token.kind == "stop" and token.text in ENDS), base + len(text))
            counts = [token.figure for token in read.tokens if base + found.end() <= token.start < end and token.figure
                      and token.figure.unit and token.figure.unit.kind == "parameter"]
            if len(counts) == 1:
                sizes = [part.replace(",", "").lower() for part in found.groups()]
                yield model(made.format(*sizes)), counts[0], (base + found.start(), base + found.end())
