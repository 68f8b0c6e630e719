"""A document while it is checked: what it claims, what was found wrong so far, which figures are accounted for."""

from __future__ import annotations

from bisect import bisect_left
from collections import namedtuple
from fractions import Fraction
from itertools import islice

from symcount.claims.chains import relations
from symcount.claims.expressions import UnreadableError, figures, names, value
from symcount.claims.figures import restyled
from symcount.claims.lexing import tokens
from symcount.claims.slips import amount
from symcount.diagnostics import Diagnostic
from symcount.documents.passages import Passage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from symcount.claims.chains import Relation
    from symcount.claims.expressions import Node
    from symcount.claims.figures import Figure
    from symcount.claims.lexing import Token
    from symcount.documents.passages import Document

_LONGEST = 100_000  # characters that are read as one passage
_FOLLOWED = 100  # so many wrong figures are followed into prose
_TELLING = 10_000  # a wrong figure of fewer digits is followed by its value only near: others may well be equal
_LEAST, _NEAR = 100, 5  # and one of two digits only in its unit

Claim = namedtuple("Claim", "kind node printed sign passage label follows column", defaults=("", "", ""))
"""That an expression is a printed figure.

kind      "relation" for = and ≈, "row" of a table, "across" its columns, "total" of one
node      the expression; printed  the figure; sign  "=" or "≈"
passage   where it stands
label     the author's words for it; follows  the word after the figure that is no unit
"""

Span = namedtuple("Span", "start end")
"""A stretch of a document, as offsets."""

Correction = namedtuple("Correction", "value lines")
"""What a wrong figure should be, and the lines of the errors that made it wrong."""


class Read(namedtuple("Read", "number passage tokens relations")):
    """A passage with its number, its tokens and the relations among them."""

    __slots__ = ()

    def computed(self) -> set[int]:
        """Where the figures of its relations stand."""
        return {figure.start for one in self.relations for side in (one.left, one.right) for figure in side.written()}


