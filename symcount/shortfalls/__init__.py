"""Why a formula, or a number, that somebody printed for a quantity of a model is not the model's own.

The difference is explained by the cheapest set of parts of the count that are left out, counted twice or by half, by
one size written for another, or by a unit. Two formulas are the same when their polynomials are:

    right        the same, perhaps with sizes put in as the model has them: h = 4d
    convention   they differ by what `parts.RULES` and `readings` list, or by nothing from a count of `accounts`
    wrong        anything else; a mistake is named where a cheap one explains all of the difference
    unknown      the formula has letters that the count does not have, or a size has no number
"""

from __future__ import annotations

from collections import namedtuple

from symcount.errors import FormulaError
from symcount.formulas import read
from symcount.polynomials import added, bare, lift, quotient
from symcount.shortfalls.accounts import Asked, account, granted, others
from symcount.shortfalls.meanings import WHICH, counts_parameters, meanings, rate
from symcount.shortfalls.mistakes import COST, MISTAKES, WHOLES
from symcount.shortfalls.parts import HALF, parts
from symcount.shortfalls.readings import (
    freed,
    implied,
    lacking,
    listed,
    readings,
    shapes,
    shown,
    substituted,
    terms_of,
    with_sizes,
)
from symcount.shortfalls.search import Search
from symcount.shortfalls.sentences import differing, leading, off
from symcount.sizes import fraction, from_sympy, letters, same
from symcount.symbols import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from symcount.polynomials import Size
    from symcount.shortfalls.accounts import Account
    from symcount.shortfalls.mistakes import Mistake
    from symcount.shortfalls.readings import Reading

# verdict: right, convention, wrong or unknown; says: a sentence that has the formula for its subject; right: what we
# would print for the count that it is, in its letters and its unit, of a mistake without what else is left out by
# convention; difference: that less the formula; both None where it is unknown
Judgement = namedtuple("Judgement", "verdict says right difference")

# theirs: the formula; named: its letters; numbers: what is put in for all letters, where it is a number; dearest: what
# an explanation may cost, 0 where none is looked for
_Question = namedtuple("_Question", "model asked theirs named numbers dearest")
# A way to explain a difference: cost, reading, clauses, what of the count the author leaves out by convention
_Way = namedtuple("_Way", "cost reading clauses right")

_DEAREST = 40         # four parts and some conventions
_DEAREST_NUMBER = 8   # numbers meet by chance: one part, or some conventions
_MOST_TERMS, _MOST_POWER = 300, 16  # of a formula
_SEARCHED = 2         # readings in which parts are looked for


def judge(formula: Size, model: Any, quantity: str, *, convention: str | None = None, phase: str | None = None,
          unit: str | None = None, share: str | None = None, kind: str = "", without: Sequence[str] = (),
          which: Sequence[str] = ()) -> Judgement:
    """Whether a formula is what the model has of a quantity, such as params, kv or flops@layers.mlp, and if not, why.

    `unit` is the one in which the author counts (FLOP, multiply-add, byte, element), `share` is "token", "layer",
    "token layer" or "" for all; each is tried where it is None. `kind` asks for terms of one kind, as "norm", `without`
    for all but what rules of `parts` name; N in a formula is one of `which` of `meanings.WHICH`, any where none is
    named.

    >>> from symcount import model
    >>> from symcount.formulas import read
    >>> judge(read("L(4d^2 + 2dh + 13d) + (V + P)d"), model("gpt2"), "params").says
    'leaves out the final norm: 2d; with h = 4d'
    >>> judge(read("L(4d^2 + 2dh + 2d) + 2Vd + d"), model("llama-7b"), "params")[:2]
    ('wrong', 'omits gate, up or down of layers.mlp (the same polynomial, they cannot be told apart): Ldh; 21.41 % ...')

    Raises ModelError for a quantity, part, kind, convention or phase that there is not.
    """
    asked = Asked(quantity, convention, phase, unit, share, kind, tuple(without))
    theirs = from_sympy(formula) if lift(formula) is NotImplemented else formula
    if len(lift(theirs).terms) > _MOST_TERMS or any(
            abs(power) > _MOST_POWER for powers, _ in lift(theirs).terms.values() for _, power in powers):
        return Judgement("unknown", f"has more than {_MOST_TERMS} terms, or a power above {_MOST_POWER}", None, None)
    one = freed(model, tuple(letters(theirs)))
    if "N" in letters(theirs) and "N" not in one.asked and counts_parameters(theirs, asked):
        return _of_parameters(one, asked, theirs, which, model.values)
    return _compared(one, asked, theirs, model.values, _DEAREST)


