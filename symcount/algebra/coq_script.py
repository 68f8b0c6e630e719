"""A theorem for Coq: its hypotheses, and a script that follows the lines of our proof.

Steps that are algebra are left to one tactic of `certificate.v`, which multiplies both sides out; what else a rule
uses (two neighbours that cancel, a law of a function) is a fact of its own, proved before it is used.
"""

from __future__ import annotations

import re
from itertools import pairwise

from symcount.algebra import rules
from symcount.algebra.coq_terms import Writer, nodes
from symcount.algebra.kernel import RULES, everywhere
from symcount.algebra.terms import (
    Apply,
    Eye,
    Inverse,
    Letter,
    Ones,
    Product,
    Scaled,
    Sum,
    Term,
    Transpose,
    factors,
    has,
    letters,
    product,
    scaled,
    summands,
    total,
)
from symcount.errors import ProofError
from symcount.polynomials import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from symcount.algebra.kernel import Proof, Step

# Why two neighbours in a product are what they are
_PAIRS = {"cancel": "cancels", "idempotent": "assumption", "commute": "exact: diag_diag", "count": "",
          "stochastic": "", "shift": "apply: window_window; lia", "constant": "apply: window_ones; lia"}
_RINGS = ("comRingType", "comUnitRingType", "realFieldType")


