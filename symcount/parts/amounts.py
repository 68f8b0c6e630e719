"""What a model has of every part, as numbers: parameters, multiply-adds of a token and of a run, what a cache keeps.

The terms are those of the readers; of a ledger with open letters the terms that need them have no number.
"""

from __future__ import annotations

from collections import namedtuple
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache

from symcount.errors import SymcountError
from symcount.naming import model as named
from symcount.polynomials import quotient
from symcount.readers.cache import kv_cache
from symcount.readers.parameters import active_parameters, parameters
from symcount.readers.work import multiply_adds
from symcount.scopes import matches
from symcount.sizes import is_one, letters, ratio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from symcount.architecture import Model
    from symcount.ledger import Ledger, Term
    from symcount.polynomials import Size

# path, kinds; number: how many there are in all, None where a letter is open; scopes: (path, runs) of what repeats;
# factors: the sizes whose product is one of them
Amount = namedtuple("Amount", "path kinds number scopes factors")
# One way to count a run: what it says ("" of parameters), and the amounts
Account = namedtuple("Account", "says amounts")
_MOST = 500  # results that are kept of one model
_RUN = ("s", "t")  # the sizes of a run that a text may give, or leave to the positions that a model has


class Counts:
    """The accounts of one model, each read when it is first asked for.

    Of a part that the reader refuses there are no amounts.
    """

    def __init__(self, model: Model) -> None:
        self.model, self.values = model, dict(model.values)
        self._made: dict[Any, Any] = {}

    def once(self, key: Any, make: Callable[..., Any], *args: Any) -> Any:
        """make(*args), made once for a key; labels of strangers cannot fill the memory with keys."""
        if key not in self._made:
            if len(self._made) >= _MOST:
                self._made.clear()
            self._made[key] = make(*args)
        return self._made[key]

    @property
    def parameters(self) -> tuple[Amount, ...]:
        """Every parameter once."""
        return self.once("parameters", self._read, parameters)

    @property
    def active(self) -> tuple[Amount, ...]:
        """Of tables behind a router only the chosen rows."""
        return self.once("active", self._read, active_parameters)

    @property
    def work(self) -> tuple[Account, ...]:
        """Multiply-adds of one token and of a run, of as many tokens as are given, or as there are positions."""
        return self.once("work", self._work)

    @property
    def cache(self) -> tuple[Account, ...]:
        """What is remembered of one token, and of a run."""
        return self.once("cache", self._cache)

    @property
    def more_heads(self) -> Fraction:
        """How many times as large the cache would be if every query head had a key and a value of its own."""
        return self.once("more heads", self._more_heads)

    def _work(self) -> tuple[Account, ...]:
        ledger = _ledger(multiply_adds, self.model)
        if ledger is None:
            return ()
        tokens = self._tokens
        one = tuple(_amount(term, _per_token(term.size, self.values, tokens), self.values) for term in ledger.terms)
        found = [Account("for one token", one)]
        if not any(set(_RUN) & set(letters(term.size)) for term in ledger.terms):
            found = [Account("for one run", one)]
        elif tokens:
            run = {**self.values, "s": tokens, "t": self.values.get("t", tokens)}
            found.append(Account(f"for {tokens:,} tokens", _amounts(ledger, run)))
        return tuple(found)

    def _cache(self) -> tuple[Account, ...]:
        ledger = _ledger(kv_cache, self.model)
        if ledger is None:
            return ()
        lengths = dict.fromkeys((1, self.values.get("t", 1), self._tokens or 1))
        return tuple(Account(f"for {n:,} tokens" if n > 1 else "for one token",
                             _amounts(ledger, {**self.values, "s": n, "t": n})) for n in lengths)

    def _more_heads(self) -> Fraction:
        heads, kv = (self.values.get(name, 0) for name in ("heads", "kv"))
        if not 0 < kv < heads or not self.cache:
            return Fraction(1)
        try:
            more = Counts(self.model.replace(kv=heads)).cache
        except SymcountError:
            return Fraction(1)
        one, other = (sum(a.number or 0 for a in accounts[0].amounts) for accounts in (self.cache, more))
        return Fraction(other) / one if one else Fraction(1)

    @property
    def _tokens(self) -> int | None:
        return self.values.get("s") or self.values.get("P")

    def _read(self, reader: Callable[[Any], Ledger]) -> tuple[Amount, ...]:
        ledger = _ledger(reader, self.model)
        return () if ledger is None else _amounts(ledger, self.values)


