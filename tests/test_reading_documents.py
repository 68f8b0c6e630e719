"""Documents are read into passages that stand where the source has them, and no text breaks the reading."""

from __future__ import annotations

import json
import re
import sys
import time
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from symcount.documents import read
from symcount.documents.inline import inline
from symcount.errors import SymcountError

markdown_it = pytest.importorskip("markdown_it", reason="Markdown is read by what the extra 'check' installs")

ROOT = Path(__file__).parents[1]
SUFFIXES = (".md", ".tex", ".txt", ".ipynb")
UNIT = re.compile(r"\\(?:qty|SI|si|unit)")  # whose units are written as people write them
PUT = frozenset(";^_()–—")  # what may stand for a tag, a raised number, the brackets of a note, a dash


def shown(text, path):
    """(kind, words, formulas) of every passage of the one document."""
    [document] = sound(read(text, path))
    return [(one.kind, " ".join(one.text.split()), [" ".join(one.text[a:b].split()) for a, b in one.math])
            for one in document.passages]


def words(text, path):
    return [(kind, said) for kind, said, _ in shown(text, path)]


def cells(text, path):
    """(table, row, cells) of every row."""
    [document] = sound(read(text, path))
    return [(*one.table, *(one.text[a:b] for a, b in one.cells)) for one in document.passages if one.kind == "row"]


def told(text, path):
    [document] = sound(read(text, path))
    return [(one.says, document.place(one.offset), one.alone) for one in document.directives]


def sound(documents):
    """The same documents, after every passage was laid over its source."""
    for document in documents:
        source = document.source
        ends = [0, *((one.start, one.start + len(one.text)) for one in document.passages)]
        for before, after in pairwise(ends[1:]):
            assert before[1] <= after[0], "passages overlap or are out of order"
        for one in document.passages:
            stretch = source[one.start:one.start + len(one.text)]
            assert one.text.strip(), "a passage of blanks"
            assert len(stretch) == len(one.text)
            assert "\r" not in one.text
            for ours, theirs in zip(one.text, stretch, strict=True):
                assert (ours == "\n") == (theirs == "\n")
                assert ours in (theirs, " ") or ours in PUT or theirs == "&" or UNIT.search(source)
            for a, b in one.math:
                assert 0 <= a < b <= len(one.text)
            for (_, b), (c, _) in pairwise(one.math):
                assert b <= c
            for a, b in one.cells:
                assert 0 <= a <= b <= len(one.text)
                assert one.text[a:b] == one.text[a:b].strip()
            assert bool(one.cells) == (one.table is not None)
        for one in document.directives:
            stretch = source[one.offset:one.offset + len(one.says)]
            assert len(stretch) == len(one.says)
            assert all(ours in (theirs, " ") for ours, theirs in zip(one.says, stretch, strict=True))
        assert [one.offset for one in document.directives] == sorted(one.offset for one in document.directives)
    return documents


# What is inside of a line, in Markdown and in plain text

INLINE = [
    ("2*3*4 = 24", "2*3*4 = 24"),
    ("2 * 3 * 4 = 24", "2 * 3 * 4 = 24"),
    ("(2)*(3)*(4) = 24", "(2)*(3)*(4) = 24"),
    ("12*L*d^2 of *all*", "12*L*d^2 of all"),
    ("2 *3 and 4* 5", "2 *3 and 4* 5"),
    ("2 *(3 + 4)* 5 = 70 (*x* + 1) *y*", "2 *(3 + 4)* 5 = 70 ( x + 1) y"),
    ("_d_model_ is 4*d*h + 2*d, x*(y+1)*z", "d_model is 4*d*h + 2*d, x*(y+1)*z"),
    ("2**20 = 1,048,576 and 2**10", "2**20 = 1,048,576 and 2**10"),
    ("the n_embd and n_head of d_model_x", "the n_embd and n_head of d_model_x"),
    ("2_695_948 weights", "2_695_948 weights"),
    ("~**110M** params, *roughly* __12__ and _em_", "~ 110M params, roughly 12 and em"),
    ("***both*** (*in brackets*), **a *b* c**", "both ( in brackets ), a b c"),
    ("共有**110M**个参数", "共有 110M 个参数"),
    ("110M* and 340M*", "110M* and 340M*"),
    ("**open only", "**open only"),
    ("code `a*b*c` and ``x`y``", "code a*b*c and x`y"),
    ("`unclosed *it*", "`unclosed it"),
    (r"\*not\* \# \_x\_ \$5", "*not * # _x _ $5"),
    (r"40\,000 words and 7\,MB", r"40\,000 words and 7 ,MB"),
    ("[12 heads](https://a.b/12_(34)?x=56 \"78\") here", "12 heads here"),
    ("![768 wide](a/b12.png) and [![x](y1.svg)](z2)", "768 wide and x"),
    ("shape [12, 768] and a[3](4) = 12", "shape [12, 768] and a[3](4) = 12"),
    ("see <https://a.b/12> or https://a.b/1706.03762, or www.x.y/9.", "see or , or ."),
    ("<b>12</b> <span class=\"x\">3</span> <br/>4 a<b and c>d", "12 3 ; 4 a<b and c>d"),
    ("<unk> and 3 < 4 > 2", "<unk> and 3 < 4 > 2"),
    ("10<sup>9</sup> d<sub>model</sub>, total = 31,114,752<sup>2</sup> is", "10^ 9 d_ model , total = 31,114,752 is"),
    ("3 &times; 4&nbsp;MB &lt; &bogus; &", "3 × 4 MB < &bogus; &"),
    ("~~2 + 2 = 5~~ 2 + 2 = 4, ~5 ~~ 6", "2 + 2 = 4, ~5 ~~ 6"),
    ("a[^1] b[^note]", "a b"),
    ("12 <!-- 2 + 2 = 5 --> 13", "12 13"),
    ("12 <!-- never closed 2 + 2 = 5", "12"),
]


