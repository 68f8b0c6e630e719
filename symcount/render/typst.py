"""Typst: the source of a document that compiles without any package, in fonts that its compiler has with it.

All words are string literals, so that nothing in a name is read as Typst; numbers are quoted text, as "100,480".
"""

from __future__ import annotations

import re

from symcount.derivation import Quoted
from symcount.render import boxes, layout, mathtyp, notes
from symcount.render.boxes import Lines
from symcount.render.mathtyp import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.derivation import Derivation, Item, Listing, Sheet, Table
    from symcount.forms import Form
    from symcount.render.layout import Placed, Tabular

_LONG = re.compile(r"[^\s_/]{40}(?=[^\s_/])")
_TALLEST = 30  # lines of a cell, and rows of a table, that are kept on one page
# `fitted` sets what is wider than the page smaller; `step` keeps the lines of a step on one page where they fit on one.
# The leading in cells is by how much an index or a bracket may leave its line; what is taller makes the line taller
_PREAMBLE = """\
#set page(paper: "a4", margin: (x: 2cm, y: 2.2cm), numbering: "1 / 1")
#set text(font: "New Computer Modern", weight: 450, size: 10.5pt, lang: "en",
  ligatures: false) // --seed is no dash
#show math.equation: set text(font: "New Computer Modern Math", weight: 450)
#set par(leading: 0.6em)
#set table(stroke: none, inset: (x: 0.5em, y: 0.32em))
#set table.cell(breakable: false)
#show selector.or(table, grid): set par(leading: 0.42em)
#show heading: set text(size: 1.1em)
#show heading: set block(above: 1.6em, below: 1.2em)
#let fitted(body) = layout(size => {
  let wide = measure(body).width
  set text(size: 1em * calc.min(1, size.width / wide))
  body
})
#let step(..cells) = block(above: 1.1em, below: 1.1em, breakable: cells.pos().len() > 56, fitted(
  grid(columns: 4, align: (right, center, left, left).map(side => side + horizon),
    column-gutter: (0.4em, 0.4em, 1.6em), row-gutter: 0.75em, ..cells)))
#let counted(body) = block(above: 1.6em, text(size: 0.9em, fill: luma(80), par(hanging-indent: 1em, body)))
#let remark(label, body) = par(hanging-indent: 1em, [#emph(label): #body])
"""


def document(blocks: list[str], title: str) -> str:
    """A whole source; without a date, so that one source makes one PDF."""
    return f"#set document(title: {quoted(title)}, date: none)\n{_PREAMBLE}\n" + "\n\n".join(blocks) + "\n"


def derivation(shown: Derivation) -> str:
    """Title, symbols, steps, parts, remarks and conventions."""
    symbols = layout.symbols(shown)
    parts = [_tabular(layout.parts(shown.table, formulas=True, widest=boxes.WIDE))] if shown.table else []
    remarks = [f"#remark({quoted(one.label)}, [{_sentence(one.pieces)}])"
               for one in shown.remarks]
    return "\n\n".join([_heading(shown.title), *([_tabular(symbols)] if symbols else []), *map(_step, shown.steps),
                        *parts, *remarks, *_counted(shown.notes)])


def table(shown: Table) -> str:
    """The parts of a count, and the conventions."""
    parts = layout.parts(shown, formulas=shown.total.count is None, widest=boxes.WIDE)
    return "\n\n".join([_heading(shown.title), _tabular(parts), *_counted(notes(shown))])


def listing(shown: Listing) -> str:
    """Rows of words, formulas and numbers, and what there is to say about them."""
    rows = layout.rows(shown)
    says = [_says(one) if isinstance(one, str) else _step(one) for one in shown.says]
    return "\n\n".join([_heading(shown.title), *([_tabular(rows)] if rows else []), *says, *_counted(shown.notes)])


def formula(title: str, shown: Form, says: list[str]) -> str:
    """A closed form, and what there is to say about it."""
    return "\n\n".join([_heading(title), _lines(layout.formula(shown)), *map(_says, says)])


def sheet(shown: Sheet) -> str:
    """Exercises with their numbers; of a key with answers and steps."""
    return "\n\n".join([_heading(shown.title), *(block for item in shown.items for block in _item(item)),
                        *(f"#counted({_text(one)})" for one in shown.notes)])


