"""Certificates: a statement as a file that Coq checks by itself, for matrices of any sizes over any commutative ring.

    coq              left = right as they stand; what is declared of a letter becomes a hypothesis, and nothing else
    coq_collapse     a stack of affine layers is one, from a theorem for every depth
    coq_closed_form  two sizes are equal, over the integers, or over the rationals where something is divided

Coq trusts nothing of ours: it is given the statement and hints, and refuses what does not follow. The user's names
stand behind a prefix: n_ sizes, m_ matrices, v_ diagonals, p_ permutations, a_ numbers, f_ functions. The lemmas
that certificates share are in `certificate.v`. What cannot be written out in full is refused, never weakened.
"""

from __future__ import annotations

import os
import re

from symcount.algebra import rules
from symcount.algebra.kernel import RULES, Proof, everywhere
from symcount.algebra.search import find
from symcount.algebra.terms import (
    Apply,
    Entry,
    Eye,
    Inverse,
    Letter,
    Named,
    Ones,
    Product,
    Scaled,
    Shift,
    Side,
    Stack,
    Sum,
    Term,
    Transpose,
    Zero,
    factors,
    has,
    letters,
    product,
    replaced,
    scaled,
    summands,
    total,
)
from symcount.errors import ProofError, clipped
from symcount.polynomials import Bracket, canonical, letter, lift

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from symcount.algebra.kernel import Step
    from symcount.polynomials import Size

# How Coq sees what is declared of a letter: as a hypothesis about its matrix
_DECLARED = {
    "invertible": "{0} \\in unitmx", "orthogonal": "{0} *m ({0})^T = eye R {1} /\\ ({0})^T *m {0} = eye R {1}",
    "symmetric": "({0})^T = {0}", "idempotent": "{0} *m {0} = {0}", "stochastic": "{0} *m ones R {2} = ones R {1}",
}
# What follows from another declaration, or from how the letter is written, is proved and not assumed
_FOLLOWS = {"permutation": ("orthogonal", "invertible"), "orthogonal": ("invertible",), "diagonal": ("symmetric",),
            "positive": ("diagonal", "symmetric", "invertible")}
_LAWS = {
    "homogeneous": "forall c x : R, 0 < c -> {0} (c * x) = c * {0} x",
    "symmetric": "forall k (x : 'rV[R]_k) (s : 'S_k), {0} k (x *m permutation R s) = {0} k x *m permutation R s",
    "isotropic": "forall k (x : 'rV[R]_k) (Q : 'M_(k, k)), Q *m Q^T = eye R k -> {0} k (x *m Q) = {0} k x *m Q",
    "shift": "forall k (x : 'rV[R]_k) (a : R), {0} k (x + a *: (ones R k)^T) = {0} k x",
    "stochastic": "forall k (x : 'rV[R]_k), (0 < k)%N -> {0} k x *m ones R k = eye R 1",
}
# Why two neighbours in a product are what they are
_PAIRS = {"cancel": "cancels", "idempotent": "assumption", "commute": "exact: diag_diag", "count": "",
          "stochastic": "", "shift": "apply: window_window; lia", "constant": "apply: window_ones; lia"}
_RINGS = ("comRingType", "comUnitRingType", "realFieldType")


def coq(left: Term, right: Term, name: str, proof: Proof | None = None) -> str:
    """A file in which Coq proves left = right, with our proof or, without one, one that is searched for, as hints.

    >>> from symcount.algebra import matrix
    >>> x, v, w = matrix("X", "n", "d"), matrix("W", "d", "r"), matrix("W2", "r", "m")
    >>> print(coq(x * v * w, x * (v * w), "grouping")[-258:])
    Theorem certified_grouping (R : comRingType)
      (n_d n_m n_n n_r : nat)
      (m_X : 'M[R]_(n_n, n_d)) (m_W : 'M[R]_(n_d, n_r)) (m_W2 : 'M[R]_(n_r, n_m)) :
      m_X *m m_W *m m_W2 = m_X *m (m_W *m m_W2) :> 'M[R]_(n_n, n_m).
    ...

    Raises ProofError for what cannot be exported, and where no proof is found.
    """
    return library("certificate") + theorem(left, right, name, proof)


def coq_collapse(layers: int) -> str:
    """A file in which Coq proves that so many affine layers, of any widths, are one.

    Raises ProofError for less than one layer.
    """
    return library("certificate") + library("collapse") + collapsed(layers)


