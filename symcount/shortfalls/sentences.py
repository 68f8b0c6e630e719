"""What a judgement says: which parts are left out, counted twice or by half, and how much that is."""

from __future__ import annotations

from symcount.polynomials import added, lift, quotient
from symcount.render import percent, significant
from symcount.shortfalls.readings import degree, listed, shown
from symcount.sizes import fraction, letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from symcount.polynomials import Size
    from symcount.shortfalls.parts import Part
    from symcount.shortfalls.search import Found, Search

_MOST_NAMED = 4
_NUMBERS = ("no", "one", "two", "three", "four")


def differing(found: Found, search: Search, back: Size) -> list[str]:
    """Which parts a formula treats otherwise, a clause for each way, conventions first."""
    clauses = []
    instead = search.instead(found)
    kind = "polynomial" if any(letters(size) for size in search.sizes) else "number"
    told: set[int] = set()
    ways: dict[tuple[bool, Any], list[tuple[list[str], list[Part]]]] = {}
    for part, alike in zip(found.parts, instead, strict=True):
        if id(part) in told:
            continue
        together = [one for one in found.parts if any(one is other for other in alike)]
        told.update(map(id, together))
        ways.setdefault((part.rule is None, part.share), []).append((_either(alike, len(together), kind), together))
    for (mistake, share), those in sorted(ways.items(), key=lambda way: (way[0][0], way[0][1] != 1)):
        names = [name for which, _ in those for name in which]
        much = shown(lift(back) * lift(added(abs(part.share) * search.of(part) for _, one in those for part in one)))
        if share == 1:
            clauses.append(f"{'omits' if mistake else 'leaves out'} {listed(names, 'and')}: {much}")
        elif share == -1:
            clauses.append(f"counts {listed(names, 'and')}{' twice' if mistake else ''}: {much} more")
        else:
            clauses.append(f"counts half of {listed(names, 'and')}: {much} less")
    return clauses


def _either(alike: Sequence[Part], many: int, kind: str) -> list[str]:
    """What `many` of these parts are called: each of them, or which of them it may be."""
    names = _short([part.says for part in alike])
    if len(alike) <= many:
        return [part.says for part in alike]
    shortened = names if len(names) <= _MOST_NAMED else [*names[:3], f"{len(names) - 3} others"]
    which = listed(shortened, "or" if many == 1 else "and")
    each = "" if many == 1 else f"{_NUMBERS[many] if many < len(_NUMBERS) else many} of "
    return [f"{each}{which} (the same {kind}, they cannot be told apart)"]


def _short(paths: Sequence[str]) -> list[str]:
    """Paths without what all of them begin with: gate, up and down of layers.mlp, said once with the last."""
    split = [path.split(".") for path in paths]
    if len(split) < 2 or any(" " in path for path in paths):
        return list(paths)
    shared = 0
    while all(len(parts) > shared + 1 and parts[shared] == split[0][shared] for parts in split):
        shared += 1
    ends = [".".join(parts[shared:]) for parts in split]
    return [*ends[:-1], f"{ends[-1]} of {'.'.join(split[0][:shared])}"] if shared else ends


def off(right: Size, theirs: Size, values: Mapping[str, int]) -> str:
    """How far the formula is off at the sizes of the model: "" where one of them is open.

    >>> from symcount.polynomials import letter
    >>> off(100 * letter("d"), 97 * letter("d"), {"d": 768})
    '3.00 % too low at the sizes of the model'
    """
    if any(name not in values for size in (right, theirs) for name in letters(size)):
        return ""
    here, there = fraction(right, values), fraction(theirs, values)
    if not here or here == there:
        return ""
    if here > 0 and there >= 2 * here:
        times = quotient(there, here) if isinstance(here, int) else there / here
        return f"{significant(times)} times too much" if times < 10**6 else "more than a million times too much"
    if there < 0:
        return "less than nothing at the sizes of the model"
    share = abs(there - here) * 10_000 / abs(here)
    hundredths = int((2 * share + 1) // 2)
    much = percent(hundredths) if hundredths else "less than 0.01 %"
    return f"{much} too {'low' if there < here else 'high'}{' at the sizes of the model' if letters(right) else ''}"


def leading(right: Size, theirs: Size) -> str:
    """Whether two formulas have the same terms of the highest degree."""
    tops = []
    for size in (right, theirs):
        terms = lift(size).terms
        top = max((degree(powers) for powers, _ in terms.values()), default=0)
        tops.append({key: c for key, (powers, c) in terms.items() if degree(powers) == top})
    return "the leading terms agree" if tops[0] == tops[1] and tops[0] else ""
