"""The kernel: what a proof is, and its replay, which recomputes every step and searches for nothing.

A lemma is an equation and the lines between its sides. A line follows from the one before by one rule of RULES,
applied wherever it applies, forwards or backwards; by a definition, unfolded or folded; or by an equation that was
proved before, or is given. `replay` computes each line anew from its neighbour and compares.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.algebra import laws, rules
from symcount.algebra.rules import indices
from symcount.algebra.sampling import has_entries, numbers_of, sizes_of
from symcount.algebra.terms import Eye, Letter, Ones, Scaled, Term, Zero, agree, letters, mapped, replaced
from symcount.errors import ProofError, ShapeError
from symcount.polynomials import letter
from symcount.sizes import letters as names_of
from symcount.substitution import substitute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

# The rule, what a printed proof calls it, and what it calls it when it is read from right to left
Rule = namedtuple("Rule", "apply reason backwards")
# rule: a name of RULES, or "definition", or "equation" with the name of one; term: the line that is reached
Step = namedtuple("Step", "rule of backwards term", defaults=("", False, None))
Equation = namedtuple("Equation", "left right")
# lemmas: the last says what is proved; definitions: {name: (letter, what it stands for)}; with an induction, the
# lemmas are the first case and the step, whose hypothesis is given
Proof = namedtuple("Proof", "lemmas definitions induction", defaults=({}, None))
# index: the letter in the names; sizes: {size of case k: size of case k - 1}
Induction = namedtuple("Induction", "index sizes")

RULES = {name: Rule(apply, reason, backwards or reason) for name, apply, reason, backwards in (
    ("transpose", rules.transpose, "transposes go inside and turn products round", ""),
    ("inverse", rules.inverse, "inverses go inside and turn products round", ""),
    ("block", laws.block, "blocks multiply like entries", ""),
    ("over", rules.over, "a factor goes inside the sum", "a factor goes outside the sum"),
    ("distribute", rules.distribute, "the product distributes over the sum", "a common factor is taken out"),
    ("associate", rules.associate, "the product is associative", ""),
    ("scalars", rules.scalars, "a number goes to the front", "a number goes to its place"),
    ("zero", rules.zero, "zero adds nothing", ""),
    ("identity", rules.identity, "the identity changes nothing", ""),
    ("cancel", rules.cancel, "a matrix cancels its inverse", "a matrix and its inverse are put in"),
    ("idempotent", rules.idempotent, "an idempotent matrix is its own square", ""),
    ("commute", rules.commute, "diagonal matrices commute", ""),
    ("count", rules.count, "a row of ones times a column of ones is their number", ""),
    ("stochastic", laws.stochastic, "each row sums to 1", ""),
    ("shift", rules.shift, "a window of a window is a window", ""),
    ("constant", rules.constant, "equal rows stay equal in a window", ""),
    ("elementwise", laws.elementwise, "the function acts on each number by itself", ""),
    ("permute", laws.permute, "the function treats all alike: a permutation goes outside",
     "the function treats all alike: a permutation goes inside"),
    ("rotate", laws.rotate, "the function sees only the length of a row: a rotation goes outside",
     "the function sees only the length of a row: a rotation goes inside"),
    ("homogeneous", laws.homogeneous, "a positive factor goes outside the function",
     "a positive factor goes inside the function"),
    ("shifted", laws.shifted, "softmax does not see what is the same along a row", ""),
    ("one", rules.one, "a matrix of one entry is a number", ""),
    ("collect", rules.collect, "like terms are collected", "a term is split"),
)}


class Lemma:
    """`left = right`, proved by `steps` from `left`; `given` are equations that it assumes, as in an induction."""

    __slots__ = ("given", "left", "name", "right", "steps")

    def __init__(self, name: str, left: Term, right: Term, steps: Sequence[Step],
                 given: Mapping[str, Equation] | None = None) -> None:
        self.name, self.left, self.right, self.steps = name, left, right, tuple(steps)
        self.given = dict(given or {})


def replay(lemmas: Sequence[Lemma], definitions: Mapping[str, tuple[Letter, Term]] | None = None,
           induction: Induction | None = None) -> None:
    """Recompute every step of every lemma, in order; a lemma may use those before it.

    An equation may only be assumed as the hypothesis of an induction: it must be what the step proves, one case
    earlier, and the first lemma what it proves in case 1.
    Raises ProofError that names the lemma and the line for a step that does not follow.
    """
    definitions = definitions or {}
    _defined(definitions)
    _assumed(lemmas, definitions, induction)
    proved: dict[str, Equation] = {}
    for lemma in lemmas:
        line = lemma.left
        if indices(lemma.left) != indices(lemma.right):
            raise ProofError(f"{lemma.name}: an index stands on one side only")
        if not _fits(lemma.left, lemma.right):
            raise ProofError(f"{lemma.name}: {lemma.left} is {lemma.left.shape}, {lemma.right} is {lemma.right.shape}")
        for i, step in enumerate(lemma.steps, start=1):
            start, end = (step.term, line) if step.backwards else (line, step.term)
            if step.term == line:
                raise ProofError(f"{lemma.name}, line {i}: it says what the line before says")
            if _applied(step, start, definitions, lemma.given.get(step.of) or proved.get(step.of)) != end:
                raise ProofError(f"{lemma.name}, line {i}: {line} = {step.term} does not follow by '{step.rule}'")
            line = step.term
        if line != lemma.right:
            raise ProofError(f"{lemma.name}: the last line is {line}, not {lemma.right}")
        if lemma.name in proved:
            raise ProofError(f"two lemmas are named '{lemma.name}'")
        proved[lemma.name] = Equation(lemma.left, lemma.right)


def _applied(step: Step, term: Term, definitions: Mapping[str, tuple[Letter, Term]], known: Equation | None) -> Term:
    """What a step's rule makes of a term; `known` is the equation that it names, if it names one."""
    if step.rule in RULES:
        return everywhere(RULES[step.rule].apply, term)
    if step.rule == "definition" and step.of in definitions:
        one, meant = definitions[step.of]
        return replaced(term, {one.key: meant})
    if step.rule == "equation" and known is not None:
        return replaced(term, {known.left.key: known.right})
    raise ProofError(f"there is no rule '{step.rule}' {step.of}".rstrip())