def _of_parameters(one: Any, asked: Asked, theirs: Size, which: Sequence[str], values: Mapping[str, int]) -> Judgement:
    """The judgement on a formula with N by the meaning of N that makes it true; what N is, is a convention."""
    found = [(name, _compared(one, asked, put, values, 0)) for name, put in meanings(one, theirs, which)]
    if not found or any(judgement.verdict == "unknown" for _, judgement in found):
        return Judgement("unknown", "is in N, of which nothing is known here", None, None)
    name, best = min(found, key=lambda each: ("right", "convention", "wrong").index(each[1].verdict))
    meant = f"N counts {WHICH[name].says}{', and D = b*s' if 'D' in letters(theirs) else ''}"
    if best.verdict == "wrong":
        told = rate(one, asked, account(one, asked).ledger)
        return best._replace(says="; ".join(filter(None, (
            "is not what the model has, whichever parameters N counts", told))))
    verdict = best.verdict if name == "all" or which else "convention"
    return best._replace(verdict=verdict, says=f"{best.says}; {meant}")


def _compared(one: Any, asked: Asked, theirs: Size, values: Mapping[str, int], dearest: int) -> Judgement:
    """The judgement on a formula in the letters of a model; how far it is off is told at these values."""
    first = account(one, asked)
    stands = implied(one, letters(theirs), first.ledger)
    if absent := lacking(one, letters(theirs), first.ledger, stands):
        told = listed([f"{name} ({row(name).meaning})" for name in absent], "and")
        return Judgement("unknown", f"is in letters that {first.ledger.subject or 'the count'} does not have: {told}",
                         None, None)
    (theirs,) = substituted([theirs], stands)
    question = _Question(one, asked, theirs, letters(theirs), {}, dearest)
    found = _judged(question, first, values)
    if found.verdict == "right" and (taken := granted(asked, first.ledger)):
        found = found._replace(verdict="convention", says=f"{found.says}; {taken}")
    return found._replace(says="; ".join(filter(None, (found.says, with_sizes(stands)))))


def judge_number(value: Any, model: Any, quantity: str, *, convention: str | None = None, phase: str | None = None,
                 unit: str | None = None, share: str | None = None, kind: str = "") -> Judgement:
    """Whether an exact number is what the model has of a quantity, and if not, why; options as in `judge`.

    `value` is an int or a Fraction, `right` and `difference` too. Numbers meet by chance, so only what is near is told
    as the reason.

    >>> from symcount import model
    >>> judge_number(124_439_808, model("gpt2"), "params").verdict
    'right'
    >>> judge_number(85_054_464, model("gpt2"), "params")[:2]
    ('convention', 'leaves out the final norm and the embeddings: 39,385,344')

    Raises FormulaError for a number that is not exact, and ModelError as `judge` does.
    """
    if lift(value) is NotImplemented:
        raise FormulaError(f"{value!r} is no exact number: an int or a Fraction is needed")
    asked = Asked(quantity, convention, phase, unit, share, kind)
    first = account(model, asked)
    numbers = {**first.ledger.values}
    if quantity.partition("@")[0] == "kv" and first.ledger.open == ["t"] and share in (None, "token"):
        numbers["t"], asked = 1, asked._replace(share="token")
    if absent := [name for name in first.ledger.open if name not in numbers]:
        told = listed([f"{name} ({row(name).meaning})" for name in absent], "and")
        return Judgement("unknown", f"{told} of {first.ledger.subject or 'the count'} has no number", None, None)
    found = _judged(_Question(model, asked, value, (), numbers, _DEAREST_NUMBER), first, {})
    if found.verdict == "unknown":
        return found
    return found._replace(right=fraction(found.right, {}), difference=fraction(found.difference, {}))


