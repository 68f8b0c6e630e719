"""Plain text: aligned tables, superscripts, thousands separators."""

from __future__ import annotations

import re

from symcount.derivation import Chain, Declared, Quoted, Rounded, Solving, SymbolRow
from symcount.forms import Function, Number, Power, Product, Quotient, Root, Sum, Symbol
from symcount.render import exact, in_bytes, joined, percent, rounded, signed
from symcount.symbols import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from symcount.derivation import Derivation, Listing, Remark, Row, Sheet, Table
    from symcount.forms import Form

_WIDTH, _SHEET = 110, 88  # of a remark and of a paragraph of an exercise, in signs
_MARGIN = 12  # a left side that is longer stands on a line of its own
_ROOTS = {2: "√", 3: "∛", 4: "∜"}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

document = joined


def form(shown: Form) -> str:
    """A form on one line: `L(4d² + 3dh)`, `32 × (4·4,096² + …)`; read back by `formulas.read` without separators.

    >>> form(Product((Number(2), Symbol("d"), Symbol("heads"))))
    '2d·heads'
    """
    kind = type(shown)
    if kind is Number:
        return exact(shown.number)
    if kind is Symbol:
        return str(shown.name)
    if kind is Power:
        return _factor(shown.base) + str(shown.exponent).translate(_RAISED)
    if kind is Sum:
        return signed(shown.terms, form, "−")
    if kind is Quotient:
        top, bottom = form(shown.top), form(shown.bottom)
        top = f"({top})" if type(shown.top) is Sum else top
        return f"{top}/{bottom}" if type(shown.bottom) in (Number, Symbol, Power) else f"{top}/({bottom})"
    if kind is Function:
        return f"{shown.name}({', '.join(map(form, shown.args))})"
    if kind is Root:
        inner = form(shown.body)
        return _ROOTS.get(shown.degree, f"root{shown.degree} ") + (
            inner if type(shown.body) in (Number, Symbol) else f"({inner})")
    return _product(shown)


def plain(shown: Form) -> str:
    """A form that `formulas.read` reads: no separators within numbers."""
    return re.sub(r"(?<=\d),(?=\d)", "", form(shown))


def derivation(shown: Derivation) -> str:
    """Symbols, steps with aligned equal signs, the table of parts."""
    blocks = [shown.title]
    if shown.symbols:
        rows = [_symbol(s) for s in shown.symbols]
        right = 2 if isinstance(shown.symbols[0], SymbolRow) else None
        blocks.append("\n".join("  " + line for line in columns(rows, right=right).splitlines()))
    blocks += map(worked, shown.steps)
    if shown.table:
        blocks.append(_parts(shown.table, formulas=True))
    blocks += ["\n".join(map(_wrapped, shown.remarks))]
    blocks.append(_notes(shown.notes))
    return "\n\n".join(filter(None, blocks))


def sheet(shown: Sheet) -> str:
    """Exercises one after another; of a key with answers and steps, set in."""
    blocks = [shown.title]
    for item in shown.items:
        blocks.append(f"{item.number}. {item.label}")
        blocks += [_set_in(_paragraph(one), 3) for one in item.asks]
        blocks += [_set_in(_filled(f"Answer: {''.join(map(piece, item.answer))}"), 3)] if item.answer else []
        blocks += [_set_in(worked(step), 6) for step in item.steps]
    return "\n\n".join([*blocks, *(["\n".join(shown.notes)] if shown.notes else [])])


def _paragraph(shown: Any) -> str:
    """Words with mathematics in them, or lines that somebody wrote."""
    if isinstance(shown, Quoted):
        return "\n".join(_filled(f"({letter}) {''.join(map(piece, pieces))}", 4) for letter, pieces in shown.lines)
    return _filled("".join(map(piece, shown)))


def _set_in(lines: str, by: int) -> str:
    return "\n".join(" " * by + line for line in lines.splitlines())


def worked(step: Any) -> str:
    """A step of a derivation, or a paragraph of a worked solution."""
    if isinstance(step, Chain):
        return _chain(step)
    if isinstance(step, Solving):
        return _solving(step)
    return _paragraph(step) if isinstance(step, tuple) else _equation(step)