@pytest.mark.parametrize("path", ["a.md", "a.txt"])
@pytest.mark.parametrize(("source", "said"), INLINE, ids=[source for source, _ in INLINE])
def test_markup_inside_a_line(source, said, path):
    assert words(f"So {source}", path) == [("text", f"So {said}".strip())]


MATH = [
    ("3 x $4.99 = $14.97", []),
    ("$40,000$ words", ["40,000"]),
    ("$5 and $6, $ 7 $, 8$9$", []),
    ("it costs $5. The width is $d$", ["d"]),
    ("$a$ $b$", ["a", "b"]),
    ("$a$$b$", ["a", "b"]),
    (r"\$5$ and $x\$y$", [r"x\$y"]),
    ("$$a = b$$ c $$\nd\n$$", ["a = b", "d"]),
    ("$$open and $x$", ["x"]),
    ("$x\n+ y$", ["x + y"]),
    ("$x\n\ny$", []),
    ("$$x\n\ny$$", []),
    (r"\(a\) and \[b\] \\(c\\) \\[d\\]", ["a", "b", "c", "d"]),
    (r"\(a and \[b", []),
    (r"\begin{align*} a &= b \\ c \end{align*}", [r"a &= b \\ c"]),
    (r"$\text{a_b*c} = 2*3*4$ *it*", [r"\text{a_b*c} = 2*3*4"]),
    (r"$40{,}000 \times 768$", [r"40{,}000 \times 768"]),
    (r"$$a = 3 \tag{12} \label{eq:34}$$", ["a = 3"]),
    ("`$x$` and $`y`$ and {math}`z`", ["y", "z"]),
    ("US$5 or A$6", []),
    ("$7B-$70B models", []),
]


@pytest.mark.parametrize("path", ["a.md", "a.txt"])
@pytest.mark.parametrize(("source", "formulas"), MATH, ids=[source for source, _ in MATH])
def test_mathematics_between_its_delimiters(source, formulas, path):
    assert [one for _, _, found in shown(f"So {source}", path) for one in found] == formulas


def test_dollars_are_read_as_the_plugin_of_markdown_it_reads_them():
    dollarmath = pytest.importorskip("mdit_py_plugins.dollarmath").dollarmath_plugin
    parser = markdown_it.MarkdownIt("commonmark").use(dollarmath, allow_space=False, allow_digits=False)
    for signs in product("$$a.1 ", repeat=6):
        text = f"x{''.join(signs)}x"
        if "$$" not in text:  # displays within a line are read here and not there
            theirs = [one.content for one in parser.parseInline(text)[0].children if one.type == "math_inline"]
            assert [text[a:b] for a, b in inline(text).math] == theirs, text


def test_delimiters_are_blanked_and_content_stands_as_it_is():
    source = "A $d_1*2$ b\n$$\n\\begin{aligned}\na &= b_*x \\\\\n\\end{aligned}\n$$ c"
    for path in ("a.md", "a.txt"):
        [document] = sound(read(source, path))
        [one] = document.passages
        assert one.text == "A  d_1*2  b\n  \n\\begin{aligned}\na &= b_*x \\\\\n\\end{aligned}\n   c"
        assert [source[a:b] for a, b in one.math] == [one.text[a:b] for a, b in one.math]


# The blocks of Markdown

