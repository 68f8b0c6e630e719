"""Plain text read into passages: paragraphs between blank lines, with the light Markdown that people type there.

A heading, an item of a list, a table of pipes and a block between fences are passages of their own.
"""

from __future__ import annotations

import re

from symcount.documents.stretches import SAYS_ON_A_LINE, goes_on, lines, remark, running, verbatim
from symcount.documents.tables import Tables, drawn, enclosed, header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.documents.passages import Directive, Passage
    from symcount.documents.stretches import Part, Span

_FENCE = re.compile(r"[ \t>]*+(`{3,}+|~{3,}+)[ \t]*+([^`\s]*+)[^`]*+\Z")
_HEADING = re.compile(r"[ \t]*#{1,6}(?:[ \t]+(?=[^\s=])|(?=[A-Za-z]))")
_BULLET = re.compile(r"[ \t]*(?:[-*][ \t]+|[•◦▪●‣○■][ \t]*|(?P<number>[0-9]{1,3})[.)][ \t]+)(?=\S)")
_QUOTED = re.compile(r"[ \t]*(?:>[ \t]?)+")


def read(source: str) -> Part:
    r"""Passages and directives of a plain text.

    >>> passages, _ = read("Sizes:\n- **width** 768\n- layers 12\n")
    >>> [(passage.kind, passage.text) for passage in passages]
    [('text', 'Sizes:'), ('item', '  width   768'), ('item', 'layers 12')]
    """
    reader = _Reader(source)
    reader.whole()
    return reader.passages, sorted(reader.directives)


class _Reader:
    __slots__ = ("directives", "passages", "source", "tables")

    def __init__(self, source: str) -> None:
        self.source, self.tables = source, Tables(source)
        self.passages: list[Passage] = []
        self.directives: list[Directive] = []

    def take(self, part: Part) -> None:
        self.passages += part[0]
        self.directives += part[1]

    def whole(self) -> None:
        rows, at = list(lines(self.source)), 0
        fences = self.fences(rows)
        paragraph: list[Span] = []
        while at < len(rows):
            start, end = rows[at]
            if at in fences:
                self.paragraph(paragraph)
                close, language = fences[at]
                if close > at + 1:
                    self.take(verbatim("code", self.source, rows[at + 1:close], language))
                paragraph, at = [], close
            elif self.source[start:end].strip():
                paragraph.append((start, end))
            else:
                self.paragraph(paragraph)
                paragraph = []
            at += 1
        self.paragraph(paragraph)

    def fences(self, rows: list[Span]) -> dict[int, tuple[int, str]]:
        """For the line of every fence that is closed: the line that closes it, and its language."""
        found: dict[int, tuple[int, str]] = {}
        opened, sign, language = -1, "", ""
        for at, (start, end) in enumerate(rows):
            mark = _FENCE.match(self.source, start, end)
            if not mark:
                continue
            if opened < 0:
                opened, sign, language = at, mark[1], mark[2].strip("{}").lower()
            elif mark[1].startswith(sign) and not mark[2]:
                found[opened], opened = (at, language), -1
        return found

    def paragraph(self, rows: list[Span]) -> None:
        """Takes a paragraph: its tables, and between them headings, items and running text."""
        quoted = [_QUOTED.match(self.source, *span) for span in rows]
        if all(quoted):
            rows = [(mark.end(), end) for mark, (_, end) in zip(quoted, rows, strict=True) if mark]
        at = 0
        plain: list[Span] = []
        while at < len(rows):
            stop = at
            while stop < len(rows) and ("|" in self.source[slice(*rows[stop])] or drawn(self.source, rows[stop])):
                stop += 1
            first = self.table(rows[at:stop])
            if first < 0:
                stop = max(stop, at + 1)
                plain += rows[at:stop]
            else:
                self.parts(plain + rows[at:at + first])
                plain = []
                for part in self.tables.rows([span for span in rows[at + first:stop] if not drawn(self.source, span)]):
                    self.take(part)
            at = stop
        self.parts(plain)

    def table(self, rows: list[Span]) -> int:
        """Where in lines with pipes a table begins; -1 if there is none.

        A line of delimiters or one that is drawn stands below its header, or every line is closed by pipes.
        """
        said = [at for at, span in enumerate(rows) if not drawn(self.source, span)]
        if len(said) < 2:
            return -1
        first = header(self.source, rows)
        if first in said:
            return first
        closed = all(enclosed(self.source, rows[at]) for at in said)
        return 0 if closed or (said[0] == 0 and said[1] > 1) else -1

    def parts(self, rows: list[Span]) -> None:
        """Takes lines of running text, parted before every heading and every item of a list."""
        source, kind, parts = self.source, "text", []  # type: tuple[str, str, list[Span]]
        for start, end in rows:
            if found := SAYS_ON_A_LINE.match(source, start, end):
                self.directives.append(remark(source, 0, found))
                continue
            title, bullet = _HEADING.match(source, start, end), _BULLET.match(source, start, end)
            if title or (bullet and self.is_bullet(bullet, kind, parts)):
                self.ended(kind, parts)
                kind, parts = "item", []
            if title:
                self.ended("heading", [(title.end(), title.end() + len(source[title.end():end].rstrip(" \t#")))])
                kind = "text"
                continue
            begin = bullet.end() if bullet and not parts and kind == "item" else start
            text = source[begin:end]
            parts.append((begin + len(text) - len(text.lstrip()), begin + len(text.rstrip())))
        self.ended(kind, parts)

    def is_bullet(self, bullet: re.Match[str], kind: str, parts: list[Span]) -> bool:
        """Whether a line with a bullet begins an item; it may also go on with the sum or the formula above."""
        if not parts:
            return True
        if bullet["number"]:
            return kind == "item" or bullet["number"] == "1"  # a sentence may be wrapped before "12. "
        start, end = parts[-1]
        above = self.source[start:end]
        indent = start - self.source.rfind("\n", 0, start) - 1
        deeper = len(bullet[0]) - len(bullet[0].lstrip()) > indent
        if kind == "item":
            return True
        if goes_on(above, bullet[0].strip(), self.source[bullet.end():bullet.end() + 1]):
            return False
        return not ("=" in above and deeper and above[-1] not in ":.;")

    def ended(self, kind: str, parts: list[Span]) -> None:
        if parts:
            self.take(running(kind, self.source, parts))
