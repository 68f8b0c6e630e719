"""Stretches of a source made into passages: running text, rows of cells, and what stands verbatim."""

from __future__ import annotations

import re
from itertools import pairwise

from symcount.documents.inline import inline, wipe, words
from symcount.documents.passages import Directive, Passage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Span = tuple[int, int]
    Part = tuple[list[Passage], list[Directive]]  # what a reader makes of a part of a document

MATHEMATICS = words("math latex tex")  # what a fence is called whose content is TeX
_REMARK = re.compile(r"(?:#|//|(?<!\\)%)[ \t]{0,9}symcount:[ \t]{0,9}([^\n]*)")
SAYS_ON_A_LINE = re.compile(rf"[ \t]*{_REMARK.pattern}")
_WIDEST = 1_000  # how far from a comment its line is looked at
_NUMBERS = re.compile(r"(?=[^\n]*[0-9])[-+0-9.,_$=×*x·/()−%\s]+\Z")
_SHOWN = words("markdown md html tex latex rst")  # a document that is shown speaks to nobody


def lines(source: str) -> Iterator[Span]:
    r"""Where every line begins and ends, without its end.

    >>> list(lines("ab\r\n\nc"))
    [(0, 2), (4, 4), (5, 6)]
    """
    start = 0
    while (end := source.find("\n", start)) >= 0:
        yield start, end - (end > start and source[end - 1] == "\r")
        start = end + 1
    yield start, len(source)


def normal(text: str) -> str:
    r"""A text in which a lone carriage return is the end of a line.

    >>> normal("a\rb\r\nc")
    'a\nb\r\nc'
    """
    return re.sub(r"\r(?!\n)", "\n", text) if "\r" in text else text


def cut(source: str, spans: Sequence[Span]) -> str:
    r"""The source from the first span to the last; what lies between spans is blanked, but for line ends.

    >>> cut("> one\n> two", [(2, 5), (8, 11)])
    'one\n  two'
    """
    parts = [source[slice(*spans[0])]]
    for (_, end), (begin, stop) in pairwise(spans):
        parts += [blanked(source[end:begin]), source[begin:stop]]
    return "".join(parts)


def blanked(text: str) -> str:
    r"""Blanks as long as the text, with its line ends.

    >>> blanked("a\nb")
    ' \n '
    """
    return "\n".join(" " * len(line) for line in text.split("\n"))


def goes_on(above: str, sign: str, below: str) -> bool:
    """Whether a line that begins with the sign of a list goes on with a sum: `30,720,000` above `+ 393,216`.

    After a plus a number is enough, which hardly makes a list; after another sign all above must be numbers.

    >>> goes_on("total = 30,720,000", "+", "393,216"), goes_on("12 x 4", "-", "3 = 45"), goes_on("Layer 1", "-", "12")
    (True, True, False)
    """
    if below[:1] not in tuple("0123456789($\\"):
        return False
    return above[-1:].isdecimal() or above[-1:] in (")", "$") if sign == "+" else bool(_NUMBERS.match(above))


def running(kind: str, source: str, spans: Sequence[Span]) -> Part:
    """The passage of a paragraph with the readable parts `spans`, none if nothing is left of it, and its directives."""
    start = spans[0][0]
    text, math, comments = inline(cut(source, spans))
    passages = [Passage(kind, start, text, math)] if text.strip() else []
    return passages, [directive(source, start + a, start + b, start + at, said) for a, b, at, said in comments]


def verbatim(kind: str, source: str, spans: Sequence[Span], language: str = "") -> Part:
    """The passage of what stands as it is, code or an output, with the directives in its comments.

    A `language` of MATHEMATICS makes it one span of mathematics.
    """
    start, text = spans[0][0], cut(source, spans).replace("\r", " ")
    directives = []
    if language in MATHEMATICS:
        first = len(text) - len(text.lstrip())
        passage = Passage("text", start, text, ((first, len(text.rstrip())),))
    else:
        signs = list(text)
        for found in _REMARK.finditer(text) if kind == "code" and language not in _SHOWN else ():
            wipe(signs, *found.span())
            directives.append(remark(source, start, found))
        passage = Passage(kind, start, "".join(signs))
    return [passage] if passage.text.strip() else [], directives


def remark(source: str, start: int, found: re.Match[str]) -> Directive:
    """The directive of a comment to the end of its line, found in a text that begins at `start`."""
    return directive(source, start + found.start(), start + found.end(), start + found.start(1), found[1].rstrip())


def directive(source: str, start: int, end: int, offset: int, said: str) -> Directive:
    """The directive of the comment source[start:end]; alone if its lines hold nothing else but markers of quotes."""
    before, after = source[max(0, start - _WIDEST):start], source[end:end + _WIDEST]
    beside = before[before.rfind("\n") + 1:].strip(" \t>") + after.partition("\n")[0].strip()
    return Directive(offset, said, not beside)
