"""The verb `practice`: a sheet of exercises, a hint, a verdict on an answer, a key."""

from __future__ import annotations

from symcount.errors import ModelError, clipped
from symcount.verbs import listings, printed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DIGITS = 18  # of a seed
_PLACES = 10**6  # seeds that are drawn where none is given: short enough to be typed


def practice(asked: Any) -> Any:
    """What one call prints, or its data for JSON."""
    from symcount.sheets import USUAL, drawn, key, sheet

    if asked.models:
        raise ModelError(f"practice takes options, and no '{clipped(asked.models[0])}'; symcount practice --kinds "
                         "lists the kinds of exercises")
    if asked.kinds:
        return _kinds(asked)
    level, count = _whole("level", asked.level), _whole("count", asked.count) or USUAL
    number, hint = _whole("number", asked.number), _whole("hint", asked.hint)
    chosen = [name.strip() for name in asked.kind.split(",")] if asked.kind else []
    _fits(asked, number, count)
    seed = _seed(asked)
    found = drawn(seed, level=level, chosen=chosen, count=number or count)
    again = " ".join(["symcount practice --seed", str(seed), *(
        f"--{name} {given}" for name, given in (("level", level), ("kind", ",".join(chosen)),
                                                ("count", count if count != USUAL else None)) if given)])
    found = found[number - 1:] if number else found
    if asked.check:
        return _check(asked, seed, found[0])
    if hint and hint > len(found[0].exercise.hints):
        raise ModelError(f"exercise {number} has {len(found[0].exercise.hints)} hints; --solutions works it out")
    if asked.format == "json":
        return _data(asked, seed, found, hint or 0)
    made = key(seed, found, again) if asked.solutions else sheet(seed, found, again, hint or 0)
    if asked.format != "text":  # what is handed out does not say how to print the key; its title has the seed
        made = made._replace(notes=())
    return printed(asked, "sheet", [made])


def _fits(asked: Any, number: int | None, count: int) -> None:
    """Refuses options that do not go together."""
    for name, given in (("hint", asked.hint), ("check", asked.check)):
        if given and not number:
            raise ModelError(f"--{name}: for which exercise? say --number 3")
        if given and asked.solutions:
            raise ModelError(f"--{name} and --solutions do not go together")
    if asked.hint and asked.check:
        raise ModelError("--hint and --check do not go together")
    if asked.check and asked.format not in ("text", "json"):
        raise ModelError("--check answers in text or json")
    if (asked.check or asked.hint or asked.number) and not asked.seed:
        raise ModelError("of which sheet? say --seed, as the sheet names it")
    if number and number > count:
        raise ModelError(f"exercise {number}: the sheet has {count}; --count {number} would have more")


def _whole(name: str, given: str | None) -> int | None:
    """A small whole number from 1 on; None where nothing is said."""
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 4 and int(given)):
        raise ModelError(f"--{name} {clipped(given)}: a whole number from 1 on, below 1,000, is needed")
    return int(given)


def _seed(asked: Any) -> int:
    if asked.seed is None:
        from os import urandom

        return int.from_bytes(urandom(8), "big") % _PLACES
    if not (asked.seed.isascii() and asked.seed.isdigit() and len(asked.seed) <= _DIGITS):
        raise ModelError(f"--seed {clipped(asked.seed)}: a seed is a whole number of at most {_DIGITS} digits")
    return int(asked.seed)


def _kinds(asked: Any) -> Any:
    from symcount.derivation import Listing
    from symcount.exercises import called, kinds

    return listings(asked, [Listing("kinds of exercises, for --kind", ("kind", "asks_for"), ("kind", "asks for"),
                                    tuple((name, called(name)) for name in kinds()))])


def _check(asked: Any, seed: int, one: Any) -> Any:
    from symcount.sheets import verdict

    right, says = verdict(one.exercise, asked.check)
    asked.status = 0 if right else 1
    if asked.format == "json":
        return {"seed": seed, "number": one.number, "right": right, "says": says}
    return says


def _data(asked: Any, seed: int, found: Any, hint: int) -> Any:
    """The sheet as data; answers and steps only of a key."""
    from symcount.answers import expected, shown
    from symcount.render.text import piece, worked
    from symcount.sheets import said, solution

    return {"seed": seed, "exercises": [{
        "number": one.number, "kind": one.kind, "level": one.level,
        "question": [said(paragraph) for paragraph in one.exercise.asks],
        "expects": expected(one.exercise.answer),
        **({"hints": [said(each) for each in one.exercise.hints[:hint]]} if hint else {}),
        **({"answer": "".join(map(piece, shown(one.exercise.answer))),
            "solution": [worked(step) for step in solution(one.exercise)]} if asked.solutions else {}),
    } for one in found]}
