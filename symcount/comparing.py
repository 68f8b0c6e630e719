"""The difference of two models, or of two settings of one, by component: as formula, number and share of the first.

    difference = other − one        share = difference / all of one
"""

from __future__ import annotations

from collections import namedtuple
from itertools import count

from symcount.counting import conventions, hundredths, notes
from symcount.derivation import Derivation, Equation, Listed, Listing, Remark, Rounded, SymbolRow, number
from symcount.errors import UnitError
from symcount.forms import flat, numbers, size, total
from symcount.given import shown
from symcount.ledger import UNITS
from symcount.naming import model
from symcount.polynomials import added, quotient
from symcount.readers.quantities import read
from symcount.render import exact, percent, significant, text
from symcount.sizes import fraction, letters, same, value
from symcount.subtracting import difference
from symcount.symbols import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from symcount.architecture import Model
    from symcount.forms import Form
    from symcount.ledger import Ledger

    Changed = Mapping[str, tuple[int, int]]  # the letters whose values differ, with both

_DEEPEST = 2  # as in a table of a count
_WIDEST = 72  # characters of a formula in a table

# A part that differs: its ledgers in one and in the other (of no terms where it has none), the difference as a formula,
# as a size, and as an exact number, which is None while letters are open
Gap = namedtuple("Gap", "depth part one other form size number")


class Comparison(Listed, namedtuple("Comparison", "title names rows total changed values says notes")):
    """What differs between two counts: rows (Gap) and total; `says` are remarks, the first of them the headline.

    `changed` has the letters whose values differ, with both; `values` those of all others.
    """

    __slots__ = ()

    def listing(self) -> Listing:
        """What is printed: formula, both counts, difference, share of the first; while letters are open only formulas.

        A formula that is too long for a table is left to the derivation.
        """
        if self.total.number is None:
            return Listing(self.title, ("part", "formula"), ("part", "difference"),
                           tuple((_name(gap), gap.form) for gap in (*self.rows, self.total)), self._said(), self.notes)
        whole = self.total.one.total

        def cells(gap: Gap) -> tuple[Any, ...]:
            counts = [side.total if side.terms else None for side in (gap.one, gap.other)]
            form = None if gap is self.total else gap.form if len(text.form(gap.form)) <= _WIDEST else "…"
            part = gap.number.numerator * whole.denominator, gap.number.denominator * whole.numerator
            return (_name(gap), form, *counts, _signed(gap.number, exact(abs(gap.number))),
                    _signed(quotient(*part), _share(gap.number, whole)) if whole else None)

        return Listing(self.title, ("part", "formula", "one", "other", "difference", "share"),
                       ("part", "formula", *self.names, "difference", "share of first"),
                       tuple(map(cells, (*self.rows, self.total))), self._said(), self.notes)

    def derivation(self) -> Derivation:
        """Each difference as formula, numbers and count; then the sum of them. Every line is checked."""
        steps = []
        for top in (gap for gap in self.rows if gap.depth == 1):
            inside = [gap for gap in self.rows if gap.part.startswith(f"{top.part}.")]
            steps += [self._step(gap, []) for gap in inside if gap.form != top.form]
            steps.append(self._step(top, inside))
        tops = [gap for gap in self.rows if gap.depth == 1]
        if len(tops) != 1 or tops[0].form != self.total.form:
            steps.append(self._step(self.total, tops))
        met = dict.fromkeys((*self.changed, *(name for gap in self.rows for name in letters(size(gap.form)))))
        symbols = tuple(SymbolRow(name, row(name).meaning + _moved(self.changed.get(name)), self.values.get(name))
                        for name in met)
        return Derivation(self.title, steps, symbols=symbols, remarks=self.says, notes=self.notes)

    def _said(self) -> tuple[str, ...]:
        headline, *others = self.says
        return ("".join(map(text.piece, headline.pieces)) + ".", *(f"{text.remark(one)}." for one in others))

    def _step(self, gap: Gap, inside: list[Gap]) -> Equation:
        if gap.number is None:
            return Equation(gap.part, [gap.form], of=gap.size)
        counts = [one.number for one in inside]  # a part may have terms of its own beside its parts
        partly = [_sum(counts)] if len(counts) > 1 and sum(counts) == gap.number else []
        return Equation(gap.part, [gap.form, numbers(gap.form, self.values), *partly, _sum([gap.number])],
                        of=gap.size, values=self.values)


