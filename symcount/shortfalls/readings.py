"""How a formula may be read: for a token or a layer, in which unit, with which sizes put in for letters it lacks.

A model has more letters than a formula names. What it leaves out is put in as the model has it: `h = 4d`,
`k = d/heads`, `kv = heads` where that is so, else the number.
"""

from __future__ import annotations

from collections import namedtuple
from functools import lru_cache

from symcount.errors import FormulaError, SizeError
from symcount.forms import written
from symcount.formulas import as_letter, read
from symcount.given import RUN
from symcount.polynomials import Polynomial, added, bare, inverse, letter, lift, quotient, single
from symcount.readers.parameters import parameters
from symcount.render import exact, text
from symcount.sizes import fraction, is_one, letters, letters_of, per, same
from symcount.substitution import substitute
from symcount.symbols import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from symcount.ledger import Ledger, Term
    from symcount.polynomials import Size
    from symcount.shortfalls.accounts import Account, Asked

# sizes: what letters are replaced by; says: "with h = 4d"; cost; usual: whether the model has it so; numbers: whether
# there are numbers among them
Shape = namedtuple("Shape", "sizes says cost usual numbers", defaults=(True, False))

# account: of which; sizes: of its terms, each in one run of the scope at `path`, "" in all; theirs: the formula in the
# same unit; back: what brings both back into that of the author; says: how it is read; cost; usual: whether that needs
# no excuse; shape: what was put in
Reading = namedtuple("Reading", "account path sizes theirs back says cost usual shape")

# What most models have; it is put in where the model's numbers agree, or where its architecture says so
SHAPES = (("h", "4d"), ("k", "d/heads"), ("kv", "heads"))
# What authors take for granted of models that leave it open, that round it up to a multiple, or that forget late.
# Source: Vaswani et al. 2017, "Attention is all you need", table 3; Shazeer 2020, "GLU variants improve transformer",
# section 3; Jiang et al. 2023, "Mistral 7B", section 2: a window that is not yet full
ASSUMED = (("h", "4d"), ("h", "8d/3"), ("window", "t"))
_MULTIPLES = (32, 64, 128, 256, 512, 1024)
_MOST_APART = 4  # letters whose numbers are put in one by one

# {unit: (times, the other unit, "" where it is none, in words)}: what authors count instead
_INSTEAD = {
    "FLOP": ((quotient(1, 2), "multiply-add", "counts multiply-adds, not FLOPs"),),
    "multiply-add": ((2, "FLOP", "counts FLOPs, not multiply-adds"),),
    "byte": ((quotient(1, 2), "element", "counts numbers, not bytes"), (2, "", "counts 4 bytes for each number")),
}
_MOST_SHOWN = 8   # terms of a formula in a sentence
_MOST_LAYERS = 3  # kinds of layers of which each may be meant
# Which letter counts tokens
_TOKENS = {"macs": "s", "flops": "s", "kv": "t", "activations": "s"}


@lru_cache(maxsize=32)
def freed(model: Any, named: tuple[str, ...]) -> Any:
    """The model, with the letters that a formula names left as letters where it would have a formula for them."""
    follows = {**{name: how for name, how in RUN.items() if how}, **model.architecture.follows}
    free = [name for name in named if name in follows and name not in model.given and name in model.asked]
    return model.freed(*free) if free else model


def implied(model: Any, named: Sequence[str], ledger: Ledger) -> dict[str, Size]:
    """What letters of a formula stand for that the model has none for: k is d/heads, and kv heads, where it is so.

    A size that was given as a formula is that formula.
    """
    found: dict[str, Size] = {}
    k = bare(per(letter("d"), letter("heads")))
    if {"k", "kv"} & {*named} - model.asked and any(
            _is(factor, k) for term in parameters(model.whole()).terms for factor in term.factors):
        found = {"k": k, "kv": letter("heads")}
    found = {name: size for name, size in found.items() if name in named and name not in model.asked}
    if "s" in named and "s" not in ledger.letters:  # a cache is of t tokens; of what else is stored, only positions
        tokens = [name for name in ("P", "t") if name in ledger.letters]
        if tokens:
            found["s"] = letter(tokens[-1])
    return {**found, **{name: bare(size) for name, size in model.given.items() if isinstance(size, Polynomial)
                        and name in named and name not in ledger.letters}}


def _is(factor: Size, size: Size) -> bool:
    return not isinstance(factor, int) and lift(factor) is not NotImplemented and same(bare(factor), size)


