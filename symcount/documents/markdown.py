"""Markdown (CommonMark with the tables of GitHub, and mathematics between dollars) read into passages.

markdown-it-py finds the blocks, whose lines are known; what is inside of them is read by `inline`, which knows columns.
"""

from __future__ import annotations

import re

from symcount.documents.inline import inline
from symcount.documents.stretches import blanked, goes_on, lines, running, verbatim
from symcount.documents.tables import Tables, header
from symcount.errors import SymcountError, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from symcount.documents.passages import Directive, Passage
    from symcount.documents.stretches import Part, Span

_LONGEST = 200_000  # lines: the parser keeps some kilobytes for each
_DEEPEST = 40  # blocks within blocks: what is nested deeper is not read
_FRONT = re.compile(r"---[ \t]*\r?\n(?=[^\n]*:|#|---)(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)")
_FENCE = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])?[ \t]*(`{3,}|~{3,})(.*)")
_FORMULA = re.compile(r"\$|\\[(\[]|\\begin\{")
_MARKER = re.compile(r"\n[ \t>]*+([-+*#=~`<_:]|[0-9]++[.)])")  # what may begin another block
_DEFINITION = re.compile(r"[ \t]*\[[^\[\]^][^\[\]]{0,200}\]:[ \t]*\S+"
                         r"(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\Z")
_SIGNED = re.compile(r"\n[ \t>]*+([-+*])[ \t]++(?=[0-9($\\])")
_LISTED = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])[ \t]+")
_TASK = re.compile(r"\[[ xX]\][ \t]")


def read(source: str, path: str = "<text>") -> Part:
    r"""Passages and directives of a document in Markdown.

    >>> passages, directives = read("- heads: $12$\n\n<!-- symcount: model=gpt2 -->\n")
    >>> passages
    [Passage(kind='item', start=2, text='heads:  12 ', math=((8, 10),), cells=(), table=None)]
    >>> directives
    [Directive(offset=30, says='model=gpt2', alone=True)]

    Raises SymcountError where markdown-it-py is not installed, and for more lines than its memory should take.
    """
    if source.count("\n") > _LONGEST:
        raise SymcountError(f"{path}: Markdown is read up to {_LONGEST:,} lines: split the document")
    reader = _Reader(source)
    hidden = source
    if front := _FRONT.match(source):
        reader.directives += verbatim("code", source, [front.span()])[1]  # its comments may speak to this program
        hidden = blanked(front[0]) + source[front.end():]
    for token in _parser().parse(shielded(joined(hidden))):
        reader.block(token)
    return reader.passages, sorted(reader.directives)


def _parser() -> MarkdownIt:
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise missing("Markdown is read by markdown-it-py", "check") from None
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    # Definitions of links and tables are found in the paragraphs, below: the parser takes a time quadratic in the
    # number of definitions, and makes three objects of every cell that a row lacks.
    parser.disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def shielded(source: str) -> str:
    r"""The source as long as before, in which no line of a formula looks like the begin of a block.

    >>> shielded("$$\na\n+ b\n$$\n\n+ c")
    '$$\na\nx b\n$$\n\n+ c'
    """
    if not _FORMULA.search(source):
        return source
    parts, done, fence = [], 0, ""
    begin = -1  # of the present run of lines that are not blank
    for start, end in [*lines(source), (len(source), len(source))]:
        line = source[start:end]
        found = _FENCE.match(line)
        if found and fence:
            closing = found[1].startswith(fence) and not found[2].strip()
            fence, inside = ("", True) if closing else (fence, True)
        elif found and "`" not in found[2]:
            fence, inside = found[1], True
        else:
            inside = bool(fence)
        if inside or not line.strip(" \t>"):
            if begin >= 0:
                parts += [source[done:begin], _without_markers(source[begin:start])]
                done, begin = start, -1
        elif begin < 0:
            begin = start
    return "".join([*parts, source[done:]])


def joined(source: str) -> str:
    r"""The source as long as before, in which no line that goes on with a sum looks like an item of a list.

    >>> joined("30,720,000\n+ 393,216\n= 31,113,216\n\n+ 12")
    '30,720,000\nx 393,216\n= 31,113,216\n\n+ 12'
    """
    signs, last = [], -1  # type: tuple[list[str], int]
    for found in _SIGNED.finditer(source):
        begin = source.rfind("\n", 0, found.start()) + 1
        above = source[begin:found.start()].strip(" \t>\r")
        listed = _LISTED.match(above)
        if listed and begin != last:
            if found[1] != "+" or above[0] == "+":
                continue
            above = above[listed.end():]
        if goes_on(above, found[1], source[found.end():found.end() + 1]):
            signs = signs or list(source)
            signs[found.start(1)], last = "x", found.start() + 1
    return "".join(signs) or source


def _without_markers(run: str) -> str:
    if not (_FORMULA.search(run) and _MARKER.search(run)):
        return run
    signs = list(run)
    for begin, end in inline(run).math:
        for found in _MARKER.finditer(run, begin, end):
            signs[found.start(1)] = "x"
    return "".join(signs)


class _Reader:
    """The blocks of a document, each put where its lines stand in the source."""

    __slots__ = ("directives", "kind", "passages", "places", "source", "tables")

    def __init__(self, source: str) -> None:
        self.source, self.places = source, list(lines(source))
        self.passages: list[Passage] = []
        self.directives: list[Directive] = []
        self.kind = "text"  # of the next paragraph
        self.tables = Tables(source)

    def block(self, token: Token) -> None:
        kind, first = token.type, token.map[0] if token.map else 0
        if kind == "list_item_open":
            self.kind = "item"
        elif kind == "heading_open":
            self.kind = "heading"
        elif kind in ("list_item_close", "heading_close", "paragraph_close"):
            self.kind = "text"
        elif kind == "inline":
            self.paragraph(token.content, first)
        elif kind == "fence":
            language = (token.info.split() or [""])[0].strip("{}").lower()
            if spans := self.tails(token.content, first + 1):
                self.take(verbatim("code", self.source, spans, language))
        elif kind == "code_block":
            self.take(verbatim("code", self.source, self.tails(token.content, first)))
        elif kind == "html_block":
            self.take(running("text", self.source, self.tails(token.content, first)))

    def take(self, part: Part) -> None:
        self.passages += part[0]
        self.directives += part[1]

    def tails(self, content: str, first: int) -> list[Span]:
        """Where the lines of a block's content stand: they are the tails of its lines in the source."""
        parts = content.removesuffix("\n").split("\n") if content else []
        return [(max(start, end - len(part)), end)
                for part, (start, end) in zip(parts, self.places[first:first + len(parts)], strict=False)]

    def paragraph(self, content: str, first: int) -> None:
        spans, pieces = [], content.split("\n")
        for piece, (start, end) in zip(pieces, self.places[first:first + len(pieces)], strict=False):
            line, part = self.source[start:end].rstrip(), piece.strip()
            begin = line.rfind(part) if self.kind == "heading" else len(line) - len(part)  # a heading may end in `#`
            if not part.startswith(":::") and not _DEFINITION.match(part):
                spans.append((start + max(0, begin), start + max(0, begin) + len(part)))
        if spans and self.kind == "item" and _TASK.match(self.source, spans[0][0]):
            spans[0] = (spans[0][0] + 3, spans[0][1])
        at = header(self.source, spans)
        if text := spans[:at] if at >= 0 else spans:
            self.take(running(self.kind, self.source, text))
        if at >= 0:
            for row in self.tables.rows([spans[at], *spans[at + 2:]]):
                self.take(row)
