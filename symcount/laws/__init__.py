"""Laws: closed forms that papers give for a count, one file each, found by its name.

A law says what a ledger adds up to; `closed_forms.prove` proves it.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.entries import entries, entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from symcount.ledger import Ledger

# A statement that is mistaken for the law and is false: what it says in words, and what of the law it changes
Neighbour = namedtuple("Neighbour", "says right left names at", defaults=(None, None, None, None))


class Law:
    """`left(model)`, a ledger, adds up to `right`, whatever the sizes of the network are.

    says        in one sentence
    network     what `naming.model` calls the network: "llama:" has all sizes free
    changes     {size: formula} of the network: {"h": "4d"}
    what        what is counted, as the derivation names it
    left        left(model) -> Ledger: a reader, with its convention and its phase
    right       a formula over the letters of the network and `names`, as its author writes it
    names       {letter: Which, or a formula where the network has no such size}: what N is, D = b·s, k = d/heads
    conditions  what must be true of a network, in words
    single      whether it is of one layer, and of no network that repeats layers
    at          (model, sizes): where a number is given, and where the neighbours are refuted
    neighbours  statements that are mistaken for it; each must be false in numbers
    """

    __slots__ = ("at", "changes", "conditions", "left", "names", "neighbours", "network", "reason", "right", "says",
                 "single", "source", "what")

    def __init__(self, says: str, *, network: str, what: str, left: Callable[[Any], Ledger], right: str, reason: str,
                 source: str, at: tuple[str, Mapping[str, Any]], neighbours: tuple[Neighbour, ...],
                 changes: Mapping[str, Any] | None = None, names: Mapping[str, Any] | None = None,
                 conditions: tuple[str, ...] = (), single: bool = False) -> None:
        self.says, self.network, self.changes, self.what = says, network, dict(changes or {}), what
        self.left, self.right, self.names, self.conditions = left, right, dict(names or {}), conditions
        self.reason, self.source, self.at, self.neighbours, self.single = reason, source, at, neighbours, single


def ledger_laws() -> list[str]:
    """The names of all laws.

    >>> "training_6nd" in ledger_laws()
    True
    """
    return entries("laws")


def load(name: str) -> Law:
    """The law of this name; ModelError for another."""
    found: Law = entry("laws", name, "no law").LAW
    return found