def lacking(model: Any, named: Sequence[str], ledger: Ledger, stands: Mapping[str, Size]) -> list[str]:
    """The letters of a formula that mean nothing for this count."""
    return [name for name in named if name not in ledger.letters and name not in stands
            and (name in RUN or name not in model.asked)]


def shapes(model: Any, named: Sequence[str], ledger: Ledger, numbers: Mapping[str, int]) -> list[Shape]:
    """What may be put in for the letters that a formula does not name, the plainest first; `numbers` always are."""
    met = dict.fromkeys((*ledger.letters, *named))
    silent: dict[str, Any] = {name: number for name, number in numbers.items() if name in met}
    if "b" not in named and model.values.get("b") == 1:
        silent["b"] = 1
    held: dict[str, str] = {}
    for name, formula in (*model.architecture.follows.items(), *SHAPES):
        if name in met and name not in (*silent, *held, *RUN) and known(name) and _agrees(model, name, formula):
            held[name] = formula
    unnamed = {name: formula for name, formula in held.items() if name not in named}
    listed = [Shape(silent, "", 0)]
    if unnamed:
        listed.append(_shape(silent, unnamed, len(unnamed)))
    if len(held) > len(unnamed):
        listed.append(_shape(silent, held, len(held) + 1))
    here = _shape(silent, unnamed, 0).sizes
    left = [name for name in dict.fromkeys(name for size in terms_of(ledger, "", here) for name in letters(size))
            if name in model.values and name not in named]
    alone = [[name] for name in left] if 1 < len(left) <= _MOST_APART else []
    for chosen in (*alone, left):
        if chosen:
            numbers_of = {name: model.values[name] for name in chosen}
            told = {**unnamed, **{name: exact(number) for name, number in numbers_of.items()}}
            listed.append(Shape({**here, **numbers_of}, with_sizes(told), len(unnamed) + 1 + len(chosen), numbers=True))
    for name, formula in ASSUMED:
        if name in met and name not in (*named, *held, *silent) and (says := _assumed(model, name, formula)):
            one = _shape(silent, {**unnamed, name: formula}, len(unnamed) + 3)
            listed.append(one._replace(usual=False, says=f"{one.says}, {says}"))
    return listed


def _agrees(model: Any, name: str, formula: str) -> bool:
    """Whether a size is this formula in the model: by number, or by the architecture where it has none."""
    values = model.values
    try:
        size = read(formula)
        if name in values and all(word in values for word in letters(size)):
            return bool(fraction(size, values) == values[name])
    except (FormulaError, SizeError):  # in words that are no letters; a division by nothing
        return False
    return (name not in values and model.architecture.follows.get(name) == formula
            and all(word in model.asked for word in letters(size)))