MARKDOWN = [
    ("# One #\n\nTwo\n===\n\n## a#b ##\n", [("heading", "One"), ("heading", "Two"), ("heading", "a#b")]),
    ("a\nb\n\nc", [("text", "a b"), ("text", "c")]),
    ("1. one\n\n   more\n2. two\n   wrapped\n   - three\n\n- [x] done", [
        ("item", "one"), ("text", "more"), ("item", "two wrapped"), ("item", "three"), ("item", "done")]),
    ("> quoted\n> 2*3\nlazy\n> > deep", [("text", "quoted 2*3 lazy"), ("text", "deep")]),
    ("a\n```python\nx = 2*3 # `$y$\n```\nb", [("text", "a"), ("code", "x = 2*3 # `$y$"), ("text", "b")]),
    ("    2 x 80 = 160\n", [("code", "2 x 80 = 160")]),
    ("- a\n\n  ~~~\n  x\n    y\n  ~~~\n", [("item", "a"), ("code", "x y")]),
    ("```\nnever closed\n\n2*3", [("code", "never closed 2*3")]),
    ("---\ntitle: 2 + 2 = 5\n---\n\nText", [("text", "Text")]),
    ("---\n\nNo front matter\n\n---\n\nb", [("text", "No front matter"), ("text", "b")]),
    ("[a]: https://x.y/12 \"34\"\n[b]: <z>\nText [a]", [("text", "Text [a]")]),
    ("[^1]: A note of 12.", [("text", "A note of 12.")]),
    ("a\n\n***\n\nb", [("text", "a"), ("text", "b")]),
    ("::: {.note}\n12 heads\n:::", [("text", "12 heads")]),
    ("<table><tr><td>4 x 3</td><td>12</td></tr></table>", [("text", "; ; ; 4 x 3; ; 12; ; ;")]),
    ("<style>\na { b: 12 }\n</style>\n", []),
    ("<!--\n2 + 2 = 5\n\n2 + 2 = 6\n-->\n\na", [("text", "a")]),
    ("<!-- half open\n\n2 + 2 = 5", []),
    ("So\n$$\na\n+ b\n- c\n= d\n1. e\n# f\n$$\nis it", [("text", "So a + b - c = d 1. e # f is it")]),
    ("> $$\n> a\n> + b\n> $$", [("text", "a + b")]),
    ("```\n$$\n```\n- a\n\n$$", [("code", "$$"), ("item", "a"), ("text", "$$")]),
    ("Costs $$5\n\n- a\n- b", [("text", "Costs $$5"), ("item", "a"), ("item", "b")]),
    ("30,720,000\n+ 393,216\n- 12\n= 31,113,204", [("text", "30,720,000 + 393,216 - 12 = 31,113,204")]),
    ("Layer 1\n- 4 x 3 = 12\n- 5", [("text", "Layer 1"), ("item", "4 x 3 = 12"), ("item", "5")]),
    ("+ 12\n+ 13\n= 14", [("item", "12"), ("item", "13 = 14")]),
]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(("source", "said"), MARKDOWN, ids=[source for source, _ in MARKDOWN])
def test_blocks_of_markdown(source, said, end):
    assert words(source.replace("\n", end), "a.md") == said


def test_a_fence_of_mathematics_is_one_formula():
    for language in ("math", "latex", "tex", "{math}"):
        assert shown(f"```{language}\na = 2*3\n```", "a.md") == [("text", "a = 2*3", ["a = 2*3"])]


TABLES = [
    ("| part | n |\n|---|--:|\n| **a** | `1` |\n| b |\n| c | 2 | 3 |\n\n| x |\n|---|\n| 2*3 |", "a.md", [
        (1, 0, "part", "n"), (1, 1, "a", "1"), (1, 2, "b", ""), (1, 3, "c", "2"), (2, 0, "x"), (2, 1, "2*3")]),
    ("a | b\n--|--\n1 \\| 2 | $x$\nlazy", "a.md", [(1, 0, "a", "b"), (1, 1, "1  | 2", "x"), (1, 2, "lazy", "")]),
    ("> | a | b |\n> |---|---|\n> | 1 | > 2 |", "a.md", [(1, 0, "a", "b"), (1, 1, "1", "> 2")]),
    ("1. | a | b |\n   |---|---|\n   | | -2 |", "a.md", [(1, 0, "a", "b"), (1, 1, "", "-2")]),
    ("text\n| a | b |\n|---|---|\n| 1 | 2 |", "a.md", [(1, 0, "a", "b"), (1, 1, "1", "2")]),
    ("| a | b |\n|---|\n| 1 | 2 |", "a.md", []),
    ("p(a|b) = 3\n|x| + |y| = 2", "a.md", []),
    ("| a | b |\n|---|---|\n| 1 | 2 |\nafter", "a.txt", [(1, 0, "a", "b"), (1, 1, "1", "2")]),
    ("+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+", "a.txt", [(1, 0, "a", "b"), (1, 1, "1", "2")]),
    (" a | b\n---+---\n 1 | 2", "a.txt", [(1, 0, "a", "b"), (1, 1, "1", "2")]),
    ("p(a|b) = 3\n|x| + |y| = 2", "a.txt", []),
    (r"\begin{tabular}{@{}lr@{}} \toprule a & b \\[2pt] \midrule $1 \cdot 2$ & 3\% \\" "\n"
     r"\multicolumn{2}{c}{\textbf{c}} \\ \hline & 4 \end{tabular} \begin{tabularx}{9cm}{l} x \\ \end{tabularx}",
     "a.tex", [
         (1, 0, "a", "b"), (1, 1, r"1 \cdot 2", "3 %"), (1, 2, "c", ""), (1, 3, "", "4"), (2, 0, "x")]),
    (r"\begin{tabular}{ll} \begin{tabular}{c} a & b \\ c \end{tabular} & \shortstack{1 \\ 2} \\ \end{tabular}",
     "a.tex", [(1, 0, "a   b    c", "1    2")]),
    (r"\begin{longtable}{l} \caption{c} \\ a \\ no end", "a.tex", [(1, 0, "c"), (1, 1, "a"), (1, 2, "no end")]),
]


