"""Markup inside a paragraph: emphasis, code, links, tags and comments are blanked, mathematics is found.

Markdown's parsers give the pieces of a paragraph no positions, so its signs are read here, where they stand. What is
blanked keeps its length. An asterisk or an underscore is blanked only if it can be nothing but emphasis.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import namedtuple
from html import unescape
from itertools import pairwise
from string import punctuation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ENVIRONMENTS = ("equation", "align", "alignat", "flalign", "gather", "multline", "eqnarray", "displaymath", "math")
NUMBERING = re.compile(r"\\(?:label|tag\*?)\{[^{}\n]{0,200}\}|\\(?:nonumber|notag)(?![A-Za-z])")


def words(text: str) -> frozenset[str]:
    """A set of words written in a row.

    >>> sorted(words("b a"))
    ['a', 'b']
    """
    return frozenset(text.split())


_SIGNS = re.compile(r"[`$\\*_\[\]<~&]|https?://|www\.")
_ESCAPED = re.compile(r"\\\\[()\[\]]|\\.|\$", re.DOTALL)  # one pass finds what closes: the pairs of `\`, and bare `$`
_BEGINS = re.compile(rf"\\begin\{{((?:{'|'.join(ENVIRONMENTS)})\*?)\}}(?:\{{[0-9]+\}})?")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_URL = re.compile(r"[^\s<>\"`|\[\]]+")
_TARGET = re.compile(r"\((?P<to><[^<>\n]{0,2000}>|[^\s()]{0,2000}(?:\([^\s()]{0,500}\)[^\s()]{0,500}){0,4})"
                     r"(?:\s{1,9}(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?\s{0,9}\)")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,60}\]:?")
_AUTOLINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{0,2000}|[^\s<>@]{1,99}@[^\s<>@]{1,99})>")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]{0,15})(/?|\s[^<>]{0,2000})>")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_SAYS = re.compile(r"\s*symcount:\s*(.*\S)?", re.DOTALL)
_RAISED = re.compile(r"[-−]?[0-9]{1,9}<")
# After a relation a long number is a result, and what is raised behind it is the mark of a note.
_RESULT = re.compile(r"[=≈~]\s{0,9}[0-9][0-9,. ]{3,}[A-Za-z%]{0,3}\Z")

_INLINE = words("a abbr b big bdi cite code del dfn em font i img input ins kbd label mark q samp small span "
                    "strong sub sup tt u var wbr")
# A break between what stands before and after: it reads as a semicolon.
_BREAKS = words("article aside blockquote br button caption center col colgroup dd details div dl dt figcaption "
                    "figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p picture pre section source summary "
                    "table tbody td tfoot th thead tr ul video")
_HIDDEN = words("script style svg math del")
_KNOWN = _INLINE | _BREAKS | _HIDDEN

# What is read inside a line: the text, spans of mathematics, comments to this program as (start, end, offset, says)
Inline = namedtuple("Inline", "text math comments")


def inline(text: str) -> Inline:
    r"""Blanks what marks up; escapes lose their backslash, `<br>` and its like read as a semicolon.

    >>> inline("**110M** of `n_embd`, 2*3*4 = 24").text
    '  110M   of  n_embd , 2*3*4 = 24'
    >>> inline(r"3 x $4.99 = $14.97, $40,000$ and \(a\)").math
    ((21, 27), (35, 36))
    """
    if not _SIGNS.search(text):
        return Inline(text, (), ())
    reader = _Reader(text)
    reader.whole()
    return Inline("".join(reader.signs), tuple(reader.math), tuple(reader.comments))


def wipe(signs: list[str], start: int, end: int) -> None:
    """Blanks signs[start:end], but no line end.

    >>> signs = list("a*b"); wipe(signs, 1, 2); "".join(signs)
    'a b'
    """
    signs[start:end] = ["\n" if sign == "\n" else " " for sign in signs[start:end]]


def says(comment: str) -> tuple[int, str] | None:
    """Where in a comment begins what it says to this program, and what; None if it speaks to somebody else.

    >>> says(" symcount: model=gpt2 ")
    (11, 'model=gpt2')
    """
    found = _SAYS.match(comment)
    return (found.start(1) if found[1] else found.end(), (found[1] or "").rstrip()) if found else None


class _Reader:
    """One pass from left to right; every search for what closes is by bisection in lists made once."""

    __slots__ = ("brackets", "closers", "comments", "gaps", "handlers", "math", "runs", "signs", "text", "ticks")

    def __init__(self, text: str) -> None:
        self.text, self.signs = text, list(text)
        self.math: list[tuple[int, int]] = []
        self.comments: list[tuple[int, int, int, str]] = []
        self.runs: list[tuple[int, int]] = []
        self.brackets: list[int] = []
        self.ticks: dict[int, list[int]] | None = None
        self.closers: dict[str, list[int]] | None = None
        self.gaps = [found.start() for found in _BLANK_LINE.finditer(text)] if "\n" in text else []
        self.handlers: dict[str, Callable[[int], int]] = {
            "`": self.code, "$": self.dollar, "\\": self.backslash, "*": self.run, "_": self.run, "[": self.bracket,
            "]": self.link, "<": self.tag, "~": self.struck, "&": self.entity, "h": self.url, "w": self.url}

    def whole(self) -> None:
        at = 0
        while found := _SIGNS.search(self.text, at):
            at = self.handlers[found[0][0]](found.start())
        if self.runs:
            self.emphasis()

    def wipe(self, start: int, end: int) -> int:
        wipe(self.signs, start, end)
        return end

    def closes(self, closer: str, after: int) -> int:
        """Where the next `closer` stands in the same paragraph; -1 if nowhere."""
        if self.closers is None:
            self.closers = {}
            for found in _ESCAPED.finditer(self.text):
                self.closers.setdefault(found[0], []).append(found.start())
            dollars = self.closers.get("$", [])
            self.closers["$$"] = [a for a, b in pairwise(dollars) if b == a + 1]
        places = self.closers.get(closer)
        if places is None and closer not in self.closers and closer[:5] == "\\end{":
            places = self.closers[closer] = [found.start() for found in re.finditer(re.escape(closer), self.text)]
        return self.near(places or [], after)

    def near(self, places: list[int], after: int) -> int:
        index = bisect_left(places, after)
        if index == len(places):
            return -1
        gap = bisect_left(self.gaps, after)
        return -1 if gap < len(self.gaps) and self.gaps[gap] < places[index] else places[index]

    def mathematics(self, start: int, begin: int, end: int, stop: int) -> int:
        """Takes text[begin:end] for mathematics; its delimiters, from `start` and up to `stop`, are blanked."""
        self.wipe(start, begin)
        self.wipe(end, stop)
        for found in NUMBERING.finditer(self.text, begin, end):
            self.wipe(*found.span())
        self.math.append((begin, end))
        return stop

    def code(self, at: int) -> int:
        text = self.text
        if self.ticks is None:
            self.ticks = {}
            for found in re.finditer("`+", text):
                self.ticks.setdefault(len(found[0]), []).append(found.start())
        begin = at + _length(text, at)
        end = self.near(self.ticks.get(begin - at, []), begin)
        if end < 0:
            return begin
        stop = end + begin - at
        if text[max(0, at - 6):at] == "{math}":
            return self.mathematics(at - 6, begin, end, stop)
        self.wipe(at, begin)
        return self.wipe(end, stop)

    def dollar(self, at: int) -> int:
        text = self.text
        if text.startswith("$$", at):
            end = self.closes("$$", at + 2)
            if end < 0 or not text[at + 2:end].strip():
                return at + 2
            return self.mathematics(at, at + 2, end, end + 2)
        end = self.closes("$", at + 1)
        if end <= at + 1 or text[at + 1].isspace() or text[end - 1].isspace() \
                or text[max(0, at - 1):at].isdecimal() or text[end + 1:end + 2].isdecimal():
            return at + 1  # a price
        quoted = 1 if text[at + 1] == text[end - 1] == "`" and end > at + 3 else 0  # $`…`$, as GitHub has it
        return self.mathematics(at, at + 1 + quoted, end - quoted, end + 1)

    def backslash(self, at: int) -> int:
        text = self.text
        following = text[at + 1:at + 2]
        width = 3 if following == "\\" and text[at + 2:at + 3] in ("(", "[") else 2
        if following in ("(", "[") or width == 3:
            end = self.closes(text[at:at + width - 1] + {"(": ")", "[": "]"}[text[at + width - 1]], at + width)
            if end >= 0 and text[at + width:end].strip():
                return self.mathematics(at, at + width, end, end + width)
        if found := _BEGINS.match(text, at):
            closer = f"\\end{{{found[1]}}}"
            end = self.closes(closer, found.end())
            if end >= 0:
                return self.mathematics(at, found.end(), end, end + len(closer))
        if following == "," and text[max(0, at - 1):at].isdecimal() and text[at + 2:at + 3].isdecimal():
            return at + 2  # 40\,000: the number keeps its groups
        if following and following in punctuation + "\r\n":
            self.wipe(at, at + 1)
            return at + 2
        return at + 1

    def run(self, at: int) -> int:
        end = at + _length(self.text, at)
        self.runs.append((at, end))
        return end

    def emphasis(self) -> None:
        """Blanks the runs of asterisks and of underscores that open and close emphasis; others are operators."""
        text, opened = self.text, {"*": [], "_": []}  # type: tuple[str, dict[str, list[list[int]]]]
        for start, end in self.runs:
            before, after = text[max(0, start - 1):start], text[end:end + 1]
            if _operand(before, ")]}%!$`") and _operand(after, "([{\\$`"):
                continue  # 2*3, n_embd
            sign = text[start]
            free = start
            if before.strip() and _boundary(after) and not _factor(text, start, end, 1):
                while free < end and opened[sign]:
                    top = opened[sign].pop()
                    width = min(top[1] - top[0], end - free)
                    self.wipe(top[1] - width, top[1])
                    free = self.wipe(free, free + width)
                    if top[1] - width > top[0]:
                        opened[sign].append([top[0], top[1] - width])
            if free < end and after.strip() and _boundary(before) and not _factor(text, start, end, -1):
                opened[sign].append([free, end])

    def bracket(self, at: int) -> int:
        if found := _FOOTNOTE.match(self.text, at):
            return self.wipe(*found.span())
        self.brackets.append(at)
        return at + 1

    def link(self, at: int) -> int:
        start = self.brackets.pop() if self.brackets else -1
        found = _TARGET.match(self.text, at + 1) if start >= 0 else None
        if not found or not re.search(r"[A-Za-z#/]", found["to"]):  # a[3](4) is no link
            return at + 1
        self.wipe(start - (self.text[max(0, start - 1):start] == "!"), start + 1)
        return self.wipe(at, found.end())

    def tag(self, at: int) -> int:
        text = self.text
        if text.startswith("<!--", at):
            end = text.find("-->", at + 4)
            if end < 0:  # a comment that is never closed hides the rest
                return self.wipe(at, len(text))
            if told := says(text[at + 4:end]):
                self.comments.append((at, end + 3, at + 4 + told[0], told[1]))
            return self.wipe(at, end + 3)
        if found := _AUTOLINK.match(text, at):
            return self.wipe(*found.span())
        found = _TAG.match(text, at)
        name = found[1].lower() if found else ""
        if not found or name not in _KNOWN or not (found[2].strip(" /\n") in ("", "open") or "=" in found[2]):
            return at + 1  # a < b and c > d, <unk>
        end = self.wipe(*found.span())
        if name in _BREAKS:
            self.signs[at] = ";"
        elif name in _HIDDEN and text[at + 1] != "/":
            closer = text.find(f"</{found[1]}>", end)
            return self.wipe(end, len(text) if closer < 0 else closer)
        elif name == "sup" and _RAISED.match(text, end):
            if _RESULT.search(text, max(0, at - 40), at):
                return self.wipe(end, text.index("<", end))
            self.signs[at] = "^"
        elif name == "sub" and text[at + 1] != "/":
            self.signs[at] = "_"
        return end

    def struck(self, at: int) -> int:
        text, width = self.text, _length(self.text, at)
        if width != 2 or text[at + 2:at + 3].isspace():
            return at + width
        end = text.find("~~", at + 2)  # what is struck out is not said
        return at + 2 if end < 0 or text[end - 1].isspace() else self.wipe(at, end + 2)

    def entity(self, at: int) -> int:
        found = _ENTITY.match(self.text, at)
        sign = unescape(found[0]) if found else ""
        if not found or len(sign) != 1:
            return at + 1
        self.wipe(*found.span())
        self.signs[at] = sign if sign.isprintable() else " "
        return found.end()

    def url(self, at: int) -> int:
        found = _URL.match(self.text, at)
        if not found or self.text[max(0, at - 1):at].isalnum():
            return at + 4
        return self.wipe(at, at + len(found[0].rstrip(".,;:!?)}*_'")))


def _length(text: str, at: int) -> int:
    """How often the sign at a place is repeated there."""
    end = at + 1
    while end < len(text) and text[end] == text[at]:
        end += 1
    return end - at


def _operand(sign: str, others: str) -> bool:
    """Whether a factor may end or begin with this sign; writing without blanks between words is no formula."""
    return bool(sign) and ((sign.isalnum() and sign < "\u2e80") or sign in others)


def _boundary(sign: str) -> bool:
    return not sign or not sign.isalnum() or sign >= "\u2e80"


def _factor(text: str, start: int, end: int, side: int) -> bool:
    """Whether a single sign with a blank on one side stands between two factors: 2 *3, (3 + 4)* 5."""
    if end - start > 1:
        return False
    before = text[max(0, start - 3):start].rstrip(" ")[-1:]
    after = text[end:end + 3].lstrip(" ")[:1]
    near, far = (before, after) if side > 0 else (after, before)
    inner, outer = (")", "(") if side > 0 else ("(", ")")
    return (near.isdecimal() or near == inner) and (far.isdecimal() or far == outer)
