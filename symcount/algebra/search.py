"""Finding a proof: both sides are brought to a normal form, and the steps of one are read backwards.

The normal form of a polynomial identity is its sum of words, so two equal ones meet; with functions, blocks and
numbers it is as far as the rules go, and sides that do not meet are "unknown" until a counterexample is found.
"""

from __future__ import annotations

from symcount.algebra.kernel import RULES, Lemma, Step, everywhere
from symcount.algebra.terms import Product, Sum, Term
from symcount.errors import ProofError

_MOST_STEPS = 400  # a chain of rules that does not end would be a fault of ours
_MOST_PARTS = 4_000  # a product of many sums grows as 2^n: such a claim is proved by lemmas, not flattened


def reduce(term: Term) -> list[Step]:
    """The steps from a term to its normal form; the last step's term is that form."""
    steps: list[Step] = []
    changed = True
    while changed:
        changed = False
        for name, rule in RULES.items():
            if name in ("distribute", "block") and _grown(term) > _MOST_PARTS:
                raise ProofError(f"multiplied out, {str(term)[:60]} has more than {_MOST_PARTS:,} terms: "
                                 "prove it in parts")
            new = everywhere(rule.apply, term)
            if new is not term and new != term:
                term, changed = new, True
                steps.append(Step(name, term=term))
                if len(steps) > _MOST_STEPS:
                    raise ProofError(f"no normal form of {term} was found")
                break
    return steps


def normal(term: Term) -> Term:
    """The normal form of a term."""
    steps = reduce(term)
    return steps[-1].term if steps else term


def find(name: str, left: Term, right: Term) -> Lemma | None:
    """A lemma `left = right` with its steps, as few as the two ways allow; None where the two sides do not meet."""
    try:
        there, back = reduce(left), reduce(right)
    except ProofError:  # too long when multiplied out
        return None
    lines = [left, *(step.term for step in there)]
    others = [right, *(step.term for step in back)]
    if lines[-1] != others[-1]:
        return None
    place = {line.key: i for i, line in reversed(list(enumerate(others)))}
    i, j = min(((i, place[line.key]) for i, line in enumerate(lines) if line.key in place), key=sum)
    returned = [Step(back[k].rule, backwards=True, term=others[k]) for k in range(j - 1, -1, -1)]
    return Lemma(name, left, right, _shortened(left, [*there[:i], *returned]))


def proved(name: str, left: Term, right: Term) -> Lemma:
    """A lemma `left = right`; ProofError where the two sides do not meet."""
    found = find(name, left, right)
    if found is None:
        raise ProofError(f"{name}: the two sides do not meet")
    return found


def _shortened(first: Term, steps: list[Step]) -> list[Step]:
    """The fewest of these lines that single rules still join, in either direction."""
    lines = [first, *(step.term for step in steps)]
    best: list[list[Step] | None] = [[], *[None] * len(steps)]
    for i, line in enumerate(lines):
        so_far = best[i]
        for j in range(i + 1, len(lines)) if so_far is not None else ():
            joined = steps[j - 1] if j == i + 1 else _joining(line, lines[j])
            known = best[j]
            if so_far is not None and joined is not None and (known is None or len(so_far) + 1 < len(known)):
                best[j] = [*so_far, joined]
    return best[-1] or []


def _joining(line: Term, other: Term) -> Step | None:
    """The rule that leads from one line to another, if one does."""
    for name, rule in RULES.items():
        if everywhere(rule.apply, line) == other:
            return Step(name, term=other)
        if everywhere(rule.apply, other) == line:
            return Step(name, backwards=True, term=other)
    return None


def _grown(term: Term) -> int:
    """How many words a term has when it is multiplied out."""
    if isinstance(term, Product):
        result = 1
        for part in term.parts:
            result *= _grown(part)
        return result
    return sum(map(_grown, term.parts)) if isinstance(term, Sum) else max(map(_grown, term.parts), default=1)
