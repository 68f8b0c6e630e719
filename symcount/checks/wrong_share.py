"""wrong-share: a part is not the share of the total that is printed.

What it does
    Where parts were printed under labels and added up, and a sentence says what share some of them have, divides.
    Only parts that the sum has taken in are looked at, and only if the words name them without doubt. Of a model that
    is named, "the MLPs hold more than half of the parameters" and "X has 40 % fewer parameters than Y" are computed. A
    share that is right without the embeddings is a convention; a bound is always of all parameters.

Why it matters
    A share is what remains in the reader's mind, and is rarely computed again.

Bad
    | part | parameters |
    | --- | --- |
    | token table | 23,440,896 |
    | position table | 393,216 |
    | blocks | 85,054,464 |
    | total | 108,888,576 |

    The two tables hold 32 % of the total.

Good
    | part | parameters |
    | --- | --- |
    | token table | 23,440,896 |
    | position table | 393,216 |
    | blocks | 85,054,464 |
    | total | 108,888,576 |

    The two tables hold 22 % of the total.

Source
    "More than half of GPT-2 is in its feed-forward layers" is printed in several places; it is 45.5 %.
"""

from __future__ import annotations

from fractions import Fraction

from symcount.architectures import names as published_names
from symcount.claims.page import Span
from symcount.claims.related import as_printed
from symcount.claims.slips import shown
from symcount.parts import shares
from symcount.settings import meant
from symcount.shares import differences, held, likely

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from symcount.claims.figures import Figure
    from symcount.claims.lexing import Token
    from symcount.claims.page import Page, Read
    from symcount.diagnostics import Diagnostic
    from symcount.shares import Difference, Share

CODE = "SC106"

_HOLD = {"hold", "holds", "make", "makes", "account", "accounts", "contain", "contains", "take", "takes", "are", "is",
         "represent", "represents", "form", "forms", "have", "has"}
_ALL = {"it", "them", "that", "total", "all", "whole", "parameters", "this", "these", "sum", "model"}
_NEAR = Fraction(1, 50)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "both": 2}


def overhear(read: Read, page: Page) -> Iterator[Diagnostic]:
    """The findings about the shares that a passage states."""
    if likely(read):
        yield from _models(read, page)
    for at, token in enumerate(read.tokens):
        figure = token.figure
        if figure is None or figure.counts != "percent" or page.covered(figure):
            continue
        subject = _subject(read.tokens[max(0, at - 40):at]) if _of_all(read.tokens[at + 1:at + 8]) else []
        for whole, parts in reversed(page.wholes if subject else []):
            named = _meant(subject, parts)
            if not named:
                continue
            printed = as_printed(read, at)
            ratios = [sum((of(part) for part in named), Fraction(0)) / of(whole) for of in (page.printed, page.true)]
            page.cover(figure)
            if not any(printed.holds(share) for share in ratios):
                right = figure.within(ratios[1])
                yield page.report(CODE, "error", figure,
                                  f"{' + '.join(shown(part.value) for part in named)} of {shown(whole.value)} is "
                                  f"{shown(figure.within(ratios[0]))} %, not {shown(figure.within(figure.value))} %",
                                  expected=right, todo=f"write {shown(Fraction(round(right * 10), 10))} %")
            break


# What else a share may be of
_PARTLY = {"block", "blocks", "layer", "layers", "embedding", "embeddings", "non-embedding", "active", "expert",
           "experts", "encoder", "decoder", "trainable", "each", "flops", "compute", "remaining", "rest", "these",
           "those", "excluding", "without", "lora", "adapter", "trained", "head"}


def _models(read: Read, page: Page) -> Iterator[Diagnostic]:
    """The findings about the shares, and the differences, that sentences say of published models."""
    heard = page.setting.of(read.passage)
    for share in held(read, heard):
        yield from _held(share, read, page)
    for difference in differences(read, heard.mentions):
        yield from _difference(difference, page)