def _assumed(model: Any, name: str, formula: str) -> str:
    """What the model has instead of what an author may take for granted; "" where he may not."""
    values = model.values
    if name == "window":
        return "as if no window were full"
    if name not in values:
        return "which the model leaves open"
    rounded = formula == "8d/3" and "d" in values and any(
        values[name] == -(-8 * values["d"] // (3 * m)) * m for m in _MULTIPLES)
    return f"which the model rounds up to {exact(values[name])}" if rounded else ""


def _shape(silent: Mapping[str, Any], formulas: Mapping[str, str], cost: int) -> Shape:
    """Letters replaced by formulas, within which letters may be replaced too."""
    def meant(word: str, depth: int = 0) -> Size:
        if word in silent:
            return silent[word]
        if word in formulas and depth < 4:
            return substitute(read(formulas[word]), lambda one: meant(one, depth + 1))
        return letter(word)

    return Shape({**silent, **{name: bare(meant(name)) for name in formulas}}, with_sizes(formulas), cost)


def with_sizes(told: Mapping[str, Any]) -> str:
    """What was put in for letters, in words.

    >>> with_sizes({"h": "4d", "kv": "heads"})
    'with h = 4d and kv = heads'
    """
    said = [f"{name} = {how}" for name, how in told.items()]
    return f"with {listed(said, 'and')}" if said else ""


def listed(words: Sequence[str], last: str) -> str:
    """Words as a sentence lists them.

    >>> listed(["gate", "up", "down"], "or")
    'gate, up or down'
    """
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


def substituted(sizes: Sequence[Size], table: Mapping[str, Any]) -> list[Size]:
    """Sizes with others for their letters, without their conditions.

    >>> substituted([letter("d") * letter("h") + letter("d"), 3], {"h": 4 * letter("d")})
    [4*d^2 + d, 3]
    """
    return [_put(bare(size), table) if table else bare(size) for size in sizes]


def _put(size: Size, table: Mapping[str, Any]) -> Size:
    """One size with others for its letters; factors that keep theirs are not multiplied anew."""
    if not isinstance(size, Polynomial):
        return size
    found: list[Size] = []
    for powers, c in size.terms.values():
        moved = [(atom, power) for atom, power in powers if any(name in table for name in letters_of(atom))]
        kept = single((one for one in powers if one not in moved), c)
        found.append(kept * substitute(single(moved), lambda name: table[name] if name in table else as_letter(name))
                     if moved else kept)
    return bare(added(found))


def readings(one: Account, asked: Asked, shape: Shape, theirs: Size, named: Sequence[str]) -> Iterator[Reading]:
    """A formula with these sizes put in, for all, a token or a layer, in each unit that it may be in."""
    (formula,) = substituted([theirs], shape.sizes)
    made: dict[str, list[Size]] = {}
    for each, token, path, dear in _shares(one.ledger, asked, named):
        if path not in made:
            made[path] = terms_of(one.ledger, path, shape.sizes)
        many = shape.sizes.get(token, letter(token)) if token else 1
        for times, words, odd in _scales(one.ledger.unit, asked):
            if odd and shape.numbers and named:
                continue  # a factor may be hidden in the numbers: 2Ld are not 8L·kv·d/heads for 8 of 32 heads
            says = (one.says, words, each, shape.says)
            yield Reading(one, path, made[path], bare(lift(formula) * lift(many) * quotient(1, times)),
                          times if is_one(many) else lift(times) * inverse(many), tuple(filter(None, says)),
                          shape.cost + dear + 2 * odd + 3 * bool(one.says), shape.usual and not odd and not one.says,
                          shape)


def terms_of(ledger: Ledger, path: str, table: Mapping[str, Any]) -> list[Size]:
    """The sizes of all terms; with a path, those of one run of this scope, and nothing for what is outside of it."""
    if not path:
        return substituted([term.size for term in ledger.terms], table)
    return substituted([term.once(path).size if any(path == at for at, _ in term.scopes) else 0
                        for term in ledger.terms], table)


def _shares(ledger: Ledger, asked: Asked, named: Sequence[str]) -> Iterator[tuple[str, str, str, int]]:
    """(in words, the letter that counts tokens, the path of the layers, cost) of all, of a token, of a layer."""
    token = _TOKENS.get(asked.quantity.partition("@")[0], "")
    token = token if token in ledger.letters else ""
    scopes = _layers(ledger.terms)
    for path, runs in (("", 1), *scopes):
        if path and asked.share is None and any(name in named for name in letters(runs)):
            continue  # who writes L means all layers
        layer = f"{'layer' if len(scopes) == 1 else f'layer of {path}'}" if path else ""
        for tokens in ("", token) if token else ("",):
            share = " ".join(filter(None, ("token" if tokens else "", "layer" if path else "")))
            if asked.share in (None, share):
                words = " and ".join(filter(None, ("token" if tokens else "", layer)))
                yield f"for one {words}" if words else "", tokens, path, len(share.split()) * (asked.share is None)


def _layers(terms: Sequence[Term]) -> list[tuple[str, Size]]:
    """The outermost scopes that are repeated, unless there are many."""
    found: dict[str, Size] = {}
    for term in terms:
        for path, runs in term.scopes:
            if not is_one(runs):
                found.setdefault(path, runs)
                break
    return list(found.items()) if len(found) <= _MOST_LAYERS else []


def _scales(unit: str, asked: Asked) -> Iterator[tuple[Any, str, bool]]:
    """(what theirs is of ours, in words, whether that needs an excuse) for the units that the formula may be in."""
    if asked.unit in (None, unit):
        yield 1, "", False
    for times, other, words in _INSTEAD.get(unit, ()):
        two_bytes = asked.convention in (None, "bf16", "fp16") and asked.quantity.partition("@")[0] in ("kv", "memory")
        if (unit != "byte" or two_bytes) and asked.unit in (None, other):
            yield times, words if asked.unit is None else "", asked.unit is None


def shown(size: Size) -> str:
    """A size as a sentence has it, high powers first, of a long one only these.

    >>> shown(2 * letter("d") + 13 * letter("L") * letter("d"))
    '13Ld + 2d'
    """
    terms = sorted(lift(size).terms.values(), key=lambda term: -degree(term[0]))
    first = text.form(written(added(single(powers, c) for powers, c in terms[:_MOST_SHOWN])))
    return f"{first} + …" if len(terms) > _MOST_SHOWN else first


def degree(powers: tuple[tuple[Any, int], ...]) -> int:
    """How many letters a term multiplies, less those that it divides by."""
    return sum(power for _, power in powers)
