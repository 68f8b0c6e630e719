"""LaTeX read into passages by one pass over the source, which tolerates what is broken and takes no macro apart.

pylatexenc, which would make a tree of it, takes a second for 10,000 lines and cannot stand deep nesting.
Names of commands are blanked and what can be read of their arguments is kept; a command that is not known and has no
argument stays as it is, since it may stand for a number.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from symcount.documents.inline import ENVIRONMENTS, NUMBERING, wipe, words
from symcount.documents.passages import Directive, Passage
from symcount.documents.stretches import remark, verbatim
from symcount.documents.texparts import Formula, Table
from symcount.documents.texwords import CALCULATING, CODE, DEFINING, HIDDEN, HIDING, LAYOUT, ROWS, SHOWN, SILENT, UNITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.documents.stretches import Part, Span

_PIECES = re.compile(r"\\(?P<word>[A-Za-z@]+)\*?|\\.|[%${}&~]|--+|``|''|\n[ \t\r]*\n|\\\Z", re.DOTALL)
_BRACES = re.compile(r"\\.|%[^\n]*|[{}]", re.DOTALL)
_GAP = re.compile(r"\n[ \t\r]*\n")
_REMARK = re.compile(r"%+[ \t]*symcount:[ \t]*([^\n]*)")
_BODY = re.compile(r"^[^%\n]{0,200}\\begin\{document\}", re.MULTILINE)
_NAME = re.compile(r"[ \t]*\{([A-Za-z@]{1,40}\*?)\}")
_BLANKS = re.compile(r"[ \t]*\n?[ \t]*")
_LINE_END = re.compile(r"[ \t]*\r?\n")
_OPTIONS = re.compile(r"(?:[ \t]*\[[^\]\n]{0,500}\])*(?:\([^)\n]{0,20}\)(?=\{))?")
_STEP = re.compile(r"\*?(?:\[[^\]\n]{0,50}\])?")  # how far the next row is
_DEFINED = re.compile(r"\s*(?:\{\s*\\?[A-Za-z@*]+\s*\}|\\[A-Za-z@]+)(?:\[[^\]\n]{0,200}\]|#[0-9])*")
_UNIT = re.compile(r"\\([A-Za-z]+)|[A-Za-z/%]|[~.{} ]|\\,")
_POWER = re.compile(r"\{[-−]?[0-9]{1,9}\}")
_HEADINGS = words("part chapter section subsection subsubsection paragraph subparagraph title frametitle")
_ENDING = _HEADINGS | {"item", "par", "caption"}  # a formula does not go on over these
_GROUPED = re.compile(r"[0-9]\{,\}[0-9]")
_KEPT = frozenset("%$&#_{}")


def read(source: str) -> Part:
    r"""Passages and directives of a document in LaTeX; what stands before `\begin{document}` speaks in directives only.

    >>> passages, _ = read(r"\section{Width} A \textbf{layer} of $d = 768$ has 7\,MB.")
    >>> [(passage.kind, passage.text) for passage in passages]
    [('heading', 'Width'), ('text', 'A         layer  of  d = 768  has 7  MB.')]
    """
    reader = _Reader(source)
    body = _BODY.search(source)
    start = body.end() if body else 0
    for found in _REMARK.finditer(source, 0, start):
        reader.directives.append(remark(source, 0, found))
    reader.whole(start)
    return reader.passages, reader.directives


class _Reader:
    """The state of the pass: where the present passage began, and which formula, table and groups are open."""

    __slots__ = ("begin", "brackets", "depth", "directives", "end", "formula", "gaps", "kind", "math", "partners",
                 "passages", "restored", "signs", "source", "table", "tables")

    def __init__(self, source: str) -> None:
        self.source, self.end = source, len(source)
        self.signs = list(source.replace("\r", " "))
        self.passages: list[Passage] = []
        self.directives: list[Directive] = []
        self.begin, self.kind, self.depth, self.tables = 0, "text", 0, 0
        self.math: list[Span] = []  # of the present passage
        self.formula: Formula | None = None
        self.table: Table | None = None
        self.restored: dict[int, str] = {}  # where a heading's group ends, and what kind of passage goes on then
        self.brackets: dict[int, str] = {}  # braces that read as round brackets
        self.gaps = [found.start() for found in _GAP.finditer(source)]
        self.partners: dict[int, int] = {}
        opened = []
        for found in _BRACES.finditer(source):
            if found[0] == "{":
                opened.append(found.start())
            elif found[0] == "}" and opened:
                self.partners[opened.pop()] = found.start()

    def whole(self, start: int) -> None:
        self.begin = at = start
        while (found := _PIECES.search(self.source, at, self.end)) is not None:
            if found[0] == "%":
                at = self.comment(found.start())
            elif self.formula:
                at = self.in_formula(self.formula, found)
            else:
                at = self.in_text(found)
        if self.formula:
            self.broken(self.formula, self.end)
        self.leave_table(self.end, self.end)
        self.flush(self.end)

    def wipe(self, start: int, end: int) -> int:
        wipe(self.signs, start, end)
        return end

    def comment(self, start: int) -> int:
        end = self.source.find("\n", start, self.end)
        end = self.end if end < 0 else end
        if found := _REMARK.match(self.source, start, end):
            self.directives.append(remark(self.source, 0, found))
        return self.wipe(start, end)

    def flush(self, end: int) -> None:
        """Ends the present passage."""
        text = "".join(self.signs[self.begin:end])
        start = self.begin + len(text) - len(text.lstrip())
        if text := text.strip():
            self.passages.append(Passage(self.kind, start, text, self.spans(start, len(text))))
        self.math, self.begin = [], end

    def spans(self, start: int, length: int) -> tuple[Span, ...]:
        """The mathematics of the passage that begins at `start`."""
        return tuple((max(0, a - start), min(length, b - start)) for a, b in self.math)

    # Formulas

    def in_formula(self, formula: Formula, found: re.Match[str]) -> int:
        piece, word, start, end = found[0], found["word"], *found.span()
        if formula.environment:
            name = _NAME.match(self.source, end) if word == "end" else None
            return self.closed(formula, start, name.end()) if name and name[1] == formula.closer else end
        if word in ("begin", "end"):
            formula.nested += 1 if word == "begin" else -1
        elif piece in ("{", "}"):
            formula.depth += 1 if piece == "{" else -1
        elif formula.depth == 0 and self.source.startswith(formula.closer, start):
            return self.closed(formula, start, start + len(formula.closer))
        if formula.nested < 0 or formula.depth < 0 or word in _ENDING or piece[0] == "\n":
            self.broken(formula, start)
            return start
        return end

    def closed(self, formula: Formula, end: int, stop: int) -> int:
        self.wipe(formula.start, formula.begin)
        self.wipe(end, stop)
        for found in NUMBERING.finditer(self.source, formula.begin, end):
            self.wipe(*found.span())
        if "".join(self.signs[formula.begin:end]).strip():
            self.math.append((formula.begin, end))
        self.formula = None
        return stop

    def broken(self, formula: Formula, end: int) -> None:
        """Blanks a formula that was never closed: nobody knows what it says."""
        self.wipe(formula.start, end)
        self.formula = None

    # Text

    def in_text(self, found: re.Match[str]) -> int:
        piece, word, start, end = found[0], found["word"], *found.span()
        source = self.source
        if word:
            return self.command(word, start, end)
        if piece[0] == "\n":
            if not self.table:
                self.flush(start)
                self.kind = "text"
            return end - 1
        if piece[0] == "\\":
            return self.escape(piece[1:], start, end)
        if piece == "$":
            closer = "$$" if source.startswith("$$", start) else "$"
            self.formula = Formula(start, start + len(closer), closer)
            return start + len(closer)
        if piece == "{":
            if _GROUPED.match(source, start - 1):
                return start + 3  # 40{,}000
            self.depth += 1
            self.signs[start] = self.brackets.get(start, " ")
        elif piece == "}":
            self.depth -= 1
            # Two arguments in a row are two things: 12 and 768 must not read as 12 768.
            self.signs[start] = self.brackets.get(start, ";" if source.startswith("{", end) else " ")
            if start in self.restored:
                self.leave_table(start, start)
                self.flush(end)
                self.kind = self.restored[start]
        elif piece == "&" and self.table and self.table.splits(self.depth):
            self.table.cell_ends(start, end)
            self.wipe(start, end)
        else:
            self.wipe(start, end)
            if piece[0] == "-":
                self.signs[start] = "–" if len(piece) == 2 else "—"
        return end

    def escape(self, sign: str, start: int, end: int) -> int:
        source = self.source
        if sign in _KEPT:
            self.wipe(start, start + 1)
        elif sign in ("(", "["):
            self.formula = Formula(start, end, "\\)" if sign == "(" else "\\]")
        elif sign == "\\":
            step = _STEP.match(source, end)
            end = self.wipe(start, step.end() if step else end)
            if self.table and self.table.splits(self.depth):
                self.row(self.table, start, end)
            elif not self.table:
                self.signs[start] = ";"
        elif not (sign == "," and source[max(0, start - 1):start].isdecimal() and source[end:end + 1].isdecimal()):
            self.wipe(start, end)  # 40\,000 keeps its groups
        return end

    def after(self, at: int) -> int:
        """Where the group of an argument begins that is expected at a place; -1 if there is none."""
        found = _BLANKS.match(self.source, at)
        at = found.end() if found else at
        return at if at in self.partners else -1

    def options(self, at: int) -> int:
        found = _OPTIONS.match(self.source, at)
        return found.end() if found else at

    def arguments(self, at: int, count: int) -> int:
        """Where so many arguments end, with the options before each; one over a blank line is none."""
        for _ in range(count):
            brace = self.after(self.options(at))
            gap = bisect_left(self.gaps, brace)
            if brace < 0 or (gap < len(self.gaps) and self.gaps[gap] < self.partners[brace]):
                break
            at = self.partners[brace] + 1
        return at

    def command(self, word: str, start: int, end: int) -> int:
        source = self.source
        if word in ("begin", "end"):
            if name := _NAME.match(source, end):
                return (self.begins if word == "begin" else self.ends)(name[1], start, name.end())
            return self.wipe(start, end)
        if word == "item" and not self.table:
            self.flush(start)
            self.kind = "item"
            option = _OPTIONS.match(source, end)
            if option and option[0]:
                self.wipe(option.end() - 1, option.end())
                self.wipe(end, source.index("[", end) + 1)
            return self.wipe(start, end)
        if word == "multicolumn" and self.table:
            self.table.span(source[end:end + 9])
        if word in DEFINING:
            named = _DEFINED.match(source, end)
            return self.wipe(start, self.bodies(named.end() if named else end))
        if word == "iffalse":
            stop = source.find("\\fi", end, self.end)
            return self.wipe(start, self.end if stop < 0 else stop + 3)
        if word in ("verb", "lstinline", "mintinline"):
            return self.inline_code(start, self.arguments(end, 1) if word == "mintinline" else self.options(end))
        if word in ("SI", "qty", "si", "unit"):
            return self.quantity(start, self.options(end), 2 if word in ("SI", "qty") else 1)
        if word in HIDDEN:
            return self.wipe(start, self.arguments(end, HIDDEN[word]))
        if word in SILENT:
            if word == "par" and not self.table:
                self.flush(start)
                self.kind = "text"
            return self.wipe(start, start + 1 + len(word))
        if word in CALCULATING:
            return self.arguments(end, 2)
        brace = self.after(self.options(end))
        if word == "ensuremath" and brace >= 0:
            return self.closed(Formula(start, brace + 1, "}"), self.partners[brace], self.partners[brace] + 1)
        if brace < 0 or self.partners[brace] == brace + 1:
            return end  # a macro of the author, or a symbol: it stays, for it may stand for a number
        self.wipe(start, brace)
        if word == "textsuperscript" and _POWER.match(source, brace):
            self.signs[start] = "^"
        elif word in SHOWN:
            self.brackets[brace], self.brackets[self.partners[brace]] = "(", ")"
        elif (word in _HEADINGS or word == "caption") and not self.table:
            self.flush(start)
            self.restored[self.partners[brace]] = self.kind
            self.kind = "text" if word == "caption" else "heading"
        return brace

    def bodies(self, at: int) -> int:
        """Where the groups end that follow one another from a place."""
        while at in self.partners:
            at = self.partners[at] + 1
        return at

    def inline_code(self, start: int, at: int) -> int:
        """Code within a sentence is read with it, as between backticks in Markdown: n_layer = 12."""
        mark = self.source[at:at + 1]
        if at in self.partners or not mark.strip() or mark.isalnum():
            return self.wipe(start, at)
        end = self.source.find(mark, at + 1, at + 1_000)
        if end < 0 or "\n" in self.source[at:end]:
            return self.wipe(start, at + 1)
        self.wipe(start, at + 1)
        return self.wipe(end, end + 1)

    def quantity(self, start: int, at: int, count: int) -> int:
        r"""A number with its unit in siunitx: \qty{80}{\giga\byte} reads 80 GB; a unit not known stays as it is."""
        brace = self.after(at)
        unit = brace if count == 1 or brace < 0 else self.after(self.partners[brace] + 1)
        if unit < 0:
            return self.wipe(start, at)
        if count == 2:
            self.brackets[self.partners[brace]] = " "
        begin, end = unit + 1, self.partners[unit]
        parts = list(_UNIT.finditer(self.source, begin, min(end, begin + 200)))  # no line end is part of a unit
        known = all(not part[1] or part[1] in UNITS for part in parts)
        if known and sum(len(part[0]) for part in parts) == end - begin:
            written = "".join(UNITS[part[1]] if part[1] else part[0].strip("~.{}\\, ") for part in parts)
            self.wipe(begin, end)
            self.signs[begin:begin + len(written)] = written
            if count == 1:
                return self.wipe(start, begin) + len(written)
        return self.wipe(start, brace)

    # Environments and tables

    def begins(self, name: str, start: int, end: int) -> int:
        source = self.source
        if name.rstrip("*") in ENVIRONMENTS:
            columns = re.compile(r"\{[0-9]{1,3}\}").match(source, end) if name.startswith("alignat") else None
            self.formula = Formula(start, columns.end() if columns else end, name)
            return self.formula.begin
        if name in CODE or name in HIDING:
            closer = f"\\end{{{name}}}"
            stop = source.find(closer, end, self.end)
            stop = self.end if stop < 0 else stop
            if name in HIDING or self.table:
                return self.wipe(start, min(stop + len(closer), self.end))
            self.flush(start)
            begin = self.arguments(self.options(end), CODE[name])
            if line_end := _LINE_END.match(source, begin):
                begin = line_end.end()
            passages, directives = verbatim("code", source, [(begin, stop)])
            self.passages += passages
            self.directives += directives
            self.begin = stop
            return stop
        at = self.wipe(start, self.arguments(self.options(end), ROWS.get(name, LAYOUT.get(name, 0))))
        if self.table:
            self.table.inner += 1
            return at
        self.flush(start)
        self.kind, self.begin = "text", at
        if name in ROWS:
            self.tables += 1
            self.table = Table(self.tables, self.depth, at)
        return at

    def ends(self, name: str, start: int, end: int) -> int:
        self.wipe(start, end)
        if self.table and self.table.inner and name != "document":
            self.table.inner -= 1
            return end
        self.leave_table(start, end)
        self.flush(start)
        self.kind, self.begin = "text", end
        if name == "document":
            self.end = end
        return end

    def leave_table(self, start: int, end: int) -> None:
        if self.table:
            self.row(self.table, start, end)
            self.depth, self.table = self.table.depth, None

    def row(self, table: Table, end: int, stop: int) -> None:
        """Ends a row: its passage has a span for every cell."""
        table.cell_ends(end, stop)
        text = "".join(self.signs[table.row:end])
        start = table.row + len(text) - len(text.lstrip())
        if text.strip():
            text = text.strip()
            cells = []
            for a, b in table.cells:
                cell = "".join(self.signs[a:b])
                first = min(max(0, a - start + (len(cell) - len(cell.lstrip()) if cell.strip() else 0)), len(text))
                cells.append((first, first + len(cell.strip())))
            self.passages.append(Passage("row", start, text, self.spans(start, len(text)), tuple(cells),
                                         (table.number, table.rows)))
            table.rows += 1
        self.math, self.begin = [], stop
        table.row, table.cells = stop, []