@lru_cache(maxsize=8)
def counts(model: Model) -> Counts:
    """The accounts of a model, kept for the models that were last asked for."""
    return Counts(model)


@lru_cache(maxsize=32)
def heads(name: str) -> tuple[tuple[str, Counts], ...]:
    """("" or "as CLASS", the counts) of a published model with each head that it may have, its own first."""
    one, found = named(name), []
    for cls in dict.fromkeys((one.cls, *one.architecture.classes)):
        with suppress(SymcountError):  # a class that needs a size which nothing gives
            own = Counts(one if cls == one.cls else one.replace(head=cls))
            found.append(("" if cls == one.cls else f"as {cls}", own))
    return tuple(found)


def _ledger(reader: Callable[[Any], Ledger], model: Model) -> Ledger | None:
    try:
        return reader(model)
    except SymcountError:
        return None


def _amounts(ledger: Ledger, values: Mapping[str, int]) -> tuple[Amount, ...]:
    return tuple(_amount(term, number(term.size, values), values) for term in ledger.terms)


def _amount(term: Term, found: Any, values: Mapping[str, int]) -> Amount:
    scopes = tuple((path, number(runs, values)) for path, runs in term.scopes if not is_one(runs))
    return Amount(term.path, term.kinds, found, scopes, tuple(number(factor, values) for factor in term.factors))


def number(size: Size, values: Mapping[str, int]) -> Any:
    """The exact number of a size, None where a letter has no value or the size cannot be."""
    if any(name not in values for name in letters(size)):
        return None
    try:
        return quotient(*ratio(size, values))
    except (SymcountError, ZeroDivisionError):
        return None


def _per_token(size: Size, values: Mapping[str, int], tokens: int | None) -> Any:
    """The share of one of the tokens; where nobody says how many there are, of what is linear in them."""
    if not set(_RUN) & set(letters(size)):
        return number(size, values)
    if tokens:
        whole = number(size, {**values, "s": tokens, "t": values.get("t", tokens)})
        return None if whole is None else exact(Fraction(whole) / tokens)
    one, two = (number(size, {**values, "s": n, "t": n}) for n in (1, 2))
    return one if one is not None and two == 2 * one else None


def exact(found: Fraction | int) -> Any:
    """A whole number as an int."""
    return found.numerator if found.denominator == 1 else found


def chosen(amounts: Iterable[Amount], selector: str) -> tuple[Amount, ...]:
    """The amounts that a selector names, none where one of the paths that it joins has none.

    >>> both = (Amount("norm.weight", ("norm",), 8, (), (8,)), Amount("layers.norm.weight", ("norm",), 8, (), (8,)))
    >>> len(chosen(both, "norm")), len(chosen(both, "^norm")), len(chosen(both, "^norm+head"))
    (2, 1, 0)
    """
    found: dict[str, Amount] = {}
    for piece in selector.split("+"):
        path, _, kind = piece.partition("~")
        fitting = [one for one in amounts if _under(one.path, path) and (not kind or kind in one.kinds)]
        if not fitting:
            return ()
        found.update((one.path, one) for one in fitting)
    return tuple(found.values())


def _under(path: str, wanted: str) -> bool:
    if wanted.startswith("^"):
        return f"{path}.".startswith(f"{wanted[1:]}.")
    return not wanted or matches(path, wanted)


def stem(path: str) -> str:
    """The path of the operation that a weight or a bias belongs to."""
    return path.removesuffix(".weight").removesuffix(".bias")