def everywhere(rule: Callable[[Term], Term], term: Term) -> Term:
    """A rule at every place of a term, from the inside out, until it has nothing more to say.

    What would have no shape, as the inverse of a number, it does not say.
    """
    try:
        return mapped(term, rule)
    except ShapeError:
        return term


def _defined(definitions: Mapping[str, tuple[Letter, Term]]) -> None:
    """That each definition fits its letter, and uses only letters defined before it."""
    later = set(definitions)
    for name, (one, term) in definitions.items():
        if name != one.name or not _fits(one, term):
            raise ProofError(f"definition of {name}: {one} is {one.shape}, and {term} is {term.shape}")
        if one.properties:
            raise ProofError(f"definition of {name}: {', '.join(sorted(one.properties))} is declared, not proved")
        if one.over or indices(term):
            raise ProofError(f"definition of {name}: it has indices, which stand in sums only")
        if circular := later & letters(term).keys():
            raise ProofError(f"definition of {name}: it uses {min(circular)}, which is not defined before it")
        later.discard(name)


def _assumed(lemmas: Sequence[Lemma], definitions: Mapping[str, tuple[Letter, Term]],
             induction: Induction | None) -> None:
    """That what is assumed is the hypothesis of the induction, and that the induction has its first case.

    Case k may speak of letters of case k and of letters that no case changes; sizes of case k - 1 stand in letters of
    cases alone. Then what is proved for k follows for k - 1 by renaming, and so for every case.
    """
    assuming = [lemma for lemma in lemmas if lemma.given]
    if induction is None:
        if assuming:
            raise ProofError(f"{assuming[0].name}: assumes {', '.join(assuming[0].given)}, which nothing proves")
        return
    if len(lemmas) != 2 or lemmas[0].given:
        raise ProofError("an induction is two lemmas: case 1, which assumes nothing, and the step")
    base, step = lemmas
    if not all(isinstance(given.left, Letter) for given in step.given.values()):
        raise ProofError(f"{step.name}: what is assumed is not about a letter")
    index, sizes = induction
    now, before, first = f"_{index}", f"_{{{index}-1}}", "_1"
    old = {name for size in sizes.values() for name in names_of(size)}
    claim = letters(step.left, step.right)
    everything = (step.left, step.right, *(term for _, term in definitions.values()))
    if numbers_of(*everything) or has_entries(*everything):
        raise ProofError(f"{step.name}: numbers by name, or of 1 × 1 matrices, are not understood in an induction")
    for name in {*letters(*everything), *definitions}:
        if not name.endswith((now, before, first)) and ("{" in name or name in definitions):
            raise ProofError(f"{step.name}: '{name}' is neither of this case, nor of the one before, nor of none")
    if any(name.endswith((before, first)) for name in claim) or old & set(sizes_of(step.left, step.right)):
        raise ProofError(f"{step.name}: what it proves may not speak of another case")
    meant = [(name, one, term) for name, (one, term) in definitions.items()]
    for name, _, term in meant:
        others = tuple(letters(term))
        if name.endswith(before) or any(other.endswith(first) for other in others if not name.endswith(first)) or (
                name.endswith(first) and any(other.endswith((now, before)) for other in others)):
            raise ProofError(f"{step.name}: the definition of {name} mixes the cases")
    for name, one in letters(*(one for _, one, _ in meant), *(term for *_, term in meant), *claim.values()).items():
        used = set(sizes_of(one))
        if (used & old and not name.endswith((now, before, first))) or (used & set(sizes) and not name.endswith(now)):
            raise ProofError(f"{step.name}: {name} has a size that changes from case to case")
    earlier, start = (Equation(*(_case(side, now, name, sizes) for side in (step.left, step.right)))
                      for name in (before, first))
    if list(step.given.values()) != [earlier]:
        raise ProofError(f"{step.name}: its hypothesis is not what it proves, one case earlier")
    if (base.left, base.right) != start:
        raise ProofError(f"{base.name}: it is not case 1 of {step.name}")


def _case(term: Term, now: str, name: str, sizes: Mapping[str, Any]) -> Term:
    """A term about case k as one about another case: H_k as H_1, and each size as the size there."""
    def there(size: Any) -> Any:
        return substitute(size, {**{one: letter(one) for one in names_of(size)}, **sizes}.get)

    if isinstance(term, Letter):
        renamed = term.name.removesuffix(now) + name if term.name.endswith(now) else term.name
        return Letter(renamed, there(term.rows), there(term.columns), tuple(sorted(term.properties)), term.over)
    if isinstance(term, (Ones, Eye)):
        return type(term)(there(term.rows))
    if isinstance(term, Zero):
        return Zero(there(term.rows), there(term.columns))
    if (not term.parts or isinstance(term, Scaled)) and set(sizes_of(term)) & set(sizes):
        raise ProofError(f"{term}: an induction over numbers or windows of changing size is not understood")
    return term.rebuilt(tuple(_case(part, now, name, sizes) for part in term.parts)) if term.parts else term


def _fits(a: Any, b: Any) -> bool:
    return agree(a.rows, b.rows) and agree(a.columns, b.columns)
