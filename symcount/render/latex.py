"""LaTeX: one display for each step, at most 25 rows, in what KaTeX, MathJax and LaTeX all understand."""

from __future__ import annotations

import re
from itertools import pairwise

from symcount.derivation import Chain, Quoted
from symcount.render import boxes, joined, layout, notes
from symcount.render.boxes import Amount, Call, Fence, Line, Lines, Lowered, Name, Raised, Sign, Strong, Tight, Words
from symcount.symbols import GREEK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from symcount.derivation import Derivation, Listing, Remark, Sheet, Table
    from symcount.forms import Form
    from symcount.render.boxes import Box
    from symcount.render.layout import Tabular

_ROWS, _HIGH = 25, 36  # rows of a display, and lines that they take, which fit on a page
_FRAGMENT = r"% A part of a document: \input it into one with \usepackage{amsmath} and \usepackage[T1]{fontenc}."
# All but the signs that the fonts of every TeX have: ASCII, letters of European languages, dashes, quotation marks
_LACKING = re.compile("[^\n -~À-ÖØ-öø-ĥĨ-ķĹ-ľŁ-ňŊ-ťŨ-ž–—‘-‚“-„…]")
_LONG = re.compile(r"(?<=\w)/(?=\w)|[^\W_]{40}(?=[^\W_])")  # behind which a name of a file may break
_STRUT = r"\rule{0pt}{2.6ex}"  # a row below a rule needs air
# Signs that stand in words, as mathematics
SIGNS = {"×": r"\times", "·": r"\cdot", "−": "-", "→": r"\to", "≤": r"\le", "≥": r"\ge",
         "Σ": r"\sum", "√": r"\surd", "∂": r"\partial", "≈": r"\approx",
         **{greek: rf"\{name}" for name, greek in GREEK.items()},
         **{sign: f"_{i}" for sign, i in zip("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₘₙₚᵣₜ", "0123456789+-ijkmnprt", strict=True)},
         **{sign: f"^{i}" for i, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}, "⁻": "^{-}", "ᵀ": r"^{\top}"}
_SPECIAL = str.maketrans({"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
                          "^": r"\^{}", "~": r"\~{}", "\\": r"\textbackslash{}", "…": r"\dots{}",
                          **{sign: f"${shown}$" for sign, shown in SIGNS.items()}})
# The same within \text, of which MathJax reads no commands
_WORDS = {**{sign: f"\\{sign}" for sign in "_%&#${}"}, "\\": r"\backslash", "^": r"\hat{}", "~": r"\sim",
          "…": r"\dots", **{sign: f"{shown} " for sign, shown in SIGNS.items()}}
_LOWERED, _RAISED = ("".join(sign for sign, shown in SIGNS.items() if shown[0] == mark) for mark in "_^")
_SPELLED = re.compile(f"[{_LOWERED}]{{2,}}|[{_RAISED}]{{2,}}|[" + "".join(map(re.escape, _WORDS)) + "]")
_SIGNS = {**SIGNS, "⊤": r"\top", boxes.ROOM.text: r"\,", "": "{}"}
_FENCES = {"⌈": r"\left\lceil ", "⌉": r" \right\rceil", "⌊": r"\left\lfloor ", "⌋": r" \right\rfloor"}

_PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage[margin=2.2cm]{geometry}
\usepackage{amsmath,graphicx}
\ifdefined\Umathchar\else % fonts of pdfLaTeX; XeLaTeX and LuaLaTeX have theirs
  \usepackage[T1]{fontenc}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{\usepackage{mathptmx}}