def _judged(question: _Question, first: Account, values: Mapping[str, int]) -> Judgement:
    mine, rest = _readings(question, first), []
    if not mine:
        return Judgement("unknown", _unlike(question.asked, first), None, None)
    for one in mine:
        if same(added(one.sizes), one.theirs):
            return _said("right" if one.usual else "convention", _Way(0, one, [], one.theirs), values)
    way = _by_convention(mine)
    if way is None:
        rest = [one for other in others(question.model, question.asked) for one in _readings(question, other)]
        way = _by_convention(rest)
    if way is not None:
        return _said("convention", way, values)
    ways = question.dearest and [*_by_parts(mine, question.dearest), *_by_mistake(mine, question),
                                 *_by_whole([*mine, *rest])]
    if ways:
        return _said("wrong", min(ways, key=lambda found: found.cost), values)
    nearest = min(mine, key=lambda one: _distance(one, question))
    return _said("wrong", _Way(0, nearest, [], added(nearest.sizes)), values)


def _distance(one: Reading, question: _Question) -> tuple[bool, bool, int]:
    """How far to seek a reading is of which nothing explains the difference: numbers and layers last."""
    gap = bare(lift(_gap(one)) * lift(one.back))
    strange = sum(name not in question.named for name in letters(gap))
    return one.shape.numbers and bool(question.named), bool(one.path), len(lift(gap).terms) + one.cost + 2 * strange


def _unlike(asked: Asked, one: Account) -> str:
    """That there is no such unit or share of a count."""
    told = [f"for one {asked.share.replace(' ', ' and ')}" if asked.share else "",
            f"in {asked.unit}s" if asked.unit else ""]
    return f"is told to be {listed([*filter(None, told)], 'and')}, as {one.ledger.subject or 'the count'} cannot be"


def _readings(question: _Question, one: Account) -> list[Reading]:
    """How the formula may be read of this account, the plainest first."""
    found = [reading for shape in shapes(question.model, question.named, one.ledger, question.numbers)
             for reading in readings(one, question.asked, shape, question.theirs, question.named)]
    return sorted(found, key=lambda reading: reading.cost)


def _gap(one: Reading) -> Size:
    return added([*one.sizes, -1 * one.theirs])


def _fits(one: Reading) -> bool:
    """Whether the formula has only monomials of the count, of which parts may be left out or doubled."""
    met = {key for size in one.sizes for key in lift(size).terms}
    told = lift(one.theirs).terms
    return bool(told) and told.keys() <= met


def _excuses(one: Reading, sizes: Sequence[Size]) -> Search:
    """The conventions of a count, with these sizes of its terms."""
    every = parts(one.account.ledger.terms, one.account.ledger.unit)
    return Search([part for part in every if part.rule], sizes)


def _by_convention(among: Sequence[Reading]) -> _Way | None:
    """The cheapest way in which conventions alone explain the difference; none in which nothing differs is dear."""
    best = None
    for one in filter(_fits, among):
        search = _excuses(one, one.sizes)
        found = search.by_convention(_gap(one))
        if found and not (found.parts and one.account.alone) and (best is None or one.cost + found.cost < best.cost):
            best = _Way(one.cost + found.cost, one, differing(found, search, one.back), added(one.sizes))
    return best


