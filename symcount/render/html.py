"""HTML: one whole page, without scripts, fonts or anything from elsewhere; mathematics as MathML, one formula a cell.

`derivation`, `table`, `listing`, `formula` and `sheet` are pieces of a page, `document` is the page around them.
"""

from __future__ import annotations

from html import escape

from symcount.derivation import Quoted
from symcount.render import boxes, layout, mathml, notes
from symcount.render.boxes import Amount, Strong, Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.derivation import Derivation, Item, Listing, Sheet, Table
    from symcount.forms import Form
    from symcount.render.layout import Placed, Tabular

_CLOSING = (",", ".", ";", ":")  # no browser ends a line within a formula, nor keeps these with it
# Everything hangs on the class of the page, so that a piece may stand in another
_STYLE = """\
:root { color-scheme: light dark; }
body { margin: 0; }
.symcount { --ink: #1b1f24; --paper: #fff; --faint: #5b6570; --rule: #8a939c; --line: #e3e6e9;
  color: var(--ink); background: var(--paper); font: 16px/1.5 Georgia, "Times New Roman", serif;
  padding: 1.5rem clamp(1rem, 4vw, 3rem) 3rem; max-width: 60rem; margin: 0 auto; overflow-wrap: anywhere; }
.symcount article + article { border-top: 1px solid var(--rule); margin-top: 3rem; padding-top: 1rem; }
.symcount h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 1.25rem; }
.symcount math { font-size: 1.06em; font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", math, serif; }
.symcount .scrolls { overflow-x: auto; margin: 1.1rem 0; padding: .1rem 0; }
.symcount .scrolls:focus-visible { outline: 2px solid var(--rule); outline-offset: 2px; }
.symcount table { border-collapse: collapse; overflow-wrap: normal; }
.symcount caption { text-align: left; color: var(--faint); font-size: .875rem; padding-bottom: .3rem; }
.symcount th, .symcount td { padding: .2rem .9rem .2rem 0; vertical-align: baseline; text-align: left;
  font-weight: normal; }
.symcount th:last-child, .symcount td:last-child { padding-right: 0; }
.symcount .right { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.symcount .data thead th { border-bottom: 1px solid var(--rule); color: var(--faint); font-size: .875rem; }
.symcount .data thead th, .symcount .data .stub { white-space: nowrap; }
.symcount .data tbody tr + tr > * { border-top: 1px solid var(--line); }
.symcount .data tfoot > tr > * { border-top: 1px solid var(--rule); }
.symcount tfoot th, .symcount tfoot .right { font-weight: bold; }
.symcount .step td { padding: .15rem .4rem; white-space: nowrap; vertical-align: middle; }
.symcount .step td:first-child { padding-left: 0; text-align: right; }
.symcount .step .whole, .symcount .step .left { text-align: left; }
.symcount .step .reason { padding-left: 1.5rem; color: var(--faint); text-align: left; }
.symcount .step caption { white-space: nowrap; }
.symcount .stacked mtd { text-align: left; padding: .1em 0; }
.symcount .stacked mtr + mtr > mtd { padding-left: 1em; }
.symcount .centred mtd { text-align: center; padding: .1em 0; }
.symcount .matrix mtd { padding: .1em .4em; }
.symcount dl { margin: 1.25rem 0; }
.symcount dt { float: left; margin-right: .5em; font-style: italic; }
.symcount dt::after { content: ":"; }
.symcount dd { margin: 0 0 .3rem; overflow-x: auto; }
.symcount .kept { white-space: nowrap; }
.symcount .strong { font-weight: bold; }
.symcount .says { margin: .4rem 0; }
.symcount section { break-inside: avoid; margin-top: 2rem; }
.symcount h2 { font-size: 1rem; font-weight: normal; font-style: italic; margin: 0 0 .4rem; }
.symcount h2 b { font-style: normal; }
.symcount section p { margin: .4rem 0; }
.symcount .quoted { margin-left: 1.5rem; }
.symcount .counted { color: var(--faint); font-size: .875rem; margin-top: 1.5rem; }
@media (prefers-color-scheme: dark) {
  body { background: #14171a; }
  .symcount { --ink: #e6e8ea; --paper: #14171a; --faint: #a3acb5; --rule: #77818b; --line: #2b3137; }
}
@media print {
  :root { color-scheme: light; }
  body { background: #fff; }
  .symcount { --ink: #000; --paper: #fff; --faint: #333; --rule: #666; --line: #ccc; font-size: 10pt; max-width: none;
    padding: 0; }
  .symcount .scrolls { overflow: visible; }
  .symcount .step, .symcount tr { break-inside: avoid; }
  .symcount h1, .symcount caption { break-after: avoid; }
  .symcount thead { display: table-header-group; }
  .symcount tfoot { display: table-row-group; }
}
"""