def coq_closed_form(left: Size, right: Size, name: str) -> str:
    """A file in which Coq proves that two sizes are equal as polynomials; what is rounded is any number, if the same.

    >>> from symcount.polynomials import letter
    >>> d = letter("d")
    >>> print(coq_closed_form(d * (d + 1), d * d + d, "square"))
    Require Import ZArith.
    Open Scope Z_scope.
    <BLANKLINE>
    Theorem certified_square (n_d : Z) : n_d * n_d + n_d = n_d * n_d + n_d.
    Proof. ring. Qed.
    Print Assumptions certified_square.
    <BLANKLINE>

    Raises ProofError for a size that is no polynomial.
    """
    return _closed_form(left, right, name, alone=True)


def library(name: str) -> str:
    """A file of this folder that certificates begin with."""
    with open(os.path.join(os.path.dirname(__file__), f"{name}.v"), encoding="utf-8") as file:
        return file.read()


def theorem(left: Term, right: Term, name: str, proof: Proof | None = None) -> str:
    """The theorem of `coq` without the library before it, so that one file may hold several."""
    if proof is None:
        found = find(name, left, right)
        if found is None:
            raise ProofError(f"{name}: no proof of {left} = {right} was found, so there is nothing to certify")
        proof = Proof((found,))
    if proof.induction is not None or any(lemma.given for lemma in proof.lemmas):
        raise ProofError(f"{name}: an induction is no statement about matrices of one network: certify it for a number "
                         "of layers (coq_collapse has a theorem for every number)")
    sides, meant = stated(proof), {one.key: term for one, term in proof.definitions.values()}
    left, right = _unfolded(left, meant), _unfolded(right, meant)
    if sides != (left, right):
        raise ProofError(f"{name}: the proof is about {sides[0]} = {sides[1]}, not about {left} = {right}")
    return _Certificate(name, left, right, proof).written()


def stated(proof: Proof) -> tuple[Term, Term]:
    """Both sides of what a proof proves, its definitions written out."""
    meant = {one.key: term for one, term in proof.definitions.values()}
    return _unfolded(proof.lemmas[-1].left, meant), _unfolded(proof.lemmas[-1].right, meant)


def collapsed(layers: int) -> str:
    """The theorem of `coq_collapse` without the libraries before it."""
    if layers < 1:
        raise ProofError(f"a stack has at least one layer, not {layers}")
    sizes = " ".join(f"n_n_{k}" for k in range(layers + 1))
    binders = "\n  ".join(f"(m_W_{k} : 'M[R]_(n_n_{k - 1}, n_n_{k})) (m_b_{k} : 'M[R]_(1, n_n_{k}))"
                          for k in range(1, layers + 1))
    run, weight, bias, net = "m_X *m m_W_1 + ones R n_b *m m_b_1", "m_W_1", "m_b_1", "First m_W_1 m_b_1"
    for k in range(2, layers + 1):
        run, weight = f"({run}) *m m_W_{k} + ones R n_b *m m_b_{k}", f"{weight} *m m_W_{k}"
        bias, net = f"({bias}) *m m_W_{k} + m_b_{k}", f"Then ({net}) m_W_{k} m_b_{k}"
    name = f"certified_layer_collapse_{layers}"
    return (f"\nTheorem {name} (R : comRingType) (n_b {sizes} : nat)\n  (m_X : 'M[R]_(n_b, n_n_0))\n  {binders} :\n"
            f"  {run}\n  = m_X *m ({weight}) + ones R n_b *m ({bias}).\n"
            f"Proof. exact: (collapse m_X ({net})). Qed.\nPrint Assumptions {name}.\n")


class _Names:
    """Names of the user as Coq may read them: behind a prefix, and no two alike."""

    __slots__ = ("names",)

    def __init__(self) -> None:
        self.names: dict[tuple[str, str], str] = {}

    def name(self, kind: str, spelled: str) -> str:
        if (kind, spelled) not in self.names:
            made = f"{kind}_" + re.sub(r"[^A-Za-z0-9_]", "_", spelled)
            while made in self.names.values():
                made += "_"
            self.names[kind, spelled] = made
        return self.names[kind, spelled]

    def of(self, kind: str) -> list[str]:
        return [made for (one, _), made in self.names.items() if one == kind]


