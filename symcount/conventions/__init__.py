"""What counts as work: named conventions, one file each, found by file name.

A convention is data that the reader of work interprets: FLOPs a multiply-add, which query-key pairs, a rate for each
elementwise operation, and a factor, or another size, for each kind of product. A paper's or a tool's faults are data
too, where they are its convention.
"""

from __future__ import annotations

from symcount.entries import entries, entry
from symcount.errors import ModelError, nearest
from symcount.kinds import OPERATIONS, ROLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from symcount.ledger import Term
    from symcount.readers import Network


class Convention:
    """What one paper, or one tool, counts.

    says          ends an answer: what is counted, in a line
    leaves        one sentence: what it leaves out or counts otherwise, and why
    source        whose convention it is, and where it is stated or was measured
    unit          "FLOP", or "multiply-add" where that is what it prints, whatever it adds to them
    multiply_add  how much a multiply-add counts
    pairs         which query-key pairs count: "all" s·t; "masked", those that a mask leaves; "window", s·least(t,
                  window); or a number, this share of all pairs where a causal mask hides some
    rates         {elementwise operation: for each element, or None to refuse what it counts in a way that is not
                  written}; `symcount explain operations` lists their names
    counts        {kind of a term, or a path that is no kind: a factor, 0 to leave it out, or {axis: another size}}
    weights       None: products count. "all" or "active": each (active) parameter counts once for every token instead
                  of the products with weights
    beside        beside(network) -> terms of what its author adds that no operation of the network is
    sizes         {size: formula} that its author takes for granted: {"h": "4d"}
    runs          "all" runs of a repeated part count, or what is repeated counts "once"
    backward      "operands": one product for each operand that needs a gradient; a number: that often the forward pass;
                  None: it has no rule for a backward pass
    """

    __slots__ = ("backward", "beside", "counts", "leaves", "multiply_add", "name", "pairs", "rates", "runs", "says",
                 "sizes", "source", "unit", "weights")

    def __init__(self, name: str, *, says: str, source: str, leaves: str = "", unit: str = "FLOP",
                 multiply_add: int = 2, pairs: Any = "all", rates: Mapping[str, Any] | None = None,
                 counts: Mapping[str, Any] | None = None, weights: str | None = None,
                 beside: Callable[[Network], list[Term]] | None = None, sizes: Mapping[str, str] | None = None,
                 runs: str = "all", backward: Any = "operands") -> None:
        for word, given, known in (("unit", unit, ["FLOP", "multiply-add"]), ("runs", runs, ["all", "once"]),
                                   ("weights", weights or "all", ["all", "active"])):
            if given not in known:
                raise ModelError(f"convention {name}: {word} = {given!r}: {nearest(str(given), known)}")
        for each in rates or {}:
            if each not in OPERATIONS:
                raise ModelError(f"convention {name}: there is no operation {each!r} to rate; "
                                 + nearest(str(each), list(OPERATIONS)))
        if counts:
            from difflib import get_close_matches  # a path may be anything, but not almost a role
        for each, how in (counts or {}).items():
            if each not in ROLES and each not in OPERATIONS and (close := get_close_matches(str(each), ROLES, 1, 0.85)):
                raise ModelError(f"convention {name}: counts {each!r}: did you mean {close[0]!r}?")
            if isinstance(how, dict) and not all(isinstance(axis, str) and hasattr(size, "__index__")
                                                 for axis, size in how.items()):
                raise ModelError(f"convention {name}: counts {each!r} as {how!r}: {{axis: a whole number}} is needed")
        if backward not in ("operands", None) and isinstance(backward, str):
            raise ModelError(f"convention {name}: backward = {backward!r}: 'operands', a number or None is needed")
        if isinstance(pairs, str) and pairs not in ("all", "masked", "window"):
            raise ModelError(f"convention {name}: pairs = {pairs!r}: {nearest(pairs, ['all', 'masked', 'window'])}, "
                             "or a number")
        amounts = {"multiply_add": multiply_add, "pairs": pairs, "backward": backward, **(rates or {}),
                   **{key: how for key, how in (counts or {}).items() if not isinstance(how, dict)}}
        for what, one in amounts.items():
            exact = isinstance(getattr(one, "denominator", None), int) and not isinstance(one, bool)
            if not (one is None or isinstance(one, str) or (exact and one >= 0)):
                raise ModelError(f"convention {name}: {what} = {one!r}: an exact number from 0 is needed, such as 2 or "
                                 "Fraction(1, 2)")
        self.name, self.says, self.leaves, self.source = name, says, leaves, source
        self.unit, self.multiply_add, self.pairs = unit, multiply_add, pairs
        self.rates, self.counts, self.weights = dict(rates or {}), dict(counts or {}), weights
        self.beside, self.sizes, self.runs, self.backward = beside, dict(sizes or {}), runs, backward

    @property
    def line(self) -> str:
        """The line that ends an answer."""
        amount = {"FLOP": "FLOP", "multiply-add": "count"}[self.unit]
        return (f"{self.name}: {self.multiply_add} {amount}{'s' if self.multiply_add != 1 else ''} a multiply-add, "
                f"{self.says}")

    def __repr__(self) -> str:
        return f"<Convention {self.name}>"


def names() -> list[str]:
    """The conventions that there are.

    >>> {"causal", "matmul"} <= set(names())
    True
    """
    return entries("conventions")


def convention(name: str | Convention) -> Convention:
    """The convention of that name; a Convention of the caller's own passes through.

    Raises ModelError for an unknown name.
    """
    if isinstance(name, Convention):
        return name
    found: Convention = entry("conventions", name, "unknown convention").CONVENTION
    return found
