"""What a label may mean of a model: which amounts, of one layer or of all, and what may be left out of their sum."""

from __future__ import annotations

from bisect import bisect_left
from collections import namedtuple
from fractions import Fraction
from math import ceil, floor

from symcount.parts.amounts import chosen, exact, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from symcount.parts.amounts import Amount, Counts
    from symcount.parts.words import Said

# path: the selector, "" for everything; says: "in one layer" and so on; items: (amount, number) of what is summed;
# off: what differs from the plain count already, "" for nothing
Reading = namedtuple("Reading", "path says items off")
# key: what the manner of counting may say of it; options: (what is added to the sum, its name), the first as it is
Choice = namedtuple("Choice", "key options")

_BLOCKS = (("layers", "stages", "^blocks"),)
_LEFT = (("embeddings.position", "the position table"), ("embeddings.type", "the table of token types"),
         ("embeddings.word", "the word table"), ("^embeddings.weight", "the word table"),
         ("^pooler", "the pooler"), ("attention.relative", "relative positions"))
_MOST = 5_000  # sums of one reading


def selections(said: Said, amounts: Sequence[Amount], counts: Counts) -> dict[str, tuple[Amount, ...]]:
    """{selector: amounts} of all that a label may name among these amounts."""
    inside = chosen(amounts, f"^{said.within}") if said.within else ()
    base = inside or amounts
    parts = list(dict.fromkeys(said.parts))
    if not parts:
        if said.roles & {"block", "one"}:
            parts = [_BLOCKS]
        elif inside or "bias" in said.roles or said.roles & {"total", "forward", "train", "backward", "token", "run",
                                                            "active", "outside", "matrix", "all"}:
            parts = [(("",),)]
        elif said.within:
            parts = [_BLOCKS]
        else:
            parts = [(("",),)] if said.plain else []
    each = [_fitting(part, base, counts) for part in parts]
    if len(each) > 1:
        union = {"+".join(next(iter(one), "") for one in each):
                 tuple({a.path: a for one in each for those in list(one.values())[:1] for a in those}.values())}
        both = [a for a in base if all(any(a in those for those in one.values()) for one in each)]
        found = {**({} if said.order else {" ".join(next(iter(one), "") for one in each): tuple(both)} if both else {}),
                 **union, **{path: those for one in each for path, those in one.items()}}
    else:
        found = each[0] if each else {}
    if "bias" in said.roles:
        found = {path: tuple(a for a in those if "bias" in a.kinds) for path, those in found.items()}
    if "outside" in said.roles:
        found = {path: tuple(a for a in those if "embedding" not in a.kinds) for path, those in found.items()}
    return {path: those for path, those in found.items() if those}


def _fitting(part: Iterable[tuple[str, ...]], base: Sequence[Amount], counts: Counts) -> dict[str, tuple[Amount, ...]]:
    """Of each reading of a part the first selector that something fits; the same amounts once."""
    found: dict[str, tuple[Amount, ...]] = {}
    for alternatives in part:
        for selector in alternatives:
            fitting = _shared_head(base, counts) if selector == "*head" else chosen(base, selector)
            if fitting:
                if fitting not in found.values():
                    found[selector.lstrip("^*")] = fitting
                break
    return found


def _shared_head(base: Sequence[Amount], counts: Counts) -> tuple[Amount, ...]:
    """The word table, where scores of all words are computed and nothing is stored for them."""
    logits = any("logits" in a.kinds for account in counts.work for a in account.amounts)
    return chosen(base, "embeddings.word") or chosen(base, "^embeddings.weight") if logits else ()


