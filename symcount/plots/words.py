"""What is said of ledgers in a picture: their names, their totals, and one line of conventions."""

from __future__ import annotations

from symcount.counting import no_value
from symcount.errors import ModelError, SizeError, UnitError, clipped
from symcount.ledger import UNITS, Ledger
from symcount.plots.page import width, wrapped
from symcount.polynomials import quotient
from symcount.render import in_bytes, rounded, significant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

_LONGEST = 80  # signs of a name


def named(ledgers: Iterable[Ledger] | Mapping[str, Ledger], most: int) -> list[tuple[str, Ledger]]:
    """(name, ledger) of each: its key in a mapping, or its subject, the part that it is, and its convention.

    Raises ModelError for none, and for more than `most`; UnitError for two units.
    """
    from collections.abc import Mapping

    keyed = isinstance(ledgers, Mapping)
    found = list(ledgers.values()) if isinstance(ledgers, Mapping) else list(ledgers)
    if not found:
        raise ModelError("there is no ledger to draw")
    if len(found) > most:
        raise ModelError(f"{len(found)} ledgers are too many for one picture: it takes {most} at most")
    units = list(dict.fromkeys(UNITS[one.unit] for one in found))
    if len(units) > 1:
        raise UnitError(f"cannot draw {units[0]} and {units[1]} in one picture: two units")
    names = list(ledgers) if keyed else _apart(found)
    return [(clipped(str(name), _LONGEST), one) for name, one in zip(names, found, strict=True)]


def _apart(ledgers: list[Ledger]) -> list[str]:
    """Names that tell ledgers apart: by subject, by part where subjects are equal, by convention where these differ."""
    subjects = [one.subject for one in ledgers]
    names = list(subjects)
    if len(set(subjects)) < len(subjects):
        parts = [_part(one) for one in ledgers]
        if len(set(parts)) > 1:
            one_subject = len(set(subjects)) == 1
            names = [part if one_subject and part else f"{shortly(subject)} {part}".strip()
                     for part, subject in zip(parts, subjects, strict=True)]
    if len({one.convention for one in ledgers}) > 1:
        names = [f"{name}, {one.convention or 'no convention'}" for name, one in zip(names, ledgers, strict=True)]
    return [name or str(i) for i, name in enumerate(names, 1)]


def _part(ledger: Ledger) -> str:
    """The path that all terms are under, and what is meant of it, for it need not be all."""
    parts = [term.path.split(".") for term in ledger.terms]
    deep = next((i for i, several in enumerate(zip(*parts, strict=False)) if len(set(several)) > 1),
                min(map(len, parts), default=0))
    inside = list(dict.fromkeys(part[deep] for part in parts if len(part) > deep))
    some = f"{len(inside)} parts" if len(inside) > 3 else ", ".join(inside)
    above = ".".join(parts[0][:deep]) if parts else ""
    return f"{above} ({some})" if above and some else above or some


def shortly(subject: str) -> str:
    """The name without its class.

    >>> shortly("llama-7b (LlamaForCausalLM), active")
    'llama-7b, active'
    """
    before, _, after = subject.partition(" (")
    return before + after.partition(")")[2]


def broken(name: str, inches: float, size: float) -> list[str]:
    """The lines of a name, its class on a line of its own where one line has no room."""
    pieces = [name] if width(name, size) <= inches else name.replace(" (", "\n(", 1).split("\n")
    return [line for piece in pieces for line in wrapped(piece, inches, size)]


def titled(ledgers: Sequence[tuple[str, Ledger]], how: str) -> str:
    """What is counted, how, and of what."""
    unit = UNITS[ledgers[0][1].unit]
    subjects = {one.subject for _, one in ledgers if one.subject}
    models = {subject.partition(" (")[0] for subject in subjects}
    of = f" of {(subjects if len(subjects) == 1 else models).pop()}" if len(models) == 1 else (
        f" of {len(models)} models" if models else "")
    besides = {shortly(subject)[len(subject.partition(" (")[0]):] for subject in subjects}
    if len(subjects) > 1 and len(besides) == 1:
        of += besides.pop()
    return f"{unit[0].upper()}{unit[1:]}{of}, {how}"


def said(told: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The conventions (name, notes) of several ledgers: what all share stands plain, the rest with its owners."""
    notes = list(dict.fromkeys(note for _, own in told for note in own))
    shown = []
    for note in notes:
        whose = [shortly(name) for name, own in told if note in own]
        shown.append(note if len(whose) == len(told) else f"{note} ({', '.join(dict.fromkeys(whose))})")
    return "counted: " + "; ".join(shown) if shown else ""


def total(ledger: Ledger) -> Any:
    """The exact total. Raises SizeError where a size is open, or the total is zero."""
    name = f"{ledger.subject}: " if ledger.subject else ""
    if ledger.open:
        raise SizeError(f"{name}shares need numbers, and {no_value(ledger.open)}")
    whole = ledger.total
    if not whole:
        raise SizeError(f"{name}the total is 0 {UNITS[ledger.unit]}, of which nothing has a share")
    return whole


def amount(count: Any, unit: str) -> str:
    """A count as people say it: three digits and a word, or bytes in larger units."""
    return in_bytes(count) if unit == "byte" else rounded(count)


def percent(count: Any, whole: Any, digits: int = 3) -> str:
    """A share with so many digits.

    >>> percent(2147483648, 6738415616)
    '31.9 %'
    """
    share = quotient(100 * count.numerator * whole.denominator, count.denominator * whole.numerator)
    return f"{significant(share, digits)} %"


def short(path: str, paths: Iterable[str]) -> str:
    """A path without its last part, where that is the only one there: embeddings for embeddings.weight."""
    above, _, last = path.rpartition(".")
    alone = last == "weight" and not any(other.startswith(f"{above}.") for other in paths if other != path)
    return above if alone and above else path
