"""Sentences that say what a number of parameters takes: "training 7B parameters on 1T tokens takes 4.2e22 FLOPs".

Only a sentence in which every word and every figure is understood is read; any other says nothing here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import namedtuple
from itertools import pairwise

from symcount.claims.expressions import figures
from symcount.claims.units import PARAMETERS, TABLE, WORK, type_bits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from symcount.claims.expressions import Node
    from symcount.claims.figures import Figure
    from symcount.claims.lexing import Token
    from symcount.claims.page import Read

COUNTED = {*PARAMETERS, "weights"}
_TAKES = {"take", "takes", "took", "need", "needs", "needed", "require", "requires", "required", "cost", "costs", "use",
          "uses", "used", "occupy", "occupies", "is", "are", "was"}
TRAINING = {"training", "train", "pretraining", "pre-training", "pretrain", "pre-train"}
FORWARD = {"forward", "inference"}
AGAIN = {"recomputation", "checkpointing"}
_RECOMPUTED = {"gradient", "activation"}  # one word of two: gradient checkpointing
ADAM, MOMENTUM, MIXED = {"adam", "adamw"}, {"sgd", "momentum"}, {"mixed", "mixed-precision"}
EACH = {"per", "each", "every"}
_NOUN = {"to", "a", "an", "the", "our", "this", "model", "with", "of", "language", "dense", "transformer", "decoder",
         "network", "llm"}
NEEDED = {"ram", "vram"}  # of which more is needed than what is stored
MORE = {"total"}  # of bytes, that of weights and others
STORED = {"storage", "disk", "space", "store", "stored", "storing", "hold", "holding", "keep", "keeping"}
# A sentence with any other word may speak of more than these rules know, and is not judged.
_WORDS = {
    *COUNTED, *_TAKES, *TRAINING, *FORWARD, *AGAIN, *_RECOMPUTED, *ADAM, *MOMENTUM, *MIXED, *EACH, *STORED,
    *MORE, "a", "an", "the", "of", "on", "for", "in", "with", "at", "to", "and", "as", "by", "using", "so", "thus",
    "hence", "therefore", "its", "our", "this", "then", "would", "will", "model", "models", "network", "transformer",
    "decoder", "language", "dense", "llm", "pass", "full", "precision", "memory", "ram", "vram", "quantized",
    "compute", "exactly", "about", "roughly", "approximately", "around", "nearly", "almost", "data", "dataset",
    "corpus", "text", "token", "tokens", "bit", "bits", "b", "byte", "bytes", "flop", "flops", "mac", "macs",
    "multiply-add", "multiply-adds",
}
_LONGEST = 80  # tokens of a sentence
SMALL = 100  # such factors are written out, beside parameters and tokens, and such costs are those of one parameter

Cost = namedtuple("Cost", "figure at bits node behind")
"""A figure of bytes, FLOPs or multiply-adds, the number of its token, the bits of the type that it is said for (0 for
none), the expression that it is printed as the value of, None for none, and the word behind it."""


class Said(namedtuple("Said", "count tokens words opening beside costs")):
    """A sentence of which all is understood.

    count, tokens   its Figure of parameters, and of tokens, None without one
    words, opening  its words in small letters, and the first, "" where more than nouns stand between it and the count
    beside          the figures that are given in it; costs  its Costs
    """

    __slots__ = ()

    def has(self, *kinds: set[str]) -> bool:
        """Whether it has a word of any of these kinds."""
        return any(kind & self.words for kind in kinds)


def costs(read: Read) -> Iterator[Said]:
    """The sentences of a passage that say what a number of parameters takes."""
    ends = [at for at, token in enumerate(read.tokens) if token.ends]
    for before, end in pairwise([-1, *ends, len(read.tokens)]):
        said = _said(read, before + 1, end) if end - before <= _LONGEST else None
        if said is not None:
            yield said


def _said(read: Read, first: int, last: int) -> Said | None:
    """What a sentence says, None where any of its words or figures is not understood."""
    inside = read.tokens[first:last]
    words = {token.text.lower() for token in inside if token.kind == "word"}
    if not (COUNTED & words and _TAKES & words) or (_RECOMPUTED & words and not AGAIN & words):
        return None
    if any(word not in _WORDS and not type_bits(word) for word in words):
        return None
    begin, end = (bisect_left(read.relations, place, key=lambda one: one.at) for place in (first, last))
    within: set[int] = set()  # the tokens of expressions
    nodes = {}
    for relation in read.relations[begin:end]:
        if relation.left.node is None:
            return None
        within |= {*range(relation.left.first, relation.at + 1)}
        if relation.right.figure:
            nodes[relation.right.figure.start] = relation.left.node
    found = _sorted(read.tokens, [at for at in range(first, last) if at not in within])
    if found is None or len(found["parameter"]) != 1 or len(found["token"]) > 1:
        return None
    count, tokens = (next((read.tokens[at].figure for at in found[kind]), None) for kind in ("parameter", "token"))
    given = [read.tokens[at].figure for kind in ("parameter", "token", "bit") for at in found[kind]]
    given = [figure for figure in given if figure]
    bits = _types(read.tokens, found["cost"], found["bit"])
    if bits is None or not all(_plain(node, given) for node in nodes.values()):
        return None
    costs = [Cost(figure, at, width, nodes.get(figure.start), _word(read.tokens[at + 1:last]))
             for at, width in zip(found["cost"], bits, strict=True) for figure in (read.tokens[at].figure,)]
    between = {token.text.lower() for token in read.tokens[first:found["parameter"][0]] if token.kind == "word"}
    opening = _word(inside) if between <= {*TRAINING, *_NOUN} else ""
    return Said(count, tokens, words, opening, given, costs)


def _word(tokens: Sequence[Token]) -> str:
    """The first word of these tokens, past what counts them: the bytes of 28 bytes."""
    return next((token.text.lower() for token in tokens if token.kind == "word" and token.text not in TABLE), "")


def _sorted(tokens: Sequence[Token], places: Sequence[int]) -> dict[str, list[int]] | None:
    """Where parameters, tokens, bits of a type and costs stand among these tokens; None where anything else does."""
    found: dict[str, list[int]] = {"parameter": [], "token": [], "bit": [], "cost": []}
    joined = 0
    for at in places:
        token = tokens[at]
        if at < joined or token.kind in ("newline", "about") or token.text in (",", ":", "(", ")"):
            continue
        if token.kind == "word" and _fits(tokens, at):
            if type_bits(token.text.lower()):
                found["bit"].append(at)
            continue
        kind, joined = _kind(tokens, at) if token.figure else ("", 0)
        kind = "cost" if kind in ("byte", *WORK) else kind
        if kind not in found or (kind == "bit" and token.figure.value.denominator != 1):
            return None  # 4.5 bits are an average
        found[kind].append(at)
    return found


def _fits(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word stands where these rules know it: "per" before "token", an optimizer behind "with"."""
    word = tokens[at].text.lower()
    if word in EACH:
        return at + 1 < len(tokens) and tokens[at + 1].text.lower() == "token"
    return word not in ADAM | MOMENTUM or (at > 0 and tokens[at - 1].text.lower() in ("with", "using", "("))


