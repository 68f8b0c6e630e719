"""wrong-cost: the bytes or FLOPs said of a number of parameters are not what so many take.

What it does
    Reads sentences that say, of a number of parameters and of nothing else, how many FLOPs training on so many tokens
    or a forward pass takes, how many bytes the parameters take in a type, or how many training takes with an optimizer.
    A figure that is twice, three times, a half, a third, 1,000 times what is right, that counts bits for bytes, or that
    is right for another type, is an error if no word of the passage or of its heading could explain it. What is right
    under a usual convention is named, what is near is a note, and all else is skipped.

Why it matters
    These rules need no model, only two numbers, so everybody uses them; a factor of two is a cluster more or less.

Bad
    Training 7B parameters on 1T tokens takes 8.4e22 FLOPs.

Good
    Training 7B parameters on 1T tokens takes 4.2e22 FLOPs.

Source
    Kaplan et al. 2020, section 2.1: 6 FLOPs a parameter and token, 2 of them forward; what optimizers keep:
    Rajbhandari et al. 2020, section 3.1.
"""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction
from functools import lru_cache

from symcount.claims.agreement import in_binary
from symcount.claims.related import as_printed
from symcount.claims.slips import shown
from symcount.conventions import convention
from symcount.costs import (
    ADAM,
    AGAIN,
    COUNTED,
    EACH,
    FORWARD,
    MIXED,
    MOMENTUM,
    MORE,
    NEEDED,
    SMALL,
    STORED,
    TRAINING,
    costs,
)
from symcount.formulas import read as formula
from symcount.laws import load
from symcount.settings import unplaced
from symcount.storage import names as storages
from symcount.storage import storage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.figures import Figure
    from symcount.claims.page import Page, Read
    from symcount.costs import Cost, Said
    from symcount.diagnostics import Diagnostic
    from symcount.storage import Storage, Width

CODE = "SC204"
# Words nearby, in the passage or above it, of what may make another figure of it by a factor
_EXPLAINS = {
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "sixteen", "both", "several",
    "many", "second", "pair", "split", "card", "cards", "server", "servers", "machine", "machines", "worker", "workers",
    "rank", "a100s", "h100s", "seed", "seeds", "run", "runs", "repeat", "repeated", "repeats", "again", "loading",
    "loads", "load", "copy", "copies", "packed", "unpacked", "buffered", "double-buffered", "teacher", "student",
    "policy", "critic",
    "reference", "guidance", "draft", "verifier", "batch", "wrong", "right", "false", "true", "myth", "mistake",
    "incorrect", "correct", "claim", "claims", "misconception", "quiz", "question", "which", "not", "instead", "answer",
    "gpu", "gpus", "tpu", "tpus", "device", "devices", "node", "nodes", "accelerators", "chips", "shard", "shards",
    "sharded", "sharding", "zero", "fsdp", "distributed", "parallel", "parallelism", "offload", "offloaded",
    "offloading", "lora", "qlora", "adapter", "adapters", "frozen", "trainable", "experts", "expert", "moe", "mixture",
    "active", "activated", "sparse", "sparsity", "pruned", "shared", "tied", "epoch", "epochs", "passes", "times",
    "recomputation", "checkpointing", "recompute", "backward", "attention", "context", "embedding", "embeddings",
    "non-embedding", "overhead", "activations", "cache", "buffers", "fragmentation", "ema", "half", "double", "twice",
    "factor", "optimizer", "states", "state", "moments", "gradients", "encoder", "encoder-decoder", "utilization",
    "utilisation", "mfu", "effective", "dequantized", "complex",
}
_BYTE = 8  # bits
_NEAR = Fraction(1, 20)  # what is so near is a matter of what else was counted

_Rule = namedtuple("_Rule", "amount says ways slips")
"""What one parameter takes (for each token), in words, and as [(amount, words)]: other usual ways, and known slips."""


def overhear(read: Read, page: Page) -> Iterator[Diagnostic]:
    """The findings about the sentences of a passage that say what a number of parameters takes."""
    if read.passage.kind not in ("text", "item") or not COUNTED & page.words(read.passage):
        return
    for said in costs(read):
        for cost in said.costs:
            rule = _rule(said, cost, page)
            if rule and page.correction(cost.figure) is None:
                yield from _judged(rule, said, cost, read, page)


