"""Proofs and counterexamples as derivations: of an identity or a law by name, or of a statement of the user's own.

Three verdicts: proved, with steps that were replayed and sides that were compared at random points; refuted, with a
witness; unknown. Nothing is proved by agreement at points, and nothing is refuted by a failed search.
"""

from __future__ import annotations

from itertools import zip_longest
from math import gcd

from symcount.algebra.cost import entries, multiply_adds
from symcount.algebra.kernel import RULES, Proof, replay
from symcount.algebra.sampling import fits, numbers_of, parts_of
from symcount.algebra.scalars import Named, atoms
from symcount.algebra.search import find
from symcount.algebra.statements import read_statement
from symcount.algebra.terms import PROPERTIES, Letter, Scaled, Term, letters, total
from symcount.algebra.witness import Witness, confirm, counterexample
from symcount.derivation import Chain, Declared, Derivation, Figure, Line, Remark, Valued
from symcount.errors import ModelError, ProofError, clipped, nearest
from symcount.forms import Number, Product, product, written
from symcount.laws import ledger_laws
from symcount.polynomials import Polynomial, lift, made, opaque
from symcount.render import matrices
from symcount.theorems import identities, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.algebra.kernel import Step
    from symcount.forms import Form
    from symcount.identity import Identity
    from symcount.polynomials import Size


_PROVED = Remark("verdict", ("proved: every step was replayed",))


def prove(claim: Any, *, shapes: str | Mapping[str, Any] | None = None, **counts: Any) -> Derivation:
    """The proof of an identity or law by name, of `left = right` with the shapes of its letters, or of two SymPy sides.

    >>> print(prove("value_output_merge").steps[0].lines[-1].term)
    A*X*(V*O)
    >>> prove("X*(W1*W2) = (X*W1)*W2", shapes={"X": "n d", "W1": "d r", "W2": "r m"})
    <Derivation X*(W1*W2) = (X*W1)*W2: 1 steps>

    Of a pair (left, right) of SymPy expressions `shapes` may say what is known of the letters: {"G": "invertible"}.
    A law, which says what a count adds up to, is proved for a `model` of your own too: prove("training_6nd",
    model="gpt2", s=1024).
    Raises ProofError where it is refuted (`.witness` is then a derivation) or unknown, ModelError for an unknown name.
    """
    if not _is_name(claim):
        if counts:
            raise ModelError(f"a statement takes no {', '.join(counts)}")
        return _statement(claim, shapes)
    if shapes is not None:
        raise ModelError(f"{claim}: shapes belong to a statement, left = right; an identity has its own")
    if claim in ledger_laws():
        from symcount.closed_forms import prove_law  # only a law counts

        return prove_law(claim, **counts)
    identity = _identity(claim)
    try:
        proof = identity.proved(claim, **counts)
    except ProofError as error:
        if error.sides is None:
            raise
        raise _blocked(claim, error) from None
    checked(proof)
    remarks = [_PROVED, *_inducted(proof),
               *(Remark("when", (condition,)) for condition in identity.conditions)]
    remarks += [Remark("why", (identity.reason,)), *(() if counts else saved(identity.left, identity.right))]
    for neighbour in identity.neighbours:
        found = counterexample(neighbour.left, neighbour.right)
        if found is None:
            raise ProofError(f"{claim}: no counterexample to its neighbour: {neighbour.says}")
        remarks.append(Remark("but not", (f"{neighbour.says}: ", neighbour.left, " = ", neighbour.right, " fails for ",
                                          *_at(found, neighbour.left, neighbour.right))))
    remarks.append(Remark("source", (identity.source,)))
    return Derivation(f"{claim}: {identity.says}", chains(proof), symbols=_declared(proof, identity),
                      remarks=tuple(remarks), proof=proof)


def certify(claim: Any, *, shapes: str | Mapping[str, Any] | None = None, **counts: Any) -> str:
    """A file for Coq with MathComp that states the claim and proves it, once `prove` has.

    >>> certify("lora_merge").splitlines()[-2:]
    ['Qed.', 'Print Assumptions certified_lora_merge.']

    Raises what `prove` raises, and ProofError for what cannot be written for Coq.
    """
    from symcount.algebra.certificate import coq, stated

    if _is_name(claim) and claim in ledger_laws():
        raise ProofError(f"{claim}: a law is an equation of polynomials, for which no certificate is written")
    found = prove(claim, shapes=shapes, **counts)
    name = claim if _is_name(claim) else "statement"
    own = load(name).certificate if _is_name(claim) else None
    return coq(*stated(found.proof), name, found.proof) if own is None else own(found.proof)


