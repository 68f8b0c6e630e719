"""What was not judged: the figures of a document that no claim accounts for, line by line, and why."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from symcount.claims.agreement import agreement
from symcount.claims.page import Span, worth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from symcount.claims.lexing import Token
    from symcount.claims.page import Claim, Page, Read
    from symcount.diagnostics import Diagnostic

GIVEN = "not judged: taken as given, sizes of the model that is spoken of"
# Words of results that are measured, not derived.
_MEASURED = {"faster", "slower", "accuracy", "speedup", "speed-up", "latency", "throughput", "quality", "score",
             "scores", "loss", "perplexity", "bleu", "f1", "precision", "recall", "error", "better", "worse",
             "improvement", "points", "retains", "retaining", "win", "top-1", "top-5"}


def leftover(page: Page, unread: Sequence[Claim]) -> Iterator[Diagnostic]:
    """A "skipped" finding for every line with figures that nothing was compared with."""
    unjudged = {claim.printed.start: _why(claim, page) for claim in unread}
    for read in page.reads:
        if read.passage.kind == "unread":
            yield page.report("", "skipped", Span(read.passage.start, read.passage.start + 1),
                              "not judged: a line of more than 100,000 characters is not read")
        places = [at for at, token in enumerate(read.tokens) if _unjudged(token, page)]
        for line, those in groupby([(page.line(read.tokens[at].start), at) for at in places], key=itemgetter(0)):
            here = [at for _, at in those]
            found = [read.tokens[at] for at in here]
            why = next((unjudged[token.start] for token in found if token.start in unjudged), None)
            given = page.judgements and all(_given(token, page) for token in found)
            yield page.report("", "skipped", Span(found[0].start, found[-1].end),
                              GIVEN if given else why or _reason(_line(read, here, line, page), found))


def _line(read: Read, places: Sequence[int], number: int, page: Page) -> Sequence[Token]:
    """The tokens of a line, of which these are some."""
    first, last = places[0], places[-1] + 1
    while first and page.line(read.tokens[first - 1].start) == number:
        first -= 1
    while last < len(read.tokens) and page.line(read.tokens[last].start) == number:
        last += 1
    return read.tokens[first:last]


def _given(token: Token, page: Page) -> bool:
    """Whether a figure is a size that the text states of its model."""
    spans = page.setting.at(token.start).spans
    return any(start <= token.start < end for start, end in spans)


def _unjudged(token: Token, page: Page) -> bool:
    """Whether a token is a figure, or has digits, of which nothing was said."""
    if token.figure:
        return not page.covered(token.figure)
    return token.kind == "odd" and any(sign.isdigit() for sign in token.text) and not page.covered(token)


def _why(claim: Claim, page: Page) -> str:
    """Why a claim that was read was not judged."""
    if worth(claim.node, page) is None:
        return "not judged: the expression has a symbol without a value, or is too large to evaluate"
    if agreement(claim, page).verdict == "unread":
        return "not judged: small results, other units, or words that may change what is computed"
    return "not judged: the figure differs, and nothing shows that it is meant for this expression"


def _reason(line: Sequence[Token], found: Sequence[Token]) -> str:
    """Why figures that stand in no claim were not judged."""
    if any(token.kind == "odd" for token in found):
        return "not judged: a number that cannot be read for certain"
    said = {token.text.lower() for token in line if token.kind == "word"}
    if said & _MEASURED:
        return "not judged: measured results cannot be derived"
    if any(token.kind == "rel" for token in line):
        return "not judged: an expression that is not read for certain, or words beside it that may change it"
    return "not judged: no expression, and no statement of a model, that is read"