def remark(shown: Remark) -> str:
    """A remark on one line."""
    return f"{shown.label}: {''.join(map(piece, shown.pieces))}"


def _wrapped(shown: Remark) -> str:
    return _filled(remark(shown), 2, _WIDTH)


def _filled(said: str, indent: int = 0, width: int = _SHEET) -> str:
    """A sentence on lines that fit; both sides of an equal sign stay together."""
    from textwrap import fill

    kept = said.replace(" = ", "\u00a0=\u00a0").replace(" × ", "\u00a0×\u00a0")
    wrapped = fill(kept, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return wrapped.replace("\u00a0", " ")


def _symbol(row: Any) -> tuple[str, str, str]:
    if isinstance(row, SymbolRow):
        return row.name, row.meaning, "" if row.value is None else f"{row.value:,}"
    last = row.meaning if isinstance(row, Declared) else row.value
    return piece(row.letter), f"{form(row.rows)} × {form(row.columns)}", piece(last)


def _equation(step: Any) -> str:
    return "\n".join(f"{step.name if i == 0 else ' ' * len(step.name)} = {form(line)}"
                     for i, line in enumerate(step.forms))


def _solving(step: Solving) -> str:
    """What is asked, and what solves it."""
    lines, left = [], ""
    for before, sign, after in step.lines:
        left = " " * len(left) if before is None else cell(before)
        lines.append(f"{left} {sign} {cell(after)}")
    return "\n".join(lines)


def _chain(step: Chain) -> str:
    """Lines of which each equals the one before, the reasons in a column of their own."""
    left, *lines = [piece(line.term) for line in step.lines]
    margin = left if fits_margin(step.lines[0].term) else ""
    rows = [(f"{margin if i == 0 else ' ' * len(margin)} = {line}", "".join(map(piece, shown.reason)))
            for i, (line, shown) in enumerate(zip(lines, step.lines[1:], strict=True))]
    head = [step.name] if step.name else []
    if not any(reason for _, reason in rows) and margin:
        return "\n".join([*head, *(line for line, _ in rows)])
    return "\n".join([*head, *([] if margin else [left]), *columns(rows).splitlines()])


def fits_margin(left: Any) -> bool:
    """Whether a left side is short enough to stand before the first equal sign."""
    return len(piece(left)) <= _MARGIN


def piece(shown: Any) -> str:
    """A piece of a proof: words, a term, a matrix of numbers or a form."""
    from symcount.render import matrices  # only a proof has matrices

    return matrices.piece(shown)


def table(shown: Table) -> str:
    """The parts with counts and shares, the total last, then one line of conventions."""
    return "\n\n".join(filter(None, [shown.title, _parts(shown, formulas=shown.total.count is None),
                                     _notes(shown.notes)]))


def listing(shown: Listing) -> str:
    """Rows in columns: numbers to the right."""
    cells = [shown.head, *([cell(one) for one in row] for row in shown.rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(shown.head))]
    sides = to_the_right(shown)
    lines = ["  ".join(one.rjust(w) if right else one.ljust(w)
                       for one, w, right in zip(row, widths, sides, strict=True)).rstrip() for row in cells]
    blocks = [shown.title, "\n".join(lines), "\n".join(map(said, shown.says)), _notes(shown.notes)]
    return "\n\n".join(filter(None, blocks))


def said(shown: Any) -> str:
    """A sentence; a step that solves in one line."""
    if isinstance(shown, str):
        return shown
    return " ".join(" ".join([*([] if left is None else [cell(left)]), sign, cell(right)])
                    for left, sign, right in shown.lines)


def to_the_right(shown: Listing) -> list[bool]:
    """Of each column whether it has numbers, which stand to the right."""
    return [any(is_number(row[i]) for row in shown.rows) for i in range(len(shown.head))]


def cell(shown: Any) -> str:
    """Words as they are, a form, a number, or nothing."""
    if shown is None or isinstance(shown, str):
        return shown or ""
    return str(shown.text) if isinstance(shown, Rounded) else exact(shown) if is_number(shown) else form(shown)


def is_number(shown: Any) -> bool:
    """Whether a cell is a number, exact or rounded."""
    return isinstance(shown, Rounded) or hasattr(shown, "numerator")


def _parts(shown: Table, *, formulas: bool) -> str:
    counted = shown.total.count is not None
    head = ["part", *(["formula"] if formulas else []), *([shown.unit, "share"] if counted else [])]
    rows = [head, *([part_name(row), *([form(row.form)] if formulas else []),
                     *([exact(row.count), "" if row.share is None else percent(row.share)] if counted else [])]
                    for row in shown.rows)]
    rows.append(["total", *([form(shown.total.form)] if formulas else []),
                 *([exact(shown.total.count), ""] if counted else [])])
    lines = columns(rows, right=1 + formulas).splitlines()
    if counted and shown.total.count >= 1000:
        near = in_bytes(shown.total.count) if shown.unit == "bytes" else rounded(shown.total.count)
        lines[-1] += f"  ({near})"
    return "\n".join(lines)


def part_name(row: Row) -> str:
    """The part, indented by its depth, with how often it runs."""
    times = f"{form(row.runs)} × " if row.runs is not None else ""
    short = row.part.split(".")[-1] if row.depth > 1 else row.part
    return f"{'  ' * (row.depth - 1)}{times}{short}"


def _notes(notes: tuple[str, ...]) -> str:
    return "counted: " + "; ".join(notes) if notes else ""


def columns(rows: Sequence[Sequence[str]], right: int | None = None) -> str:
    """Rows in columns, left-aligned but for those from `right` on."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    first = len(widths) if right is None else right
    return "\n".join("  ".join(cell.ljust(w) if i < first else cell.rjust(w)
                               for i, (cell, w) in enumerate(zip(row, widths, strict=True))).rstrip() for row in rows)


def formula(title: str, shown: Form, says: list[str]) -> str:
    """A closed form, and what there is to say about it."""
    return "\n".join([title, "  " + form(shown), *("  " + line for line in says)])


def _factor(shown: Form) -> str:
    return f"({form(shown)})" if type(shown) in (Sum, Quotient, Product) else form(shown)


def _product(shown: Product) -> str:
    first, *others = shown.factors
    text = _factor(first)
    for before, factor in zip(shown.factors, others, strict=False):
        sign = between(before, factor)
        text += (f" {sign} " if sign == "×" else sign) + _factor(factor)
    return text


def between(before: Form, factor: Form) -> str:
    """What stands between two factors: a dot beside numbers and long names, × before a bracket of numbers, or nothing.

    >>> between(Symbol("d"), Symbol("heads")), between(Symbol("L"), Symbol("d")), between(Number(2), Number(3))
    ('·', '', '·')
    """
    if type(factor) in (Sum, Quotient):
        return "×" if numeric(before) and numeric(factor) else ""
    return "·" if numeric(factor) or long(factor) or long(before) or _spell(before, factor) else ""


def _spell(before: Form, factor: Form) -> bool:
    """Whether two letters side by side would read as a third: k and v are not kv."""
    after = factor.base if type(factor) is Power else factor
    return type(before) is Symbol and type(after) is Symbol and before.name + after.name in TABLE


def numeric(shown: Form) -> bool:
    """Whether a form holds no letters."""
    kind = type(shown)
    if kind is Number:
        return True
    if kind is Power:
        return numeric(shown.base)
    if kind in (Sum, Product):
        parts = [term for _, term in shown.terms] if kind is Sum else shown.factors
        return all(map(numeric, parts))
    if kind is Quotient:
        return numeric(shown.top) and numeric(shown.bottom)
    if kind is Root:
        return numeric(shown.body)
    return kind is Function and all(map(numeric, shown.args))


def long(shown: Form) -> bool:
    """Whether a factor is a name of several letters, or a function."""
    base = shown.base if type(shown) is Power else shown
    return (type(base) is Symbol and len(base.name) > 1) or type(base) is Function
