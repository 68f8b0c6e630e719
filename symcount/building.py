"""What must hold of sizes that are left free so that a model can be built and counted: what sweeps and budgets heed."""

from __future__ import annotations

from collections import namedtuple

from symcount.architecture import Sizes
from symcount.given import RUN, WIDTHS
from symcount.polynomials import Condition, bare, letter, lift
from symcount.readers import bounds
from symcount.sizes import letters
from symcount.symbols import known, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from symcount.architecture import Model
    from symcount.ledger import Ledger
    from symcount.polynomials import Size

Need = namedtuple("Need", "condition follows")  # follows: (name, size) of what asks for it, None for the network itself


def needs(free: Model, ledgers: Iterable[Ledger], names: Collection[str]) -> list[Need]:
    """What must hold of the sizes `names`, which are letters of the model, so that it can be built and counted.

    What the network and its counts ask: exact divisions, sizes within others, none less than nothing; and what sizes
    ask that follow the free ones: to be whole, and not less than they can be. Conditions on sizes without a value are
    left out, for nothing is known of them.

    >>> from symcount import model, parameters
    >>> free = model("gpt2").freed("d")
    >>> [str(need.condition) for need in needs(free, [parameters(free)], ["d"])]
    ['heads divides d', '1 at most 4*d']
    """
    told = [Need(condition, None) for condition in bounds(free.network())]
    for ledger in ledgers:
        told += [Need(condition, None) for condition in ledger.conditions]
        told += [Need(Condition(0, "at most", size), None) for term in ledger.terms
                 for size in (*(runs for _, runs in term.scopes), *term.factors)
                 if any(c < 0 for _, c in lift(size).terms.values())]
    for name, size in following(free, names):
        told.append(Need(Condition(row(name).least, "at most", size), (name, size)))
        told += [Need(condition, (name, size)) for condition in (*_whole(size), *getattr(size, "conditions", ()))]
    values = {name for name in free.values if name not in names}
    found: dict[str, Need] = {}
    for need in told:
        c = need.condition
        met = {*letters(c.left), *letters(c.right)}
        if met.intersection(names) and met <= values.union(names):
            for one in (*(each for side in (c.left, c.right) for each in _whole(side)), c):
                found.setdefault(str(one), Need(Condition(bare(one.left), one.relation, bare(one.right)), need.follows))
    return list(found.values())


def following(free: Model, names: Collection[str]) -> Iterator[tuple[str, Size]]:
    """The sizes of a model that follow the free ones: h = 4d, where d is free."""
    architecture, z = free.architecture, Sizes(free, letter)
    for name in dict.fromkeys((*architecture.sizes, *architecture.follows, *RUN, *free.given)):
        if name in free.values or name in names or name == WIDTHS or name in architecture.stages or not known(name):
            continue
        size = getattr(z, name)
        if set(letters(size)).intersection(names):
            yield name, size


def _whole(size: Size) -> list[Condition]:
    """That a size is a whole number, where that does not go without saying."""
    exact = all(c.denominator == 1 and all(p > 0 for _, p in powers) for powers, c in lift(size).terms.values())
    return [] if exact else [Condition(1, "divides", size)]