def _kind(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """What the figure at a position counts, and where what follows it begins: 7B parameters, a 7B-parameter model."""
    figure = tokens[at].figure
    if figure and figure.unit:
        return figure.counts, at + 1
    if at + 2 < len(tokens) and tokens[at + 1].text == "-" and tokens[at + 1].tight and tokens[at + 2].tight:
        noun = TABLE.get(tokens[at + 2].text.lower())
        return (str(noun.kind) if noun and noun.factor == 1 else ""), at + 3
    return "", at + 1


def _types(tokens: Sequence[Token], costs: Sequence[int], types: Sequence[int]) -> list[int] | None:
    """The bits that each cost is said for: those of the one type, or of the type behind each; None where in doubt."""
    if len(costs) == 1 and len(types) < 2:
        return [_bits(tokens[at]) for at in types] or [0]
    if len(costs) != len(types):
        return None
    for cost, at in zip(costs, types, strict=True):
        between = [token.text.lower() for token in tokens[cost + 1:at] if token.kind != "newline"]
        if [text for text in between if text not in TABLE] not in (["in"], ["at"], ["with"], ["as"], ["using"], ["("]):
            return None
    return [_bits(tokens[at]) for at in types]


def _bits(token: Token) -> int:
    """The bits of a type that a token names: 16 of fp16, 16 of 16 bits."""
    return type_bits(token.text.lower()) or int(token.figure.value)


def _plain(node: Node, given: Sequence[Figure]) -> bool:
    """Whether an expression is a product of the numbers that the sentence gives and of small ones."""
    values = {figure.value for figure in given}
    return node.kind in ("product", "quotient") and all(
        figure.value in values or figure.value <= SMALL for figure in figures(node))