# ---------------------------------------------------------------- which rule it calls for

def _rule(said: Said, cost: Cost, page: Page) -> _Rule | None:
    """The rule that a sentence calls for, None where its words leave that open."""
    training, forward, once = said.has(TRAINING), said.has(FORWARD), said.has(EACH)
    if cost.figure.counts != "byte":
        several = training == forward or once == bool(said.tokens)
        return None if several or cost.bits or said.has(ADAM, MOMENTUM) else _work(said, cost, page)
    if forward or said.tokens or said.has(AGAIN, EACH):
        return None
    if training:
        return _training(said, cost)
    return None if said.has(ADAM, MOMENTUM, MIXED, MORE, NEEDED) else _type(cost.bits)


def _work(said: Said, cost: Cost, page: Page) -> _Rule | None:
    """FLOPs or multiply-adds for each parameter and token."""
    two, unit = _multiply_add(), cost.figure.counts
    told = unplaced(page.setting.at(cost.figure.start).manner).flop_per_mac
    one = 1 if told == 1 or unit == "multiply-add" else two  # FLOPs of a multiply-add
    train, forward, recompute = (Fraction(_factor(law) * one, two)
                                 for law in ("training_6nd", "forward_2n", "recompute_8n"))
    ways, slips = [], []
    if said.has(FORWARD):
        amount, what = forward, "a forward pass"
        slips += [(train, "is what training takes")]
    elif said.has(AGAIN):
        amount, what = recompute, "training with every layer run forward again"
    else:
        amount, what = train, "training"
        ways += [(recompute, f"with every layer run forward again, {shown(recompute)} for each parameter and token")]
        slips += [(forward, "is what a forward pass takes"), (3 * train, "is three times that")]
    if unit == "flop" and told is None:
        ways += [(amount / two, "with one FLOP for a multiply-add")]
    else:
        slips += [(amount / two, "is half of that")]
    says = f"{what} takes {shown(amount)} {'FLOPs' if unit == 'flop' else 'multiply-adds'} for each parameter and token"
    return _Rule(amount, says, ways, [*slips, (amount * two, "is twice that"), *_thousands(amount)])


def _training(said: Said, cost: Cost) -> _Rule | None:
    """Bytes for each parameter in training, where optimizer and precision are said, and training is what takes them."""
    alone = "weights" in said.words and not (said.count.unit and said.count.unit.shown == "weights")
    names = _recipes(said, cost.bits)
    if said.opening not in {"to", *TRAINING} or said.has(STORED) or alone or cost.behind == "for" or not names:
        return None  # it may be only the model, or its optimizer, that takes so much
    return _keeping(names)


@lru_cache
def _keeping(names: tuple[str, ...]) -> _Rule:
    """Bytes for each parameter by the first of these recipes, the others being usual too."""
    (amount, says), *others = [(_kept(storage(name)), storage(name).says) for name in names]
    slips = [(_bytes(storage(names[0]).weights), "is that of the weights alone"), (amount / 2, "is half of that"),
             (amount * 2, "is twice that"), (amount * _BYTE, "counts bits")]
    return _Rule(amount, f"training keeps {says}", [(other, f"with {words}") for other, words in others],
                 [*slips, *_thousands(amount)])


def _recipes(said: Said, bits: int) -> tuple[str, ...]:
    """The recipes for training that a sentence may mean, the usual one first."""
    adam, momentum = said.has(ADAM), said.words >= MOMENTUM
    if adam == said.has(MOMENTUM) or adam == momentum:
        return ()
    if said.has(MIXED):
        precision = "mixed-precision" in said.words or "precision" in said.words
        return ("mixed", "mixed_fp32_gradients") if adam and precision and bits in (0, _width("mixed")) else ()
    name = "adam" if adam else "sgd"
    return (name,) if bits == _width(name) else ()


@lru_cache
def _width(recipe: str) -> int:
    """The bits of a weight in a recipe for training."""
    return int(storage(recipe).weights.bits)