@pytest.mark.parametrize(("source", "path", "rows"), TABLES, ids=[f"{two} {one[:30]}" for one, two, _ in TABLES])
def test_rows_of_tables(source, path, rows):
    found = cells(source, path)
    assert [(*one[:2], *(" ".join(cell.split()) for cell in one[2:])) for one in found] == [
        (*one[:2], *(" ".join(cell.split()) for cell in one[2:])) for one in rows]


def test_a_short_text_does_not_become_a_table_of_millions_of_cells():
    header = "|a" * 1_000 + "|\n" + "|-" * 1_000 + "|\n"
    for path in ("a.md", "a.txt"):
        [document] = sound(read(header + "|1|\n" * 20_000, path))
        assert sum(len(one.cells) for one in document.passages) < 100_000


# Plain text

PLAIN = [
    ("a\nb\n \nc", [("text", "a b"), ("text", "c")]),
    ("### **Sizes** ##\ntext\n#A layer\n# = 448 params", [
        ("heading", "Sizes"), ("text", "text"), ("heading", "A layer"), ("text", "# = 448 params")]),
    ("So:\n- a\n   wrapped\n* b\n  • c\n1. d\n12) e", [
        ("text", "So:"), ("item", "a wrapped"), ("item", "b"), ("item", "c"), ("item", "d"), ("item", "e")]),
    ("there are\n12. Then we add\n1. one", [("text", "there are 12. Then we add"), ("item", "one")]),
    ("    2 x 3 = 6\n", [("text", "2 x 3 = 6")]),
    ("2 x 3\n- 4\n= 2", [("text", "2 x 3 - 4 = 2")]),
    ("x = 10 + 5\n      - 3 = 12", [("text", "x = 10 + 5 - 3 = 12")]),
    ("FFN = two:\n   - 768 x 3072 = 2,359,296", [("text", "FFN = two:"), ("item", "768 x 3072 = 2,359,296")]),
    ("> quoted\n> - a", [("text", "quoted"), ("item", "a")]),
    ("width\n> 4096", [("text", "width > 4096")]),
    ("a\n```python\nx = 1\n\ny = `2`\n```\nb", [("text", "a"), ("code", "x = 1 y = `2`"), ("text", "b")]),
    ("```\nhalf open\n\n- a", [("text", "``` half open"), ("item", "a")]),
    ("---\n\n12 + 1\n────\n13", [("text", "---"), ("text", "12 + 1 ──── 13")]),
    ("- [ ] a", [("item", "[ ] a")]),
    ("", []),
    (" \n\t\n", []),
]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(("source", "said"), PLAIN, ids=[source for source, _ in PLAIN])
def test_plain_text(source, said, end):
    assert words(source.replace("\n", end), "<text>") == said


def test_the_suffix_says_how_a_text_is_read():
    source = "    2 x 3\n"
    kinds = {path: words(source, path)[0][0] for path in (
        "a.md", "B.MD", "a.markdown", "a.qmd", "a.Rmd", "a.mdx", "a.txt", "a.rst", "a.md.txt", "README", "<text>",
        "<claim>")}
    assert [path for path, kind in kinds.items() if kind == "code"] == [
        "a.md", "B.MD", "a.markdown", "a.qmd", "a.Rmd", "a.mdx"]
    for path in ("a.tex", "a.ltx", "a.LaTeX"):
        assert words(r"\emph{a} % b", path) == [("text", "a")]


# LaTeX

