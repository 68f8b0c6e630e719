"""Whether a number that an author labels is what the part of the model has: right, right by a convention, or a slip.

The words of a label name a part of the ledger; the number is compared to every way of counting it that the text
leaves open, and only then to the slips that people make. What is none of these is unknown.
"""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction
from itertools import product

from symcount.parts.amounts import Counts, chosen, counts, exact, stem
from symcount.parts.ordinals import called, neighbour, ordinals
from symcount.parts.readings import Reading, Sums, choices, readings, selections, total
from symcount.parts.slips import NOT_DOUBLED, halves, one_digit, slips, subtotals
from symcount.parts.words import LONGEST, Said, phrases, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from symcount.architecture import Model
    from symcount.parts.amounts import Amount

    Scales = tuple[tuple[Any, str, int], ...]

# verdict: "right", "convention", "wrong", "note" or "unknown"; expected: the exact number that should stand there, None
# where none is certain; says: the convention, or what went wrong, in a sentence
Judgement = namedtuple("Judgement", "verdict expected says")
UNKNOWN = Judgement("unknown", None, "")

# One way to read a label: the sums of a reading, and by what they are multiplied (factor, its name, deviations)
_Attempt = namedtuple("_Attempt", "key quantity reading amounts sums scales sure off")
# A count that slips may start from, in what is counted: {what a slip makes of it: the slip}
_Base = namedtuple("_Base", "right slips halves")
_Manner = namedtuple("_Manner", "biases norms tied gated flop_per_mac bias_vectors bytes_per_value")
_WIDTHS = (Fraction(1, 2), 1, 2, 4, 8)  # bytes that a number takes, where the text does not say
_TRAINED = (6, 12, 16, 18, 20)  # and with what an optimizer keeps of it
_LEAST = 1_000  # a number below is too common to be told from a size
_OTHERWISE = {"active", "head", "expert", "train", "backward", "outside"}  # what is counted in too many ways
_PLACES = {"one", "block", "all", "several"}  # a layer of a block is not counted from the beginning
_DIGITS = 3  # of a rounded number that may be called wrong


def judge(label: str, unit: str, value: Any, place: Any, model: Model, manner: Any) -> Judgement:
    """Whether a printed number is what the words near it say of the model.

    `value` is in units, `place` the worth of its last significant digit: it is true if the exact number rounds to it.
    "wrong" needs a label of which every word is understood and which names one part, a number that no way of
    counting gives that the text leaves open, and one known slip that explains it; anything less is "unknown".

    >>> from symcount import model
    >>> says_nothing, own = _Manner(*[None] * 7), model("gpt2:V=50304,d=512,L=8,heads=8,P=512")
    >>> judge("FFN up (per block)", "parameter", 1_050_624, 1, own, says_nothing).verdict
    'right'
    >>> print(judge("FFN down (per block)", "parameter", 1_050_624, 1, own, says_nothing).says)
    mlp.down maps 2,048 to 512, so its bias has 512 entries, not 2,048: 2,048 × 512 + 512 = 1,049,088
    """
    own = counts(model)
    said, manner, tried = _tried(label, unit, own, manner)
    value, place = Fraction(value), Fraction(place)
    return _agreed(tried, said, value, place, manner, own) or _slipped(tried, said, unit, value, place, manner, own)


def certain(label: str, unit: str, own: Counts, manner: Any) -> bool:
    """Whether every word of a label is understood, and it names one part."""
    said, _, tried = _tried(label, unit, own, manner)
    return _one(said, _sure(tried))


def _tried(label: str, unit: str, own: Counts, manner: Any) -> tuple[Said, Any, list[_Attempt]]:
    """What a label says, the manner with what it says of that, and every reading of it."""
    label = label[:LONGEST + 1]  # a longer one says nothing
    said = own.once(("said", label), _said, label, own)
    manner = _settled(manner, said)
    return said, manner, own.once(("tried", label, unit, manner), list, _attempts(said, unit, own, manner))


def _sure(tried: Sequence[_Attempt]) -> list[_Attempt]:
    return [attempt for attempt in tried if attempt.sure and not attempt.off]


def _one(said: Said, sure: Sequence[_Attempt]) -> bool:
    return len({attempt.reading.path for attempt in sure}) == 1 and said.plain and not said.roles & _OTHERWISE


def _said(label: str, own: Counts) -> Said:
    return read(label, own.once("phrases", _phrases, own), sizes(own), own.once("names", _names, own.model))


