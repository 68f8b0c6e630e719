"""Terms as Coq writes them, every name behind a prefix, and what must be assumed for them to mean what they say."""

from __future__ import annotations

import re

from symcount.algebra.scalars import Entry, Named, atoms
from symcount.algebra.terms import (
    Apply,
    Eye,
    Inverse,
    Letter,
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
)
from symcount.errors import ProofError, clipped
from symcount.polynomials import canonical, letter, lift

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from symcount.polynomials import Size

# How Coq sees what is declared of a letter: as a hypothesis about its matrix; of data and selections no proof uses more
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


class Names:
    """Names of the user as Coq may read them: behind a prefix, and no two alike."""

    __slots__ = ("names",)

    def __init__(self) -> None:
        self.names: dict[tuple[str, str], str] = {}

    def name(self, kind: str, spelled: str) -> str:
        """The name of a user's name."""
        if (kind, spelled) not in self.names:
            made = f"{kind}_" + re.sub(r"[^A-Za-z0-9_]", "_", spelled)
            while made in self.names.values():
                made += "_"
            self.names[kind, spelled] = made
        return self.names[kind, spelled]

    def of(self, kind: str) -> list[str]:
        """All names of a kind."""
        return [made for (one, _), made in self.names.items() if one == kind]


class Writer(Names):
    """Terms as Coq writes them, and what must be assumed for them to mean what they mean."""

    __slots__ = ("assumed", "differences", "ring", "sizes", "units")

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
        for part in nodes(term):
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
        """One over something, which is then assumed to be a unit."""
        self.ring = max(self.ring, 1)
        self.units.setdefault(base, f"unit_{len(self.units) + 1}")
        return f"{base}^-1"

    def variable(self, one: Letter) -> str:
        """What stands for a matrix: itself, the diagonal of a diagonal one, or a permutation."""
        kinds = one.properties & {"permutation", "diagonal"}
        if len(kinds) == 2:
            raise ProofError(f"{one.name}: a diagonal permutation is the identity; declare it as one of the two")
        return self.name({"permutation": "p", "diagonal": "v"}.get(min(kinds, default=""), "m"), one.name)

    def letter(self, one: Letter) -> str:
        """A matrix by name."""
        if one.over:
            raise ProofError(f"{one.name} carries the index {one.over[0]}: a sum over an index cannot be exported")
        name = self.variable(one)
        return {"p": f"(permutation R {name})", "v": f"(diag_mx {name})"}.get(name[0], name)

    def factor(self, term: Term) -> str:
        """A term as a factor."""
        shown = self.write(term)
        return f"({shown})" if isinstance(term, (Sum, Product, Scaled)) else shown

    def write(self, term: Term) -> str:
        """A term."""
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
        known = {Eye: f"(eye R {rows})", Ones: f"(ones R {rows})", Zero: f"(zeros R {rows} {columns})"}
        constant = known.get(type(term))
        if constant is None:
            raise ProofError(f"{clipped(str(term))}: a sum over an index cannot be exported")
        return constant

    def function(self, term: Apply) -> str:
        """A function, of each number or of each row."""
        each = "elementwise" in term.function.laws
        if not each and "rowwise" not in term.function.laws:
            raise ProofError(f"{term.function.name} is a function neither of each number nor of each row")
        return ("map_mx " if each else "rows ") + self.name("f", term.function.name)

    def equation(self, left: Term, right: Term) -> str:
        """Two terms are equal, as matrices of their shape."""
        return f"{self.write(left)} = {self.write(right)} :> 'M[R]_({self.size(left.rows)}, {self.size(left.columns)})"

    def law(self, function: Any, law: str) -> str:
        """The hypothesis that a function obeys a law; a proof that does not use it does not assume it."""
        shown = self.name("f", function.name)
        self.assumed[f"{law}_{shown}"] = _LAWS[law].format(shown)
        self.ring = max(self.ring, 2 if law == "homogeneous" else 0)
        return f"{law}_{shown}"

    def type(self, one: Letter) -> str:
        """The type of what stands for a matrix."""
        rows = self.size(one.rows)
        kinds = one.properties & {"permutation", "diagonal"}
        return f"'M[R]_({rows}, {self.size(one.columns)})" if not kinds else (
            f"'S_{rows}" if "permutation" in kinds else f"'rV[R]_{rows}")

    def declare(self, one: Letter) -> None:
        """The hypotheses about a letter, those only that do not follow from others."""
        follows = {word for kind in one.properties for word in _FOLLOWS.get(kind, ())}
        name = self.variable(one)
        for word in sorted(one.properties - follows):
            if word == "positive":
                self.assumed[f"positive_{name}"] = f"forall i, 0 < {name} ord0 i"
                self.ring = 2
            elif word in _DECLARED:
                self.ring = max(self.ring, int(word == "invertible"))
                self.assumed[f"{word}_{name}"] = _DECLARED[word].format(
                    self.letter(one), self.size(one.rows), self.size(one.columns))

    def derived(self, one: Letter) -> Iterator[str]:
        """What follows from a declaration."""
        name = self.variable(one)
        if "permutation" in one.properties:
            yield f"have [orth_{name} htro_{name}] := conj (perm_tr R {name}) (tr_perm R {name})."
        elif "orthogonal" in one.properties:
            yield f"have [orth_{name} htro_{name}] := orthogonal_{name}."
        if "positive" in one.properties:
            yield f"have inv_{name} := diag_unit positive_{name}."
        elif self.ring:
            yield f"have inv_{name} := orth_unit orth_{name}."


def nodes(term: Term) -> Iterator[Term]:
    """A term's parts and the term, from the inside out; those of its numbers too."""
    for part in term.parts:
        yield from nodes(part)
    if isinstance(term, Scaled):
        for atom, _ in atoms(term.number):
            if isinstance(atom, Entry):
                yield from nodes(atom.term)
    yield term