def _held(one: Share, read: Read, page: Page) -> Iterator[Diagnostic]:
    """The finding about the share of all parameters that a part of a model is said to have."""
    about = page.setting.at(one.start)
    models = meant(page.setting, one.start) if one.names or about.given else ()
    found = [shares(one.label, model) for model in models]
    if not found or not all(whole for whole, _ in found):
        return
    span = Span(one.start, one.end)
    if any(_true(one, share) for whole, _ in found for share in whole):
        page.judged(span)
    elif page.words(read.passage) & _PARTLY:
        return
    elif not one.bound and any(_true(one, share) for _, rest in found for share in rest):
        page.judged(span)
        yield page.report(CODE, "convention", span, "right of the parameters that are no embeddings")
    elif all(_far(one, share) for whole, rest in found for share in (whole if one.bound else whole + rest)):
        page.judged(span)
        percent = shown(Fraction(round(1000 * found[0][0][0]), 10))
        yield page.report(CODE, "error", span, f"it is {percent} % of all parameters of {models[0].name}",
                          todo=f"write {percent} %")


def _true(one: Share, share: Fraction) -> bool:
    if one.bound:
        return share > one.share if one.bound == "more" else share < one.share
    return bool(one.low <= share <= one.high)


def _far(one: Share, share: Fraction) -> bool:
    """Whether a share is wrong by more than what authors may count otherwise."""
    return not _true(one, share) and abs(share - one.share) > _NEAR


def _difference(one: Difference, page: Page) -> Iterator[Diagnostic]:
    """The finding about how much smaller or larger one published model is than another."""
    counts = [[published_names()[name][2] for name in each] for each in (one.names, one.others)]
    ratios = {Fraction(ours, theirs) for ours in counts[0] for theirs in counts[1]}
    span = Span(one.start, one.end)
    if any(one.low <= ratio <= one.high for ratio in ratios):
        page.judged(span)
    elif one.counted and len(ratios) == 1 and all(abs(ratio / one.ratio - 1) > _NEAR for ratio in ratios):
        page.judged(span)
        yield page.report(CODE, "error", span, f"{one.names[0]} has {counts[0][0]:,} parameters and {one.others[0]} "
                          f"{counts[1][0]:,}")


def _of_all(after: Sequence[Token]) -> bool:
    """Whether what follows a figure says "of it", "of the total"."""
    said = [token.text.lower() for token in after if token.kind == "word" and token.text != "%"]
    return said[:1] == ["of"] and bool(_ALL & set(said[1:4]))


def _subject(before: Sequence[Token]) -> list[str]:
    """The words that a verb of holding stands behind, nearest first cut at the sentence's beginning."""
    said: list[str] = []
    seen = False
    for token in reversed(before):
        if token.kind == "stop" or (token.kind != "word" and seen):
            break
        if token.kind == "word" and token.text.lower() in _HOLD:
            seen = True
        elif token.kind == "word" and seen:
            said.append(token.text.lower())
    return list(reversed(said))


def _listed(subject: Sequence[str], parts: Sequence[tuple[str, Figure]]) -> list[Figure]:
    """The parts that a list names, each by one: "the token table and the position table"."""
    pieces = " ".join(subject).split(" and ")
    found = []
    for piece in pieces if len(pieces) > 1 else ():
        said = {word.removesuffix("s") for word in piece.split()}
        named = [figure for label, figure in parts
                 if (words := {word.lower().removesuffix("s") for word in label.split()}) and words <= said]
        if len(named) != 1:
            return []
        found += named
    return found


def _meant(subject: Sequence[str], parts: Sequence[tuple[str, Figure]]) -> list[Figure]:
    """The parts that a subject names: those whose label has its last word; none where their number is in doubt."""
    several = _listed(subject, parts)
    if several:
        return several
    head = subject[-1]
    one = head.removesuffix("s")
    found = [figure for label, figure in parts if one in {word.lower().removesuffix("s") for word in label.split()}]
    count = next((_COUNTS[word] for word in subject if word in _COUNTS), None)
    wanted = count or (1 if head == one else None)
    return found if found and len(found) == wanted else []