def refute(claim: Any, *, shapes: str | Mapping[str, Any] | None = None, **counts: Any) -> Derivation | None:
    """The smallest counterexample to a claim, which respects what is declared of its letters; None where none is found.

    >>> shapes = {"X": "n d", "W1": "d r", "W2": "r m"}
    >>> print(refute("relu(X*W1)*W2 = X*(W1*W2)", shapes=shapes).steps[-1].lines[-1].term)
    Figure(rows=[[-1]])
    """
    if not _is_name(claim):
        left, right, _ = _read(claim, shapes)
    elif claim in ledger_laws():
        from symcount.closed_forms import refute_law

        return refute_law(claim, **counts)
    else:
        identity = _identity(claim)
        try:
            identity.proved(claim, **counts)
        except ProofError as error:
            left, right = error.sides or (identity.left, identity.right)
        else:
            return None
    found = counterexample(left, right)
    return None if found is None else refutation(f"{claim} is false", left, right, found)


def checked(proof: Proof) -> None:
    """Replay every step, and compare the sides of what is proved at random points: ProofError where one fails."""
    replay(*proof)
    last = proof.lemmas[-1]
    confirm(last.left, last.right, _meant(proof))


def _inducted(proof: Proof) -> list[Remark]:
    """What the two lemmas of an induction say together."""
    if proof.induction is None:
        return []
    base, step = proof.lemmas
    return [Remark("induction", (step.left, " = ", step.right, f" for every {proof.induction.index} from 1 on: "
                                 f"{base.name} is the first case, and {step.name} follows from the case before it"))]


def _blocked(claim: str, error: ProofError) -> ProofError:
    """A claim that does not hold: its counterexample, and one that leaves no other way either, where there is one."""
    left, right = error.sides
    refused = disproved(f"{claim} {error}", left, right)
    if error.also is not None and refused.witness is not None:
        says, one, other = error.also
        found = counterexample(one, other)
        if found is not None:
            shown = refused.witness
            remark = Remark("other weights", (f"{says}: ", one, " = ", other, " fails for ", *_at(found, one, other)))
            refused.witness = Derivation(shown.title, list(shown.steps), symbols=shown.symbols,
                                         remarks=(*shown.remarks, remark))
    return refused


def chains(proof: Proof) -> list[Chain]:
    """The lemmas of a proof as chains of equal lines with their reasons."""
    several = len(proof.lemmas) > 1
    found = []
    for lemma in proof.lemmas:
        lines = [Line(lemma.left, ())]
        if not lemma.steps:
            lines.append(Line(lemma.right, ("the two sides are the same",)))
        for step, after in zip_longest(lemma.steps, lemma.steps[1:]):
            if after is None or (step.rule, after.rule) != ("associate", "associate"):  # other brackets: one line
                lines.append(Line(step.term, _reason(step, proof)))
        found.append(Chain(lemma.name if several else "", tuple(lines)))
    return found


def refutation(title: str, left: Term, right: Term, found: Witness) -> Derivation:
    """A witness as a derivation: what the letters are, and what the two sides then are."""
    values = tuple(Valued(one, Number(len(rows)), Number(len(rows[0])), Figure(rows))
                   for one, rows in _matrices(found, left, right))
    sides = [Chain("", (Line(side, ()), Line(Figure(rows), ())))
             for side, rows in ((left, found.left), (right, found.right))]
    remarks = [Remark("verdict", ("refuted: the two sides differ",))]
    if found.units:
        remarks.append(Remark("note", (f"what the function is of stands in units of {found.units}, so that its values "
                                       "are fractions; in units of 1 the sides differ too",)))
    if not found.exact:
        remarks.append(Remark("note", ("the function has no rational value here; numbers are rounded",)))
    if found.numbers:
        remarks.insert(0, Remark("with", _numbers(found)))
    return Derivation(title, sides, symbols=values, remarks=tuple(remarks))


