"""LaTeX: one display for each step, at most 25 rows, in what KaTeX, MathJax and LaTeX all understand."""

from __future__ import annotations

import re

from symcount.derivation import Chain, Declared, Quoted, Rounded, Solving, SymbolRow
from symcount.forms import Number, Power, Product, Quotient, Root, Sum, Symbol
from symcount.render import exact, notes, percent, signed, text
from symcount.symbols import GREEK
from symcount.symbols import row as symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from symcount.derivation import Derivation, Listing, Remark, Sheet, Table
    from symcount.forms import Form

# Rows of a display that fit on a page; characters that fit beside a name, and in a cell of a table
_ROWS, _LINE, _CELL = 25, 58, 26
_BESIDE = 64  # characters of a line of a proof and its reason
_FRAGMENT = r"% A part of a document: \input it into one with \usepackage{amsmath} and \usepackage[T1]{fontenc}."
_FIGURE = re.compile(r"[+−]?[\d,.]+( %)?")  # a number as it is rounded
_STRUT = r"\rule{0pt}{2.6ex}"  # a row below a rule needs air
# Signs that stand in words, as mathematics
_MATHEMATICS = {"×": r"\times", "·": r"\cdot", "−": "-", "ᵀ": r"^{\top}", "→": r"\to", "≤": r"\le", "≥": r"\ge",
                "Σ": r"\sum", "⁻": "^{-}", "√": r"\surd", "∂": r"\partial", "≈": r"\approx",
                **{greek: rf"\{name}" for name, greek in GREEK.items()},
                **{sign: f"_{i}" for i, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
                **{sign: f"^{i}" for i, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}}
_SPECIAL = str.maketrans({"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
                          "^": r"\^{}", "~": r"\~{}", "\\": r"\textbackslash{}", "…": r"\dots{}",
                          **{sign: f"${shown}$" for sign, shown in _MATHEMATICS.items()}})


def form(shown: Form) -> str:
    r"""A form as LaTeX mathematics.

    >>> form(Power(Number(4096), 2))
    '4{,}096^{2}'
    """
    kind = type(shown)
    if kind is Number:
        return number(shown.number)
    if kind is Symbol:
        return str(symbol(shown.name).latex)
    if kind is Power:
        base = _factor(shown.base)
        return (f"{{{base}}}" if "_" in base or "^" in base else base) + f"^{{{shown.exponent}}}"
    if kind is Sum:
        return signed(shown.terms, form)
    if kind is Quotient:
        return rf"\frac{{{form(shown.top)}}}{{{form(shown.bottom)}}}"
    if kind is Product:
        return _product(shown)
    if kind is Root:
        degree = "" if shown.degree == 2 else f"[{shown.degree}]"
        return rf"\sqrt{degree}{{{form(shown.body)}}}"
    a, b = shown.args
    if shown.name in ("min", "up"):  # up: rounded up to a multiple, a rule people know by its two numbers
        return rf"\operatorname{{{shown.name}}}({_inline(a)},\, {_inline(b)})"
    bar = "floor" if shown.name == "floor" else "ceil"
    return rf"\left\l{bar} \frac{{{form(a)}}}{{{form(b)}}} \right\r{bar}"


def number(amount: Any) -> str:
    """An exact amount, separators without space."""
    return exact(amount).replace(",", "{,}")


def words(shown: str) -> str:
    r"""Words within mathematics. What LaTeX escapes stands outside of \text, where MathJax reads it too.

    >>> words("attention_norm")
    '\\text{attention}\\_\\text{norm}'
    """
    escaped = re.sub(r"([_%&#$])", r"}\\\1\\text{", rf"\text{{{shown}}}")
    for sign, mathematics in _MATHEMATICS.items():
        escaped = escaped.replace(sign, "}" + mathematics + r" \text{")
    return escaped.replace("…", r"}\dots\text{").replace(r"\text{}", "")


def derivation(shown: Derivation) -> str:
    """Every symbol, step and part, as displays with a line of text before each group."""
    blocks = [_FRAGMENT, rf"\textbf{{{shown.title.translate(_SPECIAL)}}}"]
    blocks += displays(shown)
    blocks += [rf"{{\raggedright {spoken_of(remark)}.\par}}" for remark in shown.remarks]
    if shown.notes:
        blocks.append(_counted(shown.notes))
    return "\n\n".join(blocks) + "\n"


def sheet(shown: Sheet) -> str:
    """Exercises with their numbers; of a key with answers and steps."""
    blocks = [_FRAGMENT, rf"\noindent\textbf{{{shown.title.translate(_SPECIAL)}}}\par"]
    for item in shown.items:
        blocks.append(rf"\bigskip\noindent\textbf{{{item.number}.}} \emph{{{item.label.translate(_SPECIAL)}}}"
                      r"\par\nopagebreak")
        for one in item.asks:
            if isinstance(one, Quoted):
                lines = "\n".join(rf"\item[({letter})] {_said(pieces)}" for letter, pieces in one.lines)
                blocks.append(f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}")
            else:
                blocks.append(rf"\noindent {_said(one)}\par\smallskip")
        blocks += [rf"\noindent\textbf{{Answer:}} {_said(item.answer)}\par"] if item.answer else []
        blocks += [rf"\noindent {_said(one)}\par" if type(one) is tuple else step(one) for one in item.steps]
    return "\n\n".join([*blocks, *(rf"\bigskip\noindent{{\small {one.translate(_SPECIAL)}\par}}"
                                   for one in shown.notes)]) + "\n"


def displays(shown: Derivation) -> list[str]:
    """The displays of a derivation: symbols, one for each step, parts."""
    blocks = symbols(shown)
    blocks += [step(one) for one in shown.steps]
    if shown.table:
        blocks += parts(shown.table, formulas=True)
    return blocks


def formula(title: str, shown: Form, says: list[str]) -> str:
    """A closed form, and what there is to say about it."""
    lines = [rf"\textbf{{{title.translate(_SPECIAL)}}}", "$$\n" + _short(shown) + "\n$$"]
    return "\n\n".join([*lines, *(line.translate(_SPECIAL) for line in says)]) + "\n"


def symbols(shown: Derivation) -> list[str]:
    """The table of symbols: letter, meaning, value."""
    if shown.symbols and not isinstance(shown.symbols[0], SymbolRow):
        last = "meaning" if isinstance(shown.symbols[0], Declared) else "value"
        rows = [[_piece(s.letter), rf"{form(s.rows)} \times {form(s.columns)}",
                 words(s.meaning) if isinstance(s, Declared) else _piece(s.value)] for s in shown.symbols]
        return list(_arrays("lll", [words("matrix"), words("shape"), words(last)], rows))
    rows = [[symbol(s.name).latex, words(s.meaning), "" if s.value is None else number(s.value)] for s in shown.symbols]
    return list(_arrays("llr", [words("symbol"), words("meaning"), words("value")], rows)) if rows else []


def spoken_of(remark: Remark) -> str:
    """A remark as a sentence with mathematics in it."""
    return f"{remark.label.capitalize()}: {_said(remark.pieces)}"


def _said(pieces: Iterable[Any]) -> str:
    """Words with mathematics in them."""
    return joined("".join(shown.translate(_SPECIAL) if isinstance(shown, str) else f"${_piece(shown)}$"
                          for shown in pieces))


def joined(said: str) -> str:
    """Both sides of an equation or a comparison as one formula."""
    return re.sub(r"\$ ([=>]) \$", r" \1 ", said)


def _piece(shown: Any) -> str:
    from symcount.render import matrices  # only a proof has matrices

    return matrices.latex(shown)


def _chain(one: Chain) -> str:
    """Lines of which each equals the one before, the equal signs and the reasons aligned.

    A reason that does not fit beside its line stands below it; a sum that does not fit is broken.
    """
    left, *lines = one.lines
    short = text.fits_margin(left.term)
    wide = [max(map(len, column), default=0) for column in (
        [text.piece(line.term) for line in lines], ["".join(map(text.piece, line.reason)) for line in lines])]
    below = sum(wide) + (len(text.piece(left.term)) if short else 0) > _BESIDE
    rows = [] if short else [rf"& {first}" if i == 0 else rf"&\quad {first}"
                             for i, first in enumerate(_lines(left.term))]
    for i, line in enumerate(lines):
        reason = "".join(words(shown) if isinstance(shown, str) else _piece(shown) for shown in line.reason)
        start = (_piece(left.term) + " &") if short and i == 0 else "&" if short else r"&\quad"
        first, *more = _lines(line.term)
        rows.append(f"{start} = {first}" + (f" && {reason}" if reason and not below else ""))
        rows += [rf"&\qquad {part}" for part in more]
        rows += [rf"&\qquad\qquad {reason}"] if reason and below else []
    head = [f"& {words(one.name)} && "] if one.name else []
    return "$$\n\\begin{aligned}\n" + " \\\\\n".join([*head, *rows]) + "\n\\end{aligned}\n$$"


def _lines(shown: Any) -> list[str]:
    """A sum over matrices on as many lines as it needs; anything else on one."""
    parts = getattr(shown, "parts", ())
    if len(text.piece(shown)) <= _BESIDE or type(shown).__name__ != "Sum":
        return [_piece(shown)]
    lines, length = [""], 0
    for part in parts:
        written = _piece(part)
        sign = "" if not lines[0] else written[:1] if written.startswith("-") else "+"
        wide = len(text.piece(part)) + 3
        if length and length + wide > _BESIDE:
            lines.append("{}")
            length = 0
        lines[-1] += f" {sign} {written[1:].strip() if sign == '-' else written}" if sign else written
        length += wide
    return lines


def step(one: Any) -> str:
    """One step: the name and its formula, numbers and count, the equal signs aligned."""
    if isinstance(one, Chain):
        return _chain(one)
    if isinstance(one, Solving):
        return _solving(one)
    lines = []
    for i, shown in enumerate(one.forms):
        first, *more = _broken(shown)
        lines.append(f"{words(one.name) if i == 0 else ''} &= {first}")
        lines += [rf"&\quad {line}" for line in more]
    return "$$\n\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n$$"


def _solving(one: Solving) -> str:
    """What is asked, and what solves it, the signs aligned."""
    lines = []
    for before, sign, after in one.lines:
        *above, last = [""] if before is None else [words(before)] if isinstance(before, str) else _broken(before)
        first, *more = [after.text.replace(",", "{,}")] if isinstance(after, Rounded) else _broken(after)
        lines += [*above, rf"{last} &{_MATHEMATICS.get(sign, sign)} {first}", *(rf"&\quad {line}" for line in more)]
    return "$$\n\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n$$"


def spoken(words_of: str) -> str:
    """A sentence as a display, on lines that fit."""
    from textwrap import wrap

    return "$$\n\\begin{array}{l}\n" + " \\\\\n".join(map(words, wrap(words_of, 76))) + "\n\\end{array}\n$$"


def table(shown: Table) -> str:
    """The parts of a count as displays, and the conventions."""
    said = notes(shown)
    return "\n\n".join([rf"\textbf{{{shown.title.translate(_SPECIAL)}}}",
                        *parts(shown, formulas=shown.total.count is None), *([_counted(said)] if said else [])]) + "\n"


def _counted(said: tuple[str, ...]) -> str:
    """The conventions as a paragraph that need not be justified: names of keys do not break."""
    return rf"{{\raggedright Counted: {'; '.join(said).translate(_SPECIAL)}.\par}}"


def parts(shown: Table, *, formulas: bool) -> list[str]:
    """The table of parts, the total under a rule."""
    counted = shown.total.count is not None
    head = [words("part"), *([words("formula")] if formulas else []),
            *([words(shown.unit), words("share")] if counted else [])]
    rows = []
    for row in shown.rows:
        indent = r"\quad " * (row.depth - 1)
        times = rf"{form(row.runs)} \times " if row.runs is not None else ""
        name = row.part.split(".")[-1] if row.depth > 1 else row.part
        rows.append([indent + times + words(name), *([_short(row.form)] if formulas else []),
                     *([number(row.count), "" if row.share is None else words(percent(row.share))] if counted else [])])
    last = [words("total"), *([_short(shown.total.form)] if formulas else []),
            *([rf"\mathbf{{{number(shown.total.count)}}}", ""] if counted else [])]
    return list(_arrays("l" * (1 + formulas) + "rr" * counted, head, rows, last))


def listing(shown: Listing) -> str:
    """A table of words, formulas and numbers as displays."""
    align = "".join("r" if right else "l" for right in text.to_the_right(shown))
    def cell(one: Any) -> str:
        if isinstance(one, Rounded) and _FIGURE.fullmatch(one.text):
            return one.text.replace(",", "{,}").replace("−", "-").replace(" %", r"\,\%")
        if one is None or isinstance(one, (str, Rounded)):
            said = text.cell(one)
            bare = said.lstrip()
            return r"\quad " * ((len(said) - len(bare)) // 2) + (words(bare) if bare else "")
        return number(one) if text.is_number(one) else _short(one)

    rows = [list(map(cell, row)) for row in shown.rows]
    return "\n\n".join([rf"\textbf{{{shown.title.translate(_SPECIAL)}}}",
                        *(_arrays(align, list(map(words, shown.head)), rows) if rows else ()),
                        *(one.translate(_SPECIAL) if isinstance(one, str) else step(one) for one in shown.says),
                        *([_counted(shown.notes)] if shown.notes else [])]) + "\n"


def _arrays(columns: str, head: list[str], rows: list[list[str]], last: list[str] | None = None) -> Iterable[str]:
    for start in range(0, len(rows), _ROWS - 2):
        first, *rest = [" & ".join(row) for row in (head, *rows[start:start + _ROWS - 2])]
        body = first + " \\\\ \\hline\n" + _STRUT + " \\\\\n".join(rest)
        if last and start + _ROWS - 2 >= len(rows):
            body += " \\\\ \\hline\n" + _STRUT + " & ".join(last)
        yield f"$$\n\\begin{{array}}{{{columns}}}\n{body}\n\\end{{array}}\n$$"


def _broken(shown: Form, widest: int = _LINE) -> list[str]:
    """A sum, a product that ends in one, or the top of a fraction on as many lines as it needs; else one line."""
    if len(text.form(shown)) <= widest or type(shown) not in (Sum, Product, Quotient):
        return [form(shown)]
    if type(shown) is Quotient:
        lines = _broken(shown.top, widest * 3 // 4)
        above = lines[0] if len(lines) == 1 else r"\begin{array}{c}" + r" \\ ".join(lines) + r"\end{array}"
        return [rf"\frac{{{above}}}{{{form(shown.bottom)}}}"]
    if type(shown) is Product:
        *front, last = shown.factors
        if not front or type(last) is not Sum:
            return [form(shown)]
        times = r" \times " if text.numeric(last) else " "
        before = Product(tuple(front))  # of one sum too, which keeps its brackets
        first, *more = _broken(last, widest - len(text.form(before)))
        lines = [f"{form(before)}{times}({first}", *more]
        return [*lines[:-1], lines[-1] + ")"]
    lines, length = [""], 0
    for i, (sign, term) in enumerate(shown.terms):
        first, *more = _broken(term, widest)
        wide = len(text.form(term))
        if length and length + wide > widest:
            lines.append("")
            length = 0
        lines[-1] += ((" + " if sign > 0 else " - ") if i else "" if sign > 0 else "-") + first
        lines += more
        length = widest if more else length + wide + 3
    return [("{}" if i and line.strip()[0] in "+-" else "") + line.strip() for i, line in enumerate(lines)]


def _short(shown: Form) -> str:
    lines = _broken(shown, _CELL)
    return lines[0] if len(lines) == 1 else r"\begin{array}{l}" + r" \\ \quad ".join(lines) + r"\end{array}"


def _inline(shown: Form) -> str:
    """A form without a stacked fraction, for an argument."""
    if type(shown) is not Quotient:
        return form(shown)
    return f"{_factor(shown.top) if type(shown.top) is Sum else form(shown.top)}/{_factor(shown.bottom)}"


def _factor(shown: Form) -> str:
    inner = form(shown)
    if type(shown) not in (Sum, Product):
        return inner
    return rf"\left({inner}\right)" if r"\frac" in inner else f"({inner})"


def _product(shown: Form) -> str:
    result, before = "", None
    for factor in shown.factors:
        here = _factor(factor)
        if before is None:
            result = here
        elif text.numeric(factor):
            result += (r" \times " if type(factor) is Sum else r" \cdot ") + here
        else:
            result += (r" \, " if text.long(before) or text.long(factor) else " ") + here
        before = factor
    return result