def compare(one: Any, other: Any, of: str = "params", *, convention: str | None = None, phase: str | None = None,
            **sizes: Any) -> Comparison:
    """What the other model has more or fewer than the one, part by part, as formula and number.

    Models are given as to `model`; `sizes` are set in both; `of` is a quantity, such as params, flops or kv@layers.
    A letter that is open in both stays a letter.

    >>> found = compare("bert-base-uncased", "distilbert-base-uncased")
    >>> [(gap.part, gap.number) for gap in found.rows if gap.depth == 1]
    [('embeddings', -1536), ('layers', -42527232), ('pooler', -590592)]
    >>> print(found.listing().says[0])
    distilbert-base-uncased (DistilBertModel) has 43,119,360 parameters fewer than bert-base-uncased (BertModel): \
× 0.6062, 39.38 % less.

    Raises UnitError for a letter that is open in one and has a value in the other, ModelError for an unknown model,
    quantity, convention or phase, SizeError for a size that cannot be.
    """
    models = [model(subject, **sizes) for subject in (one, other)]
    ledgers = [read(subject, of, convention=convention, phase=phase) for subject in models]
    first, second = ledgers
    if first.unit != second.unit:
        raise UnitError(f"cannot compare {UNITS[first.unit]} and {UNITS[second.unit]}: two units")
    _comparable(models, ledgers)
    met = dict.fromkeys((*first.letters, *second.letters))
    changed = {name: (first.values[name], second.values[name]) for name in met
               if name in first.values and name in second.values and first.values[name] != second.values[name]}
    values = {name: n for name, n in {**second.values, **first.values}.items() if name not in changed}
    rows, equal = _gaps(first, second, changed, values)
    tops = [gap for gap in rows if gap.depth == 1]
    whole = _gap(0, "total", first, second, changed, values)
    summed = added(gap.size for gap in tops)
    like = same(summed, whole.size)  # parts that are equal for these sizes alone are not among the rows
    if not like and (whole.number is None or sum(gap.number for gap in tops) != whole.number):
        raise UnitError(f"{second.subject} and {first.subject} differ by more than their parts say")
    apart = total(flat([(1, gap.form) for gap in tops]))
    if not like or len(text.form(apart)) <= len(text.form(whole.form)):
        whole = whole._replace(form=apart, size=summed)
    names, titles = _names(models, changed)
    says = [Remark("difference", _headline(whole, titles))]
    if whole.number is not None:
        says += _told(rows, whole, names)
    causes = [*(f"{name} {was:,} → {now:,}" for name, (was, now) in changed.items()), *_flags(*models)]
    says += [Remark(label, (", ".join(those),)) for label, those in (("changed", causes), ("the same", equal))
             if those and tops]
    return Comparison(f"{second.subject} less {first.subject}: {UNITS[first.unit]}", names, tuple(rows), whole, changed,
                      values, tuple(says), _noted(ledgers, names))


def _comparable(models: list[Model], ledgers: list[Ledger]) -> None:
    for i, (one, ledger) in enumerate(zip(models, ledgers, strict=True)):
        values, other = ledgers[1 - i].values, models[1 - i]
        if missing := [name for name in ledger.open if name in values]:
            known = next(iter(one.architecture.published), "") if one.name == one.architecture.name else ""
            raise UnitError(f"{one.title} leaves {', '.join(missing)} open, and {other.title} has "
                            f"{missing[0]} = {values[missing[0]]:,}; say {missing[0]}=… for both"
                            + (f", or name a published model, as {known}" if known else ""))


