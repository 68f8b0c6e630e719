"""The cheapest parts whose sum a difference is: meet in the middle, on sums that are one number each.

A size becomes Σ coefficient·r(monomial) modulo a prime, where r is a hash of the monomial: sizes are added by adding
numbers. What is found is checked by the sizes themselves, so the hash decides nothing.
"""

from __future__ import annotations

from collections import namedtuple
from hashlib import blake2b
from itertools import islice

from symcount.polynomials import Atom, added, lift
from symcount.sizes import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from symcount.polynomials import Size
    from symcount.shortfalls.parts import Part

_PRIME = 2**127 - 1
_KEPT = 4            # ways to the same sum that are kept
_MOST_RULED = 13     # conventions of which all sets are tried
_MOST_PAIRS = 60_000
_TARGETS = 6         # sets of conventions beside which three and four parts are tried
_ALIKE = 12          # parts of one size that are tried for disjointness

# cost, and the parts that were left out, doubled or halved, conventions first
Found = namedtuple("Found", "cost parts")
# A way to a sum: its cost, the bits of its terms, its parts
_Way = namedtuple("_Way", "cost at parts")
# Parts of one sum: what it adds to a difference, the least cost, the parts
_Alike = namedtuple("_Alike", "adds cost parts")

_drawn: dict[frozenset[object], int] = {}


def fingerprint(size: Size) -> int:
    """The number that stands for a size: that of a sum is the sum, modulo a prime.

    >>> from symcount.polynomials import letter
    >>> d = letter("d")
    >>> fingerprint(d * d + 3 * d) == (fingerprint(d * d) + 3 * fingerprint(d)) % (2**127 - 1)
    True
    """
    total = 0
    for key, (_, c) in lift(size).terms.items():
        if key not in _drawn:
            if len(_drawn) > 10_000:
                _drawn.clear()
            text = "*".join(sorted(f"{atom.key if isinstance(atom, Atom) else atom}^{power}" for atom, power in key))
            _drawn[key] = int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "big") % _PRIME
        total += c.numerator * pow(c.denominator, -1, _PRIME) * _drawn[key]
    return total % _PRIME