class Page:
    """One document and what is known of it.

    reads        its passages, read
    setting      the model and the sizes that it speaks of
    symbols      the author's symbols for our letters, where a notation was given
    findings     the diagnostics so far
    judgements   where the statements begin that were compared with something
    formulas     how many sentences said a formula of a model
    results      the figures that were computed, in order
    vouched      the values that were found to be those of the model's parts
    wholes       (figure, its parts as (label, figure)) of what was added up
    """

    __slots__ = ("_at", "_covered", "_defined", "_first", "_headings", "_heads", "_labels", "_named", "_silences",
                 "_starts", "_units", "_values", "_words", "_wrong", "compared", "document", "findings", "formulas",
                 "judgements", "reads", "results", "setting", "symbols", "vouched", "wholes")

    def __init__(self, document: Document, setting: Any, symbols: Mapping[str, str]) -> None:
        self.document, self.setting, self.symbols = document, setting, symbols
        self.findings: list[Diagnostic] = []
        self.judgements: set[int] = set()
        self.formulas = 0
        self._wrong = False
        self._silences: list[tuple[int, int, tuple[str, ...]]] = []
        self.compared: tuple[Any, Any] = (None, None)  # the claim that is judged, and its agreement
        pieces = [piece for passage in document.passages for piece in _pieces(passage)]
        self.reads = [_read(number, passage) for number, passage in enumerate(pieces)]
        printed = [token.figure for read in self.reads for token in read.tokens if token.figure]
        self._starts = [(token.figure or token).start for read in self.reads for token in read.tokens
                        if token.figure or token.kind == "odd"]
        self._heads = {passage.table[0]: passage for passage in document.passages
                       if passage.table and not passage.table[1]}
        self._headings = [passage.start for passage in document.passages if passage.kind == "heading"]
        self._units = sorted([*((start, "") for start in self._headings),
                              *((figure.start, figure.counts) for figure in printed
                                           if figure.counts in ("flop", "multiply-add", "byte",
                                                                                   "parameter"))])
        self.vouched: set[Fraction] = set()
        self.results: list[Figure] = []
        self._first: dict[Fraction, int] = {}  # where each value is printed first
        for figure in printed:
            self._first.setdefault(figure.value, figure.start)
        self._labels: dict[tuple[str, Any], tuple[str, Figure]] = {}  # by place, and by value
        self.wholes: list[tuple[Figure, list[tuple[str, Figure]]]] = []
        self._words = {read.passage.start: {token.text.lower() for token in read.tokens if token.kind == "word"}
                       for read in self.reads}
        self._covered: set[int] = set()
        self._at: dict[tuple[int, int], Correction | None] = {}  # by place; None for what was found right
        self._values: dict[Any, tuple[int, float, Correction]] = {}  # by key, from an offset to a line
        self._defined = _definitions(self.reads)
        self._named: dict[str, tuple[Fraction, tuple[int, int]]] = {}

    def line(self, offset: int) -> int:
        """The line of an offset."""
        return self.document.place(offset)[0]

    def column(self, read: Read, figure: Figure) -> str:
        """The words above the column of a table that a figure stands in."""
        place = figure.start - read.passage.start
        index = next((i for i, (start, end) in enumerate(read.passage.cells) if start <= place < end), None)
        head = self._heads.get(read.passage.table[0]) if read.passage.table else None
        if head is None or index is None or index >= len(head.cells):
            return ""
        start, end = head.cells[index]
        return str(head.text[start:end])

    def heading(self, offset: int) -> set[str]:
        """The words of the last heading before an offset, in small letters."""
        at = bisect_left(self._headings, offset) - 1
        return self._words[self._headings[at]] if at >= 0 else set()

    def unit_before(self, offset: int) -> str:
        """The kind of the last unit that was printed before an offset, in its section; "" where there is none."""
        at = bisect_left(self._units, (offset,)) - 1
        return self._units[at][1] if at >= 0 else ""

    def words(self, passage: Passage) -> set[str]:
        """The words of a passage, in small letters."""
        return self._words[passage.start]

    def printed(self, figure: Figure) -> Fraction:
        """A figure as it was printed."""
        return figure.value

    def true(self, figure: Figure) -> Fraction:
        """What a figure should be: what was found for it, else what is printed."""
        found = self.correction(figure)
        return found.value if found else figure.value

    def correction(self, figure: Figure) -> Correction | None:
        """What was found for a figure, at its place or for an earlier one of the same value."""
        if (figure.start, figure.end) in self._at:
            return self._at[figure.start, figure.end]
        since, until, found = self._values.get(_key(figure, figure.value), (0, 0, None))
        return found if found and since < figure.start and self.line(figure.start) <= until else None

    def named(self, name: str) -> Fraction | None:
        """The value of a symbol that the document defines once, and before."""
        return self._named[name][0] if name in self._named else None

    def true_named(self, name: str) -> Fraction | None:
        """What the value of a symbol should be."""
        if name not in self._named:
            return None
        number, at = self._named[name]
        found = self._at.get(at)
        return found.value if found else number

    def define(self, name: str, figure: Figure) -> None:
        """Let a symbol have the value of a figure, if all the document agrees."""
        if len(self._defined.get(name, ())) == 1:
            self._named[name] = figure.value, (figure.start, figure.end)

    def silenced(self, code: str, line: int) -> bool:
        """Whether a comment asks to ignore a check on a line."""
        return any(first <= line <= last and (not codes or code in codes) for first, last, codes in self._silences)

    def silence(self, first: int, last: int, codes: Sequence[str]) -> None:
        """Ignore checks on lines; without codes all of them."""
        self._silences.append((first, last, tuple(codes)))

    def correct(self, code: str, figure: Figure, right: Fraction, lines: Iterable[int]) -> None:
        """Remember what a wrong figure should be, for those that are computed from it, unless it is to be ignored."""
        if self.silenced(code, self.line(figure.start)):
            return
        self._wrong = True
        found = Correction(right, tuple(sorted({*lines})))
        self._at[figure.start, figure.end] = found
        for number, value_ in {figure.value: right, figure.value / figure.scale: right / figure.scale}.items():
            telling = abs(number) >= _TELLING or (abs(number) >= _LEAST and number.denominator != 1)
            if self._first.get(number, figure.start) >= figure.start and (abs(number) >= _LEAST or figure.unit):
                near = self.line(figure.start) + (_NEAR if abs(number) < 10 * _LEAST else 4 * _NEAR)
                until = float("inf") if telling else near
                self._values[_key(figure, number)] = figure.end, until, Correction(value_, found.lines)

    def confirm(self, figure: Figure) -> None:
        """Remember that a figure was found right: a wrong one of the same value can no longer be told from it."""
        self._at[figure.start, figure.end] = None
        self._values.pop(_key(figure, figure.value), None)

    def operands(self, node: Node) -> list[Figure]:
        """The figures of an expression that repeat a wrong one, of which nothing is said at their own place."""
        return [figure for figure in figures(node)
                if self.correction(figure) and (figure.start, figure.end) not in self._at]

    def roots(self, node: Node) -> tuple[int, ...]:
        """The lines of the errors that an expression carries on."""
        found = [self.correction(figure) for figure in figures(node)]
        found += [self._at.get(self._named[name][1]) for name in names(node) if name in self._named]
        return tuple(sorted({line for one in found if one for line in one.lines}))

    def cover(self, *spans: Any) -> None:
        """Count the figures within spans as accounted for: changing one of their digits would be noticed."""
        for span in spans:
            self._covered |= {*self._starts[bisect_left(self._starts, span.start):bisect_left(self._starts, span.end)]}

    def judged(self, span: Any) -> None:
        """Count a statement that is no relation as judged, and its figures as accounted for."""
        self.judgements.add(span.start)
        self.cover(span)

    def covered(self, figure: Figure | Token) -> bool:
        """Whether a figure, or a token with digits, is accounted for."""
        return figure.start in self._covered

    def wrong(self) -> bool:
        """Whether any figure was found wrong that others may be computed from."""
        return self._wrong

    def corrections(self) -> list[tuple[Fraction, Correction]]:
        """The latest wrong figures whose values tell them from others, and what they should be, the last one first."""
        return [(number, found) for number, (_, until, found) in islice(reversed(self._values.items()), _FOLLOWED)
                if until == float("inf")]

    def label(self, words_: str, figure: Figure) -> None:
        """Remember a figure by the words that it is printed for."""
        self._labels["at", figure.start] = self._labels["worth", figure.value] = words_, figure

    def add(self, claim: Claim) -> None:
        """Remember a result, by its label too, and of a sum of labelled figures what its parts are."""
        self.results.append(claim.printed)
        if claim.label and claim.kind not in ("row", "across"):
            self.label(claim.label, claim.printed)
        if claim.node.kind != "sum" or any(part.kind != "figure" for part in claim.node.parts):
            return
        found = [self._labels.get(("at", part.parts.start)) or self._labels.get(("worth", part.parts.value))
                 for part in claim.node.parts]
        if None not in found:
            self.wholes.append((claim.printed, [one for one in found if one]))

    def rewritten(self, figure: Figure, number: Fraction) -> str | None:
        """What would stand in place of a figure if it were this number; None where that is not sure."""
        return restyled(self.document.source[figure.start:figure.end], number)

    def advice(self, figure: Figure, number: Fraction) -> str:
        """What to write in place of a figure, in the author's style where that is sure."""
        styled = self.rewritten(figure, number)
        return f"write {styled if styled and '}{' not in styled else amount(figure, number)}"  # of a command the middle

    def report(self, code: str, severity: str, span: Any, message: str, *, expected: Fraction | None = None,
               todo: str = "", fix: str | None = None, also: Sequence[Diagnostic] = ()) -> Diagnostic:
        """A diagnostic about a span of the document, a figure, a node or a token; `todo` is its help."""
        line, column = self.document.place(span.start)
        last, end = self.document.place(span.end)
        source = self.document.line(line)
        end = end if last == line else len(source) + 1
        number = None if expected is None else int(expected) if expected.denominator == 1 else expected
        return Diagnostic(self.document.path, line, column, end, code, severity, message, number, todo, fix, source,
                          tuple(also))