def _gaps(one: Ledger, other: Ledger, changed: Changed, values: Mapping[str, int],
          depth: int = 1) -> tuple[list[Gap], list[str]]:
    """The parts that differ, each with those within it, and the names of those that do not."""
    parts = one.by(depth), other.by(depth)
    rows: list[Gap] = []
    equal: list[str] = []
    for name in dict.fromkeys((*parts[0], *parts[1])):
        left, right = parts[0].get(name, one.of(())), parts[1].get(name, other.of(()))
        if len(name.split(".")) < depth:
            continue
        gap = _gap(depth, name, left, right, changed, values)
        deeper = depth < _DEEPEST and len({**left.by(depth + 1), **right.by(depth + 1)}) > 1
        inside, alike = _gaps(left, right, changed, values, depth + 1) if deeper else ([], [])
        if inside or not (same(gap.size, 0) if gap.number is None else gap.number == 0):
            rows += [gap, *inside]
            equal += alike
        elif left.open or left.total:  # no layers of a kind are no part
            equal.append(name)
    return rows, equal


def _gap(depth: int, part: str, one: Ledger, other: Ledger, changed: Changed, values: Mapping[str, int]) -> Gap:
    form, gap = difference(one, other, changed)
    if any(name not in values for name in letters(gap)) or one.open or other.open:
        return Gap(depth, part, one, other, form, gap, None)
    found = other.total - one.total
    if fraction(gap, values) != found:
        raise UnitError(f"{part}: {text.form(form)} is {exact(fraction(gap, values))}, not {exact(found)}")
    return Gap(depth, part, one, other, form, gap, found)


