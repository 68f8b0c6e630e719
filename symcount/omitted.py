"""Counts of a model from which a sentence leaves parts out: "Without biases X has N parameters", "…, and M without Y".

Only a sentence in which nothing else stands between model, figure and what is left out is read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import namedtuple

from symcount.claims.chains import HEDGES
from symcount.claims.units import PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from symcount.claims.page import Read
    from symcount.mentions import Mention

Less = namedtuple("Less", "names left at")
"""A count of one of the published models `names`, without what the words `left` name; `at` is its figure's token."""

_LEFT = {"without", "excluding", "ignoring", "omitting", "neglecting"}
_WHICH = (*_LEFT, "counting", "leaving")
_HAS = {"has", "have", "contains", "is", "about", "a", "the", "model", "only", *PARAMETERS, *HEDGES}
_JOINING = {",", "and", "or", "but", "(", "still"}
_MOST = 16  # words that say what is left out


def omitted(read: Read, found: Sequence[Mention]) -> Iterator[Less]:
    """The counts of a passage from which something is left out, and the whole count beside one."""
    lower = read.passage.text.lower()
    if not found or not any(word in lower for word in _WHICH):
        return
    base = read.passage.start
    for mention in found:
        first, at = (bisect_left(read.tokens, base + place, key=lambda token: token.start)
                     for place in (mention.start, mention.end))
        one = _figure(read, at, _HAS)
        if one is None:
            continue
        before, behind = _before(read, first), _behind(read, one)
        if before and not behind:
            yield Less(mention.names, before, one)
        elif not before and first == _sentence(read, first):
            if behind:
                yield Less(mention.names, behind, one)
            other = _figure(read, _counted(read, one), _JOINING | HEDGES) if not behind else None
            left = _behind(read, other) if other else ""
            if other and left:
                yield Less(mention.names, "", one)
                yield Less(mention.names, left, other)


def _figure(read: Read, at: int, between: set[str]) -> int | None:
    """The next figure, if nothing but these words stands before it."""
    for place in range(at, min(at + 8, len(read.tokens))):
        token = read.tokens[place]
        if token.figure:
            plain = token.figure.counts in ("", "parameter")
            return place if plain and token.figure.value >= 1_000 else None
        if not (token.kind in ("newline", "about") or token.text.lower() in between):
            return None
    return None


def _counted(read: Read, at: int) -> int:
    """The token behind a figure and the word for parameters."""
    at += 1
    while at < len(read.tokens) and (read.tokens[at].kind == "newline" or read.tokens[at].text.lower() in PARAMETERS):
        at += 1
    return at


def _sentence(read: Read, at: int) -> int:
    """The first token of the sentence, past an article; of a long one the first that is looked at."""
    least = max(0, at - 2 * _MOST)
    while at > least and not read.tokens[at - 1].ends:
        at -= 1
    while at < len(read.tokens) and (read.tokens[at].kind == "newline" or read.tokens[at].text.lower() == "the"):
        at += 1
    return at


def _before(read: Read, first: int) -> str:
    """What the sentence leaves out before its model: "Without biases and norms, X"."""
    start = _sentence(read, first)
    opened = _opened(read, start)
    return _said(read, opened, first) if start < opened <= first else ""


def _behind(read: Read, at: int) -> str:
    """What is left out behind a figure, to the end of its sentence or bracket: "(without embeddings)"."""
    at = _counted(read, at)
    if at < len(read.tokens) and read.tokens[at].text in ("(", ","):
        at += 1
    opened = _opened(read, at)
    end, most = opened, min(len(read.tokens), opened + 2 * _MOST)
    while end < most and not read.tokens[end].ends:
        if read.tokens[end].text == ")":
            break
        end += 1
    return _said(read, opened, end) if opened > at else ""


def _opened(read: Read, at: int) -> int:
    """The token behind the words that leave something out; `at` itself where there are none."""
    two = [token.text.lower() for token in read.tokens[at:at + 2]]
    if two[:1] and two[0] in _LEFT:
        return at + 1
    return at + 2 if two in (["not", "counting"], ["leaving", "out"]) else at


def _said(read: Read, start: int, end: int) -> str:
    """The words between two tokens, a comma between items; "" where anything else stands there."""
    tokens = [token for token in read.tokens[start:end] if token.kind != "newline"]
    if len(tokens) > _MOST or any(token.kind != "word" and token.text != "," for token in tokens):
        return ""
    return " ".join(token.text for token in tokens).strip(" ,")