def _key(figure: Figure, number: Fraction) -> Any:
    """What a figure is known by in what follows: a number, a small one with what it counts."""
    return number if abs(number) >= _LEAST else (number, figure.unit and figure.counts)


def _pieces(passage: Passage) -> Iterator[Passage]:
    """A passage, in pieces of whole lines where it is very long; a line that is longer still is not read."""
    text, start = passage.text, 0
    while len(text) - start > _LONGEST:
        end = text.rfind("\n", start, start + _LONGEST) + 1
        if not end:
            end = text.find("\n", start) + 1 or len(text)
            yield Passage("unread", passage.start + start, "")
        else:
            yield _piece(passage, start, end)
        start = end
    yield _piece(passage, start, len(text)) if start else passage


def _piece(passage: Passage, start: int, end: int) -> Passage:
    math = tuple((max(a, start) - start, min(b, end) - start) for a, b in passage.math if a < end and b > start)
    return Passage(passage.kind, passage.start + start, passage.text[start:end], math)


def _read(number: int, passage: Passage) -> Read:
    found = tokens(passage)
    return Read(number, passage, found, relations(found) if passage.kind != "row" else [])


def _definitions(reads: Iterable[Read]) -> dict[str, set[Fraction]]:
    """All values that the document gives each symbol."""
    found: dict[str, set[Fraction]] = {}
    for read in reads:
        for relation in read.relations:
            if relation.left.name and relation.right.figure:
                found.setdefault(relation.left.name, set()).add(relation.right.figure.value)
    for name, figure in ((name, figure) for read in reads for name, figure in chained(read.relations)):
        found.setdefault(name, set()).add(figure.value)
    return found