def document(blocks: list[str], title: str) -> str:
    """A whole page."""
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n"
            '<main class="symcount">\n' + "\n".join(blocks) + "\n</main>\n</body>\n</html>\n")


def derivation(shown: Derivation) -> str:
    """Title, symbols, steps, parts, remarks and conventions."""
    symbols = layout.symbols(shown)
    parts = layout.parts(shown.table, formulas=True, widest=boxes.WIDE) if shown.table else None
    return _article(shown.title, [
        *([_tabular(symbols, "Symbols")] if symbols else []), *map(_step, shown.steps),
        *([_tabular(parts, "Parts")] if parts else []), *_remarks(shown), *_counted(shown.notes)])


def table(shown: Table) -> str:
    """The parts of a count, and the conventions."""
    parts = layout.parts(shown, formulas=shown.total.count is None, widest=boxes.WIDE)
    return _article(shown.title, [_tabular(parts, "Parts"), *_counted(notes(shown))])


def listing(shown: Listing) -> str:
    """Rows of words, formulas and numbers, and what there is to say about them."""
    rows = layout.rows(shown)
    says = [_says(one) if isinstance(one, str) else _step(one) for one in shown.says]
    return _article(shown.title, [*([_tabular(rows, "")] if rows else []), *says, *_counted(shown.notes)])


def formula(title: str, shown: Form, says: list[str]) -> str:
    """A closed form, and what there is to say about it."""
    return _article(title, [_lines(layout.formula(shown), "formula"), *map(_says, says)])


def sheet(shown: Sheet) -> str:
    """Exercises with their numbers; of a key with answers and steps."""
    return _article(shown.title, [*map(_item, shown.items), *(f'<p class="counted">{escape(one)}</p>'
                                                              for one in shown.notes)])


def _item(item: Item) -> str:
    inside = [f"<h2><b>{item.number}.</b> {escape(item.label)}</h2>"]
    for one in item.asks:
        if isinstance(one, Quoted):
            inside += [f'<p class="quoted">({letter}) {_sentence(pieces)}</p>' for letter, pieces in one.lines]
        else:
            inside.append(f"<p>{_sentence(one)}</p>")
    inside += [f"<p><b>Answer:</b> {_sentence(item.answer)}</p>"] if item.answer else []
    inside += [f"<p>{_sentence(one)}</p>" if type(one) is tuple else _step(one) for one in item.steps]
    return "\n".join(["<section>", *inside, "</section>"])


def _article(title: str, inside: list[str]) -> str:
    return "\n".join(["<article>", f"<h1>{escape(title)}</h1>", *inside, "</article>"])


def _step(one: Any) -> str:
    found = layout.step(one)
    first = found.lines[0].left
    return _lines(found, found.name or (first.text if isinstance(first, Words) else "step"))


def _lines(found: layout.Step, label: str) -> str:
    """A step as rows of cells: left side, sign, right side, reason."""
    reasons = any(line.reason for line in found.lines)
    named = f"<caption>{escape(found.name)}</caption>\n" if found.name else ""
    rows = "\n".join(f"<tr>{_line(line, reasons)}</tr>" for line in found.lines)
    return _scrolling(f'<table class="step" role="presentation">\n{named}{rows}\n</table>', label)