def _item(item: Item) -> list[str]:
    number = quoted(f"{item.number}.")
    blocks = [f"#block(above: 1.8em, sticky: true, [#strong({number}) #emph({_text(item.label)})])"]
    for one in item.asks:
        if isinstance(one, Quoted):
            blocks += [f"#par(hanging-indent: 2.6em, [#h(1em)#{_text(f'({letter})')} {_sentence(pieces)}])"
                       for letter, pieces in one.lines]
        else:
            blocks.append(f"#par([{_sentence(one)}])")
    blocks += [f'#par([#strong("Answer:") {_sentence(item.answer)}])'] if item.answer else []
    if not item.answer:  # a question stands on one page
        return ["#block(above: 1.8em, breakable: false)[\n" + "\n\n".join(blocks) + "\n]"]
    return blocks + [_paragraph(one) if type(one) is tuple else _step(one) for one in item.steps]


def _paragraph(pieces: Any) -> str:
    """A paragraph of a solution, which stays with what it announces."""
    said = f"par([{_sentence(pieces)}])"
    return f"#block(sticky: true, {said})" if str(pieces[-1]).endswith(":") else f"#{said}"


def _sentence(pieces: Any) -> str:
    return "".join(map(_cell, layout.remark(pieces)))


def _heading(title: str) -> str:
    return f"#heading({_text(title)})"


def _step(one: Any) -> str:
    return _lines(layout.step(one))


def _lines(found: layout.Step) -> str:
    """A step as cells of a grid: left side, sign, right side, reason."""
    named = [f"grid.cell(colspan: 4, align: left, emph({quoted(found.name)})),"] if found.name else []
    return "#step(\n" + "\n".join(f"  {line}" for line in [*named, *map(_line, found.lines)]) + "\n)"


def _line(line: Placed) -> str:
    if not line.sign and line.right is None:  # a left side, or a reason, that has the line for itself
        inside = _content(line.left or line.reason)
        return f"grid.cell(colspan: 4, align: left, pad(left: {line.depth}em, {inside})),"
    left, right, reason = (_content(one) if one else "[]" for one in (line.left, line.right, line.reason))
    sign = f"[{mathtyp.math(boxes.Sign(line.sign))}]" if line.sign else "[]"
    right = right if line.sign or not line.depth else f"pad(left: {line.depth}em, {right})"
    return f"{left}, {sign}, {right}, {reason},"


def _content(content: Any) -> str:
    """A cell as a value; what is tall has air above and below."""
    inside = f"[{_cell(content)}]"
    return f"pad(y: 0.3em, {inside})" if boxes.tall(content) and not isinstance(content, Lines) else inside


def _cell(content: Any) -> str:
    if isinstance(content, Lines) and not content.centred:
        first, *more = map(mathtyp.math, content.lines)
        return f"#stack(spacing: 0.6em, [{first}], " + ", ".join(f"pad(left: 1em, [{line}])" for line in more) + ")"
    return layout.beside(content, _words, mathtyp.math)


def _words(said: str) -> str:
    return f"#{_text(said)};" if said else ""


def _tabular(shown: Tabular) -> str:
    sides = ", ".join("right" if side == "r" else "left" for side in shown.sides)
    head = ", ".join(f"text(fill: luma(80), size: 0.9em, {_text(one)})" for one in shown.head)
    long = any(isinstance(one, Lines) and len(one.lines) > _TALLEST for row in shown.rows for one in row)
    whole = not long and len(shown.rows) <= _TALLEST
    rows = [*map(_row, shown.rows), *(["table.hline(stroke: 0.5pt),", _row(shown.last)] if shown.last else [])]
    breaks = "false" if whole else "true"
    return (("#set table.cell(breakable: true)\n" if long else "")
            + f"#block(breakable: {breaks}, fitted(table(\n  columns: {len(shown.sides)}, align: ({sides},),\n"
            f"  table.header({head}), table.hline(stroke: 0.5pt),\n" + "\n".join(f"  {row}" for row in rows) + "\n)))")


def _row(cells: Any) -> str:
    shown = ((depth, _content(one)) for depth, one in map(layout.cell, cells))
    return ", ".join(f"pad(left: {1.2 * depth:.1f}em, {one})" if depth else one for depth, one in shown) + ","


def _says(line: str) -> str:
    return f"#par({_text(line)})"


def _counted(said: tuple[str, ...]) -> list[str]:
    return [f"#counted({_text(layout.counted(said))})"] if said else []


def _text(words: str) -> str:
    """Words as a literal that may break behind a sign within a long name, and within a very long one."""
    return quoted(_LONG.sub("\\g<0>\u200b", words)).replace("_", "_\\u{200b}").replace("/", "/\\u{200b}")
