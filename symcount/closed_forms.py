"""Proofs of laws: that a ledger, read off a network in letters, is the polynomial that a paper's closed form is.

Proved: both sides are one polynomial, so the law holds for all sizes. Refuted: they are not, or their numbers differ.
Unknown: they are not as written, but roundings or conditions could make them equal.
"""

from __future__ import annotations

from symcount.architecture import Sizes
from symcount.counting import formula, notes
from symcount.derivation import Derivation, Equation, Remark, SymbolRow, number
from symcount.errors import ModelError, ProofError
from symcount.forms import Power, Product, Quotient, Sum, numbers, written
from symcount.forms import size as size_of
from symcount.formulas import read
from symcount.given import RUN
from symcount.laws import load
from symcount.ledger import UNITS
from symcount.naming import model
from symcount.network import walk
from symcount.polynomials import Polynomial, added, letter, lift
from symcount.readers.which import Which
from symcount.render import percent
from symcount.scopes import repeats
from symcount.sizes import fraction, is_one, letters, per, ratio, same
from symcount.symbols import known, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.architecture import Model
    from symcount.forms import Form
    from symcount.laws import Law, Neighbour
    from symcount.ledger import Ledger
    from symcount.polynomials import Size

_PASSES = ("forward", "recomputed", "backward")
_KINDS = {"weight": "products with weights", "activation": "products of activations", "attention": "scores and mix",
          "linear": "linear maps", "embedding": "look-ups as products"}


class Side:
    """The right side of a law for one network: how it is written, what it is, and what its letters stand for there.

    `counts` are the ledgers of what is named (N), `where` the sizes of all letters that are none of the network;
    `full` is how it is written with the sums of these ledgers.
    """

    __slots__ = ("counts", "form", "full", "size", "where")

    def __init__(self, text: str, names: Mapping[str, Any], one: Model) -> None:
        self.counts: dict[str, Ledger] = {name: of.count(one) for name, of in names.items() if isinstance(of, Which)}
        z = Sizes(one, letter)

        def meant(word: str) -> Size | None:
            if word in self.counts:
                return self.counts[word].size
            if known(word) and one.architecture.knows(word):
                return getattr(z, word)
            return read(names[word], meant) if word in names else None

        def kept(word: str) -> Kept | None:
            return Kept(written(letter(word))) if meant(word) is not None else None

        def summed(word: str) -> Kept | None:
            return Kept(formula(self.counts[word])) if word in self.counts else kept(word)

        self.form, self.full, self.size = form_of(read(text, kept)), form_of(read(text, summed)), read(text, meant)
        words = dict.fromkeys((*names, *letters(read(text))))
        sizes = {word: meant(word) for word in words}
        self.where = {word: size for word, size in sizes.items() if size is not None and not same(size, letter(word))}

    def values(self, known_values: Mapping[str, int]) -> dict[str, Any]:
        """The numbers of all letters that it may be written with."""
        found: dict[str, Any] = dict(known_values)
        for word, size in self.where.items():
            if all(name in known_values for name in letters(size)):
                found[word] = fraction(size, known_values)
        return found


class Kept:
    """A form that reading a formula puts together as it is written, where sizes would be multiplied out."""

    __slots__ = ("form",)

    def __init__(self, form: Form) -> None:
        self.form = form

    def __add__(self, other: Any) -> Kept:
        return Kept(Sum((*_signed(self, 1), *_signed(other, 1))))

    def __radd__(self, other: Any) -> Kept:
        return Kept(Sum((*_signed(other, 1), *_signed(self, 1))))

    def __sub__(self, other: Any) -> Kept:
        return Kept(Sum((*_signed(self, 1), *_signed(other, -1))))

    def __rsub__(self, other: Any) -> Kept:
        return Kept(Sum((*_signed(other, 1), *_signed(self, -1))))

    def __neg__(self) -> Kept:
        return Kept(Sum(_signed(self, -1)))

    def __mul__(self, other: Any) -> Kept:
        return Kept(Product((*_factors(self), *_factors(other))))

    def __rmul__(self, other: Any) -> Kept:
        return Kept(Product((*_factors(other), *_factors(self))))

    def __truediv__(self, other: Any) -> Kept:
        return Kept(Quotient(self.form, form_of(other)))

    def __rtruediv__(self, other: Any) -> Kept:
        return Kept(Quotient(form_of(other), self.form))

    def __pow__(self, power: int) -> Kept:
        return Kept(Power(self.form, power))


def form_of(read_: Any) -> Form:
    """The form of what was read: kept, or a number."""
    return read_.form if isinstance(read_, Kept) else written(read_)


def _signed(side: Any, sign: int) -> tuple[Any, ...]:
    form = form_of(side)
    return tuple((sign * own, term) for own, term in form.terms) if isinstance(form, Sum) else ((sign, form),)