TEX = [
    (r"a \textbf{b \emph{c}} {\bf d} \small e", [("text", "a b c d e")]),
    (r"50\% of \$3 \& 4\_5 \#6 \{7\}", [("text", "50 % of $3 & 4 _5 #6 {7 }")]),
    (r"13.5~GB, 13.5\,GB, 40\,000 and 40{,}000 words", [("text", r"13.5 GB, 13.5 GB, 40\,000 and 40{,}000 words")]),
    (r"2--3 and 4---5 ``quoted''", [("text", "2– 3 and 4— 5 quoted")]),
    ("a % 2 + 2 = 5\nb\n% c\n\nd \\% e", [("text", "a b"), ("text", "d % e")]),
    (r"see~\cite[p.~3]{x2020} \ref{eq:12}, \url{a.b/12} \includegraphics[width=3cm]{p4} \label{s5}a", [
        ("text", "see , a")]),
    (r"\href{http://a.b/1}{two} \textcolor{red}{three} \hspace{4cm} \foreignlanguage{de}{vier}", [
        ("text", "two three vier")]),
    (r"\section*{One \& \emph{two}} a \subsection[short]{Three}\label{x} b \paragraph{Four.} c", [
        ("heading", "One & two"), ("text", "a"), ("heading", "Three"), ("text", "b"), ("heading", "Four."),
        ("text", "c")]),
    (r"\begin{itemize} \item a \item[x] b \begin{enumerate} \item c \end{enumerate} d \end{itemize} e", [
        ("item", "a"), ("item", "x b"), ("item", "c"), ("text", "d"), ("text", "e")]),
    (r"\begin{figure}[t] \centering \includegraphics{a1} \caption{Width 12.} \end{figure} b", [
        ("text", "Width 12."), ("text", "b")]),
    (r"12\footnote{In 2020 it was 24.} heads", [("text", "12 (In 2020 it was 24.) heads")]),
    (r"\nl layers, \nl{} x 768, \LaTeX", [("text", r"\nl layers, \nl x 768, \LaTeX")]),
    (r"\size{12}{768} and \frac{1}{2}", [("text", r"12; 768 and \frac{1}{2}")]),
    (r"10\textsuperscript{9} and 4\textsuperscript{th}", [("text", "10^ 9 and 4 th")]),
    (r"\qty{80}{\giga\byte}, \SI{1.5}{\tera\byte\per\second}, \num{1e6}, \SI{3}{\foo}, \SI{5}{GB}, \si{\kibi\byte}", [
        ("text", r"80 GB , 1.5 TB/s , 1e6 , 3 \foo , 5 GB , KiB")]),
    (r"use \verb|n_layer % 12| and \lstinline!a$b! here", [("text", "use n_layer % 12 and a$b here")]),
    ("a\n\\begin{lstlisting}[language=Python]\nx = 1 % 2\n\\end{lstlisting}\nb", [
        ("text", "a"), ("code", "x = 1 % 2"), ("text", "b")]),
    ("\\begin{minted}{python}\nx = {\n\\end{minted}\n\\textbf{b}", [("code", "x = {"), ("text", "b")]),
    (r"a \begin{comment} 2+2=5 \end{comment} \iffalse 2+2=6 \fi b", [("text", "a b")]),
    ("\\documentclass{article}\n\\newcommand{\\x}{2 + 2 = 5}\nno text\n\\begin{document}\na\n\\end{document}\nb", [
        ("text", "a")]),
    (r"\newcommand{\nl}[1]{12 #1} \def\nh#1{13} \renewcommand\a{b} c", [("text", "c")]),
    (r"a \\ b\\[2pt] c \par d", [("text", "a ; b; c"), ("text", "d")]),
    (r"a \begin{minipage}{0.5\textwidth} b \end{minipage} \begin{thebibliography}{9} \bibitem{x} 2020 "
     r"\end{thebibliography} c", [("text", "a"), ("text", "b"), ("text", "c")]),
    (r"caf\'e na\"{\i}ve", [("text", r"caf e na \i ve")]),
    (r"{{{ }}} }} a", [("text", "a")]),
    (r"\textbf{never closed \section{half open", [("text", r"\textbf never closed \section half open")]),
]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(("source", "said"), TEX, ids=[source for source, _ in TEX])
def test_latex(source, said, end):
    assert words(source.replace("\n", end), "a.tex") == said


TEX_MATH = [
    (r"$a$ $$b$$ \(c\) \[d\] $e$$f$", ["a", "b", "c", "d", "e", "f"]),
    (r"\$5 and $x$ and \$6", ["x"]),
    (r"$\text{if $i = 3$} = 4$", [r"\text{if $i = 3$} = 4"]),
    ("\\begin{equation}\\label{x12}\n a = 2*3 % why\n \\tag{4}\n\\end{equation}", ["a = 2*3"]),
    (r"\begin{align*} a &= b \\[2pt] &= c \nonumber \end{align*}", [r"a &= b \\[2pt] &= c"]),
    (r"\begin{alignat}{2} a &= b \end{alignat} \begin{gather}c\end{gather} \begin{multline}d\end{multline}",
     ["a &= b", "c", "d"]),
    (r"\begin{eqnarray}a\end{eqnarray} \begin{displaymath}b\end{displaymath} \begin{equation*}c\end{equation*}",
     ["a", "b", "c"]),
    (r"$$\begin{array}{ll} a & b \\ \end{array}$$", [r"\begin{array}{ll} a & b \\ \end{array}"]),
    (r"\ensuremath{10^9} tokens", ["10^9"]),
    ("never $closed\n\nand $a$", ["a"]),
    (r"\begin{itemize} \item $x \item $y$ \end{itemize} $z$", ["y", "z"]),
    (r"\textbf{half $open} and $a$", ["a"]),
    (r"\begin{align} never closed $a$", []),
    (r"a \) b \] c", []),
    ("$ $ $$ $$ $% only\n$", []),
]