def readings(said: Said, path: str, amounts: Sequence[Amount]) -> list[Reading]:
    """Of one layer, of as many as the label says, or of all."""
    known = [(a, a.number) for a in amounts if a.number is not None]
    off = "" if len(known) == len(amounts) else "without the attention scores"
    whole = Reading(path, "", tuple(known), off)
    scopes = dict.fromkeys(scope for a in amounts for scope in a.scopes if scope[1] is not None)
    ones = []
    for scope, runs in scopes:
        inside = [(a, exact(Fraction(n) / runs)) for a, n in known if (scope, runs) in a.scopes] if runs else []
        if inside:
            ones.append(Reading(path, f"in one of {runs:,} {scope}", tuple(inside), off))
    if not ones:
        return [whole] if known else []
    many = said.many
    if many is not None and "one" not in said.roles:
        told = [_times(one, many) for one in ones]
        return [whole, *told] if many == sum(runs for _, runs in scopes) else told
    single = "single" in said.roles and not said.roles & {"total", "all"} and not said.parts
    if "one" in said.roles or single:
        return ones
    if said.roles & {"all", "several"} and "block" in said.roles:
        return [whole._replace(says="in all layers")]
    return [whole._replace(says="in all layers"), *ones]


def _times(one: Reading, many: int) -> Reading:
    return one._replace(says=f"in {many:,} layers", items=tuple((a, n * many) for a, n in one.items))


def total(items: Iterable[tuple[Amount, Any]]) -> Any:
    """The sum of the numbers of some items."""
    return exact(sum(n for _, n in items))


def _of(items: Iterable[tuple[Amount, Any]], *kinds: str) -> Any:
    return total((a, n) for a, n in items if all(kind in a.kinds for kind in kinds))


def choices(reading: Reading, amounts: Sequence[Amount], counts: Counts) -> list[Choice]:
    """What authors count or leave out: biases, norms, tables, a head of its own, attention scores."""
    items = reading.items
    norms, shifts = _of(items, "norm"), _of(items, "norm", "bias")
    biases = _of(items, "bias") - shifts
    inner = total((a, n) for a, n in items if "bias" in a.kinds and "norm" not in a.kinds
                  and stem(a.path).rsplit(".", 1)[-1] in ("query", "key", "value"))
    last = total((a, n) for a, n in items if "norm" in a.kinds and not a.scopes and a.path.startswith("norm."))
    table = [Choice("biases", [(0, "with biases"), (-biases, "without biases"),
                               (-inner, "without biases of query, key and value")]),
             Choice("norms", [(0, "with norms"), (-norms, "without norms"), (-shifts, "with norms that have no shift"),
                              (-last, "without the last norm"),
                              (norms if not shifts else 0, "with a shift in every norm"),
                              (norms - 2 * last if not shifts else 0, "with shifts and without the last norm")])]
    whole = total(items)
    for selector, name in _LEFT:
        part = total((a, n) for a, n in items if chosen([a], selector))
        table.append(Choice("", [(0, f"with {name}"), (-part if part != whole else 0, f"without {name}")]))
    table.append(_head(reading, amounts, counts))
    table.append(_own_norm(reading, amounts))
    if any(stem(a.path).endswith("recurrent") and "bias" in a.kinds for a, _ in items):
        table.append(Choice("vectors", [(0, "with two bias vectors"), (exact(Fraction(-biases) / 2), "with one")]))
    elif any(stem(a.path).endswith("recurrent") for a, _ in items):
        table.append(Choice("vectors", [(0, "with one bias vector"), (biases, "with two bias vectors")]))
    gates = any("gate" in a.path for a, _ in items)
    up = total((a, n) for a, n in items if stem(a.path).endswith("mlp.up"))
    if up and not gates and up != whole:
        table.append(Choice("", [(0, "without a gate"), (up, "with a gate matrix")]))
    scores = total((a, n) for a, n in items if {"scores", "mix"} & set(a.kinds))
    if scores != whole:
        table.append(Choice("", [(0, "with attention scores"), (-scores, "without attention scores"),
                                 (exact(Fraction(-scores) / 2), "with the half of the scores that a mask leaves")]))
    kept = [choice._replace(options=[one for i, one in enumerate(choice.options)
                                     if not i or (one[0] and one[0] not in [o[0] for o in choice.options[:i]])])
            for choice in table]
    return [choice for choice in kept if len(choice.options) > 1]