def _factors(side: Any) -> tuple[Any, ...]:
    form = form_of(side)
    return form.factors if isinstance(form, Product) else (form,)


def prove_law(name: str, *, model: str | Model | None = None, **sizes: Any) -> Derivation:
    """The proof of a law by name, in letters; or for a model of your own, in numbers where it has them.

    >>> prove_law("training_6nd", model="llama-7b", s=2048, b=1).steps[-1].forms[-1]
    Number(number=81187766796288)

    Raises ProofError where it is refuted (`.witness` is then a derivation) or unknown for this model.
    """
    law = load(name)
    one = _network(law, model, sizes)
    if model is not None and any(x.verb == "input" and "s" not in x.axes for x in walk(one.network())):
        raise ModelError(f"{name} is about texts of s tokens, and {one.title} reads something else")
    ledger, right = law.left(one), Side(law.right, law.names, one)
    if not same(ledger.size, right.size):
        raise _unequal(name, law, one, ledger, right)
    about = f" for {one.title}" if model is not None else ""
    remarks = [Remark("verdict", ("proved: both sides are the same polynomial",)),
               *(Remark("when", (condition,)) for condition in law.conditions), Remark("why", (law.reason,))]
    if model is None and not sizes:
        remarks += [_example(law), *(_refuted(name, law, one) for one in law.neighbours)]
    remarks.append(Remark("source", (law.source,)))
    return Derivation(f"{name}{about}: {law.says}", _steps(law, ledger, right), symbols=_symbols(law, ledger, right),
                      remarks=tuple(remarks), notes=notes(ledger))


def refute_law(name: str, **asked: Any) -> Derivation | None:
    """What refutes a law for a model of your own; None where it holds, or is not refuted."""
    try:
        prove_law(name, **asked)
    except ProofError as error:
        if error.sides is None:
            raise
        witness: Derivation | None = error.witness
        return witness
    return None


def _network(law: Law, asked: str | Model | None, sizes: Mapping[str, Any]) -> Model:
    if asked is None:
        return model(law.network, **{**law.changes, **sizes})
    one = model(asked, **sizes)
    run = {size: how for size, how in law.changes.items() if size in RUN and size not in one.given}  # what it is about
    one = one.replace(**run) if run else one
    if law.single and any(not is_one(runs) for x in walk(one.network()) for _, runs in repeats(x.scope)):
        raise ModelError(f"{law.what} of {one.title}: this law is of one layer, and the network repeats its layers")
    return one


def _steps(law: Law, ledger: Ledger, right: Side) -> list[Equation]:
    """What each name stands for, each part of the ledger, and their sum, rewritten until it is the right side."""
    values = right.values(ledger.values)
    steps = [Equation(name, [formula(count), *_numbers(formula(count), count, values)], of=count.size, values=values)
             for name, count in right.counts.items()]
    steps += [Equation(name, [written(right.where[name]), *_numbers(written(right.where[name]), ledger, values)],
                       of=right.where[name], values=values)
              for name in law.names if name in right.where and name not in right.counts]
    sizes: list[Size] = []
    parts = _parts(ledger, named=bool(right.counts))
    for name, part in parts.items():
        shown = formula(part)
        short = next((m * letter(n) for n, count in right.counts.items()
                      if (m := _times(part.size, count.size)) is not None), None)
        sizes.append(part.size if short is None else short)
        if len(parts) > 1:
            steps.append(Equation(name, [shown, *([] if short is None else [written(short)]),
                                         *_numbers(written(sizes[-1]), part, values)],
                                  of=part.size, values=values, where=right.where))
    apart = Sum(tuple(term for size in sizes for term in _signed(size, 1)))
    lines = [formula(ledger) if len(parts) == 1 else apart, written(added(sizes))]
    if right.counts and not any(name in letters(size) for name in right.counts for size in sizes):
        lines.append(right.full)  # no part is a multiple of N
    steps.append(Equation(law.what, [*lines, right.form, *_numbers(right.form, ledger, values)], of=ledger.size,
                          values=values, where=right.where))
    return steps


def _parts(ledger: Ledger, *, named: bool) -> dict[str, Ledger]:
    """The parts of a ledger that a derivation adds up: of parameters by path, of work by pass and kind of product.

    `named`: N is on the right side, and products are only told apart by whether a weight is in them.
    """
    if ledger.unit == "parameter":
        return ledger.by(2)
    several = {term.path.split(".")[0] for term in ledger.terms} <= {*_PASSES}
    names = {}
    for term in ledger.terms:
        kind = term.kinds[0 if named or len(term.kinds) < 2 else 1]
        before = f"{term.path.split('.')[0]}, " if several else ""
        names[term.path] = before + _KINDS.get(kind, kind)
    return ledger.by(names)