@pytest.mark.parametrize(("source", "formulas"), TEX_MATH, ids=[source for source, _ in TEX_MATH])
def test_mathematics_in_latex(source, formulas):
    assert [one for _, _, found in shown(source, "a.tex") for one in found] == formulas


def test_a_display_belongs_to_its_paragraph():
    source = "The cost\n\\begin{equation}\n a = b\n\\end{equation}\nis small.\n"
    assert shown(source, "a.tex") == [("text", "The cost a = b is small.", ["a = b"])]
    assert shown("The cost\n$$\na = b\n$$\nis small.\n", "a.md") == [("text", "The cost a = b is small.", ["a = b"])]


# Directives

DIRECTIVES = [
    ("<!-- symcount: model=gpt2 -->\na <!--symcount:ignore SC101-->", "a.md", [
        ("model=gpt2", (1, 16), True), ("ignore SC101", (2, 16), False)]),
    ("> <!-- symcount: model=gpt2\n>  s=12 -->\n\n- <!-- symcount: b=2 -->", "a.md", [
        ("model=gpt2\n   s=12", (1, 18), True), ("b=2", (4, 18), False)]),
    ("| a | b |\n|---|---|\n| 1 | 2 <!-- symcount: ignore --> |", "a.md", [("ignore", (3, 24), False)]),
    ("```python\n# symcount: d=12\nx = 3  # symcount: ignore SC101\n// symcount: e\n```", "a.md", [
        ("d=12", (2, 13), True), ("ignore SC101", (3, 20), False), ("e", (4, 14), True)]),
    ("```markdown\n<!-- symcount: model=gpt2 -->\n# symcount: x\n```\n# symcount: x", "a.md", []),
    ("---\na: b\n# symcount: model=gpt2\n---\n", "a.md", [("model=gpt2", (3, 13), True)]),
    ("`<!-- symcount: model=gpt2 -->` <!-- other -->", "a.md", []),
    ("# symcount: a\n// symcount: b\n  % symcount: c\n<!-- symcount: d -->\ntext # symcount: e", "a.txt", [
        ("a", (1, 13), True), ("b", (2, 14), True), ("c", (3, 15), True), ("d", (4, 16), True)]),
    ("% symcount: a\n\\begin{document}\nb % symcount: c\n%% symcount: d\n\\% symcount: e", "a.tex", [
        ("a", (1, 13), True), ("c", (3, 15), False), ("d", (4, 14), True)]),
    ("\\begin{verbatim}\nx # symcount: a\n\\end{verbatim}", "a.tex", [("a", (2, 15), False)]),
    ("# symcount:", "a.txt", [("", (1, 12), True)]),
]


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(("source", "path", "said"), DIRECTIVES, ids=[f"{path} {said}" for _, path, said in DIRECTIVES])
def test_directives(source, path, said, end):
    found = [(says.replace(" \n", "\n"), place, alone) for says, place, alone in told(source.replace("\n", end), path)]
    assert found == said


# Notebooks

def notebook(*cells, **more):
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more})