def saved(left: Term, right: Term) -> list[Remark]:
    """What fusing saves in stored numbers and in multiply-adds, and when, read off the two sides."""
    found = []
    for label, before, after in (("parameters", entries(left), entries(right)),
                                 ("multiply-adds", multiply_adds(left), multiply_adds(right))):
        if lift(before).terms or lift(after).terms:
            amounts = (written(before), " before, ", written(after), " after")
            found.append(Remark(label, (*amounts, *_worth(before, after))))
    return found


def _worth(before: Size, after: Size) -> tuple[Any, ...]:
    """When the second is less: the difference, common factors taken out, as one side against the other."""
    difference = lift(lift(before) - after)
    more = {key: (powers, c) for key, (powers, c) in difference.terms.items() if c > 0}
    less = {key: (powers, -c) for key, (powers, c) in difference.terms.items() if c < 0}
    if not difference.terms:
        return (": the same",)
    if not less:
        return (": always fewer",)
    if not more:
        return (": always more",)
    common = _common(list(difference.terms.values()))
    shared = gcd(*(c for _, c in difference.terms.values()))
    return (": fewer iff ", _factored(more, common, shared), " > ", _factored(less, common, shared))


def _common(terms: list[Any]) -> dict[Any, int]:
    """The powers that all terms share."""
    shared = dict(terms[0][0])
    for powers, _ in terms[1:]:
        held = dict(powers)
        shared = {atom: min(power, held.get(atom, 0)) for atom, power in shared.items()}
    return {atom: power for atom, power in shared.items() if power}