class Certificate(Writer):
    """A theorem with its hypotheses, and a script that follows the lines of our proof."""

    __slots__ = ("facts", "left", "made", "proof", "right", "title")

    def __init__(self, title: str, left: Term, right: Term, proof: Proof) -> None:
        super().__init__()
        self.title = "certified_" + re.sub(r"[^A-Za-z0-9_]", "_", title)
        self.left, self.right, self.proof, self.made = left, right, proof, 0

    def written(self) -> str:
        """The theorem, its proof, and the question what it was assumed from."""
        used = letters(self.left, self.right)
        for term in (self.left, self.right):
            self.cut(term)
        said = self.equation(self.left, self.right)
        declared = [f"({self.variable(one)} : {self.type(one)})" for one in used.values()]
        for one in used.values():
            self.declare(one)
        before = self.names.copy(), self.units.copy()
        for term in self.terms():
            self.cut(term)
        defined = {one.name for one, _ in self.proof.definitions.values()}
        script = "\n".join(self.script())
        if self.units != before[1]:
            raise ProofError(f"{self.title}: its proof divides where the statement does not")
        for kind, spelled in self.names.keys() - before[0].keys():
            if kind != "equal" and (kind != "m" or spelled not in defined):
                raise ProofError(f"{self.title}: its proof uses {spelled}, which the statement does not have")
        groups = [[f"({' '.join(self.of('n'))} : nat)"] if self.of("n") else [],
                  [f"({name} : R)" for name in self.of("a")],
                  [f"({name} : {self.kind_of(name)})" for name in self.of("f")], declared,
                  [f"({name} : {text})" for name, text in self.assumed.items()],
                  [f"({name} : ({base} : R) \\is a GRing.unit)" for base, name in self.units.items()]]
        binders = "".join(f"\n  {' '.join(group)}" for group in groups if group)
        known = "".join(f"have value_{name} : {text}.\n" for name, text in self.differences.items())
        known += "".join(f"have ratio_{name} : {base} / {base} = 1 :> R := divrr {name}.\n"
                         if not base[0].isdigit() else
                         f"have [p_{name} [t_{name} [is_{name} over_{name} ratio_{name}]]] := divides {name}.\n"
                         for base, name in self.units.items())
        return (f"\nTheorem {self.title} (R : {_RINGS[self.ring]}){binders} :\n  {said}.\nProof.\n"
                f"{known}{script}\nQed.\nPrint Assumptions {self.title}.\n")

    def terms(self) -> Iterator[Term]:
        """All terms of the theorem and its proof."""
        yield from (self.left, self.right)
        yield from (term for _, term in self.proof.definitions.values())
        for lemma in self.proof.lemmas:
            yield from (lemma.left, *(step.term for step in lemma.steps))

    def kind_of(self, name: str) -> str:
        """The type of a function."""
        each = any(isinstance(part, Apply) and self.name("f", part.function.name) == name
                   and "elementwise" in part.function.laws for term in self.terms() for part in nodes(term))
        return "R -> R" if each else "forall k, 'rV[R]_k -> 'rV[R]_k"

    def script(self) -> Iterator[str]:
        """The proof: what follows from the declarations, the definitions, and one lemma after the other."""
        for one in letters(*self.terms()).values():
            if one.properties & {"orthogonal", "positive"}:
                yield from self.derived(one)
        for one, term in self.proof.definitions.values():
            name = self.name("m", one.name)
            yield f"have [{name} is_{name}] : exists A, A = {self.equation(term, term).partition(' = ')[2]}."
            yield f"  by exists ({self.write(term)})."
        *before, last = self.proof.lemmas
        for lemma in before if not self.proof.definitions else self.proof.lemmas:
            yield f"have {self.equal(lemma.name)} : {self.equation(_sorted(lemma.left), _sorted(lemma.right))}."
            yield from _braced(self.lines(_sorted(lemma.left), _sorted(lemma.right), lemma.steps))
        if not self.proof.definitions:
            yield from self.lines(self.left, self.right, last.steps)
            return
        unfold = ", ".join(f"is_{self.name('m', one.name)}" for one, _ in reversed(self.proof.definitions.values()))
        yield f"move: {self.equal(last.name)}; rewrite ?({unfold}) => equal."
        yield f"by apply: (bridge equal); {self.algebra()}."

    def equal(self, lemma: str) -> str:
        """The name of a lemma."""
        return self.name("equal", lemma)

    def lines(self, left: Term, right: Term, steps: tuple[Step, ...]) -> Iterator[str]:
        """A script for left = right by these steps; those that are algebra about the same functions are one."""
        chain: list[tuple[Any, Term, Term]] = []  # what makes a line from one before; both
        line = left
        for step in steps:
            after = _sorted(step.term)
            chain += [(_reorder, line, _sorted(line))] if self.write(line) != self.write(_sorted(line)) else []
            chain.append((step, _sorted(line), after))
            line = after
        if not steps or self.write(line) != self.write(right):
            chain.append((_reorder, line, right))
        while chain:
            many = next((i for i, one in enumerate(chain) if not self.plain(*one)), len(chain)) or 1
            group, chain = chain[:many], chain[many:]
            inner = self.group(group) if self.plain(*group[0]) else self.step(*group[0])
            if chain:
                yield f"transitivity ({self.write(group[-1][2])})."
                yield from _braced(inner)
            else:
                yield from inner

    def plain(self, step: Any, before: Term, after: Term) -> bool:
        """Whether a step is algebra that leaves every function alone."""
        if step is _reorder:
            return {self.write(one) for one in _applied(before)} == {self.write(one) for one in _applied(after)}
        start = after if step.backwards else before
        return step.rule in RULES and step.rule != "one" and all(
            everywhere(RULES[step.rule].apply, one) == one for one in _applied(start))

    def group(self, group: list[tuple[Any, Term, Term]]) -> Iterator[str]:
        """A script for steps that one tactic does together."""
        found: dict[str, str] = {}
        for step, before, after in group:
            if step is not _reorder:
                yield from self.gather(step.rule, after if step.backwards else before, found)
        yield f"{self.algebra(found)}."

    def step(self, step: Any, before: Term, after: Term) -> Iterator[str]:
        """A script for one line = the next."""
        if step is _reorder:
            if self.write(before) == self.write(_sorted(before)):
                yield "symmetry."
                before = after
            yield from self.prove(before, "", _reorder)
            return
        if step.backwards:
            yield "symmetry."
            before, after = after, before
        if step.rule in RULES:
            made = everywhere(RULES[step.rule].apply, before)
            if self.write(made) == self.write(after):
                yield from self.prove(before, step.rule)
                return
            yield f"transitivity ({self.write(made)})."
            yield from _braced(self.prove(before, step.rule))
            yield from self.prove(made, "", _reorder)
            return
        name = f"is_{self.name('m', step.of)}" if step.rule == "definition" else self.equal(step.of)
        yield f"rewrite [in LHS]{name}; {self.algebra()}."

    def prove(self, term: Term, rule: str, fire: Callable[[Term], Term] | None = None) -> Iterator[str]:
        """A script for term = what a rule makes of it everywhere."""
        fire = fire or RULES[rule].apply
        if isinstance(term, Apply):
            yield from self.prove_function(term, rule, fire)
            return
        inner = term.parts if rule == "one" else tuple(_applied(term))
        found: dict[str, str] = {}
        for part in sorted(inner, key=lambda part: -len(part.key)):
            after = everywhere(fire, part)
            if (shown := self.write(part)) != self.write(after) and shown not in found:
                found[shown] = self.fresh("line")
                yield f"have {found[shown]} : {self.equation(part, after)}."
                yield from _braced(self.prove(part, rule, fire))
        rewritten = f"rewrite {' '.join(f'?[in LHS]{name}' for name in found.values())}; " if found else ""
        if rule != "one":
            facts: dict[str, str] = {}
            yield from self.gather(rule, term, facts)
            yield f"{rewritten}{self.algebra(facts)}."
            return
        middle = term.rebuilt(tuple(everywhere(fire, part) for part in term.parts)) if term.parts else term
        new = fire(middle)
        if new is middle:
            yield f"{rewritten}{self.algebra()}."
            return
        if found:
            yield f"transitivity ({self.write(middle)})."
            yield from _braced(iter([f"{rewritten}{self.algebra()}."]))
        if everywhere(fire, new) is new:
            yield from self.one(middle, new)
            return
        yield f"transitivity ({self.write(new)})."
        yield from _braced(self.one(middle, new))
        yield from self.prove(new, rule, fire)

    def prove_function(self, term: Apply, rule: str, fire: Callable[[Term], Term]) -> Iterator[str]:
        """The same for a function of something."""
        inside = f"apply: (congr1 ({self.function(term)}))."
        middle = Apply(term.function.name, everywhere(fire, term.parts[0]))
        new = fire(middle)
        if new is middle:
            yield inside
            yield from self.prove(term.parts[0], rule, fire)
            return
        if self.write(term) != self.write(middle):
            yield f"transitivity ({self.write(middle)})."
            yield from _braced([inside, *self.prove(term.parts[0], rule, fire)])
        script = self.obeys(middle, new, rule, inside)
        if everywhere(fire, new) is new:
            yield from script
            return
        yield f"transitivity ({self.write(new)})."
        yield from _braced(script)
        yield from self.prove(new, rule, fire)

    def obeys(self, before: Apply, after: Term, rule: str, inside: str) -> Iterator[str]:
        """A script for a law of a function: first the argument in the form of the law, then the law."""
        f = before.function
        each = "elementwise" in f.laws
        if rule == "block":
            yield "by rewrite ?(map_row_mx, map_col_mx)."
            return
        if rule == "shifted":
            kept = after.parts[0]
            columns = []
            for part in summands(before.parts[0]):
                amount, bare = (part.number, part.parts[0]) if isinstance(part, Scaled) else (1, part)
                if part.key not in {one.key for one in summands(kept)}:
                    columns.append(scaled(amount, product([*factors(bare)[:-1]] or [Eye(1)])))
            argument: Term = Sum((kept, Product((total(columns), Transpose(Ones(kept.columns))))))
            law = f"apply: rows_shift; exact: {self.law(f, 'shift')}."
        elif isinstance(after.parts[0], Apply):
            last = after.parts[1]
            argument = Product((*factors(after.parts[0].parts[0]), last))
            if rule == "homogeneous":
                law = f"{self.positive(last)} exact: (map_diag_r pos {self.law(f, 'homogeneous')})."
            elif rule == "permute":
                law = "rewrite ?tr_perm_mx; exact: map_perm_r." if each else (
                    f"rewrite ?tr_perm_mx; apply: rows_r => x; exact: {self.law(f, 'symmetric')}.")
            else:
                law = f"apply: rows_r => x; apply: {self.law(f, 'isotropic')}; rewrite ?trmxK; assumption."
        else:
            argument = Product((after.parts[0], after.parts[1].parts[0]))
            kind = "map" if each else "rows"
            if rule == "homogeneous":
                law = f"{self.positive(after.parts[0])} exact: (map_diag_l pos {self.law(f, 'homogeneous')})."
            elif isinstance(after.parts[0], Ones):
                law = f"exact: {kind}_ones_l."
            else:
                law = f"rewrite ?tr_perm_mx; exact: {kind}_perm_l."
        yield f"transitivity ({self.write(Apply(f.name, argument))})."
        yield from _braced([inside, f"{self.algebra()}."])
        yield law

    def positive(self, term: Term) -> str:
        """A diagonal's entries, or those of its inverse, are positive."""
        bare = term.parts[0] if isinstance(term, Inverse) else term
        name = f"positive_{self.variable(bare)}" if isinstance(bare, Letter) else ""
        return f"move: (inv_pos {name}); rewrite (inv_diag {name}) => pos;" if bare is not term else (
            f"move: ({name}) => pos;")

    def one(self, before: Term, after: Term) -> Iterator[str]:
        """A script for a matrix of one entry that is its own transpose, or a number."""
        facts: dict[str, str] = {}
        if isinstance(before, Transpose):
            yield "exact: tr11."
            return
        if not isinstance(after, Scaled):
            yield from self.turned(before, facts)
            return
        edges = [i for i, part in enumerate(before.parts) if canonical(part.rows) == canonical(1)]
        edges += [len(before.parts)] if canonical(before.columns) == canonical(1) else []
        words = [product(list(before.parts[i:j])) for i, j in pairwise(edges)]
        for word in words:
            if self.write(turned := rules.one(word)) != self.write(word):
                facts[self.write(turned)] = self.fresh("turn")
                yield f"have {facts[self.write(turned)]} : {self.equation(turned, word)}."
                yield from _braced(self.turned(turned, {}))
        yield f"transitivity ({self.write(Product((*before.parts[:edges[0]], *words, *before.parts[edges[-1]:])))})."
        yield f"  by {self.algebra()}."
        once = sorted({self.write(word) for word in words}, key=lambda shown: (-len(shown), shown))
        yield "".join(f"rewrite {name}. " for name in facts.values()) + " ".join(
            f"have [{self.fresh('a')} ->] := scalar11 ({shown})." for shown in once)
        yield f"rewrite ?entry11; {self.algebra()}."

    def turned(self, term: Term, found: dict[str, str]) -> Iterator[str]:
        """A script for a matrix of one entry = its transpose, pushed in."""
        for rule in ("transpose", "inverse"):
            yield from self.gather(rule, Transpose(term), found)
        yield f"rewrite -[LHS]tr11; {self.algebra(found)}."

    def gather(self, rule: str, term: Term, found: dict[str, str]) -> Iterator[str]:
        """The equations of two neighbours, or of a transpose or an inverse, that a rule uses in a term, each proved."""
        seen: list[tuple[Term, Term]] = []

        def watched(part: Term) -> Term:
            new = RULES[rule].apply(part)
            if new is not part:
                if rule in _PAIRS:
                    pair = next(p for a, b in pairwise(part.parts)
                                if RULES[rule].apply(p := Product((a, b))) is not p)
                    seen.append((pair, RULES[rule].apply(pair)))
                elif rule in ("inverse", "elementwise") or (rule == "transpose" and isinstance(
                        part.parts[0], (Letter, Inverse)) and not has(part.parts[0], "diagonal")):
                    seen.append((part, new))
            return new

        if rule:
            everywhere(watched, term)
        for before, after in seen:
            said = self.equation(before, after)
            if said not in found:
                found[said] = self.fresh("fact")
                if rule in _PAIRS:  # known also behind other factors
                    found[f"after {said}"] = f"after {found[said]}"
                yield f"have {found[said]} : {said}."
                yield f"  by {self.why(rule, before)}."

    def why(self, rule: str, before: Term) -> str:
        """The proof of a fact that a rule uses."""
        if rule == "count":
            values = "".join(f" ?value_{name}" for name in self.differences)
            return f"first [exact: ones_ones | rewrite ones_ones{values}; congr (_ *: _); ring]"
        if rule == "stochastic":
            first = before.parts[0]
            if not isinstance(first, Apply):
                return "first [assumption | exact: perm_ones | exact: tr_perm_ones]"
            columns = self.size(first.columns)
            self.assumed["entries_" + re.sub(r"\W+", "_", columns).strip("_")] = f"(0 < {columns})%N"
            return f"apply: rows_ones; [exact: {self.law(first.function, 'stochastic')} | assumption]"
        if rule in _PAIRS:
            return _PAIRS[rule]
        if rule == "elementwise":
            return "exact: map_trmx"
        return "inverts" if rule == "inverse" else "turns"

    def algebra(self, facts: dict[str, str] | None = None) -> str:
        """The tactic for what is equal when it is multiplied out; `facts` are rewritten on the way."""
        known = f"rewrite ?({', '.join(facts.values())})" if facts else "idtac"
        whole = [name for base, name in self.units.items() if base[0].isdigit()]
        first = f"rewrite ?({', '.join(f'over_{name}' for name in whole)}); " if whole else ""
        first += "".join(f"do 3! apply: (multiplied ratio_{name}); " for name in whole)
        hints = [*(f"ratio_{name}" for name in self.units.values()), *(f"is_{name}" for name in whole)]
        return f"algebra ltac:({known}) ltac:({first}ring{': ' if hints else ''}{' '.join(hints)})"

    def fresh(self, word: str) -> str:
        """A new name."""
        self.made += 1
        return f"{word}{self.made}"


def _applied(term: Term) -> list[Apply]:
    """The functions in a term that stand in no other function."""
    return [term] if isinstance(term, Apply) else [one for part in term.parts for one in _applied(part)]


def _reorder(term: Term) -> Term:
    """A sum in the order of its key."""
    if isinstance(term, Sum):
        parts = tuple(sorted(term.parts, key=lambda part: part.key))
        return term if parts == term.parts else Sum(parts)
    return term


def _sorted(term: Term) -> Term:
    return everywhere(_reorder, term)


def _braced(lines: Iterable[str]) -> list[str]:
    first, *rest = list(lines)
    return [f"{{ {first}", *(f"  {line}" for line in rest[:-1]), f"  {rest[-1]} }}"] if rest else [f"{{ {first} }}"]