def test_a_notebook_is_read_cell_by_cell():
    text = notebook(
        {"cell_type": "markdown", "source": ["# Sizes\n", "of $d = 768$"]},
        {"cell_type": "raw", "source": "2 + 2 = 5"},
        {"cell_type": "code", "source": "x = 3*4  # symcount: ignore SC101\nprint(x)", "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["\x1b[1m12\x1b[0m\n", "13\n"]},
            {"output_type": "display_data", "data": {"image/png": "aa"}},
            {"output_type": "execute_result", "data": {"text/plain": "<M>", "text/markdown": ["so **14** of $n$"]}},
            {"output_type": "error", "ename": "E", "evalue": "15", "traceback": ["16"]},
            {"output_type": "display_data", "data": {"text/html": "<b>17</b>", "text/plain": "17"}}]},
        {"cell_type": "code", "source": ""})
    documents = sound(read(text, "nb.ipynb"))
    assert [(one.path, passage.kind, " ".join(passage.text.split()), one.place(passage.start))
            for one in documents for passage in one.passages] == [
        ("nb.ipynb:cell 1", "heading", "Sizes", (1, 3)),
        ("nb.ipynb:cell 1", "text", "of d = 768", (2, 1)),
        ("nb.ipynb:cell 3", "code", "x = 3*4 print(x)", (1, 1)),
        ("nb.ipynb:cell 3 output", "output", "12 13", (1, 1)),
        ("nb.ipynb:cell 3 output 2", "output", "so 14 of n", (1, 1)),
        ("nb.ipynb:cell 3 output 3", "output", "17", (1, 1))]
    assert [one.says for one in documents[1].directives] == ["ignore SC101"]
    assert documents[0].source == "# Sizes\nof $d = 768$"
    assert [document.path for document in documents][-1] == "nb.ipynb:cell 4"


def test_a_notebook_of_version_3_has_sheets():
    text = json.dumps({"worksheets": [{"cells": [
        {"cell_type": "code", "input": "a", "outputs": [{"output_type": "pyout", "text": ["12"]}]}]}], "nbformat": 3})
    assert [(one.path, one.source) for one in sound(read(text, "nb.ipynb"))] == [
        ("nb.ipynb:cell 1", "a"), ("nb.ipynb:cell 1 output", "12")]


@pytest.mark.parametrize(("text", "said"), [
    ("", r"nb\.ipynb:1:1: a notebook is JSON: Expecting value"),
    ('{"cells": [\n  {]}', r"nb\.ipynb:2:4: a notebook is JSON"),
    ("[]", r"nb\.ipynb: a notebook is a JSON object, not an array"),
    ("{}", r"nb\.ipynb: a notebook has an array 'cells'; here it is null"),
    ('{"cells": 3}', "here it is a number"),
    ('{"cells": [null]}', r"nb\.ipynb:cell 1: a cell is a JSON object, not null"),
    (notebook({"cell_type": "raw", "source": "a"}, {"cell_type": "code", "source": 3}), "cell 2: source is a text"),
    (notebook({"cell_type": "code", "source": "", "outputs": {}}), r"cell 1: outputs are a JSON array, not an object"),
    (notebook({"cell_type": "code", "source": "", "outputs": ["a"]}), "cell 1: an output is a JSON object, not a text"),
    (notebook({"cell_type": "code", "source": "", "outputs": [{"data": {"text/plain": [1]}}]}),
     r"cell 1 output: text/plain is a text or an array of texts, not an array"),
    ("[" * 100_000, r"nb\.ipynb: cannot be read as JSON: maximum recursion depth exceeded"),
    ("1" * 10_000, r"nb\.ipynb: cannot be read as JSON: Exceeds the limit"),
], ids=lambda text: text[:30])
def test_what_is_no_notebook_is_refused_with_its_place(text, said):
    with pytest.raises(SymcountError, match=said):
        read(text, "nb.ipynb")


def test_a_missing_library_is_named_with_what_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "markdown_it", None)
    with pytest.raises(SymcountError, match=r"markdown-it-py: pip install 'symcount\[check\]'"):
        read("a", "a.md")
    assert words("a", "a.txt") == words("a", "a.tex") == [("text", "a")]


OWN = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "tests" / "data").rglob("*.md"),
              *(ROOT / "tests" / "data").rglob("*.t*x*")])


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.name)
def test_our_own_documents_stand_where_they_stand(file):
    text = file.read_text(encoding="utf-8")
    for path in (file.name, "a.txt", "a.tex"):
        assert sum(len(one.passages) for one in sound(read(text, path))) > 1


@pytest.mark.parametrize("file", [file for file in OWN if file.suffix == ".md"
                                  and not file.read_text(encoding="utf-8").startswith("---")],
                         ids=lambda file: file.name)
def test_the_words_are_those_that_markdown_it_finds(file):
    dollarmath = pytest.importorskip("mdit_py_plugins.dollarmath").dollarmath_plugin
    parser = markdown_it.MarkdownIt("commonmark").enable("table").use(dollarmath, allow_space=False, allow_digits=False)
    theirs = []
    for token in parser.parse(file.read_text(encoding="utf-8")):
        told = {"softbreak": " ", "hardbreak": " ", "html_inline": " "}
        theirs.append("".join(told.get(one.type, one.content) for one in token.children or ()) or (
            token.content if token.type in ("fence", "code_block", "math_block") else ""))
    ours = [one.text for one in read(file.read_text(encoding="utf-8"), "a.md")[0].passages]
    word = re.compile(r"[^\W_]+")
    assert word.findall("\n".join(ours)) == word.findall("\n".join(theirs))


# What strangers send

