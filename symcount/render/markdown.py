"""Markdown with `$` mathematics: the displays of LaTeX, and the parts as a Markdown table."""

from __future__ import annotations

from symcount.derivation import Quoted
from symcount.render import exact, joined, latex, layout, notes, percent, text
from symcount.render.boxes import Amount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.derivation import Derivation, Listing, Sheet, Table
    from symcount.forms import Form

_SPECIAL = str.maketrans({sign: "\\" + sign for sign in "\\`*_{}[]<>#|$"})

document = joined


def derivation(shown: Derivation) -> str:
    """Title, symbols, one display a step, the table of parts, the conventions."""
    blocks = [f"**{escaped(shown.title)}**"]
    if symbols := layout.symbols(shown):
        rows = [[one.text if isinstance(one, Amount) else _said(one) for one in row] for row in symbols.rows]
        blocks.append(_table(list(symbols.head), symbols.sides, rows))
    blocks += [latex.step(step) for step in shown.steps]
    if shown.table:
        blocks.append(_parts(shown.table, formulas=True))
    remarks = [f"- {remark.label}: {_sentence(remark.pieces)}" for remark in shown.remarks]
    return "\n\n".join([*blocks, *(["\n".join(remarks)] if remarks else []), *_notes(shown.notes)]) + "\n"


def sheet(shown: Sheet) -> str:
    """Exercises with their numbers, of a key with answers; what may be wrong on purpose is marked for `check`."""
    blocks = [f"# {escaped(shown.title)}"]
    for item in shown.items:
        blocks.append(f"**{item.number}.** *{escaped(item.label)}*")
        for one in item.asks:
            if isinstance(one, Quoted):
                blocks += ["<!-- symcount: ignore -->",  # one passage
                           "\\\n".join(f"({letter}) {_sentence(pieces)}" for letter, pieces in one.lines)]
            else:
                blocks.append(_sentence(one))
        blocks += [f"**Answer:** {_sentence(item.answer)}"] if item.answer else []
        blocks += [_sentence(step) if type(step) is tuple else latex.step(step) for step in item.steps]
    return "\n\n".join([*blocks, *(["---", *map(escaped, shown.notes)] if shown.notes else [])]) + "\n"


def _sentence(pieces: Any) -> str:
    return "".join(map(_said, layout.remark(pieces))).replace(r" \> ", " > ")


def _said(one: Any) -> str:
    return escaped(one) if isinstance(one, str) else f"${latex.math(one)}$"


def table(shown: Table) -> str:
    """The parts of a count, and the conventions."""
    parts = _parts(shown, formulas=shown.total.count is None)
    return "\n\n".join([f"**{escaped(shown.title)}**", parts, *_notes(notes(shown))]) + "\n"


def formula(title: str, shown: Form, says: list[str]) -> str:
    """A closed form, and what there is to say about it."""
    return "\n\n".join([f"**{escaped(title)}**", f"$${latex.form(shown)}$$",
                        "\n".join(f"- {escaped(line)}" for line in says)]) + "\n"


def listing(shown: Listing) -> str:
    """A table of words, formulas and numbers."""
    align = "".join("r" if right else "l" for right in text.to_the_right(shown))
    rows = [[_cell(one) for one in row] for row in shown.rows]
    return "\n\n".join([f"**{escaped(shown.title)}**", *([_table(list(shown.head), align, rows)] if rows else []),
                        *(escaped(one) if isinstance(one, str) else latex.step(one) for one in shown.says),
                        *_notes(shown.notes)]) + "\n"


def _cell(shown: Any) -> str:
    if shown is None or isinstance(shown, str) or text.is_number(shown):
        said = text.cell(shown)
        return "&nbsp;" * (len(said) - len(said.lstrip())) + escaped(said.lstrip())
    return f"${latex.form(shown)}$"


def _parts(shown: Table, *, formulas: bool) -> str:
    counted = shown.total.count is not None
    head = ["part", *(["formula"] if formulas else []), *([shown.unit, "share"] if counted else [])]
    rows = []
    for row in (*shown.rows, shown.total):
        strong = "**" if row.depth == 0 else ""
        name = escaped(text.part_name(row).strip())
        share = "" if row.share is None else percent(row.share)
        rows.append(["&nbsp;&nbsp;" * max(0, row.depth - 1) + strong + name + strong,
                     *([f"${latex.form(row.form)}$"] if formulas else []),
                     *([strong + exact(row.count) + strong, share] if counted else [])])
    return _table(head, "l" * (1 + formulas) + "rr" * counted, rows)


def _table(head: list[str], columns: str, rows: list[list[str]]) -> str:
    rule = ["---:" if column == "r" else "---" for column in columns]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def _notes(said: tuple[str, ...]) -> list[str]:
    return [escaped(layout.counted(said))] if said else []


def escaped(words: str) -> str:
    """Words in which no sign means anything to Markdown."""
    return words.translate(_SPECIAL)
