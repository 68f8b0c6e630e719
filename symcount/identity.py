"""An identity: two terms that are equal under stated conditions, why, who says so, and what it is mistaken for."""

from __future__ import annotations

from collections import namedtuple

from symcount.algebra.kernel import Proof
from symcount.algebra.sampling import numbers_of
from symcount.algebra.search import proved
from symcount.algebra.terms import letters
from symcount.errors import ModelError, ProofError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from symcount.algebra.terms import Term

# A claim that looks like the identity and is false: says what was confused
Neighbour = namedtuple("Neighbour", "says left right")


def counted(name: str, count: Any, most: int) -> int:
    """A count that a proof takes, from 1 to `most`; ModelError for another."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= most:
        raise ModelError(f"{name} = {count}: a whole number from 1 to {most:,}")
    return count


class Identity:
    """`left = right`: what it says in one sentence, when it holds and why.

    meaning     {letter: what it is}, W_k for all of W_1, W_2, …; a letter declared "data" is an input, every other
                one is stored
    conditions  what must be true of a network, in words; what must be true of a matrix is declared of its letter
    neighbours  claims that are mistaken for it; each must have a counterexample
    proof       a function of its own named counts (layers=3) to a Proof, where one search does not do;
                its last lemma says what is proved
    certificate a function of that proof to a file for Coq, where a theorem of its own says more
    """

    __slots__ = ("certificate", "conditions", "left", "meaning", "neighbours", "proof", "reason", "right", "says",
                 "source")

    def __init__(self, says: str, left: Term, right: Term, *, meaning: Mapping[str, str], reason: str, source: str,
                 conditions: tuple[str, ...] = (), neighbours: tuple[Neighbour, ...] = (),
                 proof: Callable[..., Proof] | None = None,
                 certificate: Callable[[Proof], str] | None = None) -> None:
        self.says, self.left, self.right, self.meaning = says, left, right, dict(meaning)
        self.reason, self.source, self.conditions, self.neighbours = reason, source, conditions, neighbours
        self.proof, self.certificate = proof, certificate
        if unknown := [name for name in (*letters(left, right), *numbers_of(left, right))
                        if not self.means(name)]:
            raise ProofError(f"'{says}' gives no meaning to '{unknown[0]}'")

    def means(self, name: str) -> str:
        """What a letter is; W_3 as W_k says."""
        base, _, index = name.partition("_")
        return self.meaning.get(name) or self.meaning.get(f"{base}_k", "").replace(" k", f" {index.strip('{}')}")

    def proved(self, name: str, **counts: Any) -> Proof:
        """Its proof, not yet replayed; ProofError where none is found, ModelError for a count that it does not take."""
        code = getattr(self.proof, "__code__", None)
        taken = code.co_varnames[:code.co_argcount] if code else ()
        if unknown := [count for count in counts if count not in taken]:
            raise ModelError(f"{name} takes no {unknown[0]}" + (f"; it takes {', '.join(taken)}" if taken else ""))
        if self.proof is not None:
            return self.proof(**counts)
        return Proof((proved(name, self.left, self.right),))
