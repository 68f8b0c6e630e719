"""What stands where, for every format that is typeset: lines of a step with their signs, rows of a table, sentences.

Nothing here is in any one format: cells are words (str) or boxes, which LaTeX, HTML and Typst each print.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.derivation import Chain, Declared, Rounded, Solving, SymbolRow
from symcount.render import boxes, exact, percent, text
from symcount.render.boxes import Amount, Line, Sign, Strong, Tight, Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from symcount.derivation import Derivation, Listing, Table
    from symcount.forms import Form
    from symcount.render.boxes import Box

# A step: its name where that stands above, and its lines. A line has a left side, a sign, a right side, a reason beside
# it, any of them missing; `depth` is how far it is indented. Without a sign and a right side, the left side has it all
Step = namedtuple("Step", "name lines")
Placed = namedtuple("Placed", "left sign right reason depth", defaults=(None, 0))
# A table: `sides` has l or r for each column, `last` is the row below a rule, or None
Tabular = namedtuple("Tabular", "head sides rows last", defaults=(None,))
Indented = namedtuple("Indented", "depth content")  # a cell


def step(one: Any) -> Step:
    """A step on lines that fit, of which a writer aligns the signs."""
    if isinstance(one, Chain):
        return _chain(one)
    if isinstance(one, Solving):
        return _solving(one)
    lines: list[Placed] = []
    for i, shown in enumerate(one.forms):
        lines += _below(None if i else Words(one.name), "=", boxes.broken(shown))
    return Step("", lines)


def _below(left: Box, sign: str, sides: list[Box]) -> list[Placed]:
    """A right side beside its sign, what continues it indented."""
    first, *more = sides
    return [Placed(left, sign, first), *(Placed(None, "", line, depth=1) for line in more)]


def _solving(one: Solving) -> Step:
    """What is asked, and what solves it."""
    lines: list[Placed] = []
    for before, sign, after in one.lines:
        said = [Words(before)] if isinstance(before, str) else [before]
        *above, last = said if before is None or isinstance(before, str) else boxes.broken(before)
        sides = [Amount(after.text)] if isinstance(after, Rounded) else boxes.broken(after)
        lines += [*(Placed(line, "", None) for line in above), *_below(last, sign, sides)]
    return Step("", lines)


def formula(shown: Form) -> Step:
    """A closed form on lines that fit, indented but the first."""
    return Step("", [Placed(None, "", line, depth=min(i, 1)) for i, line in enumerate(boxes.broken(shown))])


def _chain(one: Chain) -> Step:
    """Lines of which each equals the one before.

    A reason that does not fit beside its line stands below it; a left side that is long stands above.
    """
    from symcount.render import terms  # only a proof has matrices

    left, *others = one.lines
    margin = text.fits_margin(left.term)
    wide = [max(map(len, column), default=0) for column in (
        [text.piece(line.term) for line in others], ["".join(map(text.piece, line.reason)) for line in others])]
    below = sum(wide) + (len(text.piece(left.term)) if margin else 0) > boxes.BESIDE
    lines = [] if margin else [Placed(line, "", None, depth=min(i, 1))
                               for i, line in enumerate(terms.broken(left.term))]
    for i, line in enumerate(others):
        reason = Tight(tuple(map(terms.piece, line.reason))) if line.reason else None
        first, *more = terms.broken(line.term)
        lines.append(Placed(terms.piece(left.term) if margin and not i else None, "=", first,
                            None if below else reason, 0 if margin else 1))
        lines += [Placed(None, "", part, depth=2) for part in more]
        lines += [Placed(None, "", None, reason, 4)] if reason and below else []
    return Step(one.name, lines)


def symbols(shown: Derivation) -> Tabular | None:
    """The table of symbols: letter, meaning, value; of a proof matrix, shape, and what it is."""
    if not shown.symbols:
        return None
    if isinstance(shown.symbols[0], SymbolRow):
        return _filled(("symbol", "meaning", "value"), "llr", [
            [boxes.letter(one.name), one.meaning, "" if one.value is None else Amount(exact(one.value))]
            for one in shown.symbols])
    from symcount.render import terms

    last = "meaning" if isinstance(shown.symbols[0], Declared) else "value"
    return _filled(("matrix", "shape", last), "lll", [
        [terms.piece(one.letter), Line((boxes.form(one.rows), boxes.TIMES, boxes.form(one.columns))),
         one.meaning if isinstance(one, Declared) else terms.piece(one.value)] for one in shown.symbols])


def _filled(head: tuple[str, ...], sides: str, rows: list[list[Any]]) -> Tabular:
    """A table whose last column goes where nothing stands in it."""
    last = len(head) if any(row[-1] for row in rows) else len(head) - 1
    return Tabular(head[:last], sides[:last], [row[:last] for row in rows])


def parts(shown: Table, *, formulas: bool, widest: int = boxes.CELL) -> Tabular:
    """The table of parts, the total last; formulas on lines of so many characters."""
    counted = shown.total.count is not None
    head = ["part", *(["formula"] if formulas else []), *([shown.unit, "share"] if counted else [])]
    rows = [[_part(row), *([boxes.short(row.form, widest)] if formulas else []),
             *([Amount(exact(row.count)), "" if row.share is None else percent(row.share)] if counted else [])]
            for row in shown.rows]
    last = ["total", *([boxes.short(shown.total.form, widest)] if formulas else []),
            *([Strong(Amount(exact(shown.total.count))), ""] if counted else [])]
    return Tabular(tuple(head), "l" * (1 + formulas) + "rr" * counted, rows, last)


def _part(row: Any) -> Indented:
    """The part, indented by its depth, with how often it runs."""
    name = row.part.split(".")[-1] if row.depth > 1 else row.part
    runs = None if row.runs is None else Line((boxes.form(row.runs), boxes.TIMES, Words(name)))
    return Indented(max(0, row.depth - 1), name if runs is None else runs)


def rows(shown: Listing) -> Tabular | None:
    """Rows of words, forms and numbers, numbers to the right; None where there are none."""
    if not shown.rows:
        return None
    sides = "".join("r" if right else "l" for right in text.to_the_right(shown))
    return Tabular(tuple(shown.head), sides, [list(map(_listed, row)) for row in shown.rows])


def _listed(one: Any) -> Any:
    found = boxes.cell(one)
    if not isinstance(found, str) or not found.startswith("  "):
        return found
    bare = found.lstrip()
    return Indented((len(found) - len(bare)) // 2, bare)


def cell(shown: Any) -> tuple[int, Any]:
    """How far a cell is indented, and its words or box."""
    return (shown.depth, shown.content) if isinstance(shown, Indented) else (0, shown)


def beside(content: Any, words: Callable[[str], str], math: Callable[[Box], str]) -> str:
    """Words as a format writes them, a formula as its mathematics; where both stand side by side, one after another."""
    if isinstance(content, str):
        return words(content)
    if isinstance(content, Words):
        return words(content.text)
    if isinstance(content, (Line, Tight)) and any(isinstance(part, Words) for part in content.parts):
        between = " " if isinstance(content, Line) else ""
        return between.join("".join(words(one.text) for one in run) if isinstance(run[0], Words) else
                            math(type(content)(run)) for run in boxes.runs(content.parts))
    return math(content)


def counted(said: Sequence[str]) -> str:
    """How it was counted, as a sentence; "" where there is nothing to say."""
    return f"Counted: {'; '.join(said)}." if said else ""


def remark(pieces: Sequence[Any]) -> list[Any]:
    """The words (str) and boxes of a remark; both sides of an equation or a comparison are one box."""
    from symcount.render import terms  # only a proof has matrices

    found: list[Any] = []
    for one in pieces:
        if isinstance(one, str):
            found.append(one)
            continue
        box = terms.piece(one)
        if len(found) > 1 and found[-1] in (" = ", " > ") and not isinstance(found[-2], str):
            sign = found.pop().strip()
            box = Line((*boxes.parts_of(found.pop()), Sign(sign), *boxes.parts_of(box)))
        found.append(box)
    return found