class _Writer(_Names):
    """Terms as Coq writes them, and what must be assumed for them to mean what they mean."""

    __slots__ = ("differences", "assumed", "ring", "sizes", "units")

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[str, str] = {}  # one text for each size, so that equal sizes are the same type
        self.differences: dict[str, str] = {}
        self.units: dict[str, str] = {}  # what is divided by, and the name of its hypothesis
        self.assumed: dict[str, str] = {}
        self.ring = 0

    def size(self, size: Size) -> str:
        """A natural number; a difference is a new letter, and a hypothesis what it is the difference of."""
        key = canonical(size)
        if key not in self.sizes:
            signs: tuple[list[str], list[str]] = ([], [])
            for powers, amount in lift(size).terms.values():
                if not isinstance(amount, int) or any(not isinstance(x, str) or p < 0 for x, p in powers):
                    raise ProofError(f"the size {size} is no sum of products of letters, so it cannot be exported")
                names = [self.name("n", atom) for atom, power in powers for _ in range(power)]
                number = [] if abs(amount) == 1 and names else [str(abs(amount))]
                signs[amount < 0].append(" * ".join(number + names))
            shown = " + ".join(signs[0])
            if signs[1]:
                made = self.name("n", str(size))
                self.assumed[f"size_{made}"] = f"({made} + {' + '.join(signs[1])} = {shown})%N"
                self.differences[made] = (f"{made}%:R = ({shown})%N%:R - ({' + '.join(signs[1])})%N%:R :> R "
                                          f"by rewrite -size_{made} natrD addrK")
                shown = made
            self.sizes[key] = shown if re.fullmatch(r"\w+", shown) else f"({shown})%N"
        return self.sizes[key]

    def cut(self, term: Term) -> None:
        """Blocks add up in the order in which they stand: that sum is how Coq must see the size."""
        for part in _nodes(term):
            if isinstance(part, (Side, Stack)):
                widths = [one.columns if isinstance(part, Side) else one.rows for one in part.parts]
                whole, shown = widths[-1], self.size(widths[-1])
                for width in reversed(widths[:-1]):
                    whole, shown = width + whole, f"({self.size(width)} + {shown})%N"
                    if self.sizes.setdefault(canonical(whole), shown) != shown:
                        raise ProofError(f"the size {whole} is cut into blocks in two ways, so it cannot be exported")

    def number(self, size: Size) -> str:
        """An element of the ring."""
        shown = ""
        for powers, amount in lift(size).terms.values():
            above = [] if abs(amount.numerator) == 1 and powers else [f"{abs(amount.numerator)}%:R"]
            if amount.denominator != 1:
                above.append(self.inverted(f"{amount.denominator}%:R"))
            for atom, power in powers:
                if isinstance(atom, str):
                    base = f"{self.size(letter(atom))}%:R"
                elif isinstance(atom, Named):
                    base = self.name("a", atom.key)
                elif isinstance(atom, Entry) and power > 0:
                    base = f"(entry ({self.write(atom.term)}))"
                else:
                    raise ProofError(f"the number {size} cannot be exported: {atom} is no polynomial in letters")
                one = base if power > 0 else self.inverted(base)
                above.append(one if abs(power) == 1 else f"{one} ^+ {abs(power)}")
            shown += (" - " if amount < 0 else " + " if shown else "") + " * ".join(above)
        return shown.strip() or "0"

    def inverted(self, base: str) -> str:
        self.ring = max(self.ring, 1)
        self.units.setdefault(base, f"unit_{len(self.units) + 1}")
        return f"{base}^-1"

    def letter(self, one: Letter) -> str:
        if one.over:
            raise ProofError(f"{one.name} carries the index {one.over[0]}: a sum over an index cannot be exported")
        kinds = one.properties & {"permutation", "diagonal"}
        if len(kinds) == 2:
            raise ProofError(f"{one.name}: a diagonal permutation is the identity; declare it as one of the two")
        if kinds == {"permutation"}:
            return f"(permutation R {self.name('p', one.name)})"
        return f"(diag_mx {self.name('v', one.name)})" if kinds else self.name("m", one.name)

    def factor(self, term: Term) -> str:
        shown = self.write(term)
        return f"({shown})" if isinstance(term, (Sum, Product, Scaled)) else shown

    def write(self, term: Term) -> str:
        rows, columns, parts = self.size(term.rows), self.size(term.columns), term.parts
        if isinstance(term, Letter):
            return self.letter(term)
        if isinstance(term, Sum):
            shown = " + ".join(self.write(part) for part in parts)
            return shown.replace(" + - ", " - ")
        if isinstance(term, Product):
            return " *m ".join(map(self.factor, parts))
        if isinstance(term, Scaled):
            minus = canonical(term.number) == canonical(-1)
            return ("- " if minus else f"({self.number(term.number)}) *: ") + self.factor(parts[0])
        if isinstance(term, Transpose):
            return f"{self.factor(parts[0])}^T"
        if isinstance(term, Inverse):
            self.ring = max(self.ring, 1)
            return f"(invmx {self.factor(parts[0])})"
        if isinstance(term, Apply):
            return f"({self.function(term)} {self.factor(parts[0])})"
        if isinstance(term, (Side, Stack)):
            shown = self.factor(parts[-1])
            for part in reversed(parts[:-1]):
                shown = f"({'row_mx' if isinstance(term, Side) else 'col_mx'} {self.factor(part)} {shown})"
            return shown
        if isinstance(term, Shift):
            return f"(window R {term.at} {rows} {columns})"
        shown = {Eye: f"(eye R {rows})", Ones: f"(ones R {rows})", Zero: f"(zeros R {rows} {columns})"}.get(type(term))
        if shown is None:
            raise ProofError(f"{clipped(str(term))}: a sum over an index cannot be exported")
        return shown

    def function(self, term: Apply) -> str:
        each = "elementwise" in term.function.laws
        if not each and "rowwise" not in term.function.laws:
            raise ProofError(f"{term.function.name} is a function neither of each number nor of each row")
        return ("map_mx " if each else "rows ") + self.name("f", term.function.name)

    def equation(self, left: Term, right: Term) -> str:
        return f"{self.write(left)} = {self.write(right)} :> 'M[R]_({self.size(left.rows)}, {self.size(left.columns)})"

    def law(self, function: Any, law: str) -> str:
        """The hypothesis that a function obeys a law; a proof that does not use it does not assume it."""
        shown = self.name("f", function.name)
        self.assumed[f"{law}_{shown}"] = _LAWS[law].format(shown)
        self.ring = max(self.ring, 2 if law == "homogeneous" else 0)
        return f"{law}_{shown}"