def _scrolling(inner: str, label: str) -> str:
    """What may be wider than a narrow screen: it scrolls, by keyboard too, and the page does not."""
    return f'<div class="scrolls" role="group" aria-label="{escape(label)}" tabindex="0">\n{inner}\n</div>'


def _line(line: Placed, reasons: Any) -> str:
    room = f' style="padding-left: {line.depth}em"' if line.depth else ""
    if not line.sign and line.right is None:  # a left side, or a reason, that has the line for itself
        kind = "reason" if line.left is None else "whole"
        return f'<td class="{kind}" colspan="{3 + bool(reasons)}"{room}>{_cell(line.left or line.reason)}</td>'
    left = _cell(line.left) if line.left else ""
    sign = mathml.math(boxes.Sign(line.sign)) if line.sign else ""
    room = room if not line.sign else ""
    reason = f'<td class="reason">{_cell(line.reason)}</td>' if line.reason else "<td></td>" if reasons else ""
    return f'<td>{left}</td><td>{sign}</td><td class="left"{room}>{_cell(line.right)}</td>{reason}'


def _cell(content: Any) -> str:
    return layout.beside(content, escape, mathml.math)


def _sentence(said: Any) -> str:
    """Words and formulas in a sentence: a comma stays with the formula that it follows."""
    pieces = layout.remark(said)
    shown = ""
    for i, one in enumerate(pieces):
        if isinstance(one, str):
            kept = i and not isinstance(pieces[i - 1], str) and one[:1] in _CLOSING
            shown += escape(one[1:] if kept else one)
            continue
        *before, last = (f"{mathml.sign(sign)}&nbsp;{mathml.math(line)}" if sign else mathml.math(line)
                         for sign, line in boxes.breaks(one))
        after = pieces[i + 1] if i + 1 < len(pieces) else ""
        closed = isinstance(after, str) and after[:1] in _CLOSING
        shown += " ".join([*before, f'<span class="kept">{last}{after[:1]}</span>' if closed else last])
    return shown


def _tabular(shown: Tabular, caption: str) -> str:
    head = "".join(f'<th scope="col"{_side(side)}>{escape(one)}</th>' for one, side in
                   zip(shown.head, shown.sides, strict=True))
    body = "\n".join(map(_row, shown.rows, [shown.sides] * len(shown.rows)))
    foot = f"\n<tfoot>\n{_row(shown.last, shown.sides)}\n</tfoot>" if shown.last else ""
    named = f"<caption>{escape(caption)}</caption>\n" if caption else ""
    return _scrolling(f'<table class="data">\n{named}<thead>\n<tr>{head}</tr>\n</thead>\n'
                      f"<tbody>\n{body}\n</tbody>{foot}\n</table>", caption or "table")


def _row(cells: Any, sides: str) -> str:
    (depth, first), *rest = map(layout.cell, cells)
    room = f' style="padding-left: {1.2 * depth:.1f}em"' if depth else ""
    stub = _side(sides[0]) or ' class="stub"'
    return (f'<tr><th scope="row"{stub}{room}>{_at(sides[0], first)}</th>'
            + "".join(f"<td{_side(side)}>{_at(side, one)}</td>" for (_, one), side in zip(rest, sides[1:], strict=True))
            + "</tr>")


def _at(side: str, one: Any) -> str:
    """A cell; a number in a column of numbers stands as text, with digits of one width."""
    bare = one.body if isinstance(one, Strong) else one
    return escape(bare.text) if side == "r" and isinstance(bare, Amount) else _cell(one)


def _side(side: str) -> str:
    return ' class="right"' if side == "r" else ""


def _remarks(shown: Derivation) -> list[str]:
    said = [f"<dt>{escape(one.label)}</dt><dd>{_sentence(one.pieces)}</dd>"
            for one in shown.remarks]
    return ["<dl>", *said, "</dl>"] if said else []


def _says(line: str) -> str:
    return f'<p class="says">{escape(line)}</p>'


def _counted(said: tuple[str, ...]) -> list[str]:
    return [f'<p class="counted">{escape(layout.counted(said))}</p>'] if said else []
