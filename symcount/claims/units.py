"""The units that follow a figure, and the words that scale it: one line each.

Source: the decimal prefixes of the SI (M is 10^6), the binary ones of IEC 80000-13 (Mi is 2^20).
"""

from __future__ import annotations

import re
from collections import namedtuple
from fractions import Fraction


class Unit(namedtuple("Unit", "kind factor shown")):
    """What a figure counts.

    kind    "byte", "flop", "multiply-add", "parameter", "percent", "second", "times", "bit", a currency sign, the rate
            "flop/second", a countable noun ("token") or another word, after "?" where nothing is known of it
    factor  how many of the plain unit it is: GB is 10^9 bytes, % is 1/100
    shown   as it was printed
    """

    __slots__ = ()


SCALES = {"K": 10**3, "k": 10**3, "M": 10**6, "B": 10**9, "G": 10**9, "T": 10**12, "P": 10**15,
          "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "quadrillion": 10**15,
          "millions": 10**6, "billions": 10**9, "trillions": 10**12, "mn": 10**6, "bn": 10**9, "tn": 10**12,
          "万": 10**4, "億": 10**8, "亿": 10**8}
_DECIMAL = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
            "Z": 10**21}
POWERS = {"K": 1, "k": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}  # of 1,000, or of 1,024, by the letter of a prefix
_BINARY = {f"{letter}i": 1024**power for letter, power in POWERS.items() if letter != "k"}
_SECONDS = {"s": 1, "sec": 1, "second": 1, "seconds": 1, "min": 60, "minute": 60, "minutes": 60, "h": 3600,
            "hour": 3600, "hours": 3600, "day": 86400, "days": 86400, "week": 604800, "weeks": 604800}
_TIMES = {"ns": Fraction(1, 10**9), "µs": Fraction(1, 10**6), "us": Fraction(1, 10**6), "ms": Fraction(1, 1000),
          **{word: Fraction(seconds) for word, seconds in _SECONDS.items()}}
# Nouns that count things one by one: a figure before them is a plain number.
_COUNTED = (
    "token", "word", "layer", "block", "head", "matrix", "vector", "element", "entry", "number", "value", "pixel",
    "image", "patch", "neuron", "unit", "node", "row", "column", "step", "operation", "multiplication", "addition",
    "connection", "link", "expert", "sequence", "example", "sample", "channel", "filter", "kernel", "dimension",
    "float", "key", "query", "score", "class", "feature", "position", "bias", "weight", "parameter", "param",
)
_IRREGULAR = {"matrices": "matrix", "entries": "entry", "biases": "bias", "classes": "class", "patches": "patch",
              "queries": "query", "indices": "index", "params": "parameter", "param": "parameter"}
_PARAMETERS = ("parameter", "weight", "bias")
_MULTIPLY_ADDS = ("MAC", "MACs", "MAdd", "MAdds", "multiply-add", "multiply-adds", "mult-add", "mult-adds",
                  "multiply-accumulates", "multiply-accumulate")


def _table() -> dict[str, Unit]:
    found = {word: Unit("second", factor, word) for word, factor in _TIMES.items()}
    flops = [(stem + ending, "flop") for stem in ("FLOP", "flop", "Flop") for ending in ("", "s", "S")]
    for prefix, factor in _DECIMAL.items():
        for word, kind in (("B", "byte"), ("Byte", "byte"), ("bytes", "byte"), ("byte", "byte"), ("bit", "bit"),
                           ("bits", "bit"), *flops):
            found[prefix + word] = Unit(kind, Fraction(factor), prefix + word)
        for word in _MULTIPLY_ADDS:
            found[prefix + word] = Unit("multiply-add", Fraction(factor), prefix + word)
        for word in ("B/s", "byte/s", "bytes/s"):
            found[prefix + word] = Unit("byte/second", Fraction(factor), prefix + word)
        for word in ("FLOP/s", "FLOPs/s", "FLOPS/s", "flop/s", "flops/s"):
            found[prefix + word] = Unit("flop/second", Fraction(factor), prefix + word)
    for prefix, factor in _BINARY.items():
        for word in ("B", "Byte", "bytes", "byte"):
            found[prefix + word] = Unit("byte", Fraction(factor), prefix + word)
    for word in _COUNTED:
        for form in (word, word + "s"):
            kind = "parameter" if word in _PARAMETERS else _IRREGULAR.get(word, word)
            found.setdefault(form, Unit(kind, Fraction(1), form))
    for form, word in _IRREGULAR.items():
        found[form] = Unit("parameter" if word in _PARAMETERS else word, Fraction(1), form)
    del found["B"]  # alone it is a billion or a byte: the figure before it decides
    found["%"] = Unit("percent", Fraction(1, 100), "%")
    found["percent"] = Unit("percent", Fraction(1, 100), "percent")
    found["times"] = Unit("times", Fraction(1), "times")
    return found


TABLE = _table()
BYTES = Unit("byte", Fraction(1), "B")
PLAIN = {unit.kind for unit in TABLE.values()} - {"byte", "bit", "second", "percent", "flop/second", "byte/second"}
"""Kinds whose figures are plain numbers: they can be compared with a number that has no unit."""
WORK = ("flop", "multiply-add")
PARAMETERS = frozenset(("parameter", "parameters", "param", "params"))
"""How authors write the word."""
_TYPE = re.compile(r"(?:fp|bf|float|bfloat|int|uint)([1-9][0-9]?)")


def unit(word: str) -> Unit:
    """The unit that a word is; a word that is none counts something unknown.

    >>> unit("GiB").factor, unit("weights").kind, unit("apples").kind
    (Fraction(1073741824, 1), 'parameter', '?apples')
    """
    if word in TABLE:
        return TABLE[word]
    if word.lower() in TABLE:
        return TABLE[word.lower()]._replace(shown=word)
    return Unit(f"?{word}", Fraction(1), word)


def type_bits(word: str) -> int:
    """The bits of a type of numbers, with which its name ends; 0 for another word.

    >>> type_bits("bf16"), type_bits("float32"), type_bits("fp")
    (16, 32, 0)
    """
    named = _TYPE.fullmatch(word)
    return int(named[1]) if named else 0


def comparable(a: Unit | None, b: Unit | None) -> bool:
    """Whether figures in two units can be equal.

    A figure without a unit takes the other's; nouns that count one by one may be of different things, and FLOPs printed
    for multiply-adds are compared as numbers: that they are mixed is another fault.

    >>> comparable(unit("GB"), unit("bytes")), comparable(unit("GB"), unit("s")), comparable(None, unit("tokens"))
    (True, False, True)
    """
    if a is None or b is None:
        return True
    return a.kind == b.kind or (a.kind in PLAIN and b.kind in PLAIN)