class _Certificate(_Writer):
    """A theorem with its hypotheses, and a script that follows the lines of our proof."""

    __slots__ = ("facts", "left", "made", "proof", "right", "title")

    def __init__(self, title: str, left: Term, right: Term, proof: Proof) -> None:
        super().__init__()
        self.title = "certified_" + re.sub(r"[^A-Za-z0-9_]", "_", title)
        self.left, self.right, self.proof, self.made = left, right, proof, 0

    def written(self) -> str:
        """The theorem, its proof, and the question what it was assumed from."""
        used = letters(self.left, self.right)
        for term in self.terms():
            self.cut(term)
        said = self.equation(self.left, self.right)
        declared = [f"({self.letter(one).strip('()').split()[-1]} : {self.type(one)})" for one in used.values()]
        for one in used.values():
            self.declare(one)
        before = self.names.copy(), self.units.copy(), self.sizes.keys() & self.differences.keys()
        defined = {one.name for one, _ in self.proof.definitions.values()}
        script = "\n".join(self.script())
        if self.units != before[1]:
            raise ProofError(f"{self.title}: its proof divides where the statement does not")
        for kind, spelled in self.names.keys() - before[0].keys():
            if kind != "equal" and (kind != "m" or spelled not in defined):
                raise ProofError(f"{self.title}: its proof uses {spelled}, which the statement does not have")
        groups = [[f"({' '.join(self.of('n'))} : nat)"] if self.of("n") else []]
        groups.append([f"({name} : R)" for name in self.of("a")])
        groups.append([f"({name} : {self.kind_of(name)})" for name in self.of("f")])
        groups.append(declared)
        groups.append([f"({name} : {text})" for name, text in self.assumed.items()])
        groups.append([f"({name} : ({base} : R) \\is a GRing.unit)" for base, name in self.units.items()])
        binders = "".join(f"\n  {' '.join(group)}" for group in groups if group)
        known = "".join(f"have value_{name} : {text}.\n" for name, text in self.differences.items())
        known += "".join(f"have ratio_{name} : {base} / {base} = 1 :> R := divrr {name}.\n"
                         for base, name in self.units.items())
        return (f"\nTheorem {self.title} (R : {_RINGS[self.ring]}){binders} :\n  {said}.\nProof.\n"
                f"{known}{script}\nQed.\nPrint Assumptions {self.title}.\n")

    def terms(self) -> Iterator[Term]:
        yield from (self.left, self.right)
        yield from (term for _, term in self.proof.definitions.values())
        for lemma in self.proof.lemmas:
            yield from (lemma.left, *(step.term for step in lemma.steps))

    def kind_of(self, name: str) -> str:
        each = any(isinstance(part, Apply) and self.name("f", part.function.name) == name
                   and "elementwise" in part.function.laws for term in self.terms() for part in _nodes(term))
        return "R -> R" if each else "forall k, 'rV[R]_k -> 'rV[R]_k"

    def type(self, one: Letter) -> str:
        rows = self.size(one.rows)
        kinds = one.properties & {"permutation", "diagonal"}
        return f"'M[R]_({rows}, {self.size(one.columns)})" if not kinds else (
            f"'S_{rows}" if "permutation" in kinds else f"'rV[R]_{rows}")

    def declare(self, one: Letter) -> None:
        """The hypotheses about a letter, those only that do not follow from others."""
        follows = {word for kind in one.properties for word in _FOLLOWS.get(kind, ())}
        shown = self.write(one)
        name = shown.strip("()").split()[-1]
        for word in sorted(one.properties - follows):
            if word == "positive":
                self.assumed[f"positive_{name}"] = f"forall i, 0 < {name} ord0 i"
                self.ring = 2
            elif word in _DECLARED:
                self.ring = max(self.ring, int(word == "invertible"))
                self.assumed[f"{word}_{name}"] = _DECLARED[word].format(
                    shown, self.size(one.rows), self.size(one.columns))

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

    def derived(self, one: Letter) -> Iterator[str]:
        shown = self.write(one)
        name = shown.strip("()").split()[-1]
        if "permutation" in one.properties:
            yield f"have [orth_{name} htro_{name}] := conj (perm_tr R {name}) (tr_perm R {name})."
        elif "orthogonal" in one.properties:
            yield f"have [orth_{name} htro_{name}] := orthogonal_{name}."
        if "positive" in one.properties:
            yield f"have inv_{name} := diag_unit positive_{name}."
        elif self.ring:
            yield f"have inv_{name} := orth_unit orth_{name}."

    def equal(self, lemma: str) -> str:
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
        after = everywhere(fire, new)
        if after is not new:
            yield f"transitivity ({self.write(new)})."
        script = self.one(middle, new)
        yield from _braced(script) if after is not new else script
        if after is not new:
            yield from self.prove(new, rule, fire)

    def prove_function(self, term: Apply, rule: str, fire: Callable[[Term], Term]) -> Iterator[str]:
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
        after = everywhere(fire, new)
        script = self.obeys(middle, new, rule, inside)
        if after is new:
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
            argument = Sum((kept, Product((total(columns), Transpose(Ones(kept.columns))))))
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
            argument = Product((after.parts[0], *factors(after.parts[1].parts[0])))
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
        bare = term.parts[0] if isinstance(term, Inverse) else term
        name = f"positive_{self.write(bare).strip('()').split()[-1]}"
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
        words = [product(list(before.parts[i:j])) for i, j in zip(edges, edges[1:], strict=False)]
        for word in words:
            if self.write(turned := rules.one(word)) != self.write(word):
                facts[self.write(turned)] = self.fresh("turn")
                yield f"have {facts[self.write(turned)]} : {self.equation(turned, word)}."
                yield from _braced(self.turned(turned, {}))
        yield f"transitivity ({self.write(Product((*before.parts[:edges[0]], *words, *before.parts[edges[-1]:])))})."
        yield f"  by {self.algebra()}."
        yield "".join(f"rewrite {name}. " for name in facts.values()) + " ".join(
            f"have [{self.fresh('a')} ->] := scalar11 ({self.write(word)})." for word in words)
        yield f"rewrite ?entry11; {self.algebra()}."

    def turned(self, term: Term, found: dict[str, str]) -> Iterator[str]:
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
                    pair = next(p for a, b in zip(part.parts, part.parts[1:], strict=False)
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
        if rule == "count":
            values = "".join(f" ?value_{name}" for name in self.differences)
            return f"first [exact: ones_ones | rewrite ones_ones{values}; congr (_ *: _); ring]"
        if rule == "stochastic":
            first = before.parts[0]
            if not isinstance(first, Apply):
                return "first [assumption | exact: perm_ones | exact: tr_perm_ones]"
            columns = self.size(first.columns)
            self.assumed[f"rows_have_entries_{len(self.sizes)}"] = f"(0 < {columns})%N"
            return f"apply: rows_ones; [exact: {self.law(first.function, 'stochastic')} | assumption]"
        if rule in _PAIRS:
            return _PAIRS[rule]
        if rule == "elementwise":
            return "exact: map_trmx"
        return "inverts" if rule == "inverse" else "turns"

    def algebra(self, facts: dict[str, str] | None = None) -> str:
        known = f"rewrite ?({', '.join(facts.values())})" if facts else "idtac"
        ratios = " ".join(f"ratio_{name}" for name in self.units.values())
        return f"algebra ltac:({known}) ltac:(ring{': ' if ratios else ''}{ratios})"

    def fresh(self, word: str) -> str:
        self.made += 1
        return f"{word}{self.made}"


def _closed_form(left: Size, right: Size, name: str, *, alone: bool) -> str:
    writer = _Numbers()
    said = writer.write(left), writer.write(right)
    title = "certified_" + re.sub(r"[^A-Za-z0-9_]", "_", name)
    ring = "Q" if writer.divided else "Z"
    names = " ".join(writer.names.values())
    binders = f" ({names} : {ring})" if names else ""
    binders += "".join(f" (nonzero_{one} : ~ {one} == 0)" for one in writer.divided if not one.isdigit())
    start = f"Require Import {'QArith Field' if writer.divided else 'ZArith'}.\nOpen Scope {ring}_scope.\n" if alone else ""
    equal, tactic = ("==", "field; auto") if writer.divided else ("=", "ring")
    return (f"{start}\nTheorem {title}{binders} : {said[0]} {equal} {said[1]}.\nProof. {tactic}. Qed.\n"
            f"Print Assumptions {title}.\n")


class _Numbers(_Names):
    """Sizes as Coq writes numbers; `divided` says by what."""

    __slots__ = ("divided",)

    def __init__(self) -> None:
        super().__init__()
        self.divided: dict[str, None] = {}

    def write(self, size: Size) -> str:
        if lift(size) is NotImplemented:
            raise ProofError(f"{size} is no polynomial of ours, so it cannot be exported")
        shown = ""
        for powers, amount in lift(size).terms.values():
            whole = [str(abs(amount.numerator))] if abs(amount.numerator) != 1 or not powers else []
            below = [str(amount.denominator)] if amount.denominator != 1 else []
            for atom, power in powers:
                base = f"({self.write(atom.body)})" if isinstance(atom, Bracket) else self.name("n", str(atom))
                if isinstance(atom, Bracket) and power < 0:
                    raise ProofError(f"{size} divides by a sum, so it cannot be exported")
                (whole if power > 0 else below).extend([base] * abs(power))
            self.divided |= dict.fromkeys(below)
            one = " * ".join(whole or ["1"]) + "".join(f" / {base}" for base in below)
            shown += (" - " if amount < 0 else " + " if shown else "") + one
        return shown.strip() or "0"


def _unfolded(term: Term, meant: dict[str, Term]) -> Term:
    while (after := replaced(term, meant)) != term:
        term = after
    return term


def _nodes(term: Term) -> Iterator[Term]:
    """A term's parts and the term, from the inside out; those of its numbers too."""
    for part in term.parts:
        yield from _nodes(part)
    if isinstance(term, Scaled):
        for powers, _ in lift(term.number).terms.values():
            for atom, _ in powers:
                if isinstance(atom, Entry):
                    yield from _nodes(atom.term)
    yield term


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


def _braced(lines: Any) -> list[str]:
    first, *rest = list(lines)
    return [f"{{ {first}", *(f"  {line}" for line in rest[:-1]), f"  {rest[-1]} }}"] if rest else [f"{{ {first} }}"]
