"""Sentences that say how many parameters a published model has: "MODEL has N parameters, of which M are active".

The model is the subject, and nothing but linking words stands between.
"""

from __future__ import annotations

from bisect import bisect_left

from symcount.architectures import names as published_names
from symcount.claims.related import as_printed
from symcount.claims.units import PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from symcount.claims.figures import Figure
    from symcount.claims.page import Page, Read
    from symcount.mentions import Mention

_SMALLEST = 10**5  # a count of a published model is larger
# What has these in its sentence is not counted whole
_ADAPTED = {"trainable", "lora", "adapter", "adapters", "prompt", "prompts", "backbone", "qlora", "frozen", "pruned",
            "student", "distilled", "quantized", "non-embedding", "embedding", "embeddings", "without", "excluding"}
ACTIVE = {"active", "activated", "activates", "activating"}
_OF_THEM = {"which", "with", "but", "and", "("}
_BETWEEN = {*ACTIVE, *_OF_THEM, *PARAMETERS, ",", "of", "in", "total", "altogether", "only", "about", "it",
            "roughly", "just", "uses", "these"}
_QUOTED = "\"“„«"  # what others say, perhaps to refute it
# Words before a model that leave it the subject
_OPENING = {"the", "but", "while", "whereas", "a", "an", "original", "that", "so", "since", "because", "if", "when",
            "standard", "plain", "here", "today", "model", "for", "example", "does", "do"}
# Words that may stand between a model and its count without changing what is counted.
_LINKS = {
    "has", "have", "contains", "is", "are", "a", "an", "the", "model", "about", "roughly", "approximately",
    "around", "uncased", "cased", *PARAMETERS, "having", "totals", "of", "count",
    "total", "exactly", "base", "nearly", "some", "just", "over", "only",
}


def totals(read: Read, found: Sequence[Mention], page: Page) -> Iterator[tuple[tuple[str, ...], Figure, int]]:
    """(names that may be meant, the figure, its token) for each "MODEL has N parameters" of a passage.

    The model is the subject, and nothing but linking words stands between. A figure without the word "parameters" is a
    count only where nothing follows that it could count, and near to the count of the model.
    """
    base = read.passage.start
    if not found or {token.text.lower() for token in read.tokens if token.kind == "word"} & _ADAPTED:
        return
    for number, mention in enumerate(found):
        at = bisect_left(read.tokens, base + mention.end, key=lambda token: token.start)
        first = bisect_left(read.tokens, base + mention.start, key=lambda token: token.start)
        said: set[str] = set()
        while at < len(read.tokens) and read.tokens[at].figure is None and len(said) < 8:
            token = read.tokens[at]
            if token.kind not in ("about", "rel") and token.text.lower() not in (*_LINKS, ":", "(", ")", "—", "–"):
                break
            said.add(token.text.lower())
            at += 1
        figure = read.tokens[at].figure if at < len(read.tokens) else None
        before = base + found[number - 1].end if number else None
        if figure is None or figure.value < _SMALLEST or not _subject(read, first, before):
            continue
        counted_ = PARAMETERS & said or figure.counts == "parameter"
        if read.passage.kind == "row":
            counted_ = {*PARAMETERS, "#params", "weights"} & set(page.column(read, figure).lower().split())
        known = [published_names()[name][2] for name in mention.names]
        near = figure.scale != 1 and figure.unit is None and any(abs(figure.value - one) < one / 2 for one in known)
        behind = after(read, at)
        if counted_ or "active" in behind.lower().split() or (near and not behind and read.passage.kind != "row"):
            yield mention.names, figure, at


def _subject(read: Read, first: int, before: int | None) -> bool:
    """Whether the model named at a token is what its clause speaks of, no part of another name or of a comparison."""
    token = read.tokens[first - 1] if first else None
    while token is not None and token.kind in ("newline", "odd", "op") and first > 1:
        first -= 1
        token = read.tokens[first - 1]
    if token is None or token.kind in ("stop", "newline", "figure"):
        return token is None or token.text not in _QUOTED
    if token.text.lower() == "and":
        return first > 1 and read.tokens[first - 2].kind in ("stop", "word") and (
            before is None or read.tokens[first - 2].end > before)
    return token.kind == "word" and token.text.lower() in _OPENING


def chosen(read: Read, at: int) -> Iterator[Figure]:
    """The figure behind a count that says how many of it are active: "46.7B parameters, of which 12.9B are active"."""
    between: set[str] = set()
    for place in range(at + 1, min(at + 10, len(read.tokens))):
        token = read.tokens[place]
        if token.figure and between & _OF_THEM:
            behind = {word.lower() for word in after(read, place).split()[:4]}
            if ACTIVE & (behind | between) and token.figure.value >= _SMALLEST and token.figure.counts in (
                    "", "parameter"):
                yield as_printed(read, place)
            return
        if token.figure or not (token.kind in ("newline", "about") or token.text.lower() in _BETWEEN):
            return
        between.add(token.text.lower())


def after(read: Read, at: int) -> str:
    """The words behind a figure to the end of its clause, without its unit: "per token"."""
    found = []
    for token in read.tokens[at + 1:at + 8]:
        if token.kind != "word":
            break
        found.append(token.text)
    return " ".join(found)