@lru_cache
def _type(bits: int) -> _Rule | None:
    """Bytes for each parameter in a type of so many bits, None where no storage has weights of so many."""
    known = [storage(name) for name in storages()]
    widths = sorted({one.matrices.bits for one in known})
    if bits not in widths:
        return None
    amount = Fraction(bits, _BYTE)
    slips = [(Fraction(other, _BYTE), f"is what numbers of {other} bits take") for other in widths if other != bits]
    if all(_kept(one) != bits for one in known if one.gradients):
        slips.append((Fraction(bits), "counts bits"))  # as many bytes as no training takes
    says = f"a number of {bits} bits takes {shown(amount)} byte{'s' * (amount != 1)}"
    return _Rule(amount, says, [], [*slips, *_thousands(amount)])


@lru_cache
def _factor(law: str) -> int:
    """FLOPs for each parameter and token, as a law has it: 6 of 6N·D."""
    return int(formula(load(law).right, lambda _: 1))


@lru_cache
def _multiply_add() -> int:
    """FLOPs of a multiply-add."""
    return int(convention("matmul").multiply_add)


def _kept(one: Storage) -> Fraction:
    """The bytes that a recipe keeps for each parameter: weight, gradient and what the optimizer has."""
    return sum((_bytes(width) for width in (one.weights, one.gradients, *one.optimizer.values()) if width), Fraction(0))


def _bytes(width: Width) -> Fraction:
    """The bytes of one number of this width, with its part of the scales that a group shares."""
    return (width.bits + sum((Fraction(bits, group) for bits, group in width.scales), Fraction(0))) / _BYTE


def _thousands(amount: Fraction) -> Iterator[tuple[Fraction, str]]:
    """The amounts that are off by powers of 1,000, as prefixes are."""
    for power in (1, 2, 3):
        yield amount * 1000**power, f"is {1000 ** power:,} times too large"
        yield amount / 1000**power, f"is {1000 ** power:,} times too small"


# ---------------------------------------------------------------- what is found

def _judged(rule: _Rule, said: Said, cost: Cost, read: Read, page: Page) -> Iterator[Diagnostic]:
    """The finding about one figure: none where it is right or where nothing explains it.

    A wrong one is not followed: of two digits, as 28 GB, others may be equal and right.
    """
    figure = as_printed(read, cost.at)
    number, least, most = Fraction(1), 1 - _NEAR, 1 + _NEAR
    for one in (said.count, said.tokens) if said.tokens else (said.count,):
        number, least, most = number * one.value, least * one.low, most * one.high
    exact = rule.amount * number
    unit = figure.mark or (figure.unit.shown if figure.unit else "")
    right, wrong = f"{shown(figure.within(exact))} {unit}", f"{shown(figure.within(figure.value))} {unit}"
    way = next((says for amount, says in rule.ways if figure.holds(amount * number)), "")
    way = way or in_binary(figure, exact)
    near = figure.value - figure.place / 2 <= rule.amount * most and (
        rule.amount * least <= figure.value + figure.place / 2)
    slip = next((says for amount, says in rule.slips if _is(figure, amount * number)), "")
    if not figure.holds(exact):
        if way:
            severity, message = "convention", f"{wrong} is right {way}; else {rule.says}: {right}"
        elif near:
            severity, message = "note", f"{rule.says}: {right}, which does not round to {wrong}"
        elif slip and not _EXPLAINS & (page.words(read.passage) | page.heading(figure.start)) - said.words:
            severity, message = "error", f"{rule.says}: {right}, not {wrong}, which {slip}"
        else:
            return
        error, number = severity == "error", figure.within(exact)
        yield page.report(CODE, severity, figure, message, expected=number,
                          todo=page.advice(figure, number) if error else "",
                          fix=page.rewritten(figure, number) if error and cost.node is None else None)
    page.judged(figure)
    page.cover(*said.beside)


def _is(figure: Figure, number: Fraction) -> bool:
    """Whether a figure is this number beyond chance: exactly, or to two digits and more."""
    return figure.value > SMALL and (figure.value == number or (
        figure.value >= 10 * figure.place and figure.holds(number)))