def _factored(terms: Mapping[Any, Any], without: Mapping[Any, int], below: int) -> Form:
    """A sum without a common factor, and with one of its own taken out: r(d + m + 1)."""
    kept = [(_divided(powers, without), c // below) for powers, c in terms.values()]
    kept.sort(key=lambda one: -sum(power for _, power in one[0]))  # in a sum the degree falls
    own, shared = _common(kept), gcd(*(c for _, c in kept))
    if (not own and shared == 1) or len(kept) == 1:
        return written(made({frozenset(powers): (powers, c) for powers, c in kept}))
    inner = made({frozenset(p := _divided(powers, own)): (p, c // shared) for powers, c in kept})
    return product([*_factors(written(Polynomial({frozenset(own.items()): (tuple(own.items()), shared)}))),
                    written(inner)])


def _divided(powers: Any, taken: Mapping[Any, int]) -> tuple[Any, ...]:
    return tuple((atom, power - taken.get(atom, 0)) for atom, power in powers if power - taken.get(atom, 0))


def _factors(form: Form) -> tuple[Form, ...]:
    return tuple(form.factors) if isinstance(form, Product) else (form,)


def _is_name(claim: Any) -> bool:
    """Whether a claim is an identity by name, and no statement."""
    return isinstance(claim, str) and "=" not in claim


def _identity(name: str) -> Identity:
    """The identity of this name; ModelError, with the nearest identity or law, for another."""
    if name not in identities():
        raise ModelError(f"no identity '{clipped(name)}'; {nearest(name, [*identities(), *ledger_laws()])}")
    return load(name)


def _statement(claim: Any, shapes: Any) -> Derivation:
    left, right, divisors = _read(claim, shapes)
    title = claim if isinstance(claim, str) else f"{left} = {right}"
    found = find("statement", left, right)
    if found is None:
        raise disproved(title, left, right)
    proof = Proof((found,))
    checked(proof)
    remarks = [Remark("when", (opaque(Named(name)), " is not 0")) for name in divisors]
    return Derivation(title, chains(proof), symbols=_declared(proof), proof=proof,
                      remarks=(*remarks, _PROVED))


def _read(claim: Any, shapes: Any) -> tuple[Term, Term, list[str]]:
    """Both sides of a text with shapes, or of two SymPy expressions, whose letters have theirs; and what divides."""
    if isinstance(claim, str):
        if not shapes:
            raise ModelError(f"'{clipped(claim)}' needs the shapes of its letters, as in X: n x d, W: d x m")
        return read_statement(claim, shapes)
    if not isinstance(claim, tuple) or len(claim) != 2:  # SymPy's Eq would decide at once, and not by our rules
        raise ModelError(f"{claim!r} is no claim: an identity's name, 'left = right', or a pair (left, right) is")
    from symcount.algebra.sympy_terms import from_sympy

    if shapes is not None and not hasattr(shapes, "items"):
        raise ModelError(f"shapes of a pair say what is declared of letters, as {{'G': 'invertible'}}, not {shapes!r}")
    declared = {name: tuple(str(words).split()) for name, words in (shapes or {}).items()}
    left, right = (side if isinstance(side, Term) else from_sympy(side, declared) for side in claim)
    total([left, right])  # refuses sides of unlike shapes
    if not fits(left, right):
        raise ModelError(f"{left} = {right}: no sizes up to 8 fit it; write large sizes as letters")
    return left, right, sorted({atom.name for part in parts_of(left, right) if isinstance(part, Scaled)
                                for atom, power in atoms(part.number) if isinstance(atom, Named) and power < 0})


def disproved(claim: str, left: Term, right: Term) -> ProofError:
    """What to raise where no proof is found: refuted, with a witness, or unknown."""
    found = counterexample(left, right)
    if found is None:
        error = ProofError(f"{claim}: unknown: the rules do not reach from one side to the other, "
                           "and no small counterexample was found")
    else:
        error = ProofError(f"{claim}: refuted: " + "".join(map(matrices.piece, _at(found, left, right))))
        error.witness = refutation(f"{claim} is false", left, right, found)
    error.sides = (left, right)
    return error


def _meant(proof: Proof) -> dict[str, Term]:
    """What letters stand for: hypotheses first, for definitions may use them, then the definitions in order."""
    given = {one.left.name: one.right for one in proof.lemmas[-1].given.values()}
    return {**given, **{name: term for name, (_, term) in proof.definitions.items()}}


def _declared(proof: Proof, identity: Identity | None = None) -> tuple[Declared, ...]:
    last, meant = proof.lemmas[-1], _meant(proof)
    terms = (*meant.values(), last.left, last.right)
    rows = [Declared(one, written(one.rows), written(one.columns), "; ".join(filter(None, (
        identity.means(name) if identity else "", _said(one)))))
        for name, one in letters(*terms).items() if name not in meant]
    rows += [Declared(opaque(Named(name)), Number(1), Number(1), identity.means(name) if identity else "a number")
             for name in numbers_of(*terms)]
    return tuple(rows)


def _said(one: Letter) -> str:
    """What is declared of a letter, but for what follows from the rest."""
    shown = {"positive": "diagonal, positive", "stochastic": "each row sums to 1", "selection": "of zeros and ones"}
    implied = {other for word in one.properties for other in PROPERTIES[word]}
    return ", ".join(shown.get(word, word) for word in PROPERTIES if word in one.properties - implied - {"data"})


def _reason(step: Step, proof: Proof) -> tuple[Any, ...]:
    if step.rule == "definition":
        if not step.backwards or step.of not in proof.definitions:
            return ("by definition",)
        letter, term = proof.definitions[step.of]
        return ("with ", letter, " = ", term)
    if step.rule == "equation":
        return (f"by {step.of}",)
    rule = RULES[step.rule]
    return (rule.backwards if step.backwards else rule.reason,)


def _matrices(found: Witness, *sides: Term) -> list[tuple[Letter, Any]]:
    """The letters of a witness with their values; a letter with indices once for each."""
    named = letters(*sides)
    return [(named[name[0] if isinstance(name, tuple) else name], rows) for name, rows in found.matrices.items()]


def _numbers(found: Witness) -> tuple[Any, ...]:
    pieces: list[Any] = []
    for name, amount in found.numbers.items():
        pieces += [", " if pieces else "", opaque(Named(name)), " = ", Figure([[amount]])]
    return tuple(pieces)


def _at(found: Witness, *sides: Term) -> tuple[Any, ...]:
    """A witness in one line."""
    pieces: list[Any] = []
    for letter, rows in _matrices(found, *sides):
        pieces += [", " if pieces else "", letter, " = ", Figure(rows)]
    pieces += [", ", *_numbers(found)] if found.numbers else []
    if not pieces:
        pieces = [", ".join(f"{name} = {size}" for name, size in found.sizes.items())]
    unit = f" (what the function is of, in units of {found.units})" if found.units else ""
    return (*pieces, ": ", Figure(found.left), " is not ", Figure(found.right), unit)
