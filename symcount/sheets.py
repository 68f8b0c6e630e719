"""Sheets of exercises from a seed: which kinds, at which level, and what is printed of them.

The exercise at one place depends on the seed, on the kinds and the level that were asked for, and on its place: not on
how many others there are. A later version, with more kinds, may draw another sheet.
"""

from __future__ import annotations

import re
from collections import namedtuple

from symcount import answers
from symcount.derivation import Equation, Item, Quoted, Sheet, Solving
from symcount.drawing import Draw
from symcount.errors import ModelError, SymcountError
from symcount.exercise import paragraph
from symcount.exercises import called, kinds, load
from symcount.forms import Symbol
from symcount.render.text import piece
from symcount.symbols import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from symcount.exercise import Exercise

MOST, USUAL, LEVELS = 100, 6, (1, 2, 3)
_TRIES = 200  # for an exercise that is neither trivial nor on the sheet already
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")

Drawn = namedtuple("Drawn", "number kind level exercise")


def drawn(seed: int, *, level: int | None = None, chosen: Sequence[str] = (), count: int = USUAL) -> list[Drawn]:
    """The exercises of a sheet: kinds in an order that the seed says, all once before one comes twice.

    Without a level there are two of each, from the easiest on: 1, 1, 2, 2, 3, 3, and from the start again.

    >>> [(one.number, one.level) for one in drawn(7, count=3)]
    [(1, 1), (2, 1), (3, 2)]

    Raises ModelError for a kind, a level or a count that there is not.
    """
    if level not in (None, *LEVELS):
        raise ModelError(f"level {level}: there are levels 1, 2 and 3")
    if not 1 <= count <= MOST:
        raise ModelError(f"{count:,} exercises: a sheet has 1 to {MOST}")
    for name in chosen:
        load(name)  # refuses a name that is none
    names = sorted(dict.fromkeys(chosen) or kinds(), key=lambda name: (Draw(seed, "order", name).below(2**40), name))
    found: list[Drawn] = []
    seen: set[str] = set()
    for place in range(count):
        name = names[place % len(names)]
        at = level or LEVELS[place // 2 % len(LEVELS)]
        exercise = _fresh(seed, name, at, place // len(names), seen)
        found.append(Drawn(place + 1, name, at, exercise))
    return found


def _fresh(seed: int, name: str, level: int, turn: int, seen: set[str]) -> Exercise:
    """An exercise that is not trivial, and that is not among those seen, to which it is added."""
    for attempt in range(_TRIES):
        one = made(name, level, Draw(seed, name, level, turn, attempt))
        text = question(one)
        if text not in seen and not trivial(one):
            seen.add(text)
            return one
    raise SymcountError(f"{name}: no further exercise of level {level}; ask for fewer, or for more kinds")


def made(name: str, level: int, draw: Draw) -> Exercise:
    """An exercise as its kind makes it, without slips that are none for these numbers."""
    found: Exercise = load(name).exercise(level, draw)
    wrong = tuple((wrong, says.replace("`", "")) for wrong, says in found.slips
                  if not answers.same(wrong, found.answer))
    asks, hints = (tuple(paragraph(one) if isinstance(one, str) else one for one in each)
                   for each in (found.asks, found.hints))
    return found._replace(asks=asks, hints=hints, slips=wrong)


def question(one: Exercise) -> str:
    """The words of a question, on one line each paragraph."""
    return "\n".join(map(said, one.asks))


def said(told: Any) -> str:
    """A paragraph as text: one line, or as many as are quoted."""
    if isinstance(told, Quoted):
        return "\n".join(f"({letter}) {''.join(map(piece, pieces))}" for letter, pieces in told.lines)
    return "".join(map(piece, told))


def trivial(one: Exercise) -> bool:
    """Whether an answer is 0 or 1, or can be read off its question."""
    answer, text = one.answer, question(one)
    answer = answer.value if isinstance(answer, answers.Picked) else answer
    if isinstance(answer, answers.Amount):
        return abs(answer.number) < 2 or f"{abs(answer.number):,}" in _NUMBER.findall(text)
    if isinstance(answer, answers.Percent):
        return not 1 < 200 * answer.share < 199
    if isinstance(answer, answers.Shape):
        return any(sep.join(map(str, answer.sizes)) in text for sep in (" × ", ", ")) if answer.sizes else False
    entries = {abs(x) for row in answer.rows for x in row}
    return len(entries) < 2 or "".join(map(piece, answers.shown(answer))) in text


def sheet(seed: int, found: Sequence[Drawn], again: str, hints: int = 0) -> Sheet:
    """The questions, each with so many hints; `again` is the call that draws the sheet."""
    items = []
    for one in found:
        told = one.exercise.hints[:hints]
        more = tuple((f"Hint {i}: ", *hint) for i, hint in enumerate(told, start=1))
        items.append(Item(one.number, label(one), (*one.exercise.asks, *more)))
    number = found[0].number
    return Sheet(f"Practice, seed {seed}", tuple(items), (
        f"The same sheet again: {again}",
        f"Right or not? Add --number {number} --check ANSWER. A hint: --number {number} --hint. "
        "All worked out: --solutions."))


def key(seed: int, found: Sequence[Drawn], again: str) -> Sheet:
    """The questions with answers, worked out."""
    return Sheet(f"Practice, seed {seed}: worked solutions", tuple(
        Item(one.number, label(one), one.exercise.asks, answers.shown(one.exercise.answer), solution(one.exercise))
        for one in found), (f"The sheet: {again}",))


def solution(one: Exercise) -> tuple[Any, ...]:
    """The steps of the worked solution, before them what those letters are that no paragraph names."""
    steps = tuple(one.steps())
    named = {*_letters(one.asks), *(name for step in steps if type(step) is tuple for name in _letters(step))}
    used = (step.lines if isinstance(step, Solving) else tuple(step.forms) for step in steps
            if isinstance(step, (Equation, Solving)))
    new = [name for name in dict.fromkeys(_letters(tuple(used))) if name not in named]
    told = [part for name in new for part in (", ", Symbol(name), f" ({row(name).meaning})")]
    return (("Other letters: ", *told[1:], "."), *steps) if new else steps


def _letters(form: Any) -> Iterator[str]:
    if isinstance(form, Symbol):
        yield form.name
    elif isinstance(form, tuple):
        for part in form:
            yield from _letters(part)


def label(one: Drawn) -> str:
    """The kind of an exercise, and its level."""
    return f"{called(one.kind)} (level {one.level})"


def verdict(one: Exercise, text: str) -> tuple[bool, str]:
    """Whether an answer is right, and what to say of it. Raises ModelError for one that cannot be read."""
    given = answers.read(text, one.answer)
    if answers.same(given, one.answer):
        return True, f"right: {''.join(map(piece, answers.shown(one.answer)))}"
    # One number may come from more than one slip
    known = dict.fromkeys(says for wrong, says in one.slips if answers.same(given, wrong))
    why = "; or: ".join(known) or answers.looks(given, one.answer)
    return False, "not right" + (f": {why}" if why else "; --hint helps on")