def _head(reading: Reading, amounts: Sequence[Amount], counts: Counts) -> Choice:
    """A head that counts, or does not, where everything is counted."""
    if reading.path or reading.says not in ("", "in all layers"):
        return Choice("", [(0, "")])
    mine = total((a, n) for a, n in reading.items if chosen([a], "^head") or chosen([a], "^classifier"))
    if mine:
        return Choice("tied", [(0, "with the head"), (-mine, "without the head")])
    shared = total((a, a.number) for a in _shared_head(amounts, counts) if a.number is not None)
    return Choice("tied", [(0, "with a tied head"), (shared, "with a head of its own")])


def _own_norm(reading: Reading, amounts: Sequence[Amount]) -> Choice:
    """The norm beside attention or MLP, which some count as theirs."""
    found = 0
    if reading.path in ("attention", "mlp", "cross") and reading.items:
        whole = reading.items[0]
        share = Fraction(whole[1]) / whole[0].number if whole[0].number else 0
        norms = chosen(amounts, f"{reading.path}_norm")
        alike = [a for a in norms if a.number is not None and a.scopes[:1] == whole[0].scopes[:1]]
        found = exact(sum((a.number * share for a in alike), Fraction(0)))
    return Choice("", [(0, ""), (found, "with its norm")])


class Sums:
    """All sums that the choices of a reading lead to, in order."""

    __slots__ = ("_ints", "_ordered", "_values", "choices", "whole")

    def __init__(self, reading: Reading, choices: Sequence[Choice]) -> None:
        self.whole = total(reading.items)
        kept: list[Choice] = []
        many = 1
        for choice in choices:
            if many * len(choice.options) > _MOST:
                break
            many *= len(choice.options)
            kept.append(choice)
        self.choices = kept
        found: list[tuple[Any, tuple[int, ...]]] = [(self.whole, ())]
        for choice in kept:
            found = [(one + change, (*picked, i)) for one, picked in found
                     for i, (change, _) in enumerate(choice.options)]
        self._ordered = sorted(found)
        self._values = [one for one, _ in self._ordered]
        self._ints = all(isinstance(one, int) for one in self._values)

    def usual(self, manner: Any, counts: Counts) -> tuple[int, ...]:
        """The choice that a text makes that counts in this manner."""
        return tuple(_usual(choice, manner, counts) for choice in self.choices)

    def at(self, picked: Sequence[int]) -> Any:
        """The sum of a choice."""
        return self.whole + sum(choice.options[i][0] for choice, i in zip(self.choices, picked, strict=True))

    def between(self, low: Any, high: Any) -> list[tuple[int, ...]]:
        """The choices whose sums are from `low` to `high`."""
        if self._ints:
            low, high = ceil(low), floor(high)
        found = []
        for i in range(bisect_left(self._values, low), len(self._ordered)):
            if self._values[i] > high:
                break
            found.append(self._ordered[i][1])
        return found

    def names(self, picked: Sequence[int], usual: Sequence[int]) -> list[str]:
        """What differs between a choice and the usual one."""
        return [choice.options[i][1] for choice, i, j in zip(self.choices, picked, usual, strict=True) if i != j]


def _usual(choice: Choice, manner: Any, counts: Counts) -> int:
    names: Mapping[str, int] = {name: i for i, (_, name) in enumerate(choice.options)}
    if choice.key in ("biases", "norms") and getattr(manner, choice.key) is False:
        return names.get(f"without {choice.key}", 0)
    if choice.key == "vectors" and manner.bias_vectors == 2:
        return names.get("with two bias vectors", 0)
    if choice.key == "vectors" and manner.bias_vectors == 1:
        return names.get("with one", 0)
    if choice.key == "tied" and manner.tied is not None:
        own = "with a head of its own" not in names and bool(chosen(counts.parameters, "^head"))
        if own and manner.tied:
            return names.get("without the head", 0)
        if not own and not manner.tied:
            return names.get("with a head of its own", 0)
    return 0
