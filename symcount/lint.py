"""The order of a check: a document is read into claims, every check judges them, and what is left is listed.

What is found wrong in one claim is known to those after it: a sum of a wrong figure is carried, not wrong.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import namedtuple

from symcount.checks import checks
from symcount.checks import codes as codes_of_checks
from symcount.claims.agreement import agreement
from symcount.claims.leftover import leftover
from symcount.claims.page import Page
from symcount.claims.stating import claims
from symcount.directives import instructions
from symcount.documents import read
from symcount.errors import ModelError, nearest
from symcount.naming import model as named
from symcount.notations import notation as notation_of
from symcount.settings import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.claims.page import Claim
    from symcount.diagnostics import Diagnostic
    from symcount.documents.passages import Document

_WRONG = ("error", "carried")

Examined = namedtuple("Examined", "findings judged")
"""The diagnostics about a document, and the number of claims that were compared with something."""


def check(text: str, path: str = "<text>", model: Any = None) -> list[Diagnostic]:
    """What is wrong, carried, a convention or worth a note in a document; see `inspect` for what was not judged.

    >>> found, = check("The table has 30522 x 768 = 23,408,256 entries.")
    >>> found.code, found.line, found.column, found.expected
    ('SC101', 1, 29, 23440896)
    """
    return [one for one in inspect(text, path, model) if one.severity != "skipped"]


def inspect(text: str, path: str = "<text>", model: Any = None, notation: str | None = None) -> list[Diagnostic]:
    """All that is said of a document, in order of place, with what was not judged as "skipped"."""
    return examine(text, path, model, notation).findings


def examine(text: str, path: str = "<text>", model: Any = None, notation: str | None = None) -> Examined:
    """The findings about a document, and how many of its claims were judged."""
    one = named(model) if isinstance(model, str) else model
    found = [_examine(document, one, notation) for document in read(text, path)]
    return Examined([one for part in found for one in part.findings], sum(part.judged for part in found))


def _examine(document: Document, model: Any, notation: str | None) -> Examined:
    page = Page(document, setting(document, model), notation_of(notation) if notation else {})
    unread = []
    _listen(page)
    asked = {verb: [getattr(one, verb) for one in checks() if hasattr(one, verb)]
             for verb in ("announce", "judge", "overhear", "review")}
    for read_, found in claims(page):
        page.findings += [one for ask in asked["announce"] for one in ask(read_, page)]
        for claim in found:
            said = [one for ask in asked["judge"] for one in ask(claim, page)]
            if not _settle(claim, said, page):
                unread.append(claim)
        page.findings += [one for ask in asked["overhear"] for one in ask(read_, page)]
    page.findings += [one for ask in asked["review"] for one in ask(page)]
    page.findings = [one for one in page.findings if not page.silenced(one.code, one.line)]
    page.findings += leftover(page, unread)
    return Examined(sorted(page.findings, key=lambda one: (one.line, one.column)), len(page.judgements))


def _listen(page: Page) -> None:
    """Take in the comments that ask to ignore something: on their line; alone on one, in what follows."""
    document = page.document
    starts = [passage.start for passage in document.passages]
    for directive in document.directives:
        codes = instructions(directive).get("ignore")
        if codes is None:
            continue
        line, column = document.place(directive.offset)
        if unknown := [code for code in codes if code not in codes_of_checks()]:
            raise ModelError(f"{document.path}:{line}:{column}: no check '{unknown[0]}'; "
                             + nearest(unknown[0], list(codes_of_checks())))
        after = bisect_right(starts, directive.offset)
        if after and document.passages[after - 1].text[directive.offset - starts[after - 1]:].strip():
            after -= 1  # within a passage, as in a block of code: the rest of it
        if directive.alone and after < len(starts):
            passage = document.passages[after]
            first = max(passage.start, directive.offset)
            page.silence(document.place(first)[0], document.place(passage.start + len(passage.text))[0], codes)
        else:
            page.silence(line, line, codes)


def _settle(claim: Claim, said: list[Diagnostic], page: Page) -> bool:
    """Take in what the checks said of a claim: its wrong figure is known from here on. Whether it was judged at all."""
    page.findings += said
    wrong = next((one for one in said if one.severity in _WRONG), None)
    found = agreement(claim, page)
    if wrong:
        lines = page.roots(claim.node) if wrong.severity == "carried" else (wrong.line,)
        right = found.true if wrong.expected is None else wrong.expected * claim.printed.scale
        page.correct(wrong.code, claim.printed, right, lines)
    if found.verdict == "holds" and not wrong and found.local == found.true:
        page.confirm(claim.printed)
    if said or found.verdict == "holds":
        page.judged(claim.printed)
        page.cover(claim.node)
        page.add(claim)
        return True
    return False