def _names(models: list[Model], changed: Changed) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the two are called, in short and with their class: so that they can be told apart."""
    titles = tuple(one.title for one in models)
    if titles[0] == titles[1]:  # they differ in sizes of the run
        titles = tuple(", ".join((title, *(f"{name} = {both[i]:,}" for name, both in changed.items())))
                       for i, title in enumerate(titles))
    short = tuple("@".join((one.name, *one.parts)) for one in models)
    return (titles if short[0] == short[1] else short), titles


def _headline(whole: Gap, titles: tuple[str, ...]) -> tuple[Any, ...]:
    one, other = titles
    units = UNITS[whole.one.unit]
    if whole.number is None:
        return (f"{other} less {one} is ", whole.form)
    if not whole.number:
        return (f"{other} has as many {units} as {one}",)
    gap, before, more = abs(whole.number), whole.one.total, whole.number > 0
    said = f"{exact(gap)} {whole.one.unit if gap == 1 else units} {'more' if more else 'fewer'}"
    part = f": × {_ratio(whole)}, {_share(gap, before)} {'more' if more else 'less'}" if before else ""
    return (f"{other} has {said} than {one}{part}",)


def _told(rows: list[Gap], whole: Gap, names: tuple[str, ...]) -> Iterator[Remark]:
    """The parts, the largest difference first, and why a change of a part is a smaller one of the whole."""
    chosen = sorted((_narrowed(gap, rows) for gap in rows if gap.depth == 1 and gap.number),
                    key=lambda gap: -abs(gap.number))
    before = whole.one.total
    if not chosen or not before:
        return
    told = [f"{gap.part}: {_how(gap, names)}, {exact(abs(gap.number))} {'more' if gap.number > 0 else 'fewer'}, "
            f"{_share(gap.number, before)}" for gap in chosen]
    yield Remark("parts", ("; ".join(told),))
    both = [gap for gap in chosen if gap.one.terms and gap.other.terms and gap.one.total not in (0, before)]
    if both:
        gap, runs = both[0], _runs(both[0])
        step = (f"{runs[0] - runs[1]} of {runs[0]} fewer make" if runs and runs[1] < runs[0] else
                f"{runs[1] - runs[0]} more beside {runs[0]} make" if runs else f"× {_ratio(gap)} there makes")
        yield Remark("why", (f"{_share(gap.one.total, before)} of the {UNITS[gap.one.unit]} of {names[0]} are "
                             f"in {gap.part}, so {step} the whole {_share(gap.number, before)} "
                             f"{'larger' if gap.number > 0 else 'smaller'}",))


def _narrowed(gap: Gap, rows: list[Gap]) -> Gap:
    """The only part of a part that differs, if there is only one."""
    inside = [one for one in rows if one.part.startswith(f"{gap.part}.")]
    return inside[0] if len(inside) == 1 and inside[0].number == gap.number else gap


def _how(gap: Gap, names: tuple[str, ...]) -> str:
    if not gap.one.terms or not gap.other.terms:
        return f"only in {names[0] if gap.one.terms else names[1]}"
    runs = _runs(gap)
    if runs:
        return f"{runs[1]} of {runs[0]}" if runs[1] < runs[0] else f"{runs[1]} for {runs[0]}"
    return f"× {_ratio(gap)}" if gap.one.total else "none before"


def _runs(gap: Gap) -> tuple[int, int] | None:
    """How often a part runs in one and in the other, where nothing else of it differs."""
    one, other = ({value(runs, side.values) for term in side.terms for path, runs in term.scopes if path == gap.part}
                  for side in (gap.one, gap.other))
    if len(one) != 1 or len(other) != 1 or one == other:
        return None
    (before,), (after,) = one, other
    return (before, after) if gap.one.total * after == gap.other.total * before else None


def _ratio(gap: Gap) -> str:
    """Four digits, or as many as tell it from 1."""
    a, b = gap.other.total, gap.one.total
    found = quotient(a.numerator * b.denominator, a.denominator * b.numerator)
    shown = (significant(found, digits) for digits in count(4))  # some digit differs: the two do
    return next(one for one in shown if not one.startswith("1.") or one[2:].strip("0"))


def _flags(one: Model, other: Model) -> list[str]:
    """What else changed between two settings of one architecture: its class, flags that both read, adapters."""
    if one.architecture.name != other.architecture.name:
        return []
    flags = {name: (one.given.get(name, usual), other.given.get(name, usual))
             for name, usual in one.architecture.flags.items() if name in one.asked & other.asked}
    told = {"class": (one.cls, other.cls), **flags, "lora": (one.given.get("lora"), other.given.get("lora"))}
    return [f"{name} {_word(was)} → {_word(now)}" for name, (was, now) in told.items() if was != now]


def _word(flag: Any) -> str:
    return "+".join(flag) if isinstance(flag, tuple) else shown(flag)


def _noted(ledgers: list[Ledger], names: tuple[str, ...]) -> tuple[str, ...]:
    """What was counted: what holds of both, then what holds of one."""
    said = [notes(ledger) if ledger.open else conventions(ledger) for ledger in ledgers]
    own = [f"{name}: {one}" for name, mine, yours in ((names[0], *said), (names[1], *said[::-1]))
           for one in mine if one not in yours]
    return (*(one for one in said[0] if one in said[1]), *own)


def _name(gap: Gap) -> str:
    return "  " * (gap.depth - 1) + (gap.part.split(".")[-1] if gap.depth > 1 else gap.part)


def _signed(amount: Any, digits: str) -> Rounded:
    return Rounded(amount, ("+" if amount > 0 else "−" if amount < 0 else "") + digits)


def _share(part: Any, whole: Any) -> str:
    return percent(hundredths(abs(part), whole))


def _moved(both: tuple[int, int] | None) -> str:
    return f", {both[0]:,} → {both[1]:,}" if both else ""


def _sum(amounts: list[Any]) -> Form:
    """Numbers with their signs between them."""
    return total(sorted(((1 if n >= 0 else -1, number(abs(n))) for n in amounts if n), key=lambda term: -term[0]))