def _by_parts(among: Sequence[Reading], dearest: int) -> Iterator[_Way]:
    """Parts that are left out, counted twice or by half."""
    for one in list(filter(_fits, among))[:_SEARCHED]:
        search = Search(parts(one.account.ledger.terms, one.account.ledger.unit), one.sizes)
        if found := search.cheapest(_gap(one), dearest - one.cost):
            kept = [part for part in found.parts if part.rule]
            right = added([*one.sizes, *(-1 * part.share * search.of(part) for part in kept)])
            yield _Way(one.cost + found.cost, one, differing(found, search, one.back), right)


def _by_mistake(among: Sequence[Reading], question: _Question) -> Iterator[_Way]:
    """One size written for another, with conventions beside it."""
    made: dict[tuple[int, str, str, str], list[Size] | None] = {}
    for one in among:
        for mistake in MISTAKES:
            key = id(one.shape), one.path, mistake.letter, mistake.put
            if key not in made:
                made[key] = _mistaken(one, mistake, question)
            sizes = made[key]
            if sizes is not None and (way := _beside(one, sizes, one.theirs, _says(mistake, one, question))):
                yield way


def _by_whole(among: Sequence[Reading]) -> Iterator[_Way]:
    """Everything so many times, with conventions beside it."""
    for one in among:
        for times, says in WHOLES if not one.account.alone else ():
            macs = ", multiply-adds and not FLOPs" if (one.account.ledger.unit, times) == ("FLOP", HALF) else ""
            if way := _beside(one, one.sizes, lift(one.theirs) * quotient(1, times), says + macs):
                yield way


def _mistaken(one: Reading, mistake: Mistake, question: _Question) -> list[Size] | None:
    """The terms with another size for a letter; None where they do not have it."""
    if mistake.letter not in one.account.ledger.letters or (mistake.letter in one.shape.sizes and not question.numbers):
        return None
    put = read(mistake.put)
    if any(name not in question.model.asked for name in letters(put)):
        return None
    (other,) = substituted([put], one.shape.sizes)
    return terms_of(one.account.ledger, one.path, {**one.shape.sizes, mistake.letter: other})


def _beside(one: Reading, sizes: list[Size], theirs: Size, says: str) -> _Way | None:
    """The way in which a formula is the sum of these sizes, but for conventions."""
    if not _fits(one._replace(sizes=sizes, theirs=theirs)):
        return None
    search = _excuses(one, sizes)
    found = search.by_convention(added([*sizes, -1 * theirs]))
    if found is None:
        return None
    plain = _excuses(one, one.sizes)
    right = added([*one.sizes, *(-1 * part.share * plain.of(part) for part in found.parts)])
    return _Way(one.cost + COST + found.cost, one, [says, *differing(found, search, one.back)], right)


def _says(mistake: Mistake, one: Reading, question: _Question) -> str:
    """The mistake in words, with the numbers of both sizes where they have them."""
    values = one.account.ledger.values
    sizes = [name for name in dict.fromkeys((mistake.letter, *letters(read(mistake.put)))) if name in values]
    cached = question.asked.quantity.partition("@")[0] == "kv"
    says: str = mistake.says.replace("are meant", "are cached") if cached else mistake.says
    return f"{says} ({', '.join(f'{name} = {values[name]:,}' for name in sizes)})" if sizes else says


def _said(verdict: str, way: _Way, values: Mapping[str, int]) -> Judgement:
    """The judgement, in the unit of the formula."""
    one = way.reading
    right, theirs = (bare(lift(size) * lift(one.back)) for size in (way.right, one.theirs))
    gap = added([right, -1 * theirs])
    clauses = [*way.clauses]
    if verdict == "right":
        clauses.append("is what the model has")
    elif verdict == "wrong" and not clauses:
        clauses += ([f"differs by {shown(gap)} from what the model has", leading(right, theirs)] if letters(right) else
                    [f"{shown(right)} is right"])
    clauses += one.says
    if verdict == "wrong":
        clauses.append(off(right, theirs, values))
    return Judgement(verdict, "; ".join(filter(None, clauses)), right, gap)