def selected(words: str, own: Counts) -> list[tuple[Amount, ...]]:
    """The parameters that words name, in each reading; no reading where a word is not understood.

    >>> from symcount import model
    >>> [[a.path for a in one] for one in selected("the final norm", counts(model("llama-7b")))]
    [['norm.weight']]
    """
    said = _said(words, own)
    if not said.plain or said.within or said.many or said.roles - {"several", "bias", "matrix"} or len(said.parts) > 1:
        return []
    if said.roles & {"bias"} and not said.parts:
        biases = tuple(a for a in own.parameters if "bias" in a.kinds)  # a norm's shift is one, or is none
        return list(dict.fromkeys((biases, tuple(a for a in biases if "norm" not in a.kinds))))
    return list(selections(said, own.parameters, own).values()) if said.parts else []


def _phrases(own: Counts) -> Any:
    amounts = [*own.parameters, *(a for account in (*own.work, *own.cache) for a in account.amounts)]
    found = phrases(dict.fromkeys(stem(a.path) for a in amounts))
    counted = called(own.once("ordinals", ordinals, own.parameters))
    return {word: [*counted.get(word, ()), *found.get(word, ())] for word in {**found, **counted}}


def sizes(own: Counts) -> frozenset[int]:
    """The sizes of a model, and of its matrices."""
    return own.once("sizes", _sizes, own)


def _sizes(own: Counts) -> frozenset[int]:
    found = {n for n in own.values.values() if isinstance(n, int)}
    return frozenset(found | {n for a in own.parameters for n in a.factors if isinstance(n, int)})


def _names(model: Model) -> frozenset[str]:
    """The words that a text may call the model by without saying more."""
    name, family = model.name.partition(":")[0], model.architecture.name
    words = {word for text in (name, family) for word in text.replace("-", " ").replace("_", " ").lower().split()}
    cells = {"gate", "state", "cell", "read", "old", "new", "previous", "input", "output", "unit", "hidden", "past"}
    return frozenset(words | (cells if family in ("lstm", "gru") else set()))


def _settled(manner: Any, said: Said) -> Any:
    """The manner of the text, as far as the label itself does not say otherwise."""
    told = {name: getattr(manner, name) for name in _Manner._fields}
    return _Manner(**{**told, "biases": False}) if "bare" in said.roles else _Manner(**told)


def _attempts(said: Said, unit: str, own: Counts, manner: Any) -> Iterator[_Attempt]:
    """Every reading of a label, with what its sums are multiplied by."""
    cache = "cache" in said.roles
    if cache and unit in ("", "byte"):
        for account in own.cache:
            if not ("token" in said.roles and account.says != "for one token"):
                yield from _read("element", said, account.amounts, own, _bytes(manner, unit), account.says)
    if cache:
        return
    if unit in ("", "parameter", "byte"):
        scales = _bytes(manner, unit, _TRAINED) if unit == "byte" else _parts_of(said, own)
        yield from _read("parameter", said, own.parameters, own, scales)
        if len({a.number for a in own.active} ^ {a.number for a in own.parameters}):
            off = "" if "active" in said.roles else "the chosen experts alone"
            yield from _read("parameter", said, own.active, own, scales, "of the active ones", off)
    if unit in ("", "flop", "multiply-add"):
        for account in own.work:
            if "token" not in said.roles or account.says == "for one token" or len(own.work) == 1:
                yield from _read("multiply-add", said, account.amounts, own, _flops(manner, unit, said), account.says)
        if not said.parts:  # the rule of thumb: each parameter once for each token
            yield from _read("multiply-add", said, own.parameters, own, _flops(manner, unit, said),
                             off="one multiply-add for each parameter")


def _read(quantity: str, said: Said, amounts: Sequence[Amount], own: Counts, scales: Scales, says: str = "",
          off: str = "") -> Iterator[_Attempt]:
    found = selections(said, amounts, own)
    for path, those in found.items():
        for reading in readings(said, path, those):
            key = ("sums", quantity, says, off, path, reading.says, tuple(a.path for a, _ in reading.items),
                   bool(said.many) and total(reading.items))
            sums = own.once(key, _sums, reading, amounts, own)
            yield _Attempt(key, quantity, reading._replace(says=" ".join(filter(None, (reading.says, says)))), amounts,
                           sums, scales, len(found) == 1 and _single(path, reading, said, quantity), off or reading.off)


def _sums(reading: Reading, amounts: Sequence[Amount], own: Counts) -> Sums:
    return Sums(reading, choices(reading, amounts, own))


def _single(path: str, reading: Reading, said: Said, quantity: str) -> bool:
    """Whether a reading is of one part, and the words ask for it."""
    if not path:
        asked = {"total", "bias" if quantity == "parameter" else "forward"}
        return quantity == "element" or bool(said.roles & asked) or bool(said.within)
    if said.within or "one" in said.roles:
        return True
    return len({a.path.split(".")[0] for a, _ in reading.items} & {"encoder", "decoder", "image", "text"}) < 2