class Search:
    """Parts with the sizes of their terms, to be asked which of them a difference is made of."""

    def __init__(self, parts: Sequence[Part], sizes: Sequence[Size]) -> None:
        self.parts, self.sizes = parts, sizes
        prints = [fingerprint(size) for size in sizes]
        shares: dict[object, int] = {}
        self.adds: list[int] = []
        for part in parts:
            if part.share not in shares:
                shares[part.share] = part.share.numerator * pow(part.share.denominator, -1, _PRIME)
            total = sum(one for i, one in enumerate(prints) if part.at >> i & 1)
            self.adds.append(total * shares[part.share] % _PRIME)
        self._ruled: dict[int, list[_Way]] = {}
        free: list[tuple[Part, int]] = []
        ruled: list[tuple[Part, int]] = []
        for part, adds in zip(parts, self.adds, strict=True):
            if adds:
                (ruled if part.rule else free).append((part, adds))
        for way, adds in sorted(_sets(ruled[:_MOST_RULED]), key=lambda found: found[0].cost):
            kept = self._ruled.setdefault(adds, [])
            if len(kept) < _KEPT:
                kept.append(way)
        self._free = _alike(free)

    def by_convention(self, gap: Size) -> Found | None:
        """The cheapest set of conventions that the gap is."""
        for way in self._ruled.get(fingerprint(gap), ()):
            if self._is(way.parts, gap):
                return Found(way.cost, way.parts)
        return None

    def cheapest(self, gap: Size, dearest: int) -> Found | None:
        """The cheapest parts that the gap is, with conventions beside them, of a cost of at most `dearest`.

        Conventions alone come first.
        """
        if excused := self.by_convention(gap):
            return excused
        target, best = fingerprint(gap), Found(dearest + 1, ())

        def offer(alike: tuple[_Alike, ...], ways: Sequence[_Way]) -> None:
            nonlocal best
            for way in ways:
                if way.cost + sum(one.cost for one in alike) >= best.cost:
                    continue
                chosen = _placed(alike, way.at)
                if chosen is None:
                    continue
                cost = way.cost + sum(part.cost for part in chosen)
                if cost < best.cost and self._is((*way.parts, *chosen), gap):
                    best = Found(cost, (*way.parts, *chosen))

        for one in self._free:
            if ways := self._ruled.get((target - one.adds) % _PRIME):
                offer((one,), ways)
        pairs = self._pairs(best.cost - 1)
        for adds, those in pairs.items():
            if ways := self._ruled.get((target - adds) % _PRIME):
                for pair in those:
                    offer(pair, ways)
        cheap = min((one.cost for one in self._free), default=0)
        for adds, way in self._targets():
            if best.cost <= way.cost + 3 * cheap:
                break
            left = target - adds
            for one in self._free:
                for pair in pairs.get((left - one.adds) % _PRIME, ()):
                    offer((one, *pair), (way,))
            if best.cost <= way.cost + 4 * cheap:
                continue
            for sum_of_two, those in pairs.items():
                if others := pairs.get((left - sum_of_two) % _PRIME):
                    for two in those:
                        for more in others:
                            offer((*two, *more), (way,))
        return best if best.parts else None

    def instead(self, found: Found) -> list[list[Part]]:
        """For each part that was found, all that are of its size and cost, and could stand in its place."""
        adds = {id(part): one for part, one in zip(self.parts, self.adds, strict=True)}
        listed = []
        for part in found.parts:
            others = 0
            for other in found.parts:
                if adds[id(other)] != adds[id(part)]:
                    others |= other.at
            listed.append([one for one in self.parts if one.cost == part.cost and adds[id(one)] == adds[id(part)]
                           and one.share == part.share and not one.at & others])
        return listed

    def _is(self, chosen: Sequence[Part], gap: Size) -> bool:
        return same(added(part.share * self.of(part) for part in chosen), gap)

    def of(self, part: Part) -> Size:
        """The size of a part."""
        return added(size for i, size in enumerate(self.sizes) if part.at >> i & 1)

    def _pairs(self, dearest: int) -> dict[int, list[tuple[_Alike, ...]]]:
        """{their sum: pairs of parts}, each part left out or doubled."""
        whole = [one for one in self._free if one.parts[0].share.denominator == 1]
        found: dict[int, list[tuple[_Alike, ...]]] = {}
        pairs = ((a, b) for i, a in enumerate(whole) for b in whole[i:] if a.cost + b.cost <= dearest)
        for a, b in islice(pairs, _MOST_PAIRS):
            kept = found.setdefault((a.adds + b.adds) % _PRIME, [])
            if len(kept) < _KEPT:
                kept.append((a, b))
        return found

    def _targets(self) -> list[tuple[int, _Way]]:
        ways = [(adds, way) for adds, those in self._ruled.items() for way in those]
        return sorted(ways, key=lambda found: found[1].cost)[:_TARGETS]


def _sets(ruled: Sequence[tuple[Part, int]]) -> Iterator[tuple[_Way, int]]:
    """Every set of conventions of which no two are of the same terms, with what it adds."""
    ways = [(_Way(0, 0, ()), 0)]
    for part, adds in ruled:
        ways += [(_Way(way.cost + part.cost, way.at | part.at, (*way.parts, part)), (before + adds) % _PRIME)
                 for way, before in ways if not way.at & part.at]
    yield from ways


def _alike(free: Sequence[tuple[Part, int]]) -> list[_Alike]:
    """Parts of one sum together, the cheapest first."""
    found: dict[tuple[int, object], list[Part]] = {}
    for part, adds in free:
        found.setdefault((adds, part.share), []).append(part)
    listed = [_Alike(adds, min(part.cost for part in those), sorted(those, key=lambda part: part.cost)[:_ALIKE])
              for (adds, _), those in found.items()]
    return sorted(listed, key=lambda one: one.cost)


def _placed(alike: Sequence[_Alike], at: int) -> tuple[Part, ...] | None:
    """One part of each, no two of the same terms: two that are alike are two parts."""
    if not alike:
        return ()
    for part in alike[0].parts:
        if not part.at & at:
            rest = _placed(alike[1:], at | part.at)
            if rest is not None:
                return (part, *rest)
    return None