@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.tex"])
def test_any_text_is_read_with_its_offsets(path):
    pieces = ["$", "$$", "\\(", "\\)", "\\[", "\\]", "\\begin{align}", "\\end{align}", "\\begin{tabular}{l}", "\\\\",
              "&", "\\end{tabular}", "\\item ", "\\section{", "\\textbf{", "\\footnote{", "\\caption{", "\\verb|",
              "\\label{", "\\begin{verbatim}", "\\end{verbatim}", "\\qty{3}{\\giga\\byte}", "\\qty{3}{",
              "\\ensuremath{", "{", "}", "%", "*", "**", "_", "`", "``", "```", "~~", "~~~", "[", "](", ")", "![",
              "<!--", "-->", "<b>", "<sup>2</sup>", "<div>", "<script>", "&times;", "https://a.b ", "| ", "|---|",
              "\n|-|\n", "> ", "- ", "+ ", "1. ", "# ", "---\n", "===\n", "    ", "\t", " ", "\n", "\n\n", "\r\n",
              "\r", "symcount: a", "# symcount: b", "% symcount: c", "12", "3 = 4", "a", "é", "\u2028", "\x85",
              "\ufeff", "\0", "\ud800", "参", ":::"]

    @settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.one_of(st.sampled_from(pieces), st.text(max_size=3)), max_size=25).map("".join))
    @example("\\section{\\caption{\\begin{tabular}{l}a}}")
    @example("\\qty{3}{\na}{}")
    @example("\\begin{align}%\\[\n\n\\end{align}\\textbf{}")
    @example("\\begin{tabular}{l}\\item &")
    @example("> |a|\n> |-|\n- b")
    def judged(text):
        sound(read(text, path))

    judged()


NASTY = {
    "backticks": "`" * 100_000,
    "backticks of every length": "".join("`" * (i % 300 + 1) + "a" for i in range(700)),
    "asterisks": "*" * 100_000,
    "openers": "*a " * 33_000,
    "closers": "a* " * 33_000,
    "brackets": "[" * 100_000,
    "half links": "[](a" * 25_000,
    "links within links": "[a](" * 10_000 + "(" * 10_000 + ")" * 20_000,
    "angles": "<a =" * 25_000 + "<a " + "=" * 100_000,
    "comments": "<!--" * 25_000,
    "comments over lines": "<!--\n\n" * 3_000,
    "entities": "&amp" * 25_000,
    "dollars": "$" * 100_000,
    "half formulas": "$a " * 33_000,
    "half displays": "\\[ a\n" * 3_000 + "$$ a\n" * 3_001,
    "environments": "\\begin{equation}" * 6_000 + "\\begin{itemize}\\item " * 4_000,
    "tabulars": "\\begin{tabular}{l}a&b\\\\" * 4_000,
    "braces": "{" * 10_000 + "\\textbf{" * 10_000 + "\\label{" * 10_000 + "}" * 30_000,
    "half commands": "\\label{" * 5_000 + "\\newcommand{" * 5_000 + "\\footnote{" * 5_000 + "\\SI{3}{" * 5_000,
    "code in lines": "\\verb|" * 15_000,
    "conditionals": "\\iffalse " * 10_000,
    "options": "\\foo[" * 20_000,
    "quotes": ">" * 10_000 + "\n" + "> " * 10_000,
    "lists in a line": "- " * 10_000 + "1. " * 10_000,
    "lists in lists": "".join("  " * i + "- a\n" for i in [*range(400), *(i % 60 for i in range(2_000))]),
    "definitions": "[a]: b\n" * 5_000 + "[a\n" * 5_000,
    "fences": "".join("`" * (3 + i % 50) + "\n" for i in range(3_000)) + "```" + " " * 100_000 + "`",
    "fences of fences": "```" + "a" * 100_000 + "`",
    "pipes": "|" * 100_000 + "\n" + "|\n" * 5_000,
    "rules": "a|b\n" + "-|-" + " " * 100_000 + "x\n" + "|-\n" * 5_000,
    "underlines": "=\n" * 5_000 + "-\n" * 5_000,
    "a million signs": "the 3 x 4 = 12 of $a$ and `b` is *c* " * 27_000,
    "blanks": " " * 100_000 + "# a" + " " * 100_000 + "b",
    "line ends": "\n" * 20_000 + "\r\n" * 20_000 + "\r" * 20_000,
    "tags": "<div>\n\n" * 5_000 + "<script>" * 5_000 + "<del>" * 5_000,
    "struck": "~~a " * 25_000,
    "backslashes": "\\" * 100_001,
    "addresses": "http://" * 10_000 + "www." * 10_000,
    "odd signs": "\u2028\x85\x0b\x0c\ufeff\u200b\U0001f600\ud800\0" * 10_000,
    "front matter": "---\n" + "a: b\n" * 10_000,
    "remarks": "# symcount: a\n" * 5_000 + "<!-- symcount: a -->" * 5_000 + "% symcount: a" * 5_000,
}


@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.tex"])
@pytest.mark.parametrize("name", NASTY)
def test_nothing_breaks_the_reading_or_makes_it_slow(name, path):
    began = time.process_time()
    documents = read(NASTY[name], path)
    # Each takes well under a second; what grows with the square of the length would take minutes.
    assert time.process_time() - began < 15
    sound(documents)


def test_markdown_of_too_many_lines_is_refused():
    with pytest.raises(SymcountError, match=r"^a\.md: Markdown is read up to 200,000 lines: split the document$"):
        read("\n" * 200_001, "a.md")
