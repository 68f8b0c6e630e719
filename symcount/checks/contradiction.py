"""contradiction: two sentences give one thing two counts.

What it does
    Notes a second figure that is printed for the same words ("the tokenizer table has …") and in the same unit as one
    before, where neither rounds to the other. It is a note, for the two may speak of different things.

Why it matters
    One of the two is wrong, and a reader cannot know which.

Bad
    The small encoder has 4.2M parameters. We train it for a day. The small encoder has 4.9M parameters.

Good
    The small encoder has 4.2M parameters. We train it for a day. The small encoder has 4,166,721 parameters.

Source
    Model cards print a count in the summary and another one in the table.
"""

from __future__ import annotations

from symcount.claims.slips import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.figures import Figure
    from symcount.claims.lexing import Token
    from symcount.claims.page import Page, Read
    from symcount.diagnostics import Diagnostic

CODE = "SC301"
_HAS = {"has", "have", "holds", "hold", "contains", "contain", "takes", "needs", "stores"}
_LONGEST = 24  # tokens
_COUNTED = ("parameter", "flop", "multiply-add", "byte")


def review(page: Page) -> Iterator[Diagnostic]:
    """The notes about things that are counted twice and differently."""
    said: dict[tuple[str, str], Figure] = {}
    for read in page.reads:
        for at, token in enumerate(read.tokens):
            figure = token.figure
            if figure is None or figure.counts not in _COUNTED:
                continue
            if {"op", "rel"} & {one.kind for one in read.tokens[max(0, at - 1):at + 3]}:
                continue
            subject = _subject(read, at)
            if len(subject) < 3 or subject[-1].text.lower() not in _HAS:
                continue
            first = said.setdefault((" ".join(token.text.lower() for token in subject), figure.counts), figure)
            if first.low > figure.high or figure.low > first.high:
                text = page.document.source[subject[0].start:subject[-1].end]
                yield page.report(CODE, "note", figure, f"{shown(figure.value)} here, {shown(first.value)} in line "
                                                        f"{page.line(first.start)}: '{' '.join(text.split())}' both "
                                                        "times")


def _subject(read: Read, at: int) -> list[Token]:
    """What stands before a figure in its clause, numbers too: a 7B-parameter model is no 70B-parameter model."""
    first = max(0, at - _LONGEST)
    begins = next((i + 1 for i in range(at - 1, first - 1, -1) if read.tokens[i].ends), first)
    return [token for token in read.tokens[begins:at] if token.kind not in ("newline", "about", "stop")]