def chained(found: list[Relation]) -> list[tuple[str, Figure]]:
    """(symbol, figure) for each chain that begins with a symbol and comes to a figure: N = 12 L d^2 = 301,989,888."""
    result, name = [], ""
    for i, relation in enumerate(found):
        if not (i and found[i - 1].right is relation.left):
            name = relation.left.name
        if name and relation.right.figure:
            result.append((name, relation.right.figure))
            name = ""
    return result


def worth(node: Node, page: Page) -> tuple[Fraction, Fraction] | None:
    """The value of an expression as printed, and as it should be; None where it has none."""
    try:
        local = value(node, page.printed, page.named)
        return local, value(node, page.true, page.true_named) if page.wrong() else local
    except UnreadableError:
        return None


def introduced(read: Read, page: Page) -> str:
    """The words that introduce a passage: the last clause before it, if that ends with a colon or with no stop."""
    if not read.number:
        return ""
    before = page.reads[read.number - 1]
    tokens = before.tokens
    last = len(tokens) - 1
    while last >= 0 and tokens[last].kind == "newline":
        last -= 1
    if last < 0 or before.passage.kind not in ("text", "item"):
        return ""
    if tokens[last].kind == "stop":
        return words(before, last, 24) if tokens[last].text == ":" else ""
    return words(before, last + 1, 24)


def words(read: Read, first: int, most: int = 12) -> str:
    """The author's words before a token, back to the end of the sentence or clause before."""
    found: list[Token] = []
    for at in range(first - 1, max(-1, first - 4 * most), -1):
        token = read.tokens[at]
        if token.ends or len(found) >= most:
            break
        if token.kind == "word":
            found.append(token)
    return " ".join(token.text for token in reversed(found))