def _bytes(manner: Any, unit: str, more: Sequence[int] = ()) -> Scales:
    told = manner.bytes_per_value
    widths = tuple((width, f"at {exact(Fraction(width))} byte{'s' if width > 1 else ''} each",
                    int(unit != "byte" or told not in (None, width)))
                   for width in dict.fromkeys((*([told] if told is not None else []), *(
                       width for width in _WIDTHS if told is None or more or width < told), *more)))
    return widths if unit == "byte" else ((1, "", 0), *widths)


def _parts_of(said: Said, own: Counts) -> Scales:
    """One head, one expert, two directions."""
    found: list[tuple[Any, str, int]] = [(1, "", 0)]
    values = own.values
    for role, letter in (("head", "heads"), ("head", "kv"), ("expert", "E")):
        if values.get(letter, 1) > 1:
            found.append((Fraction(1, values[letter]), f"in one {role}", int(role not in said.roles)))
    if values.get("E", 1) > 1 and values.get("K", 1) > 1:
        found.append((Fraction(values["K"], values["E"]), "in the chosen experts", 1))
    if own.model.architecture.name in ("lstm", "gru"):
        found.append((2, "in both directions", 1))
    return tuple(found)


def _flops(manner: Any, unit: str, said: Said) -> Scales:
    """FLOPs of a multiply-add, and passes."""
    told = manner.flop_per_mac
    if unit == "multiply-add":
        each: Scales = ((1, "", 0),)
    elif unit == "flop":
        each = ((2, "", 0),) if told == 2 else ((1, "", 0), (2, "at 2 FLOPs for each multiply-add", 1)) if told else (
            (2, "", 0), (1, "as multiply-adds", 1))
    else:
        each = ((1, "", 0), (2, "", 0))
    train, back = "train" in said.roles, "backward" in said.roles
    passes = ((1, "forward alone", int(train or back)), (2, "backward alone", int(not back)),
              (3, "forward and backward", int(not train)), (4, "with the forward pass computed again", 1))
    return tuple((one * many, " ".join(filter(None, (name, what if off2 else ""))), off1 + off2)
                 for one, name, off1 in each for many, what, off2 in passes)


def _agreed(tried: Sequence[_Attempt], said: Said, value: Fraction, place: Fraction, manner: Any,
            own: Counts) -> Judgement | None:
    """The reading that gives the number with the fewest departures from how the text counts."""
    best: tuple[int, Any, str] | None = None
    for attempt in tried:
        usual = attempt.sums.usual(manner, own)
        free = [i for i, choice in enumerate(attempt.sums.choices)
                if "matrix" in said.roles and choice.key in ("biases", "norms")]
        for scale, name, off in attempt.scales:
            for picked in attempt.sums.between((value - place / 2) / scale, (value + place / 2) / scale):
                level = tuple(usual[i] if i in free else j for i, j in enumerate(picked))
                names = [*filter(None, (name if off else "", attempt.off)), *attempt.sums.names(level, usual)]
                if best is None or len(names) + max(0, off - 1) < best[0]:
                    best = (len(names) + max(0, off - 1), exact(Fraction(attempt.sums.at(picked)) * scale),
                            ", ".join(names))
    if best is None:
        return None
    return Judgement("convention" if best[2] else "right", best[1], best[2])


def _slipped(tried: Sequence[_Attempt], said: Said, unit: str, value: Fraction, place: Fraction, manner: Any,
             own: Counts) -> Judgement:
    """The one slip that explains a number, where the label is sure."""
    sure = _sure(tried)
    if not _one(said, sure):
        return UNKNOWN
    if place < 1 or value < max(_LEAST, place * 10**(_DIGITS - 1)) or value in sizes(own):
        return UNKNOWN
    if not own.once(("fits", manner.gated, manner.biases), _fits, manner, own):
        return UNKNOWN  # the model of another text
    found: dict[int, dict[Any, str]] = {}
    for attempt in sure if place == 1 and unit in ("", "parameter") and not said.roles & _PLACES else ():
        path = attempt.reading.path
        if other := neighbour(path, value, own.once("ordinals", ordinals, own.parameters), own.parameters):
            right = attempt.sums.at(attempt.sums.usual(manner, own))
            return Judgement("wrong", right, f"that is what {other} has; {path}, which is meant, has {_written(right)}")
    for attempt in sure:
        for scale in _scale(attempt.quantity, unit, manner):
            inner = own.once(("within", attempt.key), subtotals, attempt.reading.items)
            if not said.parts and value / scale in inner:
                return UNKNOWN  # of a part, beside words of the whole
            for level, base in _bases(attempt, manner, own, said):
                right = exact(Fraction(base.right) * scale)
                for says in _explained(attempt, base, right, scale, value, place, own):
                    found.setdefault(level, {}).setdefault(right, says)
    told = found[min(found)] if found else {}
    if len(told) != 1 or (place > 1 and _agreed(tried, said, value, 3 * place, manner, own)):
        return UNKNOWN  # in doubt; or a digit was cut off
    (right, says), = told.items()
    return Judgement("wrong", right, says.replace("{right}", _written(right)))