\fi
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\allowdisplaybreaks
% What is wider or taller than the page is set smaller; names break behind an underscore
\newsavebox{\displaybox}
\newcommand{\fitted}[1]{\sbox{\displaybox}{$\displaystyle #1$}%
  \ifdim\wd\displaybox>\linewidth\sbox{\displaybox}{\resizebox{\linewidth}{!}{\usebox{\displaybox}}}\fi
  \ifdim\dimexpr\ht\displaybox+\dp\displaybox>\textheight\resizebox{!}{0.95\textheight}{\usebox{\displaybox}}%
  \else\usebox{\displaybox}\fi}
\let\underscore\_
\renewcommand{\_}{\underscore\allowbreak}
\begin{document}\raggedright
"""

document = joined


def standalone(blocks: list[str], title: str) -> str:
    """A file that compiles as it is, with XeLaTeX and pdfLaTeX; what their fonts lack stands as its code, U+6A21."""
    body = joined([block.removeprefix(_FRAGMENT).lstrip("\n") for block in blocks], title)
    fitted = re.sub(r"^\$\$\n(.*?)\n\$\$$", r"\\[\n\\fitted{\1}\n\\]", body, flags=re.DOTALL | re.MULTILINE)
    fitted = fitted.replace(r"$\cdot$", r"$\cdot$\allowbreak{}")  # of a formula in words
    fitted = _LONG.sub(r"\g<0>\\allowbreak{}", fitted)
    shown = _LACKING.sub(lambda sign: rf"U+{ord(sign[0]):04X}\allowbreak{{}}", fitted)
    return _PREAMBLE + shown + "\\end{document}\n"


def form(shown: Form) -> str:
    r"""A form as LaTeX mathematics.

    >>> from symcount.forms import Number, Power
    >>> form(Power(Number(4096), 2))
    '4{,}096^{2}'
    """
    return math(boxes.form(shown))


def math(box: Box) -> str:
    """A box as LaTeX mathematics."""
    kind = type(box)
    if kind is Amount:
        return str(box.text).replace(",", "{,}").replace("−", "-").replace(" %", r"\,\%")
    if kind is Name:
        return _name(box)
    if kind is Sign:
        return _SIGNS.get(box.text, box.text)
    if kind is Words:
        return words(box.text)
    if kind is Line:
        return " ".join(map(math, box.parts))
    if kind is Tight:
        return "".join(map(math, box.parts))
    if kind is Lowered:
        return f"{_based(box.base, lowered=True)}_{{{math(box.low)}}}"
    if kind is Raised:
        return f"{_based(box.base, of_number=isinstance(box.high, Amount))}^{{{math(box.high)}}}"
    if kind is Strong:
        return rf"\mathbf{{{math(box.body)}}}"
    return _tall(box)


def _name(box: Name) -> str:
    greek = SIGNS.get(box.text)
    return greek or (rf"\mathrm{{{box.text}}}" if box.upright else box.text)


def _based(base: Box, *, lowered: bool = False, of_number: bool = False) -> str:
    """What carries an index or an exponent: in braces where it has one itself."""
    shown = math(base)
    inner = isinstance(base, (Raised, Lowered) if lowered else Raised)
    inner = inner or (of_number and ("_" in shown or "^" in shown))
    return f"{{{shown}}}" if inner else shown


def _tall(box: Box) -> str:
    kind = type(box)
    if kind is boxes.Fraction:
        return rf"\frac{{{math(box.top)}}}{{{math(box.bottom)}}}"
    if kind is boxes.Radical:
        return rf"\sqrt{'' if box.degree == 2 else f'[{box.degree}]'}{{{math(box.body)}}}"
    if kind is Call:
        name = box.name.replace("_", r"\_")
        return rf"\operatorname{{{name}}}" + _fenced(r",\, ".join(map(math, box.args)), tall=boxes.tall(box.args))
    if kind is Fence:
        if box.left in _FENCES:
            return _FENCES[box.left] + math(box.body) + _FENCES[box.right]
        return _fenced(math(box.body), tall=boxes.tall(box.body))
    if kind is Lines:
        between = r" \\ " if box.centred else r" \\ \quad "
        inner = between.join(map(math, box.lines))
        return rf"\begin{{array}}{{{'c' if box.centred else 'l'}}}{inner}\end{{array}}"
    rows = r" \\ ".join(" & ".join(map(math, row)) for row in box.rows)
    return rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"


def _fenced(inner: str, *, tall: bool) -> str:
    return rf"\left({inner}\right)" if tall else f"({inner})"


def words(shown: str) -> str:
    r"""Words within mathematics. What LaTeX escapes stands outside of \text, where MathJax reads it too.

    >>> words("attention_norm")
    '\\text{attention}\\_\\text{norm}'
    """
    said = _SPELLED.sub(lambda signs: f"}}{_spelled(signs[0])}\\text{{", shown)
    return rf"\text{{{said}}}".replace(r"\text{}", "")


def _spelled(signs: str) -> str:
    """A sign as mathematics; of several that are lowered, or raised, one index: TeX takes no two."""
    if len(signs) == 1:
        return _WORDS[signs]
    inside = "".join(SIGNS[sign][1:].strip("{}") for sign in signs)
    return f"{SIGNS[signs[0]][0]}{{{inside}}} "


def derivation(shown: Derivation) -> str:
    """Every symbol, step and part, as displays with a line of text before each group."""
    blocks = [_FRAGMENT, _title(shown.title), *displays(shown)]
    blocks += [rf"{{\raggedright {spoken_of(remark)}.\par}}" for remark in shown.remarks]
    if shown.notes:
        blocks.append(_counted(shown.notes))
    return "\n\n".join(blocks) + "\n"


def sheet(shown: Sheet) -> str:
    """Exercises with their numbers; of a key with answers and steps."""
    blocks = [_FRAGMENT, rf"\noindent{_title(shown.title)}\par"]
    for item in shown.items:
        blocks.append(rf"\bigskip\noindent\textbf{{{item.number}.}} \emph{{{escaped(item.label)}}}"
                      r"\par\nopagebreak")
        for one in item.asks:
            if isinstance(one, Quoted):
                lines = "\n".join(rf"\item[({letter})] {_said(pieces)}" for letter, pieces in one.lines)
                blocks.append(f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}")
            else:
                blocks.append(rf"\noindent {_said(one)}\par\smallskip")
        blocks += [rf"\noindent\textbf{{Answer:}} {_said(item.answer)}\par"] if item.answer else []
        blocks += [_paragraph(one) if type(one) is tuple else step(one) for one in item.steps]
    return "\n\n".join([*blocks, *(rf"\bigskip\noindent{{\small {escaped(one)}\par}}"
                                   for one in shown.notes)]) + "\n"


def _paragraph(pieces: Sequence[Any]) -> str:
    """A paragraph of a solution, which stays with what it announces."""
    said = _said(pieces)
    return rf"\noindent {said}\par" + (r"\nopagebreak" if said.endswith(":") else "")


def displays(shown: Derivation) -> list[str]:
    """The displays of a derivation: symbols, one for each step, parts."""
    blocks = [*map(step, shown.steps)]
    table = layout.symbols(shown)
    return [*(_arrays(table) if table else ()), *blocks,
            *(_arrays(layout.parts(shown.table, formulas=True)) if shown.table else ())]


def formula(title: str, shown: Form, says: list[str]) -> str:
    """A closed form, and what there is to say about it."""
    first, *more = map(math, boxes.broken(shown))
    display = _aligned([f"& {first}", *(rf"&\quad {line}" for line in more)]) if more else f"$$\n{first}\n$$"
    return "\n\n".join([_title(title), display, *map(escaped, says)]) + "\n"


def escaped(words_of: str) -> str:
    """Words in which no sign means anything to LaTeX; two hyphens stay two, and are no dash."""
    return words_of.translate(_SPECIAL).replace("--", "-{}-")


def _title(title: str) -> str:
    return rf"\textbf{{{escaped(title)}}}"


def spoken_of(remark: Remark) -> str:
    """A remark as a sentence with mathematics in it."""
    return f"{remark.label.capitalize()}: {_said(remark.pieces)}"


def _said(pieces: Sequence[Any]) -> str:
    """Words with mathematics in them."""
    return "".join(escaped(one) if isinstance(one, str) else f"${math(one)}$"
                   for one in layout.remark(pieces))


def step(one: Any) -> str:
    """One step, the signs aligned: a name or a left side, what it equals, the reasons."""
    found = layout.step(one)
    lines = [*map(_of_chain if isinstance(one, Chain) else _line, found.lines)]
    starts = _pages([boxes.height((line.left, line.right)) for line in found.lines], _ROWS + _HIGH)
    return "\n\n".join(_aligned([*([f"& {words(found.name)} && "] if found.name and not start else []),
                                 *lines[start:end]]) for start, end in pairwise([*starts, len(lines)]))


def _aligned(lines: list[str]) -> str:
    return "$$\n\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n$$"


def _pages(heights: list[int], most: int) -> list[int]:
    """Where displays begin: each has so many rows, and so many lines, that it fits on a page."""
    starts, rows, lines = [0], 0, 0
    for i, high in enumerate(heights):
        if rows and (rows == most or lines + high > _HIGH):
            starts.append(i)
            rows = lines = 0
        rows, lines = rows + 1, lines + high
    return starts


def _line(line: layout.Placed) -> str:
    left = math(line.left) if line.left else ""
    if line.right is None:
        return left
    return f"{left} &{math(Sign(line.sign))} {math(line.right)}" if line.sign else rf"&\quad {math(line.right)}"


def _of_chain(line: layout.Placed) -> str:
    room = r"\qquad" * (line.depth // 2) + r"\quad" * (line.depth % 2)
    reason = math(line.reason) if line.reason else ""
    if line.sign:
        start = f"{math(line.left)} &" if line.left else f"&{room}"
        return f"{start} {line.sign} {math(line.right)}" + (f" && {reason}" if reason else "")
    return f"&{room} {math(line.right or line.left or line.reason)}"


def spoken(words_of: str) -> str:
    """A sentence as a display, on lines that fit."""
    from textwrap import wrap

    return "$$\n\\begin{array}{l}\n" + " \\\\\n".join(map(words, wrap(words_of, 76))) + "\n\\end{array}\n$$"


def table(shown: Table) -> str:
    """The parts of a count as displays, and the conventions."""
    said = notes(shown)
    return "\n\n".join([_title(shown.title), *parts(shown, formulas=shown.total.count is None),
                        *([_counted(said)] if said else [])]) + "\n"


def _counted(said: tuple[str, ...]) -> str:
    """The conventions as a paragraph that need not be justified: names of keys do not break."""
    return rf"{{\raggedright {escaped(layout.counted(said))}\par}}"


def parts(shown: Table, *, formulas: bool) -> list[str]:
    """The table of parts, the total under a rule."""
    return list(_arrays(layout.parts(shown, formulas=formulas)))


def listing(shown: Listing) -> str:
    """A table of words, formulas and numbers as displays."""
    rows = layout.rows(shown)
    return "\n\n".join([_title(shown.title), *(_arrays(rows) if rows else ()),
                        *(escaped(one) if isinstance(one, str) else step(one) for one in shown.says),
                        *([_counted(shown.notes)] if shown.notes else [])]) + "\n"


def _arrays(shown: Tabular) -> Iterable[str]:
    head = " & ".join(map(words, shown.head))
    high = list(map(_height, shown.rows))
    starts = _pages(high, _ROWS - 2)
    if shown.last and sum(high[starts[-1]:]) + _height(shown.last) > _HIGH:
        starts.append(len(high))  # the total alone
    for start, end in pairwise([*starts, len(high)]):
        rows = [" & ".join(map(_cell, row)) for row in shown.rows[start:end]]
        below = r"[4pt]" if max(high[start:end], default=1) > 1 else ""  # matrices one below another need air
        body = head + (" \\\\ \\hline\n" + _STRUT + f" \\\\{below}\n".join(rows) if rows else "")
        if shown.last and start == starts[-1]:
            body += " \\\\ \\hline\n" + _STRUT + " & ".join(map(_cell, shown.last))
        yield f"$$\n\\begin{{array}}{{{shown.sides}}}\n{body}\n\\end{{array}}\n$$"


def _height(row: Sequence[Any]) -> int:
    return max((boxes.height(layout.cell(one)[1]) for one in row), default=1)


def _cell(shown: Any) -> str:
    depth, content = layout.cell(shown)
    inner = (words(content) if content else "") if isinstance(content, str) else math(content)
    return r"\quad " * depth + inner