def _times(size: Size, of: Size) -> Any:
    """The monomial m with m·of = size; None where there is none."""
    terms, first = lift(size).terms, next(iter(lift(of).terms.items()), None)
    if first is None or len(terms) != len(lift(of).terms):
        return None
    below = Polynomial(dict([first]))
    for key, term in terms.items():
        m = per(Polynomial({key: term}), below)
        whole = isinstance(m, int) or all(power > 0 for powers, _ in m.terms.values() for _, power in powers)
        if whole and same(m * of, size):
            return Polynomial(m.terms) if isinstance(m, Polynomial) else m  # what divides is no condition
    return None


def _numbers(form: Form, ledger: Ledger, values: Mapping[str, Any]) -> list[Form]:
    """A form in numbers, and the count, where every size has a number."""
    if ledger.open:
        return []
    shown = numbers(form, values)
    return [shown, number(_value(form, values))]


def _value(form: Form, values: Mapping[str, Any]) -> Any:
    return fraction(size_of(numbers(form, values)), {})


def _symbols(law: Law, ledger: Ledger, right: Side) -> tuple[SymbolRow, ...]:
    """Every letter: what it is, and its number where all have one."""
    values = {} if ledger.open else right.values(ledger.values)
    used = [*ledger.letters, *(name for count in right.counts.values() for name in count.letters),
            *letters(read(law.right))]
    return tuple(SymbolRow(name, law.names[name].says if name in right.counts else row(name).meaning, values.get(name))
                 for name in dict.fromkeys(used))


def _at(law: Law, of: Neighbour | None = None) -> tuple[str, Ledger, Side]:
    """What a law, or its neighbour, is said of in numbers: a model and the sizes of a run, and both sides there."""
    name, sizes = (of and of.at) or law.at
    one = model(name, **sizes)
    ledger = ((of and of.left) or law.left)(one)
    right = Side((of and of.right) or law.right, {**law.names, **((of and of.names) or {})}, one)
    run = ", ".join(f"{size} = {one.values[size]:,}" for size in sizes if size in one.values)
    return name + (f" at {run}" if run else ""), ledger, right


def _example(law: Law) -> Remark:
    """The law in numbers."""
    where, ledger, right = _at(law)
    pieces: list[Any] = [f"for {where}: "]
    for name, count in right.counts.items():
        pieces += [f"{name} = ", number(count.total), ", "]
    unit = UNITS[ledger.unit]
    return Remark("in numbers", (*pieces, f"{law.what} = ", number(ledger.total),
                                 *([] if law.what == unit else [f" {unit}"])))


def _refuted(name: str, law: Law, of: Neighbour) -> Remark:
    """A neighbour, and the numbers that refute it; ProofError where they agree."""
    where, ledger, right = _at(law, of)
    claimed, true = _value(right.form, right.values(ledger.values)), ledger.total
    if claimed == true:
        raise ProofError(f"{name}: its neighbour is true for {where}: {of.says}")
    return Remark("but not", (f"{of.says}: ", right.form, " = ", number(claimed), f" for {where}, and the count is ",
                              number(true), f": {_apart(claimed, true)}"))


def _apart(claimed: Any, true: Any) -> str:
    """By how much a claim is off: in percent, or how many times, or, where that is too little, by how many."""
    if claimed >= 10 * true:
        return f"{(2 * claimed + true) // (2 * true):,} times too many"
    share = int((20_000 * abs(claimed - true) + true) // (2 * true))
    off = percent(share) if share else f"{abs(claimed - true):,}"
    return f"{off} too {'many' if claimed > true else 'few'}"


def _unequal(name: str, law: Law, one: Model, ledger: Ledger, right: Side) -> ProofError:
    """What to raise where the sides differ for a model: refuted, with both sides, or unknown."""
    values = right.values(ledger.values)
    left_over = added([ledger.size, right.size * -1])
    sure = not any(condition.relation == "is" for condition in ledger.conditions) and all(
        isinstance(atom, str) for powers, _ in lift(left_over).terms.values() for atom, _ in powers)
    closed = all(word in values for word in (*letters(ledger.size), *letters(right.size)))
    refuted = ratio(left_over, values)[0] != 0 if closed else sure
    verdict, but = ("refuted", "") if refuted else ("unknown", ", which is 0 for these sizes, but not for all" if closed
                                                    else ", which roundings or conditions could make 0")
    error = ProofError(f"{name}: {verdict} for {one.title}: count and closed form differ by {left_over}{but}")
    error.sides = (ledger.size, right.size)
    if refuted:
        steps = [Equation(law.what, [formula(ledger), *_numbers(formula(ledger), ledger, values)], of=ledger.size,
                          values=values),
                 Equation("closed form", [right.form, *_numbers(right.form, ledger, values)], of=right.size,
                          values=values, where=right.where)]
        error.witness = Derivation(f"{name} is false for {one.title}", steps, symbols=_symbols(law, ledger, right),
                                   remarks=(Remark("verdict", ("refuted: the sides differ by ", written(left_over))),),
                                   notes=notes(ledger))
    return error