def _scale(quantity: str, unit: str, manner: Any) -> tuple[Any, ...]:
    """By what a sum is multiplied where a number may be called wrong."""
    if quantity == "parameter":
        return (1,) if unit in ("", "parameter") else ()
    if quantity == "element":
        return (manner.bytes_per_value,) if unit == "byte" and manner.bytes_per_value else ()
    return {"multiply-add": (1,), "flop": (manner.flop_per_mac,) if manner.flop_per_mac else ()}.get(unit, ())


def _fits(manner: Any, own: Counts) -> bool:
    """Whether the model is built as the text says; if not, it is not the model of the text."""
    gates = bool(chosen(own.parameters, "mlp.gate") or chosen(own.parameters, "gate"))
    if manner.gated is not None and chosen(own.parameters, "mlp") and manner.gated != gates:
        return False
    return not (manner.biases and not any("bias" in a.kinds for a in own.parameters))


def _bases(attempt: _Attempt, manner: Any, own: Counts, said: Said) -> Iterator[tuple[int, _Base]]:
    """The counts that a slip may start from, with biases and norms or without, and how far each is from the usual."""
    usual = attempt.sums.usual(manner, own)
    fixed = sum(choice.options[i][0] for choice, i in zip(attempt.sums.choices, usual, strict=True)
                if choice.key not in ("biases", "norms"))
    biases = (True, False) if manner.biases is None or "matrix" in said.roles else (manner.biases,)
    norms = (True, False) if manner.norms is None else (manner.norms,)
    for with_biases, with_norms in product(biases, norms):
        if with_biases and not with_norms and manner.norms is None:
            continue  # who counts biases and no norms says so
        left = (*(() if with_biases else ("bias",)), *(() if with_norms else ("norm",)))
        base = own.once(("base", attempt.key, left, fixed), _base, attempt, fixed, left)
        if base:
            yield (not with_biases) + (not with_norms), base


def _base(attempt: _Attempt, fixed: Any, left: Sequence[str]) -> _Base | None:
    items = [(a, n) for a, n in attempt.reading.items
             if ("norm" if "norm" in a.kinds else "bias" if "bias" in a.kinds else "") not in left]
    if not items:
        return None
    right = total(items) + fixed
    told: list[dict[Any, Any]] = []
    for found in (slips(items), halves(items) if attempt.quantity == "multiply-add" else ()):
        told.append({})
        for slip in found:
            told[-1].setdefault(right + slip.change, slip)
    return _Base(right, *told)


def _explained(attempt: _Attempt, base: _Base, right: Any, scale: Any, value: Fraction, place: Fraction,
               own: Counts) -> Iterator[str]:
    """What the slips say that turn the right number into the printed one."""
    if attempt.quantity == "element":
        yield from _many_heads(right, value, place, own)
    slip = base.halves.get(value / 2) if scale == 2 else None
    slip = slip or (base.slips.get(value / scale) if place == 1 else None)
    if slip and not (slip.common and value / scale in own.once(("beside", attempt.key), _beside, attempt)):
        yield slip.says.replace("{part}", _written(exact(abs(Fraction(slip.change)) * scale)))
    elif scale == 2 and place > 1 and abs(base.right - value) <= place / 2:
        yield NOT_DOUBLED
    elif not slip and place == 1:
        yield from one_digit(right, value)


def _beside(attempt: _Attempt) -> set[Any]:
    """The sums of the parts that are not in this one: a number of theirs may stand near its label."""
    own = {a.path for a, _ in attempt.reading.items}
    return subtotals([(a, a.number) for a in attempt.amounts if a.path not in own and a.number is not None])


def _many_heads(right: Any, value: Fraction, place: Fraction, own: Counts) -> Iterator[str]:
    """Query heads that were cached where key-value heads are."""
    off = abs(right * own.more_heads - value)
    if own.more_heads > 1 and (not off or (place > 1 and off <= place / 2)):
        yield (f"a cache keeps the {own.values['kv']:,} key-value heads, not all {own.values['heads']:,} query heads: "
               "{right} bytes")


def _written(number: Any) -> str:
    return f"{number:,}" if number.denominator == 1 else f"{number.numerator:,}/{number.denominator:,}"
